// SPDX-License-Identifier: MIT
/* IEEE half precision: two bytes, converted through float. In host programs, and in codelets that work on the
 * bits. */
#ifndef POPLAR_IEEE_HALF_HPP
#define POPLAR_IEEE_HALF_HPP

#include <cstdint>
#include <cstring>
#ifndef __POPC__
#include <poplar/Type.hpp>
#endif

namespace poplar {

class IeeeHalf {
  public:
    IeeeHalf() = default;
#ifdef __POPC__
    IeeeHalf(float f)
    {
        _Float16 rounded = static_cast<_Float16>(f);
        std::memcpy(&value, &rounded, sizeof value);
    }
    operator float() const
    {
        _Float16 same;
        std::memcpy(&same, &value, sizeof same);
        return same;
    }
#else
    IeeeHalf(float value);
    operator float() const;
#endif
    static IeeeHalf fromBits(std::uint16_t bits)
    {
        IeeeHalf h;
        h.value = bits;
        return h;
    }
    std::uint16_t bits() const { return value; }
    std::uint16_t bit16() const { return value; }

  private:
    std::uint16_t value = 0;
};

} // namespace poplar
#endif
