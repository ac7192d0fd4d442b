/* SPDX-License-Identifier: MIT */
/* The structs of C files: every row of tables 10.1 and 10.2 of the guide and each sentence of 2.3.1, 10.1, 10.1.2 and
 * 10.1.3, as `tilewright layout struct` reads them. Figures are the guide's, in bits. */
#include "poplar/codelet/codelet_test.h"

#include <stdio.h>
#include <unistd.h>

#include <tilewright/tile/abi.h>

static tw_abi_structs *read_text(const char *text)
{
    char path[] = "/tmp/tw_abi_XXXXXX.c";
    int fd = mkstemps(path, 2);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    tw_abi_structs *structs = tw_abi_structs_read(path, NULL, NULL);
    tw_status status = tw_status_of(structs);
    unlink(path);
    if (status) fail_msg("%s", tw_error_message());
    return structs;
}

typedef struct row {
    const char *type;
    unsigned size, align;
} row;

/* struct s<i> { char c; T m; }: the member begins at its alignment, which the struct has too. */
static void check_types(const char *head, const row *rows, size_t count)
{
    g_autoptr(GString) text = g_string_new(head);
    for (size_t i = 0; i < count; i++)
        g_string_append_printf(text, "typedef __typeof__(%s) t%zu; struct s%zu { char c; t%zu m; };\n",
                               rows[i].type, i, i, i);
    tw_abi_structs *structs = read_text(text->str);
    assert_int_equal(tw_abi_structs_count(structs), count);
    for (size_t i = 0; i < count; i++) {
        const tw_abi_struct *s = tw_abi_structs_get(structs, i);
        if (s->members[1].size != rows[i].size / 8 || s->members[1].align != rows[i].align / 8 ||
            s->members[1].offset != rows[i].align || s->record.align != rows[i].align / 8 ||
            s->record.size != (rows[i].align + rows[i].size) / 8)
            fail_msg("%s: size %u, alignment %u, at bit %u, struct of %u aligned to %u", rows[i].type,
                     s->members[1].size, s->members[1].align, (unsigned)s->members[1].offset,
                     (unsigned)s->record.size, s->record.align);
    }
    tw_abi_structs_free(structs);
}

static void codelet_table_10_1_scalars(void **state)
{
    (void)state;
    static const row rows[] = {
        { "char", 8, 8 },
        { "short", 16, 16 },
        { "int", 32, 32 },
        { "long", 32, 32 },
        { "long long", 64, 64 },
        { "half", 16, 16 },
        { "float", 32, 32 },
        { "double", 64, 64 },
        { "long double", 64, 64 },
        { "void *", 32, 32 },
        { "int (*)(void)", 32, 32 }, /* to code as to data */
        { "enum e", 32, 32 },        /* an int */
        { "unsigned long", 32, 32 },
        { "unsigned long long", 64, 64 },
        { "_Bool", 8, 8 },
    };
    check_types("#include <poplar/device/ipudef.h>\nenum e { SMALL };\n", rows, sizeof rows / sizeof *rows);
}

static void codelet_table_10_2_vectors(void **state)
{
    (void)state;
    static const row rows[] = {
        { "half2", 32, 32 }, { "half4", 64, 64 }, { "float2", 64, 64 }, { "float4", 128, 64 }
    };
    check_types("#include <poplar/device/ipudef.h>\n", rows, sizeof rows / sizeof *rows);
}

/* Members by name: where they lie. */
static uint64_t bit_of(const tw_abi_struct *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->members[i].name, name) == 0) return s->members[i].offset;
    fail_msg("%s has no member %s", s->name, name);
    return 0;
}

