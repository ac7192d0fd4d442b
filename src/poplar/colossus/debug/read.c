/* SPDX-License-Identifier: MIT */
/* From the sections .debug_info and .debug_abbrev (DWARF 4) to entries. They may come from anywhere: each step reads
 * within its section, and an entry takes a byte at least, so that their number is bounded by the section's size. */
#include "poplar/colossus/debug/debug.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 256, MOST_ABBREVS = 1 << 16 };

/* --- bytes ------------------------------------------------------------------------------------------------------ */

const uint8_t *tw__bytes_skip(tw__bytes *b, uint64_t count)
{
    const uint8_t *at = b->at;
    if (count > (uint64_t)(b->end - b->at)) {
        b->is_bad = true;
        b->at = b->end;
        return NULL;
    }
    if (count) b->at += count; /* a section that is not there is NULL */
    return at;
}

uint64_t tw__bytes_number(tw__bytes *b, unsigned count)
{
    const uint8_t *at = tw__bytes_skip(b, count);
    uint64_t number = 0;
    for (unsigned i = 0; at && i < count; i++) number |= (uint64_t)at[i] << 8 * i;
    return number;
}

uint64_t tw__bytes_leb(tw__bytes *b)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = tw__bytes_number(b, 1);
        if (shift < 64) number |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return number;
    }
}

int64_t tw__bytes_sleb(tw__bytes *b)
{
    uint64_t number = 0;
    for (unsigned shift = 0;;) {
        uint64_t byte = tw__bytes_number(b, 1);
        if (shift < 64) number |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80) continue;
        if (byte & 0x40 && shift < 64) number |= UINT64_MAX << shift;
        return (int64_t)number;
    }
}

const char *tw__bytes_text(tw__bytes *b)
{
    const uint8_t *at = b->at, *zero = b->at < b->end ? memchr(b->at, 0, (size_t)(b->end - b->at)) : NULL;
    if (!zero) {
        b->is_bad = true;
        b->at = b->end;
        return "";
    }
    b->at = zero + 1;
    return (const char *)at;
}

/* --- abbreviations ---------------------------------------------------------------------------------------------- */

typedef struct reading {
    tw_debug *d;
    tw__bytes *codes; /* what stands behind the code of each; at NULL: there is none */
    uint32_t code_room;
    uint32_t table; /* the one that was read last */
    bool has_table;
    uint32_t unit; /* offset of the one under way */
    unsigned address_bytes;
} reading;

static bool read_codes(reading *r, uint32_t offset)
{
    if (r->has_table && r->table == offset) return true;
    tw__bytes b = r->d->abbrev;
    memset(r->codes, 0, r->code_room * sizeof *r->codes);
    r->has_table = true, r->table = offset;
    if (!tw__bytes_skip(&b, offset)) return false;
    for (uint64_t code; !b.is_bad && (code = tw__bytes_leb(&b));) {
        if (code < r->code_room) r->codes[code] = b;
        tw__bytes_leb(&b);
        tw__bytes_number(&b, 1);
        while (!b.is_bad) {
            uint64_t at = tw__bytes_leb(&b), form = tw__bytes_leb(&b);
            if (!at && !form) break;
        }
    }
    return !b.is_bad;
}

/* --- attributes ------------------------------------------------------------------------------------------------- */

typedef struct attribute {
    uint64_t number;
    const char *text;
    tw__bytes block;
    bool is_offset, is_block;
} attribute;

static bool read_block(tw__bytes *b, attribute *a, uint64_t count)
{
    const uint8_t *at = tw__bytes_skip(b, count);
    if (!at) return false;
    a->is_block = true;
    a->block = (tw__bytes){ at, at + count, false };
    return true;
}

