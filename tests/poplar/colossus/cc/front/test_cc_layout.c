/* SPDX-License-Identifier: MIT */
/* Sizes and offsets of records (guide 10.1): random ones against clang for armv7, which docs/decisions.md names as
 * the reference, and those whose figures the guide gives. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "poplar/colossus/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 2000, SEED = 20201 };

static unsigned next(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* Members: plain ones and bit-fields, some without a name, some of width zero. */
static void add_member(GString *text, unsigned *state, unsigned record, unsigned k, unsigned *named)
{
    static const char *const plain[] = { "char",  "short",         "int",    "long",       "long long", "_Float16",
                                         "float", "double",        "void *", "enum e",     "float4",    "half4",
                                         "_Bool", "unsigned char", "short4", "long double" };
    static const struct {
        const char *name;
        unsigned bits;
    } fields[] = { { "char", 8 },        { "short", 16 },          { "int", 32 },
                   { "long", 32 },       { "long long", 64 },      { "unsigned", 32 },
                   { "signed char", 8 }, { "unsigned short", 16 }, { "unsigned long long", 64 } };
    unsigned kind = next(state, 10);
    if (kind < 4) {
        g_string_append_printf(text, " %s f%u%s;", plain[next(state, G_N_ELEMENTS(plain))], k,
                               next(state, 5) ? "" : "[3]");
        *named |= 1u << k;
    } else if (kind == 4 && record) {
        g_string_append_printf(text, " struct s%u f%u;", next(state, record), k);
        *named |= 1u << k;
    } else {
        unsigned t = next(state, G_N_ELEMENTS(fields));
        bool is_unnamed = next(state, 4) == 0;
        unsigned width = is_unnamed && next(state, 2) ? 0 : 1 + next(state, fields[t].bits);
        if (is_unnamed)
            g_string_append_printf(text, " %s : %u;", fields[t].name, width);
        else
            g_string_append_printf(text, " %s b%u : %u;", fields[t].name, k, width);
    }
}

/* Records, and a table of all their figures. */
static char *random_source(void)
{
    GString *text =
        g_string_new("enum e { a, b, c };\ntypedef float float4 __attribute__((vector_size(16), aligned(8)));\n"
                     "typedef _Float16 half4 __attribute__((vector_size(8)));\n"
                     "typedef short short4 __attribute__((vector_size(8)));\n");
    GString *table = g_string_new("const unsigned figures[] = {\n");
    unsigned state = SEED;
    for (unsigned record = 0; record < RECORDS; record++) {
        unsigned named = 0, members = 1 + next(&state, 8);
        g_string_append_printf(text, "struct s%u {", record);
        for (unsigned k = 0; k < members; k++) add_member(text, &state, record, k, &named);
        g_string_append(text, " };\n");
        g_string_append_printf(table, "sizeof(struct s%u), _Alignof(struct s%u),", record, record);
        for (unsigned k = 0; k < members; k++)
            if (named & 1u << k) g_string_append_printf(table, " __builtin_offsetof(struct s%u, f%u),", record, k);
        g_string_append_c(table, '\n');
    }
    g_string_append_printf(text, "%s};\n", table->str);
    g_string_free(table, TRUE);
    return g_string_free(text, FALSE);
}

static void show(void *user, const tw_diag *diag)
{
    (void)user;
    fprintf(stderr, "%s:%d:%d: %s\n", diag->file, diag->line, diag->column, diag->message);
}

/* The initialiser of `figures`, "[N x i32] [i32 8, i32 4...]". */
static char *figures_of(const char *ir)
{
    const char *at = strstr(ir, "@figures = ");
    assert_non_null(at);
    at = strstr(at, "[i32");
    assert_non_null(at);
    return g_strndup(at, strcspn(at, "]"));
}

