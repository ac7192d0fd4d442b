/* SPDX-License-Identifier: MIT */
/* Runs of tests of the libraries: named tensors are written, the program runs once, named tensors are read. */
#ifndef TW_LIBS_RUN_H
#define TW_LIBS_RUN_H

#include "poplar/libs/libs_test.h"

enum { IO_MOST = 20 };
typedef struct io {
    tw_tensor tensor;
    void *data; /* of the host */
    bool out;
} io;

static inline size_t io_bytes(tw_graph *g, tw_tensor t)
{
    return (size_t)tw_tensor_elements(g, t) * tw_type_size(tw_tensor_type(g, t));
}

/* Half is 2 bytes on the devices of these tests. `then` (NULL: nothing) sees the engine after the run. */
static inline void run_then(tw_graph *g, tw_device *dev, tw_program p, size_t count, const io *list,
                            void (*then)(tw_engine *e, void *user), void *user)
{
    char name[IO_MOST][24]; /* "io" and any number */
    for (size_t i = 0; i < count; i++) {
        snprintf(name[i], sizeof name[i], "io%zu", i);
        if (list[i].out)
            tw_graph_create_host_read(g, name[i], list[i].tensor);
        else
            tw_graph_create_host_write(g, name[i], list[i].tensor);
    }
    tw_engine *e = tw_engine_new(g, p, NULL);
    if (tw_engine_load(e, dev) != TW_OK) {
        tw_engine_report_error(stderr, e);
        fail_msg("the engine was not made");
    }
    for (size_t i = 0; i < count; i++)
        if (!list[i].out && tw_engine_write(e, name[i], list[i].data, io_bytes(g, list[i].tensor)) != TW_OK)
            fail_msg("%s", tw_error_message());
    if (tw_engine_run(e, 0) != TW_OK) fail_msg("%s", tw_error_message());
    for (size_t i = 0; i < count; i++)
        if (list[i].out && tw_engine_read(e, name[i], list[i].data, io_bytes(g, list[i].tensor)) != TW_OK)
            fail_msg("%s", tw_error_message());
    if (then) then(e, user);
    tw_engine_free(e);
}
static inline void run_once(tw_graph *g, tw_device *dev, tw_program p, size_t count, const io *list)
{
    run_then(g, dev, p, count, list, NULL, NULL);
}

/* One of four ways to lay elements out: linearly, on one tile, in pieces of random length, one by one. */
enum { MAPPINGS = 4 };
static inline void map_somehow(tw_graph *g, tw_tensor t, int way, lcg *r)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(g));
    uint64_t n = tw_tensor_elements(g, t);
    if (way == 0) tw_poputil_map_linearly(g, t);
    if (way == 1) tw_graph_map(g, t, tiles - 1);
    for (uint64_t at = 0; way > 1 && at < n;) {
        uint64_t length = way == 2 ? 1 + draw(r, 37) : 1;
        if (length > n - at) length = n - at;
        tw_graph_map_range(g, t, at, length, way == 2 ? draw(r, tiles) : (unsigned)(at % tiles));
        at += length;
    }
}

#endif
