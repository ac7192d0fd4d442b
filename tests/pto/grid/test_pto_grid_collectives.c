/* SPDX-License-Identifier: MIT */
/* Transfers, signals and collectives between simulated devices, against plain loops; every rule; deadlocks. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>

/* A strided tensor of rank 5 whose elements have known places, in memory of `room` elements. */
typedef struct world {
    size_t shape[5];
    uint32_t rows, cols; /* of the staging tiles */
    bool two;
    unsigned count;
    int op;
    float memory[4][4096], out[4][4096], all[4 * 4096];
} world;

static tw_pto_tensor strided(float *memory, const size_t shape[5], size_t gap)
{
    tw_pto_tensor g = { .data = memory, .type = TW_F32, .layout = TW_PTO_ND };
    size_t stride = 1;
    for (int d = 4; d >= 0; d--) {
        g.shape[d] = shape[d];
        g.stride[d] = (ptrdiff_t)stride;
        stride *= shape[d] + (d == 4 ? gap : 0);
    }
    return g;
}

static float *at(const tw_pto_tensor *g, size_t index)
{
    ptrdiff_t offset = 0;
    for (int d = 4; d >= 0; d--) {
        offset += (ptrdiff_t)(index % g->shape[d]) * g->stride[d];
        index /= g->shape[d];
    }
    return (float *)g->data + offset;
}

static size_t elements(const tw_pto_tensor *g)
{
    return g->shape[0] * g->shape[1] * g->shape[2] * g->shape[3] * g->shape[4];
}

static void fill(world *w)
{
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 4096; i++) {
            w->memory[d][i] = (float)(d * 10000 + i);
            w->out[d][i] = -1;
        }
    for (int i = 0; i < 4 * 4096; i++) w->all[i] = -2;
}

