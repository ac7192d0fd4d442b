// SPDX-License-Identifier: MIT
/* Parameters of convolutions: extents, transforms, checks (<tilewright/poplibs/conv.h> says what they mean). */
#ifndef POPLIN_CONV_PARAMS_HPP
#define POPLIN_CONV_PARAMS_HPP

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <poplar/Type.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>
#include <string>
#include <tilewright/poplibs/conv.h>
#include <tilewright/poplibs/handles.hpp>
#include <tuple>
#include <vector>

namespace poplin {

struct ConvParams {
    using Numbers = std::vector<unsigned>;
    struct InputTransform {
        Numbers truncationLower, truncationUpper, dilation, paddingLower, paddingUpper;
        std::vector<bool> flip;
        InputTransform() = default;
        explicit InputTransform(std::size_t dims)
            : truncationLower(dims, 0), truncationUpper(dims, 0), dilation(dims, 1), paddingLower(dims, 0),
              paddingUpper(dims, 0), flip(dims, false)
        {
        }
        InputTransform(Numbers truncationLower_, Numbers truncationUpper_, Numbers dilation_, Numbers paddingLower_,
                       Numbers paddingUpper_, std::vector<bool> flip_)
            : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
              dilation(std::move(dilation_)), paddingLower(std::move(paddingLower_)),
              paddingUpper(std::move(paddingUpper_)), flip(std::move(flip_))
        {
        }
        using Tie = std::tuple<const Numbers &, const Numbers &, const Numbers &, const Numbers &, const Numbers &,
                               const std::vector<bool> &>;
        Tie tie() const
        {
            return Tie(truncationLower, truncationUpper, dilation, paddingLower, paddingUpper, flip);
        }
    };
    struct OutputTransform {
        Numbers truncationLower, truncationUpper, stride, paddingLower, paddingUpper;
        OutputTransform() = default;
        explicit OutputTransform(std::size_t dims)
            : truncationLower(dims, 0), truncationUpper(dims, 0), stride(dims, 1), paddingLower(dims, 0),
              paddingUpper(dims, 0)
        {
        }
        OutputTransform(Numbers truncationLower_, Numbers truncationUpper_, Numbers stride_, Numbers paddingLower_,
                        Numbers paddingUpper_)
            : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
              stride(std::move(stride_)), paddingLower(std::move(paddingLower_)),
              paddingUpper(std::move(paddingUpper_))
        {
        }
        using Tie = std::tuple<const Numbers &, const Numbers &, const Numbers &, const Numbers &, const Numbers &>;
        Tie tie() const { return Tie(truncationLower, truncationUpper, stride, paddingLower, paddingUpper); }
    };

    poplar::Type inputType, outputType;
    std::size_t batchSize = 0;
    std::vector<std::size_t> inputFieldShape, kernelShape;
    std::size_t inputChannelsPerConvGroup = 0, outputChannelsPerConvGroup = 0, numConvGroups = 0;
    InputTransform inputTransform, kernelTransform;
    OutputTransform outputTransform;

    ConvParams() = default;
    ConvParams(poplar::Type dataType, std::size_t batch, std::vector<std::size_t> field,
               std::vector<std::size_t> kernel, std::size_t inChannels, std::size_t outChannels, std::size_t groups)
        : ConvParams(dataType, dataType, batch, std::move(field), std::move(kernel), inChannels, outChannels,
                     groups)
    {
    }
    ConvParams(poplar::Type in, poplar::Type out, std::size_t batch, std::vector<std::size_t> field,
               std::vector<std::size_t> kernel, std::size_t inChannels, std::size_t outChannels, std::size_t groups)
        : inputType(in), outputType(out), batchSize(batch), inputFieldShape(std::move(field)),
          kernelShape(std::move(kernel)), inputChannelsPerConvGroup(inChannels),
          outputChannelsPerConvGroup(outChannels), numConvGroups(groups), inputTransform(inputFieldShape.size()),
          kernelTransform(inputFieldShape.size()), outputTransform(inputFieldShape.size())
    {
        validate();
    }
    ConvParams(poplar::Type in, poplar::Type out, std::size_t batch, std::vector<std::size_t> field,
               std::vector<std::size_t> kernel, std::size_t inChannels, std::size_t outChannels, std::size_t groups,
               InputTransform inputTransform_, InputTransform kernelTransform_, OutputTransform outputTransform_)
        : inputType(in), outputType(out), batchSize(batch), inputFieldShape(std::move(field)),
          kernelShape(std::move(kernel)), inputChannelsPerConvGroup(inChannels),
          outputChannelsPerConvGroup(outChannels), numConvGroups(groups),
          inputTransform(std::move(inputTransform_)), kernelTransform(std::move(kernelTransform_)),
          outputTransform(std::move(outputTransform_))
    {
        validate();
    }

