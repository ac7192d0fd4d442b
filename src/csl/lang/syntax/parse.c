/* SPDX-License-Identifier: MIT */
/* The parser's ground floor: tokens, nodes, errors; and the top level of a file.
 *
 * Recursive descent, one function per rule of the grammar. The first error of a statement (at file level: of a
 * declaration) is reported and jumps back to the loop over statements, which skips to where the next one seems to
 * begin. Nothing needs releasing on the way: nodes lie in the arena, lists on the parser's stack. */
#include "csl/lang/syntax/parser.h"

#include <stdlib.h>
#include <string.h>

/* --- errors -------------------------------------------------------------------------------------------------- */

void tw__csl_syntax_error(tw__csl_parser *p, const tw__csl_token *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw__csl_vreport(p->ctx, TW_ERROR, at->loc, at->length, "csl.syntax", format, args);
    va_end(args);
    longjmp(*p->recover, 1);
}

/* The next token as it is written, for messages; at most a line. */
static const char *parse_found(const tw__csl_parser *p, char buffer[64])
{
    if (p->at->kind == TW__CSL_T_END) return "the end of the file";
    const tw__csl_file *file = tw__csl_file_of(p->ctx, p->at->loc);
    snprintf(buffer, 64, "'%.*s'", (int)(p->at->length < 60 ? p->at->length : 60),
             file->text + (p->at->loc - file->base));
    return buffer;
}

/* Something missing is blamed on the end of what came before when a new line begins: there the user adds it. */
void tw__csl_syntax_expected(tw__csl_parser *p, const char *what)
{
    char buffer[64];
    tw__csl_token at = *p->at;
    if (p->at > p->tokens) {
        const tw__csl_token *before = p->at - 1;
        if (tw__csl_where(p->ctx, before->loc).line != tw__csl_where(p->ctx, at.loc).line)
            at = (tw__csl_token){ .loc = before->loc + before->length, .length = 1 };
    }
    tw__csl_syntax_error(p, &at, "expected %s, not %s", what, parse_found(p, buffer));
}

static void parse_no_memory(tw__csl_parser *p)
{
    tw__csl_no_memory(p->ctx);
    longjmp(*p->recover, 1);
}

void tw__csl_no_assembly(tw__csl_parser *p)
{
    tw__csl_syntax_error(p, p->at, "inline assembly is not supported");
}

void tw__csl_enter(tw__csl_parser *p)
{
    if (++p->depth > TW__CSL_MAX_DEPTH)
        tw__csl_syntax_error(p, p->at, "nested deeper than %d levels", TW__CSL_MAX_DEPTH);
}

void tw__csl_leave(tw__csl_parser *p)
{
    p->depth--;
}

/* --- tokens -------------------------------------------------------------------------------------------------- */

void tw__csl_mark(tw__csl_parser *p, const tw__csl_token *at, unsigned roles)
{
    p->tokens[at - p->tokens].roles |= (uint8_t)roles;
}

bool tw__csl_is(const tw__csl_parser *p, tw__csl_token_kind kind)
{
    return p->at->kind == kind;
}

bool tw__csl_take(tw__csl_parser *p, tw__csl_token_kind kind)
{
    if (p->at->kind != kind || kind == TW__CSL_T_END) return false;
    p->at++;
    return true;
}

const tw__csl_token *tw__csl_need(tw__csl_parser *p, tw__csl_token_kind kind, const char *where)
{
    if (p->at->kind == kind) return p->at++;
    char what[96];
    snprintf(what, sizeof what, "%s %s", tw__csl_token_text(kind), where);
    tw__csl_syntax_expected(p, what);
}

const tw__csl_token *tw__csl_need_name(tw__csl_parser *p, const char *what)
{
    if (p->at->kind == TW__CSL_T_IDENT) return p->at++;
    if (p->at->kind == TW__CSL_T_TYPE_NAME || p->at->kind >= TW__CSL_T_ALIGN) {
        const tw__csl_token *word = p->at++; /* it begins no statement here */
        tw__csl_syntax_error(p, word, "expected %s; '%s' is a reserved word", what,
                             tw__csl_text(p->ctx, word->name));
    }
    tw__csl_syntax_expected(p, what);
}

