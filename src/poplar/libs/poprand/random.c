/* SPDX-License-Identifier: MIT */
/* Random numbers from counters: what an element gets depends on its number alone, so vertices share nothing. */
#include "poplar/libs/poprand/random.h"

#include <float.h>
#include <math.h>

/* --- vertices ------------------------------------------------------------------------------------------------- */

/* Blocks of four words for 32 counters. Counter: its number, which try it is, the kind of distribution. */
#define WORDS(kind)                                                                                                \
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"                                                                          \
    "    TW_INPUT(TW_VECTOR(unsigned)) seed;\n    TW_OUTPUT(TW_VECTOR(%T%)) out;\n"                                \
    "    unsigned modifier, first_low, first_high; /* number of the first element */\n"                            \
    "    unsigned range, base; /* of integers: least, and how many (0: 2^32); of 65536 */\n"                       \
    "    float offset, factor, low, high, alpha;\n};\n"                                                            \
    "static void %ID%words(const %ID% *v, uint64_t block, unsigned attempt, unsigned *w)\n{\n"                     \
    "    unsigned a[32], b[32], c[32], d[32], k = *tw_at(v->seed, 0) ^ v->modifier, l = *tw_at(v->seed, 1);\n"     \
    "    for (size_t i = 0; i < 32; i++)\n"                                                                        \
    "        a[i] = (unsigned)(block + i), b[i] = (unsigned)((block + i) >> 32), c[i] = attempt, d[i] = " kind     \
    ";\n"                                                                                                          \
    "    for (int round = 0; round < 10; round++, k += 0x9e3779b9u, l += 0xbb67ae85u)\n"                           \
    "        for (size_t i = 0; i < 32; i++) {\n"                                                                  \
    "            uint64_t p = (uint64_t)0xd2511f53u * a[i], q = (uint64_t)0xcd9e8d57u * c[i];\n"                   \
    "            a[i] = (unsigned)(q >> 32) ^ b[i] ^ k, c[i] = (unsigned)(p >> 32) ^ d[i] ^ l;\n"                  \
    "            b[i] = (unsigned)q, d[i] = (unsigned)p;\n"                                                        \
    "        }\n"                                                                                                  \
    "    for (size_t i = 0; i < 32; i++) w[4 * i] = a[i], w[4 * i + 1] = b[i], w[4 * i + 2] = c[i], w[4 * i + 3] " \
    "= d[i];\n"                                                                                                    \
    "}\n"

/* Elements of `each` counters at a time; `value` makes result[] of them, and `store` an element of x = result[i]. */
#define LOOP(each, locals, value, store)                                                        \
    "bool %ID%_compute(%ID% *v)\n{\n"                                                           \
    "    uint64_t first = (uint64_t)v->first_high << 32 | v->first_low, n = tw_size(v->out);\n" \
    "    unsigned w[128];\n" locals "    for (uint64_t block = first / " each "; block * " each \
    " < first + n; block += 32) {\n" value "        uint64_t at = block * " each                \
    ", begin = at < first ? first : at;\n"                                                      \
    "        uint64_t end = at + 32 * " each " < first + n ? at + 32 * " each " : first + n;\n" \
    "        for (uint64_t i = begin; i < end; i++) {\n" store "        }\n"                    \
    "    }\n    return true;\n}\n"
#define STORE_REAL                                                         \
    "            %T% y = (%T%)(v->offset + v->factor * result[i - at]);\n" \
    "            float x = (float)y;\n"                                    \
    "            *tw_at(v->out, i - first) = x < v->low ? (%T%)v->low : x > v->high ? (%T%)v->high : y;\n"

static const char uniform_text[] =
    WORDS("0") LOOP("4", "    float result[128];\n",
                    "        %ID%words(v, block, 0, w);\n"
                    "        for (size_t i = 0; i < 128; i++) result[i] = (float)(w[i] >> 8) * 0x1p-24f;\n",
                    STORE_REAL);

static const char integer_text[] =
    WORDS("0") LOOP("4", "", "        %ID%words(v, block, 0, w);\n",
                    "            unsigned x = w[i - at];\n"
                    "            if (v->range) x = (unsigned)((uint64_t)x * v->range >> 32);\n"
                    "            *tw_at(v->out, i - first) = (%T%)(v->base + x);\n");

