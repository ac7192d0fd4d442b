/* SPDX-License-Identifier: MIT */
/* The execution trace: what was executed, compressed while it is recorded.
 *
 * The engine reports step ids. Ids that follow each other make a range; when execution jumps, the range becomes an
 * item of the open run. Then equal neighbours are folded: one item twice becomes a count, k items twice become a
 * sequence rule with a count. A counted loop of any length ends as one item, nested loops as nested rules; a
 * data-dependent trip count costs one item. */
#include "core/profile/profile.h"

enum {
    MAX_PERIOD = 64, /* longest loop body, in items, that is looked for */
    MAX_DEPTH = 48   /* nesting of sequence rules; readers recurse that deep */
};

typedef struct rule_key {
    uint32_t first, count;
    const tw__item *items;
} rule_key;

static bool same_rule(const tw_profile *p, uint32_t id, const void *key)
{
    const rule_key *k = key;
    const tw__rule *rule = &p->rules.items[id];
    if (rule->count != k->count || rule->is_range != !k->items) return false;
    if (rule->is_range) return rule->first == k->first;
    return !memcmp(p->items.items + rule->first, k->items, k->count * sizeof *k->items);
}

static uint32_t hash_rule(const rule_key *key)
{
    if (key->items) return tw__hash_bytes(key->items, key->count * sizeof *key->items, 2);
    return tw__hash_bytes(key, 2 * sizeof key->first, 3); /* first and count, side by side */
}

static uint32_t add_rule(tw_profile *p, const rule_key *key, tw__rule rule)
{
    tw__rule *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->rules);
    if (!slot) return TW__NONE;
    *slot = rule;
    if (tw__index_add(&p->rule_index, hash_rule(key), (uint32_t)(p->rules.count - 1)))
        return (uint32_t)(p->rules.count - 1);
    p->rules.count--;
    tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the execution trace");
    return TW__NONE;
}

uint32_t tw__profile_range_rule(tw_profile *p, uint32_t first, uint32_t count)
{
    if (p->status) return TW__NONE;
    if (!count || first >= p->steps.count || count > p->steps.count - first) {
        tw__profile_fail(p, TW_E_INDEX, "steps %u to %u are not in a plan of %zu steps", first,
                         first + (count ? count - 1 : 0), p->steps.count);
        return TW__NONE;
    }
    rule_key key = { first, count, NULL };
    uint32_t id = tw__index_find(p, &p->rule_index, hash_rule(&key), same_rule, &key);
    return id != TW__NONE ? id : add_rule(p, &key, (tw__rule){ .first = first, .count = count, .is_range = 1 });
}

/* One more than the deepest of the items' rules. */
static unsigned depth_over(const tw_profile *p, const tw__item *items, size_t count)
{
    unsigned depth = 0;
    for (size_t i = 0; i < count; i++)
        if (p->rules.items[items[i].rule].depth > depth) depth = p->rules.items[items[i].rule].depth;
    return depth + 1;
}

uint32_t tw__profile_sequence_rule(tw_profile *p, const tw__item *items, size_t count)
{
    if (p->status || !count) return TW__NONE;
    rule_key key = { 0, (uint32_t)count, items };
    uint32_t id = tw__index_find(p, &p->rule_index, hash_rule(&key), same_rule, &key);
    if (id != TW__NONE) return id;
    unsigned depth = depth_over(p, items, count);
    size_t first = p->items.count;
    if (depth > MAX_DEPTH + 1 || count > UINT32_MAX || first > UINT32_MAX - count) {
        tw__profile_fail(p, TW_E_OVERFLOW, "the execution trace is too deep or too long");
        return TW__NONE;
    }
    for (size_t i = 0; i < count; i++) {
        tw__item item = items[i]; /* items may point into the open run, never into p->items */
        tw__item *slot = TW__PROFILE_PUSH(p, p->items);
        if (!slot) return TW__NONE;
        *slot = item;
    }
    return add_rule(p, &key,
                    (tw__rule){ .first = (uint32_t)first, .count = (uint32_t)count, .depth = (uint8_t)depth });
}

static bool same_items(const tw__item *a, const tw__item *b, size_t count)
{
    return !memcmp(a, b, count * sizeof *a);
}

