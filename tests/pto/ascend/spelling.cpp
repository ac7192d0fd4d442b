// SPDX-License-Identifier: MIT
// Spellings that programs choose between: types of operands named or not, settings before or after them, shapes
// without their
// arguments, names of a program's own. What each setting does is compared. Exit status 0 = all good.
#include <pto/pto-inst.hpp>
#include <runtime/rt.h>
#include <runtime/rt_ffts.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

using namespace pto;
namespace detail { // a program's own, beside `using namespace pto`
inline int twice(int x)
{
    return 2 * x;
}
} // namespace detail

static int failures;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

template <typename F> static std::string message_of(F &&f)
{
    try {
        f();
    } catch (const std::exception &e) {
        return e.what();
    }
    return "";
}
template <typename T> static typename T::DType &element(const T &t, int r, int c)
{
    return t.data()[GetTileElementOffset<T>(r, c)];
}

using Row = Tile<TileType::Vec, float, 1, 64>;
using Mask = Tile<TileType::Vec, uint32_t, 1, 8, BLayout::RowMajor, 1, 2>;

static void types_named()
{
    float from[64], to[64] = {};
    for (int i = 0; i < 64; i++) from[i] = float(i) - 20;
    // Extents deduced: all dynamic.
    using Any = GlobalTensor<float, Shape<>, Stride<>>;
    Any in(from, Shape(1, 1, 1, 1, 64), Stride(64, 64, 64, 64, 1)),
        out(to, Shape(1, 1, 1, 1, 64), Stride(64, 64, 64, 64, 1));
    Row a, b;
    TLOAD<Row, Any>(a, in);
    TADD<Row, Row, Row>(b, a, a);
    TMULS<Row, Row>(b, b, 0.25f);
    TABS<Row, Row>(b, b);
    TSTORE<Row, Any>(out, b);
    for (int i = 0; i < 64; i++) CHECK(to[i] == 0.5f * std::abs(from[i]));
    TSTORE<Row, Any, AtomicType::AtomicAdd>(out, b);
    TSTORE<AtomicType::AtomicAdd>(out, b);
    for (int i = 0; i < 64; i++) CHECK(to[i] == 1.5f * std::abs(from[i]));
    CHECK(detail::twice(2) == 4);
}

static void precision()
{
    Tile<TileType::Vec, float, 1, 64> x, y, tmp;
    for (uint32_t i = 0; i < 64; i++) x.SetValue(i, float(i + 1));
    TDIV<PrecisionType::HIGH_PRECISION>(y, x, x);
    for (uint32_t i = 0; i < 64; i++) CHECK(y.GetValue(i) == 1);
    TSQRT<PrecisionType::DEFAULT>(y, x);
    CHECK(y.GetValue(48) == 7);
    TDIVS<PrecisionType::HIGH_PRECISION>(y, x, 4);
    TREMS<PrecisionType::HIGH_PRECISION>(x, y, 1, tmp);
    for (uint32_t i = 0; i < 64; i++)
        CHECK(y.GetValue(i) == float(i + 1) / 4 && x.GetValue(i) == float((i + 1) % 4) / 4);
}

static void masks()
{
    Tile<TileType::Vec, float, 2, 64> full;
    Tile<TileType::Vec, float, 2, 32> half_of;
    for (uint32_t i = 0; i < 128; i++) full.SetValue(i, float(i));
    TGATHER<decltype(half_of), decltype(full), MaskPattern::P1010>(half_of, full);
    for (uint32_t i = 0; i < 64; i++) CHECK(half_of.GetValue(i) == float(2 * i + 1));
    TGATHER<MaskPattern::P0101>(half_of, full);
    for (uint32_t i = 0; i < 64; i++) CHECK(half_of.GetValue(i) == float(2 * i));
    TSCATTER<MaskPattern::P1010>(full, half_of);
    for (uint32_t i = 0; i < 128; i++) CHECK(full.GetValue(i) == (i % 2 ? float(i - 1) : 0));
}

static void comparisons()
{
    Row a, b, with, tmp;
    Mask mask;
    for (uint32_t i = 0; i < 64; i++) a.SetValue(i, float(i % 7));
    TEXPANDS(with, 3);
    TCMPS(mask, a, with, CmpMode::GT);
    TSELS(b, mask, a, tmp, -1); // an int becomes an element
    for (uint32_t i = 0; i < 64; i++) CHECK(b.GetValue(i) == (i % 7 > 3 ? float(i % 7) : -1));
    Tile<TileType::Vec, float, 1, 8> k;
    Tile<TileType::Vec, int32_t, 1, 64> at;
    Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1> count;
    Tile<TileType::Vec, uint8_t, 1, 1024> scratch;
    TEXPANDS(k, 5);
    TEXPANDS(at, -1);
    TGATHER<CmpMode::GT>(at, a, k, count, scratch, 100);
    CHECK(count.GetValue(0) == 9);
    for (uint32_t i = 0; i < 9; i++) CHECK(at.GetValue(i) == int32_t(100 + 7 * i + 6));
    CHECK(at.GetValue(9) == -1);
}

