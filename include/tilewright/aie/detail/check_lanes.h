/* SPDX-License-Identifier: MIT */
/* With TW_AIE_CHECK: where a call stands, and which lanes nobody has set.
 *
 * Undefined lanes carry a mark instead of a value: undef_v16int16() and the wset_v() family fill the words of 64 bits
 * that nothing sets with a pattern that names the call. The pattern is one of 2^12 words out of 2^64, spread by a
 * mixing function, so data that looks like it is as good as impossible: no false alarms. Moves (concat, ext, upd,
 * casts of vectors, copies, memory) carry marks along; what computes with a marked word, or sends it through a port,
 * reports it. Moves of lanes within words (upd_elem, shft_elem, shuffle, select) make words of which a part is left
 * over: the library remembers the value of such a word, and which lanes of it nothing has set. */
#ifndef TILEWRIGHT_AIE_SITE_H
#define TILEWRIGHT_AIE_SITE_H

#ifdef __cplusplus
extern "C" {
#endif
/* Fills `bytes`, a multiple of 8, with the mark of the call in progress. */
TW_API void tw__aie_mark(const char *intrinsic, void *p, size_t bytes);
/* All ones in `shadow` for each lane that nothing has set, else zeros. 0: none is; then `shadow` may be left as
 * it was. */
TW_API unsigned tw__aie_shadow(const void *p, size_t bytes, void *shadow);
/* Reports, when `picked` (lanes of a shadow) is not all zeros; moves are silent. */
TW_API void tw__aie_read(const char *intrinsic, unsigned mark, const void *picked, size_t bytes);
TW_API int tw__aie_is_move(const char *intrinsic); /* carries lanes along without looking at them */
/* A move made the words at p, with these lanes left over. */
TW_API void tw__aie_moved(unsigned mark, const void *p, const void *shadow, size_t bytes);
/* Writes one lane, `at` bytes from the start. */
TW_API void tw__aie_put_lane(void *vector, size_t at, const void *lane, size_t bytes);
TW_API void tw__aie_mode_unset(const char *intrinsic);
/* tw__aie_report() about another place; line 0: `file` is a program and an offset. */
TW_API void tw__aie_report_at(const char *file, int line, const char *intrinsic, const char *format, ...)
    TW_PRINTF(4, 5);
/* Called by libtilewright_aie_check, once per load or store of instrumented code: reports an access to tile memory
 * outside of the buffers that the running kernel holds. pc: behind the call. */
TW_API void tw__aie_access(const void *p, size_t bytes, int is_store, const void *pc);
/* ... and per misaligned one, with the alignment that the type asks for. One report a line. */
TW_API void tw__aie_misaligned(const char *file, int line, const void *p, unsigned alignment, const char *type,
                               int is_store);
#ifdef __cplusplus
}
#endif

#define TW__CHECK(condition, ...) ((condition) ? (void)0 : tw__aie_report(__VA_ARGS__))
#define TW__MODE_SET              ((void)(tw_aie_core.mode_set = 1))
#define TW__MODE_NEEDED(name)     tw__aie_mode_unset(name)
/* Every word of an operand is read. */
#define TW__DEFINED(name, p, bytes) tw__defined(name, p, bytes)
TW__AIE void tw__defined(const char *intrinsic, const void *p, size_t bytes)
{
    uint64_t shadow[32];
    unsigned mark = tw__aie_shadow(p, bytes, shadow);
    if (mark) tw__aie_read(intrinsic, mark, shadow, bytes);
}
/* The lanes that pick(p, ...) takes are read. */
#define TW__READ(name, pick, p, ...)                                             \
    do {                                                                         \
        uint64_t tw_shadow[16];                                                  \
        unsigned tw_mark = tw__aie_shadow(p, sizeof *(p), tw_shadow);            \
        if (tw_mark) {                                                           \
            __typeof__(pick(tw_shadow, __VA_ARGS__)) tw_picked;                  \
            tw_picked = pick(tw_shadow, __VA_ARGS__);                            \
            tw__aie_read(name, tw_mark, &tw_picked, sizeof tw_picked);           \
            if (tw__aie_is_move(name)) {                                         \
                const __typeof__(tw_picked) tw_value = pick(p, __VA_ARGS__);     \
                tw__aie_moved(tw_mark, &tw_value, &tw_picked, sizeof tw_picked); \
            }                                                                    \
        }                                                                        \
    } while (0)

