// SPDX-License-Identifier: MIT
/* Sources of later versions include this beside <poplar/Engine.hpp>, which declares what they use of it. */
#ifndef POPLAR_RUNTIME_OPTIONS_HPP
#define POPLAR_RUNTIME_OPTIONS_HPP

#include <poplar/OptionFlags.hpp>

#endif
