/* SPDX-License-Identifier: MIT */
#include <adf.h>
