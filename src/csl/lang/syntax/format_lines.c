/* SPDX-License-Identifier: MIT */
/* The layout: how far lines are indented, and where those that are too long break. */
#include "csl/lang/syntax/format.h"

/* What is open where a line begins. */
typedef struct {
    uint32_t opener;  /* TW__CSL_NO_PIECE: the file */
    uint32_t base;    /* columns: of the line with the opener, as a closer's */
    uint32_t content; /* of items and statements */
    uint32_t item;    /* of the statement or item under way */
    uint32_t owner;   /* of the if, for or while under way */
    guint ifs;        /* of `layout.ifs`: those before it */
} frame;

typedef struct {
    tw__csl_formatter *f;
    GArray *frames;
    GArray *ifs; /* uint32_t: columns of each if that may get an else */
} layout;

static frame *top(const layout *l)
{
    return &g_array_index(l->frames, frame, l->frames->len - 1);
}

static bool hangs(const layout *l, uint32_t opener)
{
    return opener == TW__CSL_NO_PIECE || tw__csl_hangs(&l->f->pieces[opener]);
}

/* else of an if; in a switch it is a case */
static bool is_else(const tw__csl_piece *p)
{
    return p->kind == TW__CSL_T_ELSE && p[1].kind != TW__CSL_T_FAT_ARROW && p[-1].kind != TW__CSL_T_DOT;
}

static bool begins(const layout *l, uint32_t i)
{
    const tw__csl_piece *p = &l->f->pieces[i];
    if (i == 0 || (p->roles & TW__CSL_R_STATEMENT)) return true;
    return top(l)->opener != TW__CSL_NO_PIECE && !tw__csl_is_block(&l->f->pieces[top(l)->opener]) &&
           (i == top(l)->opener + 1 || (p[-1].kind == TW__CSL_T_COMMA && p->rank == TW__CSL_BREAK_ITEM));
}

/* Columns before piece i, which begins a line. */
static uint32_t indent_of(const layout *l, uint32_t i)
{
    const tw__csl_piece *p = &l->f->pieces[i];
    const frame *at = top(l);
    if (i == l->f->count) return 0;
    if (tw__csl_closes(p)) return hangs(l, at->opener) ? at->base : at->content;
    if (begins(l, i)) return at->content;
    if (p->roles & TW__CSL_R_BODY) return at->owner + TW__CSL_STEP;
    if (is_else(p) && l->ifs->len > at->ifs) return g_array_index(l->ifs, uint32_t, l->ifs->len - 1);
    if (at->opener == TW__CSL_NO_PIECE || tw__csl_is_block(&l->f->pieces[at->opener]))
        return at->item + TW__CSL_GO_ON;
    const tw__csl_piece *opener = &l->f->pieces[at->opener];
    bool alone = opener->items == 1 && !tw__csl_braces(opener) && !tw__csl_hangs(opener);
    return at->content + (alone ? 0 : TW__CSL_GO_ON); /* (a and\n b) */
}

/* --- the state between pieces --------------------------------------------------------------------------------- */

static void open_frame(layout *l, uint32_t i, uint32_t column)
{
    const tw__csl_piece *p = &l->f->pieces[i];
    frame new = { .opener = i, .base = top(l)->item, .item = top(l)->item, .ifs = l->ifs->len };
    new.content = hangs(l, i) ? new.base + TW__CSL_STEP : column + p->width + p[1].space;
    g_array_append_val(l->frames, new);
}

/* An if that is worth something counts from its own column, one that does something from its statement's. */
static void pass_if(layout *l, uint32_t i, uint32_t column, bool first)
{
    const tw__csl_piece *p = &l->f->pieces[i];
    frame *at = top(l);
    if (first)
        at->owner = column;
    else if (p->roles & TW__CSL_R_BODY)
        at->owner = p[-1].kind == TW__CSL_T_ELSE ? at->owner : at->item;
    else
        at->owner = column;
    g_array_append_val(l->ifs, at->owner);
}

static void pass_else(layout *l, bool first)
{
    frame *at = top(l);
    if (l->ifs->len <= at->ifs) return;
    at->owner = g_array_index(l->ifs, uint32_t, l->ifs->len - 1);
    g_array_set_size(l->ifs, l->ifs->len - 1);
    if (first) at->item = at->owner;
}

/* Piece i stands at this column; `first` on its line. */
static void pass(layout *l, uint32_t i, uint32_t column, bool first)
{
    const tw__csl_piece *p = &l->f->pieces[i];
    if (tw__csl_closes(p) && l->frames->len > 1) {
        g_array_set_size(l->ifs, top(l)->ifs);
        g_array_set_size(l->frames, l->frames->len - 1);
    }
    frame *at = top(l);
    if (!tw__csl_closes(p) && begins(l, i)) {
        g_array_set_size(l->ifs, at->ifs);
        if (first) at->item = column;
    } else if (first && (p->roles & TW__CSL_R_BODY)) {
        at->item = column;
    }
    if (i && p[-1].kind == TW__CSL_T_DOT) return; /* a field's name */
    if (p->kind == TW__CSL_T_FOR || p->kind == TW__CSL_T_WHILE) at->owner = at->item;
    if (p->kind == TW__CSL_T_IF) pass_if(l, i, column, first);
    if (i && is_else(p)) pass_else(l, first);
    if (tw__csl_opens(p)) open_frame(l, i, column);
}