    /* The same for C; throws where vectors have not one entry for each dimension. */
    tw_conv_params handle() const;
    void validate() const
    {
        const tw_conv_params c = handle();
        std::unique_ptr<char, void (*)(void *)> text(tw_poplin_conv_problem(&c), std::free);
        if (text) throw poputil::poplibs_error(std::string("poplin::ConvParams: ") + text.get());
    }
    /* Steps that nothing is taken at are 1. */
    ConvParams canonicalize() const
    {
        validate();
        ConvParams out = *this;
        for (std::size_t d = 0; d < getNumFieldDims(); d++) {
            if (getTruncatedInputSize(d) <= 1) out.inputTransform.dilation[d] = 1;
            if (getTruncatedKernelSize(d) <= 1) out.kernelTransform.dilation[d] = 1;
            if (getOutputSize(d) <= outputTransform.paddingLower[d] + outputTransform.paddingUpper[d] + 1)
                if (getUntransformedOutputSize(d) - cut(outputTransform, d) <= 1) out.outputTransform.stride[d] = 1;
        }
        return out;
    }

    std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
    std::size_t getBatchSize() const { return batchSize; }
    std::size_t getNumConvGroups() const { return numConvGroups; }
    std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
    std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
    std::size_t getNumInputChans() const { return numConvGroups * inputChannelsPerConvGroup; }
    std::size_t getNumOutputChans() const { return numConvGroups * outputChannelsPerConvGroup; }
    const std::vector<std::size_t> &getInputFieldShape() const { return inputFieldShape; }
    const std::vector<std::size_t> &getKernelShape() const { return kernelShape; }
    std::size_t getInputSize(std::size_t dim) const { return inputFieldShape.at(dim); }
    std::size_t getTruncatedInputSize(std::size_t dim) const
    {
        return inputFieldShape.at(dim) - cut(inputTransform, dim);
    }
    std::size_t getTruncatedKernelSize(std::size_t dim) const
    {
        return kernelShape.at(dim) - cut(kernelTransform, dim);
    }
    std::size_t getTransformedInputSize(std::size_t dim) const
    {
        return transformed(getTruncatedInputSize(dim), inputTransform, dim);
    }
    std::size_t getTransformedKernelSize(std::size_t dim) const
    {
        return transformed(getTruncatedKernelSize(dim), kernelTransform, dim);
    }
    std::size_t getUntransformedOutputSize(std::size_t dim) const
    {
        return getTransformedInputSize(dim) + 1 - getTransformedKernelSize(dim);
    }
    std::size_t getOutputSize(std::size_t dim) const
    {
        const tw_conv_params c = handle();
        return tw_poplin_conv_output_size(&c, static_cast<unsigned>(dim));
    }
    std::vector<std::size_t> getOutputFieldShape() const
    {
        std::vector<std::size_t> out;
        for (std::size_t d = 0; d < getNumFieldDims(); d++) out.push_back(getOutputSize(d));
        return out;
    }

