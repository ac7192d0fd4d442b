// SPDX-License-Identifier: MIT
/* FP8: numbers of the host as elements of QUARTER and of other types and back, metadata of tensors. */
#include "core.hpp"

#include <cmath>
#include <cstring>
#include <poplar/TypeConversion.hpp>

namespace poplar {

/* --- metadata of the host --- */

QuarterMetadata::QuarterMetadata(Format f, int s) : format(f), scale(static_cast<signed char>(s))
{
    if (s < -32 || s > 31)
        throw poplar_error("QuarterMetadata: a scale of " + std::to_string(s) + "; it is from -32 to 31");
}

QuarterMetadata QuarterMetadata::fromBinary(unsigned char bits)
{
    const int s = bits & 0x3f;
    return QuarterMetadata(bits & 0x80 ? Format::F152 : Format::F143, s < 32 ? s : s - 64);
}

/* --- one number --- */

namespace {
const unsigned quarterNaN = 0x80;

struct Layout { /* of the formats */
    int mantissa, bias;
    explicit Layout(QuarterMetadata::Format f)
        : mantissa(f == QuarterMetadata::Format::F152 ? 2 : 3), bias(f == QuarterMetadata::Format::F152 ? 16 : 8)
    {
    }
};

unsigned char quarterOf(double v, const QuarterMetadata &meta)
{
    const Layout l(meta.getFormat());
    if (std::isnan(v)) return quarterNaN;
    if (v == 0) return 0;
    int exponent = 0;
    std::frexp(v, &exponent); /* v = m 2^exponent, m in [1/2, 1) */
    /* field of the exponent; numbers below the least normal one have the least exponent, too */
    const int scaled = exponent - 1 - meta.getScale();
    const int field = scaled + l.bias > 1 ? scaled + l.bias : 1;
    const double code =
        std::isinf(v) ? 0x80
                      : std::nearbyint(std::ldexp(std::fabs(v), l.mantissa + l.bias - field - meta.getScale()));
    /* a carry of the mantissa goes on into the exponent, from denormal to normal as well */
    const double all = code + (field - 1) * (1 << l.mantissa);
    const unsigned magnitude = all > 0x7f ? 0x7f : static_cast<unsigned>(all);
    return static_cast<unsigned char>(magnitude | (magnitude && std::signbit(v) ? 0x80u : 0u));
}

double numberOf(unsigned char code, const QuarterMetadata &meta)
{
    const Layout l(meta.getFormat());
    if (code == quarterNaN) return std::nan("");
    const int field = (code & 0x7f) >> l.mantissa, low = code & ((1 << l.mantissa) - 1);
    const double v = std::ldexp(field ? low + (1 << l.mantissa) : low,
                                (field ? field : 1) - l.bias - l.mantissa + meta.getScale());
    return code & 0x80 ? -v : v;
}

/* Host types of the same kind as device types, for core::numberAt(). */
TypeTraits traitsOf(const Type &type, const char *call)
{
    const tw_type t = core::deviceType(type, call);
    const tw_type_info *info = tw_type_get(t);
    TypeTraits traits;
    traits.size = info->size;
    traits.isFloat = info->kind == TW_KIND_FLOAT;
    traits.isSigned = info->kind == TW_KIND_INT;
    return traits;
}

template <class T> void put(void *dst, std::size_t i, T value)
{
    std::memcpy(static_cast<unsigned char *>(dst) + i * sizeof value, &value, sizeof value);
}
void putNumber(void *dst, std::size_t i, const TypeTraits &to, long double v)
{
    if (to.isFloat) {
        switch (to.size) {
        case 2: return put(dst, i, tw_f64_to_f16(static_cast<double>(v), TW_ROUND_NEAREST_EVEN, 0));
        case 4: return put(dst, i, static_cast<float>(v));
        case 8: return put(dst, i, static_cast<double>(v));
        default: return put(dst, i, v);
        }
    }
    const std::uint64_t n = core::wrapped(v);
    switch (to.size) {
    case 1: return put(dst, i, static_cast<std::uint8_t>(n));
    case 2: return put(dst, i, static_cast<std::uint16_t>(n));
    case 4: return put(dst, i, static_cast<std::uint32_t>(n));
    default: return put(dst, i, n);
    }
}
} // namespace

void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                         const TypeTraits &traits, std::size_t count, void *dst)
{
    const char *call = "convertToDeviceType";
    if (type != QUARTER) {
        const std::vector<unsigned char> bytes = core::convert(type, count, src, traits, call);
        if (count) std::memcpy(dst, bytes.data(), bytes.size());
        return;
    }
    for (std::size_t i = 0; i < count; i++)
        static_cast<unsigned char *>(dst)[i] =
            quarterOf(static_cast<double>(core::numberAt(src, i, traits)), metadata);
}

