// SPDX-License-Identifier: MIT
/* What the bytes of a QUARTER tensor mean: one of two formats, and a power of two that all of its values have as a
 * factor. */
#ifndef POPLAR_QUARTER_HPP
#define POPLAR_QUARTER_HPP

#include <ostream>
#include <string>

namespace poplar {

class QuarterMetadata {
  public:
    /* Bits of exponent and mantissa; biases 8 and 16. One NaN, no infinities, no -0. */
    enum class Format { F143, F152 };
    QuarterMetadata() = default;
    QuarterMetadata(Format f, int s); /* scale -32 ... 31; poplar_error */

    Format getFormat() const { return format; }
    signed char getScale() const { return scale; }
    /* As a QUARTER_METADATA element: the format in bit 7, the scale in the 6 lowest (assumed). */
    unsigned char getBinary() const
    {
        return static_cast<unsigned char>((format == Format::F152 ? 0x80 : 0) | (scale & 0x3f));
    }
    std::string toString() const
    {
        return std::string(format == Format::F143 ? "F143" : "F152") + " * 2^" + std::to_string(scale);
    }
    static QuarterMetadata fromBinary(unsigned char bits); /* not among the vendor's names */

    friend bool operator==(const QuarterMetadata &a, const QuarterMetadata &b)
    {
        return a.getBinary() == b.getBinary();
    }
    friend bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b) { return !(a == b); }

  private:
    Format format = Format::F143;
    signed char scale = 0;
};

inline std::ostream &operator<<(std::ostream &out, const QuarterMetadata &m)
{
    return out << m.toString();
}

} // namespace poplar
#endif