/* What a form holds, of DWARF 4 (7.5.4). */
static bool read_form(reading *r, tw__bytes *b, uint64_t form, attribute *a)
{
    enum {
        ADDR = 1,
        BLOCK2 = 3,
        BLOCK4,
        DATA2,
        DATA4,
        DATA8,
        STRING,
        BLOCK,
        BLOCK1,
        DATA1,
        FLAG,
        SDATA,
        STRP,
        UDATA
    };
    enum {
        REF_ADDR = 0x10,
        REF1,
        REF2,
        REF4,
        REF8,
        REF_UDATA,
        INDIRECT,
        SEC_OFFSET,
        EXPRLOC,
        FLAG_PRESENT,
        SIG8 = 0x20
    };
    *a = (attribute){ 0 };
    switch (form) {
    case ADDR: a->number = tw__bytes_number(b, r->address_bytes); return true;
    case BLOCK1: return read_block(b, a, tw__bytes_number(b, 1));
    case BLOCK2: return read_block(b, a, tw__bytes_number(b, 2));
    case BLOCK4: return read_block(b, a, tw__bytes_number(b, 4));
    case BLOCK:
    case EXPRLOC: return read_block(b, a, tw__bytes_leb(b));
    case DATA1:
    case FLAG: a->number = tw__bytes_number(b, 1); return true;
    case DATA2: a->number = tw__bytes_number(b, 2); return true;
    case DATA4: a->number = tw__bytes_number(b, 4); return true;
    case DATA8:
    case SIG8: a->number = tw__bytes_number(b, 8); return true;
    case SDATA: a->number = (uint64_t)tw__bytes_sleb(b); return true;
    case UDATA: a->number = tw__bytes_leb(b); return true;
    case STRING: a->text = tw__bytes_text(b); return true;
    case STRP: {
        tw__bytes strings = r->d->strings;
        if (tw__bytes_skip(&strings, tw__bytes_number(b, 4))) a->text = tw__bytes_text(&strings);
        return true;
    }
    case REF_ADDR: a->number = tw__bytes_number(b, 4); return true;
    case REF1: a->number = r->unit + tw__bytes_number(b, 1); return true;
    case REF2: a->number = r->unit + tw__bytes_number(b, 2); return true;
    case REF4: a->number = r->unit + tw__bytes_number(b, 4); return true;
    case REF8: a->number = r->unit + tw__bytes_number(b, 8); return true;
    case REF_UDATA: a->number = r->unit + tw__bytes_leb(b); return true;
    case SEC_OFFSET: a->number = tw__bytes_number(b, 4), a->is_offset = true; return true;
    case FLAG_PRESENT: a->number = 1; return true;
    default: return false;
    }
}

static void take_place(tw__die *die, const attribute *a)
{
    if (a->is_block)
        die->place = a->block;
    else
        die->list = (uint32_t)a->number, die->has_list = true;
}

static void take_attribute(tw__die *die, uint64_t at, uint64_t form, const attribute *a)
{
    uint32_t number = (uint32_t)MIN(a->number, UINT32_MAX);
    switch (at) {
    case 0x02: take_place(die, a); break;
    case 0x03: die->name = a->text; break;
    case 0x0b: die->size = number; break;
    case 0x0d: die->bits = number; break;
    case 0x11: die->low = number, die->has_low = true; break;
    case 0x12: die->high = number, die->is_end = form == 1; break;
    case 0x1c: die->value = (int64_t)a->number; break;
    case 0x31: die->origin = number; break;
    case 0x37: die->value = (int64_t)a->number, die->has_count = true; break;
    case 0x38: die->at = number; break;
    case 0x3c: die->is_declaration = true; break;
    case 0x3e: die->encoding = (uint8_t)number; break;
    case 0x47: die->specification = number; break;
    case 0x49: die->type = number; break;
    case 0x55: die->ranges = number, die->has_ranges = true; break;
    case 0x57: die->call_column = number; break;
    case 0x58: die->call_file = number; break;
    case 0x59: die->call_line = number; break;
    case 0x6b: die->bits_at = number, die->has_bits = true; break;
    case 0x10: die->lines = number; break;
    default: break;
    }
}

