/* SPDX-License-Identifier: MIT */
/* .npy files: what is written reads back, in NumPy's own bytes; damaged files are refused with a reason. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include <tilewright/npy.h>

static char path[64];

static void write_bytes(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void base_npy_round_trip(void **state)
{
    float values[6] = { 1, -2, 3.5f, 0, 1e30f, 7 };
    static const size_t shapes[][3] = { { 6, 0, 0 }, { 2, 3, 0 }, { 1, 2, 3 }, { 0, 3, 0 } };
    static const unsigned ranks[] = { 1, 2, 3, 2 };
    (void)state;
    for (int i = 0; i < 4; i++) {
        tw_npy out = { .descr = "<f4", .rank = ranks[i], .item = 4, .count = i == 3 ? 0 : 6, .data = values };
        memcpy(out.shape, shapes[i], sizeof shapes[i]);
        assert_int_equal(tw_npy_write(path, &out), TW_OK);
        tw_npy *in = tw_npy_read(path);
        assert_non_null(in);
        assert_string_equal(in->descr, "<f4");
        assert_int_equal(in->rank, out.rank);
        assert_int_equal(in->count, out.count);
        assert_int_equal(in->item, 4);
        assert_memory_equal(in->shape, out.shape, in->rank * sizeof *in->shape);
        assert_memory_equal(in->data, values, in->count * 4);
        tw_npy_free(in);
    }
}

/* The bytes that numpy.save gives for int16([[1, 2]]) in format 1.0. */
static void base_npy_foreign(void **state)
{
    char file[132];
    memset(file, ' ', sizeof file);
    memcpy(file, "\x93NUMPY\x01\x00\x76\x00{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }", 69);
    file[127] = '\n';
    memcpy(file + 128, "\x01\x00\x02\x00", 4);
    (void)state;
    write_bytes(file, sizeof file);
    tw_npy *a = tw_npy_read(path);
    assert_non_null(a);
    assert_int_equal(a->count, 2);
    assert_int_equal(((int16_t *)a->data)[1], 2);
    tw_npy_free(a);
    tw_npy_free(NULL);
}

static void base_npy_damaged(void **state)
{
    static const struct {
        const char *header, *phrase;
    } rows[] = {
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", "too short" },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "Fortran" },
        { "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "little endian" },
        { "{'descr': '<f99', 'fortran_order': False, 'shape': (1,), }", "unknown size" },
        { "{'descr': '<f4', 'fortran_order': False, }", "without" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }", "shape" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", "shape" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999,), }", "too short" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[256] = "\x93NUMPY\x01\x00";
        file[8] = (char)strlen(rows[i].header);
        memcpy(file + 10, rows[i].header, strlen(rows[i].header));
        write_bytes(file, 10 + strlen(rows[i].header) + 4);
        assert_int_equal(tw_status_of(tw_npy_read(path)), TW_E_FILE_LOAD);
        if (!strstr(tw_error_message(), rows[i].phrase)) fail_msg("row %zu: %s", i, tw_error_message());
    }
    write_bytes("hello", 5);
    assert_int_equal(tw_status_of(tw_npy_read(path)), TW_E_FILE_LOAD);
    unlink(path);
    assert_int_equal(tw_status_of(tw_npy_read(path)), TW_E_FILE_LOAD);
}

/* Writes a file of any version with a header of `padded` bytes (0: as long as it is) and `bytes` of data 1, 2,
 * 3... */
static void write_file(int version, const char *header, size_t padded, size_t bytes)
{
    size_t length = padded ? padded : strlen(header), start = version > 1 ? 12 : 10;
    unsigned char *file = malloc(start + length + bytes);
    assert_non_null(file);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version, file[7] = 0;
    for (size_t i = 0; i < start - 8; i++) file[8 + i] = (unsigned char)(length >> 8 * i);
    memset(file + start, ' ', length);
    memcpy(file + start, header, strlen(header));
    for (size_t i = 0; i < bytes; i++) file[start + length + i] = (unsigned char)(i + 1);
    write_bytes(file, start + length + bytes);
    free(file);
}

#define HEADER(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

