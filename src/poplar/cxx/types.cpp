// SPDX-License-Identifier: MIT
/* Types, half numbers, and host values in the format that the C API takes. */
#include "core.hpp"

#include <cmath>
#include <cstring>
#include <poplar/IeeeHalf.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/TypeConversion.hpp>

namespace poplar {

/* Initialised before any code runs, as libraries use them while they are initialised themselves. */
#define POPLAR_TYPE_CONSTANT(name, code) Type name{ code };
POPLAR_TYPE_LIST(POPLAR_TYPE_CONSTANT)
#undef POPLAR_TYPE_CONSTANT

/* By code, from 1. Device types without a row of their own are those of the same size (long is int on the IPU). */
static const struct {
    const char *name;
    tw_type type;
} rows[] = {
    { "invalid", TW_TYPE_NONE },
    { "bool", TW_BOOL },
    { "char", TW_I8 },
    { "signed char", TW_I8 },
    { "unsigned char", TW_U8 },
    { "short", TW_I16 },
    { "unsigned short", TW_U16 },
    { "int", TW_I32 },
    { "unsigned int", TW_U32 },
    { "long", TW_I32 },
    { "unsigned long", TW_U32 },
    { "long long", TW_I64 },
    { "unsigned long long", TW_U64 },
    { "half", TW_F16 },
    { "float", TW_F32 },
    { "double", TW_F64 },
    { "quarter", TW_QUARTER },
    { "quarter_metadata", TW_U8 },
};
static const unsigned rowCount = sizeof rows / sizeof *rows;

std::string Type::toString() const
{
    return rows[getCode() < rowCount ? getCode() : 0].name;
}

bool Type::requiresMetadata() const
{
    return *this == QUARTER;
}
bool Type::isFloatingPoint() const
{
    return *this == HALF || *this == FLOAT || *this == DOUBLE || *this == QUARTER;
}

std::string toString(TargetType type)
{
    static const char *const names[] = { "IPU", "IPU_MODEL", "CPU" };
    return names[static_cast<int>(type)];
}

IeeeHalf::IeeeHalf(float v) : value(tw_f32_to_f16(v, TW_ROUND_NEAREST_EVEN, 0)) {}

IeeeHalf::operator float() const
{
    return tw_f16_to_f32(value);
}

namespace core {

tw_type deviceType(const Type &type, const char *call)
{
    if (type.getCode() == 0 || type.getCode() >= rowCount) raise(TW_E_TYPE, call, "the type is not valid");
    return rows[type.getCode()].type;
}

Type hostType(tw_type type)
{
    for (unsigned i = 1; i < rowCount; i++)
        if (rows[i].type == type) return Type(i);
    return Type();
}

/* Any host number, with 64 bits of precision. */
long double numberAt(const void *values, std::size_t i, const TypeTraits &t)
{
    const unsigned char *at = static_cast<const unsigned char *>(values) + i * t.size;
    union {
        float f;
        double d;
        std::int8_t i8;
        std::uint8_t u8;
        std::int16_t i16;
        std::uint16_t u16;
        std::int32_t i32;
        std::uint32_t u32;
        std::int64_t i64;
        std::uint64_t u64;
    } v = {};
    if (t.size > sizeof(long double)) return 0;
    if (t.isFloat && t.size == sizeof(long double)) {
        long double number;
        std::memcpy(&number, at, sizeof number);
        return number;
    }
    std::memcpy(&v, at, t.size);
    if (t.isFloat) return t.size == 2 ? tw_f16_to_f32(v.u16) : t.size == 4 ? v.f : v.d;
    switch (t.size) {
    case 1: return t.isSigned ? static_cast<long double>(v.i8) : v.u8;
    case 2: return t.isSigned ? static_cast<long double>(v.i16) : v.u16;
    case 4: return t.isSigned ? static_cast<long double>(v.i32) : v.u32;
    default: return t.isSigned ? static_cast<long double>(v.i64) : static_cast<long double>(v.u64);
    }
}

template <class T> static void store(std::vector<unsigned char> &out, T value)
{
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
}

/* Integers outside of the type wrap round, as conversions of the host do. */
std::uint64_t wrapped(long double v)
{
    if (!std::isfinite(v)) return 0;
    const auto size = static_cast<std::uint64_t>(std::fmod(std::fabs(v), 18446744073709551616.0L)); /* mod 2^64 */
    return v < 0 ? 0 - size : size;
}

std::vector<unsigned char> convert(const Type &type, std::size_t count, const void *values,
                                   const TypeTraits &traits, const char *call)
{
    std::vector<unsigned char> out;
    tw_type to = deviceType(type, call);
    if (!values && count) raise(TW_E_TENSOR_CREATION, call, "there are no values: the pointer is null");
    for (std::size_t i = 0; i < count; i++) {
        long double v = numberAt(values, i, traits);
        switch (to) {
        case TW_BOOL: store<std::uint8_t>(out, v != 0); break;
        case TW_I8:
        case TW_U8: store(out, static_cast<std::uint8_t>(wrapped(v))); break;
        case TW_I16:
        case TW_U16: store(out, static_cast<std::uint16_t>(wrapped(v))); break;
        case TW_I32:
        case TW_U32: store(out, static_cast<std::uint32_t>(wrapped(v))); break;
        case TW_I64:
        case TW_U64: store(out, wrapped(v)); break;
        case TW_QUARTER: {
            std::uint8_t code;
            const double number = static_cast<double>(v);
            convertToDeviceType(QUARTER, QuarterMetadata(), &number, TypeTraits::make<double>(), 1, &code);
            store(out, code);
            break;
        }
        case TW_F16: store(out, tw_f64_to_f16(static_cast<double>(v), TW_ROUND_NEAREST_EVEN, 0)); break;
        case TW_F32: store(out, static_cast<float>(v)); break;
        default: store(out, static_cast<double>(v)); break;
        }
    }
    return out;
}

} // namespace core
} // namespace poplar