/* Pairs: the logarithm of the first word is the distance, the second the angle. */
#define DISTANCE "(float)((w[2 * i] >> 8) + 1) * 0x1p-24f"
#define ANGLE    "(float)(w[2 * i + 1] >> 8) * (0x1p-24f * 6.28318530718f)"
static const char normal_text[] =
    WORDS("1") LOOP("4", "    float result[128], length[64], angle[64], other[64];\n",
                    "        %ID%words(v, block, 0, w);\n"
                    "        for (size_t i = 0; i < 64; i++) length[i] = " DISTANCE ", angle[i] = " ANGLE ";\n"
                    "        tw_map_log(64, length, length);\n"
                    "        tw_map_sin(64, other, angle);\n"
                    "        tw_map_cos(64, angle, angle);\n"
                    "        for (size_t i = 0; i < 64; i++) {\n"
                    "            float r = __builtin_sqrtf(-2.0f * length[i]);\n"
                    "            result[2 * i] = r * angle[i], result[2 * i + 1] = r * other[i];\n"
                    "        }\n",
                    STORE_REAL);

/* Each element has counters of its own and tries again until it is within the bounds. Wide bounds take normal
 * numbers, narrow ones uniform numbers with the density as probability. After 64 tries, which nobody will see, it
 * is 0. */
static const char truncated_text[] = WORDS("2")
    LOOP("1", "    float result[32], length[32], angle[32];\n",
         "        unsigned left = ~0u;\n"
         "        for (size_t i = 0; i < 32; i++) result[i] = 0;\n"
         "        for (unsigned attempt = 0; left && attempt < 64; attempt++) {\n"
         "            bool narrow = v->alpha < 1.0f;\n"
         "            %ID%words(v, block, attempt, w);\n"
         "            for (size_t i = 0; i < 32; i++) {\n"
         "                float u = (float)((w[4 * i] >> 8) + 1) * 0x1p-24f, z = v->alpha * (2.0f * u - 1.0f);\n"
         "                length[i] = narrow ? -0.5f * z * z : u;\n"
         "                angle[i] = narrow ? z : (float)(w[4 * i + 1] >> 8) * (0x1p-24f * 6.28318530718f);\n"
         "            }\n"
         "            if (narrow) {\n"
         "                tw_map_exp(32, length, length);\n"
         "            } else {\n"
         "                tw_map_log(32, length, length);\n"
         "                tw_map_cos(32, angle, angle);\n"
         "            }\n"
         "            for (size_t i = 0; i < 32; i++) {\n"
         "                float z = narrow ? angle[i] : __builtin_sqrtf(-2.0f * length[i]) * angle[i];\n"
         "                bool good = narrow ? (float)(w[4 * i + 1] >> 8) * 0x1p-24f < length[i]\n"
         "                                   : z <= v->alpha && z >= -v->alpha;\n"
         "                if (good && (left >> i & 1)) result[i] = z, left &= ~(1u << i);\n"
         "            }\n"
         "        }\n",
         STORE_REAL);

static const char bernoulli_text[] =
    WORDS("3") LOOP("4", "", "        %ID%words(v, block, 0, w);\n",
                    "            *tw_at(v->out, i - first) = (%T%)(w[i - at] >> 16 < v->range);\n");

const tw__libs_code tw__random_codes[TW__RANDOM_CODES] = {
    [TW__RANDOM_UNIFORM] = { "poprand::Uniform", "fh", uniform_text },
    [TW__RANDOM_INTEGER] = { "poprand::Integer", "i", integer_text },
    [TW__RANDOM_NORMAL] = { "poprand::Normal", "fh", normal_text },
    [TW__RANDOM_TRUNCATED] = { "poprand::Truncated", "fh", truncated_text },
    [TW__RANDOM_BERNOULLI] = { "poprand::Bernoulli", "fhi", bernoulli_text },
};

/* --- seeds ---------------------------------------------------------------------------------------------------- */

static bool random_check_seed(tw_graph *graph, const char *call, tw_tensor seed)
{
    tw_type type = tw_tensor_type(graph, seed);
    if (!tw__libs_ready(graph)) return false;
    if (type == TW_UNSIGNED_INT && tw_tensor_elements(graph, seed) == 2 && tw_graph_mapping_complete(graph, seed))
        return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "a seed is two unsigned int, on tiles, not %s",
                  tw__libs_describe(graph, seed).text);
    return false;
}

