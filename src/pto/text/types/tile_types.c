/* SPDX-License-Identifier: MIT */
/* tile_types: types of tiles in their keyed, compact and positional spellings. */
#include "pto/text/types/types.h"

static bool word_index(const char *const *words, size_t count, const char *word, unsigned *out)
{
    for (size_t i = 0; i < count; i++)
        if (g_ascii_strcasecmp(words[i], word) == 0) return *out = (unsigned)i, true;
    return false;
}

static const char *const location_words[] = { "vec",  "mat",     "left",       "right",      "acc",
                                              "bias", "scaling", "scale_left", "scale_right" };
static const char *const blayout_words[] = { "row_major", "col_major", "RowMajor", "ColMajor" };
static const char *const slayout_words[] = {
    "none_box", "row_major", "col_major", "NoneBox", "RowMajor", "ColMajor"
};
static const char *const pad_words[] = { "null", "zero", "max", "min" };

bool tw__type_location(const char *word, tw_pto_location *location)
{
    unsigned v;
    if (!word_index(location_words, G_N_ELEMENTS(location_words), word, &v)) return false;
    return *location = (tw_pto_location)v, true;
}

const char *tw__type_location_text(tw_pto_location location)
{
    return location_words[location];
}

const char *tw__type_near_location(const char *word)
{
    return tw__nearest(word, location_words, G_N_ELEMENTS(location_words));
}

static uint32_t valid_of(int64_t dim)
{
    return dim < 0 ? TW_PTO_DYNAMIC : (uint32_t)dim;
}

static const char *const keys[] = { "loc",     "dtype",   "rows",    "cols", "v_row",   "v_col",
                                    "blayout", "slayout", "fractal", "pad",  "compact", "valid" };
enum { LOC, DTYPE, ROWS, COLS, V_ROW, V_COL, BLAYOUT, SLAYOUT, FRACTAL, PAD, COMPACT, VALID };

/* Each fact stands once, whichever way it is spelled: `part` is what gives the fact of this key. */
static bool once(unsigned key, const char *part, uint32_t *seen)
{
    static const char *const facts[] = { "location",   "element type",  "shape",        "shape",
                                         "valid rows", "valid columns", "base layout",  "inner layout",
                                         "fractal",    "pad",           "compact mode", "valid" };
    if (*seen >> key & 1)
        return strcmp(part, keys[key]) == 0 ? tw__type_bad("'%s' is given twice", part)
                                            : tw__type_bad("a second %s, '%s'", facts[key], part);
    *seen |= 1u << key;
    return true;
}

static bool key_value(tw_pto_tile *t, const char *key, char *value, uint32_t *seen)
{
    unsigned k, v = 0;
    int64_t n = 0;
    if (!word_index(keys, G_N_ELEMENTS(keys), key, &k)) {
        const char *near = tw__nearest(key, keys, G_N_ELEMENTS(keys));
        return tw__type_bad(near ? "a tile type has no '%s'; did you mean '%s'?" : "a tile type has no '%s'", key,
                            near);
    }
    if (!once(k, key, seen)) return false;
    switch (k) {
    case LOC:
        if (!word_index(location_words, G_N_ELEMENTS(location_words), value, &v))
            return tw__type_bad(
                "'%s' is not a location: vec, mat, left, right, acc, bias, scaling, scale_left or scale_right",
                value);
        t->location = (unsigned char)v;
        return true;
    case DTYPE:
        t->type = tw__type_element(value);
        return t->type ? true : tw__type_no_element(value, "an element type");
    case BLAYOUT:
        if (!word_index(blayout_words, G_N_ELEMENTS(blayout_words), value, &v))
            return tw__type_bad("'%s' is not a base layout: row_major or col_major", value);
        t->blayout = (unsigned char)(v % 2);
        return true;
    case SLAYOUT:
        if (!word_index(slayout_words, G_N_ELEMENTS(slayout_words), value, &v))
            return tw__type_bad("'%s' is not an inner layout: none_box, row_major or col_major", value);
        t->slayout = (unsigned char)(v % 3);
        return true;
    case PAD:
        if (word_index(pad_words, G_N_ELEMENTS(pad_words), value, &v)) return t->pad = v, true;
        if (!tw__type_extent(value, &n) || n < 0 || n > 3)
            return tw__type_bad("'%s' is not a pad value: null, zero, max, min or 0 to 3", value);
        return t->pad = (uint64_t)n, true;
    case VALID: {
        char *x = strchr(value, 'x');
        int64_t rows = 0, cols = 0;
        if (!x) return tw__type_bad("'valid=%s' is not rows x columns, such as valid=8x?", value);
        if (!once(V_ROW, key, seen) || !once(V_COL, key, seen)) return false;
        *x = 0;
        if (!tw__type_extent(value, &rows) || !tw__type_extent(x + 1, &cols)) return false;
        t->valid_rows = valid_of(rows);
        t->valid_cols = valid_of(cols);
        return true;
    }
    default: break;
    }
    if (!tw__type_extent(value, &n)) return false;
    if (k == ROWS) t->rows = (uint32_t)(n < 0 ? 0 : n);
    if (k == COLS) t->cols = (uint32_t)(n < 0 ? 0 : n);
    if (k == V_ROW) t->valid_rows = valid_of(n);
    if (k == V_COL) t->valid_cols = valid_of(n);
    if (k == FRACTAL) t->fractal = (uint32_t)(n < 0 ? 0 : n);
    if (k == COMPACT && (n < 0 || n > 3)) return tw__type_bad("'%s' is not a compact mode: 0 to 3", value);
    if (k == COMPACT) t->compact = (unsigned char)n;
    return true;
}

