/* SPDX-License-Identifier: MIT */
/* Runs each vertex of an archive as the chip's code on a simulated tile and as the host's code, with the same
 * states and data, and compares every element of every field:
 *
 *     tilewright run poplibs_values.c FILE.gp [WORD [STATES]]
 *
 * Vertices whose names have the word, with the first so many states of `trials`.
 * What a vertex wants of its fields is not known, but for those in `wants`, whose vectors are programs of a kind;
 * so states are tried: sizes and offsets small, vectors long. A state says nothing with which the host's run fails
 * (it writes outside of its fields), or whose results depend on where the data lies (it reads outside), or with
 * which the tile does not end in time. One line for each vertex: `equal`, `near` (floats within 2 units of the
 * last place), `close` (of that of the field's largest number), `differ`, `chip` (the chip's run alone fails),
 * `skipped`. Then how many of each. Floats below the least normal one are 0 on the chip, and equal to what the
 * host has. Halves that overflow on the host, and what vertices with halves have infinite there, are not compared:
 * the chip goes on with the largest half. Exits with 1 when there is one that differs or fails. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tilewright/poplar/vertex_state.h>
#include <tilewright/tilewright.h>
#include <unistd.h>

/* A list has more vectors than two counts of a state, multiplied, and a short vector times the largest count is not
 * longer than a long one. */
enum { TRIALS = 8, FIELDS = 64, SUBS = 64, LENGTH = 1008, INDICES = 144, REALS = 2400, SECONDS = 2 };
typedef enum verdict { EQUAL, NEAR, CLOSE, DIFFER, CHIP, SKIPPED, VERDICTS } verdict;
static const char *const words[VERDICTS] = { "equal", "near", "close", "differ", "chip", "skipped" };

typedef struct field {
    const tw_state_field *row;
    char element[64];
    tw_type type;
    unsigned depth; /* of vectors around the element */
    bool is_edge;
    size_t count; /* elements of all its tensors */
    char handle[96];
    size_t bytes;
    const struct want *want;
    uint8_t *after[5]; /* by place: what a run has left */
} field;

/* How a trial fills the fields. */
static const struct trial {
    unsigned state;   /* largest integer in the state */
    unsigned least;   /* ... and the smallest */
    unsigned integer; /* largest in vectors of integers; 0: any bits */
    double range;     /* of floats; 0: with zeros, infinities, NaN */
    bool are_indices; /* vectors of integers are short, those of floats long: one leads into the other */
} trials[TRIALS] = {
    { 4, 1, 3, 4, false },   { 4, 1, 1, 0, false }, { 4, 0, 0, 1000, false }, { 1, 0, 1, 4, true },
    { 16, 1, 8, 0.5, true }, { 1, 0, 1, 4, false }, { 3, 0, 2, 100, true },   { 7, 0, 3, 30, true },
};

#define GF16                                                                              \
    { 0x7c007c00, 0x7c007c00, 0x80008000, 0x80008000, 0x7e9c7e9c, 0x7e9c7e9c, 0xff80ff80, \
      0xff80ff80, 0,          0,          0x43700000, 0xc3700000, 0x3b800000, 0x1c00,     \
      0,          0,          0,          0,          0x78007800, 0x78007800, 0xdb805b80, \
      0xbb803b80, 0x400080,   0x800800,   0x3800,     0x14006400, 7,          7 }
#define GF32                                                                                          \
    { 0xffffe000, 0xffffe000, 0x7f800000, 0x7f800000, 0x80000000, 0x80000000, 0x7fc00000, 0x7fc00000, \
      0xff800000, 0xff800000, 0x800000,   0x800000,   0x477fe000, 0xc77fe000, 0x33000000, 0x33000000, \
      0xffffe000, 0xffffe000, 0x38800000, 0,          0x7f800000, 0x7f800000, 0x33800000, 1,          \
      0x07800000, 13,         0x38800000, 13,         3 }
