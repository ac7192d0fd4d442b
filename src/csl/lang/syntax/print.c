/* SPDX-License-Identifier: MIT */
/* The tree as text: every operator in parentheses, four blanks per level. Parsing the text gives the same tree. */
#include "csl/lang/syntax/internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const tw__csl_ctx *ctx;
    GString *out;
    int level;
} printer;

static void print_expr(printer *pr, const tw__csl_node *n);
static void print_statement(printer *pr, const tw__csl_node *n);

static void print_put(printer *pr, const char *text)
{
    g_string_append(pr->out, text);
}

static void put_name(printer *pr, const tw__csl_node *n)
{
    print_put(pr, tw__csl_text(pr->ctx, n->name));
}

static void new_line(printer *pr)
{
    g_string_append_printf(pr->out, "\n%*s", 4 * (pr->level < 20 ? pr->level : 20), "");
}

/* --- literals ------------------------------------------------------------------------------------------------ */

static void print_int(printer *pr, const tw__csl_node *n)
{
    char digits[48], *at = digits + sizeof digits - 1;
    tw__u128 value = *n->integer;
    *at = 0;
    do *--at = (char)('0' + (int)(value % 10));
    while (value /= 10);
    if (n->flags & TW__CSL_F_CHAR)
        g_string_append_printf(pr->out, "'\\x%02x'", (unsigned)*n->integer);
    else
        print_put(pr, at);
}

static void print_float(printer *pr, const tw__csl_node *n)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    print_put(pr, g_ascii_dtostr(text, sizeof text, n->real));
    if (!strpbrk(text, ".e")) print_put(pr, ".0");
}

static void print_string(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "\"");
    for (uint32_t i = 0; i < n->text_length; i++) {
        unsigned char c = (unsigned char)n->text[i];
        if (c == '"' || c == '\\' || c < 0x20 || c > 0x7e)
            g_string_append_printf(pr->out, "\\x%02x", c);
        else
            g_string_append_c(pr->out, (char)c);
    }
    print_put(pr, "\"");
}

/* --- lists and operands ---------------------------------------------------------------------------------------- */

static void print_list(printer *pr, const tw__csl_node *n, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if (i > from) print_put(pr, ", ");
        print_expr(pr, n->kid[i]);
    }
}

static void print_wrapped(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "(");
    print_expr(pr, n);
    print_put(pr, ")");
}

/* As an operand: in parentheses unless nothing around it can change how it reads. */
static void print_operand(printer *pr, const tw__csl_node *n)
{
    switch (n->kind) {
    case TW__CSL_NAME:
    case TW__CSL_FIELD:
    case TW__CSL_DEREF:
    case TW__CSL_INDEX:
    case TW__CSL_CALL:
    case TW__CSL_BUILTIN:
    case TW__CSL_TYPE_NAME:
    case TW__CSL_INT:
    case TW__CSL_BOOL: print_expr(pr, n); return;
    default: print_wrapped(pr, n);
    }
}

/* Where only the grammar of types holds. */
static void print_type(printer *pr, const tw__csl_node *n)
{
    const tw__csl_node *root = n;
    while (root->kind == TW__CSL_FIELD || root->kind == TW__CSL_CALL) root = root->kid[0];
    bool chain = root->kind == TW__CSL_NAME || root->kind == TW__CSL_BUILTIN;
    if (chain || (n->kind >= TW__CSL_TYPE_NAME && n->kind != TW__CSL_MEMBER && n->kind != TW__CSL_ENUMERATOR))
        print_expr(pr, n);
    else
        print_wrapped(pr, n);
}

static void print_fparams(printer *pr, const tw__csl_node *n, uint32_t from)
{
    print_put(pr, "(");
    for (uint32_t i = from; i < n->count; i++) {
        const tw__csl_node *param = n->kid[i];
        if (i > from) print_put(pr, ", ");
        if (param->flags & TW__CSL_F_COMPTIME) print_put(pr, "comptime ");
        if (param->name) put_name(pr, param), print_put(pr, ": ");
        if (param->kid[0])
            print_type(pr, param->kid[0]);
        else
            print_put(pr, "anytype");
    }
    print_put(pr, ")");
}

/* --- compound expressions -------------------------------------------------------------------------------------- */

static void print_init(printer *pr, const tw__csl_node *n)
{
    if (n->kid[0]) n->kid[0]->kind == TW__CSL_ARRAY ? print_expr(pr, n->kid[0]) : print_operand(pr, n->kid[0]);
    print_put(pr, n->kid[0] ? "{" : ".{");
    for (uint32_t i = 1; i < n->count; i++) {
        const tw__csl_node *item = n->kid[i];
        if (i > 1) print_put(pr, ",");
        print_put(pr, " ");
        if (item->kind == TW__CSL_FIELD_INIT) {
            print_put(pr, "."), put_name(pr, item), print_put(pr, " = ");
            item = item->kid[0];
        }
        print_expr(pr, item);
    }
    print_put(pr, n->count > 1 ? " }" : "}");
}

