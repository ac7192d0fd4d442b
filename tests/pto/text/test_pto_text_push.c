/* SPDX-License-Identifier: MIT */
/* TPUSH in text: with scales, a tile of them or a number, for accumulators that change their type on the way; slots
 * as tensors. */
#include "pto/support/check.h"
#include "pto/support/text.h"
#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>

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
            tw__as_set_wide(p, TW__AS_PTR, 0);
            p->wide->ptr.base = (unsigned char *)scales;
            p->wide->ptr.bytes = sizeof scales;
            p->wide->ptr.type = TW_U64;
            status = run(&s);
        }
        const tw_diag *d = tw_diags_count(s.diags, TW_ERROR) ? tw_diags_get(s.diags, 0) : NULL;
        bool good = rows[i].message
                        ? d && strstr(d->message, rows[i].message) && d->line == rows[i].line + HEAD_LINES
                        : status == TW_OK;
        if (!good) fail_msg("row %zu: %d: %s", i, d ? d->line : 0, d ? d->message : "no error");
        for (uint32_t r = 0; r < 16 && !rows[i].message; r++)
            for (uint32_t c = 0; c < 16; c++) {
                double want = rows[i].each + rows[i].step * c,
                       have = get(s.core, &cell(&s, "got")->wide->tile, r, c);
                if (have != want) fail_msg("row %zu, (%u, %u): %g instead of %g", i, r, c, have, want);
            }
        end(&s);
    }
}

/* --- slots as tensors ------------------------------------------------------------------------------------------- */

#define VIEW "!pto.tensor_view<16x16xf32>"
#define HALF "!pto.tensor_view<16x8xf32>"
#define V16  "!pto.tile_buf<vec, 16x16xf32>"
#define V8   "!pto.tile_buf<vec, 16x8xf32>"

typedef struct job {
    tw_pto_text *text;
    float *memory;
} job;

static tw_status run_core(tw_pto *core, void *user)
{
    job *j = user;
    tw_pto_run *run_ = tw_pto_run_new(j->text, NULL, core);
    OK(tw_pto_run_memory(run_, "p", j->memory, TW_F32, 1, (size_t[]){ 512 }));
    tw_status status =
        tw_pto_run_start(run_, &(tw_pto_run_options){ .size = sizeof(tw_pto_run_options), .max_steps = 10000 });
    char *message = strdup(tw_error_message());
    tw_pto_run_free(run_);
    tw__set_error(status, status == TW_OK ? "" : message);
    free(message);
    return status;
}

/* %a: 16 x 16 of the memory's first 256; results go to the second 256, a half to each vector core where there are
 * two. */
