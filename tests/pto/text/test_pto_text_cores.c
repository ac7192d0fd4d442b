/* SPDX-License-Identifier: MIT */
/* Text of FIFOs, flags between cores and SYNCALL: programs that run on grids, and messages with their lines. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>

#define VEC     "!pto.tile_buf<vec, 16x16xf32>"
#define ACC     "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
#define PIPE_CV "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024}(c2v_consumer_buf = %z : index)\n"

typedef struct job {
    tw_pto_text *text;
    int32_t *memory;
} job;

static tw_status run_core(tw_pto *core, void *user)
{
    job *j = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_run *run = tw_pto_run_new(j->text, NULL, core);
    if (!run) return TW_E_SYMBOL;
    OK(tw_pto_run_memory(run, "p", j->memory, TW_I32, 1, (size_t[]){ 64 }));
    tw_status status = tw_pto_run_start(
        run, &(tw_pto_run_options){
                 .size = sizeof(tw_pto_run_options), .block = me.block, .blocks = me.blocks, .max_steps = 10000 });
    char *message = status == TW_OK ? NULL : strdup(tw_error_message());
    tw_pto_run_free(run);
    if (message) tw__set_error(status, message);
    free(message);
    return status;
}

/* `body` with %p : !pto.ptr<i32>, %z = 0, %u = 1 on `blocks` blocks; the first diagnostic into message ("" = none).
 * */
static tw_status run_text(const char *body, unsigned blocks, unsigned vectors, int32_t *memory, int *line,
                          char message[600])
{
    char source[8192];
    snprintf(source, sizeof source,
             "func.func @f(%%p : !pto.ptr<i32>) {\n%%z = arith.constant 0 : index\n%%u = arith.constant 1 : index\n"
             "%s  return\n}\n",
             body);
    tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
    assert_non_null(text);
    tw_status status = tw_pto_text_verify(text, TW_PTO_A2A3);
    job j = { text, memory };
    if (status == TW_OK) {
        tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
            .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .blocks = blocks, .vectors = vectors });
        status = tw_pto_grid_run(g, run_core, &j);
        tw_pto_grid_free(g);
    }
    message[0] = 0;
    *line = 0;
    if (tw_diags_count(tw_pto_text_diags(text), TW_ERROR)) {
        const tw_diag *d = tw_diags_get(tw_pto_text_diags(text), 0);
        snprintf(message, 600, "%s", d->message);
        *line = d->line;
    }
    tw_pto_text_free(text);
    return status;
}

/* Each block writes its index, waits for all, reads its neighbour's. */
static void pto_text_cores_syncall(void **state)
{
    static const char body[] =
        "%b = pto.get_block_idx\n%n = pto.get_block_num\n%i = arith.index_cast %b : i64 to index\n"
        "%k = arith.index_cast %n : i64 to index\n%v = arith.trunci %b : i64 to i32\n"
        "pto.store_scalar %v, %p[%i] : !pto.ptr<i32>, i32\n"
        "pto.syncall {cores = \"mix\"}\n"
        "%j = arith.addi %i, %u : index\n%m = arith.remui %j, %k : index\n"
        "%w = pto.load_scalar %p[%m] : !pto.ptr<i32> -> i32\n%o = arith.addi %i, %k : index\n"
        "pto.store_scalar %w, %p[%o] : !pto.ptr<i32>, i32\n";
    int32_t memory[64] = { 0 };
    int line;
    char message[600];
    (void)state;
    if (run_text(body, 7, 0, memory, &line, message) != TW_OK) fail_msg("%d: %s", line, message);
    for (int i = 0; i < 7; i++) assert_int_equal(memory[7 + i], (i + 1) % 7);
}

