/* SPDX-License-Identifier: MIT */
// needs: pto
// seeds: examples/pto/*/*.pto tests/fuzz/corpus/fuzz_pto/tests* +a
/* PTO-AS on grids: one to two blocks of whole cores or of a cube core and vector cores, on one or two devices.
 * Programs that push, pop, set flags, meet, reach into the other device, leave transfers open: they end, by
 * themselves or as a deadlock, and touch nothing but their tiles and arguments. The first byte chooses the target and
 * the grid. */
#include "pto/pto.h"
#include "pto_words.h"

#include <stdlib.h>
#include <tilewright/pto/text.h>

enum { BYTES = 2048, PARAMS = 8, MOST_DEVICES = 2, STEPS = 1500 };

typedef struct job {
    tw_pto_text *text;
    unsigned char *memory[MOST_DEVICES][PARAMS]; /* exactly BYTES: whoever reads past them is seen */
} job;

static void check(bool ok)
{
    if (!ok) abort();
}

/* Numbers are small, pointers have memory on every device; what has fixed extents stays open and the run says so. */
static void bind(const job *j, tw_pto_run *run, const char *function, tw_pto_identity me)
{
    tw_pto_param p;
    for (unsigned i = 0; i < PARAMS && tw_pto_text_param(j->text, function, i, &p); i++) {
        size_t extents[5] = { 0 }, count = tw_type_size(p.element) ? BYTES / tw_type_size(p.element) : 0;
        if (p.kind == TW_PTO_PARAM_NUMBER) tw_pto_run_number(run, p.name, tw__is_float(p.element) ? "1.5" : "1");
        if (p.kind != TW_PTO_PARAM_MEMORY) continue;
        for (unsigned d = 0; d < 5; d++) extents[d] = p.extents[d] < 0 ? 2 : (size_t)p.extents[d];
        for (unsigned d = 0; d < p.rank; d++) count = extents[d] ? count / extents[d] : 1;
        if (p.rank == 0) extents[0] = count;
        if (count == 0) continue;
        tw_pto_run_memory(run, p.name, j->memory[me.device][i], p.element, p.rank ? p.rank : 1, extents);
        for (unsigned d = 0; d < me.devices; d++)
            if (d != me.device) tw_pto_run_peer(run, p.name, d, j->memory[d][i], BYTES);
    }
}

static tw_status run_core(tw_pto *core, void *user)
{
    const job *j = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    const char *function = tw_pto_text_function_of(j->text, NULL, core);
    if (!function) return *tw_error_message() ? TW_E_SYMBOL : TW_OK;
    tw_pto_run *run = tw_pto_run_new(j->text, function, core);
    check(run != NULL);
    bind(j, run, function, me);
    tw_status status = tw_pto_run_start(
        run, &(tw_pto_run_options){
                 .size = sizeof(tw_pto_run_options), .max_steps = STEPS, .block = me.block, .blocks = me.blocks });
    char *message = strdup(tw_error_message());
    tw_pto_run_free(run); /* and its memory: nothing may be on its way any more */
    if (status != TW_OK) {
        check(*message);
        tw__set_error(status, message);
    }
    free(message);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 14) return 0;
    tw_pto_launch launch = { .size = sizeof launch,
                             .target = (tw_pto_target)(data[0] % TW_PTO_TARGETS),
                             .blocks = 1 + (data[0] >> 2 & 1),
                             .devices = 1 + (data[0] >> 3 & 1),
                             .vectors = (data[0] >> 4 & 3) % 3,
                             .flags = data[0] & 64 ? TW_PTO_PROFILE : 0 };
    job j = { .text = tw_pto_text_parse("fuzz.pto", (const char *)data + 1, size - 1, NULL, NULL) };
    check(j.text != NULL);
    tw_pto_grid *grid = tw_pto_text_verify(j.text, launch.target) == TW_OK ? tw_pto_grid_new(&launch) : NULL;
    if (grid) {
        for (unsigned d = 0; d < launch.devices; d++)
            for (unsigned i = 0; i < PARAMS; i++) check((j.memory[d][i] = calloc(1, BYTES)) != NULL);
        if (tw_pto_grid_run(grid, run_core, &j) != TW_OK) check(*tw_error_message());
        if (launch.flags) {
            tw_profile *profile = tw_pto_grid_profile(grid);
            check(profile != NULL);
            tw_profile_free(profile);
        }
        for (unsigned d = 0; d < launch.devices; d++)
            for (unsigned i = 0; i < PARAMS; i++) free(j.memory[d][i]);
    }
    tw_pto_grid_free(grid);
    tw_pto_text_free(j.text);
    return 0;
}

MUTATE_GRAMMAR(pto_grammar, 1)