/* "16x16xf32": both extents and the element type. */
static bool shape_part(tw_pto_tile *t, char *part, uint32_t *seen)
{
    int64_t dims[2];
    unsigned rank;
    if (!once(ROWS, part, seen) || !once(COLS, part, seen) || !once(DTYPE, part, seen)) return false;
    if (!tw__type_shaped(part, 2, dims, &rank, &t->type)) return false;
    if (rank != 2 || dims[0] < 0 || dims[1] < 0)
        return tw__type_bad("a tile has two extents, both known, before its element type, such as 16x16xf32");
    t->rows = (uint32_t)dims[0];
    t->cols = (uint32_t)dims[1];
    return true;
}

/* Rows, then columns, each a part of its own. */
static bool extent_part(tw_pto_tile *t, const char *part, uint32_t *seen)
{
    bool first = !(*seen >> ROWS & 1);
    int64_t n = 0;
    if (!tw__type_extent(part, &n)) return false;
    if (*seen >> COLS & 1) return tw__type_bad("a tile has two extents; '%s' is one more", part);
    *seen |= 1u << (first ? ROWS : COLS);
    *(first ? &t->rows : &t->cols) = (uint32_t)n;
    return true;
}

/* What stands by itself in none of its places: the name of a key, or something like a word of some place. */
static bool strange_part(const char *part)
{
    for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
        if (strcmp(part, keys[k]) == 0) return tw__type_bad("'%s' lacks its value: %s=...", part, part);
    const char *names[G_N_ELEMENTS(location_words) + 4 + G_N_ELEMENTS(slayout_words)];
    memcpy(names, location_words, sizeof location_words);
    memcpy(names + G_N_ELEMENTS(location_words), blayout_words, sizeof blayout_words);
    memcpy(names + G_N_ELEMENTS(location_words) + 4, slayout_words, sizeof slayout_words);
    const char *near = tw__nearest(part, names, G_N_ELEMENTS(names));
    return tw__type_bad(near ? "'%s' has no meaning in a tile type; did you mean '%s'?"
                             : "'%s' has no meaning in a tile type",
                        part, near);
}

/* RowMajor, NoneBox, None, Zero: base layout, inner layout, compact mode and pad, in this order. */
static bool layout_part(tw_pto_tile *t, const char *part, unsigned place, uint32_t *seen)
{
    static const char *const compact_words[] = { "None", "Null" };
    static const struct {
        unsigned key;
        const char *const *words;
        unsigned count, modulus;
        const char *wanted;
    } places[] = {
        { BLAYOUT, blayout_words, G_N_ELEMENTS(blayout_words), 2, "the base layout: RowMajor, ColMajor" },
        { SLAYOUT, slayout_words, G_N_ELEMENTS(slayout_words), 3, "the inner layout: NoneBox, RowMajor, ColMajor" },
        { COMPACT, compact_words, G_N_ELEMENTS(compact_words), 1, "the compact mode: None" },
        { PAD, pad_words, G_N_ELEMENTS(pad_words), 4, "the pad value: Null, Zero, Max, Min" }
    };
    unsigned v, other;
    if (place < G_N_ELEMENTS(places) && word_index(places[place].words, places[place].count, part, &v)) {
        unsigned value = v % places[place].modulus;
        if (place == 0) t->blayout = (unsigned char)value;
        if (place == 1) t->slayout = (unsigned char)value;
        if (place == 3) t->pad = value;
        return once(places[place].key, part, seen);
    }
    for (size_t p = 0; p < G_N_ELEMENTS(places); p++)
        if (word_index(places[p].words, places[p].count, part, &other))
            return place < G_N_ELEMENTS(places)
                       ? tw__type_bad("'%s' stands where a tile type has %s; the order is base layout, inner "
                                      "layout, compact mode, pad",
                                      part, places[place].wanted)
                       : tw__type_bad("'%s' is one part too many: after base layout, inner layout, compact mode "
                                      "and pad nothing follows",
                                      part);
    return strange_part(part);
}