static const struct {
    size_t shape[5];
    uint32_t rows, cols;
} shapes[] = {
    { { 1, 1, 1, 8, 16 }, 8, 16 }, { { 1, 1, 1, 8, 16 }, 3, 8 },  { { 2, 1, 3, 5, 17 }, 2, 8 },
    { { 1, 1, 1, 1, 33 }, 1, 8 },  { { 1, 2, 1, 7, 1 }, 16, 16 }, { { 3, 2, 2, 2, 9 }, 1, 16 },
    { { 1, 1, 1, 0, 16 }, 4, 16 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Device 0 puts, gets; the copy covers exactly the tensor. */
static tw_status copy_kernel(tw_pto *core, void *user)
{
    world *w = user;
    if (tw_pto_identity_of(core).device != 0) return TW_OK;
    tw_pto_tile a = vec_tile(TW_F32, w->rows, w->cols), b = a;
    tw_pto_tensor src = strided(w->memory[0], w->shape, 3), dst = strided(w->out[1], w->shape, 5);
    return w->op ? tw_pto_put(core, &dst, &src, &a, w->two ? &b : NULL)
                 : tw_pto_get(core, &dst, &src, &a, w->two ? &b : NULL);
}

static void pto_comm_copy(void **state)
{
    static world w;
    (void)state;
    for (int target = TW_PTO_CPU; target <= TW_PTO_A5; target++)
        for (int k = 0; k < SHAPES * 4; k++) {
            fill(&w);
            memcpy(w.shape, shapes[k / 4].shape, sizeof w.shape);
            w.rows = shapes[k / 4].rows;
            w.cols = shapes[k / 4].cols;
            w.two = k & 1;
            w.op = k >> 1 & 1;
            tw_pto_grid *g = tw_pto_grid_new(
                &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = (tw_pto_target)target, .devices = 2 });
            OK(tw_pto_grid_run(g, copy_kernel, &w));
            tw_pto_grid_free(g);
            tw_pto_tensor src = strided(w.memory[0], w.shape, 3), dst = strided(w.out[1], w.shape, 5);
            size_t written = 0;
            for (size_t i = 0; i < elements(&dst); i++) assert_true(*at(&dst, i) == *at(&src, i));
            for (int i = 0; i < 4096; i++) written += w.out[1][i] != -1;
            assert_int_equal(written, elements(&dst));
        }
}

/* Atomic: what is there already is added to. */
static void pto_comm_atomic(void **state)
{
    static world w;
    tw_pto_attrs add = { .atomic = 1 };
    (void)state;
    fill(&w);
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tensor src = strided(w.memory[1], (size_t[]){ 1, 1, 1, 4, 16 }, 0),
                  dst = strided(w.out[1], (size_t[]){ 1, 1, 1, 4, 16 }, 0);
    tw_pto_tile t = vec_tile(TW_F32, 2, 16);
    OK(CALL(core, "tput", &add, TENSOR(&dst), TENSOR(&src), TILE(&t)));
    OK(CALL(core, "tput", &add, TENSOR(&dst), TENSOR(&src), TILE(&t)));
    assert_true(w.out[1][37] == 2 * 10037 - 1);
    add.atomic = 2;
    REFUSED(CALL(core, "tput", &add, TENSOR(&dst), TENSOR(&src), TILE(&t)), "TPUT", "store.atomic");
    tw_pto_free(core);
}

/* --- collectives ------------------------------------------------------------------------------------------------ */

enum { BROADCAST, GATHER, SCATTER, SUM, MAX, MIN, OPS };

static tw_status collective(tw_pto *core, void *user)
{
    world *w = user;
    tw_pto_tensor each[4], own;
    tw_pto_group group = { each, w->count, w->count - 1 };
    size_t shape[5];
    tw_pto_tile a = vec_tile(TW_F32, w->rows, w->cols), b = a;
    if (tw_pto_identity_of(core).device != group.root) return TW_OK;
    bool out = w->op == BROADCAST || w->op == SCATTER;
    for (unsigned r = 0; r < w->count; r++) each[r] = strided(out ? w->out[r] : w->memory[r], w->shape, r);
    memcpy(shape, w->shape, sizeof shape);
    if (w->op == GATHER || w->op == SCATTER) shape[3] *= w->count;
    own = strided(w->op == BROADCAST || w->op == SCATTER ? w->memory[0] : w->all, shape, 2);
    switch (w->op) {
    case BROADCAST: return tw_pto_broadcast(core, &group, &own, &a, w->two ? &b : NULL);
    case GATHER: return tw_pto_gather(core, &group, &own, &a, w->two ? &b : NULL);
    case SCATTER: return tw_pto_scatter(core, &group, &own, &a, w->two ? &b : NULL);
    default: return tw_pto_reduce_to(core, &group, &own, &a, &b, (tw_pto_reduce)(w->op - SUM));
    }
}

static float wanted(const world *w, unsigned rank, size_t i)
{
    float value = 0;
    for (unsigned r = 0; r < w->count; r++) {
        tw_pto_tensor g = strided((float *)w->memory[r], w->shape, r);
        float x = *at(&g, i);
        if (w->op == SUM) value += x;
        if (w->op == MAX) value = r == 0 || x > value ? x : value;
        if (w->op == MIN) value = r == 0 || x < value ? x : value;
        if (w->op == GATHER && r == rank) value = x;
    }
    return value;
}

/* Element i of a rank's tensor in the root's, where the ranks lie one behind the other along dimension 3. */
static size_t place_in_root(const world *w, unsigned rank, size_t i)
{
    size_t row = w->shape[3] * w->shape[4], outer = i / row;
    return (outer * w->count + rank) * row + i % row;
}

static void check_collective(world *w)
{
    size_t n = w->shape[0] * w->shape[1] * w->shape[2] * w->shape[3] * w->shape[4], shape[5];
    memcpy(shape, w->shape, sizeof shape);
    if (w->op == GATHER || w->op == SCATTER) shape[3] *= w->count;
    bool out = w->op == BROADCAST || w->op == SCATTER;
    tw_pto_tensor own = strided(out ? w->memory[0] : w->all, shape, 2);
    for (unsigned r = 0; r < (w->op < SUM ? w->count : 1); r++) {
        tw_pto_tensor each = strided(w->out[r], w->shape, r);
        for (size_t i = 0; i < n; i++) {
            size_t place = w->op == GATHER || w->op == SCATTER ? place_in_root(w, r, i) : i;
            float got = out ? *at(&each, i) : *at(&own, place);
            float want = out ? *at(&own, place) : wanted(w, r, i);
            if (got != want) fail_msg("op %d rank %u element %zu: %g instead of %g", w->op, r, i, got, want);
        }
    }
}

static void pto_comm_collectives(void **state)
{
    static world w;
    (void)state;
    for (int op = 0; op < OPS; op++)
        for (int k = 0; k < SHAPES; k++)
            for (unsigned count = 1; count <= 4; count++)
                for (int two = 0; two <= 1; two++) {
                    fill(&w);
                    memcpy(w.shape, shapes[k].shape, sizeof w.shape);
                    w.rows = shapes[k].rows;
                    w.cols = shapes[k].cols;
                    w.count = count;
                    w.two = two;
                    w.op = op;
                    tw_pto_grid *g = tw_pto_grid_new(
                        &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .devices = 4 });
                    OK(tw_pto_grid_run(g, collective, &w));
                    tw_pto_grid_free(g);
                    check_collective(&w);
                }
}