  private:
    template <class Transform> static std::size_t cut(const Transform &t, std::size_t dim)
    {
        return static_cast<std::size_t>(t.truncationLower.at(dim)) + t.truncationUpper.at(dim);
    }
    static std::size_t transformed(std::size_t n, const InputTransform &t, std::size_t dim)
    {
        return t.paddingLower.at(dim) + (n ? 1 + (n - 1) * t.dilation.at(dim) : 0) + t.paddingUpper.at(dim);
    }
};

namespace detail {
inline void convEntries(bool fits, const char *what)
{
    if (!fits)
        throw poputil::poplibs_error(std::string("poplin::ConvParams: ") + what +
                                     " has not one entry for each dimension of the field");
}
inline unsigned convStep(unsigned step, const char *what)
{
    if (!step) throw poputil::poplibs_error(std::string("poplin::ConvParams: a ") + what + " of 0");
    return step;
}
template <class Transform> bool convFits(const Transform &t, const ConvParams::Numbers &steps, std::size_t dims)
{
    return t.truncationLower.size() == dims && t.truncationUpper.size() == dims && steps.size() == dims &&
           t.paddingLower.size() == dims && t.paddingUpper.size() == dims;
}
template <class Transform>
tw_conv_transform convTransform(const Transform &t, const ConvParams::Numbers &steps, std::size_t d,
                                const char *step)
{
    tw_conv_transform out = { t.truncationLower[d], t.truncationUpper[d], convStep(steps[d], step),
                              t.paddingLower[d],    t.paddingUpper[d],    false };
    return out;
}

/* Parameters of C, in the vectors of C++. */
inline ConvParams convParamsOf(const tw_conv_params &c, const poplar::Type &in, const poplar::Type &out)
{
    ConvParams p;
    p.inputType = in, p.outputType = out;
    p.batchSize = c.batch, p.numConvGroups = c.groups;
    p.inputChannelsPerConvGroup = c.in_channels, p.outputChannelsPerConvGroup = c.out_channels;
    p.inputFieldShape.assign(c.field, c.field + c.dims), p.kernelShape.assign(c.kernel, c.kernel + c.dims);
    p.inputTransform = p.kernelTransform = ConvParams::InputTransform(c.dims);
    p.outputTransform = ConvParams::OutputTransform(c.dims);
    for (unsigned d = 0; d < c.dims; d++) {
        ConvParams::InputTransform *side[] = { &p.inputTransform, &p.kernelTransform };
        const tw_conv_transform *from[] = { &c.input[d], &c.weights[d] };
        for (int i = 0; i < 2; i++) {
            side[i]->truncationLower[d] = from[i]->truncation_lower;
            side[i]->truncationUpper[d] = from[i]->truncation_upper;
            side[i]->dilation[d] = std::max(from[i]->step, 1u);
            side[i]->paddingLower[d] = from[i]->padding_lower, side[i]->paddingUpper[d] = from[i]->padding_upper;
            side[i]->flip[d] = from[i]->flip;
        }
        const tw_conv_transform &o = c.output[d];
        p.outputTransform.truncationLower[d] = o.truncation_lower;
        p.outputTransform.truncationUpper[d] = o.truncation_upper;
        p.outputTransform.stride[d] = std::max(o.step, 1u);
        p.outputTransform.paddingLower[d] = o.padding_lower, p.outputTransform.paddingUpper[d] = o.padding_upper;
    }
    return p;
}
} // namespace detail

inline tw_conv_params ConvParams::handle() const
{
    const std::size_t dims = inputFieldShape.size();
    if (kernelShape.size() != dims)
        throw poputil::poplibs_error("poplin::ConvParams: a field of " + std::to_string(dims) +
                                     " dimensions with a kernel of " + std::to_string(kernelShape.size()));
    detail::convEntries(detail::convFits(inputTransform, inputTransform.dilation, dims) &&
                            inputTransform.flip.size() == dims,
                        "inputTransform");
    detail::convEntries(detail::convFits(kernelTransform, kernelTransform.dilation, dims) &&
                            kernelTransform.flip.size() == dims,
                        "kernelTransform");
    detail::convEntries(detail::convFits(outputTransform, outputTransform.stride, dims), "outputTransform");
    tw_conv_params c = tw_conv_params();
    /* FP8 is computed as another type: what is asked here of it is the same for halves */
    const auto real = [](const poplar::Type &t) {
        return poplar::handles::of(t == poplar::QUARTER ? poplar::HALF : t);
    };
    c.input_type = real(inputType), c.output_type = real(outputType);
    c.batch = batchSize, c.groups = numConvGroups;
    c.in_channels = inputChannelsPerConvGroup, c.out_channels = outputChannelsPerConvGroup;
    c.dims = static_cast<unsigned>(dims);
    for (std::size_t d = 0; d < dims && d < TW_CONV_DIMS; d++) {
        c.field[d] = inputFieldShape[d], c.kernel[d] = kernelShape[d];
        c.input[d] = detail::convTransform(inputTransform, inputTransform.dilation, d, "dilation");
        c.weights[d] = detail::convTransform(kernelTransform, kernelTransform.dilation, d, "dilation");
        c.output[d] = detail::convTransform(outputTransform, outputTransform.stride, d, "stride");
        c.input[d].flip = inputTransform.flip[d], c.weights[d].flip = kernelTransform.flip[d];
    }
    return c;
}

inline bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b)
{
    return a.tie() == b.tie();
}
inline bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b)
{
    return !(a == b);
}
inline bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b)
{
    return a.tie() < b.tie();
}
inline bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b)
{
    return a.tie() == b.tie();
}
inline bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b)
{
    return !(a == b);
}
inline bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b)
{
    return a.tie() < b.tie();
}

