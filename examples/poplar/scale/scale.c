/* SPDX-License-Identifier: MIT */
/* A codelet in C: multiplies a vector by a number kept in the vertex. */
#include <tilewright/codelet.h>

TW_VERTEX(Scale)
{
    TW_INOUT(TW_VECTOR(float)) data; /* layout, alignment, interleaving as further arguments */
    float factor;                    /* plain vertex state */
};
bool Scale_compute(Scale *v)
{
    for (unsigned i = 0; i < tw_size(v->data); i++) *tw_at(v->data, i) *= v->factor;
    return true;
}
