/* SPDX-License-Identifier: MIT */
/* grammar: a text is cut into tokens, and every change replaces one range of bytes by another piece of text. */
#include "grammar.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 1 << 15, MOST_STEPS = 4 };

typedef enum token_kind { NAME, NUMBER, STRING, MARK } token_kind;

typedef struct token {
    uint32_t at, length;
    uint8_t kind;
    bool first; /* of its line */
    bool glued; /* no blank before it */
} token;

typedef struct piece { /* of a text; the text may be another one than the one that is changed */
    const char *at;
    size_t length;
} piece;

typedef struct range { /* of bytes */
    size_t from, to;
} range;

typedef struct text {
    const grammar *l;
    char *at;
    size_t size, most;
    token *token;
    size_t count;
    mutate_chance chance;
} text;

/* Limits of the machines and their languages among those of numbers. */
static uint64_t limit(mutate_chance *c)
{
    static const uint64_t sizes[] = { 3, 15, 24, 31, 48, 49152, 65535, 624 << 10 };
    return mutate_one_in(c, 3) ? sizes[mutate_below(c, sizeof sizes / sizeof *sizes)] : mutate_limit(c);
}

/* --- words ---------------------------------------------------------------------------------------------------- */

void grammar_add_word(grammar_words *w, const char *word, size_t length, int group)
{
    for (size_t i = 0; i < w->count; i++)
        if (strlen(w->words[i].text) == length && memcmp(w->words[i].text, word, length) == 0) return;
    if (w->count == w->room) {
        w->room = w->room ? w->room * 2 : 64;
        w->words = realloc(w->words, w->room * sizeof *w->words);
    }
    w->words[w->count++] = (grammar_word){ strndup(word, length), group };
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const grammar_word *)a)->text, ((const grammar_word *)b)->text);
}

void grammar_use_words(grammar *l, grammar_words *w)
{
    qsort(w->words, w->count, sizeof *w->words, by_text);
    l->words = w->words;
    l->word_count = w->count;
}

/* --- tokens --------------------------------------------------------------------------------------------------- */

static bool is_one_of(const char *set, char c)
{
    return c && set && strchr(set, c);
}

static bool begins_name(const grammar *l, char c)
{
    return isalpha((unsigned char)c) || c == '_' || is_one_of(l->begins, c);
}

static size_t name_length(const grammar *l, const char *at, size_t left)
{
    size_t n = 1;
    while (n < left && (isalnum((unsigned char)at[n]) || at[n] == '_' || is_one_of(l->continues, at[n]))) n++;
    return n;
}

static size_t number_length(const char *at, size_t left)
{
    size_t n = 1;
    if (at[0] == '0' && left > 2 && is_one_of("xob", at[1]) && isxdigit((unsigned char)at[2])) {
        for (n = 2; n < left && isxdigit((unsigned char)at[n]);) n++;
        return n;
    }
    for (; n < left; n++) {
        bool point = at[n] == '.' && n + 1 < left && isdigit((unsigned char)at[n + 1]);
        if (!isdigit((unsigned char)at[n]) && !point) break;
    }
    if (n + 1 < left && is_one_of("eE", at[n])) {
        size_t exponent = n + 1 + is_one_of("+-", at[n + 1]), end = exponent;
        while (end < left && isdigit((unsigned char)at[end])) end++;
        if (end > exponent) n = end;
    }
    return n;
}

static size_t string_length(const char *at, size_t left)
{
    size_t n = 1;
    while (n < left && at[n] != at[0] && at[n] != '\n') n += at[n] == '\\' && n + 1 < left ? 2 : 1;
    return n < left ? n + 1 : left;
}

static size_t comment_length(const grammar *l, const char *at, size_t left)
{
    for (size_t k = 0; k < 3 && l->comments[k]; k++) {
        size_t n = strlen(l->comments[k]);
        if (n > left || memcmp(at, l->comments[k], n) != 0) continue;
        const char *end = memchr(at, '\n', left);
        return end ? (size_t)(end - at) : left;
    }
    return 0;
}

