// SPDX-License-Identifier: MIT
// Part of <pto/pto-inst.hpp>: instructions whose settings are template arguments: moves, windows, stores, masks,
// matrix
// products. Settings stand before everything else, TMOV<AccToVecMode::DualModeSplitM>(dst, src), or after the types
// of two or
// three operands, TMOV<Dst, Src, AccToVecMode::DualModeSplitM>(dst, src); several in any order.
#ifndef PTO_PTO_MOVES_HPP
#define PTO_PTO_MOVES_HPP

namespace pto {

enum class ReluPreMode { NoRelu, NormalRelu };
enum class AccToVecMode { SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN };
enum class AtomicType { AtomicNone, AtomicAdd };
enum class MaskPattern { P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111 };
// TINSERT in two or four transfers of whole boxes, with the results of one. The spelling is estimated.
enum class NzSplit { NONE, SPLIT2, SPLIT4 };
// Hints about when the accumulator is complete: taken, without effect on results.
enum class AccPhase { Unspecified = 0, Partial = 2, Final = 3 };
enum class STPhase { Unspecified = 0, Partial = 2, Final = 3 };

namespace tw_detail {
// clang-format off
inline void set(tw_pto_attrs &attrs, ReluPreMode v) { attrs.relu = int(v); }
inline void set(tw_pto_attrs &attrs, AccToVecMode v) { attrs.acc_mode = int(v); }
inline void set(tw_pto_attrs &attrs, AtomicType v) { attrs.atomic = int(v); }
inline void set(tw_pto_attrs &attrs, MaskPattern v) { attrs.mask = int(v); }
inline void set(tw_pto_attrs &attrs, NzSplit v) { attrs.insert_split = int(v); }
inline void set(tw_pto_attrs &attrs, AccPhase v) { attrs.phase = int(v); }
inline void set(tw_pto_attrs &attrs, STPhase v) { attrs.phase = int(v); }
inline void set(tw_pto_attrs &attrs, CmpMode v) { attrs.cmp = int(v); }
inline void set(tw_pto_attrs &attrs, bool exhausted) { attrs.exhausted = exhausted; }
// clang-format on
template <auto... settings> tw_pto_attrs attrs_of()
{
    tw_pto_attrs attrs{};
    (set(attrs, settings), ...);
    return attrs;
}
template <typename... T> using if_events = std::enable_if_t<(is_event<std::remove_cv_t<T>>::value && ...)>;
template <typename T> using if_tile = std::enable_if_t<is_tile<std::remove_cv_t<T>>::value>;

// A window: row and column of its corner, (0, 0) when they are not given. The scale of an accumulator comes after the
// source, as in TSTORE (estimated); a
// tile of scales per column too. The C API has a scale last.
template <typename D, typename A, typename... Events, typename = if_events<Events...>>
RecordEvent window(const char *mnemonic, const tw_pto_attrs &attrs, D &dst, A &src, uint32_t row, uint32_t col,
                   Events &...events)
{
    return call(mnemonic, attrs, dst, src, row, col, events...);
}
template <typename D, typename A, typename... Events, typename = if_events<Events...>>
RecordEvent window(const char *mnemonic, const tw_pto_attrs &attrs, D &dst, A &src, Events &...events)
{
    const uint32_t corner = 0;
    return call(mnemonic, attrs, dst, src, corner, corner, events...);
}
template <typename D, typename A, typename... Events, typename = if_events<Events...>>
RecordEvent window(const char *mnemonic, const tw_pto_attrs &attrs, D &dst, A &src, uint64_t scale, uint32_t row,
                   uint32_t col, Events &...events)
{
    return call(mnemonic, attrs, dst, src, row, col, scale, events...);
}
template <typename D, typename A, typename F, typename... Events, typename = if_tile<F>>
RecordEvent window(const char *mnemonic, const tw_pto_attrs &attrs, D &dst, A &src, F &scales, uint32_t row,
                   uint32_t col, Events &...events)
{
    return call(mnemonic, attrs, dst, src, scales, row, col, events...);
}
// TEXTRACT of two windows of a row-major tile, to Nz boxes. The documents only name it: operands are estimated.
template <typename D, typename E, typename A, typename... Events, typename = if_tile<A>>
RecordEvent window(const char *mnemonic, const tw_pto_attrs &attrs, D &dst0, E &dst1, A &src, uint32_t row0,
                   uint32_t col0, uint32_t row1, uint32_t col1, Events &...events)
{
    return call(mnemonic, attrs, dst0, dst1, src, row0, col0, row1, col1, events...);
}

// The documents ask that tensor and valid region have the same extents. Published programs for A2/A3 give tiles with
// tails of their own: with TW_PTO_CLIP_TENSORS the part that both have moves, from the first element on, for tensors
// of layout nd. Of a tile that has more, the rest is what lies outside a valid region: TLOAD gives it the tile's pad
// value, if it has one, and TSTORE leaves it out.
template <typename G, typename T> G clipped(const G &tensor, const T &tile)
{
    G part = tensor;
    tw_pto_tensor *g = part.raw();
    const std::size_t rows = tile.raw()->valid_rows, cols = tile.raw()->valid_cols;
    if (g->layout != TW_PTO_ND || g->shape[0] * g->shape[1] * g->shape[2] != 1) return part;
    if (g->shape[3] > rows) g->shape[3] = rows;
    if (g->shape[4] > cols) g->shape[4] = cols;
    return part;
}
class narrowed { // while it lives, the tile's valid region is no larger than the tensor
  public:
    narrowed(tw_pto_tile *t, const tw_pto_tensor *g) : tile(t), rows(t->valid_rows), cols(t->valid_cols)
    {
        if (g->layout != TW_PTO_ND || g->shape[0] * g->shape[1] * g->shape[2] != 1) return;
        if (g->shape[3] < rows) tile->valid_rows = uint32_t(g->shape[3]);
        if (g->shape[4] < cols) tile->valid_cols = uint32_t(g->shape[4]);
    }
    ~narrowed()
    {
        tile->valid_rows = rows;
        tile->valid_cols = cols;
    }
    narrowed(const narrowed &) = delete;
    narrowed &operator=(const narrowed &) = delete;

