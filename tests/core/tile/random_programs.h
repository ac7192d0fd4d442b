/* SPDX-License-Identifier: MIT */
/* Random programs for the placement: steps that read some variables and overwrite one, in nested repeats. Which
 * variable is alive in which step is found by the textbook fixed point on the steps with the back edges of the
 * repeats, so that variables have several lives with holes between them. Used by test_tile_place_holes.c and
 * bench_place.c. */
#ifndef TW_TESTS_TILE_RANDOM_PROGRAMS_H
#define TW_TESTS_TILE_RANDOM_PROGRAMS_H

#include "core/tile/place.h"

#include <stdlib.h>
#include <string.h>

enum { RANDOM_VARS = 96, RANDOM_STEPS = 320, RANDOM_READS = 3, RANDOM_LOOPS = 64, RANDOM_LIVES = RANDOM_STEPS / 2 };

typedef struct random_program {
    uint32_t vars, steps, loops;
    uint32_t far, window; /* one operand in `far` is any variable, the others are among `window` near ones */
    uint32_t read[RANDOM_STEPS][RANDOM_READS], written[RANDOM_STEPS];
    struct {
        uint32_t begin, end; /* steps [begin, end), run again and again */
    } loop[RANDOM_LOOPS];
    bool alive[RANDOM_STEPS][RANDOM_VARS];
    tw__place_item items[RANDOM_VARS];
    tw__place_life lives[RANDOM_VARS][RANDOM_LIVES];
    uint64_t seed;
} random_program;

static inline uint32_t random_below(random_program *p, uint32_t below)
{
    p->seed ^= p->seed << 13, p->seed ^= p->seed >> 7, p->seed ^= p->seed << 17;
    return (uint32_t)(p->seed >> 24) % below;
}

/* Steps read what is near in the order of variables, mostly: values pass from one to the next, and some are needed
 * again late. */
static inline uint32_t random_variable(random_program *p, uint32_t step)
{
    uint32_t near = (uint32_t)((uint64_t)step * p->vars / p->steps);
    return random_below(p, p->far) ? (near + random_below(p, p->window)) % p->vars : random_below(p, p->vars);
}

static inline void random_loops(random_program *p, uint32_t begin, uint32_t end, unsigned depth)
{
    while (begin + 2 < end && p->loops < RANDOM_LOOPS) {
        uint32_t length = 2 + random_below(p, end - begin);
        if (begin + length > end) length = end - begin;
        if (random_below(p, 2)) {
            p->loop[p->loops].begin = begin, p->loop[p->loops++].end = begin + length;
            if (depth) random_loops(p, begin, begin + length, depth - 1);
        }
        begin += length;
    }
}

static inline bool random_reads(const random_program *p, uint32_t step, uint32_t var)
{
    for (int r = 0; r < RANDOM_READS; r++)
        if (p->read[step][r] == var) return true;
    return false;
}

/* Alive before and after each step; a variable is alive in a step when it is before or after it, or when it is
 * written there. */
static inline void random_liveness(random_program *p)
{
    static bool before[RANDOM_STEPS + 1][RANDOM_VARS];
    memset(before, 0, sizeof before);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = p->steps; s-- > 0;)
            for (uint32_t v = 0; v < p->vars; v++) {
                bool after = before[s + 1][v];
                for (uint32_t l = 0; l < p->loops; l++)
                    after |= p->loop[l].end == s + 1 && before[p->loop[l].begin][v];
                if (s + 1 == p->steps) after |= before[0][v]; /* values survive from run to run */
                bool here = random_reads(p, s, v) || (after && p->written[s] != v);
                changed |= here != before[s][v];
                before[s][v] = here;
                p->alive[s][v] = here || after || p->written[s] == v;
            }
    }
}

static inline void random_items(random_program *p, unsigned spread)
{
    for (uint32_t v = 0; v < p->vars; v++) {
        uint32_t count = 0;
        for (uint32_t s = 0; s < p->steps; s++) {
            if (!p->alive[s][v]) continue;
            if (count && p->lives[v][count - 1].last + 1 == s)
                p->lives[v][count - 1].last = s;
            else
                p->lives[v][count++] = (tw__place_life){ s, s };
        }
        bool used = count > 0;
        if (!used) p->lives[v][count++] = (tw__place_life){ 0, 0 };
        uint32_t bytes = 64u << random_below(p, spread);
        p->items[v] = (tw__place_item){ .name = "v",
                                        .bytes = used ? bytes + 4 * random_below(p, bytes / 4) : 0,
                                        .align = 8,
                                        .first = p->lives[v][0].first,
                                        .last = p->lives[v][count - 1].last,
                                        .life_count = count,
                                        .lives = p->lives[v] };
    }
}

static inline void random_program_make(random_program *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->seed = seed * 0x9E3779B97F4A7C15 + 1;
    for (int i = 0; i < 8; i++) random_below(p, 2);
    p->vars = 8 + random_below(p, RANDOM_VARS - 8);
    p->steps = 20 + random_below(p, RANDOM_STEPS - 20);
    p->far = 3 + random_below(p, 60), p->window = 4 + random_below(p, 12);
    random_loops(p, 0, p->steps, 3);
    for (uint32_t s = 0; s < p->steps; s++) {
        for (int r = 0; r < RANDOM_READS; r++) p->read[s][r] = random_variable(p, s);
        do p->written[s] = random_variable(p, s);
        while (random_reads(p, s, p->written[s]));
    }
    random_liveness(p);
    random_items(p, 1 + random_below(p, 8));
}

#endif
