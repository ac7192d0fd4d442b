/* SPDX-License-Identifier: MIT */
/* Layout of structs, unions and bit-fields (abi.h; guide 2.3.4, 2.3.5, 10.1.2, 10.1.3).
 *
 * A bit-field goes to the first free bit from which it fits into one container: a properly aligned object of its
 * declared type. Unnamed and zero-width bit-fields count for the alignment of the whole, in unions too. */
#include <tilewright/tile/abi.h>
#include "core/base/base.h"

#include <string.h>

static tw_status check(const tw_abi_member *m, size_t index)
{
    const char *name = m->name && *m->name ? m->name : "(unnamed)";
    if (!m->align || (m->align & (m->align - 1)))
        return tw__fail(TW_E_INVALID_ARGUMENT, "member %zu, %s: alignment %u is not a power of two", index, name,
                        m->align);
    if (!m->is_bit_field) return TW_OK;
    if (m->width > (uint64_t)m->size * 8)
        return tw__fail(TW_E_INVALID_ARGUMENT, "member %zu, %s: %u bits, its type has %llu", index, name, m->width,
                        (unsigned long long)m->size * 8);
    if (!m->width && m->name && *m->name)
        return tw__fail(TW_E_INVALID_ARGUMENT, "member %zu, %s: a bit-field of width 0 has no name", index, name);
    return TW_OK;
}

/* First bit from `at` on where the member may begin. */
static uint64_t abi_place(const tw_abi_member *m, uint64_t at)
{
    uint64_t align = (uint64_t)m->align * 8;
    if (m->is_bit_field && m->width && at % align + m->width <= (uint64_t)m->size * 8) return at;
    return tw__align_up(at, align);
}

tw_status tw_abi_layout(tw_abi_member *members, size_t count, bool is_union, tw_abi_record *record)
{
    uint64_t at = 0, end = 0;
    uint32_t align = 1;
    for (size_t i = 0; i < count; i++) {
        tw_abi_member *m = &members[i];
        tw_status status = check(m, i);
        if (status != TW_OK) return status;
        m->offset = is_union ? 0 : abi_place(m, at);
        m->bits = m->is_bit_field ? m->width : (uint64_t)m->size * 8;
        at = m->offset + m->bits;
        if (at > end) end = at;
        if (end > UINT64_C(8) << 32)
            return tw__fail(TW_E_OVERFLOW, "member %zu, %s, ends past 2^32 bytes", i, m->name ? m->name : "");
        if (m->align > align) align = m->align;
    }
    *record = (tw_abi_record){ tw__align_up(tw__align_up(end, 8) / 8, align), align };
    return TW_OK;
}

bool tw_abi_enum_field_is_signed(int64_t least, int64_t most, unsigned width)
{
    if (least < 0) return true;
    return width >= 64 || most < INT64_C(1) << (width ? width - 1 : 0);
}
