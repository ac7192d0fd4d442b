/* SPDX-License-Identifier: MIT */
/* ref_cross: the driver. See ref_cross.h. */
#include "pto/reference/ref_cross.h"
#include "pto/reference/ref_layout.h"
#include "share.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAYOUTS = 7,
    REGIONS = 8,
    PADS = 5,
    TRIPLES = LAYOUTS * REGIONS * PADS,
    GAP = 64,
    POOL = 1 << 13,
    MOST_FAILURES = 3,
    MOST_ELEMENTS = 1 << 16
};

/* Codes to fill memory with: small numbers with ties, specials, any bits; `kind` says which. */
static uint64_t made(tw_type type, unsigned kind, const uint64_t *specials, size_t count, uint64_t random)
{
    uint64_t bits = ref_bits(type), any = random << 7 | random >> 57;
    if (kind == 0 || (kind == 1 && random % 4 == 0)) return ref_small(type, random >> 8);
    if (kind == 1 || random % 8 == 0) return specials[(random >> 8) % count];
    return bits == 64 ? any : any & ((UINT64_C(1) << bits) - 1);
}

static const unsigned char *pool_of(tw_type type, unsigned kind)
{
    static unsigned char *pools[TW_TYPE_COUNT][3];
    unsigned char **at = &pools[type][kind];
    if (*at) return *at;
    uint64_t state = 7 * (uint64_t)type + kind, specials[32];
    size_t count;
    const uint64_t *list = ref_specials(type, &count);
    memcpy(specials, list, count * sizeof *list);
    *at = malloc(POOL * 8);
    if (!*at) abort();
    for (size_t i = 0; i < POOL; i++) ref_store(*at, type, i, made(type, kind, specials, count, ref_next(&state)));
    return *at;
}

/* `size` bytes of codes from anywhere in the pool. */
static void pour(unsigned char *to, size_t size, tw_type type, unsigned kind, uint64_t random)
{
    size_t element = ref_bits(type) < 8 ? 1 : ref_bits(type) / 8, whole = POOL * (size_t)ref_bits(type) / 8,
           from = random % (POOL / 2) * element % whole;
    for (size_t n; size; to += n, size -= n, from = 0) {
        n = whole - from < size ? whole - from : size;
        memcpy(to, pool_of(type, kind) + from, n);
    }
}

/* --- one call --------------------------------------------------------------------------------------------------- */

static bool is_tile(char letter)
{
    return strchr("dDevwabcfhmxyt", letter) != NULL;
}

static bool is_written(const ref_matrix *m)
{
    return m->letter && strchr("dDevwG", m->letter);
}

/* Extents such that every layout fits: whole boxes, rows and columns of whole blocks of 32 bytes. */
static void extents(tw_type type, uint32_t *rows, uint32_t *cols)
{
    unsigned bits = ref_bits(type);
    *rows = bits == 4 ? 64 : bits == 8 ? 32 : 16;
    *cols = bits == 4 ? 64 : bits == 8 ? 64 : 48;
}

static void region_of(unsigned region, uint32_t rows, uint32_t cols, uint32_t *valid_rows, uint32_t *valid_cols)
{
    const uint32_t all[REGIONS][2] = { { rows, cols },         { 1, 1 },  { rows - 3, cols }, { rows, cols - 4 },
                                       { rows - 2, cols - 6 }, { 7, 13 }, { 0, cols },        { rows, 0 } };
    *valid_rows = all[region][0], *valid_cols = all[region][1];
}

static const uint64_t pads[PADS] = { TW_PTO_PAD_NULL, TW_PTO_PAD_ZERO, TW_PTO_PAD_MIN, TW_PTO_PAD_MAX,
                                     TW_PTO_PAD_BITS + 0xC1A5u };