namespace detail {
using ConvScalars = std::tuple<poplar::Type, poplar::Type, std::size_t, std::size_t, std::size_t, std::size_t>;
inline ConvScalars convScalars(const ConvParams &p)
{
    return ConvScalars(p.inputType, p.outputType, p.batchSize, p.inputChannelsPerConvGroup,
                       p.outputChannelsPerConvGroup, p.numConvGroups);
}
} // namespace detail

inline bool operator<(const ConvParams &a, const ConvParams &b)
{
    const detail::ConvScalars x = detail::convScalars(a), y = detail::convScalars(b);
    return std::tie(x, a.inputFieldShape, a.kernelShape, a.inputTransform, a.kernelTransform, a.outputTransform) <
           std::tie(y, b.inputFieldShape, b.kernelShape, b.inputTransform, b.kernelTransform, b.outputTransform);
}
inline bool operator==(const ConvParams &a, const ConvParams &b)
{
    return !(a < b) && !(b < a);
}
inline bool operator!=(const ConvParams &a, const ConvParams &b)
{
    return !(a == b);
}

namespace detail {
template <class List> void convPrint(std::ostream &out, const char *name, const List &list, const char *end = ", ")
{
    out << '"' << name << "\": [";
    for (std::size_t i = 0; i < list.size(); i++) out << (i ? ", " : "") << list[i];
    out << "]" << end;
}
template <class Transform> void convPrintTransform(std::ostream &out, const Transform &t)
{
    convPrint(out, "truncationLower", t.truncationLower), convPrint(out, "truncationUpper", t.truncationUpper);
    convPrint(out, "paddingLower", t.paddingLower), convPrint(out, "paddingUpper", t.paddingUpper);
}
} // namespace detail

