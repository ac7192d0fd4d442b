/* SPDX-License-Identifier: MIT */
/* comments: comments of PTO-AS. The lexer meets them between tokens; here they find their place in the tree: on lines
 * of their own before a statement or before the end of a block, or behind a statement or an opening brace on the same
 * line. */
#include "pto/text/syntax/parse.h"

void tw__comment_add(tw__parser *p, const char *start, size_t length, bool blank)
{
    if (!p->m->tree) return;
    tw__as_comment *c = tw__parse_allocate(p, sizeof *c);
    while (length && strchr(" \t\r", start[length - 1])) length--;
    const char *text = tw__parse_copy(p, start, length);
    if (p->m->no_memory) return;
    *c = (tw__as_comment){ .text = text, .at = start, .own_line = p->fresh, .blank = blank };
    *(p->comments ? &p->last_comment->next : &p->comments) = c;
    p->last_comment = c;
}

tw__as_comment *tw__comment_take(tw__parser *p)
{
    tw__as_comment *all = p->comments;
    p->comments = NULL;
    return all;
}

/* Those that begin before `until` go to the lines before a statement. */
static void move_before(tw__parser *p, tw__as_op *op, const char *until)
{
    tw__as_comment **end = &op->comments;
    while (*end) end = &(*end)->next;
    for (tw__as_comment *c; (c = p->comments) && c->at < until; end = &c->next) {
        p->comments = c->next;
        c->next = NULL;
        c->blank = op->blank; /* the empty line before the statement now stands before the first of them */
        op->blank = false;
        *end = c;
    }
}

tw__as_comment *tw__comment_behind(tw__parser *p)
{
    tw__as_comment **c = &p->comments, *before = NULL, *found;
    while (*c && ((*c)->at < p->end || (*c)->own_line)) {
        before = *c;
        c = &(*c)->next;
    }
    if (!(found = *c)) return NULL;
    *c = found->next;
    if (p->last_comment == found) p->last_comment = before;
    found->next = NULL;
    return found;
}

void tw__comment_statement(tw__parser *p, tw__as_op *op)
{
    move_before(p, op, p->end);
    op->after = tw__comment_behind(p);
}

/* Comments of the head go before the operation, those before a case stay where they are. "} else {" is one line: what
 * stands in it goes into the block. */
void tw__comment_word(tw__parser *p, tw__as_op *op, tw__as_block *block)
{
    bool own_line = tw__parse_is_word(p, "case") || tw__parse_is_word(p, "default");
    if (!op->blocks) move_before(p, op, own_line ? p->end : p->t.start);
    if (own_line) block->before = tw__comment_take(p);
}

void tw__comment_brace(tw__parser *p)
{
    for (tw__as_comment *c = p->comments; c; c = c->next) c->own_line = true;
}