const tw__csl_token *tw__csl_need_field_name(tw__csl_parser *p, const char *what)
{
    if (p->at->kind == TW__CSL_T_TYPE_NAME || p->at->kind >= TW__CSL_T_ALIGN) return p->at++;
    return tw__csl_need_name(p, what);
}

/* --- nodes --------------------------------------------------------------------------------------------------- */

void tw__csl_push(tw__csl_parser *p, tw__csl_tree child)
{
    if (!tw__grow(&p->stack, &p->room, p->count, sizeof *p->stack)) parse_no_memory(p);
    p->stack[p->count++] = child;
}

tw__csl_node *tw__csl_make_leaf(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *blame)
{
    tw__csl_node *node = TW__NEW(p->ctx->arena, tw__csl_node);
    if (!node) parse_no_memory(p);
    node->kind = (uint8_t)kind;
    node->height = 1;
    node->id = ++p->ctx->nodes;
    node->loc = blame->loc;
    node->length = blame->length;
    return node;
}

tw__csl_node *tw__csl_make(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *blame, size_t mark)
{
    tw__csl_node *node = tw__csl_make_leaf(p, kind, blame);
    size_t count = p->count - mark;
    const tw__csl_node **kids = TW__NEW_N(p->ctx->arena, const tw__csl_node *, count ? count : 1);
    if (!kids) parse_no_memory(p);
    for (size_t i = 0; i < count; i++) {
        kids[i] = p->stack[mark + i];
        if (kids[i] && kids[i]->height >= node->height) node->height = (uint16_t)(kids[i]->height + 1);
    }
    if (node->height > TW__CSL_MAX_HEIGHT)
        tw__csl_syntax_error(p, blame, "more than %d operators in one expression", TW__CSL_MAX_HEIGHT);
    node->kid = kids;
    node->count = (uint32_t)count;
    p->count = mark;
    return node;
}

/* --- file ---------------------------------------------------------------------------------------------------- */

/* align(n), linksection(s), linkname(s), in any order, each once: slots [0..2] of `attr`. */
static void parse_attributes(tw__csl_parser *p, tw__csl_tree attr[3])
{
    static const uint8_t words[3] = { TW__CSL_T_ALIGN, TW__CSL_T_LINKSECTION, TW__CSL_T_LINKNAME };
    for (;;) {
        unsigned i = 0;
        while (i < 3 && !tw__csl_is(p, words[i])) i++;
        if (i == 3) return;
        if (attr[i]) tw__csl_syntax_error(p, p->at, "%s is given twice", tw__csl_token_text(words[i]));
        p->at++;
        tw__csl_need(p, TW__CSL_T_LPAREN, "before the attribute's value");
        attr[i] = tw__csl_parse_expr(p);
        tw__csl_need(p, TW__CSL_T_RPAREN, "behind the attribute's value");
    }
}

/* var_decl = [storage] ["comptime"] ("const" | "var" | "param") ident [":" type] { attr } ["=" expr] ";" ; */
tw__csl_tree tw__csl_parse_var(tw__csl_parser *p, unsigned flags)
{
    const tw__csl_token *word = p->at++;
    const tw__csl_token *name = tw__csl_need_name(p, "the name of a variable");
    tw__csl_tree type = NULL, init = NULL, attr[3] = { NULL };
    if (tw__csl_take(p, TW__CSL_T_COLON)) type = tw__csl_parse_type(p);
    parse_attributes(p, attr);
    if (tw__csl_take(p, TW__CSL_T_ASSIGN)) init = tw__csl_parse_expr(p);
    tw__csl_need(p, TW__CSL_T_SEMICOLON, "behind a declaration");
    if (init && (init->kind == TW__CSL_STRUCT || init->kind == TW__CSL_UNION || init->kind == TW__CSL_ENUM))
        ((tw__csl_node *)init)->name = name->name; /* made just now */
    if (!init && word->kind == TW__CSL_T_CONST && !(flags & TW__CSL_F_EXTERN))
        tw__csl_syntax_error(p, name, "a const needs a value: const %s = ...", tw__csl_text(p->ctx, name->name));
    size_t mark = p->count;
    tw__csl_push(p, type);
    tw__csl_push(p, init);
    for (unsigned i = 0; i < 3; i++) tw__csl_push(p, attr[i]);
    tw__csl_node *node = tw__csl_make(p, TW__CSL_VAR, name, mark);
    node->op = word->kind;
    node->flags = (uint16_t)flags;
    node->name = name->name;
    return node;
}

