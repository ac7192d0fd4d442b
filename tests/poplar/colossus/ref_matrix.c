/* SPDX-License-Identifier: MIT */
/* Accumulators, the matrix units, random numbers. */
#include "ref_parts.h"

/* --- accumulators ----------------------------------------------------------------------------------------------- */

static double f(ref_state *s, uint32_t bits)
{
    return ref_float(flushed(s, bits));
}
static void accumulate(view *v, unsigned k, double value)
{
    v->s->e[k] = ref_float(single_of(v->s, f(v->s, bits_of(v->was.e[k])) + value));
}

bool ref_accumulators(view *v, const char *n)
{
    ref_state *s = v->s;
    bool of_half = n[1] == '1';
    unsigned lanes = n[3] == 'v' ? (unsigned)(n[4] - '0') : 1;
    const char *op = n[3] == 'v' ? n + 5 : n + 3;
    if (!strcmp(op, "acc") || !strcmp(op, "absacc") || !strcmp(op, "sqacc")) {
        for (unsigned k = 0; k < lanes; k++) {
            double x = of_half ? ref_half(halfword(v, 0, k)) : f(s, word(v, 0, k));
            accumulate(v, k, op[0] == 'a' && op[1] == 'b' ? fabs(x) : op[0] == 's' ? x * x : x);
        }
    } else if (!strcmp(op, "mac")) {
        for (unsigned k = 0; k < lanes; k++) accumulate(v, k, f(s, word(v, 0, k)) * f(s, word(v, 1, k)));
    } else if (!strcmp(op, "cmac")) {
        for (unsigned k = 0; k < lanes / 2; k++)
            accumulate(v, k,
                       ref_half(halfword(v, 0, 2 * k)) * ref_half(halfword(v, 1, 2 * k)) +
                           ref_half(halfword(v, 0, 2 * k + 1)) * ref_half(halfword(v, 1, 2 * k + 1)));
    } else if (!strcmp(op, "aop")) {
        for (unsigned k = 0; k < 4; k++) accumulate(v, k, f(s, word(v, 0, k % 2)) * f(s, word(v, 1, k / 2)));
    } else if (!strcmp(op, "axpy")) {
        for (unsigned k = 0; k < 2; k++) {
            put(v, 0, k, bits_of(v->was.e[k]));
            s->e[k] = ref_float(single_of(s, f(s, s->tas) * f(s, word(v, 1, k)) + f(s, word(v, 2, k))));
        }
    } else if (!strcmp(op, "mix") || !strcmp(op, "gacc")) {
        for (unsigned k = 0; k < 4; k++) put_half(v, 0, k, narrowed(s, bits_of(v->was.e[k])));
        for (unsigned k = 0; k < 4 && op[0] == 'm'; k++)
            s->e[k] = ref_float(single_of(s, ref_half(s->tas & 0xffff) * ref_half(halfword(v, 1, k)) +
                                                 ref_half(s->tas >> 16) * ref_half(halfword(v, 2, k))));
    } else if (!strcmp(op, "gina")) {
        uint32_t i = v->insn->operands[2] & 3;
        float *c = (i & 1 ? s->o : s->e) + (i & 2 ? 8 : 0);
        for (unsigned k = 0; k < 2; k++) {
            if (of_half)
                put_half(v, 0, k, narrowed(s, bits_of(c[k])));
            else
                put(v, 0, k, bits_of(c[k]));
        }
        for (unsigned k = 0; k < 6; k++) c[k] = c[k + 2];
        for (unsigned k = 0; k < 2; k++) c[6 + k] = ref_float(of_half ? widened(halfword(v, 1, k)) : word(v, 1, k));
    } else if (!strcmp(op, "stacc") || !strcmp(op, "istacc")) {
        uint32_t phase = v->insn->operands[v->row->count - 1] & 1;
        if (op[0] == 's' && !phase)
            for (unsigned k = 0; k < 8; k++) s->o[k] = s->e[k];
        for (unsigned k = 0; k < 2; k++) put(v, 0, k, bits_of(s->o[k]));
        for (unsigned k = 0; k < 8; k++) s->o[k] = k < 6 ? s->o[k + 2] : 0;
        for (unsigned j = 0; j < 4 && op[0] == 'i'; j++)
            s->e[2 * j + phase] = ref_float(halfword(v, 1, j) | halfword(v, 2, j) << 16);
    } else {
        return false;
    }
    return true;
}

