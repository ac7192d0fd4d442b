/* SPDX-License-Identifier: MIT */
/* What a kernel calls: windows, streams, cascade, locks. A call that cannot go on yields to the scheduler. */
#include "aie/array/sched/sched.h"
#include "aie/check/check.h"

#include <string.h>

static tw__kernel *current(const char *call)
{
    tw_aie_array *array = tw__aie_current;
    if (array && array->running) return array->running;
    tw__aie_report(call, "called outside a kernel of an array");
    return NULL;
}

/* --- windows -------------------------------------------------------------------------------------------------- */

static tw_aie_window *window(const char *call, int port, bool out)
{
    static _Thread_local uint8_t scratch[64];
    static _Thread_local tw__view nowhere;
    tw__kernel *k = current(call);
    tw__pair *const *pairs = k ? (out ? k->window_out : k->window_in) : NULL;
    if (k && port >= 0 && port < TW__AIE_PORTS && pairs[port])
        return out ? &k->view_out[port].window : &k->view_in[port].window;
    if (k) tw__aie_report(call, "kernel '%s' has no %s window %d", k->name, out ? "output" : "input", port);
    nowhere.window = (tw_aie_window){ .data = scratch, .bytes = sizeof scratch, .is_output = out, .is_open = 1 };
    nowhere.ptr = scratch;
    return &nowhere.window;
}

tw_aie_window *tw_aie_window_in(int port)
{
    return window("window_in", port, false);
}

tw_aie_window *tw_aie_window_out(int port)
{
    return window("window_out", port, true);
}

static bool is_open(const char *call, const tw_aie_window *w)
{
    if (w->is_open) return true;
    tw__aie_report(call, "%s window %d is not acquired", w->is_output ? "output" : "input", w->port);
    return false;
}

/* Copies piece by piece around the end, from the position on. */
static void transfer(const tw_aie_window *w, void *out, const void *in, unsigned bytes)
{
    for (unsigned done = 0, at = w->at; done < bytes && w->bytes;) {
        unsigned n = w->bytes - at < bytes - done ? w->bytes - at : bytes - done;
        if (out) memcpy((char *)out + done, w->data + at, n);
        if (in) memcpy(w->data + at, (const char *)in + done, n);
        done += n;
        at = (at + n) % w->bytes;
    }
}

void tw_aie_window_take(tw_aie_window *w, void *out, unsigned bytes, int move)
{
    memset(out, 0, bytes);
    if (!is_open("window_read", w)) return;
    tw_aie_core.slots[TW_AIE_SLOT_LOAD] += (bytes + 31) / 32;
    transfer(w, out, NULL, bytes);
    tw_aie_window_move(w, move);
}

void tw_aie_window_give(tw_aie_window *w, const void *in, unsigned bytes, int move)
{
    if (!is_open("window_write", w)) return;
    tw__aie_check_sent("window_write", in, bytes);
    tw_aie_core.slots[TW_AIE_SLOT_STORE] += (bytes + 31) / 32;
    transfer(w, NULL, in, bytes);
    tw_aie_window_move(w, move);
}

void tw_aie_window_read(tw_aie_window *w, void *out, unsigned bytes)
{
    tw_aie_window_take(w, out, bytes, (int)bytes);
}

void tw_aie_window_write(tw_aie_window *w, const void *in, unsigned bytes)
{
    tw_aie_window_give(w, in, bytes, (int)bytes);
}

void tw_aie_window_move(tw_aie_window *w, int bytes)
{
    if (w->bytes == 0) return;
    int64_t at = ((int64_t)w->at + bytes) % w->bytes;
    w->at = (uint32_t)(at < 0 ? at + w->bytes : at);
    ((tw__view *)w)->ptr = w->data + w->at;
}

/* Known before the window is acquired too. */
unsigned tw_aie_window_block(const tw_aie_window *w)
{
    tw__kernel *k = current("window_size");
    const tw__pair *p = k ? (w->is_output ? k->window_out : k->window_in)[w->port] : NULL;
    return p ? p->bytes : w->bytes - w->margin;
}

/* The pair of a window that the kernel acquires itself; NULL with a report. */
static tw__pair *async_pair(const char *call, tw__kernel *k, const tw_aie_window *w)
{
    tw__pair *p = k ? (w->is_output ? k->window_out : k->window_in)[w->port] : NULL;
    if (p && (w->is_output ? p->async_out : p->async_in)) return p;
    if (k)
        tw__aie_report(call,
                       "%s window %d of kernel '%s' belongs to its firing: only windows declared asynchronous are "
                       "acquired and released",
                       w->is_output ? "output" : "input", w->port, k->name);
    return NULL;
}

void tw_aie_window_acquire(tw_aie_window *w)
{
    tw__kernel *k = current("window_acquire");
    tw__pair *p = async_pair("window_acquire", k, w);
    if (!p) return;
    if (w->is_open) {
        tw__aie_report("window_acquire", "%s window %d is acquired already", w->is_output ? "output" : "input",
                       w->port);
        return;
    }
    k->waits_view = w->is_output ? &k->view_out[w->port] : &k->view_in[w->port];
    while (w->is_output ? p->full == p->blocks : p->full == 0) tw__aie_yield(k, TW__WAIT_ACQUIRE);
    if (w->is_output)
        tw__aie_open_out(k, w->port);
    else
        tw__aie_open_in(k, w->port);
}

