/* SPDX-License-Identifier: MIT */
/* The last failure of this thread, put aside while something runs whose failures are not the caller's: a debugger. */
#ifndef TW_BASE_KEPT_ERROR_H
#define TW_BASE_KEPT_ERROR_H

#include <tilewright/base.h>

typedef struct tw__kept_error tw__kept_error;
tw__kept_error *tw__error_keep(void);          /* NULL: no memory, nothing is kept */
void tw__error_put_back(tw__kept_error *kept); /* as it was; frees it */

#endif
