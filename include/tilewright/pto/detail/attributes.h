/* SPDX-License-Identifier: MIT */
/* attributes: what instructions take besides operands: template parameters in C++, dictionaries in text. One list,
 * from which come the struct, an enumeration per attribute, and their names in text. Included by pto/core.h. */
#ifndef TILEWRIGHT_PTO_ATTRIBUTES_H
#define TILEWRIGHT_PTO_ATTRIBUTES_H

#include <stdint.h>

// clang-format off
/* V(constant without TW_PTO_, number, name in text): counted from 0, the default, in order. Text takes rne, rz, rp,
 * rm for rint, trunc, ceil, floor, and names with the prefixes atomic_ and cmp_. */
#define TW_PTO_DESCENDING_VALUES(V) \
    V(DESCENDING_OFF, 0, "false") V(DESCENDING_ON, 1, "true")
#define TW_PTO_CMP_VALUES(V) \
    V(CMP_EQ, 0, "eq") V(CMP_NE, 1, "ne") V(CMP_LT, 2, "lt") V(CMP_LE, 3, "le") V(CMP_GT, 4, "gt") V(CMP_GE, 5, "ge")
#define TW_PTO_ROUND_VALUES(V) \
    V(ROUND_NONE, 0, "none") V(ROUND_RINT, 1, "rint") V(ROUND_AWAY, 2, "round") V(ROUND_FLOOR, 3, "floor") \
    V(ROUND_CEIL, 4, "ceil") V(ROUND_TRUNC, 5, "trunc") V(ROUND_ODD, 6, "odd") V(ROUND_CAST_RINT, 7, "cast_rint")
#define TW_PTO_SATURATE_VALUES(V) \
    V(SATURATE_DEFAULT, 0, "default") V(SATURATE_ON, 1, "on") V(SATURATE_OFF, 2, "off")
#define TW_PTO_MASK_VALUES(V) \
    V(MASK_NONE, 0, "none") V(MASK_P0101, 1, "p0101") V(MASK_P1010, 2, "p1010") V(MASK_P0001, 3, "p0001") \
    V(MASK_P0010, 4, "p0010") V(MASK_P0100, 5, "p0100") V(MASK_P1000, 6, "p1000") V(MASK_P1111, 7, "p1111")
#define TW_PTO_PHASE_VALUES(V) \
    V(PHASE_UNSPECIFIED, 0, "unspecified") V(PHASE_RESERVED, 1, "reserved") V(PHASE_PARTIAL, 2, "partial") \
    V(PHASE_FINAL, 3, "final")
#define TW_PTO_ATOMIC_VALUES(V) \
    V(ATOMIC_NONE, 0, "none") V(ATOMIC_ADD, 1, "add") V(ATOMIC_MAX, 2, "max") V(ATOMIC_MIN, 3, "min")
#define TW_PTO_RELU_VALUES(V) \
    V(RELU_NONE, 0, "no_relu") V(RELU_NORMAL, 1, "normal_relu")
#define TW_PTO_ACC_MODE_VALUES(V) \
    V(ACC_MODE_VEC0, 0, "single_mode_vec0") V(ACC_MODE_VEC1, 1, "single_mode_vec1") \
    V(ACC_MODE_SPLIT_M, 2, "dual_mode_split_m") V(ACC_MODE_SPLIT_N, 3, "dual_mode_split_n")
#define TW_PTO_COALESCE_VALUES(V) \
    V(COALESCE_DEFAULT, 0, "default") V(COALESCE_ROW, 1, "row") V(COALESCE_ELEM, 2, "elem")
#define TW_PTO_BOUNDS_VALUES(V) \
    V(BOUNDS_UNDEFINED, 0, "undefined") V(BOUNDS_CLAMP, 1, "clamp") V(BOUNDS_WRAP, 2, "wrap") V(BOUNDS_ZERO, 3, "zero") \
    V(BOUNDS_SKIP, 4, "skip")
