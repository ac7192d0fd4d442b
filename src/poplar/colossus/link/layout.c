/* SPDX-License-Identifier: MIT */
/* What is needed of the objects, and where it goes: code in region 0, data behind it or in region 1 (guide 7.2). */
#include "poplar/colossus/link/link.h"

#include <string.h>

#include <tilewright/tile.h>

static tw__link_section *layout_section_at(const tw__link *link, uint32_t file, int section)
{
    return &g_array_index(link->sections, tw__link_section, link->first[file] + (guint)section);
}

static const tw_section *content(const tw__link_section *s)
{
    return &s->object->sections[s->section].public;
}

/* --- what is needed ------------------------------------------------------------------------------------------- */

static void keep(tw__link *link, tw__link_section *s, GArray *work)
{
    if (s->kept || !(content(s)->flags & TW_SECTION_ALLOC)) return;
    s->kept = true;
    guint index = (guint)(s - &g_array_index(link->sections, tw__link_section, 0));
    g_array_append_val(work, index);
}

static void keep_symbol(tw__link *link, uint32_t file, int symbol, GArray *work)
{
    int definition = tw__link_resolve(link, file, symbol);
    if (definition >= 0) {
        const tw__link_symbol *d = &g_array_index(link->symbols, tw__link_symbol, definition);
        file = d->file, symbol = d->symbol;
    }
    int section = link->objects[file]->symbols[symbol].section;
    if (section >= 0) keep(link, layout_section_at(link, file, section), work);
}

static void keep_name(tw__link *link, const char *name, GArray *work)
{
    gpointer found = g_hash_table_lookup(link->names, name);
    if (!found) {
        tw__link_error(link, "'%s' is not defined", name);
        return;
    }
    const tw__link_symbol *d = &g_array_index(link->symbols, tw__link_symbol, GPOINTER_TO_UINT(found) - 1);
    keep_symbol(link, d->file, d->symbol, work);
}

/* Sections without a name of their own: not one function, so all of it stays. */
static bool always_stays(const char *name)
{
    static const char *const plain[] = { ".text", ".data", ".rodata", ".bss" };
    for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
        if (strcmp(plain[i], name) == 0) return true;
    return false;
}

/* Functions that a kept one may call through pointers are needed as well. */
static void keep_pointed(tw__link *link, const tw__link_section *s, GArray *work)
{
    const tw__by_section *calls = &link->calls[s->file];
    for (uint32_t i = calls->first[s->section]; i < calls->first[s->section + 1]; i++) {
        g_auto(GStrv) targets = g_strsplit(s->object->notes[calls->order[i]].targets, ",", -1);
        for (char **t = targets; *t; t++)
            if (*g_strstrip(*t)) keep_name(link, *t, work);
    }
}

/* Keeps what the sections from work[*at] on refer to. Returns the bytes of their code. */
static uint32_t follow(tw__link *link, GArray *work, guint *at)
{
    uint32_t code = 0;
    for (; *at < work->len; ++*at) {
        const tw__link_section *s =
            &g_array_index(link->sections, tw__link_section, g_array_index(work, guint, *at));
        const tw__by_section *rows = &link->relocations[s->file];
        if (content(s)->flags & TW_SECTION_EXEC) code += content(s)->size;
        for (uint32_t i = rows->first[s->section]; i < rows->first[s->section + 1]; i++)
            keep_symbol(link, s->file, s->object->relocations[rows->order[i]].symbol, work);
        keep_pointed(link, s, work);
    }
    return code;
}

void tw__link_mark(tw__link *link)
{
    g_autoptr(GArray) work = g_array_new(FALSE, FALSE, sizeof(guint));
    const tw_link_options *o = link->options;
    bool all = !o->entry && !(o->keep && o->keep[0]);
    guint at = 0;
    for (guint i = 0; i < link->sections->len; i++) {
        tw__link_section *s = &g_array_index(link->sections, tw__link_section, i);
        bool is_library =
            s->file >= link->own && s->file + 1 < link->count; /* of which only what is called is kept */
        if (!is_library && (all || always_stays(content(s)->name))) keep(link, s, work);
    }
    if (o->entry) keep_name(link, o->entry, work);
    follow(link, work, &at);
    for (size_t i = 0; o->keep && o->keep[i]; i++) {
        keep_name(link, o->keep[i], work);
        uint32_t code = follow(link, work, &at);
        if (o->keep_bytes) o->keep_bytes[i] = code;
    }
}

/* --- where it goes -------------------------------------------------------------------------------------------- */

static void copy_section(tw__link *link, tw__link_section *s, uint32_t address)
{
    const tw_section *from = content(s);
    s->out = tw__object_twin_section(link->image, from->name, from->flags);
    tw_status status = s->out < 0 ? (tw_status)s->out : tw_object_raise_align(link->image, s->out, from->align);
    if (status == TW_OK) status = tw_object_append(link->image, s->out, from->data, from->size);
    if (status == TW_E_NO_MEMORY)
        link->status = status;
    else if (status != TW_OK)
        tw__link_error(link, "%s", tw_error_message());
    else
        link->image->sections[s->out].public.address = address;
}

/* One area: [at, end); `next` is where it goes on when it is full. */
typedef struct area {
    uint32_t at, end;
} area;

