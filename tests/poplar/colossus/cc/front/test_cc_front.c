/* SPDX-License-Identifier: MIT */
/* The compiler's front end: places of messages, files that were read, what a call passes (guide 10.3), marks. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "poplar/colossus/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct heard {
    char text[400];
    int errors, warnings;
} heard;

static void hear(void *user, const tw_diag *diag)
{
    heard *h = user;
    h->errors += diag->severity == TW_ERROR;
    h->warnings += diag->severity == TW_WARNING;
    if (!*h->text)
        snprintf(h->text, sizeof h->text, "%s:%d:%d+%d: %s", diag->file, diag->line, diag->column, diag->length,
                 diag->message);
}

static tw_status compile(const char *path, const char *text, tw__cc_result result, const char *const *args,
                         tw__cc_output *output, heard *h)
{
    size_t count = 0;
    while (args && args[count]) count++;
    *h = (heard){ 0 };
    bool is_c = g_str_has_suffix(path, ".c"), is_ir = g_str_has_suffix(path, ".ll");
    tw__cc_request request = { .path = path,
                               .text = text,
                               .length = strlen(text),
                               .language = is_ir  ? TW__CC_IR
                                           : is_c ? TW__CC_C
                                                  : TW__CC_CPP,
                               .result = result,
                               .arch = TW_ISA_IPU2,
                               .args = args,
                               .arg_count = count,
                               .report = hear,
                               .user = h };
    return tw__cc_compile(&request, output);
}

/* --- messages --------------------------------------------------------------------------------------------------- */

static void places_of_messages(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *text, *says; /* NULL: it compiles */
    } rows[] = {
        { "a.c", "int f(int a)\n{\n    return a + b;\n}\n", "a.c:3:16+1: use of undeclared identifier 'b'" },
        { "a.c", "int f(void)\n{\n  int *p = 1.5f;\n  return *p;\n}\n",
          "a.c:3:8+1: initializing 'int *' with an expression of incompatible type 'float'" },
        { "a.cpp", "# 7 \"user.cpp\"\nint x = y;\n", "user.cpp:7:9+1: use of undeclared identifier 'y'" },
        { "a.cpp", "#include \"not_there.h\"\n", "a.cpp:1:10+13: 'not_there.h' file not found" },
        { "a.cpp", "int f() { throw 1; }\n", "a.cpp:1:11+1: cannot use 'throw' with exceptions disabled" },
        { "a.cpp", "thread_local int x;\n",
          "a.cpp:1:1+1: thread-local storage is not supported for the current target" },
        { "a.c",
          "int f(int a) { int r; __asm__(\"add %0, %1, 1\" : \"=r\"(r) : \"r\"(a) : \"$m22\"); return r; }\n",
          "a.c:1:68+1: unknown register name '$m22' in asm" },
        { "a.c", "int f(int a) { __asm__ volatile(\"\" ::: \"$m2\", \"$a2:3\", \"$sp\", \"memory\"); return a; }\n",
          NULL },
        { "a.c", "", NULL },
        { "a.ll", "define i32 @f() {\n  ret float 0.0\n}\n", "a.ll:0:0+1: " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__cc_output output;
        heard h;
        tw_status status = compile(rows[i].path, rows[i].text, TW__CC_OPTIMISED_IR, NULL, &output, &h);
        if ((status == TW_OK) != !rows[i].says || (rows[i].says && !g_str_has_prefix(h.text, rows[i].says)))
            fail_msg("row %zu: '%s', expected '%s'", i, h.text, rows[i].says ? rows[i].says : "");
        if (rows[i].says) assert_int_equal(status, TW_E_COMPILATION);
        assert_true(!rows[i].says == !!output.text && !rows[i].says == !h.errors);
        tw__cc_output_clear(&output);
    }
}