#define TW_PTO_QUANT_VALUES(V) \
    V(QUANT_INT8_SYM, 0, "int8_sym") V(QUANT_INT8_ASYM, 1, "int8_asym")
#define TW_PTO_SCALE_RULE_VALUES(V) \
    V(SCALE_RULE_OCP, 0, "ocp") V(SCALE_RULE_NV, 1, "nv")
#define TW_PTO_EXHAUSTED_VALUES(V) \
    V(EXHAUSTED_OFF, 0, "false") V(EXHAUSTED_ON, 1, "true")
#define TW_PTO_BINARY_VALUES(V) \
    V(BINARY_OFF, 0, "false") V(BINARY_ON, 1, "true")
#define TW_PTO_AXIS_VALUES(V) \
    V(AXIS_COL, 0, "col") V(AXIS_ROW, 1, "row")
#define TW_PTO_PRECISE_VALUES(V) \
    V(PRECISE_OFF, 0, "false") V(PRECISE_ON, 1, "true")
#define TW_PTO_SPLIT_VALUES(V) \
    V(SPLIT_NONE, 0, "none") V(SPLIT_UP_DOWN, 1, "up_down") V(SPLIT_LEFT_RIGHT, 2, "left_right")
#define TW_PTO_CORES_VALUES(V) \
    V(CORES_MIX, 0, "mix") V(CORES_AIV_ONLY, 1, "aiv_only") V(CORES_AIC_ONLY, 2, "aic_only")
#define TW_PTO_SIGNAL_VALUES(V) \
    V(SIGNAL_SET, 0, "set") V(SIGNAL_ADD, 1, "add")
#define TW_PTO_REDUCE_VALUES(V) \
    V(REDUCE_SUM, 0, "sum") V(REDUCE_MAX, 1, "max") V(REDUCE_MIN, 2, "min")
#define TW_PTO_SLOT_LAYOUT_VALUES(V) \
    V(SLOT_LAYOUT_NZ2ND, 0, "nz2nd") V(SLOT_LAYOUT_NZ2NZ, 1, "nz2nz") V(SLOT_LAYOUT_NZ2DN, 2, "nz2dn")
#define TW_PTO_SUB_BLOCK_VALUES(V) \
    V(SUB_BLOCK_BOTH, 0, "both") V(SUB_BLOCK_FIRST, 1, "first") V(SUB_BLOCK_SECOND, 2, "second")
#define TW_PTO_CHANNEL_SPLIT_VALUES(V) \
    V(CHANNEL_SPLIT_OFF, 0, "false") V(CHANNEL_SPLIT_ON, 1, "true")
#define TW_PTO_INSERT_SPLIT_VALUES(V) \
    V(INSERT_SPLIT_NONE, 0, "none") V(INSERT_SPLIT_SPLIT2, 1, "split2") V(INSERT_SPLIT_SPLIT4, 2, "split4")

