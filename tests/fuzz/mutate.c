/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- chance --------------------------------------------------------------------------------------------------- */

mutate_chance mutate_chance_of(unsigned seed)
{
    return (mutate_chance){ seed * UINT64_C(0x9E3779B97F4A7C15) + 1 };
}

/* splitmix64 */
static uint64_t next_random(mutate_chance *c)
{
    uint64_t z = c->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint32_t mutate_below(mutate_chance *c, size_t bound)
{
    return bound ? (uint32_t)(next_random(c) % bound) : 0;
}

bool mutate_one_in(mutate_chance *c, unsigned n)
{
    return mutate_below(c, n) == 0;
}

uint64_t mutate_limit(mutate_chance *c)
{
    uint64_t n = mutate_one_in(c, 4) ? 0 : UINT64_C(1) << mutate_below(c, 64);
    n += mutate_below(c, 3) - UINT64_C(1);
    return mutate_one_in(c, 4) ? 0 - n : n;
}

void mutate_number(mutate_chance *c, uint8_t *at, unsigned bytes, uint32_t other)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < bytes; i++) n |= (uint32_t)at[i] << 8 * i;
    uint32_t near = mutate_below(c, 9) - 4u;
    switch (mutate_below(c, 5)) {
    case 0: n = (uint32_t)mutate_limit(c); break;
    case 1: n += near; break;
    case 2: n = other; break;
    case 3: n = other + near; break;
    default: n ^= 1u << mutate_below(c, 8 * bytes); break;
    }
    for (unsigned i = 0; i < bytes; i++) at[i] = (uint8_t)(n >> 8 * i);
}

/* --- spans of a text ------------------------------------------------------------------------------------------ */

typedef struct text {
    char *data; /* behind the head */
    size_t size, most;
} text;

typedef struct span {
    size_t at, length;
} span;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@' || c == '%' || (c & 0x80);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Length of the token at `at`: a word, blanks, a text in quotes on one line, or one character. */
static size_t token_length(const text *t, size_t at)
{
    const char *p = t->data + at, *end = t->data + t->size;
    size_t n = 1;
    if (*p == '"') {
        while (p + n < end && p[n] != '"' && p[n] != '\n') n++;
        return p + n < end && p[n] == '"' ? n + 1 : n;
    }
    if (is_word(*p))
        while (p + n < end && is_word(p[n])) n++;
    else if (is_blank(*p))
        while (p + n < end && is_blank(p[n])) n++;
    return n;
}

static size_t line_start(const text *t, size_t at)
{
    while (at && t->data[at - 1] != '\n') at--;
    return at;
}

static size_t line_end(const text *t, size_t at)
{
    while (at < t->size && t->data[at] != '\n') at++;
    return at < t->size ? at + 1 : at;
}

/* A token around a random place, no blanks if it can be helped. */
static span pick_token(const text *t, mutate_chance *c)
{
    span s = { 0, 0 };
    if (!t->size) return s;
    size_t place = mutate_below(c, t->size);
    for (size_t at = line_start(t, place); at < t->size; at += s.length) {
        s = (span){ at, token_length(t, at) };
        if (at + s.length > place && !is_blank(t->data[at])) return s;
    }
    return s;
}

static span pick_lines(const text *t, mutate_chance *c, unsigned most)
{
    if (!t->size) return (span){ 0, 0 };
    size_t start = line_start(t, mutate_below(c, t->size)), end = start;
    for (unsigned n = 1 + mutate_below(c, most); n && end < t->size; n--) end = line_end(t, end);
    return (span){ start, end - start };
}

/* What stands between a bracket and its partner, both included; a line when there is none. */
static span pick_block(const text *t, mutate_chance *c)
{
    static const char open[] = "({[", close[] = ")}]";
    size_t start = mutate_below(c, t->size);
    for (size_t at = start; at < t->size; at++) {
        const char *found = t->data[at] ? strchr(open, t->data[at]) : NULL;
        if (!found) continue;
        int depth = 0;
        for (size_t end = at; end < t->size; end++) {
            depth += (t->data[end] == *found) - (t->data[end] == close[found - open]);
            if (depth == 0) return (span){ at, end + 1 - at };
        }
        break;
    }
    return pick_lines(t, c, 1);
}

static span pick(const text *t, mutate_chance *c)
{
    switch (mutate_below(c, 8)) {
    case 0: return pick_block(t, c);
    case 1: return pick_lines(t, c, 12);
    case 2:
    case 3: return pick_lines(t, c, 1);
    default: return pick_token(t, c);
    }
}

/* --- changes -------------------------------------------------------------------------------------------------- */

/* Puts `length` bytes of `with` in the place of a span; nothing happens when they do not fit. */
static void replace(text *t, span s, const char *with, size_t length)
{
    if (t->size - s.length + length > t->most) return;
    memmove(t->data + s.at + length, t->data + s.at + s.length, t->size - s.at - s.length);
    memcpy(t->data + s.at, with, length);
    t->size = t->size - s.length + length;
}

