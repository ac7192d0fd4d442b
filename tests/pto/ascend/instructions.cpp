// SPDX-License-Identifier: MIT
// The C++ layer: values through every kind of call, events, dynamic extents, errors. Exit status 0 = all good.
#include <pto/pto-inst.hpp>

#include <cstdio>
#include <string>

using namespace pto;

static int failures;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

static void sequences()
{
    using TileT = Tile<TileType::Vec, int16_t, 1, 32>;
    using TmpT = Tile<TileType::Vec, float, 1, 512>;
    TileT a;
    TmpT tmp;
    Event<Op::SCALAR, Op::TVEC> e = TCI<TileT, int16_t, 0>(a, 5);
    TCI<TileT, TmpT, int16_t, 2>(a, 7, tmp, e); // any value but 0 descends; the event is not taken for tmp
    for (int k = 0; k < 32; k++) CHECK(a.GetValue(uint32_t(k)) == 7 - k);
    Event<Op::TVEC, Op::SCALAR> f = TCI<TileT, TmpT, int16_t, 0>(a, int16_t(1), tmp);
    TCI<TileT, int16_t, 0>(a, 3, f);
    CHECK(a.GetValue(31) == 34);
}

static void arithmetic()
{
    using T = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, -1>;
    float x[8 * 64], y[8 * 64] = {};
    for (int i = 0; i < 8 * 64; i++) x[i] = float(i);
    using S = Shape<1, 1, 1, -1, 64>;
    using St = Stride<512, 512, 512, 64, 1>;
    GlobalTensor<float, S, St> in(x, S(6)), out(y, S(6));
    T a(6, 64), b(6, 64);
    TLOAD(a, in);
    TMULS(b, a, 2);
    TADD(a, a, b);
    TSTORE(out, a);
    for (int i = 0; i < 8 * 64; i++) CHECK(y[i] == (i < 6 * 64 ? 3 * x[i] : 0));
    CHECK(a.GetValidRow() == 6 && T::Rows == 8);
    Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, -1, -1> h(6, 64);
    TCVT(h, a, RoundMode::CAST_RINT);
    CHECK(float(h.GetValue(70)) == 210);
    T c(5, 64);
    bool thrown = false;
    try {
        TADD(c, a, b);
    } catch (const error &e) {
        thrown = std::string(e.what()).find("valid.same") != std::string::npos;
    }
    CHECK(thrown);
}

static void product()
{
    using A = Tile<TileType::Mat, half, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor>;
    using B = Tile<TileType::Mat, half, 64, 32, BLayout::ColMajor, 64, 32, SLayout::RowMajor>;
    static half a[32 * 64], b[64 * 32];
    static float c[32 * 32];
    for (int i = 0; i < 32 * 64; i++) a[i] = half(float(i % 7 - 3)), b[i] = half(float(i % 5 - 2));
    GlobalTensor<half, Shape<1, 1, 1, 32, 64>, Stride<2048, 2048, 2048, 64, 1>> ga(a);
    GlobalTensor<half, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>> gb(b);
    GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<1024, 1024, 1024, 32, 1>> gc(c);
    A ma;
    B mb;
    TileLeft<half, 32, 64> left;
    TileRight<half, 64, 32> right;
    TileAcc<float, 32, 32> acc;
    TLOAD(ma, ga);
    TLOAD(mb, gb);
    TMOV(left, ma);
    TMOV(right, mb);
    TMATMUL(acc, left, right);
    TSTORE(gc, acc);
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
            float sum = 0;
            for (int k = 0; k < 64; k++) sum += float(a[i * 64 + k]) * float(b[k * 32 + j]);
            CHECK(c[i * 32 + j] == sum);
        }
}

static void flags()
{
    bool thrown = false;
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    try {
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    } catch (const error &) {
        thrown = true;
    }
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
    CHECK(thrown);
    for (int i = 0; i < 100; i++) { // tiles give their memory back
        Tile<TileType::Vec, float, 64, 256> large;
        TEXPANDS(large, 1.5f);
        CHECK(large.GetValue(64 * 256 - 1) == 1.5f);
    }
}

// A feature map's window, groups of 32, a table, a scale.
static void data()
{
    using Map = ConvTile<TileType::Mat, half, 3 * 3 * 32, Layout::NC1HWC0, ConvTileShape<1, 1, 3, 3, 16>>;
    using Left = TileLeft<half, 16, 16>;
    Map map;
    Left window;
    map.SetFilter(2, 2);
    map.SetPadList(1, 0, 0, 0);
    map.SetPadValue(half(5.0f));
    for (int i = 0; i < 9 * 16; i++) map.data()[i] = half(float(i));
    SETFMATRIX(map);
    SET_IMG2COL_PADDING(map);
    SET_IMG2COL_RPT(map);
    bool thrown = false;
    try {
        TIMG2COL(window, map, 0, 0); // 2 x 3 pixels: fewer than 16 rows
    } catch (const error &) {
        thrown = true;
    }
    CHECK(thrown);

    Tile<TileType::Vec, half, 2, 32> a, b;
    Tile<TileType::Vec, int32_t, 2, 32> i, j;
    Tile<TileType::Vec, int32_t, 2, 32> tmp;
    TEXPANDS(i, 40);
    TEXPANDS(j, 2);
    TADDDEQRELU(b, i, j, 0.5f, tmp);
    CHECK(float(b.GetValue(33)) == 21);
    if (std::string(tw_pto_target_name(tw_pto_get_target(tw_detail::core()))) != "a5") {
        set_deqscale(half(0.25f));
        TCVT(a, i, RoundMode::CAST_RINT);
        CHECK(float(a.GetValue(5)) == 10);
    }
    float memory[4 * 8];
    for (int k = 0; k < 32; k++) memory[k] = float(k);
    GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>> table(memory);
    Tile<TileType::Vec, float, 2, 8> rows;
    Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 2> index;
    index.SetValue(0, 3);
    index.SetValue(1, 9);
    MGATHER<Coalesce::Row, GatherOOB::Clamp>(rows, table, index);
    CHECK(rows.GetValue(1) == 25 && rows.GetValue(15) == 31);
}

int main()
{
    data();
    sequences();
    arithmetic();
    product();
    flags();
    return failures != 0;
}