static void plan(ref_call *call, const tw_pto_info *info, unsigned pad)
{
    uint32_t rows = 0, cols = 0, valid_rows, valid_cols;
    extents(call->type, &rows, &cols);
    region_of(call->region, rows, cols, &valid_rows, &valid_cols);
    call->count = info->operands;
    for (unsigned i = 0; i < call->count; i++) {
        char letter = info->form[i];
        call->o[i] = (ref_matrix){ .letter = letter,
                                   .type = call->type,
                                   .rows = rows,
                                   .cols = cols,
                                   .valid_rows = valid_rows,
                                   .valid_cols = valid_cols,
                                   .pad = pads[pad],
                                   .tensor = letter == 'g' || letter == 'G',
                                   .location = TW_PTO_VEC,
                                   .layouts = REF_ANY_LAYOUT };
        if (letter == 't') { /* room for all that anything asks */
            ref_matrix *t = &call->o[i];
            t->layouts = REF_ROWS_ONLY;
            t->rows = t->valid_rows = 2 * rows;
            t->cols = t->valid_cols = 2 * cols + 32;
        }
        if (letter == 's' || strchr("ijkl", letter)) call->o[i].rows = call->o[i].cols = 1;
        if (strchr("ijkl", letter)) call->o[i].type = TW_I32;
    }
    if (call->row->plan) call->row->plan(call);
}

static uint32_t up(uint32_t n, uint32_t step)
{
    return (n + step - 1) / step * step;
}

/* Extents that the layout allows, if the operand's type is narrower than the subject's. */
static void choose_layout(ref_matrix *m, unsigned layout, unsigned i, uint64_t mix)
{
    const uint32_t block = 256 / ref_bits(m->type);
    static const unsigned char b[] = { TW_PTO_ROW_MAJOR, TW_PTO_COL_MAJOR, TW_PTO_COL_MAJOR,
                                       TW_PTO_ROW_MAJOR, TW_PTO_ROW_MAJOR, TW_PTO_COL_MAJOR },
                               s[] = { TW_PTO_NONE_BOX, TW_PTO_NONE_BOX, TW_PTO_BOX_ROW,
                                       TW_PTO_BOX_COL,  TW_PTO_BOX_ROW,  TW_PTO_BOX_COL };
    unsigned want = layout < REF_TILE_LAYOUTS ? layout : (unsigned)(mix >> 4 * i); /* the last: each its own */
    want %= REF_TILE_LAYOUTS;
    while (!(m->layouts >> want & 1)) want = (want + 1) % REF_TILE_LAYOUTS;
    m->layout = (unsigned char)want;
    if (want != REF_COL) m->cols = up(m->cols, want == REF_ROW || want == REF_NZ || want == REF_ZZ ? block : 16);
    if (want == REF_COL) m->rows = up(m->rows, block);
    m->tile = (tw_pto_tile){ .location = m->location,
                             .blayout = b[want],
                             .slayout = s[want],
                             .type = m->type,
                             .fractal = m->fractal,
                             .rows = m->rows,
                             .cols = m->cols,
                             .valid_rows = m->valid_rows,
                             .valid_cols = m->valid_cols,
                             .pad = m->pad };
}

/* Memory as it was, as it should become. One region per on-chip memory, and one per tensor. */
typedef struct region {
    unsigned char *live, *want;
    size_t size, room;
} region;

typedef struct bench {
    tw_pto *core;
    int op;
    region memory[TW_PTO_LOCATIONS], tensor[REF_OPERANDS];
    uint64_t *codes[REF_OPERANDS];
    size_t start[REF_OPERANDS]; /* bytes from the region's first */
    ref_tally *tally;
    unsigned kind;
    uint64_t state;
    unsigned share; /* of the combinations, each so many-th runs */
    unsigned long cases;
    struct { /* a few messages per row and target */
        const ref_row *row;
        tw_pto_target target;
        unsigned times;
    } said;
} bench;

static void grow(region *r, size_t size)
{
    r->size = size;
    if (r->room >= size) return;
    r->want = realloc(r->want, size);
    r->room = size;
    if (!r->want) abort();
}

static void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, tw_error_message());
    abort();
}

static size_t tensor_bytes(const ref_matrix *m)
{
    ptrdiff_t last = 0;
    for (int d = 0; d < 5; d++)
        if (m->view.shape[d]) last += (ptrdiff_t)(m->view.shape[d] - 1) * m->view.stride[d];
    return ((size_t)(last + 1) * ref_bits(m->type) + 7) / 8;
}

