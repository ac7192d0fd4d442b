/* SPDX-License-Identifier: MIT */
// needs: codelet
/* .gp archives: whatever the bytes, reading succeeds or says why; what is read can be written, read again and merged,
 * and no field of a vertex reaches beyond its state. Nothing is executed. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

static void read_table(const json_t *table, tw__half_variant variant)
{
    tw__arena *arena = tw__arena_new(0);
    GPtrArray *types = g_ptr_array_new();
    tw_status status = tw__table_read(arena, table, variant, "fuzz", types);
    check(status == TW_OK || *tw_error_message());
    for (guint i = 0; i < types->len; i++) {
        const tw__vertex_type *vt = types->pdata[i];
        for (unsigned k = 0; k < vt->num_fields; k++) {
            const tw__field *f = &vt->fields[k];
            check(f->host_offset + f->host_size <= vt->host_size && f->layout[0] < TW__LAYOUT_COUNT &&
                  f->rank <= 2);
            check(tw__vertex_field(vt, f->name) == f);
        }
        for (int arch = 0; arch < TW__ARCH_COUNT; arch++) tw__table_read_device(arena, table, vt, (tw__arch)arch);
    }
    g_ptr_array_free(types, TRUE);
    tw__arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw__gp *gp = tw__gp_read((const char *)data, size);
    if (!gp) {
        check(*tw_error_message());
        return 0;
    }
    size_t i;
    json_t *unit, *value;
    const char *target;
    json_array_foreach(tw__gp_units(gp), i, unit)
    {
        json_object_foreach(json_object_get(unit, "tables"), target, value)
        {
            json_t *table = tw__gp_table(gp, unit, target);
            if (table) read_table(table, (tw__half_variant)(i & 1));
            json_decref(table);
        }
    }
    tw__gp *merged = tw__gp_new();
    if (tw__gp_merge(merged, gp, "fuzz") == TW_OK) {
        GString *bytes = tw__gp_write(merged);
        tw__gp *again = tw__gp_read(bytes->str, bytes->len);
        check(again && json_array_size(tw__gp_units(again)) == json_array_size(tw__gp_units(gp)));
        tw__gp_free(again);
        g_string_free(bytes, TRUE);
    }
    tw__gp_free(merged);
    tw__gp_free(gp);
    return 0;
}
