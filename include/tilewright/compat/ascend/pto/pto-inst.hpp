// SPDX-License-Identifier: MIT
// PTO tile instructions in C++17, spelled as the vendor's programs spell them. A thin layer: tiles and tensors are
// descriptions, every instruction is one call of tw_pto_exec() (<tilewright/pto.h>), which holds all semantics.
//
//     #include <pto/pto-inst.hpp>                         // $(pkg-config --variable=ascend_cflags tilewright)
//     pto::Tile<pto::TileType::Vec, float, 8, 64> x, y;
//     pto::TEXPANDS(x, 0.5f);
//     pto::TADD(y, x, x);
//
// Each thread has one core. Its target is cpu unless TILEWRIGHT_PTO_TARGET says a2a3 or a5 before its first
// instruction. TILEWRIGHT_PTO_TRACE=1 prints every instruction with what it wrote on stderr. Defining
// TW_PTO_MANUAL_MODE makes a tile without TASSIGN an error; __PTO_AUTO__ turns TASSIGN into nothing. A refused
// instruction throws pto::error.
// TW_PTO_CLIP_TENSORS lets tensors be larger than the valid regions of tiles. docs/pto.md lists what is here.
#ifndef PTO_PTO_INST_HPP
#define PTO_PTO_INST_HPP

#include <tilewright/pto.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <tilewright/pto/detail/types.hpp>

