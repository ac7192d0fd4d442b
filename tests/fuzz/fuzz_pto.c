/* SPDX-License-Identifier: MIT */
// needs: pto
// seeds: examples/pto/*/*.pto +a
/* PTO-AS from anywhere: parsing, printing, checking and running never crash, hang or touch memory outside a tile or
 * an argument; text that parses prints to text that parses to the same text. The first byte chooses target and
 * mode. */
#include "pto/text/as.h"
#include "pto_words.h"

#include <stdlib.h>

static void check(bool ok)
{
    if (!ok) abort();
}

/* Every parameter gets something of its kind: arrays of 4 KiB, small numbers, zeroed tiles. */
static void bind(tw_pto *core, tw__as_cell *cell, const tw__as_type *type, unsigned char **memory)
{
    enum { BYTES = 4096 };
    cell->kind = type->kind;
    cell->scalar = tw_pto_bits(type->element, 3);
    if (type->kind == TW__AS_SCALAR || type->kind == TW__AS_INDEX || type->kind == TW__AS_OTHER) return;
    cell->wide->tile = type->tile;
    (void)core;
    if ((type->kind == TW__AS_PTR || type->kind == TW__AS_MEMREF) && !*memory) *memory = calloc(1, BYTES);
    if (type->kind == TW__AS_MEMREF) {
        int64_t extents[5];
        for (unsigned i = 0; i < 5; i++) extents[i] = type->dims[i] < 0 ? 4 : type->dims[i];
        if (tw__as_memref_view(cell, type, extents, *memory, BYTES) != TW_OK) cell->wide->tensor.shape[4] = 0;
        return;
    }
    cell->wide->ptr.base = *memory;
    cell->wide->ptr.bytes = *memory ? BYTES : 0;
    cell->wide->ptr.type = type->element;
}

static void run(const tw__as_program *program, tw_pto_target target, unsigned flags)
{
    for (const tw__as_function *f = program->functions; f; f = f->next) {
        if (f->declared) continue;
        tw_pto *core = tw_pto_new(target, flags);
        tw__as_cell *cells = tw__as_cells_new(f);
        unsigned char *memory[TW__AS_MAX_ARGS + 1] = { NULL };
        check(core && cells);
        for (unsigned i = 0; i < f->params; i++)
            bind(core, &cells[f->param_slot[i]], &f->param_type[i], &memory[i]);
        for (unsigned i = 0; i < f->free_count; i++)
            bind(core, &cells[f->free_name[i]], f->slot_type[f->free_name[i]], &memory[TW__AS_MAX_ARGS]);
        tw__as_run r = { .core = core, .program = program, .cell = cells, .max_steps = 3000, .blocks = 2 };
        if (tw__as_execute(&r, f) != TW_OK) check(*tw_error_message());
        tw__as_run_end(&r);
        for (unsigned i = 0; i <= TW__AS_MAX_ARGS; i++) free(memory[i]);
        free(cells);
        tw_pto_free(core);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    tw_pto_target target = (tw_pto_target)(data[0] % TW_PTO_TARGETS);
    tw_diags *diags = tw_diags_new(), *again = tw_diags_new();
    tw__as_module *m = tw__as_parse_tree("fuzz.pto", (const char *)data + 1, size - 1, diags);
    check(m != NULL);
    if (tw_diags_count(diags, TW_ERROR) == 0) {
        char *once = tw__as_print(m);
        tw__as_module *n = tw__as_parse_tree("fuzz.pto", once, strlen(once), again);
        char *twice = tw__as_print(n);
        check(tw_diags_count(again, TW_ERROR) == 0 && strcmp(once, twice) == 0);
        free(once);
        free(twice);
        tw__as_free(n);
        const tw__as_program *program = tw__as_bind(m, target);
        check(program || tw_diags_count(diags, TW_ERROR));
        if (program) run(program, target, data[0] & 64 ? TW_PTO_MANUAL : data[0] & 32 ? TW_PTO_PROFILE : 0);
    }
    tw__as_free(m);
    tw_diags_free(diags);
    tw_diags_free(again);
    return 0;
}

MUTATE_GRAMMAR(pto_grammar, 1)
