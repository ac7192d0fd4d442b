// SPDX-License-Identifier: MIT
/* createOutputForElementWiseOp(), under the vendor's name of the header. */
#ifndef POPOPS_ELEMENT_WISE_UTIL_HPP
#define POPOPS_ELEMENT_WISE_UTIL_HPP

#include <popops/ElementWise.hpp>

#endif
