// SPDX-License-Identifier: MIT
// The C++ layer of cores and devices: FIFOs in every split and form, SYNCALL, transfers, signals, collectives, errors
// and
// exceptions out of kernels. Exit status 0 = all good.
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

using Whole = Shape<1, 1, 1, 16, 32>;
using WholeStride = Stride<512, 512, 512, 32, 1>;

// Vector cores push rows 0 to 7 and 8 to 15, the cube core pops all and stores.
static void up(float *out)
{
    using Half = Tile<TileType::Vec, float, 8, 32>;
    using L1 = Tile<TileType::Mat, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor>;
    constexpr auto split = TileSplitAxis::TILE_UP_DOWN;
    using Pipe = TPipe<3, Direction::DIR_V2C, 16 * 32 * 4, 2>;
    Pipe pipe;
    if (is_cube()) {
        L1 t;
        GlobalTensor<float, Whole, WholeStride> g(out + 512 * get_block_idx());
        TPOP<Pipe, L1, split>(pipe, t);
        TFREE<Pipe, split>(pipe);
        // L1 has no way to global memory but back through its own store on A2/A3
        Tile<TileType::Mat, float, 16, 32> plain;
        (void)plain;
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < 32; c++)
                g.data()[r * 32 + c] = *reinterpret_cast<float *>(
                    reinterpret_cast<char *>(t.data()) + tw_pto_element(t.raw(), uint32_t(r), uint32_t(c)));
    } else {
        Half t;
        TEXPANDS(t, float(get_block_idx() * 10 + get_subblockid()));
        TPUSH<Pipe, Half, split>(pipe, t);
        CHECK(get_subblockdim() == 2 && get_block_num() == 3);
    }
}

static void fifo_of_tiles()
{
    static float out[3 * 512];
    launch(Launch{ 3, 2 }, [&] { up(out); });
    for (int b = 0; b < 3; b++)
        for (int r = 0; r < 16; r++) CHECK(out[b * 512 + r * 32 + 7] == float(b * 10 + r / 8));
}

// Vector cores fill a slot in turns with the cube core, each with flags of its own.
static void flags_of_one_core()
{
    static int slot[3], taken;
    launch(Launch{ 1, 2 }, [] {
        for (int round = 1; round <= 3; round++)
            if (is_cube()) {
                wait_intra_block(PIPE_MTE1, 0);
                wait_intra_block(PIPE_MTE1, 16);
                CHECK(slot[0] == round && slot[1] == round);
                taken++;
                set_intra_block(PIPE_MTE1, 1);
                set_intra_block(PIPE_MTE1, 17);
            } else {
                if (round > 1) wait_intra_block(PIPE_MTE3, 1);
                slot[get_subblockid()] = round;
                set_intra_block(PIPE_MTE3, 0);
            }
    });
    CHECK(taken == 3);
}

// An accumulator in boxes, halved and clipped, to vector core 1 alone.
static void fixed_pipe()
{
    static float got[256];
    launch(Launch{ 1, 2 }, [] {
        using Acc = Tile<TileType::Acc, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 1024>;
        using Boxes = Tile<TileType::Vec, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
        using Pipe = TPipe<2, Direction::DIR_C2V, 512, 2>;
        Pipe pipe;
        pipe.SetSlotType<half>();
        if (is_cube()) {
            Acc acc;
            for (int i = 0; i < 256; i++) acc.data()[i] = float(i) - 100; // boxes of 16 x 16: one, in rows
            FixpipeConfig how;
            how.layout = FixpipeLayout::NZ2NZ;
            how.subBlock = FixpipeSubBlock::Second;
            how.clipRelu = 50;
            TPUSH<Pipe, Acc>(pipe, acc, how);
        } else if (get_subblockid() == 1) {
            Boxes t;
            TPOP<Pipe, Boxes>(pipe, t);
            TFREE<Pipe>(pipe);
            for (int i = 0; i < 256; i++) got[i] = float(t.data()[i]);
        }
    });
    for (int i = 0; i < 256; i++) CHECK(got[i] == float(i < 100 ? 0 : i > 150 ? 50 : i - 100));
}