static bool take(area *a, uint32_t size, uint32_t align, uint32_t *address)
{
    uint32_t start = (uint32_t)tw__align_up(a->at, align);
    if (start < a->at || start > a->end || size > a->end - start) return false;
    *address = start, a->at = start + size;
    return true;
}

typedef enum kind { CODE, INTERLEAVED, DATA } kind;

static bool is_interleaved(const tw_section *s)
{
    return strncmp(s->name, ".interleaved", 12) == 0 && (s->name[12] == 0 || s->name[12] == '.');
}

static kind section_kind(const tw_section *s)
{
    return s->flags & TW_SECTION_EXEC ? CODE : is_interleaved(s) ? INTERLEAVED : DATA;
}

static void has_no_room(tw__link *link, kind what, uint32_t needed, uint32_t end)
{
    if (what == CODE)
        tw__link_error(link, "code needs %u bytes, and region 0 has no room for it: it ends at 0x%x", needed, end);
    else
        tw__link_error(link, "%sdata needs %u bytes, and %s has no room for it",
                       what == INTERLEAVED ? "interleaved " : "", needed,
                       what == INTERLEAVED ? "region 1" : "the tile's memory");
}

static void place_kind(tw__link *link, kind what, area *first, area *second)
{
    uint32_t needed = 0;
    bool full = false;
    for (guint i = 0; i < link->sections->len; i++) {
        tw__link_section *s = &g_array_index(link->sections, tw__link_section, i);
        const tw_section *from = content(s);
        if (!s->kept || section_kind(from) != what) continue;
        if (what == CODE && is_interleaved(from))
            tw__link_error(link, "'%s' is code, which cannot run in region 1", from->name);
        uint32_t address = 0, align = what == CODE && from->align < 4 ? 4 : from->align;
        needed += from->size;
        if (!take(first, from->size, align, &address) && !(second && take(second, from->size, align, &address)))
            full = true;
        copy_section(link, s, address);
    }
    if (full) has_no_room(link, what, needed, first->end);
}

/* Data at a given address, what has to lie in region 1 at its start or behind that address. */
static void place_data_at(tw__link *link, uint32_t address, const tw_tile_region *low, const tw_tile_region *high)
{
    area data = { address, high->start + high->bytes }, upper = { MAX(address, high->start), data.end };
    if (address < low->start)
        tw__link_error(link, "data cannot lie at 0x%x: the memory begins at 0x%x", address, low->start);
    place_kind(link, INTERLEAVED, &upper, NULL);
    if (upper.at == high->start) {
        place_kind(link, DATA, &data, NULL);
        return;
    }
    data.end = high->start;
    place_kind(link, DATA, address < high->start ? &data : &upper, &upper);
}

bool tw_link_is_interleaved(const tw_object *image)
{
    for (size_t i = 0; image && i < image->section_count; i++)
        if (section_kind(&image->sections[i].public) == INTERLEAVED) return true;
    return false;
}

/* --- tables for debuggers --------------------------------------------------------------------------------------- */

bool tw__link_is_debug(const tw_section *section)
{
    return !(section->flags & (TW_SECTION_ALLOC | TW_SECTION_EMPTY)) && strncmp(section->name, ".debug_", 7) == 0;
}

static void append_table(tw__link *link, tw__link_section *s)
{
    const tw_section *from = content(s);
    s->out = tw_object_section(link->image, from->name, from->flags);
    tw_status status = s->out < 0 ? (tw_status)s->out : tw_object_align(link->image, s->out, from->align);
    if (status == TW_OK) s->at = link->image->sections[s->out].public.size;
    if (status == TW_OK) status = tw_object_append(link->image, s->out, from->data, from->size);
    if (status == TW_E_NO_MEMORY)
        link->status = status;
    else if (status != TW_OK)
        tw__link_error(link, "%s", tw_error_message());
}

/* Of objects of which anything is in the image. */
static void place_tables(tw__link *link)
{
    g_autofree bool *is_used = g_new0(bool, link->count);
    for (guint i = 0; i < link->sections->len; i++) {
        const tw__link_section *s = &g_array_index(link->sections, tw__link_section, i);
        is_used[s->file] = is_used[s->file] || s->kept;
    }
    for (guint i = 0; i < link->sections->len; i++) {
        tw__link_section *s = &g_array_index(link->sections, tw__link_section, i);
        if (is_used[s->file] && tw__link_is_debug(content(s))) append_table(link, s);
    }
}

void tw__link_place(tw__link *link)
{
    const tw_tile_arch *arch = tw_tile_arch_by_name(tw_isa_arch_name(link->image->arch));
    const tw_tile_region *low = &arch->regions[0], *high = &arch->regions[1];
    const tw_link_options *o = link->options;
    area code = { o->code_address ? o->code_address : low->start, low->start + low->bytes };
    area upper = { high->start, high->start + high->bytes };
    if (code.at < low->start)
        tw__link_error(link, "code cannot lie at 0x%x: region 0 begins at 0x%x", code.at, low->start);
    place_kind(link, CODE, &code, NULL);
    if (o->data_address) {
        place_data_at(link, o->data_address, low, high);
    } else {
        code.at = (uint32_t)tw__align_up(code.at, 8);
        place_kind(link, INTERLEAVED, &upper, NULL);
        place_kind(link, DATA, &code, &upper);
    }
    if (!o->drop_debug) place_tables(link);
}
