/* SPDX-License-Identifier: MIT */
/* Directives that make bytes. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

#include <tilewright/type.h>

/* Where code and data go now; false with an error inside a bundle or a section without bytes. */
static bool can_emit(tw__asm *as, place where)
{
    if (!as->in_bundle) return true;
    fail_at(as, where, "only instructions can stand in a bundle");
    return false;
}

/* A section like .bss takes room and has no bytes: they would be lost. */
static bool has_bytes(tw__asm *as, place where)
{
    const tw_section *s = tw_object_get_section(as->object, (size_t)as->section);
    if (!(s->flags & TW_SECTION_EMPTY)) return true;
    fail_at(as, where, "section '%s' takes room only and cannot hold anything but zeros", s->name);
    return false;
}

void tw__asm_emit_bytes(tw__asm *as, const void *bytes, size_t length, place where)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; p && i < length; i++)
        if (p[i] && !has_bytes(as, where)) return;
    tw__asm_ok(as, tw_object_append(as->object, as->section, bytes, length), where);
}

static const tw_section *current(const tw__asm *as)
{
    return tw_object_get_section(as->object, (size_t)as->section);
}

/* One integer of `bytes`, or a fixup in its place. */
static void emit_value(tw__asm *as, value v, unsigned bytes, place where)
{
    if (v.kind != V_CONST || v.modifier) {
        if (!has_bytes(as, where)) return;
        fixup f = {
            .section = as->section, .offset = current(as)->size, .bytes = (uint8_t)bytes, .value = v, .place = where
        };
        tw__asm_add_fixup(as, &f);
        v.number = 0;
    } else if (v.real) {
        fail_at(as, where,
                "a real number cannot stand here; .float takes it, and 1.5h is its half-precision pattern");
        return;
    }
    int64_t top = bytes < 8 ? INT64_C(1) << (8 * bytes) : INT64_MAX;
    if (bytes < 8 && (v.number >= top || v.number < -top / 2)) {
        fail_at(as, where, "%lld does not fit %u byte%s", (long long)v.number, bytes, bytes == 1 ? "" : "s");
        return;
    }
    uint8_t data[8];
    for (unsigned i = 0; i < bytes; i++) data[i] = (uint8_t)((uint64_t)v.number >> 8 * i);
    tw__asm_emit_bytes(as, data, bytes, where);
}

static unsigned size_by_name(const char *name)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } sizes[] = { { "byte", 1 }, { "short", 2 }, { "half", 2 }, { "hword", 2 }, { "2byte", 2 }, { "value", 2 },
                  { "int", 4 },  { "long", 4 },  { "word", 4 }, { "4byte", 4 }, { "quad", 8 },  { "8byte", 8 } };
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        if (strcmp(sizes[i].name, name) == 0) return sizes[i].bytes;
    return 1;
}

void tw__asm_do_data(tw__asm *as, const char *name, place where)
{
    if (!can_emit(as, where) || tw__asm_at_end_of_statement(as)) return;
    unsigned bytes = size_by_name(name);
    do {
        tw__asm_skip_blanks(as);
        const char *start = as->top->at;
        value v;
        if (!tw__asm_read_value(as, &v)) return;
        emit_value(as, v, bytes, tw__asm_place_at(as, start, (size_t)(as->top->at - start)));
    } while (tw__asm_accept(as, ','));
}

/* Turns a label of this section plus a constant into its offset, and leaves a constant one; false for all else. */
static bool offset_here(const tw__asm *as, value *v)
{
    if (v->kind == V_SYMBOL && as->object->symbols[v->symbol].section == as->section)
        *v = tw__asm_constant(tw__asm_wrap_add(v->number, as->object->symbols[v->symbol].value));
    return v->kind == V_CONST && !v->real;
}

