/* SPDX-License-Identifier: MIT */
/* The operations of expressions: one table, of which the parser, the code of vertices, calls in C and C++, the
 * enumerations of both and the tests are made.
 *
 *     X(name, number, call, Class, ENUM, symbol, types, result, code for floats, code for integers)
 *
 * name      as texts of expressions call it, and tw_popops_<name>()
 * number    in tw_expr_op; of the enumeration of C++, in its order
 * call      C++ function, also with InPlace behind it
 * Class     of popops::expr; "_" names none
 * symbol    operator in texts and in C++, "" for none
 * types     of operands: f float and half, i int, u unsigned, s short and unsigned short, b bool
 * result    '=' the type of the operands, 'b' bool
 * code      C of one element: $a, $b, $c are operands; "@f" calls tw_map_f() for whole arrays. Halves are computed
 * as
 *           floats and rounded after each operation. bool has the code of integers.
 *
 * Threads: a table has none. */
#ifndef TILEWRIGHT_POPLIBS_EXPR_OPS_H
#define TILEWRIGHT_POPLIBS_EXPR_OPS_H

/* clang-format off */
#define TW_EXPR_UNARY(X) \
    X(abs,                 0, abs,               Abs,        ABSOLUTE,                 "",  "fi",   '=', "__builtin_fabsf($a)", "tw_abs($a)") \
    X(asin,                1, asin,              Asin,       ASIN,                     "",  "f",    '=', "@asin", "") \
    X(bitwise_not,         2, bitwiseNot,        BitwiseNot, BITWISE_NOT,              "~", "ius",  '=', "", "~$a") \
    X(cbrt,                3, cbrt,              Cbrt,       CBRT,                     "",  "f",    '=', "@cbrt", "") \
    X(ceil,                4, ceil,              Ceil,       CEIL,                     "",  "f",    '=', "__builtin_ceilf($a)", "") \
    X(cos,                 5, cos,               Cos,        COS,                      "",  "f",    '=', "@cos", "") \
    X(count_leading_zeros, 6, countLeadingZeros, _clz,       COUNT_LEADING_ZEROS,      "",  "iu",   '=', "", "$a ? __builtin_clz((unsigned)$a) : 32") \
    X(erf,                 7, erf,               Erf,        ERF,                      "",  "f",    '=', "@erf", "") \
    X(exp,                 8, exp,               Exp,        EXPONENT,                 "",  "f",    '=', "@exp", "") \
    X(expm1,               9, expm1,             Expm1,      EXPONENT_MINUS_ONE,       "",  "f",    '=', "@expm1", "") \
    X(floor,              10, floor,             Floor,      FLOOR,                    "",  "f",    '=', "__builtin_floorf($a)", "") \
    X(inv,                11, inv,               Inv,        INVERSE,                  "",  "f",    '=', "1.0f / $a", "") \
    X(is_finite,          12, isFinite,          IsFinite,   IS_FINITE,                "",  "f",    'b', "$a - $a == 0.0f", "") \
    X(is_inf,             13, isInf,             IsInf,      IS_INF,                   "",  "f",    'b', "__builtin_fabsf($a) == __builtin_inff()", "") \
    X(is_nan,             14, isNaN,             IsNaN,      IS_NAN,                   "",  "f",    'b', "$a != $a", "") \
    X(log,                15, log,               Log,        LOGARITHM,                "",  "f",    '=', "@log", "") \
    X(log1p,              16, log1p,             Log1p,      LOGARITHM_ONE_PLUS,       "",  "f",    '=', "@log1p", "") \
    X(logical_not,        17, logicalNot,        Not,        LOGICAL_NOT,              "!", "b",    '=', "", "!$a") \
    X(neg,                18, neg,               Neg,        NEGATE,                   "-", "fi",   '=', "-$a", "(int)(0u - (unsigned)$a)") \
    X(popcount,           19, popcount,          _popcount,  POPCOUNT,                 "",  "iu",   '=', "", "__builtin_popcount((unsigned)$a)") \
    X(relu,               20, relu,              _relu,      RELU,                     "",  "f",    '=', "$a < 0.0f ? 0.0f : $a", "") \
    X(signum,             21, signum,            Signum,     SIGNUM,                   "",  "fi",   '=', "(float)(($a > 0.0f) - ($a < 0.0f))", "($a > 0) - ($a < 0)") \
    X(sin,                22, sin,               Sin,        SIN,                      "",  "f",    '=', "@sin", "") \
    X(tan,                23, tan,               Tan,        TAN,                      "",  "f",    '=', "@tan", "") \
    X(tanh,               24, tanh,              Tanh,       TANH,                     "",  "f",    '=', "@tanh", "") \
    X(round,              25, round,             Round,      ROUND,                    "",  "f",    '=', "__builtin_roundf($a)", "") \
    X(sqrt,               26, sqrt,              Sqrt,       SQRT,                     "",  "f",    '=', "__builtin_sqrtf($a)", "") \
    X(square,             27, square,            Square,     SQUARE,                   "",  "fiu",  '=', "$a * $a", "(unsigned)$a * (unsigned)$a") \
    X(sigmoid,            28, sigmoid,           Sigmoid,    SIGMOID,                  "",  "f",    '=', "@sigmoid", "") \
    X(rsqrt,              29, rsqrt,             Rsqrt,      RSQRT,                    "",  "f",    '=', "1.0f / __builtin_sqrtf($a)", "") \
    X(exp2,               30, exp2,              Exp2,       EXPONENT2,                "",  "f",    '=', "@exp2", "") \
    X(gelu_erf,           31, geluErf,           GeluErf,    GELU_ERF,                 "",  "f",    '=', "@gelu_erf", "") \
    X(nearby_int,         32, nearbyint,         NearbyInt,  NEARBY_INT,               "",  "f",    '=', "__builtin_nearbyintf($a)", "") \
    X(trunc,              33, trunc,             Trunc,      TRUNC,                    "",  "f",    '=', "__builtin_truncf($a)", "")
