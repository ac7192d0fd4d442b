/* SPDX-License-Identifier: MIT */
/* Programs compared but for the constants that instructions load. */
#include "csl/lang/code/share.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* A kept program; the programs equal to it are its members, the first of them itself. */
typedef struct family {
    uint32_t program, next; /* next + 1 of the same hash, 0 = none */
    uint32_t load_count;    /* words that its loads of constants bring */
    uint32_t pool_words;    /* of them in the pool, known at the end */
    uint32_t *slot;         /* by word: place in the pool, UINT32_MAX = equal for all members */
} family;

typedef struct member {
    uint32_t family, pool;
    uint64_t *words; /* load_count */
} member;

struct tw__csl_sharing {
    tw__csl_image *image;
    family *families;
    member *members;
    size_t family_count, family_room, member_count, member_room;
    GHashTable *by_hash;
};

tw__csl_sharing *tw__csl_sharing_new(tw__csl_image *image)
{
    tw__csl_sharing *s = tw__calloc(1, sizeof *s);
    if (s) *s = (tw__csl_sharing){ .image = image, .by_hash = g_hash_table_new(NULL, NULL) };
    return s;
}

void tw__csl_sharing_free(tw__csl_sharing *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->family_count; i++) free(s->families[i].slot);
    for (size_t i = 0; i < s->member_count; i++) free(s->members[i].words);
    free(s->families);
    free(s->members);
    g_hash_table_destroy(s->by_hash);
    free(s);
}

/* Words that an instruction loads from itself or from the program's constants: 0, 1 or 2. */
static unsigned loaded_words(unsigned op)
{
    return op == TW__CSL_I_LDI || op == TW__CSL_I_LDK ? 1 : op == TW__CSL_I_LDK2 ? 2 : 0;
}

/* What stays of an instruction when its constant is left out. */
static tw__csl_insn masked(tw__csl_insn insn)
{
    unsigned words = loaded_words(insn.op);
    if (!words) return insn;
    return (tw__csl_insn){ words == 1 ? TW__CSL_I_LDI : TW__CSL_I_LDK2, insn.a, 0, 0 };
}

static uint64_t share_mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0x9e3779b97f4a7c15u ^ (h >> 29);
}

static uint64_t hash_program(const tw__csl_program *p)
{
    uint64_t h = g_str_hash(p->name);
    for (size_t i = 0; i < p->code_count; i++) {
        tw__csl_insn insn = masked(p->code[i]);
        uint64_t bits;
        memcpy(&bits, &insn, sizeof bits);
        h = share_mix(h, bits);
    }
    return share_mix(share_mix(h, p->segment_count), p->symbol_count);
}

/* --- equality of two programs but for loaded constants --- */