static void pto_push_slots(void **state)
{
    static const struct {
        unsigned vectors;
        const char *body;
        const char *message; /* NULL = good: the second 256 are as the first */
        int line;
    } rows[] = {
        /* one core: a slot written as a tensor, popped as one */
        { 0,
          "pto.tload ins(%a : " VIEW ") outs(%t : " V16 ")\n%s = pto.talloc_to_aic {split = 0} -> " VIEW
          "\npto.tstore ins(%t : " V16 ") outs(%s : " VIEW ")\npto.tpush_to_aic(%s : " VIEW
          ") {split = 0}\n%q = pto.tpop_from_aiv {split = 0} -> " VIEW "\npto.tload ins(%q : " VIEW
          ") outs(%t : " V16 ")\npto.tfree_from_aiv(%q : " VIEW ") {split = 0}\npto.tstore ins(%t : " V16
          ") outs(%b : " VIEW ")\n",
          NULL, 0 },
        /* columns: each vector core has a view of its half; rows are 16 apart */
        { 2,
          "pto.section.vector {\n%i = pto.get_subblock_idx\n%k = arith.index_cast %i : i64 to index %o = "
          "arith.muli "
          "%k, "
          "%c8 : index\n%h = pto.partition_view %a, offsets = [%c0, %o], sizes = [%c16, %c8] : " VIEW
          " -> !pto.partition_tensor_view<16x8xf32>\n%w = pto.alloc_tile : " V8
          "\npto.tload ins(%h : !pto.partition_tensor_view<16x8xf32>) outs(%w : " V8
          ")\n%s = pto.talloc_to_aic {split = 2} -> " HALF "\npto.tstore ins(%w : " V8 ") outs(%s : " HALF
          ")\npto.tpush_to_aic(%s : " HALF
          ") {split = 2}\n}\npto.section.cube {\n%q = pto.tpop_from_aiv {split = 2} -> " VIEW
          "\n%m = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf32>\npto.tload ins(%q : " VIEW
          ") outs(%m : !pto.tile_buf<mat, 16x16xf32>)\npto.tstore ins(%m : !pto.tile_buf<mat, 16x16xf32>) outs(%b "
          ": " VIEW ")\npto.tfree_from_aiv {split = 2}\n}\n",
          NULL, 0 },
        { 0, "%s = pto.talloc_to_aic {split = 0} -> !pto.tensor_view<16x?xf32>\n", "a view of known extents", 1 },
        { 0, "%s = pto.talloc_to_aic {split = 0} -> " V16 "\n", "a view of known extents", 1 },
        { 0, "%s = pto.talloc_to_aic {split = 0} -> !pto.tensor_view<16x32xf32>\n", "fifo.slot-size", 1 },
        { 0, "%s = pto.talloc_to_aic -> !pto.tensor_view<65536x65536x65536xf32>\n", "a slot is smaller than", 1 },
        { 0, "%s = pto.talloc_to_aic -> " VIEW "\n%s2 = pto.talloc_to_aic -> " VIEW "\n", "fifo.talloc", 2 },
        { 0, "pto.tpush_to_aic(%a : " VIEW ") {split = 0}\n", "fifo.talloc", 1 },
        { 0, "%s = pto.talloc_to_aic -> " VIEW "\npto.tpush_to_aic(%s, %s : " VIEW ", " VIEW ")\n",
          "a tile is wanted here", 2 },
        { 0, "pto.tfree_from_aiv(%t : " V16 ")\n", "the slot is wanted here", 1 },
        { 0, "%q = pto.tpop_from_aiv -> i32\n", "gives a tile, or a view of known extents", 1 },
        { 0, "%q = pto.tpop_from_aiv(%c0, %c0 : index, index) -> " VIEW "\n", "valid rows and columns", 1 },
        { 0, "%q = pto.tpop_from_aiv -> " VIEW "\n", "waits for data number 1", 1 },
    };
    enum { LINES = 5 };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[4096];
        float memory[512];
        for (int k = 0; k < 512; k++) memory[k] = k < 256 ? (float)k + 0.5f : -1;
        snprintf(
            source, sizeof source,
            "func.func @f(%%p : !pto.ptr<f32>) {\n%%c0 = arith.constant 0 : index %%c1 = arith.constant 1 : index "
            "%%c8 = arith.constant 8 : index %%c16 = arith.constant 16 : index %%n = arith.constant 256 : index "
            "%%p2 = pto.addptr %%p, %%n : !pto.ptr<f32> -> !pto.ptr<f32> %%t = pto.alloc_tile : " V16
            "\n%%a = pto.make_tensor_view %%p, shape = [%%c16, %%c16], strides = [%%c16, %%c1] : " VIEW
            "\n%%b = pto.make_tensor_view %%p2, shape = [%%c16, %%c16], strides = [%%c16, %%c1] : " VIEW
            "\npto.aiv_initialize_pipe {dir_mask = 2, slot_size = 1024}(c2v_consumer_buf = %%c0 : index)\n%s  "
            "return\n}\n",
            rows[i].body);
        stable(i, source);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        tw_status status = tw_pto_text_verify(text, TW_PTO_CPU);
        if (status == TW_OK) {
            job j = { text, memory };
            tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
                .size = sizeof(tw_pto_launch), .target = TW_PTO_CPU, .vectors = rows[i].vectors });
            status = tw_pto_grid_run(g, run_core, &j);
            tw_pto_grid_free(g);
        }
        const tw_diags *diags = tw_pto_text_diags(text);
        const tw_diag *d = tw_diags_count(diags, TW_ERROR) ? tw_diags_get(diags, 0) : NULL;
        bool good = rows[i].message ? d && strstr(d->message, rows[i].message) && d->line == rows[i].line + LINES
                                    : status == TW_OK && memcmp(memory, memory + 256, 1024) == 0;
        if (!good) fail_msg("row %zu: %d: %s", i, d ? d->line : 0, d ? d->message : tw_error_message());
        tw_pto_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_push_scales), cmocka_unit_test(pto_push_slots) };
    return cmocka_run_group_tests_name("pto_feat_push", tests, NULL, NULL);
}
