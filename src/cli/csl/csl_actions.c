/* SPDX-License-Identifier: MIT */
/* What `tilewright csl run` does between the start and the end of a run: arrays in and out, launches, streams. */
#include "cli/csl/csl_run.h"
#include "cli/values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/npy.h>

typedef struct late {
    char *path;
    uint32_t *words;
    tw_wse_copy copy;
} late;

/* "NAME[@X,Y,W,H][:N]=FILE" in parts; text is changed. */
typedef struct target {
    char *name, *file;
    unsigned x, y, width, height;
    long elements; /* -1 = not given */
} target;

/* "X,Y,W,H" and nothing else. */
static bool parse_rectangle(const char *text, target *t)
{
    unsigned *const fields[] = { &t->x, &t->y, &t->width, &t->height };
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        char *end;
        unsigned long value = g_ascii_isdigit(*text) ? strtoul(text, &end, 10) : ULONG_MAX;
        if (value > UINT_MAX || *end != (i + 1 < G_N_ELEMENTS(fields) ? ',' : '\0')) return false;
        *fields[i] = (unsigned)value;
        text = end + 1;
    }
    return true;
}

static int parse_target(const tw__csl_run *r, char *text, target *t)
{
    char *equals = strchr(text, '=');
    *t = (target){ .name = text, .width = r->info.width, .height = r->info.height, .elements = -1 };
    if (!equals || !equals[1]) return tw__csl_misused("'%s' needs =FILE.npy", text);
    *equals = 0;
    t->file = equals + 1;
    char *colon = strchr(text, ':'), *at = strchr(text, '@');
    if (colon) {
        char *end;
        t->elements = strtol(colon + 1, &end, 10);
        if (*end || t->elements < 1 || t->elements > 1000000)
            return tw__csl_misused("'%s' is no number of elements", colon + 1);
        *colon = 0;
    }
    if (at) {
        if (!parse_rectangle(at + 1, t)) return tw__csl_misused("'%s' is no rectangle X,Y,W,H", at + 1);
        *at = 0;
    }
    return TW__EXIT_OK;
}

/* A color, or the number of a parameter with that name. */
static int parse_color(const tw__csl_run *r, const char *text, int *color)
{
    tw_csl_binding binding;
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text) {
        size_t i = 0;
        while (tw_csl_param(r->program, i, &binding) && strcmp(binding.name, text) != 0) i++;
        if (!tw_csl_param(r->program, i, &binding))
            return tw__csl_misused("'%s' is neither a color nor a parameter", text);
        n = (long)binding.value;
    }
    *color = n < 0 || n > 23 ? -1 : (int)n;
    return *color < 0 ? tw__csl_misused("'%s' is no color from 0 to 23", text) : TW__EXIT_OK;
}

/* Zeros, malloc'ed; NULL with a message. */
static void *cells(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (!made) tw_error_set(TW_E_NO_MEMORY, "no memory for %zu elements", count);
    return made;
}

/* Elements of an array as words, 2-byte ones in the low half; malloc'ed. */
static uint32_t *words_of(const tw_npy *a)
{
    uint32_t *words = cells(a->count, sizeof *words);
    const unsigned char *from = a->data;
    for (size_t i = 0; words && i < a->count; i++)
        for (size_t b = 0; b < a->item; b++) words[i] |= (uint32_t)from[i * a->item + b] << (8 * b);
    return words;
}

/* Elements that an exported pointer shows on one PE. */
static long whole_size(const tw__csl_run *r, const char *name, const target *t, unsigned item)
{
    size_t bytes = 0;
    if (tw_wse_read_symbol(r->w, t->x + r->info.x, t->y + r->info.y, name, NULL, &bytes) != TW_OK) return -1;
    return (long)(bytes / item);
}

/* More than the array has would go to whatever lies behind it. */
static int too_many(const target *t, long whole, size_t elements)
{
    if (whole < 0 || elements <= (size_t)whole) return TW__EXIT_OK;
    tw_error_set(TW_E_INVALID_ARGUMENT, "'%s' has %ld element%s on a PE, not %zu", t->name, whole,
                 whole == 1 ? "" : "s", elements);
    return tw__csl_refused();
}

