/* SPDX-License-Identifier: MIT */
/* interpreter: executes bound code: blocks, loops, branches, calls. A block gives back the tiles it defined, so a
 * loop runs in the memory of one turn. Every operation counts as a step; the caller sets how many there may be. */
#include "pto/text/as.h"
#include "core/base/interrupt.h"
#include "pto/grid/grid.h"

#include <stdlib.h>
#include <tilewright/progress.h>
#include <time.h>

static tw_status stopped(const tw__as_run *run)
{
    return tw__fail(TW_E_APPLICATION,
                    "the program was stopped after %llu steps; more are allowed with --max-steps (max_steps in C)",
                    (unsigned long long)run->max_steps);
}

uint64_t tw__as_processor_time(void)
{
    struct timespec t = { 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static tw_status overdue(const tw__as_run *run)
{
    return tw__fail(TW_E_APPLICATION,
                    "the program was stopped after %llu steps, when its time was over; --max-steps N gives it N "
                    "steps and all the time they take (max_seconds in C)",
                    (unsigned long long)run->steps);
}

/* Blocks use the stack of the core: 512 KiB where several cores run. */
enum { MAX_NESTING = 400, LOOK_EVERY = 256 };

/* There are more steps than run->look: whether the run goes on, and how long nobody asks again. */
static tw_status goes_on(tw__as_run *run)
{
    if (run->steps > run->max_steps) return stopped(run);
    if (run->until && tw__as_processor_time() >= run->until) return overdue(run);
    if (tw__interrupt_flag)
        return tw__fail(TW_E_SYSTEM, "interrupted after %llu steps", (unsigned long long)run->steps - 1);
    const tw__seat *seat = run->core->seat;
    if (seat && seat->grid->count > 1)
        tw__pto_tell_progress(seat->grid);
    else if (run->loop.all)
        tw_progress_tell("core", "turns of a loop", run->loop.done, run->loop.all);
    else
        tw_progress_tell("core", "steps", run->steps - 1, 0);
    run->look = run->max_steps - run->steps > LOOK_EVERY ? run->steps + LOOK_EVERY : run->max_steps;
    return TW_OK;
}

tw_status tw__as_block_run(tw__as_run *run, const tw__as_code *code)
{
    if (++run->nesting > MAX_NESTING)
        return tw__fail(TW_E_RECURSION, "blocks and calls are nested more than %d deep", MAX_NESTING);
    for (; code && !run->stop; code = code->next) {
        run->blame = UINT32_MAX;
        tw_status status = ++run->steps > run->look ? goes_on(run) : TW_OK;
        if (status == TW_OK) status = code->fn(run, code);
        if (status != TW_OK) {
            if (!run->at) run->at = code;
            return status;
        }
    }
    run->nesting--;
    return TW_OK;
}

/* Values of scf.yield, kept until the block's owner takes them, and the slots that they come from. */
enum { SETTLED = UINT32_MAX };
static _Thread_local tw__as_cell yielded[64];
static _Thread_local tw__as_wide yielded_wide[64];
static _Thread_local uint32_t yielded_slot[64];
static _Thread_local unsigned yielded_count;

/* A value that leaves takes along a tile that ends here, in slots `first` to `end`; a tile from further out stays
 * where it is and is lent. Where the value is another name of such a tile, the name that owns it gives it up. */
static void settle_yielded(tw__as_run *run, uint32_t first, uint32_t end)
{
    for (unsigned i = 0; i < yielded_count; i++) {
        if (yielded[i].kind != TW__AS_TILE || yielded_slot[i] == SETTLED) continue;
        tw__as_cell *owner = &run->cell[yielded_slot[i]];
        for (uint32_t s = first; s < end && !owner->rank; s++)
            if (run->cell[s].kind == TW__AS_TILE && run->cell[s].rank &&
                run->cell[s].wide->identity == yielded[i].wide->identity)
                owner = &run->cell[s];
        bool ends_here = owner >= run->cell + first && owner < run->cell + end;
        yielded[i].rank = ends_here ? owner->rank : 0;
        if (ends_here) owner->rank = 0;
        yielded_slot[i] = SETTLED;
    }
}

/* Tiles of a body that nobody carried on. Slots from `first` on belong to one turn of it. */
static void release_tiles(tw__as_run *run, const tw__as_code *code, uint32_t first)
{
    settle_yielded(run, first, code->more->tile_end);
    for (uint32_t s = code->more->first_tile; s < code->more->tile_end; s++) {
        tw__as_cell *cell = &run->cell[s];
        if (cell->kind != TW__AS_TILE) continue;
        if (cell->rank) tw_pto_tile_free(run->core, &cell->wide->tile);
        cell->kind = TW__AS_NONE;
    }
}

/* Before a tile gets a second name it gets its place, so that both name the same memory. Where it cannot (manual
 * mode, the other kind of core, no room), what uses it says so. */
static void settle_tile(tw__as_run *run, tw__as_cell *cell)
{
    if (cell->kind == TW__AS_TILE && !cell->wide->tile.place) tw__pto_place(run->core, &cell->wide->tile);
}

static void share(tw__as_run *run, tw__as_cell *cell, tw__as_cell *copy)
{
    settle_tile(run, cell);
    if (cell->kind == TW__AS_TILE && !cell->wide->identity) cell->wide->identity = ++run->identities;
    tw__as_copy(copy, cell);
}

void tw__as_lend(tw__as_run *run, uint32_t slot, tw__as_cell *copy)
{
    share(run, &run->cell[slot], copy);
    if (copy->kind == TW__AS_TILE) copy->rank = 0;
}

void tw__as_changed(tw__as_run *run, const tw__as_cell *cell)
{
    for (const struct tw__as_frame *f = cell->wide->identity ? run->frame : NULL; f; f = f->outer)
        for (uint32_t s = 0; s < f->slots; s++)
            if (f->cell[s].wide->identity == cell->wide->identity && f->cell[s].kind == TW__AS_TILE)
                f->cell[s].wide->tile = cell->wide->tile;
}

static void yield(tw__as_run *run, const uint32_t *slots, unsigned count)
{
    yielded_count = count;
    for (unsigned i = 0; i < count; i++) {
        yielded[i].wide = &yielded_wide[i];
        share(run, &run->cell[slots[i]], &yielded[i]);
        yielded_slot[i] = slots[i];
    }
}

tw_status tw__as_yield(tw__as_run *run, const tw__as_code *code)
{
    yield(run, code->operand, code->count);
    return TW_OK;
}

tw_status tw__as_condition(tw__as_run *run, const tw__as_code *code)
{
    run->condition = tw__as_integer(&run->cell[code->operand[0]]) & 1;
    yield(run, code->operand + 1, code->count - 1);
    return TW_OK;
}

tw_status tw__as_return(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_yield(run, code);
    settle_yielded(run, 0, run->frame->slots);
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
            (yielded[i].kind != TW__AS_TILE || yielded[i].wide->tile.place != cell->wide->tile.place))
            tw_pto_tile_free(run->core, &cell->wide->tile);
        tw__as_copy(cell, &yielded[i]);
    }
    yielded_count = 0;
    return TW_OK;
}

