/* SPDX-License-Identifier: MIT */
/* conv_types: types of ConvTiles, an addition of ours: the documents give them no text.
 *
 *     !pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter=3x3, pad=1x1x1x1>
 *
 * Memory, layout, extents (slowest first, all known) and element type; then what TIMG2COL needs to know, as
 * keys in any order. Defaults are left out of the canonical spelling. */
#include "pto/text/types/types.h"

enum { DIMENSIONS = 6, NUMBERS = 4 };

/* Keys with numbers of tw_pto_conv, "3x3": where they go, how many, the least, what is left out. */
static const struct key {
    const char *name;
    size_t offset[NUMBERS];
    unsigned count;
    uint32_t least, usual;
} keys[] = {
#define AT(field) offsetof(tw_pto_conv, field)
    { "filter", { AT(filter_h), AT(filter_w) }, 2, 1, 1 },
    { "stride", { AT(stride_h), AT(stride_w) }, 2, 1, 1 },
    { "dilation", { AT(dilation_h), AT(dilation_w) }, 2, 1, 1 },
    { "pad", { AT(pad[0]), AT(pad[1]), AT(pad[2]), AT(pad[3]) }, 4, 0, 0 }, /* left, right, top, bottom */
    { "fmap", { AT(fmap_h), AT(fmap_w) }, 2, 1, 0 },
    { "channels", { AT(channels) }, 1, 1, 0 },
    { "repeat", { AT(repeat_stride), AT(repeat_time), AT(repeat_mode) }, 3, 0, 0 },
    { "transpose", { AT(transpose) }, 1, 0, 0 },
#undef AT
};
enum { PAD_VALUE = G_N_ELEMENTS(keys), BYTES, KEYS };

static uint32_t *number_of(tw_pto_conv *v, const struct key *k, unsigned i)
{
    return (uint32_t *)(void *)((char *)v + k->offset[i]);
}

/* "3x3": as many numbers as the key has. */
static bool read_numbers(tw_pto_conv *v, const struct key *k, char *value)
{
    char **parts = g_strsplit(value, "x", DIMENSIONS);
    unsigned count = g_strv_length(parts);
    bool good = count == k->count || tw__type_bad("'%s' takes %u number%s, not '%s'", k->name, k->count,
                                                  k->count > 1 ? "s, such as 3x3" : "", value);
    for (unsigned i = 0; i < count && good; i++) {
        int64_t n = 0;
        good = tw__type_extent(parts[i], &n) &&
               (n >= k->least || tw__type_bad("'%s=%s': numbers from %u on", k->name, value, k->least));
        if (good) *number_of(v, k, i) = (uint32_t)n;
    }
    g_strfreev(parts);
    return good;
}

static bool unknown_key(const char *key)
{
    const char *names[KEYS];
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) names[i] = keys[i].name;
    names[PAD_VALUE] = "pad_value";
    names[BYTES] = "bytes";
    const char *near = tw__nearest(key, names, KEYS);
    return tw__type_bad(near ? "a ConvTile has no '%s'; did you mean '%s'?" : "a ConvTile has no '%s'", key, near);
}

static bool read_key(tw_pto_conv *v, tw_type type, char *part, int64_t *bytes, uint32_t *seen)
{
    char *equals = strchr(part, '=');
    if (!equals) return tw__type_bad("'%s' has no meaning in a ConvTile: filter=3x3 and the like", part);
    *equals = 0;
    char *key = g_strstrip(part), *value = g_strstrip(equals + 1);
    size_t k = 0;
    while (k < G_N_ELEMENTS(keys) && strcmp(key, keys[k].name) != 0) k++;
    if (k == G_N_ELEMENTS(keys))
        k = strcmp(key, "pad_value") == 0 ? PAD_VALUE : strcmp(key, "bytes") == 0 ? BYTES : KEYS;
    if (k == KEYS) return unknown_key(key);
    if (*seen >> k & 1) return tw__type_bad("'%s' is given twice", key);
    *seen |= 1u << k;
    if (k < G_N_ELEMENTS(keys)) return read_numbers(v, &keys[k], value);
    if (k == BYTES)
        return tw__type_extent(value, bytes) && (*bytes > 0 || tw__type_bad("a buffer of %s bytes", value));
    int64_t bits;
    if (!tw__as_number(value, type, &bits)) return false;
    return v->pad_value = (uint64_t)bits, true;
}

