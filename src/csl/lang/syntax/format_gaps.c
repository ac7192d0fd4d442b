/* SPDX-License-Identifier: MIT */
/* Gaps between tokens: where brackets lie, where a blank stands, which line ends of the source stay, and where a line
 * that is too long may break. */
#include "csl/lang/syntax/format.h"
#include "csl/lang/syntax/parser.h"

#include <string.h>

/* --- brackets ------------------------------------------------------------------------------------------------ */

static void find_brackets(tw__csl_formatter *f)
{
    uint32_t open = TW__CSL_NO_PIECE, depth = 0;
    for (uint32_t i = 0; i <= f->count; i++) {
        tw__csl_piece *p = &f->pieces[i];
        p->match = TW__CSL_NO_PIECE;
        if (tw__csl_closes(p) && open != TW__CSL_NO_PIECE) {
            p->match = open;
            f->pieces[open].match = i;
            open = f->pieces[open].parent;
            depth--;
        }
        p->parent = open;
        p->depth = depth;
        if (tw__csl_opens(p)) open = i, depth++;
    }
}

static bool is_empty(const tw__csl_piece *opener)
{
    return tw__csl_closes(opener + 1) && !opener[1].forced;
}

/* --- blanks -------------------------------------------------------------------------------------------------- */

/* Blanks within the braces of a list: not around a single word, .{RAMP}. */
static bool is_padded(const tw__csl_piece *opener)
{
    bool fields = !(opener->roles & TW__CSL_R_SUFFIX) && opener->kind == TW__CSL_T_LBRACE;
    return tw__csl_braces(opener) && !is_empty(opener) && (fields || !tw__csl_closes(opener + 2));
}

/* No blank before an opener. */
static bool sticks_to(const tw__csl_piece *opener, const tw__csl_piece *before)
{
    static const uint8_t words[] = { TW__CSL_T_BUILTIN, TW__CSL_T_ALIGN, TW__CSL_T_LINKSECTION, TW__CSL_T_LINKNAME,
                                     TW__CSL_T_ENUM };
    if (opener->roles & TW__CSL_R_SUFFIX) return true;
    return opener->kind == TW__CSL_T_LPAREN && memchr(words, before->kind, sizeof words) != NULL;
}

static bool has_space(const tw__csl_formatter *f, const tw__csl_piece *a, const tw__csl_piece *b)
{
    if (tw__csl_opens(a)) return is_padded(a);
    if (tw__csl_closes(b)) return is_padded(&f->pieces[b->match]);
    if (b->kind == TW__CSL_T_SEMICOLON || b->kind == TW__CSL_T_COMMA || b->kind == TW__CSL_T_DOT_STAR) return false;
    if (a->kind == TW__CSL_T_DOT || (a->roles & TW__CSL_R_PREFIX)) return false;
    if (b->kind == TW__CSL_T_DOT) return a->kind == TW__CSL_T_COMMA;
    if (b->kind == TW__CSL_T_COLON) return (b->roles & TW__CSL_R_PREFIX) || a->kind == TW__CSL_T_RPAREN;
    if (b->kind == TW__CSL_T_PIPE && (b->roles & TW__CSL_R_SUFFIX)) return false;
    if (tw__csl_opens(b) && sticks_to(b, a)) return false;
    bool lengths = a->kind == TW__CSL_T_RBRACKET && !(f->pieces[a->match].roles & TW__CSL_R_SUFFIX);
    return !lengths; /* the element's type is behind them */
}

static void set_spaces(tw__csl_formatter *f)
{
    for (uint32_t i = 1; i <= f->count; i++) {
        tw__csl_piece *p = &f->pieces[i];
        p->space = has_space(f, p - 1, p);
        p->flat = p[-1].flat + p[-1].width + p->space;
    }
}

/* --- where lines may break ----------------------------------------------------------------------------------- */

static bool is_operator(const tw__csl_piece *p)
{
    return tw__csl_strength(p->kind) && !(p->roles & (TW__CSL_R_PREFIX | TW__CSL_R_SUFFIX));
}

/* Lengths of a tensor access stay on their line. */
static bool holds_lengths(const tw__csl_piece *opener)
{
    return opener->kind == TW__CSL_T_LBRACE && opener->roles == TW__CSL_R_SUFFIX;
}

/* The comma between two names |i, j|. */
static bool between_names(const tw__csl_piece *p)
{
    while (p->kind == TW__CSL_T_IDENT || p->kind == TW__CSL_T_COMMA) p--;
    return p->kind == TW__CSL_T_PIPE && (p->roles & TW__CSL_R_PREFIX);
}

static bool begins_item(const tw__csl_formatter *f, const tw__csl_piece *p)
{
    if (p[-1].kind != TW__CSL_T_COMMA || tw__csl_closes(p) || p->parent == TW__CSL_NO_PIECE) return false;
    const tw__csl_piece *opener = &f->pieces[p->parent];
    if ((opener->roles & TW__CSL_R_BLOCK) && !(p->roles & TW__CSL_R_BODY)) return false; /* 1, 2 => */
    return !tw__csl_is_block(opener) && !holds_lengths(opener) && !between_names(p - 1);
}

