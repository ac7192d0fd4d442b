/* SPDX-License-Identifier: MIT */
/* Layouts of one-dimensional vectors (layout.h; guide 4.1 and 4.2.1 to 4.2.2), resolution of COMPACT_*, checks.
 *
 * Which chip has which layout is not written down per chip: a layout is available where its pointer reaches all
 * memory.
 * This gives "Platform support" of tables 4.1 and 4.3, and table 4.2, from the addresses of 7.2 (tests compare
 * them). */
#include "core/tile/layout.h"

#include <glib.h>
#include <string.h>

static const tw_layout_info infos[TW_LAYOUT_COUNT] = {
#define INFO(name, number, list, bytes, align, min_align, platforms)                          \
    [TW_LAYOUT_##name] = { #name,                                                             \
                           list,                                                              \
                           list || bytes == 8 || TW_LAYOUT_##name == TW_LAYOUT_SHORT_SPAN,    \
                           !list && (bytes == 8 || TW_LAYOUT_##name == TW_LAYOUT_SHORT_SPAN), \
                           bytes,                                                             \
                           align,                                                             \
                           min_align,                                                         \
                           platforms },
    TW_LAYOUT_LIST(INFO)
#undef INFO
};

/* Pointers: bits [shift, end) of the address. With `relative`, higher bits are those of the memory's first address
 * (guide 4.2.1: SCALED_PTR32 is an offset from 0x40000), else they are zero. Count: bits of elements or rows, 0 =
 * none. */
static const struct {
    unsigned char shift, end, count_bits;
    bool relative;
} pointers[TW_LAYOUT_COUNT] = {
    // clang-format off
    [TW_LAYOUT_SPAN]           = { 0, 32, 32, false },
    [TW_LAYOUT_SHORT_SPAN]     = { 0, 20, 11, false },
    [TW_LAYOUT_ONE_PTR]        = { 0, 32, 0,  false },
    [TW_LAYOUT_SCALED_PTR32]   = { 2, 18, 0,  true },
    [TW_LAYOUT_SCALED_PTR64]   = { 3, 19, 0,  false },
    [TW_LAYOUT_SCALED_PTR128]  = { 4, 20, 0,  false },
    [TW_LAYOUT_DELTAN]         = { 0, 20, 12, false }, /* and a SCALED_PTR32 to its table */
    [TW_LAYOUT_DELTANELEMENTS] = { 0, 21, 16, false },
    // clang-format on
};

#define SHORT_SPAN_COUNT_SHIFT 21 /* pointer [19:0], reserved [20], count [31:21] */

const tw_layout_info *tw_layout_get(tw_layout layout)
{
    return &infos[(unsigned)layout < TW_LAYOUT_COUNT ? layout : TW_LAYOUT_NOT_A_VECTOR];
}

tw_layout tw_layout_by_name(const char *name)
{
    const char *names[TW_LAYOUT_COUNT];
    for (int i = TW_LAYOUT_NOT_A_VECTOR + 1; i < TW_LAYOUT_COUNT; i++) {
        if (name && !g_ascii_strcasecmp(name, infos[i].name)) return (tw_layout)i;
        names[i - 1] = infos[i].name;
    }
    char hint[TW__HINT_BYTES];
    const char *near = name ? tw__nearest(name, names, TW_LAYOUT_COUNT - 1) : NULL;
    tw__fail(TW_E_INVALID_ARGUMENT, "there is no vector layout '%s'%s", name ? name : "",
             tw__did_you_mean(hint, near));
    return TW_LAYOUT_NOT_A_VECTOR;
}

static bool reaches(const tw_tile_arch *arch, tw_layout layout)
{
    uint64_t window = UINT64_C(1) << pointers[layout].end;
    if (pointers[layout].relative) return arch->base_address % window == 0 && arch->bytes_per_tile <= window;
    return arch->base_address + (uint64_t)arch->bytes_per_tile <= window;
}

bool tw_layout_available(const tw_tile_arch *arch, tw_layout layout)
{
    if (!arch->system || strcmp(arch->system, "ipu") != 0) return false;
    switch (layout) {
    case TW_LAYOUT_NOT_A_VECTOR:
    case TW_LAYOUT_COUNT: return false;
    case TW_LAYOUT_COMPACT_PTR:
    case TW_LAYOUT_COMPACT_DELTAN: return true;
    case TW_LAYOUT_DELTAN: return reaches(arch, layout) && reaches(arch, TW_LAYOUT_SCALED_PTR32);
    case TW_LAYOUT_SPAN:
    case TW_LAYOUT_SHORT_SPAN:
    case TW_LAYOUT_ONE_PTR:
    case TW_LAYOUT_SCALED_PTR32:
    case TW_LAYOUT_SCALED_PTR64:
    case TW_LAYOUT_SCALED_PTR128:
    case TW_LAYOUT_DELTANELEMENTS: return reaches(arch, layout);
    }
    return false;
}

/* Guide table 4.2: the compressed pointer with the coarsest unit that the alignment allows. docs/decisions.md, M1 for
 * lists. */
static tw_layout compact(const tw_tile_arch *arch, tw_layout layout, unsigned align)
{
    static const tw_layout by_preference[] = { TW_LAYOUT_SCALED_PTR128, TW_LAYOUT_SCALED_PTR64,
                                               TW_LAYOUT_SCALED_PTR32 };
    if (layout == TW_LAYOUT_COMPACT_DELTAN)
        return tw_layout_available(arch, TW_LAYOUT_DELTAN) ? TW_LAYOUT_DELTAN : TW_LAYOUT_DELTANELEMENTS;
    if (layout != TW_LAYOUT_COMPACT_PTR) return layout;
    for (size_t i = 0; i < G_N_ELEMENTS(by_preference); i++)
        if (align >= infos[by_preference[i]].default_min_align && tw_layout_available(arch, by_preference[i]))
            return by_preference[i];
    return TW_LAYOUT_ONE_PTR;
}

tw_status tw_layout_resolve(const tw_tile_arch *arch, const tw_vector_form *form, tw_vector_form *out)
{
    const tw_layout_info *info = tw_layout_get(form->layout);
    unsigned element = form->element_bytes, align = form->min_align ? form->min_align : info->default_min_align;
    if (form->layout == TW_LAYOUT_NOT_A_VECTOR || (unsigned)form->layout >= TW_LAYOUT_COUNT)
        return tw__fail(TW_E_INVALID_ARGUMENT, "layout %u is not a vector layout", (unsigned)form->layout);
    if (!tw_layout_available(arch, form->layout))
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s is not available on %s (%s, guide tables 4.1 and 4.3)",
                        info->name, arch->name, info->platforms);
    if (!element || element > 16 || (element & (element - 1)))
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: elements of %u bytes; 1, 2, 4, 8 and 16 are possible",
                        info->name, element);
    if ((align & (align - 1)) || align > arch->bytes_per_tile)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: alignment %u is not a power of two within a tile's %llu bytes",
                        info->name, align, arch->bytes_per_tile);
    if (align < element) align = element;
    tw_layout layout = compact(arch, form->layout, align);
    if (align < infos[layout].default_min_align)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: alignment %u, at least %u is needed", infos[layout].name, align,
                        infos[layout].default_min_align);
    *out = (tw_vector_form){ layout, element, align, form->interleaved };
    return TW_OK;
}

