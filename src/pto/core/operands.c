/* SPDX-License-Identifier: MIT */
/* operands: operands and scalars of calls. */
#include "pto/pto.h"

tw_pto_operand tw_pto_tile_operand(tw_pto_tile *tile)
{
    return (tw_pto_operand){ .kind = TW_PTO_TILE, .tile = tile };
}
tw_pto_operand tw_pto_tensor_operand(tw_pto_tensor *tensor)
{
    return (tw_pto_operand){ .kind = TW_PTO_TENSOR, .tensor = tensor };
}
tw_pto_operand tw_pto_scalar_operand(tw_pto_scalar scalar)
{
    return (tw_pto_operand){ .kind = TW_PTO_SCALAR, .scalar = scalar };
}

tw_pto_scalar tw_pto_bits(tw_type type, uint64_t bits)
{
    return (tw_pto_scalar){ .type = type, .bits = bits };
}
tw_pto_scalar tw_pto_scalar_of(tw_type type, double value)
{
    tw_pto_scalar s = { .type = type };
    if (tw_type_size(type) <= sizeof s.bits) tw_type_store(type, &s.bits, value);
    return s;
}
tw_pto_scalar tw_pto_i32(int32_t value)
{
    return tw_pto_bits(TW_I32, (uint32_t)value);
}
tw_pto_scalar tw_pto_f32(float value)
{
    tw_pto_scalar s = { .type = TW_F32 };
    memcpy(&s.bits, &value, sizeof value);
    return s;
}