/* Does the array in the file fit what is on the PEs? [height][width][elements], or anything that divides. */
static int check_input(const tw__csl_run *r, const target *t, const tw_npy *a, int symbol, bool streaming)
{
    size_t pes = (size_t)t->width * t->height;
    tw_csl_export export = { 0 };
    if (!streaming) tw_csl_get_export(r->program, (size_t)symbol, &export);
    if (a->item != 2 && a->item != 4)
        tw_error_set(TW_E_INVALID_ARGUMENT, "'%s' has elements of %zu bytes; a copy moves 2 or 4", t->file,
                     a->item);
    else if (export.element_bytes && export.element_bytes != a->item)
        tw_error_set(TW_E_INVALID_ARGUMENT, "'%s' has elements of %zu bytes, '%s' has elements of %u (%s)", t->file,
                     a->item, t->name, export.element_bytes, export.type);
    else if (a->rank == 3 && (a->shape[0] != t->height || a->shape[1] != t->width))
        tw_error_set(TW_E_INVALID_ARGUMENT, "'%s' has the shape (%zu, %zu, %zu); the PEs are %u high and %u wide",
                     t->file, (size_t)a->shape[0], (size_t)a->shape[1], (size_t)a->shape[2], t->height, t->width);
    else if (!pes || a->count % pes)
        tw_error_set(TW_E_INVALID_ARGUMENT, "the %zu elements of '%s' do not divide among %u x %u PEs", a->count,
                     t->file, t->width, t->height);
    else
        return streaming || export.function
                   ? TW__EXIT_OK
                   : too_many(t, whole_size(r, t->name, t, (unsigned)a->item), a->count / pes);
    return tw__csl_refused();
}

static tw_npy *read_array(const target *t)
{
    const char *near = g_file_test(t->file, G_FILE_TEST_EXISTS) ? NULL : tw__cli_near_values(t->file);
    if (!near) return tw_npy_read(t->file);
    tw_error_set(TW_E_IO, "--in %s=%s: there is no such file; did you mean '%s'?", t->name, t->file, near);
    return NULL;
}

/* The array to copy: read, or values made for all of what the name points at. NULL with a message. */
static tw_npy *input_array(const tw__csl_run *r, const target *t, int symbol, bool streaming)
{
    tw_csl_export export;
    if (streaming) return tw_npy_read(t->file);
    if (!tw__cli_makes_values(t->file)) return read_array(t);
    tw_csl_get_export(r->program, (size_t)symbol, &export);
    const char *bracket = strrchr(export.type, ']');
    tw_type type = bracket && !export.function ? tw_type_by_name(bracket + 1) : TW_TYPE_NONE;
    long whole = type ? whole_size(r, t->name, t, (unsigned)tw_type_size(type)) : -1;
    tw_npy *a = whole >= 0 ? calloc(1, sizeof *a) : NULL;
    if (whole < 0)
        tw_error_set(TW_E_TYPE, "--in %s=%s: '%s' is %s, and no values can be made for it", t->name, t->file,
                     t->name, export.type);
    if (!a) return NULL;
    *a = (tw_npy){ .rank = 3,
                   .shape = { t->height, t->width, (size_t)whole },
                   .item = tw_type_size(type),
                   .count = (size_t)t->height * t->width * (size_t)whole };
    a->data = cells(a->count, a->item);
    if (a->data && tw__cli_make_values(t->file, type, a->data, a->count) == TW_OK) return a;
    tw_npy_free(a);
    return NULL;
}

static int copy_in(tw__csl_run *r, char *text, bool streaming)
{
    target t;
    int result = parse_target(r, text, &t), symbol = -1;
    if (result == TW__EXIT_OK && streaming) result = parse_color(r, t.name, &symbol);
    if (result != TW__EXIT_OK) return result;
    if (!streaming && (symbol = tw_csl_find_export(r->program, t.name)) < 0) return tw__csl_refused();
    tw_npy *a = input_array(r, &t, symbol, streaming);
    if (!a) return tw__csl_refused();
    size_t pes = (size_t)t.width * t.height;
    tw_wse_copy copy = { .symbol = symbol,
                         .streaming = streaming,
                         .half = a->item == 2 && !streaming,
                         .x = t.x,
                         .y = t.y,
                         .width = t.width,
                         .height = t.height,
                         .elements = pes ? (unsigned)(a->count / pes) : 0 };
    uint32_t *words = words_of(a);
    tw_wse_task task;
    result = check_input(r, &t, a, symbol, streaming);
    if (result == TW__EXIT_OK &&
        (!words || tw_wse_h2d(r->w, &copy, words, a->count, streaming && r->nowait ? &task : NULL) != TW_OK)) {
        result = tw__csl_refused();
    }
    free(words);
    tw_npy_free(a);
    return result;
}

