/* SPDX-License-Identifier: MIT */
/* PTO-AS, section by section of the grammar's operations: numbers, memrefs, pointers, windows, synchronisation, loads
 * with padding, counts of a merge, printing; and what each refuses. A program computes %answer. */
#include "pto/support/check.h"
#include "pto/support/text.h"
#include "pto/text/bind/bind.h"

static const char head[] = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
                           "%c2 = arith.constant 2 : index\n%c5 = arith.constant 5 : index\n"
                           "%i3 = arith.constant 3 : i32\n%half = arith.constant 0.5 : f32\n";

#define GET(value, type) "%answer = arith." value " : " type

static const struct {
    const char *text;
    int64_t answer;
} programs[] = {
    /* arith: forms that the grammar allows beyond the common ones */
    { "%a = arith.constant 200 : i8\n" GET("extui %a", "i8 to i64"), 200 },
    { "%a = arith.constant 200 : i8\n" GET("extsi %a", "i8 to i64"), -56 },
    { "%a = arith.constant 200 : i8\n%f = arith.uitofp %a : i8 to f32\n" GET("fptosi %f", "f32 to i64"), 200 },
    { "%a = arith.constant 200 : i8\n%f = arith.sitofp %a : i8 to f32\n" GET("fptosi %f", "f32 to i64"), -56 },
    { "%a = arith.constant 7.75 : f32\n%b = arith.constant -2.0 : f32\n%r = arith.remf %a, %b : f32\n"
      "%k = arith.constant 4.0 : f32\n%s = arith.mulf %r, %k : f32\n" GET("fptosi %s", "f32 to i64"),
      7 },
    { "%n = arith.negf %half : f32\n%k = arith.constant 8.0 : f32\n%s = arith.mulf %n, %k : f32\n" GET(
          "fptosi %s", "f32 to i64"),
      -4 },
    { "%a = arith.constant 7 : i64\n%b = arith.constant 2 : i64\n" GET("ceildivui %a, %b", "i64"), 4 },
    { "%a = arith.constant -7 : i64\n%b = arith.constant 2 : i64\n" GET("floordivsi %a, %b", "i64"), -4 },
    { "%a = arith.constant -7 : i64\n%b = arith.constant 2 : i64\n" GET("ceildivsi %a, %b", "i64"), -3 },
    { "%a = arith.constant -1 : i16\n%s, %c = arith.addui_extended %a, %a : i16, i1\n%x = arith.extui %s : i16 to "
      "i64\n%y = arith.extui %c : i1 to i64\n%k = arith.constant 65536 : i64\n%z = arith.muli %y, %k : i64\n" GET(
          "addi %x, %z", "i64"),
      2 * 65535 },
    { "%a = arith.constant -3 : i8\n%b = arith.constant 100 : i8\n%l, %h = arith.mulsi_extended %a, %b : i8\n" GET(
          "extsi %h", "i8 to i64"),
      -2 },
    { "%a = arith.constant 253 : i8\n%b = arith.constant 100 : i8\n%l, %h = arith.mului_extended %a, %b : i8\n" GET(
          "extui %h", "i8 to i64"),
      253 * 100 / 256 },
    /* memref */
    { "%m = memref.alloc() : memref<4x8xi32>\nmemref.store %i3, %m[%c1, %c2] : memref<4x8xi32>\n"
      "%r = memref.reinterpret_cast %m to offset: [%c2], sizes: [4], strides: [8] : memref<4x8xi32> to "
      "memref<4xi32, strided<[8], offset: 2>>\n"
      "%v = memref.load %r[%c1] : memref<4xi32, strided<[8], offset: 2>>\nmemref.dealloc %m : "
      "memref<4x8xi32>\n" GET("extsi %v", "i32 to i64"),
      3 },
    { "%m = memref.alloc(%c5) : memref<?x2xf32, #pto.address_space<gm>>\n"
      "%s = memref.cast %m : memref<?x2xf32, #pto.address_space<gm>> to memref<5x2xf32>\n"
      "%d = memref.dim %s, %c0 : memref<5x2xf32>\n" GET("addi %d, %c0", "index"),
      5 },
    { "%m = memref.alloc() : memref<2x8xi32>\n%one = pto.alloc_tile : !pto.tile_buf<vec, 2x8xi32>\n"
      "pto.texpands ins(%i3 : i32) outs(%one : !pto.tile_buf<vec, 2x8xi32>)\n"
      "pto.tstore ins(%one : !pto.tile_buf<vec, 2x8xi32>) outs(%m : memref<2x8xi32>)\n"
      "%v = memref.load %m[%c1, %c5] : memref<2x8xi32>\n" GET("extsi %v", "i32 to i64"),
      3 },
    { "%t = memref.alloc() : memref<2x8xi32, #pto.address_space<vec>>\n"
      "pto.texpands ins(%i3 : i32) outs(%t : memref<2x8xi32, #pto.address_space<vec>>)\n"
      "%v = pto.tgetval ins(%t, %c5 : memref<2x8xi32, #pto.address_space<vec>>, index) outs : i32\n"
      "memref.dealloc %t : memref<2x8xi32, #pto.address_space<vec>>\n" GET("extsi %v", "i32 to i64"),
      3 },
    /* tiles */
    { "%t = pto.declare_tile -> !pto.tile_buf<vec, 1x8xi32>\npto.texpands ins(%i3 : i32) outs(%t : "
      "!pto.tile_buf<vec, "
      "1x8xi32>)\n%u = pto.bitcast %t : !pto.tile_buf<vec, 1x8xi32> -> !pto.tile_buf<vec, 1x16xi16>\n"
      "%v = pto.tgetval ins(%u, %c2 : !pto.tile_buf<vec, 1x16xi16>, index) outs : i16\n" GET("extsi %v",
                                                                                             "i16 to i64"),
      3 },
    { "%t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xi32>\npto.texpands ins(%i3 : i32) outs(%t : !pto.tile_buf<vec, "
      "4x8xi32>)\n%w = pto.subset %t[%c1, %c0] sizes [2, 8] : !pto.tile_buf<vec, 4x8xi32>\n"
      "%seven = arith.constant 7 : i32\npto.texpands ins(%seven : i32) outs(%w)\n"
      "%k = arith.constant 8 : index\n%v = pto.tgetval ins(%t, %k : !pto.tile_buf<vec, 4x8xi32>, index) outs : "
      "i32\n" GET("extsi %v", "i32 to i64"),
      7 },
    { "%t = pto.alloc_tile valid_row = %c1 valid_col = %c5 : !pto.tile_buf<vec, 4x8xi32, valid=?x?>\n"
      "pto.set_validshape %t, %c2, %c1 : !pto.tile_buf<vec, 4x8xi32, valid=?x?>\n"
      "pto.texpands ins(%i3 : i32) outs(%t : !pto.tile_buf<vec, 4x8xi32, valid=?x?>)\n%k = arith.constant 8 : "
      "index\n"
      "%a = pto.tgetval ins(%t, %k : !pto.tile_buf<vec, 4x8xi32, valid=?x?>, index) outs : i32\n"
      "%b = pto.tgetval ins(%t, %c1 : !pto.tile_buf<vec, 4x8xi32, valid=?x?>, index) outs : i32\n"
      "%s = arith.subi %a, %b : i32\n" GET("extsi %s", "i32 to i64"),
      3 },
    /* synchronisation: ids as attributes, numbers, values; buffers */
    { "pto.set_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %c5]\npto.wait_flag[#pto.pipe<PIPE_MTE2>, "
      "#pto.pipe<PIPE_V>, #pto.event<EVENT_ID5>]\n" GET("addi %c1, %c1", "index"),
      2 },
    { "pto.record_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TVEC>, #pto.event<EVENT_ID0>]\n"
      "pto.wait_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %c0]\npto.barrier #pto.pipe<PIPE_V>\n"
      "pto.barrier_sync[#pto.sync_op_type<TVEC>]\n" GET("addi %c1, %c1", "index"),
      2 },
    { "pto.get_buf[#pto.pipe_event_type<TVEC>, 3]\npto.rls_buf[#pto.pipe_event_type<TVEC>, 3]\n"
      "pto.get_buf[#pto.pipe_event_type<TSTORE_VEC>, 3]\npto.rls_buf[#pto.pipe_event_type<TSTORE_VEC>, 3]\n" GET(
          "addi %c1, %c1", "index"),
      2 },
    /* attributes in their spellings: alias, "#name = value" of plain assembly, strings */
    { "#less = #pto<cmp lt>\n%k = pto.tci %i3 : i32 -> !pto.tile<1x32xi32>\n%t = pto.tcvt %k : !pto.tile<1x32xi32> "
      "-> "
      "!pto.tile<1x32xf32>\n%m = pto.alloc_tile : !pto.tile_buf<vec, 1x32xui8>\n%five = arith.constant 5.0 : f32\n"
      "pto.tcmps ins(%t, %five {cmpMode = #less} : !pto.tile<1x32xf32>, f32) outs(%m : !pto.tile_buf<vec, "
      "1x32xui8>)\n"
      "%v = pto.tgetval ins(%m, %c0 : !pto.tile_buf<vec, 1x32xui8>, index) outs : i8\n" GET("extui %v",
                                                                                            "i8 to i64"),
      3 },
    { "%t = pto.tci %i3 : i32 -> !pto.tile<1x8xi32>\n%m = memref.alloc() : memref<1x8xi32>\n"
      "tstore %m, %t #atomic = add\ntstore %m, %t #atomic=atomic_add\n%v = memref.load %m[%c0, %c1] : "
      "memref<1x8xi32>\n" GET("extsi %v", "i32 to i64"),
      8 },
    /* a type alias */
    { "!t = !pto.tile_buf<vec, 1x8xi32>\n%t = pto.alloc_tile : !t\npto.tci ins(%i3 : i32) outs(%t : !t)\n"
      "%v = pto.tgetval ins(%t, %c5 : !t, index) outs : i32\n" GET("extsi %v", "i32 to i64"),
      8 },
};

