/* SPDX-License-Identifier: MIT */
/* From executed steps back to the programs around them: when each program that is profiled by itself began and ended.
 *
 * A step names its leaf of the program tree only. The way to a leaf from its root stays open until a step is met
 * that is on another one: onwards in the tree it closes what it leaves, backwards a loop goes round, the innermost
 * that has rounds left. A leaf below another root is that of a function, which the next Call of the open way calls.
 * So the tree is walked as the machine walked it; where calls stand in branches that were not taken, a block may end
 * too late. */
#include "core/base/list.h"
#include "core/profile/json.h"

#include <stdlib.h>

typedef struct open_program {
    uint32_t node;
    uint32_t block; /* + 1 in found; 0 = none */
    uint64_t round;
} open_program;
typedef struct found_block {
    uint32_t program;
    uint64_t first, last; /* steps */
} found_block;

typedef struct finder {
    const tw_profile *p;
    TW__LIST(open_program) open; /* ways, one below the other: the program's, functions' that it calls */
    TW__LIST(uint32_t) way;      /* to the leaf at hand, its root first */
    TW__LIST(found_block) found;
    const uint64_t *rule_steps;
    size_t run;    /* the next one */
    uint64_t runs; /* left of those like it */
    uint64_t rest; /* steps left of this run */
    uint64_t left; /* steps that are looked at */
    bool failed;
} finder;

static const tw__profile_program *tree_program(const finder *f, uint32_t node)
{
    return &f->p->programs.items[node];
}

static void find_way(finder *f, uint32_t leaf)
{
    f->way.count = 0;
    for (uint32_t n = leaf; n != TW__NONE && !f->failed; n = tree_program(f, n)->parent)
        TW__APPEND(f->way, f->failed = true, n);
    for (size_t i = 0, k = f->way.count; i + 1 < k; i++) {
        uint32_t last = f->way.items[--k];
        f->way.items[k] = f->way.items[i], f->way.items[i] = last;
    }
}

static size_t way_begin(const finder *f)
{
    size_t i = f->open.count - 1;
    while (i && tree_program(f, f->open.items[i].node)->parent != TW__NONE) i--;
    return i;
}

static bool has_rounds(const finder *f, const open_program *o)
{
    const tw__profile_program *p = tree_program(f, o->node);
    return p->type == TW_PROGRAM_REPEAT_WHILE || (p->type == TW_PROGRAM_REPEAT && o->round + 1 < p->count);
}

/* How many programs of the open way that begins at `begin` stay open: the ways are the same up to `same`. 0: the leaf
 * is not where this execution goes on. */
static size_t stays_open(finder *f, size_t begin, size_t same)
{
    size_t length = f->open.count - begin;
    const uint32_t *way = f->way.items;
    if (same < length && same < f->way.count && way[same] > f->open.items[begin + same].node) return same;
    for (size_t k = same; k-- > 0;) {
        open_program *o = &f->open.items[begin + k];
        if (k + 1 == f->way.count || !has_rounds(f, o)) continue;
        o->round++;
        return k + 1;
    }
    return 0;
}

/* Leaves what the leaf at the end of the way is not in; how much of the way is open. */
static size_t blocks_leave(finder *f)
{
    bool function = tree_program(f, f->way.items[0])->type == TW_PROGRAM_FUNCTION;
    while (f->open.count) {
        size_t begin = way_begin(f), same = 0;
        const open_program *o = f->open.items + begin;
        while (begin + same < f->open.count && same < f->way.count && o[same].node == f->way.items[same]) same++;
        if (same) {
            size_t keep = stays_open(f, begin, same);
            bool again = !keep && function; /* called once more */
            if (!keep && !again) keep = same < f->way.count ? same : same - 1;
            f->open.count = begin + keep;
            if (!again) return keep;
        } else {
            bool below = false;
            for (size_t i = 0; i < begin && !below; i++) below = f->open.items[i].node == f->way.items[0];
            if (function && !below) return 0;
            f->open.count = begin;
        }
    }
    return 0;
}

static void blocks_go_to(finder *f, uint32_t leaf)
{
    find_way(f, leaf);
    if (f->failed) return;
    for (size_t i = blocks_leave(f); i < f->way.count && !f->failed; i++)
        TW__APPEND(f->open, f->failed = true, (open_program){ .node = f->way.items[i] });
}

/* The first Call at `from` or behind it that is below `above` (TW__NONE: below a root that is no function). */
static uint32_t call_below(const finder *f, uint32_t above, uint32_t from)
{
    for (uint32_t n = from; n < f->p->programs.count; n++) {
        if (tree_program(f, n)->type != TW_PROGRAM_CALL) continue;
        uint32_t up = n;
        while (up != above && tree_program(f, up)->parent != TW__NONE) up = tree_program(f, up)->parent;
        if (up == above || (above == TW__NONE && tree_program(f, up)->type != TW_PROGRAM_FUNCTION)) return n;
        if (above != TW__NONE && up > above) return TW__NONE; /* behind all of it */
    }
    return TW__NONE;
}