static bool is_operator(char c)
{
    return is_one_of("+-*/%<>=!&|^~.?:", c);
}

static token token_at(const grammar *l, const char *at, size_t left, bool after_extent)
{
    token t = { .kind = MARK, .length = 1 };
    if (l->shapes && after_extent && *at == 'x') return t;
    if (begins_name(l, *at) && (isalpha((unsigned char)*at) || *at == '_' || left > 1)) {
        t.kind = NAME;
        t.length = (uint32_t)name_length(l, at, left);
    } else if (isdigit((unsigned char)*at)) {
        t.kind = NUMBER;
        t.length = (uint32_t)number_length(at, left);
    } else if (*at == '"' || *at == '\'') {
        t.kind = STRING;
        t.length = (uint32_t)string_length(at, left);
    } else if (is_operator(*at)) {
        while (t.length < left && is_operator(at[t.length]) &&
               comment_length(l, at + t.length, left - t.length) == 0)
            t.length++;
    }
    return t;
}

static void cut(text *t)
{
    bool first = true, glued = false, extent = false;
    t->count = 0;
    t->at[t->size] = 0;
    for (size_t at = 0; at < t->size && t->count < MOST_TOKENS;) {
        size_t skip = comment_length(t->l, t->at + at, t->size - at);
        if (t->at[at] == '\n') first = true;
        if (skip == 0 && (isspace((unsigned char)t->at[at]) || !t->at[at])) skip = 1;
        at += skip;
        if (skip) {
            glued = false;
            continue;
        }
        token k = token_at(t->l, t->at + at, t->size - at, extent && glued);
        k.at = (uint32_t)at;
        k.first = first;
        k.glued = glued;
        extent = k.kind == NUMBER || t->at[at] == '?';
        t->token[t->count++] = k;
        at += k.length;
        first = false;
        glued = true;
    }
}

static text *text_new(const grammar *l, const uint8_t *data, size_t size, size_t most, unsigned seed)
{
    text *t = calloc(1, sizeof *t);
    size_t room = most > size ? most : size;
    *t = (text){ .l = l, .size = size, .most = most, .chance = mutate_chance_of(seed) };
    t->at = malloc(room + 1);
    t->token = malloc((room < MOST_TOKENS ? room + 1 : MOST_TOKENS) * sizeof *t->token);
    if (size) memcpy(t->at, data, size);
    cut(t);
    return t;
}

static void text_free(text *t)
{
    free(t->at);
    free(t->token);
    free(t);
}

/* --- what a text consists of ------------------------------------------------------------------------------------ */

static char mark(const text *t, size_t k)
{
    return k < t->count && t->token[k].kind == MARK ? t->at[t->token[k].at] : 0;
}

static bool opens(char c)
{
    return is_one_of("([{", c);
}

static bool closes(char c)
{
    return is_one_of(")]}", c);
}

/* The bracket that closes the one at token k; t->count when none does. */
static size_t closing(const text *t, size_t k)
{
    int depth = 0;
    for (; k < t->count; k++) {
        depth += opens(mark(t, k)) ? 1 : closes(mark(t, k)) ? -1 : 0;
        if (depth <= 0) break;
    }
    return k;
}

static bool begins_statement(const text *t, size_t k)
{
    if (k == 0 || t->l->lines) return t->token[k].first;
    return is_one_of(";{}", mark(t, k - 1)) && !is_one_of(";,)", mark(t, k));
}

/* The token after the statement that begins at token k. */
static size_t statement_end(const text *t, size_t k)
{
    for (size_t at = k; at < t->count; at++) {
        char c = mark(t, at);
        if (closes(c)) return at;
        if (t->l->lines && at > k && t->token[at].first) return at;
        if (!t->l->lines && c == ';') return at + 1;
        if (!opens(c)) continue;
        at = closing(t, at);
        bool more = at + 1 < t->count && (is_one_of(";,).=", mark(t, at + 1)) || t->token[at + 1].glued);
        if (!t->l->lines && c == '{' && !more) return at + 1 < t->count ? at + 1 : t->count;
    }
    return t->count;
}

