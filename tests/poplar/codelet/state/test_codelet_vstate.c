/* SPDX-License-Identifier: MIT */
/* Byte images of vertex state on both chips (guide 3.2, chapter 4), against bytes written by hand from the guide;
 * state maps; demangling by look-up. */
#include "poplar/codelet/codelet_test.h"

#include "poplar/codelet/state/state.h"
#include <tilewright/tile/abi.h>
#include <tilewright/poplar/vertex_state.h>

static const char source[] = "#include <poplar/Vertex.hpp>\n"
                             "using namespace poplar;\n"
                             "class [[poplar::constraint(\"elem(*a)!=elem(*b)\")]] Many : public Vertex {\n"
                             "public:\n"
                             "  Input<Vector<float, VectorLayout::SHORT_SPAN>> a;\n"
                             "  Output<Vector<float, VectorLayout::COMPACT_PTR, 16>> b;\n"
                             "  Input<Vector<float, VectorLayout::SPAN, 8, true>> s;\n"
                             "  InOut<int> one;\n"
                             "  unsigned char flag;\n"
                             "  unsigned short table[3];\n"
                             "  Vector<Input<Vector<float, VectorLayout::ONE_PTR>>, VectorLayout::SPAN> rows;\n"
                             "  Input<VectorList<float, VectorListLayout::COMPACT_DELTAN>> list;\n"
                             "  unsigned last[2];\n"
                             "  bool compute() { return true; }\n"
                             "};\n"
                             "template <class T> class Scale : public Vertex {\n"
                             "public:\n"
                             "  InOut<Vector<T, VectorLayout::ONE_PTR>> x;\n"
                             "  bool compute() { return true; }\n"
                             "};\n"
                             "template class Scale<float>;\n"
                             "template class Scale<unsigned short>;\n";

static tw__codelets *set;

static int set_up(void **state)
{
    if (set_up_cache(state)) return -1;
    set = tw__codelets_new(TW__HALF_F16);
    if (tw__codelets_add_source(set, source, TW__CODELET_CPP, "many.cpp", NULL, NULL) == TW_OK) return 0;
    return fprintf(stderr, "%s\n", tw_error_message()), -1;
}

static int tear_down(void **state)
{
    tw__codelets_free(set);
    return tear_down_cache(state);
}

static const uint16_t numbers[3] = { 0x0102, 0x0304, 0x0506 };
static const uint8_t flag = 0x7F;
static const uint32_t last[2] = { 7, 0x80000001 };

/* Values for vertex Many, addresses relative to `base`; interleaved data at `high`. */
static void fill(tw__state_value values[9], uint32_t base, uint32_t high, const tw_row rows[2],
                 uint8_t tables[2][8])
{
    memset(values, 0, 9 * sizeof *values);
    values[0] = (tw__state_value){ .address = base + 0x10, .count = 2047 };
    values[1] = (tw__state_value){ .address = base + 0x40, .count = 4 };
    values[2] = (tw__state_value){ .address = high, .count = 3 };
    values[3].address = base + 0x104;
    values[4].bytes = &flag;
    values[5].bytes = numbers;
    values[6] = (tw__state_value){ .rows = rows, .row_count = 2, .table = base + 0x200, .table_bytes = tables[0] };
    values[7] = (tw__state_value){ .rows = rows, .row_count = 2, .table = base + 0x300, .table_bytes = tables[1] };
    values[8].bytes = last;
}

static uint32_t word_at(const uint8_t *bytes, size_t offset)
{
    return bytes[offset] | bytes[offset + 1] << 8 | bytes[offset + 2] << 16 | (uint32_t)bytes[offset + 3] << 24;
}

