/* SPDX-License-Identifier: MIT */
/* Linking: definitions, what is needed, addresses, then relocations into a copy of the bytes. */
#include "poplar/colossus/link/link.h"

#include <stdlib.h>
#include <string.h>

void tw__link_error(tw__link *link, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    if (!link->errors++) tw__fail(TW_E_LINK, "%s", text);
    tw_diag diag = { .file = "", .severity = TW_ERROR, .length = 1, .code = "link", .message = text };
    if (link->diags) tw_diags_add(link->diags, &diag);
}

const char *tw__link_file(const tw__link *link, uint32_t file, char buf[32])
{
    if (link->options->names && file < link->own) return link->options->names[file];
    if (*link->objects[file]->name) return link->objects[file]->name;
    g_snprintf(buf, 32, "object %u", file + 1);
    return buf;
}

static void add_sections(tw__link *link)
{
    for (size_t f = 0; f < link->count; f++) {
        link->first[f] = link->sections->len;
        for (size_t i = 0; i < link->objects[f]->section_count; i++) {
            tw__link_section s = { .object = link->objects[f], .file = (uint32_t)f, .section = (int)i, .out = -1 };
            g_array_append_val(link->sections, s);
        }
    }
}

static const tw__link_section *section_of(const tw__link *link, uint32_t file, int section)
{
    return &g_array_index(link->sections, tw__link_section, link->first[file] + (guint)section);
}

/* --- symbols of the image ------------------------------------------------------------------------------------- */

/* Common symbols of the program get room in a section of their own. */
static void place_commons(tw__link *link)
{
    tw_object *o = (tw_object *)link->commons;
    for (guint i = 0; i < link->symbols->len; i++) {
        tw__link_symbol *d = &g_array_index(link->symbols, tw__link_symbol, i);
        if (!d->common) continue;
        int bss = tw_object_section(o, ".bss.common", TW_SECTION_DATA | TW_SECTION_EMPTY);
        tw_status status = bss < 0 ? (tw_status)bss : tw_object_align(o, bss, d->value);
        uint32_t at = bss < 0 ? 0 : o->sections[bss].public.size;
        if (status == TW_OK) status = tw_object_append(o, bss, NULL, d->size);
        int symbol = status == TW_OK ? tw_object_symbol(o, d->name) : (int)status;
        status = symbol < 0 ? (tw_status)symbol : tw_object_define(o, symbol, bss, at, TW_SYMBOL_OBJECT);
        if (status == TW_OK) status = tw_object_bind(o, symbol, TW_SYMBOL_GLOBAL);
        if (status == TW_OK) status = tw_object_set_size(o, symbol, d->size);
        if (status == TW_E_NO_MEMORY)
            link->status = status;
        else if (status != TW_OK)
            tw__link_error(link, "%s", tw_error_message());
        if (status != TW_OK) return;
        d->file = (uint32_t)link->count - 1, d->symbol = symbol;
    }
}

/* Address of a symbol of an object; false and an error when it has none. */
static bool address_of(tw__link *link, uint32_t file, int symbol, const tw_section *from, uint32_t *address)
{
    int definition = tw__link_resolve(link, file, symbol);
    const tw_symbol *asked = &link->objects[file]->symbols[symbol], *s = asked;
    uint32_t at = file;
    if (definition >= 0) {
        const tw__link_symbol *d = &g_array_index(link->symbols, tw__link_symbol, definition);
        at = d->file, s = &link->objects[at]->symbols[d->symbol];
    }
    if (s->section == TW_SECTION_UNDEFINED || s->section == TW_SECTION_COMMON) {
        *address = 0;
        if (asked->binding == TW_SYMBOL_WEAK) return true;
        char buf[32];
        tw__link_error(link, "'%s' is not defined; %s uses it in %s", asked->name, tw__link_file(link, file, buf),
                       from->name);
        return false;
    }
    *address = s->value;
    if (s->section == TW_SECTION_ABSOLUTE) return true;
    const tw__link_section *section = section_of(link, at, s->section);
    if (section->out < 0 && tw__link_is_debug(from)) return false; /* of code that is not in the image */
    if (section->out < 0) {
        tw__link_error(link, "'%s' is in section '%s', which takes no memory", s->name,
                       link->objects[at]->sections[s->section].public.name);
        return false;
    }
    *address += link->image->sections[section->out].public.address + section->at;
    return true;
}

/* Of a symbol that its object defines: is it what the name stands for? */
static bool has_won(const tw__link *link, uint32_t file, int symbol)
{
    int definition = tw__link_resolve(link, file, symbol);
    if (definition < 0) return true;
    const tw__link_symbol *d = &g_array_index(link->symbols, tw__link_symbol, definition);
    return d->file == file && d->symbol == symbol;
}