static range bytes_of(const text *t, size_t from, size_t to) /* tokens from .. to - 1 */
{
    if (from >= to || from >= t->count) return (range){ t->size, t->size };
    if (to > t->count) to = t->count;
    return (range){ t->token[from].at, t->token[to - 1].at + t->token[to - 1].length };
}

static piece piece_of(const text *t, range r)
{
    return (piece){ t->at + r.from, r.to - r.from };
}

/* A random one of the tokens for which `is` holds, t->count when there is none. */
static size_t choose(text *t, const text *in, bool (*is)(const text *t, size_t k))
{
    if (in->count == 0) return 0;
    size_t start = mutate_below(&t->chance, in->count);
    for (size_t n = 0; n < in->count; n++) {
        size_t k = (start + n) % in->count;
        if (is(in, k)) return k;
    }
    return in->count;
}

static bool is_name(const text *t, size_t k)
{
    return t->token[k].kind == NAME;
}

static bool is_number(const text *t, size_t k)
{
    return t->token[k].kind == NUMBER;
}

static bool is_operator_token(const text *t, size_t k)
{
    return is_operator(mark(t, k));
}

static bool is_opening(const text *t, size_t k)
{
    return opens(mark(t, k));
}

static bool begins_argument(const text *t, size_t k)
{
    return k > 0 && (mark(t, k - 1) == ',' || is_one_of("([", mark(t, k - 1))) && !closes(mark(t, k));
}

static size_t argument_end(const text *t, size_t k)
{
    while (k < t->count && !is_one_of(",;", mark(t, k)) && !closes(mark(t, k)))
        k = opens(mark(t, k)) ? closing(t, k) + 1 : k + 1;
    return k < t->count ? k : t->count;
}

static range statement(text *t, const text *in)
{
    size_t k = choose(t, in, begins_statement);
    return bytes_of(in, k, k < in->count ? statement_end(in, k) : k);
}

static range argument(text *t, const text *in)
{
    size_t k = choose(t, in, begins_argument);
    return bytes_of(in, k, k < in->count ? argument_end(in, k) : k);
}

/* What stands between brackets; `like`: of that kind, 0 = any. */
static range inside(text *t, const text *in, char like)
{
    size_t k = choose(t, in, is_opening);
    for (size_t n = 0; like && n < in->count && mark(in, k) != like; n++) k = (k + 1) % in->count;
    if (k >= in->count || (like && mark(in, k) != like)) return (range){ in->size, in->size };
    size_t end = closing(in, k);
    size_t from = in->token[k].at + 1u, to = end < in->count ? in->token[end].at : in->size;
    return (range){ from, to > from ? to : from };
}

/* --- changes ---------------------------------------------------------------------------------------------------- */

/* The bytes of `r` become `with`, which may be part of the text itself. */
static bool put(text *t, range r, piece with)
{
    size_t size = t->size - (r.to - r.from) + with.length;
    if (size > t->most) return false;
    char *copy = malloc(with.length + 1);
    if (with.length) memcpy(copy, with.at, with.length);
    memmove(t->at + r.from + with.length, t->at + r.to, t->size - r.to);
    if (with.length) memcpy(t->at + r.from, copy, with.length);
    free(copy);
    t->size = size;
    return true;
}

static bool put_text(text *t, range r, const char *with)
{
    return put(t, r, (piece){ with, strlen(with) });
}

static bool is_empty(range r)
{
    return r.from >= r.to;
}

static bool insert(text *t, size_t at, piece p)
{
    if (p.length == 0 || !put(t, (range){ at, at }, p)) return false;
    return put_text(t, (range){ at + p.length, at + p.length }, t->l->lines ? "\n" : " ");
}

static bool swap(text *t, range a, range b)
{
    if (a.from > b.from) {
        range c = a;
        a = b;
        b = c;
    }
    if (is_empty(a) || is_empty(b) || a.to > b.from) return false;
    size_t length = a.to - a.from, moved = (b.to - b.from) - length; /* may wrap, and wraps back */
    char *first = malloc(length);
    memcpy(first, t->at + a.from, length);
    bool good =
        put(t, a, piece_of(t, b)) && put(t, (range){ b.from + moved, b.to + moved }, (piece){ first, length });
    free(first);
    return good;
}

