/* SPDX-License-Identifier: MIT */
/* Bytes of sections that hold DWARF: words from the low byte on, numbers of seven bits a byte (DWARF 4, 7.6). */
#ifndef TW_COLOSSUS_ASM_DWARF_BYTES_H
#define TW_COLOSSUS_ASM_DWARF_BYTES_H

#include <glib.h>

static inline void dwarf_byte(GByteArray *out, unsigned byte)
{
    guint8 b = (guint8)byte;
    g_byte_array_append(out, &b, 1);
}

static inline void dwarf_word(GByteArray *out, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) dwarf_byte(out, word >> 8 * i & 0xff);
}

static inline void dwarf_leb(GByteArray *out, uint64_t n)
{
    for (; n > 0x7f; n >>= 7) dwarf_byte(out, (unsigned)(n & 0x7f) | 0x80);
    dwarf_byte(out, (unsigned)n);
}

static inline void dwarf_sleb(GByteArray *out, int64_t n)
{
    for (; n < -64 || n > 63; n >>= 7) dwarf_byte(out, (unsigned)(n & 0x7f) | 0x80);
    dwarf_byte(out, (unsigned)(n & 0x7f));
}

#endif