/* --- lines that are too long ---------------------------------------------------------------------------------- */

typedef struct {
    uint32_t first, indent; /* of the line */
    uint32_t base;          /* what a list hangs from that opens on it */
} line;

static uint32_t format_column(const layout *l, const line *n, uint32_t i)
{
    return n->indent + l->f->pieces[i].flat - l->f->pieces[n->first].flat;
}

/* Columns of pieces first to last on one line. */
static uint32_t format_width(const layout *l, uint32_t first, uint32_t last)
{
    return l->f->pieces[last].flat + l->f->pieces[last].width - l->f->pieces[first].flat;
}

static uint32_t end_of_line(const layout *l, uint32_t first)
{
    uint32_t i = first + 1;
    while (i < l->f->count && !l->f->pieces[i].breaks) i++;
    return i;
}

/* The best gap of this line to break: the outermost, of these what binds least, of these the last that fits. */
static uint32_t best_gap(const layout *l, const line *n, uint32_t end)
{
    uint32_t best = TW__CSL_NO_PIECE, best_key = UINT32_MAX;
    for (uint32_t i = n->first + 1; i < end; i++) {
        const tw__csl_piece *p = &l->f->pieces[i];
        if (format_column(l, n, i - 1) + p[-1].width > TW__CSL_LINE) break;
        if (p->rank == TW__CSL_BREAK_NEVER) continue;
        uint32_t key = p->rank == TW__CSL_BREAK_VALUE ? UINT32_MAX - 1 : p->depth * 256 + p->rank;
        if (key <= best_key) best = i, best_key = key;
    }
    return best;
}

/* f(a, .{ ... }) with the braces to be hung: there are many fields, or they do not fit behind `column`. */
static uint32_t last_braces(const layout *l, const line *n, uint32_t opener, uint32_t column)
{
    const tw__csl_piece *pieces = l->f->pieces;
    uint32_t close = pieces[opener].match, inner = pieces[close - 1].match;
    if (pieces[close - 1].kind != TW__CSL_T_RBRACE || !tw__csl_braces(&pieces[inner]) || pieces[inner].items < 2)
        return TW__CSL_NO_PIECE;
    if (format_column(l, n, inner) + pieces[inner].width > TW__CSL_LINE) return TW__CSL_NO_PIECE;
    uint32_t first = opener + 1; /* of the last item */
    for (uint32_t i = opener + 1; i <= close; i++) {
        if (pieces[i].breaks) return TW__CSL_NO_PIECE;
        if (i < inner && pieces[i].parent == opener && i > opener + 1 && pieces[i].rank == TW__CSL_BREAK_ITEM)
            first = i;
    }
    bool named = pieces[inner + 1].kind == TW__CSL_T_DOT;
    bool fits = column + format_width(l, first, close) + 1 <= TW__CSL_LINE;
    return (named && pieces[inner].items > 2) || !fits ? inner : TW__CSL_NO_PIECE;
}

/* Would items fit if they began on a line of their own, where now one does not? */
static bool better_hung(const layout *l, const line *n, uint32_t opener, uint32_t column)
{
    const tw__csl_piece *pieces = l->f->pieces;
    uint32_t room = TW__CSL_LINE - 1, hung = n->base + TW__CSL_STEP, close = pieces[opener].match;
    if (column <= hung) return false;
    bool helps = false;
    for (uint32_t i = opener + 1, first = i; i <= close; i++) {
        if (i < close && tw__csl_opens(&pieces[i])) i = pieces[i].match;
        bool next = i + 1 <= close && pieces[i + 1].rank == TW__CSL_BREAK_ITEM && pieces[i + 1].parent == opener;
        if (!next && i < close) continue;
        uint32_t width = format_width(l, first, i);
        if (hung + width > room) return false;
        helps = helps || column + width > room;
        first = i + 1;
    }
    return helps;
}

/* The outermost list around this gap that opens on the line and is better hung; TW__CSL_NO_PIECE. */
static uint32_t list_to_hang(const layout *l, const line *n, uint32_t gap)
{
    const tw__csl_piece *pieces = l->f->pieces;
    uint32_t found = TW__CSL_NO_PIECE;
    for (uint32_t i = pieces[gap].parent; i != TW__CSL_NO_PIECE && i >= n->first; i = pieces[i].parent)
        if (pieces[i].items > 1 && !tw__csl_braces(&pieces[i]) && !tw__csl_is_block(&pieces[i]) &&
            better_hung(l, n, i, format_column(l, n, i + 1)))
            found = i;
    return found;
}

