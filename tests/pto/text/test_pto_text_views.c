/* SPDX-License-Identifier: MIT */
/* Views and pointers: what every operation gives for known operands, and the operand that each refusal names. Numbers
 * come as parameters, so that nothing is known before the run. test_pto_text_bounds.c finds the last byte. */
#include "pto/support/check.h"

#include <tilewright/pto/text.h>

enum { COUNT = 120, HEAD_LINES = 3 };

/* %p: 120 x i32 with 0, 1, ...; %r: results; %k0 to %k9: 0 to 9 at run time; %n, %m: the row's numbers. */
#define HEAD                                                                                           \
    "func.func @f(%p: !pto.ptr<i32>, %r: !pto.ptr<i64>, %none: !pto.ptr<i32>, %n: index, %m: index, "  \
    "%k0: index, %k1: index, %k2: index, %k3: index, %k4: index, %k5: index, %k6: index, %k7: index, " \
    "%k8: index, %k9: index) {\n%s0 = arith.constant 0 : index\n%s1 = arith.constant 1 : index\n"
#define I32     "!pto.ptr<i32>"
#define V(dims) "!pto.tensor_view<" dims "xi32>"
#define P(dims) "!pto.partition_tensor_view<" dims "xi32>"
/* Extents 2, 3, 4, 5 and 1 with strides 60, 20, 5, 1 and 7, from element 0 on. */
#define VIEW4 \
    "%v = pto.make_tensor_view %p, shape = [%k2, %k3, %k4, %k5], strides = [%n, %m, %k5, %k1] : " V("?x?x?x?") "\n"
#define VIEW2                 "%v = pto.make_tensor_view %p, shape = [%k4, %k5], strides = [%k6, %k1] : " V("?x?") "\n"
#define DIM(what, v, d, type) "%w = pto.get_tensor_view_" what " %" v ", %" d " : " type " -> index\n"
/* The elements of the first rows of what is loaded, as the sum of value x place. */
#define LOADED(v, type, rows, cols)                                                          \
    "%t = pto.alloc_tile : !pto.tile_buf<vec, " #rows "x8xi32, valid=" #rows "x" #cols ">\n" \
    "pto.tload ins(%" v " : " type ") outs(%t : !pto.tile_buf<vec, " #rows "x8xi32, valid=" #rows "x" #cols ">)\n"

typedef struct row {
    const char *body;
    int64_t n, m, want; /* %w */
} row;

static void bind(tw_pto_run *run, int32_t *p, int64_t *r, int64_t n, int64_t m)
{
    char number[24], name[4] = "k0";
    OK(tw_pto_run_memory(run, "p", p, TW_I32, 1, (size_t[]){ COUNT }));
    OK(tw_pto_run_memory(run, "r", r, TW_I64, 1, (size_t[]){ 4 }));
    OK(tw_pto_run_memory(run, "none", NULL, TW_I32, 1, (size_t[]){ 0 }));
    snprintf(number, sizeof number, "%lld", (long long)n);
    OK(tw_pto_run_number(run, "n", number));
    snprintf(number, sizeof number, "%lld", (long long)m);
    OK(tw_pto_run_number(run, "m", number));
    for (int k = 0; k < 10; k++) {
        snprintf(number, sizeof number, "%d", k);
        name[1] = (char)('0' + k);
        OK(tw_pto_run_number(run, name, number));
    }
}

static tw_status run_body(const char *body, const char *tail, int64_t n, int64_t m, int32_t *p, int64_t *r,
                          const tw_pto_tile **tile, char *tile_data, size_t tile_bytes)
{
    char source[4096];
    snprintf(source, sizeof source, "%s%s%sreturn\n}\n", HEAD, body, tail);
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
    tw_status status = tw_pto_text_verify(text, TW_PTO_A2A3);
    if (status == TW_OK) {
        tw_pto_run *run = tw_pto_run_new(text, "f", core);
        for (int k = 0; k < COUNT; k++) p[k] = k;
        bind(run, p, r, n, m);
        status = tw_pto_run_start(run, NULL);
        if (tile && status == TW_OK) {
            tw_pto_tile *t = tw_pto_run_tile(run, "t");
            memcpy(tile_data, tw_pto_data(core, t), tile_bytes);
            *tile = t;
        }
        tw_pto_run_free(run);
    }
    tw_pto_text_free(text);
    tw_pto_free(core);
    return status;
}

