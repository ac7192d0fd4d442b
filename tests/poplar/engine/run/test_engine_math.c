/* SPDX-License-Identifier: MIT */
/* <tilewright/codelet_math.h>: a codelet gets the bits that docs/vec-math.md promises, those of one element alone. */
#include "core/vec/math.h"
#include "poplar/engine/engine_test.h"

#include <tilewright/codelet_math.h>

enum { MATH_COUNT = 1003 };

#define VERTEX_1(name)                                                                           \
    "TW_VERTEX(M_" #name ") { TW_INPUT(TW_VECTOR(float)) x; TW_OUTPUT(TW_VECTOR(float)) y; };\n" \
    "bool M_" #name "_compute(M_" #name " *v) { tw_map_" #name                                   \
    "(tw_size(v->y), tw_begin(v->y), tw_begin(v->x)); return true; }\n"
#define VERTEX_2(name)                                                                           \
    "TW_VERTEX(M_" #name ") { TW_INPUT(TW_VECTOR(float)) x; TW_OUTPUT(TW_VECTOR(float)) y; };\n" \
    "bool M_" #name "_compute(M_" #name " *v) { tw_map_" #name                                   \
    "(tw_size(v->y), tw_begin(v->y), tw_begin(v->x), tw_begin(v->x)); return true; }\n"
static const char source[] =
    "#include <tilewright/codelet.h>\n#include <tilewright/codelet_math.h>\n" TW_CODELET_MATH_1(VERTEX_1)
        TW_CODELET_MATH_2(VERTEX_2);

static float twice_pow(float x)
{
    return tw__math_pow_f32_1(x, x);
}
static float twice_atan2(float x)
{
    return tw__math_atan2_f32_1(x, x);
}
static float twice_fmod(float x)
{
    return tw__math_fmod_f32_1(x, x);
}
static float twice_hypot(float x)
{
    return tw__math_hypot_f32_1(x, x);
}

static const struct {
    const char *name;
    float (*one)(float x);
} rows[] = {
#define ROW(name) { "M_" #name, tw__math_##name##_f32_1 },
    TW_CODELET_MATH_1(ROW)
#undef ROW
#define ROW(name) { "M_" #name, twice_##name },
        TW_CODELET_MATH_2(ROW)
#undef ROW
};

static void engine_math_bits(void **state)
{
    (void)state;
    static float in[MATH_COUNT], out[MATH_COUNT];
    for (int i = 0; i < MATH_COUNT; i++) in[i] = (float)(i - 300) / 64;
    tw_device *dev = tw_device_cpu();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_graph_add_codelets_source(g, source, "c", NULL, NULL);
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ MATH_COUNT }, "x");
        tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ MATH_COUNT }, "y");
        tw_graph_map(g, x, 0), tw_graph_map(g, y, 0);
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        tw_vertex v = tw_graph_add_vertex(g, cs, rows[k].name, 0);
        tw_graph_connect(g, v, "x", x), tw_graph_connect(g, v, "y", y);
        tw_graph_create_host_write(g, "x", x), tw_graph_create_host_read(g, "y", y);
        tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
        assert_int_equal(tw_engine_load(e, dev), TW_OK);
        tw_engine_write(e, "x", in, sizeof in);
        assert_int_equal(tw_engine_run(e, 0), TW_OK);
        tw_engine_read(e, "y", out, sizeof out);
        for (int i = 0; i < MATH_COUNT; i++) {
            float want = rows[k].one(in[i]);
            if (memcmp(&want, &out[i], sizeof want))
                fail_msg("%s(%g): %g, not %g", rows[k].name, in[i], out[i], want);
        }
        tw_engine_free(e);
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(engine_math_bits) };
    return cmocka_run_group_tests_name("engine_math", tests, NULL, NULL);
}
