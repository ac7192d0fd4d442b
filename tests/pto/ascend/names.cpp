// SPDX-License-Identifier: MIT
// Every name that source-compatible programs use is there, by itself and with its header: what a missing one breaks
// is this file's
// compilation. Offsets, contiguous shapes, runtime stubs and fresh memories are called and compared. Exit status 0 =
// all good.
#include <acl/acl.h>
#include <pto/comm/comm_types.hpp>
#include <pto/common/constants.hpp>
#include <pto/common/debug.h>
#include <pto/common/fifo.hpp>
#include <pto/common/fixpipe.hpp>
#include <pto/common/memory.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/common/type.hpp>
#include <pto/cpu/MXTypes.hpp>
#include <pto/pto-inst.hpp>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

static int failures;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

// --- names without a namespace
// -----------------------------------------------------------------------------------------------

AICORE __aicore__ __global__ inline int qualified(__gm__ int *__in__ a, __ubuf__ int *__out__ b, __cbuf__ int *,
                                                  __ca__ int *, __cb__ int *, __cc__ int *, __fbuf__ int *,
                                                  __tf__ int)
{
    return *b = *a;
}
[[maybe_unused]] static const pipe_t pipes[] = { PIPE_S,   PIPE_V,    PIPE_M,    PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
                                                 PIPE_FIX, PIPE_MTE4, PIPE_MTE5, PIPE_V2,   PIPE_ALL };