void tw_aie_window_release(tw_aie_window *w)
{
    tw__kernel *k = current("window_release");
    if (!async_pair("window_release", k, w) || !is_open("window_release", w)) return;
    if (w->is_output)
        tw__aie_close_out(k, w->port);
    else
        tw__aie_close_in(k, w->port);
}

/* --- streams and cascade -------------------------------------------------------------------------------------- */

static tw__fifo *fifo(const char *call, int port, bool out, tw__kernel **k)
{
    *k = current(call);
    if (!*k) return NULL;
    bool known = port >= 0 && port <= TW__AIE_STREAMS;
    tw__fifo *f = known ? (out ? (*k)->out[port] : (*k)->in[port]) : NULL;
    if (!f && port == TW__AIE_STREAMS)
        tw__aie_report(call, "kernel '%s' has no cascade %s", (*k)->name, out ? "output" : "input");
    else if (!f)
        tw__aie_report(call, "kernel '%s' has no %s stream %d", (*k)->name, out ? "output" : "input", port);
    (*k)->port = port;
    return f;
}

static bool ports_get(const char *call, int port, void *item, bool block)
{
    tw__kernel *k;
    tw__fifo *f = fifo(call, port, false, &k);
    if (!f) return false;
    while (f->count == 0) {
        if (!block) return false;
        k->waits_for = f;
        tw__aie_yield(k, TW__WAIT_READ);
    }
    tw__aie_read_time(tw__aie_current, k, f, port == TW__AIE_STREAMS ? "cascade" : "stream");
    return tw__fifo_pop(f, item);
}

static bool ports_put(const char *call, int port, const void *item, bool block)
{
    tw__kernel *k;
    tw__fifo *f = fifo(call, port, true, &k);
    if (!f) return false;
    while (f->count == f->room) {
        if (!block) return false;
        k->waits_for = f;
        tw__aie_yield(k, TW__WAIT_WRITE);
    }
    tw__aie_write_time(tw__aie_current, k, f, port == TW__AIE_STREAMS ? "cascade" : "stream");
    tw__fifo_push(f, item);
    f->source = tw_aie_core.file, f->line = tw_aie_core.line;
    return true;
}

static bool get_word(int port, uint32_t *word, int *tlast, bool block)
{
    uint32_t item[2] = { 0, 0 };
    if (!ports_get("get_ss", port, item, block)) return false;
    tw__kernel *k = tw__aie_current->running;
    k->tlast[port] = (int)item[1];
    k->words_in[port]++;
    *word = item[0];
    if (tlast) *tlast = (int)item[1];
    return true;
}

int tw_aie_wait_word(int first)
{
    tw__kernel *k = current("wait_word");
    if (!k) return -1;
    for (;;) {
        for (int i = 0; i < TW__AIE_STREAMS; i++) {
            int port = (first + i) % TW__AIE_STREAMS;
            if (k->in[port] && k->in[port]->count > 0) return port;
        }
        tw__aie_yield(k, TW__WAIT_ANY);
    }
}

void tw_aie_wait_until(int (*ready)(void *user), void *user, const char *what)
{
    tw__kernel *k = current("tw_aie_wait_until");
    if (!k) return;
    k->until = ready, k->until_user = user, k->until_what = what;
    while (!ready(user)) tw__aie_yield(k, TW__WAIT_UNTIL);
}

uint32_t tw_aie_get_word(int port, int *tlast)
{
    uint32_t word = 0;
    if (port == TW__AIE_STREAMS) port = -1; /* the cascade has no words */
    get_word(port, &word, tlast, true);
    return word;
}

int tw_aie_try_get_word(int port, uint32_t *word)
{
    return port != TW__AIE_STREAMS && get_word(port, word, NULL, false);
}

static bool put_word(int port, uint32_t word, int tlast, bool block)
{
    uint32_t item[2] = { word, tlast != 0 };
    if (port == TW__AIE_STREAMS) port = -1;
    if (!ports_put("put_ms", port, item, block)) return false;
    tw__aie_current->running->words_out[port]++;
    return true;
}

void tw_aie_put_word(int port, uint32_t word, int tlast)
{
    put_word(port, word, tlast, true);
}

int tw_aie_try_put_word(int port, uint32_t word, int tlast)
{
    return put_word(port, word, tlast, false);
}

/* An item of the cascade queue: one AM register as the host holds it, which for 48-bit lanes is eight slots of 64
 * bits. A vector of 256 bits travels in such slots, each word of 32 bits sign-extended (packa). */
enum { CASCADE_ITEM = 64, CASCADE_VECTOR = 32 };

