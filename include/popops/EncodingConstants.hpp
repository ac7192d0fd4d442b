// SPDX-License-Identifier: MIT
/* A label that stands for none. */
#ifndef POPOPS_ENCODING_CONSTANTS_HPP
#define POPOPS_ENCODING_CONSTANTS_HPP

#ifndef MASKED_LABEL_CODE
#define MASKED_LABEL_CODE 0xffffffffu
#endif

#endif
