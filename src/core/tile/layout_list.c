/* SPDX-License-Identifier: MIT */
/* Layouts of two-dimensional fields (layout.h): VectorList (guide 4.2.4) and Vector<Input<Vector<T>>> (guide 4.2.3),
 * word by word and as bytes of the state and of the table behind it. Little-endian, as the chip is. */
#include "core/tile/layout.h"

#include <string.h>

/* DELTAN (figures 4.8 and 4.9): base [19:0], rows [31:20]; rows: byte offset [17:0], count [31:18]. */
#define DELTAN_ROWS_SHIFT  20
#define DELTAN_OFFSET_BITS 18
/* DELTANELEMENTS (figure 4.5, docs/decisions.md, M1): address [20:0], reserved [23:21], a half of the number of rows
 * [31:24]. */
#define DNE_ADDRESS_BITS 21
#define DNE_ROWS_SHIFT   24

static unsigned log2_of(unsigned power)
{
    return power ? (unsigned)__builtin_ctz(power) : 0;
}

/* Table 4.4: bits of the offset; the count has the rest. The unit is the alignment, in DELTAN one byte. */
static unsigned offset_bits(const tw_vector_form *form)
{
    return form->layout == TW_LAYOUT_DELTAN ? DELTAN_OFFSET_BITS : DNE_ADDRESS_BITS - log2_of(form->min_align);
}

static unsigned offset_unit(const tw_vector_form *form)
{
    return form->layout == TW_LAYOUT_DELTAN ? 1 : form->min_align;
}

uint32_t tw_layout_max_row(const tw_vector_form *form)
{
    return tw_layout_get(form->layout)->is_list ? tw__low_bits(32 - offset_bits(form)) : tw_layout_max_count(form);
}

/* Text of every layout beside the code that packs it; %u: bits of a row's offset. */
char *tw_layout_describe(const tw_vector_form *form, char *buf, size_t size)
{
    static const char *const texts[TW_LAYOUT_COUNT] = {
        [TW_LAYOUT_SPAN] = "pointer [31:0], count [63:32]",
        [TW_LAYOUT_SHORT_SPAN] = "pointer [19:0], reserved [20], count [31:21]",
        [TW_LAYOUT_ONE_PTR] = "pointer [31:0]",
        [TW_LAYOUT_SCALED_PTR32] = "pointer bits [17:2] in [15:0]",
        [TW_LAYOUT_SCALED_PTR64] = "pointer bits [18:3] in [15:0]",
        [TW_LAYOUT_SCALED_PTR128] = "pointer bits [19:4] in [15:0]",
    };
    const char *text = (unsigned)form->layout < TW_LAYOUT_COUNT ? texts[form->layout] : NULL;
    bool list = tw_layout_get(form->layout)->is_list && tw_layout_get(form->layout)->bytes;
    unsigned bits = list ? offset_bits(form) : 0;
    if (!list)
        snprintf(buf, size, "%s", text ? text : "");
    else if (form->layout == TW_LAYOUT_DELTAN)
        snprintf(buf, size,
                 "base [19:0], rows [31:20], table bits [17:2] in [47:32]; row: byte offset [17:0], count [31:18]");
    else
        snprintf(buf, size,
                 "base [20:0], rows low [31:24], table [52:32], rows high [63:56]; row: offset [%u:0] in units of "
                 "%u byte%s, "
                 "count [31:%u]",
                 bits - 1, offset_unit(form), offset_unit(form) == 1 ? "" : "s", bits);
    return buf;
}

/* --- base structure ------------------------------------------------------------------------------------------ */

static tw_status check_base(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base, uint32_t rows,
                            uint32_t table)
{
    tw_vector_form table_form = { form->layout, 4, 4, false }; /* the table itself may lie anywhere */
    tw_status status = TW_OK;
    if (base || rows) status = tw__layout_check_range(arch, form, base, 0, form->min_align, "the base");
    if (status == TW_OK && (table || rows))
        status = tw__layout_check_range(arch, &table_form, table, (uint64_t)rows * 4, 4, "the table of rows");
    return status;
}

