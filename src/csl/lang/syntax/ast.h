/* SPDX-License-Identifier: MIT */
/* CSL source text as a tree: files, names, locations, tokens, nodes; lexer, parser, printer.
 *
 *     tw__csl_ctx *ctx = tw__csl_ctx_new(diags);
 *     const tw__csl_node *file = tw__csl_parse(ctx, "pe.csl", text, size);    // NULL: syntax errors are in diags
 *     ... file->kid[i]->kind == TW__CSL_VAR ...
 *     tw__csl_report(ctx, TW_ERROR, node->loc, node->length, "csl.type", "expected %s", ...);
 *     tw__csl_ctx_free(ctx);                                                  // tree, names and texts go with it
 *
 * Everything lives in the arena of the context until tw__csl_ctx_free(). Nodes never change after parsing, so one
 * tree serves all instances of a module. The grammar is that of vendor document "CSL language", as docs/csl.md
 * restates it. */
#ifndef TW_CSL_SYNTAX_AST_H
#define TW_CSL_SYNTAX_AST_H

#include "core/base/base.h"

__extension__ typedef unsigned __int128 tw__u128;
__extension__ typedef __int128 tw__i128;

/* --- locations and names ------------------------------------------------------------------------------------- */

/* A byte of source text: files follow each other in one numbering, so that four bytes name file, line and column.
 * 0 = nowhere. */
typedef uint32_t tw__csl_loc;

/* An interned identifier: equal names have equal numbers. 0 = no name. */
typedef uint32_t tw__csl_name;

/* What the tree calls its operators and keywords; X(name, text). Punctuation first, longest match wins. */
// clang-format off
#define TW__CSL_PUNCTUATION(X)                                                                                \
    X(LPAREN, "(") X(RPAREN, ")") X(LBRACE, "{") X(RBRACE, "}") X(LBRACKET, "[") X(RBRACKET, "]")             \
    X(COMMA, ",") X(SEMICOLON, ";") X(COLON, ":") X(DOT, ".") X(DOT_STAR, ".*") X(DOT_LBRACE, ".{")           \
    X(THIN_ARROW, "->") X(FAT_ARROW, "=>") X(PIPE, "|") X(STAR, "*") X(AMPERSAND, "&") X(PLUS, "+")           \
    X(MINUS, "-") X(SLASH, "/") X(PERCENT, "%") X(SHL, "<<") X(SHR, ">>") X(CARET, "^") X(TILDE, "~")         \
    X(BANG, "!") X(EQ, "==") X(NE, "!=") X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=") X(ASSIGN, "=")         \
    X(PLUS_ASSIGN, "+=") X(MINUS_ASSIGN, "-=") X(STAR_ASSIGN, "*=") X(SLASH_ASSIGN, "/=")                     \
    X(PERCENT_ASSIGN, "%=") X(SHL_ASSIGN, "<<=") X(SHR_ASSIGN, ">>=") X(AND_ASSIGN, "&=")                     \
    X(OR_ASSIGN, "|=") X(XOR_ASSIGN, "^=")
#define TW__CSL_KEYWORDS(X)                                                                                   \
    X(ALIGN, "align") X(AND, "and") X(ANYTYPE, "anytype") X(ASM, "asm") X(BREAK, "break")                     \
    X(COMPTIME, "comptime") X(CONST, "const") X(CONTINUE, "continue") X(ELSE, "else") X(ENUM, "enum")         \
    X(EXPORT, "export") X(EXTERN, "extern") X(FALSE, "false") X(FN, "fn") X(FOR, "for") X(IF, "if")           \
    X(INLINE, "inline") X(LAYOUT, "layout") X(LINKNAME, "linkname") X(LINKSECTION, "linksection")             \
    X(NOINLINE, "noinline") X(OR, "or") X(PACKED, "packed") X(PARAM, "param") X(RETURN, "return")             \
    X(STRUCT, "struct") X(SWITCH, "switch") X(TASK, "task") X(TRUE, "true") X(UNION, "union")                 \
    X(VAR, "var") X(VOLATILE, "volatile") X(WHILE, "while")
/* Type names are reserved words too; they stand in the tree as TYPE_NAME nodes. Types of other widths (u24) and those
 * that came later (sr, xdsr) are not: programs have variables called i1 or sr. */
#define TW__CSL_TYPE_NAMES(X)                                                                                 \
    X("void") X("bool") X("i8") X("i16") X("i32") X("i64") X("u8") X("u16") X("u32") X("u64") X("f16")        \
    X("bf16") X("cb16") X("f32") X("comptime_int") X("comptime_float") X("comptime_string")                   \
    X("comptime_struct") X("type") X("imported_module") X("color") X("data_task_id") X("local_task_id")       \
    X("control_task_id") X("input_queue") X("output_queue") X("ut_id") X("direction") X("mem1d_dsd")          \
    X("mem4d_dsd") X("circbuf_dsd") X("fabin_dsd") X("fabout_dsd") X("dsr_dest") X("dsr_src0") X("dsr_src1")  \
    X("dsr_fifo_dest") X("dsr_fifo_src1") X("anyopaque")