/* One line, an object of JSON. */
inline std::ostream &operator<<(std::ostream &out, const ConvParams &p)
{
    out << "{\"inputType\": \"" << p.inputType.toString() << "\", \"outputType\": \"" << p.outputType.toString()
        << "\", \"batchSize\": " << p.batchSize << ", \"numConvGroups\": " << p.numConvGroups
        << ", \"inputChannelsPerConvGroup\": " << p.inputChannelsPerConvGroup
        << ", \"outputChannelsPerConvGroup\": " << p.outputChannelsPerConvGroup << ", ";
    detail::convPrint(out, "inputFieldShape", p.inputFieldShape);
    detail::convPrint(out, "kernelShape", p.kernelShape);
    const std::pair<const char *, const ConvParams::InputTransform *> side[] = {
        { "inputTransform", &p.inputTransform }, { "kernelTransform", &p.kernelTransform }
    };
    for (const auto &s : side) {
        out << '"' << s.first << "\": {";
        detail::convPrintTransform(out, *s.second);
        detail::convPrint(out, "dilation", s.second->dilation);
        detail::convPrint(out, "flip", s.second->flip, "}, ");
    }
    out << "\"outputTransform\": {";
    detail::convPrintTransform(out, p.outputTransform);
    detail::convPrint(out, "stride", p.outputTransform.stride, "}}");
    return out;
}

namespace detail {
/* Values of an object of JSON by their names, "inputTransform.stride" of one inside: words, one of a scalar. */
using ConvWords = std::map<std::string, std::vector<std::string>>;

inline void convWant(std::istream &in, char wanted)
{
    char seen = 0;
    if (!(in >> seen) || seen != wanted)
        throw poputil::poplibs_error(std::string("poplin::ConvParams: '") + wanted +
                                     "' is missing in a text of JSON");
}
inline std::string convWord(std::istream &in)
{
    std::string word;
    const bool quoted = (in >> std::ws).peek() == '"';
    if (quoted) in.get();
    for (int c = in.peek(); c != EOF && (quoted ? c != '"' : !std::strchr(",]} \t\r\n", c)); c = in.peek())
        word += static_cast<char>(in.get());
    if (quoted) convWant(in, '"');
    return word;
}
inline void convObject(std::istream &in, const std::string &prefix, ConvWords &words)
{
    convWant(in, '{');
    for (bool first = true; (in >> std::ws).peek() != '}'; first = false) {
        if (!first) convWant(in, ',');
        const std::string name = prefix + convWord(in);
        convWant(in, ':');
        const int next = (in >> std::ws).peek();
        if (next == '{') {
            if (!prefix.empty()) throw poputil::poplibs_error("poplin::ConvParams: '" + name + "' is an object");
            convObject(in, name + ".", words);
            continue;
        }
        std::vector<std::string> &list = words[name];
        if (next != '[') {
            list.push_back(convWord(in));
            continue;
        }
        convWant(in, '[');
        while ((in >> std::ws).peek() != ']') {
            if (!list.empty()) convWant(in, ',');
            list.push_back(convWord(in));
        }
        convWant(in, ']');
    }
    convWant(in, '}');
}
/* Each takes what it reads off the words. */
template <class Number> Number convNumber(const std::string &name, const std::string &word)
{
    char *end = nullptr;
    errno = 0;
    const unsigned long long n = std::strtoull(word.c_str(), &end, 10);
    if (!std::isdigit(static_cast<unsigned char>(word[0])) || *end || errno || static_cast<Number>(n) != n)
        throw poputil::poplibs_error("poplin::ConvParams: '" + name + "' cannot be '" + word + "'");
    return static_cast<Number>(n);
}
template <> inline bool convNumber<bool>(const std::string &name, const std::string &word)
{
    if (word != "true" && word != "false" && word != "1" && word != "0")
        throw poputil::poplibs_error("poplin::ConvParams: '" + name + "' cannot be '" + word + "'");
    return word == "true" || word == "1";
}
template <class Number> void convRead(ConvWords &words, const std::string &name, std::vector<Number> &list)
{
    const auto found = words.find(name);
    if (found == words.end()) return;
    list.clear();
    for (const std::string &w : found->second) list.push_back(convNumber<Number>(name, w));
    words.erase(found);
}
inline void convRead(ConvWords &words, const std::string &name, std::size_t &number)
{
    std::vector<std::size_t> list(1, number);
    convRead(words, name, list);
    if (list.size() != 1) throw poputil::poplibs_error("poplin::ConvParams: '" + name + "' is one number");
    number = list[0];
}
inline void convRead(ConvWords &words, const std::string &name, poplar::Type &type)
{
    const auto found = words.find(name);
    if (found == words.end()) return;
    const std::vector<std::string> word = found->second;
    words.erase(found);
    for (const poplar::Type &t : { poplar::FLOAT, poplar::HALF, poplar::QUARTER })
        if (word == std::vector<std::string>(1, t.toString())) return void(type = t);
    throw poputil::poplibs_error("poplin::ConvParams: '" + name + "' is float, half or quarter");
}
template <class Transform>
void convReadTransform(ConvWords &words, const std::string &name, Transform &t, std::size_t dims)
{
    t = Transform(dims);
    convRead(words, name + ".truncationLower", t.truncationLower);
    convRead(words, name + ".truncationUpper", t.truncationUpper);
    convRead(words, name + ".paddingLower", t.paddingLower);
    convRead(words, name + ".paddingUpper", t.paddingUpper);
}
} // namespace detail