/* Whether progress is told in turns of this loop: there are several, and it runs once, in no loop of several. */
static bool is_told(const tw__as_run *run, int64_t from, int64_t to, int64_t step)
{
    return !run->loop.all && !run->loop.open && from < to && (uint64_t)to - (uint64_t)from > (uint64_t)step;
}

tw_status tw__as_for(tw__as_run *run, const tw__as_code *code)
{
    unsigned n = (unsigned)code->number;
    int64_t from = tw__as_integer(&run->cell[code->operand[0]]), to = tw__as_integer(&run->cell[code->operand[1]]),
            step = tw__as_integer(&run->cell[code->operand[2]]);
    if (step <= 0) return tw__fail(TW_E_INVALID_ARGUMENT, "scf.for: a step of %lld", (long long)step);
    for (unsigned i = 0; i < n; i++) tw__as_lend(run, code->operand[3 + i], &run->cell[code->result[1 + i]]);
    bool told = is_told(run, from, to, step);
    if (told) run->loop.all = ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1;
    for (int64_t i = from; i < to && !run->stop; i = to - i > step ? i + step : to) {
        if (told) run->loop.done = ((uint64_t)i - (uint64_t)from) / (uint64_t)step;
        tw__as_cell *variable = &run->cell[code->result[0]];
        variable->kind = TW__AS_INDEX;
        variable->scalar = tw_pto_bits(TW_I64, (uint64_t)i);
        yielded_count = 0;
        tw_status status = ++run->steps > run->look ? goes_on(run) : TW_OK;
        if (status == TW_OK) status = tw__as_block_run(run, code->more->body[0]);
        if (status == TW_OK) release_tiles(run, code, code->result[0]);
        if (status == TW_OK) status = take_yielded(run, code, code->result + 1, n);
        if (status != TW_OK) return status;
    }
    if (told) run->loop.all = 0;
    for (unsigned i = 0; i < n; i++) {
        tw__as_copy(&run->cell[code->result[1 + n + i]], &run->cell[code->result[1 + i]]);
        run->cell[code->result[1 + i]].kind = TW__AS_NONE;
    }
    return TW_OK;
}

