/* SPDX-License-Identifier: MIT */
/* save: a tile as a checkpoint, between two runs. Tables say what of the tile and of its contexts is in the file;
 * what has been decoded and translated follows from memory, weights as numbers from weights as bits. */
#include "core/base/checkpoint.h"
#include "poplar/colossus/sim/sim.h"

#include <stdlib.h>

#define ANY              TW__CK_ANY
#define CYCLES           (UINT64_C(1) << 58) /* turns and cycles of none reach it; sums of a few stay below 2^64 */
#define ROWS(rows)       (rows), G_N_ELEMENTS(rows)
#define ONE(field, most) TW__CK_ONE(THIS, field, most)
#define ALL(field)       TW__CK_ALL(THIS, field, ANY)
#define NOT(field)       TW__CK_NOT(THIS, field)

#define THIS tw__sim_context
static const tw__ck_field context_rows[] = {
    ALL(m),
    ALL(a),
    NOT(memory),
    NOT(code_map),
    NOT(base),
    NOT(size),
    NOT(region1),
    NOT(clashes),
    ONE(fp_slow, 1),
    ONE(flush, 1),
    ONE(fp_ctl, ANY),
    ONE(fp_sts, 7),
    ONE(tas, ANY),
    ALL(e),
    ALL(o),
    ALL(prng),
    NOT(weights),
    NOT(loads),
    NOT(load_step),
    NOT(stores),
    ONE(pc, ANY),
    ONE(repeat_count, ANY),
    ONE(repeat_first, ANY),
    ONE(repeat_end, ANY),
    ONE(turn, CYCLES),
    ONE(extra, CYCLES),
    ONE(left, CYCLES),
    ONE(turns, CYCLES),
    ONE(start, CYCLES),
    ONE(stepping, 1),
    ONE(odd, 1),
    ONE(exit_status, 1),
    NOT(supervisor),
    ONE(blocked, 1),
    ONE(held, 1),
    ONE(sp_set, 1),
    ONE(sp_warned, 1),
    ONE(modelled, 1),
    NOT(number),
    ONE(state, TW_SIM_ACTIVE),
    ONE(cause, TW_SIM_CAUSE_COUNT - 1),
    NOT(sim),
    ALL(csr),
};
#undef THIS
#define THIS tw_sim
static const tw__ck_field tile_rows[] = {
    NOT(contexts),       NOT(weights),       NOT(arch),          NOT(tile),
    NOT(memory),         NOT(own_memory),    NOT(wide),          NOT(options),
    NOT(base),           NOT(size),          NOT(region1),       NOT(pages),
    NOT(code_map),       NOT(page_count),    ONE(clock, CYCLES), ONE(local_consensus, 1),
    ONE(rounds, CYCLES), ONE(loops, CYCLES), ONE(patience, ANY), TW__CK_ALL(THIS, ready, CYCLES),
    NOT(waiting),        NOT(wait_insn),     NOT(exception),     NOT(has_exception),
    NOT(unfinished),     NOT(message),       NOT(hook),          NOT(hook_user),
    NOT(trace),          ALL(before_m),      ALL(before_a),      NOT(natives),
    NOT(native_count),   NOT(native_seen),   NOT(native_drops),  NOT(native_poor),
    NOT(native_wait),    NOT(native_pause),  NOT(native_turns),  NOT(images),
    NOT(image_count),    NOT(image_room),    NOT(exceptions),
};
#undef THIS

const tw__ck_table tw__sim_tables[] = {
    { "tw__sim_context", sizeof(tw__sim_context), ROWS(context_rows) },
    { "tw_sim", sizeof(tw_sim), ROWS(tile_rows) },
    { NULL, 0, NULL, 0 },
};

/* A repeat loop goes round a body in memory from which code is fetched. */
static bool context_sound(const tw_sim *sim, const tw__sim_context *w)
{
    if (!w->repeat_count) return true;
    uint32_t bytes = w->repeat_end - w->repeat_first;
    return w->repeat_first >= sim->base && w->repeat_end <= sim->region1 && w->repeat_first < w->repeat_end &&
           w->repeat_first % 8 == 0 && bytes % 8 == 0 && w->pc >= w->repeat_first && w->pc < w->repeat_end &&
           w->pc % 8 == 0 && !w->supervisor;
}