static void sums_and_sorts()
{
    using T = Tile<TileType::Vec, float, 4, 8>;
    T a, tmp;
    Tile<TileType::Vec, float, 1, 8> sum;
    for (uint32_t i = 0; i < 32; i++) a.SetValue(i, float(i));
    for (bool binary : { false, true }) {
        TCOLSUM(sum, a, tmp, binary);
        for (uint32_t c = 0; c < 8; c++) CHECK(sum.GetValue(c) == float(4 * c + 48));
    }
    Tile<TileType::Vec, float, 1, 16> lists[2]; // eight pairs each, the largest value first
    Tile<TileType::Vec, float, 1, 32> merged, scratch;
    Tile<TileType::Vec, int16_t, 1, 16, BLayout::RowMajor, 1, 4> counts;
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < 8; i++) lists[l].SetValue(2 * i, l ? 100 - float(i) : 7 - float(i));
    TMRGSORT<true>(merged, counts, scratch, lists[0], lists[1]); // stops when the second is used up
    CHECK(counts.GetValue(0) == 0 && counts.GetValue(1) == 8 && merged.GetValue(14) == 93);
}

static void conversions()
{
    Tile<TileType::Vec, float, 1, 64> a;
    Tile<TileType::Vec, int16_t, 1, 64> b;
    Tile<TileType::Vec, uint8_t, 1, 1024> tmp;
    TEXPANDS(a, 65537.5f);
    TCVT(b, a, tmp, RoundMode::CAST_TRUNC, SaturationMode::OFF);
    CHECK(b.GetValue(5) == 1);
    TCVT(b, a, tmp, RoundMode::CAST_TRUNC, SaturationMode::ON);
    CHECK(b.GetValue(5) == 32767);
}

// Accumulators leave through windows with relu, with a scale, with both. Values in a window of 16 x 16 of 32 x 32.
using Acc = TileAcc<float, 32, 32>;
template <typename T> using Nz = Tile<TileType::Mat, T, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
template <typename T> using Part = Tile<TileType::Mat, T, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor>;

static void windows()
{
    Acc acc;
    for (int i = 0; i < 32 * 32; i++) element(acc, i / 32, i % 32) = float(i % 33) - 16;
    Part<half> plain;
    Part<int8_t> scaled;
    uint64_t scale = 0;
    const float f = 2;
    std::memcpy(&scale, &f, sizeof f);
    auto value = [](int r, int c) { return float((r * 32 + c) % 33) - 16; };
    auto same = [](auto &tile, auto &&expected) {
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < 32; c++)
                if (float(element(tile, r, c)) != expected(r, c)) return false;
        return true;
    };
    TEXTRACT<ReluPreMode::NormalRelu>(plain, acc, 16, 0);
    CHECK(same(plain, [&](int r, int c) { return std::max(value(r + 16, c), 0.0f); }));
    TEXTRACT<Part<half>, Acc, ReluPreMode::NoRelu>(plain, acc, 16, 0);
    CHECK(same(plain, [&](int r, int c) { return value(r + 16, c); }));
    TEXTRACT(scaled, acc, scale, 16, 0);
    CHECK(same(scaled, [&](int r, int c) { return 2 * value(r + 16, c); }));
    TEXTRACT<ReluPreMode::NormalRelu>(scaled, acc, scale, 0, 0);
    CHECK(same(scaled, [&](int r, int c) { return std::max(2 * value(r, c), 0.0f); }));

    TEXTRACT(plain, acc); // from (0, 0) on
    CHECK(same(plain, value));
    Event<Op::TSTORE_ACC, Op::TVEC> first = TEXTRACT(plain, acc, 16, 0);
    Event<Op::TSTORE_ACC, Op::TVEC> second = TEXTRACT(scaled, acc, scale, 0, 0, first); // waits for the first
    second.Wait();

    TileAcc<float, 16, 32> top;
    for (int i = 0; i < 16 * 32; i++) element(top, i / 32, i % 32) = value(i / 32, i % 32);
    Nz<half> into;
    Nz<int8_t> bytes;
    std::fill(into.data(), into.data() + 32 * 32, half(-7.0f));
    std::fill(bytes.data(), bytes.data() + 32 * 32, int8_t(-7));
    auto below = [](auto &tile, auto &&expected) {
        for (int r = 0; r < 32; r++)
            for (int c = 0; c < 32; c++)
                if (float(element(tile, r, c)) != (r < 16 ? -7 : expected(r - 16, c))) return false;
        return true;
    };
    TINSERT<ReluPreMode::NormalRelu>(into, top, 16, 0);
    CHECK(below(into, [&](int r, int c) { return std::max(value(r, c), 0.0f); }));
    TINSERT<Nz<half>, TileAcc<float, 16, 32>, ReluPreMode::NoRelu>(into, top, 16, 0);
    CHECK(below(into, value));
    TINSERT(bytes, top, scale, 16, 0);
    CHECK(below(bytes, [&](int r, int c) { return 2 * value(r, c); }));
    TINSERT<ReluPreMode::NormalRelu>(bytes, top, scale, 16, 0);
    CHECK(below(bytes, [&](int r, int c) { return std::max(2 * value(r, c), 0.0f); }));
    CHECK(message_of([&] { TEXTRACT(scaled, acc, scale, 17, 0); }).find("window.bounds") != std::string::npos);
    Part<half> source;
    CHECK(message_of([&] { TINSERT<ReluPreMode::NormalRelu>(into, source, 0, 0); }) != "");
}

static void runtime()
{
    set_padding(0);
    set_atomic_none();
    uint64_t address = 1;
    uint32_t bytes = 1;
    CHECK(rtGetC2cCtrlAddr(&address, &bytes) == ACL_SUCCESS && address == 0 && bytes == 0);
    CHECK(rtGetC2cCtrlAddr(nullptr, &bytes) != ACL_SUCCESS);
}

int main()
{
    types_named();
    precision();
    masks();
    comparisons();
    sums_and_sorts();
    conversions();
    windows();
    runtime();
    return failures != 0;
}