/* A block that runs once and gives the operation's results. */
static tw_status branch(tw__as_run *run, const tw__as_code *code, const tw__as_code *body)
{
    yielded_count = 0;
    tw_status status = tw__as_block_run(run, body);
    if (status == TW_OK) release_tiles(run, code, code->more->first_tile);
    return status == TW_OK ? take_yielded(run, code, code->result, code->result_count) : status;
}

tw_status tw__as_if(tw__as_run *run, const tw__as_code *code)
{
    return branch(run, code, code->more->body[tw__as_integer(&run->cell[code->operand[0]]) & 1 ? 0 : 1]);
}

tw_status tw__as_region(tw__as_run *run, const tw__as_code *code)
{
    return branch(run, code, code->more->body[0]);
}

tw_status tw__as_switch(tw__as_run *run, const tw__as_code *code)
{
    int64_t value = tw__as_integer(&run->cell[code->operand[0]]);
    const tw__as_code *taken = code->more->body[0];
    while (taken && taken->number != value) taken = taken->next;
    return branch(run, code, taken ? taken->more->body[0] : code->more->body[1]);
}

static void release(tw__as_run *run, tw__as_cell *cell)
{
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_tile_free(run->core, &cell->wide->tile);
    cell->kind = TW__AS_NONE;
}

/* result: values of the first block, of the second, results. */
tw_status tw__as_while(tw__as_run *run, const tw__as_code *code)
{
    unsigned n = code->more->parts[0], m = code->more->parts[1];
    const uint32_t *before = code->result, *after = before + n, *results = after + m;
    uint32_t first = n + m ? before[0] : code->more->first_tile;
    run->loop.open++;
    for (unsigned i = 0; i < n; i++) tw__as_lend(run, code->operand[i], &run->cell[before[i]]);
    for (bool again = true; again && !run->stop;) {
        yielded_count = 0;
        tw_status status = ++run->steps > run->look ? goes_on(run) : TW_OK;
        if (status == TW_OK) status = tw__as_block_run(run, code->more->body[0]);
        again = run->condition;
        if (status == TW_OK) release_tiles(run, code, first);
        if (status == TW_OK) status = take_yielded(run, code, again ? after : results, m);
        if (status != TW_OK) return status;
        if (!again || run->stop) break;
        yielded_count = 0;
        status = tw__as_block_run(run, code->more->body[1]);
        if (status == TW_OK) release_tiles(run, code, first);
        if (status == TW_OK) status = take_yielded(run, code, before, n);
        if (status != TW_OK) return status;
    }
    run->loop.open--;
    for (unsigned i = 0; i < n + m; i++) release(run, &run->cell[before[i]]);
    return TW_OK;
}

/* Sections of the other kind of core are skipped; a core that is both runs one after the other. */
tw_status tw__as_section(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_core_kind kind = tw_pto_identity_of(run->core).kind;
    bool cube = strstr(code->op->name, "cube") != NULL;
    if (kind != TW_PTO_WHOLE && cube != (kind == TW_PTO_CUBE)) return TW_OK;
    return tw__as_block_run(run, code->more->body[0]);
}

tw_status tw__as_call(tw__as_run *run, const tw__as_code *code)
{
    enum { MAX_CALLS = 32 };
    const tw__as_function *f = code->more->callee;
    const char *name = f->name;
    tw_pto_core_kind kind = tw_pto_identity_of(run->core).kind;
    if (f->kind && kind && f->kind != kind) { /* a function for cores of the other kind: as sections */
        if (f->results == 0) return TW_OK;
        return tw__fail(TW_E_INVALID_ARGUMENT, "@%s is for %ss only and gives values: a %s has none of them", name,
                        tw__pto_kind_name(f->kind), tw__pto_kind_name(kind));
    }
    if (run->depth >= MAX_CALLS) return tw__fail(TW_E_RECURSION, "calls are nested more than %d deep", MAX_CALLS);
    tw__as_cell *mine = run->cell, *cells = tw__as_cells_new(f);
    if (!cells) return tw__fail(TW_E_NO_MEMORY, "no memory for a call of @%s", name);
    for (unsigned i = 0; i < f->params; i++) tw__as_lend(run, code->operand[i], &cells[f->param_slot[i]]);
    struct tw__as_frame frame = { cells, f->slots, run->frame };
    run->frame = &frame;
    run->cell = cells;
    run->depth++;
    yielded_count = 0;
    tw_status status = tw__as_block_run(run, f->body);
    for (uint32_t s = 0; s < f->slots; s++)
        if (cells[s].kind == TW__AS_TILE && cells[s].rank) tw_pto_tile_free(run->core, &cells[s].wide->tile);
    run->depth--;
    run->frame = frame.outer;
    run->cell = mine;
    run->stop = false;
    free(cells);
    return status == TW_OK ? take_yielded(run, code, code->result, code->result_count) : status;
}