static void pto_text_ops_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s\n", head, programs[i].text);
        session s = start(text, TW_PTO_CPU);
        if (!s.program) print_message("row %zu\n", i);
        tw_status status = run(&s);
        if (status != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        int64_t got = tw__as_integer(cell(&s, "answer"));
        if (got != programs[i].answer) fail_msg("row %zu: %lld", i, (long long)got);
        stable(i, text);
        end(&s);
    }
}

static void pto_text_ops_refused(void **state)
{
    static const struct {
        const char *text, *phrase;
        int line, column;
    } rows[] = {
        { "pto.print ins(\"%d and %5.2f\", %c1 : index)", "the format wants 2 values, there is 1", 1, 15 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
          "%v = pto.tgetval ins(%t, %c1 : !pto.tile_buf<vec, 1x16xi32>, index) outs : f32",
          "the elements are i32, not f32", 2, 6 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tassign %t, @tail(0x1000)",
          "such as @tile(0x1000)", 2, 17 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tadd ins(%t : !pto.tile_buf<vec, 1x16xi32>) "
          "outs(%t : !pto.tile_buf<vec, 1x16xi32>)",
          "takes 2 inputs and 1 destination; here are 1 and 1", 2, 1 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tload ins(%t : !pto.tile_buf<vec, 1x16xi32>) "
          "outs(%t : !pto.tile_buf<vec, 1x16xi32>)",
          "tload wants a tensor here, not !pto.tile_buf", 2, 15 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n%a, %b = pto.tabs ins(%t : !pto.tile_buf<vec, "
          "1x16xi32>) outs(%t : !pto.tile_buf<vec, 1x16xi32>)",
          "1 destinations, 2 results", 2, 10 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n%a = pto.tneg ins(%t : !pto.tile_buf<vec, "
          "1x16xi32>) "
          "outs(%t : !pto.tile_buf<vec, 1x16xi32>) -> !pto.tile_buf<vec, 1x8xi32>",
          "as its destination, not", 2, 6 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vect, 1x16xi32>", "did you mean 'vec'?", 1, 23 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xint32>", "did you mean 'i32'?", 1, 23 },
        { "\"pto.tabs\"(%c1) : (index) -> index", "without quotes", 1, 1 },
        { "%m = memref.alloc(%c1) : memref<4xi32>", "1 extents for 0 '?'", 1, 6 },
        { "%m = memref.alloc() : memref<4xi32, #pto.address_space<vac>>", "did you mean 'vec'?", 1, 23 },
        { "%m = memref.alloc() : memref<4xi32, strided<[1, 1]>>", "2 strides for 1 extents", 1, 23 },
        { "%m = memref.alloc() : memref<4xi32, affine_map<(d0) -> (d0)>>", "has no meaning in a memref", 1, 23 },
        { "%m = memref.alloc() : memref<4xi32, strided<[1]>, "
          "#pto.address_space<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>>",
          "not an address space", 1, 23 },
        { "%m = memref.alloc() : memref<300000000xi8>", "more than", 1, 6 },
        { "%m = memref.alloc() : memref<4xi32>\n%v = memref.load %m[%c5] : memref<4xi32>", "outside its extent 4",
          2, 6 },
        { "%m = memref.alloc() : memref<4xi32>\n%v = memref.load %m[%c1, %c1] : memref<4xi32>",
          "2 indexes for memref<4xi32>", 2, 18 },
        { "%m = memref.alloc() : memref<4xi32>\nmemref.store %half, %m[%c1] : memref<4xi32>",
          "the elements are i32, not f32", 2, 14 },
        { "%m = memref.alloc() : memref<4xi32>\n%r = memref.reinterpret_cast %m to offset: [%c5], sizes: [4], "
          "strides: "
          "[1] : memref<4xi32> to memref<4xi32, strided<[1], offset: ?>>",
          "outside the memory", 2, 6 },
        { "%m = memref.alloc() : memref<4xi32>\n%r = memref.reinterpret_cast %m to offset: [0], sizes: [3], "
          "strides: "
          "[1] : memref<4xi32> to memref<4xi32>",
          "extent 3", 2, 6 },
        { "memref.dealloc %c1 : index", "a memref is wanted", 1, 16 },
        { "pto.get_buf[#pto.pipe_event_type<TVEC>, 32]", "ids are 0 to 31", 1, 1 },
        { "pto.rls_buf[#pto.pipe_event_type<TVEC>, 1]", "is not held", 1, 1 },
        { "pto.get_buf[#pto.pipe<PIPE_V>, 1]\npto.get_buf[#pto.pipe<PIPE_MTE3>, 1]", "a deadlock", 2, 1 },
        { "pto.get_buf[#pto.pipe<PIPE_V>]", "takes one id", 1, 1 },
        { "pto.set_flag[#pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]", "takes 2 pipes, not 1", 1, 1 },
        { "pto.set_flag[#pto.pipe<PIPE_MTE9>, #pto.pipe<PIPE_V>, 0]", "did you mean 'PIPE_MTE1'?", 1, 14 },
        { "pto.set_flag[#pto.pipe<PIPE_MTE6>, #pto.pipe<PIPE_V>, 0]", "did you mean 'PIPE_MTE", 1, 14 },
        { "pto.wait_flag[#pto.pipe<PIPE_MTE4>, #pto.pipe<PIPE_V2>, 0]", "PIPE_MTE4 to PIPE_V2 has not been set", 1,
          1 },
        { "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %c5]\npto.set_flag[#pto.pipe<PIPE_MTE2>, "
          "#pto.pipe<PIPE_V>, 5]",
          "flag.double-set", 2, 1 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>\n%u = pto.bitcast %t : !pto.tile_buf<vec, 1x8xi32> -> "
          "!pto.tile_buf<vec, 1x32xi16>",
          "32 bytes are not 64", 2, 18 },
        { "%t = pto.tci %i3 {decending = true} : i32 -> !pto.tile<1x8xi32>", "did you mean 'descending'?", 1, 19 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>\npto.tadd ins(%t, %t {x = 1} : !pto.tile_buf<vec, "
          "1x8xi32>, "
          "!pto.tile_buf<vec, 1x8xi32>) outs(%t : !pto.tile_buf<vec, 1x8xi32>)",
          "it takes none", 2, 22 },
        { "%t = pto.tci %i3 {descending = 7} : i32 -> !pto.tile<1x8xi32>",
          "'7' is not a value of 'descending': false, true", 1, 32 },
        { "%t = pto.tci %i3 {descending = false} fast = 1 : i32 -> !pto.tile<1x8xi32>", "'fast' has no meaning", 1,
          39 },
        { "%t = pto.alloc_tile : !pto.tile_buff<vec, 1x8xi32>", "did you mean '!pto.tile_buf<'?", 1, 23 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32, padd=1>", "did you mean 'pad'?", 1, 23 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32, pad=4>", "not a pad value", 1, 23 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32, compact=9>", "not a compact mode", 1, 23 },
        { "%t = pto.alloc_tile : i32", "a tile is allocated", 1, 6 },
        { "%p = pto.alloc_tile : !pto.ptr<f32, l1>", "not a memory of a pointer", 1, 23 },
        { "%x = arith.constant 0 : vector<4xi16>", "arith.constant dense<0> : vector<4xi16>", 1, 21 },
        { "%x = arith.constant dense<1> : vector<4xi16>", "counts begin with 0", 1, 21 },
        { "%x = arith.constant 1e39 : f32", "1e39 does not fit f32", 1, 21 },
        { "%x = arith.constant -3.4028236e38 : f32", "-3.4028236e38 does not fit f32", 1, 21 },
        { "%x = arith.constant 65520.0 : f16", "65520.0 does not fit f16", 1, 21 },
        { "%x = arith.constant 1e400 : bf16", "does not fit bf16", 1, 21 },
        { "%x = arith.constant 500.0 : f8e4m3", "500.0 does not fit f8e4m3", 1, 21 },
        { "%x = arith.constant 8.0 : f4e2m1", "8.0 does not fit f4e2m1", 1, 21 }, /* a type without infinity */
        { "%x = arith.addf %half, 1e39 : f32", "1e39 does not fit f32", 1, 24 },
        { "%p = pto.tgetval ins(%c0, %c0 : index, index) outs : i32", "a tile is wanted here", 1, 22 },
        { "pto.print ins(\"a\", \"b\")", "one string", 1, 20 },
        { "pto.print ins(\"a", "has no '\"' at its end", 1, 15 },
        { "%v = memref.lod %c0 : index", "did you mean 'memref.load'?", 1, 6 },
        { "%v = arith.adi %c0, %c0 : index", "did you mean 'arith.addi'?", 1, 6 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s\n", head, rows[i].text);
        session s = start(text, TW_PTO_A5);
        if (s.program) assert_int_not_equal(run(&s), TW_OK);
        const tw_diag *d = tw_diags_get(s.diags, 0);
        if (!d) fail_msg("row %zu: no diagnostic", i);
        if (!strstr(d->message, rows[i].phrase) || d->line != rows[i].line + 6 || d->column != rows[i].column)
            fail_msg("row %zu: %d:%d: %s", i, d->line - 6, d->column, d->message);
        end(&s);
    }
}

/* Spec 2.5, tload: left and right padding in each mode, the whole buffer first. */
static void pto_text_ops_padding(void **state)
{
    static const struct {
        const char *options;
        double row1[8], outside; /* second row; column 7 lies outside the valid region */
    } rows[] = {
        { "pad_mode = #pto<pad_mode PadValue> pad_value = %half : f32 left_padding_num = %c2 : index "
          "right_padding_num = %c1 : index",
          { .5, .5, 4, 5, 6, 7, .5 },
          9 },
        { "pad_mode = #pto<pad_mode PadFirstElem> left_padding_num = %c2 : index right_padding_num = %c1 : index",
          { 4, 4, 4, 5, 6, 7, 4 },
          9 },
        { "pad_mode = #pto<pad_mode PadNull> left_padding_num = %c2 : index right_padding_num = %c1 : index",
          { 9, 9, 4, 5, 6, 7, 9 },
          9 },
        { "pad_mode = #pto<pad_mode PadNull> pad_value = %half : f32 left_padding_num = %c2 : index\n "
          "right_padding_num = %c1 : index\n init_out_buffer = true",
          { .5, .5, 4, 5, 6, 7, .5 },
          .5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[3000];
        snprintf(text, sizeof text,
                 "%s!t = !pto.tile_buf<vec, 2x8xf32, valid=2x7>\n%%nine = arith.constant 9.0 : f32\n"
                 "%%whole = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>\n"
                 "pto.tassign %%whole, @tile(0x100)\npto.texpands ins(%%nine : f32) outs(%%whole)\n"
                 "%%m = memref.alloc() : memref<2x4xf32>\nscf.for %%r = %%c0 to %%c2 step %%c1 {\n"
                 "  scf.for %%c = %%c0 to 4 step %%c1 {\n    %%x = arith.muli %%r, 4 : index\n"
                 "    %%y = arith.addi %%x, %%c : index\n    %%k = arith.index_cast %%y : index to i32\n"
                 "    %%f = arith.sitofp %%k : i32 to f32\n    memref.store %%f, %%m[%%r, %%c] : memref<2x4xf32>\n "
                 " }\n}\n"
                 "%%t = pto.alloc_tile : !t\npto.tassign %%t, @tile(0x100)\n"
                 "pto.tload ins(%%m : memref<2x4xf32>) outs(%%t : !t) %s\n",
                 head, rows[i].options);
        session s = start(text, TW_PTO_A5);
        if (run(&s) != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        tw_pto_tile *whole = &cell(&s, "whole")->wide->tile;
        for (uint32_t k = 0; k < 7; k++)
            if (get(s.core, whole, 1, k) != rows[i].row1[k])
                fail_msg("row %zu column %u: %g", i, k, get(s.core, whole, 1, k));
        if (get(s.core, whole, 1, 7) != rows[i].outside)
            fail_msg("row %zu outside: %g", i, get(s.core, whole, 1, 7));
        stable(i, text);
        end(&s);
    }
}

/* Spec 2.5, tmrgsort: the counts of an exhausted merge in vector<4xi16>, also in manual mode. */
static void pto_text_ops_counts(void **state)
{
    static const char text[] =
        "!list = !pto.tile_buf<vec, 1x64xf32>\n!two = !pto.tile_buf<vec, 1x128xf32>\n"
        "%a = pto.alloc_tile addr = 0 : !list\n%b = pto.alloc_tile addr = 0x400 : !list\n"
        "%tmp = pto.alloc_tile addr = 0x800 : !two\n%d = pto.alloc_tile addr = 0x1000 : !two\n"
        "%big = arith.constant 8.0 : f32\n%small = arith.constant 3.0 : f32\n"
        "pto.texpands ins(%big : f32) outs(%a : !list)\npto.texpands ins(%small : f32) outs(%b : !list)\n"
        "%n = arith.constant dense<0> : vector<4xi16>\n"
        "pto.tmrgsort ins(%a, %b, %tmp {exhausted = true} : !list, !list, !two) outs(%d, %n : !two, "
        "vector<4xi16>)\n"
        "%first = vector.extract %n[0] : i16 from vector<4xi16>\n"
        "%second = vector.extract %n[1] : i16 from vector<4xi16>\n";
    (void)state;
    for (unsigned flags = 0; flags <= TW_PTO_MANUAL; flags++) {
        session s = start(text, TW_PTO_A5);
        tw_pto_free(s.core);
        s.core = tw_pto_new(TW_PTO_A5, flags);
        if (run(&s) != TW_OK) fail_msg("%s", tw_error_message());
        assert_int_equal(tw__as_integer(cell(&s, "first")), 32); /* all pairs of the list that ends first */
        assert_int_equal(tw__as_integer(cell(&s, "second")), 0);
        stable(0, text);
        end(&s);
    }
}

/* pto.print: conversions of C, escapes, values left over. */
static void pto_text_ops_print(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "pto.print ins(\"x = %d, %5.2f|%-4u|%x%%\\n\", %i3, %half, %i3, %i3 : i32, f32, i32, i32)",
          "x = 3,  0.50|3   |3%\n" },
        { "pto.print ins(\"sum \", %half : f32)", "sum 0.5\n" },
        { "pto.print ins(\"sum\", %half, %i3 : f32, i32)", "sum 0.5 3\n" },
        { "pto.print ins(\"%s %n %99999d\", %i3, %i3, %i3 : i32, i32, i32)", "%s %n %99999d 3 3 3\n" },
        { "pto.print ins(\"%4294967297d %.4294967297d\", %i3, %i3 : i32, i32)",
          "%4294967297d %.4294967297d 3 3\n" }, /* no width of 1 */
        { "pto.print ins(%i3 : i32)", "3\n" },
        { "pto.print ins(\"a\x1b[2Jb\\\x1b\x7f\xc2\x9b\xc3\xa9\\t.\" )", "a\\x1b[2Jb\\x1b\\x7f\\x9b\xc3\xa9\t.\n" },
        { "pto.print ins(\"%c%c\", %i3, %i3 : i32, i32)", "\\x03\\x03\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000], *out = NULL;
        size_t size = 0;
        snprintf(text, sizeof text, "%s%s\n", head, rows[i].text);
        session s = start(text, TW_PTO_A5);
        FILE *f = open_memstream(&out, &size);
        if (!s.program) run(&s);
        tw__as_run r = {
            .core = s.core, .program = s.program, .cell = s.cells, .max_steps = 1000, .blocks = 1, .out = f
        };
        OK(tw__as_execute(&r, s.function));
        fclose(f);
        if (strcmp(out, rows[i].want) != 0) fail_msg("row %zu: \"%s\"", i, out);
        free(out);
        end(&s);
    }
}

/* A tile without a place or room is pointed at by its name, also as the second operand; one that just fits is fine.
 * */
static void pto_text_ops_places(void **state)
{
#define BIG "!pto.tile_buf<vec, 96x128xf32>"
    static const struct {
        const char *text, *phrase;
        unsigned flags;
        int line, column;
    } rows[] = {
        { "%a = pto.alloc_tile addr = 0 : " BIG "\n%b = pto.alloc_tile : " BIG "\npto.tabs ins(%a : " BIG
          ") outs(%b : " BIG ")",
          "has no address", TW_PTO_MANUAL, 3, 56 },
        { "%a = pto.alloc_tile addr = 0 : " BIG "\n%b = pto.alloc_tile : " BIG "\npto.tabs ins(%b : " BIG
          ") outs(%a : " BIG ")",
          "has no address", TW_PTO_MANUAL, 3, 14 },
        { "%a = pto.alloc_tile : !pto.tile_buf<vec, 384x128xf32>\n%b = pto.alloc_tile : !pto.tile_buf<vec, "
          "1x8xf32>\n"
          "pto.texpands ins(1.0 : f32) outs(%a : !pto.tile_buf<vec, 384x128xf32>)",
          NULL, 0, 0, 0 },
        { "%a = pto.alloc_tile : !pto.tile_buf<vec, 384x128xf32>\n%b = pto.alloc_tile : !pto.tile_buf<vec, "
          "1x8xf32>\n"
          "pto.texpands ins(1.0 : f32) outs(%a : !pto.tile_buf<vec, 384x128xf32>)\n"
          "pto.texpands ins(1.0 : f32) outs(%b : !pto.tile_buf<vec, 1x8xf32>)",
          "196608 of 196608 bytes are in use", 0, 4, 34 },
        { "%a = pto.alloc_tile : !pto.tile_buf<vec, 385x128xf32>",
          "a tile of 197120 bytes: vec holds 196608 on a2a3", 0, 1, 6 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].text, TW_PTO_A2A3);
        tw_pto_free(s.core);
        s.core = tw_pto_new(TW_PTO_A2A3, rows[i].flags);
        tw_status status = s.program ? run(&s) : TW_E_INVALID_ARGUMENT;
        const tw_diag *d = tw_diags_count(s.diags, TW_ERROR) ? tw_diags_get(s.diags, 0) : NULL;
        bool good = !rows[i].phrase ? status == TW_OK && !d
                                    : status != TW_OK && d && strstr(d->message, rows[i].phrase) &&
                                          d->line == rows[i].line && d->column == rows[i].column;
        if (!good)
            fail_msg("row %zu: %d:%d: %s", i, d ? d->line : 0, d ? d->column : 0, d ? d->message : "no error");
        end(&s);
    }
#undef BIG
}

/* Every operation with fewer and with more operands than its row allows, and with none: an error, never a run. */
static void pto_text_ops_operand_counts(void **state)
{
    const tw__as_host *h;
    (void)state;
    for (size_t i = 0; (h = tw__as_host_at(i)); i++)
        for (unsigned n = 0; n <= 34; n++) {
            GString *text = g_string_new("%c = arith.constant 1 : index\n");
            g_string_append_printf(text, "%s%s%s", h->gives ? "%r = " : "", h->name,
                                   strncmp(h->name, "arith.cmp", 9) ? ""
                                   : h->name[9] == 'i'              ? " ne"
                                                                    : " une");
            for (unsigned k = 0; k < n; k++) g_string_append(text, k || strstr(text->str, "ne") ? ", %c" : " %c");
            g_string_append(text, n ? " : index\n" : "\n");
            session s = start(text->str, TW_PTO_CPU);
            if (s.program && (n < h->least || n > h->most)) fail_msg("accepted: %s", text->str);
            if (s.program) (void)run(&s);
            end(&s);
            g_string_free(text, TRUE);
        }
    static const char *const wrong[] = { "%g = arith.cmpi ne", "%g = arith.cmpf une", "%g = arith.cmpi ne, %c",
                                         "%g = arith.cmpi ne, %c, %c, %c : index", "%g = arith.select" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[200];
        snprintf(text, sizeof text, "%%c = arith.constant 1 : index\n%s\n", wrong[i]);
        session s = start(text, TW_PTO_CPU);
        assert_null(s.program);
        assert_int_equal(tw_diags_get(s.diags, 0)->line, 2);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_ops_operand_counts), cmocka_unit_test(pto_text_ops_programs),
        cmocka_unit_test(pto_text_ops_refused),        cmocka_unit_test(pto_text_ops_padding),
        cmocka_unit_test(pto_text_ops_counts),         cmocka_unit_test(pto_text_ops_print),
        cmocka_unit_test(pto_text_ops_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
