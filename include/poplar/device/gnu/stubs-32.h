/* SPDX-License-Identifier: MIT */
/* Metadata passes for a 32-bit chip read the host's C headers, which ask for this file; it lists what a C library
 * lacks. */
