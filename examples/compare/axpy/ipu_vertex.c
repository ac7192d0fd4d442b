/* SPDX-License-Identifier: MIT */
#include <tilewright/codelet.h>

TW_VERTEX(Axpy)
{
    TW_INPUT(TW_VECTOR(float, SPAN, 8)) x;
    TW_INOUT(TW_VECTOR(float, SPAN, 8)) y;
    float factor;
};
bool Axpy_compute(Axpy *v)
{
    const float *restrict x = tw_begin(v->x);
    float *restrict y = tw_begin(v->y);
    unsigned n = tw_size(v->x);
    for (unsigned i = 0; i < n; i++) y[i] += v->factor * x[i];
    return true;
}