/* --- signals ---------------------------------------------------------------------------------------------------- */

typedef struct ring {
    int32_t signal[4][16];
    float data[4][64];
    bool poll;
} ring;

static tw_pto_tensor signal_of(ring *r, unsigned device)
{
    return tw_pto_tensor_of(r->signal[device], TW_I32, 1, 1, TW_PTO_ND);
}

/* Data goes round all devices, each adds 1; device 0 begins and ends. */
static tw_status go_round(tw_pto *core, void *user)
{
    ring *r = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    unsigned next = (me.device + 1) % me.devices;
    tw_pto_tensor mine = signal_of(r, me.device), theirs = signal_of(r, next),
                  data = tw_pto_tensor_of(r->data[me.device], TW_F32, 4, 16, TW_PTO_ND),
                  remote = tw_pto_tensor_of(r->data[next], TW_F32, 4, 16, TW_PTO_ND);
    tw_pto_tile t = vec_tile(TW_F32, 4, 16), staging = vec_tile(TW_F32, 2, 16);
    for (int32_t lap = 1; lap <= 3; lap++) {
        bool all = false;
        if (me.device || lap > 1) {
            while (r->poll && !all) OK(tw_pto_test_signal(core, &mine, lap - !me.device, TW_PTO_CMP_GE, &all));
            OK(tw_pto_wait_signal(core, &mine, lap - !me.device, TW_PTO_CMP_EQ));
        }
        OK(tw_pto_load(core, &t, &data));
        OK(CALL(core, "tadds", NULL, TILE(&t), TILE(&t), SCALAR(tw_pto_f32(1))));
        OK(tw_pto_store(core, &data, &t));
        OK(tw_pto_put(core, &remote, &data, &staging, NULL));
        OK(tw_pto_notify(core, &theirs, lap, false));
    }
    return TW_OK;
}

static void pto_comm_signals(void **state)
{
    (void)state;
    for (int poll = 0; poll <= 1; poll++) {
        ring r = { .poll = poll };
        tw_pto_grid *g =
            tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .devices = 4 });
        OK(tw_pto_grid_run(g, go_round, &r));
        assert_true(r.data[0][63] == 12);
        tw_pto_grid_free(g);
    }
}

static tw_status count_up(tw_pto *core, void *user)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_tensor one = tw_pto_tensor_of((int32_t *)user + me.block % 3, TW_I32, 1, 1, TW_PTO_ND),
                  all = tw_pto_tensor_of(user, TW_I32, 1, 3, TW_PTO_ND);
    OK(tw_pto_notify(core, &one, 5, true));
    return tw_pto_wait_signal(core, &all, 20, TW_PTO_CMP_GE); /* all three */
}

static tw_status compare_all(tw_pto *core, void *user)
{
    int32_t value = 7;
    tw_pto_tensor one = tw_pto_tensor_of(&value, TW_I32, 1, 1, TW_PTO_ND);
    static const bool answers[3][6] = { { false, true, false, false, true, true },   /* 7 against 6 */
                                        { true, false, false, true, false, true },   /* 7 */
                                        { false, true, true, true, false, false } }; /* 8 */
    (void)user;
    for (int against = 6; against <= 8; against++)
        for (int how = TW_PTO_CMP_EQ; how <= TW_PTO_CMP_GE; how++) {
            bool all;
            OK(tw_pto_test_signal(core, &one, against, how, &all));
            assert_int_equal(all, answers[against - 6][how]);
            if (all) OK(tw_pto_wait_signal(core, &one, against, how));
        }
    return TW_OK;
}

static void pto_comm_counters(void **state)
{
    int32_t signals[3] = { 0 };
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .blocks = 12 });
    OK(tw_pto_grid_run(g, count_up, signals));
    for (int i = 0; i < 3; i++) assert_int_equal(signals[i], 20);
    OK(tw_pto_grid_run(g, compare_all, NULL));
    tw_pto_grid_free(g);
    g = tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .blocks = 11 });
    memset(signals, 0, sizeof signals);
    REFUSED(tw_pto_grid_run(g, count_up, signals), "block 10, core waits for a signal >= 20, which is 15",
            "deadlock");
    tw_pto_grid_free(g);
}

static tw_status poll_for_ever(tw_pto *core, void *user)
{
    tw_pto_tensor one = tw_pto_tensor_of(user, TW_I32, 1, 1, TW_PTO_ND);
    tw_status status = TW_OK;
    for (bool all = false; status == TW_OK && !all;)
        status = tw_pto_test_signal(core, &one, 1, TW_PTO_CMP_EQ, &all);
    return status;
}