static void codelet_10_1_3_bit_fields(void **state)
{
    (void)state;
    tw_abi_structs *structs = read_text(
        "enum neg { A = -1, B = 3 }; enum fits { C, D = 7 };\n"
        "struct pack { int a : 5; int b : 27; int c : 1; };\n" /* from the least significant end */
        "struct cross { char x; int a : 25; };\n"              /* 8 + 25 bits do not fit one int */
        "struct zero { char a : 3; int : 0; char b; };\n"      /* b begins at the next int */
        "struct tail { char a; long long : 0; };\n"            /* counts for the struct's alignment */
        "struct unnamed { int a : 4; int : 8; int b : 4; };\n"
        "struct only { short : 3; };\n"
        "struct signs { char c : 3; unsigned u : 3; enum neg n : 4; enum fits f3 : 3; enum fits f4 : 4; };\n");
    assert_int_equal(tw_abi_structs_count(structs), 7);
    const tw_abi_struct *s = tw_abi_structs_get(structs, 0);
    assert_int_equal(bit_of(s, "a"), 0);
    assert_int_equal(bit_of(s, "b"), 5);
    assert_int_equal(bit_of(s, "c"), 32);
    assert_int_equal(s->record.size, 8);
    s = tw_abi_structs_get(structs, 1);
    assert_int_equal(bit_of(s, "a"), 32);
    assert_int_equal(s->record.size, 8);
    s = tw_abi_structs_get(structs, 2);
    assert_int_equal(bit_of(s, "b"), 32);
    assert_int_equal(s->record.size, 8);
    assert_int_equal(s->record.align, 4);
    s = tw_abi_structs_get(structs, 3);
    assert_int_equal(s->record.size, 8);
    assert_int_equal(s->record.align, 8);
    s = tw_abi_structs_get(structs, 4);
    assert_int_equal(bit_of(s, "b"), 12);
    s = tw_abi_structs_get(structs, 5);
    assert_int_equal(s->record.size, 2);
    assert_int_equal(s->record.align, 2);
    s = tw_abi_structs_get(structs, 6);
    static const bool is_signed[] = { true, false, true, false,
                                      true }; /* 7 does not fit a signed field of 3 bits */
    assert_memory_equal(s->is_signed, is_signed, sizeof is_signed);
    tw_abi_structs_free(structs);
}

/* Field offsets by type, alignment of the largest member, tail padding; nested, anonymous and flexible members. */
static void codelet_10_1_2_structs(void **state)
{
    (void)state;
    tw_abi_structs *structs =
        read_text("struct s { char a; struct in { short b; char c; } in[2]; double d; char e; };\n"
                  "union u { struct { char f; union { int g; char h[7]; }; }; double i; };\n"
                  "struct flex { short n; int data[]; };\n");
    const tw_abi_struct *s = NULL, *u = NULL, *flex = NULL;
    for (size_t i = 0; i < tw_abi_structs_count(structs); i++) {
        const tw_abi_struct *at = tw_abi_structs_get(structs, i);
        if (strcmp(at->name, "struct s") == 0) s = at;
        if (strcmp(at->name, "union u") == 0) u = at;
        if (strcmp(at->name, "struct flex") == 0) flex = at;
    }
    assert_true(s && u && flex);
    assert_int_equal(bit_of(s, "in"), 16);
    assert_int_equal(bit_of(s, "d"), 128);
    assert_int_equal(bit_of(s, "e"), 192);
    assert_int_equal(s->record.size, 32);
    assert_int_equal(s->record.align, 8);
    assert_true(u->is_union);
    assert_int_equal(u->record.size, 16); /* 12 bytes of the first member, tail padding for the double */
    assert_int_equal(u->record.align, 8);
    assert_int_equal(bit_of(flex, "data"), 32);
    assert_int_equal(flex->record.size, 4);
    tw_abi_structs_free(structs);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(codelet_table_10_1_scalars),
                                        cmocka_unit_test(codelet_table_10_2_vectors),
                                        cmocka_unit_test(codelet_10_1_2_structs),
                                        cmocka_unit_test(codelet_10_1_3_bit_fields) };
    return cmocka_run_group_tests(tests, set_up_cache, tear_down_cache);
}