/* Addresses one behind the other, with gaps; pointers to the memories. */
static void place_all(bench *b, ref_call *call)
{
    for (int l = 0; l < TW_PTO_LOCATIONS; l++) b->memory[l].size = 0;
    for (unsigned i = 0; i < call->count; i++) {
        ref_matrix *m = &call->o[i];
        if (m->tensor) {
            static unsigned char *buffers[REF_OPERANDS];
            if (!buffers[i]) buffers[i] = malloc(1 << 20);
            size_t bytes = tensor_bytes(m);
            if (!buffers[i] || bytes > (1 << 20) - 2 * GAP) abort();
            grow(&b->tensor[i], bytes + 2 * GAP);
            b->tensor[i].live = buffers[i];
            b->start[i] = GAP;
            m->view.data = buffers[i] + GAP;
            continue;
        }
        if (!is_tile(m->letter)) continue;
        region *r = &b->memory[m->location];
        size_t gap = m->location == TW_PTO_BIAS || m->location == TW_PTO_SCALING ? 0 : GAP;
        b->start[i] = m == call->shared ? b->start[0] : r->size + gap;
        size_t end = (b->start[i] + ref_tile_bytes(&m->tile) + 31) / 32 * 32;
        if (tw_pto_assign(b->core, &m->tile, b->start[i]) != TW_OK) give_up("TASSIGN");
        if (m != call->shared) grow(r, end + gap);
    }
    for (int l = 0; l < TW_PTO_LOCATIONS; l++) {
        if (!b->memory[l].size) continue;
        tw_pto_tile all = tw_pto_tile_of((tw_pto_location)l, TW_U8, 1, (uint32_t)b->memory[l].size);
        if (tw_pto_assign(b->core, &all, 0) != TW_OK) give_up("TASSIGN");
        b->memory[l].live = tw_pto_data(b->core, &all);
        tw_pto_tile_free(b->core, &all);
        if (!b->memory[l].live) give_up("memory");
    }
}

static region *region_at(bench *b, const ref_call *call, unsigned i)
{
    return call->o[i].tensor ? &b->tensor[i] : &b->memory[call->o[i].location];
}

/* Element numbers of tiles that look alike, once. */
static const uint32_t *indexes(const ref_matrix *m)
{
    enum { SLOTS = 512 };
    static struct {
        unsigned bits, layout, fractal, rows, cols;
        uint32_t *index;
    } slots[SLOTS];
    static uint32_t *of_tensor;
    unsigned bits = ref_bits(m->type), i = 0;
    if (m->tensor) { /* strides differ from call to call */
        of_tensor = realloc(of_tensor, ((size_t)m->rows * m->cols + 1) * sizeof *of_tensor);
        if (!of_tensor) abort();
        for (uint32_t r = 0; r < m->rows; r++)
            for (uint32_t c = 0; c < m->cols; c++)
                of_tensor[(size_t)r * m->cols + c] = (uint32_t)ref_tensor_index(&m->view, r, c);
        return of_tensor;
    }
    for (; i < SLOTS && slots[i].index; i++)
        if (slots[i].bits == bits && slots[i].layout == m->layout && slots[i].fractal == m->fractal &&
            slots[i].rows == m->rows && slots[i].cols == m->cols)
            return slots[i].index;
    if (i == SLOTS) abort();
    uint32_t *index = malloc((size_t)m->rows * m->cols * sizeof *index);
    if (!index) abort();
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint32_t c = 0; c < m->cols; c++) index[(size_t)r * m->cols + c] = (uint32_t)ref_index(&m->tile, r, c);
    slots[i].bits = bits, slots[i].layout = m->layout, slots[i].fractal = m->fractal;
    slots[i].rows = m->rows, slots[i].cols = m->cols, slots[i].index = index;
    return index;
}

/* Codes from the operand's bytes in `memory`, or (write) to them: one loop per size of elements. */
#define EACH(type_)                                                  \
    for (size_t k = 0; k < count; k++) {                             \
        unsigned char *at = base + (size_t)index[k] * sizeof(type_); \
        type_ code = (type_)m->at[k];                                \
        if (write)                                                   \
            memcpy(at, &code, sizeof code);                          \
        else                                                         \
            memcpy(&code, at, sizeof code), m->at[k] = code;         \
    }
