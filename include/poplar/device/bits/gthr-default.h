/* SPDX-License-Identifier: MIT */
/* Headers of the standard library ask here for the threads that they keep locks for: on a chip there are none. */
#ifdef __IPU__
#include <bits/gthr-single.h>
#undef _GLIBCXX_HAS_GTHREADS
#else
#include_next <bits/gthr-default.h>
#endif
