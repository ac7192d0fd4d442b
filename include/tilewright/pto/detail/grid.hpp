// SPDX-License-Identifier: MIT
// What cores and devices do together, in C++: FIFOs between cube and vector cores, SYNCALL, transfers, signals and
// collectives. Included by <pto/pto-inst.hpp>; it holds no semantics of its own (<tilewright/pto/grid.h>).
//
//     pto::launch(pto::Launch{ 8, 2 }, [&] {                 // 8 blocks of a cube core and two vector cores
//         TPipe<0, Direction::DIR_C2V, 4096, 2> pipe;
//         if (is_cube()) TPUSH<decltype(pipe), Acc, TileSplitAxis::TILE_UP_DOWN>(pipe, acc); ...
//     });
#ifndef PTO_PTO_GRID_HPP
#define PTO_PTO_GRID_HPP

#include <pto/pto-inst.hpp>
#include <tilewright/pto/grid.h>

#include <cstring>
#include <exception>
#include <vector>

// --- where am I
// ---------------------------------------------------------------------------------------------------------
inline int64_t get_block_idx()
{
    return tw_pto_identity_of(pto::tw_detail::core()).block;
}
inline int64_t get_block_num()
{
    return tw_pto_identity_of(pto::tw_detail::core()).blocks;
}
inline int64_t get_subblockid()
{
    return tw_pto_identity_of(pto::tw_detail::core()).sub_block;
}
inline int64_t get_subblockdim()
{
    return tw_pto_identity_of(pto::tw_detail::core()).sub_blocks;
}
// The same as variables, which the vendor's compiler has too.
struct tw_pto_block_idx {
    operator int64_t() const { return get_block_idx(); }
};
struct tw_pto_block_num {
    operator int64_t() const { return get_block_num(); }
};
inline constexpr tw_pto_block_idx block_idx{};
inline constexpr tw_pto_block_num block_num{};

namespace pto {

// Both are true on a core that is cube and vector in one. Where the vendor's compiler builds a kernel twice, programs
// ask.
inline bool is_cube()
{
    return tw_pto_identity_of(tw_detail::core()).kind != TW_PTO_VECTOR;
}
inline bool is_vector()
{
    return tw_pto_identity_of(tw_detail::core()).kind != TW_PTO_CUBE;
}

// --- launch
// -------------------------------------------------------------------------------------------------------------

struct Launch {
    unsigned blocks = 1, vectors = 0, devices = 1; // vectors 0: one core that does both
};

namespace tw_detail {
template <typename F> struct launched {
    F &kernel;
    std::exception_ptr thrown;
    static tw_status run(tw_pto *, void *user)
    {
        launched *self = static_cast<launched *>(user);
        try {
            self->kernel();
        } catch (const error &e) {
            return e.status; // its message is still the thread's
        } catch (...) {
            if (!self->thrown) self->thrown = std::current_exception();
            return TW_E_APPLICATION;
        }
        return TW_OK;
    }
};
} // namespace tw_detail

// Runs kernel() once on every core of a grid, with the target and trace of this thread's core. Throws pto::error when
// one
// fails or all wait, and what a kernel throws.
template <typename F> void launch(const Launch &how, F &&kernel)
{
    tw_pto_launch options{};
    options.size = sizeof options;
    options.target = tw_pto_get_target(tw_detail::core());
    options.blocks = how.blocks;
    options.vectors = how.vectors;
    options.devices = how.devices;
    const char *trace = std::getenv("TILEWRIGHT_PTO_TRACE");
    options.trace = trace && *trace && *trace != '0' ? stderr : nullptr;
    std::unique_ptr<tw_pto_grid, void (*)(tw_pto_grid *)> grid(tw_pto_grid_new(&options), tw_pto_grid_free);
    if (!grid) throw error(TW_E_INVALID_ARGUMENT);
    tw_detail::cross_flags().clear();
    tw_detail::launched<std::remove_reference_t<F>> l{ kernel, nullptr };
    tw_status status = tw_pto_grid_run(grid.get(), l.run, &l);
    if (l.thrown) std::rethrow_exception(l.thrown);
    tw_detail::check(status);
}

// --- FIFOs
// --------------------------------------------------------------------------------------------------------------

enum class TileSplitAxis { TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT };
struct Direction {
    static constexpr uint8_t DIR_C2V = 1, DIR_V2C = 2, DIR_BOTH = 3, DIR_C2V_GM = 1, DIR_V2C_GM = 2;
};

// One side's name for the FIFOs of number FlagID. `memory`: slots in global memory, or nullptr. The buffers of the
// consumers are taken and ignored: TPOP copies.
template <uint8_t FlagID, uint8_t Dir, uint32_t SlotSize, uint32_t SlotNum, uint32_t LocalSlotNum = 2,
          bool IsNoSplit = false, bool Reserved = false>
class TPipe {
  public:
    static constexpr uint8_t DIR = Dir;
    static_assert(FlagID < 16, "FIFOs have numbers from 0 to 15");
    static_assert(Dir >= 1 && Dir <= 3, "a FIFO goes from cube to vector (1), back (2), or both ways (3)");
    explicit TPipe(void *memory = nullptr, uint32_t c2v_buffer = 0, uint32_t v2c_buffer = 0)
    {
        (void)c2v_buffer;
        (void)v2c_buffer;
        for (unsigned d = 0; d < 2; d++) {
            fifo_[d] = tw_pto_fifo();
            fifo_[d].id = FlagID;
            fifo_[d].direction = d ? TW_PTO_VECTOR_TO_CUBE : TW_PTO_CUBE_TO_VECTOR;
            fifo_[d].slot_bytes = SlotSize;
            fifo_[d].slots = SlotNum;
            fifo_[d].first_vector_only = IsNoSplit;
            fifo_[d].memory = Dir == 3 ? nullptr : memory;
        }
    }
    // What lies in slots, when accumulators change their type on the way; else that of the tile.
    template <typename T> void SetSlotType() { fifo_[0].type = tw_detail::type_of<T>::value; }
    // The direction that pushing (popping) from this core or from that memory means.
    const tw_pto_fifo *raw(bool to_cube) const { return &fifo_[Dir == 3 ? to_cube : Dir == 2]; }
    tw_pto_fifo *raw(bool to_cube) { return &fifo_[Dir == 3 ? to_cube : Dir == 2]; }