[[maybe_unused]] static const event_t ids[] = { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3,
                                                EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
static_assert(sizeof(half) == 2 && sizeof(float16_t) == 2 && sizeof(bfloat16_t) == 2 && sizeof(aclFloat16) == 2 &&
                  sizeof(float32_t) == 4 && sizeof(float8_e4m3_t) == 1 && sizeof(float8_e5m2_t) == 1 &&
                  sizeof(float8_e8m0_t) == 1 && sizeof(hifloat8_t) == 1 && sizeof(float4_e1m2x2_t) == 1 &&
                  sizeof(float4_e2m1x2_t) == 1 && sizeof(hifloat4x2_t) == 1 && sizeof(int4b_t) == 1,
              "sizes of elements");
// Usable in constants, to nearest with ties to even.
static_assert(half(1.0f).bits == 0x3C00 && half(65520.0f).bits == 0x7C00 && half(65519.0f).bits == 0x7BFF &&
                  half(0x1p-25f).bits == 0 && half(0x1.8p-25f).bits == 1 && half(-2.0f).bits == 0xC000,
              "half");
static_assert(bfloat16_t(1.0f).bits == 0x3F80 && bfloat16_t(0x1.01p0f).bits == 0x3F80 &&
                  bfloat16_t(0x1.03p0f).bits == 0x3F82 && float(bfloat16_t(-0.5f)) == -0.5f,
              "bfloat16_t");

// --- kinds of instruction in events: each instruction of the table by its name, on a pipe that one of its forms has
// -----------------------------------------------------------------------------------------------

static void kinds_of_events()
{
    static const struct {
        const char *name;
        pto::Op op;
    } rows[] = {
#define ROW(name, pipe) { #name, pto::Op::name },
        TW_PTO_CPP_OPS(ROW)
#undef ROW
    };
    tw_pto_info info;
    for (std::size_t i = 0; tw_pto_info_get(i, &info); i++) {
        std::string name = info.mnemonic;
        for (char &c : name) c = c == '.' ? '_' : char(std::toupper(c));
        bool found = false, same = false;
        for (const auto &row : rows) found = found || name == row.name;
        CHECK(found);
        if (!found) std::printf("  %s\n", name.c_str());
        for (const auto &row : rows) {
            if (name != row.name) continue;
            tw_pto_info form;
            for (std::size_t k = 0; tw_pto_info_get(k, &form); k++)
                same = same || (std::string(form.mnemonic) == info.mnemonic &&
                                form.pipe == pto::tw_detail::pipe_of(row.op));
        }
        CHECK(same);
    }
    static_assert(pto::tw_detail::pipe_of(pto::Op::TSTORE_VEC) == TW_PTO_PIPE_MTE3 &&
                      pto::tw_detail::pipe_of(pto::Op::TADD) == TW_PTO_PIPE_V &&
                      pto::tw_detail::pipe_of(pto::Op::TMATMUL_ACC) == TW_PTO_PIPE_M,
                  "pipes of kinds");
    static_assert(pto::REPEAT_MAX == 255, "repeats of a vector instruction");
    CHECK(PTO_UBUF_SIZE_BYTES == 192 * 1024 || PTO_UBUF_SIZE_BYTES == 256 * 1024);
}

// --- names of pto: taken with `using`, so each must exist
// -----------------------------------------------------------------------

namespace takes {
#define TAKE(name) using pto::name;
// clang-format off
TAKE(Tile) TAKE(TileType) TAKE(BLayout) TAKE(SLayout) TAKE(PadValue) TAKE(CompactMode) TAKE(ConvTile) TAKE(ConvTileShape)
TAKE(TileLeft) TAKE(TileRight) TAKE(TileAcc) TAKE(TileLeftScale) TAKE(TileRightScale) TAKE(TileLeftCompact) TAKE(TileRightCompact)
TAKE(TileAccCompact) TAKE(GlobalTensor) TAKE(Shape) TAKE(Stride) TAKE(Layout) TAKE(TileShape2D) TAKE(BaseShape2D) TAKE(DYNAMIC)
TAKE(Event) TAKE(RecordEvent) TAKE(Op) TAKE(TSYNC) TAKE(SYNCALL) TAKE(NPUArch) TAKE(GetTileElementOffset) TAKE(TPipe)
TAKE(TileSplitAxis) TAKE(Direction) TAKE(CmpMode) TAKE(RoundMode) TAKE(SaturationMode) TAKE(AtomicType) TAKE(AccPhase) TAKE(STPhase)
TAKE(ReluPreMode) TAKE(AccToVecMode) TAKE(MaskPattern) TAKE(Coalesce) TAKE(GatherOOB) TAKE(ScatterOOB) TAKE(ScatterAtomicOp)
TAKE(QuantType) TAKE(set_flag) TAKE(wait_flag) TAKE(pipe_barrier)
/* instructions */
TAKE(TADD) TAKE(TSUB) TAKE(TMUL) TAKE(TDIV) TAKE(TMAX) TAKE(TMIN) TAKE(TREM) TAKE(TFMOD) TAKE(TPOW) TAKE(TAND) TAKE(TOR) TAKE(TXOR)
TAKE(TSHL) TAKE(TSHR) TAKE(TPRELU) TAKE(TADDC) TAKE(TSUBC) TAKE(TSUBRELU) TAKE(TMULADDDST) TAKE(TFUSEDMULADD) TAKE(TFUSEDMULADDRELU)
TAKE(TADDRELUCONV) TAKE(TSUBRELUCONV) TAKE(TADDDEQRELU) TAKE(TAXPY) TAKE(TPAIRREDUCESUM) TAKE(TPARTADD) TAKE(TPARTMUL) TAKE(TPARTMAX)
TAKE(TPARTMIN) TAKE(TPARTARGMAX) TAKE(TPARTARGMIN) TAKE(TCMP) TAKE(TSEL) TAKE(TCVT) TAKE(TCONCAT) TAKE(TINTERLEAVE) TAKE(TDEINTERLEAVE)
TAKE(TABS) TAKE(TNEG) TAKE(TNOT) TAKE(TEXP) TAKE(TLOG) TAKE(TSQRT) TAKE(TRSQRT) TAKE(TRECIP) TAKE(TRELU) TAKE(TADDS) TAKE(TSUBS)
TAKE(TMULS) TAKE(TDIVS) TAKE(TMAXS) TAKE(TMINS) TAKE(TREMS) TAKE(TFMODS) TAKE(TPOWS) TAKE(TANDS) TAKE(TORS) TAKE(TXORS) TAKE(TSHLS)
TAKE(TSHRS) TAKE(TLRELU) TAKE(TADDSC) TAKE(TSUBSC) TAKE(TCMPS) TAKE(TSELS) TAKE(TEXPANDS) TAKE(TTRI) TAKE(TCI) TAKE(TRANDOM)
TAKE(TROWSUM) TAKE(TROWMAX) TAKE(TROWMIN) TAKE(TROWPROD) TAKE(TROWARGMAX) TAKE(TROWARGMIN) TAKE(TCOLSUM) TAKE(TCOLMAX) TAKE(TCOLMIN)
TAKE(TCOLPROD) TAKE(TCOLARGMAX) TAKE(TCOLARGMIN) TAKE(TROWEXPAND) TAKE(TCOLEXPAND) TAKE(TROWEXPANDADD) TAKE(TROWEXPANDSUB)
TAKE(TROWEXPANDMUL) TAKE(TROWEXPANDDIV) TAKE(TROWEXPANDMAX) TAKE(TROWEXPANDMIN) TAKE(TROWEXPANDEXPDIF) TAKE(TCOLEXPANDADD)
TAKE(TCOLEXPANDSUB) TAKE(TCOLEXPANDMUL) TAKE(TCOLEXPANDDIV) TAKE(TCOLEXPANDMAX) TAKE(TCOLEXPANDMIN) TAKE(TCOLEXPANDEXPDIF)
TAKE(THISTOGRAM) TAKE(TLOAD) TAKE(TSTORE) TAKE(TSTORE_FP) TAKE(TPREFETCH) TAKE(TPREFETCH_ASYNC) TAKE(PrecisionType) TAKE(MGATHER) TAKE(MSCATTER) TAKE(TSORT32) TAKE(TMRGSORT)
TAKE(TMOV) TAKE(TMOV_FP) TAKE(TEXTRACT) TAKE(TEXTRACT_FP) TAKE(TINSERT) TAKE(TINSERT_FP) TAKE(TRESHAPE) TAKE(TSUBVIEW) TAKE(TTRANS)
TAKE(TFILLPAD) TAKE(TFILLPAD_INPLACE) TAKE(TFILLPAD_EXPAND) TAKE(TGATHER) TAKE(TGATHERB) TAKE(TSCATTER) TAKE(TPACK) TAKE(TIMG2COL)
TAKE(SETFMATRIX) TAKE(SET_IMG2COL_RPT) TAKE(SET_IMG2COL_PADDING) TAKE(TGET_SCALE_ADDR) TAKE(TMATMUL) TAKE(TMATMUL_ACC)
TAKE(TMATMUL_BIAS) TAKE(TGEMV) TAKE(TGEMV_ACC) TAKE(TGEMV_BIAS) TAKE(TMATMUL_MX) TAKE(TGEMV_MX) TAKE(TQUANT) TAKE(TDEQUANT)
TAKE(SET_QUANT_SCALAR) TAKE(SET_QUANT_VECTOR) TAKE(TPUSH) TAKE(TPOP) TAKE(TFREE) TAKE(TALLOC) TAKE(TASSIGN) TAKE(TPRINT)
// clang-format on
#undef TAKE
#define TAKE(name) using pto::comm::name;
    // clang-format off
namespace comm {
TAKE(TPUT) TAKE(TGET) TAKE(TPUT_ASYNC) TAKE(TGET_ASYNC) TAKE(TNOTIFY) TAKE(TWAIT) TAKE(TTEST) TAKE(TBROADCAST) TAKE(TREDUCE)
TAKE(TGATHER) TAKE(TSCATTER) TAKE(NotifyOp) TAKE(WaitCmp) TAKE(ReduceOp) TAKE(ParallelGroup)
} // namespace comm
// clang-format on
#undef TAKE
} // namespace takes

using namespace pto;

// --- where elements lie
// --------------------------------------------------------------------------------------------------------

static void offsets()
{
    using Row = Tile<TileType::Vec, half, 16, 32>;
    using Column = Tile<TileType::Vec, half, 16, 32, BLayout::ColMajor>;
    using Nz = Tile<TileType::Mat, half, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor>;
    using Nibbles = Tile<TileType::Vec, float4_e2m1x2_t, 2, 64>;
    CHECK(GetTileElementOffset<Row>(3, 5) == 3 * 32 + 5);
    CHECK(GetTileElementOffset<Column>(3, 5) == 5 * 16 + 3);
    CHECK(GetTileElementOffset<Nz>(17, 33) == (2 * 2 + 1) * 256 + 1 * 16 + 1); // ((bc NR + br) S + ir IC + ic)
    CHECK(GetTileElementOffset<Nibbles>(1, 4) == 64 + 4);
    TileLeftScale<float8_e8m0_t, 16, 2> left;
    TileRightScale<float8_e8m0_t, 2, 16> right;
    TileAccCompact<float, 16, 16> acc;
    CHECK(decltype(left)::Loc == TileType::ScaleLeft && decltype(right)::Loc == TileType::ScaleRight);
    CHECK(acc.raw()->compact == 1 && acc.raw()->fractal == 1024);
}

template <typename G> static bool is(G &&g, const std::array<int, 5> &shape, const std::array<int, 5> &stride)
{
    for (int d = 0; d < 5; d++)
        if (g.GetShape(d) != shape[std::size_t(d)] || g.GetStride(d) != stride[std::size_t(d)]) return false;
    return true;
}
template <typename T, int R, int C, Layout L>
using Matrix = GlobalTensor<T, TileShape2D<T, R, C, L>, BaseShape2D<T, R, C, L>, L>;

// The table of contiguous shapes (PTO ISA, global tensors), static and dynamic.
static void shapes()
{
    const int all = 64 * 32;
    CHECK(is(Matrix<half, 64, 32, Layout::ND>(), { 1, 1, 1, 64, 32 }, { all, all, all, 32, 1 }));
    CHECK(is(Matrix<half, 64, 32, Layout::DN>(), { 1, 1, 1, 64, 32 }, { all, all, all, 1, 64 }));
    CHECK(is(Matrix<half, 64, 32, Layout::NZ>(), { 1, 2, 4, 16, 16 }, { all, 64 * 16, 256, 16, 1 }));
    CHECK(is(Matrix<float8_e8m0_t, 64, 32, Layout::MX_A_ZZ>(), { 1, 4, 16, 16, 2 }, { all, 512, 32, 2, 1 }));
    CHECK(is(Matrix<float8_e8m0_t, 64, 32, Layout::MX_B_NN>(), { 1, 2, 32, 16, 2 }, { all, 1024, 32, 2, 1 }));
    CHECK(is(Matrix<float8_e8m0_t, 64, 32, Layout::MX_A_ND>(), { 1, 1, 64, 16, 2 }, { all, all, 32, 2, 1 }));
    CHECK(is(Matrix<float8_e8m0_t, 64, 32, Layout::MX_A_DN>(), { 1, 1, 16, 64, 2 }, { all, all, 128, 2, 1 }));
    CHECK(is(Matrix<float8_e8m0_t, 64, 32, Layout::MX_B_ND>(), { 1, 1, 32, 32, 2 }, { all, all, 64, 2, 1 }));
    CHECK(is(Matrix<float8_e8m0_t, 64, 32, Layout::MX_B_DN>(), { 1, 1, 32, 32, 2 }, { all, all, 64, 2, 1 }));
    using S = TileShape2D<float, DYNAMIC, DYNAMIC>;
    using B = BaseShape2D<float, DYNAMIC, 24>;
    CHECK(is(GlobalTensor<float, S, B>(nullptr, S(6, 24), B(6)), { 1, 1, 1, 6, 24 }, { 144, 144, 144, 24, 1 }));
    using Long = Shape<1, 1, 1, 1, DYNAMIC>;
    GlobalTensor<float, Long, Stride<1, 1, 1, 1, 1>> tensor(nullptr, { 40 }); // the dynamic extent in braces
    CHECK(tensor.GetShape(GlobalTensorDim::DIM_4) == 40);
    Shape<1, 1, 1, DYNAMIC, DYNAMIC> filled;
    filled.shape[3] = 5, filled.shape[4] = 7;
    CHECK(filled.shape[3] * filled.shape[4] == 35);
}

// --- the host's side, fresh memories
// ----------------------------------------------------------------------------------------------

static void runtime()
{
    void *device = nullptr, *host = nullptr;
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtSetDevice(-1) != 0);
    CHECK(aclrtCreateStream(&stream) == 0 && stream && aclrtSynchronizeStream(stream) == 0);
    CHECK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMallocHost(&host, 64) == 0);
    CHECK(aclrtMalloc(&device, 0, ACL_MEM_MALLOC_HUGE_FIRST) != 0 &&
          aclrtMalloc(nullptr, 4, ACL_MEM_MALLOC_HUGE_FIRST) != 0);
    CHECK(aclrtMemset(device, 64, 7, 64) == 0 && aclrtMemset(device, 64, 7, 65) != 0);
    CHECK(aclrtMemcpy(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && static_cast<char *>(host)[63] == 7);
    CHECK(aclrtMemcpy(host, 63, device, 64, ACL_MEMCPY_DEVICE_TO_HOST) != 0);
    CHECK(aclrtFree(device) == 0 && aclrtFreeHost(host) == 0);
    CHECK(aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0 && aclFinalize() == 0);
    int from = 3, to = 0;
    CHECK(qualified(&from, &to, nullptr, nullptr, nullptr, nullptr, nullptr, 0) == 3);
    CHECK(get_block_idx() == 0 && get_block_num() == 1 && get_subblockid() == 0 && get_subblockdim() == 1);
    CHECK(block_idx == 0 && block_num == 1 && max(3, 4) == 4 && min(3, 4) == 3);
}

