/* SPDX-License-Identifier: MIT */
/* lines: the cycles of a block by the lines of the source that asked for its instructions. A cycle in which several
 * issue is shared; one in which nothing issues belongs to what issues next, which is what waits, and cycles behind
 * the last one to that. Where the turns of a loop overlap, instructions count as long as they take their unit. */
#include "aie/cost/cost.h"

#include <stdlib.h>
#include <string.h>

typedef struct line_share {
    const char *file;
    uint32_t line;
    double weight;
} line_share;

static int lines_by_place(const void *a, const void *b)
{
    const line_share *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

typedef struct issue {
    unsigned at;
    uint32_t instruction;
} issue;

static int lines_by_issue(const void *a, const void *b)
{
    const issue *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->instruction < y->instruction ? -1 : x->instruction > y->instruction;
}

/* Instructions that take a unit, by when they issue. */
static uint32_t find_issues(const tw__aie_block_times *t, issue *issues)
{
    const tw__ir_block *b = &t->f->blocks[t->block];
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (t->costs[i].unit != TW__AIE_NONE) issues[count++] = (issue){ t->at[i], i };
    if (!count) issues[count++] = (issue){ 0, b->count - 1 }; /* the way out is all there is */
    qsort(issues, count, sizeof *issues, lines_by_issue);
    return count;
}

/* The first block that leads to this one, itself aside; its own number: there is none. */
static uint32_t way_in(const tw__ir_function *f, uint32_t block)
{
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t s = 0; s < f->blocks[b].successor_count && s < 2; s++)
            if (f->blocks[b].successors[s] == block && b != block) return b;
    return block;
}

/* The line of an instruction; of one that has none, that of the nearest before it, else behind it, else of what leads
 * to the block: a switch becomes blocks that no line asked for. */
static const tw__ir_value *placed(const tw__aie_block_times *t, uint32_t instruction)
{
    enum { FAR = 16 }; /* blocks */
    uint32_t block = t->block;
    for (int step = 0; step < FAR; step++) {
        const tw__ir_value *values = &t->f->values[t->f->blocks[block].first];
        const uint32_t count = t->f->blocks[block].count;
        const uint32_t from = step ? count - 1 : instruction;
        for (uint32_t i = from + 1; i-- > 0;)
            if (values[i].file) return &values[i];
        for (uint32_t i = from; i < count; i++)
            if (values[i].file) return &values[i];
        block = way_in(t->f, block);
    }
    return NULL;
}

static GArray *shares_of(const tw__aie_block_times *t)
{
    const uint32_t instructions = t->f->blocks[t->block].count;
    GArray *shares = g_array_new(FALSE, FALSE, sizeof(line_share));
    g_autofree issue *issues = g_new(issue, instructions + 1);
    const uint32_t count = find_issues(t, issues);
    unsigned done = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && issues[end].at == issues[first].at;) end++;
        unsigned until = end < count ? issues[first].at + 1 : t->length;
        double each = until > done ? (double)(until - done) / (end - first) : 0;
        for (uint32_t i = first; i < end; i++) {
            const tw__ir_value *v = placed(t, issues[i].instruction);
            const line_share s = { v ? v->file : NULL, v ? v->file_line : 0,
                                   t->overlaps ? t->costs[issues[i].instruction].issues : each };
            if (v && s.weight > 0) g_array_append_val(shares, s);
        }
        if (until > done) done = until;
    }
    if (shares->len) qsort(shares->data, shares->len, sizeof(line_share), lines_by_place);
    return shares;
}

char *tw__aie_lines_of(const tw__aie_block_times *t, uint64_t cycles, bool is_first_turn)
{
    g_autoptr(GArray) shares = shares_of(t);
    const line_share *list = (const line_share *)(const void *)shares->data;
    double all = 0, sum = 0;
    uint64_t given = 0;
    for (guint i = 0; i < shares->len; i++) all += list[i].weight;
    if (!cycles || all <= 0) return NULL;
    cycles *= TW__AIE_LINE_UNIT;
    g_autofree char *name = tw__aie_plain_name(t->f->name);
    GString *text = g_string_new(is_first_turn ? "+" : "");
    g_string_append(text, name);
    g_string_append_c(text, '\n');
    for (guint i = 0; i < shares->len; i++) {
        sum += list[i].weight;
        bool is_last = i + 1 == shares->len;
        if (!is_last && lines_by_place(&list[i], &list[i + 1]) == 0) continue;
        uint64_t until = is_last ? cycles : (uint64_t)(sum / all * (double)cycles + 0.5); /* so that all add up */
        g_string_append_printf(text, "%" G_GUINT64_FORMAT " %u %s\n", until - given, list[i].line, list[i].file);
        given = until;
    }
    return g_string_free(text, FALSE);
}
