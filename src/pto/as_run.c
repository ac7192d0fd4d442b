/* as_run: executes bound code: blocks, loops, branches, calls. A block gives back the tiles it defined, so a loop runs
 * in the memory of one turn. Every operation counts as a step; the caller sets how many there may be. */
#include "pto/as.h"

#include <stdlib.h>

tw_status tw__as_block_run(tw__as_run *run, const tw__as_code *code)
{
    for (; code && !run->stop; code = code->next) {
        if (++run->steps > run->max_steps) {
            run->at = code;
            run->blame = UINT32_MAX;
            return tw__fail(TW_E_APPLICATION, "the program was stopped after %llu steps",
                            (unsigned long long)run->max_steps);
        }
        run->blame = UINT32_MAX;
        tw_status status = code->fn(run, code);
        if (status != TW_OK) {
            if (!run->at) run->at = code;
            return status;
        }
    }
    return TW_OK;
}

/* Tiles of a body that nobody carried on. */
static void release_tiles(tw__as_run *run, const tw__as_code *code)
{
    for (uint32_t s = code->first_tile; s < code->tile_end; s++) {
        tw__as_cell *cell = &run->cell[s];
        if (cell->kind != TW__AS_TILE) continue;
        if (cell->rank) tw_pto_release(run->core, &cell->tile);
        cell->kind = TW__AS_NONE;
    }
}

/* Values of scf.yield, kept until the block's owner takes them. */
static _Thread_local tw__as_cell yielded[32];
static _Thread_local unsigned yielded_count;

tw_status tw__as_yield(tw__as_run *run, const tw__as_code *code)
{
    yielded_count = code->count < 32 ? code->count : 32;
    for (unsigned i = 0; i < yielded_count; i++) {
        yielded[i] = run->cell[code->operand[i]];
        if (yielded[i].kind == TW__AS_TILE) run->cell[code->operand[i]].rank = 0; /* it goes out with the value */
    }
    return TW_OK;
}

tw_status tw__as_return(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_yield(run, code);
    run->stop = true;
    return status;
}

static tw_status take_yielded(tw__as_run *run, const tw__as_code *code, const uint32_t *slots, unsigned count)
{
    if (run->stop || count == 0) return TW_OK;
    if (yielded_count != count) {
        run->at = code;
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: %u values are yielded instead of %u", code->op->name,
                        yielded_count, count);
    }
    for (unsigned i = 0; i < count; i++) {
        tw__as_cell *cell = &run->cell[slots[i]]; /* the tile of the turn before ends here */
        if (cell->kind == TW__AS_TILE && cell->rank &&
            (yielded[i].kind != TW__AS_TILE || yielded[i].tile.place != cell->tile.place))
            tw_pto_release(run->core, &cell->tile);
        *cell = yielded[i];
    }
    yielded_count = 0;
    return TW_OK;
}

tw_status tw__as_for(tw__as_run *run, const tw__as_code *code)
{
    unsigned n = (unsigned)code->number;
    int64_t from = tw__as_integer(&run->cell[code->operand[0]]), to = tw__as_integer(&run->cell[code->operand[1]]),
            step = tw__as_integer(&run->cell[code->operand[2]]);
    if (step <= 0) return tw__fail(TW_E_INVALID_ARGUMENT, "scf.for: a step of %lld", (long long)step);
    for (unsigned i = 0; i < n; i++) {
        tw__as_cell value = run->cell[code->operand[3 + i]];
        if (value.kind == TW__AS_TILE) value.rank = 0;
        run->cell[code->result[1 + i]] = value;
    }
    for (int64_t i = from; i < to && !run->stop; i = to - i > step ? i + step : to) {
        tw__as_cell *variable = &run->cell[code->result[0]];
        variable->kind = TW__AS_INDEX;
        variable->scalar = tw_pto_bits(TW_I64, (uint64_t)i);
        yielded_count = 0;
        if (++run->steps > run->max_steps)
            return tw__fail(TW_E_APPLICATION, "the program was stopped after %llu steps",
                            (unsigned long long)run->max_steps);
        tw_status status = tw__as_block_run(run, code->body[0]);
        if (status == TW_OK) release_tiles(run, code);
        if (status == TW_OK) status = take_yielded(run, code, code->result + 1, n);
        if (status != TW_OK) return status;
    }
    for (unsigned i = 0; i < n; i++) {
        run->cell[code->result[1 + n + i]] = run->cell[code->result[1 + i]];
        run->cell[code->result[1 + i]].kind = TW__AS_NONE;
    }
    return TW_OK;
}

tw_status tw__as_if(tw__as_run *run, const tw__as_code *code)
{
    bool taken = tw__as_integer(&run->cell[code->operand[0]]) & 1;
    yielded_count = 0;
    tw_status status = tw__as_block_run(run, code->body[taken ? 0 : 1]);
    if (status == TW_OK) release_tiles(run, code);
    return status == TW_OK ? take_yielded(run, code, code->result, code->result_count) : status;
}

/* Cube and vector sections of one program run one after the other. */
tw_status tw__as_section(tw__as_run *run, const tw__as_code *code)
{
    return tw__as_block_run(run, code->body[0]);
}

tw_status tw__as_call(tw__as_run *run, const tw__as_code *code)
{
    enum { MAX_CALLS = 32 };
    const char *name = code->where[0]->text + 1;
    const tw__as_function *f = run->program->functions;
    while (f && strcmp(f->name, name) != 0) f = f->next;
    if (!f) return tw__fail(TW_E_SYMBOL, "there is no function @%s", name);
    if (f->params != code->count)
        return tw__fail(TW_E_INVALID_ARGUMENT, "@%s takes %u arguments, not %u", name, f->params, code->count);
    if (run->depth >= MAX_CALLS) return tw__fail(TW_E_RECURSION, "calls are nested more than %d deep", MAX_CALLS);
    tw__as_cell *mine = run->cell, *cells = calloc(f->slots + 1, sizeof *cells);
    if (!cells) return tw__fail(TW_E_NO_MEMORY, "no memory for a call of @%s", name);
    for (unsigned i = 0; i < f->params; i++) {
        cells[f->param_slot[i]] = mine[code->operand[i]];
        if (cells[f->param_slot[i]].kind == TW__AS_TILE) cells[f->param_slot[i]].rank = 0;
    }
    run->cell = cells;
    run->depth++;
    yielded_count = 0;
    tw_status status = tw__as_block_run(run, f->body);
    for (uint32_t s = 0; s < f->slots; s++)
        if (cells[s].kind == TW__AS_TILE && cells[s].rank) tw_pto_release(run->core, &cells[s].tile);
    run->depth--;
    run->cell = mine;
    run->stop = false;
    free(cells);
    return status == TW_OK ? take_yielded(run, code, code->result, code->result_count) : status;
}

tw_status tw__as_execute(tw__as_run *run, const tw__as_function *function)
{
    run->at = NULL;
    run->stop = false;
    tw_status status = tw__as_block_run(run, function->body);
    if (status == TW_OK || !run->at) return status;
    const tw__as_op *op = run->at->op;
    const tw__as_item *where = run->blame < run->at->count && run->at->where ? run->at->where[run->blame] : NULL;
    tw__as_error(run->program->module, where ? where->line : op->line, where ? where->column : op->column,
                 where ? where->length : op->length, "pto.run", "%s", tw_error_message());
    return status;
}