/* fn_decl = ... ("fn" | "task") ident "(" [fparams] ")" { attr } [type] { attr } ( block | ";" ) ; */
static tw__csl_tree parse_fn(tw__csl_parser *p, unsigned flags)
{
    const tw__csl_token *word = p->at++;
    const tw__csl_token *name =
        tw__csl_need_name(p, word->kind == TW__CSL_T_FN ? "the name of a function" : "the name of a task");
    if ((flags & TW__CSL_F_INLINE) && (flags & (TW__CSL_F_EXPORT | TW__CSL_F_EXTERN)))
        tw__csl_syntax_error(p, name, "an inline function is part of its callers: it cannot be %s",
                             flags & TW__CSL_F_EXPORT ? "exported" : "extern");
    size_t mark = p->count;
    for (unsigned i = 0; i < TW__CSL_FN_REST; i++) tw__csl_push(p, NULL);
    tw__csl_mark(p, p->at, TW__CSL_R_SUFFIX);
    tw__csl_parse_fparams(p);
    tw__csl_tree type = NULL, body = NULL, attr[3] = { NULL };
    parse_attributes(p, attr);
    if (!tw__csl_is(p, TW__CSL_T_LBRACE) && !tw__csl_is(p, TW__CSL_T_SEMICOLON)) type = tw__csl_parse_type(p);
    parse_attributes(p, attr);
    if (tw__csl_is(p, TW__CSL_T_LBRACE))
        body = tw__csl_parse_block(p, 0);
    else
        tw__csl_need(p, TW__CSL_T_SEMICOLON, "or a body { ... }");
    p->stack[mark + TW__CSL_FN_TYPE_SLOT] = type;
    p->stack[mark + TW__CSL_FN_BODY] = body;
    for (unsigned i = 0; i < 3; i++) p->stack[mark + TW__CSL_FN_ALIGN + i] = attr[i];
    tw__csl_node *node = tw__csl_make(p, TW__CSL_FN, name, mark);
    node->op = word->kind;
    node->flags = (uint16_t)flags;
    node->name = name->name;
    return node;
}

static tw__csl_tree parse_top_block(tw__csl_parser *p, tw__csl_kind kind)
{
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_push(p, tw__csl_parse_block(p, 0));
    tw__csl_take(p, TW__CSL_T_SEMICOLON);
    return tw__csl_make(p, kind, word, mark);
}

/* top = var_decl | fn_decl | "comptime" block [";"] | "layout" block [";"] ; */
static tw__csl_tree parse_top(tw__csl_parser *p)
{
    static const struct {
        uint8_t token;
        uint16_t flag;
    } prefixes[] = { { TW__CSL_T_EXPORT, TW__CSL_F_EXPORT },
                     { TW__CSL_T_EXTERN, TW__CSL_F_EXTERN },
                     { TW__CSL_T_COMPTIME, TW__CSL_F_COMPTIME },
                     { TW__CSL_T_INLINE, TW__CSL_F_INLINE },
                     { TW__CSL_T_NOINLINE, TW__CSL_F_NOINLINE } };
    if (tw__csl_is(p, TW__CSL_T_COMPTIME) && p->at[1].kind == TW__CSL_T_LBRACE)
        return parse_top_block(p, TW__CSL_COMPTIME);
    if (tw__csl_is(p, TW__CSL_T_LAYOUT)) return parse_top_block(p, TW__CSL_LAYOUT);
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (tw__csl_take(p, prefixes[i].token)) flags |= prefixes[i].flag;
    bool var_prefix = !(flags & (TW__CSL_F_INLINE | TW__CSL_F_NOINLINE));
    if (tw__csl_is(p, TW__CSL_T_CONST) || tw__csl_is(p, TW__CSL_T_VAR) || tw__csl_is(p, TW__CSL_T_PARAM))
        if (var_prefix) return tw__csl_parse_var(p, flags);
    if ((tw__csl_is(p, TW__CSL_T_FN) || tw__csl_is(p, TW__CSL_T_TASK)) && !(flags & TW__CSL_F_COMPTIME))
        return parse_fn(p, flags);
    if (tw__csl_is(p, TW__CSL_T_ASM)) tw__csl_no_assembly(p);
    if (flags) tw__csl_syntax_expected(p, var_prefix ? "a declaration" : "fn or task");
    tw__csl_syntax_expected(p, "a declaration (param, const, var, fn, task, comptime or layout block)");
}