// clang-format on

typedef enum tw__csl_token_kind {
    TW__CSL_T_END,
    TW__CSL_T_IDENT,
    TW__CSL_T_TYPE_NAME,
    TW__CSL_T_BUILTIN, /* @name; the name is without '@' */
    TW__CSL_T_INT,
    TW__CSL_T_CHAR,
    TW__CSL_T_FLOAT,
    TW__CSL_T_STRING,
#define TW__CSL_TOKEN(name, text) TW__CSL_T_##name,
    TW__CSL_PUNCTUATION(TW__CSL_TOKEN) TW__CSL_KEYWORDS(TW__CSL_TOKEN)
#undef TW__CSL_TOKEN
        TW__CSL_TOKENS
} tw__csl_token_kind;

/* --- nodes --------------------------------------------------------------------------------------------------- */

/* X(kind, children and fields). "x?" may be NULL, "x..." is the rest of kid[]. `name` and `op` as said. */
// clang-format off
#define TW__CSL_KINDS(X)                                                                                      \
    X(FILE,         "declarations...")                                                                        \
    /* declarations */                                                                                        \
    X(VAR,          "type?, init?, align?, linksection?, linkname?; name; op CONST VAR PARAM; flags")         \
    X(FN,           "type?, body?, align?, linksection?, linkname?, FPARAM...; name; op FN TASK; flags")      \
    X(FPARAM,       "type (NULL: anytype); name or 0; flag COMPTIME")                                         \
    X(COMPTIME,     "block: comptime { } at file level or as a statement")                                    \
    X(LAYOUT,       "block")                                                                                  \
    /* statements; an expression standing alone is a statement as it is */                                    \
    X(BLOCK,        "statements...; name = label or 0. Also an expression; {} is the value of void")          \
    X(IF,           "condition, then, else?; statement or expression")                                        \
    X(FOR,          "source, NAME value, NAME index?, body; name = label; flag INLINE")                       \
    X(WHILE,        "condition, step?, body; name = label; flag INLINE")                                      \
    X(RETURN,       "value?")                                                                                 \
    X(BREAK,        "value?; name = label or 0")                                                              \
    X(CONTINUE,     "; name = label or 0")                                                                    \
    X(ASSIGN,       "target, value; op ASSIGN or x_ASSIGN")                                                   \
    /* expressions */                                                                                         \
    X(INT,          "; integer; flag CHAR when written as a character")                                       \
    X(FLOAT,        "; real")                                                                                 \
    X(STRING,       "; text, text_length (bytes, no NUL)")                                                    \
    X(BOOL,         "; integer 0 or 1")                                                                       \
    X(NAME,         "; name")                                                                                 \
    X(UNARY,        "operand; op MINUS BANG TILDE AMPERSAND")                                                 \
    X(BINARY,       "left, right; op")                                                                        \
    X(COMPTIME_OF,  "expression: comptime e")                                                                 \
    X(FIELD,        "object; name")                                                                           \
    X(DEREF,        "pointer: p.*")                                                                           \
    X(INDEX,        "object, indices...")                                                                     \
    X(CALL,         "callee, arguments...")                                                                   \
    X(BUILTIN,      "arguments...; name without @")                                                           \
    X(INIT,         "type?, FIELD_INIT... (flag NAMED) or values...: .{...} or T{...}")                       \
    X(FIELD_INIT,   "value; name: .name = value")                                                             \
    X(SWITCH,       "value, PRONG...")                                                                        \
    X(PRONG,        "body, cases...; flag ELSE for else => body")                                             \
    X(TENSOR,       "INDEX access, NAME variables[aux]..., extents...: |i|{n} -> a[i]")                       \
    /* types; a type may stand wherever an expression may */                                                  \
    X(TYPE_NAME,    "; name: a reserved type name")                                                           \
    X(POINTER,      "pointee; flag CONST")                                                                    \
    X(MANY_POINTER, "pointee; flag CONST: [*]T")                                                              \
    X(ARRAY,        "element, dimensions...")                                                                 \
    X(FN_TYPE,      "type, FPARAM...; op FN TASK")                                                            \
    X(STRUCT,       "MEMBER...; name: of the const that it is the value of, or 0; flags EXTERN PACKED")       \
    X(UNION,        "MEMBER...; name as above; flags EXTERN PACKED")                                          \
    X(MEMBER,       "type, default?; name")                                                                   \
    X(ENUM,         "base?, ENUMERATOR...; name as above")                                                    \
    X(ENUMERATOR,   "value?; name")
