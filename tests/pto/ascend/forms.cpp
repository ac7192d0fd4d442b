// SPDX-License-Identifier: MIT
// The C++ layer of what the documents name without details: two windows, parts of Nz, layouts of scales, the pipes
// that nothing
// runs on, every setting of the fixed pipe. Exit status 0 = all good.
#include <pto/pto-inst.hpp>

#include <algorithm>
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

template <typename F> static std::string message_of(F &&f)
{
    try {
        f();
    } catch (const std::exception &e) {
        return e.what();
    }
    return "";
}

using Nz = Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
using L1 = Tile<TileType::Mat, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor>;

template <typename T> static float &element(const T &t, int r, int c)
{
    return t.data()[GetTileElementOffset<T>(r, c)];
}

static void windows()
{
    Tile<TileType::Vec, float, 32, 32> src;
    Nz first, second;
    for (int i = 0; i < 32 * 32; i++) src.SetValue(uint32_t(i), float(i));
    Event<Op::TVEC, Op::SCALAR> e = TEXTRACT(first, second, src, 0, 16, 15, 3);
    e.Wait();
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 16; c++)
            CHECK(element(first, r, c) == float(r * 32 + 16 + c) &&
                  element(second, r, c) == float((15 + r) * 32 + 3 + c));
    CHECK(message_of([&] { TEXTRACT(first, second, src, 0, 16, 17, 0); }).find("window.bounds") !=
          std::string::npos);
    L1 whole;
    std::fill(whole.data(), whole.data() + L1::Numel, -1.0f);
    TINSERT<NzSplit::SPLIT2>(whole, second, 0, 16);
    for (int c = 0; c < 32; c++) CHECK(element(whole, 5, c) == (c < 16 ? -1 : float(20 * 32 + 3 + c - 16)));
    CHECK(message_of([&] { TINSERT<NzSplit::SPLIT4>(whole, second, 0, 16); }).find("insert.split") !=
          std::string::npos);
}

template <typename T, int R, int C, Layout L>
using Matrix = GlobalTensor<T, TileShape2D<T, R, C, L>, BaseShape2D<T, R, C, L>, L>;

static void scales()
{
    uint32_t words[32 * 4];
    for (uint32_t i = 0; i < 32 * 4; i++) words[i] = i * 0x01010101;
    Tile<TileType::Mat, uint32_t, 32, 4, BLayout::RowMajor, 32, 4, SLayout::RowMajor, 32> a;
    Matrix<uint32_t, 32, 4, Layout::HIF4_A_ZZ> g(words);
    TLOAD(a, g);
    CHECK(a.data()[GetTileElementOffset<decltype(a)>(17, 3)] == words[((1 * 2 + 1) * 16 + 1) * 2 + 1]);
    Tile<TileType::Mat, uint32_t, 4, 32, BLayout::ColMajor, 4, 32, SLayout::ColMajor, 32> b;
    Matrix<uint32_t, 4, 32, Layout::HIF4_B_NN> h(words);
    TLOAD(b, h);
    CHECK(b.data()[GetTileElementOffset<decltype(b)>(3, 17)] == words[((1 * 2 + 1) * 16 + 1) * 2 + 1]);
    float8_e8m0_t bytes[16 * 2];
    for (int i = 0; i < 32; i++) bytes[i].bits = uint8_t(i);
    TileLeftScale<float8_e8m0_t, 16, 2> unused;
    Tile<TileType::Mat, float8_e8m0_t, 16, 2, BLayout::RowMajor, 16, 2, SLayout::RowMajor, 32> s;
    Matrix<float8_e8m0_t, 16, 2, Layout::SCALE> k(bytes);
    TLOAD(s, k);
    CHECK(s.data()[GetTileElementOffset<decltype(s)>(9, 1)].bits == 19);
    (void)unused;
}

static void pipes()
{
    for (pipe_t p : { PIPE_MTE4, PIPE_MTE5, PIPE_V2 }) {
        set_flag(p, PIPE_V, EVENT_ID7);
        wait_flag(p, PIPE_V, EVENT_ID7);
        pipe_barrier(p);
        CHECK(message_of([&] { wait_flag(PIPE_V, p, EVENT_ID0); }).find(tw_pto_pipe_name(tw_pto_pipe(p))) !=
              std::string::npos);
    }
}

