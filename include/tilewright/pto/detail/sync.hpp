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

// What orders each other: kinds of instruction, by the pipe that they run on, and each instruction by its name. Of
// TSTORE, TMOV, TEXTRACT and TINSERT the pipe depends on the tiles: their names alone stand for vector tiles (TSTORE,
// TMOV) and for what goes from L1 to L0 (TEXTRACT, TINSERT).
// clang-format off
#define TW_PTO_CPP_OPS(X)                                                                                       \
    X(TADD, V) X(TSUB, V) X(TMUL, V) X(TDIV, V) X(TMAX, V) X(TMIN, V) X(TREM, V) X(TFMOD, V) X(TPOW, V)         \
    X(TAND, V) X(TOR, V) X(TXOR, V) X(TSHL, V) X(TSHR, V) X(TPRELU, V) X(TADDC, V) X(TSUBC, V) X(TSUBRELU, V)   \
    X(TMULADDDST, V) X(TFUSEDMULADD, V) X(TFUSEDMULADDRELU, V) X(TADDRELUCONV, V) X(TSUBRELUCONV, V)            \
    X(TADDDEQRELU, V) X(TAXPY, V) X(TPAIRREDUCESUM, V) X(TPARTADD, V) X(TPARTMUL, V) X(TPARTMAX, V)             \
    X(TPARTMIN, V) X(TPARTARGMAX, V) X(TPARTARGMIN, V) X(TCMP, V) X(TSEL, V) X(TCVT, V) X(TCONCAT, V)           \
    X(TINTERLEAVE, V) X(TDEINTERLEAVE, V) X(TABS, V) X(TNEG, V) X(TNOT, V) X(TEXP, V) X(TLOG, V) X(TSQRT, V)    \
    X(TRSQRT, V) X(TRECIP, V) X(TRELU, V) X(TADDS, V) X(TSUBS, V) X(TMULS, V) X(TDIVS, V) X(TMAXS, V)           \
    X(TMINS, V) X(TREMS, V) X(TFMODS, V) X(TPOWS, V) X(TANDS, V) X(TORS, V) X(TXORS, V) X(TSHLS, V) X(TSHRS, V) \
    X(TLRELU, V) X(TADDSC, V) X(TSUBSC, V) X(TCMPS, V) X(TSELS, V) X(TEXPANDS, V) X(TTRI, V) X(TRANDOM, V)      \
    X(TROWSUM, V) X(TROWMAX, V) X(TROWMIN, V) X(TROWPROD, V) X(TROWARGMAX, V) X(TROWARGMIN, V) X(TCOLSUM, V)    \
    X(TCOLMAX, V) X(TCOLMIN, V) X(TCOLPROD, V) X(TCOLARGMAX, V) X(TCOLARGMIN, V) X(TROWEXPAND, V)               \
    X(TCOLEXPAND, V) X(TROWEXPANDADD, V) X(TROWEXPANDSUB, V) X(TROWEXPANDMUL, V) X(TROWEXPANDDIV, V)            \
    X(TROWEXPANDMAX, V) X(TROWEXPANDMIN, V) X(TROWEXPANDEXPDIF, V) X(TCOLEXPANDADD, V) X(TCOLEXPANDSUB, V)      \
    X(TCOLEXPANDMUL, V) X(TCOLEXPANDDIV, V) X(TCOLEXPANDMAX, V) X(TCOLEXPANDMIN, V) X(TCOLEXPANDEXPDIF, V)      \
    X(THISTOGRAM, V) X(TSORT32, V) X(TMRGSORT, V) X(TMOV, V) X(TMOV_ZZ, V) X(TTRANS, V) X(TFILLPAD, V)          \
    X(TFILLPAD_INPLACE, V) X(TFILLPAD_EXPAND, V) X(TGATHER, V) X(TGATHERB, V) X(TSCATTER, V) X(TPACK, V)        \
    X(TQUANT, V) X(TQUANT_MX, V) X(TQUANT_HIF4, V) X(TDEQUANT, V) X(TREDUCE, V) X(TFMA, V) X(TSORT, V)          \
    X(GMOV, V) X(TCI, S) X(TRESHAPE, S) X(SETFMATRIX, S) X(SET_IMG2COL_RPT, S) X(SET_IMG2COL_PADDING, S)        \
    X(TGET_SCALE_ADDR, S) X(SET_QUANT_SCALAR, S) X(SET_QUANT_VECTOR, S) X(SET_DEQSCALE, S) X(SYNCALL, S)        \
    X(TNOTIFY, S) X(TWAIT, S) X(TTEST, S) X(TLOAD, MTE2) X(TPREFETCH, MTE2) X(TPREFETCH_ASYNC, MTE2)            \
    X(MGATHER, MTE2) X(TPOP, MTE2) X(TFREE, MTE2) X(TGET, MTE2) X(COMM_TGATHER, MTE2) X(MGATHER_MASK, MTE2)     \
    X(MGATHER_CAS, MTE2) X(TSTORE, MTE3) X(MSCATTER, MTE3) X(TPUT, MTE3) X(TBROADCAST, MTE3)                    \
    X(COMM_TSCATTER, MTE3) X(MSCATTER_MASK, MTE3) X(TSTORE_FP, FIX) X(TEXTRACT_FP, FIX) X(TINSERT_FP, FIX)      \
    X(TPUSH, FIX) X(TALLOC, FIX) X(TEXTRACT, MTE1) X(TINSERT, MTE1) X(TIMG2COL, MTE1) X(TMATMUL, M)             \
    X(TMATMUL_ACC, M) X(TMATMUL_BIAS, M) X(TGEMV, M) X(TGEMV_ACC, M) X(TGEMV_BIAS, M) X(TMATMUL_MX, M)          \
    X(TMATMUL_MX_ACC, M) X(TMATMUL_MX_BIAS, M) X(TGEMV_MX, M) X(TGEMV_MX_ACC, M) X(TGEMV_MX_BIAS, M)
#define TW_PTO_CPP_KINDS(X)                                                                                     \
    X(SCALAR, S) X(TVEC, V) X(TSTORE_VEC, MTE3) X(TSTORE_MAT, MTE3) X(TSTORE_ACC, FIX) X(TMOV_M2L, MTE1)        \
    X(TMOV_M2B, MTE1) X(TMOV_M2S, FIX) X(TMOV_M2V, V) X(TMOV_V2M, FIX)
// clang-format on
enum class Op {
#define TW_PTO_CPP_OP(name, pipe) name,
    TW_PTO_CPP_KINDS(TW_PTO_CPP_OP) TW_PTO_CPP_OPS(TW_PTO_CPP_OP)
#undef TW_PTO_CPP_OP
};
// Of one vector instruction: repeats of 256 bytes.
constexpr int REPEAT_MAX = 255;
namespace tw_detail {
constexpr tw_pto_pipe pipe_of(Op op)
{
    constexpr tw_pto_pipe pipes[] = {
#define TW_PTO_CPP_OP(name, pipe) TW_PTO_PIPE_##pipe,
        TW_PTO_CPP_KINDS(TW_PTO_CPP_OP) TW_PTO_CPP_OPS(TW_PTO_CPP_OP)
#undef TW_PTO_CPP_OP
    };
    return pipes[static_cast<int>(op)];
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