static void copy_symbols(tw__link *link)
{
    for (size_t f = 0; f < link->count; f++) {
        const tw_object *object = link->objects[f];
        for (size_t i = 0; i < object->symbol_count; i++) {
            const tw_symbol *s = &object->symbols[i];
            bool local = s->binding == TW_SYMBOL_LOCAL;
            if (!*s->name || strncmp(s->name, ".L", 2) == 0 ||
                (s->section < 0 && s->section != TW_SECTION_ABSOLUTE))
                continue;
            const tw__link_section *section = s->section >= 0 ? section_of(link, (uint32_t)f, s->section) : NULL;
            if (section && section->out < 0) continue;
            if (!has_won(link, (uint32_t)f, (int)i)) continue;
            int out = tw__object_twin_symbol(link->image, s->name, local);
            if (out < 0) {
                link->status = (tw_status)out;
                return;
            }
            tw_symbol *made = &link->image->symbols[out];
            uint32_t base = section ? link->image->sections[section->out].public.address : 0;
            made->section = section ? section->out : TW_SECTION_ABSOLUTE;
            made->value = s->value + base, made->size = s->size, made->type = s->type, made->binding = s->binding;
            made->visibility = s->visibility;
        }
    }
}

/* --- relocations, notes, lines -------------------------------------------------------------------------------- */

/* The address of code that is not there: one that no code has. In lists 0 would end them, and -1 is a new base. */
static int64_t nowhere(const char *table)
{
    bool is_list = strcmp(table, ".debug_loc") == 0 || strcmp(table, ".debug_ranges") == 0;
    return is_list ? 1 : UINT32_MAX;
}

static void relocate(tw__link *link, uint32_t file, const tw_relocation *r)
{
    const tw__link_section *s = section_of(link, file, r->section);
    if (s->out < 0) return;
    tw__section *out = &link->image->sections[s->out];
    uint32_t address;
    int64_t value;
    if (address_of(link, file, r->symbol, &out->public, &address))
        value = (int64_t)address + r->addend;
    else if (tw__link_is_debug(&out->public))
        value = nowhere(out->public.name);
    else
        return;
    uint8_t *field = out->data + s->at + r->offset;
    if (tw_relocation_apply(link->image->arch, r->type, (uint64_t)value, field) == TW_OK) return;
    char buf[32];
    g_autofree char *why = g_strdup(tw_error_message());
    const char *name = link->objects[file]->symbols[r->symbol].name;
    tw__link_error(link, "%s: %s + 0x%x%s%s: %s", tw__link_file(link, file, buf), out->public.name, r->offset,
                   *name ? ", symbol " : "", name, why);
}

/* Notes of functions that stayed and that their names stand for; a note of a section follows the section to its name
 * in the image. */
static void copy_notes(tw__link *link, uint32_t file)
{
    const tw_object *object = link->objects[file];
    for (size_t i = 0; i < object->note_count; i++) {
        tw_stack_note note = object->notes[i];
        int symbol = tw_object_find_symbol(object, note.name);
        int section = symbol >= 0 ? object->symbols[symbol].section : tw__object_find_section(object, note.name);
        if (section >= 0) {
            const tw__link_section *s = section_of(link, file, section);
            if (s->out < 0 || (symbol >= 0 && !has_won(link, file, symbol))) continue;
            if (symbol < 0) note.name = link->image->sections[s->out].public.name;
        } else if (symbol < 0 && tw_object_find_symbol(link->image, note.name) < 0) {
            continue;
        }
        if (tw_object_add_stack_note(link->image, &note) != TW_OK) link->status = TW_E_NO_MEMORY;
    }
    for (size_t i = 0; i < object->line_count; i++) {
        const tw_object_line *line = &object->lines[i];
        int out = section_of(link, file, line->section)->out;
        tw_object_line moved = *line;
        moved.section = out;
        if (out >= 0 && tw_object_add_place(link->image, &moved) != TW_OK) link->status = TW_E_NO_MEMORY;
    }
}

static void set_entry(tw__link *link)
{
    int symbol = link->options->entry ? tw_object_find_symbol(link->image, link->options->entry) : -1;
    if (symbol >= 0) link->image->entry = link->image->symbols[symbol].value;
    for (size_t i = 0; i < link->image->section_count && symbol < 0; i++) {
        const tw_section *s = &link->image->sections[i].public;
        if ((s->flags & TW_SECTION_EXEC) && s->size && (!link->image->entry || s->address < link->image->entry))
            link->image->entry = s->address;
    }
}

/* --- what refers to what --------------------------------------------------------------------------------------- */

static int section_of_call(const tw_object *object, size_t row)
{
    const tw_stack_note *note = &object->notes[row];
    int caller = note->kind == TW_STACK_CALLS ? tw_object_find_symbol(object, note->name) : -1;
    return caller < 0 ? -1 : object->symbols[caller].section;
}

/* What each section refers to. */
static bool sort_rows(tw__link *link)
{
    for (size_t f = 0; f < link->count; f++) {
        const tw_object *o = link->objects[f];
        if (!tw__by_section_new(o, o->relocation_count, tw__section_of_relocation, &link->relocations[f]) ||
            !tw__by_section_new(o, o->note_count, section_of_call, &link->calls[f]))
            return false;
    }
    return true;
}

