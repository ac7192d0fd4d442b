/* SPDX-License-Identifier: MIT */
/* Everything that the documents list as text: spellings of types, values of enumerations (2.3),
 * operations that are no instructions and those of the host dialects (2.4), attributes of modules and functions
 * (2.3). */
#include "pto/support/check.h"
#include "pto/support/text.h"

#include <glib.h>

// clang-format off: tables, one row a line

/* Names that the rows use: f32 tiles %a %b %d, i32 %k, i16 %i16, f16 %h, mask %m, rows %row, cube %left %right %acc,
 * views %v %vi. */
#define F "!pto.tile_buf<vec, 16x16xf32>"
#define I "!pto.tile_buf<vec, 16x16xi32>"
#define H "!pto.tile_buf<vec, 16x16xf16>"
#define M "!pto.tile_buf<vec, 16x8xui32>"
#define B8 "!pto.tile_buf<vec, 16x32xi8, valid=16x16>"
#define U8 "!pto.tile_buf<vec, 16x32xui8, valid=16x16>"
#define UP "!pto.tile_buf<vec, 8x16xf32>"
#define ONE "!pto.tile_buf<vec, 16x16xf32, valid=1x16>"
#define SIDE "!pto.tile_buf<vec, 16x16xf32>"
#define WIDE "!pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"
#define ROW "!pto.tile_buf<vec, 16x8xf32, valid=16x1>"
#define ACC "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
#define DYN "!pto.tile_buf<vec, 16x16xf32, valid=?x?>"
#define V "!pto.tensor_view<16x16xf32>"
#define VI "!pto.tensor_view<16x16xi32>"
static const char head[] =
    "func.func @f(%p : !pto.ptr<f32>, %pi : !pto.ptr<i32>, %n : index, %i : i32, %l : i64, %x : f32, %q : f16, %t : i1) {\n"
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c16 = arith.constant 16 : index\n"
    "%a = pto.alloc_tile : " F "\n%b = pto.alloc_tile : " F "\n%d = pto.alloc_tile : " F "\n%k = pto.alloc_tile : " I "\n"
    "%h = pto.alloc_tile : " H "\n%m = pto.alloc_tile : " M "\n%acc = pto.alloc_tile : " ACC "\n%b8 = pto.alloc_tile : " B8 "\n"
    "%u8 = pto.alloc_tile : " U8 "\n%up = pto.alloc_tile : " UP "\n%side = pto.alloc_tile : " SIDE "\n%one = pto.alloc_tile : " ONE "\n%wide = pto.alloc_tile : " WIDE "\n"
    "%row = pto.alloc_tile : " ROW "\n%dyn = pto.alloc_tile valid_row = %n valid_col = %n : " DYN "\n"
    "%v = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : " V "\n"
    "%vi = pto.make_tensor_view %pi, shape = [%c16, %c16], strides = [%c16, %c1] : " VI "\n";

// clang-format on

/* Verifies `line` in that function; NULL when it is accepted, else the first message (g_free). */
static char *verify(const char *line, tw_pto_target target)
{
    char *text = g_strdup_printf("%s%s\nreturn\n}\n", head, line);
    session s = start(text, target);
    const tw_diag *d = tw_diags_get(s.diags, 0);
    char *message = d ? g_strdup_printf("%d:%d: %s", d->line, d->column, d->message) : NULL;
    if (!d) stable(0, text);
    end(&s);
    g_free(text);
    return message;
}

static unsigned wrong;
static void accept(const char *line, tw_pto_target target)
{
    char *message = verify(line, target);
    if (message) print_error("%s\n    %s\n", line, message), wrong++;
    g_free(message);
}

// clang-format off

/* --- 2.3: enumerations ------------------------------------------------------------------------------------------ */

