/* SPDX-License-Identifier: MIT */
/* Initial values that depend on addresses: Poplar API, LateInitCallback.hpp. The addresses are those that
 * tw_engine_address() tells (docs/poplar-memory.md). */
#include "../engine_test.h"

#define BASE 0x4c000u /* of the memory of a Mk2 tile: Poplar API, TileConstants */

static const char codelet[] =
    "#include <poplar/Vertex.hpp>\n"
    "class Late : public poplar::Vertex {\n"
    "public:\n"
    "  poplar::Input<poplar::Vector<float>> in;\n"
    "  poplar::Vector<poplar::Input<poplar::Vector<float>>> rows;\n"
    "  unsigned at; unsigned char small; float real;\n"
    "  poplar::Output<poplar::Vector<unsigned>> out;\n"
    "  bool compute() { out[0] = at; out[1] = small; out[2] = (unsigned)(real * 2); return true; }\n"
    "};\n";

typedef struct asked {
    unsigned times, dropped;
    size_t edges;
    tw_edge_place places[8];
    tw_field_number answer;
    bool refuse, offset; /* of `in` */
} asked;

static bool answer(const tw_edge_place *edges, size_t count, tw_field_number *value, void *user)
{
    asked *a = user;
    a->times++, a->edges = count;
    for (size_t i = 0; i < count && i < 8; i++) a->places[i] = edges[i];
    *value = a->answer;
    if (a->offset) *value = (tw_field_number){ .is_integer = true, .integer = (int64_t)edges[0].offset };
    return !a->refuse;
}
static void dropped(void *user)
{
    ((asked *)user)->dropped++;
}

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_tensor in, rows[2], out;
    tw_vertex v;
    tw_program p;
} fixture;

static fixture make(test_device kind)
{
    fixture f = { .device = test_device_new(kind) };
    f.g = test_graph_new(f.device);
    tw_graph_add_codelets_source(f.g, codelet, "c++", "late.cpp", "-O1");
    f.in = tw_graph_add_variable(f.g, TW_FLOAT, SHAPE(6), "in");
    f.rows[0] = tw_graph_add_variable(f.g, TW_FLOAT, SHAPE(3), "row 0");
    f.rows[1] = tw_graph_add_variable(f.g, TW_FLOAT, SHAPE(5), "row 1");
    f.out = tw_graph_add_variable(f.g, TW_UNSIGNED_INT, SHAPE(3), "out");
    tw_compute_set cs = tw_graph_add_compute_set(f.g, "late");
    unsigned tile = kind == CPU ? 0 : 3;
    f.v = tw_graph_add_vertex(f.g, cs, "Late", tile);
    for (int i = 0; i < 4; i++) tw_graph_map(f.g, (tw_tensor[]){ f.in, f.rows[0], f.rows[1], f.out }[i], tile);
    tw_graph_connect(f.g, f.v, "in", tw_tensor_slice(f.g, f.in, 0, 2, 6));
    tw_graph_connect_list(f.g, f.v, "rows", 2, f.rows);
    tw_graph_connect(f.g, f.v, "out", f.out);
    tw_graph_set_field(f.g, f.v, "at", 1), tw_graph_set_field(f.g, f.v, "small", 2);
    tw_graph_set_field(f.g, f.v, "real", 3);
    tw_graph_set_perf_estimate(f.g, f.v, 10, 0);
    tw_graph_create_host_read(f.g, "out", f.out);
    f.p = tw_program_execute(f.g, cs);
    return f;
}

static void drop(fixture *f)
{
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static void read_out(tw_engine *e, uint32_t out[3])
{
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "out", out, 3 * sizeof *out));
}

static void expect_place(tw_engine *e, const tw_edge_place *place, const char *field, size_t index, tw_tensor t,
                         uint64_t first, uint64_t bytes)
{
    unsigned tile;
    uint64_t address;
    test_ok(tw_engine_address(e, t, first, &tile, &address));
    assert_string_equal(place->field, field);
    assert_int_equal(place->index, index);
    assert_int_equal(tile, 3);
    assert_int_equal(place->offset, address - BASE);
    assert_int_equal(place->bytes, bytes);
}

static void places(void **state)
{
    (void)state;
    for (test_device kind = MODEL; kind <= SIM; kind++) {
        fixture f = make(kind);
        asked a = { .offset = true };
        assert_true(tw_graph_set_field_late(f.g, f.v, "at", answer, &a, dropped));
        assert_int_equal(a.times, 0);
        tw_engine *e = test_engine_new(f.g, f.device, f.p, NULL);
        assert_int_equal(a.times, 1); /* when the engine is made, once */
        assert_int_equal(a.edges, 4);
        expect_place(e, &a.places[0], "in", 0, f.in, 2, 4 * 4);
        expect_place(e, &a.places[1], "rows", 0, f.rows[0], 0, 3 * 4);
        expect_place(e, &a.places[2], "rows", 1, f.rows[1], 0, 5 * 4);
        expect_place(e, &a.places[3], "out", 0, f.out, 0, 3 * 4);
        uint32_t out[3];
        read_out(e, out);
        assert_int_equal(out[0], a.places[0].offset);
        assert_int_equal(out[1], 2);
        assert_int_equal(out[2], 6);
        /* Another engine asks again. */
        a.offset = false, a.answer = (tw_field_number){ .is_integer = true, .integer = 4000000000 };
        tw_engine *second = test_engine_new(f.g, f.device, f.p, NULL);
        assert_int_equal(a.times, 2);
        read_out(second, out);
        assert_int_equal(out[0], 4000000000u);
        /* The first one keeps what it got. */
        read_out(e, out);
        assert_int_equal(out[0], a.places[0].offset);
        tw_engine_free(second);
        tw_engine_free(e);
        assert_int_equal(a.dropped, 0);
        drop(&f);
        assert_int_equal(a.dropped, 1);
    }
}

