/* SPDX-License-Identifier: MIT */
/* npy: see the header. The file's own header is a Python dictionary; its three keys are looked for by name. */
#include "core/base/base.h"
#include <tilewright/npy.h>

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 1 << 16 };

static tw_status bad(const char *path, const char *why)
{
    return tw__fail(TW_E_FILE_LOAD, "%s %s", path, why);
}

/* After "'key':" and blanks, NULL when the key is missing. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at, ':') : NULL;
    if (!at) return NULL;
    for (at++; *at == ' ';) at++;
    return at;
}

static tw_status parse_header(const char *path, const char *header, tw_npy *a)
{
    const char *descr = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
               *shape = value_of(header, "'shape'");
    if (!descr || *descr != '\'' || !order || !shape || *shape != '(')
        return bad(path, "has a header without descr, fortran_order and shape");
    size_t length = strcspn(descr + 1, "'");
    if (length < 3 || length >= sizeof a->descr || (descr[1] != '<' && descr[1] != '|'))
        return bad(path, "holds elements that are not little endian numbers");
    memcpy(a->descr, descr + 1, length);
    a->item = (size_t)strtoul(a->descr + 2, NULL, 10);
    if (a->item == 0 || a->item > 16) return bad(path, "holds elements of an unknown size");
    if (g_str_has_prefix(order, "True")) return bad(path, "is in Fortran order");
    a->count = 1;
    for (const char *at = shape + 1; *at && *at != ')';) {
        char *end;
        if (*at == ' ' || *at == ',') {
            at++;
            continue;
        }
        unsigned long long extent = strtoull(at, &end, 10);
        if (end == at || a->rank == TW_NPY_RANK || !tw__mul_size(a->count, (size_t)extent, &a->count))
            return bad(path, "has an unusable shape");
        a->shape[a->rank++] = (size_t)extent;
        at = end;
    }
    return TW_OK;
}

static tw_status read_data(const char *path, FILE *in, tw_npy *a)
{
    size_t bytes, done = 0, room = 0;
    if (!tw__mul_size(a->count, a->item, &bytes)) return bad(path, "has an unusable shape");
    while (done < bytes || !a->data) { /* in steps: a false header does not take memory that the file cannot fill */
        size_t step = bytes - done < (1 << 24) ? bytes - done : 1 << 24;
        void *grown = tw__realloc(a->data, done + step + 1);
        if (!grown) return tw__fail(TW_E_NO_MEMORY, "no memory for the %zu bytes of %s", bytes, path);
        a->data = grown;
        room = fread((char *)a->data + done, 1, step, in);
        done += room;
        if (room < step) return bad(path, "is too short");
    }
    return TW_OK;
}

static tw_status read_npy(const char *path, tw_npy *a)
{
    unsigned char start[12];
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    if (!in) return tw__fail(TW_E_FILE_LOAD, "cannot open %s: %s", path, g_strerror(errno));
    if (!standard) tw__note_input(in);
    tw_status status = bad(path, "is not a .npy file");
    if (fread(start, 1, 10, in) == 10 && memcmp(start, "\x93NUMPY", 6) == 0 && start[6] >= 1 && start[6] <= 3) {
        size_t length = start[8] | (size_t)start[9] << 8;
        bool wide = start[6] > 1 && fread(start + 10, 1, 2, in) == 2;
        if (wide) length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        char *header = length < MAX_HEADER ? calloc(1, length + 1) : NULL;
        if (header && fread(header, 1, length, in) == length) status = parse_header(path, header, a);
        free(header);
        if (status == TW_OK) status = read_data(path, in, a);
    }
    if (!standard) fclose(in);
    return status;
}

tw_npy *tw_npy_read(const char *path)
{
    tw_npy *a = tw__calloc(1, sizeof *a);
    tw_status status = a ? read_npy(path, a) : tw__fail(TW_E_NO_MEMORY, "no memory to read %s", path);
    if (status != TW_OK) tw_npy_free(a);
    return tw__made(status, a);
}

tw_status tw_npy_write(const char *path, const tw_npy *a)
{
    GString *s = g_string_new(NULL);
    g_string_append_printf(s, "{'descr': '%s', 'fortran_order': False, 'shape': (", a->descr);
    for (unsigned d = 0; d < a->rank; d++)
        g_string_append_printf(s, a->rank == 1 ? "%zu," : d + 1 < a->rank ? "%zu, " : "%zu", a->shape[d]);
    g_string_append(s, "), }");
    while ((s->len + 11) % 64) g_string_append_c(s, ' ');
    g_string_append_c(s, '\n');
    unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)s->len, (unsigned char)(s->len >> 8)
    };
    tw_output *out;
    size_t bytes = a->count * a->item;
    tw_status status = tw_status_of(out = tw_output_open(path, NULL, 0));
    if (status == TW_OK) { /* a failure stays with the file */
        fwrite(start, 1, 10, tw_output_file(out));
        fwrite(s->str, 1, s->len, tw_output_file(out));
        if (bytes) fwrite(a->data, 1, bytes, tw_output_file(out));
        status = tw_output_commit(out);
    }
    tw_output_free(out);
    g_string_free(s, TRUE);
    return status;
}

void tw_npy_free(tw_npy *array)
{
    if (!array) return;
    free(array->data);
    free(array);
}