void tw_aie_get_cascade(void *out, unsigned bytes)
{
    int64_t item[CASCADE_ITEM / 8] = { 0 };
    ports_get("get_scd", TW__AIE_STREAMS, item, true);
    tw_aie_core.slots[TW_AIE_SLOT_CASCADE]++;
    if (bytes != CASCADE_VECTOR) {
        memcpy(out, item, bytes < sizeof item ? bytes : sizeof item);
        return;
    }
    for (unsigned i = 0; i < CASCADE_VECTOR / 4; i++) memcpy((char *)out + 4 * i, &item[i], 4);
}

void tw_aie_put_cascade(const void *in, unsigned bytes)
{
    int64_t item[CASCADE_ITEM / 8] = { 0 };
    memcpy(item, in, bytes < sizeof item ? bytes : sizeof item);
    tw__aie_check_sent("put_mcd", item, sizeof item);
    for (unsigned i = 0; bytes == CASCADE_VECTOR && i < CASCADE_VECTOR / 4; i++) {
        int32_t word;
        memcpy(&word, (const char *)in + 4 * i, sizeof word);
        item[i] = word;
    }
    ports_put("put_mcd", TW__AIE_STREAMS, item, true);
    tw_aie_core.slots[TW_AIE_SLOT_CASCADE]++;
}

static tw_aie_stream *stream_of(const char *call, int port, bool out)
{
    static _Thread_local tw_aie_stream nowhere;
    tw__kernel *k = NULL;
    if (fifo(call, port, out, &k)) {
        tw_aie_stream *s = out ? &k->stream_out[port] : &k->stream_in[port];
        s->port = port;
        return s;
    }
    nowhere.port = -1;
    return &nowhere;
}

tw_aie_stream *tw_aie_stream_in(int port)
{
    return stream_of("stream_in", port, false);
}

tw_aie_stream *tw_aie_stream_out(int port)
{
    return stream_of("stream_out", port, true);
}

void tw_aie_stream_read(int port, void *out, unsigned bytes, int *tlast)
{
    memset(out, 0, bytes);
    if (port == TW_AIE_CASCADE) {
        tw_aie_get_cascade(out, bytes);
        return;
    }
    for (unsigned i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word = tw_aie_get_word(port, tlast);
        memcpy((char *)out + i, &word, sizeof word);
    }
}

void tw_aie_stream_write(int port, const void *in, unsigned bytes, int tlast)
{
    if (port == TW_AIE_CASCADE) {
        tw_aie_put_cascade(in, bytes);
        return;
    }
    tw__aie_check_sent("put_ms", in, bytes);
    for (unsigned i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, (const char *)in + i, sizeof word);
        tw_aie_put_word(port, word, tlast && i + 4 == bytes);
    }
}

int tw_aie_tlast(int port)
{
    tw__kernel *k = current("get_ss_tlast");
    return k && port >= 0 && port < TW__AIE_STREAMS ? k->tlast[port] : 0;
}

/* --- events --------------------------------------------------------------------------------------------------- */

void tw_aie_event(int event)
{
    tw__kernel *k = current("event");
    if (k && event >= 0 && event < 3) k->events[event]++;
}

void tw_aie_done(void)
{
    tw__kernel *k = current("done");
    if (!k) return;
    k->ended = true;
    tw__aie_yield(k, TW__DONE);
}

/* --- locks, names --------------------------------------------------------------------------------------------- */

static bool lock_id(const char *call, int id)
{
    unsigned locks = tw__aie_current->arch->locks;
    if (id >= 0 && (unsigned)id < locks) return true;
    tw__aie_report(call, "lock %d is not 0 to %u", id, locks - 1);
    return false;
}

void tw_aie_acquire(int id, int value)
{
    tw__kernel *k = current("acquire");
    if (!k || !lock_id("acquire", id)) return;
    tw__lock *lock = tw__aie_lock(tw__aie_current, k, id);
    k->lock = id, k->lock_value = value;
    while (lock->held || (value >= 0 && lock->value != value)) tw__aie_yield(k, TW__WAIT_LOCK);
    lock->held = true;
    tw__aie_clock(tw__aie_current, k);
    lock->since = k->clock;
}

void tw_aie_release(int id, int value)
{
    tw__kernel *k = current("release");
    if (!k || !lock_id("release", id)) return;
    tw__lock *lock = tw__aie_lock(tw__aie_current, k, id);
    if (!lock->held) {
        tw__aie_report("release", "lock %d of tile (%d,%d) is free", id, k->column, k->row);
        return;
    }
    tw__aie_clock(tw__aie_current, k);
    tw__aie_current->released_by = k->number;
    tw__aie_lock_time(tw__aie_current, k, lock);
    lock->held = false;
    if (value >= 0) lock->value = value;
}

/* Row in bits 0-4, column in bits 16-22. */
int tw_aie_coreid(void)
{
    tw__kernel *k = current("get_coreid");
    return k ? k->row | k->column << 16 : 0;
}

const char *tw_aie_kernel_name(void)
{
    tw__kernel *k = current("tw_aie_kernel_name");
    return k ? k->name : "";
}
