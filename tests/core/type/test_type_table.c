/* SPDX-License-Identifier: MIT */
/* The table of types: each row by each of its names, sizes, spellings of C, and the short vectors of the guide. */
#include "core/type/type.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static void type_table_rows(void **state)
{
    (void)state;
    for (unsigned t = 1; t < TW_TYPE_COUNT; t++) {
        const tw_type_info *info = tw_type_get((tw_type)t);
        assert_int_equal(info->type, t);
        assert_true(info->size * 8 >= info->bits && info->size % info->align == 0);
        assert_true(*info->names[TW_SYSTEM_TILEWRIGHT]);
        if (info->is_complex)
            assert_int_equal(tw_type_get(info->part)->bits * 2, info->bits);
        else
            assert_int_equal(info->part, t);
        for (unsigned s = 0; s <= TW_SYSTEM_PTO; s++) {
            if (!*info->names[s]) continue;
            if (tw_type_by_name(info->names[s]) != t) fail_msg("'%s'", info->names[s]);
            assert_string_equal(tw_type_name((tw_type)t, (tw_system)s), info->names[s]);
        }
    }
    static const tw_type outside[] = { TW_TYPE_NONE, TW_TYPE_COUNT, (tw_type)-1 };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tw_type_size(outside[i]), 0);
        assert_string_equal(tw_type_name(outside[i], TW_SYSTEM_POPLAR), "none");
    }
    assert_string_equal(tw_type_name(TW_BF16, TW_SYSTEM_POPLAR), "bf16"); /* Poplar has none: our own name */
}

static void type_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tw_type type;
    } rows[] = {
        { "half", TW_F16 },
        { "float16", TW_F16 },
        { "f16", TW_F16 },
        { "_Float16", TW_F16 },
        { "char", TW_I8 },
        { "signed char", TW_I8 },
        { "  unsigned \t char ", TW_U8 },
        { "int8_t", TW_I8 },
        { "unsigned", TW_U32 },
        { "uint", TW_U32 },
        { "long", TW_I32 },
        { "long long", TW_I64 },
        { "long long int", TW_I64 },
        { "unsigned long long", TW_U64 },
        { "long double", TW_F64 },
        { "ui16", TW_U16 },
        { "f8E4M3FN", TW_F8E4M3 },
        { "float8_e8m0_t", TW_F8E8M0 },
        { "int4b_t", TW_I4 },
        { "cint16", TW_CI16 },
        { "cfloat", TW_CF32 },
        { "complex_32", TW_CF16 },
        { "complex_64", TW_CF32 },
        { "acc48", TW_ACC48 },
        { "cacc80", TW_CACC80 },
        { "cb16", TW_CB16 },
        { "int128", TW_I128 },
        { "hifloat8_t", TW_HIF8 },
        { "quarter", TW_QUARTER },
        { "bool", TW_BOOL },
        { "", TW_TYPE_NONE },
        { " ", TW_TYPE_NONE },
        { "none", TW_TYPE_NONE },
        { "float2", TW_TYPE_NONE },
        { "unsignedchar", TW_TYPE_NONE },
        { "Float", TW_TYPE_NONE },
        { "f16 f16", TW_TYPE_NONE },
        { "a name that is longer than any name of the table", TW_TYPE_NONE },
        { NULL, TW_TYPE_NONE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tw_type_by_name(rows[i].name) != rows[i].type) fail_msg("'%s'", rows[i].name);
}

/* Element types the four documents name; each must be known under the name of its system. */
static void type_table_covers_systems(void **state)
{
    (void)state;
    static const struct {
        tw_system system;
        const char *names;
    } rows[] = {
        { TW_SYSTEM_POPLAR,
          "bool,char,short,int,long long,half,float,double,unsigned char,unsigned short,unsigned int,"
          "unsigned long long,quarter" },
        { TW_SYSTEM_CSL, "bool,i8,u8,i16,u16,i32,u32,i64,u64,f16,bf16,cb16,f32,complex_32,complex_64" },
        { TW_SYSTEM_AIE,
          "int8,int16,int32,int64,int128,uint8,uint16,uint32,uint64,cint8,cint16,cint32,cint64,cint128,"
          "float,cfloat,acc48,acc80,cacc48,cacc80" },
        { TW_SYSTEM_PTO,
          "i4,i8,i16,i32,i64,u8,u16,u32,u64,f16,bf16,f32,f8e4m3,f8e5m2,f8e8m0,hif8,f4e2m1,f4e1m2,hif4" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char names[256], *rest = names;
        strcpy(names, rows[i].names);
        for (char *name; (name = strsep(&rest, ","));) {
            tw_type type = tw_type_by_name(name);
            if (type == TW_TYPE_NONE || strcmp(tw_type_get(type)->names[rows[i].system], name) != 0)
                fail_msg("'%s'", name);
        }
    }
}

typedef int8_t char4 __attribute__((vector_size(4)));
typedef int16_t short2 __attribute__((vector_size(4)));

static void type_vector_table(void **state)
{
    (void)state;
    size_t n = 0;
    for (const tw_vector_type *v; (v = tw_vector_type_get(n)); n++) {
        assert_ptr_equal(tw_vector_type_by_name(v->name), v);
        assert_int_equal(v->size, v->lanes * tw_type_size(v->element));
        assert_int_equal(tw_type_by_name(v->c_element), v->element);
        bool misprint = v->element == TW_F32; /* float2 and float4 */
        if (misprint)
            assert_int_equal(v->printed_size * 2, v->size * 8);
        else
            assert_true(v->printed_size == v->size * 8 && v->printed_align == v->align * 8);
        assert_int_equal(v->in_instruction_set, v->element == TW_F16 || v->element == TW_F32);
    }
    assert_int_equal(n, 20);
    assert_null(tw_vector_type_by_name("half8"));
    assert_int_equal(tw_vector_type_by_name("char4")->size, sizeof(char4));
    assert_int_equal(tw_vector_type_by_name("short2")->align, _Alignof(short2));
    assert_int_equal(tw_vector_type_by_name("float4")->align, 8); /* table 10.2: 128 bits aligned to 64 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_table_rows),
        cmocka_unit_test(type_by_name),
        cmocka_unit_test(type_table_covers_systems),
        cmocka_unit_test(type_vector_table),
    };
    return cmocka_run_group_tests_name("type table", tests, NULL, NULL);
}
