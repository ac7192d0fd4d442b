/* SPDX-License-Identifier: MIT */
/* attributes: what instructions take besides operands: template parameters in C++, dictionaries in text. One list,
 * from which come the struct, an enumeration per attribute, and their names in text. Included by pto/core.h. */
#ifndef TILEWRIGHT_PTO_ATTRIBUTES_H
#define TILEWRIGHT_PTO_ATTRIBUTES_H

#include <stdint.h>

// clang-format off
/* V(constant without TW_PTO_, name in text); the first is 0 and the default. Text takes rne, rz, rp, rm for rint,
 * trunc, ceil, floor, and names with the prefixes atomic_ and cmp_. */
#define TW_PTO_DESCENDING_VALUES(V) \
    V(DESCENDING_OFF, "false") V(DESCENDING_ON, "true")
#define TW_PTO_CMP_VALUES(V) \
    V(CMP_EQ, "eq") V(CMP_NE, "ne") V(CMP_LT, "lt") V(CMP_LE, "le") V(CMP_GT, "gt") V(CMP_GE, "ge")
#define TW_PTO_ROUND_VALUES(V) \
    V(ROUND_NONE, "none") V(ROUND_RINT, "rint") V(ROUND_AWAY, "round") V(ROUND_FLOOR, "floor") \
    V(ROUND_CEIL, "ceil") V(ROUND_TRUNC, "trunc") V(ROUND_ODD, "odd") V(ROUND_CAST_RINT, "cast_rint")
#define TW_PTO_SATURATE_VALUES(V) \
    V(SATURATE_DEFAULT, "default") V(SATURATE_ON, "on") V(SATURATE_OFF, "off")
#define TW_PTO_MASK_VALUES(V) \
    V(MASK_NONE, "none") V(MASK_P0101, "p0101") V(MASK_P1010, "p1010") V(MASK_P0001, "p0001") \
    V(MASK_P0010, "p0010") V(MASK_P0100, "p0100") V(MASK_P1000, "p1000") V(MASK_P1111, "p1111")
#define TW_PTO_PHASE_VALUES(V) \
    V(PHASE_UNSPECIFIED, "unspecified") V(PHASE_RESERVED, "reserved") V(PHASE_PARTIAL, "partial") \
    V(PHASE_FINAL, "final")
#define TW_PTO_ATOMIC_VALUES(V) \
    V(ATOMIC_NONE, "none") V(ATOMIC_ADD, "add") V(ATOMIC_MAX, "max") V(ATOMIC_MIN, "min")
#define TW_PTO_RELU_VALUES(V) \
    V(RELU_NONE, "no_relu") V(RELU_NORMAL, "normal_relu")
#define TW_PTO_ACC_MODE_VALUES(V) \
    V(ACC_MODE_VEC0, "single_mode_vec0") V(ACC_MODE_VEC1, "single_mode_vec1") \
    V(ACC_MODE_SPLIT_M, "dual_mode_split_m") V(ACC_MODE_SPLIT_N, "dual_mode_split_n")
#define TW_PTO_COALESCE_VALUES(V) \
    V(COALESCE_DEFAULT, "default") V(COALESCE_ROW, "row") V(COALESCE_ELEM, "elem")
#define TW_PTO_BOUNDS_VALUES(V) \
    V(BOUNDS_UNDEFINED, "undefined") V(BOUNDS_CLAMP, "clamp") V(BOUNDS_WRAP, "wrap") V(BOUNDS_ZERO, "zero") \
    V(BOUNDS_SKIP, "skip")
#define TW_PTO_QUANT_VALUES(V) \
    V(QUANT_INT8_SYM, "int8_sym") V(QUANT_INT8_ASYM, "int8_asym")
#define TW_PTO_SCALE_RULE_VALUES(V) \
    V(SCALE_RULE_OCP, "ocp") V(SCALE_RULE_NV, "nv")
#define TW_PTO_EXHAUSTED_VALUES(V) \
    V(EXHAUSTED_OFF, "false") V(EXHAUSTED_ON, "true")
#define TW_PTO_BINARY_VALUES(V) \
    V(BINARY_OFF, "false") V(BINARY_ON, "true")
#define TW_PTO_AXIS_VALUES(V) \
    V(AXIS_COL, "col") V(AXIS_ROW, "row")
#define TW_PTO_PRECISE_VALUES(V) \
    V(PRECISE_OFF, "false") V(PRECISE_ON, "true")
#define TW_PTO_SPLIT_VALUES(V) \
    V(SPLIT_NONE, "none") V(SPLIT_UP_DOWN, "up_down") V(SPLIT_LEFT_RIGHT, "left_right")
#define TW_PTO_CORES_VALUES(V) \
    V(CORES_MIX, "mix") V(CORES_AIV_ONLY, "aiv_only") V(CORES_AIC_ONLY, "aic_only")
#define TW_PTO_SIGNAL_VALUES(V) \
    V(SIGNAL_SET, "set") V(SIGNAL_ADD, "add")
#define TW_PTO_REDUCE_VALUES(V) \
    V(REDUCE_SUM, "sum") V(REDUCE_MAX, "max") V(REDUCE_MIN, "min")
#define TW_PTO_SLOT_LAYOUT_VALUES(V) \
    V(SLOT_LAYOUT_NZ2ND, "nz2nd") V(SLOT_LAYOUT_NZ2NZ, "nz2nz") V(SLOT_LAYOUT_NZ2DN, "nz2dn")
#define TW_PTO_SUB_BLOCK_VALUES(V) \
    V(SUB_BLOCK_BOTH, "both") V(SUB_BLOCK_FIRST, "first") V(SUB_BLOCK_SECOND, "second")
#define TW_PTO_CHANNEL_SPLIT_VALUES(V) \
    V(CHANNEL_SPLIT_OFF, "false") V(CHANNEL_SPLIT_ON, "true")
#define TW_PTO_INSERT_SPLIT_VALUES(V) \
    V(INSERT_SPLIT_NONE, "none") V(INSERT_SPLIT_SPLIT2, "split2") V(INSERT_SPLIT_SPLIT4, "split4")

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
#define TW_PTO_ATTR_VALUE(name, text)          TW_PTO_##name,
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
