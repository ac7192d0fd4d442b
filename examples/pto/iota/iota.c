/* SPDX-License-Identifier: MIT */
/* The integer sequence of TCI from C: up and down, in 16 and 32 bits, with and without tmp, on both chips.
 *   cc iota.c $(pkg-config --cflags --libs tilewright) && ./a.out
 * prints: 100 99 98 97 96
 * prints: 48 sequences agree with counting
 */
#include <stdio.h>
#include <tilewright/pto.h>

/* dst[k] = start + k or start - k, modulo its width, against counting; 0 = all equal. */
static int differs(tw_pto *core, tw_type type, uint32_t columns, int64_t start, bool descending, bool with_tmp)
{
    tw_pto_tile dst = tw_pto_tile_of(TW_PTO_VEC, type, 1, columns);
    tw_pto_tile tmp = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 512); /* 2 KiB serve every shape */
    tw_pto_scalar first = tw_pto_bits(type, (uint64_t)start & (type == TW_I32 ? 0xFFFFFFFF : 0xFFFF));
    if (tw_pto_tci(core, &dst, first, descending, with_tmp ? &tmp : NULL) != TW_OK) {
        printf("%s\n", tw_error_message());
        return 1;
    }
    const void *data = tw_pto_data(core, &dst);
    for (uint32_t k = 0; k < columns; k++) {
        int64_t want = descending ? start - k : start + k;
        int64_t got = type == TW_I32 ? ((const int32_t *)data)[k] : ((const int16_t *)data)[k];
        if (got != (type == TW_I32 ? (int64_t)(int32_t)want : (int64_t)(int16_t)want)) return 1;
    }
    tw_pto_tile_free(core, &dst);
    tw_pto_tile_free(core, &tmp);
    return 0;
}

int main(void)
{
    static const tw_pto_target targets[] = { TW_PTO_A2A3, TW_PTO_A5 };
    static const int64_t starts[] = { 0, 100, 32760 }; /* the last wraps in 16 bits */
    int good = 0, bad = 0;
    for (int t = 0; t < 2; t++) {
        tw_pto *core = tw_pto_new(targets[t], 0);
        if (!core) return 1;
        for (int s = 0; s < 3; s++)
            for (int variant = 0; variant < 8; variant++) {
                tw_type type = variant & 1 ? TW_I16 : TW_I32;
                differs(core, type, 64, starts[s], variant & 2, variant & 4) ? bad++ : good++;
            }
        if (t == 0) {
            int32_t values[16];
            tw_pto_tile dst = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, 16);
            if (tw_pto_tci(core, &dst, tw_pto_i32(100), true, NULL) != TW_OK ||
                tw_pto_read(core, &dst, values, sizeof values) != TW_OK)
                return 1;
            for (int k = 0; k < 5; k++) printf("%d ", values[k]);
            printf("\n");
        }
        tw_pto_free(core);
    }
    printf("%d sequences agree with counting\n", good);
    return bad != 0;
}