static void pto_text_views_numbers(void **state)
{
    static const row rows[] = {
        /* extents and strides by dimension, of a view and of a part of it */
        { VIEW4 DIM("dim", "v", "k0", V("?x?x?x?")), 60, 20, 2 },
        { VIEW4 DIM("dim", "v", "k1", V("?x?x?x?")), 60, 20, 3 },
        { VIEW4 DIM("dim", "v", "k2", V("?x?x?x?")), 60, 20, 4 },
        { VIEW4 DIM("dim", "v", "k3", V("?x?x?x?")), 60, 20, 5 },
        { VIEW4 DIM("stride", "v", "k0", V("?x?x?x?")), 60, 20, 60 },
        { VIEW4 DIM("stride", "v", "k1", V("?x?x?x?")), 60, 20, 20 },
        { VIEW4 DIM("stride", "v", "k2", V("?x?x?x?")), 60, 20, 5 },
        { VIEW4 DIM("stride", "v", "k3", V("?x?x?x?")), 60, 20, 1 },
        { VIEW4 DIM("stride", "v", "k1", V("?x?x?x?")), 60, -20, -20 },
        { VIEW2 DIM("dim", "v", "n", V("?x?")), 0, 0, 4 },
        { VIEW2 DIM("dim", "v", "n", V("?x?")), 1, 0, 5 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k1, %k2], sizes = [%k3, %n] : " V("?x?") " -> " P(
              "?x?") "\n" DIM("dim", "q", "k0", P("?x?")),
          2, 0, 3 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k1, %k2], sizes = [%k3, %n] : " V("?x?") " -> " P(
              "?x?") "\n" DIM("dim", "q", "k1", P("?x?")),
          2, 0, 2 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k1, %k2], sizes = [%k3, %n] : " V("?x?") " -> " P(
              "?x?") "\n" DIM("stride", "q", "k0", P("?x?")),
          2, 0, 6 },
        /* ranks 1 and 5 */
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n" DIM("dim", "v", "k0", V("?")),
          7, 3, 7 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n" DIM("stride", "v", "k0",
                                                                                          V("?")),
          7, 3, 3 },
        { "%v = pto.make_tensor_view %p, shape = [%k1, %k2, %n, %k2, %k1], strides = [%k9, %k8, %k7, %k6, %m] : " V(
              "?x?x?x?x?") "\n" DIM("stride", "v", "k4", V("?x?x?x?x?")),
          3, 5, 5 },
        { "%v = pto.make_tensor_view %p, shape = [%k1, %k2, %n, %k2, %k1], strides = [%k9, %k8, %k7, %k6, %m] : " V(
              "?x?x?x?x?") "\n" DIM("stride", "v", "k0", V("?x?x?x?x?")),
          3, 5, 9 },
        { "%v = pto.make_tensor_view %p, shape = [%k1, %k2, %n, %k2, %k1], strides = [%k9, %k8, %k7, %k6, %m] : " V(
              "?x?x?x?x?") "\n" DIM("dim", "v", "k2", V("?x?x?x?x?")),
          3, 5, 3 },
        /* nothing at all, the largest extents and strides; extents in the type that are right */
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n" DIM("dim", "v", "k0", V("?")),
          0, 1, 0 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n" DIM("dim", "v", "k0", V("?")),
          INT32_MAX, INT32_MAX, INT32_MAX },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n" DIM("stride", "v", "k0",
                                                                                          V("?")),
          1, -INT32_MAX, -INT32_MAX },
        { "%v = pto.make_tensor_view %p, shape = [%n, %k5], strides = [%m, %k1] : " V("4x5") "\n" DIM(
              "dim", "v", "k0", V("4x5")),
          4, 5, 4 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("0") "\n" DIM("dim", "v", "k0", V("0")),
          0, 1, 0 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k4, %k5], sizes = [%n, %m] : " V("?x?") " -> " P(
              "?x?") "\n" DIM("dim", "q", "k0", P("?x?")),
          0, 0, 0 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k0, %k0], sizes = [%n, %m] : " V("?x?") " -> " P(
              "4x5") "\n" DIM("dim", "q", "k1", P("4x5")),
          4, 5, 5 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k0, %k0], sizes = [%n, %m] : " V("?x?") " -> " P(
              "0x5") "\n" DIM("dim", "q", "k0", P("0x5")),
          0, 5, 0 },
        /* pointers: elements are counted in their type, from where the pointer is */
        { "%x = pto.load_scalar %p[%n] : " I32 " -> i32\n%w = arith.index_cast %x : i32 to index\n", 9, 0, 9 },
        { "%q = pto.addptr %p, %n : " I32 " -> " I32 "\n%q2 = pto.addptr %q, %m : " I32 " -> " I32 "\n"
          "%x = pto.load_scalar %q2[%k3] : " I32 " -> i32\n%w = arith.index_cast %x : i32 to index\n",
          40, -11, 32 },
        { "%x = pto.load_scalar %p[%k7] : " I32 " -> i32\n%q = pto.addptr %p, %n : " I32 " -> " I32 "\n"
          "pto.store_scalar %x, %q[%m] : " I32 ", i32\n%y = pto.load_scalar %p[%k9] : " I32 " -> i32\n"
          "%w = arith.index_cast %y : i32 to index\n",
          5, 4, 7 },
        /* signless integers go by their width: bits stay as they are */
        { "%z = arith.constant -1 : i32\npto.store_scalar %z, %p[%n] : " I32 ", i32\n"
          "%x = pto.load_scalar %p[%n] : " I32 " -> i32\n%y = arith.extui %x : i32 to i64\n"
          "%w = arith.index_cast %y : i64 to index\n",
          2, 0, UINT32_MAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t p[COUNT];
        int64_t r[4] = { -99, -99, -99, -99 };
        tw_status status = run_body(rows[i].body,
                                    "%o = arith.index_cast %w : index to i64\n"
                                    "pto.store_scalar %o, %r[%s1] : !pto.ptr<i64>, i64\n",
                                    rows[i].n, rows[i].m, p, r, NULL, NULL, 0);
        if (status != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        if (r[1] != rows[i].want || r[0] != -99 || r[2] != -99)
            fail_msg("row %zu: %lld, not %lld", i, (long long)r[1], (long long)rows[i].want);
    }
}

