/* SPDX-License-Identifier: MIT */
/* Marks of lanes that nobody has set (tilewright/aie/detail/check_lanes.h): a word is
 * undefined_lanes_mix(MAGIC << 16 | call), so that a word found in data tells whether it is one, and which call made
 * it. Words in which some lanes are set are known by their value: a table has those that intrinsics made, with the
 * lanes that are left over. */
#include "aie/check/check.h"
#define TW_AIE_CHECK
#include <tilewright/aie/detail/core.h>

#include <glib.h>
#include <string.h>

enum { CALLS = 4096 };
#define MAGIC UINT64_C(0x9d5e371bc248)

/* Calls that made marks, for the whole process; mark 0 is none, the last one stands for all that do not fit. */
typedef struct call {
    const char *intrinsic, *file;
    int line;
} call;
static call calls[CALLS];
static unsigned call_count = 1;
static GMutex lock;
static gint any; /* read without the lock: data need not be searched before the first mark */

static bool marks_exist(void)
{
    return g_atomic_int_get(&any) != 0;
}

/* The finisher of splitmix64 and its inverse. */
static uint64_t undefined_lanes_mix(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}
static uint64_t unmix(uint64_t v)
{
    v = (v ^ v >> 31 ^ v >> 62) * UINT64_C(0x319642b2d24d8ec3);
    v = (v ^ v >> 27 ^ v >> 54) * UINT64_C(0x96de1b173f119089);
    return v ^ v >> 30 ^ v >> 60;
}

static unsigned mark_of(uint64_t word)
{
    uint64_t v = unmix(word);
    return v >> 16 == MAGIC && (v & 0xffff) < CALLS ? (unsigned)(v & 0xffff) : 0;
}

/* Words with lanes left over, by value; a newer one takes the place of an older one. At least 32 bits of such a word
 * are those of a mark, so data is taken for one as often as 32 random bits are equal. */
enum { REMAINS = 8192, LEAST_BITS = 32 };
typedef struct remains {
    uint64_t word, left; /* left: the bits that nothing has set */
    unsigned mark;
} remains;
static remains table[REMAINS];
static gint any_remains;

static remains *undefined_lanes_place_of(uint64_t word)
{
    return &table[(word * UINT64_C(0x9e3779b97f4a7c15)) >> 51];
}

static remains remains_of(uint64_t word)
{
    remains r = { 0, 0, 0 };
    if (!g_atomic_int_get(&any_remains)) return r;
    g_mutex_lock(&lock);
    if (undefined_lanes_place_of(word)->word == word) r = *undefined_lanes_place_of(word);
    g_mutex_unlock(&lock);
    return r;
}

/* The word has these bits left over; none: an equal one that was known is forgotten. */
static void remember(uint64_t word, uint64_t left, unsigned mark)
{
    bool enough = __builtin_popcountll(left) >= LEAST_BITS && mark_of(word) == 0;
    g_mutex_lock(&lock);
    remains *r = undefined_lanes_place_of(word);
    if (enough)
        *r = (remains){ word, left, mark };
    else if (r->word == word)
        *r = (remains){ 0, 0, 0 };
    g_mutex_unlock(&lock);
    if (enough) g_atomic_int_set(&any_remains, 1);
}

/* What is left of a mark in a word that C or C++ code has written lanes of: 16-bit lanes that agree with it. To be
 * asked where another word of the same operand is that mark. */
static uint64_t left_of(uint64_t word, unsigned mark)
{
    uint64_t differs = word ^ undefined_lanes_mix(MAGIC << 16 | mark), left = 0;
    for (int i = 0; i < 64; i += 16)
        if ((differs >> i & 0xffff) == 0) left |= UINT64_C(0xffff) << i;
    return __builtin_popcountll(left) >= LEAST_BITS ? left : 0;
}

