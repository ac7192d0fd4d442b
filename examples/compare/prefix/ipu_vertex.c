/* SPDX-License-Identifier: MIT */
#include <tilewright/codelet.h>

TW_VERTEX(Scan)
{
    TW_INPUT(TW_VECTOR(float)) x;
    TW_OUTPUT(TW_VECTOR(float, ONE_PTR)) y;
    TW_OUTPUT(float) sum;
};
bool Scan_compute(Scan *v)
{
    const float *restrict x = tw_begin(v->x);
    float *restrict y = tw_at(v->y, 0), sum = 0;
    unsigned n = tw_size(v->x);
    for (unsigned i = 0; i < n; i++) y[i] = sum += x[i];
    *v->sum = sum;
    return true;
}

/* What stands before a piece. */
TW_VERTEX(Add)
{
    TW_INPUT(float) before;
    TW_INOUT(TW_VECTOR(float)) y;
};
bool Add_compute(Add *v)
{
    float *y = tw_begin(v->y), before = *v->before;
    unsigned n = tw_size(v->y);
    for (unsigned i = 0; i < n; i++) y[i] += before;
    return true;
}
