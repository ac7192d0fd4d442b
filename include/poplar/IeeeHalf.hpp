/* IEEE half precision on the host: two bytes, converted through float. */
#ifndef POPLAR_IEEE_HALF_HPP
#define POPLAR_IEEE_HALF_HPP

#include <cstdint>
#include <poplar/Type.hpp>

namespace poplar {

class IeeeHalf {
  public:
    IeeeHalf() = default;
    IeeeHalf(float value);
    operator float() const;
    static IeeeHalf fromBits(std::uint16_t bits)
    {
        IeeeHalf h;
        h.value = bits;
        return h;
    }
    std::uint16_t bits() const { return value; }

  private:
    std::uint16_t value = 0;
};

} // namespace poplar
#endif