static void codelet_vstate_3_2_image(void **state)
{
    (void)state;
    static const struct {
        tw__arch arch;
        const char *name;
        uint32_t base, high;
    } chips[] = { { TW__ARCH_IPU1, "mk1", 0x40000, 0x60000 }, { TW__ARCH_IPU2, "mk2", 0x4C000, 0x80000 } };
    const tw__vertex_type *vt = tw__codelets_find(set, "Many");
    assert_non_null(vt);
    assert_int_equal(vt->num_fields, 9);
    for (size_t c = 0; c < 2; c++) {
        const tw_tile_arch *arch = tw_tile_arch_by_name(chips[c].name);
        const tw__device_vertex *device = tw__codelets_device(set, vt, chips[c].arch);
        assert_non_null(device);
        uint32_t base = chips[c].base;
        tw_row rows[2] = { { base + 0x800, 5 }, { base + 0x700, 2 } };
        uint8_t bytes[128], tables[2][8];
        tw__state_value values[9];
        assert_true(device->size <= sizeof bytes);
        fill(values, base, chips[c].high, rows, tables);
        memset(bytes, 0xAA, sizeof bytes);
        if (tw__state_image(arch, vt, device, values, bytes)) fail_msg("%s", tw_error_message());
        /* 4 short span, 2 compressed pointer + 2 padding, 8 span, 4 pointer, 1 + 1 padding, 6 array, 8 span, 8 list,
         * 8 array: alike on both chips */
        assert_int_equal(device->size, 52);
        assert_int_equal(word_at(bytes, 0), 0xFFE00000u | (base + 0x10));
        assert_int_equal(word_at(bytes, 4), (base + 0x40) >> 4); /* and zero padding */
        assert_int_equal(word_at(bytes, 8), chips[c].high);
        assert_int_equal(word_at(bytes, 12), 3);
        assert_int_equal(word_at(bytes, 16), base + 0x104);
        assert_int_equal(word_at(bytes, 20), 0x0102007F);
        assert_int_equal(word_at(bytes, 24), 0x05060304);
        assert_int_equal(word_at(bytes, 28), base + 0x200);
        assert_int_equal(word_at(bytes, 32), 2);
        assert_int_equal(device->fields[7].offset, 36);
        if (chips[c].arch == TW__ARCH_IPU1) {
            assert_int_equal(word_at(bytes, 36), 0x00200000u | 0x40700);
            assert_int_equal(word_at(bytes, 40), 0x300 >> 2);
            assert_int_equal(word_at(tables[1], 0), 0x100 | 5 << 18); /* bytes */
            assert_int_equal(word_at(tables[1], 4), 0 | 2 << 18);
        } else {
            assert_int_equal(word_at(bytes, 36), 0x02000000u | 0x4C700);
            assert_int_equal(word_at(bytes, 40), 0x4C300);
            assert_int_equal(word_at(tables[1], 0), 0x40 | 5 << 19); /* words */
            assert_int_equal(word_at(tables[1], 4), 0 | 2 << 19);
        }
        assert_int_equal(word_at(tables[0], 0), base + 0x800);
        assert_int_equal(word_at(tables[0], 4), base + 0x700);
        assert_int_equal(word_at(bytes, 48), 0x80000001);
        assert_int_equal(bytes[device->size], 0xAA);
        size_t size;
        unsigned align;
        assert_int_equal(tw__state_table_bytes(arch, &vt->fields[7], &device->fields[7], 2, &size, &align), TW_OK);
        assert_int_equal(size, 8);
        assert_int_equal(align, 4);
        /* what does not fit says which field, which limit */
        values[0].count = 2048;
        assert_int_equal(tw__state_image(arch, vt, device, values, bytes), TW_E_OVERFLOW);
        assert_non_null(strstr(tw_error_message(), "field 'a'"));
        assert_non_null(strstr(tw_error_message(), "2,047"));
        values[0].count = 1, values[2].address = base;
        assert_int_equal(tw__state_image(arch, vt, device, values, bytes), TW_E_INDEX);
        assert_non_null(strstr(tw_error_message(), "interleaved"));
        memset(values, 0, sizeof values);
        assert_int_equal(tw__state_image(arch, vt, device, values, bytes), TW_OK);
        for (size_t i = 0; i < device->size; i++) assert_int_equal(bytes[i], 0);
    }
}

