/* SPDX-License-Identifier: MIT */
/* pipe_sync: flags, events and buffers that order pipes, and which block of the kernel this is. */
#include "pto/text/ops/ops.h"
#include "pto/cost/cost.h"

#include <inttypes.h>
#include <stdlib.h>

typedef enum sync { SET, WAIT, BARRIER, GET_BUFFER, RELEASE_BUFFER } sync;

/* --- buffers of A5: get_buf waits until the pipes that held an id before have released it ----------------------- */

static tw_status buffer_error(const tw__as_run *run, const char *rule, const char *what, tw_pto_pipe pipe,
                              unsigned id)
{
    return tw__fail(TW_E_INVALID_ARGUMENT, "buffer %u of %s %s [rule %s, profile %s]", id, tw_pto_pipe_name(pipe),
                    what, rule, tw_pto_target_name(tw_pto_get_target(run->core)));
}

static tw_status get_buffer(tw__as_run *run, tw_pto_pipe pipe, unsigned id)
{
    if (id >= TW__AS_BUFFERS) return buffer_error(run, "buffer.id", "does not exist: ids are 0 to 31", pipe, id);
    if (run->buffer[id].held >> pipe & 1)
        return buffer_error(run, "buffer.double-get", "is held already: a deadlock", pipe, id);
    for (int other = 0; other < TW_PTO_PIPES; other++)
        if (run->buffer[id].held >> other & 1)
            return tw__fail(TW_E_INVALID_ARGUMENT,
                            "buffer %u is held by %s, and nobody releases it before %s gets it: a deadlock "
                            "[rule buffer.held, profile %s]",
                            id, tw_pto_pipe_name((tw_pto_pipe)other), tw_pto_pipe_name(pipe),
                            tw_pto_target_name(tw_pto_get_target(run->core)));
    run->buffer[id].held |= 1u << pipe;
    tw__pto_hold(run->core, pipe, run->buffer[id].at,
                 (tw__hold){ "buffer", NULL, TW_PTO_PIPES, (unsigned char)id });
    return TW_OK;
}

static tw_status release_buffer(tw__as_run *run, tw_pto_pipe pipe, unsigned id)
{
    if (id >= TW__AS_BUFFERS) return buffer_error(run, "buffer.id", "does not exist: ids are 0 to 31", pipe, id);
    if (!(run->buffer[id].held >> pipe & 1)) return buffer_error(run, "buffer.not-held", "is not held", pipe, id);
    run->buffer[id].held &= ~(1u << pipe);
    if (run->buffer[id].at < run->core->pipe_free[pipe]) run->buffer[id].at = run->core->pipe_free[pipe];
    return TW_OK;
}

/* --- flags ------------------------------------------------------------------------------------------------------ */

/* An id that is not written as EVENT_IDn is the last operand. */
static tw_status run_sync(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_pipe from = (tw_pto_pipe)(code->number & 255), to = (tw_pto_pipe)(code->number >> 8 & 255);
    int64_t id = code->count ? tw__as_integer(tw__as_operand(run, code, 0)) : code->number >> 16 & 255;
    if (id < 0 || id > 255) return tw__fail(TW_E_INVALID_ARGUMENT, "%s: id %" PRId64, code->op->name, id);
    switch ((sync)(code->number >> 24)) {
    case SET: return tw_pto_set_flag(run->core, from, to, (unsigned)id);
    case WAIT: return tw_pto_wait_flag(run->core, from, to, (unsigned)id);
    case GET_BUFFER: return get_buffer(run, from, (unsigned)id);
    case RELEASE_BUFFER: return release_buffer(run, from, (unsigned)id);
    case BARRIER: break;
    }
    return tw_pto_barrier(run->core, from);
}

/* --- identity --------------------------------------------------------------------------------------------------- */

