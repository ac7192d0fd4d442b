/* SPDX-License-Identifier: MIT */
/* Addresses through the public calls: what lies where on a tile, and the words of a vertex's state (guide 3.2, 4.2.2,
 * 7.2.2, 8.2.3). */
#include "poplar/engine/engine_test.h"

#include <tilewright/tile/layout.h>

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Mixed : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float, VectorLayout::SHORT_SPAN, 8>> in;\n"
    "    Output<Vector<float, VectorLayout::SCALED_PTR64, 8, true>> out;\n"
    "    unsigned short n;\n"
    "    Input<float> scale;\n"
    "    bool compute() { for (unsigned i = 0; i < n; i++) out[i] = in[i] * scale; return true; }\n"
    "};\n";

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_engine *e;
    tw_tensor in, out, scale;
    tw_vertex v;
} fixture;

/* Mk1, where every layout exists; all on tile 3. `device` NULL: the CPU. */
static fixture make(bool cpu)
{
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK1, .tiles_per_ipu = 4 };
    fixture f = { .device = cpu ? tw_device_cpu() : tw_device_ipu_model_with(&model) };
    unsigned tile = cpu ? 0 : 3;
    f.g = tw_graph_new(tw_device_target(f.device));
    tw_graph_add_codelets_source(f.g, codelets, "c++", "address.cpp", NULL);
    f.in = tw_graph_add_variable(f.g, TW_FLOAT, SHAPE(4, 5), "in");
    f.out = tw_graph_add_variable(f.g, TW_FLOAT, SHAPE(6), "out");
    f.scale = tw_graph_add_variable(f.g, TW_FLOAT, 0, NULL, "scale");
    tw_graph_map(f.g, f.in, tile), tw_graph_map(f.g, f.out, tile), tw_graph_map(f.g, f.scale, tile);
    tw_compute_set cs = tw_graph_add_compute_set(f.g, "cs");
    f.v = tw_graph_add_vertex(f.g, cs, "Mixed", tile);
    tw_graph_connect(f.g, f.v, "in", tw_tensor_slice(f.g, tw_tensor_flatten(f.g, f.in), 0, 2, 8));
    tw_graph_connect(f.g, f.v, "out", f.out);
    tw_graph_connect(f.g, f.v, "scale", f.scale);
    tw_graph_set_field_values(f.g, f.v, "n", TW_UNSIGNED_SHORT, 1, (uint16_t[]){ 6 });
    f.e = tw_engine_new(f.g, tw_program_execute(f.g, cs), NULL);
    test_ok(tw_engine_load(f.e, f.device));
    return f;
}

static void drop(fixture *f)
{
    tw_engine_free(f->e), tw_graph_free(f->g), tw_device_free(f->device);
}

/* Field by field: SHORT_SPAN at 0, SCALED_PTR64 at 4, n at 6, pointer at 8. */
static void engine_address_3_2_state(void **state)
{
    (void)state;
    fixture f = make(false);
    const tw_tile_arch *mk1 = tw_tile_arch_by_name("mk1");
    unsigned tile = 0;
    uint64_t at, in, out, scale;
    uint8_t bytes[12];
    size_t size = sizeof bytes;
    test_ok(tw_engine_vertex_state(f.e, f.v, &tile, &at, bytes, &size));
    assert_int_equal(size, 12);
    assert_int_equal(tile, 3);
    assert_true(at >= 0x40000 && at + size <= 0x80000 && at % 4 == 0);
    test_ok(tw_engine_address(f.e, f.in, 2, &tile, &in)); /* in[0][2], the first that is connected */
    assert_int_equal(tile, 3);
    test_ok(tw_engine_address(f.e, f.out, 0, &tile, &out));
    test_ok(tw_engine_address(f.e, f.scale, 0, &tile, &scale));
    assert_true(out >= 0x60000 && out % 8 == 0); /* interleaved: region 1 (guide 4.1.4, 7.2.2) */
    assert_true(in % 8 == 0);
    uint32_t words[2] = { 0 }, address, count;
    tw_vector_form form = { TW_LAYOUT_SHORT_SPAN, 4, 8, false };
    memcpy(words, bytes, 4);
    test_ok(tw_vector_decode(mk1, &form, words, &address, &count));
    assert_int_equal(address, in);
    assert_int_equal(count, 6);
    form.layout = TW_LAYOUT_SCALED_PTR64, words[0] = (uint32_t)(bytes[4] | bytes[5] << 8);
    test_ok(tw_vector_decode(mk1, &form, words, &address, &count));
    assert_int_equal(address, out);
    assert_int_equal(bytes[6] | bytes[7] << 8, 6);
    memcpy(words, bytes + 8, 4);
    assert_int_equal(words[0], scale);
    uint64_t next;
    test_ok(tw_engine_address(f.e, f.in, 19, &tile, &next)); /* row-major over all of the tensor */
    assert_int_equal(next - in, 17 * 4);
    size = 0;
    test_ok(tw_engine_vertex_state(f.e, f.v, &tile, &at, NULL, &size));
    assert_int_equal(size, 12);
    drop(&f);
}