/* What no random state has, as the vertex's source states it: elements `values`, over and over, of which number
 * `grows` has `by` more each time, and in each further vector of a list. Other fields are as in the trial. */
static const struct want {
    const char *vertex, *field;
    unsigned length, subs; /* 0: of the trial */
    unsigned count, values[29], grows, by;
    bool is_scratch; /* holds addresses afterwards */
} wants[] = {
    { "popops::SequenceSlice<", "srcOffsetT", .length = 5, .count = 1, .by = 3 },
    { "popops::SequenceSlice<", "dstOffsetT", .length = 5, .count = 1, .values = { 1 }, .by = 4 },
    { "popops::SequenceSlice<", "nElementsT", .length = 5, .count = 1, .values = { 3 } },
    { "popops::SequenceSlice<", "tmpT", .length = 15, .is_scratch = true },
    { "popops::SequenceSlice<", "srcFirst", .count = 1 },
    { "popops::SequenceSlice<", "dstFirst", .count = 1 },
    { "popops::SequenceSlice<", "numSrcElements", .count = 1, .values = { 20 } },
    { "popops::SequenceSlice<", "numDstElements", .count = 1, .values = { 20 } },
    { "popops::SequenceSlice<", "regionSize", .count = 1, .values = { 3 } },
    { "popops::MultiSlice<", "offsets", .length = 8 }, /* times regionSize: not longer than subT */
    /* a format of 3 bits of mantissa, 4 of exponent with bias 7, subnormal numbers and infinity; for the casts what
     * vertices *Param say of 10 and 5 bits with bias 15 */
    { "popfloat::experimental::CastToGfloat16Param", "gfStruct", .count = 1, .values = { 0x03070403 } },
    { "popfloat::experimental::CastToGfloat32Param", "gfStruct", .count = 1, .values = { 0x030f050a } },
    { "popfloat::experimental::CastToGfloat32", "param", .count = 29, .values = GF32 },
    { "popfloat::experimental::CastToGfloat16", "param", .count = 28, .values = GF16 },
    { "popfloat::experimental::CastFloatToGf16", "param", .count = 29, .values = GF32 },
    { "popfloat::experimental::CastGf16ToFloat", "param", .count = 29, .values = GF32 },
    { "poplin::WgdPartials<", "dTf", .length = 4, .subs = 16 },
    { "poplin::WgdPartials<", "wTf", .length = 16, .subs = 4 },
    { "poplin::WgdPartials<", "partials", .length = 4, .subs = 4 },
    { "poplin::ConvPartial", "inChansPerGroup", .count = 1, .values = { 4 } },
    { "poplin::ConvPartial", "outChansPerGroup", .count = 1, .values = { 4 } },
    { "poplin::ConvPartial", "numConvGroupsM1", .count = 1, .values = { 1 } },
    { "poplin::ConvPartial", "numOutGroupsM1", .count = 1, .values = { 1 } },
    { "poplin::ConvPartial", "numInGroups", .count = 1, .values = { 3 } },
    /* one group with one row of two elements, or of one block, one worker, and the end */
    { "popsparse::SparseDenseMatMulBlock", "metaInfo", .length = 15, .count = 15,
      .values = { 1, 0, 0, 0, 14, 0, 1, 0, 4, 0, 1 } },
    { "popsparse::SparseDenseMatMulBlock", "r", .length = 300 },
    { "popsparse::SparseDenseMatMulBlock", "offsetAndNumZByWorker", .length = 12, .count = 2, .values = { 0, 1 } },
    { "popsparse::SparseDenseMultiSliceBlock", "metaInfo", .length = 15, .count = 15,
      .values = { 1, 0, 0, 0, 14, 0, 1, 0, 4, 0, 1 } },
    { "popsparse::", "metaInfo", .length = 26, .count = 26,
      .values = { 1, 0, 0, 2, 25, 2, 0, 19, 1, 0, 2, 0, 0, 10, 1, 0, 4, 0, 2, 1, 2, 0, 8, 16, 8 } },
    { "popsparse::", "subGroupIdToProcess", .count = 1, .values = { 1 } },
    { "popsparse::", "yPartitionToProcess", .count = 1 },
    /* rows of a worker, where it finds them, and { output, input, elements less 1 } of each */
    { "popnn::", "startPos", .length = 6, .count = 6, .values = { 1, 2, 3, 4, 5, 6 } },
    { "popnn::", "offsetBase", .length = 16, .count = 2, .grows = 0, .by = 2 },
    { "popnn::", "workList", .length = 3, .subs = 16, .count = 3, .values = { 1, 2, 1 } },
    /* rows begin on 8 bytes; four workers have 8 elements each, the others 4, and one of them 2 less */
    { "popops::BroadcastVectorOuter", "columns", .count = 1, .values = { 4 } },
    { "popops::BroadcastVectorOuter", "rows", .count = 1, .values = { 5 } },
    { "popops::Cast", "partitionParams", .count = 1, .values = { 8 << 9 | 4 << 6 | 3 << 3 | 2 } },
    /* a worker has a sixth of a region: whole words, also of bytes */
    { "popops::DynamicSlice1D<", "baseT", .length = 96 },
    { "popops::DynamicSlice1D<", "subT", .length = 96 },
    { "popops::DynamicSlice1D<", "numBaseElements", .count = 1, .values = { 4 } },
    { "popops::DynamicSlice1D<", "numSubElements", .count = 1, .values = { 3 } },
    { "popops::DynamicSlice1D<", "regionSize", .count = 1, .values = { 24 } },
    { "popops::DynamicUpdateSlice1D<", "baseT", .length = 96 },
    { "popops::DynamicUpdateSlice1D<", "subT", .length = 96 },
    { "popops::DynamicUpdateSlice1D<", "numBaseElements", .count = 1, .values = { 4 } },
    { "popops::DynamicUpdateSlice1D<", "numSubElements", .count = 1, .values = { 3 } },
    { "popops::DynamicUpdateSlice1D<", "regionSize", .count = 1, .values = { 24 } },
    /* entries less 1, from where, order (a word), of the first inner loop, { distance, elements }, two that are
     * read */
    { "popops::CompareAndSwapAtDistance", "worklists", .length = 9, .subs = 6, .count = 9,
      .values = { 0, 0, 0, 0, 4, 4, 32, 0, 0 }, .grows = 1, .by = 64 },
    { "popops::CompareAndSwapAtDistance", "distanceToChangeOrder", .count = 1, .values = { 16 } },
};

