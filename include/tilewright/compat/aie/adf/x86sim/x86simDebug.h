/* SPDX-License-Identifier: MIT */
/* What kernels print when they are debugged on a host. */
#ifndef TILEWRIGHT_AIE_X86SIM_DEBUG_H
#define TILEWRIGHT_AIE_X86SIM_DEBUG_H

#include <adf.h>

#define X86SIM_KERNEL_NAME tw_aie_kernel_name()

#endif