static int group_of(const text *t, size_t k)
{
    const token *n = &t->token[k];
    char name[64];
    if (n->length < sizeof name) {
        memcpy(name, t->at + n->at, n->length);
        name[n->length] = 0;
        grammar_word key = { name, 0 };
        const grammar_word *w = NULL;
        if (t->l->word_count) w = bsearch(&key, t->l->words, t->l->word_count, sizeof key, by_text);
        if (w) return w->group;
    }
    char first = t->at[n->at];
    if (is_one_of(t->l->begins, first)) return (unsigned char)first;
    return k && mark(t, k - 1) == '.' ? '.' : 'a';
}

void grammar_add_names(grammar_words *w, const grammar *l, const char *source, size_t size)
{
    text *t = text_new(l, (const uint8_t *)source, size, size, 0);
    for (size_t k = 0; k < t->count; k++)
        if (is_name(t, k)) grammar_add_word(w, t->at + t->token[k].at, t->token[k].length, group_of(t, k));
    text_free(t);
}

static bool rename_from(text *t, const text *other)
{
    size_t k = choose(t, t, is_name);
    if (k == t->count) return false;
    int group = group_of(t, k);
    for (int tries = 0; tries < 20; tries++) {
        size_t o = choose(t, other, is_name);
        if (o >= other->count) return false;
        if (tries < 19 && group_of(other, o) != group) continue;
        return put(t, bytes_of(t, k, k + 1), piece_of(other, bytes_of(other, o, o + 1)));
    }
    return false;
}

/* Words of the same group lie anywhere in the list, which is sorted by text. */
static bool rename_to_word(text *t)
{
    size_t k = choose(t, t, is_name), count = t->l->word_count;
    if (k == t->count || count == 0) return false;
    int group = group_of(t, k);
    size_t start = mutate_below(&t->chance, count), w = start;
    if (mutate_below(&t->chance, 16))
        for (size_t n = 0; n < count && t->l->words[w].group != group; n++) w = (w + 1) % count;
    return put_text(t, bytes_of(t, k, k + 1), t->l->words[w].text);
}

static bool change_number(text *t)
{
    static const char *const odd[] = { "0",       "-1",    "-0.0",
                                       "1e38",    "1e-45", "0.5",
                                       "65505.0", "1e999", "340282366920938463463374607431768211456" };
    size_t k = choose(t, t, is_number);
    if (k == t->count) return false;
    range r = bytes_of(t, k, k + 1);
    char number[64];
    long long old = strtoll(t->at + r.from, NULL, 0);
    switch (mutate_below(&t->chance, 5)) {
    case 0: return put_text(t, r, odd[mutate_below(&t->chance, sizeof odd / sizeof *odd)]);
    case 1: snprintf(number, sizeof number, "%llu", (unsigned long long)limit(&t->chance)); break;
    case 2: snprintf(number, sizeof number, "%lld", old / 2); break;
    case 3: snprintf(number, sizeof number, "%lld", old < 1000000 ? old * 2 : old); break;
    default:
        snprintf(number, sizeof number, "%lld", old < 1000000 ? old + (mutate_below(&t->chance, 2) ? 1 : -1) : old);
    }
    return put_text(t, r, number);
}

static bool change_mark(text *t)
{
    size_t a = choose(t, t, is_operator_token), b = choose(t, t, is_operator_token);
    return a < t->count && put(t, bytes_of(t, a, a + 1), piece_of(t, bytes_of(t, b, b + 1)));
}

static bool change_token(text *t)
{
    if (t->count == 0) return false;
    size_t a = mutate_below(&t->chance, t->count), b = mutate_below(&t->chance, t->count);
    range r = bytes_of(t, a, a + 1), s = bytes_of(t, b, b + 1);
    switch (mutate_below(&t->chance, 3)) {
    case 0: return put_text(t, r, "");
    case 1: return insert(t, r.from, piece_of(t, s));
    default: return swap(t, r, s);
    }
}

