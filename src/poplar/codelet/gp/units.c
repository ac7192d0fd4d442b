/* SPDX-License-Identifier: MIT */
/* What a unit of an archive holds beside its tables: a source with its flags, objects of chips. */
#include "poplar/codelet/compile/compile.h"

static const char *word(const json_t *item, const char *key)
{
    return json_string_value(json_object_get(item, key));
}

bool tw__gp_is_assembly(const json_t *item)
{
    return g_strcmp0(word(item, "language"), "assembly") == 0;
}

char *tw__gp_text(const tw__gp *gp, const json_t *item, char ***flags, bool *is_c)
{
    const char *name = word(item, "text");
    const tw__gp_member *member = name && !tw__gp_is_assembly(item) ? tw__gp_member_get(gp, name) : NULL;
    if (!member) return NULL;
    GPtrArray *all = g_ptr_array_new();
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(item, "flags"), i, flag)
    {
        if (json_is_string(flag)) g_ptr_array_add(all, g_strdup(json_string_value(flag)));
    }
    g_ptr_array_add(all, NULL);
    *flags = (char **)g_ptr_array_free(all, FALSE);
    *is_c = g_strcmp0(word(item, "language"), "c") == 0;
    return g_strndup(member->data, member->size);
}

tw_status tw__gp_object(const tw__gp *gp, const json_t *item, const char *chip, tw_object **object)
{
    const char *name = word(json_object_get(item, "objects"), chip), *source = word(item, "source");
    const tw__gp_member *member = name ? tw__gp_member_get(gp, name) : NULL;
    *object = NULL;
    if (!member) return TW_OK;
    return tw_status_of(
        *object = tw_object_from_elf((const uint8_t *)member->data, member->size, source ? source : name));
}

tw_status tw__gp_stacks(const tw__gp *gp, const json_t *item, GArray *notes)
{
    tw_status status = TW_OK;
    bool done = false;
    for (tw__arch arch = 0; arch < TW__ARCH_COUNT && status == TW_OK && !done; arch++) {
        tw_object *object;
        status = tw__gp_object(gp, item, tw__arch_name(arch), &object);
        done = object != NULL;
        if (object) tw__stack_read_object(object, notes);
        tw_object_free(object);
    }
    return status;
}