namespace pto {

struct error : std::runtime_error {
    tw_status status;
    explicit error(tw_status s) : std::runtime_error(tw_error_message()), status(s) {}
};

namespace tw_detail {
inline void check(tw_status status)
{
    if (status != TW_OK) throw error(status);
}

// This thread's own core, made when it is first asked for.
inline std::shared_ptr<tw_pto> &own_core()
{
    static thread_local std::shared_ptr<tw_pto> mine;
    return mine;
}
inline std::shared_ptr<tw_pto> new_core(tw_pto_target target)
{
    const char *trace = std::getenv("TILEWRIGHT_PTO_TRACE");
    unsigned flags = 0;
#ifdef TW_PTO_MANUAL_MODE
    flags = TW_PTO_MANUAL;
#endif
    std::shared_ptr<tw_pto> made(tw_pto_new(target, flags), tw_pto_free);
    if (!made) throw error(TW_E_NO_MEMORY);
    if (trace && *trace && *trace != '0') tw_pto_trace(made.get(), stderr);
    return made;
}

// The core that is running in a grid, else the core of this thread. Tiles share it, so that one may outlive the
// thread's own hold on it.
inline std::shared_ptr<tw_pto> shared_core()
{
    if (tw_pto *running = tw_pto_current()) return { running, [](tw_pto *) {} }; // of a grid, which owns it
    if (!own_core()) {
        tw_pto_target target = TW_PTO_CPU;
        const char *name = std::getenv("TILEWRIGHT_PTO_TARGET");
        if (name && *name && !tw_pto_target_by_name(name, &target)) throw error(TW_E_INVALID_ARGUMENT);
        own_core() = new_core(target);
    }
    return own_core();
}
inline tw_pto *core()
{
    tw_pto *running = tw_pto_current();
    return running ? running : shared_core().get();
}

template <typename T> struct type_of;
#define TW_PTO_CPP_TYPE(T, type)               \
    template <> struct type_of<T> {            \
        static constexpr tw_type value = type; \
    };
TW_PTO_CPP_TYPE(int8_t, TW_I8)
TW_PTO_CPP_TYPE(uint8_t, TW_U8)
TW_PTO_CPP_TYPE(int16_t, TW_I16)
TW_PTO_CPP_TYPE(uint16_t, TW_U16)
TW_PTO_CPP_TYPE(int32_t, TW_I32)
TW_PTO_CPP_TYPE(uint32_t, TW_U32)
TW_PTO_CPP_TYPE(int64_t, TW_I64)
TW_PTO_CPP_TYPE(uint64_t, TW_U64)
TW_PTO_CPP_TYPE(float, TW_F32)
TW_PTO_CPP_TYPE(half, TW_F16)
TW_PTO_CPP_TYPE(bfloat16_t, TW_BF16)
TW_PTO_CPP_TYPE(float8_e4m3_t, TW_F8E4M3)
TW_PTO_CPP_TYPE(float8_e5m2_t, TW_F8E5M2)
TW_PTO_CPP_TYPE(float8_e8m0_t, TW_F8E8M0)
TW_PTO_CPP_TYPE(hifloat8_t, TW_HIF8)
TW_PTO_CPP_TYPE(float4_e1m2x2_t, TW_F4E1M2)
TW_PTO_CPP_TYPE(float4_e2m1x2_t, TW_F4E2M1)
TW_PTO_CPP_TYPE(hifloat4x2_t, TW_HIF4)
TW_PTO_CPP_TYPE(int4b_t, TW_I4)
#undef TW_PTO_CPP_TYPE

template <typename T> constexpr int bits_of()
{
    constexpr tw_type t = type_of<T>::value;
    return t == TW_F4E1M2 || t == TW_F4E2M1 || t == TW_HIF4 || t == TW_I4 ? 4 : int(8 * sizeof(T));
}

template <typename T> tw_pto_scalar scalar(T value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return tw_pto_bits(type_of<T>::value, bits);
}
} // namespace tw_detail

// --- tiles ---------------------------------------------------------------------------------------------------------

enum class TileType {
    Vec,
    Mat,
    Left,
    Right,
    Acc,
    Bias,
    Scaling,
    ScaleLeft,
    ScaleRight,
    Ctrl /* without memory here */
};
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class PadValue : uint64_t { Null, Zero, Max, Min };
enum class CompactMode { Null, Normal, RowPlusOne, RowAlignedPadding };
constexpr int DYNAMIC = -1;

namespace TileConfig {
constexpr int fractalABSize = 512;
constexpr int fractalCSize = 1024;
constexpr int fractalMxSize = 32;
} // namespace TileConfig

// Storage is found when the tile is first used, or set by TASSIGN, and given back by the destructor. A copy is a
// second name for the same storage.
template <TileType Loc_, typename Element, int Rows_, int Cols_, BLayout BL = BLayout::RowMajor,
          int RowValid = Rows_, int ColValid = Cols_, SLayout SL = SLayout::NoneBox, int Fractal = 512,
          PadValue Pad = PadValue::Null, CompactMode Compact = CompactMode::Null>
class Tile {
  public:
    using DType = Element;
    static constexpr TileType Loc = Loc_;
    static constexpr int Rows = Rows_, Cols = Cols_, Numel = Rows_ * Cols_;
    static constexpr int ValidRow = RowValid, ValidCol = ColValid;
    static constexpr bool isRowMajor = BL == BLayout::RowMajor;
    static constexpr int RowStride = isRowMajor ? Cols_ : 1, ColStride = isRowMajor ? 1 : Rows_;
    static constexpr BLayout BFractal = BL;
    static constexpr SLayout SFractal = SL;
    static constexpr PadValue PadVal = Pad;
    static_assert(Rows_ > 0 && Cols_ > 0, "a tile has rows and columns");
    static_assert(RowValid <= Rows_ && ColValid <= Cols_, "the valid region exceeds the tile");
    static_assert(SL != SLayout::NoneBox || (isRowMajor ? Cols_ : Rows_) * tw_detail::bits_of<Element>() % 256 == 0,
                  "rows (column-major: columns) are multiples of 32 bytes");
    static_assert(Fractal == 512 || Fractal == 1024 || Fractal == 32, "a fractal has 512, 1024 or 32 bytes");

    Tile() : Tile(RowValid < 0 ? Rows_ : RowValid, ColValid < 0 ? Cols_ : ColValid, 0) {}
    template <int R = RowValid, int C = ColValid, typename = std::enable_if_t<(R < 0) != (C < 0)>>
    explicit Tile(int extent) : Tile(R < 0 ? extent : RowValid, C < 0 ? extent : ColValid, 0)
    {
    }
    template <int R = RowValid, int C = ColValid, typename = std::enable_if_t<(R < 0) && (C < 0)>>
    Tile(int rows, int cols) : Tile(rows, cols, 0)
    {
    }

