/* SPDX-License-Identifier: MIT */
/* What the analysis met, by place: a name is analysed once for each program and each turn of a comptime loop, and
 * what it is then may differ. */
#include "csl/lang/index/index.h"
#include "csl/lang/sema/sema.h"

#include <string.h>

enum { ENOUGH = 64, SHORT = 80, MOST_PARTS = 8 }; /* meetings that are looked at; bytes of a value, parts of one */

const tw__csl_fact *tw__csl_fact_at(const tw__csl_facts *facts, tw__csl_loc loc)
{
    return g_hash_table_lookup(facts->at, GUINT_TO_POINTER(loc));
}

static void add_fact_text(tw__csl_facts *facts, const char *list[TW__CSL_FACTS], const char *text)
{
    unsigned i = 0;
    while (i < TW__CSL_FACTS && list[i] && strcmp(list[i], text)) i++;
    if (i < TW__CSL_FACTS && !list[i]) list[i] = tw__arena_strdup(facts->arena, text);
}

/* Values that people read at a glance. */
static bool is_short(const tw__csl_value *v, unsigned depth)
{
    const tw__csl_type *t = v->type;
    if (!t || t->kind == TW__CSL_TY_MODULE || t->kind == TW__CSL_TY_FN || t->kind == TW__CSL_TY_POINTER ||
        t->kind == TW__CSL_TY_VOID || tw__csl_is_dsd(t) || t->kind == TW__CSL_TY_FIFO)
        return false;
    if (t->kind == TW__CSL_TY_COMPTIME_STRING) return v->string.length < SHORT;
    if (!tw__csl_is_aggregate(t)) return true;
    if (depth > 1 || !v->parts || !v->parts->items || v->parts->count > MOST_PARTS) return false;
    for (size_t i = 0; i < v->parts->count; i++)
        if (!v->parts->items[i].type || !is_short(&v->parts->items[i], depth + 1)) return false;
    return true;
}

static void add_value(tw__csl_facts *facts, tw__csl_fact *fact, const tw__csl_operand *o)
{
    if (o->kind != TW__CSL_O_VALUE || !is_short(&o->value, 0)) {
        fact->unknown = true;
        return;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    tw__csl_value_print(text, &o->value);
    if (text->len <= SHORT && !strchr(text->str, '\n')) add_fact_text(facts, fact->values, text->str);
}

/* "name type" of the fields of a type that is defined nowhere. */
static const char *fields_of(tw__csl_facts *facts, const tw__csl_type *t)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (t->kind != TW__CSL_TY_STRUCT || t->tuple || t->site) return NULL;
    for (size_t i = 0; i < t->count; i++)
        g_string_append_printf(text, "%s %s\n", t->fields[i].name,
                               tw__csl_type_text((char[TW__CSL_TYPE_TEXT]){ 0 }, t->fields[i].type));
    return tw__arena_strdup(facts->arena, text->str);
}

void tw__csl_facts_met(tw__csl_facts *facts, const tw__csl_node *at, const tw__csl_operand *o,
                       const tw__csl_node *definition)
{
    tw__csl_fact *fact = g_hash_table_lookup(facts->at, GUINT_TO_POINTER(at->loc));
    if (!fact) {
        fact = TW__NEW(facts->arena, tw__csl_fact);
        if (!fact) return;
        g_hash_table_insert(facts->at, GUINT_TO_POINTER(at->loc), fact);
    }
    if (definition && !fact->definition) fact->definition = definition->loc;
    const tw__csl_type *t = o->type;
    if (fact->meetings++ > ENOUGH || t->kind == TW__CSL_TY_POISON) return;
    add_fact_text(facts, fact->types, tw__csl_type_text((char[TW__CSL_TYPE_TEXT]){ 0 }, t));
    if (t->kind == TW__CSL_TY_MODULE && o->kind == TW__CSL_O_VALUE && !fact->path)
        fact->path = tw__arena_strdup(facts->arena, o->value.module->path);
    add_value(facts, fact, o);
    if (t->kind == TW__CSL_TY_TYPE && o->kind == TW__CSL_O_VALUE) t = o->value.t;
    if (t->kind == TW__CSL_TY_POINTER) t = t->base;
    const tw__csl_node *site = t->site;
    if (site && !fact->site) fact->site = site->loc;
    if (!fact->fields) fact->fields = fields_of(facts, t);
}

const char *tw__csl_fact_text(const tw__csl_facts *facts, const char *const texts[TW__CSL_FACTS])
{
    if (!texts[0]) return "";
    g_autoptr(GString) all = g_string_new(texts[0]);
    for (unsigned i = 1; i < TW__CSL_FACTS && texts[i]; i++) g_string_append_printf(all, " | %s", texts[i]);
    const char *kept = texts[1] ? tw__arena_strdup(facts->arena, all->str) : texts[0];
    return kept ? kept : "";
}