static const struct want *want_of(const char *vertex, const char *field) /* field NULL: of any */
{
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        if (strncmp(vertex, wants[i].vertex, strlen(wants[i].vertex)) == 0 &&
            (!field || strcmp(field, wants[i].field) == 0))
            return &wants[i];
    return NULL;
}

static uint32_t seed;
static uint32_t next(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static double real(double range)
{
    static const double edges[] = { 0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 1000, -1000, 0.5, 3, 1e-3 };
    if (range == 0)
        return next() % 2 ? edges[next() % (sizeof edges / sizeof *edges)] : ((int)(next() % 64) - 32) / 4.0;
    return ((double)(next() % 65536) / 32768 - 1) * range;
}

static void fill_wanted(const struct want *w, size_t size, uint8_t *at, size_t count)
{
    for (size_t i = 0; i < count; i++, at += size) {
        uint64_t value = w->values[i % w->count];
        if (i % w->count == w->grows) value += i / w->count * w->by;
        memcpy(at, &value, size);
    }
}

static void fill(const struct trial *t, const field *f, uint8_t *at, size_t count)
{
    tw_type type = f->type;
    size_t size = tw_type_size(type);
    unsigned most = f->is_edge ? t->integer : t->state, least = f->is_edge ? 0 : t->least;
    if (f->want && f->want->count) {
        fill_wanted(f->want, size, at, count);
        return;
    }
    for (size_t i = 0; i < count; i++, at += size) {
        if (type == TW_FLOAT)
            *(float *)(void *)at = (float)real(t->range);
        else if (type == TW_HALF)
            *(uint16_t *)(void *)at = tw_f64_to_f16(real(t->range), TW_ROUND_NEAREST_EVEN, 0);
        else {
            uint64_t value = type == TW_BOOL ? next() & 1
                             : most          ? least + next() % (most + 1 - least)
                                             : next() ^ (uint64_t)next() << 20;
            memcpy(at, &value, size);
        }
    }
}

/* "Vector<Vector<half>>" -> half, 2; false: nothing that can be filled. */
static bool read_field(const tw_state_field *row, field *f)
{
    const char *text = row->type;
    *f = (field){ .row = row, .is_edge = *row->direction };
    for (const char *open; (open = strchr(text, '<')) != NULL; text = open + 1)
        f->depth += strncmp(text, "VectorList", 10) == 0 ? 2 : 1;
    size_t length = strcspn(text, ">[");
    snprintf(f->element, sizeof f->element, "%.*s", (int)length, text);
    f->type = tw_type_by_name(f->element);
    f->count = text[length] == '[' ? strtoul(text + length + 1, NULL, 10) : 1;
    return f->type != TW_TYPE_NONE;
}

/* `is_reversed`: the vectors of a list lie in another order, as one may read behind another. */
static void connect(tw_graph *g, tw_vertex v, field *f, const struct trial *t, bool is_reversed)
{
    size_t length = !t->are_indices ? LENGTH : f->type == TW_FLOAT || f->type == TW_HALF ? REALS : INDICES;
    if (f->want && f->want->length) length = f->want->length;
    if (f->depth > 1) {
        if (!f->want) length /= 12;
        unsigned subs = f->want && f->want->subs ? f->want->subs : SUBS;
        tw_tensor all[SUBS], parts[SUBS];
        for (unsigned i = 0; i < subs; i++)
            all[is_reversed ? subs - 1 - i : i] = tw_graph_add_variable(g, f->type, 1, &length, f->row->name);
        for (unsigned i = 0; i < subs; i++) tw_graph_map(g, all[i], 0), parts[i] = all[i];
        tw_graph_connect_list(g, v, f->row->name, subs, parts);
        tw_graph_create_host_access(g, f->handle, tw_tensor_concat(g, subs, all, 0));
        f->count = subs * length;
        return;
    }
    f->count = f->depth ? length : 1;
    tw_tensor x = f->depth ? tw_graph_add_variable(g, f->type, 1, &length, f->row->name)
                           : tw_graph_add_variable(g, f->type, 0, NULL, f->row->name);
    tw_graph_map(g, x, 0);
    tw_graph_connect(g, v, f->row->name, x);
    tw_graph_create_host_access(g, f->handle, x);
}

/* The latter two: in another order, other data between. BEFORE: what runs started from. */
typedef enum place { HOST, TILE, HOST_ELSEWHERE, TILE_ELSEWHERE, BEFORE } place;

/* Noise that lies between the vertex's data. */
static void add_noise(tw_graph *g, unsigned number)
{
    enum { WORDS = 2500 };
    size_t words = WORDS + 8 * number;
    uint32_t noise[WORDS + 8 * FIELDS];
    for (size_t i = 0; i < words; i++) noise[i] = 0x3c153c15 + (uint32_t)i;
    tw_tensor x = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &words, "noise");
    tw_graph_map(g, x, 0);
    tw_graph_set_initial_value(g, x, noise, false);
    char handle[32];
    snprintf(handle, sizeof handle, "noise %u", number);
    tw_graph_create_host_read(g, handle, x);
}

