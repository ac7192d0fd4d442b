/* SPDX-License-Identifier: MIT */
/* Assembly in .gp archives: a unit without vertex tables, with an object for each chip. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

/* Whether all errors are instructions that the chip has not; the first of them in *first. */
static bool is_for_other_chips(const tw_diags *diags, const tw_diag **first)
{
    const tw_diag *d;
    *first = NULL;
    for (size_t i = 0; (d = tw_diags_get(diags, i)); i++) {
        if (d->severity != TW_ERROR) continue;
        if (strcmp(d->code, TW_ASM_NO_SUCH_INSTRUCTION) != 0) return false;
        if (!*first) *first = d;
    }
    return *first != NULL;
}

static void say_left_out(tw_diags *diags, const tw_diag *first)
{
    if (!diags) return;
    g_autofree char *text = g_strdup_printf("%s: this file is left out for it", first->message);
    tw_diag warning = *first;
    warning.severity = TW_WARNING;
    warning.code = "popc.chip";
    warning.message = text;
    tw_diags_add(diags, &warning);
}

/* `may_leave_out`: a file with instructions of other chips gives no object and a warning, as builds hand all their
 * files to popc with a list of targets (PopLibs' poplin has two files for ipu2 alone). */
static tw_status assemble_target(tw__gp *gp, json_t *unit, const tw__source *source, const tw__gp_target *target,
                                 tw__arch arch, bool may_leave_out, tw_diags *diags)
{
    tw_diags *own = tw_diags_new();
    GPtrArray *flags = g_ptr_array_new();
    for (const char *const *flag = source->flags; flag && *flag; flag++) g_ptr_array_add(flags, (char *)*flag);
    for (char **flag = target->flags; flag && *flag; flag++) g_ptr_array_add(flags, *flag);
    g_ptr_array_add(flags, NULL);
    tw_object *object = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    tw_status status = tw__assemble(source->path, (const char *const *)flags->pdata, arch, &object, own);
    if (status == TW_OK) status = tw_status_of(bytes = tw_object_to_elf(object, &size));
    if (status == TW_OK) {
        const char *member = tw__gp_new_member(gp, "o", (const char *)bytes, size);
        json_object_set_new(json_object_get(unit, "objects"), target->name, json_string(member));
    }
    const tw_diag *d;
    if (status == TW_E_COMPILATION && may_leave_out && is_for_other_chips(own, &d)) {
        say_left_out(diags, d);
        status = TW_OK;
    } else if (diags)
        for (size_t i = 0; (d = tw_diags_get(own, i)); i++) tw_diags_add(diags, d);
    free(bytes);
    tw_object_free(object);
    tw_diags_free(own);
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
    size_t chips = 0;
    tw__arch arch;
    for (size_t i = 0; i < count; i++) chips += tw__arch_by_name(targets[i].arch, &arch);
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        if (tw__arch_by_name(targets[i].arch, &arch))
            status = assemble_target(gp, unit, source, &targets[i], arch, chips > 1, diags);
    }
    bool empty = !json_object_size(json_object_get(unit, "objects"));
    if (status == TW_OK && empty && chips)
        status = tw__fail(TW_E_COMPILATION, "%s: none of the targets has all its instructions", source->path);
    else if (status == TW_OK && empty)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "%s: assembly is for chips: give ipu1, ipu2 or ipu21 as target",
                          source->path);
    if (status == TW_OK)
        json_array_append_new(tw__gp_units(gp), unit);
    else
        json_decref(unit);
    return status;
}
