/* SPDX-License-Identifier: MIT */
/* In place of csmith's own header: no library, and every variable it would put into its sum goes out by itself. */
#ifndef CSMITH_H
#define CSMITH_H
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned int size_t;
#define INT8_MIN         (-128)
#define INT8_MAX         127
#define INT16_MIN        (-32768)
#define INT16_MAX        32767
#define INT32_MIN        (-2147483647 - 1)
#define INT32_MAX        2147483647
#define INT64_MIN        (-9223372036854775807ll - 1)
#define INT64_MAX        9223372036854775807ll
#define UINT8_MAX        255
#define UINT16_MAX       65535
#define UINT32_MAX       4294967295u
#define UINT64_MAX       18446744073709551615ull
#define CHAR_BIT         8
#define FLT_MAX          3.40282347e+38f
#define DBL_MAX          1.7976931348623157e+308
#define STATIC           static
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#define assert(x)
void out(unsigned);
#define printf(...) ((void)0)
int strcmp(const char *, const char *);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
#define fabsf __builtin_fabsf
#define fabs  __builtin_fabs
#include <safe_math.h>
static uint32_t crc32_context;
#define _CSMITH_BITFIELD(x) ((x > 32) ? (x % 32) : x)
static void platform_main_begin(void) {}
static void crc32_gentab(void) {}
static void transparent_crc(uint64_t value, const char *name, int flag)
{
    (void)name, (void)flag;
    out((unsigned)value);
    if (value >> 32) out((unsigned)(value >> 32));
}
static void transparent_crc_bytes(char *p, int n, const char *name, int flag)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) sum = sum * 31 + (unsigned char)p[i];
    transparent_crc(sum, name, flag);
}
static void platform_main_end(uint32_t crc, int flag)
{
    (void)crc, (void)flag;
}
#endif
