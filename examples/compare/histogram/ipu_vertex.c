/* SPDX-License-Identifier: MIT */
#include <tilewright/codelet.h>

TW_VERTEX(Count)
{
    TW_INPUT(TW_VECTOR(int)) x;
    TW_OUTPUT(TW_VECTOR(float)) counts;
};
bool Count_compute(Count *v)
{
    const int *restrict x = tw_begin(v->x);
    float *restrict counts = tw_begin(v->counts);
    unsigned n = tw_size(v->x), bins = tw_size(v->counts);
    for (unsigned i = 0; i < bins; i++) counts[i] = 0;
    for (unsigned i = 0; i < n; i++) counts[x[i]]++;
    return true;
}
