/* SPDX-License-Identifier: MIT */
/* Which functions an address is in, and where the code of a function begins. */
#include "poplar/colossus/debug/debug.h"

#include <string.h>

/* Children of entries of code that may hold code: calls that were inlined, blocks. */
static uint32_t inner_at(const tw_debug *d, uint32_t parent, uint32_t address)
{
    for (uint32_t i = d->dies[parent].first; i; i = d->dies[i].next) {
        unsigned tag = d->dies[i].tag;
        bool holds = tag == TW__TAG_INLINED || tag == TW__TAG_BLOCK;
        if (holds && tw__die_covers(d, &d->dies[i], address)) return i;
    }
    return 0;
}

/* The function at an address, of any unit. */
static uint32_t function_at(const tw_debug *d, uint32_t address)
{
    uint32_t low = 0, high = d->function_count;
    while (low < high) { /* the first one that begins behind it */
        uint32_t middle = low + (high - low) / 2;
        if (d->dies[d->functions[middle]].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && tw__die_covers(d, &d->dies[d->functions[low - 1]], address) ? d->functions[low - 1] : 0;
}

const tw__die *tw__frame_at(const tw_debug *d, uint32_t address, size_t index)
{
    enum { MOST = 128 };
    uint32_t chain[MOST];
    size_t count = 0;
    for (uint32_t i = function_at(d, address); i && count < MOST; i = inner_at(d, i, address))
        if (d->dies[i].tag != TW__TAG_BLOCK || !count) chain[count++] = i;
    return index < count ? &d->dies[chain[count - 1 - index]] : NULL;
}

/* --- names of files --------------------------------------------------------------------------------------------- */

static const tw__die *frames_unit(const tw_debug *d, const tw__die *die)
{
    for (unsigned n = 0; n < 512 && die->parent; n++) die = &d->dies[die->parent];
    return die->tag == TW__TAG_UNIT ? die : NULL;
}

/* Of the header of a line program (DWARF 4, 6.2.4). Names are told without their folders. */
static const char *file_name(const tw_debug *d, const tw__die *die, uint32_t number)
{
    const tw__die *unit = frames_unit(d, die);
    tw__bytes b = d->line;
    if (!unit || !b.at || !tw__bytes_skip(&b, unit->lines)) return NULL;
    tw__bytes_skip(&b, 4);
    if (tw__bytes_number(&b, 2) != 4) return NULL;
    tw__bytes_skip(&b, 4 + 5);
    uint64_t opcodes = tw__bytes_number(&b, 1);
    tw__bytes_skip(&b, opcodes ? opcodes - 1 : 0);
    while (!b.is_bad && *tw__bytes_text(&b)) continue; /* folders */
    for (uint32_t i = 1; !b.is_bad; i++) {
        const char *name = tw__bytes_text(&b);
        if (!*name) return NULL;
        if (i == number) return name;
        for (unsigned k = 0; k < 3; k++) tw__bytes_leb(&b);
    }
    return NULL;
}

/* --- what users call -------------------------------------------------------------------------------------------- */

size_t tw_debug_frames(const tw_debug *debug, uint32_t address, tw_debug_frame *frames, size_t room)
{
    size_t count = 0;
    const tw__die *inner = NULL, *die;
    for (; debug && (die = tw__frame_at(debug, address, count)); inner = die, count++) {
        if (!frames || count >= room) continue;
        const tw__die *record = tw__die_record(debug, die);
        const char *name = tw__die_name(debug, die);
        frames[count] = (tw_debug_frame){ .function = name ? name : "??",
                                          .record = record ? record->name : NULL,
                                          .is_inlined = die->tag == TW__TAG_INLINED };
        if (!inner) continue;
        frames[count].file = file_name(debug, inner, inner->call_file);
        frames[count].line = inner->call_line, frames[count].column = inner->call_column;
    }
    return count;
}

/* "compute", "Adder::compute" */
static bool is_called(const tw_debug *d, const tw__die *die, const char *text)
{
    const char *name = tw__die_name(d, die), *colons = strstr(text, "::");
    if (!name) return false;
    if (!colons) return strcmp(name, text) == 0;
    const tw__die *up = tw__die_record(d, die);
    if (!up) up = &d->dies[tw__die_whole(d, die)->parent];
    size_t length = (size_t)(colons - text);
    return strcmp(name, colons + 2) == 0 && up->name && strlen(up->name) == length &&
           strncmp(up->name, text, length) == 0;
}

size_t tw_debug_entries(const tw_debug *debug, const char *function, uint32_t *addresses, size_t room)
{
    size_t count = 0;
    if (!debug || !function) return 0;
    for (uint32_t i = 1; i < debug->count; i++) {
        const tw__die *die = &debug->dies[i];
        if ((die->tag != TW__TAG_SUBPROGRAM && die->tag != TW__TAG_INLINED) || !is_called(debug, die, function))
            continue;
        uint32_t start = tw__die_start(debug, die);
        if (!start) continue;
        if (addresses && count < room) addresses[count] = start;
        count++;
    }
    return count;
}