static void set_up(tw_graph *g, tw_vertex v, const struct trial *t, place where, field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = where >= HOST_ELSEWHERE ? count - 1 - i : i;
        field *f = &fields[at];
        snprintf(f->handle, sizeof f->handle, "field %zu", at);
        if (where >= HOST_ELSEWHERE) add_noise(g, (unsigned)i);
        if (f->is_edge) {
            connect(g, v, f, t, where >= HOST_ELSEWHERE);
            continue;
        }
        uint8_t bytes[2048];
        size_t elements = f->depth ? 256 : f->count;
        seed = (uint32_t)(at * 31 + 7);
        fill(t, f, bytes, elements);
        tw_graph_set_field_values(g, v, f->row->name, f->type, elements, bytes);
    }
}

/* Devices and graphs of HOST and TILE, with the archive in them: made once, and each process goes on with its
 * copy. */
static struct start {
    tw_device *device;
    tw_graph *graph;
} starts[2];

static struct start start_new(const char *archive, place where)
{
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .tiles_per_ipu = 1 };
    bool is_host = where == HOST || where == HOST_ELSEWHERE;
    struct start s = { .device = is_host ? tw_device_ipu_model_with(&model) : tw_device_ipu_sim_with(&model) };
    s.graph = tw_graph_new(tw_device_target(s.device));
    tw_graph_add_codelets(s.graph, archive, NULL);
    return s;
}