/* `line` has %s where the attribute's value stands. */
static const struct {
    const char *class, *values, *line;
} enumerations[] = {
    { "cmp", "eq ne lt le gt ge", "pto.tcmp ins(%%a, %%b {cmpMode = %s} : " F ", " F ") outs(%%m : " M ")" },
    { "cmp", "eq ne lt le gt ge", "pto.tcmps ins(%%a, %%x {cmp = %s} : " F ", f32) outs(%%m : " M ")" },
    { "round_mode", "NONE RINT ROUND FLOOR CEIL TRUNC ODD CAST_RINT", "pto.tcvt ins(%%a {rmode = %s} : " F ") outs(%%h : " H ")" },
    { "saturation_mode", "ON OFF", "pto.tcvt ins(%%a {rmode = #pto<round_mode RINT>, sat_mode = %s} : " F ") outs(%%k : " I ")" },
    { "mask_pattern", "P0101 P1010 P0001 P0010 P0100 P1000 P1111", "pto.tgather ins(%%a, {maskPattern = %s} : " F ") outs(%%d : " F ")" },
    { "st_phase", "unspecified partial final", "pto.tstore ins(%%a : " F ") outs(%%v : " V ") {stPhase = %s}" },
    { "atomic_type", "atomic_none atomic_add", "pto.tstore ins(%%a : " F ") outs(%%v : " V ") {atomicType = %s}" },
    { "relu_pre_mode", "no_relu normal_relu", "pto.tstore ins(%%acc : " ACC ") outs(%%v : " V ") {reluPreMode = %s}" },
    { "acc_to_vec_mode", "single_mode_vec0 single_mode_vec1", "pto.tmov ins(%%acc {accToVecMode = %s} : " ACC ") outs(%%d : " F ")" },
    { "acc_to_vec_mode", "dual_mode_split_m", "pto.tmov ins(%%acc {accToVecMode = %s} : " ACC ") outs(%%up : " UP ")" },
    { "acc_to_vec_mode", "dual_mode_split_n", "pto.tmov ins(%%wide {accToVecMode = %s} : " WIDE ") outs(%%side : " SIDE ")" },
    { "gather_oob", "undefined clamp wrap zero", "pto.mgather ins(%%v, %%k : " V ", " I ") outs(%%d : " F ") {gatherOob = %s}" },
    { "scatter_oob", "undefined skip clamp wrap", "pto.mscatter ins(%%a, %%k : " F ", " I ") outs(%%v : " V ") {scatterOob = %s}" },
    { "scatter_atomic_op", "none add max min", "pto.mscatter ins(%%a, %%k : " F ", " I ") outs(%%v : " V ") {scatterAtomicOp = %s}" },
    { "quant_type", "INT8_SYM", "pto.tquant ins(%%a, %%row : " F ", " ROW ") outs(%%b8 : " B8 ") {quant_type = %s}" },
    { "quant_type", "INT8_ASYM", "pto.tquant ins(%%a, %%row, %%row : " F ", " ROW ", " ROW ") outs(%%u8 : " U8 ") {quant_type = %s}" },
    { "layout", "nd", "%%w = pto.make_tensor_view %%p, shape = [%%n, %%n], strides = [%%n, %%n] {layout = %s} : !pto.tensor_view<?x?xf32>" },
    { "layout", "dn nz", "%%w = pto.make_tensor_view %%p, shape = [%%n, %%n], strides = [%%n, %%n] {layout = %s} : !pto.tensor_view<?x?xf32>" },
    { "pipe", "PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_ALL PIPE_MTE4 PIPE_MTE5 PIPE_V2 PIPE_FIX", "pto.barrier %s" },
};

// clang-format on

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static char *fill(const char *line, const char *value)
{
    return g_strdup_printf(line, value);
}
#pragma GCC diagnostic pop

/* #pto<cmp lt>, #pto.cmp<lt>, "lt", and not another enumeration's name or value. */
static void pto_text_coverage_enumerations(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t e = 0; e < G_N_ELEMENTS(enumerations); e++) {
        char **values = g_strsplit(enumerations[e].values, " ", 0);
        const char *class = enumerations[e].class;
        for (char **v = values; *v; v++) {
            char *spellings[] = { g_strdup_printf("#pto<%s %s>", class, *v),
                                  g_strdup_printf("#pto.%s<%s>", class, *v), g_strdup_printf("\"%s\"", *v) };
            for (size_t i = 0; i < G_N_ELEMENTS(spellings); i++) {
                char *line = fill(enumerations[e].line, spellings[i]);
                if (i < 2 || strcmp(class, "pipe") != 0) accept(line, TW_PTO_A5);
                g_free(line);
                g_free(spellings[i]);
            }
        }
        char *others[] = { g_strdup_printf("#pto<%s none_such>", class),
                           g_strdup_printf("#pto<some_mode %s>", *values),
                           g_strdup_printf("#pto.%sx<%s>", class, *values) };
        for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
            char *line = fill(enumerations[e].line, others[i]), *message = verify(line, TW_PTO_A5);
            if (!message) print_error("accepted: %s\n", line), wrong++;
            g_free(message);
            g_free(line);
            g_free(others[i]);
        }
        g_strfreev(values);
    }
    assert_int_equal(wrong, 0);
}

