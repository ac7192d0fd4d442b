/* SPDX-License-Identifier: MIT */
#include <tilewright/codelet.h>

/* A piece of a row, with a neighbour on either side where there is one: its cells begin at `skip`. */
TW_VERTEX(Mean)
{
    TW_INPUT(TW_VECTOR(float)) row;
    TW_INPUT(TW_VECTOR(float, ONE_PTR)) above;
    TW_INPUT(TW_VECTOR(float, ONE_PTR)) below;
    TW_OUTPUT(TW_VECTOR(float)) out;
    unsigned skip;
    bool first, last; /* its first and last cell are of the square's rim */
};
bool Mean_compute(Mean *v)
{
    int n = (int)tw_size(v->out), begin = v->first, end = n - v->last;
    const float *row = tw_begin(v->row) + v->skip, *above = tw_at(v->above, 0), *below = tw_at(v->below, 0);
    float *out = tw_begin(v->out);
    if (v->first) out[0] = row[0];
    if (v->last) out[n - 1] = row[n - 1];
    for (int i = begin; i < end; i++) out[i] = 0.25f * (above[i] + below[i] + row[i - 1] + row[i + 1]);
    return true;
}

TW_VERTEX(Keep)
{
    TW_INPUT(TW_VECTOR(float)) row;
    TW_OUTPUT(TW_VECTOR(float)) out;
    unsigned skip;
};
bool Keep_compute(Keep *v)
{
    const float *row = tw_begin(v->row) + v->skip;
    float *out = tw_begin(v->out);
    unsigned n = tw_size(v->out);
    for (unsigned i = 0; i < n; i++) out[i] = row[i];
    return true;
}
