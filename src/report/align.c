/* SPDX-License-Identifier: MIT */
/* align: steps of two profiles that have other names but the same place. The plans are laid beside each other by
 * their longest common subsequence of types and names; between two steps that meet, those of one type whose names
 * the other profile does not have are taken for one another, in order: renamed. */
#include "report/report.h"

#include <stdlib.h>

enum {
    MOST_STEPS = 3000
}; /* of a plan, beside its equal begin and end: the table of lengths grows with the square */

typedef struct plan {
    const tw__stats *s;
    uint32_t *steps; /* executed ones, in plan order */
    char **keys;     /* type and name of each */
    size_t count;
} plan;

static char *key_of(const tw__stats *s, uint32_t step)
{
    const tw__step *at = &s->p->steps.items[step];
    return g_strconcat(s->p->names.items[at->type_name], "\x1f", s->p->names.items[at->name], NULL);
}

static plan plan_of(const tw__stats *s)
{
    plan p = { .s = s,
               .steps = g_new(uint32_t, s->p->steps.count + 1),
               .keys = g_new(char *, s->p->steps.count + 1) };
    for (uint32_t i = 0; i < s->p->steps.count; i++)
        if (s->counts[i]) p.steps[p.count] = i, p.keys[p.count++] = key_of(s, i);
    return p;
}

static void plan_free(plan *p)
{
    for (size_t i = 0; i < p->count; i++) g_free(p->keys[i]);
    g_free(p->keys), g_free(p->steps);
}

typedef struct aligner {
    plan a, b;
    GHashTable *in_a, *in_b; /* keys */
    GHashTable *renamed;     /* key in B -> key in A; both are copies */
} aligner;

/* Steps between two that meet: [a0, a1) and [b0, b1). */
static void pair_gap(aligner *g, size_t a0, size_t a1, size_t b0, size_t b1)
{
    size_t j = b0;
    for (size_t i = a0; i < a1; i++) {
        const char *a = g->a.keys[i];
        if (g_hash_table_contains(g->in_b, a)) continue; /* it is somewhere else: moved, not renamed */
        size_t type = strcspn(a, "\x1f") + 1;
        for (size_t k = j; k < b1; k++) {
            const char *b = g->b.keys[k];
            if (strncmp(a, b, type) != 0 || g_hash_table_contains(g->in_a, b)) continue;
            if (!g_hash_table_contains(g->renamed, b)) g_hash_table_insert(g->renamed, g_strdup(b), g_strdup(a));
            j = k + 1;
            break;
        }
    }
}

/* Lengths of common subsequences of what follows, then along the longest. */
static void align(aligner *g, size_t first, size_t an, size_t bn)
{
    size_t wide = bn + 1;
    uint16_t *length = g_new0(uint16_t, (an + 1) * wide);
    char **a = g->a.keys + first, **b = g->b.keys + first;
    for (size_t i = an; i-- > 0;)
        for (size_t j = bn; j-- > 0;) {
            uint16_t down = length[(i + 1) * wide + j], right = length[i * wide + j + 1];
            length[i * wide + j] = !strcmp(a[i], b[j]) ? (uint16_t)(length[(i + 1) * wide + j + 1] + 1)
                                   : down > right      ? down
                                                       : right;
        }
    size_t i = 0, j = 0, i0 = 0, j0 = 0;
    while (i < an && j < bn) {
        if (!strcmp(a[i], b[j])) {
            pair_gap(g, first + i0, first + i, first + j0, first + j);
            i0 = ++i, j0 = ++j;
        } else if (length[(i + 1) * wide + j] >= length[i * wide + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    pair_gap(g, first + i0, first + an, first + j0, first + bn);
    g_free(length);
}

static GHashTable *set_of(const plan *p)
{
    GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < p->count; i++) g_hash_table_add(set, p->keys[i]);
    return set;
}

GHashTable *tw__renamed_steps(const tw__stats *a, const tw__stats *b)
{
    aligner g = { .a = plan_of(a), .b = plan_of(b) };
    size_t first = 0, an = g.a.count, bn = g.b.count;
    g.in_a = set_of(&g.a), g.in_b = set_of(&g.b);
    g.renamed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    while (first < an && first < bn && !strcmp(g.a.keys[first], g.b.keys[first])) first++;
    while (an > first && bn > first && !strcmp(g.a.keys[an - 1], g.b.keys[bn - 1])) an--, bn--;
    if (an - first <= MOST_STEPS && bn - first <= MOST_STEPS) align(&g, first, an - first, bn - first);
    g_hash_table_destroy(g.in_a), g_hash_table_destroy(g.in_b);
    plan_free(&g.a), plan_free(&g.b);
    return g.renamed;
}
