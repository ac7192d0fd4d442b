/* SPDX-License-Identifier: MIT */
/* Vertices of expressions, in C. One loop computes all, one constant for each node, if no function of whole arrays
 * is in it. With such functions the elements are taken 128 at a time, and loops alternate with them: stage s
 * computes what needs nothing but results of functions of stages before it. */
#include "poplar/libs/popops/expr.h"

#include <math.h>
#include <string.h>

static bool is_array_function(const tw__expr_node *n)
{
    return n->kind == TW__EXPR_OP && n->op->code[0] == '@' && (n->type == TW_FLOAT || n->type == TW_HALF);
}

static bool is_leaf(const tw__expr_node *n)
{
    return n->kind == TW__EXPR_TENSOR || n->kind == TW__EXPR_NUMBER;
}

static unsigned child_count(const tw__expr_node *n)
{
    return is_leaf(n) ? 0 : n->op ? n->op->arity : 1;
}

/* Type that a value is computed in. */
static const char *value_type(tw_type type)
{
    return type == TW_HALF ? "float" : tw__expr_c_type(type);
}

/* --- names ---------------------------------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++) h = (h ^ (uint8_t)*text) * 1099511628211u;
    return h;
}

/* A vertex of one operation on tensors is named by it; another by a hash, and by its text as far as that is a
 * name. */