/* --- AMP and SLIC: the pseudo-code of the specification --------------------------------------------------------- */

static double dot4(const view *v, unsigned unit, unsigned group)
{
    uint64_t w = v->s->weights[4 * unit + group];
    double p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = ref_half(halfword(v, 1, i)) * ref_half((uint32_t)(w >> 16 * i) & 0xffff);
    return ((p[0] + p[1]) + p[2]) + p[3];
}
static double dot8(const view *v, unsigned unit, unsigned group)
{
    uint64_t w = v->s->weights[4 * unit + group];
    double sum = 0;
    for (unsigned i = 0; i < 8; i++)
        sum += quarter(byte(word(v, 1, i / 4), i & 3), v->s->infmt >> 1) *
               quarter((uint32_t)(w >> 8 * i) & 255, v->s->infmt);
    return sum * scale6(v->s->iscl);
}
static double product(const view *v, unsigned unit, unsigned phase)
{
    uint64_t w = v->s->weights[4 * unit + phase / 2];
    return f(v->s, word(v, 1, 0)) * f(v->s, (uint32_t)(w >> 32 * (phase & 1)));
}

bool ref_matrix(view *v, const char *n)
{
    ref_state *s = v->s;
    bool amp = strstr(n, "amp") && !strstr(n, "clamp"), eight = n[1] == '8', single_inputs = n[1] == '3';
    if (!amp && !strstr(n, "slic")) return false;
    unsigned sets = strstr(n, "v4amp") || strstr(n, "v2amp") || strstr(n, "v4slic") || strstr(n, "v2slic") ? 2 : 1;
    bool in_half = strstr(n, "hi"), out_half = strstr(n, "ho");
    uint32_t imm = v->insn->operands[3];
    for (unsigned set = 0; set < sets; set++) {
        float *e = s->e + 8 * set, *o = s->o + 8 * set;
        const float *was_e = v->was.e + 8 * set, *was_o = v->was.o + 8 * set;
        unsigned partial = single_inputs ? 0 : 2 * set;
        float p[2], d[2];
        for (unsigned i = 0; i < 2; i++)
            p[i] = ref_float(in_half ? widened(halfword(v, 2, partial + i)) : word(v, 2, partial + i));
        bool moves = true;
        if (amp) {
            unsigned j = imm & 7, engines = (imm >> 3 & 3) == 0 ? 4 : (imm >> 3 & 3) == 1 ? 2 : 1;
            for (unsigned k = 0; k < 2 * engines; k++) {
                double sum = eight           ? dot8(v, 8 * set + k, j & 3)
                             : single_inputs ? product(v, 8 * set + k, j)
                                             : dot4(v, 8 * set + k, j & 3);
                e[k] = ref_float(single_of(s, f(s, bits_of((j ? was_e : was_o)[k])) + sum));
                if (!j) o[k] = was_e[k];
            }
            d[0] = o[0], d[1] = o[1];
            if (single_inputs) moves = sets == 2 ? (j & 1) == set : !(j & 1);
            if (moves) {
                for (unsigned k = 0; k + 2 < 2 * engines; k++) o[k] = o[k + 2];
                o[2 * engines - 2] = p[0], o[2 * engines - 1] = p[1];
            }
        } else {
            unsigned last = imm & 4 ? 6 : 8, bank = imm & 3;
            d[0] = was_e[0], d[1] = was_e[1];
            for (unsigned k = 0; k < last; k++) {
                double sum = eight ? dot8(v, 8 * set + k, bank) : dot4(v, 8 * set + k, bank);
                e[k] = ref_float(single_of(s, f(s, bits_of(k + 2 < last ? was_e[k + 2] : p[k + 2 - last])) + sum));
            }
        }
        for (unsigned i = 0; i < 2; i++) {
            if (out_half)
                put_half(v, 0, 2 * set + i, narrowed(s, bits_of(d[i])));
            else if (moves)
                put(v, 0, i, bits_of(d[i]));
            else if (sets == 1)
                put(v, 0, i, 0);
        }
    }
    if (single_inputs) s->tas = word(v, 1, 0);
    return true;
}

