/* SPDX-License-Identifier: MIT */
/* printf in codelets: the host's. Codelets that include this one use memset and memcpy, too. */
#ifndef TW_IPU_PRINT_H
#define TW_IPU_PRINT_H

#include <stdio.h>
#include <string.h>

#endif
