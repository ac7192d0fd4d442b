/* SPDX-License-Identifier: MIT */
/* libtilewright_aie_check: what the compilers call from kernels built with the flags of `aie_check_gcc` or
 * `aie_check_clang` (docs/aie.md). Addresses come from outlined kernel-address checks, alignments with file and line
 * from those of the undefined-behaviour sanitizer. An archive of its own, because a program that uses those
 * sanitizers for themselves brings their functions of the same names. */
#define TW_AIE_CHECK
#include <tilewright/aie/detail/core.h>

#include <stdlib.h>
#include <string.h>

#define HOOK(name, ...)     \
    void name(__VA_ARGS__); \
    void name(__VA_ARGS__)
#define PC __builtin_return_address(0)

#define SIZED(bytes)                                   \
    HOOK(__asan_load##bytes##_noabort, const void *p)  \
    {                                                  \
        tw__aie_access(p, bytes, 0, PC);               \
    }                                                  \
    HOOK(__asan_store##bytes##_noabort, const void *p) \
    {                                                  \
        tw__aie_access(p, bytes, 1, PC);               \
    }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)
HOOK(__asan_loadN_noabort, const void *p, size_t bytes)
{
    tw__aie_access(p, bytes, 0, PC);
}
HOOK(__asan_storeN_noabort, const void *p, size_t bytes)
{
    tw__aie_access(p, bytes, 1, PC);
}
HOOK(__asan_handle_no_return, void) {}
/* Around the constructors of globals in C++; here globals are not looked at. */
void __asan_before_dynamic_init(const char *module);
void __asan_before_dynamic_init(const char *module)
{
    (void)module;
}
HOOK(__asan_after_dynamic_init, void) {}

void *__asan_memcpy(void *to, const void *from, size_t bytes);
void *__asan_memcpy(void *to, const void *from, size_t bytes)
{
    if (bytes) tw__aie_access(from, bytes, 0, PC), tw__aie_access(to, bytes, 1, PC);
    return memcpy(to, from, bytes);
}
void *__asan_memmove(void *to, const void *from, size_t bytes);
void *__asan_memmove(void *to, const void *from, size_t bytes)
{
    if (bytes) tw__aie_access(from, bytes, 0, PC), tw__aie_access(to, bytes, 1, PC);
    return memmove(to, from, bytes);
}
void *__asan_memset(void *to, int value, size_t bytes);
void *__asan_memset(void *to, int value, size_t bytes)
{
    if (bytes) tw__aie_access(to, bytes, 1, PC);
    return memset(to, value, bytes);
}

/* What the compilers hand over (the layout is part of their interface). */
typedef struct mismatch {
    const char *file;
    uint32_t line, column;
    const struct {
        uint16_t kind, info;
        char name[]; /* 'v16int16', in quotes; clang adds what it stands for */
    } *type;
    uint8_t log_alignment, kind; /* kind: 0 load, 1 store, 2 and more: reference, member ... */
} mismatch;

void __ubsan_handle_type_mismatch_v1(const mismatch *m, const void *p);
void __ubsan_handle_type_mismatch_v1(const mismatch *m, const void *p)
{
    char name[80];
    static const char *const words[] = { "const ", "volatile ", "union ", "struct " };
    const char *from = m->type->name + (m->type->name[0] == '\'');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(from, words[i], strlen(words[i])) == 0) from += strlen(words[i]);
    size_t length = strcspn(from, "'");
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, from, length);
    name[length] = '\0';
    tw__aie_misaligned(m->file, (int)m->line, p, 1u << (m->log_alignment & 15), name, m->kind == 1);
}
void __ubsan_handle_type_mismatch_v1_abort(const mismatch *m, const void *p);
void __ubsan_handle_type_mismatch_v1_abort(const mismatch *m, const void *p)
{
    __ubsan_handle_type_mismatch_v1(m, p);
    abort();
}
