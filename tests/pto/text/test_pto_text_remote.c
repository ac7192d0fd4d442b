/* SPDX-License-Identifier: MIT */
/* Text of devices: memrefs of other devices (pto.remote_ptr), attributes of asynchronous sessions. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>

enum { WORDS = 64, DEVICES = 3 };
#define M  "memref<8x8xi32, #pto.address_space<gm>>"
#define S  "memref<4x8xi32, strided<[8, 1], offset: ?>, #pto.address_space<gm>>"
#define SE "!pto.async_session"

typedef struct job {
    tw_pto_text *text;
    int32_t (*memory)[WORDS]; /* of each device */
    size_t peer_bytes;
} job;

static tw_status run_core(tw_pto *core, void *user)
{
    job *j = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_run *run = tw_pto_run_new(j->text, NULL, core);
    if (!run) return TW_E_SYMBOL;
    OK(tw_pto_run_memory(run, "m", j->memory[me.device], TW_I32, 2, (size_t[]){ 8, 8 }));
    OK(tw_pto_run_number(run, "k", "1"));
    REFUSED(tw_pto_run_peer(run, "k", 0, j->memory[0], 4), "no pointer or memref", "k");
    for (unsigned d = 0; d < me.devices; d++)
        if (d != me.device) OK(tw_pto_run_peer(run, "m", d, j->memory[d], j->peer_bytes));
    tw_status status =
        tw_pto_run_start(run, &(tw_pto_run_options){ .size = sizeof(tw_pto_run_options), .max_steps = 10000 });
    char *message = status == TW_OK ? NULL : strdup(tw_error_message());
    tw_pto_run_free(run);
    if (message) tw__set_error(status, message);
    free(message);
    return status;
}

/* Each device has 100 (d + 1) + i at word i; %m is its own, %right the number of its neighbour. Lines count from 1 in
 * `body`. */
