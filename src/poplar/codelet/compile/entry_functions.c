/* SPDX-License-Identifier: MIT */
/* Entry functions (guide 3.4): the symbol that the engine calls, around the user's compute(). They follow the user's
 * text in the same translation unit, behind a line marker that makes them a system header: no warnings from here. */
#include "poplar/codelet/compile/compile.h"

static const char cpp_head[] =
    "namespace tw__entries {\n"
    "struct one { operator int() const { return 1; } };\n" /* void compute() counts as true */
    "template <class R> inline int operator,(R &&result, one) { return result ? 1 : 0; }\n"
    "}\n";

static void cpp_entry(GString *out, const json_t *vertex, const char *symbol)
{
    const char *code = json_string_value(json_object_get(vertex, "code"));
    bool worker = json_integer_value(json_object_get(vertex, "compute")) == 1;
    g_string_append_printf(
        out,
        "static_assert(sizeof(%s) == %lld, \"both passes of popc agree\");\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) int %s(void *state, unsigned worker, "
        "unsigned workers) {\n"
        "(void)worker; (void)workers; %s\n"
        "return (static_cast<%s *>(state)->compute(%s), tw__entries::one());\n}\n",
        code, (long long)json_integer_value(json_object_get(vertex, "size")), symbol,
        worker ? "poplar::detail::hostWorkers() = workers;" : "", code, worker ? "worker" : "");
}

static void c_entry(GString *out, const json_t *vertex, const char *symbol)
{
    const char *code = json_string_value(json_object_get(vertex, "code"));
    bool worker = json_integer_value(json_object_get(vertex, "compute")) == 1;
    bool is_void = json_is_true(json_object_get(vertex, "void"));
    g_string_append_printf(out,
                           "__attribute__((visibility(\"default\"))) int %s(void *state, unsigned worker, unsigned "
                           "workers) {\n(void)worker; (void)workers; %s\n%s%s_compute((%s *)state%s);%s\n}\n",
                           symbol, worker ? "tw__workers = workers;" : "", is_void ? "" : "return ", code, code,
                           worker ? ", worker" : "", is_void ? " return 1;" : "");
}

char *tw__wrappers(const json_t *table, bool is_c)
{
    GString *out = g_string_new("\n# 1 \"<popc>\" 3\n");
    if (!is_c) g_string_append(out, cpp_head);
    size_t index;
    json_t *vertex;
    json_array_foreach(json_object_get(table, "vertices"), index, vertex)
    {
        if (json_integer_value(json_object_get(vertex, "compute")) < 0) continue;
        g_autofree char *symbol = tw__mangle(json_string_value(json_object_get(vertex, "name")));
        if (is_c)
            c_entry(out, vertex, symbol);
        else
            cpp_entry(out, vertex, symbol);
    }
    return g_string_free(out, FALSE);
}

/* --- of a chip -------------------------------------------------------------------------------------------------- */

/* What the entries stand on; the headers for codelets declare the same. Weak: assembly that defines the symbol
 * wins. */
static const char device_head[] = "void *__builtin_colossus_get_vertex_base(void) __attribute__((const));\n";
static const char device_mark[] = "__attribute__((weak, used, annotate(\"tw-context %s\"))) int %s(%s)\n{\n";

static void device_entry(GString *out, const json_t *vertex, const char *symbol, bool is_c)
{
    static const char number[] = "__builtin_ipu_get(1) & 7"; /* $WSR, its lowest three bits: the worker */
    const char *code = json_string_value(json_object_get(vertex, "code"));
    const char *kind = json_string_value(json_object_get(vertex, "kind"));
    bool worker = json_integer_value(json_object_get(vertex, "compute")) == 1;
    bool supervisor = g_strcmp0(kind, "SupervisorVertex") == 0,
         is_void = json_is_true(json_object_get(vertex, "void"));
    const char *state = supervisor ? "tw__state" : "__builtin_colossus_get_vertex_base()";
    g_string_append_printf(out, "%s(sizeof(%s) == %lld, \"both passes of popc agree\");\n%s",
                           is_c ? "_Static_assert" : "static_assert", code,
                           (long long)json_integer_value(json_object_get(vertex, "size")),
                           is_c ? "" : "extern \"C\" ");
    g_string_append_printf(out, device_mark, supervisor ? "supervisor" : "worker", symbol,
                           supervisor ? "void *tw__state" : "void");
    if (is_c)
        g_string_append_printf(out, "%s%s_compute((%s *)%s%s%s);%s\n}\n", is_void ? "" : "return ", code, code,
                               state, worker ? ", " : "", worker ? number : "", is_void ? " return 1;" : "");
    else
        g_string_append_printf(out, "return (static_cast<%s *>(%s)->compute(%s), tw__entries::one());\n}\n", code,
                               state, worker ? number : "");
}

char *tw__device_wrappers(const json_t *table, bool is_c)
{
    GString *out = g_string_new("\n# 1 \"<popc>\" 3\n");
    if (!is_c) g_string_append_printf(out, "%sextern \"C\" ", cpp_head);
    g_string_append(out, device_head);
    size_t index;
    json_t *vertex;
    json_array_foreach(json_object_get(table, "vertices"), index, vertex)
    {
        bool external = json_is_true(json_object_get(vertex, "external"));
        if (external || json_integer_value(json_object_get(vertex, "compute")) < 0) continue;
        g_autofree char *symbol = tw__mangle(json_string_value(json_object_get(vertex, "name")));
        device_entry(out, vertex, symbol, is_c);
    }
    return g_string_free(out, FALSE);
}