/* Number of the relocation that a name stands for; -1 with an error. */
static int read_relocation_name(tw__asm *as)
{
    tw__asm_skip_blanks(as);
    const char *start = as->top->at;
    size_t n = tw__asm_identifier_length(start);
    place at = tw__asm_place_at(as, start, n ? n : 1);
    as->top->at += n;
    const char *known[TW_R_COLOSSUS_END];
    size_t count = 0;
    for (unsigned type = 0; type < TW_R_COLOSSUS_END; type++) {
        const char *name = tw_relocation_name(type);
        if (name && strlen(name) == n && strncmp(name, start, n) == 0) return (int)type;
        if (name) known[count++] = name;
    }
    g_autofree char *given = g_strndup(start, n);
    char hint[TW__HINT_BYTES];
    fail_at(as, at, "there is no relocation '%s'%s", given,
            tw__did_you_mean(hint, tw__nearest(given, known, count)));
    return -1;
}

/* .reloc place, NAME, symbol + constant: the linker puts the address into the field, whose bytes something else
 * makes. The place is in this section: a label, '.', or a number of bytes from its start. */
void tw__asm_do_reloc(tw__asm *as, const char *name, place where)
{
    (void)name;
    value at, target;
    if (!can_emit(as, where) || !has_bytes(as, where)) return;
    tw__asm_skip_blanks(as);
    const char *start = as->top->at;
    if (!tw__asm_read_value(as, &at)) return;
    place place_at = tw__asm_place_at(as, start, (size_t)(as->top->at - start));
    if (!tw__asm_expect(as, ',', "behind the place")) return;
    int type = read_relocation_name(as);
    if (type < 0 || !tw__asm_expect(as, ',', "behind the relocation")) return;
    tw__asm_skip_blanks(as);
    start = as->top->at;
    if (!tw__asm_read_value(as, &target)) return;
    if (!offset_here(as, &at) || at.number < 0 || at.number > TW__MAX_SECTION) {
        fail_at(as, place_at, "the place has to be in this section, and known here");
        return;
    }
    fixup f = { .section = as->section,
                .offset = (uint32_t)at.number,
                .named = true,
                .type = (uint8_t)type,
                .value = target,
                .place = tw__asm_place_at(as, start, (size_t)(as->top->at - start)) };
    tw__asm_add_fixup(as, &f);
}

void tw__asm_do_float(tw__asm *as, const char *name, place where)
{
    if (!can_emit(as, where)) return;
    do {
        double x;
        tw__asm_skip_blanks(as);
        place at = tw__asm_place_at(as, as->top->at, 1);
        if (!tw__asm_read_real(as, &x)) return;
        float single = (float)x;
        if (strcmp(name, "double") == 0)
            tw__asm_emit_bytes(as, &x, sizeof x, at);
        else
            tw__asm_emit_bytes(as, &single, sizeof single, at);
    } while (tw__asm_accept(as, ','));
}

void tw__asm_do_string(tw__asm *as, const char *name, place where)
{
    if (!can_emit(as, where) || tw__asm_at_end_of_statement(as)) return;
    do {
        g_autoptr(GString) text = g_string_new(NULL);
        if (!tw__asm_read_string(as, text)) return;
        tw__asm_emit_bytes(as, text->str, text->len + (strcmp(name, "ascii") != 0),
                           where); /* the others end in 0 */
    } while (tw__asm_accept(as, ','));
}

static bool is_amount(tw__asm *as, int64_t bytes, place where)
{
    if (bytes >= 0 && bytes <= TW__MAX_SECTION) return true;
    fail_at(as, where, "%lld bytes: the amount has to be between 0 and 2 MB", (long long)bytes);
    return false;
}

static void data_fill(tw__asm *as, int64_t count, unsigned bytes, uint64_t pattern, place where)
{
    if (!pattern) {
        tw__asm_emit_bytes(as, NULL, (size_t)count * bytes, where);
        return;
    }
    uint8_t data[8];
    for (unsigned i = 0; i < bytes; i++) data[i] = (uint8_t)(pattern >> 8 * i);
    for (; count > 0 && !as->stopped; count--) tw__asm_emit_bytes(as, data, bytes, where);
}