    int GetValidRow() const { return int(state_->tile.valid_rows); }
    int GetValidCol() const { return int(state_->tile.valid_cols); }
    void SetValidRow(int rows)
    {
        static_assert(RowValid < 0, "only a dynamic extent can be set");
        state_->tile.valid_rows = uint32_t(rows);
    }
    void SetValidCol(int cols)
    {
        static_assert(ColValid < 0, "only a dynamic extent can be set");
        state_->tile.valid_cols = uint32_t(cols);
    }
    void SetValidShape(int rows, int cols)
    {
        SetValidRow(rows);
        SetValidCol(cols);
    }
    Element *data() const
    {
        void *at = tw_pto_data(tw_detail::core(), &state_->tile);
        if (!at) throw error(TW_E_TILE_MEMORY);
        return static_cast<Element *>(at);
    }
    Element GetValue(uint32_t index) const { return at(index); }
    void SetValue(uint32_t index, Element value) { at(index) = value; }

    // How f32 operands of matrix products are rounded first: TW_PTO_TF32_RINT, TW_PTO_TF32_ROUND.
    void SetTF32Mode(tw_pto_tf32 mode) { state_->tile.tf32 = uint32_t(mode); }

    tw_pto_tile *raw() const { return &state_->tile; }

    // The description that the template arguments give.
    static tw_pto_tile describe(int rows, int cols)
    {
        tw_pto_tile t = tw_pto_tile_of(tw_pto_location(int(Loc_)), tw_detail::type_of<Element>::value,
                                       uint32_t(Rows_), uint32_t(Cols_));
        t.blayout = static_cast<unsigned char>(BL);
        t.slayout = static_cast<unsigned char>(SL);
        t.compact = static_cast<unsigned char>(Compact);
        t.fractal = uint32_t(Fractal);
        t.pad = uint64_t(Pad);
        t.valid_rows = uint32_t(rows);
        t.valid_cols = uint32_t(cols);
        return t;
    }

  private:
    struct state {
        tw_pto_tile tile;
        std::shared_ptr<tw_pto> core;
        ~state()
        {
            if (core) tw_pto_tile_free(core.get(), &tile);
        }
    };
    Tile(int rows, int cols, int) : state_(std::make_shared<state>())
    {
        state_->core = tw_detail::shared_core();
        state_->tile = describe(rows, cols);
    }
    Element &at(uint32_t index) const
    {
        static_assert(Loc_ == TileType::Vec, "elements are reached in vector memory only");
        if (index >= uint32_t(Numel)) throw std::out_of_range("element outside the tile");
        return data()[index];
    }
    std::shared_ptr<state> state_;
};

// The left operand lies differently on A2/A3 and on later chips: -DPTO_NPU_ARCH_A2A3, or the vendor's own macro,
// chooses.
// So does the size of the unified buffer.
#if defined(PTO_NPU_ARCH_A2A3) || (defined(__CCE_AICORE__) && __CCE_AICORE__ == 220)
constexpr BLayout left_layout = BLayout::RowMajor;
#define PTO_UBUF_SIZE_BYTES (192 * 1024)
#else
constexpr BLayout left_layout = BLayout::ColMajor;
#define PTO_UBUF_SIZE_BYTES (256 * 1024)
#endif
template <typename T, int R, int C, int VR = R, int VC = C, CompactMode Compact = CompactMode::Null>
using TileLeft = Tile<TileType::Left, T, R, C, left_layout, VR, VC, SLayout::RowMajor, TileConfig::fractalABSize,
                      PadValue::Null, Compact>;
template <typename T, int R, int C, int VR = R, int VC = C, CompactMode Compact = CompactMode::Null>
using TileRight = Tile<TileType::Right, T, R, C, BLayout::RowMajor, VR, VC, SLayout::ColMajor,
                       TileConfig::fractalABSize, PadValue::Null, Compact>;
template <typename T, int R, int C, int VR = R, int VC = C, CompactMode Compact = CompactMode::Null>
using TileAcc = Tile<TileType::Acc, T, R, C, BLayout::ColMajor, VR, VC, SLayout::RowMajor, TileConfig::fractalCSize,
                     PadValue::Null, Compact>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileLeftScale =
    Tile<TileType::ScaleLeft, T, R, C, BLayout::RowMajor, VR, VC, SLayout::RowMajor, TileConfig::fractalMxSize>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileRightScale =
    Tile<TileType::ScaleRight, T, R, C, BLayout::ColMajor, VR, VC, SLayout::ColMajor, TileConfig::fractalMxSize>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileLeftCompact = TileLeft<T, R, C, VR, VC, CompactMode::Normal>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileRightCompact = TileRight<T, R, C, VR, VC, CompactMode::Normal>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileAccCompact = TileAcc<T, R, C, VR, VC, CompactMode::Normal>;

// Elements from the start of a tile's storage to (row, col), by layout alone.
template <typename TileData> std::size_t GetTileElementOffset(int row, int col)
{
    tw_pto_tile t = TileData::describe(TileData::Rows, TileData::Cols);
    return tw_pto_element(&t, uint32_t(row), uint32_t(col)) * 8 / tw_detail::bits_of<typename TileData::DType>();
}

} // namespace pto