  private:
    tw_pto_fifo fifo_[2];
};

// How an accumulator goes through the fixed pipe into a FIFO, as another argument of TPUSH. The documents name the
// settings;
// the spelling is estimated. Scales per column are a further operand of TPUSH (a tile), or what SET_QUANT_SCALAR and
// SET_QUANT_VECTOR left.
enum class FixpipeLayout { NZ2ND, NZ2NZ, NZ2DN };
enum class FixpipeSubBlock { Both, First, Second };
struct FixpipeConfig {
    FixpipeLayout layout = FixpipeLayout::NZ2ND;
    ReluPreMode relu = ReluPreMode::NoRelu;
    AtomicType atomic = AtomicType::AtomicNone;
    FixpipeSubBlock subBlock = FixpipeSubBlock::Both;
    bool channelSplit = false;            // NZ2NZ of f32: boxes of 8 columns
    float clipRelu = 0;                   // above 0: min(max(x, 0), clipRelu)
    STPhase phase = STPhase::Unspecified; // a hint that changes nothing
    float scale = 0;                      // not 0: of all columns, to the FIFO's slot type

    void set(tw_pto_attrs &attrs) const
    {
        attrs.slot_layout = int32_t(layout);
        attrs.relu = int32_t(relu);
        attrs.atomic = int32_t(atomic);
        attrs.sub_block = int32_t(subBlock);
        attrs.channel_split = channelSplit;
        attrs.phase = int32_t(phase);
        static_assert(sizeof attrs.clip == sizeof clipRelu, "the bits of a float");
        std::memcpy(&attrs.clip, &clipRelu, sizeof attrs.clip);
    }
};

namespace tw_detail {
template <TileSplitAxis Split, typename Pipe, typename... Args>
RecordEvent fifo_call(const char *mnemonic, Pipe &pipe, bool to_cube, Args &...args)
{
    tw_pto_operand operands[sizeof...(Args) + 1] = { tw_pto_fifo_operand(pipe.raw(to_cube)) };
    unsigned count = 1;
    tw_pto_attrs attrs{};
    [[maybe_unused]] auto add = [&](auto &arg) {
        using U = std::remove_cv_t<std::remove_reference_t<decltype(arg)>>;
        if constexpr (is_event<U>::value)
            const_cast<U &>(arg).Wait();
        else if constexpr (std::is_same<U, FixpipeConfig>::value) {
            arg.set(attrs);
            uint64_t bits = 0;
            std::memcpy(&bits, &arg.scale, sizeof arg.scale);
            if (arg.scale != 0) operands[count++] = tw_pto_scalar_operand(tw_pto_bits(TW_U64, bits));
        } else
            operands[count++] = operand(arg);
    };
    (add(args), ...);
    attrs.split = int32_t(Split);
    check(tw_pto_call(core(), mnemonic, operands, count, &attrs));
    return RecordEvent{ tw_pto_last_pipe(core()) };
}
// Accumulators go to the vector cores; slots go by the kind of core that fills (drains) them.
template <typename T> bool from_vector()
{
    if constexpr (is_tile<T>::value)
        return T::Loc == TileType::Vec;
    else
        return !is_cube();
}
} // namespace tw_detail

template <typename Pipe, typename T, TileSplitAxis Split = TileSplitAxis::TILE_NO_SPLIT, typename... Events>
PTO_INST RecordEvent TPUSH(Pipe &pipe, T &value, Events &...events)
{
    return tw_detail::fifo_call<Split>("tpush", pipe, tw_detail::from_vector<T>(), value, events...);
}
template <typename Pipe, typename T, TileSplitAxis Split = TileSplitAxis::TILE_NO_SPLIT, typename... Events>
PTO_INST RecordEvent TPOP(Pipe &pipe, T &value, Events &...events)
{
    return tw_detail::fifo_call<Split>("tpop", pipe, !tw_detail::from_vector<T>(), value, events...);
}
template <typename Pipe, typename G, TileSplitAxis Split = TileSplitAxis::TILE_NO_SPLIT, typename... Events>
PTO_INST RecordEvent TALLOC(Pipe &pipe, G &slot, Events &...events)
{
    return tw_detail::fifo_call<Split>("talloc", pipe, tw_detail::from_vector<G>(), slot, events...);
}
template <typename Pipe, typename G, TileSplitAxis Split = TileSplitAxis::TILE_NO_SPLIT, typename... Events,
          typename = std::enable_if_t<tw_detail::is_tensor<G>::value>>
PTO_INST RecordEvent TFREE(Pipe &pipe, G &slot, Events &...events)
{
    return tw_detail::fifo_call<Split>("tfree", pipe, is_cube(), slot, events...);
}
template <typename Pipe, TileSplitAxis Split = TileSplitAxis::TILE_NO_SPLIT> PTO_INST RecordEvent TFREE(Pipe &pipe)
{
    return tw_detail::fifo_call<Split>("tfree", pipe, is_cube());
}

// --- all cores
// ------------------------------------------------------------------------------------------------------------

enum class SyncCoreType { Mix, AIVOnly, AICOnly };
template <SyncCoreType cores = SyncCoreType::Mix> void SYNCALL()
{
    tw_detail::check(tw_pto_sync_all(tw_detail::core(), tw_pto_core_set(int(cores)), nullptr));
}
template <SyncCoreType cores = SyncCoreType::Mix, typename G> void SYNCALL(G &workspace)
{
    tw_detail::check(tw_pto_sync_all(tw_detail::core(), tw_pto_core_set(int(cores)), workspace.raw()));
}

// --- devices
// --------------------------------------------------------------------------------------------------------------

namespace comm {

enum class NotifyOp { Set, AtomicAdd };
enum class WaitCmp { EQ, NE, LT, LE, GT, GE };
enum class ReduceOp { Sum, Max, Min };

// The tensors of all ranks; the root calls.
template <typename G> class ParallelGroup {
  public:
    ParallelGroup(G *tensors, int count, int root)
    {
        for (int i = 0; i < count; i++) tensors_.push_back(*tensors[i].raw());
        root_ = unsigned(root);
    }
    // What it returns is valid as long as the group.
    const tw_pto_group *raw()
    {
        group_ = tw_pto_group{ tensors_.data(), unsigned(tensors_.size()), root_ };
        return &group_;
    }

  private:
    std::vector<tw_pto_tensor> tensors_;
    unsigned root_ = 0;
    tw_pto_group group_{};
};

template <AtomicType atomic = AtomicType::AtomicNone, typename D, typename S, typename... Tiles>
RecordEvent TPUT(D &remote, S &local, Tiles &...staging)
{
    tw_pto_attrs attrs{};
    attrs.atomic = int(atomic);
    return tw_detail::call("tput", attrs, remote, local, staging...);
}
template <typename D, typename S, typename... Tiles> RecordEvent TGET(D &local, S &remote, Tiles &...staging)
{
    return tw_detail::call("tget", tw_pto_attrs{}, local, remote, staging...);
}
template <typename G> void TNOTIFY(G &signal, int32_t value, NotifyOp op)
{
    tw_detail::check(tw_pto_notify(tw_detail::core(), signal.raw(), value, op == NotifyOp::AtomicAdd));
}
template <typename G> void TWAIT(G &signals, int32_t value, WaitCmp compare)
{
    tw_detail::check(tw_pto_wait_signal(tw_detail::core(), signals.raw(), value, int(compare)));
}
template <typename G> bool TTEST(G &signals, int32_t value, WaitCmp compare)
{
    bool all = false;
    tw_detail::check(tw_pto_test_signal(tw_detail::core(), signals.raw(), value, int(compare), &all));
    return all;
}

namespace tw_detail {
template <typename Group, typename G, typename... Tiles>
void collective(const char *mnemonic, const tw_pto_attrs &attrs, Group &group, G &own, Tiles &...staging)
{
    tw_pto_operand operands[] = { tw_pto_group_operand(group.raw()), tw_pto_tensor_operand(own.raw()),
                                  tw_pto_tile_operand(staging.raw())... };
    pto::tw_detail::check(tw_pto_call(pto::tw_detail::core(), mnemonic, operands,
                                      unsigned(sizeof operands / sizeof *operands), &attrs));
}
} // namespace tw_detail

template <typename Group, typename G, typename... Tiles> void TBROADCAST(Group &to, G &src, Tiles &...staging)
{
    tw_detail::collective("tbroadcast", tw_pto_attrs{}, to, src, staging...);
}
template <typename Group, typename G, typename... Tiles> void TGATHER(Group &from, G &dst, Tiles &...staging)
{
    tw_detail::collective("comm.tgather", tw_pto_attrs{}, from, dst, staging...);
}
template <typename Group, typename G, typename... Tiles> void TSCATTER(Group &to, G &src, Tiles &...staging)
{
    tw_detail::collective("comm.tscatter", tw_pto_attrs{}, to, src, staging...);
}
template <typename Group, typename G, typename A, typename B>
void TREDUCE(Group &from, G &dst, A &sum, B &staging, ReduceOp op)
{
    tw_pto_attrs attrs{};
    attrs.reduce = int(op);
    tw_detail::collective("treduce", attrs, from, dst, sum, staging);
}

// Transfers without a tile: done when waited for.
struct AsyncEvent {
    uint64_t number = 0;
    void Wait() const { pto::tw_detail::check(tw_pto_async_wait(pto::tw_detail::core(), number)); }
    bool Test() const
    {
        bool done = false;
        pto::tw_detail::check(tw_pto_async_test(pto::tw_detail::core(), number, &done));
        return done;
    }
};
template <typename D, typename S> AsyncEvent TPUT_ASYNC(D &remote, S &local)
{
    AsyncEvent event;
    pto::tw_detail::check(tw_pto_copy_async(pto::tw_detail::core(), remote.raw(), local.raw(), &event.number));
    return event;
}
template <typename D, typename S> AsyncEvent TGET_ASYNC(D &local, S &remote)
{
    return TPUT_ASYNC(local, remote);
}

} // namespace comm
} // namespace pto
#endif
