/* SPDX-License-Identifier: MIT */
/* PTO-AS for the mutators: words from the tables of instructions, operations, attributes and element types. */
#ifndef TW_FUZZ_PTO_WORDS_H
#define TW_FUZZ_PTO_WORDS_H

#include "grammar.h"
#include "pto/text/bind/bind.h"
#include "pto/text/types/types.h"

#include <stdio.h>
#include <string.h>

enum {
    WORDS_PTO_TYPE = GRAMMAR_GROUP,
    WORDS_PTO_VALUE,
    WORDS_PTO_LIST,
    WORDS_PTO_FLOW,
    WORDS_PTO_ATTR = 512,
    WORDS_PTO_OP = 1024
};

static inline int group_of_text(const char *text) /* equal texts, one group */
{
    unsigned hash = 5381;
    for (; text && *text; text++) hash = hash * 33 + (unsigned char)*text;
    return WORDS_PTO_OP + (int)(hash >> 8);
}

/* "eq|ne", "shape 2;strides ": each of them. */
static inline void add_choices(grammar_words *w, const char *choices, int group)
{
    static const char between[] = "|; 0123456789{}";
    for (const char *at = choices; at && *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between);
        if (length) grammar_add_word(w, at, length, group);
        at += length;
    }
}

static inline void add_operations(grammar_words *w)
{
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        char name[64];
        int length = snprintf(name, sizeof name, "pto.%s", row->mnemonic);
        grammar_add_word(w, name, (size_t)length, group_of_text(row->form));
    }
    for (size_t i = 0; tw__as_host_at(i); i++) {
        const tw__as_host *host = tw__as_host_at(i);
        grammar_add_word(w, host->name, strlen(host->name), group_of_text(host->kinds));
        add_choices(w, host->lists, WORDS_PTO_LIST);
        add_choices(w, host->words, WORDS_PTO_LIST);
    }
    for (size_t i = 0; tw__as_flow_at(i); i++)
        grammar_add_word(w, tw__as_flow_at(i)->name, strlen(tw__as_flow_at(i)->name), WORDS_PTO_FLOW);
}

static inline const grammar *pto_grammar(void)
{
    static grammar pto = {
        .comments = { "//" }, .begins = "%@!#^", .continues = ".$-", .lines = true, .shapes = true
    };
    static grammar_words words;
    if (pto.words) return &pto;
    add_operations(&words);
    for (unsigned i = 0; i < tw__pto_attr_count(); i++) {
        add_choices(&words, tw__pto_attr_names(i), WORDS_PTO_ATTR);
        add_choices(&words, tw__pto_attr_values(i), WORDS_PTO_ATTR + 1 + (int)i);
    }
    for (unsigned t = 1; t < TW_TYPE_COUNT; t++) {
        const char *name = tw__type_element_text((tw_type)t);
        if (name) grammar_add_word(&words, name, strlen(name), WORDS_PTO_TYPE);
    }
    for (unsigned l = 0; l < TW_PTO_LOCATIONS; l++) {
        const char *name = tw__type_location_text((tw_pto_location)l);
        if (name) grammar_add_word(&words, name, strlen(name), WORDS_PTO_VALUE);
    }
    grammar_use_words(&pto, &words);
    return &pto;
}

#endif
