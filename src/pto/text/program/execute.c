/* SPDX-License-Identifier: MIT */
/* execute: one run of a function, from its memories to what goes wrong. */
#include "pto/cost/cost.h"
#include "pto/grid/grid.h"
#include "pto/text/as.h"

tw_status tw__as_execute(tw__as_run *run, const tw__as_function *function)
{
    run->at = NULL;
    run->stop = false;
    run->nesting = 0;
    run->look = 0;
    run->loop.all = run->loop.open = 0;
    if (run->max_ns) run->until = tw__as_processor_time() + run->max_ns;
    const struct tw__as_frame frame = { run->cell, function->slots, NULL };
    run->frame = &frame;
    if (run->core->timeline) tw__timeline_source(run->core, run->program->module->file);
    tw_status status = tw__as_add_regions(run, function);
    if (status == TW_OK) status = tw__as_block_run(run, function->body);
    run->frame = NULL;
    run->core->line = 0;
    tw_status moved = tw__pto_end_transfers(run->core, status == TW_OK); /* they may use memory of this run */
    if (status == TW_OK && moved != TW_OK) return moved;
    if (status == TW_OK || !run->at || tw_pto_is_stopped(run->core)) return status;
    const tw__as_line *op = run->at->op;
    const tw__as_place *where = run->at->more->where;
    where = where && run->blame < run->at->count && where[run->blame].line ? where + run->blame : NULL;
    tw__as_error(run->program->module, where ? where->line : op->line, where ? where->column : op->column,
                 where ? where->length : (int)op->length, "pto.run", "%s", tw_error_message());
    return status;
}