/* Folds the end of the open run once: true when it got shorter. */
static bool fold(tw_profile *p)
{
    tw__item *open = p->open.items;
    size_t n = p->open.count;
    tw__item last = open[n - 1];
    if (n >= 2 && open[n - 2].rule == last.rule && open[n - 2].times <= UINT32_MAX - last.times) {
        open[n - 2].times += last.times;
        p->open.count--;
        return true;
    }
    for (size_t k = 2; k <= MAX_PERIOD && k < n; k++) {
        tw__item *before = &open[n - 1 - k]; /* S x m, followed by the items of S */
        const tw__rule *rule = &p->rules.items[before->rule];
        if (!rule->is_range && rule->count == k && before->times < UINT32_MAX &&
            same_items(p->items.items + rule->first, before + 1, k)) {
            before->times++;
            p->open.count -= k;
            return true;
        }
        if (before->rule != last.rule || before->times != last.times || 2 * k > n) continue;
        if (!same_items(open + n - 2 * k, open + n - k, k) || depth_over(p, open + n - k, k) > MAX_DEPTH) continue;
        uint32_t id = tw__profile_sequence_rule(p, open + n - k, k);
        if (id == TW__NONE) return false;
        p->open.count -= 2 * k - 1;
        open[p->open.count - 1] = (tw__item){ id, 2 };
        return true;
    }
    return false;
}

static void push_item(tw_profile *p, uint32_t rule, uint64_t times)
{
    while (rule != TW__NONE && times && !p->status) {
        uint32_t part = times > UINT32_MAX ? UINT32_MAX : (uint32_t)times;
        tw__item *item = TW__PROFILE_PUSH(p, p->open);
        if (!item) return;
        *item = (tw__item){ rule, part };
        times -= part;
        while (p->open.count > 1 && fold(p)) {
        }
    }
}

static void close_range(tw_profile *p)
{
    if (p->next == UINT64_MAX) return;
    uint64_t count = p->next - p->first;
    p->next = UINT64_MAX;
    push_item(p, tw__profile_range_rule(p, p->first, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count), 1);
}

void tw__profile_jump(tw_profile *p, uint32_t step)
{
    close_range(p);
    if (p->status) return;
    p->in_run = true;
    p->first = step;
    p->next = (uint64_t)step + 1;
}

void tw__profile_range(tw_profile *p, uint32_t first, uint32_t count, uint64_t times)
{
    if (!count || !times) return;
    p->in_run = true;
    if (times == 1 && first == p->next) {
        p->next += count;
        return;
    }
    close_range(p);
    push_item(p, tw__profile_range_rule(p, first, count), times);
}

void tw__profile_run_begin(tw_profile *p, const char *name)
{
    if (p->in_run) tw__profile_run_end(p, 0);
    p->in_run = true;
    p->open.count = 0;
    p->run_name = tw__profile_name(p, name);
}

static uint64_t runs_recorded(const tw_profile *p)
{
    uint64_t times = 0;
    for (size_t i = 0; i < p->runs.count; i++) times += p->runs.items[i].times;
    return times;
}

static void drop_old_runs(tw_profile *p)
{
    uint64_t recorded = p->keep_runs ? runs_recorded(p) : 0;
    for (; recorded > p->keep_runs && p->runs.count; recorded--) {
        tw__run *oldest = &p->runs.items[0];
        oldest->microseconds *= 1 - 1 / (double)oldest->times;
        if (--oldest->times) continue;
        memmove(oldest, oldest + 1, --p->runs.count * sizeof *oldest);
    }
}

void tw__profile_add_run(tw_profile *p, tw__name name, uint32_t rule, uint64_t times, double microseconds)
{
    tw__run *last = p->runs.count ? &p->runs.items[p->runs.count - 1] : NULL;
    if (p->status || !times) return;
    if (!last || last->name != name || last->rule != rule || last->times > UINT64_MAX - times) {
        if (!(last = TW__PROFILE_PUSH(p, p->runs))) return;
        last->name = name;
        last->rule = rule;
    }
    last->times += times;
    last->microseconds += microseconds;
    p->has_execution = true;
    drop_old_runs(p);
}

void tw__profile_run_end(tw_profile *p, double microseconds)
{
    uint32_t rule = TW__NONE;
    close_range(p);
    if (p->open.count == 1 && p->open.items[0].times == 1)
        rule = p->open.items[0].rule;
    else if (p->open.count)
        rule = tw__profile_sequence_rule(p, p->open.items, p->open.count);
    tw__profile_add_run(p, p->run_name, rule, 1, microseconds);
    p->open.count = 0;
    p->in_run = false;
    p->run_name = 0;
}

void tw__profile_keep_runs(tw_profile *p, uint32_t runs)
{
    p->keep_runs = runs;
    drop_old_runs(p);
}

void tw__profile_reset_execution(tw_profile *p)
{
    p->next = UINT64_MAX;
    p->open.count = p->runs.count = p->rules.count = p->items.count = 0;
    p->rule_index.count = 0;
    if (p->rule_index.room) memset(p->rule_index.slots, 0, p->rule_index.room * sizeof *p->rule_index.slots);
    p->in_run = p->has_execution = false;
}