static void print_prong(printer *pr, const tw__csl_node *n)
{
    if (n->flags & TW__CSL_F_ELSE)
        print_put(pr, "else");
    else
        print_list(pr, n, 1, n->count);
    print_put(pr, " => ");
    print_statement(pr, n->kid[0]);
}

static void print_switch(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "switch ");
    print_wrapped(pr, n->kid[0]);
    print_put(pr, " {");
    pr->level++;
    for (uint32_t i = 1; i < n->count; i++) {
        new_line(pr);
        print_prong(pr, n->kid[i]);
        print_put(pr, ",");
    }
    pr->level--;
    new_line(pr);
    print_put(pr, "}");
}

static void print_tensor(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "|");
    print_list(pr, n, 1, 1 + n->aux);
    print_put(pr, "|{");
    print_list(pr, n, 1 + n->aux, n->count);
    print_put(pr, "} -> ");
    print_expr(pr, n->kid[0]);
}

static void print_members(printer *pr, const tw__csl_node *n, const char *word)
{
    if (n->flags & TW__CSL_F_EXTERN) print_put(pr, "extern ");
    if (n->flags & TW__CSL_F_PACKED) print_put(pr, "packed ");
    print_put(pr, word), print_put(pr, " {");
    for (uint32_t i = 0; i < n->count; i++) {
        const tw__csl_node *member = n->kid[i];
        print_put(pr, i ? ", " : " "), put_name(pr, member), print_put(pr, ": ");
        print_type(pr, member->kid[0]);
        if (member->kid[1]) print_put(pr, " = "), print_expr(pr, member->kid[1]);
    }
    print_put(pr, " }");
}

static void print_enum(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "enum");
    if (n->kid[0]) print_put(pr, "("), print_type(pr, n->kid[0]), print_put(pr, ")");
    print_put(pr, " {");
    for (uint32_t i = 1; i < n->count; i++) {
        print_put(pr, i > 1 ? ", " : " "), put_name(pr, n->kid[i]);
        if (n->kid[i]->kid[0]) print_put(pr, " = "), print_expr(pr, n->kid[i]->kid[0]);
    }
    print_put(pr, " }");
}

static void print_block(printer *pr, const tw__csl_node *n)
{
    if (n->name) put_name(pr, n), print_put(pr, ": ");
    print_put(pr, "{");
    pr->level++;
    for (uint32_t i = 0; i < n->count; i++) {
        new_line(pr);
        print_statement(pr, n->kid[i]);
        print_put(pr, ";");
    }
    pr->level--;
    if (n->count) new_line(pr);
    print_put(pr, "}");
}

static void print_if_expr(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "if ");
    print_wrapped(pr, n->kid[0]);
    print_put(pr, " ");
    n->kid[1]->kind == TW__CSL_BLOCK ? print_expr(pr, n->kid[1]) : print_wrapped(pr, n->kid[1]);
    if (!n->kid[2]) return;
    print_put(pr, " else ");
    n->kid[2]->kind == TW__CSL_BLOCK ? print_expr(pr, n->kid[2]) : print_wrapped(pr, n->kid[2]);
}

static void print_pointer(printer *pr, const tw__csl_node *n, const char *sign)
{
    print_put(pr, sign);
    if (n->flags & TW__CSL_F_CONST) print_put(pr, "const ");
    print_type(pr, n->kid[0]);
}

static void print_postfix(printer *pr, const tw__csl_node *n)
{
    print_operand(pr, n->kid[0]);
    if (n->kind == TW__CSL_FIELD) print_put(pr, "."), put_name(pr, n);
    if (n->kind == TW__CSL_DEREF) print_put(pr, ".*");
    if (n->kind == TW__CSL_INDEX) print_put(pr, "["), print_list(pr, n, 1, n->count), print_put(pr, "]");
    if (n->kind == TW__CSL_CALL) print_put(pr, "("), print_list(pr, n, 1, n->count), print_put(pr, ")");
}

