// SPDX-License-Identifier: MIT
// Kernels as their developers write them: flags by hand, addresses by hand, tails by dynamic extents, events, cube
// and vector
// cores that hand work over through global memory. Results against plain loops. Exit status 0 = all good.
#define TW_PTO_MANUAL_MODE
#include <pto/pto-inst.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace pto;

static int failures;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

// --- z = a x + y over blocks, two buffers, a tail
// -------------------------------------------------------------------------------

template <typename T, uint32_t Length> AICORE void axpy(__gm__ T *x, __gm__ T *y, __gm__ T *z, T a, uint32_t total)
{
    using Global = GlobalTensor<T, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
    using Data = Tile<TileType::Vec, T, 1, Length, BLayout::RowMajor, 1, DYNAMIC>;
    constexpr uint32_t bytes = Length * sizeof(T);
    const uint32_t blocks = uint32_t(get_block_num()), share = (total / Length + blocks) / blocks * Length;
    const uint32_t begin = uint32_t(get_block_idx()) * share, end = min(begin + share, total);
    set_mask_norm();
    set_vector_mask(uint64_t(-1), uint64_t(-1));
    for (int b = 0; b < 2; b++) { // both buffers are free
        set_flag(PIPE_V, PIPE_MTE2, event_t(b));
        set_flag(PIPE_MTE3, PIPE_V, event_t(b));
    }
    for (uint32_t at = begin, turn = 0; at < end; at += Length, turn ^= 1) {
        const uint32_t n = min(Length, end - at), base = turn * 3 * bytes;
        const event_t id = event_t(turn);
        Global gx(x + at, { n }), gy(y + at, { n }), gz(z + at, { n });
        Data tx(n), ty(n), tz(n);
        TASSIGN(tx, base);
        TASSIGN(ty, base + bytes);
        TASSIGN(tz, base + 2 * bytes);
        wait_flag(PIPE_V, PIPE_MTE2, id);
        TLOAD(tx, gx);
        TLOAD(ty, gy);
        set_flag(PIPE_MTE2, PIPE_V, id);
        wait_flag(PIPE_MTE2, PIPE_V, id);
        wait_flag(PIPE_MTE3, PIPE_V, id);
        TMULS(tz, tx, a);
        pipe_barrier(PIPE_V);
        TADD(tz, tz, ty);
        set_flag(PIPE_V, PIPE_MTE2, id);
        set_flag(PIPE_V, PIPE_MTE3, id);
        wait_flag(PIPE_V, PIPE_MTE3, id);
        TSTORE(gz, tz);
        set_flag(PIPE_MTE3, PIPE_V, id);
    }
    for (int b = 0; b < 2; b++) {
        wait_flag(PIPE_V, PIPE_MTE2, event_t(b));
        wait_flag(PIPE_MTE3, PIPE_V, event_t(b));
    }
}

static void vectors()
{
    const uint32_t total = 2 * 1000 + 37;
    std::vector<float> x(total), y(total), z(total + 8, -7.0f);
    for (uint32_t i = 0; i < total; i++) x[i] = float(i % 23) - 11, y[i] = float(i % 7);
    for (unsigned blocks : { 1u, 3u, 40u }) {
        std::fill(z.begin(), z.end(), -7.0f);
        launch(Launch{ blocks, 0, 1 }, [&] { axpy<float, 128>(x.data(), y.data(), z.data(), 2.5f, total); });
        int wrong = 0;
        for (uint32_t i = 0; i < total + 8; i++) wrong += z[i] != (i < total ? 2.5f * x[i] + y[i] : -7.0f);
        CHECK(wrong == 0);
    }
}

// --- softmax of rows with events
// -------------------------------------------------------------------------------------------------

static void softmax()
{
    constexpr int R = 8, C = 64, V = 50;
    using Rows = Tile<TileType::Vec, float, R, C, BLayout::RowMajor, R, DYNAMIC>;
    using Column = Tile<TileType::Vec, float, R, 1, BLayout::ColMajor>;
    using Global = GlobalTensor<float, TileShape2D<float, R, DYNAMIC>, Stride<1, 1, 1, C, 1>>;
    std::vector<float> x(R * C), y(R * C, -1.0f);
    for (int i = 0; i < R * C; i++) x[std::size_t(i)] = float((i * 37) % 101) / 10 - 5;
    Global gx(x.data(), V), gy(y.data(), V);
    Rows t(V), tmp(V);
    Column largest, sum;
    TASSIGN(t, 0);
    TASSIGN(tmp, 0x1000);
    TASSIGN(largest, 0x2000);
    TASSIGN(sum, 0x2100);
    Event<Op::TLOAD, Op::TVEC> loaded = TLOAD(t, gx);
    TROWMAX(largest, t, tmp, loaded);
    TROWEXPANDSUB(t, t, largest);
    TEXP(t, t);
    TROWSUM(sum, t, tmp);
    Event<Op::TROWEXPANDDIV, Op::TSTORE_VEC> done = TROWEXPANDDIV(t, t, sum);
    TSTORE(gy, t, done);
    for (int r = 0; r < R; r++) {
        double total = 0, top = -INFINITY;
        for (int c = 0; c < V; c++) top = std::max(top, double(x[std::size_t(r * C + c)]));
        for (int c = 0; c < V; c++) total += std::exp(double(x[std::size_t(r * C + c)]) - top);
        for (int c = 0; c < C; c++) {
            const std::size_t i = std::size_t(r * C + c);
            CHECK(c < V ? std::fabs(double(y[i]) - std::exp(double(x[i]) - top) / total) < 1e-6 : y[i] == -1);
        }
    }
}

// --- a product on the cube core, a sum on the vector cores, through a workspace: rounds ordered by flags
// ---------------------------