static void pto_text_cores_messages(void **state)
{
    static const struct {
        const char *body;
        unsigned vectors;
        int line; /* of the first diagnostic; 0 = good */
        const char *message;
    } rows[] = {
        { "pto.section.vector {\n%s = pto.get_subblock_idx\n%t = arith.trunci %s : i64 to i32\n"
          "%i = arith.index_cast %s : i64 to index\npto.store_scalar %t, %p[%i] : !pto.ptr<i32>, i32\n}\n",
          2, 0, NULL },
        { "pto.section.cube {\npto.sync.set #pto.pipe<PIPE_FIX>, 1\n}\npto.section.vector {\n"
          "pto.sync.wait #pto.pipe<PIPE_MTE2>, 1\n}\n",
          2, 0, NULL },
        { "pto.section.vector {\npto.sync.wait #pto.pipe<PIPE_MTE2>, 1\n}\n", 2, 5,
          "has not been set by block 0, cube core" },
        { "pto.sync.set #pto.pipe<PIPE_FIX>, 16\n", 0, 4, "sync.id" },
        { "pto.sync.set #pto.pipe<PIPE_FIX>\n", 0, 4, "takes a pipe and a flag" },
        { "pto.sync.set #pto.pipe<PIPE_FIX>, 1 {mode = 3}\n", 0, 4, "mode is a number from 0 to 2" },
        { "pto.sync.set #pto.pipe<PIPE_FIX>, 1 {mod = 1}\n", 0, 4, "did you mean 'mode'" },
        { "pto.sync.set #pto.pipe<PIPE_FIX>, 1 {mode = 1}\n", 2, 4, "sync.mode" },
        { PIPE_CV "pto.tfree_from_aic {split = 1}\n", 0, 5, "fifo.free" },
        { "pto.tfree_from_aic {split = 1}\n", 0, 4, "is not initialised" },
        { PIPE_CV "pto.tfree_from_aiv {split = 1}\n", 0, 5, "is not initialised" },
        { PIPE_CV "pto.tfree_from_aic {split = 3}\n", 0, 5, "split is a number from 0 to 2" },
        { PIPE_CV "pto.tfree_from_aic {slit = 1}\n", 0, 5, "did you mean 'split'" },
        { PIPE_CV "%t = pto.alloc_tile : " VEC "\npto.tpush_to_aiv(%t : " VEC ") {split = 0}\n", 0, 6,
          "fifo.location" },
        { PIPE_CV "pto.tpush_to_aiv(%z : index) {split = 0}\n", 0, 5, "a tile is wanted" },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC ") {split = 0}\n", 0, 0, NULL },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC ") {split = 0}\n"
                  "%v = pto.tpop_from_aic {split = 0} -> " VEC "\npto.tfree_from_aic {split = 0}\n",
          0, 0, NULL },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC
                  ") {split = 0, layoutMode = nz2nz, channelSplit = "
                  "true, relu = normal_relu, clipRelu = 6.5, stPhase = #pto<st_phase final>}\n"
                  "%v = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32, blayout=col_major, "
                  "slayout=row_major>\n",
          0, 0, NULL },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC ") {split = 0, layoutMode = nz2nz}\n"
                  "%v = pto.tpop_from_aic {split = 0} -> !pto.tile_buf<vec, 16x16xf32, blayout=col_major, "
                  "slayout=row_major>\n",
          0, 7, "fifo.layout" },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC ") {layoutMode = nz2nc}\n", 0, 6,
          "'nz2nc' is not a value of 'layoutMode': nz2nd|nz2nz|nz2dn" },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC ") {layoutMod = nz2nz}\n", 0, 6,
          "did you mean 'layoutMode'" },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC ") {clipRelu = -1.0}\n", 0, 6,
          "fifo.clip" },
        { PIPE_CV "pto.tpop_from_aic {layoutMode = nz2nz} -> " VEC "\n", 0, 5, "no attribute 'layoutMode'" },
        { "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, slot_type = f16}(c2v_consumer_buf = %z : "
          "index)\n%t = "
          "pto.alloc_tile : " ACC "\npto.tpush_to_aiv(%t : " ACC
          ") {atomicType = #pto<atomic_type atomic_add>}\n%v = pto.tpop_from_aic "
          "{split = 0} -> !pto.tile_buf<vec, 16x16xf16>\n",
          0, 0, NULL },
        { "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, slot_type = f17}(c2v_consumer_buf = %z : "
          "index)\n",
          0, 4, "slot_type is an element type, not 'f17'" },
        { PIPE_CV "%v = pto.tpop_from_aic(%u) {split = 0} -> " VEC "\n", 0, 5, "valid rows and columns" },
        { PIPE_CV "%v = pto.tpop_from_aic {split = 0} -> " VEC "\n", 0, 5, "waits for data number 1 of FIFO 0" },
        { PIPE_CV "%t = pto.alloc_tile : " ACC "\n%n = arith.constant 9 : index\nscf.for %i = %z to %n step %u {\n"
                  "pto.tpush_to_aiv(%t : " ACC ") {split = 0}\n}\n",
          0, 8, "free slot to push number 9" },
        { "pto.aic_initialize_pipe {slot_size = 1024}(c2v_consumer_buf = %z : index)\n", 0, 4, "needs dir_mask" },
        { "pto.aic_initialize_pipe {dir_mask = 1}(c2v_consumer_buf = %z : index)\n", 0, 4, "slot_size" },
        { "pto.aic_initialize_pipe {dir_mask = 4, slot_size = 32}(c2v_consumer_buf = %z : index)\n", 0, 4,
          "dir_mask is a number from 0 to 3" },
        { "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024}(gm_slot_buffer = %p : !pto.ptr<i32>)\n", 0, 4,
          "do not fit the 256 bytes" },
        { "pto.aic_initialize_pipe {dir_mask = 1, slot_size = 32, nosplit}(gm_slot_buffer = %p : !pto.ptr<i32>)\n",
          0, 0, NULL },
        { "%b = pto.reserve_buffer {name = \"fifo\", size = 8192, location = #pto.address_space<vec>, auto = true} "
          "-> i32\n",
          0, 0, NULL },
        { "pto.syncall {cores = \"aic_only\"}\n", 2, 4, "syncall.cores" },
        { "pto.section.cube {\n%t = pto.alloc_tile : " VEC "\npto.tadd ins(%t, %t : " VEC ", " VEC
          ") outs(%t : " VEC ")\n}\n",
          1, 6, "memory" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t memory[64] = { 0 };
        int line;
        char message[600];
        tw_status status = run_text(rows[i].body, 1, rows[i].vectors, memory, &line, message);
        bool as_wanted = rows[i].line ? status != TW_OK && line == rows[i].line && strstr(message, rows[i].message)
                                      : status == TW_OK;
        if (!as_wanted) fail_msg("row %zu: status %d, line %d: %s", i, status, line, message);
    }
}

