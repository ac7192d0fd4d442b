/* SPDX-License-Identifier: MIT */
/* names: steps by the names that the program gave them: Layer1/Fwd/Conv is a step of Fwd, and that a part of
 * Layer1. */
#include "report/report.h"

#include <stdlib.h>

enum { DEEPEST = 32 }; /* names of files may have any number of parts: the rest is one */

typedef struct name_tree {
    GArray *nodes;     /* tw__named_steps */
    GHashTable *known; /* path -> index + 1 */
} name_tree;

/* The node of a path, with those above it; its index. */
static guint name_node(name_tree *t, const char *path, const char *title, guint up)
{
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(t->known, path));
    if (at) return at - 1;
    unsigned depth = up == TW__NONE ? 0 : g_array_index(t->nodes, tw__named_steps, up).depth + 1;
    tw__named_steps node = { .title = g_strdup(title), .up = up, .depth = depth };
    g_array_append_val(t->nodes, node);
    g_hash_table_insert(t->known, g_strdup(path), GUINT_TO_POINTER(t->nodes->len));
    return t->nodes->len - 1;
}

static void sum_named(name_tree *t, const char *name, int deepest, double cycles, uint64_t times)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", deepest);
    g_autoptr(GString) path = g_string_new(NULL);
    guint up = TW__NONE;
    for (char **part = parts; *part || up == TW__NONE; part++) {
        bool ends = !*part;
        if (!ends && !**part) continue;
        const char *title = ends ? "(no name)" : *part;
        g_string_append_printf(path, "/%s", title);
        up = name_node(t, path->str, title, up);
        tw__named_steps *node = &g_array_index(t->nodes, tw__named_steps, up);
        node->cycles += cycles, node->times += times;
        if (ends) return;
    }
}

static const char *step_title(const tw_profile *p, uint32_t step)
{
    const tw__step *s = &p->steps.items[step];
    return p->names.items[s->name ? s->name : s->type_name];
}

/* The engine names a print after its title, which is a text and no path. */
static bool is_print(const tw_profile *p, uint32_t step)
{
    return p->steps.items[step].type == TW_PROGRAM_STREAM_COPY && g_str_has_prefix(step_title(p, step), "print ");
}

/* An exchange without a name brings what the next computing step reads: by step its index, or TW__NONE. */
static uint32_t *readers_of(const tw_profile *p)
{
    uint32_t *readers = g_new(uint32_t, p->steps.count + 1), next = TW__NONE;
    for (uint32_t i = (uint32_t)p->steps.count; i-- > 0;) {
        tw_cycles_bucket bucket = tw__step_bucket(&p->steps.items[i]);
        bool is_named = p->steps.items[i].name,
             moves = bucket == TW_CYCLES_EXCHANGE || bucket == TW_CYCLES_GLOBAL_EXCHANGE;
        if (bucket == TW_CYCLES_COMPUTE) next = is_named ? i : TW__NONE;
        readers[i] = moves && !is_named ? next : TW__NONE;
    }
    return readers;
}

static void free_named(void *node)
{
    g_free(((tw__named_steps *)node)->title);
}

GArray *tw__names_of(const tw__stats *s)
{
    const tw_profile *p = s->p;
    name_tree t = { g_array_new(FALSE, TRUE, sizeof(tw__named_steps)),
                    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
    g_array_set_clear_func(t.nodes, free_named);
    g_autofree uint32_t *readers = readers_of(p);
    for (uint32_t i = 0; i < p->steps.count; i++) {
        if (!s->counts[i]) continue;
        uint32_t reader = readers[i];
        g_autofree char *name = reader == TW__NONE
                                    ? g_strdup(step_title(p, i))
                                    : g_strdup_printf("%s/%s", step_title(p, reader), step_title(p, i));
        double alone = tw__stats_step_cycles(s, i) - (double)s->counts[i] * (double)p->steps.items[i].overlapped;
        sum_named(&t, name, is_print(p, i) ? 1 : DEEPEST, MAX(alone, 0), s->counts[i]);
    }
    g_hash_table_destroy(t.known);
    return t.nodes;
}