static int write_words(const char *path, const uint32_t *words, const char *descr, const tw_wse_copy *copy)
{
    tw_npy a = { .rank = 3,
                 .shape = { copy->height, copy->width, copy->elements },
                 .item = (size_t)(descr[2] - '0') };
    a.count = (size_t)copy->height * copy->width * copy->elements;
    g_strlcpy(a.descr, descr, sizeof a.descr);
    unsigned char *bytes = cells(a.count, a.item);
    for (size_t i = 0; bytes && i < a.count; i++)
        for (size_t b = 0; b < a.item; b++) bytes[i * a.item + b] = (unsigned char)(words[i] >> (8 * b));
    a.data = bytes;
    int result = bytes && tw_npy_write(tw__csl_output(path), &a) == TW_OK ? TW__EXIT_OK : tw__csl_failed();
    free(bytes);
    return result;
}

static int copy_out(tw__csl_run *r, char *text)
{
    static const struct {
        const char *type, *descr;
    } descrs[] = {
        { "i16", "<i2" }, { "u16", "<u2" }, { "f16", "<f2" }, { "i32", "<i4" }, { "u32", "<u4" }, { "f32", "<f4" },
    };
    target t;
    int result = parse_target(r, text, &t);
    if (result != TW__EXIT_OK) return result;
    int symbol = tw_csl_find_export(r->program, t.name);
    tw_csl_export export;
    if (symbol < 0 || !tw_csl_get_export(r->program, (size_t)symbol, &export)) return tw__csl_refused();
    const char *descr = export.element_bytes == 2 ? "<u2" : "<u4";
    for (size_t i = 0; i < G_N_ELEMENTS(descrs); i++)
        if (g_str_has_suffix(export.type, descrs[i].type)) descr = descrs[i].descr;
    unsigned item = (unsigned)(descr[2] - '0');
    long whole = whole_size(r, t.name, &t, item);
    if (t.elements < 0 && (t.elements = whole) < 0) return tw__csl_refused();
    result = too_many(&t, whole, (size_t)t.elements);
    if (result != TW__EXIT_OK) return result;
    tw_wse_copy copy = { .symbol = symbol,
                         .half = item == 2,
                         .x = t.x,
                         .y = t.y,
                         .width = t.width,
                         .height = t.height,
                         .elements = (unsigned)t.elements };
    size_t count = tw_wse_copy_words(&copy);
    uint32_t *words = cells(count, sizeof *words);
    result = words && tw_wse_d2h(r->w, &copy, words, count, NULL) == TW_OK
                 ? write_words(t.file, words, descr, &copy)
                 : tw__csl_refused();
    free(words);
    return result;
}

static int receive(tw__csl_run *r, char *text)
{
    target t;
    int result = parse_target(r, text, &t), color = -1;
    if (result == TW__EXIT_OK) result = parse_color(r, t.name, &color);
    if (result != TW__EXIT_OK) return result;
    if (t.elements < 0) return tw__csl_misused("--receive %s needs a number of elements: NAME:N=FILE", t.name);
    tw_wse_copy copy = { .symbol = color,
                         .streaming = true,
                         .x = t.x,
                         .y = t.y,
                         .width = t.width,
                         .height = t.height,
                         .elements = (unsigned)t.elements };
    late *l = g_new0(late, 1);
    size_t count = tw_wse_copy_words(&copy);
    *l = (late){ g_strdup(t.file), g_new0(uint32_t, count + 1), copy };
    g_ptr_array_add(r->late, l);
    tw_wse_task task;
    if (tw_wse_d2h(r->w, &copy, l->words, count, r->nowait ? &task : NULL) != TW_OK) return tw__csl_refused();
    return TW__EXIT_OK;
}