#include <tilewright/pto/detail/sync.hpp>
#include <tilewright/pto/detail/tensor.hpp>

namespace pto {

// --- instructions --------------------------------------------------------------------------------------------------

namespace tw_detail {
template <typename T, typename = void> struct is_tile : std::false_type {};
template <typename T>
struct is_tile<T, std::void_t<decltype(T::Loc), decltype(std::declval<T &>().raw())>> : std::true_type {};
template <typename T> struct is_tensor : std::false_type {};
template <typename E, typename S, typename St, Layout L>
struct is_tensor<GlobalTensor<E, S, St, L>> : std::true_type {};
template <typename T> struct is_event : std::false_type {};
template <Op A, Op B> struct is_event<Event<A, B>> : std::true_type {};

template <typename T> tw_pto_operand operand(T &value)
{
    using U = std::remove_cv_t<T>;
    if constexpr (is_tile<U>::value)
        return tw_pto_tile_operand(value.raw());
    else if constexpr (is_tensor<U>::value)
        return tw_pto_tensor_operand(const_cast<U &>(value).raw());
    else
        return tw_pto_scalar_operand(scalar(value));
}

// Operands in order; events among them are waited for first.
template <typename... Args> RecordEvent call(const char *mnemonic, const tw_pto_attrs &attrs, Args &...args)
{
    tw_pto_operand operands[sizeof...(Args) + 1];
    unsigned count = 0;
    auto add = [&](auto &arg) {
        using U = std::remove_cv_t<std::remove_reference_t<decltype(arg)>>;
        if constexpr (is_event<U>::value)
            const_cast<U &>(arg).Wait();
        else
            operands[count++] = operand(arg);
    };
    (add(args), ...);
    check(tw_pto_call(core(), mnemonic, operands, count, &attrs));
    return RecordEvent{ tw_pto_last_pipe(core()) };
}
} // namespace tw_detail

// TASSIGN: the address of a tile in the memory of its location, or a new pointer for a tensor.
template <typename T> void TASSIGN(T &object, uint64_t address)
{
    static_assert(tw_detail::is_tile<T>::value, "an address belongs to a tile");
#ifdef __PTO_AUTO__
    (void)object;
    (void)address;
#else
    tw_detail::check(tw_pto_assign(tw_detail::core(), object.raw(), address));
#endif
}
template <uint64_t Address, typename T> void TASSIGN(T &tile)
{
    static_assert(Address % 32 == 0, "SA-0354: the address is a multiple of 32");
    TASSIGN(tile, Address);
}
template <typename E, typename S, typename St, Layout L> void TASSIGN(GlobalTensor<E, S, St, L> &tensor, E *data)
{
    tensor.rebind(data);
}

template <typename Window, typename T> void TSUBVIEW(Window &window, T &tile, int row, int col)
{
    tw_detail::check(tw_pto_window(tw_detail::core(), window.raw(), tile.raw(), uint32_t(row), uint32_t(col)));
}

// TCI: the explicit arguments choose between the forms, so a trailing event is never taken for tmp.
namespace tw_detail {
template <typename D, typename T> constexpr void check_tci()
{
    static_assert(std::is_same<typename D::DType, T>::value, "the scalar has the tile's element type");
    static_assert(std::is_same<T, int32_t>::value || std::is_same<T, uint32_t>::value ||
                      std::is_same<T, int16_t>::value || std::is_same<T, uint16_t>::value,
                  "TCI takes 16 and 32-bit integers");
    static_assert(D::Cols != 1, "TCI needs Cols != 1");
}
} // namespace tw_detail
template <typename D, typename T, int descending, typename... Waits>
PTO_INST RecordEvent TCI(D &to, T first, Waits &...waits)
{
    tw_detail::check_tci<D, T>();
    tw_pto_attrs attrs{};
    attrs.descending = descending != 0;
    return tw_detail::call("tci", attrs, to, first, waits...);
}
template <typename D, typename S, typename T, int descending, typename... Waits>
PTO_INST RecordEvent TCI(D &to, T first, S &scratch, Waits &...waits)
{
    tw_detail::check_tci<D, T>();
    tw_pto_attrs attrs{};
    attrs.descending = descending != 0;
    return tw_detail::call("tci", attrs, to, first, scratch, waits...);
}

// Types may be named, TADD<A, B, C>(a, b, c). Scalars are converted to the element type here; the C API asks for
// identity.
#define TW_PTO_CPP_TILES(NAME, mnemonic)                                       \
    template <typename... Args> PTO_INST RecordEvent NAME(const Args &...args) \
    {                                                                          \
        return tw_detail::call(mnemonic, tw_pto_attrs{}, args...);             \
    }
#define TW_PTO_CPP_SCALAR(NAME, mnemonic)                                             \
    template <typename D, typename A, typename... Events>                             \
    PTO_INST RecordEvent NAME(D &dst, A &src, typename A::DType s, Events &...events) \
    {                                                                                 \
        return tw_detail::call(mnemonic, tw_pto_attrs{}, dst, src, s, events...);     \
    }
// More exact results at more cycles on A5; here results are rounded once anyway. The type's name is estimated.
enum class PrecisionType { DEFAULT, HIGH_PRECISION };
namespace tw_detail {
template <PrecisionType precision> tw_pto_attrs precise()
{
    tw_pto_attrs attrs{};
    attrs.precise = precision == PrecisionType::HIGH_PRECISION;
    return attrs;
}
} // namespace tw_detail
#define TW_PTO_CPP_PRECISE(NAME, mnemonic)                                                              \
    template <PrecisionType precision, typename... Args> PTO_INST RecordEvent NAME(const Args &...args) \
    {                                                                                                   \
        return tw_detail::call(mnemonic, tw_detail::precise<precision>(), args...);                     \
    }
#define TW_PTO_CPP_PRECISE_SCALAR(NAME, mnemonic)                                                \
    template <PrecisionType precision, typename D, typename A, typename... Rest>                 \
    PTO_INST RecordEvent NAME(D &dst, A &src, typename A::DType s, Rest &...rest)                \
    {                                                                                            \
        return tw_detail::call(mnemonic, tw_detail::precise<precision>(), dst, src, s, rest...); \
    }
// clang-format off
TW_PTO_CPP_PRECISE(TDIV, "tdiv") TW_PTO_CPP_PRECISE(TREM, "trem") TW_PTO_CPP_PRECISE(TFMOD, "tfmod") TW_PTO_CPP_PRECISE(TPOW, "tpow")
TW_PTO_CPP_PRECISE(TEXP, "texp") TW_PTO_CPP_PRECISE(TLOG, "tlog") TW_PTO_CPP_PRECISE(TSQRT, "tsqrt")
TW_PTO_CPP_PRECISE(TRSQRT, "trsqrt") TW_PTO_CPP_PRECISE(TRECIP, "trecip") TW_PTO_CPP_PRECISE(TROWEXPANDDIV, "trowexpanddiv")
TW_PTO_CPP_PRECISE(TCOLEXPANDDIV, "tcolexpanddiv") TW_PTO_CPP_PRECISE_SCALAR(TDIVS, "tdivs")
TW_PTO_CPP_PRECISE_SCALAR(TFMODS, "tfmods") TW_PTO_CPP_PRECISE_SCALAR(TREMS, "trems") TW_PTO_CPP_PRECISE_SCALAR(TPOWS, "tpows")
TW_PTO_CPP_TILES(TADD, "tadd") TW_PTO_CPP_TILES(TSUB, "tsub") TW_PTO_CPP_TILES(TMUL, "tmul")
TW_PTO_CPP_TILES(TDIV, "tdiv") TW_PTO_CPP_TILES(TMAX, "tmax") TW_PTO_CPP_TILES(TMIN, "tmin") TW_PTO_CPP_TILES(TREM, "trem")
TW_PTO_CPP_TILES(TFMOD, "tfmod") TW_PTO_CPP_TILES(TPOW, "tpow") TW_PTO_CPP_TILES(TAND, "tand") TW_PTO_CPP_TILES(TOR, "tor")
TW_PTO_CPP_TILES(TXOR, "txor") TW_PTO_CPP_TILES(TSHL, "tshl") TW_PTO_CPP_TILES(TSHR, "tshr") TW_PTO_CPP_TILES(TPRELU, "tprelu")
TW_PTO_CPP_TILES(TADDC, "taddc") TW_PTO_CPP_TILES(TSUBC, "tsubc") TW_PTO_CPP_TILES(TSUBRELU, "tsubrelu")
TW_PTO_CPP_TILES(TMULADDDST, "tmuladddst") TW_PTO_CPP_TILES(TFUSEDMULADD, "tfusedmuladd")
TW_PTO_CPP_TILES(TFUSEDMULADDRELU, "tfusedmuladdrelu") TW_PTO_CPP_TILES(TADDRELUCONV, "taddreluconv")
TW_PTO_CPP_TILES(TSUBRELUCONV, "tsubreluconv") TW_PTO_CPP_TILES(TPAIRREDUCESUM, "tpairreducesum")
TW_PTO_CPP_TILES(TPARTADD, "tpartadd") TW_PTO_CPP_TILES(TPARTMUL, "tpartmul") TW_PTO_CPP_TILES(TPARTMAX, "tpartmax")
TW_PTO_CPP_TILES(TPARTMIN, "tpartmin") TW_PTO_CPP_TILES(TPARTARGMAX, "tpartargmax") TW_PTO_CPP_TILES(TPARTARGMIN, "tpartargmin")
TW_PTO_CPP_TILES(TSEL, "tsel") TW_PTO_CPP_TILES(TCONCAT, "tconcat")
TW_PTO_CPP_TILES(TINTERLEAVE, "tinterleave") TW_PTO_CPP_TILES(TDEINTERLEAVE, "tdeinterleave")
TW_PTO_CPP_TILES(TABS, "tabs") TW_PTO_CPP_TILES(TNEG, "tneg") TW_PTO_CPP_TILES(TNOT, "tnot") TW_PTO_CPP_TILES(TEXP, "texp")
TW_PTO_CPP_TILES(TLOG, "tlog") TW_PTO_CPP_TILES(TSQRT, "tsqrt") TW_PTO_CPP_TILES(TRSQRT, "trsqrt") TW_PTO_CPP_TILES(TRECIP, "trecip")
TW_PTO_CPP_TILES(TRELU, "trelu") TW_PTO_CPP_TILES(TROWSUM, "trowsum") TW_PTO_CPP_TILES(TROWMAX, "trowmax")
TW_PTO_CPP_TILES(TROWMIN, "trowmin") TW_PTO_CPP_TILES(TROWPROD, "trowprod") TW_PTO_CPP_TILES(TROWARGMAX, "trowargmax")
TW_PTO_CPP_TILES(TROWARGMIN, "trowargmin") TW_PTO_CPP_TILES(TCOLSUM, "tcolsum") TW_PTO_CPP_TILES(TCOLMAX, "tcolmax")
TW_PTO_CPP_TILES(TCOLMIN, "tcolmin") TW_PTO_CPP_TILES(TCOLPROD, "tcolprod") TW_PTO_CPP_TILES(TCOLARGMAX, "tcolargmax")
TW_PTO_CPP_TILES(TCOLARGMIN, "tcolargmin") TW_PTO_CPP_TILES(TROWEXPAND, "trowexpand") TW_PTO_CPP_TILES(TCOLEXPAND, "tcolexpand")
TW_PTO_CPP_TILES(TROWEXPANDADD, "trowexpandadd") TW_PTO_CPP_TILES(TROWEXPANDSUB, "trowexpandsub")
TW_PTO_CPP_TILES(TROWEXPANDMUL, "trowexpandmul") TW_PTO_CPP_TILES(TROWEXPANDDIV, "trowexpanddiv")
TW_PTO_CPP_TILES(TROWEXPANDMAX, "trowexpandmax") TW_PTO_CPP_TILES(TROWEXPANDMIN, "trowexpandmin")
TW_PTO_CPP_TILES(TROWEXPANDEXPDIF, "trowexpandexpdif") TW_PTO_CPP_TILES(TCOLEXPANDADD, "tcolexpandadd")
TW_PTO_CPP_TILES(TCOLEXPANDSUB, "tcolexpandsub") TW_PTO_CPP_TILES(TCOLEXPANDMUL, "tcolexpandmul")
TW_PTO_CPP_TILES(TCOLEXPANDDIV, "tcolexpanddiv") TW_PTO_CPP_TILES(TCOLEXPANDMAX, "tcolexpandmax")
TW_PTO_CPP_TILES(TCOLEXPANDMIN, "tcolexpandmin") TW_PTO_CPP_TILES(TCOLEXPANDEXPDIF, "tcolexpandexpdif")
TW_PTO_CPP_TILES(TPREFETCH, "tprefetch") TW_PTO_CPP_TILES(TSORT32, "tsort32")
// The context of the asynchronous hint has no meaning here.
template <typename G, typename Context> void TPREFETCH_ASYNC(const G &src, Context &&)
{
    tw_detail::call("tprefetch_async", tw_pto_attrs{}, src);
}
TW_PTO_CPP_TILES(TRESHAPE, "treshape") TW_PTO_CPP_TILES(TTRANS, "ttrans") TW_PTO_CPP_TILES(TFILLPAD, "tfillpad")
TW_PTO_CPP_TILES(TFILLPAD_INPLACE, "tfillpad_inplace") TW_PTO_CPP_TILES(TFILLPAD_EXPAND, "tfillpad_expand")
TW_PTO_CPP_TILES(TGATHERB, "tgatherb") TW_PTO_CPP_TILES(TPACK, "tpack")


TW_PTO_CPP_TILES(SETFMATRIX, "setfmatrix") TW_PTO_CPP_TILES(SET_IMG2COL_RPT, "set_img2col_rpt")
TW_PTO_CPP_TILES(SET_IMG2COL_PADDING, "set_img2col_padding") TW_PTO_CPP_TILES(TGET_SCALE_ADDR, "tget_scale_addr")
TW_PTO_CPP_TILES(SET_QUANT_VECTOR, "set_quant_vector") TW_PTO_CPP_TILES(TDEQUANT, "tdequant")
TW_PTO_CPP_SCALAR(TADDS, "tadds") TW_PTO_CPP_SCALAR(TSUBS, "tsubs") TW_PTO_CPP_SCALAR(TMULS, "tmuls") TW_PTO_CPP_SCALAR(TMAXS, "tmaxs")
TW_PTO_CPP_SCALAR(TMINS, "tmins") TW_PTO_CPP_SCALAR(TFMODS, "tfmods") TW_PTO_CPP_SCALAR(TANDS, "tands") TW_PTO_CPP_SCALAR(TORS, "tors")
TW_PTO_CPP_SCALAR(TSHLS, "tshls") TW_PTO_CPP_SCALAR(TSHRS, "tshrs") TW_PTO_CPP_SCALAR(TLRELU, "tlrelu") TW_PTO_CPP_SCALAR(TAXPY, "taxpy")
    // clang-format on