typedef struct seen {
    uint64_t sums[TW_STORAGE_COUNT], end, last;
    unsigned count;
    bool named, stop;
} seen;

static bool look(void *user, const tw_placed_object *object)
{
    seen *s = user;
    assert_true(object->address >= s->last && object->bytes > 0 && object->address % object->align == 0);
    assert_true(object->overlapped || object->address >= s->end);
    assert_true(!object->overflowed);
    s->last = object->address;
    if (object->address + object->bytes > s->end) s->end = object->address + object->bytes;
    s->sums[object->storage] += object->bytes;
    s->named |= strcmp(object->name, "scale") == 0 && object->storage == TW_STORAGE_VARIABLE && object->bytes == 4;
    s->count++;
    return !s->stop;
}

/* Everything on a tile, once, in the order of addresses; together they are the report's categories. */
static void engine_address_8_2_3_objects(void **state)
{
    (void)state;
    fixture f = make(false);
    uint64_t sums[TW_STORAGE_COUNT] = { 0 };
    for (unsigned tile = 0; tile < 4; tile++) {
        seen s = { .last = 0 };
        test_ok(tw_engine_each_object(f.e, tile, look, &s));
        assert_int_equal(s.named, tile == 3);
        for (unsigned k = 0; k < TW_STORAGE_COUNT; k++) sums[k] += s.sums[k];
    }
    tw_fidelity fidelity;
    for (unsigned k = 0; k < TW_STORAGE_COUNT; k++)
        assert_int_equal(sums[k],
                         tw_profile_memory(tw_engine_profile(f.e), tw_storage_key((tw_storage)k), &fidelity));
    assert_int_equal(sums[TW_STORAGE_VARIABLE], (20 + 6 + 1) * 4);
    assert_int_equal(sums[TW_STORAGE_VERTEX_STATE], 12);
    seen one = { .stop = true };
    test_ok(tw_engine_each_object(f.e, 3, look, &one));
    assert_int_equal(one.count, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    test_ok(tw_engine_print_tile(f.e, 3, out));
    fclose(out);
    const char *parts[] = { "Tile 3: ", " of 262,144 bytes used", "interleaved", "Variables: out",
                            "Vertex Instances" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i])) fail_msg("'%s' is not in:\n%s", parts[i], text);
    free(text);
    drop(&f);
}

static void engine_address_errors(void **state)
{
    (void)state;
    fixture f = make(false);
    unsigned tile;
    uint64_t at;
    size_t size = 11;
    uint8_t bytes[12];
    seen s = { .last = 0 };
    assert_int_equal(tw_engine_each_object(f.e, 4, look, &s), TW_E_INDEX);
    assert_int_equal(tw_engine_print_tile(f.e, 4, stderr), TW_E_INDEX);
    assert_int_equal(tw_engine_address(f.e, f.in, 20, &tile, &at), TW_E_INDEX);
    assert_int_equal(tw_engine_address(f.e, (tw_tensor){ 0 }, 0, &tile, &at), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_engine_vertex_state(f.e, f.v, &tile, &at, bytes, &size), TW_E_INVALID_ARGUMENT);
    assert_int_equal(size, 12); /* says what it takes */
    assert_int_equal(tw_engine_vertex_state(f.e, (tw_vertex){ 99 }, &tile, &at, NULL, &size), TW_E_INDEX);
    assert_int_equal(tw_engine_each_object(NULL, 0, look, &s), TW_E_INVALID_ARGUMENT);
    drop(&f);
    f = make(true);
    assert_int_equal(tw_engine_each_object(f.e, 0, look, &s), TW_E_PROFILING_DISABLED);
    assert_int_equal(tw_engine_address(f.e, f.in, 0, &tile, &at), TW_E_PROFILING_DISABLED);
    assert_int_equal(tw_engine_vertex_state(f.e, f.v, &tile, &at, NULL, &size), TW_E_PROFILING_DISABLED);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(engine_address_3_2_state),
                                        cmocka_unit_test(engine_address_8_2_3_objects),
                                        cmocka_unit_test(engine_address_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
