/* SPDX-License-Identifier: MIT */
/* What the files of the formatter share.
 *
 * A source is a row of pieces: its tokens, each with the gap before it. The layout follows from the pieces and from
 * where lines break, and from nothing else: breaks of the source that may stay stay (format_gaps.c), those that lines
 * of more than TW__CSL_LINE columns need come to them (format_lines.c). So what is printed has exactly the breaks
 * that the layout was made of, and formatting it again changes nothing. */
#ifndef TW_CSL_SYNTAX_FORMAT_H
#define TW_CSL_SYNTAX_FORMAT_H

#include "csl/lang/syntax/internal.h"

enum {
    TW__CSL_LINE = 100, /* columns, without the comment at the end of a line */
    TW__CSL_STEP = 2,   /* a block in a block */
    TW__CSL_GO_ON = 4,  /* what goes on on the next line */
};

#define TW__CSL_NO_PIECE UINT32_MAX

/* How a gap may break when its line is too long; the least goes first. Between are strengths of operators. */
enum { TW__CSL_BREAK_ITEM = 0, TW__CSL_BREAK_CASE = 1, TW__CSL_BREAK_VALUE = 20, TW__CSL_BREAK_NEVER = 255 };

typedef struct tw__csl_comment {
    const char *text;
    uint32_t length, width;
    uint32_t column; /* in the source, in characters */
    bool trailing;   /* behind a token, on its line */
    bool blank;      /* an empty line before it */
} tw__csl_comment;

typedef struct tw__csl_piece {
    const char *text;
    uint32_t length, width; /* bytes, characters */
    uint8_t kind, roles;
    bool space;  /* a blank before it where no line breaks */
    bool blank;  /* an empty line before it */
    bool breaks; /* begins a line */
    bool forced; /* has comments before it */
    bool broken; /* opener: a line breaks somewhere within */
    uint8_t rank;
    uint32_t match, parent;  /* the other bracket; the bracket around it; TW__CSL_NO_PIECE */
    uint32_t depth, items;   /* brackets around it; opener: items, 0 = none */
    uint32_t flat;           /* characters before it on a line without end */
    uint32_t comment, count; /* comments before it */
} tw__csl_piece;

typedef struct tw__csl_formatter {
    const tw__csl_file *file;
    tw__csl_piece *pieces; /* the last one is the end of the file */
    uint32_t count;        /* without it */
    GArray *comments;      /* tw__csl_comment */
    GArray *lines;         /* tw__csl_line */
    GString *out;
} tw__csl_formatter;

typedef struct tw__csl_line {
    size_t end;       /* in `out` */
    uint32_t width;   /* characters */
    uint32_t comment; /* behind it, or TW__CSL_NO_PIECE */
} tw__csl_line;

static inline bool tw__csl_opens(const tw__csl_piece *p)
{
    return p->kind == TW__CSL_T_LPAREN || p->kind == TW__CSL_T_LBRACKET || p->kind == TW__CSL_T_LBRACE ||
           p->kind == TW__CSL_T_DOT_LBRACE;
}

static inline bool tw__csl_closes(const tw__csl_piece *p)
{
    return p->kind == TW__CSL_T_RPAREN || p->kind == TW__CSL_T_RBRACKET || p->kind == TW__CSL_T_RBRACE;
}

static inline bool tw__csl_braces(const tw__csl_piece *opener) /* of a list */
{
    return (opener->roles & TW__CSL_R_LIST) != 0;
}

static inline bool tw__csl_is_block(const tw__csl_piece *opener)
{
    return (opener->roles & (TW__CSL_R_LIST | TW__CSL_R_BLOCK)) == TW__CSL_R_BLOCK;
}

/* Blocks, and lists that begin behind their opener's line: what they hold is one step in. */
static inline bool tw__csl_hangs(const tw__csl_piece *opener)
{
    return tw__csl_is_block(opener) || opener[1].breaks;
}

/* --- format_gaps.c: fields from `space` on, but for comments. */
void tw__csl_format_gaps(tw__csl_formatter *f);
/* Breaks behind an opener, before its closer and, `all`, between its items. */
void tw__csl_hang(tw__csl_formatter *f, uint32_t opener, bool all);
/* Has a list one item a line when it hangs? Fields, members and cases, but not values. */
bool tw__csl_one_a_line(const tw__csl_formatter *f, uint32_t opener);

/* --- format_lines.c: pieces to `out` and `lines`. */
void tw__csl_format_lines(tw__csl_formatter *f);

#endif