static void several_fields(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    asked small = { .answer = { .is_integer = true, .integer = 255 } }, real = { .answer = { .real = 2.5 } },
          never = { 0 };
    tw_graph_set_field_late(f.g, f.v, "small", answer, &small, dropped);
    tw_graph_set_field_late(f.g, f.v, "real", answer, &real, dropped);
    tw_graph_set_field_late(f.g, f.v, "at", answer, &never, dropped);
    tw_graph_set_field(f.g, f.v, "at", 77); /* the later one counts */
    assert_int_equal(never.dropped, 1);
    tw_engine *e = test_engine_new(f.g, f.device, f.p, NULL);
    uint32_t out[3];
    read_out(e, out);
    assert_int_equal(never.times, 0);
    assert_int_equal(out[0], 77);
    assert_int_equal(out[1], 255);
    assert_int_equal(out[2], 5);
    tw_engine_free(e);
    drop(&f);
}

static void in_executables(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    asked a = { .offset = true };
    tw_graph_set_field_late(f.g, f.v, "at", answer, &a, NULL);
    tw_engine *e = test_engine_new(f.g, f.device, f.p, NULL);
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    test_ok(tw_engine_serialize(e, file));
    fclose(file);
    tw_engine *again = tw_engine_deserialize(bytes, size, NULL);
    assert_non_null(again);
    test_ok(tw_engine_load(again, f.device));
    uint32_t out[3];
    read_out(again, out);
    assert_int_equal(out[0], a.places[0].offset);
    assert_int_equal(a.times, 1);
    tw_engine_free(again);
    tw_engine_free(e);
    free(bytes);
    drop(&f);
}

static void replicas(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_graph *each = tw_graph_replicated(f.g, 2); /* 8 tiles each */
    tw_tensor in = test_variable(each, TW_FLOAT, SHAPE(2), "x"),
              out = test_variable(each, TW_UNSIGNED_INT, SHAPE(3), "y");
    tw_compute_set cs = tw_graph_add_compute_set(each, "each");
    tw_vertex v = tw_graph_add_vertex(each, cs, "Late", 5);
    tw_graph_map(each, in, 5), tw_graph_map(each, out, 5);
    tw_graph_connect(each, v, "in", in), tw_graph_connect(each, v, "out", out);
    tw_graph_connect_list(each, v, "rows", 1, &in);
    tw_graph_set_field(each, v, "small", 0), tw_graph_set_field(each, v, "real", 0);
    tw_graph_set_perf_estimate(each, v, 10, 0);
    asked a = { .answer = { .is_integer = true, .integer = 9 } };
    assert_true(tw_graph_set_field_late(each, v, "at", answer, &a, dropped));
    tw_engine *e = test_engine_new(f.g, f.device, tw_program_execute(each, cs), NULL);
    assert_int_equal(a.times, 2); /* each replica has a vertex */
    uint32_t got[6];
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "y", got, sizeof got));
    assert_int_equal(got[0], 9);
    assert_int_equal(got[3], 9);
    tw_engine_free(e);
    tw_graph_free(each);
    drop(&f);
    assert_int_equal(a.dropped, 1);
}

static void expect_engine_error(fixture *f, tw_status status, const char *words)
{
    tw_engine *e = tw_engine_new(f->g, f->p, NULL);
    const tw_error *error = tw_engine_error(e);
    if (error->status != status || !strstr(error->message, words))
        fail_msg("%d: %s", error->status, error->message);
    tw_engine_free(e);
    assert_int_equal(tw_graph_status(f->g), TW_OK); /* the graph can be used on */
}

static void refused(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    asked a = { .answer = { .is_integer = true, .integer = 256 } };
    static const struct {
        const char *field, *words;
        tw_status status;
    } rows[] = { { "in", "is an edge", TW_E_CONNECTION }, { "nothing", "unknown field", TW_E_UNKNOWN_FIELD } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_error error;
        assert_false(tw_graph_set_field_late(f.g, f.v, rows[i].field, answer, &a, dropped));
        assert_true(tw_graph_take_error(f.g, &error));
        assert_int_equal(error.status, rows[i].status);
        assert_non_null(strstr(error.message, rows[i].words));
    }
    assert_int_equal(a.dropped, 0);
    tw_graph_set_field_late(f.g, f.v, "small", answer, &a, dropped);
    expect_engine_error(&f, TW_E_OVERFLOW, "'small'");
    a.refuse = true;
    expect_engine_error(&f, TW_E_ERROR, "the callback for field 'small' of a vertex of type 'Late' on tile 3");
    drop(&f);
    f = make(CPU);
    asked b = { 0 };
    tw_graph_set_field_late(f.g, f.v, "at", answer, &b, dropped);
    expect_engine_error(&f, TW_E_NOT_SUPPORTED, "CPU");
    drop(&f);
    assert_int_equal(b.dropped, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),   cmocka_unit_test(several_fields), cmocka_unit_test(in_executables),
        cmocka_unit_test(replicas), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