/* X(field, names in text, values) of enumerations; N(field, names in text) of numbers, 0 by default. */
#define TW_PTO_ATTR_LIST(X, N) \
    X(descending, "descending", TW_PTO_DESCENDING_VALUES) \
    N(upper, "upperOrLower") \
    X(cmp, "cmpMode|cmp|cmp_mode", TW_PTO_CMP_VALUES) \
    X(round, "rmode|rnd|round_mode", TW_PTO_ROUND_VALUES) \
    X(saturate, "sat_mode|satMode|saturation_mode", TW_PTO_SATURATE_VALUES) \
    X(mask, "maskPattern|mask_pattern", TW_PTO_MASK_VALUES) \
    X(phase, "stPhase|phase|accPhase", TW_PTO_PHASE_VALUES) \
    X(atomic, "atomicType|atomic|scatterAtomicOp", TW_PTO_ATOMIC_VALUES) \
    X(relu, "reluPreMode|relu", TW_PTO_RELU_VALUES) \
    X(acc_mode, "accToVecMode", TW_PTO_ACC_MODE_VALUES) \
    X(coalesce, "coalesce", TW_PTO_COALESCE_VALUES) \
    X(bounds, "gatherOob|scatterOob|oob", TW_PTO_BOUNDS_VALUES) \
    X(quant, "quant_type|quantType", TW_PTO_QUANT_VALUES) \
    X(scale_rule, "scaleRule|scale_rule", TW_PTO_SCALE_RULE_VALUES) \
    X(exhausted, "exhausted", TW_PTO_EXHAUSTED_VALUES) \
    X(binary, "isBinary", TW_PTO_BINARY_VALUES) \
    N(rounds, "rounds") \
    N(byte, "byte|isMSB") \
    N(offset, "offset") \
    X(axis, "axis", TW_PTO_AXIS_VALUES) \
    X(precise, "highPrecision", TW_PTO_PRECISE_VALUES) \
    X(split, "split", TW_PTO_SPLIT_VALUES) \
    X(cores, "cores|core_type", TW_PTO_CORES_VALUES) \
    X(signal, "op|notify_op", TW_PTO_SIGNAL_VALUES) \
    X(reduce, "reduceOp|reduce_op", TW_PTO_REDUCE_VALUES) \
    X(slot_layout, "layoutMode|slotLayout|layout_mode", TW_PTO_SLOT_LAYOUT_VALUES) \
    X(sub_block, "subBlock|sub_block", TW_PTO_SUB_BLOCK_VALUES) \
    N(clip, "clipRelu|clip_relu") \
    X(channel_split, "channelSplit|channel_split", TW_PTO_CHANNEL_SPLIT_VALUES) \
    X(insert_split, "splitNz|split_nz", TW_PTO_INSERT_SPLIT_VALUES) \
    N(width, "sortWidth|sort_width")
// clang-format on

/* enum tw_pto_round_attr { TW_PTO_ROUND_NONE, TW_PTO_ROUND_RINT, ... }, one for each field that is an enumeration. */
#define TW_PTO_ATTR_VALUE(name, number, text)  TW_PTO_##name = number,
#define TW_PTO_ATTR_ENUM(field, names, values) enum tw_pto_##field##_attr{ values(TW_PTO_ATTR_VALUE) };
#define TW_PTO_ATTR_NO_ENUM(field, names)
TW_PTO_ATTR_LIST(TW_PTO_ATTR_ENUM, TW_PTO_ATTR_NO_ENUM)
#undef TW_PTO_ATTR_NO_ENUM
#undef TW_PTO_ATTR_ENUM
#undef TW_PTO_ATTR_VALUE

/* All zero is the default of each. */
typedef struct tw_pto_attrs {
#define TW_PTO_ATTR_FIELD(field, names, values) int32_t field;
#define TW_PTO_ATTR_NUMBER(field, names)        int32_t field;
    TW_PTO_ATTR_LIST(TW_PTO_ATTR_FIELD, TW_PTO_ATTR_NUMBER)
#undef TW_PTO_ATTR_NUMBER
#undef TW_PTO_ATTR_FIELD
} tw_pto_attrs;

/* tw_pto_set_round(&attrs, TW_PTO_ROUND_RINT): the same with the compiler looking whether the value is one of that
 * field. */
#define TW_PTO_ATTR_SET(field, names, values)                                                    \
    static inline void tw_pto_set_##field(tw_pto_attrs *attrs, enum tw_pto_##field##_attr value) \
    {                                                                                            \
        attrs->field = (int32_t)value;                                                           \
    }
#define TW_PTO_ATTR_SET_NUMBER(field, names)                                  \
    static inline void tw_pto_set_##field(tw_pto_attrs *attrs, int32_t value) \
    {                                                                         \
        attrs->field = value;                                                 \
    }
TW_PTO_ATTR_LIST(TW_PTO_ATTR_SET, TW_PTO_ATTR_SET_NUMBER)
#undef TW_PTO_ATTR_SET_NUMBER
#undef TW_PTO_ATTR_SET

#endif