static void arguments(void **unused)
{
    (void)unused;
    static const char *const unknown[] = { "--not-an-option", NULL }, *const loud[] = { "-Wunused-variable", NULL },
                             *const strict[] = { "-Wunused-variable", "-Werror", NULL },
                             *const defines[] = { "-DN=7", NULL };
    static const char text[] = "int f(void) { int unused; return N; }\n";
    tw__cc_output output;
    heard h;
    assert_int_equal(compile("a.c", text, TW__CC_SOURCE_IR, unknown, &output, &h), TW_E_COMPILATION);
    assert_non_null(strstr(h.text, "unknown argument: '--not-an-option'"));
    assert_int_equal(compile("a.c", text, TW__CC_SOURCE_IR, defines, &output, &h), TW_OK);
    assert_non_null(strstr(output.text, "ret i32 7"));
    assert_int_equal(h.warnings, 0);
    tw__cc_output_clear(&output);
    const char *const both[] = { defines[0], loud[0], NULL }, *const all[] = { defines[0], strict[0], strict[1],
                                                                               NULL };
    assert_int_equal(compile("a.c", text, TW__CC_SOURCE_IR, both, &output, &h), TW_OK);
    assert_int_equal(h.warnings, 1);
    assert_string_equal(h.text, "a.c:1:19+1: unused variable 'unused'");
    tw__cc_output_clear(&output);
    assert_int_equal(compile("a.c", text, TW__CC_SOURCE_IR, all, &output, &h), TW_E_COMPILATION);
}

/* --- what was read ---------------------------------------------------------------------------------------------- */

static void headers(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/tw_cc_XXXXXX";
    assert_non_null(g_mkdtemp(folder));
    g_autofree char *inner = g_build_filename(folder, "inner.h", NULL),
                    *outer = g_build_filename(folder, "outer.h", NULL);
    assert_true(g_file_set_contents(inner, "enum { VALUE = 3 };\n", -1, NULL) &&
                g_file_set_contents(outer, "#include \"inner.h\"\n", -1, NULL));
    g_autofree char *option = g_strconcat("-I", folder, NULL);
    const char *args[] = { option, NULL };
    tw__cc_output output;
    heard h;
    assert_int_equal(
        compile("a.c", "#include <outer.h>\nint f(void) { return VALUE; }\n", TW__CC_SOURCE_IR, args, &output, &h),
        TW_OK);
    assert_int_equal(g_strv_length(output.headers), 2);
    assert_string_equal(output.headers[0], outer);
    assert_string_equal(output.headers[1], inner);
    tw__cc_output_clear(&output);
    remove(inner), remove(outer), remove(folder);
}

/* --- calls ------------------------------------------------------------------------------------------------------ */