/* --- 2.4, and the last line of 2.3 ------------------------------------------------------------------------------ */

static void pto_text_coverage_operations(void **state)
{
    // clang-format off
    static const char *const lines[] = {
        "%w = pto.make_tensor_view %p, shape = [%n], strides = [%c1] : !pto.tensor_view<?xf32>",
        "%w = pto.make_tensor_view %p, shape = [%n, %n, %n, %n, %n], strides = [%n, %n, %n, %n, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?x?x?x?xf32>",
        "%w = pto.partition_view %v, offsets = [%n, %c0], sizes = [%n, %n] : " V " -> !pto.partition_tensor_view<?x?xf32>",
        "%s = pto.get_tensor_view_dim %v, %c0 : " V " -> index",
        "%s = pto.get_tensor_view_stride %v, %c1 : " V " -> index",
        "%r = pto.addptr %p, %n : !pto.ptr<f32> -> !pto.ptr<f32>",
        "%r = pto.castptr %p : !pto.ptr<f32> -> !pto.ptr<i32>",
        "%s = pto.load_scalar %p[%n] : !pto.ptr<f32> -> f32",
        "pto.store_scalar %x, %p[%n] : !pto.ptr<f32>, f32",
        "%s = pto.alloc_tile : " F,
        "%s = pto.alloc_tile addr = %l : " F,
        "%s = pto.alloc_tile addr = 0x1000 : " F,
        "%s = pto.alloc_tile addr = %l valid_row = %n valid_col = %n : " DYN,
        "%s = pto.alloc_tile valid_col = %n : !pto.tile_buf<vec, 16x16xf32, valid=16x?>",
        "%s = pto.declare_tile -> " F,
        "%s = pto.subset %a[%n, %c0] sizes [8, 16] : " F,
        "pto.set_validshape %dyn, %n, %n : " DYN,
        "%s = pto.bitcast %a : " F " -> " I,
        "%s = pto.treshape %a : " F " -> !pto.tile_buf<vec, 8x32xf32>",
        "%s = pto.tgetval ins(%a, %n : " F ", index) outs : f32",
        "pto.tsetval ins(%n, %x : index, f32) outs(%a : " F ")",
        "%s = pto.get_block_idx",
        "%s = pto.get_block_num",
        "%s = pto.get_subblock_idx",
        "%s = pto.get_subblock_num",
        "pto.tprint ins(%a : " F ")",
        "pto.print ins(\"x = %f\\n\", %x : f32)",
        "pto.trap",
        "%s = pto.reserve_buffer {name = \"fifo\", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32",
        "%s = pto.import_reserved_buffer {name = \"fifo\", peer_func = @f} -> i32",
        /* arith: those of real files, then what the assembler allows besides */
        "%s = arith.constant 1 : i32", "%s = arith.constant -1 : i64", "%s = arith.constant true", "%s = arith.constant false",
        "%s = arith.constant 1.5 : f32", "%s = arith.constant 0x7FC00000 : f32", "%s = arith.constant 1.0e-3 : f16",
        "%s = arith.addi %n, %n : index", "%s = arith.subi %i, %i : i32", "%s = arith.muli %l, %l : i64",
        "%s = arith.minsi %n, %n : index", "%s = arith.cmpi slt, %n, %n : index", "%s = arith.select %t, %a, %b : " F,
        "%s = arith.select %t, %i, %i : i32", "%s = arith.index_cast %n : index to i32", "%s = arith.index_castui %i : i32 to index",
        "%s = arith.trunci %l : i64 to i32", "%s = arith.extui %i : i32 to i64", "%s = arith.extsi %t : i1 to i32",
        "%s = arith.andi %i, %i : i32", "%s = arith.xori %t, %t : i1", "%s = arith.ori %i, %i : i32",
        "%s = arith.bitcast %i : i32 to f32", "%s = arith.addf %x, %x : f32", "%s = arith.subf %x, %x : f32",
        "%s = arith.mulf %x, %x : f32", "%s = arith.divf %x, %x : f32", "%s = arith.cmpf olt, %x, %x : f32",
        "%s = arith.negf %x : f32", "%s = arith.maximumf %x, %x : f32", "%s = arith.minimumf %x, %x : f32",
        "%s = arith.extf %q : f16 to f32", "%s = arith.truncf %x : f32 to f16", "%s = arith.sitofp %i : i32 to f32",
        "%s = arith.fptosi %x : f32 to i32", "%s = arith.ceildivsi %n, %n : index", "%s = arith.floordivsi %n, %n : index",
        "%s = arith.ceildivui %n, %n : index", "%s = arith.maxsi %n, %n : index", "%s = arith.maxui %n, %n : index",
        "%s = arith.minui %n, %n : index", "%s, %u = arith.addui_extended %i, %i : i32, i1",
        "%s, %u = arith.mulsi_extended %i, %i : i32", "%s, %u = arith.mului_extended %i, %i : i32",
        "%s = arith.divsi %n, %n : index", "%s = arith.remui %n, %n : index", "%s = arith.shli %i, %i : i32",
        /* scf, func, memref */
        "scf.for %s = %c0 to %n step %c1 {\n}",
        "%s = scf.for %u = %c0 to %n step %c1 iter_args(%w = %i) -> (i32) {\nscf.yield %w : i32\n}",
        "%s:2 = scf.for %u = %c0 to %n step %c1 iter_args(%w = %i, %y = %a) -> (i32, " F ") {\nscf.yield %w, %y : i32, " F "\n}",
        "scf.if %t {\n}", "scf.if %t {\n} else {\n}",
        "%s = scf.if %t -> (i32) {\nscf.yield %i : i32\n} else {\nscf.yield %i : i32\n}",
        "%s = scf.while (%w = %i) : (i32) -> i32 {\nscf.condition(%t) %w : i32\n} do {\n^bb0(%y : i32):\nscf.yield %y : i32\n}",
        "scf.execute_region {\nscf.yield\n}",
        "%s = scf.index_switch %n -> i32\ncase 0 {\nscf.yield %i : i32\n}\ndefault {\nscf.yield %i : i32\n}",
        "pto.section.cube {\n}", "pto.section.vector {\n}",
        "%s = memref.alloc() : memref<16xi32>", "%s = memref.alloc(%n) : memref<?xi32, #pto.address_space<gm>>",
        "%s = memref.alloc() : memref<16xi32, #pto.address_space<vec>>\nmemref.dealloc %s : memref<16xi32, #pto.address_space<vec>>",
        "%w = memref.alloc() : memref<16xi32>\n%s = memref.reinterpret_cast %w to offset: [%n], sizes: [4], strides: [1] : memref<16xi32> to "
        "memref<4xi32, strided<[1], offset: ?>>",
        "%w = memref.alloc() : memref<16xi32>\n%s = memref.load %w[%n] : memref<16xi32>\nmemref.store %s, %w[%n] : memref<16xi32>",
    };
    // clang-format on
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) accept(lines[i], TW_PTO_A5);
    assert_int_equal(wrong, 0);
}