static bool read_layout(tw_pto_conv *v, const char *word)
{
    const char *names[TW_PTO_LAYOUTS];
    for (int l = 0; l < TW_PTO_LAYOUTS; l++) {
        names[l] = tw_pto_layout_name((tw_pto_layout)l);
        if (g_ascii_strcasecmp(word, names[l]) == 0) return v->layout = (tw_pto_layout)l, true;
    }
    const char *near = tw__nearest(word, names, TW_PTO_LAYOUTS);
    return tw__type_bad(near ? "'%s' is not a layout; did you mean '%s'?" : "'%s' is not a layout", word, near);
}

/* The parts between commas: memory, layout, extents and element type, keys. */
static bool read_parts(char **parts, tw_pto_conv *v, tw_pto_location *location, tw_type *type, int64_t *bytes)
{
    int64_t dims[DIMENSIONS];
    uint32_t seen = 0;
    if (g_strv_length(parts) < 3)
        return tw__type_bad("a ConvTile has memory, layout and extents, such as mat, nc1hwc0, 1x2x8x8x16xf16");
    for (char **p = parts; *p; p++) g_strstrip(*p);
    if (!tw__type_location(parts[0], location)) {
        const char *near = tw__type_near_location(parts[0]);
        return tw__type_bad(near ? "'%s' is not a location; did you mean '%s'?" : "'%s' is not a location",
                            parts[0], near);
    }
    if (!read_layout(v, parts[1]) || !tw__type_shaped(parts[2], DIMENSIONS, dims, &v->rank, type)) return false;
    for (unsigned d = 0; d < v->rank; d++) {
        if (dims[d] < 0) return tw__type_bad("a ConvTile has known extents");
        v->shape[d] = (uint32_t)dims[d];
    }
    bool good = true;
    for (char **p = parts + 3; *p && good; p++) good = read_key(v, *type, *p, bytes, &seen);
    return good;
}

static void conv_types_print(GString *s, const tw_pto_tile *t, tw_pto_conv *v, int64_t bytes)
{
    g_string_append_printf(s, "!pto.conv_tile<%s, %s, ", tw__type_location_text((tw_pto_location)t->location),
                           tw_pto_layout_name(v->layout));
    for (unsigned d = 0; d < v->rank; d++) g_string_append_printf(s, "%ux", v->shape[d]);
    g_string_append(s, tw__type_element_text(t->type));
    for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) {
        bool usual = true;
        for (unsigned i = 0; i < keys[k].count; i++) usual = usual && *number_of(v, &keys[k], i) == keys[k].usual;
        if (usual) continue;
        g_string_append_printf(s, ", %s=", keys[k].name);
        for (unsigned i = 0; i < keys[k].count; i++)
            g_string_append_printf(s, i ? "x%u" : "%u", *number_of(v, &keys[k], i));
    }
    if (v->pad_value) g_string_append_printf(s, ", pad_value=0x%llx", (unsigned long long)v->pad_value);
    if (bytes) g_string_append_printf(s, ", bytes=%lld", (long long)bytes);
    g_string_append_c(s, '>');
}

bool tw__type_conv(tw__arena *arena, const char *text, tw__as_type *type, GString *s)
{
    char buf[512];
    tw_pto_location location = TW_PTO_MAT;
    int64_t bytes = 0;
    tw_pto_conv *v = TW__NEW(arena, tw_pto_conv);
    if (!v) return tw__type_bad("no memory for a type");
    for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
        for (unsigned i = 0; i < keys[k].count; i++) *number_of(v, &keys[k], i) = keys[k].usual;
    type->kind = TW__AS_TILE;
    if (!tw__type_inside(text, buf, sizeof buf)) return false;
    char **parts = g_strsplit(buf, ",", 32);
    bool good = read_parts(parts, v, &location, &type->element, &bytes);
    g_strfreev(parts);
    if (!good) return false;
    type->tile = tw_pto_conv_tile(location, type->element, v, (size_t)bytes);
    if (tw_pto_tile_check(&type->tile) != TW_OK) return false;
    conv_types_print(s, &type->tile, v, bytes);
    return true;
}