static void free_rows(tw__link *link)
{
    for (size_t f = 0; f < link->count && link->relocations && link->calls; f++)
        tw__by_section_free(&link->relocations[f]), tw__by_section_free(&link->calls[f]);
    free(link->relocations);
    free(link->calls);
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

static void run(tw__link *link)
{
    tw__link_collect(link);
    place_commons(link);
    add_sections(link);
    if (link->status == TW_OK && !sort_rows(link)) link->status = TW_E_NO_MEMORY;
    if (link->status != TW_OK || link->errors) return;
    tw__link_mark(link);
    if (!link->errors) tw__link_place(link);
    if (link->status != TW_OK || link->errors) return;
    copy_symbols(link);
    for (size_t f = 0; f < link->count; f++) {
        for (size_t i = 0; i < link->objects[f]->relocation_count; i++)
            relocate(link, (uint32_t)f, &link->objects[f]->relocations[i]);
        copy_notes(link, (uint32_t)f);
    }
    set_entry(link);
}

static tw_status check_arguments(const tw_object *const *objects, size_t count, tw_object **image)
{
    if (!image || (!objects && count))
        return tw__fail(TW_E_INVALID_ARGUMENT, "linking needs objects and a place for the image");
    *image = NULL;
    if (!count) return tw__fail(TW_E_INVALID_ARGUMENT, "there is nothing to link");
    for (size_t i = 0; i < count; i++) {
        if (!objects[i]) return tw__fail(TW_E_INVALID_ARGUMENT, "object %zu is missing", i + 1);
        if (objects[i]->linked) return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is linked already", objects[i]->name);
        if (objects[i]->arch != objects[0]->arch)
            return tw__fail(TW_E_INVALID_ARGUMENT, "the objects are for different chips");
    }
    return TW_OK;
}

static tw_status link_objects(const tw_object *const *objects, size_t count, const tw_link_options *options,
                              tw_diags *diags, tw_object **image)
{
    tw_link_options own;
    tw_status wrong = check_arguments(objects, count, image);
    if (wrong == TW_OK) wrong = TW__TAKE_OPTIONS(&own, options, tw_link_options);
    if (wrong != TW_OK) return wrong;
    const tw_object *library[TW__LINK_LIBRARY];
    size_t added = tw__link_library(objects, count, library), total = count + added + 1;
    tw__link link = { .count = total, .own = count, .options = &own, .diags = diags };
    link.commons = tw_object_new(objects[0]->arch), link.image = tw_object_new(objects[0]->arch);
    const tw_object **all = tw__calloc(total, sizeof *all);
    link.first = tw__calloc(total, sizeof *link.first);
    link.relocations = tw__calloc(total, sizeof *link.relocations);
    link.calls = tw__calloc(total, sizeof *link.calls);
    link.sections = g_array_new(FALSE, TRUE, sizeof(tw__link_section));
    link.symbols = g_array_new(FALSE, TRUE, sizeof(tw__link_symbol));
    link.names = g_hash_table_new(g_str_hash, g_str_equal);
    if (link.commons && link.image && all && link.first && link.relocations && link.calls) {
        memcpy(all, objects, count * sizeof *all);
        memcpy(all + count, library, added * sizeof *all);
        all[total - 1] = link.commons, link.objects = all;
        link.image->linked = true;
        run(&link);
    } else {
        link.status = TW_E_NO_MEMORY;
    }
    tw_status status = link.status != TW_OK ? tw__fail(link.status, "out of memory, or of room, while linking")
                       : link.errors        ? TW_E_LINK
                                            : TW_OK;
    if (status == TW_OK)
        *image = link.image;
    else
        tw_object_free(link.image);
    tw_object_free(link.commons);
    g_array_free(link.sections, TRUE);
    g_array_free(link.symbols, TRUE);
    g_hash_table_destroy(link.names);
    free_rows(&link);
    free(all);
    free(link.first);
    return status;
}

tw_object *tw_link(const tw_object *const *objects, size_t count, const tw_link_options *options, tw_diags *diags)
{
    tw_object *image = NULL;
    tw_status status = link_objects(objects, count, options, diags, &image);
    return tw__made(status, image);
}

uint32_t tw_object_entry(const tw_object *image)
{
    return image ? image->entry : 0;
}

void tw_link_sizes(const tw_object *image, uint32_t *code, uint32_t *data)
{
    uint32_t sum[2] = { 0, 0 };
    for (size_t i = 0; image && i < image->section_count; i++) {
        const tw_section *s = &image->sections[i].public;
        if (s->flags & (TW_SECTION_EXEC | TW_SECTION_ALLOC)) sum[!(s->flags & TW_SECTION_EXEC)] += s->size;
    }
    if (code) *code = sum[0];
    if (data) *data = sum[1];
}
