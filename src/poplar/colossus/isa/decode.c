/* SPDX-License-Identifier: MIT */
/* Words to instructions and back. */
#include "poplar/colossus/isa/isa.h"

#include <glib.h>
#include <string.h>

uint64_t tw__isa_insert(const tw__isa_field *field, uint64_t word, uint32_t number)
{
    for (unsigned p = 0; p < field->pieces; p++) {
        const tw__isa_piece *piece = &field->piece[p];
        uint64_t ones = (UINT64_C(1) << piece->width) - 1;
        word = (word & ~(ones << piece->from)) | (((uint64_t)number >> piece->to & ones) << piece->from);
    }
    return word;
}

uint32_t tw__isa_extract(const tw__isa_field *field, uint64_t word)
{
    uint32_t number = 0;
    for (unsigned p = 0; p < field->pieces; p++) {
        const tw__isa_piece *piece = &field->piece[p];
        uint64_t ones = (UINT64_C(1) << piece->width) - 1;
        number |= (uint32_t)((word >> piece->from & ones) << piece->to);
    }
    return number;
}

bool tw__isa_register_fits(const tw_isa_operand *kind, unsigned number)
{
    if (number > 15 || number % kind->registers) return false;
    return kind->file == TW_ISA_ARF || kind->registers == 1 || number <= 10;
}

bool tw__isa_constant_fits(const tw_isa_operand *kind, int64_t value, uint32_t *number)
{
    int64_t scale = INT64_C(1) << kind->shift, field = value / scale, top = INT64_C(1) << kind->bits;
    if (value % scale) return false;
    if (kind->is_signed ? field < -top / 2 || field >= top / 2 : field < 0 || field >= top) return false;
    *number = (uint32_t)field & (uint32_t)(top - 1);
    return true;
}

/* Value of a field, as tw_insn holds it. */
static uint32_t decode_value_of(const tw_isa_operand *kind, uint32_t number)
{
    if (kind->is_signed) {
        uint32_t sign = 1u << (kind->bits - 1);
        return (number ^ sign) - sign;
    }
    return number << kind->shift;
}

/* --- which row ------------------------------------------------------------------------------------------------ */

/* Rows by bits 30 to 24 of the word; a row whose opcode is shorter stands in several lists. */
enum { BUCKETS = 128 };
static struct {
    uint16_t start[BUCKETS + 1];
    uint16_t rows[TW__OP_COUNT + 16 * BUCKETS];
} buckets;

static void build_buckets(void)
{
    size_t at = 0;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        buckets.start[b] = (uint16_t)at;
        for (size_t i = 0; i < TW__OP_COUNT; i++) {
            const tw_isa_row *row = &tw__isa_rows[i];
            uint32_t mask = row->mask & 0x7f000000;
            if ((b << 24 & mask) != (row->match & mask)) continue;
            g_assert(at < G_N_ELEMENTS(buckets.rows));
            buckets.rows[at++] = (uint16_t)i;
        }
    }
    buckets.start[BUCKETS] = (uint16_t)at;
}

static bool read_operands(const tw_isa_row *row, uint64_t word, tw_insn *insn)
{
    const tw__isa_field *fields = tw__isa_fields(row);
    for (size_t k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        uint32_t number = tw__isa_extract(&fields[k], word);
        if (kind->registers && !tw__isa_register_fits(kind, number)) return false;
        insn->operands[k] = decode_value_of(kind, number);
    }
    return true;
}

bool tw_insn_decode(tw_isa_arch arch, uint64_t word, tw_insn *insn)
{
    static gsize once;
    if (g_once_init_enter(&once)) {
        build_buckets();
        g_once_init_leave(&once, 1);
    }
    uint32_t low = (uint32_t)word, bucket = low >> 24 & (BUCKETS - 1);
    for (size_t i = buckets.start[bucket]; i < buckets.start[bucket + 1]; i++) {
        const tw_isa_row *row = &tw__isa_rows[buckets.rows[i]];
        if ((low & row->mask) != row->match || !(row->archs & arch)) continue;
        *insn = (tw_insn){ .row = buckets.rows[i], .bundled = low >> 31 && !(row->flags & TW_ISA_ALONE) };
        return read_operands(row, word, insn);
    }
    return false;
}

/* --- encoding ------------------------------------------------------------------------------------------------- */

static tw_status encode_operand(const tw_isa_row *row, size_t k, uint32_t value, uint64_t *word)
{
    const tw_isa_operand *kind = row->operands[k];
    uint32_t number = value;
    if (kind->registers) {
        if (!tw__isa_register_fits(kind, value))
            return tw__fail(TW_E_INDEX, "operand %zu of '%s' (%s) cannot be register %u", k + 1, row->name,
                            kind->label, value);
    } else if (!tw__isa_constant_fits(kind, kind->is_signed ? (int64_t)(int32_t)value : (int64_t)value, &number)) {
        char range[64];
        return tw__fail(TW_E_OVERFLOW, "operand %zu of '%s' (%s) cannot be 0x%x; legal: %s", k + 1, row->name,
                        kind->label, value, tw__isa_range_text(kind, range));
    }
    *word = tw__isa_insert(&tw__isa_fields(row)[k], *word, number);
    return TW_OK;
}

tw_status tw_insn_encode(tw_isa_arch arch, const tw_insn *insn, uint64_t *word)
{
    const tw_isa_row *row = tw_isa_get(insn->row);
    if (!row) return tw__fail(TW_E_INDEX, "there is no instruction number %u", insn->row);
    if (!(row->archs & arch))
        return tw__fail(TW_E_NOT_SUPPORTED, "%s has no '%s'", tw_isa_arch_name(arch), row->name);
    if (insn->bundled && (row->flags & TW_ISA_ALONE))
        return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' cannot be in a bundle", row->name);
    uint64_t out = row->match | (insn->bundled ? UINT64_C(0x80000000) : 0);
    for (size_t k = 0; k < row->count; k++) {
        tw_status status = encode_operand(row, k, insn->operands[k], &out);
        if (status != TW_OK) return status;
    }
    *word = out;
    return TW_OK;
}