tw_status tw_list_encode(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base, uint32_t rows,
                         uint32_t table, uint32_t words[2])
{
    tw_vector_form f;
    tw_status status = tw__layout_prepare(arch, form, true, &f);
    if (status == TW_OK)
        status = tw__layout_check_count(&f, "sub-vectors", rows, tw_layout_max_count(&f),
                                        f.layout == TW_LAYOUT_DELTAN ? 12 : 16);
    if (status == TW_OK) status = check_base(arch, &f, base, rows, table);
    if (status != TW_OK) return status;
    if (f.layout == TW_LAYOUT_DELTAN) {
        words[0] = base | rows << DELTAN_ROWS_SHIFT;
        words[1] = tw__layout_pack_pointer(TW_LAYOUT_SCALED_PTR32, table);
    } else {
        words[0] = base | (rows & 0xFF) << DNE_ROWS_SHIFT;
        words[1] = table | (rows >> 8) << DNE_ROWS_SHIFT;
    }
    return TW_OK;
}

tw_status tw_list_decode(const tw_tile_arch *arch, const tw_vector_form *form, const uint32_t words[2],
                         uint32_t *base, uint32_t *rows, uint32_t *table)
{
    tw_vector_form f;
    tw_status status = tw__layout_prepare(arch, form, true, &f);
    if (status != TW_OK) return status;
    *base = tw__layout_unpack_pointer(arch, f.layout, words[0]);
    if (f.layout == TW_LAYOUT_DELTAN) {
        *rows = words[0] >> DELTAN_ROWS_SHIFT;
        *table = tw__layout_unpack_pointer(arch, TW_LAYOUT_SCALED_PTR32, words[1]);
    } else {
        *rows = words[0] >> DNE_ROWS_SHIFT | (words[1] >> DNE_ROWS_SHIFT) << 8;
        *table = words[1] & tw__low_bits(DNE_ADDRESS_BITS);
    }
    return check_base(arch, &f, *base, *rows, *table);
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

tw_status tw_list_encode_row(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base, uint32_t address,
                             uint32_t count, uint32_t *word)
{
    tw_vector_form f;
    tw_status status = tw__layout_prepare(arch, form, true, &f);
    if (status != TW_OK) return status;
    const char *name = tw_layout_get(f.layout)->name;
    unsigned bits = offset_bits(&f), unit = offset_unit(&f);
    status = tw__layout_check_count(&f, "elements", count, tw_layout_max_row(&f), 32 - bits);
    if (status != TW_OK) return status;
    if (!count) return *word = 0, TW_OK;
    status = tw__layout_check_data(arch, &f, address, count);
    if (status != TW_OK) return status;
    if (address < base || (address - base) % f.min_align)
        return tw__fail(TW_E_INDEX, "%s: a row at 0x%X is not a multiple of %u bytes after the base 0x%X", name,
                        address, f.min_align, base);
    uint32_t offset = (address - base) / unit;
    if (offset > tw__low_bits(bits))
        return tw__fail(TW_E_OVERFLOW,
                        "%s: a row at 0x%X is %u units of %u byte%s after the base 0x%X, at most %u fit into "
                        "%u bits",
                        name, address, offset, unit, unit == 1 ? "" : "s", base, tw__low_bits(bits), bits);
    *word = offset | count << bits;
    return TW_OK;
}

tw_status tw_list_decode_row(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base, uint32_t word,
                             uint32_t *address, uint32_t *count)
{
    tw_vector_form f;
    tw_status status = tw__layout_prepare(arch, form, true, &f);
    if (status != TW_OK) return status;
    unsigned bits = offset_bits(&f);
    *address = base + (word & tw__low_bits(bits)) * offset_unit(&f);
    *count = word >> bits;
    if (*count && (*address < base || (*address - base) % f.min_align))
        return tw__fail(TW_E_INDEX, "%s: a row at 0x%X is not a multiple of %u bytes after the base 0x%X",
                        tw_layout_get(f.layout)->name, *address, f.min_align, base);
    return *count ? tw__layout_check_data(arch, &f, *address, *count) : TW_OK;
}

/* --- bytes ---------------------------------------------------------------------------------------------------- */

static void layout_list_put(uint8_t *bytes, uint32_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get(const uint8_t *bytes, unsigned size)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++) value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

/* Bytes of words[1]: DELTAN's is a 16-bit pointer before two bytes of padding. */
static unsigned second_bytes(tw_layout layout)
{
    return layout == TW_LAYOUT_DELTAN ? 2 : tw_layout_get(layout)->bytes == 8 ? 4 : 0;
}

void tw_layout_store(tw_layout layout, const uint32_t words[2], uint8_t *bytes)
{
    unsigned size = tw_layout_get(layout)->bytes;
    memset(bytes, 0, size);
    layout_list_put(bytes, words[0], size < 4 ? size : 4);
    layout_list_put(bytes + 4, words[1], second_bytes(layout));
}

void tw_layout_load(tw_layout layout, const uint8_t *bytes, uint32_t words[2])
{
    unsigned size = tw_layout_get(layout)->bytes;
    words[0] = get(bytes, size < 4 ? size : 4);
    words[1] = get(bytes + 4, second_bytes(layout));
}

/* --- whole fields --------------------------------------------------------------------------------------------- */

/* The outer vector of Vector<Input<Vector<T>>>: its elements are the inner vectors' words. */
static tw_vector_form outer_form(tw_layout outer, const tw_vector_form *inner)
{
    return (tw_vector_form){ outer, tw_layout_get(inner->layout)->bytes, 0, false };
}

tw_status tw_rows_table_bytes(const tw_tile_arch *arch, tw_layout outer, const tw_vector_form *form, uint32_t rows,
                              size_t *bytes, unsigned *table_align)
{
    tw_vector_form f, o;
    bool list = outer == TW_LAYOUT_NOT_A_VECTOR;
    tw_status status = tw__layout_prepare(arch, form, list, &f);
    if (status != TW_OK) return status;
    unsigned entry = list ? 4 : tw_layout_get(f.layout)->bytes, align = entry;
    if (!list) {
        tw_vector_form wanted = outer_form(outer, &f);
        if ((status = tw__layout_prepare(arch, &wanted, false, &o)) != TW_OK) return status;
        align = o.min_align;
    }
    *bytes = (size_t)rows * entry;
    if (table_align) *table_align = align;
    return TW_OK;
}

static tw_status encode_list(const tw_tile_arch *arch, const tw_vector_form *form, const tw_row *rows,
                             uint32_t count, uint32_t table, uint32_t words[2], uint8_t *bytes)
{
    uint32_t base = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].count && (!base || rows[i].address < base)) base = rows[i].address;
    if (!base && count) base = arch->base_address; /* only empty rows: any valid address */
    if (form->min_align && base % form->min_align) base -= base % form->min_align; /* the row itself is refused */
    tw_status status = tw_list_encode(arch, form, base, count, table, words);
    for (uint32_t i = 0; i < count && status == TW_OK; i++) {
        uint32_t word;
        status = tw_list_encode_row(arch, form, base, rows[i].address, rows[i].count, &word);
        if (status == TW_OK) layout_list_put(bytes + 4 * (size_t)i, word, 4);
    }
    return status;
}

