/* Marks of lanes that nobody has set (tilewright/aie/site.h): a word is mix(MAGIC << 16 | call), so that a word found in
 * data tells whether it is one, and which call made it. */
#include "aie/mark.h"
#define TW_AIE_CHECK
#include <tilewright/aie/core.h>

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

bool tw__aie_marks_exist(void)
{
    return g_atomic_int_get(&any) != 0;
}

/* The finisher of splitmix64 and its inverse. */
static uint64_t mix(uint64_t v)
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
    uint64_t word = mix(MAGIC << 16 | call_number(intrinsic));
    for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) memcpy((char *)p + i, &word, sizeof word);
}

unsigned tw__aie_shadow(const void *p, size_t bytes, void *shadow)
{
    unsigned found = 0;
    if (!tw__aie_marks_exist()) return 0;
    memset(shadow, 0, bytes);
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)p + i, 8);
        unsigned mark = mark_of(word);
        if (!mark) continue;
        if (!found) found = mark;
        memset((char *)shadow + i, 0xff, 8);
    }
    return found;
}

/* Names that carry lanes along without looking at them. */
static bool is_move(const char *name)
{
    if (strncmp(name, "fp", 2) == 0) name += 2;
    return strncmp(name, "shuffle", 7) == 0 || strncmp(name, "select", 6) == 0;
}

void tw__aie_read(const char *intrinsic, unsigned mark, const void *picked, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && ((const char *)picked)[i] == 0) i++;
    if (i == bytes || is_move(intrinsic)) return;
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
    for (size_t i = 0; tw__aie_marks_exist() && i < bytes; i += sizeof shadow) {
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