/* --- functions of one kind of core ------------------------------------------------------------------------------ */

#define CUBE   "attributes {pto.kernel_kind = #pto.kernel_kind<cube>}"
#define VECTOR "attributes {pto.kernel_kind = #pto.kernel_kind<vector>}"

/* The program in a module, on `vectors` cores; every core runs what tw_pto_text_function_of gives it, with %p if it
 * takes it. */
static tw_status run_own(tw_pto *core, void *user)
{
    job *j = user;
    tw_pto_param p;
    const char *function = tw_pto_text_function_of(j->text, NULL, core);
    if (!function) return *tw_error_message() ? TW_E_SYMBOL : TW_OK;
    tw_pto_run *run = tw_pto_run_new(j->text, function, core);
    if (tw_pto_text_param(j->text, function, 0, &p))
        OK(tw_pto_run_memory(run, "p", j->memory, TW_I32, 1, (size_t[]){ 64 }));
    tw_status status = tw_pto_run_start(run, NULL);
    char *message = strdup(tw_error_message());
    tw_pto_run_free(run);
    if (status != TW_OK) tw__set_error(status, message);
    free(message);
    return status;
}

/* What each core stores: 7 by the cube core in word 0, 9 by vector core k in word 1 + k. */
#define STORE_CUBE                                                                                              \
    "%i = arith.constant 0 : index\n%v = arith.constant 7 : i32\npto.store_scalar %v, %p[%i] : !pto.ptr<i32>, " \
    "i32\n"
#define STORE_VECTOR                                                                                             \
    "%s = pto.get_subblock_idx\n%u = arith.constant 1 : index\n%k = arith.index_cast %s : i64 to index\n"        \
    "%i = arith.addi %k, %u : index\n%v = arith.constant 9 : i32\npto.store_scalar %v, %p[%i] : !pto.ptr<i32>, " \
    "i32\n"
#define INIT(side)                             \
    "%z = arith.constant 0 : index\npto." side \
    "_initialize_pipe {dir_mask = 1, slot_size = 1024}(c2v_consumer_buf = %z : index)\n"