/* Breaks the line once more; false = it stays as it is. */
static bool break_line(layout *l, const line *n, uint32_t end)
{
    tw__csl_piece *pieces = l->f->pieces;
    uint32_t gap = best_gap(l, n, end);
    if (gap == TW__CSL_NO_PIECE) return false;
    uint32_t opener = pieces[gap].parent, hung;
    bool item = pieces[gap].rank == TW__CSL_BREAK_ITEM && pieces[gap - 1].kind == TW__CSL_T_COMMA;
    if (item && opener >= n->first && opener != TW__CSL_NO_PIECE && !pieces[opener + 1].breaks) {
        uint32_t column = format_column(l, n, opener + 1);
        hung = tw__csl_braces(&pieces[opener]) ? opener : last_braces(l, n, opener, column);
        if (hung != TW__CSL_NO_PIECE) {
            tw__csl_hang(l->f, hung, tw__csl_one_a_line(l->f, hung));
            return true;
        }
    }
    if ((hung = list_to_hang(l, n, gap)) != TW__CSL_NO_PIECE) gap = hung + 1;
    if (pieces[gap].rank == TW__CSL_BREAK_VALUE && n->indent + TW__CSL_GO_ON >= format_column(l, n, gap))
        return false;
    pieces[gap].breaks = true;
    return true;
}

/* Where the line ends that begins with this piece. */
static uint32_t fit_line(layout *l, uint32_t first, uint32_t indent)
{
    const tw__csl_piece *p = &l->f->pieces[first];
    line n = { first, indent, tw__csl_closes(p) || !begins(l, first) ? top(l)->item : indent };
    for (;;) {
        uint32_t end = end_of_line(l, first);
        if (indent + format_width(l, first, end - 1) <= TW__CSL_LINE || !break_line(l, &n, end)) return end;
    }
}

/* --- printing ------------------------------------------------------------------------------------------------- */

static void end_line(tw__csl_formatter *f, uint32_t width, uint32_t comment)
{
    tw__csl_line done = { f->out->len, width, comment };
    g_array_append_val(f->lines, done);
}

static void put_blanks(tw__csl_formatter *f, uint32_t count)
{
    for (; count; count--) g_string_append_c(f->out, ' ');
}

/* Comments on lines of their own before piece i, and the empty line before it; the first one may stand behind the
 * line before. */
static void put_comments(const layout *l, uint32_t i, uint32_t indent)
{
    tw__csl_formatter *f = l->f;
    const tw__csl_piece *p = &f->pieces[i];
    bool opened = i == 0 || (tw__csl_opens(p - 1));
    if (tw__csl_closes(p)) indent = hangs(l, top(l)->opener) ? top(l)->content : indent;
    for (uint32_t k = p->comment; k < p->comment + p->count; k++) {
        const tw__csl_comment *c = &g_array_index(f->comments, tw__csl_comment, k);
        if (c->trailing) continue;
        if (c->blank && !(opened && k == p->comment)) end_line(f, 0, TW__CSL_NO_PIECE);
        put_blanks(f, indent);
        g_string_append_len(f->out, c->text, c->length);
        end_line(f, indent + c->width, TW__CSL_NO_PIECE);
    }
    bool first = opened && !p->count;
    if (p->blank && !first && i < f->count && !tw__csl_closes(p)) end_line(f, 0, TW__CSL_NO_PIECE);
}

static void put_line(layout *l, uint32_t first, uint32_t end, uint32_t indent)
{
    tw__csl_formatter *f = l->f;
    uint32_t column = indent;
    put_blanks(f, indent);
    for (uint32_t i = first; i < end; i++) {
        const tw__csl_piece *p = &f->pieces[i];
        if (i > first && p->space) g_string_append_c(f->out, ' '), column++;
        pass(l, i, column, i == first);
        g_string_append_len(f->out, p->text, p->length);
        column += p->width;
    }
    const tw__csl_piece *next = &f->pieces[end];
    bool comment = next->count && g_array_index(f->comments, tw__csl_comment, next->comment).trailing;
    end_line(f, column, comment ? next->comment : TW__CSL_NO_PIECE);
}

void tw__csl_format_lines(tw__csl_formatter *f)
{
    layout l = { f, g_array_new(FALSE, FALSE, sizeof(frame)), g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    frame file = { .opener = TW__CSL_NO_PIECE };
    g_array_append_val(l.frames, file);
    for (uint32_t i = 0, end; i < f->count; i = end) {
        uint32_t indent = indent_of(&l, i);
        put_comments(&l, i, indent);
        end = fit_line(&l, i, indent);
        put_line(&l, i, end, indent);
    }
    put_comments(&l, f->count, 0);
    g_array_free(l.frames, TRUE);
    g_array_free(l.ifs, TRUE);
}