static void pto_text_coverage_modules(void **state)
{
    // clang-format off
    static const char *const texts[] = {
        "module {\nfunc.func @f() {\nreturn\n}\n}",
        "module @m attributes {pto.target_arch = \"a5\"} {\nfunc.func @f() {\nreturn\n}\n}",
        "module attributes {pto.target_arch = \"a3\", \"pto.device-spec\" = \"Ascend910B3\"} {\n}\nfunc.func @f() {\n}",
        "func.func @f() attributes {pto.kernel_kind = #pto.kernel_kind<vector>, pto.entry, pto.aicore} {\nreturn\n}",
        "func.func @f() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\nreturn\n}",
        "func.func @f(%0 : i32, %a.b$c-1 : i32 {pto.note = 1 : i32}, %_ : i32) {\n%1 = arith.addi %0, %a.b$c-1 : i32\nreturn\n}",
        "func.func private @g(%a : i32) -> (i32, i32)\nfunc.func private @h(i32, f32) -> i32\nfunc.func @f() {\nreturn\n}",
        "func.func @f() -> (i32, f32) {\n%a = arith.constant 1 : i32\n%b = arith.constant 1.0 : f32\nreturn %a, %b : i32, f32\n}\n"
        "func.func @g() {\n%r:2 = func.call @f() : () -> (i32, f32)\n%s = call @h(%r#0) : (i32) -> i32\nfunc.return\n}\n"
        "func.func @h(%a : i32) -> i32 {\nreturn %a : i32\n}",
        "#map = #pto<cmp lt>\n!t = !pto.tile_buf<vec, 16x16xf32>\nfunc.func @f(%a : !t) {\n%m = pto.alloc_tile : " M
        "\npto.tcmp ins(%a, %a {cmpMode = #map} : !t, !t) outs(%m : " M ")\nreturn\n}",
    };
    // clang-format on
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        session s = start(texts[i], TW_PTO_A5);
        if (!s.program) {
            tw_diags_print(s.diags, stderr, false);
            fail_msg("row %zu", i);
        }
        end(&s);
        stable(i, texts[i]);
    }
}

