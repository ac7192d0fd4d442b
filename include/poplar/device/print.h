/* printf in codelets: the host's. */
#ifndef TW_IPU_PRINT_H
#define TW_IPU_PRINT_H

#include <stdio.h>

#endif
