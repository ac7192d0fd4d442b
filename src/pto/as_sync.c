/* as_sync: flags and events that order pipes, and which block of the kernel this is. */
#include "pto/as_bind.h"

#include <stdlib.h>

typedef enum sync { SET, WAIT, BARRIER } sync;

static tw_status run_sync(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_pipe from = (tw_pto_pipe)(code->number & 255), to = (tw_pto_pipe)(code->number >> 8 & 255);
    unsigned id = (unsigned)(code->number >> 16 & 255);
    switch ((sync)(code->number >> 24)) {
    case SET: return tw_pto_set_flag(run->core, from, to, id);
    case WAIT: return tw_pto_wait_flag(run->core, from, to, id);
    case BARRIER: break;
    }
    return tw_pto_barrier(run->core, from);
}

enum { BLOCK_IDX, BLOCK_NUM, SUB_IDX, SUB_NUM };
static tw_status run_identity(tw__as_run *run, const tw__as_code *code)
{
    const int64_t values[] = { run->block, run->blocks, 0, 1 };
    return tw__as_set_integer(run, code, values[code->number]);
}

/* Pipes and event of "[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]": number = from, to, id, kind. */
static bool bind_pipes(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    static const struct {
        const char *word;
        tw_pto_pipe pipe;
    } words[] = { { "TLOAD", TW_PTO_PIPE_MTE2 },      { "TSTORE_ACC", TW_PTO_PIPE_FIX },
                  { "TSTORE_VEC", TW_PTO_PIPE_MTE3 }, { "TMOV_M2L", TW_PTO_PIPE_MTE1 },
                  { "TMOV_M2S", TW_PTO_PIPE_FIX },    { "TMOV_M2B", TW_PTO_PIPE_MTE1 },
                  { "TMOV_M2V", TW_PTO_PIPE_V },      { "TMOV_V2M", TW_PTO_PIPE_FIX },
                  { "TMATMUL", TW_PTO_PIPE_M },       { "TVEC", TW_PTO_PIPE_V },
                  { "TVECWAIT_EVENT", TW_PTO_PIPE_V } };
    (void)type;
    unsigned values[3] = { 0 }, count = 0;
    const tw__as_item *where = NULL;
    for (unsigned i = 0; i < p->nameds + p->lists[0] && count < 3; i++) {
        const tw__as_item *item = i < p->lists[0] ? p->list[0][i] : p->named[i - p->lists[0]];
        char word[48];
        bool known = false;
        if (item->kind != TW__AS_ATTR) continue;
        where = item;
        tw__as_attr_word(item->text, word, sizeof word);
        for (int pipe = 0; pipe < TW_PTO_PIPES && !known; pipe++)
            if ((known = strcmp(word, tw_pto_pipe_name((tw_pto_pipe)pipe)) == 0)) values[count++] = (unsigned)pipe;
        for (size_t w = 0; w < sizeof words / sizeof *words && !known; w++)
            if ((known = strcmp(word, words[w].word) == 0)) values[count++] = words[w].pipe;
        if (!known && g_str_has_prefix(word, "EVENT_ID") && (known = g_ascii_isdigit(word[8])))
            values[count++] = (unsigned)atoi(word + 8);
        if (!known) return tw__as_refuse(b, item, op, "pto.pipe", "'%s' is not a pipe or event", word), false;
    }
    if (count == 0) return tw__as_refuse(b, where, op, "pto.pipe", "a pipe is missing"), false;
    p->lists[0] = 0;
    code->number =
        code->number << 24 | values[0] | (int64_t)values[1] << 8 | (int64_t)(count > 2 ? values[2] : 0) << 16;
    return true;
}

const tw__as_host tw__as_sync_ops[] = {
    // clang-format off
    { "pto.set_flag", run_sync, 0, -1, SET, bind_pipes, NULL },
    { "pto.wait_flag", run_sync, 0, -1, WAIT, bind_pipes, NULL },
    { "pto.record_event", run_sync, 0, -1, SET, bind_pipes, NULL },
    { "pto.wait_event", run_sync, 0, -1, WAIT, bind_pipes, NULL },
    { "pto.barrier", run_sync, 0, -1, BARRIER, bind_pipes, NULL },
    { "pto.barrier_sync", run_sync, 0, -1, BARRIER, bind_pipes, NULL },
    { "pto.get_block_idx", run_identity, '6', -1, BLOCK_IDX, NULL, NULL },
    { "pto.get_block_num", run_identity, '6', -1, BLOCK_NUM, NULL, NULL },
    { "pto.get_subblock_idx", run_identity, '6', -1, SUB_IDX, NULL, NULL },
    { "pto.get_subblock_num", run_identity, '6', -1, SUB_NUM, NULL, NULL },
    { 0 }
    // clang-format on
};
