/* SPDX-License-Identifier: MIT */
/* What compiled code calls and the chip has no instruction for: objects beside the library, made when it was
 * built. An image gets them where one of its objects refers to a name of theirs that none defines; they give weak
 * definitions, of which only what is called is kept. */
#include "poplar/colossus/link/link.h"

#include <pthread.h>
#include <string.h>

enum { CHIPS = 3 };

typedef struct library {
    tw_object *objects[TW__LINK_LIBRARY];
    size_t count;
    GHashTable *names; /* that they define */
} library;

static library libraries[CHIPS];

static void load_object(library *l, const char *folder, const char *chip, const char *part)
{
    g_autofree char *file = g_strconcat(chip, "-", part, ".o", NULL), *path = g_build_filename(folder, file, NULL);
    tw_object *object = g_file_test(path, G_FILE_TEST_EXISTS) ? tw_object_read(path) : NULL;
    if (!object) return;
    l->objects[l->count++] = object;
    for (size_t i = 0; i < object->symbol_count; i++)
        if (object->symbols[i].binding != TW_SYMBOL_LOCAL && object->symbols[i].section != TW_SECTION_UNDEFINED)
            g_hash_table_add(l->names, (gpointer)object->symbols[i].name);
}

static void load_all(void)
{
    static const char *const parts[TW__LINK_LIBRARY] = { "assembly", "workers", "supervisor" };
    g_autofree char *folder = g_build_filename(tw__lib_dir(), "tilewright", "runtime", NULL);
    for (unsigned chip = 0; chip < CHIPS; chip++) {
        libraries[chip].names = g_hash_table_new(g_str_hash, g_str_equal);
        for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
            load_object(&libraries[chip], folder, tw_isa_arch_name((tw_isa_arch)(1 << chip)), parts[i]);
    }
}

static bool library_is_asked(const library *l, const tw_object *object)
{
    for (size_t i = 0; i < object->symbol_count; i++)
        if (object->symbols[i].section == TW_SECTION_UNDEFINED &&
            g_hash_table_contains(l->names, object->symbols[i].name))
            return true;
    return false;
}

size_t tw__link_library(const tw_object *const *objects, size_t count, const tw_object *out[TW__LINK_LIBRARY])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_all);
    const library *l = &libraries[g_bit_nth_lsf(objects[0]->arch, -1)];
    for (size_t i = 0; i < count; i++) {
        if (!library_is_asked(l, objects[i])) continue;
        memcpy(out, l->objects, sizeof l->objects);
        return l->count;
    }
    return 0;
}
