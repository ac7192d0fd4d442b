/* SPDX-License-Identifier: MIT */
/* What is written and read of DWARF 4: operations of frames (7.23), numbers as bytes (7.6). */
#ifndef TW_COLOSSUS_OBJECT_DWARF_H
#define TW_COLOSSUS_OBJECT_DWARF_H

#include <glib.h>

enum {
    CFA_ADVANCE = 0x40, /* the lower six bits are the operand of these three */
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_NOP = 0x00,
    CFA_SET_ADDRESS = 0x01,
    CFA_ADVANCE1 = 0x02,
    CFA_ADVANCE2 = 0x03,
    CFA_ADVANCE4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF = 0x0c,
    CFA_DEF_REGISTER = 0x0d,
    CFA_DEF_OFFSET = 0x0e,
    CFA_DEF_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_SIGNED = 0x11,
    CFA_DEF_SIGNED = 0x12,
    CFA_DEF_OFFSET_SIGNED = 0x13,
    CFA_VALUE = 0x14,
    CFA_VALUE_SIGNED = 0x15,
    CFA_VALUE_EXPRESSION = 0x16
};

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