static bool same_code(const tw__csl_program *a, const tw__csl_program *b)
{
    for (size_t i = 0; i < a->code_count; i++) {
        tw__csl_insn x = masked(a->code[i]), y = masked(b->code[i]);
        if (memcmp(&x, &y, sizeof x)) return false;
    }
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_functions(const tw__csl_program *a, const tw__csl_program *b)
{
    for (size_t i = 0; i < a->function_count; i++) {
        tw__csl_function_code x = a->functions[i], y = b->functions[i];
        if (!same_text(x.name, y.name)) return false;
        x.name = y.name;
        if (memcmp(&x, &y, sizeof x)) return false;
    }
    return true;
}

static bool same_symbols(const tw__csl_program *a, const tw__csl_program *b)
{
    for (size_t i = 0; i < a->symbol_count; i++) {
        const tw__csl_symbol *x = &a->symbols[i], *y = &b->symbols[i];
        if (!same_text(x->name, y->name) || !same_text(x->type_text, y->type_text) || x->address != y->address ||
            x->bytes != y->bytes || x->type != y->type || x->count != y->count || x->rank != y->rank ||
            memcmp(x->dims, y->dims, sizeof x->dims) || x->file != y->file || x->line != y->line)
            return false;
    }
    return true;
}

static bool same_locals(const tw__csl_program *a, const tw__csl_program *b)
{
    if (a->local_count != b->local_count) return false;
    for (size_t i = 0; i < a->local_count; i++) {
        const tw__csl_local *x = &a->locals[i], *y = &b->locals[i];
        bool alike = x->kind == y->kind || x->kind == TW__CSL_LOCAL_GONE || y->kind == TW__CSL_LOCAL_GONE;
        if (!same_text(x->name, y->name) || !same_text(x->type_text, y->type_text) || x->at != y->at ||
            x->end != y->end || !alike || x->place != y->place)
            return false;
    }
    return true;
}

/* A constant that differs is not that of the code any more. */
static void join_locals(tw__csl_program *kept, const tw__csl_program *p)
{
    for (size_t i = 0; i < kept->local_count; i++)
        if (kept->locals[i].words[0] != p->locals[i].words[0] || kept->locals[i].words[1] != p->locals[i].words[1])
            kept->locals[i].kind = TW__CSL_LOCAL_GONE;
}

static bool same_memory(const tw__csl_program *a, const tw__csl_program *b)
{
    for (size_t i = 0; i < a->segment_count; i++) {
        const tw__csl_segment *x = &a->segments[i], *y = &b->segments[i];
        if (x->address != y->address || x->bytes != y->bytes || memcmp(x->data, y->data, x->bytes)) return false;
    }
    for (size_t i = 0; i < a->fifo_count; i++) {
        tw__csl_fifo x = a->fifos[i], y = b->fifos[i];
        if (!same_text(x.name, y.name)) return false;
        x.name = y.name;
        if (memcmp(&x, &y, sizeof x)) return false;
    }
    return true;
}

/* Tables of plain numbers, compared as bytes: rows are zeroed before they are filled. */
// clang-format off
#define PLAIN_TABLES(X)                                                                                        \
    X(lines, line) X(indices, index) X(objects, object) X(uses, use) X(maps, map) X(dsr_loads, dsr_load) X(dsr_init, dsr_init) X(shapes, shape)     \
    X(exports, export) X(tasks, task) X(queues, queue) X(declarations, declaration) X(configs, config)         \
    X(inits, init) X(rotations, rotation) X(handlers, handler)
// clang-format on

static bool same_program(const tw__csl_program *a, const tw__csl_program *b)
{
    if (!same_text(a->name, b->name) || a->code_count != b->code_count || a->function_count != b->function_count ||
        a->segment_count != b->segment_count || a->symbol_count != b->symbol_count ||
        a->fifo_count != b->fifo_count || a->stack_address != b->stack_address || a->stack_bytes != b->stack_bytes)
        return false;
#define SAME(plural, singular)                                                                          \
    if (a->singular##_count != b->singular##_count ||                                                   \
        (a->singular##_count && memcmp(a->plural, b->plural, a->singular##_count * sizeof *a->plural))) \
        return false;
    PLAIN_TABLES(SAME)
#undef SAME
    return same_code(a, b) && same_functions(a, b) && same_symbols(a, b) && same_memory(a, b) && same_locals(a, b);
}

/* --- members --- */

static uint64_t *collect_words(const tw__csl_program *p, uint32_t *count)
{
    *count = 0;
    for (size_t i = 0; i < p->code_count; i++) *count += loaded_words(p->code[i].op);
    uint64_t *words = tw__calloc(*count + 1u, sizeof *words);
    size_t at = 0;
    for (size_t i = 0; words && i < p->code_count; i++) {
        uint32_t k = tw__csl_wide(p->code[i]);
        if (p->code[i].op == TW__CSL_I_LDI) words[at++] = (uint64_t)(int64_t)(int32_t)k;
        for (unsigned w = 0; p->code[i].op != TW__CSL_I_LDI && w < loaded_words(p->code[i].op); w++)
            words[at++] = p->consts[k + w];
    }
    return words;
}

static bool add_family(tw__csl_sharing *s, gpointer key, uint32_t words)
{
    if (!tw__grow(&s->families, &s->family_room, s->family_count, sizeof *s->families)) return false;
    uint32_t first = GPOINTER_TO_UINT(g_hash_table_lookup(s->by_hash, key));
    s->families[s->family_count] = (family){ (uint32_t)s->image->program_count - 1, first, words, 0, NULL };
    g_hash_table_insert(s->by_hash, key, GUINT_TO_POINTER(s->family_count + 1));
    s->family_count++;
    return true;
}

/* The constants that differ between members may be addresses. */
static void join_addressed(tw__csl_program *kept, const tw__csl_program *p)
{
    for (size_t i = 0; i < kept->symbol_count; i++) kept->symbols[i].addressed |= p->symbols[i].addressed;
}

bool tw__csl_share_last(tw__csl_sharing *s, tw__arena_mark mark, size_t files, uint32_t *program, uint32_t *number)
{
    tw__csl_image *image = s->image;
    const tw__csl_program *p = &image->programs[image->program_count - 1];
    gpointer key = (gpointer)(uintptr_t)hash_program(p);
    uint32_t words, found = 0;
    if (!tw__grow(&s->members, &s->member_room, s->member_count, sizeof *s->members)) return false;
    uint64_t *list = collect_words(p, &words);
    if (!list) return false;
    for (uint32_t f = GPOINTER_TO_UINT(g_hash_table_lookup(s->by_hash, key)); f && !found;
         f = s->families[f - 1].next)
        if (same_program(&image->programs[s->families[f - 1].program], p)) found = f;
    if (!found && !add_family(s, key, words)) {
        free(list);
        return false;
    }
    if (found) {
        join_addressed(&image->programs[s->families[found - 1].program], p);
        join_locals(&image->programs[s->families[found - 1].program], p);
        tw__csl_image_drop_program(image);
        if (image->file_count == files) tw__arena_restore(image->arena, mark);
    }
    uint32_t in = found ? found - 1 : (uint32_t)s->family_count - 1;
    s->members[s->member_count] = (member){ in, 0, list };
    *program = s->families[in].program;
    *number = (uint32_t)s->member_count++;
    return true;
}

/* The loads of a family whose words differ between members: slot numbers, 2 in sequence for a pair. */
static bool find_slots(tw__csl_sharing *s, family *f, const uint8_t *differs)
{
    tw__csl_program *p = &s->image->programs[f->program];
    size_t at = 0;
    f->slot = tw__calloc(f->load_count + 1u, sizeof *f->slot);
    if (!f->slot) return false;
    for (size_t i = 0; i < p->code_count; i++) {
        unsigned words = loaded_words(p->code[i].op);
        bool pool = words && (differs[at] || (words == 2 && differs[at + 1]));
        if (pool) {
            p->code[i].op = words == 1 ? TW__CSL_I_LDP : TW__CSL_I_LDP2;
            p->code[i].b = (uint16_t)(f->pool_words & 0xffff);
            p->code[i].c = (uint16_t)(f->pool_words >> 16);
        }
        for (unsigned w = 0; w < words; w++, at++) f->slot[at] = pool ? f->pool_words++ : UINT32_MAX;
    }
    p->pool_count = f->pool_words;
    return true;
}

bool tw__csl_share_finish(tw__csl_sharing *s)
{
    uint8_t **differs = tw__calloc(s->family_count + 1, sizeof *differs);
    uint32_t *first = tw__calloc(s->family_count + 1, sizeof *first); /* member + 1 */
    bool good = differs && first;
    for (size_t i = 0; good && i < s->family_count; i++) {
        differs[i] = tw__calloc(s->families[i].load_count + 1u, 1);
        good = differs[i] != NULL;
    }
    for (size_t m = 0; good && m < s->member_count; m++) {
        const member *x = &s->members[m];
        if (!first[x->family]) first[x->family] = (uint32_t)m + 1;
        const uint64_t *other = s->members[first[x->family] - 1].words;
        for (uint32_t w = 0; w < s->families[x->family].load_count; w++)
            differs[x->family][w] |= x->words[w] != other[w];
    }
    for (size_t i = 0; good && i < s->family_count; i++) good = find_slots(s, &s->families[i], differs[i]);
    for (size_t m = 0; good && m < s->member_count; m++) {
        member *x = &s->members[m];
        const family *f = &s->families[x->family];
        x->pool = (uint32_t)s->image->pool_count;
        for (uint32_t w = 0; w < f->load_count; w++) {
            if (f->slot[w] == UINT32_MAX) continue;
            uint64_t *word = TW__CSL_PUSH(s->image, pool, pool);
            if (!word) {
                good = false;
                break;
            }
            *word = x->words[w];
        }
    }
    for (size_t i = 0; differs && i < s->family_count; i++) free(differs[i]);
    free(differs);
    free(first);
    return good;
}

uint32_t tw__csl_share_pool(const tw__csl_sharing *s, uint32_t number)
{
    return s->members[number].pool;
}
