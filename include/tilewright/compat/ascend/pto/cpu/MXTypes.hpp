// SPDX-License-Identifier: MIT
// Names live in <pto/pto-inst.hpp>; this file is found where programs look for it.
#pragma once
#include <pto/pto-inst.hpp>
