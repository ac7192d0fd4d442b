/* SPDX-License-Identifier: MIT */
/* Strings, for workers and supervisors; memory.S has those that are worth assembly. */
#include "rt.h"

typedef __SIZE_TYPE__ rt_size;

RT int RT_NAME(strcmp)(const char *x, const char *y)
{
    for (; *x && *x == *y; x++, y++) {
    }
    return (unsigned char)*x - (unsigned char)*y;
}

RT int RT_NAME(strncmp)(const char *x, const char *y, rt_size n)
{
    for (; n && *x && *x == *y; x++, y++) n--;
    return n ? (unsigned char)*x - (unsigned char)*y : 0;
}

RT char *RT_NAME(strcpy)(char *to, const char *from)
{
    for (char *at = to; (*at = *from); at++) from++;
    return to;
}

RT char *RT_NAME(strncpy)(char *to, const char *from, rt_size n)
{
    for (rt_size i = 0; i < n; i++) {
        to[i] = *from;
        if (*from) from++;
    }
    return to;
}

RT char *RT_NAME(strcat)(char *to, const char *from)
{
    char *at = to;
    while (*at) at++;
    for (; (*at = *from); at++) from++;
    return to;
}

RT char *RT_NAME(strchr)(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c) return (char *)text;
        if (!*text) return 0;
    }
}

RT char *RT_NAME(strrchr)(const char *text, int c)
{
    const char *found = 0;
    for (;; text++) {
        if (*text == (char)c) found = text;
        if (!*text) return (char *)found;
    }
}

RT void *RT_NAME(memchr)(const void *memory, int c, rt_size n)
{
    const unsigned char *at = memory;
    for (; n; at++, n--)
        if (*at == (unsigned char)c) return (void *)at;
    return 0;
}

RT int RT_NAME(abs)(int x)
{
    return x < 0 ? -x : x;
}

RT __attribute__((noreturn)) void RT_NAME(abort)(void)
{
    __builtin_trap();
}

/* What tables of virtual functions refer to: a call of a pure one, and destructors that would free memory, which a
 * tile does not hand out. */
RT void RT_NAME(__cxa_pure_virtual)(void)
{
    __builtin_trap();
}
RT void RT_NAME(_ZdlPv)(void *memory)
{
    (void)memory;
    __builtin_trap();
}
RT void RT_NAME(_ZdlPvj)(void *memory, rt_size size)
{
    (void)memory, (void)size;
    __builtin_trap();
}