/* --- 2.2: types ------------------------------------------------------------------------------------------------- */

static void pto_text_coverage_types(void **state)
{
    // clang-format off
    static const struct {
        const char *in, *out; /* NULL = unchanged */
    } types[] = {
        { "!pto.ptr<f32>", NULL }, { "!pto.ptr<f32, gm>", "!pto.ptr<f32>" }, { "!pto.ptr<f32, ub>", NULL },
        { "!pto.tensor_view<?xf16>", NULL }, { "!pto.tensor_view<?x1024xf16>", NULL }, { "!pto.tensor_view<1x2x3x4x?xi8>", NULL },
        { "!pto.partition_tensor_view<16xf32>", NULL }, { "!pto.partition_tensor_view<1x1x1x16x16xf32>", NULL },
        { "!pto.tile<16x16xf32>", "!pto.tile<vec, 16x16xf32>" },
        { "!pto.tile<loc=vec, f32, 16, 16, RowMajor, NoneBox, None, Zero>", "!pto.tile<vec, 16x16xf32, pad=1>" },
        { "!pto.tile<f32, 16, 16>", "!pto.tile<vec, 16x16xf32>" },
        { "!pto.tile_buf<loc=vec, dtype=f16, rows=16, cols=16, v_row=16, v_col=?, blayout=row_major, slayout=none_box, fractal=512, pad=0>",
          "!pto.tile_buf<vec, 16x16xf16, valid=16x?>" },
        { "!pto.tile_buf<loc=mat, dtype=f16, rows=16, cols=32, v_row=-1, v_col=-1, blayout=col_major, slayout=row_major, fractal=512, "
          "pad=2, compact=1>",
          "!pto.tile_buf<mat, 16x32xf16, valid=?x?, blayout=col_major, slayout=row_major, pad=2, compact=1>" },
        { "!pto.tile_buf<vec, 16x16xf16, compact=0, pad=3, fractal=512, slayout=none_box, blayout=row_major, valid=16x?>",
          "!pto.tile_buf<vec, 16x16xf16, valid=16x?, pad=3>" },
        { "!pto.tile_buf<left, 16x16xf16>", NULL }, { "!pto.tile_buf<right, 16x16xf16>", NULL }, { "!pto.tile_buf<acc, 16x16xf32>", NULL },
        { "!pto.tile_buf<bias, 1x16xf32>", NULL }, { "!pto.tile_buf<scaling, 1x16xi64>", NULL }, { "!pto.tile_buf<mat, 16x16xf16>", NULL },
        { "memref<16xi16, #pto.address_space<gm>>", NULL }, { "memref<16xi16>", NULL }, { "memref<16xi16, #pto.address_space<zero>>", NULL },
        { "memref<4x16xi16, strided<[16, 1], offset: ?>>", NULL }, { "memref<?x?xf32, strided<[?, 1], offset: 4>, #pto.address_space<gm>>", NULL },
        { "memref<16x16xf16, #pto.address_space<mat>>", NULL }, { "memref<16x16xf16, #pto.address_space<left>>", NULL },
        { "memref<16x16xf16, #pto.address_space<right>>", NULL }, { "memref<16x16xf32, #pto.address_space<acc>>", NULL },
        { "memref<16x16xf16, #pto.address_space<vec>>", NULL }, { "memref<1x16xf32, #pto.address_space<bias>>", NULL },
        { "memref<1x16xi64, #pto.address_space<scaling>>", NULL },
        { "index", NULL }, { "i1", NULL }, { "i8", NULL }, { "i16", NULL }, { "i32", NULL }, { "i64", NULL }, { "f16", NULL },
        { "bf16", NULL }, { "f32", NULL }, { "ui8", NULL }, { "ui16", NULL }, { "ui32", NULL }, { "ui64", NULL }, { "u32", "ui32" },
        { "f8E4M3FN", "f8e4m3" }, { "f8E5M2", "f8e5m2" }, { "f8e4m3", NULL }, { "hif8", NULL },
        { "!pto.pipe", NULL }, { "!pto.eventid_array<2>", NULL }, { "!pto.async_session", NULL }, { "!pto.async_event", NULL },
        { "!pto.event", NULL }, { "!pto.vreg<64xf32>", NULL }, { "!pto.mask<b32>", NULL }, { "vector<4xi16>", NULL },
    };
    // clang-format on
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        char *text = g_strdup_printf("func.func private @f(%%a : %s)\n", types[i].in);
        char *want = g_strdup_printf("func.func private @f(%%a : %s)\n", types[i].out ? types[i].out : types[i].in);
        session s = start(text, TW_PTO_A5);
        char *printed = tw__as_print(s.module);
        if (tw_diags_count(s.diags, TW_ERROR) || strcmp(printed, want) != 0) {
            tw_diags_print(s.diags, stderr, false);
            print_error("%s printed as %s", types[i].in, printed);
            wrong++;
        }
        free(printed);
        end(&s);
        g_free(text);
        g_free(want);
    }
    assert_int_equal(wrong, 0);
}