/* What a view holds: element (i, j) of the tile is the element of the memory that offsets and strides say. */
static void pto_text_views_elements(void **state)
{
    static const struct {
        const char *body;
        int64_t n, m;
        int at, row, col, rows, cols; /* (i, j) is at + i row + j col */
    } rows[] = {
        { VIEW2 LOADED("v", V("?x?"), 4, 5), 0, 0, 0, 6, 1, 4, 5 },
        { "%q = pto.addptr %p, %n : " I32 " -> " I32
          "\n%v = pto.make_tensor_view %q, shape = [%k4, %k5], strides = "
          "[%k6, %k1] : " V("?x?") "\n" LOADED("v", V("?x?"), 4, 5),
          17, 0, 17, 6, 1, 4, 5 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%n, %m], sizes = [%k2, %k3] : " V("?x?") " -> " P(
              "?x?") "\n" LOADED("q", P("?x?"), 2, 3),
          1, 2, 8, 6, 1, 2, 3 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%n, %m], sizes = [%k2, %k3] : " V("?x?") " -> " P(
              "?x?") "\n" LOADED("q", P("?x?"), 2, 3),
          2, 0, 12, 6, 1, 2, 3 },
        /* a part of a part */
        { VIEW2 "%q = pto.partition_view %v, offsets = [%n, %m], sizes = [%k3, %k4] : " V("?x?") " -> " P(
              "?x?") "\n"
                     "%q2 = pto.partition_view %q, offsets = [%k1, %k2], sizes = [%k2, %k2] : " P("?x?") " -> " P(
                         "?x?") "\n" LOADED("q2", P("?x?"), 2, 2),
          1, 1, 15, 6, 1, 2, 2 },
        /* rows from the end to the start */
        { "%s119 = arith.constant 114 : index\n%q = pto.addptr %p, %s119 : " I32 " -> " I32 "\n%v = "
          "pto.make_tensor_view %q, shape = [%k4, %k5], strides = [%n, %m] : " V("?x?") "\n" LOADED("v", V("?x?"),
                                                                                                    4, 5),
          -9, 1, 114, -9, 1, 4, 5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t p[COUNT], data[4 * 8];
        int64_t r[4];
        const tw_pto_tile *tile = NULL;
        size_t bytes = (size_t)rows[i].rows * 8 * sizeof *data;
        if (run_body(rows[i].body, "", rows[i].n, rows[i].m, p, r, &tile, (char *)data, bytes) != TW_OK)
            fail_msg("row %zu: %s", i, tw_error_message());
        for (int a = 0; a < rows[i].rows; a++)
            for (int b = 0; b < rows[i].cols; b++)
                if (data[a * 8 + b] != rows[i].at + a * rows[i].row + b * rows[i].col)
                    fail_msg("row %zu: element (%d, %d) is %d", i, a, b, data[a * 8 + b]);
    }
}

