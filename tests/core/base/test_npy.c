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
        tw_npy out = { .descr = "<f4", .rank = ranks[i], .item = 4, .count = i == 3 ? 0 : 6, .data = values }, in;
        memcpy(out.shape, shapes[i], sizeof shapes[i]);
        assert_int_equal(tw_npy_write(path, &out), TW_OK);
        assert_int_equal(tw_npy_read(path, &in), TW_OK);
        assert_string_equal(in.descr, "<f4");
        assert_int_equal(in.rank, out.rank);
        assert_int_equal(in.count, out.count);
        assert_int_equal(in.item, 4);
        assert_memory_equal(in.shape, out.shape, in.rank * sizeof *in.shape);
        assert_memory_equal(in.data, values, in.count * 4);
        tw_npy_free(&in);
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
    tw_npy a;
    (void)state;
    write_bytes(file, sizeof file);
    assert_int_equal(tw_npy_read(path, &a), TW_OK);
    assert_int_equal(a.count, 2);
    assert_int_equal(((int16_t *)a.data)[1], 2);
    tw_npy_free(&a);
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
        tw_npy a;
        file[8] = (char)strlen(rows[i].header);
        memcpy(file + 10, rows[i].header, strlen(rows[i].header));
        write_bytes(file, 10 + strlen(rows[i].header) + 4);
        assert_int_equal(tw_npy_read(path, &a), TW_E_FILE_LOAD);
        if (!strstr(tw_error_message(), rows[i].phrase)) fail_msg("row %zu: %s", i, tw_error_message());
    }
    tw_npy a;
    write_bytes("hello", 5);
    assert_int_equal(tw_npy_read(path, &a), TW_E_FILE_LOAD);
    unlink(path);
    assert_int_equal(tw_npy_read(path, &a), TW_E_FILE_LOAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_npy_round_trip),
        cmocka_unit_test(base_npy_foreign),
        cmocka_unit_test(base_npy_damaged),
    };
    snprintf(path, sizeof path, "/tmp/tw_npy_%d.npy", (int)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
