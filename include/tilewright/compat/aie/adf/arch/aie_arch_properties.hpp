// SPDX-License-Identifier: MIT
/* What kernels ask about the core they are compiled for: first generation. */
#ifndef TILEWRIGHT_AIE_ARCH_PROPERTIES_HPP
#define TILEWRIGHT_AIE_ARCH_PROPERTIES_HPP

#include <adf.h>

constexpr unsigned get_input_streams_core_module()
{
    return 2;
}
constexpr unsigned get_output_streams_core_module()
{
    return 2;
}

#endif