/* Formats 1 to 3, element sizes, ranks, headers of the longest kind; and what lies just outside. */
static void base_npy_limits(void **state)
{
    static const struct {
        int version;
        const char *header;
        size_t padded, bytes; /* in the file */
        unsigned rank;        /* 99 = refused */
        size_t count, item;
    } rows[] = {
        { 1, HEADER("<f4", "(2,)"), 0, 8, 1, 2, 4 },
        { 2, HEADER("<f4", "(2,)"), 0, 8, 1, 2, 4 },
        { 3, HEADER("<f4", "(2,)"), 0, 8, 1, 2, 4 },
        { 0, HEADER("<f4", "(2,)"), 0, 8, 99, 0, 0 },
        { 4, HEADER("<f4", "(2,)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<f4", "(2,)"), 65535, 8, 1, 2, 4 }, /* the longest that format 1 can say */
        { 2, HEADER("<f4", "(2,)"), 65535, 8, 1, 2, 4 },
        { 2, HEADER("<f4", "(2,)"), 65536, 8, 99, 0, 0 },
        { 2, HEADER("<f4", "(2,)"), 65536 + 300, 8, 99, 0, 0 },
        { 2, HEADER("<f4", "(2,)"), (1 << 24) + 300, 8, 99, 0, 0 },
        { 1, HEADER("|b1", "()"), 0, 1, 0, 1, 1 },
        { 1, HEADER("|u1", "(3,)"), 0, 3, 1, 3, 1 },
        { 1, HEADER("<c16", "(1,)"), 0, 16, 1, 1, 16 },
        { 1, HEADER("<c17", "(1,)"), 0, 17, 99, 0, 0 },
        { 1, HEADER("<V10", "(1,)"), 0, 10, 1, 1, 10 },
        { 1, HEADER("<f0", "(1,)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<f", "(1,)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("|1", "(1,)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("=f4", "(1,)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<i000000000004", "(1,)"), 0, 4, 1, 1, 4 }, /* 14 characters */
        { 1, HEADER("<i0000000000004", "(1,)"), 0, 4, 1, 1,
          4 }, /* 15 and a zero byte: all that there is room for */
        { 1, HEADER("<i00000000000004", "(1,)"), 0, 4, 99, 0, 0 },
        { 1, HEADER("<i000000000000004", "(1,)"), 0, 4, 99, 0, 0 },
        { 1, HEADER("<i4", "(1,1,1,1,1,1,1,2)"), 0, 8, 8, 2, 4 },
        { 1, HEADER("<i4", "(1,1,1,1,1,1,1,2,1)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<i4", "(0,)"), 0, 0, 1, 0, 4 },
        { 1, HEADER("<i4", "(10, 11)"), 0, 440, 2, 110, 4 },
        { 1, HEADER("<i4", "(10, 11)"), 0, 439, 99, 0, 0 },
        { 1, HEADER("<i4", "(-1,)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<i4", "(4611686018427387904,)"), 0, 8, 99, 0, 0 }, /* 2^62 elements: 2^64 bytes */
        { 1, HEADER("<i4", "(8589934592, 8589934592)"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<i4", "2"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<i4", "(2"), 0, 8, 99, 0, 0 },
        { 1, HEADER("<i4", "(2;)"), 0, 8, 99, 0, 0 },
        { 1, "{'descr': <i4, 'fortran_order': False, 'shape': (2,), }", 0, 8, 99, 0, 0 },
        { 1, "{'descr': '<i4', 'shape': (2,), }", 0, 8, 99, 0, 0 },
        { 1, "{'fortran_order': False, 'shape': (2,), }", 0, 8, 99, 0, 0 },
        { 1, "{'descr': '<i4', 'fortran_order': False, }", 0, 8, 99, 0, 0 },
        { 1, "{'descr'", 0, 8, 99, 0, 0 },
        { 1, "{'descr':'<i2','fortran_order':False,'shape':(2,)}", 0, 4, 1, 2, 2 }, /* without blanks */
        { 1, "{'shape':   (2,), 'fortran_order':   False, 'descr':   '<i2'}", 0, 4, 1, 2, 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file(rows[i].version, rows[i].header, rows[i].padded, rows[i].bytes);
        tw_npy *a = tw_npy_read(path);
        tw_status status = tw_status_of(a);
        if (status != (rows[i].rank == 99 ? TW_E_FILE_LOAD : TW_OK)) fail_msg("row %zu: %s", i, tw_error_message());
        if (status != TW_OK) {
            if (!strstr(tw_error_message(), path)) fail_msg("row %zu does not name the file", i);
            continue;
        }
        if (a->rank != rows[i].rank || a->count != rows[i].count || a->item != rows[i].item)
            fail_msg("row %zu: rank %u, %zu of %zu bytes", i, a->rank, a->count, a->item);
        for (size_t b = 0; b < a->count * a->item; b++) assert_int_equal(((uint8_t *)a->data)[b], (uint8_t)(b + 1));
        tw_npy_free(a);
    }
}

/* Larger than one step of reading; cut in the second step. */
static void base_npy_large(void **state)
{
    enum { BYTES = (1 << 24) + (1 << 23) + 5 };
    (void)state;
    write_file(1, HEADER("|u1", "(25165829,)"), 0, BYTES);
    tw_npy *a = tw_npy_read(path);
    assert_non_null(a);
    assert_int_equal(a->count, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        if (((uint8_t *)a->data)[i] != (uint8_t)(i + 1)) fail_msg("byte %zu", i);
    tw_npy_free(a);
    write_file(1, HEADER("|u1", "(25165829,)"), 0, BYTES - 1);
    assert_int_equal(tw_status_of(tw_npy_read(path)), TW_E_FILE_LOAD);
    for (unsigned long n = 1; n <= 3; n++) { /* the struct, two steps */
        write_file(1, HEADER("|u1", "(25165829,)"), 0, BYTES);
        tw__fail_allocation(n);
        assert_int_equal(tw_status_of(tw_npy_read(path)), TW_E_NO_MEMORY);
        tw__fail_allocation(0);
        assert_non_null(strstr(tw_error_message(), n > 1 ? "25165829 bytes" : path));
    }
}

/* Every file that is cut anywhere in front of its data is refused. */
static void base_npy_cut(void **state)
{
    (void)state;
    char whole[200];
    for (int version = 1; version <= 2; version++) {
        write_file(version, HEADER("<f4", "(2,)"), 100, 8);
        FILE *in = fopen(path, "rb");
        size_t size = fread(whole, 1, sizeof whole, in);
        fclose(in);
        for (size_t cut = 0; cut < size; cut++) {
            write_bytes(whole, cut);
            if (tw_status_of(tw_npy_read(path)) != TW_E_FILE_LOAD)
                fail_msg("format %d, %zu of %zu bytes", version, cut, size);
        }
        whole[3] ^= 1;
        write_bytes(whole, size);
        assert_int_equal(tw_status_of(tw_npy_read(path)), TW_E_FILE_LOAD);
        assert_non_null(strstr(tw_error_message(), "is not a .npy file"));
    }
}

/* The header that is written: aligned to 64 bytes, closed by a newline, as NumPy asks. */
static void base_npy_written(void **state)
{
    (void)state;
    static const struct {
        unsigned rank;
        const char *shape;
    } rows[] = { { 0, "'shape': (), }" },
                 { 1, "'shape': (2,), }" },
                 { 2, "'shape': (2, 3), }" },
                 { 3, "'shape': (2, 3, 1), }" } };
    uint16_t values[6] = { 1, 2, 3, 4, 5, 6 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t counts[] = { 1, 2, 6, 6 };
        tw_npy a = { .descr = "<u2",
                     .rank = rows[i].rank,
                     .shape = { 2, 3, 1 },
                     .item = 2,
                     .count = counts[i],
                     .data = values };
        unsigned char file[256] = { 0 };
        assert_int_equal(tw_npy_write(path, &a), TW_OK);
        FILE *in = fopen(path, "rb");
        size_t size = fread(file, 1, sizeof file - 1, in);
        fclose(in);
        size_t length = file[8] | (size_t)file[9] << 8;
        assert_memory_equal(file, "\x93NUMPY\x01\x00", 8);
        assert_int_equal((10 + length) % 64, 0);
        assert_int_equal(file[9 + length], '\n');
        assert_int_equal(size, 10 + length + counts[i] * 2);
        assert_memory_equal(file + 10 + length, values, counts[i] * 2);
        file[10 + length] = 0;
        assert_non_null(strstr((char *)file + 10, rows[i].shape));
    }
    tw_npy a = { .descr = "<u2", .rank = 1, .shape = { 1 }, .item = 2, .count = 1, .data = values };
    assert_int_equal(tw_npy_write("/no/such/folder/x.npy", &a), TW_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_npy_round_trip), cmocka_unit_test(base_npy_foreign),
        cmocka_unit_test(base_npy_damaged),    cmocka_unit_test(base_npy_limits),
        cmocka_unit_test(base_npy_large),      cmocka_unit_test(base_npy_cut),
        cmocka_unit_test(base_npy_written),
    };
    snprintf(path, sizeof path, "/tmp/tw_npy_%d.npy", (int)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
