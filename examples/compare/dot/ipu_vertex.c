/* SPDX-License-Identifier: MIT */
#include <tilewright/codelet.h>

/* The sum of products of two pieces, or of a piece alone where `y` is empty; two sums, as a register holds two. */
TW_VERTEX(Dot)
{
    TW_INPUT(TW_VECTOR(float, SPAN, 8)) x;
    TW_INPUT(TW_VECTOR(float, ONE_PTR, 8)) y;
    TW_OUTPUT(float) sum;
};
bool Dot_compute(Dot *v)
{
    const float *restrict x = tw_begin(v->x), *restrict y = tw_at(v->y, 0);
    float even = 0, odd = 0;
    unsigned n = tw_size(v->x);
    for (unsigned i = 0; i < n / 2; i++) even += x[2 * i] * y[2 * i], odd += x[2 * i + 1] * y[2 * i + 1];
    *v->sum = even + odd;
    return true;
}

TW_VERTEX(Sum)
{
    TW_INPUT(TW_VECTOR(float)) x;
    TW_OUTPUT(float) sum;
};
bool Sum_compute(Sum *v)
{
    const float *x = tw_begin(v->x);
    float sum = 0;
    unsigned n = tw_size(v->x);
    for (unsigned i = 0; i < n; i++) sum += x[i];
    *v->sum = sum;
    return true;
}