/* f32 SLIC: the project's own definition (docs/colossus.md). */
bool ref_single_slic(view *v, const char *n)
{
    if (strcmp(n, "f32sisoslic") && strcmp(n, "f32sisov2slic")) return false;
    ref_state *s = v->s;
    unsigned sets = strstr(n, "v2") ? 2 : 1;
    uint32_t imm = v->insn->operands[3], second = imm >> 3 & 1, last = imm & 4 ? 6 : 8;
    float p[2] = { ref_float(flushed(s, word(v, 2, 0))), ref_float(flushed(s, word(v, 2, 1))) };
    for (unsigned set = 0; set < sets; set++) {
        for (unsigned k = 0; k < last; k++) {
            float from = v->was.e[8 * set + k];
            bool here = set == second; /* which set's partial sums this instruction brings */
            if (!second) from = k + 2 < last ? v->was.e[8 * set + k + 2] : here ? p[k + 2 - last] : 0;
            if (second && here && k + 2 >= last) from = (float)f(s, bits_of(from)) + p[k + 2 - last];
            s->e[8 * set + k] =
                ref_float(single_of(s, f(s, bits_of(from)) + product(v, 8 * set + k, 2 * (imm & 3) + second)));
        }
    }
    for (unsigned i = 0; i < 2; i++)
        put(v, 0, i, second ? (sets == 2 ? bits_of(v->was.o[8 + i]) : 0) : bits_of(v->was.e[i]));
    if (!second && sets == 2) s->o[8] = v->was.e[8], s->o[9] = v->was.e[9];
    s->tas = word(v, 1, 0);
    return true;
}

/* --- random numbers --------------------------------------------------------------------------------------------- */

bool ref_random_numbers(view *v, const char *n)
{
    ref_state *s = v->s;
    if (!strcmp(n, "urand32") || !strcmp(n, "urand64")) {
        uint64_t r = ref_random(s->prng);
        put(v, 0, 0, (uint32_t)r);
        if (n[5] == '6') put(v, 0, 1, (uint32_t)(r >> 32));
    } else if (!strcmp(n, "f16v2grand") || !strcmp(n, "f32v2grand")) {
        for (unsigned i = 0; i < 2; i++) {
            uint64_t r = ref_random(s->prng);
            double sum = -186;
            for (unsigned k = 0; k < 12; k++, r /= 32) sum += (double)(r % 32);
            if (n[1] == '1')
                put_half(v, 0, i, half_of(s, sum / 32));
            else
                put(v, 0, i, bits_of((float)(sum / 32)));
        }
    } else if (!strcmp(n, "f16v4rmask") || !strcmp(n, "f32v2rmask")) {
        uint64_t r = ref_random(s->prng);
        uint32_t p = word(v, 2, 0);
        for (unsigned i = 0; i < (n[1] == '1' ? 4u : 2u); i++, r >>= 16) {
            bool keep = (p & 0x10000) || (r & 0xffff) < (p & 0xffff);
            if (n[1] == '1')
                put_half(v, 0, i, keep ? halfword(v, 1, i) : 0);
            else
                put(v, 0, i, keep ? word(v, 1, i) : 0);
        }
    } else {
        return false;
    }
    return true;
}
