/* SPDX-License-Identifier: MIT */
/* Two tiles, one filter of 16 taps: the first tile sums 8 taps and hands its accumulators over the cascade, the
 * second adds the other 8 and rounds. Windows come from and go to text files; the profile says how busy either tile
 * is.
 *
 * prints: cascade: 4 blocks of 64 samples, the same as one filter of 16 taps
 */
#define TW_AIE_PROFILE
#include <stdio.h>
#include <stdlib.h>
#include <tilewright/aie.h>
#include <unistd.h>

enum { BLOCK = 64, BLOCKS = 4, TAPS = 16 };
static const int16 taps[TAPS] = {
    3, -12, 40, -90, 200, -600, 2000, 14000, 14000, 2000, -600, 200, -90, 40, -12, 3
};

/* Eight taps of lanes n .. n + 7: x[n + first + l + c]. mac8 has four columns. */
static v8acc48 half(v8acc48 acc, v32int16 x, const int16 *t, int start)
{
    v16int16 z = { t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] };
    acc = mac8(acc, x, start, 0x03020100, 2, 0x2110, z, 0, 0, 1);
    return mac8(acc, x, start + 4, 0x03020100, 2, 0x2110, z, 4, 0, 1);
}

/* The window has the last 32 samples of the block before in front. */
static void first_half(void *user)
{
    (void)user;
    input_window_int16 *in = window_in(int16, 0);
    window_incr(in, 16);
    for (int n = 0; n < BLOCK; n += 8) {
        v32int16 x;
        window_readincr(in, x);
        window_decr(in, 24);
        put_mcd(half(null_v8acc48(), x, taps, 0));
    }
}
static void second_half(void *user)
{
    (void)user;
    input_window_int16 *in = window_in(int16, 0);
    output_window_int16 *out = window_out(int16, 0);
    window_incr(in, 16);
    set_rnd(rnd_floor);
    for (int n = 0; n < BLOCK; n += 8) {
        v32int16 x;
        window_readincr(in, x);
        window_decr(in, 24);
        window_writeincr(out, srs(half(get_scd(), x, taps + 8, 8), 15));
    }
}

static int write_input(const char *path, int16 *x)
{
    FILE *f = fopen(path, "w");
    for (int i = 0; f && i < BLOCK * BLOCKS; i++)
        fprintf(f, "%d%c", x[i] = (int16)(i * 40503u), i % 2 ? '\n' : ' ');
    return f && fclose(f) == 0;
}

int main(int argc, char **argv)
{
    /* Files named on the command line stay; others lie in /tmp and go at the end. */
    static char own_in[] = "/tmp/cascade-in-XXXXXX", own_out[] = "/tmp/cascade-out-XXXXXX";
    const char *in = argc > 1 ? argv[1] : own_in, *out = argc > 2 ? argv[2] : own_out;
    if ((argc <= 1 && close(mkstemp(own_in)) != 0) || (argc <= 2 && close(mkstemp(own_out)) != 0)) return 1;
    int16 x[16 + BLOCK * BLOCKS] = { 0 };
    if (!write_input(in, x + 16)) return 1;
    tw_aie_array *array = tw_aie_array_new();
    tw_aie_kernel a = tw_aie_array_add(array, "first half", first_half, NULL, 10, 2);
    tw_aie_kernel b = tw_aie_array_add(array, "second half", second_half, NULL, 11, 2);
    tw_aie_array_input(array, &(tw_aie_file){ in, TW_AIE_INT16, 32, 2 * BLOCK, 64 }, tw_aie_in(a, 0));
    tw_aie_array_input(array, &(tw_aie_file){ in, TW_AIE_INT16, 32, 2 * BLOCK, 64 }, tw_aie_in(b, 0));
    tw_aie_array_cascade(array, a, b);
    tw_aie_array_output(array, tw_aie_out(b, 0), &(tw_aie_file){ out, TW_AIE_INT16, 32, 2 * BLOCK, 0 });
    tw_aie_array_name_end(array, tw_aie_in(a, 0), "samples"); /* in reports; else the files' names */
    tw_aie_array_name_end(array, tw_aie_in(b, 0), "samples again");
    tw_aie_array_name_end(array, tw_aie_out(b, 0), "filtered");
    if (tw_aie_array_run(array, BLOCKS) != TW_OK) return fprintf(stderr, "%s\n", tw_error_message()), 1;
    FILE *f = fopen(out, "r");
    for (int n = 0; f && n < BLOCK * BLOCKS; n++) {
        int got, sum = 0;
        for (int k = 0; k < TAPS; k++) sum += taps[k] * x[n + k];
        if (fscanf(f, "%d", &got) != 1 || got != (int16)(sum >> 15)) return fprintf(stderr, "sample %d\n", n), 1;
    }
    if (!f || fclose(f)) return 1;
    tw_profile_options plain = { .size = sizeof plain, .colours = TW_COLOURS_OFF };
    tw_profile_print_execution_summary(tw_aie_array_profile(array), stdout, &plain);
    printf("cascade: %d blocks of %d samples, the same as one filter of %d taps\n", BLOCKS, BLOCK, TAPS);
    tw_aie_array_free(array);
    if (argc <= 1) unlink(in);
    if (argc <= 2) unlink(out);
    return 0;
}