uint32_t tw_layout_max_count(const tw_vector_form *form)
{
    unsigned bits = pointers[(unsigned)form->layout < TW_LAYOUT_COUNT ? form->layout : 0].count_bits;
    return bits ? tw__low_bits(bits) : UINT32_MAX;
}

/* --- what the encoders share --------------------------------------------------------------------------------- */

uint32_t tw__layout_pack_pointer(tw_layout layout, uint32_t address)
{
    return (address & tw__low_bits(pointers[layout].end)) >> pointers[layout].shift;
}

uint32_t tw__layout_unpack_pointer(const tw_tile_arch *arch, tw_layout layout, uint32_t stored)
{
    uint32_t address = (stored << pointers[layout].shift) & tw__low_bits(pointers[layout].end);
    return pointers[layout].relative ? address | arch->base_address : address;
}

tw_status tw__layout_prepare(const tw_tile_arch *arch, const tw_vector_form *form, bool want_list,
                             tw_vector_form *out)
{
    tw_status status = tw_layout_resolve(arch, form, out);
    if (status == TW_OK && infos[out->layout].is_list != want_list)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s is a layout of %s", infos[out->layout].name,
                        want_list ? "Vector, not of VectorList" : "VectorList, not of Vector");
    return status;
}

static bool range_fits(const tw_tile_arch *arch, bool interleaved, uint32_t address, uint64_t bytes, unsigned align)
{
    uint64_t end = (uint64_t)address + (bytes ? bytes : 1);
    if ((address & (align - 1)) || address < arch->base_address) return false;
    if (end > arch->base_address + (uint64_t)arch->bytes_per_tile) return false;
    if (!interleaved) return true;
    const tw_tile_region *region = tw_tile_region_at(arch, address);
    return region && region->interleaved && end <= (uint64_t)region->start + region->bytes;
}

