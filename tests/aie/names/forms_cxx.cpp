// SPDX-License-Identifier: MIT
/* Names and forms, as C++. */
#include <tilewright/aie.h>

#include "forms.inc"
#include "forms_float.inc"
#include "forms_more.inc"