/* Scalars and vectors stay what they are; aggregates arrive as themselves, behind a pointer. */
static void what_calls_pass(void **unused)
{
    (void)unused;
    static const char types[] =
        "typedef _Float16 half; typedef half half2 __attribute__((vector_size(4)));\n"
        "typedef half half4 __attribute__((vector_size(8))); typedef short short2 "
        "__attribute__((vector_size(4)));\n"
        "typedef float float2 __attribute__((vector_size(8)));\n"
        "struct one { float f; }; struct two { int a, b; }; union either { float f; int i; };\n"
        "struct bits { int a : 3, b : 5; }; struct none {}; struct nest { struct one o[1]; };\n";
    static const struct {
        const char *declaration, *code;
    } rows[] = {
        { "void f(char a, unsigned short b, int c)",
          "(i8 noundef signext %0, i16 noundef zeroext %1, i32 noundef %2)" },
        { "void f(half a, half2 b, half4 c)", "(half noundef %0, <2 x half> noundef %1, <4 x half> noundef %2)" },
        { "void f(short2 a, float2 b, long long c)",
          "(<2 x i16> noundef %0, <2 x float> noundef %1, i64 noundef %2)" },
        { "void f(one a)", "(ptr noundef byval(%struct.one) align 4 %0)" },
        { "void f(two a, nest b)",
          "(ptr noundef byval(%struct.two) align 4 %0, ptr noundef byval(%struct.nest) align 4 %1)" },
        { "two f()", "(ptr dead_on_unwind noalias writable sret(%struct.two) align 4 %0)" },
        { "void f(either a, bits b, none c)", "!{!\"union.either\", !\"pointer\"}" },
        { "void f(bits b)", "!{!\"struct.bits\", !\"pointer\"}" },
        { "void f(none b)", "!{!\"struct.none\", !\"empty\"}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bool is_void = g_str_has_prefix(rows[i].declaration, "void");
        g_autofree char *text =
            g_strdup_printf("%s%s { %s }\n", types, rows[i].declaration, is_void ? "" : "return {};");
        tw__cc_output output;
        heard h;
        if (compile("a.cpp", text, TW__CC_SOURCE_IR, NULL, &output, &h) != TW_OK)
            fail_msg("row %zu: %s", i, h.text);
        if (!strstr(output.text, rows[i].code)) fail_msg("row %zu: no '%s' in\n%s", i, rows[i].code, output.text);
        tw__cc_output_clear(&output);
    }
}

/* Entries are marked in the source; what a supervisor's entry calls is code of the supervisor. */
static void contexts(void **unused)
{
    (void)unused;
    static const char text[] = "#define ENTRY(c) __attribute__((annotate(\"tw-context \" c)))\n"
                               "__attribute__((noinline)) static int deep(int *x) { return ++*x; }\n"
                               "__attribute__((noinline)) static int far(int *x) { return deep(x) + deep(x); }\n"
                               "__attribute__((noinline)) int other(int *x) { return --*x; }\n"
                               "ENTRY(\"supervisor\") int first(void *x) { return far(x); }\n"
                               "ENTRY(\"worker\") int second(void) { int x = 1; return other(&x); }\n";
    static const struct {
        const char *function, *context;
    } rows[] = { { "@first(", "supervisor" },
                 { "@far(", "supervisor" },
                 { "@deep(", "supervisor" },
                 { "@second(", "worker" },
                 { "@other(", NULL } };
    static const char *const args[] = { "-O2", NULL };
    tw__cc_output output;
    heard h;
    assert_int_equal(compile("a.c", text, TW__CC_OPTIMISED_IR, args, &output, &h), TW_OK);
    assert_null(strstr(output.text, "llvm.global.annotations"));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *line = NULL; /* of its definition; "#N {" or "#N !dbg" names its attributes */
        for (const char *at = output.text; (at = strstr(at, "define ")) && !line; at++) {
            g_autofree char *head = g_strndup(at, strcspn(at, "\n"));
            if (strstr(head, rows[i].function)) line = at;
        }
        assert_non_null(line);
        g_autofree char *head = g_strndup(line, strcspn(line, "\n"));
        const char *number = strrchr(head, '#');
        assert_non_null(number);
        g_autofree char *group = g_strdup_printf("attributes #%lu = {", strtoul(number + 1, NULL, 10));
        const char *list = strstr(output.text, group);
        assert_non_null(list);
        g_autofree char *all = g_strndup(list, strcspn(list, "\n"));
        g_autofree char *mark = g_strdup_printf("\"tw-context\"=\"%s\"", rows[i].context ? rows[i].context : "");
        if (!strstr(all, mark) != !rows[i].context) fail_msg("%s: %s", rows[i].function, all);
    }
    tw__cc_output_clear(&output);
}

/* Stack sizes that the source states go to the assembler (guide 2.8.1). */
static void stack_sizes(void **unused)
{
    (void)unused;
    tw__cc_output output;
    heard h;
    assert_int_equal(compile("a.c",
                             "__asm__(\".stack_total f, 64\\n\");\nint f(int n) { return n; }\n"
                             "int f2(int n) { return f(n) + 1; }\n",
                             TW__CC_ASSEMBLY, NULL, &output, &h),
                     TW_OK);
    assert_non_null(strstr(output.text, ".stack_total f, 64"));
    assert_null(strstr(output.text, ".stack_own f,")); /* what the source says counts */
    assert_non_null(strstr(output.text, ".stack_own f2,"));
    tw__cc_output_clear(&output);
}

/* --- loops ------------------------------------------------------------------------------------------------------ */

#define ALIGNED(x) #x " = __builtin_assume_aligned(" #x ", 8); "

