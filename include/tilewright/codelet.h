/* SPDX-License-Identifier: MIT */
/* Codelets in C: the twin of <poplar/Vertex.hpp>.
 *
 *     #include <tilewright/codelet.h>
 *
 *     TW_VERTEX(Scale) {
 *         TW_INOUT(TW_VECTOR(float)) data;      // layout, alignment, interleaving as further arguments
 *         float factor;                         // plain vertex state
 *     };
 *     bool Scale_compute(Scale *v) {
 *         for (unsigned i = 0; i < tw_size(v->data); i++) *tw_at(v->data, i) *= v->factor;
 *         return true;
 *     }
 *
 * Fields. TW_INPUT, TW_OUTPUT and TW_INOUT take an element type (`*v->x` is the value), TW_VECTOR(type, layout,
 * min_align, interleaved), TW_VECTORLIST(type, list layout, min_align), TW_VECTORS(type, layout of the outer level,
 * layout of the inner, min_align) for a vector of vectors, or TW_SCALARS(type) for a vector of single elements.
 * Layouts are SPAN, SHORT_SPAN, ONE_PTR, SCALED_PTR32, SCALED_PTR64, SCALED_PTR128, COMPACT_PTR, and for lists
 * DELTAN, DELTANELEMENTS, COMPACT_DELTAN; the defaults are those of C++. TW_STATE_VECTOR(type...) is Vector<type>
 * without a direction. Elements of a TW_INPUT are const.
 *
 * Access. tw_at(vector, i) points to element i, tw_begin and tw_end to the ends, tw_size counts elements: tw_end and
 * tw_size exist for SPAN and SHORT_SPAN only. tw_sub(list, i) is row i of a list or vector of vectors, tw_rows(list)
 * their number. They work with every layout on every chip; fields are not to be reached in another way.
 *
 * A name like "Foo<float>": TW_VERTEX_AS(Foo_float, "Foo<float>"). All worker threads: TW_MULTIVERTEX(Name) with
 * `bool Name_compute(Name *v, unsigned worker)`. Constraints: TW_CONSTRAINT("elem(*a)!=elem(*b)"); among the
 * fields. Written in assembly for the chip (isExternalCodelet): TW_EXTERNAL; among the fields, and Name_compute only
 * where the vertex should run natively as well.
 *
 * Threads: vertices run in several at once; the workers of a TW_MULTIVERTEX share its state, others share nothing. */
#ifndef TILEWRIGHT_CODELET_H
#define TILEWRIGHT_CODELET_H

#ifdef __cplusplus
#error "<tilewright/codelet.h> is for codelets in C; C++ codelets include <poplar/Vertex.hpp>"
#endif

#include <poplar/AvailableVTypes.h>
#include <poplar/device/ipu_scalar_builtins.h>
#include <poplar/device/ipudef.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __POPC__
#define TW__NOTE(text) __attribute__((annotate(text)))
#else
#define TW__NOTE(text)
#endif

// clang-format off
/* --- vertices ---------------------------------------------------------------------------------------------- */

#define TW_VERTEX(name)              TW__VERTEX(name, "tw.vertex Vertex " #name)
#define TW_MULTIVERTEX(name)         TW__VERTEX(name, "tw.vertex MultiVertex " #name)
#define TW_VERTEX_AS(name, text)     TW__VERTEX(name, "tw.vertex Vertex " text)
#define TW_MULTIVERTEX_AS(name, text) TW__VERTEX(name, "tw.vertex MultiVertex " text)
#define TW__VERTEX(name, note)                                                                                 \
    typedef struct name name;                                                                                  \
    struct TW__NOTE(note) name

#define TW_CONSTRAINT(text) _Static_assert(1, "tw.constraint " text)
#define TW_EXTERNAL         _Static_assert(1, "tw.external")

/* --- fields ------------------------------------------------------------------------------------------------ */

#define TW_INPUT(...)        TW__EDGE("Input", const, __VA_ARGS__)
#define TW_OUTPUT(...)       TW__EDGE("Output", , __VA_ARGS__)
#define TW_INOUT(...)        TW__EDGE("InOut", , __VA_ARGS__)
#define TW_STATE_VECTOR(...) TW__EDGE("State", , TW_VECTOR(__VA_ARGS__))

#define TW_VECTOR(...)     TW__CAT(TW__VECTOR_, TW__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define TW_VECTORLIST(...) TW__CAT(TW__LIST_, TW__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define TW_VECTORS(...)    TW__CAT(TW__VECTORS_, TW__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define TW_SCALARS(...)    TW__CAT(TW__SCALARS_, TW__COUNT(__VA_ARGS__))(__VA_ARGS__)

