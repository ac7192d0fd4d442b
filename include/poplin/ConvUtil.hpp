// SPDX-License-Identifier: MIT
/* Which elements of input, kernel and output meet in a convolution; parameters of the gradients. Ranges are half
 * open, and one without elements is { 0, 0 }. */
#ifndef POPLIN_CONV_UTIL_HPP
#define POPLIN_CONV_UTIL_HPP

#include <poplin/ConvParams.hpp>
#include <utility>

namespace poplin {

inline unsigned getDilatedSize(unsigned size, unsigned dilation)
{
    return size ? 1 + (size - 1) * dilation : 0;
}

/* ~0U: padding. */
inline unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex, const ConvParams &params)
{
    const tw_conv_params c = params.handle();
    std::size_t input = 0;
    return tw_poplin_conv_input_index(&c, dim, outputIndex, kernelIndex, &input) ? static_cast<unsigned>(input)
                                                                                 : ~0u;
}
inline unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex, const ConvParams &params)
{
    for (unsigned k = 0; k < params.kernelShape.at(dim); k++)
        if (getInputIndex(dim, outputIndex, k, params) == inputIndex) return k;
    return ~0u;
}

using Range = std::pair<unsigned, unsigned>;
namespace detail {
inline Range convWidened(Range range, unsigned index)
{
    if (range.first == range.second) return Range(index, index + 1);
    return Range(std::min(range.first, index), std::max(range.second, index + 1));
}
} // namespace detail

/* Outputs of a range that some kernel elements (input elements) are part of. */
inline Range getOutputRangeForKernelRange(unsigned dim, Range outputRange, Range kernelRange,
                                          const ConvParams &params)
{
    Range made(0, 0);
    for (unsigned o = outputRange.first; o < outputRange.second; o++)
        for (unsigned k = kernelRange.first; k < kernelRange.second; k++)
            if (getInputIndex(dim, o, k, params) != ~0u) made = detail::convWidened(made, o);
    return made;
}
inline Range getOutputRangeForKernelIndex(unsigned dim, Range outputRange, unsigned kernelIndex,
                                          const ConvParams &params)
{
    return getOutputRangeForKernelRange(dim, outputRange, Range(kernelIndex, kernelIndex + 1), params);
}
inline Range getOutputRangeForInputRange(unsigned dim, Range outputRange, Range inputRange,
                                         const ConvParams &params)
{
    Range made(0, 0);
    for (unsigned o = outputRange.first; o < outputRange.second; o++)
        for (unsigned k = 0; k < params.kernelShape.at(dim); k++) {
            const unsigned i = getInputIndex(dim, o, k, params);
            if (i >= inputRange.first && i < inputRange.second) made = detail::convWidened(made, o);
        }
    return made;
}
inline Range getOutputRangeForInputIndex(unsigned dim, Range outputRange, unsigned inputIndex,
                                         const ConvParams &params)
{
    return getOutputRangeForInputRange(dim, outputRange, Range(inputIndex, inputIndex + 1), params);
}
/* Input elements (kernel elements) that outputs of a range are made of. */
inline Range getInputRange(unsigned dim, Range outputRange, Range kernelRange, const ConvParams &params)
{
    Range made(0, 0);
    for (unsigned o = outputRange.first; o < outputRange.second; o++)
        for (unsigned k = kernelRange.first; k < kernelRange.second; k++) {
            const unsigned i = getInputIndex(dim, o, k, params);
            if (i != ~0u) made = detail::convWidened(made, i);
        }
    return made;
}
inline Range getInputRange(unsigned dim, Range outputRange, unsigned kernelIndex, const ConvParams &params)
{
    return getInputRange(dim, outputRange, Range(kernelIndex, kernelIndex + 1), params);
}
inline Range getInputRange(unsigned dim, Range outputRange, const ConvParams &params)
{
    return getInputRange(dim, outputRange, Range(0, static_cast<unsigned>(params.kernelShape.at(dim))), params);
}
inline Range getKernelRange(unsigned dim, Range outputRange, Range inputRange, const ConvParams &params)
{
    Range made(0, 0);
    for (unsigned o = outputRange.first; o < outputRange.second; o++)
        for (unsigned k = 0; k < params.kernelShape.at(dim); k++) {
            const unsigned i = getInputIndex(dim, o, k, params);
            if (i >= inputRange.first && i < inputRange.second) made = detail::convWidened(made, k);
        }
    return made;
}
inline Range getKernelRange(unsigned dim, Range outputRange, unsigned inputIndex, const ConvParams &params)
{
    return getKernelRange(dim, outputRange, Range(inputIndex, inputIndex + 1), params);
}

inline ConvParams getGradientParams(const ConvParams &params)
{
    params.validate();
    const tw_conv_params c = params.handle();
    return detail::convParamsOf(tw_poplin_conv_gradient_params(&c), params.inputType, params.outputType);
}
inline ConvParams getWeightUpdateParams(const ConvParams &fwdParams)
{
    fwdParams.validate();
    const tw_conv_params c = fwdParams.handle();
    return detail::convParamsOf(tw_poplin_conv_weight_update_params(&c), fwdParams.inputType, fwdParams.outputType);
}

} // namespace poplin
#endif