int tw__csl_write_late(tw__csl_run *r)
{
    int result = TW__EXIT_OK;
    for (guint i = 0; i < r->late->len; i++) {
        late *l = r->late->pdata[i];
        if (result == TW__EXIT_OK) result = write_words(l->path, l->words, "<u4", &l->copy);
    }
    return result;
}

void tw__csl_free_late(gpointer data)
{
    late *l = data;
    g_free(l->path);
    g_free(l->words);
    g_free(l);
}

/* The bits of an argument of a type such as "f32". */
static bool argument_bits(const char *type, const char *text, uint32_t *bits)
{
    char *end;
    errno = 0;
    if (strcmp(type, "f32") == 0) {
        float value = strtof(text, &end);
        memcpy(bits, &value, sizeof value);
    } else if (strcmp(type, "f16") == 0) {
        _Float16 value = (_Float16)strtof(text, &end);
        uint16_t half;
        memcpy(&half, &value, sizeof half);
        *bits = half;
    } else {
        long long value = strtoll(text, &end, 0);
        unsigned long width = *type == 'i' || *type == 'u' ? strtoul(type + 1, NULL, 10) : 0;
        if (width && width <= 32) {
            bool is_signed = *type == 'i';
            long long top = 1LL << (width - is_signed);
            if (value >= top || value < (is_signed ? -top : 0)) return false;
        }
        *bits = (uint32_t)value;
    }
    return *text && !*end && errno == 0;
}

static int launch(tw__csl_run *r, const char *text)
{
    char **parts = g_strsplit(text, ",", -1);
    int index = tw_csl_find_export(r->program, parts[0]), result = TW__EXIT_OK;
    tw_csl_export export;
    uint32_t args[15];
    if (index < 0 || !tw_csl_get_export(r->program, (size_t)index, &export))
        return g_strfreev(parts), tw__csl_refused();
    unsigned count = g_strv_length(parts) - 1;
    const char *open = strchr(export.type, '('), *close = strrchr(export.type, ')');
    char *list = open && close > open ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strdup("");
    char **types = g_strsplit(g_strdelimit(list, " ", ','), ",", -1);
    for (unsigned i = 0, k = 0; i < count && i < 15 && result == TW__EXIT_OK; i++, k++) {
        while (types[k] && !*types[k]) k++;
        if (!types[k]) break; /* too many: the launch says so */
        if (!argument_bits(types[k], parts[i + 1], &args[i]))
            result = tw__csl_misused("argument %u of '%s' must be %s, not '%s'", i + 1, parts[0], types[k],
                                     parts[i + 1]);
    }
    if (result == TW__EXIT_OK && tw_wse_launch(r->w, parts[0], args, count, NULL) != TW_OK)
        result = tw__csl_refused();
    g_strfreev(types);
    g_free(list);
    g_strfreev(parts);
    return result;
}

int tw__csl_act(tw__csl_run *r, const char *option, const char *value)
{
    if (strcmp(option, "--nowait") == 0) return r->nowait = true, TW__EXIT_OK;
    if (strcmp(option, "--launch") == 0) return launch(r, value);
    char *copy = g_strdup(value);
    int result = strcmp(option, "--in") == 0     ? copy_in(r, copy, false)
                 : strcmp(option, "--send") == 0 ? copy_in(r, copy, true)
                 : strcmp(option, "--out") == 0  ? copy_out(r, copy)
                                                 : receive(r, copy);
    g_free(copy);
    return result;
}

/* Before the work: the program exports what the actions name. */
int tw__csl_check_names(const tw_csl_program *program, const GPtrArray *actions)
{
    static const char *const named[] = { "--in", "--out", "--launch" };
    int result = TW__EXIT_OK;
    for (guint i = 0; i + 1 < actions->len && result == TW__EXIT_OK; i += 2) {
        const char *action = actions->pdata[i], *value = actions->pdata[i + 1];
        bool names = false;
        for (size_t k = 0; k < G_N_ELEMENTS(named); k++) names |= strcmp(action, named[k]) == 0;
        char *name = g_strndup(value, strcspn(value, strcmp(action, "--launch") == 0 ? "," : "@:="));
        if (names && tw_csl_find_export(program, name) < 0) result = tw__csl_refused();
        g_free(name);
    }
    return result;
}
