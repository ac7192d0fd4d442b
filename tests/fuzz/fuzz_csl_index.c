/* SPDX-License-Identifier: MIT */
// needs: csl
// seeds: src/csl/lang/lib/*.csl src/csl/lang/lib/*/*.csl examples/csl/*/*.csl tests/fuzz/corpus/fuzz_csl_run/tests*
/* CSL from anywhere, indexed as an editor does while somebody types: as text alone, quickly and completely, and ended
 * at any moment. Every place of an index lies in its text, and names what stands there. The text is its own tile code
 * and its own module "m.csl". */
#include "csl_words.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/csl.h>

static void check(bool ok)
{
    if (!ok) abort();
}

typedef struct text {
    const uint8_t *data;
    size_t size;
    unsigned questions; /* until the analysis is told to end */
} text;

static char *open_text(void *user, const char *path, size_t *size)
{
    const text *t = user;
    if (strcmp(path, "main.csl") && strcmp(path, "m.csl") && strcmp(path, "pe.csl")) return NULL;
    char *copy = malloc(t->size + 1);
    check(copy != NULL);
    memcpy(copy, t->data, t->size);
    *size = t->size;
    return copy;
}

static bool ends(void *user)
{
    text *t = user;
    return t->questions && --t->questions == 0;
}

static bool is_own(const tw_index *index, uint32_t file)
{
    const char *name = tw_index_file(index, file);
    check(name != NULL);
    return !strcmp(name, "main.csl") || !strcmp(name, "m.csl") || !strcmp(name, "pe.csl");
}

static void check_index(const tw_index *index, const text *t)
{
    const tw_index_symbol *s;
    const tw_index_use *u;
    check(index != NULL);
    for (uint32_t i = 0; (s = tw_index_symbol_get(index, i)); i++) {
        check(s->parent == TW_INDEX_NONE || s->parent < i);
        check(s->members == TW_INDEX_NONE || tw_index_symbol_get(index, s->members));
        if (!is_own(index, s->file)) continue;
        check(s->first <= s->at && s->at + s->length <= t->size && s->end <= t->size);
        check(strlen(s->name) == s->length && !memcmp(s->name, t->data + s->at, s->length));
    }
    for (size_t i = 0; (u = tw_index_use_get(index, i)); i++) {
        check(u->symbol == TW_INDEX_NONE || tw_index_symbol_get(index, u->symbol));
        if (is_own(index, u->file)) check((size_t)u->at + u->length <= t->size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 14) return 0;
    text t = { data, size, size % 7 };
    const tw_csl_options o = { .size = sizeof o,
                               .arch = size & 1 ? TW_WSE3 : TW_WSE2,
                               .max_comptime_steps = 20000,
                               .max_memory = 64 << 20,
                               .max_inlined = 200 };
    for (int way = 0; way < 3; way++) {
        const tw_csl_index_options how = { .size = sizeof how,
                                           .open = open_text,
                                           .cancelled = way ? ends : NULL,
                                           .user = &t,
                                           .first_only = way == 1,
                                           .syntax_only = way == 0 };
        tw_diags *diags = tw_diags_new();
        tw_index *index = tw_csl_index("main.csl", &o, &how, diags);
        check_index(index, &t);
        tw_index_free(index);
        tw_diags_free(diags);
    }
    return 0;
}

MUTATE_GRAMMAR(csl_grammar, 0)
