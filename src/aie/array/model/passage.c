/* SPDX-License-Identifier: MIT */
/* passage: counters of what passes the port of a file or of memory, as those of an interface tile: running while a
 * word passes, stalled while one is held up by its reader, else idle. An input always has its next word, as fast as
 * its clock allows, until it ends; what is behind an output always takes one. */
#include "aie/array/model/model.h"

#include <math.h>
#include <stdlib.h>

static void one_word(const tw__plio *file, tw__watch *w, double from)
{
    const double at = from > w->free ? from : w->free;
    double busy_from = at; /* of an input: since it has been offered; of an output: since it has been there */
    if (w->words && !file->is_output) busy_from = w->free;
    if (w->words && file->is_output) busy_from = from > w->busy_to ? from : w->busy_to;
    if (!w->words++) w->first = at;
    w->last = w->busy_to = at + 1;
    w->busy += w->last - busy_from;
    w->free = at + (file->word_cycles > 1 ? file->word_cycles : 1);
    if (w->mark && w->marked <= 0 && w->words * 4 >= w->mark) w->marked = w->last;
}

void tw__plio_passed(tw__plio *file, uint64_t from, unsigned words)
{
    for (tw__watch *w = file->watches; w; w = w->next)
        for (unsigned i = 0; i < words; i++) one_word(file, w, (double)from);
}

void tw__plio_watch_anew(tw__plio *file)
{
    for (tw__watch *w = file->watches; w; w = w->next)
        *w = (tw__watch){ .next = w->next, .number = w->number, .mark = w->mark };
}

void tw__plio_watch_end(tw__plio *file)
{
    while (file->watches) {
        tw__watch *next = file->watches->next;
        free(file->watches);
        file->watches = next;
    }
}

int tw_aie_array_watch(tw_aie_array *a, tw_aie_port port, uint64_t mark_bytes)
{
    if (!a) return tw__missing("array"), -1;
    const tw__kernel *k = tw__aie_kernel_of(a, port.kernel);
    if (!k) return tw__fail(TW_E_INDEX, "watch: there is no such kernel"), -1;
    tw__plio *f = tw__outer_end(a, k, port);
    if (!f) {
        tw__fail(TW_E_CONNECTION, "watch: %s %d of '%s' has no file or memory",
                 port.direction == TW_AIE_OUT ? "output" : "input", port.number, k->name);
        return -1;
    }
    tw__watch *w = malloc(sizeof *w);
    if (!w) return tw__fail(TW_E_NO_MEMORY, "no memory for a counter"), -1;
    *w = (tw__watch){ .next = f->watches, .number = a->watches_made++, .mark = mark_bytes, .free = f->clock };
    f->watches = w;
    return w->number;
}

/* Where the counter hangs; NULL: there is none of this number. */
static tw__watch **find_watch(const tw_aie_array *a, int number)
{
    for (size_t i = 0; i < a->file_count; i++)
        for (tw__watch **w = &a->files[i]->watches; *w; w = &(*w)->next)
            if ((*w)->number == number) return w;
    return NULL;
}

tw_status tw_aie_array_watched(const tw_aie_array *a, int number, tw_aie_passage *passage)
{
    if (!a) return tw__missing("array");
    if (!passage) return tw__missing("passage");
    tw__watch **const found = find_watch(a, number);
    if (!found) return tw__fail(TW_E_INDEX, "there is no counter %d", number);
    const tw__watch *w = *found;
    *passage = (tw_aie_passage){ w->words, (uint64_t)w->first, (uint64_t)ceil(w->last), (uint64_t)ceil(w->busy),
                                 (uint64_t)ceil(w->marked) };
    return TW_OK;
}

void tw_aie_array_unwatch(tw_aie_array *a, int number)
{
    tw__watch **const found = a ? find_watch(a, number) : NULL;
    if (!found) return;
    tw__watch *w = *found;
    *found = w->next;
    free(w);
}