/* One lane of a vector is read, or written. */
#define TW__LANE_DEFINED(name, vector, at, bytes) tw__lane_defined(name, vector, at, bytes)
TW__AIE void tw__lane_defined(const char *intrinsic, const void *vector, size_t at, size_t bytes)
{
    uint64_t shadow[32];
    unsigned mark = tw__aie_shadow((const char *)vector + (at & ~(size_t)7), bytes < 8 ? 8 : bytes, shadow);
    if (mark) tw__aie_read(intrinsic, mark, (const char *)shadow + (at & 7), bytes);
}
#define TW__PUT_LANE(vector, at, lane) tw__aie_put_lane(&(vector), at, &(lane), sizeof(lane))
/* r of `bytes` is choose(sel, a, b), by lanes. */
#define TW__SELECTED(r, choose, sel, a, b)                                              \
    do {                                                                                \
        __typeof__(choose(sel, a, b)) tw_a, tw_b, tw_left;                              \
        unsigned tw_of_a = tw__aie_shadow(&(a), sizeof tw_a, &tw_a);                    \
        unsigned tw_of_b = tw__aie_shadow(&(b), sizeof tw_b, &tw_b);                    \
        if (!tw_of_a) __builtin_memset(&tw_a, 0, sizeof tw_a);                          \
        if (!tw_of_b) __builtin_memset(&tw_b, 0, sizeof tw_b);                          \
        if (tw_of_a || tw_of_b) {                                                       \
            tw_left = choose(sel, tw_a, tw_b);                                          \
            tw__aie_moved(tw_of_a ? tw_of_a : tw_of_b, &(r), &tw_left, sizeof tw_left); \
        }                                                                               \
    } while (0)
/* Lanes of b move up by `bytes`, the lowest is set. */
#define TW__SHIFTED_UP(r, b, bytes)                                                    \
    do {                                                                               \
        uint64_t tw_of_b[17];                                                          \
        tw_of_b[0] = tw_of_b[1] = 0;                                                   \
        unsigned tw_mark = tw__aie_shadow(&(b), sizeof(b), (char *)tw_of_b + (bytes)); \
        if (tw_mark) tw__aie_moved(tw_mark, &(r), tw_of_b, sizeof(r));                 \
    } while (0)

/* The place of the call in progress. C: around each call, restored behind it, so that calls within its arguments
 * leave it right. C++: default arguments of the function called. */