/* --- entries ---------------------------------------------------------------------------------------------------- */

static tw__die *add_die(tw_debug *d)
{
    if (d->count == d->room) {
        uint32_t room = d->room ? 2 * d->room : 256;
        tw__die *grown = tw__realloc(d->dies, room * sizeof *grown);
        if (!grown) return NULL;
        d->dies = grown, d->room = room;
    }
    d->dies[d->count] = (tw__die){ 0 };
    return &d->dies[d->count++];
}

/* One entry; its children follow where *has_children. */
static bool read_die(reading *r, tw__bytes *b, uint64_t code, tw__die *die, bool *has_children)
{
    if (code >= r->code_room || !r->codes[code].at) return false;
    tw__bytes spec = r->codes[code];
    uint64_t tag = tw__bytes_leb(&spec);
    die->tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
    *has_children = tw__bytes_number(&spec, 1);
    for (;;) {
        uint64_t at = tw__bytes_leb(&spec), form = tw__bytes_leb(&spec);
        attribute a;
        if (!at && !form) break;
        if (spec.is_bad || !read_form(r, b, form, &a) || b->is_bad) return false;
        take_attribute(die, at, form, &a);
    }
    die->high = die->is_end ? die->high : die->low + die->high;
    return !b->is_bad;
}

static tw_status read_dies(reading *r, tw__bytes *b)
{
    uint32_t parents[MOST_DEPTH] = { 0 }, last[MOST_DEPTH] = { 0 };
    unsigned depth = 0;
    while (b->at < b->end) {
        uint32_t offset = (uint32_t)(b->at - r->d->info.at);
        uint64_t code = tw__bytes_leb(b);
        if (!code) {
            if (!depth) return TW_OK;
            depth--;
            continue;
        }
        bool has_children = false;
        tw__die *die = add_die(r->d);
        if (!die) return tw__fail(TW_E_NO_MEMORY, "out of memory for debug information");
        uint32_t index = r->d->count - 1;
        die->offset = offset, die->parent = parents[depth];
        if (!read_die(r, b, code, die, &has_children))
            return tw__fail(TW_E_OBJECT_LOAD, "the entry at 0x%x of .debug_info cannot be read", offset);
        if (last[depth])
            r->d->dies[last[depth]].next = index;
        else if (depth)
            r->d->dies[parents[depth]].first = index;
        last[depth] = index;
        if (!has_children) {
            if (!depth) return TW_OK;
            continue;
        }
        if (++depth == MOST_DEPTH) return tw__fail(TW_E_OBJECT_LOAD, ".debug_info is nested too deep");
        parents[depth] = index, last[depth] = 0;
    }
    return TW_OK;
}

static tw_status read_one_unit(reading *r, tw__bytes *info)
{
    r->unit = (uint32_t)(info->at - r->d->info.at);
    uint64_t length = tw__bytes_number(info, 4);
    const uint8_t *at = tw__bytes_skip(info, length);
    if (!at) return tw__fail(TW_E_OBJECT_LOAD, "the unit at 0x%x of .debug_info is cut off", r->unit);
    tw__bytes b = { at, at + length, false };
    uint64_t version = tw__bytes_number(&b, 2);
    if (version != 4)
        return tw__fail(TW_E_OBJECT_LOAD, ".debug_info is of version %u; 4 is read", (unsigned)version);
    uint32_t codes = (uint32_t)tw__bytes_number(&b, 4);
    r->address_bytes = (unsigned)tw__bytes_number(&b, 1);
    if (r->address_bytes != 4 || b.is_bad || !read_codes(r, codes))
        return tw__fail(TW_E_OBJECT_LOAD, "the unit at 0x%x of .debug_info cannot be read", r->unit);
    return read_dies(r, &b);
}

/* --- references ------------------------------------------------------------------------------------------------- */

