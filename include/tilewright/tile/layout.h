/* SPDX-License-Identifier: MIT */
/* How the vectors of a vertex look in a tile's memory: the layouts of the guide's chapter 4, for Mk1 and Mk2.
 *
 *     const tw_tile_arch *chip = tw_tile_arch_by_name("mk2");
 *     tw_vector_form form = { TW_LAYOUT_SHORT_SPAN, 4, 0, false };          // Vector<float, SHORT_SPAN>
 *     uint32_t words[2];
 *     if (tw_vector_encode(chip, &form, 0x4C010, 2047, words) == TW_OK)    // words[0] = 0xFFE4C010
 *         printf("%08X\n", words[0]);
 *
 * Every limit is checked in both directions, with a message that names layout, limit and value:
 * TW_E_INVALID_ARGUMENT for a layout that the chip lacks and for bad alignments, TW_E_INDEX for addresses,
 * TW_E_OVERFLOW for counts and offsets. Bit positions that the guide's lost figures leave open are listed in
 * docs/poplar-memory.md.
 *
 * Threads: pure functions, for any number at once: nothing is kept, nothing is allocated. */
#ifndef TILEWRIGHT_TILE_LAYOUT_H
#define TILEWRIGHT_TILE_LAYOUT_H

#include <tilewright/tile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, list, bytes, align, min_align, platforms): is it a VectorList; size and alignment of what the
 * vertex state holds; default of MinAlign (guide 4.1.3); "Platform support" of tables 4.1 and 4.3. Order of
 * poplar::VectorLayout. */
// clang-format off
#define TW_LAYOUT_LIST(X)                                     \
    X(NOT_A_VECTOR, 0,   false, 0, 1, 1,  "")                    \
    X(SPAN, 1,           false, 8, 4, 1,  "all")                 \
    X(SHORT_SPAN, 2,     false, 4, 4, 1,  "Mk1 and Mk2")         \
    X(ONE_PTR, 3,        false, 4, 4, 1,  "all")                 \
    X(SCALED_PTR32, 4,   false, 2, 2, 4,  "Mk1 only")            \
    X(SCALED_PTR64, 5,   false, 2, 2, 8,  "Mk1 only")            \
    X(SCALED_PTR128, 6,  false, 2, 2, 16, "Mk1 and Mk2")         \
    X(COMPACT_PTR, 7,    false, 0, 1, 1,  "all")                 \
    X(DELTAN, 8,         true,  8, 4, 1,  "Mk1 only")            \
    X(DELTANELEMENTS, 9, true,  8, 4, 1,  "all")                 \
    X(COMPACT_DELTAN, 10, true,  0, 1, 1,  "all")
// clang-format on

typedef enum tw_layout {
#define TW_LAYOUT_ENUM(name, number, list, bytes, align, min_align, platforms) TW_LAYOUT_##name = number,
    TW_LAYOUT_LIST(TW_LAYOUT_ENUM)
#undef TW_LAYOUT_ENUM
        TW_LAYOUT_COUNT = 11
} tw_layout;

typedef struct tw_layout_info {
    const char *name; /* "SHORT_SPAN" */
    bool is_list;     /* of VectorList */
    bool has_count;   /* the state stores the number of elements (of rows in a list) */
    bool has_size;    /* .size() and iterators: SPAN and SHORT_SPAN */
    unsigned bytes;   /* in the vertex state, trailing padding included; 0 for COMPACT_*, which stand for another */
    unsigned align;   /* bytes, of these bytes */
    unsigned default_min_align;
    const char *platforms;
} tw_layout_info;

/* Static row; that of NOT_A_VECTOR for anything else. */
TW_API const tw_layout_info *tw_layout_get(tw_layout layout);
/* Without regard to case; TW_LAYOUT_NOT_A_VECTOR and a message with the nearest name when unknown. */
TW_API tw_layout tw_layout_by_name(const char *name);
/* Can the layout address all memory of the chip, and is it one? COMPACT_*: always on an IPU. */
TW_API bool tw_layout_available(const tw_tile_arch *arch, tw_layout layout);

/* What the template parameters of Vector and VectorList say. */
typedef struct tw_vector_form {
    tw_layout layout;
    unsigned element_bytes; /* 1, 2, 4, 8 or 16 */
    unsigned min_align;     /* bytes, a power of two; 0 = the layout's default */
    bool interleaved;       /* data in interleaved memory (guide 4.1.4) */
} tw_vector_form;

/* COMPACT_* become what they stand for (guide table 4.2), min_align becomes the alignment that holds: the larger of
 * MinAlign (or its default) and the element. *out may be *form. */
TW_API tw_status tw_layout_resolve(const tw_tile_arch *arch, const tw_vector_form *form, tw_vector_form *out);

