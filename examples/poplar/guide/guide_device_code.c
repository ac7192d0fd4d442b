/* SPDX-License-Identifier: MIT */
/* Section 2.8 and chapter 3 of the guide: what device code can rely on.
 *
 * prints: __POPC__ 1, __IPU__ 0, from the options 5
 * prints: recursion and function pointers: 110
 * prints: short vectors: 14 28 42 56, structure: -6 8
 * prints: workers: 600 601 602 603 604 605
 * prints: half: 2 bytes on the model, 4 on the CPU, 2 with accurateHalf; 1.5 each time
 */
#include "check.h"

static tw_graph *new_graph(const tw_device *dev)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "guide_device_codelets.cpp", "-O3 -DFROM_OPTIONS=5");
    return g;
}

/* A field's data on tile 0, under its own name for the host. */
static tw_tensor field(tw_graph *g, tw_vertex v, const char *name, tw_type type, unsigned rank, size_t size)
{
    tw_tensor t = tw_graph_add_variable(g, type, rank, &size, name);
    tw_graph_map(g, t, 0);
    tw_graph_connect(g, v, name, t);
    tw_graph_create_host_access(g, name, t);
    return t;
}

static tw_engine *load(tw_graph *g, tw_compute_set cs, tw_device *dev)
{
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    CHECK_ENGINE(e, tw_engine_load(e, dev));
    return e;
}

static void macros_and_functions(tw_device *dev)
{
    tw_graph *g = new_graph(dev);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    field(g, tw_graph_add_vertex(g, cs, "Macros", 0), "found", TW_INT, 1, 3);
    field(g, tw_graph_add_vertex(g, cs, "Recursion", 0), "value", TW_INT, 0, 0);
    field(g, tw_graph_add_vertex(g, cs, "Workers", 0), "id", TW_UNSIGNED_INT, 1,
          tw_target_worker_contexts(tw_graph_target(g)));
    tw_engine *e = load(g, cs, dev);
    int32_t found[3], value = 10;
    uint32_t id[6];
    CHECK_ENGINE(e, tw_engine_write(e, "value", &value, sizeof value));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK_ENGINE(e, tw_engine_read(e, "found", found, sizeof found));
    CHECK_ENGINE(e, tw_engine_read(e, "value", &value, sizeof value));
    CHECK_ENGINE(e, tw_engine_read(e, "id", id, sizeof id));
    printf("__POPC__ %d, __IPU__ %d, from the options %d\n", found[0], found[1], found[2]);
    printf("recursion and function pointers: %d\n", value);
    tw_engine_free(e);
    tw_graph_free(g);

    g = new_graph(dev);
    cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v = tw_graph_add_vertex(g, cs, "ShortVectors", 0);
    static const float weight[4] = { 1, 2, 3, 4 };
    static const int16_t range[2] = { -3, 4 };
    field(g, v, "in", TW_FLOAT, 1, 12);
    field(g, v, "sums", TW_FLOAT, 1, 6);
    tw_graph_set_field_values(g, v, "weight", TW_FLOAT, 4, weight);
    tw_graph_set_field_values(g, v, "range", TW_U8, sizeof range, range); /* a structure as its bytes */
    e = load(g, cs, dev);
    float in[12], sums[6];
    for (int i = 0; i < 12; i++) in[i] = 4;
    CHECK_ENGINE(e, tw_engine_write(e, "in", in, sizeof in));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK_ENGINE(e, tw_engine_read(e, "sums", sums, sizeof sums));
    printf("short vectors: %g %g %g %g, structure: %g %g\n", sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
    printf("workers: %u %u %u %u %u %u\n", id[0], id[1], id[2], id[3], id[4], id[5]);
    tw_engine_free(e);
    tw_graph_free(g);
}

static unsigned size_of_half(tw_device *dev)
{
    static const uint16_t in[3] = { 0x3800, 0x3400,
                                    0x3a00 }; /* 0.5, 0.25, 0.75: IEEE halves on the host, whatever the target */
    uint32_t size = 0;
    float sum = 0;
    tw_graph *g = new_graph(dev);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v = tw_graph_add_vertex(g, cs, "HalfSize", 0);
    field(g, v, "in", TW_HALF, 1, 3);
    field(g, v, "size", TW_UNSIGNED_INT, 0, 0);
    field(g, v, "sum", TW_FLOAT, 0, 0);
    tw_engine *e = load(g, cs, dev);
    CHECK_ENGINE(e, tw_engine_write(e, "in", in, sizeof in));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK_ENGINE(e, tw_engine_read(e, "size", &size, sizeof size));
    CHECK_ENGINE(e, tw_engine_read(e, "sum", &sum, sizeof sum));
    CHECK(sum == 1.5f);
    tw_engine_free(e);
    tw_graph_free(g);
    return size;
}

int main(void)
{
    tw_device *model = tw_device_ipu_model(TW_MK2, 1), *cpu = tw_device_cpu(),
              *accurate = tw_device_cpu_accurate_half();
    macros_and_functions(model);
    printf("half: %u bytes on the model, %u on the CPU, %u with accurateHalf; 1.5 each time\n", size_of_half(model),
           size_of_half(cpu), size_of_half(accurate));
    /* 3.3.1: workers of a MultiVertex may not share one unit of memory of this size. */
    CHECK(tw_target_atomic_store_granularity(tw_device_target(model)) >= 1);
    tw_device_free(accurate);
    tw_device_free(cpu);
    tw_device_free(model);
    return 0;
}
