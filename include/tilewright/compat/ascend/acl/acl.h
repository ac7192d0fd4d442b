/* SPDX-License-Identifier: MIT */
// The runtime's names live in <pto/pto-inst.hpp>; this file is found where programs look for it.
#pragma once
#ifdef __cplusplus
#include <pto/pto-inst.hpp>
#endif