tw_status tw_rows_encode(const tw_tile_arch *arch, tw_layout outer, const tw_vector_form *form, const tw_row *rows,
                         uint32_t row_count, uint32_t table, uint32_t words[2], uint8_t *bytes)
{
    tw_vector_form f;
    bool list = outer == TW_LAYOUT_NOT_A_VECTOR;
    tw_status status = tw__layout_prepare(arch, form, list, &f);
    if (status != TW_OK) return status;
    if (list) return encode_list(arch, &f, rows, row_count, table, words, bytes);
    unsigned entry = tw_layout_get(f.layout)->bytes;
    tw_vector_form wanted = outer_form(outer, &f);
    status = tw_vector_encode(arch, &wanted, table, row_count, words);
    for (uint32_t i = 0; i < row_count && status == TW_OK; i++) {
        uint32_t inner[2];
        status = tw_vector_encode(arch, &f, rows[i].address, rows[i].count, inner);
        if (status == TW_OK) tw_layout_store(f.layout, inner, bytes + (size_t)i * entry);
    }
    return status;
}

tw_status tw_rows_decode(const tw_tile_arch *arch, tw_layout outer, const tw_vector_form *form,
                         const uint32_t words[2], const uint8_t *bytes, uint32_t index, tw_row *row)
{
    tw_vector_form f;
    bool list = outer == TW_LAYOUT_NOT_A_VECTOR;
    tw_status status = tw__layout_prepare(arch, form, list, &f);
    if (status != TW_OK) return status;
    uint32_t base, rows, table, inner[2];
    if (list) {
        status = tw_list_decode(arch, &f, words, &base, &rows, &table);
        if (status == TW_OK && index >= rows)
            return tw__fail(TW_E_INDEX, "row %u of a list of %u rows", index, rows);
        return status == TW_OK ? tw_list_decode_row(arch, &f, base, get(bytes + 4 * (size_t)index, 4),
                                                    &row->address, &row->count)
                               : status;
    }
    tw_layout_load(f.layout, bytes + (size_t)index * tw_layout_get(f.layout)->bytes, inner);
    return tw_vector_decode(arch, &f, inner, &row->address, &row->count);
}
