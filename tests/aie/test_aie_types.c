/* SPDX-License-Identifier: MIT */
/* Names of AI Engine types: every name of the document with its size, alignment and register; wrong names and what
 * the message must point out; the list is complete and free of doubles. Written from the seed and docs/aie.md. */
#define TW_AIE_EXTRA
#include <tilewright/aie/types.h>
#include <tilewright/aie/type_names.h>

#include <string.h>
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
// clang-format on

#define TYPE(name, lanes, lane_bits, total, reg, letter) \
    { #name, lanes, lane_bits, total, reg, letter, sizeof(name), _Alignof(name) }
// clang-format off
static const struct {
    const char *name;
    unsigned lanes, lane_bits, payload, registers;
    const char *letter;
    size_t size, align;
} names[] = {
    TYPE(v16int8, 16, 8, 128, 128, "V"), TYPE(v32int8, 32, 8, 256, 256, "W"), TYPE(v64int8, 64, 8, 512, 512, "X"),
    TYPE(v128int8, 128, 8, 1024, 1024, "Y"), TYPE(v16uint8, 16, 8, 128, 128, "V"), TYPE(v32uint8, 32, 8, 256, 256, "W"),
    TYPE(v64uint8, 64, 8, 512, 512, "X"), TYPE(v128uint8, 128, 8, 1024, 1024, "Y"),
    TYPE(v8int16, 8, 16, 128, 128, "V"), TYPE(v16int16, 16, 16, 256, 256, "W"), TYPE(v32int16, 32, 16, 512, 512, "X"),
    TYPE(v64int16, 64, 16, 1024, 1024, "Y"), TYPE(v4int32, 4, 32, 128, 128, "V"), TYPE(v8int32, 8, 32, 256, 256, "W"),
    TYPE(v16int32, 16, 32, 512, 512, "X"), TYPE(v32int32, 32, 32, 1024, 1024, "Y"), TYPE(v4int64, 4, 64, 256, 256, "W"),
    TYPE(v8int64, 8, 64, 512, 512, "X"), TYPE(v2int128, 2, 128, 256, 256, "W"), TYPE(v4cint16, 4, 32, 128, 128, "V"),
    TYPE(v8cint16, 8, 32, 256, 256, "W"), TYPE(v16cint16, 16, 32, 512, 512, "X"), TYPE(v32cint16, 32, 32, 1024, 1024, "Y"),
    TYPE(v2cint32, 2, 64, 128, 128, "V"), TYPE(v4cint32, 4, 64, 256, 256, "W"), TYPE(v8cint32, 8, 64, 512, 512, "X"),
    TYPE(v16cint32, 16, 64, 1024, 1024, "Y"), TYPE(v2cint64, 2, 128, 256, 256, "W"), TYPE(v4cint64, 4, 128, 512, 512, "X"),
    TYPE(v1cint128, 1, 256, 256, 256, "W"), TYPE(v4float, 4, 32, 128, 128, "V"), TYPE(v8float, 8, 32, 256, 256, "W"),
    TYPE(v16float, 16, 32, 512, 512, "X"), TYPE(v32float, 32, 32, 1024, 1024, "Y"), TYPE(v2cfloat, 2, 64, 128, 128, "V"),
    TYPE(v4cfloat, 4, 64, 256, 256, "W"), TYPE(v8cfloat, 8, 64, 512, 512, "X"), TYPE(v16cfloat, 16, 64, 1024, 1024, "Y"),
    TYPE(v8cint8, 8, 16, 128, 128, "V"), TYPE(v64cint8, 64, 16, 1024, 1024, "Y"),
    TYPE(v8accfloat, 8, 32, 256, 256, "W"), TYPE(v4caccfloat, 4, 64, 256, 256, "W"),
};
static const struct {
    const char *name;
    unsigned lanes, lane_bits, payload, registers;
    size_t size, align;
} accumulators[] = { /* held in 64 or 128 bits per component */
    { "v8acc48", 8, 48, 384, 384, sizeof(v8acc48), 64 },     { "v16acc48", 16, 48, 768, 768, sizeof(v16acc48), 128 },
    { "v4cacc48", 4, 96, 384, 384, sizeof(v4cacc48), 64 },   { "v8cacc48", 8, 96, 768, 768, sizeof(v8cacc48), 128 },
    { "v4acc80", 4, 80, 320, 384, sizeof(v4acc80), 64 },     { "v8acc80", 8, 80, 640, 768, sizeof(v8acc80), 128 },
    { "v2cacc80", 2, 160, 320, 384, sizeof(v2cacc80), 64 },  { "v4cacc80", 4, 160, 640, 768, sizeof(v4cacc80), 128 },
};
static const struct { const char *name, *field, *phrase; } wrong[] = {
    { "v16int48", "size", "8, 16, 32, 64 or 128" },   { "v3int32", "lanes", "2, 4, 8, 16, 32, 64 or 128" },
    { "v64int32", "lanes", "2048 bits" },             { "v64int32", "lanes", "4, 8, 16 or 32" },
    { "v16uint16", "u", "only exists for int8" },     { "v8uint32", "u", "only exists for int8" },
    { "v8ufloat", "u", "no unsigned form" },          { "v8cuint8", "u", "signed" },
    { "v8float32", "size", "write v8float" },         { "v4cfloat32", "size", "write v4cfloat" },
    { "v8float16", "size", "single precision" },      { "v8accfloat32", "size", "write v8accfloat" },
    { "v8facc32", "kind", "no accumulator registers" }, { "v8acc", "size", "v8acc48" },
    { "v16int032", "size", "'032': a number of bits begins with another digit than 0" },
    { "v16int08", "size", "'08'" },
    { "v8acc64", "size", "AIE-ML type; this is AIE" },
    { "v32bfloat16", "kind", "AIE-ML type; this is AIE" },
    { "v16cbfloat16", "kind", "AIE-ML type; this is AIE" },
    { "v32uint16", "u", "AIE-ML type; this is AIE" },
    { "v64uint4", "u", "AIE-ML type; this is AIE" },
    { "v32accfloat", "lanes", "AIE-ML type; this is AIE" },
    { "v8acc32", "size", "AIE-ML" },                  { "v8acc64", "size", "AIE-ML" },
    { "v2acc48", "lanes", "8 or 16 lanes" },          { "v16acc80", "lanes", "1280 bits" },
    { "v8acc40", "size", "48 or 80" },                { "v16cacc48", "lanes", "4 or 8" },
    { "v32int4", "size", "AIE-ML" },                  { "v64uint4", "u", "AIE-ML" },
    { "bfloat16", "kind", "AIE-ML" },                 { "int4", "kind", "AIE-ML" },
    { "v16bfloat16", "kind", "AIE-ML" },              { "v1int32", "lanes", "v1cint128" },
    { "v16int", "size", "as in v16int16" },           { "vint32", "lanes", "must follow 'v'" },
    { "v16", "kind", "int, float or acc" },           { "v16flaot", "kind", "did you mean 'float'" },
    { "int7", "kind", "starts with 'v'" },            { "", "kind", "starts with 'v'" },
    { "v016int32", "lanes", "016" },                  { "v16int32x", "size", "32x" },
    { "v2int64", "lanes", "TW_AIE_EXTRA" },           { "v16int64", "lanes", "4 or 8 lanes" },
    { "v99999999999999int8", "lanes", "is not 2" },   { "v16int99999", "size", "99999" },
    { "v4cint8", "lanes", "64 bits" },                { "v2float", "lanes", "64 bits" },
};
// clang-format on
#define COUNT(table) (sizeof table / sizeof *table)

static void aie_names_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        tw_aie_type t;
        if (tw_aie_type_by_name(names[i].name, 0, &t) != TW_OK)
            fail_msg("%s: %s", names[i].name, tw_error_message());
        if (t.lanes != names[i].lanes || t.lane_bits != names[i].lane_bits || t.payload_bits != names[i].payload ||
            t.register_bits != names[i].registers || t.registers[0] != names[i].letter[0] ||
            names[i].size * 8 != names[i].payload || names[i].align != 16)
            fail_msg("%s: %u lanes of %u bits, %u bits in %s, %zu bytes aligned %zu", names[i].name, t.lanes,
                     t.lane_bits, t.payload_bits, t.registers, names[i].size, names[i].align);
    }
}