static unsigned call_number(const char *intrinsic)
{
    call c = { intrinsic, tw_aie_core.file, tw_aie_core.line };
    g_mutex_lock(&lock);
    unsigned i = 1;
    while (i < call_count &&
           (calls[i].file != c.file || calls[i].line != c.line || calls[i].intrinsic != intrinsic))
        i++;
    if (i == call_count && i < CALLS - 1) calls[call_count++] = c;
    if (i == CALLS - 1) calls[i] = (call){ "one of many calls", NULL, 0 };
    g_mutex_unlock(&lock);
    g_atomic_int_set(&any, 1);
    return i;
}

void tw__aie_mark(const char *intrinsic, void *p, size_t bytes)
{
    uint64_t word = undefined_lanes_mix(MAGIC << 16 | call_number(intrinsic));
    for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) memcpy((char *)p + i, &word, sizeof word);
}

static uint64_t undefined_lanes_word_at(const void *p, size_t i)
{
    uint64_t word;
    memcpy(&word, (const char *)p + i, sizeof word);
    return word;
}

unsigned tw__aie_shadow(const void *p, size_t bytes, void *shadow)
{
    unsigned found = 0, whole = 0;
    if (!marks_exist()) return 0;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        unsigned mark = mark_of(undefined_lanes_word_at(p, i));
        if (mark && !whole) whole = mark;
    }
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word = undefined_lanes_word_at(p, i), left;
        unsigned mark = mark_of(word);
        remains r = mark ? (remains){ word, UINT64_MAX, mark } : remains_of(word);
        left = r.left ? r.left : whole ? left_of(word, whole) : 0;
        memcpy((char *)shadow + i, &left, 8);
        if (left && !found) found = r.mark ? r.mark : whole;
    }
    return found;
}

void tw__aie_moved(unsigned mark, const void *p, const void *shadow, size_t bytes)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8)
        remember(undefined_lanes_word_at(p, i), undefined_lanes_word_at(shadow, i), mark);
}

void tw__aie_put_lane(void *vector, size_t at, const void *lane, size_t bytes)
{
    char *word = (char *)vector + (at & ~(size_t)7);
    uint64_t left = 0;
    unsigned mark = bytes < 8 ? tw__aie_shadow(word, 8, &left) : 0;
    memcpy((char *)vector + at, lane, bytes);
    if (!marks_exist() || bytes >= 8) return;
    memset((char *)&left + (at & 7), 0, bytes);
    remember(undefined_lanes_word_at(word, 0), left, mark);
}

int tw__aie_is_move(const char *name)
{
    if (strncmp(name, "fp", 2) == 0) name += 2;
    return strncmp(name, "shuffle", 7) == 0 || strncmp(name, "select", 6) == 0;
}

void tw__aie_read(const char *intrinsic, unsigned mark, const void *picked, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && ((const char *)picked)[i] == 0) i++;
    if (i == bytes || tw__aie_is_move(intrinsic)) return;
    g_mutex_lock(&lock);
    call c = calls[mark];
    g_mutex_unlock(&lock);
    if (c.file)
        tw__aie_report(intrinsic, "reads lanes that nothing has set; they come from %s at %s:%d", c.intrinsic,
                       c.file, c.line);
    else
        tw__aie_report(intrinsic, "reads lanes that nothing has set; they come from %s", c.intrinsic);
}

void tw__aie_check_sent(const char *call_name, const void *p, size_t bytes)
{
    uint64_t shadow[16];
    for (size_t i = 0; marks_exist() && i < bytes; i += sizeof shadow) {
        size_t n = bytes - i < sizeof shadow ? bytes - i : sizeof shadow;
        unsigned mark = tw__aie_shadow((const char *)p + i, n, shadow);
        if (!mark) continue;
        tw__aie_read(call_name, mark, shadow, n);
        return;
    }
}

void tw__aie_mode_unset(const char *intrinsic)
{
    if (tw_aie_core.mode_set) return;
    tw_aie_core.mode_set = 1;
    tw__aie_report(intrinsic,
                   "warning: neither set_rnd() nor set_sat() or clr_sat() was called before; the hardware "
                   "leaves the modes open, here they are floor and no saturation");
}