/* Number of arguments, 1 to 4, and the defaults of those not given: min_align 0 = the layout's own. */
#define TW__CAT(a, b)                TW__CAT_(a, b)
#define TW__CAT_(a, b)               a##b
#define TW__COUNT(...)               TW__COUNT_(__VA_ARGS__, 4, 3, 2, 1, ~)
#define TW__COUNT_(a, b, c, d, n, ...) n
#define TW__VECTOR_1(t)              TW__VECTOR_4(t, SPAN, 0, 0)
#define TW__VECTOR_2(t, l)           TW__VECTOR_4(t, l, 0, 0)
#define TW__VECTOR_3(t, l, a)        TW__VECTOR_4(t, l, a, 0)
#define TW__VECTOR_4(t, l, a, i)     TW__VECTOR, t, l, a, i
#define TW__LIST_1(t)                TW__LIST_4(t, COMPACT_DELTAN, 0, 0)
#define TW__LIST_2(t, l)             TW__LIST_4(t, l, 0, 0)
#define TW__LIST_3(t, l, a)          TW__LIST_4(t, l, a, 0)
#define TW__LIST_4(t, l, a, i)       TW__LIST, t, l, a, i
#define TW__VECTORS_1(t)             TW__VECTORS_4(t, SPAN, SPAN, 0)
#define TW__VECTORS_2(t, lo)         TW__VECTORS_4(t, lo, SPAN, 0)
#define TW__VECTORS_3(t, lo, li)     TW__VECTORS_4(t, lo, li, 0)
#define TW__VECTORS_4(t, lo, li, a)  TW__VECTORS, t, lo, li, a
#define TW__SCALARS_1(t)             TW__SCALARS, t, SPAN, 0, 0
#define TW__SCALARS_2(t, l)          TW__SCALARS, t, l, 0, 0

/* One argument is the type of a single element; five are a form and what it takes. */
#define TW__EDGE(...)         TW__EDGE_(__VA_ARGS__, TW__EDGE_OF, ~, ~, ~, TW__EDGE_1, ~)(__VA_ARGS__)
#define TW__EDGE_(dir, c, form, t, l, a, i, name, ...) name
#define TW__EDGE_1(dir, c, t)       TW__NOTE("tw.field " dir " Scalar") c t *
#define TW__EDGE_OF(dir, c, form, t, l, a, i) form(dir, c, t, l, a, i)

