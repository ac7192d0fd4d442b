/* SPDX-License-Identifier: MIT */
/* Everything a host program needs in one include: targets, graphs, engines, profiles. Codelets include
 * <tilewright/codelet.h> or <poplar/Vertex.hpp> instead.
 *
 * Threads: as each of the headers below says. */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#include <tilewright/base.h>
#include <tilewright/poplar.h>
#include <tilewright/profile.h>
#include <tilewright/tile.h>
#include <tilewright/type.h>

#endif
