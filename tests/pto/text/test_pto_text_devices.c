/* SPDX-License-Identifier: MIT */
/* Text of devices: which one this is, memory of another, transfers, signals, collectives, asynchronous transfers;
 * values against plain arithmetic, messages with their lines. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>

enum { WORDS = 256, DEVICES = 4 };
#define T  "!pto.tile_buf<vec, 4x8xi32>"
#define V  "!pto.tensor_view<?x?xi32>"
#define P  "!pto.ptr<i32>"
#define EV "!pto.async_event"
#define SE "!pto.async_session"
/* %NAME: rows x 8 of i32 from element AT on of pointer PTR */
#define VIEW(name, ptr, at, rows)                                                                    \
    "%" name "_a = arith.constant " #at " : index\n%" name "_r = arith.constant " #rows " : index\n" \
    "%" name "_p = pto.addptr %" ptr ", %" name "_a : " P " -> " P "\n"                              \
    "%" name " = pto.make_tensor_view %" name "_p, shape = [%" name "_r, %c8], strides = [%c8, %c1] : " V "\n"
#define SIGNAL(name, ptr, at)                                                                                    \
    "%" name "_a = arith.constant " #at " : index\n%" name "_p = pto.addptr %" ptr ", %" name "_a : " P " -> " P \
    "\n%" name " = pto.make_tensor_view %" name "_p, shape = [%c1, %c1], strides = [%c1, %c1] : " V "\n"
#define STAGE "%t = pto.alloc_tile : " T "\n%t2 = pto.alloc_tile : " T "\n"
#define RIGHT                                                                   \
    "%nx = arith.addi %me, %c1 : index\n%right = arith.remui %nx, %n : index\n" \
    "%rp = pto.remote_ptr %p, %right : " P ", index -> " P "\n"
/* %p of each device as %p0 to %p3 */
#define ALL                                                                                                      \
    "%i2 = arith.constant 2 : index\n%i3 = arith.constant 3 : index\n%p0 = pto.remote_ptr %p, %c0 : " P " -> " P \
    "\n%p1 = pto.remote_ptr %p, %c1 : " P " -> " P "\n%p2 = pto.remote_ptr %p, %i2 : " P " -> " P                \
    "\n%p3 = pto.remote_ptr %p, %i3 : " P " -> " P "\n"
#define RANKS(at, rows) \
    VIEW("r0", "p0", at, rows) VIEW("r1", "p1", at, rows) VIEW("r2", "p2", at, rows) VIEW("r3", "p3", at, rows)
#define FOUR  V ", " V ", " V ", " V
#define ONLY0 "%first = arith.cmpi eq, %me, %c0 : index\nscf.if %first {\n"

typedef struct job {
    tw_pto_text *text;
    int32_t (*memory)[WORDS]; /* of each device */
} job;

static tw_status run_core(tw_pto *core, void *user)
{
    job *j = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_run *run = tw_pto_run_new(j->text, NULL, core);
    if (!run) return TW_E_SYMBOL;
    OK(tw_pto_run_memory(run, "p", j->memory[me.device], TW_I32, 1, (size_t[]){ WORDS }));
    for (unsigned d = 0; d < me.devices; d++)
        if (d != me.device) OK(tw_pto_run_peer(run, "p", d, j->memory[d], sizeof j->memory[d]));
    tw_status status = tw_pto_run_start(
        run, &(tw_pto_run_options){
                 .size = sizeof(tw_pto_run_options), .block = me.block, .blocks = me.blocks, .max_steps = 10000 });
    char *message = status == TW_OK ? NULL : strdup(tw_error_message());
    tw_pto_run_free(run); /* what it had asked for and not waited for has happened by now */
    if (message) tw__set_error(status, message);
    free(message);
    return status;
}

static int32_t value(unsigned device, unsigned i)
{
    return (int32_t)(1000 * (device + 1) + i);
}

/* `body` with %p, %me, %n, %c0, %c1, %c8 on `devices`; word i of device d starts as value(d, i). The body begins in
 * line 9. */