// What a push of x with `how` leaves for vector core `core`: 16 x 16, by rows. -7 = nothing.
template <typename Slot, typename T>
static void through(const FixpipeConfig &how, unsigned core, float (&got)[256], bool twice = false)
{
    std::fill(std::begin(got), std::end(got), -7.0f);
    launch(Launch{ 1, 2 }, [&] {
        using Pipe = TPipe<4, Direction::DIR_C2V, 1024, 1>;
        Pipe pipe;
        pipe.SetSlotType<Slot>();
        if (is_cube()) {
            TileAcc<float, 16, 16> acc;
            for (int i = 0; i < 256; i++) element(acc, i / 16, i % 16) = float(i) - 100;
            FixpipeConfig plain = how;
            plain.atomic = AtomicType::AtomicNone;
            if (twice) TPUSH<Pipe, decltype(acc)>(pipe, acc, plain);
            FixpipeConfig config = how;
            TPUSH<Pipe, decltype(acc)>(pipe, acc, config);
        } else if (how.subBlock == FixpipeSubBlock::Both || get_subblockid() == int(how.subBlock) - 1) {
            T t;
            for (int turn = 0; turn <= int(twice); turn++) {
                TPOP<Pipe, T>(pipe, t);
                TFREE<Pipe>(pipe);
            }
            if (unsigned(get_subblockid()) == core)
                for (int i = 0; i < 256; i++) got[i] = float(t.data()[GetTileElementOffset<T>(i / 16, i % 16)]);
        }
    });
}

// Each setting alone, seen by what it does.
static void fixed_pipe()
{
    using Rows = Tile<TileType::Vec, float, 16, 16>;
    using Columns = Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor>;
    using Wide = Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 1024>;
    using Narrow = Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
    using Bytes = Tile<TileType::Vec, int8_t, 16, 32, BLayout::RowMajor, 16, 16>;
    float got[256];
    FixpipeConfig how;
    through<float, Rows>(how, 0, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(i - 100));
    how.phase = STPhase::Final;
    through<float, Rows>(how, 1, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(i - 100));
    how = FixpipeConfig();
    how.relu = ReluPreMode::NormalRelu;
    through<float, Rows>(how, 0, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(std::max(i - 100, 0)));
    how = FixpipeConfig();
    how.clipRelu = 8.5f;
    through<float, Rows>(how, 0, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == std::min(float(std::max(i - 100, 0)), 8.5f));
    how = FixpipeConfig();
    how.layout = FixpipeLayout::NZ2DN;
    through<float, Columns>(how, 0, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(i - 100));
    how.layout = FixpipeLayout::NZ2NZ;
    through<float, Wide>(how, 0, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(i - 100));
    CHECK(message_of([&] { through<float, Narrow>(how, 0, got); }).find("fifo.layout") != std::string::npos);
    how.channelSplit = true;
    through<float, Narrow>(how, 0, got);
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(i - 100));
    how = FixpipeConfig();
    how.subBlock = FixpipeSubBlock::First;
    through<float, Rows>(how, 0, got);
    CHECK(got[3] == -97);
    how.subBlock = FixpipeSubBlock::Second;
    through<float, Rows>(how, 1, got);
    CHECK(got[3] == -97);
    how = FixpipeConfig();
    how.atomic = AtomicType::AtomicAdd;
    through<float, Rows>(how, 0, got, true); // one slot, pushed twice
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(2 * (i - 100)));
    how = FixpipeConfig();
    how.scale = 0.5f;
    through<int8_t, Bytes>(how, 0, got); // ties to even
    for (int i = 0; i < 256; i++) {
        const int twice = i - 100, half = twice >> 1, even = twice & 1 ? half + (half & 1) : half;
        CHECK(got[i] == float(std::min(even, 127)));
    }
}

int main()
{
    windows();
    scales();
    pipes();
    fixed_pipe();
    return failures != 0;
}