// clang-format on

typedef enum tw__csl_kind {
#define TW__CSL_KIND(name, children) TW__CSL_##name,
    TW__CSL_KINDS(TW__CSL_KIND)
#undef TW__CSL_KIND
        TW__CSL_KIND_COUNT
} tw__csl_kind;

enum { /* flags */
       TW__CSL_F_EXPORT = 1 << 0,
       TW__CSL_F_EXTERN = 1 << 1,
       TW__CSL_F_COMPTIME = 1 << 2,
       TW__CSL_F_INLINE = 1 << 3,
       TW__CSL_F_NOINLINE = 1 << 4,
       TW__CSL_F_CONST = 1 << 5,
       TW__CSL_F_PACKED = 1 << 6,
       TW__CSL_F_NAMED = 1 << 7, /* INIT with .name = value */
       TW__CSL_F_ELSE = 1 << 8,
       TW__CSL_F_CHAR = 1 << 9,
};

/* Slots of kid[] with a name; the lists of FN, FOR_* ... start at the _REST slot. */
enum {
    TW__CSL_VAR_TYPE = 0,
    TW__CSL_VAR_INIT,
    TW__CSL_VAR_ALIGN,
    TW__CSL_VAR_SECTION,
    TW__CSL_VAR_LINKNAME,
    TW__CSL_FN_TYPE_SLOT = 0,
    TW__CSL_FN_BODY,
    TW__CSL_FN_ALIGN,
    TW__CSL_FN_SECTION,
    TW__CSL_FN_LINKNAME,
    TW__CSL_FN_REST,
    TW__CSL_FOR_SOURCE = 0,
    TW__CSL_FOR_VALUE,
    TW__CSL_FOR_INDEX,
    TW__CSL_FOR_BODY,
    TW__CSL_WHILE_CONDITION = 0,
    TW__CSL_WHILE_STEP,
    TW__CSL_WHILE_BODY,
};

typedef struct tw__csl_node tw__csl_node;
struct tw__csl_node {
    uint8_t kind;    /* tw__csl_kind */
    uint8_t op;      /* tw__csl_token_kind */
    uint16_t flags;  /* TW__CSL_F_... */
    uint16_t height; /* 1 = leaf; at most TW__CSL_MAX_HEIGHT, so that walks may recurse */
    uint16_t aux;    /* TENSOR: number of induction variables */
    uint32_t id;     /* running number in the context, from 1: index of side tables */
    tw__csl_loc loc; /* what to blame: the operator of a binary, the name of a declaration, else the first token */
    uint32_t length; /* bytes to underline from there */
    tw__csl_name name;
    uint32_t count; /* of kid[] */
    union {
        const tw__csl_node *const *kid;
        const tw__u128 *integer; /* INT, BOOL */
        double real;             /* FLOAT */
        struct {
            const char *text; /* STRING; ends with a NUL that text_length does not count */
        };
    };
    uint32_t text_length; /* STRING */
};

enum {
    TW__CSL_MAX_DEPTH = 300,   /* nested constructs in the text */
    TW__CSL_MAX_HEIGHT = 2000, /* of the tree: a + b + c + ... counts one per operator */
    TW__CSL_MAX_ERRORS = 20,   /* reported per context, then it stops */
};

/* --- context.c ----------------------------------------------------------------------------------------------- */

typedef struct tw__csl_ctx tw__csl_ctx;
typedef struct tw__csl_place {
    const char *file; /* as given to tw__csl_parse(); "" = nowhere */
    int line, column; /* from 1, columns in bytes */
    const char *text; /* of the line, not NUL-terminated */
    size_t text_length;
} tw__csl_place;

/* `diags` receives everything and stays the caller's. NULL = out of memory. */
tw__csl_ctx *tw__csl_ctx_new(tw_diags *diags);
void tw__csl_ctx_free(tw__csl_ctx *ctx); /* NULL is fine */
tw__arena *tw__csl_arena(tw__csl_ctx *ctx);

tw__csl_name tw__csl_intern(tw__csl_ctx *ctx, const char *text, size_t length); /* 0 = out of memory */
const char *tw__csl_text(const tw__csl_ctx *ctx, tw__csl_name name);            /* NUL-terminated, "" for 0 */

/* Registers a file's text (copied); returns the location of its first byte, 0 when out of memory or of numbers. */
tw__csl_loc tw__csl_add_file(tw__csl_ctx *ctx, const char *path, const char *text, size_t size);
tw__csl_place tw__csl_where(const tw__csl_ctx *ctx, tw__csl_loc loc);