/* Goes to the Call that the function at hand is called by. */
static void go_to_call(finder *f)
{
    while (f->open.count && !f->failed) {
        size_t begin = way_begin(f);
        for (size_t i = f->open.count; i-- > begin;) {
            const open_program *o = &f->open.items[i];
            uint32_t after = i + 1 < f->open.count ? f->open.items[i + 1].node + 1 : o->node + 1;
            uint32_t call = call_below(f, o->node, after);
            if (call == TW__NONE && has_rounds(f, o)) call = call_below(f, o->node, o->node + 1);
            if (call == TW__NONE) continue;
            blocks_go_to(f, call);
            return;
        }
        if (!begin) return;
        f->open.count = begin; /* the function that was called before has ended */
    }
    uint32_t call = call_below(f, TW__NONE, 0);
    if (call != TW__NONE) blocks_go_to(f, call);
}

static bool way_is_open(const finder *f, uint32_t node)
{
    for (size_t i = 0; i < f->open.count; i++)
        if (f->open.items[i].node == node) return true;
    return false;
}

static void run_begins(finder *f)
{
    f->open.count = 0;
    for (; !f->runs && f->run < f->p->runs.count; f->run++) f->runs = f->p->runs.items[f->run].times;
    if (!f->runs) return;
    uint32_t rule = f->p->runs.items[f->run - 1].rule;
    f->runs--;
    f->rest = rule == TW__NONE ? 0 : f->rule_steps[rule];
}

static bool find_in_step(void *user, const tw_profile_step *info)
{
    finder *f = user;
    const tw__step *s = &f->p->steps.items[info->plan_step];
    if (!f->left--) return false;
    for (size_t i = 0; !f->rest && (f->runs || f->run < f->p->runs.count) && i <= f->p->runs.count; i++)
        run_begins(f);
    f->rest -= f->rest > 0;
    if (s->program == TW__NONE || s->type == TW_PROGRAM_SYNC || s->program >= f->p->programs.count) return true;
    find_way(f, s->program);
    uint32_t root = f->failed ? 0 : f->way.items[0];
    if (!f->failed && tree_program(f, root)->type == TW_PROGRAM_FUNCTION && !way_is_open(f, root)) go_to_call(f);
    blocks_go_to(f, s->program);
    for (size_t i = 0; i < f->open.count && !f->failed; i++) {
        open_program *o = &f->open.items[i];
        if (!tree_program(f, o->node)->profiled) continue;
        if (!o->block) {
            TW__APPEND(f->found, f->failed = true, (found_block){ .program = o->node, .first = info->index });
            o->block = (uint32_t)f->found.count;
        }
        if (!f->failed) f->found.items[o->block - 1].last = info->index;
    }
    return !f->failed;
}

/* Steps of one execution of each rule. */
static uint64_t *rule_lengths(const tw_profile *p)
{
    uint64_t *steps = tw__calloc(p->rules.count + 1, sizeof *steps);
    for (size_t r = 0; steps && r < p->rules.count; r++) {
        const tw__rule *rule = &p->rules.items[r];
        steps[r] = rule->is_range ? rule->count : 0;
        for (uint32_t i = rule->first; !rule->is_range && i < rule->first + rule->count; i++)
            steps[r] += steps[p->items.items[i].rule] * p->items.items[i].times;
    }
    return steps;
}

static void write_found(tw__json *j, const finder *f)
{
    static const char *const keys[] = { "program", "firstStep", "lastStep" };
    tw__json_open(j, "blocks", '{');
    for (unsigned k = 0; k < 3; k++) {
        tw__json_open(j, keys[k], '[');
        for (size_t i = 0; i < f->found.count; i++) {
            const found_block *b = &f->found.items[i];
            tw__json_count(j, NULL, k == 0 ? b->program : k == 1 ? b->first : b->last);
        }
        tw__json_close(j, ']');
    }
    tw__json_close(j, '}');
}

void tw__write_blocks(tw__json *j, uint64_t steps)
{
    const tw_profile *p = j->p;
    bool any = false;
    for (size_t i = 0; i < p->programs.count; i++) any |= p->programs.items[i].profiled;
    if (!any) return;
    uint64_t *lengths = rule_lengths(p);
    finder f = { .p = p, .rule_steps = lengths, .left = steps, .failed = !lengths };
    if (!f.failed) tw_profile_each_step(p, find_in_step, &f);
    if (!f.failed) write_found(j, &f);
    j->failed |= f.failed;
    free(f.open.items), free(f.way.items), free(f.found.items), free(lengths);
}
