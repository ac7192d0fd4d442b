/* TPUSH with scales in text: a tile of them or a number, for accumulators that change their type on the way. */
#include "check.h"
#include "text.h"

/* An accumulator of 96 everywhere: 16 x 2 x 3. %fp: scales of the memory at %p, one per column. */
#define MAT  "!pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>"
#define LEFT "!pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>"
#define RGHT "!pto.tile_buf<right, 16x16xf16, slayout=col_major>"
#define ACC  "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
#define FP   "!pto.tile_buf<scaling, 1x16xui64>"
#define VEC  "!pto.tile_buf<vec, 16x16xf16>"
#define HEAD                                                                                                      \
    "func.func @f(%p : !pto.ptr<ui64>) {\n"                                                                       \
    "%two = arith.constant 2.0 : f16 %three = arith.constant 3.0 : f16 %c0 = arith.constant 0 : index "           \
    "%c1 = arith.constant 1 : index %c16 = arith.constant 16 : index "                                            \
    "%m = pto.alloc_tile : " MAT " %n = pto.alloc_tile : " MAT " %l = pto.alloc_tile : " LEFT                     \
    " %r = pto.alloc_tile : " RGHT " %t = pto.alloc_tile : " ACC " %lm = pto.alloc_tile : !pto.tile_buf<mat, "    \
    "1x16xui64> %fp = pto.alloc_tile : " FP " %plain = pto.alloc_tile : " VEC "\n"                                \
    "pto.texpands ins(%two : f16) outs(%m : " MAT ")\npto.texpands ins(%three : f16) outs(%n : " MAT ")\n"        \
    "pto.tmov ins(%m : " MAT ") outs(%l : " LEFT ")\npto.tmov ins(%n : " MAT ") outs(%r : " RGHT ")\n"            \
    "pto.tmatmul ins(%l, %r : " LEFT ", " RGHT ") outs(%t : " ACC ")\n"                                           \
    "%v = pto.make_tensor_view %p, shape = [%c1, %c16], strides = [%c16, %c1] : !pto.tensor_view<1x16xui64>\n"    \
    "pto.tload ins(%v : !pto.tensor_view<1x16xui64>) outs(%lm : !pto.tile_buf<mat, 1x16xui64>)\n"                 \
    "pto.tmov ins(%lm : !pto.tile_buf<mat, 1x16xui64>) outs(%fp : " FP ")\n"                                      \
    "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, slot_type = f16}(c2v_consumer_buf = %c0 : index)\n" \
    "pto.aic_initialize_pipe {id = 1, dir_mask = 1, slot_size = 1024}(c2v_consumer_buf = %c0 : index)\n"
enum { HEAD_LINES = 12 };

static void pto_push_scales(void **state)
{
    static const struct {
        const char *body;
        double each, step;   /* element (r, c) of what is popped: each + step c */
        const char *message; /* NULL = good */
        int line;
    } rows[] = {
        { "pto.tpush_to_aiv(%t : " ACC ") {split = 0}\n", 96, 0, NULL, 0 },
        { "%s = arith.constant 0x3f000000 : i64\npto.tpush_to_aiv(%t, %s : " ACC ", i64) {split = 0}\n", 48, 0,
          NULL, 0 },
        { "pto.tpush_to_aiv(%t, 1056964608 : " ACC ", i64) {split = 0}\n", 48, 0, NULL, 0 },
        { "pto.tpush_to_aiv(%t, %fp : " ACC ", " FP ") {split = 0}\n", 0, 48, NULL, 0 }, /* scale c / 2 */
        { "pto.tpush_to_aiv(%t, %fp : " ACC ", " FP ") {split = 0, relu = normal_relu, clipRelu = 1000.0}\n", 0, 48,
          NULL, 0 },
        { "%s = arith.constant 0.5 : f32\npto.tpush_to_aiv(%t, %s : " ACC ", f32) {split = 0}\n", 0, 0,
          "a tile of scales or an i64 is wanted here, not f32", 2 },
        { "pto.tpush_to_aiv(%t, %fp : " ACC ", " FP ") {id = 1, split = 0}\n", 0, 0, "fifo.type", 1 },
        { "pto.tpush_to_aiv(%t, %plain : " ACC ", " VEC ") {split = 0}\n", 0, 0, "scale.", 1 },
        { "pto.tpush_to_aiv(%plain, %fp : " VEC ", " FP ") {split = 0}\n", 0, 0, "only i32 f32", 1 },
        { "pto.tpush_to_aiv(%t, %fp, %fp : " ACC ", " FP ", " FP ") {split = 0}\n", 0, 0, "a tile and its scales",
          1 },
        { "pto.tpush_to_aiv(%t, %nothing : " ACC ", " FP ") {split = 0}\n", 0, 0, "not defined", 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4096];
        uint64_t scales[16];
        for (int c = 0; c < 16; c++) {
            float s = (float)c / 2;
            scales[c] = 0;
            memcpy(&scales[c], &s, sizeof s);
        }
        snprintf(text, sizeof text, "%s%s%s  return\n}\n", HEAD, rows[i].body,
                 rows[i].message ? ""
                                 : "%got = pto.tpop_from_aic {split = 0} -> " VEC
                                   "\npto.tfree_from_aic {split = 0}\n");
        stable(i, text);
        session s = start(text, TW_PTO_A5);
        tw_status status = TW_E_PARSE;
        if (s.program) {
            tw__as_cell *p = cell(&s, "p");
            *p = (tw__as_cell){ .kind = TW__AS_PTR };
            p->ptr.base = (unsigned char *)scales;
            p->ptr.bytes = sizeof scales;
            p->ptr.type = TW_U64;
            status = run(&s);
        }
        const tw_diag *d = tw_diags_count(s.diags, TW_ERROR) ? tw_diags_get(s.diags, 0) : NULL;
        bool good = rows[i].message
                        ? d && strstr(d->message, rows[i].message) && d->line == rows[i].line + HEAD_LINES
                        : status == TW_OK;
        if (!good) fail_msg("row %zu: %d: %s", i, d ? d->line : 0, d ? d->message : "no error");
        for (uint32_t r = 0; r < 16 && !rows[i].message; r++)
            for (uint32_t c = 0; c < 16; c++) {
                double want = rows[i].each + rows[i].step * c, have = get(s.core, &cell(&s, "got")->tile, r, c);
                if (have != want) fail_msg("row %zu, (%u, %u): %g instead of %g", i, r, c, have, want);
            }
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_push_scales) };
    return cmocka_run_group_tests_name("pto_feat_push", tests, NULL, NULL);
}