/* One run of a vertex with the states of a trial; NULL: it went well. */
static const char *run(const char *archive, const tw_state_vertex *type, unsigned trial, place where, field *fields,
                       size_t count)
{
    static const char *const options[] = { "simulator.turnLimit=4000000", "debug.allowOutOfMemory=true", NULL };
    static uint8_t bytes[SUBS * REALS * 8];
    struct start start = where <= TILE ? starts[where] : start_new(archive, where);
    tw_device *device = start.device;
    tw_graph *g = start.graph;
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v = tw_graph_add_vertex(g, cs, type->name, 0);
    tw_graph_set_perf_estimate(g, v, 1, 0);
    set_up(g, v, &trials[trial], where, fields, count);
    if (tw_graph_status(g) != TW_OK) return tw_graph_error(g)->message;
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), options);
    if (tw_engine_load(e, device) != TW_OK) return tw_error_message();
    for (size_t i = 0; i < count; i++) {
        field *f = &fields[i];
        if (!f->is_edge) continue;
        f->bytes = f->count * tw_type_size(f->type);
        seed = (uint32_t)(trial * 977 + i * 13 + 1);
        fill(&trials[trial], f, bytes, f->count);
        tw_engine_write(e, f->handle, bytes, f->bytes);
        f->after[BEFORE] = malloc(f->bytes);
        memcpy(f->after[BEFORE], bytes, f->bytes);
    }
    if (tw_engine_run(e, 0) != TW_OK) return tw_error_message();
    for (size_t i = 0; i < count; i++) {
        field *f = &fields[i];
        if (!f->is_edge) continue;
        f->after[where] = malloc(f->bytes);
        if (tw_engine_read(e, f->handle, f->after[where], f->bytes) != TW_OK) return tw_error_message();
    }
    tw_engine_free(e);
    return NULL;
}

static int64_t ordered(int64_t bits, int64_t sign) /* so that neighbours differ by 1 */
{
    return bits & sign ? -(bits & (sign - 1)) : bits;
}

static bool is_compared(const field *f)
{
    return f->is_edge && !(f->want && f->want->is_scratch);
}

static double number_of(const field *f, const uint8_t *at)
{
    float wide;
    uint16_t half;
    if (f->type == TW_HALF) return memcpy(&half, at, sizeof half), (double)tw_f16_to_f32(half);
    return memcpy(&wide, at, sizeof wide), (double)wide;
}

/* The largest number that the host has left in a field. */
static double largest(const field *f)
{
    double most = 0;
    if (f->type != TW_FLOAT && f->type != TW_HALF) return 0;
    for (size_t i = 0; is_compared(f) && i < f->count; i++) {
        double x = fabs(number_of(f, f->after[HOST] + i * tw_type_size(f->type)));
        if (isfinite(x) && x > most) most = x;
    }
    return most;
}

/* Within 2 units of the last place of the largest number: what sums have of which most cancels, such as 1 +
 * tanh(x). */
