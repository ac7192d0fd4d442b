// SPDX-License-Identifier: MIT
/* Types of loops in codelets of later versions: rptsize_t. */
#ifndef POPLAR_LOOPS_HPP
#define POPLAR_LOOPS_HPP

#include <poplar/device/ipudef.h>

#ifndef __IPU__
typedef unsigned rptsize_t;
#endif

#endif