static tw_status run_text(const char *body, unsigned devices, int32_t memory[DEVICES][WORDS], int *line,
                          char message[600])
{
    char source[16384];
    snprintf(
        source, sizeof source,
        "func.func @f(%%p : " P ") {\n%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
        "%%c8 = arith.constant 8 : index\n%%d = pto.get_device_idx\n%%me = arith.index_cast %%d : i64 to index\n"
        "%%e = pto.get_device_num\n%%n = arith.index_cast %%e : i64 to index\n%s  return\n}\n",
        body);
    for (unsigned d = 0; d < DEVICES; d++)
        for (unsigned i = 0; i < WORDS; i++) memory[d][i] = value(d, i);
    tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
    assert_non_null(text);
    tw_status status = tw_pto_text_verify(text, TW_PTO_A2A3);
    if (status == TW_OK) {
        job j = { text, memory };
        tw_pto_grid *g = tw_pto_grid_new(
            &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .devices = devices });
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

/* What words 64 and on of each device are to be: a function of device and word, from the start values. */
static int32_t left_neighbour(unsigned d, unsigned i)
{
    return value((d + DEVICES - 1) % DEVICES, i - 64);
}
static int32_t right_neighbour(unsigned d, unsigned i)
{
    return value((d + 1) % DEVICES, i - 64);
}
static int32_t plus_left(unsigned d, unsigned i)
{
    return value(d, i) + left_neighbour(d, i);
}
static int32_t of_root(unsigned d, unsigned i)
{
    (void)d;
    return value(0, i - 64);
}
static int32_t joined(unsigned d, unsigned i) /* 4 rows of each rank, one behind the other */
{
    return d ? value(d, i) : value((i - 64) / 32, (i - 64) % 32);
}
static int32_t dealt(unsigned d, unsigned i)
{
    return value(0, d * 32 + i - 64 + 128);
}
static int32_t sum(unsigned d, unsigned i)
{
    int32_t s = 0;
    for (unsigned r = 0; r < DEVICES; r++) s += value(r, i - 64);
    return d ? value(d, i) : s;
}
static int32_t largest(unsigned d, unsigned i)
{
    return d ? value(d, i) : value(DEVICES - 1, i - 64);
}
static int32_t smallest(unsigned d, unsigned i)
{
    return value(d ? d : 0, d ? i : i - 64);
}
static int32_t answers(unsigned d, unsigned i) /* TTEST */
{
    (void)d;
    return i == 64 ? 1 : 0;
}

static void pto_text_devices_values(void **state)
{
    static const struct {
        const char *body;
        unsigned words; /* from 64 on */
        int32_t (*want)(unsigned device, unsigned word);
    } rows[] = {
        /* 6 rows through a tile of 4: two pieces */
        { RIGHT STAGE VIEW("a", "p", 0, 6) VIEW("b", "rp", 64, 6) "pto.tput ins(%a, %t : " V ", " T ") outs(%b : " V
                                                                  ")\n"
                                                                  "",
          48, left_neighbour },
        { RIGHT STAGE VIEW("a", "p", 0, 6) VIEW("b", "rp", 64, 6) "pto.tput ins(%a, %t, %t2 : " V ", " T ", " T
                                                                  ") outs(%b : " V ") {atomic = add}\n",
          48, plus_left },
        { RIGHT STAGE VIEW("a", "rp", 0, 6) VIEW("b", "p", 64, 6) "pto.tget ins(%a, %t : " V ", " T ") outs(%b : " V
                                                                  ")\n",
          48, right_neighbour },
        { RIGHT STAGE VIEW("a", "rp", 0, 6) VIEW("b", "p", 64, 6) "pto.tget %b, %a, %t, %t2\n", 48,
          right_neighbour },
        { ALL STAGE RANKS(64, 6) VIEW("a", "p", 0, 6) ONLY0 "pto.tbroadcast ins(%a, %t : " V ", " T
                                                            ") outs(%r0, %r1, %r2, %r3 : " FOUR ")\n}\n",
          48, of_root },
        { ALL STAGE RANKS(64, 6) VIEW("a", "p", 0, 6) ONLY0 "tbroadcast %r0, %r1, %r2, %r3, %a, %t, %t2\n}\n", 48,
          of_root },
        { ALL STAGE RANKS(0, 4) VIEW("a", "p", 64, 16) ONLY0 "pto.comm.tgather ins(%r0, %r1, %r2, %r3, %t : " FOUR
                                                             ", " T ") outs(%a : " V ") {root = 0}\n}\n",
          128, joined },
        { ALL STAGE RANKS(64, 4) VIEW("a", "p", 128, 16) ONLY0 "pto.comm.tscatter ins(%a, %t : " V ", " T
                                                               ") outs(%r0, %r1, %r2, %r3 : " FOUR ")\n}\n",
          32, dealt },
        { ALL STAGE RANKS(0, 6) VIEW("a", "p", 64, 6) ONLY0 "pto.treduce ins(%r0, %r1, %r2, %r3, %t, %t2 : " FOUR
                                                            ", " T ", " T ") outs(%a : " V ")\n}\n",
          48, sum },
        { ALL STAGE RANKS(0, 6) VIEW("a", "p", 64, 6) ONLY0 "pto.treduce ins(%r0, %r1, %r2, %r3, %t, %t2 : " FOUR
                                                            ", " T ", " T ") outs(%a : " V
                                                            ") {reduceOp = max}\n}\n",
          48, largest },
        { ALL STAGE RANKS(0, 6) VIEW("a", "p", 64, 6) ONLY0
          "treduce %a, %r0, %r1, %r2, %r3, %t, %t2 {reduce_op = \"min\"}\n}\n",
          48, smallest },
        /* the value of the left neighbour comes with a signal */
        { RIGHT STAGE VIEW("a", "p", 0, 6) VIEW("b", "rp", 64, 6) SIGNAL("s", "rp", 200) SIGNAL(
              "o", "p", 200) "%m = arith.constant -1 : i32\npto.tput ins(%a, %t : " V ", " T ") outs(%b : " V ")\n"
                             "pto.tnotify ins(%m : i32) outs(%s : " V ") {op = set}\n"
                             "pto.twait ins(%o, %m : " V ", i32) {cmpMode = #pto<cmp eq>}\n",
          48, left_neighbour },
        { "%z = arith.constant 0 : i32\n%o = arith.constant 1 : i32\npto.store_scalar %z, %p[%c0] : " P
          ", i32\n" SIGNAL("s", "p", 0) SIGNAL("a", "p", 64)
              SIGNAL("b", "p", 65) "%x = pto.ttest ins(%s, %z : " V
                                   ", i32) {cmpMode = eq} -> i1\n%y = pto.ttest ins(%s, %o : " V
                                   ", i32) {cmpMode = ge} -> i1\n%xi = arith.extui %x : i1 to i32\n%yi = "
                                   "arith.extui %y : i1 to i32\n"
                                   "%i64 = arith.constant 64 : index\n%i65 = arith.constant 65 : index\n"
                                   "pto.store_scalar %xi, %p[%i64] : " P
                                   ", i32\npto.store_scalar %yi, %p[%i65] : " P ", i32\n",
          2, answers },
        /* asynchronous: waited for, tested, and neither */
        { RIGHT VIEW("a", "p", 0, 6)
              VIEW("b", "rp", 64, 6) "%s = pto.build_async_session -> " SE "\n"
                                     "%ev = pto.tput_async(%b, %a, %s : " V ", " V ", " SE ") -> " EV "\n"
                                     "%ok = pto.wait_async_event(%ev, %s : " EV ", " SE ") -> i1\n",
          48, left_neighbour },
        { RIGHT VIEW("a", "rp", 0, 6) VIEW("b", "p", 64, 6) "%ev = pto.tget_async ins(%a : " V ") outs(%b : " V
                                                            ") -> " EV "\n%ok = pto.test_async_event(%ev : " EV
                                                            ") -> i1\n",
          48, right_neighbour },
        { RIGHT STAGE VIEW("a", "p", 0, 6)
              VIEW("b", "rp", 64, 6) "%s = pto.build_async_session(%t, %p : " T ", " P ") -> " SE
                                     "\n%ev = pto.tput_async(%b, %a, %s : " V ", " V ", " SE ") -> " EV "\n",
          48, left_neighbour },
    };
    static int32_t memory[DEVICES][WORDS];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int line;
        char message[600];
        if (run_text(rows[i].body, DEVICES, memory, &line, message) != TW_OK)
            fail_msg("row %zu, line %d: %s%s", i, line, message, tw_error_message());
        for (unsigned d = 0; d < DEVICES; d++)
            for (unsigned w = 64; w < 64 + rows[i].words; w++)
                if (memory[d][w] != rows[i].want(d, w))
                    fail_msg("row %zu, device %u, word %u: %d, not %d", i, d, w, memory[d][w], rows[i].want(d, w));
    }
}