/* Largest count that a resolved form stores: 2,047 for SHORT_SPAN, UINT32_MAX where none is stored. For lists the
 * number of rows; tw_layout_max_row() is the number of elements in one. */
TW_API uint32_t tw_layout_max_count(const tw_vector_form *form);
TW_API uint32_t tw_layout_max_row(const tw_vector_form *form);

/* Where the parts of a resolved form are: "pointer [19:0], reserved [20], count [31:21]"; for lists the two words of
 * the base structure and then a row. Returns buf. */
TW_API char *tw_layout_describe(const tw_vector_form *form, char *buf, size_t size);

/* --- Vector<T> (guide 4.2.2) --------------------------------------------------------------------------------- */

/* One value per machine word of the state: words[0], and words[1] for SPAN's count. A 16-bit pointer is in the low
 * bits of words[0]. Where the layout stores no count, `count` only serves to check that the data ends inside the
 * memory. Address 0 with count 0 is accepted as "nothing" and stored as zeros. */
TW_API tw_status tw_vector_encode(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t address,
                                  uint32_t count, uint32_t words[2]);
/* The inverse. Reserved bits are masked off. *count is 0 where none is stored. What was read is written to *address
 * and
 * *count even if it then turns out not to lie in the chip's memory (TW_E_INDEX). */
TW_API tw_status tw_vector_decode(const tw_tile_arch *arch, const tw_vector_form *form, const uint32_t words[2],
                                  uint32_t *address, uint32_t *count);

/* --- VectorList<T> (guide 4.2.4) ----------------------------------------------------------------------------- */

/* The base structure: where the data starts, how many rows there are, where the table with one word per row lies.
 * DELTAN: words[1] holds the 16-bit pointer to the table. No rows: both addresses may be 0. */
TW_API tw_status tw_list_encode(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base, uint32_t rows,
                                uint32_t table, uint32_t words[2]);
TW_API tw_status tw_list_decode(const tw_tile_arch *arch, const tw_vector_form *form, const uint32_t words[2],
                                uint32_t *base, uint32_t *rows, uint32_t *table);
/* One word of the table. A row without elements is stored with offset 0, wherever `address` is. */
TW_API tw_status tw_list_encode_row(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base,
                                    uint32_t address, uint32_t count, uint32_t *word);
TW_API tw_status tw_list_decode_row(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t base,
                                    uint32_t word, uint32_t *address, uint32_t *count);

/* --- whole two-dimensional fields, as bytes ------------------------------------------------------------------ */

typedef struct tw_row {
    uint32_t address, count; /* elements */
} tw_row;

/* Bytes of the words of a resolved layout, little-endian as the chip stores them; padding is zero. */
TW_API void tw_layout_store(tw_layout layout, const uint32_t words[2], uint8_t *bytes);
TW_API void tw_layout_load(tw_layout layout, const uint8_t *bytes, uint32_t words[2]);

/* Size of the table behind a field of `rows` rows: of a list (outer ignored), or of Vector<Input<Vector<T>>>. `form`
 * is that of the rows. table_align receives the alignment of the table's address (may be NULL). */
TW_API tw_status tw_rows_table_bytes(const tw_tile_arch *arch, tw_layout outer, const tw_vector_form *form,
                                     uint32_t rows, size_t *bytes, unsigned *table_align);
/* Encodes the field: words of its state into `words`, the table, which lies at address `table`, into `bytes`. Rows
 * may be of different lengths. A list's base is its lowest non-empty row. `outer` is the outer vector's layout (guide
 * 4.2.3), or NOT_A_VECTOR for a list. */
TW_API tw_status tw_rows_encode(const tw_tile_arch *arch, tw_layout outer, const tw_vector_form *form,
                                const tw_row *rows, uint32_t row_count, uint32_t table, uint32_t words[2],
                                uint8_t *bytes);
/* Row `index` of an encoded field, from its words and its table. */
TW_API tw_status tw_rows_decode(const tw_tile_arch *arch, tw_layout outer, const tw_vector_form *form,
                                const uint32_t words[2], const uint8_t *bytes, uint32_t index, tw_row *row);

/* --- division by six (guide 7.5.3, decision in docs/poplar-memory.md) ---------------------------------------- */

/* (n * 0xAAAB) >> 18, which is n / 6 for n < 98,304; TW_E_OVERFLOW from there on. */
TW_API tw_status tw_div6(uint32_t n, uint32_t *quotient);
/* Quotient above 3 bits of remainder in 16 bits: n <= 49,151; TW_E_OVERFLOW above. */
TW_API tw_status tw_div6_pack(uint32_t n, uint16_t *packed);
/* Share of worker `worker` (0 to 5) in a packed number of items: [begin, begin + count). */
TW_API void tw_div6_share(uint16_t packed, unsigned worker, uint32_t *begin, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
