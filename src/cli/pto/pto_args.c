/* SPDX-License-Identifier: MIT */
/* pto_args: arguments of `tilewright pto run`: numbers, arrays that are made or read from .npy files; and what it
 * writes at the end. */
#include "cli/pto/pto.h"
#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

/* --- arrays ----------------------------------------------------------------------------------------------------- */

/* Types that NumPy lacks are written as unsigned integers of their width. */
static const struct {
    const char *descr;
    tw_type type;
} descrs[] = { { "|i1", TW_I8 },  { "|u1", TW_U8 },  { "|b1", TW_BOOL }, { "<i2", TW_I16 },
               { "<u2", TW_U16 }, { "<i4", TW_I32 }, { "<u4", TW_U32 },  { "<i8", TW_I64 },
               { "<u8", TW_U64 }, { "<f2", TW_F16 }, { "<f4", TW_F32 },  { "<f8", TW_F64 } };

static const char *descr_of(tw_type type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(descrs); i++)
        if (descrs[i].type == type) return descrs[i].descr;
    return tw_type_size(type) == 2 ? "<u2" : "|u1";
}

static tw_status type_of(const tw__argument *a, tw_type *type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(descrs); i++)
        if (strcmp(descrs[i].descr + 1, a->array.descr + 1) == 0) return *type = descrs[i].type, TW_OK;
    return tw_error_set(TW_E_TYPE, "--arg %s: %s holds elements of dtype '%s', which no tile has", a->name,
                        a->value + 1, a->array.descr);
}

/* f32[16x16]: zeros, or what is named behind it: f32[16x16]:random:7. */
static bool made_array(const char *text, tw__argument *a, const char **how)
{
    const char *open = strchr(text, '['), *at = open + 1;
    char name[16];
    if (open == text || (size_t)(open - text) >= sizeof name) return false;
    g_snprintf(name, sizeof name, "%.*s", (int)(open - text), text);
    a->type = tw_type_by_name(name);
    a->array = (tw_npy){ .count = 1, .item = tw_type_size(a->type) };
    g_strlcpy(a->array.descr, descr_of(a->type), sizeof a->array.descr);
    while (a->type && a->array.rank < TW_NPY_RANK) {
        char *end;
        unsigned long long extent = strtoull(at, &end, 10);
        if (end == at || !g_ascii_isdigit(*at) ||
            __builtin_mul_overflow(a->array.count, (size_t)extent, &a->array.count) ||
            a->array.count > (size_t)1 << 34)
            return false;
        a->array.shape[a->array.rank++] = (size_t)extent;
        at = end;
        if (*at != 'x') break;
        at++;
    }
    *how = at[0] && at[1] == ':' ? at + 2 : NULL;
    return a->type && *at == ']' && (*how ? tw__cli_makes_values(*how) : !at[1]);
}

tw_status tw__pto_load_argument(tw__argument *a)
{
    if (*a->value == '@') {
        tw_npy *read = tw_npy_read(a->value + 1);
        if (!read) return tw_error_status();
        a->array = *read, read->data = NULL; /* moved */
        tw_npy_free(read);
        return type_of(a, &a->type);
    }
    const char *how;
    if (!strchr(a->value, '[')) /* a number; what the name says of the values of memory tells no extents */
        return !tw__cli_makes_values(a->value)
                   ? TW_OK
                   : tw_error_set(TW_E_INVALID_ARGUMENT,
                                  "--arg %s=%s: expected a type and extents before it, such as f32[16x16]:%s",
                                  a->name, a->value, a->value);
    if (!made_array(a->value, a, &how))
        return tw_error_set(
            TW_E_INVALID_ARGUMENT,
            "--arg %s=%s: expected a type and extents, such as f32[16x16], and maybe what is in it: "
            ":" TW__CLI_VALUES,
            a->name, a->value);
    a->array.data = calloc(a->array.count + 1, a->array.item);
    if (!a->array.data) return tw_error_set(TW_E_NO_MEMORY, "--arg %s=%s: no memory", a->name, a->value);
    return how ? tw__cli_make_values(how, a->type, a->array.data, a->array.count) : TW_OK;
}

int tw__pto_check_outputs(const tw__request *r)
{
    g_autoptr(GPtrArray) in = g_ptr_array_new(), out = g_ptr_array_new();
    g_ptr_array_add(in, (char *)r->file);
    for (guint i = 0; i < r->args->len; i++) {
        const char *value = g_array_index(r->args, tw__argument, i).value;
        if (*value == '@') g_ptr_array_add(in, (char *)value + 1);
    }
    for (guint i = 0; i < r->outs->len; i++)
        g_ptr_array_add(out, (char *)g_array_index(r->outs, tw__argument, i).value);
    g_ptr_array_add(out, (char *)r->profile_file);
    g_ptr_array_add(out, (char *)r->timeline);
    g_ptr_array_add(out, (char *)r->report);
    return tw__cli_check_outputs("pto", (const char *const *)out->pdata, out->len, (const char *const *)in->pdata,
                                 in->len);
}