#define TW_EXPR_BINARY(X) \
    X(add,                      100, add,                    Add,                 ADD,                      "+",  "fiu",   '=', "$a + $b", "(unsigned)$a + (unsigned)$b") \
    X(atan2,                    101, atan2,                  Atan2,               ATAN2,                    "",   "f",     '=', "@atan2", "") \
    X(bitwise_and,              102, bitwiseAnd,             BitwiseAnd,          BITWISE_AND,              "&",  "ius",   '=', "", "$a & $b") \
    X(bitwise_or,               103, bitwiseOr,              BitwiseOr,           BITWISE_OR,               "|",  "ius",   '=', "", "$a | $b") \
    X(bitwise_xor,              104, bitwiseXor,             BitwiseXor,          BITWISE_XOR,              "^",  "ius",   '=', "", "$a ^ $b") \
    X(bitwise_xnor,             105, bitwiseXnor,            BitwiseXnor,         BITWISE_XNOR,             "",   "ius",   '=', "", "~($a ^ $b)") \
    X(div,                      106, div,                    Divide,              DIVIDE,                   "/",  "fiu",   '=', "$a / $b", "tw_div($a, $b)") \
    X(eq,                       107, eq,                     Equal,               EQUAL,                    "==", "fbius", 'b', "$a == $b", "$a == $b") \
    X(gteq,                     108, gteq,                   Gte,                 GREATER_THAN_EQUAL,       ">=", "fiub",  'b', "$a >= $b", "$a >= $b") \
    X(gt,                       109, gt,                     Gt,                  GREATER_THAN,             ">",  "fiub",  'b', "$a > $b", "$a > $b") \
    X(inv_std_dev_to_variance,  110, invStdDevToVarianceSame, InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE,  "",   "f",     '=', "1.0f / ($a * $a) - $b", "") \
    X(lteq,                     111, lteq,                   Lte,                 LESS_THAN_EQUAL,          "<=", "fiub",  'b', "$a <= $b", "$a <= $b") \
    X(logical_and,              112, logicalAnd,             And,                 LOGICAL_AND,              "&&", "b",     '=', "", "$a & $b") \
    X(logical_or,               113, logicalOr,              Or,                  LOGICAL_OR,               "||", "b",     '=', "", "$a | $b") \
    X(lt,                       114, lt,                     Lt,                  LESS_THAN,                "<",  "fiub",  'b', "$a < $b", "$a < $b") \
    X(max,                      115, max,                    Max,                 MAXIMUM,                  "",   "fiu",   '=', "tw_max($a, $b)", "$a > $b ? $a : $b") \
    X(min,                      116, min,                    Min,                 MINIMUM,                  "",   "fiu",   '=', "tw_min($a, $b)", "$a < $b ? $a : $b") \
    X(mul,                      117, mul,                    Mul,                 MULTIPLY,                 "*",  "fiu",   '=', "$a * $b", "(unsigned)$a * (unsigned)$b") \
    X(neq,                      118, neq,                    NotEqual,            NOT_EQUAL,                "!=", "fbius", 'b', "$a != $b", "$a != $b") \
    X(pow,                      119, pow,                    Pow,                 POWER,                    "",   "f",     '=', "@pow", "") \
    X(rem,                      120, rem,                    Rem,                 REMAINDER,                "%",  "fiu",   '=', "@fmod", "tw_rem($a, $b)") \
    X(shift_left,               121, shiftLeft,              Shl,                 SHIFT_LEFT,               "<<", "iu",    '=', "", "(unsigned)$b < 32u ? (unsigned)$a << $b : 0u") \
    X(shift_right,              122, shiftRight,             Shr,                 SHIFT_RIGHT,              ">>", "iu",    '=', "", "(unsigned)$b < 32u ? (unsigned)$a >> $b : 0u") \
    X(shift_right_sign_extend,  123, shiftRightSignExtend,   ShrSE,               SHIFT_RIGHT_SIGN_EXTEND,  "",   "i",     '=', "", "$a >> ((unsigned)$b < 32u ? $b : 31)") \
    X(sub,                      124, sub,                    Sub,                 SUBTRACT,                 "-",  "fiu",   '=', "$a - $b", "(unsigned)$a - (unsigned)$b") \
    X(variance_to_inv_std_dev,  125, varianceToInvStdDevSame, VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV,  "",   "f",     '=', "1.0f / __builtin_sqrtf($a + $b)", "")
/* The condition of select is the last operand, and bool. */
#define TW_EXPR_TERNARY(X) \
    X(clamp,  200, clamp,  Clamp,  CLAMP,  "", "fi",   '=', "tw_min(tw_max($a, $b), $c)", "tw_least(tw_most($a, $b), $c)") \
    X(select, 201, select, Select, SELECT, "", "fiub", '=', "$c ? $a : $b", "$c ? $a : $b")
#define TW_EXPR_OPS(X) TW_EXPR_UNARY(X) TW_EXPR_BINARY(X) TW_EXPR_TERNARY(X)
/* clang-format on */

#endif