/* Spellings that only the documents have: cmp = "lt", rnd = rne, #atomic = add, #phase = relu (2.3, 8 no. 26, 27). */
static void pto_text_coverage_aliases(void **state)
{
    // clang-format off
    static const char *const lines[] = {
        "pto.tcmp ins(%a, %b {cmp = \"lt\"} : " F ", " F ") outs(%m : " M ")",
        "pto.tcmp ins(%a, %b {cmpMode = \"lt\"} : " F ", " F ") outs(%m : " M ")",
        "pto.tcvt ins(%a {rnd = rne} : " F ") outs(%k : " I ")",
        "pto.tcvt ins(%a {rnd = rz} : " F ") outs(%k : " I ")",
        "pto.tcvt ins(%a {rnd = rp} : " F ") outs(%k : " I ")",
        "pto.tcvt ins(%a {rnd = rm} : " F ") outs(%k : " I ")",
        "pto.tstore ins(%a : " F ") outs(%v : " V ") #atomic=add",
        "pto.tstore ins(%acc : " ACC ") outs(%v : " V ") #phase=relu",
        "pto.tci ins(%i {descending = true} : i32) outs(%k : " I ")",
        "pto.ttri ins(%i {upperOrLower = 1 : i32} : i32) outs(%d : " F ")",
        "pto.tcolsum ins(%a, %b {isBinary = false} : " F ", " F ") outs(%one : " ONE ")",
    };
    // clang-format on
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) accept(lines[i], TW_PTO_A5);
    assert_int_equal(wrong, 0);
}

/* Forms whose operands are of the same kinds: the one whose rules they keep is meant (2.5: tquant src, fp[, offset]).
 * */
static void pto_text_coverage_forms(void **state)
{
    // clang-format off
    static const struct {
        const char *line, *row;
    } rows[] = {
        { "pto.tquant ins(%a, %row, %row : " F ", " ROW ", " ROW ") outs(%u8 : " U8 ") {quant_type = #pto<quant_type INT8_ASYM>}", "TQUANT_ASYM" },
        { "pto.tquant ins(%a, %row, %b : " F ", " ROW ", " F ") outs(%b8 : " B8 ") {quant_type = #pto<quant_type INT8_SYM>}", "TQUANT_TMP" },
        { "pto.tquant ins(%a, %row : " F ", " ROW ") outs(%b8 : " B8 ")", "TQUANT" },
        { "pto.tdivs ins(%a, %x : " F ", f32) outs(%d : " F ")", "TDIVS" },
        { "pto.tdivs ins(%x, %a : f32, " F ") outs(%d : " F ")", "TDIVS_S" },
    };
    // clang-format on
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *text = g_strdup_printf("%s%s\nreturn\n}\n", head, rows[i].line);
        session s = start(text, TW_PTO_A5);
        const tw__pto_row *row = NULL;
        if (!s.program) tw_diags_print(s.diags, stderr, false);
        assert_non_null(s.program);
        for (const tw__as_code *c = s.program->functions->body; c; c = c->next)
            if (c->more->row) row = c->more->row;
        assert_non_null(row);
        if (strcmp(row->name, rows[i].row) != 0) fail_msg("%s is %s", rows[i].line, row->name);
        end(&s);
        g_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_coverage_types),   cmocka_unit_test(pto_text_coverage_enumerations),
        cmocka_unit_test(pto_text_coverage_aliases), cmocka_unit_test(pto_text_coverage_operations),
        cmocka_unit_test(pto_text_coverage_modules), cmocka_unit_test(pto_text_coverage_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
