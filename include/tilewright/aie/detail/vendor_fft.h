/* SPDX-License-Identifier: MIT */
/* Butterflies and the walk through a stage of an FFT, for layered C++. The guide names operands; what they compute
 * follows from what the library computes with them: stages that give a discrete Fourier transform in every radix and
 * type (tests/aie/vendor_api/fft.cpp). */
#ifndef TILEWRIGHT_AIE_VENDOR_FFT_H
#define TILEWRIGHT_AIE_VENDOR_FFT_H

#include <tilewright/aie/detail/vendor_calls.h>
#include <tilewright/aie/detail/vendor_macros.h>

/* A stage of radix R has blocks of R parts, each `length` vectors long; a pointer walks through its part of each
 * block and skips the others. umod_t counts blocks; its highest bit says that the last step ended one. */
#define TW__FFT_ENDED 0x80000000u
template <class TwT> TW__AIE TwT *fft_data_incr(TwT *at, int length, TwT *&end)
{
    if (++at != end) return at;
    end += static_cast<int>(tw_aie_core.radix) * length;
    return at + (static_cast<int>(tw_aie_core.radix) - 1) * length;
}
template <class TwT> TW__AIE TwT *fft_data_incr(TwT *at, int length, TwT *&end, umod_t &blocks)
{
    TwT *const before = end;
    at = fft_data_incr(at, length, end);
    blocks &= ~TW__FFT_ENDED;
    if (end != before) blocks = (blocks + 1) | TW__FFT_ENDED;
    return at;
}
/* A vector of 2^bits twiddles serves as many blocks. */
template <class TwT> TW__AIE TwT *fft_twiddle_incr(TwT *at, umod_t blocks, int bits)
{
    return at + (blocks & TW__FFT_ENDED && !(blocks & ((1u << bits) - 1)));
}
/* Offsets of the twiddle of each lane. eight: twiddles in a vector, else four; wide: eight lanes, else four. With
 * less than 3 bits a step takes several twiddles, for as many parts of the lanes; eight lanes with four twiddles are
 * two operands, one behind the other. */
TW__AIE int fft_zoffs(umod_t blocks, int bits, int eight, int wide)
{
    const unsigned step = 1u << (3 - bits), mask = eight ? 7 : 3, lanes = wide ? 8 : 4;
    unsigned offsets = 0;
    for (unsigned l = 0; l < lanes; l++) {
        unsigned of = (blocks * step & mask) + l * step / lanes + (wide && !eight && l >= 4 ? 4 : 0);
        offsets |= (of & 15) << 4 * l;
    }
    return static_cast<int>(offsets);
}
/* The same count, later: where it stands in the pipeline makes no difference to its value. */
TW__AIE umod_t fft_mod_delay(umod_t blocks)
{
    return blocks;
}

/* Four lanes of x and y, which count as one buffer, moved up by `shift`. */
TW__AIE v4cacc48 tw__fft_ups(v16cint32 buffer, int xo, int shift)
{
    v4cint32 lanes = undef_v4cint32();
    for (int l = 0; l < 4; l++) lanes = upd_elem(lanes, l, ext_elem(buffer, xo >> 4 * l & 15));
    return ups(lanes, shift);
}
TW__AIE v8cacc48 tw__fft_pair(v4cacc48 low, v4cacc48 high)
{
    return upd_hi(upd_lo(undef_v8cacc48(), low), high);
}
/* x + z y in the low lanes, x - z y in the high ones; x comes without bits behind the point, z with `shift`. */
TW__AIE v8cacc48 butterfly_dit(v8cint32 x, v8cint32 y, int xo, int yo, v8cint16 z, int zs, int zo, bool conj,
                               int shift)
{
    const v16cint32 both = concat(x, y);
    const v4cacc48 a = tw__fft_ups(both, xo, shift);
    return tw__fft_pair(mac4(a, both, 0, yo, false, z, zs, zo, conj), msc4(a, both, 0, yo, false, z, zs, zo, conj));
}
/* Likewise with -j z, and j conj(z). */
TW__AIE v8cacc48 butterfly_dit_minj(v8cint32 x, v8cint32 y, int xo, int yo, v8cint16 z, int zs, int zo, bool conj,
                                    int shift)
{
    const v16cint32 both = concat(x, y);
    const v4cacc48 a = tw__fft_ups(both, xo, shift);
    const v4cacc48 none = ups(null_v4cint32(), 0);
    const v4cacc48 product = mac4(none, both, 0, yo, false, z, zs, zo, conj);
    v4cacc48 turned = none;
    for (int l = 0; l < 4; l++) {
        const cacc48 p = product.lane[l];
        turned.lane[l].real = conj ? -p.imag : p.imag;
        turned.lane[l].imag = conj ? p.real : -p.real;
    }
    v4cacc48 sum = a, difference = a;
    for (int k = 0; k < 8; k++) {
        sum.word[k] = tw__wrapping(a.word[k], turned.word[k]);
        difference.word[k] = tw__wrapping(a.word[k], -turned.word[k]);
    }
    return tw__fft_pair(sum, difference);
}
/* One product more: low lanes the sum, high lanes the product alone. */
TW__AIE v8cacc48 half_butterfly_dit(v8cacc48 acc, v8cint32 x, v8cint32 y, int yo, v8cint16 z, int zs, int zo,
                                    bool conj)
{
    const v16cint32 both = concat(x, y);
    return tw__fft_pair(mac4(ext_lo(acc), both, 0, yo, false, z, zs, zo, conj),
                        mul4(both, 0, yo, false, z, zs, zo, conj));
}
TW__AIE v8cacc48 half_butterfly_dit(v8cint32 x, v8cint32 y, int xo, int yo, v8cint16 z, int zs, int zo, bool conj,
                                    int shift)
{
    const v4cacc48 a = tw__fft_ups(concat(x, y), xo, shift);
    return half_butterfly_dit(tw__fft_pair(a, a), x, y, yo, z, zs, zo, conj);
}

#endif