static bool change_statement(text *t, const text *other)
{
    range r = statement(t, t), s = statement(t, other);
    switch (mutate_below(&t->chance, 5)) {
    case 0: return put_text(t, r, "");
    case 1: return insert(t, r.from, piece_of(t, r));
    case 2: return insert(t, r.from, piece_of(other, s));
    case 3: return put(t, r, piece_of(other, s));
    default: return swap(t, r, statement(t, t));
    }
}

static bool change_argument(text *t, const text *other)
{
    range r = argument(t, t), s = argument(t, other);
    if (is_empty(r)) return false;
    switch (mutate_below(&t->chance, 5)) {
    case 0: /* with its comma */
        for (size_t k = r.to; k < t->size && (t->at[k] == ',' || t->at[k] == ' '); k++) r.to = k + 1;
        return put_text(t, r, "");
    case 1: return put(t, (range){ r.from, r.from }, piece_of(t, r)) && put_text(t, (range){ r.to, r.to }, ", ");
    case 2: return swap(t, r, argument(t, t));
    default: return put(t, r, piece_of(other, s));
    }
}

static bool change_inside(text *t, const text *other)
{
    range r = inside(t, t, 0);
    if (r.from == 0 || r.from > t->size || r.from == t->size) return false;
    range s = inside(t, other, t->at[r.from - 1]);
    return mutate_below(&t->chance, 4) ? put(t, r, piece_of(other, s)) : put_text(t, r, "");
}

static bool change_bytes(text *t)
{
    if (LLVMFuzzerMutate) t->size = LLVMFuzzerMutate((uint8_t *)t->at, t->size, t->most);
    return LLVMFuzzerMutate != NULL;
}

static bool change(text *t, const text *other)
{
    switch (mutate_below(&t->chance, 16)) {
    case 0:
    case 1: return rename_from(t, other);
    case 2:
    case 3:
    case 4: return rename_to_word(t);
    case 5:
    case 6:
    case 7: return change_number(t);
    case 8: return change_mark(t);
    case 9: return change_token(t);
    case 10:
    case 11: return change_statement(t, other);
    case 12:
    case 13: return change_argument(t, other);
    case 14: return change_inside(t, other);
    default: return change_bytes(t);
    }
}

/* --- the hooks -------------------------------------------------------------------------------------------------- */

static size_t finish(text *t, size_t prefix, uint8_t *out)
{
    if (t->size) memcpy(out + prefix, t->at, t->size);
    size_t size = prefix + t->size;
    for (size_t k = 0; k < prefix; k++)
        if (mutate_below(&t->chance, 16) == 0) out[k] = (uint8_t)mutate_below(&t->chance, 256);
    text_free(t);
    return size;
}

/* One change, seldom several, each to the text that the one before left: most texts stay good but for it. */
static void steps(text *t, const text *other)
{
    unsigned wanted = 1;
    while (wanted < MOST_STEPS && mutate_one_in(&t->chance, 2)) wanted++;
    for (unsigned tries = 0; wanted && tries < 4 * MOST_STEPS; tries++) {
        if (!change(t, other ? other : t)) continue;
        wanted--;
        cut(t);
    }
}

size_t grammar_mutate(const grammar *l, size_t prefix, uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (size < prefix || most < prefix) return size;
    text *t = text_new(l, data + prefix, size - prefix, most - prefix, seed);
    steps(t, NULL);
    return finish(t, prefix, data);
}

size_t grammar_splice(const grammar *l, size_t prefix, const uint8_t *a, size_t a_size, const uint8_t *b,
                      size_t b_size, uint8_t *out, size_t most, unsigned seed)
{
    if (a_size < prefix || b_size < prefix || a_size > most || prefix > most) return 0;
    text *t = text_new(l, a + prefix, a_size - prefix, most - prefix, seed);
    text *other = text_new(l, b + prefix, b_size - prefix, b_size - prefix, seed);
    steps(t, other);
    memcpy(out, a, prefix);
    text_free(other);
    return finish(t, prefix, out);
}
