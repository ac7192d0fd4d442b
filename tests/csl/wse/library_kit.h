/* SPDX-License-Identifier: MIT */
/* Programs of one PE that use a library: compiled, run, and what they leave in `out` compared. */
#ifndef TW_TESTS_CSL_WSE_LIBRARY_KIT_H
#define TW_TESTS_CSL_WSE_LIBRARY_KIT_H

#include "csl/lang/sema/compile_check.h"
#include "csl/wse/wse.h"

#define OUT 32

static inline void start(tw__wse **w, compiled *c, const char *text, bool wse3)
{
    compile_with(c, text, (tw__csl_compile_options){ .wse3 = wse3 });
    tw_diags *faults = c->diags;
    *w = c->image ? tw__wse_new(c->image, &(tw__wse_options){ .check = TW__WSE_CHECK_ERROR }, faults) : NULL;
    if (!*w || tw__wse_run(*w, 4000000, NULL, NULL) != TW_OK) {
        tw_diags_print(c->diags, stderr, false);
        fail_msg("does not run:\n%s", text);
    }
}

static inline void read_out(tw__wse *w, const compiled *c, unsigned x, unsigned y, uint32_t out[OUT])
{
    const tw__csl_program *p = &c->image->programs[c->image->pes[y * c->image->width + x].program];
    for (size_t i = 0; i < p->symbol_count; i++)
        if (!strcmp(p->symbols[i].name, "out")) {
            memcpy(out, tw__wse_memory(w, x, y) + p->symbols[i].address, OUT * 4);
            return;
        }
    fail_msg("no variable 'out'");
}

/* Runs `body` as a task of one PE with `top` before it; it fills out[32]. */
static inline void run_body(const char *top, const char *body, bool wse3, uint32_t out[OUT])
{
    char text[8192];
    snprintf(text, sizeof text,
             "export var out = @zeros([32]u32);\n%s\n"
             "fn put_f32(k: u16, v: f32) void { out[k] = @bitcast(u32, v); }\n"
             "fn put_f16(k: u16, v: f16) void { out[k] = @as(u32, @bitcast(u16, v)); }\n"
             "task main() void {\n%s\n}\n"
             "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n",
             top, body);
    compiled c;
    tw__wse *w;
    start(&w, &c, text, wse3);
    read_out(w, &c, 0, 0, out);
    tw__wse_free(w);
    compiled_free(&c);
}

static inline void expect_words(const char *top, const char *body, const uint32_t *want, size_t count)
{
    for (int arch = 0; arch < 2; arch++) {
        uint32_t out[OUT];
        run_body(top, body, arch, out);
        for (size_t i = 0; i < count; i++)
            if (out[i] != want[i])
                fail_msg("WSE-%d: out[%zu] is 0x%08x, expected 0x%08x\n%s", arch + 2, i, out[i], want[i], body);
    }
}
#define EXPECT(top, body, ...)                                        \
    do {                                                              \
        static const uint32_t want_[] = { __VA_ARGS__ };              \
        expect_words(top, body, want_, sizeof want_ / sizeof *want_); \
    } while (0)

#endif
