// SPDX-License-Identifier: MIT
// Part of <pto/pto-inst.hpp>: ConvTiles, and instructions whose template arguments or operands need more than a name.
// Names of setters and enumerations that no public program shows are ours.
#ifndef PTO_PTO_DATA_HPP
#define PTO_PTO_DATA_HPP

namespace pto {

// --- ConvTiles
// -----------------------------------------------------------------------------------------------------------

template <int... Extents> struct ConvTileShape {
    static_assert(sizeof...(Extents) >= 4 && sizeof...(Extents) <= 6, "four to six dimensions");
    static constexpr std::array<int, sizeof...(Extents)> value{ { Extents... } };
};

// A feature map or filter; BufferBytes of storage. A copy is a second name for it.
template <TileType Loc_, typename Element, int BufferBytes, Layout L, typename ShapeT> class ConvTile {
  public:
    using DType = Element;
    static constexpr TileType Loc = Loc_;
    static constexpr Layout layout = L;
    static_assert(BufferBytes % 32 == 0, "storage comes in blocks of 32 bytes");

    ConvTile() : state_(std::make_shared<state>())
    {
        state_->core = tw_detail::shared_core();
        tw_pto_conv &v = state_->conv;
        v = tw_pto_conv();
        v.layout = tw_pto_layout(int(L));
        v.rank = unsigned(ShapeT::value.size());
        for (unsigned d = 0; d < v.rank; d++) v.shape[d] = uint32_t(ShapeT::value[d]);
        state_->tile =
            tw_pto_conv_tile(tw_pto_location(int(Loc_)), tw_detail::type_of<Element>::value, &v, BufferBytes);
    }
    int GetShape(int d) const { return int(state_->conv.shape[d]); }
    Element *data() const
    {
        void *at = tw_pto_data(tw_detail::core(), &state_->tile);
        if (!at) throw error(TW_E_TILE_MEMORY);
        return static_cast<Element *>(at);
    }
    tw_pto_tile *raw() const { return &state_->tile; }

    void SetFmap(uint32_t h, uint32_t w) { state_->conv.fmap_h = h, state_->conv.fmap_w = w; }
    void SetFilter(uint32_t h, uint32_t w) { state_->conv.filter_h = h, state_->conv.filter_w = w; }
    void SetDilation(uint32_t h, uint32_t w) { state_->conv.dilation_h = h, state_->conv.dilation_w = w; }
    void SetStride(uint32_t h, uint32_t w) { state_->conv.stride_h = h, state_->conv.stride_w = w; }
    void SetPadList(uint32_t left, uint32_t right, uint32_t top, uint32_t bottom)
    {
        const uint32_t pads[] = { left, right, top, bottom };
        std::memcpy(state_->conv.pad, pads, sizeof pads);
    }
    void SetPadValue(Element value) { state_->conv.pad_value = tw_detail::scalar(value).bits; }
    void SetChannelSize(uint32_t channels) { state_->conv.channels = channels; }
    void SetRepeat(uint32_t stride, uint32_t time, uint32_t mode)
    {
        state_->conv.repeat_stride = stride;
        state_->conv.repeat_time = time;
        state_->conv.repeat_mode = mode;
    }
    void SetTranspose(bool transpose) { state_->conv.transpose = transpose; }

  private:
    struct state {
        tw_pto_conv conv;
        tw_pto_tile tile;
        std::shared_ptr<tw_pto> core;
        ~state()
        {
            if (core) tw_pto_tile_free(core.get(), &tile);
        }
    };
    std::shared_ptr<state> state_;
};

namespace tw_detail {
// Attributes by position: {field, value} pairs.
template <typename... Args>
RecordEvent call_with(const char *mnemonic, int32_t tw_pto_attrs::*field, int32_t value, Args &...args)
{
    tw_pto_attrs attrs{};
    attrs.*field = value;
    return call(mnemonic, attrs, args...);
}
} // namespace tw_detail

template <typename D, typename A, typename... Events>
PTO_INST RecordEvent TIMG2COL(D &dst, A &src, uint16_t posM, uint16_t posK, Events &...events)
{
    uint32_t m = posM, k = posK;
    return tw_detail::call("timg2col", tw_pto_attrs{}, dst, src, m, k, events...);
}

// --- tables in global memory
// ---------------------------------------------------------------------------------------------------

enum class Coalesce { Row = 1, Elem };
enum class GatherOOB { Undefined, Clamp, Wrap, Zero };
enum class ScatterOOB { Undefined = 0, Clamp = 1, Wrap = 2, Skip = 4 };
enum class ScatterAtomicOp { None, Add, Max, Min };

template <Coalesce coalesce = Coalesce::Row, GatherOOB bounds = GatherOOB::Undefined, typename D, typename G,
          typename... Args>
PTO_INST RecordEvent MGATHER(D &dst, G &&table, Args &&...args)
{
    tw_pto_attrs attrs{};
    attrs.coalesce = int(coalesce);
    attrs.bounds = int(bounds);
    return tw_detail::call("mgather", attrs, dst, table, args...);
}
template <Coalesce coalesce = Coalesce::Row, ScatterAtomicOp atomic = ScatterAtomicOp::None,
          ScatterOOB bounds = ScatterOOB::Undefined, typename G, typename A, typename X, typename... Events>
PTO_INST RecordEvent MSCATTER(G &&table, A &src, X &index, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.coalesce = int(coalesce);
    attrs.atomic = int(atomic);
    attrs.bounds = int(bounds);
    return tw_detail::call("mscatter", attrs, table, src, index, events...);
}

// --- scalars with tmp, comparison with a tile, conversion with tmp
// -----------------------------------------------------------------

#define TW_PTO_CPP_SCALAR_TMP(NAME, mnemonic)                                                 \
    template <typename D, typename A, typename T, typename... Events>                         \
    PTO_INST RecordEvent NAME(D &dst, A &src, typename A::DType s, T &tmp, Events &...events) \
    {                                                                                         \
        return tw_detail::call(mnemonic, tw_pto_attrs{}, dst, src, s, tmp, events...);        \
    }
TW_PTO_CPP_SCALAR_TMP(TREMS, "trems")
TW_PTO_CPP_SCALAR_TMP(TPOWS, "tpows")
TW_PTO_CPP_SCALAR_TMP(TXORS, "txors")
#undef TW_PTO_CPP_SCALAR_TMP

template <typename D, typename A, typename B, typename T, typename... Events>
PTO_INST RecordEvent TADDDEQRELU(D &dst, A &a, B &b, float scale, T &tmp, Events &...events)
{
    return tw_detail::call("tadddeqrelu", tw_pto_attrs{}, dst, a, b, scale, tmp, events...);
}
template <typename D, typename A, typename T, typename... Events,
          typename = std::enable_if_t<tw_detail::is_tile<T>::value>>
PTO_INST RecordEvent TCVT(D &dst, A &src, T &tmp, RoundMode mode, Events &...events)
{
    return tw_detail::call_with("tcvt", &tw_pto_attrs::round, int(mode), dst, src, tmp, events...);
}
template <typename D, typename A, typename T, typename... Events,
          typename = std::enable_if_t<tw_detail::is_tile<T>::value>>
PTO_INST RecordEvent TCVT(D &dst, A &src, T &tmp, RoundMode mode, SaturationMode saturation, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.round = int(mode);
    attrs.saturate = int(saturation);
    return tw_detail::call("tcvt", attrs, dst, src, tmp, events...);
}
// With element (0, 0) of `with`.
template <typename D, typename A, typename B, typename... Events,
          typename = std::enable_if_t<tw_detail::is_tile<B>::value>>
PTO_INST RecordEvent TCMPS(D &dst, A &src, B &with, CmpMode mode, Events &...events)
{
    return tw_detail::call_with("tcmps", &tw_pto_attrs::cmp, int(mode), dst, src, with, events...);
}
template <typename D, typename M, typename A, typename T, typename... Events>
PTO_INST RecordEvent TSELS(D &dst, M &mask, A &src, T &tmp, typename A::DType s, Events &...events)
{
    return tw_detail::call("tsels", tw_pto_attrs{}, dst, mask, src, tmp, s, events...);
}
template <typename D, typename A, typename T, typename... Events>
PTO_INST RecordEvent TCOLSUM(D &dst, A &src, T &tmp, bool isBinary, Events &...events)
{
    return tw_detail::call_with("tcolsum", &tw_pto_attrs::binary, isBinary, dst, src, tmp, events...);
}
// Factor of later conversions of i32 to f16.
inline void set_deqscale(half scale)
{
    tw_detail::call("set_deqscale", tw_pto_attrs{}, scale);
}

// --- quantisation, random numbers, counts
// -------------------------------------------------------------------------------------------

enum class QuantType { INT8_SYM, INT8_ASYM };
enum class ScaleRule { OCP, NV };

// Operands after the source: scale, [tmp,] [offset]; the form follows from dst's type.
template <QuantType type, typename D, typename A, typename P, typename... Args>
PTO_INST RecordEvent TQUANT(D &dst, A &src, P &scale, Args &...args)
{
    return tw_detail::call_with("tquant", &tw_pto_attrs::quant, int(type), dst, src, scale, args...);
}
// Data, exponents, largest values, factors of groups of 32; axis 1 along columns, 0 along rows.
template <int axis = 1, ScaleRule rule = ScaleRule::OCP, typename D, typename A, typename E, typename M, typename F,
          typename... Events>
PTO_INST RecordEvent TQUANT_MX(D &dst, A &src, E &exponents, M &largest, F &factors, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.axis = axis == 0;
    attrs.scale_rule = int(rule);
    return tw_detail::call("tquant.mx", attrs, dst, src, exponents, largest, factors, events...);
}
template <typename D, typename A, typename S, typename... Events>
PTO_INST RecordEvent TQUANT_HIF4(D &dst, A &src, S &scales, Events &...events)
{
    return tw_detail::call("tquant.hif4", tw_pto_attrs{}, dst, src, scales, events...);
}
inline void SET_QUANT_SCALAR(uint64_t scalar)
{
    tw_detail::call("set_quant_scalar", tw_pto_attrs{}, scalar);
}
template <int rounds = 10, typename D, typename... Events>
PTO_INST RecordEvent TRANDOM(D &dst, const uint32_t (&key)[2], const uint32_t (&counter)[4], Events &...events)
{
    return tw_detail::call_with("trandom", &tw_pto_attrs::rounds, rounds, dst, key[0], key[1], counter[0],
                                counter[1], counter[2], counter[3], events...);
}
template <int byte, typename D, typename A, typename X, typename... Events>
PTO_INST RecordEvent THISTOGRAM(D &dst, A &src, X &index, Events &...events)
{
    return tw_detail::call_with("thistogram", &tw_pto_attrs::byte, byte, dst, src, index, events...);
}

// --- looking at values
// ----------------------------------------------------------------------------------------------------------------

namespace tw_detail {
inline void print_element(const char *before, tw_type type, const void *element)
{
    const bool real = tw_type_get(type)->kind == TW_KIND_FLOAT;
    std::printf(real ? "%s%.9g" : "%s%.0f", before, tw_type_load(type, element));
}
} // namespace tw_detail

// The valid region of a tile, or a tensor as the tile that fits it, a line a row, on stdout. Not ordered with
// anything.
template <typename T> void TPRINT(T &object)
{
    if constexpr (tw_detail::is_tile<T>::value) {
        tw_pto_tile *t = object.raw();
        const char *bytes = static_cast<const char *>(tw_pto_data(tw_detail::core(), t));
        if (!bytes) throw error(TW_E_TILE_MEMORY);
        const bool nibbles = tw_type_get(t->type)->bits == 4;
        for (uint32_t r = 0; r < t->valid_rows; r++) {
            for (uint32_t c = 0; c < t->valid_cols; c++) {
                unsigned char element[8] = {};
                std::memcpy(element, bytes + tw_pto_element(t, r, c), tw_type_size(t->type));
                if (nibbles) element[0] = (c & 1 ? element[0] >> 4 : element[0]) & 15;
                tw_detail::print_element(c ? " " : "", t->type, element);
            }
            std::printf("\n");
        }
    } else {
        const tw_pto_tensor *g = object.raw();
        const std::size_t *n = g->shape, size = tw_type_size(g->type);
        for (std::size_t i = 0; i < n[0] * n[1] * n[2] * n[3]; i++) {
            const std::size_t at[4] = { i / (n[3] * n[2] * n[1]), i / (n[3] * n[2]) % n[1], i / n[3] % n[2],
                                        i % n[3] };
            for (std::size_t k = 0; k < n[4]; k++) {
                std::ptrdiff_t offset = std::ptrdiff_t(k) * g->stride[4];
                for (int d = 0; d < 4; d++) offset += std::ptrdiff_t(at[d]) * g->stride[d];
                const char *element = static_cast<const char *>(g->data) + offset * std::ptrdiff_t(size);
                tw_detail::print_element(k ? " " : "", g->type, element);
            }
            std::printf("\n");
        }
    }
}

} // namespace pto
#endif
