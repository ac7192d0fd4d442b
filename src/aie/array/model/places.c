/* SPDX-License-Identifier: MIT */
/* places: blocks of code that tw_aie_cost() has counted. Each gets a number of the process when it runs first, and an
 * array counts how often its kernels ran it. Blocks whose code is unloaded are not asked for: programs are whole. */
#include "aie/array/model/model.h"

#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    const char **texts;
    size_t count, room;
} places = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* 0: no memory. */
static uint32_t place_number(tw_aie_place *place)
{
    uint32_t number = __atomic_load_n(&place->number, __ATOMIC_ACQUIRE);
    if (number) return number;
    pthread_mutex_lock(&places.lock);
    number = __atomic_load_n(&place->number, __ATOMIC_RELAXED);
    if (!number && tw__grow(&places.texts, &places.room, places.count, sizeof *places.texts)) {
        places.texts[places.count++] = place->text;
        number = (uint32_t)places.count;
        __atomic_store_n(&place->number, number, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&places.lock);
    return number;
}

void tw_aie_ran(uint64_t times, tw_aie_place *place)
{
    tw_aie_array *a = tw__aie_current;
    if (!a || !place) return;
    const uint32_t number = place_number(place);
    while (number > a->place_room) {
        size_t before = a->place_room;
        if (!tw__grow(&a->place_runs, &a->place_room, before, sizeof *a->place_runs)) break;
        memset(a->place_runs + before, 0, (a->place_room - before) * sizeof *a->place_runs);
    }
    if (number && number <= a->place_room)
        a->place_runs[number - 1] += times;
    else
        a->places_lost = true;
}

const char *tw__aie_place_text(size_t number)
{
    pthread_mutex_lock(&places.lock);
    const char *text = number < places.count ? places.texts[number] : NULL;
    pthread_mutex_unlock(&places.lock);
    return text;
}
