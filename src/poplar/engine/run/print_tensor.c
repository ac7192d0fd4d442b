/* SPDX-License-Identifier: MIT */
/* PrintTensor: Poplar API, PrintTensor. Elements share one format and one width, so that columns line up; rows stand
 * on lines of their own, indented by two for each bracket around them, and long rows are wrapped.
 *
 *     title: [
 *       [ 1  2  3]
 *       [40 50 60]
 *     ] */
#include "poplar/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/progress.h>

typedef struct printer {
    FILE *out;
    tw_type type;
    uint32_t rank;
    const size_t *shape;
    const char *values;
    size_t size; /* bytes of an element in host format */
    tw_print_format format;
    bool summarise;
    int decimals; /* of floats */
    bool scientific, uniform;
    double largest, smallest; /* magnitudes of the finite elements other than 0 */
    int width;                /* of an element */
    int column;               /* characters on the current line */
} printer;

static tw_print_format with_defaults(const tw_print_format *given)
{
    tw_print_format f = given ? *given : (tw_print_format){ 0 };
    if (!f.summarise_threshold) f.summarise_threshold = 1000;
    if (!f.edge_items) f.edge_items = 3;
    if (!f.max_line_width) f.max_line_width = 75;
    if (!f.digits) f.digits = 8;
    if (!f.separator) f.separator = ' ';
    if (!f.open_bracket) f.open_bracket = '[';
    if (!f.close_bracket) f.close_bracket = ']';
    if (f.digits > 40) f.digits = 40;
    return f;
}

/* Indices [0, edge) and [n - edge, n) of a dimension are shown when the tensor is summarised. */
static bool is_left_out(const printer *p, size_t index, size_t n)
{
    size_t edge = p->format.edge_items;
    return p->summarise && n > 2 * edge && index >= edge && index < n - edge;
}

