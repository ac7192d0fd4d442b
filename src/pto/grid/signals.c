/* SPDX-License-Identifier: MIT */
/* signals: words in global memory that devices set, add to, wait for and test (TNOTIFY, TWAIT,
 * TTEST). */
#include "pto/grid/grid.h"

static tw_status check_signal(tw__pto_call *call)
{
    if ((unsigned)call->attrs->cmp > TW_PTO_CMP_GE)
        return tw__pto_refuse(call, TW__NO_OPERAND, "signal.compare", "signals compare eq, ne, lt, le, gt or ge");
    if (!call->operand[0].tensor->data && call->core)
        return tw__pto_refuse(call, 0, "global.null", "the tensor has no memory");
    return TW_OK;
}
tw_status tw__pto_check_notify(tw__pto_call *call)
{
    size_t rows, cols;
    tw_pto_tensor_extents(call->operand[0].tensor, &rows, &cols);
    if (rows * cols != 1) return tw__pto_refuse(call, 0, "signal.one", "one signal is set, not %zu", rows * cols);
    return check_signal(call);
}
tw_status tw__pto_check_wait_signal(tw__pto_call *call)
{
    return check_signal(call);
}
tw_status tw__pto_check_test_signal(tw__pto_call *call)
{
    return check_signal(call);
}

typedef struct question {
    const tw_pto_tensor *signals;
    int32_t value, compare;
} question;

static bool compares(int32_t a, int32_t b, int32_t how)
{
    const bool answers[] = { a == b, a != b, a<b, a <= b, a> b, a >= b };
    return answers[how];
}

/* Calls for each signal until one does not compare; that one's value into *bad. */
static bool all_compare(const question *q, int32_t *bad)
{
    const tw_pto_tensor *g = q->signals;
    size_t at[5] = { 0 };
    for (int d = 0; d < 5; d++)
        if (g->shape[d] == 0) return true;
    for (;;) {
        ptrdiff_t offset = 0;
        int32_t value;
        int d = 4;
        for (int k = 0; k < 5; k++) offset += (ptrdiff_t)at[k] * g->stride[k];
        memcpy(&value, (const unsigned char *)g->data + offset * (ptrdiff_t)sizeof value, sizeof value);
        if (!compares(value, q->value, q->compare)) return *bad = value, false;
        for (; d >= 0 && ++at[d] == g->shape[d]; d--) at[d] = 0;
        if (d < 0) return true;
    }
}

static bool signals_there(const tw_pto *core, const void *what)
{
    int32_t bad;
    (void)core;
    return all_compare(what, &bad);
}

static void tell_signals(const tw_pto *core, const void *what, GString *text)
{
    static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=" };
    const question *q = what;
    int32_t bad = 0;
    (void)core;
    all_compare(q, &bad);
    g_string_append_printf(text, "for a signal %s %d, which is %d", signs[q->compare], q->value, bad);
}

/* The whole tensor lies in its window. */
static tw_status check_memory(tw__pto_call *call, const tw_pto_tensor *g)
{
    tw_view view = { .base = g->data, .type = g->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        view.extent[d] = g->shape[d];
        view.stride[d] = g->stride[d] * (ptrdiff_t)tw_type_size(g->type);
    }
    if (tw_view_check(&view, tw__tensor_window(g)) == TW_OK) return TW_OK;
    return tw__pto_refuse(call, 0, "global.bounds", "the tensor reaches outside the %zu bytes behind its pointer",
                          g->window.bytes);
}

static question question_of(const tw__pto_call *call)
{
    return (question){ call->operand[0].tensor, (int32_t)call->operand[1].scalar.bits, call->attrs->cmp };
}

tw_status tw__pto_run_notify(tw__pto_call *call)
{
    tw_pto_tensor *g = call->operand[0].tensor;
    uint32_t value = (uint32_t)call->operand[1].scalar.bits, old;
    tw_status status = check_memory(call, g);
    if (status != TW_OK) return status;
    memcpy(&old, g->data, sizeof old);
    if (call->attrs->signal) value += old;
    memcpy(g->data, &value, sizeof value);
    return TW_OK;
}

tw_status tw__pto_run_wait_signal(tw__pto_call *call)
{
    question q = question_of(call);
    tw_status status = check_memory(call, q.signals);
    return status == TW_OK ? tw__pto_wait(call->core, (tw__wait){ signals_there, tell_signals, &q }) : status;
}

tw_status tw__pto_run_test_signal(tw__pto_call *call)
{
    question q = question_of(call);
    int32_t bad;
    tw_status status = check_memory(call, q.signals);
    if (status != TW_OK) return status;
    tw__seat *seat = tw__pto_seat(call->core);
    if (!seat) return TW_E_NO_MEMORY;
    seat->tested = all_compare(&q, &bad);
    return seat->tested ? TW_OK : tw__pto_poll(call->core, (tw__wait){ signals_there, tell_signals, &q });
}
