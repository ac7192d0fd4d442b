/* SPDX-License-Identifier: MIT */
/* dap_memory: bytes of a program's memory, for a client that shows them. */
#include "cli/dap/dap_inner.h"

#include <string.h>

void tw__dap_put_memory(tw__dap *dap, tw__dap_location at, json_t *into, const char *expression)
{
    uint64_t address;
    if (!dap->target->locate(dap->debugger, at.thread, at.frame, expression, &address)) return;
    g_autofree char *reference = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);
    json_object_set_new(into, "memoryReference", json_string(reference));
}

/* What lies outside of all memory is unreadable, which is no error. */
json_t *tw__dap_read_memory(tw__dap *dap, const json_t *arguments, char **error)
{
    enum { MOST = 1 << 20 };
    const char *reference = json_string_value(json_object_get(arguments, "memoryReference"));
    json_int_t count = json_integer_value(json_object_get(arguments, "count"));
    char *end = NULL;
    uint64_t address = reference ? g_ascii_strtoull(reference, &end, 0) : 0;
    if (!reference || end == reference || *end || count < 0 || count > MOST) {
        *error = g_strdup_printf("'memoryReference' is no address, or 'count' is not 0 to %d", (int)MOST);
        return NULL;
    }
    address += (uint64_t)json_integer_value(json_object_get(arguments, "offset"));
    g_autofree uint8_t *bytes = g_malloc0((gsize)count + 1);
    size_t there = dap->target->read(dap->debugger, address, bytes, (size_t)count);
    g_autofree char *at = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);
    g_autofree char *data = g_base64_encode(bytes, there);
    json_t *body = json_pack("{ssss}", "address", at, "data", data);
    if (there < (size_t)count)
        json_object_set_new(body, "unreadableBytes", json_integer(count - (json_int_t)there));
    return body;
}