static void pto_text_cores_kinds(void **state)
{
    static const struct {
        const char *text;
        unsigned vectors;    /* what the program asks for */
        unsigned on;         /* what it runs on */
        int32_t words[3];    /* 0 = nobody stored */
        const char *message; /* NULL = good */
    } rows[] = {
        { "func.func @c(%p : !pto.ptr<i32>) " CUBE " {\n" STORE_CUBE
          "return\n}\nfunc.func @v(%p : !pto.ptr<i32>) " VECTOR " {\n" STORE_VECTOR "return\n}\n",
          2,
          2,
          { 7, 9, 9 },
          NULL },
        { "func.func @v(%p : !pto.ptr<i32>) " VECTOR " {\n" STORE_VECTOR "return\n}\nfunc.func @c() " CUBE
          " {\nreturn\n}\n",
          2,
          1,
          { 0, 9, 0 },
          NULL },
        /* one kind: the others have nothing to do; a core that is both runs it */
        { "func.func @c(%p : !pto.ptr<i32>) " CUBE " {\n" STORE_CUBE "return\n}\n", 0, 2, { 7, 0, 0 }, NULL },
        { "func.func @c(%p : !pto.ptr<i32>) " CUBE " {\n" STORE_CUBE "return\n}\n", 0, 0, { 7, 0, 0 }, NULL },
        /* a module of one kind, with a function of the other */
        { "}\nmodule attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\nfunc.func @v(%p : !pto.ptr<i32>) "
          "{\n" STORE_VECTOR "return\n}\nfunc.func @c(%p : !pto.ptr<i32>) " CUBE " {\n" STORE_CUBE "return\n}\n",
          2,
          2,
          { 7, 9, 9 },
          NULL },
        /* a function for all calls one of each kind */
        { "func.func @m(%p : !pto.ptr<i32>) {\nfunc.call @c(%p) : (!pto.ptr<i32>) -> ()\nfunc.call @v(%p) : "
          "(!pto.ptr<i32>) -> ()\n"
          "return\n}\nfunc.func @c(%p : !pto.ptr<i32>) " CUBE " {\n" STORE_CUBE
          "return\n}\nfunc.func @v(%p : !pto.ptr<i32>) " VECTOR " {\n" STORE_VECTOR "return\n}\n",
          2,
          2,
          { 7, 9, 9 },
          NULL },
        { "func.func @m() {\n%x = func.call @c() : () -> index\nreturn\n}\nfunc.func @c() -> index " CUBE
          " {\n%x = arith.constant 0 : index\nreturn %x : index\n}\n",
          0,
          1,
          { 0 },
          "@c is for cube cores only and gives values: a vector core has none" },
        { "func.func @c() " CUBE " {\nreturn\n}\nfunc.func @v() " VECTOR " {\nreturn\n}\n",
          2,
          0,
          { 0 },
          "a core that is both takes one of them" },
        { "func.func @c() attributes {pto.kernel_kind = #pto.kernel_kind<cub>} {\nreturn\n}\n",
          0,
          0,
          { 0 },
          "#pto.kernel_kind<cube> or <vector>, not 'cub'" },
        /* sections of both kinds that FIFOs or flags join */
        { "func.func @f(%p : !pto.ptr<i32>) {\npto.section.cube {\n" INIT("aic") "}\npto.section.vector {\n" INIT(
              "aiv") STORE_VECTOR "}\nreturn\n}\n",
          2,
          2,
          { 0, 9, 9 },
          NULL },
        { "func.func @f() {\n%z = arith.constant 0 : index\npto.section.cube {\npto.aic_initialize_pipe {dir_mask "
          "= 1, slot_size = 1024, "
          "nosplit}(c2v_consumer_buf = %z : index)\n}\npto.section.vector {\n}\nreturn\n}\n",
          1,
          1,
          { 0 },
          NULL },
        { "func.func @f() {\npto.section.cube {\n}\npto.section.vector {\n}\nreturn\n}\n", 0, 0, { 0 }, NULL },
        { "func.func @f() {\npto.section.vector {\n" INIT("aiv") "}\nreturn\n}\n", 0, 0, { 0 }, NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[4096];
        int32_t memory[64] = { 0 };
        snprintf(source, sizeof source, "module {\n%s}\n", rows[i].text);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        job j = { text, memory };
        tw_status status = tw_pto_text_verify(text, TW_PTO_A2A3);
        if (status == TW_OK) {
            if (tw_pto_text_vectors(text) != rows[i].vectors)
                fail_msg("row %zu: %u vector cores, not %u", i, tw_pto_text_vectors(text), rows[i].vectors);
            tw_pto_grid *g = tw_pto_grid_new(
                &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = rows[i].on });
            status = tw_pto_grid_run(g, run_own, &j);
            tw_pto_grid_free(g);
        }
        if (rows[i].message ? status == TW_OK || !strstr(tw_error_message(), rows[i].message) : status != TW_OK)
            fail_msg("row %zu: status %d: %s", i, status, tw_error_message());
        for (int w = 0; w < 3; w++)
            if (memory[w] != rows[i].words[w]) fail_msg("row %zu: word %d is %d", i, w, memory[w]);
        tw_pto_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_cores_kinds),
        cmocka_unit_test(pto_text_cores_syncall),
        cmocka_unit_test(pto_text_cores_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