/* Where the next declaration seems to begin: a keyword of declarations first on its line, at the left margin or after
 * braces have closed. */
static void skip_to_top(tw__csl_parser *p, const tw__csl_token *from)
{
    static const uint8_t starts[] = { TW__CSL_T_CONST,  TW__CSL_T_VAR,      TW__CSL_T_PARAM,   TW__CSL_T_FN,
                                      TW__CSL_T_TASK,   TW__CSL_T_COMPTIME, TW__CSL_T_LAYOUT,  TW__CSL_T_EXPORT,
                                      TW__CSL_T_EXTERN, TW__CSL_T_INLINE,   TW__CSL_T_NOINLINE };
    if (p->at == from && !tw__csl_is(p, TW__CSL_T_END)) p->at++;
    for (; !tw__csl_is(p, TW__CSL_T_END); p->at++)
        if (memchr(starts, p->at->kind, sizeof starts) && tw__csl_where(p->ctx, p->at->loc).column == 1) return;
}

/* One declaration; false = it has an error, and the next one begins at p->at. */
static bool parse_one_top(tw__csl_parser *p)
{
    jmp_buf here;
    const tw__csl_token *from = p->at;
    size_t mark = p->count;
    p->recover = &here;
    p->depth = 0;
    if (setjmp(here)) {
        p->count = mark;
        skip_to_top(p, from);
        return false;
    }
    tw__csl_mark(p, from, TW__CSL_R_STATEMENT);
    tw__csl_push(p, parse_top(p));
    return true;
}

static tw__csl_tree finish_file(tw__csl_parser *p, const tw__csl_token *first)
{
    jmp_buf here;
    p->recover = &here;
    if (setjmp(here)) return NULL;
    return tw__csl_make(p, TW__CSL_FILE, first, 0);
}

/* The file takes the tokens. */
static void keep_tree(tw__csl_ctx *ctx, tw__csl_loc base, tw__csl_tree tree, tw__csl_token *tokens, size_t count)
{
    tw__csl_file *file = &ctx->files[ctx->file_count - 1]; /* parsing adds no other */
    if (file->base != base) return free(tokens);
    file->tree = tree;
    file->tokens = tokens;
    file->token_count = count;
}

/* The tree of tokens; NULL when there are errors in them, unless `any`. */
static tw__csl_tree parse_all(tw__csl_ctx *ctx, tw__csl_token *tokens, bool any)
{
    unsigned before = tw__csl_errors(ctx);
    tw__csl_parser p = { .ctx = ctx, .tokens = tokens, .at = tokens };
    while (!tw__csl_is(&p, TW__CSL_T_END) && !tw__csl_stopped(ctx))
        if (!p.unclosed || !tw__csl_take(&p, TW__CSL_T_RBRACE)) /* one that was missed stands at the left margin */
            parse_one_top(&p);
    tw__csl_tree file = any || tw__csl_errors(ctx) == before ? finish_file(&p, tokens) : NULL;
    free(p.stack);
    return file;
}

const tw__csl_node *tw__csl_parse_tokens(tw__csl_ctx *ctx, tw__csl_token *tokens)
{
    return parse_all(ctx, tokens, false);
}

const tw__csl_node *tw__csl_parse(tw__csl_ctx *ctx, const char *path, const char *text, size_t size)
{
    unsigned before = tw__csl_errors(ctx);
    bool muted = ctx->mute;
    size_t count;
    tw__csl_loc base = tw__csl_add_file(ctx, path, text, size);
    tw__csl_token *tokens = base ? tw__csl_lex(ctx, base, &count) : NULL;
    if (!tokens) return NULL;
    if (tw__csl_errors(ctx) != before) tw__csl_mute(ctx, true);
    tw__csl_tree file = parse_all(ctx, tokens, ctx->kept);
    tw__csl_mute(ctx, muted);
    bool good = tw__csl_errors(ctx) == before;
    if (ctx->kept)
        keep_tree(ctx, base, file, tokens, count);
    else
        free(tokens);
    return good ? file : NULL;
}
