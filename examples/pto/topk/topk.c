/* SPDX-License-Identifier: MIT */
/* The 8 largest of 256 values with their places: blocks of 32 are sorted with indexes (TSORT32), groups of four
 * blocks merged (TMRGSORT), the two lists that remain merged again (its form for lists). Compared with qsort.
 * prints: 8 largest: 255 254 253 252 251 250 249 248
 * prints: values and places of all 256 agree with qsort
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/pto.h>

enum { N = 256 };

typedef struct pair {
    float value;
    uint32_t place;
} pair; /* as TSORT32 writes it */

static int compare(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return x->place < y->place ? -1 : 1;
}

#define TRY(call)                                                          \
    do {                                                                   \
        if ((call) != TW_OK) return printf("%s\n", tw_error_message()), 1; \
    } while (0)

int main(void)
{
    static pair want[N], got[N];
    static float x[N];
    static uint32_t places[N];
    for (uint32_t i = 0; i < N; i++) {
        x[i] = (float)(i * 37 % N); /* every number once */
        places[i] = i;
        want[i] = (pair){ x[i], i };
    }
    qsort(want, N, sizeof *want, compare);

    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    if (!core) return 1;
    tw_pto_tile values = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, N), index = tw_pto_tile_of(TW_PTO_VEC, TW_U32, 1, N);
    tw_pto_tile pairs = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 2 * N), merged = pairs, sorted = pairs, tmp = pairs;
    tw_pto_tile counts = tw_pto_tile_of(TW_PTO_VEC, TW_U16, 1, 16);
    TRY(tw_pto_write(core, &values, x, sizeof x));
    TRY(tw_pto_write(core, &index, places, sizeof places));
    tw_pto_operand sort[] = { tw_pto_tile_operand(&pairs), tw_pto_tile_operand(&values),
                              tw_pto_tile_operand(&index) };
    TRY(tw_pto_call(core, "tsort32", sort, 3, NULL));
    /* 64 elements are one sorted block of 32 pairs */
    tw_pto_operand merge[] = { tw_pto_tile_operand(&merged), tw_pto_tile_operand(&pairs),
                               tw_pto_scalar_operand(tw_pto_i32(64)) };
    TRY(tw_pto_call(core, "tmrgsort", merge, 3, NULL));
    tw_pto_tile first = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, N), second = first;
    TRY(tw_pto_window(core, &first, &merged, 0, 0));
    TRY(tw_pto_window(core, &second, &merged, 0, N));
    tw_pto_operand lists[] = { tw_pto_tile_operand(&sorted), tw_pto_tile_operand(&counts),
                               tw_pto_tile_operand(&tmp), tw_pto_tile_operand(&first),
                               tw_pto_tile_operand(&second) };
    TRY(tw_pto_call(core, "tmrgsort", lists, 5, NULL));
    TRY(tw_pto_read(core, &sorted, got, sizeof got));
    tw_pto_free(core);

    printf("8 largest:");
    for (int i = 0; i < 8; i++) printf(" %g", got[i].value);
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += got[i].value != want[i].value || got[i].place != want[i].place;
    printf("\n%s\n", wrong ? "some differ" : "values and places of all 256 agree with qsort");
    return wrong != 0;
}