enum { BLOCK_IDX, BLOCK_NUM, SUB_IDX, SUB_NUM };
static tw_status run_identity(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_identity me = tw_pto_identity_of(run->core);
    const int64_t values[] = { run->block, run->blocks, me.sub_block, me.sub_blocks };
    return tw__as_set_integer(run, code, values[code->number]);
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

/* Operations of the manual stand for the pipe they run on. */
static const struct {
    const char *word;
    tw_pto_pipe pipe;
} operations[] = { { "TLOAD", TW_PTO_PIPE_MTE2 },      { "TSTORE_ACC", TW_PTO_PIPE_FIX },
                   { "TSTORE_VEC", TW_PTO_PIPE_MTE3 }, { "TMOV_M2L", TW_PTO_PIPE_MTE1 },
                   { "TMOV_M2S", TW_PTO_PIPE_FIX },    { "TMOV_M2B", TW_PTO_PIPE_MTE1 },
                   { "TMOV_M2V", TW_PTO_PIPE_V },      { "TMOV_V2M", TW_PTO_PIPE_FIX },
                   { "TMATMUL", TW_PTO_PIPE_M },       { "TVEC", TW_PTO_PIPE_V },
                   { "TVECWAIT_EVENT", TW_PTO_PIPE_V } };

static bool pipe_by_word(const char *word, unsigned *value)
{
    for (unsigned pipe = 0; pipe < TW_PTO_PIPES; pipe++)
        if (strcmp(word, tw_pto_pipe_name((tw_pto_pipe)pipe)) == 0) return *value = pipe, true;
    for (size_t w = 0; w < G_N_ELEMENTS(operations); w++)
        if (strcmp(word, operations[w].word) == 0) return *value = operations[w].pipe, true;
    return false;
}

static void unknown_pipe(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, const char *word)
{
    const char *names[TW_PTO_PIPES + G_N_ELEMENTS(operations)];
    size_t count = 0;
    for (int pipe = 0; pipe < TW_PTO_PIPES; pipe++) names[count++] = tw_pto_pipe_name((tw_pto_pipe)pipe);
    for (size_t w = 0; w < G_N_ELEMENTS(operations); w++) names[count++] = operations[w].word;
    char full[64];
    g_snprintf(full, sizeof full, "PIPE_%s", word); /* MTE2 alone is what most write first */
    const char *near = tw__nearest(word, names, count);
    for (size_t n = 0; n < count; n++)
        if (g_ascii_strcasecmp(full, names[n]) == 0) near = names[n];
    tw__as_refuse(b, item, op, "pto.pipe",
                  near ? "'%s' is not a pipe or event; did you mean '%s'?" : "'%s' is not a pipe or event", word,
                  near);
}

/* "[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]": number = from, to, id, kind. A last number or
 * value is an id too. */
static bool bind_pipes(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    unsigned pipes[2] = { 0 }, count = 0, id = 0;
    bool barrier = code->number == BARRIER, has_id = false;
    unsigned want = barrier || code->number == GET_BUFFER || code->number == RELEASE_BUFFER ? 1 : 2;
    (void)type;
    for (unsigned i = 0; i < p->lists[0] + p->nameds; i++) {
        tw__as_item *item = i < p->lists[0] ? p->list[0][i] : p->named[i - p->lists[0]];
        char word[48];
        if (item->kind == TW__AS_VALUE || item->kind == TW__AS_NUMBER) {
            if (p->ins < TW__AS_OPERANDS) p->in[p->ins++] = item;
            continue;
        }
        if (item->kind == TW__AS_ATTR && !tw__as_is_class(b, item, "pipe event sync_op_type pipe_event_type "))
            return tw__as_refuse(b, item, op, "pto.pipe", "expected #pto.pipe<...> or #pto.event<...>"), false;
        tw__as_value_word(b, item, word, sizeof word);
        if (g_str_has_prefix(word, "EVENT_ID") && g_ascii_isdigit(word[8])) {
            id = (unsigned)MIN(strtoul(word + 8, NULL, 10), 255UL);
            unsigned ids = want == 1 ? TW__AS_BUFFERS : TW__FLAG_IDS;
            if (has_id || (count < want && i + 1 < p->lists[0] + p->nameds))
                return tw__as_refuse(b, item, op, "pto.pipe", "one id comes last, after the pipe%s",
                                     want == 1 ? "" : "s"),
                       false;
            if (id >= ids)
                return tw__as_refuse(b, item, op, "pto.pipe", "there is no id %u: they go from 0 to %u", id,
                                     ids - 1),
                       false;
            has_id = true;
        } else if (count == 2 || !pipe_by_word(word, &pipes[count])) {
            return unknown_pipe(b, op, item, word), false;
        } else {
            count++;
        }
    }
    p->lists[0] = 0;
    if (count != want)
        return tw__as_refuse(b, NULL, op, "pto.pipe", "%s takes %u pipe%s, not %u", op->name, want,
                             want == 1 ? "" : "s", count),
               false;
    if (p->ins + has_id != (barrier ? 0 : 1))
        return tw__as_refuse(b, NULL, op, "pto.pipe",
                             barrier ? "%s takes no id" : "%s takes one id, such as #pto.event<EVENT_ID0>",
                             op->name),
               false;
    code->number = code->number << 24 | pipes[0] | (int64_t)pipes[1] << 8 | (int64_t)id << 16;
    return true;
}

const tw__as_host tw__as_sync_ops[] = {
    // clang-format off
    { "pto.set_flag", run_sync, SET, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.wait_flag", run_sync, WAIT, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.set_flag_dyn", run_sync, SET, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.wait_flag_dyn", run_sync, WAIT, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.record_event", run_sync, SET, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.wait_event", run_sync, WAIT, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.barrier", run_sync, BARRIER, TW__GIVES_NOTHING, 0, 0, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.barrier_sync", run_sync, BARRIER, TW__GIVES_NOTHING, 0, 0, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.get_buf", run_sync, GET_BUFFER, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.rls_buf", run_sync, RELEASE_BUFFER, TW__GIVES_NOTHING, 0, 1, "i", NULL, NULL, NULL, bind_pipes, NULL, NULL },
    { "pto.get_block_idx", run_identity, BLOCK_IDX, TW__GIVES_WIDE, 0, 0, "i", NULL, "", ".", NULL, tw__as_rule_integer,
      "%i = pto.get_block_idx" },
    { "pto.get_block_num", run_identity, BLOCK_NUM, TW__GIVES_WIDE, 0, 0, "i", NULL, "", ".", NULL, tw__as_rule_integer,
      "%i = pto.get_block_num" },
    { "pto.get_subblock_idx", run_identity, SUB_IDX, TW__GIVES_WIDE, 0, 0, "i", NULL, "", ".", NULL, tw__as_rule_integer,
      "%i = pto.get_subblock_idx" },
    { "pto.get_subblock_num", run_identity, SUB_NUM, TW__GIVES_WIDE, 0, 0, "i", NULL, "", ".", NULL, tw__as_rule_integer,
      "%i = pto.get_subblock_num" },
    { 0 }
    // clang-format on
};
