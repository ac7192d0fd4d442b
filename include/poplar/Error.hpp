// SPDX-License-Identifier: MIT
/* Another name of the header with the exceptions. */
#ifndef POPLAR_ERROR_HPP
#define POPLAR_ERROR_HPP

#include <poplar/exceptions.hpp>

#endif