static void transfer(bench *b, ref_call *call, unsigned i, unsigned char *memory, bool write)
{
    ref_matrix *m = &call->o[i];
    unsigned char *base = memory + b->start[i];
    const uint32_t *index = indexes(m);
    size_t count = (size_t)m->rows * m->cols;
    switch (ref_bits(m->type)) {
    case 8: EACH(uint8_t) break;
    case 16: EACH(uint16_t) break;
    case 32: EACH(uint32_t) break;
    case 64: EACH(uint64_t) break;
    default:
        for (size_t k = 0; k < count; k++)
            if (write)
                ref_store(base, m->type, index[k], m->at[k]);
            else
                m->at[k] = ref_load(base, m->type, index[k]);
    }
}

/* `codes`: the operands' too. */
static void fill(bench *b, ref_call *call, bool codes)
{
    for (int l = 0; l < TW_PTO_LOCATIONS; l++)
        if (b->memory[l].size) pour(b->memory[l].live, b->memory[l].size, TW_U8, 2, ref_next(&b->state));
    for (unsigned i = 0; i < call->count; i++) {
        ref_matrix *m = &call->o[i];
        uint64_t random = ref_next(&b->state);
        m->at = b->codes[i];
        if (m->tensor)
            pour(b->tensor[i].live, b->tensor[i].size, m->type, b->kind, random);
        else if (m == call->shared)
            ; /* dst's codes */
        else if (is_tile(m->letter))
            pour(b->memory[m->location].live + b->start[i], ref_tile_bytes(&m->tile), m->type, b->kind, random);
        else
            *m->at = m->letter == 's' ? ref_load(pool_of(m->type, b->kind), m->type, random % POOL) : 0;
        if (codes && m->letter != 't' && (m->tensor || is_tile(m->letter))) {
            if ((size_t)m->rows * m->cols > MOST_ELEMENTS) abort();
            transfer(b, call, i, region_at(b, call, i)->live, false);
        }
    }
}

static void each_region(bench *b, const ref_call *call, void (*f)(region *))
{
    for (int l = 0; l < TW_PTO_LOCATIONS; l++)
        if (b->memory[l].size) f(&b->memory[l]);
    for (unsigned i = 0; i < call->count; i++)
        if (call->o[i].tensor) f(&b->tensor[i]);
}
static void keep(region *r)
{
    memcpy(r->want, r->live, r->size);
}

/* --- comparing -------------------------------------------------------------------------------------------------- */

static bool close_to(const ref_call *call, const ref_matrix *m, uint64_t want, uint64_t got)
{
    if (ref_same(m->type, want, got)) return true;
    if (!call->row->ulps || !ref_is_float(m->type) || ref_is_nan(m->type, want) || ref_is_nan(m->type, got))
        return false;
    uint64_t sign = UINT64_C(1) << (ref_bits(m->type) - 1);
    int64_t a = want & sign ? -(int64_t)(want & ~sign) : (int64_t)want,
            b = got & sign ? -(int64_t)(got & ~sign) : (int64_t)got;
    return llabs(a - b) <= (int64_t)call->row->ulps;
}