static void codelet_vstate_map(void **state)
{
    (void)state;
    g_autofree char *path = g_build_filename(cache_folder, "many.cpp", NULL);
    assert_true(g_file_set_contents(path, source, -1, NULL));
    tw_state_map *map;
    assert_int_equal(tw_status_of(map = tw_state_map_read(path, "mk2", NULL, NULL)), TW_OK);
    assert_int_equal(tw_state_map_count(map), 3);
    const tw_state_vertex *v = tw_state_map_get(map, 0);
    assert_string_equal(v->name, "Many");
    assert_int_equal(v->size, 52);
    uint32_t at = 0; /* fields and holes cover the state without gap or overlap */
    for (size_t i = 0; i < v->field_count; i++) {
        assert_int_equal(v->fields[i].offset, at);
        at += v->fields[i].size;
    }
    assert_int_equal(at, v->size);
    assert_string_equal(v->fields[0].encoding, "pointer [19:0], reserved [20], count [31:21]");
    assert_string_equal(v->fields[1].layout, "SCALED_PTR128");
    assert_string_equal(v->fields[2].name, "(padding)");
    assert_int_equal(v->constraint_count, 1);
    assert_null(tw_state_map_get(map, 3));
    tw_state_map_free(map);
    assert_int_equal(tw_status_of(map = tw_state_map_read(path, "cpu", NULL, NULL)), TW_E_INVALID_ARGUMENT);
    assert_null(map);
}

static void codelet_vstate_3_5_demangle(void **state)
{
    (void)state;
    assert_string_equal(tw__codelets_demangle(set, "__runCodelet_Scale___float")->name, "Scale<float>");
    assert_string_equal(tw__codelets_demangle(set, "__runCodelet_Scale___unsigned_short")->name,
                        "Scale<unsigned short>");
    assert_null(tw__codelets_demangle(set, "__runCodelet_Scale"));
    assert_null(tw__codelets_demangle(set, "Scale<float>"));
}

static void codelet_vstate_structs_of_a_file(void **state)
{
    (void)state;
    static const char text[] =
        "#include <stdint.h>\n"
        "#include <ipudef.h>\n"
        "enum few { ZERO, ONE }; enum signs { MINUS = -1 };\n"
        "struct head { char kind; uint32_t n : 5; enum few f : 1; enum signs s : 2; int : 0;\n"
        "  struct { short x; } in[2]; float4 v; half h; struct head *next; };\n"
        "typedef union { int i; long long ll; } both;\n";
    g_autofree char *path = g_build_filename(cache_folder, "structs.c", NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    tw_abi_structs *read;
    if (tw_status_of(read = tw_abi_structs_read(path, NULL, NULL))) fail_msg("%s", tw_error_message());
    assert_int_equal(tw_abi_structs_count(read), 3);
    const tw_abi_struct *s = tw_abi_structs_get(read, 1);
    assert_string_equal(s->name, "struct head");
    assert_int_equal(s->line, 4);
    static const unsigned offsets[] = { 0, 8, 13, 14, 32, 32, 64, 192, 224 };
    assert_int_equal(s->count, 9);
    for (size_t i = 0; i < 9; i++) assert_int_equal(s->members[i].offset, offsets[i]);
    assert_int_equal(s->record.size, 32);
    assert_int_equal(s->record.align, 8);
    assert_false(s->is_signed[1] || s->is_signed[2]);
    assert_true(s->is_signed[3]);
    assert_string_equal(tw_abi_structs_get(read, 2)->name, "both");
    assert_int_equal(tw_abi_structs_get(read, 2)->record.size, 8);
    tw_abi_structs_free(read);
    assert_true(g_file_set_contents(path, "struct p { char a; int b; } __attribute__((packed));", -1, NULL));
    assert_int_equal(tw_status_of(read = tw_abi_structs_read(path, NULL, NULL)), TW_E_NOT_SUPPORTED);
    assert_true(g_file_set_contents(path, "struct p { char a; undefined b; };", -1, NULL));
    assert_int_equal(tw_status_of(read = tw_abi_structs_read(path, NULL, NULL)), TW_E_COMPILATION);
    assert_non_null(strstr(tw_error_message(), "undefined"));
    assert_int_equal(tw_status_of(read = tw_abi_structs_read("/nowhere.c", NULL, NULL)), TW_E_FILE_LOAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codelet_vstate_3_2_image),
        cmocka_unit_test(codelet_vstate_map),
        cmocka_unit_test(codelet_vstate_3_5_demangle),
        cmocka_unit_test(codelet_vstate_structs_of_a_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
