/* SPDX-License-Identifier: MIT */
/* Which compressed vector layouts a chip has (guide 4.2.1). C, C++ and assembly. The host stores every layout the
 * same way, so a host build has them all. */
#ifndef POPLAR_AVAILABLE_VTYPES_H
#define POPLAR_AVAILABLE_VTYPES_H

#define VECTOR_AVAIL_SHORT_SPAN
#define VECTOR_AVAIL_SCALED_PTR128
#if !defined(__IPU__) || __IPU_ARCH_VERSION__ == 1
#define VECTOR_AVAIL_SCALED_PTR32
#define VECTOR_AVAIL_SCALED_PTR64
#define VECTORLIST_AVAIL_DELTAN
#endif

#endif