/* The graph's own seed: the variable of this name. Its second word counts executions. */
static tw_tensor random_state(tw_graph *graph)
{
    static const char name[] = "poprand/seed";
    for (uint32_t i = 0; i < tw_graph_variable_count(graph); i++)
        if (g_str_equal(tw_graph_variable_name(graph, i), name)) return tw_graph_get_variable(graph, i);
    size_t two = 2;
    tw_tensor made = tw_graph_add_variable(graph, TW_UNSIGNED_INT, 1, &two, name);
    tw_graph_map(graph, made, 0);
    tw_graph_set_initial_value(graph, made, (uint32_t[]){ 0x7469u, 0 }, false);
    return made;
}

void tw_poprand_set_seed(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!random_check_seed(graph, __func__, seed)) return;
    tw_graph_push_scope(graph);
    tw_tensor state = random_state(graph), from = tw_tensor_flatten(graph, seed);
    char text[32];
    snprintf(text, sizeof text, "_1 ^ %uu", modifier);
    tw_tensor first = tw_tensor_slice(graph, from, 0, 0, 1);
    tw_popops_map_with_output(graph, text, 1, &first, tw_tensor_slice(graph, state, 0, 0, 1), sequence, name, NULL);
    tw_program_sequence_add(
        graph, sequence,
        tw_program_copy(graph, tw_tensor_slice(graph, from, 0, 1, 2), tw_tensor_slice(graph, state, 0, 1, 2)));
    tw_graph_pop_scope(graph);
}

/* --- numbers -------------------------------------------------------------------------------------------------- */

typedef struct random_call {
    tw_graph *graph;
    const char *call, *vertex, *name;
    int code;
    tw_type type;
    tw_compute_set cs;
    tw_tensor seed, out;
    uint32_t modifier, range, base;
    double offset, factor, low, high, alpha;
} random_call;

static void random_part(void *user, unsigned tile, size_t count, const tw_interval *intervals)
{
    const random_call *c = user;
    tw_graph *g = c->graph;
    const struct {
        const char *name;
        double value;
    } reals[] = { { "offset", c->offset },
                  { "factor", c->factor },
                  { "low", c->low },
                  { "high", c->high },
                  { "alpha", c->alpha } };
    tw_graph_push_scope(g);
    for (size_t i = 0; i < count; i++) {
        tw_vertex v = tw_graph_add_vertex(g, c->cs, c->vertex, tile);
        tw_graph_connect(g, v, "seed", c->seed);
        tw_graph_connect(g, v, "out", tw_tensor_slice(g, c->out, 0, intervals[i].begin, intervals[i].end));
        tw_graph_set_field_int(g, v, "modifier", c->modifier);
        tw_graph_set_field_int(g, v, "first_low", (uint32_t)intervals[i].begin);
        tw_graph_set_field_int(g, v, "first_high", (int64_t)(intervals[i].begin >> 32));
        tw_graph_set_field_int(g, v, "range", c->range);
        tw_graph_set_field_int(g, v, "base", c->base);
        for (size_t f = 0; f < G_N_ELEMENTS(reals); f++) tw_graph_set_field(g, v, reals[f].name, reals[f].value);
    }
    tw_graph_pop_scope(g);
}

/* Bounds as numbers of `type` that are not outside of these. */
static void random_bounds(random_call *c, double low, double high)
{
    float l = (float)low, h = (float)high;
    c->low = l < low ? nextafterf(l, INFINITY) : l;
    c->high = h > high ? nextafterf(h, -INFINITY) : h;
    if (c->type != TW_HALF) return;
    for (int up = 0; up < 2; up++) { /* bits of halves, in magnitude, are in the order of their values */
        double *to = up ? &c->high : &c->low, want = up ? high : low;
        uint16_t bits = tw_f64_to_f16(want, TW_ROUND_NEAREST_EVEN, 0);
        double v = tw_type_load(TW_HALF, &bits);
        if (v != want && (v > want) == up) {
            bits = (uint16_t)(v == 0 ? (up ? 0x8001 : 1) : (v > 0) == up ? bits - 1 : bits + 1);
            v = tw_type_load(TW_HALF, &bits);
        }
        *to = v;
    }
}