    template <typename D, typename A, typename... Events, typename = std::enable_if_t<tw_detail::is_tile<A>::value>>
    PTO_INST RecordEvent TDIVS(D &dst, A &src, typename A::DType s, Events &...events)
{
    return tw_detail::call("tdivs", tw_pto_attrs{}, dst, src, s, events...);
}
template <typename D, typename A, typename... Events, typename = std::enable_if_t<tw_detail::is_tile<A>::value>>
PTO_INST RecordEvent TDIVS(D &dst, typename D::DType s, A &src, Events &...events)
{
    return tw_detail::call("tdivs", tw_pto_attrs{}, dst, s, src, events...);
}
template <typename D, typename... Events>
PTO_INST RecordEvent TEXPANDS(D &dst, typename D::DType s, Events &...events)
{
    return tw_detail::call("texpands", tw_pto_attrs{}, dst, s, events...);
}
template <typename D, typename A, typename B, typename... Events>
PTO_INST RecordEvent TADDSC(D &dst, A &a, typename A::DType s, B &b, Events &...events)
{
    return tw_detail::call("taddsc", tw_pto_attrs{}, dst, a, s, b, events...);
}
template <typename D, typename A, typename B, typename... Events>
PTO_INST RecordEvent TSUBSC(D &dst, A &a, typename A::DType s, B &b, Events &...events)
{
    return tw_detail::call("tsubsc", tw_pto_attrs{}, dst, a, s, b, events...);
}

enum class CmpMode { EQ, NE, LT, LE, GT, GE };
template <typename D, typename A, typename B, typename... Events>
PTO_INST RecordEvent TCMP(D &dst, A &a, B &b, CmpMode mode, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.cmp = int(mode);
    return tw_detail::call("tcmp", attrs, dst, a, b, events...);
}
template <typename D, typename A, typename... Events>
PTO_INST RecordEvent TCMPS(D &dst, A &a, typename A::DType s, CmpMode mode, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.cmp = int(mode);
    return tw_detail::call("tcmps", attrs, dst, a, s, events...);
}

enum class RoundMode { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD };
enum class SaturationMode { ON = 1, OFF = 2 };
template <typename D, typename A, typename... Events>
PTO_INST RecordEvent TCVT(D &dst, A &src, RoundMode mode, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.round = int(mode);
    return tw_detail::call("tcvt", attrs, dst, src, events...);
}
template <typename D, typename A, typename... Events>
PTO_INST RecordEvent TCVT(D &dst, A &src, RoundMode mode, SaturationMode saturation, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.round = int(mode);
    attrs.saturate = int(saturation);
    return tw_detail::call("tcvt", attrs, dst, src, events...);
}

template <int upper, typename D, typename... Events>
PTO_INST RecordEvent TTRI(D &dst, int32_t diagonal, Events &...events)
{
    tw_pto_attrs attrs{};
    attrs.upper = upper;
    return tw_detail::call("ttri", attrs, dst, diagonal, events...);
}
#undef TW_PTO_CPP_TILES
#undef TW_PTO_CPP_SCALAR

} // namespace pto

#include <tilewright/pto/detail/moves.hpp>
#include <tilewright/pto/detail/data.hpp>
#include <tilewright/pto/detail/grid.hpp>
#include <tilewright/pto/detail/runtime.hpp>
#endif
