/* SPDX-License-Identifier: MIT */
/* aie/move.h in C: the type of the operand chooses. The first association only carries the commas. */
#ifndef TILEWRIGHT_AIE_MOVE_C_H
#define TILEWRIGHT_AIE_MOVE_C_H

#define TW__CHOOSE(x, list)     _Generic((x), int: tw__no_such_overload TW__ELEMENTS(list))
#define TW__E_VW(E, V, W, X, Y) , v##W##E : tw_ext_v_v##W##E, v##X##E : tw_ext_v_v##X##E, v##Y##E : tw_ext_v_v##Y##E
#define TW__E_W(E, V, W, X, Y)  , v##X##E : tw_ext_w_v##X##E, v##Y##E : tw_ext_w_v##Y##E
#define TW__E_X(E, V, W, X, Y)  , v##Y##E : tw_ext_x_v##Y##E
#define TW__U_V(E, V, W, X, Y)  , v##W##E : tw_upd_v_v##W##E, v##X##E : tw_upd_v_v##X##E, v##Y##E : tw_upd_v_v##Y##E
#define TW__U_W(E, V, W, X, Y)  , v##X##E : tw_upd_w_v##X##E, v##Y##E : tw_upd_w_v##Y##E
#define TW__U_X(E, V, W, X, Y)  , v##Y##E : tw_upd_x_v##Y##E
#define TW__S_WV(E, V, W, X, Y) , v##V##E : tw_wset_v_v##V##E
#define TW__S_XV(E, V, W, X, Y) , v##V##E : tw_xset_v_v##V##E
#define TW__S_YV(E, V, W, X, Y) , v##V##E : tw_yset_v_v##V##E
#define TW__S_XW(E, V, W, X, Y) , v##W##E : tw_xset_w_v##W##E
#define TW__S_YW(E, V, W, X, Y) , v##W##E : tw_yset_w_v##W##E
#define TW__S_YX(E, V, W, X, Y) , v##X##E : tw_yset_x_v##X##E
#define TW__C_2(E, V, W, X, Y)                         \
    , v##V##E : tw_concat_v##V##E##_v##W##E,           \
                v##W##E : tw_concat_v##W##E##_v##X##E, \
                          v##X##E : tw_concat_v##X##E##_v##Y##E
#define TW__C_4(E, V, W, X, Y) , v##V##E : tw_concat_v##V##E##_v##X##E, v##W##E : tw_concat_v##W##E##_v##Y##E
#define TW__C_8(E, V, W, X, Y) , v##V##E : tw_concat_v##V##E##_v##Y##E
#define ext_v(b, i)            TW__CALLED(TW__CHOOSE(b, TW__E_VW)(b, i))
#define ext_w(b, i)            TW__CALLED(TW__CHOOSE(b, TW__E_W)(b, i))
#define ext_x(b, i)            TW__CALLED(TW__CHOOSE(b, TW__E_X)(b, i))
#define upd_v(b, i, v)         TW__CALLED(TW__CHOOSE(b, TW__U_V)(b, i, v))
#define upd_w(b, i, v)         TW__CALLED(TW__CHOOSE(b, TW__U_W)(b, i, v))
#define upd_x(b, i, v)         TW__CALLED(TW__CHOOSE(b, TW__U_X)(b, i, v))
#define wset_v(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_WV)(i, v))
#define xset_v(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_XV)(i, v))
#define yset_v(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_YV)(i, v))
#define xset_w(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_XW)(i, v))
#define yset_w(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_YW)(i, v))
#define yset_x(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_YX)(i, v))
#define TW__HALF(BM, AM)       , AM : tw_concat_##AM##_##BM
#define TW__HALVES_OF(f) \
    v16acc48:            \
    tw_##f##_v16acc48, v8cacc48 : tw_##f##_v8cacc48, v8acc80 : tw_##f##_v8acc80, v4cacc80 : tw_##f##_v4cacc80
