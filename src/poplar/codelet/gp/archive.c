/* .gp files: `ar` archives with a manifest, so that ordinary tools can look inside. What is read may be hostile:
 * every length is checked, nothing is executed here. */
#include "poplar/codelet/compile/compile.h"

#include <stdio.h>
#include <string.h>

#define MAGIC "!<arch>\n"

enum { HEADER = 60, MAX_MEMBERS = 100000 };

static void free_member(gpointer data)
{
    tw__gp_member *member = data;
    g_free(member->name);
    g_free(member->data);
    g_free(member);
}

static tw__gp *empty(void)
{
    tw__gp *gp = g_new0(tw__gp, 1);
    gp->members = g_ptr_array_new_with_free_func(free_member);
    gp->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    return gp;
}

tw__gp *tw__gp_new(void)
{
    tw__gp *gp = empty();
    gp->manifest = json_pack("{s:i, s:[]}", "tilewright_gp", 1, "units");
    return gp;
}

void tw__gp_free(tw__gp *gp)
{
    if (!gp) return;
    g_hash_table_destroy(gp->by_name);
    g_ptr_array_free(gp->members, TRUE);
    json_decref(gp->manifest);
    g_free(gp);
}

const tw__gp_member *tw__gp_member_get(const tw__gp *gp, const char *name)
{
    return name ? g_hash_table_lookup(gp->by_name, name) : NULL;
}

void tw__gp_member_add(tw__gp *gp, char *name, char *data, size_t size)
{
    tw__gp_member *member = g_new0(tw__gp_member, 1);
    *member = (tw__gp_member){ name, data, size };
    g_ptr_array_add(gp->members, member);
    if (!g_hash_table_contains(gp->by_name, name)) g_hash_table_insert(gp->by_name, name, member);
}

json_t *tw__gp_units(const tw__gp *gp)
{
    return json_object_get(gp->manifest, "units");
}

json_t *tw__gp_table(const tw__gp *gp, const json_t *unit, const char *target)
{
    const char *name = json_string_value(json_object_get(json_object_get(unit, "tables"), target));
    const tw__gp_member *member = tw__gp_member_get(gp, name);
    return member ? json_loadb(member->data, member->size, 0, NULL) : NULL;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

static tw_status bad(const char *what)
{
    return tw__fail(TW_E_OBJECT_LOAD, "not a usable .gp file: %s", what);
}

/* Decimal field of an ar header: digits, then blanks. */
static bool decimal(const char *text, size_t width, size_t *out)
{
    size_t value = 0, i = 0;
    for (; i < width && g_ascii_isdigit(text[i]); i++) value = value * 10 + (size_t)(text[i] - '0');
    if (i == 0) return false;
    while (i < width && text[i] == ' ') i++;
    *out = value;
    return i == width;
}

static tw_status read_members(tw__gp *gp, const char *data, size_t size)
{
    if (size < strlen(MAGIC) || memcmp(data, MAGIC, strlen(MAGIC)) != 0) return bad("it is not an archive");
    for (size_t at = strlen(MAGIC); at < size;) {
        size_t length;
        const char *header = data + at;
        if (size - at < HEADER) return bad("it is cut off in a header");
        if (memcmp(header + 58, "`\n", 2) != 0 || !decimal(header + 48, 10, &length))
            return bad("a header is damaged");
        at += HEADER;
        if (length > size - at) return bad("it is cut off in a member");
        if (gp->members->len >= MAX_MEMBERS) return bad("it has too many members");
        size_t name = 0;
        while (name < 16 && header[name] != '/' && header[name] != ' ' && header[name] != 0) name++;
        char *copy = g_try_malloc(length + 1);
        if (!copy) return tw__fail(TW_E_NO_MEMORY, "out of memory");
        memcpy(copy, data + at, length);
        copy[length] = 0;
        tw__gp_member_add(gp, g_strndup(header, name), copy, length);
        at += length + (length & 1);
    }
    return TW_OK;
}

/* What units hold, when it is there. One member in many units would make a small file large when it is read or
 * merged. */
typedef struct contents {
    const tw__gp *gp;
    size_t left; /* bytes of members that units may still name */
} contents;

static tw_status check_member(contents *c, const json_t *name, bool needed)
{
    const tw__gp_member *member = tw__gp_member_get(c->gp, json_string_value(name));
    if (!member) return needed ? bad("its manifest names a member that is not there") : TW_OK;
    if (member->size > c->left) return bad("its manifest names a member more than once");
    c->left -= member->size;
    return TW_OK;
}

static tw_status check_unit(contents *c, json_t *unit)
{
    static const char *const maps[] = { "tables", "objects" };
    if (!json_is_string(json_object_get(unit, "source"))) return bad("a unit without a source name");
    tw_status status = check_member(c, json_object_get(unit, "text"), false);
    json_t *value;
    const char *key;
    size_t index;
    for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
        json_t *map = json_object_get(unit, maps[i]);
        if (!json_is_object(map)) return bad("a unit without tables or objects");
        json_object_foreach(map, key, value)
        {
            if (status == TW_OK) status = check_member(c, value, true);
        }
    }
    json_array_foreach(json_object_get(unit, "headers"), index, value)
    {
        if (status == TW_OK) status = check_member(c, json_object_get(value, "member"), false);
    }
    return status;
}

static tw_status read_manifest(tw__gp *gp)
{
    const tw__gp_member *member = tw__gp_member_get(gp, "manifest");
    if (!member) return bad("it has no manifest");
    json_error_t error;
    gp->manifest = json_loadb(member->data, member->size, 0, &error);
    if (!gp->manifest) return bad("its manifest is not JSON");
    if (json_integer_value(json_object_get(gp->manifest, "tilewright_gp")) != 1)
        return bad("it was made for another version of Tilewright");
    size_t index;
    json_t *unit;
    contents all = { .gp = gp };
    for (guint i = 0; i < gp->members->len; i++) all.left += ((tw__gp_member *)gp->members->pdata[i])->size;
    if (!json_is_array(tw__gp_units(gp))) return bad("its manifest has no units");
    json_array_foreach(tw__gp_units(gp), index, unit)
    {
        tw_status status = check_unit(&all, unit);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw__gp *tw__gp_read(const char *data, size_t size)
{
    tw__gp *gp = empty();
    if (read_members(gp, data, size) == TW_OK && read_manifest(gp) == TW_OK) {
        gp->counter = gp->members->len; /* later names are counted on from here */
        return gp;
    }
    tw__gp_free(gp);
    return NULL;
}

/* --- writing ----------------------------------------------------------------------------------------------- */

static void put(GString *out, const char *name, const char *data, size_t size)
{
    g_autofree char *closed = g_strconcat(name, "/", NULL);
    g_string_append_printf(out, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", closed, 0, 0, 0, "100644", size);
    g_string_append_len(out, data, (gssize)size);
    if (size & 1) g_string_append_c(out, '\n');
}

GString *tw__gp_write(const tw__gp *gp)
{
    GString *out = g_string_new(MAGIC);
    char *manifest = json_dumps(gp->manifest, JSON_INDENT(1) | JSON_SORT_KEYS);
    put(out, "manifest", manifest, strlen(manifest));
    free(manifest);
    for (guint i = 0; i < gp->members->len; i++) {
        const tw__gp_member *member = gp->members->pdata[i];
        if (strcmp(member->name, "manifest") != 0) put(out, member->name, member->data, member->size);
    }
    return out;
}