static void pto_text_views_refused(void **state)
{
    static const struct {
        const char *body, *message;
        int64_t n, m;
        int line, column; /* behind the head */
    } rows[] = {
        { "%x = pto.load_scalar %none[%n] : " I32 " -> i32\n", "operand 1 is not a pointer with memory", 0, 0, 1,
          22 },
        { "%x = arith.constant 1 : i32\npto.store_scalar %x, %none[%n] : " I32 ", i32\n",
          "operand 2 is not a pointer with memory", 0, 0, 2, 22 },
        { "%q = pto.addptr %none, %n : " I32 " -> " I32 "\n", "operand 1 is not a pointer with memory", 0, 0, 1,
          17 },
        { "%v = pto.make_tensor_view %none, shape = [%n], strides = [%n] : " V("?") "\n",
          "operand 1 is not a pointer with memory", 1, 0, 1, 27 },
        { "%q = pto.addptr %p, %n : " I32 " -> " I32 "\n", "overflows", INT64_MAX, 0, 1, 6 },
        { "%q = pto.addptr %p, %k1 : " I32 " -> " I32 "\n%q2 = pto.addptr %q, %n : " I32 " -> " I32 "\n",
          "overflows", INT64_MAX / 4, 0, 2, 7 },
        { "%x = pto.load_scalar %p[%n] : " I32 " -> i32\n", "element 120 lies outside the 480 bytes", 120, 0, 1,
          6 },
        { "%x = pto.load_scalar %p[%n] : " I32 " -> i32\n", "lies outside", -1, 0, 1, 6 },
        { "%x = pto.load_scalar %p[%n] : " I32 " -> i32\n", "lies outside", INT64_MAX, 0, 1, 6 },
        { "%q = pto.addptr %p, %k1 : " I32 " -> " I32 "\n%x = pto.load_scalar %q[%n] : " I32 " -> i32\n",
          "lies outside", INT64_MAX / 4, 0, 2, 6 },
        { VIEW2 DIM("dim", "v", "n", V("?x?")), "no dimension 2", 2, 0, 2, 6 },
        { VIEW2 DIM("dim", "v", "n", V("?x?")), "no dimension -1", -1, 0, 2, 6 },
        { VIEW2 DIM("stride", "v", "n", V("?x?")), "no dimension 2", 2, 0, 2, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n", "extent -1 or stride 1", -1,
          1, 1, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n", "extent 2147483648 or",
          INT64_C(1) << 31, 1, 1, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n", "stride 2147483648", 1,
          INT64_C(1) << 31, 1, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("?") "\n", "stride -2147483648", 1,
          -(INT64_C(1) << 31), 1, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%k4, %n], strides = [%m, %k1] : " V("4x5") "\n", "extent 4 or", 4,
          1, 1, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : " V("0") "\n", "extent 1 or", 1, 1, 1, 6 },
        { "%q = pto.addptr %p, %n : " I32 " -> " I32
          "\n%v = pto.make_tensor_view %q, shape = [%k0], strides = [%k1] "
          ": " V("?") "\n",
          "the pointer lies outside its memory", 121, 0, 2, 6 },
        { "%q = pto.addptr %p, %n : " I32 " -> " I32
          "\n%v = pto.make_tensor_view %q, shape = [%k0], strides = [%k1] "
          ": " V("?") "\n",
          "the pointer lies outside its memory", -1, 0, 2, 6 },
        { "%v = pto.make_tensor_view %p, shape = [%n, %m], strides = [%m] : " V("?x?") "\n", "1 strides", 1, 1, 1,
          6 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] : !pto.tensor_view<?xf32>\n", "f32", 1, 1, 1,
          6 },
        { VIEW2
          "%q = pto.partition_view %v, offsets = [%n, %k0], sizes = [%k1, %k1] : " V("?x?") " -> " P("?x?") "\n",
          "[-1, +1) is outside the extent 4 of dimension 0", -1, 0, 2, 6 },
        { VIEW2
          "%q = pto.partition_view %v, offsets = [%n, %k0], sizes = [%m, %k1] : " V("?x?") " -> " P("?x?") "\n",
          "[5, +0) is outside the extent 4 of dimension 0", 5, 0, 2, 6 },
        { VIEW2
          "%q = pto.partition_view %v, offsets = [%k0, %n], sizes = [%k1, %m] : " V("?x?") " -> " P("?x?") "\n",
          "[3, +3) is outside the extent 5 of dimension 1", 3, 3, 2, 6 },
        { VIEW2
          "%q = pto.partition_view %v, offsets = [%k0, %n], sizes = [%k1, %m] : " V("?x?") " -> " P("?x?") "\n",
          "[1, +-1) is outside the extent 5 of dimension 1", 1, -1, 2, 6 },
        { VIEW2
          "%q = pto.partition_view %v, offsets = [%k0, %n], sizes = [%k1, %m] : " V("?x?") " -> " P("1x2") "\n",
          "size 3 of dimension 1 and 2 in the type", 1, 3, 2, 6 },
        { VIEW2
          "%q = pto.partition_view %v, offsets = [%k0, %n], sizes = [%k1, %m] : " V("?x?") " -> " P("1x0") "\n",
          "size 3 of dimension 1 and 0 in the type", 1, 3, 2, 6 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k0], sizes = [%k1, %m] : " V("?x?") " -> " P("?x?") "\n",
          "1 offsets", 1, 3, 2, 6 },
        { VIEW2 "%q = pto.partition_view %v, offsets = [%k0, %k0], sizes = [%m] : " V("?x?") " -> " P("?x?") "\n",
          "1 sizes", 1, 3, 2, 6 },
        /* the layout */
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] {layout = #pto.layout<xx>} : " V("?") "\n",
          "'xx' is not a layout", 1, 1, 1, 70 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] {layout = #pto.pad<nd>} : " V("?") "\n",
          "'layout' takes #pto.layout<...>", 1, 1, 1, 70 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] {layout} : " V("?") "\n", "is not a layout",
          1, 1, 1, 61 },
        { "%v = pto.make_tensor_view %p, shape = [%n], strides = [%m] {order = 1} : " V("?") "\n",
          "has only the attribute 'layout'", 1, 1, 1, 61 },
        /* operands one too few and one too many, types of results */
        { "%x = pto.load_scalar %p : " I32 " -> i32\n", "", 1, 1, 1, 6 },
        { "%x = pto.load_scalar %p, %p[%n] : " I32 ", " I32 " -> i32\n", "", 1, 1, 1, 6 },
        { "%x = pto.load_scalar %p[%n, %m] : " I32 " -> i32\n", "the list has to have 1", 1, 1, 1, 24 },
        { "%x = pto.load_scalar %p[%n] : " I32 " -> i64\n", "i64", 1, 1, 1, 6 },
        { "%x = arith.constant 1 : i64\npto.store_scalar %x, %p[%n] : " I32 ", i64\n", "i64", 1, 1, 2, 18 },
        { "%v = pto.make_tensor_view %p, %p, shape = [%n], strides = [%m] : " V("?") "\n", "operand", 1, 1, 1, 6 },
        { VIEW2 "%q = pto.partition_view %v, %v, offsets = [%k0, %k0], sizes = [%k1, %m] : " V("?x?") " -> " P(
              "?x?") "\n",
          "operand", 1, 3, 2, 6 },
        { VIEW2 "%w = pto.get_tensor_view_dim %v : " V("?x?") " -> index\n", "operand", 0, 0, 2, 6 },
        { VIEW2 "%w = pto.get_tensor_view_stride %v : " V("?x?") " -> index\n", "operand", 0, 0, 2, 6 },
        { VIEW2 "%w = pto.get_tensor_view_stride %v, %n, %n : " V("?x?") ", index, index -> index\n", "operand", 0,
          0, 2, 6 },
        { "%w = pto.get_tensor_view_dim %p, %n : " I32 " -> index\n", "view", 0, 0, 1, 30 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t p[COUNT];
        int64_t r[4];
        char place[40];
        if (run_body(rows[i].body, "", rows[i].n, rows[i].m, p, r, NULL, NULL, 0) == TW_OK)
            fail_msg("row %zu: accepted\n%s", i, rows[i].body);
        snprintf(place, sizeof place, "f.pto:%d:%d: ", rows[i].line + HEAD_LINES, rows[i].column);
        if (!strstr(tw_error_message(), rows[i].message) || !strstr(tw_error_message(), place))
            fail_msg("row %zu: \"%s\" lacks \"%s\" or \"%s\"", i, tw_error_message(), rows[i].message, place);
    }
}

