// SPDX-License-Identifier: MIT
/* RemoteBuffer, which is declared with the other kinds of transfer. */
#ifndef POPLAR_REMOTE_BUFFER_HPP
#define POPLAR_REMOTE_BUFFER_HPP

#include <poplar/DataStream.hpp>

#endif