static void say(bench *b, const ref_call *call, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(bench *b, const ref_call *call, const char *format, ...)
{
    static const char *const names[] = { "row", "col", "nz", "zn", "zz", "nn" };
    va_list args;
    b->tally->failures++;
    if (b->said.row == call->row && b->said.target == call->target && b->said.times++ >= MOST_FAILURES) return;
    if (b->said.row != call->row || b->said.target != call->target)
        b->said.row = call->row, b->said.target = call->target, b->said.times = 1;
    fprintf(stderr, "%s %s %s variant %u:", call->row->name, tw_pto_target_name(call->target),
            tw_type_name(call->type, TW_SYSTEM_PTO), call->variant);
    for (unsigned i = 0; i < call->count; i++) {
        const ref_matrix *m = &call->o[i];
        if (is_tile(m->letter))
            fprintf(stderr, " %c %s %s %ux%u (%ux%u)", m->letter, tw_type_name(m->type, TW_SYSTEM_PTO),
                    m->tensor ? "tensor" : names[m->layout], m->rows, m->cols, m->valid_rows, m->valid_cols);
        else if (m->tensor)
            fprintf(stderr, " %c %s %s %ux%u", m->letter, tw_type_name(m->type, TW_SYSTEM_PTO),
                    tw_pto_layout_name(m->view.layout), m->rows, m->cols);
        else
            fprintf(stderr, " %c %" PRIx64, m->letter, m->at ? *m->at : 0);
    }
    fprintf(stderr, "\n    ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}

/* What is equal by value is taken over into `want`. */
static bool judge_values(bench *b, ref_call *call, unsigned i)
{
    ref_matrix *m = &call->o[i];
    region *at = region_at(b, call, i);
    const uint32_t *index = indexes(m);
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint32_t c = 0; c < m->cols; c++) {
            size_t n = index[(size_t)r * m->cols + c];
            uint64_t want = REF_AT(m, r, c), got = ref_load(at->live + b->start[i], m->type, n);
            if (want == got) continue;
            if (!close_to(call, m, want, got)) {
                const ref_matrix *a = ref_of(call, 'a'), *o = ref_of(call, 'b');
                bool in_a = a && r < a->rows && c < a->cols, in_b = o && r < o->rows && c < o->cols;
                say(b, call, "%c (%u, %u) is %" PRIx64 " (%.9g), not %" PRIx64 " (%.9g); a %.9g b %.9g there",
                    m->letter, r, c, got, ref_decode(m->type, got), want, ref_decode(m->type, want),
                    in_a ? ref_decode(a->type, REF_AT(a, r, c)) : NAN,
                    in_b ? ref_decode(o->type, REF_AT(o, r, c)) : NAN);
                return false;
            }
            ref_store(at->want + b->start[i], m->type, n, got);
        }
    return true;
}

static bool same_bytes(bench *b, const ref_call *call, region *r, const char *what)
{
    if (memcmp(r->live, r->want, r->size) == 0) return true;
    size_t at = 0;
    while (r->live[at] == r->want[at]) at++;
    char inside = '-';
    for (unsigned i = 0; i < call->count; i++)
        if ((is_tile(call->o[i].letter) || call->o[i].tensor) && region_at(b, (ref_call *)call, i) == r &&
            at >= b->start[i])
            inside = call->o[i].letter;
    say(b, call, "%s: byte %zu (in or behind %c) is %02x, was to be %02x", what, at, inside, r->live[at],
        r->want[at]);
    return false;
}

static bool all_same_bytes(bench *b, const ref_call *call, const char *what)
{
    for (int l = 0; l < TW_PTO_LOCATIONS; l++)
        if (b->memory[l].size && !same_bytes(b, call, &b->memory[l], what)) return false;
    for (unsigned i = 0; i < call->count; i++)
        if (call->o[i].tensor && !same_bytes(b, call, &b->tensor[i], what)) return false;
    return true;
}

static void judge(bench *b, ref_call *call)
{
    for (unsigned i = 0; i < call->count; i++) { /* tmp is anybody's */
        ref_matrix *m = &call->o[i];
        size_t bytes = m->letter == 't' ? ref_tile_bytes(&m->tile) : 0;
        region *r = &b->memory[m->location];
        if (bytes) memcpy(r->want + b->start[i], r->live + b->start[i], bytes);
        if (is_written(m)) transfer(b, call, i, region_at(b, call, i)->want, true);
    }
    bool same = true;
    for (int l = 0; l < TW_PTO_LOCATIONS; l++)
        same = same && (!b->memory[l].size || memcmp(b->memory[l].live, b->memory[l].want, b->memory[l].size) == 0);
    for (unsigned i = 0; i < call->count; i++)
        same = same && (!call->o[i].tensor || memcmp(b->tensor[i].live, b->tensor[i].want, b->tensor[i].size) == 0);
    if (same) return;
    for (unsigned i = 0; i < call->count; i++)
        if (is_written(&call->o[i]) && !judge_values(b, call, i)) return;
    all_same_bytes(b, call, "bytes of no destination");
}

/* Chips take row-major tiles, not boxed, unless the plan says more; a column is row-major too. */
static bool refused_for_layout(const ref_call *call)
{
    for (unsigned i = 0; call->target != TW_PTO_CPU && !call->any_layout && i < call->count; i++) {
        const ref_matrix *m = &call->o[i];
        bool column = m->layout == REF_COL && m->cols == 1;
        if (is_tile(m->letter) && !m->tensor && m->location == TW_PTO_VEC && m->layout != REF_ROW && !column)
            return true;
    }
    return false;
}

static void operands_of(ref_call *call, tw_pto_operand *operands)
{
    static uint64_t none;
    for (unsigned i = 0; i < call->count; i++) {
        ref_matrix *m = &call->o[i];
        operands[i] = m->tensor            ? tw_pto_tensor_operand(&m->view)
                      : is_tile(m->letter) ? tw_pto_tile_operand(&m->tile)
                                           : tw_pto_scalar_operand(tw_pto_bits(m->type, *(m->at ? m->at : &none)));
    }
}

/* A combination that has to be refused: by the rules alone. */
static void run_unplaced(bench *b, ref_call *call)
{
    tw_pto_operand operands[REF_OPERANDS];
    unsigned blame;
    operands_of(call, operands);
    if (tw_pto_check(call->target, b->op, operands, call->count, &call->attrs, &blame) == TW_OK)
        say(b, call, "the check does not refuse this");
    else
        b->tally->refused++;
}

static void run_placed(bench *b, ref_call *call, bool refused)
{
    tw_pto_operand operands[REF_OPERANDS];
    place_all(b, call);
    fill(b, call, !refused || call->by_values);
    call->random = ref_next(&b->state);
    if (call->row->prepare && (!refused || call->by_values)) {
        call->row->prepare(call);
        for (unsigned i = 0; i < call->count; i++)
            if (call->o[i].letter != 't' && (call->o[i].tensor || is_tile(call->o[i].letter)))
                transfer(b, call, i, region_at(b, call, i)->live, true);
        if (call->shared) transfer(b, call, 0, region_at(b, call, 0)->live, false);
    }
    each_region(b, call, keep);
    operands_of(call, operands);
    tw_status status = tw_pto_exec(b->core, b->op, operands, call->count, &call->attrs);
    if (refused && status == TW_OK) {
        say(b, call, "this is not refused");
    } else if (refused) {
        b->tally->refused++;
        all_same_bytes(b, call, "changed by a call that was refused");
    } else if (status != TW_OK) {
        say(b, call, "refused: %s", tw_error_message());
    } else {
        b->tally->runs++;
        call->row->reference(call);
        if (call->row->names && call->target != TW_PTO_CPU) b->start[0] = b->start[1];
        judge(b, call);
    }
    for (unsigned i = 0; i < call->count; i++)
        if (is_tile(call->o[i].letter) && !call->o[i].tensor) tw_pto_tile_free(b->core, &call->o[i].tile);
}

/* Rows whose dst must not be a source on A2/A3: the notes of the manual */
static bool refuses_sharing(const char *name)
{
    static const char *const names[] = { "TXOR", "TPRELU", "TRECIP", "TANDS", "TORS", "TXORS" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* dst in the place of a source that looks as it does. */
static void share(const bench *b, ref_call *call)
{
    ref_matrix *d = &call->o[0], *m = ref_of(call, "ab"[b->state >> 20 & 1]);
    if (!call->row->in_place || call->illegal || b->state >> 22 & 3 || !m || m->type != d->type ||
        m->cols != d->cols || m->rows != d->rows || m->location != d->location || !(m->layouts >> d->layout & 1))
        return;
    m->layout = d->layout;
    m->tile = d->tile;
    m->tile.valid_rows = m->valid_rows, m->tile.valid_cols = m->valid_cols;
    m->tile.pad = m->pad;
    call->shared = m;
    if (call->target == TW_PTO_A2A3 && refuses_sharing(call->row->name))
        call->by_values = true; /* seen by address */
}

static void run(bench *b, ref_call *call, unsigned layout)
{
    const uint64_t mix = ref_next(&b->state);
    for (unsigned i = 0; i < call->count; i++)
        if (is_tile(call->o[i].letter) && !call->o[i].tensor) choose_layout(&call->o[i], layout, i, mix);
    share(b, call);
    if (call->row->decide) call->row->decide(call);
    bool refused = call->illegal || call->by_values || call->other_type || refused_for_layout(call);
    bool alike =
        refused && call->o[0].pad != pads[0] && !call->row->pads; /* pads do not bear on it: one is enough */
    if (!refused || call->by_values || (call->region == 0 && !alike))
        run_placed(b, call, refused);
    else if (!alike) /* by the rules alone, for the time it takes */
        run_unplaced(b, call);
}

/* --- the cross -------------------------------------------------------------------------------------------------- */

static void one(bench *b, const ref_row *row, const tw_pto_info *info, int target, int type, unsigned variant,
                unsigned triple)
{
    if (b->cases++ % b->share != 0) return;
    ref_call call = { .row = row,
                      .target = (tw_pto_target)target,
                      .type = (tw_type)type,
                      .variant = variant,
                      .region = triple / LAYOUTS % REGIONS };
    plan(&call, info, triple / LAYOUTS / REGIONS);
    b->kind = (unsigned)(b->tally->runs + b->tally->refused) % 3;
    run(b, &call, triple % LAYOUTS);
}

static void one_type(bench *b, const ref_row *row, const tw_pto_info *info, int target, int type)
{
    unsigned variants = row->variants ? row->variants : 1;
    if (!row->thin) {
        for (unsigned k = 0; k < variants * TRIPLES; k++) one(b, row, info, target, type, k / TRIPLES, k % TRIPLES);
        return;
    }
    unsigned order[TRIPLES], rounds = (variants + TRIPLES - 1) / TRIPLES, next = 0;
    for (unsigned round = 0; round < rounds || round < row->thin; round++) {
        for (unsigned k = 0; k < TRIPLES; k++) { /* shuffled, so that no variant meets the same triples again */
            unsigned other = (unsigned)(ref_next(&b->state) % (k + 1));
            order[k] = order[other];
            order[other] = k;
        }
        for (unsigned k = 0; k < TRIPLES; k++) one(b, row, info, target, type, next++ % variants, order[k]);
    }
}

/* A type outside the row's set is refused: one call. */
static void other_type(bench *b, const ref_row *row, const tw_pto_info *info, int target, int type)
{
    ref_call call = { .row = row, .target = (tw_pto_target)target, .type = (tw_type)type };
    plan(&call, info, 1);
    call.other_type = true;
    b->kind = 0;
    run(b, &call, 0);
}

static bool of_pto(int type)
{
    return *tw_type_get((tw_type)type)->names[TW_SYSTEM_PTO] != 0;
}

void ref_cross(const ref_row *rows, size_t count, ref_tally *tally)
{
    static uint64_t codes[REF_OPERANDS][MOST_ELEMENTS];
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        bench b = { .core = tw_pto_new((tw_pto_target)target, 0), .tally = tally, .state = 1 };
        if (!b.core) give_up("a core");
        for (int i = 0; i < REF_OPERANDS; i++) b.codes[i] = codes[i];
        for (size_t i = 0; i < count; i++) {
            tw_pto_info info;
            uint64_t set = target == TW_PTO_A2A3 ? rows[i].a2a3
                           : target == TW_PTO_A5 ? rows[i].a5
                                                 : rows[i].a2a3 | rows[i].a5 | rows[i].cpu;
            int op = tw_pto_op_by_name(rows[i].name);
            if (op < 0) give_up(rows[i].name);
            tw_pto_info_get((size_t)op, &info);
            b.op = op;
            for (int type = 1; type < TW_TYPE_COUNT; type++) {
                if (!of_pto(type)) continue;
                unsigned long before = tally->runs;
                if (set >> type & 1) {
                    b.share = share_of_cases();
                    one_type(&b, &rows[i], &info, target, type);
                    if (tally->runs == before && b.share > 1) { /* none in the share: all of them */
                        b.share = 1;
                        one_type(&b, &rows[i], &info, target, type);
                    }
                    if (tally->runs == before) tally->idle++;
                } else
                    other_type(&b, &rows[i], &info, target, type);
            }
        }
        for (int i = 0; i < TW_PTO_LOCATIONS; i++) free(b.memory[i].want);
        for (int i = 0; i < REF_OPERANDS; i++) free(b.tensor[i].want);
        tw_pto_free(b.core);
    }
}