static char *own_figures(const char *source)
{
    tw__cc_request request = { .path = "records.c",
                               .text = source,
                               .length = strlen(source),
                               .language = TW__CC_C,
                               .result = TW__CC_SOURCE_IR,
                               .arch = TW_ISA_IPU2,
                               .report = show };
    tw__cc_output output;
    if (tw__cc_compile(&request, &output) != TW_OK) fail_msg("%s", tw_error_message());
    char *figures = figures_of(output.text);
    tw__cc_output_clear(&output);
    return figures;
}

static void random_records(void **unused)
{
    (void)unused;
    g_autofree char *clang = g_find_program_in_path("clang-19");
    if (!clang) skip();
    g_autofree char *source = random_source(), *path = NULL, *out = NULL;
    int fd = g_file_open_tmp("records_XXXXXX.c", &path, NULL);
    assert_true(fd >= 0 && g_file_set_contents(path, source, -1, NULL));
    const char *argv[] = {
        clang, "--target=armv7-none-eabi", "-fsigned-char", "-fno-short-enums", "-S", "-emit-llvm", path, "-o", "-",
        NULL
    };
    gint status = 1;
    assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &out, NULL, &status, NULL) && status == 0);
    remove(path);
    close(fd);
    g_autofree char *theirs = figures_of(out), *ours = own_figures(source);
    g_auto(GStrv) a = g_strsplit(ours, ",", -1), b = g_strsplit(theirs, ",", -1);
    assert_int_equal(g_strv_length(a), g_strv_length(b));
    assert_true(g_strv_length(a) > 3 * RECORDS);
    for (guint i = 0; a[i]; i++)
        if (strcmp(a[i], b[i]) != 0) fail_msg("figure %u: ours is %s, the reference's %s", i, a[i], b[i]);
}

/* Table 10.1 and 10.2, and the rules of 10.1.3 in their shortest form. */
static void figures_of_the_guide(void **unused)
{
    (void)unused;
    static const struct {
        const char *expression;
        unsigned value;
    } rows[] = {
        { "sizeof(char)", 1 },
        { "sizeof(short)", 2 },
        { "sizeof(int)", 4 },
        { "sizeof(long)", 4 },
        { "sizeof(long long)", 8 },
        { "_Alignof(long long)", 8 },
        { "sizeof(_Float16)", 2 },
        { "_Alignof(_Float16)", 2 },
        { "sizeof(float)", 4 },
        { "sizeof(double)", 8 },
        { "_Alignof(double)", 8 },
        { "sizeof(long double)", 8 },
        { "sizeof(void *)", 4 },
        { "sizeof(void (*)(void))", 4 },
        { "sizeof(enum small)", 4 },
        { "_Alignof(float4)", 8 },
        { "sizeof(float4)", 16 },
        { "_Alignof(half2)", 4 },
        { "_Alignof(half4)", 8 },
        { "(char)-1 < 0", 1 },                                /* char is signed */
        { "sizeof(struct { char a; int : 0; char b; })", 8 }, /* zero width: up to the declared type's alignment */
        { "sizeof(struct { char a; short : 5; char b; })", 4 }, /* unnamed ones count for the alignment */
        { "sizeof(struct { int a : 20; int b : 20; })", 8 },    /* a container is not crossed */
        { "sizeof(struct { char a : 4; char b : 4; })", 1 },
    };
    GString *source =
        g_string_new("enum small { one };\ntypedef float float4 __attribute__((vector_size(16), aligned(8)));\n"
                     "typedef _Float16 half2 __attribute__((vector_size(4)));\n"
                     "typedef _Float16 half4 __attribute__((vector_size(8)));\n"
                     "const unsigned figures[] = {\n");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) g_string_append_printf(source, "%s,\n", rows[i].expression);
    g_string_append(source, "0};\n");
    g_autofree char *figures = own_figures(source->str);
    g_auto(GStrv) each = g_strsplit(figures, ",", -1);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *value = strrchr(each[i], ' ');
        if (!value || strtoul(value, NULL, 10) != rows[i].value)
            fail_msg("%s: %s, and %u by the guide", rows[i].expression, each[i], rows[i].value);
    }
    g_string_free(source, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_records), cmocka_unit_test(figures_of_the_guide) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