enum { HEAD_LINES = 8 };
static void pto_remote_memrefs(void **state)
{
    static const struct {
        const char *body;
        const char *message; /* NULL = good */
        int line, warnings;
        size_t peer_bytes;
        int at, from, shift; /* good: word `at` of every device is word `from` of the device `shift` further */
    } rows[] = {
        { "%q = pto.remote_ptr %m, %right : " M ", index -> " M "\n%v = memref.load %q[%c1, %c2] : " M
          "\nmemref.store %v, %m[%c0, %c0] : " M "\n",
          NULL, 0, 0, 256, 0, 10, 1 },
        { "%v = memref.load %m[%c1, %c2] : " M "\npto.syncall {cores = mix}\n%q = pto.remote_ptr %m, %right : " M
          ", index -> " M "\nmemref.store %v, %q[%c0, %c1] : " M "\n",
          NULL, 0, 0, 256, 1, 10, DEVICES - 1 },
        /* a window keeps its place; tiles load from it */
        { "%w = memref.reinterpret_cast %m to offset: [32], sizes: [4, 8], strides: [8, 1] : " M " to " S
          "\n%q = pto.remote_ptr %w, %right : " S ", index -> " S
          "\n%t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xi32>\npto.tload ins(%q : " S
          ") outs(%t : !pto.tile_buf<vec, 4x8xi32>)\n%v = pto.tgetval ins(%t, %c2 : !pto.tile_buf<vec, 4x8xi32>, "
          "index) outs : i32\nmemref.store %v, %m[%c0, %c2] : " M "\n",
          NULL, 0, 0, 256, 2, 34, 1 },
        /* this device itself needs no peer */
        { "%q = pto.remote_ptr %m, %me : " M ", index -> " M "\n%v = memref.load %q[%c2, %c2] : " M
          "\nmemref.store %v, %m[%c0, %c0] : " M "\n",
          NULL, 0, 0, 256, 0, 18, 0 },
        { "%s = pto.build_async_session {sync_id = 3 : i32, queues = 2} -> " SE "\n", NULL, 0, 2, 256, 5, 5, 0 },
        /* bounds are those of the other memory */
        { "%q = pto.remote_ptr %m, %right : " M ", index -> " M "\n%v = memref.load %q[%c2, %c0] : " M "\n",
          "outside the memory", 2, 0, 64, 0, 0, 0 },
        { "%w = memref.reinterpret_cast %m to offset: [32], sizes: [4, 8], strides: [8, 1] : " M " to " S
          "\n%q = pto.remote_ptr %w, %right : " S ", index -> " S
          "\n%t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xi32>\npto.tload ins(%q : " S
          ") outs(%t : !pto.tile_buf<vec, 4x8xi32>)\n",
          "global.bounds", 4, 0, 252, 0, 0, 0 },
        { "%a = memref.alloc() : " M "\n%q = pto.remote_ptr %a, %right : " M ", index -> " M "\n",
          "a place in an argument is wanted", 2, 0, 256, 0, 0, 0 },
        { "%q = pto.remote_ptr %m, %c8 : " M ", index -> " M "\n", "device 8; there are 3", 1, 0, 256, 0, 0, 0 },
        { "%t = memref.alloc() : memref<8x8xi32, #pto.address_space<vec>>\n%q = pto.remote_ptr %t, %right : "
          "memref<8x8xi32, #pto.address_space<vec>>, index -> memref<8x8xi32, #pto.address_space<vec>>\n",
          "in global memory is wanted", 2, 0, 256, 0, 0, 0 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xi32>\n%q = pto.remote_ptr %t, %right : !pto.tile_buf<vec, "
          "8x8xi32>, index -> !pto.tile_buf<vec, 8x8xi32>\n",
          "in global memory is wanted", 2, 0, 256, 0, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[4096];
        int32_t memory[DEVICES][WORDS];
        for (int d = 0; d < DEVICES; d++)
            for (int w = 0; w < WORDS; w++) memory[d][w] = 100 * (d + 1) + w;
        snprintf(
            source, sizeof source,
            "func.func @f(%%m : " M ", %%k : index) {\n%%c0 = arith.constant 0 : index %%c1 = arith.constant 1 : "
            "index %%c2 = arith.constant 2 : index %%c8 = arith.constant 8 : index\n%%d = pto.get_device_idx\n%%me "
            "= arith.index_cast %%d : i64 to index\n%%e = pto.get_device_num\n%%n = arith.index_cast %%e : i64 to "
            "index\n%%x = arith.addi %%me, %%c1 : index\n%%right = arith.remui %%x, %%n : index\n%s  return\n}\n",
            rows[i].body);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        tw_status status = tw_pto_text_verify(text, TW_PTO_A2A3);
        if (status == TW_OK) {
            job j = { text, memory, rows[i].peer_bytes };
            tw_pto_grid *g = tw_pto_grid_new(
                &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .devices = DEVICES });
            status = tw_pto_grid_run(g, run_core, &j);
            tw_pto_grid_free(g);
        }
        const tw_diags *diags = tw_pto_text_diags(text);
        const tw_diag *first = tw_diags_count(diags, TW_ERROR) ? tw_diags_get(diags, 0) : NULL;
        bool good = rows[i].message ? first && first->line == rows[i].line + HEAD_LINES &&
                                          strstr(first->message, rows[i].message)
                                    : status == TW_OK;
        if (!good)
            fail_msg("row %zu: %d: %s", i, first ? first->line : 0, first ? first->message : tw_error_message());
        if (!first) assert_int_equal(tw_diags_count(diags, TW_WARNING), rows[i].warnings);
        for (int d = 0; d < DEVICES && !rows[i].message; d++)
            assert_int_equal(memory[d][rows[i].at], 100 * ((d + rows[i].shift) % DEVICES + 1) + rows[i].from);
        tw_pto_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_remote_memrefs) };
    return cmocka_run_group_tests_name("pto_feat_devices", tests, NULL, NULL);
}
