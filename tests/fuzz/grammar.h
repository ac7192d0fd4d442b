/* SPDX-License-Identifier: MIT */
/* Mutations of texts of which more is known than mutate.h asks for: kinds of names, statements, arguments. A target
 * names the language of its input and gets libFuzzer's hooks:
 *
 *     static const grammar *language(void) { ... words of the language's tables ... }
 *     MUTATE_GRAMMAR(language, 1)     // one byte before the text chooses the mode
 *
 * Names are exchanged for others of the same kind: of the text, of another input of the corpus, of the words. */
#ifndef TW_FUZZ_GRAMMAR_H
#define TW_FUZZ_GRAMMAR_H

#include "mutate.h"

typedef struct grammar_word {
    const char *text;
    int group; /* words of one group stand for one another; GRAMMAR_GROUP and above */
} grammar_word;

enum { GRAMMAR_GROUP = 256 };

typedef struct grammar {
    const char *comments[3];   /* what begins a comment that ends with its line */
    const char *begins;        /* characters other than letters, '_' that begin a name: its first one is its kind */
    const char *continues;     /* other than letters, digits, '_' within a name */
    bool lines;                /* statements end with their line, outside brackets; else with ';' or a block */
    bool shapes;               /* 16x32xf32 is five tokens */
    const grammar_word *words; /* sorted by text (grammar_use_words) */
    size_t word_count;
} grammar;

/* A growing list of words; `word` is copied, what is already there stays as it is. */
typedef struct grammar_words {
    grammar_word *words;
    size_t count, room;
} grammar_words;
void grammar_add_word(grammar_words *w, const char *word, size_t length, int group);
/* Every name of a text, so that libraries written in the language tell its words. */
void grammar_add_names(grammar_words *w, const grammar *l, const char *text, size_t size);
void grammar_use_words(grammar *l, grammar_words *w); /* sorts; the language keeps them */

/* As LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver; the first `prefix` bytes are no text. */
size_t grammar_mutate(const grammar *l, size_t prefix, uint8_t *data, size_t size, size_t most, unsigned seed);
size_t grammar_splice(const grammar *l, size_t prefix, const uint8_t *a, size_t a_size, const uint8_t *b,
                      size_t b_size, uint8_t *out, size_t most, unsigned seed);

#define MUTATE_GRAMMAR(language, prefix)                                                               \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)             \
    {                                                                                                  \
        return grammar_mutate(language(), prefix, data, size, most, seed);                             \
    }                                                                                                  \
    size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, \
                                     uint8_t *out, size_t most, unsigned seed)                         \
    {                                                                                                  \
        return grammar_splice(language(), prefix, a, a_size, b, b_size, out, most, seed);              \
    }

#endif