/* Two floats or four halves at a time, where both lie on 8 bytes and no order of sums changes. */
static void vectors(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *vector; /* NULL: none */
    } rows[] = {
        { "void f(const float *x, float *restrict y, unsigned n) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] += 2.5f * x[i]; }",
          "<2 x float>" },
        { "void f(const __fp16 *x, __fp16 *restrict y, unsigned n) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = x[i] * x[i]; }",
          "<4 x half>" },
        { "void f(const float *x, float *restrict y, unsigned n) { " ALIGNED(
              x) "for (unsigned i = 0; i < n; i++) y[i] = 2.5f * x[i]; }",
          NULL },
        { "void f(const float *x, float *restrict y, unsigned n, float k) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = x[i] < k ? k : x[i]; }",
          "<2 x float>" },
        { "void f(const __fp16 *x, __fp16 *restrict y, unsigned n, __fp16 k) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = x[i] > k ? x[i] * k : x[i]; }",
          "<4 x half>" },
        { "void f(const float *x, float *restrict y, unsigned n, int k) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = (i & k) ? x[i] : 1.0f; }",
          NULL },
        { "float f(const float *x, unsigned n) { " ALIGNED(
              x) "float s = 0; for (unsigned i = 0; i < n; i++) s += x[i]; return s; }",
          NULL },
        { "void f(const __fp16 *x, __fp16 *restrict y, unsigned n) { "
          "for (unsigned i = 0; i < n; i++) y[i] = x[i] * x[i]; }",
          NULL },
        { "void f(const short *x, short *restrict y, unsigned n) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = x[i] + 3; }",
          NULL },
        { "void f(const int *x, int *restrict y, unsigned n) { " ALIGNED(x)
              ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = x[i] + 3; }",
          NULL },
        { "void f(const float *x, float *restrict y, int n) { if (n > 0) { " ALIGNED(x)
              ALIGNED(y) "for (int i = 0; i < n; i++) y[i] = y[i] * 2.0f + x[i]; } }",
          "<2 x float>" },
        { "void f(const float *x, float *restrict y, int n) { if (n > 0) { x += 4, y += 2; " ALIGNED(x)
              ALIGNED(y) "for (int i = 0; i < n; i++) y[i] = y[i] * 2.0f + x[i]; } }",
          "<2 x float>" },
        { "unsigned f(unsigned short *p, int *q, unsigned n) { unsigned a = n; for (unsigned i = n; i-- > 0;) { "
          "q[(int)i * 3 - 2] = i; p[-(int)i] = i; a ^= p[-(int)i - 140] - q[(int)i * 3 + 1] * 5u; "
          "q[(int)i * 3 - 2] += p[-(int)i - 1]; q[(int)i * 3 - 5] = q[(int)i * 3 - 1] > p[-(int)i - 2] ? a : i; } "
          "return a; }",
          NULL },
        { "__attribute__((annotate(\"tw-context supervisor\"))) void f(const float *x, float *restrict y, unsigned "
          "n) { " ALIGNED(x) ALIGNED(y) "for (unsigned i = 0; i < n; i++) y[i] = x[i]; }",
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__cc_output output;
        heard h;
        assert_int_equal(compile("a.c", rows[i].text, TW__CC_OPTIMISED_IR, NULL, &output, &h), TW_OK);
        const char *body = strstr(output.text, "define ");
        assert_non_null(body);
        const char *found = strstr(body, rows[i].vector ? rows[i].vector : " x ");
        if (!found != !rows[i].vector) fail_msg("%s\n%s", rows[i].text, body);
        tw__cc_output_clear(&output);
    }
}

/* Which of two edges an element comes from is a choice of an address: no branch, and only what is wanted is read. */
static void choices(void **unused)
{
    (void)unused;
    tw__cc_output output;
    heard h;
    static const char text[] =
        "template <class T> struct edge { T *p; T &operator[](unsigned i) const "
        "{ return static_cast<T *>(__builtin_assume_aligned(p, 8))[i]; } };\n"
        "void f(edge<const float> x, edge<const float> y, float *__restrict z, unsigned n, float k)\n"
        "{ for (unsigned i = 0; i < n; i++) z[i] = x[i] > k ? x[i] : y[i]; }\n";
    assert_int_equal(compile("a.cpp", text, TW__CC_OPTIMISED_IR, NULL, &output, &h), TW_OK);
    assert_non_null(strstr(output.text, "select i1"));
    assert_null(strstr(output.text, "phi float"));
    tw__cc_output_clear(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vectors),         cmocka_unit_test(places_of_messages),
                                        cmocka_unit_test(arguments),       cmocka_unit_test(headers),
                                        cmocka_unit_test(what_calls_pass), cmocka_unit_test(contexts),
                                        cmocka_unit_test(stack_sizes),     cmocka_unit_test(choices) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