#define concat(...)           TW__CONCAT_C(TW__NARGS(__VA_ARGS__), __VA_ARGS__)
#define TW__CONCAT_C(n, ...)  TW__CONCAT_C_(n, __VA_ARGS__)
#define TW__CONCAT_C_(n, ...) tw__concat_##n(__VA_ARGS__)
#define tw__concat_2(a, b)                                                                                       \
    _Generic((a),                                                                                                \
        int: tw__no_such_overload TW__ELEMENTS(TW__C_2) TW__HALF(v16acc48, v8acc48) TW__HALF(v8cacc48, v4cacc48) \
            TW__HALF(v8acc80, v4acc80) TW__HALF(v4cacc80, v2cacc80))(a, b)
#define tw__concat_4(a, b, c, d)             TW__CHOOSE(a, TW__C_4)(a, b, c, d)
#define tw__concat_8(a, b, c, d, e, f, g, h) TW__CHOOSE(a, TW__C_8)(a, b, c, d, e, f, g, h)
#define ext_lo(b)                            _Generic((b), TW__HALVES_OF(ext_lo))(b)
#define ext_hi(b)                            _Generic((b), TW__HALVES_OF(ext_hi))(b)
#define upd_lo(b, v)                         _Generic((b), TW__HALVES_OF(upd_lo))(b, v)
#define upd_hi(b, v)                         _Generic((b), TW__HALVES_OF(upd_hi))(b, v)
#define TW__ELEM_OF(f, x)                    _Generic((x), int: tw__no_such_overload TW__WIDE_ELEMENTS(TW__ELEM_##f))
#define TW__ELEM_ext(E, V, W, X, Y)                      \
    , v##V##E : tw_ext_elem_v##V##E,                     \
                v##W##E : tw_ext_elem_v##W##E,           \
                          v##X##E : tw_ext_elem_v##X##E, \
                                    v##Y##E : tw_ext_elem_v##Y##E
#define TW__ELEM_upd(E, V, W, X, Y)                      \
    , v##V##E : tw_upd_elem_v##V##E,                     \
                v##W##E : tw_upd_elem_v##W##E,           \
                          v##X##E : tw_upd_elem_v##X##E, \
                                    v##Y##E : tw_upd_elem_v##Y##E
#define TW__ELEM_shft(E, V, W, X, Y)                      \
    , v##V##E : tw_shft_elem_v##V##E,                     \
                v##W##E : tw_shft_elem_v##W##E,           \
                          v##X##E : tw_shft_elem_v##X##E, \
                                    v##Y##E : tw_shft_elem_v##Y##E
#define ext_elem(b, i) TW__CALLED(TW__ELEM_OF(ext, b)(b, i))
/* A cint16 or an integer, whose kind the functions of other elements convert themselves. */
#define TW__ELEM_FOR(f, b, v) \
    _Generic((v), cint16: TW__ELEM_OF(f, b), default: _Generic((b), TW__CINT16(f), default: TW__ELEM_OF(f, b)))
#define TW__CINT16(f)                                                               \
    v4cint16:                                                                       \
    tw_##f##_elem_int_v4cint16, v8cint16 : tw_##f##_elem_int_v8cint16,              \
                                           v16cint16 : tw_##f##_elem_int_v16cint16, \
                                                       v32cint16 : tw_##f##_elem_int_v32cint16
#define shft_elem(b, v)              TW__CALLED(TW__ELEM_FOR(shft, b, v)(b, v))
#define upd_elem(...)                TW__UPD_ELEM(TW__NARGS(__VA_ARGS__), __VA_ARGS__)
#define TW__UPD_ELEM(n, ...)         TW__UPD_ELEM_(n, __VA_ARGS__)
#define TW__UPD_ELEM_(n, ...)        TW__CALLED(tw__upd_elem_##n(__VA_ARGS__))
#define tw__upd_elem_3(b, i, v)      TW__ELEM_FOR(upd, b, v)(b, i, v)
#define tw__upd_elem_4(b, i, re, im) tw_upd_elem2_v8float(b, i, re, im)

#endif