static void memories()
{
    using T = Tile<TileType::Vec, int32_t, 1, 8>;
    {
        T t;
        TASSIGN(t, 0x100);
        TEXPANDS(t, 5);
        bool thrown = false;
        try {
            NPU_MEMORY_CLEAR();
        } catch (const std::logic_error &) {
            thrown = true;
        }
        CHECK(thrown && t.GetValue(7) == 5); // a tile is alive
    }
    NPU_MEMORY_CLEAR();
    T t;
    TASSIGN(t, 0x100);
    CHECK(t.GetValue(7) == 0);
}

static void architecture()
{
    NPU_MEMORY_INIT(NPUArch::A2A3);
    CHECK(std::string(tw_pto_target_name(tw_pto_get_target(tw_detail::core()))) == "a2a3");
    NPU_MEMORY_INIT(NPUArch::A5);
    CHECK(std::string(tw_pto_target_name(tw_pto_get_target(tw_detail::core()))) == "a5");
}

// Every 16-bit pattern converts as the library does.
static void sixteen_bits()
{
    int wrong = 0;
    for (uint32_t b = 0; b < 65536; b++) {
        half h;
        bfloat16_t e;
        h.bits = e.bits = uint16_t(b);
        float x = h, y = e;
        if (!(x == tw_f16_to_f32(uint16_t(b))) && !(std::isnan(x) && std::isnan(tw_f16_to_f32(uint16_t(b)))))
            wrong++;
        if (!(y == tw_bf16_to_f32(uint16_t(b))) && !(std::isnan(y) && std::isnan(tw_bf16_to_f32(uint16_t(b)))))
            wrong++;
        float z = y * 1.0039f + 0x1p-20f; // values between those of both types
        if (std::isnan(z)) continue;
        if (half(z).bits != tw_f32_to_f16(z, TW_ROUND_NEAREST_EVEN, 0)) wrong++;
        if (bfloat16_t(z).bits != tw_f32_to_bf16(z, TW_ROUND_NEAREST_EVEN, 0)) wrong++;
    }
    CHECK(wrong == 0);
    CHECK(std::isnan(float(half(std::numeric_limits<float>::quiet_NaN()))));
    CHECK(std::isnan(float(bfloat16_t(std::numeric_limits<float>::quiet_NaN()))));
}

int main()
{
    kinds_of_events();
    offsets();
    shapes();
    runtime();
    memories();
    architecture();
    sixteen_bits();
    return failures != 0;
}
