// SPDX-License-Identifier: MIT
// Part of <pto/pto-inst.hpp>: pipes, flags and events. Programs name pipes and flags without a namespace, as the
// vendor's
// compiler knows them by itself; pto::set_flag and the like are the same.
#ifndef PTO_PTO_SYNC_HPP
#define PTO_PTO_SYNC_HPP

#include <map>

enum pipe_t {
    PIPE_S = TW_PTO_PIPE_S,
    PIPE_V = TW_PTO_PIPE_V,
    PIPE_M = TW_PTO_PIPE_M,
    PIPE_MTE1 = TW_PTO_PIPE_MTE1,
    PIPE_MTE2 = TW_PTO_PIPE_MTE2,
    PIPE_MTE3 = TW_PTO_PIPE_MTE3,
    PIPE_FIX = TW_PTO_PIPE_FIX,
    PIPE_MTE4 = TW_PTO_PIPE_MTE4, // no instruction of the targets runs on these three
    PIPE_MTE5 = TW_PTO_PIPE_MTE5,
    PIPE_V2 = TW_PTO_PIPE_V2,
    PIPE_ALL = TW_PTO_PIPE_ALL
};
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

inline void set_flag(pipe_t from, pipe_t to, event_t id)
{
    pto::tw_detail::check(
        tw_pto_set_flag(pto::tw_detail::core(), tw_pto_pipe(from), tw_pto_pipe(to), unsigned(id)));
}
inline void wait_flag(pipe_t from, pipe_t to, event_t id)
{
    pto::tw_detail::check(
        tw_pto_wait_flag(pto::tw_detail::core(), tw_pto_pipe(from), tw_pto_pipe(to), unsigned(id)));
}
inline void pipe_barrier(pipe_t pipe)
{
    pto::tw_detail::check(tw_pto_barrier(pto::tw_detail::core(), tw_pto_pipe(pipe)));
}

// Masks of vector instructions below the tile level: tile instructions set their own.
inline void set_mask_norm() {}
inline void set_mask_count() {}
inline void set_vector_mask(uint64_t, uint64_t) {}
// Modes of the core that instructions here state themselves: pad values of transfers, adding in place of storing.
inline void set_padding(uint64_t) {}
inline void set_atomic_none() {}

namespace pto {
namespace tw_detail {
// With which mode a core has set a flag between cores last. The instruction that waits does not say.
using flag_modes = std::array<unsigned char, 16>;
inline std::map<const tw_pto *, flag_modes> &cross_flags()
{
    static thread_local std::map<const tw_pto *, flag_modes> flags; // emptied by launch()
    return flags;
}
inline unsigned char &cross_flag(unsigned id)
{
    auto at = cross_flags().emplace(core(), flag_modes()).first;
    return at->second[id % at->second.size()];
}
} // namespace tw_detail
} // namespace pto

// Flags between the cores of a block (mode 2), its vector cores (1) or all cores of one kind (0): config is 1 + 16
// mode + 256 flag.
// Waiting takes the mode in which this core itself has set the flag, when that was 0 or 1, else 2.
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config)
{
    unsigned mode = config >> 4 & 3, id = config >> 8 & 15;
    pto::tw_detail::check(tw_pto_sync_set(pto::tw_detail::core(), tw_pto_pipe(pipe), id, tw_pto_sync_mode(mode)));
    pto::tw_detail::cross_flag(id) = static_cast<unsigned char>(2 - mode);
}
inline void wait_flag_dev(int64_t flag)
{
    unsigned mode = 2u - (flag >= 0 && flag < 16 ? pto::tw_detail::cross_flag(unsigned(flag)) : 0);
    pto::tw_detail::check(
        tw_pto_sync_wait(pto::tw_detail::core(), TW_PTO_PIPE_S, unsigned(flag), tw_pto_sync_mode(mode)));
}
inline void set_ffts_base_addr(uint64_t) {}
// Flags between the cube core and one vector core, of A5: on the cube core 0 to 15 with vector core 0, 16 to 31 with
// vector core 1.
inline void set_intra_block(pipe_t pipe, unsigned id)
{
    pto::tw_detail::check(tw_pto_intra_set(pto::tw_detail::core(), tw_pto_pipe(pipe), id));
}
inline void wait_intra_block(pipe_t pipe, unsigned id)
{
    pto::tw_detail::check(tw_pto_intra_wait(pto::tw_detail::core(), tw_pto_pipe(pipe), id));
}

namespace pto {
using ::pipe_barrier;
using ::set_flag;
using ::wait_flag;

// Kinds of instruction that order each other, by the pipe they run on.
enum class Op {
    SCALAR,
    TLOAD,
    TSTORE_VEC,
    TSTORE_ACC,
    TVEC,
    TMATMUL,
    TMOV_M2L,
    TMOV_M2B,
    TMOV_M2S,
    TMOV_M2V,
    TMOV_V2M
};
namespace tw_detail {
constexpr tw_pto_pipe pipe_of(Op op)
{
    return op == Op::TLOAD                                                    ? TW_PTO_PIPE_MTE2
           : op == Op::TSTORE_VEC                                             ? TW_PTO_PIPE_MTE3
           : op == Op::TMATMUL                                                ? TW_PTO_PIPE_M
           : op == Op::TMOV_M2L || op == Op::TMOV_M2B                         ? TW_PTO_PIPE_MTE1
           : op == Op::TSTORE_ACC || op == Op::TMOV_M2S || op == Op::TMOV_V2M ? TW_PTO_PIPE_FIX
           : op == Op::SCALAR                                                 ? TW_PTO_PIPE_S
                                                                              : TW_PTO_PIPE_V;
}
} // namespace tw_detail

// What every instruction returns; assigned to an Event it marks where the pipe stands.
struct RecordEvent {
    tw_pto_pipe pipe;
};

// Ids of a pair of pipes go round; the one in use is set until somebody waits.
template <Op From, Op To> class Event {
  public:
    Event() = default;
    Event(RecordEvent e) { *this = e; }
    Event &operator=(RecordEvent)
    {
        static thread_local unsigned next = 0;
        if (from == to) return *this; // one pipe is in order by itself
        id_ = next++ % 8;
        tw_detail::check(tw_pto_set_flag(tw_detail::core(), from, to, id_));
        set_ = true;
        return *this;
    }
    void Wait()
    {
        if (set_) tw_detail::check(tw_pto_wait_flag(tw_detail::core(), from, to, id_));
        set_ = false;
    }

  private:
    static constexpr tw_pto_pipe from = tw_detail::pipe_of(From), to = tw_detail::pipe_of(To);
    unsigned id_ = 0;
    bool set_ = false;
};

template <typename... Events> void TSYNC(Events &...events)
{
    (events.Wait(), ...);
}
template <Op op> void TSYNC()
{
    tw_detail::check(tw_pto_barrier(tw_detail::core(), tw_detail::pipe_of(op)));
}

} // namespace pto
#endif