  private:
    tw_pto_tile *tile;
    uint32_t rows, cols;
};
template <typename D, typename A, typename... Rest>
RecordEvent transfer(const char *mnemonic, const tw_pto_attrs &attrs, D &dst, A &src, Rest &...rest)
{
#ifdef TW_PTO_CLIP_TENSORS
    if constexpr (is_tensor<std::remove_cv_t<D>>::value) {
        auto part = clipped(dst, src);
        narrowed tile(const_cast<tw_pto_tile *>(src.raw()), part.raw());
        return call(mnemonic, attrs, part, src, rest...);
    } else {
        auto part = clipped(src, dst);
        narrowed tile(dst.raw(), part.raw());
        return call(mnemonic, attrs, dst, part, rest...);
    }
#else
    return call(mnemonic, attrs, dst, src, rest...);
#endif
}

template <typename... Args> RecordEvent gather(const char *mnemonic, const tw_pto_attrs &attrs, Args &...args)
{
    return call(mnemonic, attrs, args...);
}
// Where src compares with k, as indexes from `offset` on, and how many there are in each row.
template <typename D, typename A, typename K, typename C, typename T, typename Offset, typename... Events,
          typename = std::enable_if_t<std::is_integral<Offset>::value>>
RecordEvent gather(const char *mnemonic, tw_pto_attrs attrs, D &dst, A &src, K &k, C &counts, T &tmp,
                   Offset &offset, Events &...events)
{
    attrs.offset = int32_t(offset);
    return call(mnemonic, attrs, dst, src, k, counts, tmp, events...);
}

template <typename... Args> constexpr int operands()
{
    return ((is_event<std::remove_cv_t<Args>>::value ? 0 : 1) + ... + 0);
}
// Products with a scale per 32 elements: a source that is an accumulator is added to, a seventh operand is a bias.
struct mx_names {
    const char *plain, *acc, *bias;
};
template <typename C, typename A, typename... Args>
RecordEvent product(const mx_names &names, const tw_pto_attrs &attrs, C &c, A &a, Args &...args)
{
    const char *name = operands<C, A, Args...>() == 5 ? names.plain
                       : A::Loc == TileType::Acc      ? names.acc
                                                      : names.bias;
    return call(name, attrs, c, a, args...);
}
} // namespace tw_detail

#define TW_PTO_CPP_SETTINGS(NAME, how, ...)                                                              \
    template <typename... Args> PTO_INST RecordEvent NAME(const Args &...args)                           \
    {                                                                                                    \
        return tw_detail::how(__VA_ARGS__, tw_pto_attrs{}, args...);                                     \
    }                                                                                                    \
    template <auto first, auto... more, typename... Args> PTO_INST RecordEvent NAME(const Args &...args) \
    {                                                                                                    \
        return tw_detail::how(__VA_ARGS__, tw_detail::attrs_of<first, more...>(), args...);              \
    }                                                                                                    \
    template <typename, typename, auto first, auto... more, typename... Args>                            \
    PTO_INST RecordEvent NAME(const Args &...args)                                                       \
    {                                                                                                    \
        return NAME<first, more...>(args...);                                                            \
    }                                                                                                    \
    template <typename, typename, typename, auto first, auto... more, typename... Args>                  \
    PTO_INST RecordEvent NAME(const Args &...args)                                                       \
    {                                                                                                    \
        return NAME<first, more...>(args...);                                                            \
    }
// clang-format off
TW_PTO_CPP_SETTINGS(TMOV, call, "tmov")
TW_PTO_CPP_SETTINGS(TMOV_FP, call, "tmov")
TW_PTO_CPP_SETTINGS(TEXTRACT, window, "textract")
TW_PTO_CPP_SETTINGS(TEXTRACT_FP, window, "textract_fp")
TW_PTO_CPP_SETTINGS(TINSERT, window, "tinsert")
TW_PTO_CPP_SETTINGS(TINSERT_FP, window, "tinsert_fp")
TW_PTO_CPP_SETTINGS(TLOAD, transfer, "tload")
TW_PTO_CPP_SETTINGS(TSTORE, transfer, "tstore")
TW_PTO_CPP_SETTINGS(TSTORE_FP, call, "tstore_fp")
TW_PTO_CPP_SETTINGS(TGATHER, gather, "tgather")
TW_PTO_CPP_SETTINGS(TSCATTER, call, "tscatter")
TW_PTO_CPP_SETTINGS(TMRGSORT, call, "tmrgsort")
TW_PTO_CPP_SETTINGS(TMATMUL, call, "tmatmul")
TW_PTO_CPP_SETTINGS(TMATMUL_ACC, call, "tmatmul.acc")
TW_PTO_CPP_SETTINGS(TMATMUL_BIAS, call, "tmatmul.bias")
TW_PTO_CPP_SETTINGS(TGEMV, call, "tgemv")
TW_PTO_CPP_SETTINGS(TGEMV_ACC, call, "tgemv.acc")
TW_PTO_CPP_SETTINGS(TGEMV_BIAS, call, "tgemv.bias")
TW_PTO_CPP_SETTINGS(TMATMUL_MX, product, tw_detail::mx_names{ "tmatmul.mx", "tmatmul.mx.acc", "tmatmul.mx.bias" })
TW_PTO_CPP_SETTINGS(TGEMV_MX, product, tw_detail::mx_names{ "tgemv.mx", "tgemv.mx.acc", "tgemv.mx.bias" })
// clang-format on
#undef TW_PTO_CPP_SETTINGS

// Types named in the other order: TSTORE<Tile, GlobalTensor>(tensor, tile).
template <typename T, typename G, typename... Rest, typename = std::enable_if_t<tw_detail::is_tensor<G>::value>>
PTO_INST RecordEvent TSTORE(const G &dst, const T &src, const Rest &...rest)
{
    return tw_detail::transfer("tstore", tw_pto_attrs{}, dst, src, rest...);
}
// Exponents to Zz boxes; axis 0: groups along rows, turned over.
template <int axis = 1, typename D, typename A, typename T, typename... Events>
PTO_INST RecordEvent TMOV_ZZ(D &dst, A &src, T &tmp, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.axis = axis == 0;
    return tw_detail::call("tmov.zz", attrs, dst, src, tmp, events...);
}

} // namespace pto
#endif
