/* SPDX-License-Identifier: MIT */
/* Words of the language, for completion and hover: builtins with what they do, reserved words, libraries. */
#include "csl/lang/program/program.h"
#include "csl/lang/sema/sema.h"

// clang-format off
static const tw_csl_builtin rows[] = {
#define X(name, signature, doc) { "@" name, signature, doc },
#include "csl/lang/index/builtins.def"
};
static const char *const keywords[] = {
#define KEYWORD(name, text) text,
#define TYPE_NAME(text) text,
    TW__CSL_KEYWORDS(KEYWORD) TW__CSL_TYPE_NAMES(TYPE_NAME)
#undef KEYWORD
#undef TYPE_NAME
};
// clang-format on

bool tw_csl_get_builtin(size_t index, tw_csl_builtin *builtin)
{
    if (index >= sizeof rows / sizeof *rows) return false;
    *builtin = rows[index];
    return true;
}

const char *tw_csl_keyword(size_t index)
{
    return index < sizeof keywords / sizeof *keywords ? keywords[index] : NULL;
}

const char *tw_csl_library_name(size_t index)
{
    return tw__csl_library_name(index);
}

const char *tw_csl_library_text(const char *name)
{
    size_t size;
    return name ? tw__csl_library(name, &size) : NULL;
}