static void pto_comm_livelock(void **state)
{
    int32_t signal = 0;
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .blocks = 2 });
    REFUSED(tw_pto_grid_run(g, poll_for_ever, &signal), "waits for a signal == 1, which is 0", "deadlock");
    tw_pto_grid_free(g);
}

/* --- asynchronous transfers ------------------------------------------------------------------------------------- */

static tw_status async_kernel(tw_pto *core, void *user)
{
    world *w = user;
    tw_pto_tensor src = strided(w->memory[1], (size_t[]){ 1, 1, 2, 4, 16 }, 2),
                  dst = strided(w->out[0], (size_t[]){ 1, 1, 2, 4, 16 }, 0),
                  late = strided(w->out[1], (size_t[]){ 1, 1, 2, 4, 16 }, 0);
    uint64_t first, second;
    bool done;
    OK(tw_pto_copy_async(core, &dst, &src, &first));
    OK(tw_pto_copy_async(core, &late, &dst, &second));
    assert_true(w->out[0][5] == -1); /* nothing has happened yet */
    OK(tw_pto_async_wait(core, first));
    assert_true(w->out[0][5] == 10005 && w->out[1][5] == -1);
    assert_true(w->out[0][16] == 10018);
    OK(tw_pto_async_test(core, first, &done));
    assert_true(done);
    REFUSED(tw_pto_async_wait(core, 0), "async.event", "0");
    REFUSED(tw_pto_async_test(core, second + 1, &done), "async.event", "3");
    assert_false(done);
    src.type = TW_I32;
    REFUSED(tw_pto_copy_async(core, &dst, &src, &first), "TPUT_ASYNC", "comm.type");
    src.type = TW_F32;
    src.data = NULL;
    REFUSED(tw_pto_copy_async(core, &dst, &src, &first), "TPUT_ASYNC", "global.null");
    return TW_OK;
}

static void pto_comm_async(void **state)
{
    static world w;
    (void)state;
    fill(&w);
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3 });
    OK(tw_pto_grid_run(g, async_kernel, &w));
    assert_true(w.out[1][5] == 10005); /* done when the kernel ended */
    tw_pto_grid_free(g);
}

/* --- rules ------------------------------------------------------------------------------------------------------ */

static void pto_comm_rules(void **state)
{
    static float memory[64];
    static int32_t signal[4];
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tensor a = tw_pto_tensor_of(memory, TW_F32, 2, 8, TW_PTO_ND), wide = a, ints = a, dn = a,
                  four = tw_pto_tensor_of(memory, TW_F32, 4, 8, TW_PTO_ND), tight = a,
                  one = tw_pto_tensor_of(signal, TW_I32, 1, 1, TW_PTO_ND), two = one, none = one, far = one;
    tw_pto_tile t = vec_tile(TW_F32, 2, 8), half = vec_tile(TW_F16, 2, 16), cols = vec_tile(TW_F32, 8, 8),
                mat = tw_pto_tile_of(TW_PTO_MAT, TW_F32, 2, 8), small = vec_tile(TW_F32, 1, 8);
    tw_pto_tensor ranks[2] = { a, a };
    tw_pto_group group = { ranks, 2, 0 }, rootless = { ranks, 2, 2 }, empty = { ranks, 0, 0 },
                 null = { NULL, 2, 0 };
    wide.shape[4] = 4;
    ints.type = TW_I32;
    dn.layout = TW_PTO_DN;
    cols.blayout = TW_PTO_COL_MAJOR;
    tight.window = (tw_window){ memory, 40 };
    two.shape[4] = 2;
    none.data = NULL;
    far.window = (tw_window){ signal, 2 };
    REFUSED(tw_pto_put(core, &a, &wide, &t, NULL), "TPUT", "comm.shape");
    REFUSED(tw_pto_put(core, &a, &ints, &t, NULL), "TPUT", "comm.type");
    REFUSED(tw_pto_put(core, &dn, &a, &t, NULL), "TPUT", "comm.layout");
    REFUSED(tw_pto_get(core, &a, &dn, &t, NULL), "TGET", "comm.layout");
    REFUSED(tw_pto_put(core, &a, &a, &half, NULL), "comm.staging", "f16");
    REFUSED(tw_pto_put(core, &a, &a, &cols, NULL), "comm.staging", "row-major");
    REFUSED(tw_pto_put(core, &a, &a, &mat, NULL), "comm.staging", "vector memory");
    REFUSED(tw_pto_put(core, &a, &a, &t, &small), "comm.staging", "smaller");
    REFUSED(tw_pto_put(core, &a, &tight, &t, NULL), "comm.piece", "TPUT: TLOAD");
    REFUSED(tw_pto_put(core, &tight, &a, &t, NULL), "comm.piece", "TPUT: TSTORE");
    REFUSED(tw_pto_broadcast(core, &rootless, &a, &t, NULL), "TBROADCAST", "comm.root");
    REFUSED(tw_pto_broadcast(core, &empty, &a, &t, NULL), "TBROADCAST", "comm.ranks");
    REFUSED(tw_pto_broadcast(core, &null, &a, &t, NULL), "TBROADCAST", "comm.ranks");
    REFUSED(tw_pto_gather(core, &group, &a, &t, NULL), "COMM_TGATHER", "comm.shape");
    OK(tw_pto_gather(core, &group, &four, &t, NULL));
    REFUSED(tw_pto_scatter(core, &group, &a, &t, NULL), "COMM_TSCATTER", "comm.shape");
    REFUSED(tw_pto_reduce_to(core, &group, &a, &t, &small, TW_PTO_REDUCE_SUM), "TREDUCE", "comm.staging");
    REFUSED(tw_pto_reduce_to(core, &group, &a, &t, &t, (tw_pto_reduce)3), "TREDUCE", "comm.reduce");
    REFUSED(tw_pto_notify(core, &two, 1, false), "TNOTIFY", "signal.one");
    REFUSED(tw_pto_notify(core, &a, 1, false), "TNOTIFY", "type.set");
    REFUSED(tw_pto_notify(core, &none, 1, false), "TNOTIFY", "global.null");
    REFUSED(tw_pto_notify(core, &far, 1, false), "TNOTIFY", "global.bounds");
    REFUSED(tw_pto_wait_signal(core, &one, 1, 6), "TWAIT", "signal.compare");
    REFUSED(tw_pto_wait_signal(core, &one, 1, TW_PTO_CMP_EQ), "", "deadlock");
    tw_pto_free(core);
}

