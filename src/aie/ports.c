/* What a kernel calls: windows, streams, cascade, locks, cycles. A call that cannot go on yields to the scheduler. */
#include "aie/array.h"

#include <string.h>

static tw__kernel *current(const char *call)
{
    tw_aie_array *array = tw__aie_current;
    if (array && array->running) return array->running;
    tw__aie_report(call, "called outside a kernel of an array");
    return NULL;
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

static tw_aie_window *window(const char *call, int port, bool out)
{
    static _Thread_local uint8_t scratch[64];
    static _Thread_local tw_aie_window nowhere;
    tw__kernel *k = current(call);
    tw__pair *const *pairs = k ? (out ? k->window_out : k->window_in) : NULL;
    if (k && port >= 0 && port < TW__AIE_PORTS && pairs[port]) return out ? &k->view_out[port] : &k->view_in[port];
    if (k) tw__aie_report(call, "kernel '%s' has no %s window %d", k->name, out ? "output" : "input", port);
    nowhere = (tw_aie_window){ scratch, sizeof scratch, 0 };
    return &nowhere;
}

tw_aie_window *tw_aie_window_in(int port)
{
    return window("window_in", port, false);
}

tw_aie_window *tw_aie_window_out(int port)
{
    return window("window_out", port, true);
}

/* Copies piece by piece around the end. */
static void transfer(tw_aie_window *w, void *out, const void *in, unsigned bytes)
{
    for (unsigned done = 0; done < bytes && w->bytes;) {
        unsigned n = w->bytes - w->at < bytes - done ? w->bytes - w->at : bytes - done;
        if (out) memcpy((char *)out + done, w->data + w->at, n);
        if (in) memcpy(w->data + w->at, (const char *)in + done, n);
        done += n;
        w->at = (w->at + n) % w->bytes;
    }
}

void tw_aie_window_read(tw_aie_window *w, void *out, unsigned bytes)
{
    tw_aie_core.slots[TW_AIE_SLOT_LOAD] += (bytes + 31) / 32;
    transfer(w, out, NULL, bytes);
}

void tw_aie_window_write(tw_aie_window *w, const void *in, unsigned bytes)
{
    tw_aie_core.slots[TW_AIE_SLOT_STORE] += (bytes + 31) / 32;
    transfer(w, NULL, in, bytes);
}

void tw_aie_window_move(tw_aie_window *w, int bytes)
{
    int64_t at = ((int64_t)w->at + bytes) % w->bytes;
    w->at = (uint32_t)(at < 0 ? at + w->bytes : at);
}

/* --- streams and cascade -------------------------------------------------------------------------------------------- */

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

static bool get(const char *call, int port, void *item, bool block)
{
    tw__kernel *k;
    tw__fifo *f = fifo(call, port, false, &k);
    if (!f) return false;
    while (!tw__fifo_pop(f, item)) {
        if (!block) return false;
        k->waits_for = f;
        tw__aie_yield(k, TW__WAIT_READ);
    }
    return true;
}

static bool put(const char *call, int port, const void *item, bool block)
{
    tw__kernel *k;
    tw__fifo *f = fifo(call, port, true, &k);
    if (!f) return false;
    while (!tw__fifo_push(f, item)) {
        if (!block) return false;
        k->waits_for = f;
        tw__aie_yield(k, TW__WAIT_WRITE);
    }
    return true;
}

static bool get_word(int port, uint32_t *word, int *tlast, bool block)
{
    uint32_t item[2] = { 0, 0 };
    if (!get("get_ss", port, item, block)) return false;
    tw__kernel *k = tw__aie_current->running;
    k->tlast[port] = (int)item[1];
    k->words_in[port]++;
    *word = item[0];
    if (tlast) *tlast = (int)item[1];
    return true;
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
    if (!put("put_ms", port, item, block)) return false;
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

/* An item of the cascade queue: one AM register as the host holds it. */
void tw_aie_get_cascade(void *out, unsigned bytes)
{
    uint8_t item[64] = { 0 };
    get("get_scd", TW__AIE_STREAMS, item, true);
    tw_aie_core.slots[TW_AIE_SLOT_CASCADE]++;
    memcpy(out, item, bytes < sizeof item ? bytes : sizeof item);
}

void tw_aie_put_cascade(const void *in, unsigned bytes)
{
    uint8_t item[64] = { 0 };
    memcpy(item, in, bytes < sizeof item ? bytes : sizeof item);
    put("put_mcd", TW__AIE_STREAMS, item, true);
    tw_aie_core.slots[TW_AIE_SLOT_CASCADE]++;
}

int tw_aie_tlast(int port)
{
    tw__kernel *k = current("get_ss_tlast");
    return k && port >= 0 && port < TW__AIE_STREAMS ? k->tlast[port] : 0;
}

/* --- locks, cycles ------------------------------------------------------------------------------------------------- */

static bool lock_id(const char *call, int id)
{
    if (id >= 0 && id < TW__AIE_LOCKS) return true;
    tw__aie_report(call, "lock %d is not 0 to %d", id, TW__AIE_LOCKS - 1);
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
    lock->held = false;
    if (value >= 0) lock->value = value;
}

uint64_t tw_aie_estimate(const uint64_t s[TW_AIE_SLOTS])
{
    uint64_t cycles[] = { s[TW_AIE_SLOT_VECTOR],     (s[TW_AIE_SLOT_LOAD] + 1) / 2, s[TW_AIE_SLOT_STORE],
                          s[TW_AIE_SLOT_SCALAR],     (s[TW_AIE_SLOT_MOVE] + 1) / 2, s[TW_AIE_SLOT_STREAM_IN],
                          s[TW_AIE_SLOT_STREAM_OUT], s[TW_AIE_SLOT_CASCADE] };
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) most = cycles[i] > most ? cycles[i] : most;
    return most;
}

uint64_t tw_aie_cycles_now(void)
{
    tw_aie_control now = tw_aie_core;
    tw_aie_array *array = tw__aie_current;
    for (int i = 0; array && array->running && i < TW__AIE_STREAMS; i++) {
        const tw__kernel *k = array->running;
        if (k->words_in[i] > now.slots[TW_AIE_SLOT_STREAM_IN]) now.slots[TW_AIE_SLOT_STREAM_IN] = k->words_in[i];
        if (k->words_out[i] > now.slots[TW_AIE_SLOT_STREAM_OUT])
            now.slots[TW_AIE_SLOT_STREAM_OUT] = k->words_out[i];
    }
    return tw_aie_estimate(now.slots);
}

/* Row in bits 0-4, column in bits 16-22. */
int tw_aie_coreid(void)
{
    tw__kernel *k = current("get_coreid");
    return k ? k->row | k->column << 16 : 0;
}
