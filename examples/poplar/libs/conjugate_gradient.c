/* SPDX-License-Identifier: MIT */
/* Conjugate gradients on a sparse matrix: Poisson's equation on a grid, five numbers in each row of the matrix, as
 * values and column numbers. The loop and its end are on the device; the host compares with a solution it knows.
 *
 *     cc conjugate_gradient.c $(pkg-config --cflags --libs tilewright_poplibs) -lm
 *
 * prints: converged after
 * prints: largest error below 0.0001: yes
 */
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

#include <math.h>
#include <stdlib.h>

enum { SIDE = 16, N = SIDE * SIDE, ROW = 5, MOST = 500 };

/* Row i of the matrix: 4 for the point itself, -1 for each neighbour, 0 for one outside the grid. */
static void make_matrix(float values[N][ROW], uint32_t columns[N][ROW])
{
    static const int step[ROW][2] = { { 0, 0 }, { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    for (int i = 0; i < N; i++)
        for (int k = 0; k < ROW; k++) {
            int y = i / SIDE + step[k][0], x = i % SIDE + step[k][1];
            bool inside = y >= 0 && y < SIDE && x >= 0 && x < SIDE;
            values[i][k] = !inside ? 0 : k ? -1 : 4;
            columns[i][k] = (uint32_t)(inside ? y * SIDE + x : i);
        }
}

static tw_tensor vector(tw_graph *g, const char *name)
{
    size_t n = N;
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 1, &n, name);
    tw_poputil_map_linearly(g, t);
    return t;
}

static tw_tensor dot(tw_graph *g, tw_tensor a, tw_tensor b, tw_program p, const char *name)
{
    tw_tensor products = tw_popops_mul(g, a, b, p, name, NULL);
    return tw_popops_reduce(g, products, TW_TYPE_NONE, 1, (size_t[]){ 0 }, NULL, p, name, NULL);
}

int main(void)
{
    tw_device *dev = tw_device_by_name(getenv("TILEWRIGHT_DEVICE") ? NULL : "cpu", TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t shape[] = { N, ROW };
    tw_tensor values = tw_graph_add_variable(g, TW_FLOAT, 2, shape, "values");
    tw_tensor columns = tw_graph_add_variable(g, TW_UNSIGNED_INT, 2, shape, "columns");
    tw_poputil_map_linearly(g, values), tw_poputil_map_linearly(g, columns);
    tw_tensor x = vector(g, "x"), r = vector(g, "r"), d = vector(g, "d"); /* solution, residual, direction */
    tw_tensor turns = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "turns");
    tw_tensor rr = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "rr");
    tw_graph_map(g, turns, 0), tw_graph_map(g, rr, 0);

    /* x = 0: the residual is the right side, which the host has written to r */
    tw_program all = tw_program_sequence(g, "cg"), turn = tw_program_sequence(g, "turn");
    tw_popops_zero(g, x, all, "start"), tw_popops_zero(g, turns, all, "start");
    tw_program_sequence_add(g, all, tw_program_copy(g, r, d));
    tw_program_sequence_add(g, all, tw_program_copy(g, dot(g, r, r, all, "rr"), rr));

    /* a d: gather the elements that a row meets, multiply, add */
    tw_tensor met = tw_popops_gather(g, d, columns, 0, turn, "met");
    tw_tensor products = tw_popops_mul(g, values, met, turn, "products", NULL);
    tw_tensor ad = tw_popops_reduce(g, products, TW_TYPE_NONE, 1, (size_t[]){ 1 }, NULL, turn, "ad", NULL);
    tw_tensor slope = dot(g, d, ad, turn, "slope");
    tw_popops_map_in_place(g, "_1 + _2 / _3 * _4", 4, (tw_tensor[]){ x, rr, slope, d }, turn, "x", NULL);
    tw_popops_map_in_place(g, "_1 - _2 / _3 * _4", 4, (tw_tensor[]){ r, rr, slope, ad }, turn, "r", NULL);
    tw_tensor next = dot(g, r, r, turn, "next");
    tw_popops_map_in_place(g, "_2 + _3 / _4 * _1", 4, (tw_tensor[]){ d, r, next, rr }, turn, "d", NULL);
    tw_program_sequence_add(g, turn, tw_program_copy(g, next, rr));
    tw_popops_map_in_place(g, "_1 + 1", 1, &turns, turn, "turns", NULL);

    tw_program asked = tw_program_sequence(g, "asked");
    char text[64];
    snprintf(text, sizeof text, "_1 > 1e-10 && _2 < %du", MOST);
    tw_tensor more = tw_popops_map(g, text, 2, (tw_tensor[]){ rr, turns }, asked, "more", NULL);
    tw_program_sequence_add(g, all, tw_program_repeat_while_true(g, asked, more, turn));

    tw_graph_create_host_write(g, "values", values);
    tw_graph_create_host_write(g, "columns", columns);
    tw_graph_create_host_write(g, "b", r);
    tw_graph_create_host_read(g, "x", x);
    tw_graph_create_host_read(g, "turns", turns);
    tw_engine *e = tw_engine_new(g, all, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;

    static float a[N][ROW], b[N], seen[N], known[N];
    static uint32_t at[N][ROW];
    make_matrix(a, at);
    for (int i = 0; i < N; i++) known[i] = (float)(i % 7) - (float)(i % 11) / 4;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < ROW; k++) b[i] += a[i][k] * known[at[i][k]];
    tw_engine_write(e, "values", a, sizeof a);
    tw_engine_write(e, "columns", at, sizeof at);
    tw_engine_write(e, "b", b, sizeof b);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "x", seen, sizeof seen);
    uint32_t count = MOST;
    tw_engine_read(e, "turns", &count, sizeof count);
    float most = 0;
    for (int i = 0; i < N; i++) most = fmaxf(most, fabsf(seen[i] - known[i]));
    printf("%s %u turns\n", count < MOST ? "converged after" : "stopped after", count);
    printf("largest error below 0.0001: %s\n", most < 1e-4f ? "yes" : "no");
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