/* Adds a diagnostic. Errors after the TW__CSL_MAX_ERRORS-th are dropped with all that follows; the same message at
 * the same place (an instantiated function) comes once. A note belongs to the message before it. */
void tw__csl_report(tw__csl_ctx *ctx, tw_severity severity, tw__csl_loc loc, uint32_t length, const char *code,
                    const char *format, ...) TW_PRINTF(6, 7);
void tw__csl_vreport(tw__csl_ctx *ctx, tw_severity severity, tw__csl_loc loc, uint32_t length, const char *code,
                     const char *format, va_list args);
unsigned tw__csl_errors(const tw__csl_ctx *ctx); /* so far */
bool tw__csl_stopped(const tw__csl_ctx *ctx);    /* too many errors, or out of memory: give up */
void tw__csl_mute(tw__csl_ctx *ctx, bool mute);  /* no messages from now on, and nothing counts as an error */
void tw__csl_no_memory(tw__csl_ctx *ctx);        /* records it once; tw__csl_stopped() from then on */

/* --- lex.c --------------------------------------------------------------------------------------------------- */

enum { /* roles: what the parser found a token to be, where its kind does not say it; for tw__csl_format() */
       TW__CSL_R_STATEMENT = 1 << 0, /* first of a statement or declaration */
       TW__CSL_R_BODY = 1 << 1,      /* first of what an if, for or while does, unless that is a block; of a case */
       TW__CSL_R_BLOCK = 1 << 2,     /* '{' of a block */
       TW__CSL_R_LIST = 1 << 3,      /* '{' of values, fields, members or names; with BLOCK: of a switch's cases */
       TW__CSL_R_PREFIX = 1 << 4,    /* belongs to what is behind it: a sign, the first '|' of names */
       TW__CSL_R_SUFFIX = 1 << 5, /* belongs to what is before it: a call's '(', an index's '[', a literal's '{' */
};

typedef struct tw__csl_token {
    uint8_t kind;  /* tw__csl_token_kind */
    uint8_t roles; /* TW__CSL_R_..., from the parser */
    tw__csl_loc loc;
    uint32_t length;
    tw__csl_name name; /* IDENT TYPE_NAME BUILTIN, and keywords (they may be field names) */
} tw__csl_token;

/* Tokens of the file whose first byte is `base`, an END token last, in memory of the caller (free()). Bad
 * characters are reported and left out. NULL = out of memory. */
tw__csl_token *tw__csl_lex(tw__csl_ctx *ctx, tw__csl_loc base, size_t *count);
const char *tw__csl_token_text(tw__csl_token_kind kind);    /* "'('", "an identifier" ... for messages */
const char *tw__csl_operator_text(tw__csl_token_kind kind); /* "+", "and" ... */

/* --- parse.c ------------------------------------------------------------------------------------------------- */

/* The tree of a file, NULL when it has errors (all reported) or memory is out. `path` as messages shall name it. */
const tw__csl_node *tw__csl_parse(tw__csl_ctx *ctx, const char *path, const char *text, size_t size);
/* The same of tokens from tw__csl_lex(), which get their roles. */
const tw__csl_node *tw__csl_parse_tokens(tw__csl_ctx *ctx, tw__csl_token *tokens);

/* --- format.c ------------------------------------------------------------------------------------------------ */

/* A source in its canonical layout: the same tokens and comments, other blanks and line ends. malloc'ed with a NUL
 * behind its *length bytes. NULL: it has errors, which are in diags, or memory ran out. */
char *tw__csl_format(const char *path, const char *text, size_t size, size_t *length, tw_diags *diags);

/* From now on trees of files with errors are kept, without the statements that hold the errors, for
 * tw__csl_source_get() alone: tw__csl_parse() still returns NULL. */
void tw__csl_keep_trees(tw__csl_ctx *ctx);

/* A file that was parsed, in the order of parsing. */
typedef struct tw__csl_source {
    const char *path, *text;
    size_t size;
    tw__csl_loc base;
    const tw__csl_node *tree;    /* NULL: nothing could be parsed, or trees are not kept */
    const tw__csl_token *tokens; /* NULL as well */
    size_t token_count;
} tw__csl_source;
bool tw__csl_source_get(const tw__csl_ctx *ctx, size_t index, tw__csl_source *out); /* false past the end */

/* --- print.c ------------------------------------------------------------------------------------------------- */

/* The tree as text that parses to the same tree; malloc'ed, NULL = out of memory. */
char *tw__csl_print(const tw__csl_ctx *ctx, const tw__csl_node *node);
/* Same kind, operator, flags, names, values and children; locations do not count. */
bool tw__csl_same(const tw__csl_node *a, const tw__csl_node *b);

#endif