/* A part without '='. `layouts` counts those that have their meaning by place. */
static bool positional(tw_pto_tile *t, char *part, unsigned *layouts, uint32_t *seen)
{
    unsigned v;
    tw_type element = tw__type_element(part);
    if (!*part) return tw__type_bad("an empty part of a tile type");
    if (element) return t->type = element, once(DTYPE, part, seen);
    if (strcmp(part, "...") == 0)
        return tw__type_bad("'...' stands for what a tile type says: memory, extents and element type, such as "
                            "'vec, 1x16xi32'");
    if (strchr(part, 'x') && (g_ascii_isdigit(*part) || *part == '?')) return shape_part(t, part, seen);
    if (g_ascii_isdigit(*part)) return extent_part(t, part, seen);
    if (word_index(location_words, G_N_ELEMENTS(location_words), part, &v))
        return t->location = (unsigned char)v, once(LOC, part, seen);
    return layout_part(t, part, (*layouts)++, seen);
}

static bool missing_extents(const tw_pto_tile *t)
{
    if (t->rows && t->cols) return false;
    tw__type_bad("a tile type of %u rows and %u columns: both are needed, such as 16x16xf32", t->rows, t->cols);
    return true;
}

static bool parse_tile(char *inner, tw_pto_tile *t)
{
    unsigned layouts = 0;
    bool good = true;
    uint32_t seen = 0;
    *t = (tw_pto_tile){ .fractal = 512, .valid_rows = 0, .valid_cols = 0 };
    char **parts = g_strsplit(inner, ",", 64);
    for (char **p = parts; *p && good; p++) {
        char *part = g_strstrip(*p), *equals = strchr(part, '=');
        if (!equals) {
            good = positional(t, part, &layouts, &seen);
            continue;
        }
        *equals = 0;
        char *key = g_strstrip(part), *value = g_strstrip(equals + 1);
        good = key_value(t, key, value, &seen);
    }
    g_strfreev(parts);
    if (!(seen >> V_ROW & 1)) t->valid_rows = t->rows;
    if (!(seen >> V_COL & 1)) t->valid_cols = t->cols;
    if (good && !t->type) return tw__type_bad("a tile type without an element type, such as i32");
    if (good && t->type == TW_BOOL) return tw__type_bad("'i1' is not an element type of tiles");
    if (good && missing_extents(t)) return false;
    return good && (tw_pto_tile_check(t) == TW_OK);
}

static void print_extent(GString *s, uint32_t n)
{
    if (n == TW_PTO_DYNAMIC)
        g_string_append(s, "?");
    else
        g_string_append_printf(s, "%u", n);
}

static void print_tile(GString *s, const tw__as_type *type)
{
    const tw_pto_tile *t = &type->tile;
    g_string_append_printf(s, "!pto.%s<%s, %ux%ux%s", type->buffer ? "tile_buf" : "tile",
                           location_words[t->location], t->rows, t->cols, tw__type_element_text(t->type));
    if (t->valid_rows != t->rows || t->valid_cols != t->cols) {
        g_string_append(s, ", valid=");
        print_extent(s, t->valid_rows);
        g_string_append(s, "x");
        print_extent(s, t->valid_cols);
    }
    if (t->blayout) g_string_append_printf(s, ", blayout=%s", blayout_words[t->blayout]);
    if (t->slayout) g_string_append_printf(s, ", slayout=%s", slayout_words[t->slayout]);
    if (t->fractal != 512) g_string_append_printf(s, ", fractal=%u", t->fractal);
    if (t->pad) g_string_append_printf(s, ", pad=%llu", (unsigned long long)t->pad);
    if (t->compact) g_string_append_printf(s, ", compact=%u", t->compact);
    g_string_append(s, ">");
}

bool tw__type_tile(const char *text, tw__as_type *type, GString *s)
{
    char buf[512];
    type->kind = TW__AS_TILE;
    type->buffer = text[9] == '_';
    if (!tw__type_inside(text, buf, sizeof buf) || !parse_tile(buf, &type->tile)) return false;
    type->element = type->tile.type;
    print_tile(s, type);
    return true;
}
