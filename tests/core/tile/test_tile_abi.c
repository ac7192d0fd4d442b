/* SPDX-License-Identifier: MIT */
/* Layout of structs, unions and bit-fields against clang (target armv7-none-eabi with signed char and long enums,
 * whose C ABI agrees with guide 10.1), and the rules that clang does not share by hand. Without clang 19 the
 * comparison is skipped. */
#include <tilewright/tile/abi.h>
#include <tilewright/type.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { RECORDS = 600, MEMBERS = 12 };

/* Guide table 10.1, in bits: what the random structs are made of. */
static const struct {
    const char *name;
    unsigned size, align;
    bool bit_field;
} types[] = {
    { "char", 8, 8, true },       { "short", 16, 16, true },     { "int", 32, 32, true },
    { "long", 32, 32, true },     { "long long", 64, 64, true }, { "unsigned char", 8, 8, true },
    { "unsigned", 32, 32, true }, { "enum e", 32, 32, true },    { "_Float16", 16, 16, false },
    { "float", 32, 32, false },   { "double", 64, 64, false },   { "void *", 32, 32, false },
    { "f2", 64, 64, false },      { "f4", 128, 64, false },      { "char2", 16, 16, false },
};
enum { TYPES = sizeof types / sizeof *types };

typedef struct record {
    bool is_union;
    size_t count;
    tw_abi_member members[MEMBERS];
    tw_abi_record want;
    uint64_t offsets[MEMBERS];
} record;

static uint64_t seed = 88172645463325252u;

static unsigned draw(unsigned below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (unsigned)(seed >> 20) % below;
}

static void write_record(FILE *f, record *r, unsigned index)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l" };
    r->is_union = draw(6) == 0;
    r->count = 1 + draw(MEMBERS);
    fprintf(f, "%s s%u { char first;", r->is_union ? "union" : "struct", index);
    r->members[0] = (tw_abi_member){ .name = "first", .size = 1, .align = 1 };
    for (size_t i = 1; i < r->count; i++) {
        unsigned t = draw(TYPES), elements = 1 + draw(3);
        tw_abi_member *m = &r->members[i];
        *m = (tw_abi_member){ .name = names[i], .size = types[t].size / 8, .align = types[t].align / 8 };
        if (types[t].bit_field && draw(3)) {
            m->is_bit_field = true;
            m->width = draw(5) ? 1 + draw(types[t].size) : 0;
            if (!m->width || draw(4) == 0) m->name = "";
            fprintf(f, " %s %s : %u;", types[t].name, m->name, m->width);
        } else {
            m->size *= elements;
            fprintf(f, " %s %s[%u];", types[t].name, m->name, elements);
        }
    }
    fprintf(f, " };\n");
}

/* "         1:0-4 |   unsigned b", "         8 |   f2 v": one line per member, in order. */
static bool read_layout(FILE *f, record *r)
{
    char line[512];
    size_t next = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned byte, first, size, align;
        char *bar = strchr(line, '|');
        if (!bar) continue;
        if (sscanf(bar, "| [sizeof=%u, align=%u", &size, &align) == 2)
            return r->want = (tw_abi_record){ size, align }, next == r->count;
        if (strstr(bar, "| struct") || strstr(bar, "| union") || next >= r->count) continue;
        int fields = sscanf(line, "%u:%u", &byte, &first);
        if (fields < 1) return false;
        r->offsets[next++] = (uint64_t)byte * 8 + (fields == 2 ? first : 0);
    }
    return false;
}

static void tile_abi_10_1_against_clang(void **state)
{
    (void)state;
    static record records[RECORDS];
    char path[] = "/tmp/tilewright-abi-XXXXXX", command[512], line[512];
    if (system("clang-19 --version >/dev/null 2>&1") != 0) skip();
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("typedef float f2 __attribute__((vector_size(8))); typedef float f4 __attribute__((vector_size(16)));\n"
          "typedef char char2 __attribute__((vector_size(2))); enum e { A, B = 5 };\n",
          f);
    for (unsigned i = 0; i < RECORDS; i++) write_record(f, &records[i], i);
    fclose(f);
    snprintf(command, sizeof command,
             "clang-19 --target=armv7-none-eabi -fsigned-char -fno-short-enums -w -x c -fsyntax-only -Xclang "
             "-fdump-record-layouts-complete %s",
             path);
    f = popen(command, "r");
    assert_non_null(f);
    unsigned read = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned index;
        char *name = strrchr(line, ' ');
        if (!strstr(line, "0 | ") || !name || sscanf(name, " s%u", &index) != 1 || index >= RECORDS) continue;
        if (!read_layout(f, &records[index])) fail_msg("clang's layout of s%u was not understood", index);
        read++;
    }
    assert_int_equal(pclose(f), 0);
    unlink(path);
    assert_int_equal(read, RECORDS);
    for (unsigned i = 0; i < RECORDS; i++) {
        record *r = &records[i];
        tw_abi_record got;
        assert_int_equal(tw_abi_layout(r->members, r->count, r->is_union, &got), TW_OK);
        if (got.size != r->want.size || got.align != r->want.align)
            fail_msg("s%u: %llu bytes aligned %u, clang says %llu and %u", i, (unsigned long long)got.size,
                     got.align, (unsigned long long)r->want.size, r->want.align);
        for (size_t k = 0; k < r->count; k++)
            if (r->members[k].offset != r->offsets[k])
                fail_msg("s%u.%s: bit %llu, clang says %llu", i, r->members[k].name,
                         (unsigned long long)r->members[k].offset, (unsigned long long)r->offsets[k]);
    }
}