constexpr int N = 32, HALF = N / 2, TO_VECTORS = 0, TO_CUBE = 1;
using Square = GlobalTensor<half, TileShape2D<half, N, N>, BaseShape2D<half, N, N>>;
using Part = GlobalTensor<half, TileShape2D<half, HALF, N>, BaseShape2D<half, HALF, N>>;

template <pipe_t Pipe> void signal(int flag)
{
    ffts_cross_core_sync(Pipe, uint64_t(1 | 2 << 4 | flag << 8));
}

// Both kinds of core run all of it, and place the tiles of both.
static void product_and_sum(half *a, half *b, half *d, half *workspace, int rounds)
{
    using L1 = Tile<TileType::Mat, half, N, N, BLayout::ColMajor, N, N, SLayout::RowMajor>;
    L1 a1, b1;
    TileLeft<half, N, N> left;
    TileRight<half, N, N> right;
    TileAcc<float, N, N> acc;
    Tile<TileType::Vec, half, HALF, N> sum, other;
    const int core = int(block_idx), cores = int(block_num), vector = int(get_subblockid());
    TASSIGN(a1, 0);
    TASSIGN(b1, N * N * 2);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(acc, 0);
    TASSIGN(sum, 0);
    TASSIGN(other, HALF * N * 2);
    Square gb(b), out(workspace + core * N * N);
    for (int r = 0; r < rounds; r++) {
        const int tile = (r * cores + core) * N * N;
        if (is_cube()) {
            Square ga(a + tile);
            TLOAD(a1, ga);
            TLOAD(b1, gb);
            pipe_barrier(PIPE_ALL);
            TMOV(left, a1);
            TEXTRACT(right, b1, 0, 0);
            set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
            TMATMUL<AccPhase::Final>(acc, left, right);
            set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            if (r > 0) wait_flag_dev(TO_CUBE);
            TSTORE<STPhase::Final>(out, acc);
            signal<PIPE_FIX>(TO_VECTORS);
        } else {
            wait_flag_dev(TO_VECTORS);
            Part in(workspace + core * N * N + vector * HALF * N), gd(d + tile + vector * HALF * N);
            TLOAD(sum, in);
            TLOAD(other, gd);
            pipe_barrier(PIPE_ALL);
            signal<PIPE_MTE3>(TO_CUBE);
            TADD(sum, sum, other);
            pipe_barrier(PIPE_ALL);
            TSTORE(gd, sum);
        }
    }
}

static void mixed()
{
    const int cores = 2, rounds = 3, tiles = cores * rounds;
    std::vector<half> a(std::size_t(tiles * N * N)), b(N * N), d(a.size()), old, w(cores * N * N);
    for (std::size_t i = 0; i < a.size(); i++) a[i] = half(float(i * 7 % 5) - 2), d[i] = half(float(i % 3));
    for (std::size_t i = 0; i < b.size(); i++) b[i] = half(float(i * 3 % 7) - 3);
    old = d;
    launch(Launch{ unsigned(cores), 2, 1 },
           [&] { product_and_sum(a.data(), b.data(), d.data(), w.data(), rounds); });
    int wrong = 0;
    for (int row = 0; row < tiles * N; row++)
        for (int j = 0; j < N; j++) {
            float want = old[std::size_t(row * N + j)];
            for (int k = 0; k < N; k++)
                want += float(a[std::size_t(row * N + k)]) * float(b[std::size_t(k * N + j)]);
            wrong += float(d[std::size_t(row * N + j)]) != want;
        }
    CHECK(wrong == 0);
}

// --- what goes wrong
// ----------------------------------------------------------------------------------------------------------------

template <typename F> static std::string message_of(F &&f)
{
    try {
        f();
    } catch (const std::exception &e) {
        return e.what();
    }
    return "";
}
static bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

static void mistakes()
{
    Tile<TileType::Vec, float, 1, 64> placed, unplaced;
    TASSIGN(placed, 0x40);
    CHECK(has(message_of([&] { TADD(placed, placed, unplaced); }), "TASSIGN comes first"));
    CHECK(has(message_of([&] { TASSIGN(placed, 0x30); }), "SA-0354"));
    CHECK(has(message_of([&] { TASSIGN(placed, 1 << 30); }), "SA-0353"));
    CHECK(has(message_of([&] { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); }), "EVENT_ID3"));
    CHECK(has(message_of([&] { set_intra_block(PIPE_V, 99); }), "rule intra."));
    // A cube core that waits for vector cores which never signal.
    std::string text = message_of([&] {
        launch(Launch{ 1, 2, 1 }, [&] {
            if (is_cube()) wait_flag_dev(TO_CUBE);
        });
    });
    CHECK(has(text, "flag 1") && has(text, "vector core"));
}

static void printing()
{
    Tile<TileType::Vec, uint32_t, 2, 8, BLayout::RowMajor, 2, 3> t;
    TASSIGN(t, 0);
    for (uint32_t i = 0; i < 16; i++) t.SetValue(i, 4294967295u - i);
    half numbers[6] = { half(0.5f), half(-1), half(2), half(3), half(65504), half(INFINITY) };
    GlobalTensor<half, Shape<1, 1, 1, 2, 2>, Stride<1, 1, 1, 3, 1>> g(numbers);
    char *text = nullptr;
    std::size_t size = 0;
    std::FILE *console = stdout;
    stdout = open_memstream(&text, &size);
    TPRINT(t);
    TPRINT(g);
    std::fclose(stdout);
    stdout = console;
    CHECK(std::string(text) ==
          "4294967295 4294967294 4294967293\n4294967287 4294967286 4294967285\n0.5 -1\n3 65504\n");
    std::free(text);
}

int main()
{
    vectors();
    softmax();
    mixed();
    mistakes();
    printing();
    return failures != 0;
}