/* Checks what all calls share; with `c->seed` nil it is the graph's. */
static bool random_check(random_call *c, tw_tensor reference)
{
    tw_graph *g = c->graph;
    if (!tw__libs_ready(g)) return false;
    if (c->seed.id && !random_check_seed(g, c->call, c->seed)) return false;
    tw_tensor_type(g, reference);
    if (!tw__libs_ready(g)) return false;
    if (tw__libs_code_takes(&tw__random_codes[c->code], c->type)) return true;
    tw_graph_fail(g, TW_E_POPLIBS, c->call, "there are no such numbers of %s (for %s)", tw__expr_type_name(c->type),
                  tw__libs_describe(g, reference).text);
    return false;
}

static tw_tensor random_make(random_call *c, tw_tensor reference, tw_program sequence)
{
    tw_graph *g = c->graph;
    tw_graph_push_scope(g);
    bool own = !c->seed.id;
    tw_tensor made = tw_popops_create_output(g, 1, &reference, c->type, c->name);
    c->vertex = tw__libs_code_vertex(g, &tw__random_codes[c->code], c->type);
    c->seed = own ? random_state(g) : tw_tensor_flatten(g, c->seed);
    if (own) c->modifier = 0;
    if (c->vertex && tw_tensor_elements(g, made)) {
        c->out = tw_tensor_flatten(g, made);
        c->cs = tw_graph_add_compute_set(g, c->name && *c->name ? c->name : "random");
        tw__libs_deal(g, c->out, 128, random_part, c);
        tw_program_sequence_add(g, sequence, tw_program_execute(g, c->cs));
    }
    tw_tensor count = own ? tw_tensor_slice(g, c->seed, 0, 1, 2) : TW__LIBS_NIL;
    if (own) tw_popops_map_in_place(g, "_1 + 1", 1, &count, sequence, tw__libs_path(c->name, "seed").text, NULL);
    if (made.id) made = tw_tensor_keep(g, made);
    tw_graph_pop_scope(g);
    return made;
}

#define RANDOM(kind)        \
    { .graph = graph,       \
      .call = __func__,     \
      .code = (kind),       \
      .type = type,         \
      .seed = seed,         \
      .modifier = modifier, \
      .name = name,         \
      .factor = 1,          \
      .low = -FLT_MAX,      \
      .high = FLT_MAX }

static bool random_refuse(const random_call *c, bool bad, const char *what, double a, double b)
{
    if (bad) tw_graph_fail(c->graph, TW_E_POPLIBS, c->call, what, a, b);
    return bad;
}

tw_tensor tw_poprand_uniform(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference, tw_type type,
                             double min, double max, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    random_call c = RANDOM(type == TW_INT ? TW__RANDOM_INTEGER : TW__RANDOM_UNIFORM);
    if (!random_check(&c, reference)) return TW__LIBS_NIL;
    if (random_refuse(&c, !(min <= max) || !isfinite(min) || !isfinite(max), "there is nothing from %g to %g", min,
                      max))
        return TW__LIBS_NIL;
    if (type == TW_INT) {
        double least = ceil(min), most = floor(max);
        if (random_refuse(&c, least < INT32_MIN || most > INT32_MAX || least > most,
                          "there is no int from %g to %g, or not all are", min, max))
            return TW__LIBS_NIL;
        c.base = (uint32_t)(int32_t)least, c.range = (uint32_t)(most - least + 1 < 0x1p32 ? most - least + 1 : 0);
        return random_make(&c, reference, sequence);
    }
    random_bounds(&c, min, max);
    if (random_refuse(&c, c.low > c.high, "there is no number of the type from %g to %g", min, max))
        return TW__LIBS_NIL;
    c.offset = min, c.factor = max - min;
    return random_make(&c, reference, sequence);
}