static void tile_abi_2_3_4_structs(void **state)
{
    (void)state;
    tw_abi_record r;
    tw_abi_member m[] = { { "c", 1, 1, false, 0, 0, 0 },
                          { "s", 2, 2, false, 0, 0, 0 },
                          { "l", 8, 8, false, 0, 0, 0 },
                          { "d", 1, 1, false, 0, 0, 0 } };
    assert_int_equal(tw_abi_layout(m, 4, false, &r), TW_OK);
    assert_int_equal(m[1].offset, 16);
    assert_int_equal(m[2].offset, 64);
    assert_int_equal(m[3].offset, 128);
    assert_int_equal(r.size, 24); /* tail padding to a multiple of the alignment */
    assert_int_equal(r.align, 8);
    assert_int_equal(tw_abi_layout(m, 4, true, &r), TW_OK);
    assert_int_equal(r.size, 8);
    assert_int_equal(m[3].offset, 0);
    assert_int_equal(tw_abi_layout(NULL, 0, false, &r), TW_OK);
    assert_int_equal(r.size, 0);
    assert_int_equal(r.align, 1);
}

static void tile_abi_2_3_5_bit_fields(void **state)
{
    (void)state;
    tw_abi_record r;
    tw_abi_member m[] = {
        { "a", 4, 4, true, 20, 0, 0 }, { "b", 4, 4, true, 13, 0, 0 }, /* does not fit beside a */
        { "c", 2, 2, true, 3, 0, 0 },                                 /* beside b, in an aligned short */
        { "", 4, 4, true, 0, 0, 0 },   { "d", 1, 1, true, 1, 0, 0 },
    };
    assert_int_equal(tw_abi_layout(m, 5, false, &r), TW_OK);
    assert_int_equal(m[1].offset, 32);
    assert_int_equal(m[2].offset, 45);
    assert_int_equal(m[4].offset, 64);
    assert_int_equal(r.size, 12);
    tw_abi_member unnamed[] = { { "c", 1, 1, false, 0, 0, 0 }, { "", 8, 8, true, 0, 0, 0 } };
    assert_int_equal(tw_abi_layout(unnamed, 2, false, &r), TW_OK);
    assert_int_equal(r.align, 8); /* zero-width bit-fields count */
    static const tw_abi_member bad[] = { { "w", 1, 1, true, 9, 0, 0 },
                                         { "z", 4, 4, true, 0, 0, 0 },
                                         { "a", 4, 3, false, 0, 0, 0 },
                                         { "a", 4, 0, false, 0, 0, 0 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tw_abi_member copy = bad[i];
        assert_int_equal(tw_abi_layout(&copy, 1, false, &r), TW_E_INVALID_ARGUMENT);
        assert_non_null(strstr(tw_error_message(), bad[i].name));
    }
    tw_abi_member wide = { NULL, 4, 4, true, 33, 0, 0 };
    assert_int_equal(tw_abi_layout(&wide, 1, false, &r), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_error_message(), "member 0, (unnamed): 33 bits, its type has 32");
    wide.name = "";
    assert_int_equal(tw_abi_layout(&wide, 1, false, &r), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_error_message(), "member 0, (unnamed): 33 bits, its type has 32");
}

/* 2^32 bytes are the most. */
static void tile_abi_largest(void **state)
{
    (void)state;
    tw_abi_record r;
    tw_abi_member m[] = { { "a", UINT32_MAX, 1, false, 0, 0, 0 },
                          { "b", 1, 1, false, 0, 0, 0 },
                          { "c", 1, 1, true, 1, 0, 0 } };
    assert_int_equal(tw_abi_layout(m, 2, false, &r), TW_OK);
    assert_true(r.size == UINT64_C(1) << 32);
    assert_int_equal(tw_abi_layout(m, 3, false, &r), TW_E_OVERFLOW);
    assert_string_equal(tw_error_message(), "member 2, c, ends past 2^32 bytes");
}

/* Signs of enum bit-fields: guide 10.1.3, which differs from clang. */
static void tile_abi_10_1_3_enum_signs(void **state)
{
    (void)state;
    static const struct {
        int64_t least, most;
        unsigned width;
        bool is_signed;
    } rows[] = { { -1, 0, 1, true },  { -1, 100, 2, true },       { 0, 1, 1, false },
                 { 0, 1, 2, true },   { 0, 3, 2, false },         { 0, 3, 3, true },
                 { 0, 4, 3, false },  { 0, INT32_MAX, 32, true }, { 0, 0, 1, true },
                 { 0, 127, 8, true }, { 0, 128, 8, false },       { 0, 1, 0, false },
                 { 0, 5, 64, true },  { 0, INT64_MAX, 64, true }, { 0, INT64_MAX, 63, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(tw_abi_enum_field_is_signed(rows[i].least, rows[i].most, rows[i].width),
                         rows[i].is_signed);
}

/* The types of table 2.1 that `type` knows by the same names. */
static void tile_abi_table_2_1_scalars(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned bits;
    } rows[] = { { "char", 8 },  { "short", 16 }, { "int", 32 },    { "long", 32 }, { "long long", 64 },
                 { "half", 16 }, { "float", 32 }, { "double", 64 }, { "bool", 8 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tw_type_info *info = tw_type_get(tw_type_by_name(rows[i].name));
        assert_int_equal(info->size * 8, rows[i].bits);
        assert_int_equal(info->align * 8, rows[i].bits);
        if (info->kind == TW_KIND_INT) assert_true(info->is_signed); /* char is signed */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_abi_10_1_against_clang), cmocka_unit_test(tile_abi_2_3_4_structs),
        cmocka_unit_test(tile_abi_2_3_5_bit_fields),   cmocka_unit_test(tile_abi_10_1_3_enum_signs),
        cmocka_unit_test(tile_abi_table_2_1_scalars),  cmocka_unit_test(tile_abi_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