/* What decides how the run goes on, beside the program. */
static void walk_settings(tw__ck *k, const tw_sim *sim)
{
    const tw_sim_options *o = &sim->options;
    bool same = tw__ck_whole(k, "tile", o->tile, UINT32_MAX) == o->tile;
    same &= tw__ck_flag(k, "denormals", o->denormals) == o->denormals;
    same &= tw__ck_flag(k, "ignoreClashes", o->ignore_clashes) == o->ignore_clashes;
    if (!same) tw__ck_refuse(k, "was saved with other options of the simulator: resume it with the same");
}

void tw__sim_walk(tw__ck *k, tw_sim *sim)
{
    tw__ck_section(k, "tile", 0);
    walk_settings(k, sim);
    tw__ck_fields(k, ROWS(tile_rows), sim);
    tw__ck_wholes(k, "weights", sim->weights.words, 8, TW__SIM_WEIGHTS, ANY);
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) {
        tw__sim_context *w = &sim->contexts[i];
        tw__ck_section(k, "context", i);
        tw__ck_fields(k, ROWS(context_rows), w);
        if (tw__ck_reads(k) && !context_sound(sim, w)) tw__ck_wrong(k, "a repeat loop cannot be");
    }
}

void tw__sim_walked(tw_sim *sim)
{
    for (unsigned i = 0; i < TW__SIM_WEIGHTS; i++) tw__sim_set_weight(sim, i, sim->weights.words[i]);
    tw_sim_code_changed(sim, sim->base, sim->size);
    sim->native_seen = 0; /* other translations may fit */
}

static void walk_tile(tw__ck *k, tw_sim *sim)
{
    tw__sim_walk(k, sim);
    tw__ck_section(k, "memory", 0);
    tw__ck_sparse(k, "memory", sim->memory, sim->size);
}

static uint64_t hash_words(uint64_t hash, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned b = 0; b < 64; b += 8) hash = tw__fnv1a(hash, &(uint8_t){ (uint8_t)(words[i] >> b) }, 1);
    return hash;
}

static tw__ck_head head_of(const tw_sim *sim)
{
    uint64_t program = hash_words(TW__FNV, &(uint64_t){ sim->arch }, 1);
    const tw_section *s;
    for (size_t image = 0; image < sim->image_count; image++)
        for (size_t i = 0; (s = tw_object_get_section(sim->images[image], i)); i++) {
            if (!(s->flags & TW_SECTION_ALLOC)) continue;
            program = hash_words(program, (const uint64_t[]){ s->address, s->size }, 2);
            if (s->data && !(s->flags & TW_SECTION_EMPTY)) program = tw__fnv1a(program, s->data, s->size);
        }
    return (tw__ck_head){ .machine = "tile",
                          .build = tw__build_name(),
                          .layout = tw__ck_layout(TW__FNV, tw__sim_tables),
                          .program = program };
}

tw_status tw_sim_save(const tw_sim *sim, const char *path)
{
    if (!sim) return tw__missing("simulator");
    if (!path) return tw__fail(TW_E_INVALID_ARGUMENT, "a checkpoint needs a path");
    if (sim->has_exception || sim->waiting)
        return tw__fail(TW_E_NOT_SUPPORTED,
                        "a checkpoint is of a tile without an exception that does not wait for others");
    tw_output *out = tw_output_open(path, NULL, 0);
    if (!out) return tw_error_status();
    const tw__ck_head head = head_of(sim);
    tw__ck *k = tw__ck_write(tw_output_file(out), &head);
    if (k) walk_tile(k, (tw_sim *)sim); /* which writes */
    tw_status status = tw__ck_end(k);
    if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out); /* which can say why */
    tw_output_free(out);
    return status;
}

tw_status tw_sim_resume(tw_sim *sim, const char *path)
{
    if (!sim) return tw__missing("simulator");
    if (!path) return tw__fail(TW_E_INVALID_ARGUMENT, "a checkpoint needs a path");
    const tw__ck_head head = head_of(sim);
    tw__ck *k = tw__ck_read(path, &head);
    if (!k) return tw_error_status();
    tw_sim_reset(sim);
    memset(sim->memory, 0, sim->size);
    walk_tile(k, sim);
    tw_status status = tw__ck_end(k);
    if (status != TW_OK) tw_sim_reset(sim);
    tw__sim_walked(sim);
    return status;
}