/* Every layout that the library has can be asked for, by its name in either case. */
static void pto_text_views_layouts(void **state)
{
    (void)state;
    for (int l = 0; l < TW_PTO_LAYOUTS; l++) {
        int32_t p[COUNT];
        int64_t r[4];
        char body[256];
        snprintf(body, sizeof body,
                 "%%v = pto.make_tensor_view %%p, shape = [%%n], strides = [%%m] {layout = #pto.layout<%s>} : %s\n",
                 tw_pto_layout_name((tw_pto_layout)l), V("?"));
        if (run_body(body, "", 1, 1, p, r, NULL, NULL, 0) != TW_OK)
            fail_msg("layout %d: %s", l, tw_error_message());
    }
}

/* What a program writes through a view that repeats a dimension is refused before it runs where constants tell, and
 * in the run where they do not; the message is the same. Numbers known before the run stand in the text, %n comes
 * later. */
#define BUF(r, c)   "!pto.tile_buf<vec, " #r "x" #c "xi32>"
#define ALLOC(r, c) "%t = pto.alloc_tile : " BUF(r, c) "\n"
#define MAKE(shape, strides, type) \
    "%v = pto.make_tensor_view %p, shape = [" shape "], strides = [" strides "] : " type "\n"
#define STORE(v, type, r, c) "pto.tstore ins(%t : " BUF(r, c) ") outs(%" v " : " type ")"
static void pto_text_views_written(void **state)
{
    (void)state;
    enum { BEFORE, LATER, FINE };
    static const struct {
        const char *body;
        int64_t n;
        int when, line, column; /* BEFORE: where the message points */
        const char *of;         /* "4 elements of dimension 3" */
    } rows[] = {
        { ALLOC(4, 8) MAKE("4, 8", "0, 1", V("4x8")) STORE("v", V("4x8"), 4, 8) "\n", 0, BEFORE, 6, 55,
          "4 elements of dimension 3" },
        { ALLOC(4, 8) MAKE("4, 8", "8, 0", V("4x8")) STORE("v", V("4x8"), 4, 8) "\n", 0, BEFORE, 6, 55,
          "8 elements of dimension 4" },
        { ALLOC(4, 8) MAKE("2, 2, 8", "8, 0, 1", V("2x2x8")) STORE("v", V("2x2x8"), 4, 8) "\n", 0, BEFORE, 6, 55,
          "2 elements of dimension 3" },
        { ALLOC(4, 8) "%z = arith.constant 0 : index\n" MAKE("4, 8", "%z, 1", V("?x?"))
              STORE("v", V("?x?"), 4, 8) "\n",
          0, BEFORE, 7, 55, "4 elements of dimension 3" },
        /* of a part, and of a part of a part: extents of its own, strides of the whole */
        { ALLOC(2, 8)
              MAKE("4, 16", "0, 1", V("4x16")) "%q = pto.partition_view %v, offsets = [1, 0], sizes = [2, 8] : " V(
                  "4x16") " -> " P("2x8") "\n" STORE("q", P("2x8"), 2, 8) "\n",
          0, BEFORE, 7, 55, "2 elements of dimension 3" },
        { ALLOC(2, 8)
              MAKE("4, 16", "0, 1", V("4x16")) "%o = pto.partition_view %v, offsets = [1, 0], sizes = [3, 16] : " V(
                  "4x16") " -> " P("3x16") "\n"
                                           "%q = pto.partition_view %o, offsets = [%n, 0], sizes = [2, 8] : " P(
                                               "3x16") " -> " P("2x8") "\n" STORE("q", P("2x8"), 2, 8) "\n",
          0, BEFORE, 8, 55, "2 elements of dimension 3" },
        { ALLOC(1, 8)
              MAKE("4, 16", "0, 1", V("4x16")) "%q = pto.partition_view %v, offsets = [1, 0], sizes = [1, 8] : " V(
                  "4x16") " -> " P("1x8") "\n" STORE("q", P("1x8"), 1, 8) "\n",
          0, FINE, 0, 0, NULL },
        /* memrefs */
        { ALLOC(
              4,
              8) "%m0 = memref.alloc() : memref<64xi32>\n%r2 = memref.reinterpret_cast %m0 to offset: [0], sizes: "
                 "[4, 8], strides: [0, 1] : memref<64xi32> to memref<4x8xi32>\n"
                 "pto.tstore ins(%t : " BUF(4, 8) ") outs(%r2 : memref<4x8xi32>)\n",
          0, BEFORE, 7, 55, "4 elements of dimension 3" },
        /* known in the run only */
        { ALLOC(4, 8) MAKE("4, 8", "%n, 1", V("4x8")) STORE("v", V("4x8"), 4, 8) "\n", 0, LATER, 0, 0,
          "4 elements of dimension 3" },
        { ALLOC(4, 8) MAKE("%n, 8", "0, 1", V("?x8")) STORE("v", V("?x8"), 4, 8) "\n", 4, LATER, 0, 0,
          "4 elements of dimension 3" },
        /* one element does not repeat, sums may meet, what is read may repeat, strides that are unknown or not 0 */
        { ALLOC(1, 8) MAKE("1, 8", "0, 1", V("1x8")) STORE("v", V("1x8"), 1, 8) "\n", 0, FINE, 0, 0, NULL },
        { ALLOC(4, 8) MAKE("4, 8", "0, 1", V("4x8")) STORE("v", V("4x8"), 4, 8) " {atomicType = #pto<atomic_type "
                                                                                "atomic_add>}\n",
          0, FINE, 0, 0, NULL },
        { ALLOC(4, 8) MAKE("4, 8", "0, 1", V("4x8")) "pto.tload ins(%v : " V("4x8") ") outs(%t : " BUF(4, 8) ")\n",
          0, FINE, 0, 0, NULL },
        { ALLOC(4, 8) MAKE("4, 8", "%n, 1", V("4x8")) STORE("v", V("4x8"), 4, 8) "\n", 8, FINE, 0, 0, NULL },
        { ALLOC(4, 8) MAKE("4, 8", "8, 1", V("4x8")) STORE("v", V("4x8"), 4, 8) "\n", 0, FINE, 0, 0, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[4096], phrase[160];
        snprintf(source, sizeof source, "%s%sreturn\n}\n", HEAD, rows[i].body);
        if (rows[i].of)
            snprintf(
                phrase, sizeof phrase,
                "TSTORE: operand 1 is written and has stride 0 over its %s [rule global.overlap, profile a2a3]",
                rows[i].of);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        tw_status status = tw_pto_text_verify(text, TW_PTO_A2A3);
        const tw_diag *d = tw_diags_get(tw_pto_text_diags(text), 0);
        if ((status == TW_OK) != (rows[i].when != BEFORE)) fail_msg("row %zu: %s", i, d ? d->message : "accepted");
        if (rows[i].when == BEFORE &&
            (!strstr(d->message, phrase) || d->line != rows[i].line || d->column != rows[i].column))
            fail_msg("row %zu: %d:%d: %s", i, d->line, d->column, d->message);
        tw_pto_text_free(text);
        if (rows[i].when == BEFORE) continue;
        int32_t p[COUNT];
        int64_t r[4];
        status = run_body(rows[i].body, "", rows[i].n, 0, p, r, NULL, NULL, 0);
        if (rows[i].when == FINE && status != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        if (rows[i].when == LATER && (status == TW_OK || !strstr(tw_error_message(), phrase)))
            fail_msg("row %zu: %s", i, status == TW_OK ? "ran" : tw_error_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_text_views_numbers),
                                        cmocka_unit_test(pto_text_views_elements),
                                        cmocka_unit_test(pto_text_views_refused),
                                        cmocka_unit_test(pto_text_views_written),
                                        cmocka_unit_test(pto_text_views_layouts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