static void print_expr(printer *pr, const tw__csl_node *n)
{
    switch (n->kind) {
    case TW__CSL_INT: print_int(pr, n); return;
    case TW__CSL_FLOAT: print_float(pr, n); return;
    case TW__CSL_STRING: print_string(pr, n); return;
    case TW__CSL_BOOL: print_put(pr, *n->integer ? "true" : "false"); return;
    case TW__CSL_NAME:
    case TW__CSL_TYPE_NAME: put_name(pr, n); return;
    case TW__CSL_UNARY: print_put(pr, tw__csl_operator_text(n->op)), print_operand(pr, n->kid[0]); return;
    case TW__CSL_BINARY:
        print_operand(pr, n->kid[0]);
        g_string_append_printf(pr->out, " %s ", tw__csl_operator_text(n->op));
        print_operand(pr, n->kid[1]);
        return;
    case TW__CSL_COMPTIME_OF: print_put(pr, "comptime "), print_operand(pr, n->kid[0]); return;
    case TW__CSL_FIELD:
    case TW__CSL_DEREF:
    case TW__CSL_INDEX:
    case TW__CSL_CALL: print_postfix(pr, n); return;
    case TW__CSL_BUILTIN:
        print_put(pr, "@"), put_name(pr, n), print_put(pr, "("), print_list(pr, n, 0, n->count), print_put(pr, ")");
        return;
    case TW__CSL_INIT: print_init(pr, n); return;
    case TW__CSL_IF: print_if_expr(pr, n); return;
    case TW__CSL_BLOCK: print_block(pr, n); return;
    case TW__CSL_SWITCH: print_switch(pr, n); return;
    case TW__CSL_TENSOR: print_tensor(pr, n); return;
    case TW__CSL_POINTER: print_pointer(pr, n, "*"); return;
    case TW__CSL_MANY_POINTER: print_pointer(pr, n, "[*]"); return;
    case TW__CSL_ARRAY:
        print_put(pr, "["), print_list(pr, n, 1, n->count), print_put(pr, "]"), print_type(pr, n->kid[0]);
        return;
    case TW__CSL_FN_TYPE:
        print_put(pr, tw__csl_operator_text(n->op)), print_fparams(pr, n, 1), print_put(pr, " "),
            print_type(pr, n->kid[0]);
        return;
    case TW__CSL_STRUCT: print_members(pr, n, "struct"); return;
    case TW__CSL_UNION: print_members(pr, n, "union"); return;
    case TW__CSL_ENUM: print_enum(pr, n); return;
    default: print_put(pr, "?");
    }
}

/* --- statements and declarations ------------------------------------------------------------------------------- */

/* Would an else behind this belong to an if inside it? */
static bool takes_else(const tw__csl_node *n)
{
    while (n && (n->kind == TW__CSL_FOR || n->kind == TW__CSL_WHILE || (n->kind == TW__CSL_IF && n->kid[2])))
        n = n->kid[n->kind == TW__CSL_FOR ? TW__CSL_FOR_BODY : 2];
    return n && n->kind == TW__CSL_IF;
}

static void print_body(printer *pr, const tw__csl_node *n, bool else_follows)
{
    if (else_follows && takes_else(n)) { /* only an if in parentheses stands here */
        print_wrapped(pr, n);
        print_put(pr, ";");
        return;
    }
    print_statement(pr, n);
    if (n->kind != TW__CSL_BLOCK && n->kind != TW__CSL_IF && n->kind != TW__CSL_FOR && n->kind != TW__CSL_WHILE)
        print_put(pr, ";");
}

static void print_if(printer *pr, const tw__csl_node *n)
{
    print_put(pr, "if ");
    print_wrapped(pr, n->kid[0]);
    print_put(pr, " ");
    print_body(pr, n->kid[1], n->kid[2] != NULL);
    if (!n->kid[2]) return;
    print_put(pr, " else ");
    print_body(pr, n->kid[2], false);
}

static void print_loop(printer *pr, const tw__csl_node *n)
{
    if (n->name) put_name(pr, n), print_put(pr, ": ");
    if (n->flags & TW__CSL_F_INLINE) print_put(pr, "inline ");
    print_put(pr, n->kind == TW__CSL_FOR ? "for " : "while ");
    print_wrapped(pr, n->kid[0]);
    if (n->kind == TW__CSL_FOR) {
        print_put(pr, " |"), print_expr(pr, n->kid[TW__CSL_FOR_VALUE]);
        if (n->kid[TW__CSL_FOR_INDEX]) print_put(pr, ", "), print_expr(pr, n->kid[TW__CSL_FOR_INDEX]);
        print_put(pr, "|");
    } else if (n->kid[TW__CSL_WHILE_STEP]) {
        print_put(pr, " : ("), print_statement(pr, n->kid[TW__CSL_WHILE_STEP]), print_put(pr, ")");
    }
    print_put(pr, " ");
    print_body(pr, n->kid[n->count - 1], false);
}

static void print_jump(printer *pr, const tw__csl_node *n)
{
    print_put(pr, n->kind == TW__CSL_RETURN ? "return" : n->kind == TW__CSL_BREAK ? "break" : "continue");
    if (n->name) print_put(pr, " :"), put_name(pr, n);
    if (n->count && n->kid[0]) print_put(pr, " "), print_expr(pr, n->kid[0]);
}

