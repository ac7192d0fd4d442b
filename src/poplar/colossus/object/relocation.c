/* SPDX-License-Identifier: MIT */
/* Relocations: names, and putting an address into its field. */
#include "poplar/colossus/object/object.h"

#include <tilewright/tile.h>

enum { D, L, R }; /* where: data, low bits of the word, as in `run` */

static const struct {
    const char *name;
    uint8_t bits, shift, relative, where;
} rows[] = {
#define ROW(name, number, bits, shift, relative, where) \
    [number] = { "R_COLOSSUS_" #name, bits, shift, relative, where },
    TW_RELOCATION_LIST(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *tw_relocation_name(unsigned type)
{
    return type < ROWS ? rows[type].name : NULL;
}

unsigned tw__relocation_bytes(unsigned type)
{
    unsigned bits = rows[type].bits;
    return rows[type].where != D ? 4 : bits == 64 ? 8 : bits / 8;
}

static uint32_t read32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void write_bytes(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

tw_status tw_relocation_apply(tw_isa_arch arch, unsigned type, uint64_t address, uint8_t *at)
{
    if (!tw_relocation_name(type)) return tw__fail(TW_E_INVALID_ARGUMENT, "there is no relocation %u", type);
    if (!at || !*tw_isa_arch_name(arch))
        return tw__fail(TW_E_INVALID_ARGUMENT, "a relocation needs a field and one chip");
    unsigned bits = rows[type].bits, shift = rows[type].shift;
    if (bits == 0) return TW_OK;
    uint64_t value = address;
    if (rows[type].relative) value -= tw_tile_arch_by_name(tw_isa_arch_name(arch))->base_address;
    if (value & ((UINT64_C(1) << shift) - 1))
        return tw__fail(TW_E_OVERFLOW, "%s needs a multiple of %u, not 0x%llx", rows[type].name, 1u << shift,
                        (unsigned long long)value);
    value >>= shift;
    /* Data may be negative numbers as well; fields of instructions hold addresses. */
    bool negative = rows[type].where == D && !shift && bits < 64 && (int64_t)value < 0 &&
                    (int64_t)value >= -(INT64_C(1) << (bits - 1));
    if (bits < 64 && value >> bits && !negative)
        return tw__fail(TW_E_OVERFLOW, "0x%llx does not fit the %u bits of %s", (unsigned long long)address, bits,
                        rows[type].name);
    uint32_t word;
    switch (rows[type].where) {
    case D: write_bytes(at, value, bits == 64 ? 8 : (int)bits / 8); break;
    case L:
        word = read32(at);
        word = (word & ~((1u << bits) - 1)) | (uint32_t)value;
        write_bytes(at, word, 4);
        break;
    case R:
        word = read32(at) & ~0xF0FFFu;
        word |= (uint32_t)((value & 0xF000) << 4 | (value & 0xFFF));
        write_bytes(at, word, 4);
        break;
    }
    return TW_OK;
}
