// SPDX-License-Identifier: MIT
/* How PrintTensor writes. */
#ifndef POPLAR_PRINT_TENSOR_HPP
#define POPLAR_PRINT_TENSOR_HPP

namespace poplar {

class PrintTensorFmt {
  public:
    enum class FloatFormat { Auto, Fixed, Scientific, None };

    PrintTensorFmt() = default;
    PrintTensorFmt(unsigned threshold, unsigned edge, unsigned lineWidth = 75, unsigned digitCount = 8,
                   FloatFormat format = FloatFormat::Auto, char between = ' ', char open = '[', char close = ']')
        : summariseThreshold(threshold), edgeItems(edge), maxLineWidth(lineWidth), digits(digitCount),
          floatFormat(format), separator(between), openBracket(open), closeBracket(close)
    {
    }
    static PrintTensorFmt disabled() { return PrintTensorFmt(); }

    unsigned summariseThreshold = 1000, edgeItems = 3, maxLineWidth = 75, digits = 8;
    FloatFormat floatFormat = FloatFormat::Auto;
    char separator = ' ', openBracket = '[', closeBracket = ']';
};

} // namespace poplar
#endif
