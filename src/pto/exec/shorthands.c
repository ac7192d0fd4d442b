/* SPDX-License-Identifier: MIT */
/* shorthands: instructions as functions of C: TCI, transfers, FIFOs, signals, collectives. */
#include "pto/exec/exec.h"
#include "pto/grid/grid.h"

tw_status tw_pto_tci(tw_pto *core, tw_pto_tile *dst, tw_pto_scalar start, bool descending, tw_pto_tile *tmp)
{
    tw_pto_attrs attrs = { .descending = descending };
    tw_pto_operand operands[] = { tw_pto_tile_operand(dst), tw_pto_scalar_operand(start),
                                  tw_pto_tile_operand(tmp) };
    return tw_pto_call(core, "tci", operands, tmp ? 3 : 2, &attrs);
}

tw_status tw_pto_load(tw_pto *core, tw_pto_tile *dst, tw_pto_tensor *src)
{
    tw_pto_operand operands[] = { tw_pto_tile_operand(dst), tw_pto_tensor_operand(src) };
    return tw_pto_call(core, "tload", operands, 2, NULL);
}

tw_status tw_pto_store(tw_pto *core, tw_pto_tensor *dst, tw_pto_tile *src)
{
    tw_pto_operand operands[] = { tw_pto_tensor_operand(dst), tw_pto_tile_operand(src) };
    return tw_pto_call(core, "tstore", operands, 2, NULL);
}

/* --- FIFOs ------------------------------------------------------------------------------------------------------ */

tw_status tw_pto_push(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, tw_pto_split split)
{
    tw_pto_attrs attrs = { .split = (int32_t)split };
    return tw_pto_call(core, "tpush", (tw_pto_operand[]){ tw_pto_fifo_operand(fifo), tw_pto_tile_operand(tile) }, 2,
                       &attrs);
}

tw_status tw_pto_push_with(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, const tw_pto_attrs *how)
{
    return tw_pto_call(core, "tpush", (tw_pto_operand[]){ tw_pto_fifo_operand(fifo), tw_pto_tile_operand(tile) }, 2,
                       how);
}

tw_status tw_pto_pop(tw_pto *core, const tw_pto_fifo *fifo, tw_pto_tile *tile, tw_pto_split split)
{
    tw_pto_attrs attrs = { .split = (int32_t)split };
    return tw_pto_call(core, "tpop", (tw_pto_operand[]){ tw_pto_fifo_operand(fifo), tw_pto_tile_operand(tile) }, 2,
                       &attrs);
}

tw_status tw_pto_free_slot(tw_pto *core, const tw_pto_fifo *fifo)
{
    tw_pto_operand operand = tw_pto_fifo_operand(fifo);
    return tw_pto_call(core, "tfree", &operand, 1, NULL);
}

/* --- all cores, other devices ----------------------------------------------------------------------------------- */

tw_status tw_pto_sync_all(tw_pto *core, tw_pto_core_set cores, tw_pto_tensor *workspace)
{
    if (!core) return tw__pto_given(core, "core");
    tw_pto_attrs attrs = { .cores = (int32_t)cores };
    tw_pto_operand operand = tw_pto_tensor_operand(workspace);
    return tw_pto_call(core, "syncall", &operand, workspace ? 1 : 0, &attrs);
}

static tw_status signal_call(tw_pto *core, const char *name, tw_pto_tensor *signal, int32_t value,
                             const tw_pto_attrs *attrs)
{
    return tw_pto_call(
        core, name, (tw_pto_operand[]){ tw_pto_tensor_operand(signal), tw_pto_scalar_operand(tw_pto_i32(value)) },
        2, attrs);
}

tw_status tw_pto_notify(tw_pto *core, tw_pto_tensor *signal, int32_t value, bool add)
{
    return signal_call(core, "tnotify", signal, value, &(tw_pto_attrs){ .signal = add });
}
tw_status tw_pto_wait_signal(tw_pto *core, tw_pto_tensor *signals, int32_t value, int compare)
{
    return signal_call(core, "twait", signals, value, &(tw_pto_attrs){ .cmp = compare });
}
tw_status tw_pto_test_signal(tw_pto *core, tw_pto_tensor *signals, int32_t value, int compare, bool *all)
{
    if (!core) return tw__missing("core");
    tw_status status = signal_call(core, "ttest", signals, value, &(tw_pto_attrs){ .cmp = compare });
    *all = status == TW_OK && core->seat->tested;
    return status;
}

static tw_status transfer_call(tw_pto *core, const char *name, tw_pto_operand first, tw_pto_tensor *tensor,
                               tw_pto_tile *staging, tw_pto_tile *second)
{
    tw_pto_operand operands[] = { first, tw_pto_tensor_operand(tensor), tw_pto_tile_operand(staging),
                                  tw_pto_tile_operand(second) };
    return tw_pto_call(core, name, operands, second ? 4 : 3, NULL);
}

tw_status tw_pto_put(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, tw_pto_tile *staging,
                     tw_pto_tile *second)
{
    return transfer_call(core, "tput", tw_pto_tensor_operand(dst), src, staging, second);
}
tw_status tw_pto_get(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, tw_pto_tile *staging,
                     tw_pto_tile *second)
{
    return transfer_call(core, "tget", tw_pto_tensor_operand(dst), src, staging, second);
}
tw_status tw_pto_broadcast(tw_pto *core, const tw_pto_group *to, tw_pto_tensor *src, tw_pto_tile *staging,
                           tw_pto_tile *second)
{
    return transfer_call(core, "tbroadcast", tw_pto_group_operand(to), src, staging, second);
}
tw_status tw_pto_gather(tw_pto *core, const tw_pto_group *from, tw_pto_tensor *dst, tw_pto_tile *staging,
                        tw_pto_tile *second)
{
    return transfer_call(core, "comm.tgather", tw_pto_group_operand(from), dst, staging, second);
}
tw_status tw_pto_scatter(tw_pto *core, const tw_pto_group *to, tw_pto_tensor *src, tw_pto_tile *staging,
                         tw_pto_tile *second)
{
    return transfer_call(core, "comm.tscatter", tw_pto_group_operand(to), src, staging, second);
}

tw_status tw_pto_reduce_to(tw_pto *core, const tw_pto_group *from, tw_pto_tensor *dst, tw_pto_tile *sum,
                           tw_pto_tile *staging, tw_pto_reduce op)
{
    tw_pto_attrs attrs = { .reduce = (int32_t)op };
    tw_pto_operand operands[] = { tw_pto_group_operand(from), tw_pto_tensor_operand(dst), tw_pto_tile_operand(sum),
                                  tw_pto_tile_operand(staging) };
    return tw_pto_call(core, "treduce", operands, 4, &attrs);
}
