/* SPDX-License-Identifier: MIT */
/* attributes: attributes of tile instructions: dictionaries, "#atomic = add" of plain assembly, aliases. */
#include "pto/text/code/binder.h"

/* What "#name" stands for, itself when it is no alias. */
static const tw__as_item *resolve(const tw__as_binder *b, const tw__as_item *value)
{
    bool name = value->kind == TW__AS_ATTR && *value->text == '#';
    const tw__as_item *item = name ? g_hash_table_lookup(b->m->aliases, value->text) : NULL;
    return item ? item : value;
}

void tw__as_value_word(const tw__as_binder *b, const tw__as_item *value, char *buf, size_t size)
{
    value = resolve(b, value);
    const char *text = value->text ? value->text : "";
    if (value->kind == TW__AS_ATTR) return tw__as_attr_word(text, buf, size);
    g_snprintf(buf, (gulong)size, "%s", *text == '"' ? text + 1 : text);
    if (*buf && buf[strlen(buf) - 1] == '"') buf[strlen(buf) - 1] = 0;
}

/* "no attribute 'x'; did you mean 'y'?" among those that the row takes. */
static void unknown(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, const char *name,
                    const tw__pto_row *row)
{
    char text[256] = "", *names[32]; /* a bit each in row->attrs */
    const char *near;
    size_t count = 0;
    for (unsigned i = 0; i < tw__pto_attr_count(); i++)
        if (row->attrs >> i & 1)
            names[count++] = g_strndup(tw__pto_attr_names(i), strcspn(tw__pto_attr_names(i), "|"));
    near = tw__nearest(name, (const char *const *)names, count);
    if (near)
        g_snprintf(text, sizeof text, "; did you mean '%s'?", near);
    else if (count == 0)
        g_snprintf(text, sizeof text, ": it takes none");
    for (size_t i = 0; !near && i < count; i++)
        g_snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : ": it has ", names[i]);
    tw__as_refuse(b, item, op, "pto.attribute", "%s has no attribute '%s'%s", row->mnemonic, name, text);
    for (size_t i = 0; i < count; i++) g_free(names[i]);
}

/* "cmp" of "#pto<cmp lt>" and "#pto.cmp<lt>"; "" when the value says no enumeration. */
static void attributes_class_of(const char *text, char *buf, size_t size)
{
    size_t start = strncmp(text, "#pto<", 5) == 0 || strncmp(text, "#pto.", 5) == 0 ? 5 : 0,
           length = strcspn(text + start, start && text[4] == '<' ? " " : "<");
    g_snprintf(buf, (gulong)size, "%.*s", start && text[start + length] ? (int)length : 0, text + start);
}

bool tw__as_is_class(const tw__as_binder *b, const tw__as_item *value, const char *classes)
{
    char class[40], text[42];
    value = resolve(b, value);
    if (value->kind != TW__AS_ATTR) return true;
    attributes_class_of(value->text, class, sizeof class - 1);
    g_snprintf(text, sizeof text, "%s ", class);
    const char *found = strstr(classes, text);
    return !*class || (found && (found == classes || found[-1] == ' '));
}

/* Enumerations of the assembler, each followed by a blank; NULL = the documents name none. */
static const char *classes_of(const char *attribute)
{
    static const char *const rows[][2] = { { "cmpMode", "cmp " },
                                           { "rmode", "round_mode " },
                                           { "sat_mode", "saturation_mode " },
                                           { "maskPattern", "mask_pattern " },
                                           { "stPhase", "st_phase " },
                                           { "atomicType", "atomic_type scatter_atomic_op " },
                                           { "reluPreMode", "relu_pre_mode " },
                                           { "accToVecMode", "acc_to_vec_mode " },
                                           { "gatherOob", "gather_oob scatter_oob " },
                                           { "quant_type", "quant_type " } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_str_has_prefix(attribute, rows[i][0]) && strchr("|", attribute[strlen(rows[i][0])]))
            return rows[i][1];
    return NULL;
}

static bool set_attr(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row, const tw__as_item *item,
                     tw_pto_attrs *attrs, uint64_t *seen)
{
    const char *name = item->text ? item->text + (*item->text == '#') : "";
    char word[64] = "true";
    int32_t *values = (int32_t *)(void *)attrs;
    if (item->has_value) tw__as_value_word(b, item->child, word, sizeof word);
    if (strcmp(name, "phase") == 0 && strcmp(word, "relu") == 0) { /* "#phase=relu" of the manual */
        name = "relu";
        g_strlcpy(word, "normal_relu", sizeof word);
    }
    if (strchr(name, '.')) return true; /* somebody else's note */
    int attr = tw__pto_attr_by_name(name);
    if (attr < 0 || !(row->attrs >> attr & 1)) return unknown(b, op, item, name, row), false;
    if (*seen >> attr & 1) return tw__as_refuse(b, item, op, "pto.attribute", "'%s' is given twice", name), false;
    *seen |= UINT64_C(1) << attr;
    const char *classes = classes_of(tw__pto_attr_names((unsigned)attr));
    if (classes && item->has_value && !tw__as_is_class(b, item->child, classes))
        return tw__as_refuse(b, item->child, op, "pto.attribute", "'%s' takes #pto<%.*s ...>", name,
                             (int)strcspn(classes, " "), classes),
               false;
    bool listed = tw__pto_attr_value_name((unsigned)attr, 0) != NULL;
    if (tw__pto_attr_value((unsigned)attr, word, &values[attr]) &&
        (!listed || tw__pto_attr_value_name((unsigned)attr, values[attr])))
        return true;
    char choices[160] = "";
    const char *choice;
    for (int32_t v = 0; listed && (choice = tw__pto_attr_value_name((unsigned)attr, v)); v++)
        g_snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s", v ? ", " : ": ", choice);
    tw__as_refuse(b, item->has_value ? item->child : item, op, "pto.attribute", "'%s' is not a value of '%s'%s",
                  word, name, choices);
    return false;
}

bool tw__as_bind_attrs(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row, const tw__as_parts *p,
                       tw_pto_attrs *attrs)
{
    uint64_t seen = 0;
    memset(attrs, 0, sizeof *attrs);
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next)
            if (!set_attr(b, op, row, i, attrs, &seen)) return false;
    for (unsigned n = 0; n < p->nameds; n++) {
        const tw__as_item *item = p->named[n];
        if (!set_attr(b, op, row, item, attrs, &seen)) return false;
    }
    return true;
}
