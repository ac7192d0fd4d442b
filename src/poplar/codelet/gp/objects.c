/* SPDX-License-Identifier: MIT */
/* Objects of chips beside archives: an ELF file as an archive of one unit, and the code of a chip in either. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/popc.h>

static bool is_elf(const char *data, size_t size)
{
    return size >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* As what popc makes of assembly, without the source. */
static tw__gp *of_object(const char *path, const char *data, size_t size)
{
    tw__arch arch;
    tw_object *object = tw_object_from_elf((const uint8_t *)data, size, path);
    if (!object) return NULL;
    bool known = tw__arch_by_name(tw_isa_arch_name(tw_object_arch(object)), &arch);
    tw_object_free(object);
    if (!known) {
        tw__fail(TW_E_OBJECT_LOAD, "it is for no chip that Tilewright knows");
        return NULL;
    }
    tw__gp *gp = tw__gp_new();
    json_t *unit = json_pack("{s:s, s:s, s:[], s:[], s:{}, s:{}}", "source", path, "language", "assembly", "flags",
                             "headers", "tables", "objects");
    if (!unit) {
        tw__gp_free(gp);
        tw__fail(TW_E_INVALID_ARGUMENT, "the name of the object is not UTF-8");
        return NULL;
    }
    const char *member = tw__gp_new_member(gp, "o", data, size);
    json_object_set_new(json_object_get(unit, "objects"), tw__arch_name(arch), json_string(member));
    json_array_append_new(tw__gp_units(gp), unit);
    return gp;
}

tw__gp *tw__gp_take_file(const char *path, char *data, size_t size)
{
    if (!is_elf(data, size)) return tw__gp_take(data, size);
    tw__gp *gp = of_object(path, data, size);
    free(data);
    return gp;
}

/* --- the code of a chip ----------------------------------------------------------------------------------------- */

static bool has_code(const tw__gp *gp, tw__arch arch)
{
    size_t i;
    json_t *unit;
    json_array_foreach(tw__gp_units(gp), i, unit)
    {
        if (json_object_get(json_object_get(unit, "objects"), tw__arch_name(arch))) return true;
    }
    return false;
}

/* The chip that is meant. */
static tw_status choose(const tw__gp *gp, const char *path, const char *chip, tw__arch *arch)
{
    GString *there = g_string_new(NULL);
    unsigned chips = 0;
    tw__arch only = TW__ARCH_IPU2;
    for (tw__arch a = 0; a < TW__ARCH_COUNT; a++) {
        if (!has_code(gp, a)) continue;
        g_string_append_printf(there, "%s%s", chips++ ? ", " : "", tw__arch_name(a));
        only = a;
    }
    tw_status status = TW_OK;
    *arch = chips == 1 ? only : TW__ARCH_IPU2;
    if (chip && !tw__arch_by_name(chip, arch))
        status = tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is not an IPU: mk1, mk2 and ipu21 are", chip);
    else if (!has_code(gp, *arch))
        status = tw__fail(TW_E_OBJECT_LOAD, "%s: it has no code for %s%s%s", path, tw__arch_name(*arch),
                          chips ? ", only for " : ": nothing in it was compiled for a chip", there->str);
    g_string_free(there, TRUE);
    return status;
}

static tw_status objects_of(const char *path, const char *chip, tw_object ***objects, size_t *count)
{
    char *data;
    size_t size, i;
    *objects = NULL, *count = 0;
    tw_status status = tw__read_file(path, &data, &size);
    if (status != TW_OK) return status;
    tw__gp *gp = tw__gp_take_file(path, data, size);
    if (!gp) {
        g_autofree char *reason = g_strdup(tw_error_message());
        return tw__fail(TW_E_OBJECT_LOAD, "%s: %s", path, reason);
    }
    tw__arch arch;
    status = choose(gp, path, chip, &arch);
    tw_object **made = status == TW_OK ? calloc(json_array_size(tw__gp_units(gp)) + 1, sizeof *made) : NULL;
    if (status == TW_OK && !made) status = tw__fail(TW_E_NO_MEMORY, "out of memory");
    json_t *unit;
    json_array_foreach(tw__gp_units(gp), i, unit)
    {
        if (status != TW_OK) continue;
        status = tw__gp_object(gp, unit, tw__arch_name(arch), &made[*count]);
        *count += made[*count] != NULL;
    }
    tw__gp_free(gp);
    if (status == TW_OK) *objects = made;
    for (i = 0; status != TW_OK && made && i < *count; i++) tw_object_free(made[i]);
    if (status != TW_OK) free(made), *count = 0;
    return status;
}

tw_object **tw_popc_objects(const char *path, const char *chip, size_t *count)
{
    tw_object **objects;
    tw_status status = objects_of(path, chip, &objects, count);
    return tw__made(status, objects);
}