static void print_flags(printer *pr, const tw__csl_node *n)
{
    static const struct {
        uint16_t flag;
        const char *word;
    } words[] = { { TW__CSL_F_EXPORT, "export " },
                  { TW__CSL_F_EXTERN, "extern " },
                  { TW__CSL_F_COMPTIME, "comptime " },
                  { TW__CSL_F_INLINE, "inline " },
                  { TW__CSL_F_NOINLINE, "noinline " } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n->flags & words[i].flag) print_put(pr, words[i].word);
}

static void print_attributes(printer *pr, const tw__csl_node *n, uint32_t first)
{
    static const char *const words[] = { " align(", " linksection(", " linkname(" };
    for (uint32_t i = 0; i < 3; i++)
        if (n->kid[first + i]) print_put(pr, words[i]), print_expr(pr, n->kid[first + i]), print_put(pr, ")");
}

static void print_var(printer *pr, const tw__csl_node *n)
{
    print_flags(pr, n);
    print_put(pr, tw__csl_operator_text(n->op)), print_put(pr, " "), put_name(pr, n);
    if (n->kid[TW__CSL_VAR_TYPE]) print_put(pr, ": "), print_type(pr, n->kid[TW__CSL_VAR_TYPE]);
    print_attributes(pr, n, TW__CSL_VAR_ALIGN);
    if (n->kid[TW__CSL_VAR_INIT]) print_put(pr, " = "), print_expr(pr, n->kid[TW__CSL_VAR_INIT]);
}

static void print_fn(printer *pr, const tw__csl_node *n)
{
    print_flags(pr, n);
    print_put(pr, tw__csl_operator_text(n->op)), print_put(pr, " "), put_name(pr, n);
    print_fparams(pr, n, TW__CSL_FN_REST);
    print_attributes(pr, n, TW__CSL_FN_ALIGN);
    if (n->kid[TW__CSL_FN_TYPE_SLOT]) print_put(pr, " "), print_type(pr, n->kid[TW__CSL_FN_TYPE_SLOT]);
    if (n->kid[TW__CSL_FN_BODY]) print_put(pr, " "), print_expr(pr, n->kid[TW__CSL_FN_BODY]);
}

/* Without the ';'. */
static void print_statement(printer *pr, const tw__csl_node *n)
{
    switch (n->kind) {
    case TW__CSL_VAR: print_var(pr, n); return;
    case TW__CSL_FN: print_fn(pr, n); return;
    case TW__CSL_COMPTIME: print_put(pr, "comptime "), print_expr(pr, n->kid[0]); return;
    case TW__CSL_LAYOUT: print_put(pr, "layout "), print_expr(pr, n->kid[0]); return;
    case TW__CSL_IF: print_if(pr, n); return;
    case TW__CSL_FOR:
    case TW__CSL_WHILE: print_loop(pr, n); return;
    case TW__CSL_RETURN:
    case TW__CSL_BREAK:
    case TW__CSL_CONTINUE: print_jump(pr, n); return;
    case TW__CSL_ASSIGN:
        print_expr(pr, n->kid[0]);
        g_string_append_printf(pr->out, " %s ", tw__csl_operator_text(n->op));
        print_expr(pr, n->kid[1]);
        return;
    default: print_expr(pr, n);
    }
}

char *tw__csl_print(const tw__csl_ctx *ctx, const tw__csl_node *node)
{
    printer pr = { .ctx = ctx, .out = g_string_new(NULL) };
    if (node->kind != TW__CSL_FILE) print_statement(&pr, node);
    for (uint32_t i = 0; node->kind == TW__CSL_FILE && i < node->count; i++) {
        const tw__csl_node *top = node->kid[i];
        print_statement(&pr, top);
        bool bare = top->kind == TW__CSL_VAR || (top->kind == TW__CSL_FN && !top->kid[TW__CSL_FN_BODY]);
        print_put(&pr, bare ? ";\n" : "\n");
    }
    char *text = malloc(pr.out->len + 1);
    if (text) memcpy(text, pr.out->str, pr.out->len + 1);
    g_string_free(pr.out, TRUE);
    return text;
}

bool tw__csl_same(const tw__csl_node *a, const tw__csl_node *b)
{
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->op != b->op || a->flags != b->flags || a->name != b->name || a->aux != b->aux)
        return false;
    if (a->count != b->count || a->text_length != b->text_length) return false;
    if (a->kind == TW__CSL_INT || a->kind == TW__CSL_BOOL) return *a->integer == *b->integer;
    if (a->kind == TW__CSL_FLOAT) return a->real == b->real;
    if (a->kind == TW__CSL_STRING) return memcmp(a->text, b->text, a->text_length) == 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (!tw__csl_same(a->kid[i], b->kid[i])) return false;
    return true;
}
