/* SPDX-License-Identifier: MIT */
/* ref_cross: every row of ops.def on every type, profile, layout, valid region and pad value, against a reference
 * that knows nothing but dense matrices of codes.
 *
 * A table (ref_lanes.def, ...) names for each row its types as the documents state them, its plan
 * (which extents, types and layouts its operands have), what its values need (divisors that are not zero, indexes in
 * range) and its reference. The driver gives each operand a place, fills all memory with codes, keeps a copy, lets
 * the reference say what becomes of the destinations, executes, and compares all memory byte by byte: destinations,
 * what lies outside their valid regions, sources and the gaps between them. What a plan calls illegal has to be
 * refused, and to change nothing; so a combination is run or refused, and one that the row accepts cannot be left
 * out. */
#ifndef TW_TESTS_PTO_REF_CROSS_H
#define TW_TESTS_PTO_REF_CROSS_H

#include "pto/reference/ref_format.h"

#include <tilewright/pto.h>

enum { REF_OPERANDS = 8 };

/* Layouts of a tile, also as a set of bits. */
enum { REF_ROW, REF_COL, REF_NZ, REF_ZN, REF_ZZ, REF_NN, REF_TILE_LAYOUTS };
#define REF_ANY_LAYOUT 63u
#define REF_ROWS_ONLY  (1u << REF_ROW)

/* An operand: what the reference sees, and where the driver puts it. */
typedef struct ref_matrix {
    char letter; /* of the row's form */
    tw_type type;
    uint32_t rows, cols, valid_rows, valid_cols;
    uint64_t pad;                            /* of the tile: tw_pto_pad, or custom */
    uint64_t *at;                            /* codes, rows x cols, row-major; of a scalar: its one code */
    bool tensor;                             /* in global memory, as `view` describes */
    unsigned char location, layouts, layout; /* layouts: those that it may have; the driver chooses */
    uint32_t fractal;
    tw_pto_tile tile;
    tw_pto_tensor view;
} ref_matrix;

struct ref_row;
typedef struct ref_call {
    const struct ref_row *row;
    tw_pto_target target;
    tw_type type; /* of the row's subject */
    uint32_t variant;
    unsigned region, count;
    bool illegal;    /* set by the plan: has to be refused */
    bool by_values;  /* set by plan or decide: it is the values that are illegal, so that it has to be executed */
    bool other_type; /* set by the driver: the row does not have it */
    bool any_layout; /* set by the plan: chips take all layouts too */
    uint64_t random;
    tw_pto_attrs attrs;
    ref_matrix *shared; /* set by the driver: this source lies where dst lies; NULL */
    ref_matrix o[REF_OPERANDS];
} ref_call;

/* Values of an element by element row: a, b (or the scalar), c; d is what dst held. */
typedef struct ref_reals {
    tw_type type, to; /* of the sources, of dst */
    double a, b, c, d;
} ref_reals;
typedef struct ref_wholes {
    tw_type type;
    uint64_t a, b, c, d; /* extended to 64 bits, by the sign if there is one */
} ref_wholes;

typedef struct ref_row {
    const char *name;
    uint64_t a2a3, a5, cpu;          /* types of the subject, one bit each; cpu: more than the chips' */
    void (*plan)(ref_call *call);    /* NULL = all tiles have the subject's type and one valid region */
    void (*decide)(ref_call *call);  /* after layouts were chosen: whether it is illegal; NULL */
    void (*prepare)(ref_call *call); /* changes codes of sources; NULL */
    void (*reference)(ref_call *call);
    uint32_t variants; /* 0 = 1 */
    unsigned ulps;     /* that floats may differ by */
    double (*real)(const ref_reals *v);
    uint64_t (*whole)(const ref_wholes *v);
    bool pads;     /* whether it is refused depends on pad values */
    bool in_place; /* dst may be one of the sources: every fourth time it is */
    bool names;    /* on chips dst becomes another name for what the first source lies in */
    unsigned thin; /* not 0: variants take turns in so many rounds of all layouts, regions and pads */
} ref_row;

#define REF_AT(matrix, r, c) ((matrix)->at[(size_t)(r) * (matrix)->cols + (c)])
/* The operand with a letter; NULL. */
ref_matrix *ref_of(ref_call *call, char letter);
/* Real and code; of 16 and 32 bits quick. */
double ref_real(tw_type type, uint64_t code);
uint64_t ref_code(tw_type type, double value);
/* dst, element by element, over its valid region: row->real for floats, row->whole for integers. */
void ref_lane(ref_call *call);
/* The low bits of a value as a code. */
void ref_put_whole(tw_type type, uint64_t *at, uint64_t value);

/* Sets of types, as the documents write them. */
#define T(t)   (UINT64_C(1) << TW_##t)
#define F      (T(F16) | T(F32))
#define I6     (T(I8) | T(U8) | T(I16) | T(U16) | T(I32) | T(U32))
#define A3     (T(I16) | T(I32) | F)
#define B124   (I6 | F | T(BF16))
#define A5     (B124 | T(I64) | T(U64))
#define A5_    (A5 & ~(T(I8) | T(U8)))
#define I24    (T(I16) | T(U16) | T(I32) | T(U32))
#define I64U64 (T(I64) | T(U64))
#define I8U8   (T(I8) | T(U8))
#define W24    (I24 | F | T(BF16))

typedef struct ref_tally {
    unsigned long runs, refused;
    unsigned failures, idle; /* idle: types of a row that nothing ran with */
} ref_tally;
/* All combinations of the rows of a table; `tally` is added to. */
void ref_cross(const ref_row *rows, size_t count, ref_tally *tally);

#endif
