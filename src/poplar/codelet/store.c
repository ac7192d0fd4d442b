/* SPDX-License-Identifier: MIT */
/* A set of codelets as bytes: each file or archive of it as a .gp archive with its name. */
#include "poplar/codelet/compile/compile.h"

#include <string.h>

static void store_put(GByteArray *out, const void *data, size_t size)
{
    uint64_t n = size;
    g_byte_array_append(out, (const guint8 *)&n, sizeof n);
    if (size) g_byte_array_append(out, data, (guint)size);
}

/* *data points into the bytes; false when they end before. */
static bool store_get(const uint8_t **at, const uint8_t *end, const char **data, size_t *size)
{
    uint64_t n;
    if ((size_t)(end - *at) < sizeof n) return false;
    memcpy(&n, *at, sizeof n);
    *at += sizeof n;
    if (n > (uint64_t)(end - *at)) return false;
    *data = (const char *)*at, *size = n;
    *at += n;
    return true;
}

tw_status tw__codelets_store(const tw__codelets *set, bool host_only, GByteArray *out)
{
    char *names[] = { "cpu", "ipu1", "ipu2", "ipu21" };
    tw__gp_target targets[G_N_ELEMENTS(names)];
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) targets[i] = (tw__gp_target){ names[i], names[i], NULL };
    uint64_t units = tw__codelets_units(set);
    g_byte_array_append(out, (const guint8 *)&units, sizeof units);
    tw_status status = TW_OK;
    for (size_t i = 0; i < units && status == TW_OK; i++) {
        const char *name;
        GString *data;
        status = tw__codelets_unit(set, i, targets, host_only ? 1 : G_N_ELEMENTS(targets), &data, &name);
        store_put(out, name, strlen(name));
        store_put(out, data->str, data->len);
        g_string_free(data, TRUE);
    }
    return status;
}

tw_status tw__codelets_restore(tw__codelets *set, const uint8_t *bytes, size_t size, size_t *used)
{
    const uint8_t *at = bytes, *end = bytes + size;
    uint64_t units = 0;
    bool whole = size >= sizeof units;
    if (whole) memcpy(&units, at, sizeof units), at += sizeof units;
    for (uint64_t i = 0; i < units && whole; i++) {
        const char *name, *data;
        size_t name_size, data_size;
        whole = store_get(&at, end, &name, &name_size) && store_get(&at, end, &data, &data_size);
        if (!whole) break;
        g_autofree char *text = g_strndup(name, name_size);
        tw_status status = tw__codelets_add_archive(set, text, data, data_size);
        if (status != TW_OK) return status;
    }
    *used = (size_t)(at - bytes);
    return whole ? TW_OK : tw__fail(TW_E_OBJECT_LOAD, "its codelets are cut off");
}
