/* SPDX-License-Identifier: MIT */
/* The array: windows with margins and text files, streams with back pressure, cascade, locks; deadlocks and wrong
 * input with what the message must say; memory of a tile; cycles in the profile; the same result twice. */
#define TW_AIE_PROFILE
#define TW_AIE_CHECK
#include <tilewright/aie.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
// clang-format on

static char folder[] = "/tmp/tw_aie_array_XXXXXX";
static const char *path(const char *name)
{
    static char text[4][128];
    static unsigned next;
    snprintf(text[++next % 4], sizeof text[0], "%s/%s", folder, name);
    return text[next % 4];
}
static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(path(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}
static void expect_file(const char *name, const char *text)
{
    char got[4096] = "";
    FILE *f = fopen(path(name), "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    got[n] = 0;
    fclose(f);
    assert_string_equal(got, text);
}
static void fails(tw_aie_array *a, uint64_t iterations, tw_status status, const char *phrase)
{
    tw_status got = tw_aie_array_run(a, iterations);
    if (got != status || !strstr(tw_error_message(), phrase))
        fail_msg("status %d, \"%s\"; expected %d, \"%s\"", got, tw_error_message(), status, phrase);
    tw_aie_array_free(a);
}

/* y[n] = x[n] + x[n - 16], by windows of 16 with a margin of 16 samples (32 bytes). */
static void add_previous(void *user)
{
    (void)user;
    input_window_int16 *in = window_in(int16, 0);
    output_window_int16 *out = window_out(int16, 0);
    v16int16 before, now;
    set_rnd(0);
    window_readincr(in, before);
    window_readincr(in, now);
    const v16int16 one = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    window_writeincr(out, srs(mac(ups(now, 0), before, one), 0));
}

static void aie_array_windows_and_files(void **state)
{
    (void)state;
    char text[4096] = "T 120 ns\n", expected[4096] = "";
    for (int i = 0; i < 48; i += 2) {
        sprintf(text + strlen(text), "%d %d\n", i, i + 1);
        sprintf(expected + strlen(expected), "%d %d\n", i < 16 ? i : 2 * i - 16, i < 16 ? i + 1 : 2 * i - 14);
    }
    write_file("x.txt", text);
    for (uint64_t iterations = 0; iterations <= 3; iterations += 3) {
        tw_aie_array *a = tw_aie_array_new();
        tw_aie_kernel k = tw_aie_array_add(a, "sum", add_previous, NULL, 3, 1);
        tw_aie_array_input(a, &(tw_aie_file){ path("x.txt"), TW_AIE_INT16, 32, 32, 32 }, tw_aie_in(k, 0));
        tw_aie_array_output(a, tw_aie_out(k, 0), &(tw_aie_file){ path("y.txt"), TW_AIE_INT16, 32, 32, 0 });
        for (int twice = 0; twice < 2; twice++) {
            if (tw_aie_array_run(a, iterations) != TW_OK) fail_msg("%s", tw_error_message());
            expect_file("y.txt", expected);
        }
        assert_int_equal(tw_aie_array_unread(a), 0);
        assert_int_equal(tw_aie_array_cycles(a, k),
                         3 * (2 + 38)); /* a store of the window and one of srs a firing */
        tw_profile_totals totals;
        assert_int_equal(tw_profile_get_totals(tw_aie_array_profile(a), &totals), TW_OK);
        assert_int_equal(totals.cycles, 3 * 40);
        assert_int_equal(totals.fidelity, TW_FIDELITY_ESTIMATED);
        uint64_t cycles, instances;
        assert_string_equal(tw_profile_vertex_type(tw_aie_array_profile(a), 0, &cycles, &instances), "sum");
        assert_int_equal(cycles, 3 * 40);
        tw_aie_array_free(a);
    }
}

static void head(void *user)
{
    int *n = user;
    for (int i = 0; i < 10; i++) {
        v8int16 v = { (int16)i, 1, 2, 3, 4, 5, 6, (int16)*n };
        put_mcd(ups(v, 4));
        put_ms(0, i, i == 9);
    }
    ++*n;
}
static void tail_of_cascade(void *user)
{
    int64_t *sum = user;
    set_rnd(0);
    for (int i = 0; i < 10; i++) {
        v8int16 v = srs(get_scd(), 4);
        *sum += v[0] + v[7];
        *sum += get_ss(0) * 1000;
        assert_int_equal(get_ss0_tlast(), i == 9);
        assert_int_equal(get_coreid(), 2 | 6 << 16);
    }
}

static void aie_array_cascade_and_streams(void **state)
{
    (void)state;
    int n = 0;
    int64_t sum = 0;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel h = tw_aie_array_add(a, "head", head, &n, 5, 2),
                  t = tw_aie_array_add(a, "tail", tail_of_cascade, &sum, 6, 2);
    tw_aie_array_cascade(a, h, t);
    tw_aie_array_stream(a, tw_aie_out(h, 0), tw_aie_in(t, 0),
                        2); /* shallower than what is sent: the head has to wait */
    if (tw_aie_array_run(a, 4) != TW_OK) fail_msg("%s", tw_error_message());
    assert_int_equal(sum, 4 * 45 + 10 * (0 + 1 + 2 + 3) + 4 * 45000);
    tw_aie_array_free(a);
}

static void reads_only(void *user)
{
    (void)user;
    get_ss(0);
}
static void writes_twice(void *user)
{
    (void)user;
    for (int i = 0; i < 40; i++) put_ms(0, i);
}
static void writes_nothing(void *user)
{
    (void)user;
}
static void takes_lock(void *user)
{
    (void)user;
    acquire(3);
    acquire(3);
}
static void ping(void *user)
{
    int *log = user;
    acquire(2, 0);
    log[++log[0]] = 1;
    release(2, 1);
}
static void pong(void *user)
{
    int *log = user;
    acquire(2, 1);
    log[++log[0]] = 2;
    release(2, 0);
}

static void aie_array_deadlocks(void **state)
{
    (void)state;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel x = tw_aie_array_add(a, "first", reads_only, NULL, 0, 0),
                  y = tw_aie_array_add(a, "second", reads_only, NULL, 1, 0);
    tw_aie_array_stream(a, tw_aie_out(x, 0), tw_aie_in(y, 0), 0);
    tw_aie_array_stream(a, tw_aie_out(y, 0), tw_aie_in(x, 0), 0);
    fails(a, 1, TW_E_APPLICATION, "kernel 'second' on tile (1,0), firing 1, waits to read stream 0 from 'first'");
    a = tw_aie_array_new();
    x = tw_aie_array_add(a, "source", writes_twice, NULL, 0, 0),
    y = tw_aie_array_add(a, "sink", reads_only, NULL, 1, 0);
    tw_aie_array_stream(a, tw_aie_out(x, 0), tw_aie_in(y, 0), 16);
    fails(a, 1, TW_E_APPLICATION,
          "'source' on tile (0,0), firing 1, waits to write stream 0 to 'sink', whose queue of 16 is full");
    a = tw_aie_array_new();
    tw_aie_array_add(a, "greedy", takes_lock, NULL, 0, 7);
    fails(a, 1, TW_E_APPLICATION, "waits for lock 3, which is held");
    int log[16] = { 0 };
    a = tw_aie_array_new();
    tw_aie_array_add(a, "pong", pong, log, 0, 0), tw_aie_array_add(a, "ping", ping, log, 0, 0);
    assert_int_equal(tw_aie_array_run(a, 3), TW_OK);
    assert_int_equal(log[0], 6);
    for (int i = 1; i <= 6; i++) assert_int_equal(log[i], i % 2 ? 1 : 2);
    tw_aie_array_free(a);
}

static void aie_array_wrong_input(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phrase;
        tw_aie_element element;
        unsigned bits;
    } rows[] = {
        { "1\n2\n", ":1: 1 values of 16 bits are 16 bits, a line of this port takes 32", TW_AIE_INT16, 32 },
        { "1 2\n3 x\n", ":2: expected a number, found 'x'", TW_AIE_INT16, 32 },
        { "1 2\nTLAST\n70000 1\n", ":3: 70000 does not fit 16 bits", TW_AIE_INT16, 32 },
        { "1 2\n", "4 bytes are not a multiple of the window of 32 bytes", TW_AIE_CINT16, 32 },
        { "1 2 3\n", ":1: 3 values of 32 bits are 96 bits, a line of this port takes 64", TW_AIE_INT32, 64 },
        { "1 -1\n", ":1: -1 does not fit 16 bits without a sign", TW_AIE_UINT16, 32 },
        { "65536 1\n", ":1: 65536 does not fit 16 bits", TW_AIE_INT16, 32 },
        { "-32769 1\n", ":1: -32769 does not fit 16 bits", TW_AIE_INT16, 32 },
        { "1 2x\n", ":1: expected a number, found '2x'", TW_AIE_INT16, 32 },
        { "1 50.0\n", ":1: expected a whole number, found '50.0': this port has integers", TW_AIE_INT16, 32 },
        { "1e3 2\n", ":1: expected a whole number, found '1e3'", TW_AIE_UINT16, 32 },
        { "1.5x 2\n", ":1: expected a number, found '1.5x 2'", TW_AIE_INT16, 32 },
        { "1.5 two\n", ":1: expected a number, found 'two'", TW_AIE_FLOAT32, 64 },
        { "99999999999999999999\n", ":1: 99999999999999999999 does not fit 64 bits", TW_AIE_INT64, 64 },
        { "1 2\n3 4\nTLAST\n", ":3: TLAST at the end of the file belongs to no data", TW_AIE_INT16, 32 },
        { "1 2\nTLAST\n3\n4 5\n", ":3: 1 values of 16 bits are 16 bits", TW_AIE_INT16, 32 },
        { "TLAST\n1\n2\n", ":3: 1 values of 32 bits are 32 bits", TW_AIE_INT32, 64 },
        { "TLAST\n1 2 3\n", ":2: 3 values of 32 bits are 96 bits", TW_AIE_INT32, 64 },
        { "1 2\nTLASTING\n", ":2: expected a number, found 'TLASTING'", TW_AIE_INT16, 32 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file("bad.txt", rows[i].text);
        tw_aie_array *a = tw_aie_array_new();
        tw_aie_kernel k = tw_aie_array_add(a, "k", reads_only, NULL, 0, 0);
        tw_aie_array_input(a, &(tw_aie_file){ path("bad.txt"), rows[i].element, rows[i].bits, 32, 0 },
                           tw_aie_in(k, 0));
        fails(a, 1, TW_E_PARSE, rows[i].phrase);
    }
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel k = tw_aie_array_add(a, "k", reads_only, NULL, 0, 0),
                  l = tw_aie_array_add(a, "l", reads_only, NULL, 2, 0);
    tw_aie_array_cascade(a, k, l);
    fails(a, 1, TW_E_CONNECTION, "not neighbours");
    a = tw_aie_array_new();
    tw_aie_array_add(a, "k", reads_only, NULL, 50, 0);
    fails(a, 1, TW_E_INDEX, "tile (50,0) is not in columns 0 to 49");
    a = tw_aie_array_new();
    k = tw_aie_array_add(a, "k", reads_only, NULL, 4, 4), l = tw_aie_array_add(a, "l", reads_only, NULL, 4, 5);
    tw_aie_array_window(a, tw_aie_out(k, 0), tw_aie_in(l, 0), 16384, 0);
    fails(a, 1, TW_E_TILE_MEMORY,
          "tile (4,5) needs 34816 bytes (32768 for windows, 2048 for stack and heap), it has 32768");
    a = tw_aie_array_new();
    k = tw_aie_array_add(a, "k", reads_only, NULL, 4, 4), l = tw_aie_array_add(a, "l", reads_only, NULL, 4, 5);
    tw_aie_array_stream(a, tw_aie_out(k, 0), tw_aie_in(l, 0), 0),
        tw_aie_array_stream(a, tw_aie_out(k, 1), tw_aie_in(l, 0), 0);
    fails(a, 1, TW_E_CONNECTION, "kernel 'l': input stream 0 is connected twice");
    a = tw_aie_array_new();
    tw_aie_array_add(a, "k", reads_only, NULL, 4, 4);
    fails(a, 0, TW_E_INVALID_ARGUMENT, "would run for ever");
    static const struct {
        unsigned bytes, margin;
    } odd[] = { { 1030, 0 }, { 0, 0 }, { 64, 16 } };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        a = tw_aie_array_new();
        k = tw_aie_array_add(a, "k", reads_only, NULL, 0, 0), l = tw_aie_array_add(a, "l", reads_only, NULL, 0, 1);
        tw_aie_array_window(a, tw_aie_out(k, 0), tw_aie_in(l, 0), odd[i].bytes, odd[i].margin);
        fails(a, 1, TW_E_INVALID_ARGUMENT, "a window is a multiple of 4, a margin of 32");
    }
}

/* Text through the array and back: the same text, by windows and by streams, in every format and beat. TLAST goes
 * with streams. */
static void pass_words(void *user)
{
    for (int i = 0; i < *(int *)user; i++) {
        int last;
        uint32_t word = tw_aie_get_word(0, &last);
        tw_aie_put_word(0, word, last);
    }
}
static void pass_window(void *user)
{
    uint8_t block[512];
    unsigned bytes = 4 * *(unsigned *)user;
    tw_aie_window_read(tw_aie_window_in(0), block, bytes);
    tw_aie_window_write(tw_aie_window_out(0), block, bytes);
}
/* A beat with TLAST may hold fewer words than the port is wide, as in published packets of 257 words at 128 bits. */
static void aie_array_part_of_a_beat(void **state)
{
    static const struct {
        const char *in, *out;
        int words;
        unsigned bits;
    } rows[] = {
        { "1 2 3 4\nTLAST\n5\n6 7 8 9\nTLAST\n10 11\n", NULL, 11, 128 },
        { "TLAST\n1\nTLAST\n2 3\n4 5\n", NULL, 5, 64 },
        { "TLAST\n1 2 3\n", NULL, 3, 128 },
        { "TLAST\n1 2 3 4\n5 6 7 8\n", "TLAST\n1 2 3 4\n5\n", 5, 128 }, /* the kernel stops in a beat */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int words = rows[i].words;
        write_file("part.txt", rows[i].in);
        tw_aie_array *a = tw_aie_array_new();
        tw_aie_kernel k = tw_aie_array_add(a, "pass", pass_words, &words, 0, 0);
        tw_aie_array_input(a, &(tw_aie_file){ path("part.txt"), TW_AIE_INT32, rows[i].bits, 0, 0 },
                           tw_aie_in(k, 0));
        tw_aie_array_output(a, tw_aie_out(k, 0),
                            &(tw_aie_file){ path("part_out.txt"), TW_AIE_INT32, rows[i].bits, 0, 0 });
        assert_int_equal(tw_aie_array_run(a, 1), TW_OK);
        tw_aie_array_free(a);
        expect_file("part_out.txt", rows[i].out ? rows[i].out : rows[i].in);
    }
}

static void aie_array_formats(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tw_aie_element element;
        unsigned bits;
        const char *values[8]; /* of one component */
    } rows[] = {
        { "int8", TW_AIE_INT8, 8, { "-128", "127", "0", "-1", "1", "100", "-100", "7" } },
        { "uint8", TW_AIE_UINT8, 8, { "255", "128", "0", "1", "127", "200", "33", "7" } },
        { "int16", TW_AIE_INT16, 16, { "-32768", "32767", "0", "-1", "1", "300", "-300", "7" } },
        { "uint16", TW_AIE_UINT16, 16, { "65535", "32768", "0", "1", "32767", "300", "44", "7" } },
        { "int32", TW_AIE_INT32, 32, { "-2147483648", "2147483647", "0", "-1", "1", "70000", "-70000", "7" } },
        { "uint32", TW_AIE_UINT32, 32, { "4294967295", "2147483648", "0", "1", "5", "70000", "9", "7" } },
        { "int64",
          TW_AIE_INT64,
          64,
          { "-9223372036854775808", "9223372036854775807", "0", "-1", "1", "5000000000", "-5000000000", "7" } },
        { "uint64",
          TW_AIE_UINT64,
          64,
          { "18446744073709551615", "9223372036854775808", "0", "1", "2", "5000000000", "9", "7" } },
        { "cint16", TW_AIE_CINT16, 16, { "-32768", "32767", "0", "-1", "1", "300", "-300", "7" } },
        { "cint32", TW_AIE_CINT32, 32, { "-2147483648", "2147483647", "0", "-1", "1", "70000", "-70000", "7" } },
        { "float",
          TW_AIE_FLOAT32,
          32,
          { "0.5", "-1.25", "0", "-0", "3.40282347e+38", "1.40129846e-45", "0.100000001", "inf" } },
        { "cfloat",
          TW_AIE_CFLOAT32,
          32,
          { "0.5", "-1.25", "0", "-0", "3.40282347e+38", "1.40129846e-45", "0.100000001", "-inf" } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned bits = 32; bits <= 128; bits *= 2)
            for (int stream = 0; stream < 2; stream++) {
                char text[4096] = "", annotated[4200] = "T 0 ns\n";
                unsigned line = bits > rows[i].bits ? bits : rows[i].bits, all = 1024;
                for (unsigned at = 0, n = 0; at < all; at += rows[i].bits, n++) {
                    if (stream && at % line == 0 && (at / line) % 3 == 1) strcat(text, "TLAST\n");
                    strcat(text, rows[i].values[(n + n / 8) % 8]);
                    strcat(text, (at + rows[i].bits) % line ? " " : "\n");
                }
                strcat(annotated, text);
                write_file("x.txt", annotated);
                unsigned words = all / 32;
                tw_aie_array *a = tw_aie_array_new();
                tw_aie_kernel k = tw_aie_array_add(a, "k", stream ? pass_words : pass_window, &words, 0, 0);
                tw_aie_array_input(
                    a, &(tw_aie_file){ path("x.txt"), rows[i].element, bits, stream ? 0 : 4 * words, 0 },
                    tw_aie_in(k, 0));
                tw_aie_array_output(
                    a, tw_aie_out(k, 0),
                    &(tw_aie_file){ path("y.txt"), rows[i].element, bits, stream ? 0 : 4 * words, 0 });
                if (tw_aie_array_run(a, 1) != TW_OK)
                    fail_msg("%s, %u bits: %s", rows[i].name, bits, tw_error_message());
                expect_file("y.txt", text);
                tw_aie_array_free(a);
            }
}

/* A run that goes on is the run in one piece; two runs are the same to the byte. */
static void aie_array_resumes(void **state)
{
    (void)state;
    char text[4096] = "", whole[4096] = "";
    for (int i = 0; i < 96; i += 2) sprintf(text + strlen(text), "%d %d\n", 7 * i - 100, 5 * i + 1);
    write_file("x.txt", text);
    for (int parts = 0; parts < 3; parts++) {
        tw_aie_array *a = tw_aie_array_new();
        tw_aie_kernel k = tw_aie_array_add(a, "sum", add_previous, NULL, 3, 1);
        tw_aie_array_input(a, &(tw_aie_file){ path("x.txt"), TW_AIE_INT16, 32, 32, 32 }, tw_aie_in(k, 0));
        tw_aie_array_output(a, tw_aie_out(k, 0), &(tw_aie_file){ path("y.txt"), TW_AIE_INT16, 32, 32, 0 });
        assert_int_equal(tw_aie_array_run(a, parts ? 2 : 6), TW_OK);
        if (parts) assert_int_equal(tw_aie_array_resume(a, parts == 1 ? 4 : 1), TW_OK);
        if (parts == 2) assert_int_equal(tw_aie_array_resume(a, 0), TW_OK); /* to the end of the file */
        assert_int_equal(tw_aie_array_cycles(a, k), 6 * (2 + 38));
        if (!parts) {
            FILE *f = fopen(path("y.txt"), "r");
            whole[fread(whole, 1, sizeof whole - 1, f)] = 0;
            fclose(f);
        }
        expect_file("y.txt", whole);
        tw_aie_array_free(a);
    }
}

/* The 32 KB of a tile, from both sides: 1 KB of stack and 1 KB of heap a kernel, ping-pong windows with their
 * margins. */
static void aie_array_memory(void **state)
{
    (void)state;
    static const struct {
        unsigned kernels, bytes, margin;
        const char *phrase; /* NULL: fits */
    } rows[] = {
        { 1, 1028, 0, NULL },
        { 1, 15360, 0, NULL }, /* 2 x 15 KB + 2 KB */
        { 1, 15392, 0, "tile (4,5) needs 32832 bytes (30784 for windows, 2048 for stack and heap), it has 32768" },
        { 1, 15328, 32, NULL },
        { 1, 15360, 32, "needs 32832 bytes" },
        { 8, 8192, 0, NULL },
        { 8, 8224, 0, "tile (4,5) needs 32832 bytes (16448 for windows, 16384 for stack and heap)" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned words = rows[i].bytes / 4;
        tw_aie_array *a = tw_aie_array_new();
        tw_aie_kernel from = tw_aie_array_add(a, "from", writes_nothing, NULL, 4, 4), to = { 0 };
        for (unsigned k = 0; k < rows[i].kernels; k++) to = tw_aie_array_add(a, "to", writes_nothing, &words, 4, 5);
        tw_aie_array_window(a, tw_aie_out(from, 0), tw_aie_in(to, 0), rows[i].bytes, rows[i].margin);
        if (rows[i].phrase)
            fails(a, 1, TW_E_TILE_MEMORY, rows[i].phrase);
        else {
            assert_int_equal(tw_aie_array_run(a, 1), TW_OK);
            tw_aie_array_free(a);
        }
    }
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}
static int teardown(void **state)
{
    (void)state;
    remove(path("x.txt")), remove(path("y.txt")), remove(path("bad.txt"));
    remove(path("part.txt")), remove(path("part_out.txt"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_array_windows_and_files), cmocka_unit_test(aie_array_cascade_and_streams),
        cmocka_unit_test(aie_array_deadlocks),         cmocka_unit_test(aie_array_wrong_input),
        cmocka_unit_test(aie_array_part_of_a_beat),    cmocka_unit_test(aie_array_formats),
        cmocka_unit_test(aie_array_resumes),           cmocka_unit_test(aie_array_memory),
    };
    return cmocka_run_group_tests_name("aie.array", tests, setup, teardown);
}