void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src, void *dst,
                           const TypeTraits &traits, std::size_t count)
{
    const TypeTraits from = traitsOf(type, "convertFromDeviceType");
    for (std::size_t i = 0; i < count; i++)
        putNumber(dst, i, traits,
                  type == QUARTER
                      ? static_cast<long double>(numberOf(static_cast<const unsigned char *>(src)[i], metadata))
                      : core::numberAt(src, i, from));
}

/* --- metadata of tensors: that which all of their variables have --- */

core::MetadataKey core::metadataKey(GraphHolder &graph, const tw_tensor &metadata)
{
    return graph.call("Tensor::getMetadata", [&](tw_graph *g) {
        double value = 0;
        if (tw_tensor_constant_value(g, metadata, &value)) return MetadataKey(~0u, static_cast<std::size_t>(value));
        tw_variable_region at{};
        tw_tensor_variable_regions(g, metadata, &at, 1);
        return MetadataKey(at.variable, static_cast<std::size_t>(at.offset));
    });
}

/* A format and a scale are those of all elements: a view of variables that have others means nothing. One that has
 * elements without metadata has none, wherever they are. */
static const tw_tensor *metadataOf(const Tensor &t)
{
    if (!t.valid() || t.elementType() != QUARTER || !t.numElements()) return nullptr;
    core::GraphHolder &graph = *t.get().graph;
    const tw_tensor *first = nullptr;
    core::MetadataKey key;
    unsigned seen = 0;
    bool same = true;
    for (const VariableInterval &region : t.getVarRegions()) {
        if (first && region.var.id == seen) continue;
        const auto found = graph.metadata->find(region.var.id);
        if (found == graph.metadata->end()) return nullptr;
        seen = region.var.id;
        const core::MetadataKey own = core::metadataKey(graph, found->second);
        if (!first) first = &found->second, key = own;
        same = same && own == key;
    }
    if (!same)
        throw poplar_error("Tensor::getMetadata: " + t.shapeToString() + " of " + QUARTER.toString() +
                           " has parts of different metadata");
    return first;
}

bool Tensor::hasMetadata() const
{
    return metadataOf(*this) != nullptr;
}

Tensor Tensor::getMetadata() const
{
    const tw_tensor *found = metadataOf(*this);
    if (!found) return Tensor();
    return core::makeTensor(
        get().graph,
        get().graph->call("Tensor::getMetadata",
                          [found](tw_graph *g) { return tw_tensor_reshape(g, *found, 0, nullptr); }),
        QUARTER_METADATA);
}

/* Elements of a tensor without elements twice are all that their variables have, or there are more. */
bool handles::sharesMetadata(const Graph &graph, const Tensor &t)
{
    const tw_tensor *own = metadataOf(t);
    if (!own) return false;
    core::GraphHolder &all = *t.get().graph;
    const core::MetadataKey key = core::metadataKey(all, *own);
    std::size_t elements = 0;
    for (const auto &m : *all.metadata)
        if (core::metadataKey(all, m.second) == key)
            elements += graph.getVariable(VariableRef(m.first)).numElements();
    return elements > t.numElements();
}

/* `metadata` of the variable of `t`; invalid: one of its own. */
void Graph::setMetadata(const Tensor &t, const Tensor &metadata)
{
    if (t.elementType() != QUARTER || !t.numElements()) return;
    Tensor own = metadata;
    if (!own.valid()) {
        own = addVariable(QUARTER_METADATA, {}, "metadata");
        setTileMapping(own, 0);
        setInitialValue(own, QuarterMetadata().getBinary());
    }
    if (own.elementType() != QUARTER_METADATA || own.numElements() != 1)
        throw poplar_error("Graph: metadata of a tensor are one element of " + QUARTER_METADATA.toString() +
                           ", not " + own.elementType().toString() + own.shapeToString());
    const tw_tensor handle =
        get().call("Graph", [&](tw_graph *g) { return tw_tensor_flatten(g, own.get().handle()); });
    (*get().metadata)[t.getVarRegions().front().var.id] = handle;
}

} // namespace poplar