static void aie_accumulators(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(accumulators); i++) {
        tw_aie_type t;
        assert_int_equal(tw_aie_type_by_name(accumulators[i].name, 0, &t), TW_OK);
        assert_int_equal(t.lanes, accumulators[i].lanes);
        assert_int_equal(t.lane_bits, accumulators[i].lane_bits);
        assert_int_equal(t.payload_bits, accumulators[i].payload);
        assert_int_equal(t.register_bits, accumulators[i].registers);
        assert_int_equal(accumulators[i].size, accumulators[i].align);
        assert_int_equal(t.kind, TW_AIE_ACC);
    }
}

static void aie_wrong_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        tw_aie_type t;
        if (tw_aie_type_by_name(wrong[i].name, 0, &t) != TW_E_TYPE) fail_msg("%s is accepted", wrong[i].name);
        char field[64];
        snprintf(field, sizeof field, ": %s: ", wrong[i].field);
        const char *message = tw_error_message();
        if (!strstr(message, field) || !strstr(message, wrong[i].phrase))
            fail_msg("%s gives \"%s\", expected the field '%s' and \"%s\"", wrong[i].name, message, wrong[i].field,
                     wrong[i].phrase);
    }
}

/* Every combination of the convention: it parses exactly when the list has it, and widths follow the names. */
static void aie_list_is_the_language(void **state)
{
    (void)state;
    static const char *const kind[] = { "int", "uint", "float", "acc", "cint", "cuint", "cfloat", "cacc" };
    static const char *const size[] = { "", "8", "16", "32", "48", "64", "80", "128" };
    unsigned accepted = 0, listed = 0;
    tw_aie_type t, other;
    for (unsigned lanes = 1; lanes <= 256; lanes++)
        for (size_t k = 0; k < COUNT(kind); k++)
            for (size_t s = 0; s < COUNT(size); s++) {
                char name[32];
                snprintf(name, sizeof name, "v%u%s%s", lanes, kind[k], size[s]);
                if (tw_aie_type_by_name(name, TW_AIE_WITH_EXTRA, &t) != TW_OK) continue;
                accepted++;
                assert_string_equal(t.name, name);
                assert_int_equal(t.payload_bits, lanes * t.lane_bits);
                if (t.kind != TW_AIE_ACC)
                    assert_true(t.payload_bits == 128 || t.payload_bits == 256 || t.payload_bits == 512 ||
                                t.payload_bits == 1024);
            }
    for (size_t i = 0; tw_aie_type_get(i, &t); i++) {
        listed += !t.is_scalar && t.use != TW_AIE_ALIAS;
        for (size_t j = 0; j < i; j++) {
            assert_true(tw_aie_type_get(j, &other));
            assert_string_not_equal(other.name, t.name);
        }
    }
    assert_int_equal(accepted, listed);
    assert_int_equal(listed, 22 + 2 + 20 + 7 + 8); /* real, complex and wide with their extras, accumulators */
}

static void aie_vectors_are_usable(void **state)
{
    (void)state;
    v16int32 v = { 0 };
    v[3] = 7;
    v += 1;
    assert_int_equal(v[3], 8);
    assert_int_equal(v[15], 1);
    v8cint16 c = { 0 };
    c.lane[7].imag = -5;
    int16 parts[16];
    memcpy(parts, &c, sizeof c);
    assert_int_equal(parts[15], -5);
    v4cacc80 a = { 0 };
    a.lane[3].imag = 9;
    assert_true(a.word[7] == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_names_parse),        cmocka_unit_test(aie_accumulators),
        cmocka_unit_test(aie_wrong_names),        cmocka_unit_test(aie_list_is_the_language),
        cmocka_unit_test(aie_vectors_are_usable),
    };
    return cmocka_run_group_tests_name("aie.types", tests, NULL, NULL);
}