enum { MOST_COPIED = 4096 };

/* A copy of one span in the place of another. */
static void copy_over(text *t, span from, span to)
{
    char held[MOST_COPIED];
    size_t n = from.length < sizeof held ? from.length : sizeof held;
    memcpy(held, t->data + from.at, n);
    replace(t, to, held, n);
}

static void swap(text *t, span a, span b)
{
    if (a.at > b.at) {
        span s = a;
        a = b, b = s;
    }
    if (a.at + a.length > b.at || a.length > MOST_COPIED || b.length > MOST_COPIED) return;
    char held[MOST_COPIED];
    memcpy(held, t->data + a.at, a.length);
    size_t size = t->size;
    char other[MOST_COPIED];
    memcpy(other, t->data + b.at, b.length);
    replace(t, b, held, a.length);
    if (t->size == size - b.length + a.length) replace(t, a, other, b.length);
}

static const char *pick_word(const mutate_language *l, mutate_chance *c)
{
    size_t count = 0;
    while (l->words && l->words[count]) count++;
    if (l->word && (!count || mutate_one_in(c, 2))) return l->word(c);
    return count ? l->words[mutate_below(c, count)] : "";
}

static void put_limit(text *t, mutate_chance *c, span s)
{
    char number[32];
    uint64_t n = mutate_limit(c);
    const char *forms[] = { "%" PRId64, "%" PRIu64, "0x%" PRIx64 };
    int length = snprintf(number, sizeof number, forms[mutate_below(c, 3)], n);
    replace(t, s, number, (size_t)length);
}

/* A number anywhere after a random place; else a token. */
static span pick_number(const text *t, mutate_chance *c)
{
    for (size_t at = line_start(t, mutate_below(c, t->size)), n; at < t->size; at += n) {
        n = token_length(t, at);
        if (isdigit((unsigned char)t->data[at])) return (span){ at, n };
    }
    return pick_token(t, c);
}

static void wrap(const mutate_language *l, text *t, mutate_chance *c)
{
    size_t count = 0;
    while (l->pairs && l->pairs[count].before) count++;
    if (!count) return;
    const mutate_pair *pair = &l->pairs[mutate_below(c, count)];
    span lines = pick_lines(t, c, 6), end = { lines.at + lines.length, 0 }, start = { lines.at, 0 };
    if (t->size + strlen(pair->before) + strlen(pair->after) > t->most) return;
    replace(t, end, pair->after, strlen(pair->after));
    replace(t, start, pair->before, strlen(pair->before));
}

static void change(const mutate_language *l, text *t, mutate_chance *c)
{
    span a = pick(t, c), b = pick(t, c), gap = { b.at, 0 };
    const char *word = pick_word(l, c);
    switch (mutate_below(c, 10)) {
    case 0: replace(t, a, "", 0); break;
    case 1: copy_over(t, a, (span){ a.at + a.length, 0 }); break;
    case 2: swap(t, a, b); break;
    case 3: copy_over(t, a, gap); break;
    case 4: copy_over(t, a, b); break;
    case 5: copy_over(t, pick_token(t, c), pick_token(t, c)); break;
    case 6: replace(t, pick_token(t, c), word, strlen(word)); break;
    case 7: replace(t, (span){ pick_token(t, c).at, 0 }, word, strlen(word)); break;
    case 8: put_limit(t, c, pick_number(t, c)); break;
    default: wrap(l, t, c); break;
    }
}

size_t mutate_text(const mutate_language *language, uint8_t *data, size_t size, size_t most, unsigned seed)
{
    mutate_chance c = mutate_chance_of(seed);
    size_t head = language->head;
    if (size <= head || mutate_one_in(&c, 8)) {
        if (LLVMFuzzerMutate) return LLVMFuzzerMutate(data, size, most);
        if (size <= head) return size;
    }
    if (head && mutate_one_in(&c, 16)) data[mutate_below(&c, head)] = (uint8_t)next_random(&c);
    text t = { (char *)data + head, size - head, most - head };
    for (unsigned n = 1 + mutate_below(&c, 4); n; n--) change(language, &t, &c);
    return head + t.size;
}

size_t mutate_cross(const mutate_language *language, const uint8_t *a, size_t a_size, const uint8_t *b,
                    size_t b_size, uint8_t *out, size_t most, unsigned seed)
{
    mutate_chance c = mutate_chance_of(seed);
    size_t head = language->head;
    if (a_size > most) a_size = most;
    memcpy(out, a, a_size);
    if (a_size < head || b_size <= head) return a_size;
    const text other = { (char *)(uintptr_t)(b + head), b_size - head, b_size - head };
    text t = { (char *)out + head, a_size - head, most - head };
    span from = pick_lines(&other, &c, 20), to = { pick_lines(&t, &c, 1).at, 0 };
    replace(&t, to, other.data + from.at, from.length);
    return head + t.size;
}
