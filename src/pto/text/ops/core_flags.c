/* SPDX-License-Identifier: MIT */
/* core_flags: text of flags between cores, and members of dictionaries. */
#include "pto/text/ops/ops.h"
#include <tilewright/pto/grid.h>

#include <inttypes.h>

const tw__as_item *tw__as_member(const tw__as_parts *p, const char *name)
{
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next)
            if (i->text && strcmp(i->text, name) == 0) return i->has_value && i->child ? i->child : i;
    return NULL;
}

bool tw__as_number_member(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const char *name,
                          int64_t most, int64_t *value)
{
    const tw__as_item *i = tw__as_member(p, name);
    char *end;
    if (!i) return true;
    gint64 n = i->kind == TW__AS_NUMBER ? g_ascii_strtoll(i->text, &end, 0) : -1;
    if (n < 0 || n > most)
        return tw__as_refuse(b, i, op, "pto.attribute", "%s: %s is a number from 0 to %" PRId64, op->name, name,
                             most),
               false;
    *value = n;
    return true;
}

bool tw__as_known_members(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const char *const *names,
                          size_t count)
{
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next) {
            bool known = false;
            for (size_t n = 0; i->text && n < count; n++) known |= strcmp(i->text, names[n]) == 0;
            if (known || !i->text) continue;
            const char *near = tw__nearest(i->text, names, count);
            return tw__as_refuse(b, i, op, "pto.attribute",
                                 near ? "%s has no attribute '%s'; did you mean '%s'?" : "%s has no attribute '%s'",
                                 op->name, i->text, near),
                   false;
        }
    return true;
}

/* --- flags between cores: number = pipe, mode << 16, core_flag << 24 -------------------------------------------- */

typedef enum core_flag { SET, WAIT, INTRA_SET, INTRA_WAIT } core_flag;

static bool bind_core_flag(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                           tw__as_type *type)
{
    static const char *const names[] = { "mode" };
    int64_t mode = TW_PTO_SYNC_CUBE_VECTOR;
    int pipe = -1;
    (void)type;
    if (!tw__as_known_members(b, op, p, names, code->number >= INTRA_SET ? 0 : 1) ||
        !tw__as_number_member(b, op, p, "mode", 2, &mode))
        return false;
    for (unsigned n = 0; n < p->nameds; n++) {
        char word[48];
        tw__as_value_word(b, p->named[n], word, sizeof word);
        for (int i = 0; i < TW_PTO_PIPES; i++)
            if (strcmp(word, tw_pto_pipe_name((tw_pto_pipe)i)) == 0) pipe = i;
    }
    if (pipe < 0 || p->ins != 1)
        return tw__as_refuse(b, NULL, op, "pto.pipe", "%s takes a pipe and a flag, such as #pto.pipe<PIPE_FIX>, 3",
                             op->name),
               false;
    code->number = code->number << 24 | mode << 16 | pipe;
    return true;
}

static tw_status run_core_flag(tw__as_run *run, const tw__as_code *code)
{
    int64_t id = tw__as_integer(tw__as_operand(run, code, 0));
    tw_pto_pipe pipe = (tw_pto_pipe)(code->number & 255);
    tw_pto_sync_mode mode = (tw_pto_sync_mode)(code->number >> 16 & 3);
    unsigned flag = id < 0 || id > 255 ? 255 : (unsigned)id;
    switch ((core_flag)(code->number >> 24)) {
    case SET: return tw_pto_sync_set(run->core, pipe, flag, mode);
    case WAIT: return tw_pto_sync_wait(run->core, pipe, flag, mode);
    case INTRA_SET: return tw_pto_intra_set(run->core, pipe, flag);
    case INTRA_WAIT: break;
    }
    return tw_pto_intra_wait(run->core, pipe, flag);
}

const tw__as_host tw__as_core_ops[] = {
    // clang-format off
    { "pto.sync.set", run_core_flag, SET, TW__GIVES_NOTHING, 1, 1, "i", NULL, NULL, NULL, bind_core_flag, NULL, NULL },
    { "pto.sync.wait", run_core_flag, WAIT, TW__GIVES_NOTHING, 1, 1, "i", NULL, NULL, NULL, bind_core_flag, NULL, NULL },
    { "pto.set_intra_block", run_core_flag, INTRA_SET, TW__GIVES_NOTHING, 1, 1, "i", NULL, NULL, NULL, bind_core_flag, NULL, NULL },
    { "pto.wait_intra_block", run_core_flag, INTRA_WAIT, TW__GIVES_NOTHING, 1, 1, "i", NULL, NULL, NULL, bind_core_flag, NULL, NULL },
    { 0 }
    // clang-format on
};
