/* SPDX-License-Identifier: MIT */
/* The program of fifo.pto in C: a cube core sends products through a FIFO, two vector cores take half of the rows
 * each. The kernel runs once on every core and looks at which one it is.
 *   cc fifo.c $(pkg-config --cflags --libs tilewright) && ./a.out
 * prints: 4096 elements are 65
 * prints: who waits: block 0, cube core waits for a free slot
 */
#include <stdio.h>
#include <string.h>
#include <tilewright/pto/grid.h>

enum { SIZE = 32, TURNS = 4 };

typedef struct work {
    float out[TURNS][SIZE][SIZE];
    int pops; /* of each vector core; fewer than TURNS: a mistake on purpose */
} work;

static tw_pto_tile boxed(tw_pto_location location, tw_type type, tw_pto_blayout outer, tw_pto_slayout inner,
                         uint32_t fractal)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, SIZE, SIZE);
    t.blayout = (unsigned char)outer;
    t.slayout = (unsigned char)inner;
    t.fractal = fractal;
    return t;
}

static tw_status call(tw_pto *core, const char *name, tw_pto_operand a, tw_pto_operand b, tw_pto_operand c,
                      unsigned count)
{
    return tw_pto_call(core, name, (tw_pto_operand[]){ a, b, c }, count, NULL);
}

static tw_status cube(tw_pto *core, const tw_pto_fifo *fifo)
{
    tw_pto_tile am = boxed(TW_PTO_MAT, TW_F16, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 512), bm = am,
                a = boxed(TW_PTO_LEFT, TW_F16, TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW, 512),
                b = boxed(TW_PTO_RIGHT, TW_F16, TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL, 512),
                acc = boxed(TW_PTO_ACC, TW_F32, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 1024);
    tw_pto_operand none = { TW_PTO_NOTHING, NULL, NULL, { TW_TYPE_NONE, 0 }, NULL };
    tw_pto_operand l1a = tw_pto_tile_operand(&am), l1b = tw_pto_tile_operand(&bm), left = tw_pto_tile_operand(&a),
                   right = tw_pto_tile_operand(&b), sum = tw_pto_tile_operand(&acc);
    tw_status s = call(core, "texpands", l1a, tw_pto_scalar_operand(tw_pto_scalar_of(TW_F16, 1)), none, 2);
    if (!s) s = call(core, "texpands", l1b, tw_pto_scalar_operand(tw_pto_scalar_of(TW_F16, 2)), none, 2);
    if (!s) s = call(core, "tmov", left, l1a, none, 2);
    if (!s) s = call(core, "tmov", right, l1b, none, 2);
    for (int i = 0; i < TURNS && !s; i++) {
        s = call(core, "tmatmul", sum, left, right, 3);
        if (!s) s = tw_pto_push(core, fifo, &acc, TW_PTO_SPLIT_UP_DOWN);
    }
    return s;
}

static tw_status vector(tw_pto *core, const tw_pto_fifo *fifo, work *w)
{
    unsigned first = tw_pto_identity_of(core).sub_block * SIZE / 2;
    tw_status s = TW_OK;
    for (int i = 0; i < w->pops && !s; i++) {
        tw_pto_tile t = tw_pto_tile_of(TW_PTO_VEC, TW_F32, SIZE / 2, SIZE);
        tw_pto_tensor g = tw_pto_tensor_of(w->out[i][first], TW_F32, SIZE / 2, SIZE, TW_PTO_ND);
        tw_pto_operand tile = tw_pto_tile_operand(&t);
        s = tw_pto_pop(core, fifo, &t, TW_PTO_SPLIT_UP_DOWN);
        if (!s) s = tw_pto_free_slot(core, fifo);
        if (!s) s = call(core, "tadds", tile, tile, tw_pto_scalar_operand(tw_pto_f32(1)), 3);
        if (!s) s = tw_pto_store(core, &g, &t);
        tw_pto_tile_free(core, &t);
    }
    return s;
}

static tw_status kernel(tw_pto *core, void *user)
{
    tw_pto_fifo fifo = { .direction = TW_PTO_CUBE_TO_VECTOR, .slot_bytes = SIZE * SIZE * 4, .slots = 2 };
    return tw_pto_identity_of(core).kind == TW_PTO_CUBE ? cube(core, &fifo) : vector(core, &fifo, user);
}

int main(void)
{
    static work w = { .pops = TURNS };
    int right = 0;
    tw_pto_grid *grid =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = 2 });
    if (!grid || tw_pto_grid_run(grid, kernel, &w) != TW_OK) return puts(tw_error_message()), 1;
    for (int i = 0; i < TURNS * SIZE * SIZE; i++) right += (&w.out[0][0][0])[i] == 65;
    printf("%d elements are 65\n", right);
    w.pops = 1; /* the vector cores stop early: the cube core fills both slots and waits for ever */
    if (tw_pto_grid_run(grid, kernel, &w) == TW_OK) return puts("no deadlock?"), 1;
    const char *who = strstr(tw_error_message(), "block 0, cube core waits");
    printf("who waits: %.60s...\n", who ? who : "?");
    tw_pto_grid_free(grid);
    return right == TURNS * SIZE * SIZE ? 0 : 1;
}
