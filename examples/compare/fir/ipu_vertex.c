/* SPDX-License-Identifier: MIT */
#include <tilewright/codelet.h>

/* y[i] = h[0] x[i + 15] + ... + h[15] x[i] */
TW_VERTEX(Fir)
{
    TW_INPUT(TW_VECTOR(float)) x;
    TW_INPUT(TW_VECTOR(float, ONE_PTR)) h;
    TW_OUTPUT(TW_VECTOR(float)) y;
};
bool Fir_compute(Fir *v)
{
    enum { TAPS = 16 };
    const float *restrict x = tw_begin(v->x), *restrict h = tw_at(v->h, 0);
    float *restrict y = tw_begin(v->y);
    unsigned n = tw_size(v->y);
    for (unsigned i = 0; i < n; i++) {
        float sum = 0;
        for (unsigned k = 0; k < TAPS; k++) sum += h[k] * x[i + TAPS - 1 - k];
        y[i] = sum;
    }
    return true;
}
