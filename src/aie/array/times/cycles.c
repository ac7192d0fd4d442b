/* SPDX-License-Identifier: MIT */
/* cycles: what the work of a kernel takes, from the issue slots that its intrinsics have counted. */
#include "aie/array/times/times.h"

#include <string.h>

/* What a firing takes beside its issue slots: entry, the latencies from load to use, from product to product and on
 * to srs and store, loop set-up, the way out. The parts are not published; the sum is fitted to three measured
 * kernels of KastnerRG/aie-intrinsics-nn (docs/aie.md): 32 and 8 slots take 79 and 42 cycles, 1,024 take 1,071. */
enum { FILL_CYCLES = 38 };

uint64_t tw_aie_estimate(const uint64_t s[TW_AIE_SLOTS])
{
    if (s[TW_AIE_SLOT_BLOCKS]) return s[TW_AIE_SLOT_BLOCKS];
    uint64_t cycles[] = { s[TW_AIE_SLOT_VECTOR],     (s[TW_AIE_SLOT_LOAD] + 1) / 2, s[TW_AIE_SLOT_STORE],
                          s[TW_AIE_SLOT_SCALAR],     (s[TW_AIE_SLOT_MOVE] + 1) / 2, s[TW_AIE_SLOT_STREAM_IN],
                          s[TW_AIE_SLOT_STREAM_OUT], s[TW_AIE_SLOT_CASCADE] };
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) most = cycles[i] > most ? cycles[i] : most;
    return most;
}

/* A port takes a word a cycle, whoever counted it. */
static uint64_t busy_cycles(const tw__kernel *k, const uint64_t counted[TW_AIE_SLOTS])
{
    if (counted[TW_AIE_SLOT_BLOCKS]) return counted[TW_AIE_SLOT_BLOCKS];
    uint64_t slots[TW_AIE_SLOTS];
    memcpy(slots, counted, sizeof slots);
    for (int i = 0; i < TW__AIE_STREAMS; i++) {
        if (k->words_in[i] > slots[TW_AIE_SLOT_STREAM_IN]) slots[TW_AIE_SLOT_STREAM_IN] = k->words_in[i];
        if (k->words_out[i] > slots[TW_AIE_SLOT_STREAM_OUT]) slots[TW_AIE_SLOT_STREAM_OUT] = k->words_out[i];
    }
    return tw_aie_estimate(slots);
}

uint64_t tw__aie_cycles_of(const tw__kernel *k, const uint64_t counted[TW_AIE_SLOTS])
{
    uint64_t busy = busy_cycles(k, counted);
    if (counted[TW_AIE_SLOT_BLOCKS]) return busy; /* with entry, latencies and exit */
    return busy ? busy + k->fired * FILL_CYCLES : 0;
}

uint64_t tw_aie_array_cycles(const tw_aie_array *a, tw_aie_kernel handle)
{
    const tw__kernel *k = tw__aie_kernel_of(a, handle);
    return k ? tw__aie_cycles_of(k, k->control.slots) : 0;
}

/* Work between two readings has to fill the pipeline and to leave it once. */
uint64_t tw_aie_cycles_now(void)
{
    tw__kernel *k = tw__aie_current ? tw__aie_current->running : NULL;
    if (!k) return tw_aie_estimate(tw_aie_core.slots);
    uint64_t busy = busy_cycles(k, tw_aie_core.slots);
    if (tw_aie_core.slots[TW_AIE_SLOT_BLOCKS]) return busy;
    if (busy != k->read_slots) k->fills++;
    k->read_slots = busy;
    return busy + k->fills * FILL_CYCLES;
}

void tw__aie_stamp(tw_aie_array *a, tw__plio *file)
{
    if (!file->is_output || !file->path || !tw__aie_stamps()) return;
    const tw__kernel *k = a->kernels[file->pair ? file->pair->from : file->fifo->from];
    if (!tw__grow(&file->stamps, &file->stamp_room, file->stamp_count, sizeof *file->stamps)) {
        tw__aie_fail(a, TW_E_NO_MEMORY, "%s: no memory", file->path);
        return;
    }
    file->stamps[file->stamp_count++] = (tw__stamp){ file->count, tw__aie_cycles_of(k, k->control.slots) };
}