static uint8_t rank_of(const tw__csl_formatter *f, const tw__csl_piece *p)
{
    const tw__csl_piece *before = p - 1;
    if (begins_item(f, p)) return TW__CSL_BREAK_ITEM;
    if (tw__csl_opens(before)) return TW__CSL_BREAK_NEVER;
    if (before->kind == TW__CSL_T_COMMA && p->parent != TW__CSL_NO_PIECE &&
        f->pieces[p->parent].roles == (TW__CSL_R_LIST | TW__CSL_R_BLOCK))
        return tw__csl_closes(p) ? TW__CSL_BREAK_NEVER : TW__CSL_BREAK_CASE;
    if (before->kind == TW__CSL_T_DOT) return TW__CSL_BREAK_NEVER; /* any word may be a field's name */
    if ((p->roles & TW__CSL_R_BODY) && before->kind != TW__CSL_T_ELSE) return TW__CSL_BREAK_ITEM;
    if (p->roles & TW__CSL_R_BODY) return p->kind == TW__CSL_T_IF ? TW__CSL_BREAK_NEVER : TW__CSL_BREAK_VALUE;
    if (p->kind == TW__CSL_T_ELSE && before->kind != TW__CSL_T_RBRACE && before->kind != TW__CSL_T_COMMA)
        return TW__CSL_BREAK_ITEM;
    if (is_operator(before)) return (uint8_t)tw__csl_strength(before->kind);
    bool value = before->kind >= TW__CSL_T_ASSIGN && before->kind <= TW__CSL_T_XOR_ASSIGN;
    return value || before->kind == TW__CSL_T_FAT_ARROW ? TW__CSL_BREAK_VALUE : TW__CSL_BREAK_NEVER;
}

static void set_ranks(tw__csl_formatter *f)
{
    for (uint32_t i = 0; i <= f->count; i++) {
        tw__csl_piece *p = &f->pieces[i];
        p->rank = i ? rank_of(f, p) : TW__CSL_BREAK_NEVER;
        if (i && tw__csl_opens(p - 1) && !is_empty(p - 1)) p[-1].items++;
        if (i && begins_item(f, p)) f->pieces[p->parent].items++;
    }
}

/* --- which breaks there are ----------------------------------------------------------------------------------- */

bool tw__csl_one_a_line(const tw__csl_formatter *f, uint32_t opener)
{
    const tw__csl_piece *p = &f->pieces[opener];
    bool values = p->kind == TW__CSL_T_DOT_LBRACE || (p->roles & TW__CSL_R_SUFFIX);
    return tw__csl_braces(p) && (!values || p[1].kind == TW__CSL_T_DOT);
}

void tw__csl_hang(tw__csl_formatter *f, uint32_t opener, bool all)
{
    uint32_t close = f->pieces[opener].match;
    f->pieces[opener + 1].breaks = true;
    if (tw__csl_braces(&f->pieces[opener])) f->pieces[close].breaks = true;
    for (uint32_t i = opener + 1; all && i < close; i++) {
        if (tw__csl_opens(&f->pieces[i])) i = f->pieces[i].match;
        if (begins_item(f, &f->pieces[i + 1]) && f->pieces[i + 1].parent == opener) f->pieces[i + 1].breaks = true;
    }
}

/* Comments and statements force one; `breaks` says whether the source has one. */
static bool stays(const tw__csl_formatter *f, const tw__csl_piece *p)
{
    const tw__csl_piece *before = p - 1;
    if (p->forced || (p->roles & TW__CSL_R_STATEMENT)) return true;
    if (tw__csl_opens(before) && is_empty(before)) return false;
    if (tw__csl_opens(before)) return tw__csl_is_block(before) || (p->breaks && !holds_lengths(before));
    if (tw__csl_closes(p)) {
        const tw__csl_piece *opener = &f->pieces[p->match];
        return tw__csl_hangs(opener) &&
               (p->breaks || opener->kind == TW__CSL_T_LBRACE || opener->kind == TW__CSL_T_DOT_LBRACE);
    }
    return p->breaks && (p->rank != TW__CSL_BREAK_NEVER || is_operator(p));
}

/* Lists of cases, and those in which a block has lines of its own, have one item a line. */
static void hang_lists(tw__csl_formatter *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const tw__csl_piece *p = &f->pieces[i];
        if (!tw__csl_opens(p) || is_empty(p)) continue;
        if (!tw__csl_is_block(p)) {
            if ((p->roles & TW__CSL_R_BLOCK) && p[1].breaks) tw__csl_hang(f, i, true);
            continue;
        }
        for (uint32_t list = p->parent; list != TW__CSL_NO_PIECE && !tw__csl_is_block(&f->pieces[list]);
             list = f->pieces[list].parent) {
            if (tw__csl_braces(&f->pieces[list]) && !f->pieces[list].broken) tw__csl_hang(f, list, true);
            f->pieces[list].broken = true;
        }
    }
}

void tw__csl_format_gaps(tw__csl_formatter *f)
{
    find_brackets(f);
    set_ranks(f);
    set_spaces(f);
    for (uint32_t i = 1; i <= f->count; i++) f->pieces[i].breaks = stays(f, &f->pieces[i]);
    f->pieces[0].breaks = f->pieces[f->count].breaks = true;
    hang_lists(f);
}