static bool is_close(const field *f, const uint8_t *x, const uint8_t *y, double most)
{
    return fabs(number_of(f, x) - number_of(f, y)) <= 2 * ldexp(most, f->type == TW_FLOAT ? -23 : -10);
}

static verdict compare(const field *f, size_t i, bool has_halves, double most, char *why, size_t size)
{
    size_t width = tw_type_size(f->type);
    const uint8_t *h = f->after[HOST] + i * width, *c = f->after[TILE] + i * width;
    if (memcmp(h, c, width) == 0) return EQUAL;
    uint64_t a = 0, b = 0;
    memcpy(&a, h, width), memcpy(&b, c, width);
    verdict v = DIFFER;
    if (f->type == TW_FLOAT || f->type == TW_HALF) {
        bool wide = f->type == TW_FLOAT;
        int64_t sign = wide ? 0x80000000 : 0x8000, infinity = wide ? 0x7f800000 : 0x7c00, x = (int64_t)a,
                y = (int64_t)b;
        bool nan_x = (x & (sign - 1)) > infinity, nan_y = (y & (sign - 1)) > infinity;
        if (nan_x && nan_y) return EQUAL;
        if ((!wide || has_halves) && (x & (sign - 1)) >= infinity)
            return EQUAL; /* a half did not fit: the chip goes on with the largest one */
        if (!nan_x && !nan_y && llabs(ordered(x, sign) - ordered(y, sign)) <= 2) v = NEAR;
        if (wide && !nan_x && (x & infinity) == 0 && (y & (sign - 1)) == 0)
            return EQUAL; /* no subnormal floats there */
        if (v == DIFFER && is_close(f, h, c, most)) v = CLOSE;
    }
    snprintf(why, size, "%s[%zu]: %llx, and %llx on the host", f->row->name, i, (unsigned long long)b,
             (unsigned long long)a);
    return v;
}

/* Does the vertex read what is not its own? Then what it gives depends on where its data lies. */
static bool depends_on_place(const char *archive, const tw_state_vertex *type, unsigned trial, field *fields,
                             size_t count)
{
    for (int where = HOST; where <= TILE; where++) {
        if (run(archive, type, trial, (place)(where + HOST_ELSEWHERE), fields, count)) return true;
        for (size_t i = 0; i < count; i++)
            if (is_compared(&fields[i]) &&
                memcmp(fields[i].after[where], fields[i].after[where + HOST_ELSEWHERE], fields[i].bytes) != 0)
                return true;
    }
    return false;
}

static bool host_did_nothing(const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].is_edge && memcmp(fields[i].after[BEFORE], fields[i].after[HOST], fields[i].bytes) != 0)
            return false;
    return true;
}

static verdict one_trial(const char *archive, const tw_state_vertex *type, unsigned trial, field *fields,
                         size_t count, char *why, size_t size)
{
    const char *message = run(archive, type, trial, HOST, fields, count);
    if (message) return snprintf(why, size, "host, trial %u: %.300s", trial, message), SKIPPED;
    message = run(archive, type, trial, TILE, fields, count);
    if (message) { /* 0 of something less 1: not what a program states */
        bool is_endless = strstr(message, "turnLimit") || host_did_nothing(fields, count);
        return snprintf(why, size, "trial %u: %.300s", trial, message), is_endless ? SKIPPED : CHIP;
    }
    verdict worst = EQUAL;
    bool has_halves = false;
    for (size_t i = 0; i < count; i++) has_halves = has_halves || fields[i].type == TW_HALF;
    for (size_t i = 0; i < count; i++) {
        double most = largest(&fields[i]);
        for (size_t k = 0; is_compared(&fields[i]) && k < fields[i].count && worst < DIFFER; k++) {
            char text[200];
            verdict v = compare(&fields[i], k, has_halves, most, text, sizeof text);
            if (v > worst) worst = v, snprintf(why, size, "trial %u, %s", trial, text);
        }
    }
    if (worst == DIFFER && host_did_nothing(fields, count))
        return snprintf(why, size, "trial %u: the host's code does nothing", trial), SKIPPED;
    if (worst != DIFFER || !depends_on_place(archive, type, trial, fields, count)) return worst;
    return snprintf(why, size, "trial %u: reads behind its data", trial), SKIPPED;
}