typedef struct tw__where {
    const char *file;
    int line;
} tw__where;
TW__AIE void tw__site(const char *file, int line)
{
    tw_aie_core.checked = 1;
    tw_aie_core.file = file;
    tw_aie_core.line = line;
}
TW__AIE tw__where tw__enter(const char *file, int line)
{
    tw__where before = { tw_aie_core.file, tw_aie_core.line };
    tw__site(file, line);
    return before;
}
TW__AIE void tw__leave(tw__where before)
{
    tw__site(before.file, before.line);
}
#ifdef __cplusplus
struct tw__end { /* keeps arguments of the call away from the place */
    explicit tw__end() {}
};
#define TW__AT_ONLY tw__end = tw__end(), const char *tw_file = __builtin_FILE(), int tw_line = __builtin_LINE()
#define TW__AT      , TW__AT_ONLY
#define TW__HERE    tw__site(tw_file, tw_line)
#define TW__PASS    , tw__end(), tw_file, tw_line /* on to another name */
#define TW__PLACE   tw__site(__FILE__, __LINE__),
#else
#define TW__AT_ONLY void
#define TW__AT
#define TW__HERE            ((void)0)
#define TW__CALLED(...)     TW__CALLED_(__COUNTER__, __VA_ARGS__)
#define TW__CALLED_(n, ...) TW__CALLED__(n, __VA_ARGS__)
#define TW__CALLED__(n, ...)                                          \
    __extension__({                                                   \
        const tw__where tw_before##n = tw__enter(__FILE__, __LINE__); \
        __auto_type tw_result##n = (__VA_ARGS__);                     \
        tw__leave(tw_before##n);                                      \
        tw_result##n;                                                 \
    })
#define TW__DO_HERE(...)     TW__DO_HERE_(__COUNTER__, __VA_ARGS__)
#define TW__DO_HERE_(n, ...) TW__DO_HERE__(n, __VA_ARGS__)
#define TW__DO_HERE__(n, ...)                                         \
    __extension__({                                                   \
        const tw__where tw_before##n = tw__enter(__FILE__, __LINE__); \
        (__VA_ARGS__);                                                \
        tw__leave(tw_before##n);                                      \
    })
#endif

/* Templates in front of the overloads `target`, by number of arguments: by value, because deduction drops the
 * alignment of a vector type. lead: what goes first; BEHIND: nothing, or a variable that receives bits. */
#ifdef __cplusplus
#define TW__CLASS1  class A1
#define TW__CLASS2  TW__CLASS1, class A2
#define TW__CLASS3  TW__CLASS2, class A3
#define TW__CLASS4  TW__CLASS3, class A4
#define TW__CLASS5  TW__CLASS4, class A5
#define TW__CLASS6  TW__CLASS5, class A6
#define TW__CLASS7  TW__CLASS6, class A7
#define TW__CLASS8  TW__CLASS7, class A8
#define TW__CLASS9  TW__CLASS8, class A9
#define TW__CLASS10 TW__CLASS9, class A10
#define TW__CLASS11 TW__CLASS10, class A11
#define TW__CLASS12 TW__CLASS11, class A12
#define TW__CLASS13 TW__CLASS12, class A13
#define TW__CLASS14 TW__CLASS13, class A14
#define TW__CLASS15 TW__CLASS14, class A15
#define TW__CLASS16 TW__CLASS15, class A16
#define TW__CLASS17 TW__CLASS16, class A17
#define TW__CLASS18 TW__CLASS17, class A18
#define TW__ARG1    A1 a1
#define TW__ARG2    TW__ARG1, A2 a2
#define TW__ARG3    TW__ARG2, A3 a3
#define TW__ARG4    TW__ARG3, A4 a4
#define TW__ARG5    TW__ARG4, A5 a5
#define TW__ARG6    TW__ARG5, A6 a6
#define TW__ARG7    TW__ARG6, A7 a7
#define TW__ARG8    TW__ARG7, A8 a8
#define TW__ARG9    TW__ARG8, A9 a9
#define TW__ARG10   TW__ARG9, A10 a10
#define TW__ARG11   TW__ARG10, A11 a11
#define TW__ARG12   TW__ARG11, A12 a12
#define TW__ARG13   TW__ARG12, A13 a13
#define TW__ARG14   TW__ARG13, A14 a14
#define TW__ARG15   TW__ARG14, A15 a15
#define TW__ARG16   TW__ARG15, A16 a16
#define TW__ARG17   TW__ARG16, A17 a17
#define TW__ARG18   TW__ARG17, A18 a18
#define TW__VAL1    a1
#define TW__VAL2    TW__VAL1, a2
#define TW__VAL3    TW__VAL2, a3
#define TW__VAL4    TW__VAL3, a4
#define TW__VAL5    TW__VAL4, a5
#define TW__VAL6    TW__VAL5, a6
#define TW__VAL7    TW__VAL6, a7
#define TW__VAL8    TW__VAL7, a8
#define TW__VAL9    TW__VAL8, a9
#define TW__VAL10   TW__VAL9, a10
#define TW__VAL11   TW__VAL10, a11
#define TW__VAL12   TW__VAL11, a12
#define TW__VAL13   TW__VAL12, a13
#define TW__VAL14   TW__VAL13, a14
#define TW__VAL15   TW__VAL14, a15
#define TW__VAL16   TW__VAL15, a16
#define TW__VAL17   TW__VAL16, a17
#define TW__VAL18   TW__VAL17, a18
#define TW__PLACED(n, name, target)                                                              \
    template <TW__CLASS##n> TW__AIE auto name(TW__ARG##n TW__AT) -> decltype(target(TW__VAL##n)) \
    {                                                                                            \
        TW__HERE;                                                                                \
        return target(TW__VAL##n);                                                               \
    }
#define TW__PLACED_CMP(n, name, target)                                                        \
    template <TW__CLASS##n>                                                                    \
    TW__AIE auto name(TW__ARG##n, unsigned &bits TW__AT) -> decltype(target(TW__VAL##n, bits)) \
    {                                                                                          \
        TW__HERE;                                                                              \
        return target(TW__VAL##n, bits);                                                       \
    }
#define TW__PLACED_FLAGS(n, name, target, flags)                                                        \
    template <TW__CLASS##n> TW__AIE auto name(TW__ARG##n TW__AT) -> decltype(target(flags, TW__VAL##n)) \
    {                                                                                                   \
        TW__HERE;                                                                                       \
        return target(flags, TW__VAL##n);                                                               \
    }
/* Numbers of arguments of the classes of names that are not generated. */
#define TW__COUNTS_tw_fpmul(F, ...)       F(2, __VA_ARGS__) F(5, __VA_ARGS__) F(6, __VA_ARGS__)
#define TW__COUNTS_tw_fpmac_fpmsc(F, ...) F(3, __VA_ARGS__) F(6, __VA_ARGS__) F(7, __VA_ARGS__)
#define TW__COUNTS_tw__whole0(F, ...)     F(2, __VA_ARGS__)
#define TW__COUNTS_tw__whole(F, ...)      F(3, __VA_ARGS__)
#endif

#endif