#define TW__VECTOR(dir, c, t, l, a, i) TW__NOTE("tw.field " dir " Vector " #l " " #a " " #i) TW__SPAN_##l(c t, a)
#define TW__LIST(dir, c, t, l, a, i)   TW__NOTE("tw.field " dir " List " #l " " #a " " #i) TW__LIST_##l(c t)
#define TW__VECTORS(dir, c, t, lo, li, a)                                                                      \
    TW__NOTE("tw.field " dir " Vectors " #lo " " #li " " #a) TW__OUTER_##lo(TW__SPAN_##li(c t, a))
#define TW__SCALARS(dir, c, t, l, a, i) TW__NOTE("tw.field " dir " Scalars " #l) TW__OUTER_##l(c t *)

#ifndef __IPU__
/* The host keeps a pointer and a count whatever the layout; a count that the chip does not store has a name that no
 * accessor uses. */
#define TW__KNOWN(t)              struct { t *tw_data; uint32_t tw_count; }
#define TW__UNKNOWN(t)            struct { t *tw_data; uint32_t tw__hidden; }
#define TW__SPAN_SPAN(t, a)          TW__KNOWN(t)
#define TW__SPAN_SHORT_SPAN(t, a)    TW__KNOWN(t)
#define TW__SPAN_ONE_PTR(t, a)       TW__UNKNOWN(t)
#define TW__SPAN_SCALED_PTR32(t, a)  TW__UNKNOWN(t)
#define TW__SPAN_SCALED_PTR64(t, a)  TW__UNKNOWN(t)
#define TW__SPAN_SCALED_PTR128(t, a) TW__UNKNOWN(t)
#define TW__SPAN_COMPACT_PTR(t, a)   TW__UNKNOWN(t)
#define TW__OUTER_KNOWN(row)      struct { row *tw_list; uint32_t tw_rows_; }
#define TW__OUTER_UNKNOWN(row)    struct { row *tw_list; uint32_t tw__hidden; }
#define TW__OUTER_SPAN(row)          TW__OUTER_KNOWN(row)
#define TW__OUTER_SHORT_SPAN(row)    TW__OUTER_KNOWN(row)
#define TW__OUTER_ONE_PTR(row)       TW__OUTER_UNKNOWN(row)
#define TW__OUTER_SCALED_PTR32(row)  TW__OUTER_UNKNOWN(row)
#define TW__OUTER_SCALED_PTR64(row)  TW__OUTER_UNKNOWN(row)
#define TW__OUTER_SCALED_PTR128(row) TW__OUTER_UNKNOWN(row)
#define TW__OUTER_COMPACT_PTR(row)   TW__OUTER_UNKNOWN(row)
#define TW__LIST_DELTAN(t)         TW__OUTER_KNOWN(TW__KNOWN(t))
#define TW__LIST_DELTANELEMENTS(t) TW__OUTER_KNOWN(TW__KNOWN(t))
#define TW__LIST_COMPACT_DELTAN(t) TW__OUTER_KNOWN(TW__KNOWN(t))
#else
/* Bytes as on the chip (guide 4.2). Members that are only a type take no room. */
#define TW__PACKED(t, word)       struct { word tw_word; t *tw_type[0] __attribute__((packed)); }
#define TW__SPAN_SPAN(t, a)          struct { t *tw_data; uint32_t tw_count; }
#define TW__SPAN_SHORT_SPAN(t, a)    TW__PACKED(t, uint32_t)
#define TW__SPAN_ONE_PTR(t, a)       struct { t *tw_data; }
#ifdef VECTOR_AVAIL_SCALED_PTR32
#define TW__SPAN_SCALED_PTR32(t, a)  TW__PACKED(t, uint16_t)
#define TW__SPAN_SCALED_PTR64(t, a)  TW__PACKED(t, uint16_t)
#define TW__COMPACT_FROM 4
#else
#define TW__COMPACT_FROM 16
#endif
#define TW__SPAN_SCALED_PTR128(t, a) TW__PACKED(t, uint16_t)
#define TW__SPAN_COMPACT_PTR(t, a)                                                                             \
    TW__PACKED(t, __typeof__(__builtin_choose_expr((a) >= TW__COMPACT_FROM || sizeof(t) >= TW__COMPACT_FROM,   \
                                                   (uint16_t)0, (uint32_t)0)))
#define TW__OUTER_SPAN(row)          struct { row *tw_list; uint32_t tw_rows_; }
#define TW__OUTER_SHORT_SPAN(row)    TW__PACKED(row, uint32_t)
#define TW__OUTER_ONE_PTR(row)       struct { row *tw_list; }
#ifdef VECTOR_AVAIL_SCALED_PTR32
#define TW__OUTER_SCALED_PTR32(row)  TW__PACKED(row, uint16_t)
#define TW__OUTER_SCALED_PTR64(row)  TW__PACKED(row, uint16_t)
#endif
#define TW__OUTER_SCALED_PTR128(row) TW__PACKED(row, uint16_t)
#define TW__OUTER_COMPACT_PTR(row)   TW__SPAN_COMPACT_PTR(row, 4)
#define TW__LIST_DELTANELEMENTS(t) struct { uint32_t tw_word[2]; t *tw_type[0] __attribute__((packed)); }
#ifdef VECTORLIST_AVAIL_DELTAN
#define TW__LIST_DELTAN(t)         struct { uint32_t tw_word; uint16_t tw_table; t *tw_type[0] __attribute__((packed)); }
#define TW__LIST_COMPACT_DELTAN(t) TW__LIST_DELTAN(t)
#else
#define TW__LIST_COMPACT_DELTAN(t) TW__LIST_DELTANELEMENTS(t)
#endif
#endif

/* --- access ------------------------------------------------------------------------------------------------ */

#define tw_begin(vector)   ((vector).tw_data)
#define tw_at(vector, i)   ((vector).tw_data + (i))
#define tw_size(vector)    ((vector).tw_count)
#define tw_end(vector)     ((vector).tw_data + (vector).tw_count)
#define tw_sub(list, i)    ((list).tw_list[i]) /* a vector; of TW_SCALARS, a pointer to the element */
#define tw_rows(list)      ((list).tw_rows_)

// clang-format on
/* Number of worker threads of a TW_MULTIVERTEX: its workers are 0 to tw_num_workers() - 1. */
#ifdef __IPU__
enum { tw__workers = 6 };
#elif defined(__POPC__)
static __thread unsigned tw__workers __attribute__((unused)) = 1; /* set by the entry that popc adds */
#else
enum { tw__workers = 1 };
#endif
static inline unsigned tw_num_workers(void)
{
    return tw__workers;
}

#endif