static void pto_text_devices_messages(void **state)
{
    static const struct {
        const char *body;
        unsigned devices;
        int line;
        const char *message;
    } rows[] = {
        { "%q = pto.remote_ptr %p, %n : " P ", index -> " P "\n", 2, 9, "device 2; there are 2" },
        { "%m = arith.constant -1 : index\n%q = pto.remote_ptr %p, %m : " P " -> " P "\n", 2, 10, "device -1" },
        { "%q = pto.remote_ptr %c1, %c1 : index -> " P "\n", 2, 9,
          "a pointer or memref in global memory is wanted" },
        { "%q = pto.remote_ptr %p : " P " -> " P "\n", 2, 9, "takes 2 operands" },
        { "%q = pto.remote_ptr %p, %me : " P " -> " P "\n%v = pto.load_scalar %q[%c1] : " P " -> i32\n", 1, 0,
          NULL },
        { RIGHT "%i = arith.constant 256 : index\n%v = pto.load_scalar %rp[%i] : " P " -> i32\n", 2, 13, "256" },
        { STAGE VIEW("a", "p", 0, 4) "pto.tbroadcast ins(%a, %t : " V ", " T ") outs(%t2 : " T ")\n", 1, 15,
          "the operands of pto.tbroadcast are ins(%src, %tile" },
        { STAGE VIEW("a", "p", 0, 4) "pto.tbroadcast ins(%a : " V ") outs(%a : " V ")\n", 1, 15,
          "with one tile or two" },
        { STAGE VIEW("a", "p", 0, 4) "pto.treduce ins(%a, %t : " V ", " T ") outs(%a : " V ")\n", 1, 15,
          "ins(%rank0, %rank1, %sum, %tile" },
        { STAGE VIEW("a", "p", 0, 4) "pto.comm.tgather ins(%a, %t : " V ", " T ") outs(%a, %a : " V ", " V ")\n", 1,
          15, "outs(%dst" },
        { STAGE VIEW("a", "p", 0, 4) "pto.tbroadcast ins(%a, %t : " T ", " T ") outs(%a : " V ")\n", 1, 15,
          "not " T },
        { STAGE VIEW("a", "p", 0, 4) "pto.tbroadcast ins(%b, %t : " V ", " T ") outs(%a : " V ")\n", 1, 15,
          "%b is not defined" },
        { STAGE VIEW("a", "p", 0, 4) "pto.tbroadcast ins(%a, %t : " V ", " T ") outs(%a : " V ") {rot = 0}\n", 1,
          15, "did you mean 'root'" },
        { STAGE VIEW("a", "p", 0, 4) "pto.tbroadcast ins(%a, %t : " V ", " T ") outs(%a : " V ") {root = 1}\n", 1,
          15, "comm.root" },
        { STAGE VIEW("a", "p", 0, 4) "pto.treduce ins(%a, %t, %t2 : " V ", " T ", " T ") outs(%a : " V
                                     ") {reduceOp = avg}\n",
          1, 15, "'avg' is no reduction" },
        { STAGE VIEW("a", "p", 0, 4) VIEW("b", "p", 0, 5) "pto.tput ins(%a, %t : " V ", " T ") outs(%b : " V ")\n",
          1, 19, "comm.shape" },
        { STAGE VIEW("a", "p", 0, 4) VIEW("b", "p", 0, 5) "pto.tbroadcast ins(%a, %t : " V ", " T ") outs(%b : " V
                                                          ")\n",
          1, 19, "comm.shape" },
        { VIEW("a", "p", 0, 1) "%x = pto.ttest ins(%a : " V ") -> i1\n", 1, 13, "expected %all = pto.ttest" },
        { SIGNAL("a", "p", 0) "%o = arith.constant 1 : i32\npto.twait ins(%a, %o : " V ", i32) {cmpMode = eq}\n", 2,
          13, "for a signal == 1, which is" },
        { VIEW("a", "p", 0, 1) "%x = pto.tput_async(%a : " V ") -> " EV "\n", 1, 13,
          "expected %e = pto.tput_async" },
        { VIEW("a", "p", 0, 1) "%x = pto.tput_async(%a, %a, %p : " V ", " V ", " P ") -> " EV "\n", 1, 13,
          SE " is wanted here" },
        { VIEW("a", "p", 0, 1) "%x = pto.tput_async(%a, %a : " V ", " V ") -> i1\n", 1, 13, "expected %e" },
        { "%x = pto.build_async_session -> i32\n", 1, 9, SE },
        { "pto.wait_async_event(%c1 : index)\n", 1, 9, EV " is wanted here" },
        { "%o = pto.test_async_event() -> i1\n", 1, 9, "expected pto.test_async_event" },
        { VIEW("a", "p", 0, 1) VIEW("b", "p", 0, 2) "%x = pto.tput_async(%a, %b : " V ", " V ") -> " EV "\n", 1, 17,
          "comm.shape" },
    };
    static int32_t memory[DEVICES][WORDS];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int line;
        char message[600];
        tw_status status = run_text(rows[i].body, rows[i].devices, memory, &line, message);
        bool as_wanted = rows[i].line ? status != TW_OK && line == rows[i].line && strstr(message, rows[i].message)
                                      : status == TW_OK;
        if (!as_wanted) fail_msg("row %zu: status %d, line %d: %s", i, status, line, message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_devices_values),
        cmocka_unit_test(pto_text_devices_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
