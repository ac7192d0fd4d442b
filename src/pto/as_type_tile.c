/* as_type_tile: types of tiles in their keyed, compact and positional spellings (spec pto.md 2.2). */
#include "pto/as_type.h"

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

static bool key_value(tw_pto_tile *t, const char *key, char *value, uint32_t *seen)
{
    unsigned k, v = 0;
    int64_t n = 0;
    if (!word_index(keys, G_N_ELEMENTS(keys), key, &k)) {
        const char *near = tw__nearest(key, keys, G_N_ELEMENTS(keys));
        return tw__type_bad(near ? "a tile type has no '%s'; did you mean '%s'?" : "a tile type has no '%s'", key,
                            near);
    }
    if (*seen >> k & 1) return tw__type_bad("'%s' is given twice", key);
    *seen |= 1u << k;
    switch (k) {
    case 0:
        if (!word_index(location_words, G_N_ELEMENTS(location_words), value, &v))
            return tw__type_bad(
                "'%s' is not a location: vec, mat, left, right, acc, bias, scaling, scale_left or scale_right",
                value);
        t->location = (unsigned char)v;
        return true;
    case 1:
        t->type = tw__type_element(value);
        return t->type ? true : tw__type_no_element(value, "an element type");
    case 6:
        if (!word_index(blayout_words, G_N_ELEMENTS(blayout_words), value, &v))
            return tw__type_bad("'%s' is not a base layout: row_major or col_major", value);
        t->blayout = (unsigned char)(v % 2);
        return true;
    case 7:
        if (!word_index(slayout_words, G_N_ELEMENTS(slayout_words), value, &v))
            return tw__type_bad("'%s' is not an inner layout: none_box, row_major or col_major", value);
        t->slayout = (unsigned char)(v % 3);
        return true;
    case 9:
        if (word_index(pad_words, G_N_ELEMENTS(pad_words), value, &v)) return t->pad = v, true;
        if (!tw__type_extent(value, &n) || n < 0 || n > 3)
            return tw__type_bad("'%s' is not a pad value: null, zero, max, min or 0 to 3", value);
        return t->pad = (uint64_t)n, true;
    case 11: {
        char *x = strchr(value, 'x');
        int64_t rows = 0, cols = 0;
        if (!x) return tw__type_bad("'valid=%s' is not rows x columns", value);
        *x = 0;
        if (!tw__type_extent(value, &rows) || !tw__type_extent(x + 1, &cols)) return false;
        t->valid_rows = valid_of(rows);
        t->valid_cols = valid_of(cols);
        return true;
    }
    default: break;
    }
    if (!tw__type_extent(value, &n)) return false;
    if (k == 2) t->rows = (uint32_t)(n < 0 ? 0 : n);
    if (k == 3) t->cols = (uint32_t)(n < 0 ? 0 : n);
    if (k == 4) t->valid_rows = valid_of(n);
    if (k == 5) t->valid_cols = valid_of(n);
    if (k == 8) t->fractal = (uint32_t)(n < 0 ? 0 : n);
    if (k == 10 && (n < 0 || n > 3)) return tw__type_bad("'%s' is not a compact mode: 0 to 3", value);
    if (k == 10) t->compact = (unsigned char)n;
    return true;
}

/* One positional part: location, shape, element type, extents one after the other, or layouts in their order. */
static bool positional(tw_pto_tile *t, char *part, unsigned *extents, unsigned *layouts)
{
    unsigned v;
    int64_t dims[2], n = 0;
    unsigned rank;
    tw_type element = tw__type_element(part);
    if (element && t->type) return tw__type_bad("a second element type, '%s'", part);
    if (element) return t->type = element, true;
    if (!*part) return tw__type_bad("an empty part of a tile type");
    if (strcmp(part, "...") == 0)
        return tw__type_bad("'...' stands for what a tile type says: memory, extents and element type, such as "
                            "'vec, 1x16xi32'");
    if (strchr(part, 'x') && (g_ascii_isdigit(*part) || *part == '?')) {
        if (t->rows || t->type) return tw__type_bad("a second shape, '%s'", part);
        if (!tw__type_shaped(part, 2, dims, &rank, &t->type)) return false;
        if (rank != 2 || dims[0] < 0 || dims[1] < 0) return tw__type_bad("a tile has two extents, both known");
        t->rows = (uint32_t)dims[0];
        t->cols = (uint32_t)dims[1];
        return true;
    }
    if (g_ascii_isdigit(*part)) {
        if (!tw__type_extent(part, &n)) return false;
        if (*extents > 1) return tw__type_bad("a tile has two extents");
        *((*extents)++ ? &t->cols : &t->rows) = (uint32_t)n;
        return true;
    }
    if (word_index(location_words, G_N_ELEMENTS(location_words), part, &v))
        return t->location = (unsigned char)v, true;
    switch ((*layouts)++) { /* RowMajor, NoneBox, None, Zero: base, inner, compact, pad */
    case 0:
        if (word_index(blayout_words, G_N_ELEMENTS(blayout_words), part, &v))
            return t->blayout = (unsigned char)(v % 2), true;
        break;
    case 1:
        if (word_index(slayout_words, G_N_ELEMENTS(slayout_words), part, &v))
            return t->slayout = (unsigned char)(v % 3), true;
        break;
    case 2:
        return strcmp(part, "None") == 0 || strcmp(part, "Null") == 0
                   ? true
                   : tw__type_bad("'%s' is not a compact mode", part);
    case 3:
        if (word_index(pad_words, G_N_ELEMENTS(pad_words), part, &v)) return t->pad = v, true;
        break;
    default: break;
    }
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

static bool missing_extents(const tw_pto_tile *t)
{
    if (t->rows && t->cols) return false;
    tw__type_bad("a tile type of %u rows and %u columns: both are needed, such as 16x16xf32", t->rows, t->cols);
    return true;
}

static bool parse_tile(char *inner, tw_pto_tile *t)
{
    unsigned extents = 0, layouts = 0, keyed = 0;
    bool good = true, valid = false;
    uint32_t seen = 0;
    *t = (tw_pto_tile){ .fractal = 512, .valid_rows = 0, .valid_cols = 0 };
    char **parts = g_strsplit(inner, ",", 64);
    for (char **p = parts; *p && good; p++) {
        char *part = g_strstrip(*p), *equals = strchr(part, '=');
        if (!equals) {
            good = keyed == 0 || *part ? positional(t, part, &extents, &layouts) : tw__type_bad("an empty part");
            continue;
        }
        *equals = 0;
        char *key = g_strstrip(part), *value = g_strstrip(equals + 1);
        keyed++;
        valid = valid || strcmp(key, "v_row") == 0 || strcmp(key, "v_col") == 0 || strcmp(key, "valid") == 0;
        good = key_value(t, key, value, &seen);
    }
    g_strfreev(parts);
    if (!valid) {
        t->valid_rows = t->rows;
        t->valid_cols = t->cols;
    }
    if (good && !t->type) return tw__type_bad("a tile type without an element type, such as i32");
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
