/* SPDX-License-Identifier: MIT */
// needs: pto
/* Pointers, views and parts of views over memory that is exactly as large as it says: extents, strides and offsets
 * from anywhere either move what the same loops over addresses move, or are refused and move nothing. */
#include <tilewright/pto/text.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void check(bool ok)
{
    if (!ok) abort();
}

enum { ROWS = 4, COLS = 32, MOST = 96 };

static const char source[] =
    "func.func @f(%p: !pto.ptr<i8>, %at: index, %r: index, %c: index, %sr: index, %sc: index, %or: index, %oc: "
    "index,\n"
    "             %nr: index, %nc: index) {\n"
    "  %q = pto.addptr %p, %at : !pto.ptr<i8> -> !pto.ptr<i8>\n"
    "  %v = pto.make_tensor_view %q, shape = [%r, %c], strides = [%sr, %sc] : !pto.tensor_view<?x?xi8>\n"
    "  %w = pto.partition_view %v, offsets = [%or, %oc], sizes = [%nr, %nc] : !pto.tensor_view<?x?xi8> ->"
    " !pto.partition_tensor_view<?x?xi8>\n"
    "  %t = pto.alloc_tile valid_row = %nr valid_col = %nc : !pto.tile_buf<vec, 4x32xi8, valid=?x?>\n"
    "  pto.tload ins(%w : !pto.partition_tensor_view<?x?xi8>) outs(%t : !pto.tile_buf<vec, 4x32xi8, valid=?x?>)\n"
    "  return\n}\n";

enum { AT, R, C, SR, SC, OR, OC, NR, NC, NUMBERS };
static const char *const names[NUMBERS] = { "at", "r", "c", "sr", "sc", "or", "oc", "nr", "nc" };

/* Element (r, c) of the part; false when it lies outside. */
static bool element(const int64_t *n, int64_t r, int64_t c, size_t bytes, size_t *at)
{
    __int128 place = (__int128)n[AT] + (__int128)(n[OR] + r) * n[SR] + (__int128)(n[OC] + c) * n[SC];
    *at = (size_t)place;
    return place >= 0 && place < (__int128)bytes;
}

/* The whole part lies in the view and its elements in memory. */
static bool is_good(const int64_t *n, size_t bytes)
{
    size_t at;
    bool good = n[NR] >= 0 && n[NR] <= ROWS && n[NC] >= 0 && n[NC] <= COLS && n[AT] >= 0 &&
                n[AT] <= (int64_t)bytes && n[R] >= 0 && n[C] >= 0 && n[OR] >= 0 && n[OC] >= 0 &&
                n[OR] <= n[R] - n[NR] && n[OC] <= n[C] - n[NC];
    for (int64_t r = 0; good && r < n[NR]; r++)
        for (int64_t c = 0; good && c < n[NC]; c++) good = element(n, r, c, bytes, &at);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t n[NUMBERS];
    if (size < 1 + NUMBERS) return 0;
    size_t bytes = data[0] % (MOST + 1);
    unsigned char *memory = malloc(bytes ? bytes : 1), values[ROWS * COLS];
    for (size_t i = 0; i < bytes; i++) memory[i] = (unsigned char)(i * 37 + 11);
    for (int i = 0; i < NUMBERS; i++) n[i] = (int8_t)data[1 + i];
    for (size_t i = 1 + NUMBERS; i + 1 < size; i += 2) /* then some of them anywhere */
        n[data[i] % NUMBERS] = (int64_t)((uint64_t)n[data[i] % NUMBERS] << 8 | data[i + 1]);
    tw_pto_text *text = tw_pto_text_parse("view.pto", source, sizeof source - 1, NULL, NULL);
    check(text && tw_pto_text_verify(text, TW_PTO_CPU) == TW_OK);
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_run *run = tw_pto_run_new(text, NULL, core);
    check(core && run);
    bool bound = bytes && tw_pto_run_memory(run, "p", memory, TW_I8, 1, &bytes) == TW_OK;
    for (int i = 0; i < NUMBERS && bound; i++) {
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, n[i]);
        bound = tw_pto_run_number(run, names[i], number) == TW_OK;
    }
    if (bound && tw_pto_run_start(run, NULL) == TW_OK) {
        check(is_good(n, bytes) || n[NR] == 0 || n[NC] == 0);
        tw_pto_tile *t = tw_pto_run_tile(run, "t");
        size_t count = (size_t)(n[NR] * n[NC]), at = 0;
        check(t && tw_pto_read(core, t, values, count) == TW_OK);
        for (size_t i = 0; i < count; i++) {
            check(element(n, (int64_t)i / n[NC], (int64_t)i % n[NC], bytes, &at));
            check(values[i] == memory[at]);
        }
    } else if (bound) {
        check(*tw_error_message());
        bool small = true; /* extents and strides of views are 32 bits wide */
        for (int i = 0; i < NUMBERS; i++) small &= n[i] >= -INT32_MAX && n[i] <= INT32_MAX;
        check(!small || !is_good(n, bytes) || n[NR] == 0 || n[NC] == 0);
    }
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(text);
    free(memory);
    return 0;
}
