// SPDX-License-Identifier: MIT
/* Names and forms, with the classes of layered C++. */
#include <tilewright/aie/vendor.hpp>

#include "forms.inc"
#include "forms_float.inc"
#include "forms_more.inc"