int tw__pto_check_names(const tw__request *r, const tw_pto_text *text)
{
    for (guint i = 0; i < r->outs->len; i++) {
        const char *name = g_array_index(r->outs, tw__argument, i).name;
        if (tw_pto_text_find_output(text, r->function, name) == TW_OK) continue;
        fprintf(stderr, "tilewright pto: --out %s: %s\n", name, tw_error_message());
        return TW__EXIT_FAILURE;
    }
    return TW__EXIT_OK;
}

tw__argument *tw__argument_of(GArray *list, const char *name, int device)
{
    tw__argument *found = NULL;
    for (guint i = 0; i < list->len; i++) {
        tw__argument *a = &g_array_index(list, tw__argument, i);
        if (strcmp(a->name, name) == 0 && (a->device == device || (a->device < 0 && !found))) found = a;
    }
    return found;
}

GArray **tw__arguments_by_device(GArray *args, unsigned devices)
{
    GArray **all = g_new0(GArray *, devices);
    bool good = true;
    for (unsigned d = 0; d < devices; d++) {
        all[d] = g_array_new(FALSE, TRUE, sizeof(tw__argument));
        for (guint i = 0; i < args->len && good; i++) {
            tw__argument own = g_array_index(args, tw__argument, i);
            if (tw__argument_of(args, own.name, (int)d) != &g_array_index(args, tw__argument, i)) continue;
            if (own.array.data && devices == 1) { /* moved */
                g_array_index(args, tw__argument, i).array.data = NULL;
            } else if (own.array.data) {
                void *copy = calloc(own.array.count + 1, own.array.item);
                if (copy) memcpy(copy, own.array.data, own.array.count * own.array.item);
                own.array.data = copy;
                good = copy != NULL;
            }
            if (good) g_array_append_val(all[d], own);
        }
    }
    if (good) return all;
    tw__free_arguments(all, devices);
    return tw_error_set(TW_E_NO_MEMORY, "no memory for the arguments of %u devices", devices), NULL;
}

void tw__free_arguments(GArray **by_device, unsigned devices)
{
    for (unsigned d = 0; by_device && d < devices; d++) {
        if (!by_device[d]) continue;
        for (guint i = 0; i < by_device[d]->len; i++) free(g_array_index(by_device[d], tw__argument, i).array.data);
        g_array_free(by_device[d], TRUE);
    }
    g_free(by_device);
}

tw_status tw__pto_bind_argument(tw_pto_run *run, const tw__argument *a)
{
    char reason[400];
    tw_status status = a->array.data
                           ? tw_pto_run_memory(run, a->name, a->array.data, a->type, a->array.rank, a->array.shape)
                           : tw_pto_run_number(run, a->name, a->value);
    if (status == TW_OK) return TW_OK;
    g_strlcpy(reason, tw_error_message(), sizeof reason);
    bool memory = !a->array.data && status == TW_E_TYPE;
    return tw_error_set(status, "--arg %s: %s%s", a->name, reason,
                        memory ? "; memory is given as f32[16x16], f32[16x16]:ramp or @FILE.npy" : "");
}

/* --- outputs ---------------------------------------------------------------------------------------------------- */

static tw_status write_tile(tw_pto *core, tw_pto_run *run, const tw__argument *out)
{
    tw_pto_tile *t = tw_pto_run_tile(run, out->name);
    if (!t) {
        char reason[300];
        g_strlcpy(reason, tw_error_message(), sizeof reason);
        return tw_error_set(TW_E_SYMBOL, "--out %s: no argument has memory under this name, and %s", out->name,
                            reason);
    }
    tw_npy array = { .rank = 2,
                     .shape = { t->valid_rows, t->valid_cols },
                     .item = tw_type_size(t->type),
                     .count = (size_t)t->valid_rows * t->valid_cols };
    g_strlcpy(array.descr, descr_of(t->type), sizeof array.descr);
    array.data = calloc(array.count + 1, array.item);
    tw_status status = array.data ? tw_pto_read(core, t, array.data, array.count * array.item)
                                  : tw_error_set(TW_E_NO_MEMORY, "no memory for %s", out->name);
    if (status == TW_OK) status = tw_npy_write(out->value, &array);
    free(array.data);
    return status;
}

/* Some function takes it as memory: it has been read and written in place. */
static bool is_memory(const tw_pto_text *text, const char *name)
{
    tw_pto_param p;
    const char *f;
    for (size_t i = 0; (f = tw_pto_text_function(text, i)); i++)
        for (size_t k = 0; tw_pto_text_param(text, f, k, &p); k++)
            if (strcmp(p.name, name) == 0 && p.kind == TW_PTO_PARAM_MEMORY) return true;
    return false;
}

tw_status tw__pto_write_outputs(tw_pto *core, tw_pto_run *run, const tw__request *r, GArray *args, unsigned device)
{
    tw_status status = TW_OK;
    for (guint i = 0; i < r->outs->len && status == TW_OK; i++) {
        const tw__argument *out = &g_array_index(r->outs, tw__argument, i),
                           *a = tw__argument_of(args, out->name, (int)device);
        if ((unsigned)(out->device < 0 ? 0 : out->device) != device) continue;
        bool memory = a && a->array.data && is_memory(tw_pto_run_text(run), out->name);
        status = memory ? tw_npy_write(out->value, &a->array) : write_tile(core, run, out);
    }
    return status;
}
