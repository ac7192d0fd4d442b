/* SPDX-License-Identifier: MIT */
#include "poplar/colossus/cc/ra/ra.h"
void tw__ra_bundle(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options)
{
    (void)mir, (void)f, (void)options;
}
