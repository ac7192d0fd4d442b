/* SPDX-License-Identifier: MIT */
/* The other name under which tile code includes the constants of the tile. */
#include <poplar/TileConstants.hpp>