/* In a process of its own: the host's code may do anything with a state that it does not expect. */
static verdict in_process(const char *archive, const tw_state_vertex *type, unsigned trial, char *why, size_t size)
{
    int pipes[2];
    if (pipe(pipes) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
        int none = open("/dev/null", O_WRONLY);
        dup2(none, 2), dup2(none, 1);
        setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS });
        field fields[FIELDS];
        size_t count = 0;
        char text[500] = "";
        verdict v = EQUAL;
        for (size_t i = 0; i < type->field_count && v == EQUAL; i++) {
            if (type->fields[i].name[0] == '(') continue;
            if (count == FIELDS || !read_field(&type->fields[i], &fields[count++]))
                v = SKIPPED,
                snprintf(text, sizeof text, "field %s has the type %s", type->fields[i].name, type->fields[i].type);
            else
                fields[count - 1].want = want_of(type->name, type->fields[i].name);
        }
        if (v == EQUAL) v = one_trial(archive, type, trial, fields, count, text, sizeof text);
        for (char *c = text; *c; c++) *c = *c == '\n' ? ' ' : *c;
        if (write(pipes[1], text, strlen(text)) < 0) _exit(VERDICTS);
        _exit(v);
    }
    close(pipes[1]);
    ssize_t got = read(pipes[0], why, size - 1);
    why[got > 0 ? got : 0] = 0;
    close(pipes[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) < VERDICTS) return WEXITSTATUS(status);
    return snprintf(why, size, "trial %u: the process ends with %d", trial, status), SKIPPED;
}

/* Of vertices, which graphs read when they are first asked about one: once, instead of in each process. */
static void read_table(const tw_state_vertex *type)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (*type->fields[i].direction && strncmp(type->fields[i].type, "Vector", 6) == 0)
            for (int where = HOST; where <= TILE; where++)
                tw_graph_max_field_dim(starts[where].graph, type->name, type->fields[i].name, 0);
}

int main(int argc, char **argv)
{
    if (argc < 2) return fputs("usage: poplibs_values FILE.gp [WORD [STATES]]\n", stderr), 2;
    tw_state_map *map = tw_state_map_read(argv[1], "ipu2", NULL, NULL);
    if (!map) return fprintf(stderr, "%s\n", tw_error_message()), 2;
    unsigned total[VERDICTS] = { 0 }, trials_used = argc > 3 ? (unsigned)atoi(argv[3]) : TRIALS;
    for (int where = HOST; where <= TILE; where++) starts[where] = start_new(argv[1], (place)where);
    for (size_t i = 0; i < tw_state_map_count(map); i++) {
        const tw_state_vertex *type = tw_state_map_get(map, i);
        if (argc > 2 && !strstr(type->name, argv[2])) continue;
        verdict worst = SKIPPED;
        unsigned compared = 0;
        char reason[500] = "";
        read_table(type);
        for (unsigned trial = 0; trial < trials_used && trial < TRIALS; trial++) {
            char why[500];
            verdict v = in_process(argv[1], type, trial, why, sizeof why);
            compared += v != SKIPPED;
            bool worse = worst == SKIPPED ? true : v != SKIPPED && v > worst;
            if (!worse) continue;
            worst = v, memcpy(reason, why, sizeof reason);
        }
        total[worst]++;
        printf("%s %s (%u states)%s%s\n", words[worst], type->name, compared, worst == EQUAL ? "" : ": ", reason);
        fflush(stdout);
    }
    for (int v = 0; v < VERDICTS; v++) printf("%s%u %s", v ? ", " : "", total[v], words[v]);
    puts("");
    tw_state_map_free(map);
    return total[DIFFER] + total[CHIP] ? 1 : 0;
}