tw_tensor tw_poprand_log_uniform(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                                 tw_type type, double min, double max, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    random_call c = RANDOM(TW__RANDOM_UNIFORM);
    c.type = TW_FLOAT;
    if (!random_check(&c, reference)) return TW__LIBS_NIL;
    if (random_refuse(&c, !(min >= 1 && max > min) || !isfinite(max), "from %g to %g: from 1 on, and up", min, max))
        return TW__LIBS_NIL;
    if (type != TW_FLOAT && type != TW_HALF && type != TW_INT) {
        TW__LIBS_REFUSE(graph, "there are no such numbers of %s (for %s)", tw__expr_type_name(type),
                        tw__libs_describe(graph, reference).text);
        return TW__LIBS_NIL;
    }
    char text[128];
    random_bounds(&c, log(min), log(max));
    c.offset = log(min), c.factor = log(max) - log(min);
    random_call bound = { .type = type };
    random_bounds(&bound, min, max);
    snprintf(text, sizeof text, "cast(clamp(exp(_1), %.9gf, %.9gf), %s)", bound.low, bound.high,
             tw__expr_type_name(type));
    tw_graph_push_scope(graph);
    tw_tensor logs = random_make(&c, reference, sequence);
    tw_tensor made = tw_popops_map(graph, text, 1, &logs, sequence, name, NULL);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_poprand_normal(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference, tw_type type,
                            double mean, double std_dev, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    random_call c = RANDOM(TW__RANDOM_NORMAL);
    if (!random_check(&c, reference) ||
        random_refuse(&c, !(std_dev >= 0) || !isfinite(mean) || !isfinite(std_dev),
                      "mean %g, standard deviation %g: numbers, the second from 0 on", mean, std_dev))
        return TW__LIBS_NIL;
    c.offset = mean, c.factor = std_dev;
    return random_make(&c, reference, sequence);
}

tw_tensor tw_poprand_truncated_normal(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                                      tw_type type, double mean, double std_dev, double alpha, tw_program sequence,
                                      const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    random_call c = RANDOM(TW__RANDOM_TRUNCATED);
    if (!random_check(&c, reference) ||
        random_refuse(&c, !(std_dev >= 0) || !isfinite(mean) || !isfinite(std_dev),
                      "mean %g, standard deviation %g: numbers, the second from 0 on", mean, std_dev) ||
        random_refuse(&c, !(alpha > 0) || !isfinite(alpha), "alpha is above 0, not %g", alpha, 0))
        return TW__LIBS_NIL;
    random_bounds(&c, mean - alpha * std_dev, mean + alpha * std_dev);
    c.offset = mean, c.factor = std_dev, c.alpha = alpha;
    return random_make(&c, reference, sequence);
}

tw_tensor tw_poprand_bernoulli(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                               tw_type type, double probability, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    random_call c = RANDOM(TW__RANDOM_BERNOULLI);
    if (!random_check(&c, reference) || random_refuse(&c, !(probability >= 0 && probability <= 1),
                                                      "a probability is from 0 to 1, not %g", probability, 0))
        return TW__LIBS_NIL;
    c.range = (uint32_t)lround(probability * 65536);
    return random_make(&c, reference, sequence);
}

tw_tensor tw_poprand_dropout(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor tensor,
                             tw_tensor reference, double keep, double scale, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw_type type = tw_tensor_type(graph, tensor);
    tw__extents own = tw__libs_shape(graph, tensor);
    random_call c = RANDOM(TW__RANDOM_BERNOULLI);
    if (!random_check(&c, reference) ||
        random_refuse(&c, !(keep >= 0 && keep <= 1), "a probability is from 0 to 1, not %g", keep, 0) ||
        random_refuse(&c, !isfinite(scale), "the scale is a number, not %g", scale, 0))
        return TW__LIBS_NIL;
    tw__extents of = tw__libs_shape(graph, reference), both;
    bool fits = tw_poputil_broadcast_shape(own.rank, own.dim, of.rank, of.dim, &both.rank, both.dim) &&
                both.rank == own.rank && tw__libs_count(&both) == tw__libs_count(&own) && type != TW_INT;
    if (!fits || !tw_graph_mapping_complete(graph, tensor)) {
        TW__LIBS_REFUSE(graph, "%s, float or half and on tiles, is not what %s is broadcast to",
                        tw__libs_describe(graph, tensor).text, tw__libs_describe(graph, reference).text);
        return TW__LIBS_NIL;
    }
    if (keep == 1)
        return tw_poputil_duplicate(graph, tensor, sequence, name, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    char text[64];
    c.range = (uint32_t)lround(keep * 65536);
    snprintf(text, sizeof text, "select(_1 * %.9g, 0, _2 != 0)", scale);
    tw_graph_push_scope(graph);
    tw_tensor pair[] = { tensor, random_make(&c, reference, sequence) };
    tw_tensor made = tw_popops_map(graph, text, 2, pair, sequence, name, NULL);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}