static tw_status not_root(tw_pto *core, void *user)
{
    static float memory[2][16];
    tw_pto_tensor ranks[2] = { tw_pto_tensor_of(memory[0], TW_F32, 1, 16, TW_PTO_ND),
                               tw_pto_tensor_of(memory[1], TW_F32, 1, 16, TW_PTO_ND) };
    tw_pto_group group = { ranks, 2, 0 };
    tw_pto_tile t = vec_tile(TW_F32, 1, 16);
    (void)user;
    if (tw_pto_identity_of(core).device == 0) return tw_pto_broadcast(core, &group, &ranks[0], &t, NULL);
    REFUSED(tw_pto_broadcast(core, &group, &ranks[0], &t, NULL), "comm.root", "device 1");
    return TW_OK;
}

static void pto_comm_root(void **state)
{
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .devices = 2 });
    OK(tw_pto_grid_run(g, not_root, NULL));
    tw_pto_grid_free(g);
}

/* Two staging tiles let loads and stores overlap. */
static void pto_comm_time(void **state)
{
    static float from[64 * 64], to[64 * 64];
    uint64_t cycles[2];
    (void)state;
    for (int two = 0; two <= 1; two++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE);
        tw_pto_tensor src = tw_pto_tensor_of(from, TW_F32, 64, 64, TW_PTO_ND),
                      dst = tw_pto_tensor_of(to, TW_F32, 64, 64, TW_PTO_ND);
        tw_pto_tile a = vec_tile(TW_F32, 8, 64), b = a;
        OK(tw_pto_put(core, &dst, &src, &a, two ? &b : NULL));
        cycles[two] = tw_pto_cycles(core);
        uint64_t in = tw_pto_pipe_cycles(core, TW_PTO_PIPE_MTE2), out = tw_pto_pipe_cycles(core, TW_PTO_PIPE_MTE3);
        assert_in_range(in, 280, 288); /* 16 KiB at 100.9 and 188.46 GiB/s */
        assert_in_range(out, 150, 158);
        assert_int_equal(cycles[two], two ? in + out / 8 : in + out);
        tw_pto_free(core);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_comm_copy),        cmocka_unit_test(pto_comm_atomic),
        cmocka_unit_test(pto_comm_collectives), cmocka_unit_test(pto_comm_signals),
        cmocka_unit_test(pto_comm_counters),    cmocka_unit_test(pto_comm_livelock),
        cmocka_unit_test(pto_comm_async),       cmocka_unit_test(pto_comm_rules),
        cmocka_unit_test(pto_comm_root),        cmocka_unit_test(pto_comm_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