// Slots as tensors in memory of the program, as kernels write them that stream through global memory.
static void fifo_of_slots()
{
    static float slots[2 * 512], out[512];
    launch(Launch{ 1, 1 }, [&] {
        using Pipe = TPipe<0, Direction::DIR_C2V_GM, 512 * 4, 2, 2, false, true>;
        using Slot = GlobalTensor<float, Whole, WholeStride>;
        using Acc = TileAcc<float, 16, 32>;
        Pipe pipe(slots, 0x0, 0x0);
        Slot slot;
        if (is_cube()) {
            Acc acc;
            for (int i = 0; i < 512; i++) acc.data()[i] = 1.5f;
            TALLOC<Pipe, Slot, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
            TSTORE(slot, acc);
            TPUSH<Pipe, Slot, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
            CHECK(slot.data() == slots);
        } else {
            Tile<TileType::Vec, float, 16, 32> t;
            Slot to(out);
            TPOP<Pipe, Slot, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
            TLOAD(t, slot);
            TFREE<Pipe, Slot, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
            TADDS(t, t, 1.0f);
            TSTORE(to, t);
        }
    });
    for (int i = 0; i < 512; i++) CHECK(out[i] == 2.5f && slots[i] == 1.5f);
}

static void all_cores()
{
    static int32_t shared[64];
    launch(Launch{ 5 }, [&] {
        using Row = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;
        Row workspace(shared + 16);
        shared[get_block_idx()] = int32_t(get_block_idx());
        SYNCALL();
        int32_t sum = 0;
        for (int b = 0; b < 5; b++) sum += shared[b];
        CHECK(sum == 10);
        SYNCALL<SyncCoreType::AIVOnly>(workspace);
    });
}

static void devices()
{
    static float data[3][512], all[3 * 512], sums[512];
    static int32_t signal[1];
    launch(Launch{ 1, 0, 3 }, [&] {
        using T = Tile<TileType::Vec, float, 4, 32>;
        using G = GlobalTensor<float, Whole, WholeStride>;
        using S = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
        T a, b;
        S s(signal);
        unsigned me = tw_pto_identity_of(tw_detail::core()).device;
        if (me > 0) {
            for (int i = 0; i < 512; i++) data[me][i] = float(me);
            comm::TNOTIFY(s, 1, comm::NotifyOp::AtomicAdd);
            return;
        }
        comm::TWAIT(s, 2, comm::WaitCmp::GE);
        CHECK(comm::TTEST(s, 2, comm::WaitCmp::EQ));
        G own(data[0]), each[3] = { G(data[0]), G(data[1]), G(data[2]) }, total(sums);
        GlobalTensor<float, Shape<1, 1, 1, 48, 32>, Stride<1536, 1536, 1536, 32, 1>> together(all);
        comm::ParallelGroup<G> group(each, 3, 0);
        comm::TREDUCE(group, total, a, b, comm::ReduceOp::Sum);
        comm::TGATHER(group, together, a, b);
        comm::TPUT<AtomicType::AtomicAdd>(each[2], each[1], a);
        comm::TGET(own, each[2], a, b);
        comm::AsyncEvent e = comm::TPUT_ASYNC(each[1], total);
        e.Wait();
        CHECK(e.Test());
        comm::TBROADCAST(group, own, a);
        comm::TSCATTER(group, together, a);
    });
    for (int i = 0; i < 512; i++) {
        CHECK(sums[i] == 3);
        for (int r = 0; r < 3; r++) CHECK(all[r * 512 + i] == float(r) && data[r][i] == float(r));
    }
}

static void mistakes()
{
    bool thrown = false;
    try {
        launch(Launch{ 2 }, [] {
            if (get_block_idx()) SYNCALL();
        });
    } catch (const error &e) {
        thrown = std::string(e.what()).find("block 1, core waits in SYNCALL for block 0, core, which has ended") !=
                 std::string::npos;
    }
    CHECK(thrown);
    thrown = false;
    try {
        launch(Launch{ 2 }, [] {
            Tile<TileType::Vec, float, 1, 8> t; // destructors run on the way out
            TEXPANDS(t, 1.0f);
            if (get_block_idx()) throw std::string("mine");
            SYNCALL();
        });
    } catch (const std::string &s) {
        thrown = s == "mine";
    }
    CHECK(thrown);
    try {
        launch(Launch{ 1, 3 }, [] {});
        CHECK(!"three vector cores");
    } catch (const error &) {
    }
    CHECK(get_block_num() == 1 && get_subblockdim() == 1); // outside: one core by itself
}

int main()
{
    fifo_of_tiles();
    flags_of_one_core();
    fixed_pipe();
    fifo_of_slots();
    all_cores();
    devices();
    mistakes();
    if (failures == 0) std::printf("all good\n");
    return failures != 0;
}