tw_status tw__layout_check_range(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t address,
                                 uint64_t bytes, unsigned align, const char *what)
{
    if (range_fits(arch, form->interleaved, address, bytes, align)) return TW_OK;
    const char *name = infos[form->layout].name;
    uint64_t end = (uint64_t)address + (bytes ? bytes : 1),
             limit = arch->base_address + (uint64_t)arch->bytes_per_tile;
    if (address % align)
        return tw__fail(TW_E_INDEX, "%s: %s at 0x%X: the address is not a multiple of %u", name, what, address,
                        align);
    if (address < arch->base_address || end > limit)
        return tw__fail(TW_E_INDEX, "%s: %s at 0x%X: not in the memory of %s, 0x%X to 0x%llX", name, what, address,
                        arch->name, arch->base_address, (unsigned long long)limit - 1);
    return tw__fail(TW_E_INDEX, "%s: %s at 0x%X: not in interleaved memory", name, what, address);
}

tw_status tw__layout_check_data(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t address,
                                uint32_t count)
{
    char number[32], what[64];
    if (!address && !count) return TW_OK;
    uint64_t bytes = (uint64_t)count * form->element_bytes;
    if (range_fits(arch, form->interleaved, address, bytes, form->min_align)) return TW_OK;
    snprintf(what, sizeof what, "%s element%s of %u byte%s", tw__commas(number, sizeof number, count),
             count == 1 ? "" : "s", form->element_bytes, form->element_bytes == 1 ? "" : "s");
    return tw__layout_check_range(arch, form, address, bytes, form->min_align, what);
}

tw_status tw__layout_check_count(const tw_vector_form *form, const char *what, uint32_t count, uint32_t limit,
                                 unsigned bits)
{
    char found[32], most[32];
    if (count <= limit) return TW_OK;
    return tw__fail(TW_E_OVERFLOW, "%s: %s %s, at most %s fit into %u bits", infos[form->layout].name,
                    tw__commas(found, sizeof found, count), what, tw__commas(most, sizeof most, limit), bits);
}

/* --- Vector<T> ------------------------------------------------------------------------------------------------ */

tw_status tw_vector_encode(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t address, uint32_t count,
                           uint32_t words[2])
{
    tw_vector_form f;
    tw_status status = tw__layout_prepare(arch, form, false, &f);
    if (status == TW_OK)
        status =
            tw__layout_check_count(&f, "elements", count, tw_layout_max_count(&f), pointers[f.layout].count_bits);
    if (status == TW_OK) status = tw__layout_check_data(arch, &f, address, count);
    if (status != TW_OK) return status;
    words[0] = tw__layout_pack_pointer(f.layout, address);
    words[1] = f.layout == TW_LAYOUT_SPAN ? count : 0;
    if (f.layout == TW_LAYOUT_SHORT_SPAN) words[0] |= count << SHORT_SPAN_COUNT_SHIFT;
    return TW_OK;
}

tw_status tw_vector_decode(const tw_tile_arch *arch, const tw_vector_form *form, const uint32_t words[2],
                           uint32_t *address, uint32_t *count)
{
    tw_vector_form f;
    tw_status status = tw__layout_prepare(arch, form, false, &f);
    if (status != TW_OK) return status;
    *address = tw__layout_unpack_pointer(arch, f.layout, words[0]);
    *count = f.layout == TW_LAYOUT_SPAN         ? words[1]
             : f.layout == TW_LAYOUT_SHORT_SPAN ? words[0] >> SHORT_SPAN_COUNT_SHIFT
                                                : 0;
    return tw__layout_check_data(arch, &f, *address, *count);
}