static uint32_t find_offset(const tw_debug *d, uint32_t offset)
{
    uint32_t low = 1, high = d->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->dies[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->count && d->dies[low].offset == offset ? low : 0;
}

static void resolve_offsets(tw_debug *d)
{
    for (uint32_t i = 1; i < d->count; i++) {
        tw__die *die = &d->dies[i];
        die->type = die->type ? find_offset(d, die->type) : 0;
        die->origin = die->origin ? find_offset(d, die->origin) : 0;
        die->specification = die->specification ? find_offset(d, die->specification) : 0;
    }
}

static int functions_by_address(const void *x, const void *y, void *user)
{
    const tw_debug *d = user;
    uint32_t a = d->dies[*(const uint32_t *)x].low, b = d->dies[*(const uint32_t *)y].low;
    return a < b ? -1 : a > b;
}

static tw_status list_functions(tw_debug *d)
{
    for (int filling = 0; filling < 2; filling++) {
        uint32_t count = 0;
        for (uint32_t i = 1; i < d->count; i++) {
            if (d->dies[i].tag != TW__TAG_SUBPROGRAM || !d->dies[i].has_low) continue;
            if (filling) d->functions[count] = i;
            count++;
        }
        d->function_count = count;
        if (!filling && !(d->functions = tw__calloc(count + 1, sizeof *d->functions)))
            return tw__fail(TW_E_NO_MEMORY, "out of memory for debug information");
    }
    g_qsort_with_data(d->functions, (gint)d->function_count, sizeof *d->functions, functions_by_address, d);
    return TW_OK;
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

static tw__bytes section_bytes(const tw_object *image, const char *name)
{
    int index = tw__object_find_section(image, name);
    const tw_section *s = index < 0 ? NULL : &image->sections[index].public;
    if (!s || !s->data) return (tw__bytes){ 0 };
    return (tw__bytes){ s->data, s->data + s->size, false };
}

static tw_status read_sections(tw_debug *d)
{
    reading r = { .d = d };
    size_t codes = (size_t)(d->abbrev.end - d->abbrev.at) / 3 + 2;
    r.code_room = (uint32_t)MIN(codes, MOST_ABBREVS);
    r.codes = tw__calloc(r.code_room, sizeof *r.codes);
    if (!r.codes || !add_die(d)) {
        free(r.codes);
        return tw__fail(TW_E_NO_MEMORY, "out of memory for debug information");
    }
    tw_status status = TW_OK;
    for (tw__bytes info = d->info; status == TW_OK && info.at < info.end;) status = read_one_unit(&r, &info);
    free(r.codes);
    if (status != TW_OK) return status;
    resolve_offsets(d);
    return list_functions(d);
}

tw_debug *tw_debug_new(const tw_object *image)
{
    if (!image) return tw__made(tw__missing("image"), NULL);
    if (!image->linked)
        return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "debug information is that of a linked image"), NULL);
    tw_debug *d = tw__calloc(1, sizeof *d);
    if (!d) return tw__made(tw__fail(TW_E_NO_MEMORY, "out of memory for debug information"), NULL);
    d->info = section_bytes(image, ".debug_info"), d->abbrev = section_bytes(image, ".debug_abbrev");
    d->loc = section_bytes(image, ".debug_loc"), d->ranges = section_bytes(image, ".debug_ranges");
    d->line = section_bytes(image, ".debug_line"), d->strings = section_bytes(image, ".debug_str");
    d->frame = section_bytes(image, ".debug_frame");
    tw_status status = d->info.at || d->frame.at
                           ? read_sections(d)
                           : tw__fail(TW_E_SYMBOL, "'%s' has no debug information: popc -g makes it", image->name);
    if (status != TW_OK) tw_debug_free(d), d = NULL;
    return tw__made(status, d);
}

void tw_debug_free(tw_debug *debug)
{
    if (!debug) return;
    free(debug->dies);
    free(debug->functions);
    free(debug);
}