static int format_element(const printer *p, const char *at, char *buf, size_t room)
{
    const tw_type_info *info = tw_type_get(p->type);
    if (info->kind != TW_KIND_FLOAT) {
        int64_t value = tw__scalar_get(p->type, at);
        if (info->is_signed) return snprintf(buf, room, "%lld", (long long)value);
        return snprintf(buf, room, "%llu", (unsigned long long)value);
    }
    double value = tw_type_load(p->type, at);
    if (!isfinite(value)) return snprintf(buf, room, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    if (!p->uniform) return snprintf(buf, room, "%.*g", (int)p->format.digits, value);
    return snprintf(buf, room, p->scientific ? "%.*e" : "%.*f", p->decimals, value);
}

/* Calls visit for every element that is shown. */
static void each_shown(printer *p, uint32_t dim, const char *at, void (*visit)(printer *p, const char *at))
{
    if (dim == p->rank) {
        visit(p, at);
        return;
    }
    size_t step = p->size;
    for (uint32_t d = dim + 1; d < p->rank; d++) step *= p->shape[d];
    for (size_t i = 0; i < p->shape[dim]; i++)
        if (!is_left_out(p, i, p->shape[dim])) each_shown(p, dim + 1, at + i * step, visit);
}

static void see_magnitude(printer *p, const char *at)
{
    double value = fabs(tw_type_load(p->type, at));
    if (!isfinite(value) || value == 0) return;
    if (value > p->largest) p->largest = value;
    if (value < p->smallest) p->smallest = value;
}

static void see_width(printer *p, const char *at)
{
    char buf[400];
    int n = format_element(p, at, buf, sizeof buf);
    if (n > p->width) p->width = n;
}

/* Fixed point with `digits` significant digits for the largest element, as long as all of them can be told apart;
 * scientific otherwise. */
static void choose_float_format(printer *p)
{
    int digits = (int)p->format.digits;
    p->uniform = p->format.float_format != TW_PRINT_NONE;
    p->largest = 0;
    p->smallest = INFINITY;
    each_shown(p, 0, p->values, see_magnitude);
    int exponent = p->largest > 0 ? (int)floor(log10(p->largest)) : 0;
    p->scientific = p->format.float_format == TW_PRINT_SCIENTIFIC ||
                    (p->format.float_format == TW_PRINT_AUTO && p->largest > 0 &&
                     (exponent >= digits || p->smallest < 1e-4 || p->largest / p->smallest > 1e8));
    p->decimals = digits - 1;
    if (!p->scientific && exponent > 0) p->decimals = digits - 1 - exponent;
    if (p->decimals < 0) p->decimals = 0;
}

static void print_tensor_put(printer *p, const char *text)
{
    fputs(text, p->out);
    p->column += (int)strlen(text);
}

static void new_line(printer *p, uint32_t blanks)
{
    fprintf(p->out, "\n%*s", (int)blanks, "");
    p->column = (int)blanks;
}

#define INDENT 2 /* for each dimension */

static void print_row(printer *p, const char *at, uint32_t blanks)
{
    size_t n = p->shape[p->rank - 1];
    char separator[2] = { p->format.separator, 0 }, buf[400], cell[440];
    for (size_t i = 0; i < n; i++) {
        if (is_left_out(p, i, n)) {
            if (!is_left_out(p, i - 1, n)) {
                print_tensor_put(p, separator);
                print_tensor_put(p, "...");
            }
            continue;
        }
        format_element(p, at + i * p->size, buf, sizeof buf);
        snprintf(cell, sizeof cell, "%*s", p->uniform ? p->width : 0, buf);
        if (i > 0 && (size_t)p->column + 1 + strlen(cell) + 1 > p->format.max_line_width)
            new_line(p, blanks);
        else if (i > 0)
            print_tensor_put(p, separator);
        print_tensor_put(p, cell);
    }
}

static void print_dim(printer *p, uint32_t dim, const char *at)
{
    char open[2] = { p->format.open_bracket, 0 }, close[2] = { p->format.close_bracket, 0 };
    print_tensor_put(p, open);
    size_t n = p->shape[dim], step = p->size;
    for (uint32_t d = dim + 1; d < p->rank; d++) step *= p->shape[d];
    if (dim + 1 == p->rank) {
        print_row(p, at, INDENT * dim + 1);
    } else {
        for (size_t i = 0; i < n; i++) {
            if (is_left_out(p, i, n)) {
                if (!is_left_out(p, i - 1, n)) {
                    new_line(p, INDENT * (dim + 1));
                    print_tensor_put(p, "...");
                }
                continue;
            }
            new_line(p, INDENT * (dim + 1));
            print_dim(p, dim + 1, at + i * step);
        }
        new_line(p, INDENT * dim);
    }
    print_tensor_put(p, close);
}

void tw__print_values(FILE *out, const char *title, tw_type type, uint32_t rank, const size_t *shape,
                      const void *values, const tw_print_format *format)
{
    static const size_t one[] = { 1 };
    printer p = { .out = out,
                  .type = type,
                  .rank = rank,
                  .shape = rank ? shape : one,
                  .values = values,
                  .size = tw__host_size(type),
                  .format = with_defaults(format),
                  .uniform = true };
    size_t count = 1;
    for (uint32_t d = 0; d < rank; d++) count *= shape[d];
    p.summarise = count > p.format.summarise_threshold;
    if (count && tw_type_get(type)->kind == TW_KIND_FLOAT) choose_float_format(&p);
    if (count && p.uniform) each_shown(&p, 0, p.values, see_width);
    if (title && *title) {
        print_tensor_put(&p, title);
        print_tensor_put(&p, ": ");
    }
    char buf[400];
    if (rank == 0) {
        format_element(&p, values, buf, sizeof buf);
        print_tensor_put(&p, buf);
    } else if (count == 0) { /* of any shape: there may be very many empty rows */
        fprintf(out, "%c%c", p.format.open_bracket, p.format.close_bracket);
    } else {
        print_dim(&p, 0, values);
    }
    fputc('\n', out);
}

tw_status tw__print_run(tw_engine *engine, const tw__print *print)
{
    size_t device = tw__device_size(engine, print->type), host = tw__host_size(print->type), bytes;
    if (!tw__mul_size((size_t)print->count, device + host, &bytes))
        return tw__fail(TW_E_NO_MEMORY, "no memory to print");
    char *values = tw__realloc(NULL, bytes ? bytes : 1);
    if (!values) return tw__fail(TW_E_NO_MEMORY, "no memory to print %zu bytes", bytes);
    char *converted = values + print->count * device;
    tw_status s = tw__copy_move(&print->copy, values, engine->plan.storage.base, "PrintTensor", print->count);
    if (!s) s = tw__ranks_share(engine, "PrintTensor", values, print->count * device);
    FILE *out = engine->print_out ? engine->print_out : stderr;
    bool shared = out == stderr || out == stdout; /* the launcher's, where rank 0 alone prints */
    bool created = engine->core->created;         /* then only the rank that has the replica gets here */
    if (!s && (!shared || created || tw__wire_rank() == 0)) {
        g_autofree char *title = created && *print->title
                                     ? g_strdup_printf("%s (replica %u)", print->title, engine->replica)
                                     : g_strdup(print->title);
        tw__device_to_host(engine, print->type, converted, values, print->count);
        tw_progress_clear();
        tw__print_values(out, title, print->type, print->rank, print->shape, converted, &print->format);
        fflush(out);
    }
    free(values);
    return s;
}