/* From an object of JSON as operator<< writes it, and "dataType" is the type of input and output. Types and extents
 * that it does not name stay as they are; all transforms are those of the text. poplibs_error says what is wrong, and
 * nothing has changed then. */
inline std::istream &operator>>(std::istream &in, ConvParams &p)
{
    detail::ConvWords words;
    detail::convObject(in, "", words);
    ConvParams read = p;
    if (words.count("dataType")) {
        detail::convRead(words, "dataType", read.inputType);
        read.outputType = read.inputType;
    }
    detail::convRead(words, "inputType", read.inputType);
    detail::convRead(words, "outputType", read.outputType);
    detail::convRead(words, "batchSize", read.batchSize);
    detail::convRead(words, "numConvGroups", read.numConvGroups);
    detail::convRead(words, "inputChannelsPerConvGroup", read.inputChannelsPerConvGroup);
    detail::convRead(words, "outputChannelsPerConvGroup", read.outputChannelsPerConvGroup);
    detail::convRead(words, "inputFieldShape", read.inputFieldShape);
    detail::convRead(words, "kernelShape", read.kernelShape);
    const std::size_t dims = read.inputFieldShape.size();
    detail::convReadTransform(words, "inputTransform", read.inputTransform, dims);
    detail::convReadTransform(words, "kernelTransform", read.kernelTransform, dims);
    detail::convReadTransform(words, "outputTransform", read.outputTransform, dims);
    detail::convRead(words, "inputTransform.dilation", read.inputTransform.dilation);
    detail::convRead(words, "inputTransform.flip", read.inputTransform.flip);
    detail::convRead(words, "kernelTransform.dilation", read.kernelTransform.dilation);
    detail::convRead(words, "kernelTransform.flip", read.kernelTransform.flip);
    detail::convRead(words, "outputTransform.stride", read.outputTransform.stride);
    if (!words.empty())
        throw poputil::poplibs_error("poplin::ConvParams: '" + words.begin()->first + "' is no name of a value");
    read.validate();
    p = read;
    return in;
}

} // namespace poplin

namespace std {
template <> struct hash<poplin::ConvParams> {
    size_t operator()(const poplin::ConvParams &p) const
    {
        std::ostringstream text;
        text << p;
        return hash<string>()(text.str());
    }
};
} // namespace std

namespace poplin {
inline std::size_t hash_value(const ConvParams::InputTransform &t)
{
    ConvParams with;
    with.inputTransform = t;
    return std::hash<ConvParams>()(with);
}
inline std::size_t hash_value(const ConvParams::OutputTransform &t)
{
    ConvParams with;
    with.outputTransform = t;
    return std::hash<ConvParams>()(with);
}
} // namespace poplin
#endif
