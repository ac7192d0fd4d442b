/* SPDX-License-Identifier: MIT */
/* tree: whether two PTO-AS trees are equal, but for where things stand in the text. */
#ifndef TW_TESTS_PTO_TREE_H
#define TW_TESTS_PTO_TREE_H

#include "pto/text/as.h"

static inline bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static inline bool same_items(const tw__as_item *a, const tw__as_item *b)
{
    for (; a && b; a = a->next, b = b->next) {
        if (a->kind != b->kind || !same_text(a->text, b->text) || a->comma != b->comma || a->colon != b->colon ||
            a->has_value != b->has_value || a->parens != b->parens || a->type_count != b->type_count ||
            !same_items(a->child, b->child))
            return false;
        for (unsigned t = 0; t < a->type_count; t++) {
            const tw__as_type *x = &a->types[t], *y = &b->types[t];
            if (!same_text(x->text, y->text) || x->kind != y->kind || x->element != y->element ||
                x->rank != y->rank || x->tile.rows != y->tile.rows || x->tile.cols != y->tile.cols ||
                x->tile.pad != y->tile.pad || x->tile.valid_rows != y->tile.valid_rows ||
                x->tile.valid_cols != y->tile.valid_cols)
                return false;
        }
    }
    return a == b;
}

static inline bool same_comments(const tw__as_comment *a, const tw__as_comment *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (strcmp(a->text, b->text) != 0) return false;
    return a == b;
}

static inline bool same_block(const tw__as_block *a, const tw__as_block *b);

static inline bool same_ops(const tw__as_line *x, const tw__as_line *y)
{
    for (; x && y; x = x->next, y = y->next) {
        const tw__as_op *a = x->whole, *b = y->whole;
        if (strcmp(a->name, b->name) != 0 || a->result_count != b->result_count || a->alias != b->alias ||
            !same_items(a->items, b->items) || !same_block(a->blocks, b->blocks) ||
            !same_comments(a->comments, b->comments) || !same_comments(a->after, b->after))
            return false;
        for (unsigned r = 0; r < a->result_count; r++)
            if (strcmp(a->results[r].text, b->results[r].text) != 0 || a->results[r].group != b->results[r].group)
                return false;
    }
    return x == y;
}

static inline bool same_block(const tw__as_block *a, const tw__as_block *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (!same_text(a->word, b->word) || !same_text(a->number, b->number) || !same_text(a->label, b->label) ||
            !same_items(a->params, b->params) || !same_ops(a->first, b->first) ||
            !same_comments(a->before, b->before) || !same_comments(a->opening, b->opening) ||
            !same_comments(a->closing, b->closing))
            return false;
    return a == b;
}

#endif
