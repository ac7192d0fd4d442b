/* Assembly in .gp archives: a unit without vertex tables, with an object for each chip. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>

static tw_status assemble_target(tw__gp *gp, json_t *unit, const tw__source *source, const tw__gp_target *target,
                                 tw__arch arch, tw_diags *diags)
{
    GPtrArray *flags = g_ptr_array_new();
    for (const char *const *flag = source->flags; flag && *flag; flag++) g_ptr_array_add(flags, (char *)*flag);
    for (char **flag = target->flags; flag && *flag; flag++) g_ptr_array_add(flags, *flag);
    g_ptr_array_add(flags, NULL);
    tw_object *object;
    uint8_t *bytes = NULL;
    size_t size = 0;
    tw_status status = tw__assemble(source->path, (const char *const *)flags->pdata, arch, &object, diags);
    if (status == TW_OK) status = tw_object_to_elf(object, &bytes, &size);
    if (status == TW_OK) {
        const char *member = tw__gp_new_member(gp, "o", (const char *)bytes, size);
        json_object_set_new(json_object_get(unit, "objects"), target->name, json_string(member));
    }
    free(bytes);
    tw_object_free(object);
    g_ptr_array_free(flags, TRUE);
    return status;
}

tw_status tw__gp_assemble(tw__gp *gp, const tw__source *source, const tw__gp_target *targets, size_t count,
                          tw_diags *diags)
{
    json_t *unit = json_pack("{s:s, s:s, s:[], s:[], s:{}, s:{}}", "source", source->path, "language", "assembly",
                             "flags", "headers", "tables", "objects");
    if (!unit) return tw__fail(TW_E_INVALID_ARGUMENT, "the name of the source is not UTF-8");
    for (const char *const *flag = source->flags; flag && *flag; flag++)
        json_array_append_new(json_object_get(unit, "flags"), json_string(*flag));
    const char *text = tw__gp_new_member(gp, "src", source->text, strlen(source->text));
    json_object_set_new(unit, "text", json_string(text));
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        tw__arch arch;
        if (tw__arch_by_name(targets[i].arch, &arch))
            status = assemble_target(gp, unit, source, &targets[i], arch, diags);
    }
    if (status == TW_OK && !json_object_size(json_object_get(unit, "objects")))
        status = tw__fail(TW_E_INVALID_ARGUMENT, "%s: assembly is for chips: give ipu1, ipu2 or ipu21 as target",
                          source->path);
    if (status == TW_OK)
        json_array_append_new(tw__gp_units(gp), unit);
    else
        json_decref(unit);
    return status;
}