char *tw__expr_vertex_name(const tw__expr *e, const tw__expr_form *form)
{
    g_autoptr(GString) text = g_string_new(NULL);
    tw__expr_canonical(e, e->count - 1, text);
    g_autoptr(GString) out = g_string_new("popops::map<");
    const tw__expr_node *root = &e->node[e->count - 1];
    bool plain = e->ops == 1 && root->kind == TW__EXPR_OP && e->tensors == root->op->arity;
    for (unsigned i = 0; plain && i < root->op->arity; i++)
        plain = e->node[root->child[i]].kind == TW__EXPR_TENSOR && e->node[root->child[i]].tensor == i;
    if (plain) {
        g_string_append(out, root->op->name);
    } else {
        g_autofree char *full = g_strdup(text->str);
        for (char *c = full; *c; c++)
            if (!g_ascii_isalnum(*c)) *c = '_';
        g_string_append_printf(out, "%.40s_%016llx", full, (unsigned long long)hash_text(text->str));
    }
    for (unsigned i = 0; i < e->tensors; i++)
        g_string_append_printf(out, ",%s%s", form->scalar[i] ? "one " : "", tw__expr_type_name(form->type[i]));
    g_string_append(out, form->in_place ? ",true>" : ",false>");
    for (char *c = out->str; *c; c++)
        if (*c == ' ') *c = '_';
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* --- code ----------------------------------------------------------------------------------------------------- */

static const char prelude_text[] =
    "#include <tilewright/codelet.h>\n"
    "#include <tilewright/codelet_math.h>\n"
    "static inline float tw_pick(float a, float b, unsigned keep, unsigned set)\n"
    "{\n"
    "    union { float f; unsigned u; } x = { a }, y = { b };\n"
    "    x.u = ((x.u & y.u) & keep) | ((x.u | y.u) & set);\n"
    "    return x.f;\n"
    "}\n"
    "/* A number wins over NaN, and -0 is less than +0. */\n"
    "static inline float tw_max(float a, float b)\n"
    "{\n"
    "    return a > b || b != b ? a : a == b ? tw_pick(a, b, ~0u, 0) : b;\n"
    "}\n"
    "static inline float tw_min(float a, float b)\n"
    "{\n"
    "    return a < b || b != b ? a : a == b ? tw_pick(a, b, 0, ~0u) : b;\n"
    "}\n"
    "static inline int tw_abs(int a) { return (int)(a < 0 ? 0u - (unsigned)a : (unsigned)a); }\n"
    "static inline int tw_most(int a, int b) { return a > b ? a : b; }\n"
    "static inline int tw_least(int a, int b) { return a < b ? a : b; }\n"
    "/* Division by 0 gives 0, the remainder a; the least number over -1 is itself. */\n"
    "static inline int tw_div_i(int a, int b) { return b == 0 ? 0 : b == -1 ? (int)(0u - (unsigned)a) : a / b; }\n"
    "static inline int tw_rem_i(int a, int b) { return b == 0 ? a : b == -1 ? 0 : a % b; }\n"
    "static inline unsigned tw_div_u(unsigned a, unsigned b) { return b ? a / b : 0; }\n"
    "static inline unsigned tw_rem_u(unsigned a, unsigned b) { return b ? a % b : a; }\n"
    "#define tw_div(a, b) _Generic((a), unsigned: tw_div_u, default: tw_div_i)(a, b)\n"
    "#define tw_rem(a, b) _Generic((a), unsigned: tw_rem_u, default: tw_rem_i)(a, b)\n";

static void append_number(GString *out, const tw__expr_node *n)
{
    double v = n->value;
    bool real = n->type == TW_FLOAT || n->type == TW_HALF;
    if (n->type == TW_BOOL)
        g_string_append(out, v != 0 ? "true" : "false");
    else if (real && isnan(v))
        g_string_append(out, "__builtin_nanf(\"\")");
    else if (real && isinf(v))
        g_string_append(out, v < 0 ? "-__builtin_inff()" : "__builtin_inff()");
    else if (real)
        g_string_append_printf(out, "(%s(%af))", n->type == TW_HALF ? "(float)(half)" : "(float)",
                               (double)(float)v);
    else
        g_string_append_printf(out, "((%s)%lldll)", tw__expr_c_type(n->type), (long long)v);
}

typedef struct writer {
    const tw__expr *e;
    const tw__expr_form *form;
    GString *out;
    bool chunks; /* elements are at + i, and results of functions lie in arrays */
    int stage;
} writer;

/* The value of a node for element i, in the loop of w->stage. */
static void append_value(writer *w, int at)
{
    const tw__expr_node *n = &w->e->node[at];
    if (n->kind == TW__EXPR_NUMBER) {
        append_number(w->out, n);
    } else if (n->kind == TW__EXPR_TENSOR) {
        const char *cast = n->type == TW_HALF ? "(float)" : "", *place = w->chunks ? "at + i" : "i";
        if (w->form->scalar[n->tensor])
            g_string_append_printf(w->out, "s%u", n->tensor + 1);
        else if (w->form->in_place && n->tensor == 0)
            g_string_append_printf(w->out, "%sout[%s]", cast, place);
        else
            g_string_append_printf(w->out, "%sin%u[%s]", cast, n->tensor + 1, place);
    } else if (is_array_function(n)) {
        g_string_append_printf(w->out, n->type == TW_HALF ? "(float)(half)b%d[i]" : "b%d[i]", at);
    } else {
        g_string_append_printf(w->out, n->stage < w->stage ? "b%d[i]" : "t%d", at);
    }
}

static void append_op(writer *w, const tw__expr_node *n)
{
    tw_type operands = w->e->node[n->child[0]].type;
    bool real = operands == TW_FLOAT || operands == TW_HALF;
    for (const char *c = real ? n->op->code : n->op->int_code; *c; c++) {
        if (*c == '$')
            append_value(w, n->child[*++c - 'a']);
        else
            g_string_append_c(w->out, *c);
    }
}

/* const float t3 = ...; */
static void append_node(writer *w, int at)
{
    const tw__expr_node *n = &w->e->node[at];
    const char *type = value_type(n->type);
    g_string_append_printf(w->out, "            const %s t%d = (%s)%s(", type, at, type,
                           n->type == TW_HALF ? "(half)" : "");
    if (n->kind == TW__EXPR_OP)
        append_op(w, n);
    else if (n->stated == TW_BOOL)
        append_value(w, n->child[0]), g_string_append(w->out, " != 0");
    else
        append_value(w, n->child[0]);
    g_string_append(w->out, ");\n");
}

/* Stages of all nodes; the number of them. */
static int set_stages(tw__expr *e)
{
    int last = 0;
    for (int i = 0; i < e->count; i++) {
        tw__expr_node *n = &e->node[i];
        n->stage = 0;
        for (unsigned k = 0; k < child_count(n); k++) {
            const tw__expr_node *c = &e->node[n->child[k]];
            n->stage = MAX(n->stage, c->stage + is_array_function(c));
        }
        last = MAX(last, n->stage + is_array_function(n));
    }
    return last + 1;
}

/* Is the node needed in a loop behind its own? */
static bool outlives(const tw__expr *e, int at)
{
    const tw__expr_node *n = &e->node[at];
    for (int i = at + 1; i < e->count; i++)
        for (unsigned k = 0; k < child_count(&e->node[i]); k++)
            if (e->node[i].child[k] == at && e->node[i].stage > n->stage) return true;
    return false;
}

static void append_arrays(writer *w)
{
    for (int i = 0; i < w->e->count; i++) {
        const tw__expr_node *n = &w->e->node[i];
        if (is_array_function(n)) {
            g_string_append_printf(w->out, "        float b%d[128];\n", i);
            if (n->op->arity == 2) g_string_append_printf(w->out, "        float c%d[128];\n", i);
        } else if (!is_leaf(n) && outlives(w->e, i)) {
            g_string_append_printf(w->out, "        %s b%d[128];\n", value_type(n->type), i);
        }
    }
}

/* One loop, then the functions whose operands it has made. */
static void append_stage(writer *w, bool last)
{
    const tw__expr *e = w->e;
    g_string_append_printf(w->out, "        for (size_t i = 0; i < %s; i++) {\n", w->chunks ? "m" : "n");
    for (int i = 0; i < e->count; i++) {
        const tw__expr_node *n = &e->node[i];
        if (n->stage != w->stage || is_leaf(n)) continue;
        if (!is_array_function(n)) {
            append_node(w, i);
            if (outlives(e, i)) g_string_append_printf(w->out, "            b%d[i] = t%d;\n", i, i);
            continue;
        }
        for (unsigned k = 0; k < n->op->arity; k++) {
            g_string_append_printf(w->out, "            %c%d[i] = ", k ? 'c' : 'b', i);
            append_value(w, n->child[k]);
            g_string_append(w->out, ";\n");
        }
    }
    if (last) {
        g_string_append_printf(w->out, "            out[%s] = (%s)(", w->chunks ? "at + i" : "i",
                               tw__expr_c_type(e->node[e->count - 1].type));
        append_value(w, e->count - 1);
        g_string_append(w->out, ");\n");
    }
    g_string_append(w->out, "        }\n");
    for (int i = 0; i < e->count; i++) {
        const tw__expr_node *n = &e->node[i];
        if (n->stage != w->stage || !is_array_function(n)) continue;
        g_string_append_printf(w->out, "        tw_map_%s(m, b%d, b%d", n->op->code + 1, i, i);
        if (n->op->arity == 2) g_string_append_printf(w->out, ", c%d", i);
        g_string_append(w->out, ");\n");
    }
}

static void append_fields(writer *w, const char *type)
{
    for (unsigned i = w->form->in_place; i < w->e->tensors; i++)
        g_string_append_printf(w->out,
                               w->form->scalar[i] ? "    TW_INPUT(%s) in%u;\n"
                                                  : "    TW_INPUT(TW_VECTOR(%s, ONE_PTR)) in%u;\n",
                               tw__expr_c_type(w->form->type[i]), i + 1);
    g_string_append_printf(w->out, "    %s(TW_VECTOR(%s)) out;\n};\n", w->form->in_place ? "TW_INOUT" : "TW_OUTPUT",
                           type);
}

static void append_locals(writer *w, const char *type)
{
    g_string_append_printf(
        w->out, "    const size_t n = tw_size(v->out);\n    %s *restrict out = tw_begin(v->out);\n", type);
    for (unsigned i = w->form->in_place; i < w->e->tensors; i++) {
        const char *own = tw__expr_c_type(w->form->type[i]);
        if (w->form->scalar[i])
            g_string_append_printf(w->out, "    const %s s%u = *v->in%u;\n", value_type(w->form->type[i]), i + 1,
                                   i + 1);
        else
            g_string_append_printf(w->out, "    const %s *restrict in%u = tw_begin(v->in%u);\n", own, i + 1, i + 1);
    }
}

char *tw__expr_code(const tw__expr *expr, const tw__expr_form *form, bool prelude)
{
    g_autofree tw__expr *e = g_memdup2(expr, sizeof *expr);
    g_autoptr(GString) out = g_string_new(prelude ? prelude_text : "");
    writer w = { .e = e, .form = form, .out = out };
    const char *type = tw__expr_c_type(e->node[e->count - 1].type);
    g_autofree char *name = tw__expr_vertex_name(e, form);
    unsigned long long id = (unsigned long long)hash_text(name);
    int stages = set_stages(e);
    w.chunks = stages > 1;
    g_string_append_printf(out, "TW_VERTEX_AS(tw_m%016llx, \"%s\")\n{\n", id, name);
    append_fields(&w, type);
    g_string_append_printf(out, "bool tw_m%016llx_compute(tw_m%016llx *v)\n{\n", id, id);
    append_locals(&w, type);
    if (w.chunks) {
        g_string_append(out, "    for (size_t at = 0; at < n; at += 128) {\n"
                             "        const size_t m = n - at < 128 ? n - at : 128;\n");
        append_arrays(&w);
    } else {
        g_string_append(out, "    {\n");
    }
    for (w.stage = 0; w.stage < stages; w.stage++) append_stage(&w, w.stage + 1 == stages);
    g_string_append(out, "    }\n    return true;\n}\n");
    return g_string_free(g_steal_pointer(&out), FALSE);
}
