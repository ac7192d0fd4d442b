/* SPDX-License-Identifier: MIT */
/* async_transfers: transfers between devices without a tile. They take place when somebody
 * asks for them, so
 * a program that does not wait sees it; at the latest when the kernel ends. */
#include "pto/grid/grid.h"

#include <stdlib.h>

void tw__pto_drop_transfers(tw__seat *seat)
{
    free(seat->transfers);
    seat->transfers = NULL;
    seat->transfer_count = seat->transfer_room = seat->transfers_done = 0;
}

static tw_status copy_tensor(const tw_pto_tensor *dst, const tw_pto_tensor *src)
{
    tw_view to = { .base = dst->data, .type = dst->type, .rank = 5 },
            from = { .base = src->data, .type = src->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        to.extent[d] = from.extent[d] = dst->shape[d];
        to.stride[d] = dst->stride[d] * (ptrdiff_t)tw_type_size(dst->type);
        from.stride[d] = src->stride[d] * (ptrdiff_t)tw_type_size(src->type);
    }
    tw_status status = tw_view_check(&to, tw__tensor_window(dst));
    if (status == TW_OK) status = tw_view_check(&from, tw__tensor_window(src));
    return status == TW_OK ? tw_vec_copy_view(&to, &from, (tw_window){ NULL, SIZE_MAX }) : status;
}

tw_status tw__pto_transfer(tw_pto *core, uint64_t count)
{
    tw__seat *seat = core->seat;
    for (; seat->transfers_done < count; seat->transfers_done++) {
        const struct tw__transfer *t = &seat->transfers[seat->transfers_done];
        tw_status status = copy_tensor(&t->dst, &t->src);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw_status tw__pto_end_transfers(tw_pto *core, bool good)
{
    tw__seat *seat = core->seat;
    tw_status status = seat && good ? tw__pto_transfer(core, seat->transfer_count) : TW_OK;
    if (seat) seat->transfers_done = seat->transfer_count;
    return status;
}

tw_status tw_pto_copy_async(tw_pto *core, tw_pto_tensor *dst, tw_pto_tensor *src, uint64_t *event)
{
    if (!core) return tw__pto_given(core, "core");
    static const tw__pto_row row = { .mnemonic = "tput_async", .form = "Gg", .operands = 2 };
    static const tw_pto_attrs none;
    tw_pto_operand operands[] = { tw_pto_tensor_operand(dst), tw_pto_tensor_operand(src) };
    tw__pto_call call = {
        .core = core, .target = core->target, .row = &row, .operand = operands, .attrs = &none, .count = 2
    };
    tw__seat *seat = tw__pto_seat(core);
    if (!seat) return TW_E_NO_MEMORY;
    tw_status status = dst->data && src->data ? tw__pto_check_put(&call)
                                              : tw__pto_refuse(&call, 0, "global.null", "a tensor has no memory");
    if (status != TW_OK) return status;
    if (!tw__grow(&seat->transfers, &seat->transfer_room, seat->transfer_count, sizeof *seat->transfers))
        return tw__fail(TW_E_NO_MEMORY, "no memory for a transfer");
    uint64_t start = tw_pto_cycles(core);
    if (seat->transfer_count && seat->transfers[seat->transfer_count - 1].done_at > start)
        start = seat->transfers[seat->transfer_count - 1].done_at; /* one engine, in order */
    size_t rows, cols;
    tw_pto_tensor_extents(dst, &rows, &cols);
    seat->transfers[seat->transfer_count++] =
        (struct tw__transfer){ *dst, *src,
                               start + tw__pto_transfer_cycles(core->target, rows * cols * tw_type_size(dst->type),
                                                               tw__pto_bandwidth(TW_PTO_VEC, TW_PTO_LOCATIONS)) };
    *event = seat->transfer_count;
    return TW_OK;
}

static tw_status check_event(const tw_pto *core, uint64_t event)
{
    if (event >= 1 && core->seat && event <= core->seat->transfer_count) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "there is no transfer %llu [rule async.event, profile %s]",
                    (unsigned long long)event, tw_pto_target_name(core->target));
}

tw_status tw_pto_async_wait(tw_pto *core, uint64_t event)
{
    if (!core) return tw__pto_given(core, "core");
    tw_status status = check_event(core, event);
    if (status == TW_OK) status = tw__pto_transfer(core, event);
    if (status == TW_OK)
        tw__pto_delay(core, TW_PTO_PIPE_ALL, core->seat->transfers[event - 1].done_at, "transfer", NULL, TW__NO_ID);
    return status;
}

tw_status tw_pto_async_test(tw_pto *core, uint64_t event, bool *done)
{
    if (!core) return tw__pto_given(core, "core");
    *done = false;
    tw_status status = tw_pto_async_wait(core, event);
    *done = status == TW_OK;
    return status;
}