void tw__asm_do_space(tw__asm *as, const char *name, place where)
{
    (void)name;
    int64_t bytes, pattern = 0;
    if (!can_emit(as, where) || !tw__asm_read_constant(as, &bytes, "the amount")) return;
    if (tw__asm_accept(as, ',') && !tw__asm_read_constant(as, &pattern, "the value")) return;
    if (is_amount(as, bytes, where)) data_fill(as, bytes, 1, (uint8_t)pattern, where);
}

void tw__asm_do_fill(tw__asm *as, const char *name, place where)
{
    (void)name;
    int64_t count, bytes = 1, pattern = 0;
    if (!can_emit(as, where) || !tw__asm_read_constant(as, &count, "the repetition")) return;
    if (tw__asm_accept(as, ',') && !tw__asm_read_constant(as, &bytes, "the size")) return;
    if (tw__asm_accept(as, ',') && !tw__asm_read_constant(as, &pattern, "the value")) return;
    if (bytes < 0 || bytes > 8)
        fail_at(as, where, "the size of .fill has to be 0 to 8 bytes");
    else if (is_amount(as, count, where) && is_amount(as, count * bytes, where))
        data_fill(as, count, (unsigned)bytes, (uint64_t)pattern, where);
}

void tw__asm_do_align(tw__asm *as, const char *name, place where)
{
    int64_t align, pattern = 0, most = TW__MAX_SECTION;
    bool has_pattern = false;
    if (!can_emit(as, where) || !tw__asm_read_constant(as, &align, "the alignment")) return;
    if (tw__asm_accept(as, ',') && !tw__asm_at_end_of_statement(as) && *as->top->at != ',') {
        if (!tw__asm_read_constant(as, &pattern, "the value")) return;
        has_pattern = true;
    }
    if (tw__asm_accept(as, ',') && !tw__asm_read_constant(as, &most, "the limit")) return;
    if (strcmp(name, "p2align") == 0) align = align >= 0 && align < 22 ? INT64_C(1) << align : -1;
    if (align == 0) return;
    if (align < 0 || align > TW__MAX_SECTION || (align & (align - 1))) {
        fail_at(as, where, "an alignment has to be a power of two of bytes, at most 2 MB");
        return;
    }
    int64_t gap = (align - current(as)->size % align) % align;
    if (gap > most) return;
    tw_status status = TW_OK;
    if (has_pattern) {
        status = tw_object_raise_align(as->object, as->section, (uint32_t)align);
        data_fill(as, gap, 1, (uint8_t)pattern, where);
    } else {
        status = tw_object_align(as->object, as->section, (uint32_t)align);
    }
    tw__asm_ok(as, status, where);
}

/* .org to an offset of the section, a constant or a label of it; only forward. */
void tw__asm_do_org(tw__asm *as, const char *name, place where)
{
    (void)name;
    value v;
    if (!can_emit(as, where) || !tw__asm_read_value(as, &v)) return;
    if (!offset_here(as, &v)) {
        fail_at(as, where, ".org needs an offset that is known here");
        return;
    }
    uint32_t size = current(as)->size;
    if (v.number < size)
        fail_at(as, where, ".org cannot go back, from %u to %lld", size, (long long)v.number);
    else if (is_amount(as, v.number, where))
        data_fill(as, v.number - size, 1, 0, where);
}

void tw__asm_do_incbin(tw__asm *as, const char *name, place where)
{
    (void)name;
    g_autoptr(GString) path = g_string_new(NULL);
    g_autofree char *bytes = NULL; /* GLib's memory is malloc's */
    size_t length;
    if (!can_emit(as, where) || !tw__asm_read_string(as, path)) return;
    if (tw__read_regular_file(path->str, TW_SOURCE_LIMIT, &bytes, &length) != TW_OK)
        fail_at(as, where, "%s", tw_error_message());
    else
        tw__asm_emit_bytes(as, bytes, length, where);
}
