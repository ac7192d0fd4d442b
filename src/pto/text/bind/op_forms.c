/* SPDX-License-Identifier: MIT */
/* What stands where in operations other than tile instructions: their lists and named parts, and which operand each
 * written type is of, as their rows say. What an operation has besides is refused with its form. */
#include "pto/text/bind/bind.h"

static bool is_one_of(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *w = words; (w = strstr(w, word)); w += n)
        if ((w == words || w[-1] == ' ') && w[n] == ' ') return true;
    return false;
}

/* The next list of the form: its name, then how many it has; false when there are no more. */
static bool next_list(const char **at, char *name, size_t size, unsigned *count)
{
    if (!*at) return false;
    size_t length = strcspn(*at, ";"), word = strcspn(*at, " ");
    bool named = word < length;
    g_snprintf(name, size, "%.*s", named ? (int)word : 0, *at);
    size_t digit = named ? word + 1 : 0;
    *count = digit < length ? (unsigned)((*at)[digit] - '0') : 0; /* 0 = any number */
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

static unsigned length_of(const tw__as_item *list)
{
    unsigned n = 0;
    for (const tw__as_item *i = list->child; i; i = i->next) n++;
    return n;
}

static bool op_forms_refuse(tw__as_binder *b, const tw__as_item *where, const tw__as_op *op, const tw__as_host *f,
                            const char *what, const char *name)
{
    tw__as_refuse(b, where, op, "pto.form", "%s: %s%s%s; expected %s", op->name, what, *name ? " " : "", name,
                  f->form);
    return false;
}

/* A list, `word` before it or NULL. */
static bool check_list(tw__as_binder *b, const tw__as_op *op, const tw__as_host *f, const tw__as_item *list,
                       const tw__as_item *word, const char **lists)
{
    char name[32];
    unsigned count;
    if (!next_list(lists, name, sizeof name, &count) || strcmp(word ? word->text : "", name) != 0)
        return op_forms_refuse(b, word ? word : list, op, f, "this list has no meaning here", "");
    for (const tw__as_item *i = list->child; i; i = i->next)
        if ((i->kind != TW__AS_VALUE && i->kind != TW__AS_NUMBER) || i->has_value)
            return op_forms_refuse(b, i, op, f, "a list holds values", "");
    char wanted[32];
    g_snprintf(wanted, sizeof wanted, "%u here", count);
    return count == 0 || length_of(list) == count ||
           op_forms_refuse(b, list, op, f, "the list has to have", wanted);
}

/* A word that is no name of a list: one of those with a value, once. */
static bool check_word(tw__as_binder *b, const tw__as_op *op, const tw__as_host *f, const tw__as_item *word)
{
    char text[40];
    if (f->lists && strstr(f->lists, word->text))
        return op_forms_refuse(b, word, op, f, "expected a list after", word->text);
    if (!f->words || strcmp(word->text, "to") == 0) return true; /* "to" of memref.reinterpret_cast */
    g_snprintf(text, sizeof text, "'%.30s'", word->text);
    if (!is_one_of(f->words, word->text)) return op_forms_refuse(b, word, op, f, "there is no", text);
    if (!word->has_value) return op_forms_refuse(b, word, op, f, "expected '=' after", word->text);
    for (const tw__as_item *i = op->items; i != word; i = i->next)
        if (i->kind == TW__AS_WORD && strcmp(i->text, word->text) == 0)
            return op_forms_refuse(b, word, op, f, "given twice:", word->text);
    return true;
}

/* No attributes but notes of others, which have a dot in their name. */
static bool check_dict(tw__as_binder *b, const tw__as_op *op, const tw__as_host *f, const tw__as_item *dict)
{
    if (!f->words || strcmp(f->words, "{}") == 0) return true;
    for (const tw__as_item *d = dict->child; d; d = d->next)
        if (d->text && !strchr(d->text, '.')) return op_forms_refuse(b, d, op, f, "there is no attribute", d->text);
    return true;
}

bool tw__as_check_form(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host)
{
    const tw__as_host *f = host->form ? host : NULL;
    const char *lists = f ? f->lists : NULL;
    char name[32], text[40];
    unsigned count;
    bool good = true;
    for (const tw__as_item *i = f ? op->items : NULL, *before = NULL; i && good; before = i, i = i->next) {
        bool word = i->kind == TW__AS_WORD && strcmp(i->text, "ins") != 0 && strcmp(i->text, "outs") != 0;
        const tw__as_item *list = i->kind == TW__AS_LIST ? i : word && i->has_value ? i->child : NULL;
        const tw__as_item *named = word ? i : before && before->kind == TW__AS_WORD ? before : NULL;
        if (list && list->kind == TW__AS_LIST)
            good = check_list(b, op, f, list, named, &lists);
        else if (word && (i->has_value || !i->next || i->next->kind != TW__AS_LIST))
            good = check_word(b, op, f, i);
        else if (i->kind == TW__AS_DICT)
            good = check_dict(b, op, f, i);
    }
    if (!good || !f || !next_list(&lists, name, sizeof name, &count)) return good;
    g_snprintf(text, sizeof text, "'%s'", *name ? name : "[...]");
    return op_forms_refuse(b, NULL, op, f, "missing:", text);
}

bool tw__as_check_written(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host, const tw__as_parts *p,
                          const uint32_t *slots, tw__as_item *const *where, const tw__as_code *code,
                          const tw__as_type *type)
{
    const char *written = host->form ? host->written : "";
    unsigned count = code->count;
    for (unsigned i = 0; written[i] && i < p->in_types; i++) {
        unsigned operand = written[i] == '.' ? count : (unsigned)(written[i] - '0');
        if (operand < count && !tw__as_same_type(b->f->slot_type[slots[operand]], p->in_type[i]))
            return tw__as_refuse(b, where[operand], op, "pto.type", "%s: this is %s, the type written is %s",
                                 op->name, tw__as_type_text(b->f->slot_type[slots[operand]]), p->in_type[i]->text),
                   false;
    }
    return !host->rule || host->rule(&(tw__as_site){ .b = b,
                                                     .op = op,
                                                     .slots = slots,
                                                     .where = where,
                                                     .count = count,
                                                     .parts = code->more->parts,
                                                     .type = type });
}
