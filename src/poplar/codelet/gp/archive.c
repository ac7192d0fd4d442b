/* SPDX-License-Identifier: MIT */
/* .gp files: `ar` archives with a manifest, so that ordinary tools can look inside. What is read may be hostile:
 * every length is checked, nothing is executed here. */
#include "poplar/codelet/compile/compile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "!<arch>\n"

enum { HEADER = 60, MAX_MEMBERS = 100000 };

static void free_member(gpointer data)
{
    tw__gp_member *member = data;
    g_free(member->name);
    if (!member->is_part) g_free(member->data);
    g_free(member);
}

static tw__gp *empty(void)
{
    tw__gp *gp = g_new0(tw__gp, 1);
    gp->file = -1;
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
    if (gp->file >= 0) close(gp->file);
    free(gp->bytes);
    g_free(gp);
}

static bool read_at(int file, void *to, size_t size, int64_t place)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(file, (char *)to + done, size - done, (off_t)(place + (int64_t)done));
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* The data of a member is there. A file that popc replaces stays as it was for whoever has it open. */
static bool fetch(const tw__gp *gp, tw__gp_member *member)
{
    if (member->data) return true;
    char *data = g_malloc(member->size + 1); /* who asks takes NULL for a member that is not there */
    if (!read_at(gp->file, data, member->size, member->place)) {
        g_free(data);
        tw__fail(TW_E_OBJECT_LOAD, "member '%s' of a .gp file cannot be read", member->name);
        return false;
    }
    data[member->size] = 0;
    member->data = data;
    return true;
}

static tw__gp_member *find_member(const tw__gp *gp, const char *name)
{
    return name ? g_hash_table_lookup(gp->by_name, name) : NULL;
}

const tw__gp_member *tw__gp_member_get(const tw__gp *gp, const char *name)
{
    tw__gp_member *member = find_member(gp, name);
    return member && fetch(gp, member) ? member : NULL;
}

static void add_member(tw__gp *gp, char *name, char *data, size_t size, bool is_part, int64_t place)
{
    tw__gp_member *member = g_new0(tw__gp_member, 1);
    *member = (tw__gp_member){ name, data, size, is_part, place };
    g_ptr_array_add(gp->members, member);
    if (!g_hash_table_contains(gp->by_name, name)) g_hash_table_insert(gp->by_name, name, member);
}

void tw__gp_member_add(tw__gp *gp, char *name, char *data, size_t size)
{
    add_member(gp, name, data, size, false, 0);
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

char **tw__gp_names(const tw__gp *gp, const json_t *unit, const char *target)
{
    const char *name = json_string_value(json_object_get(json_object_get(unit, "names"), target));
    const tw__gp_member *member = tw__gp_member_get(gp, name);
    if (!member) return NULL;
    g_autofree char *text = g_strndup(member->data, member->size);
    char **lines = g_strsplit(text, "\n", -1);
    guint n = g_strv_length(lines);
    if (n && !*lines[n - 1]) g_clear_pointer(&lines[n - 1], g_free); /* what follows the last line */
    return lines;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

static tw_status archive_bad(const char *what)
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

/* Of gp->bytes, or of the file, of which headers alone are read. */
static tw_status read_members(tw__gp *gp, char *data, size_t size)
{
    char buffer[HEADER], *header = buffer;
    if (data) memcpy(buffer, data, size < HEADER ? size : HEADER);
    bool there = size >= strlen(MAGIC) && (data || read_at(gp->file, buffer, strlen(MAGIC), 0));
    if (!there || memcmp(buffer, MAGIC, strlen(MAGIC)) != 0) return archive_bad("it is not an archive");
    for (size_t at = strlen(MAGIC); at < size;) {
        size_t length;
        if (data) header = data + at;
        if (size - at < HEADER || (!data && !read_at(gp->file, header, HEADER, (int64_t)at)))
            return archive_bad("it is cut off in a header");
        if (memcmp(header + 58, "`\n", 2) != 0 || !decimal(header + 48, 10, &length))
            return archive_bad("a header is damaged");
        at += HEADER;
        if (length > size - at) return archive_bad("it is cut off in a member");
        if (gp->members->len >= MAX_MEMBERS) return archive_bad("it has too many members");
        size_t name = 0;
        while (name < 16 && header[name] != '/' && header[name] != ' ' && header[name] != 0) name++;
        add_member(gp, g_strndup(header, name), data ? data + at : NULL, length, data != NULL, (int64_t)at);
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
    const tw__gp_member *member = find_member(c->gp, json_string_value(name));
    if (!member) return needed ? archive_bad("its manifest names a member that is not there") : TW_OK;
    if (member->size > c->left) return archive_bad("its manifest names a member more than once");
    c->left -= member->size;
    return TW_OK;
}

static tw_status check_unit(contents *c, json_t *unit)
{
    static const char *const maps[] = { "tables", "objects", "names" };
    if (!json_is_string(json_object_get(unit, "source"))) return archive_bad("a unit without a source name");
    tw_status status = check_member(c, json_object_get(unit, "text"), false);
    json_t *value;
    const char *key;
    size_t index;
    for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
        json_t *map = json_object_get(unit, maps[i]);
        if (i < 2 && !json_is_object(map)) return archive_bad("a unit without tables or objects");
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
    if (!member) return archive_bad("it has no manifest");
    json_error_t error;
    gp->manifest = json_loadb(member->data, member->size, 0, &error);
    if (!gp->manifest) return archive_bad("its manifest is not JSON");
    if (json_integer_value(json_object_get(gp->manifest, "tilewright_gp")) != 1)
        return archive_bad("it was made for another version of Tilewright");
    size_t index;
    json_t *unit;
    contents all = { .gp = gp };
    for (guint i = 0; i < gp->members->len; i++) all.left += ((tw__gp_member *)gp->members->pdata[i])->size;
    if (!json_is_array(tw__gp_units(gp))) return archive_bad("its manifest has no units");
    json_array_foreach(tw__gp_units(gp), index, unit)
    {
        tw_status status = check_unit(&all, unit);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw__gp *tw__gp_read(const char *data, size_t size)
{
    char *copy = tw__realloc(NULL, size ? size : 1);
    if (!copy) {
        tw__fail(TW_E_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (size) memcpy(copy, data, size);
    return tw__gp_take(copy, size);
}

tw__gp *tw__gp_take(char *data, size_t size)
{
    tw__gp *gp = empty();
    gp->bytes = data;
    if (read_members(gp, data, size) == TW_OK && read_manifest(gp) == TW_OK) {
        gp->counter = gp->members->len; /* later names are counted on from here */
        return gp;
    }
    tw__gp_free(gp);
    return NULL;
}

enum { OPEN_LIMIT = 256 << 20 };

tw__gp *tw__gp_open(const char *path)
{
    tw__gp *gp = empty();
    struct stat st;
    gp->file = open(path, O_RDONLY | O_CLOEXEC);
    bool fits = gp->file >= 0 && fstat(gp->file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= OPEN_LIMIT;
    if (fits && read_members(gp, NULL, (size_t)st.st_size) == TW_OK && read_manifest(gp) == TW_OK &&
        tw__gp_identity(gp)) {
        gp->counter = gp->members->len;
        return gp;
    }
    tw__gp_free(gp);
    return NULL;
}

const tw__gp_member *tw__gp_identity(const tw__gp *gp)
{
    bool has_digest = json_is_string(json_object_get(gp->manifest, "digest"));
    return has_digest ? tw__gp_member_get(gp, "manifest") : NULL;
}

/* --- writing ----------------------------------------------------------------------------------------------- */

/* The canonical names of a table's vertices, a line each; NULL when there is one that would be no line. */
static GString *names_of(const json_t *table)
{
    size_t i;
    json_t *vertex;
    GString *names = g_string_new(NULL);
    json_array_foreach(json_object_get(table, "vertices"), i, vertex)
    {
        const char *name = json_string_value(json_object_get(vertex, "name"));
        g_autofree char *canonical = tw__vertex_canonical_name(name ? name : "");
        if (!*canonical || strchr(canonical, '\n')) {
            g_string_free(names, TRUE);
            return NULL;
        }
        g_string_append_printf(names, "%s\n", canonical);
    }
    return names;
}

void tw__gp_make_index(tw__gp *gp)
{
    size_t i;
    json_t *unit, *name;
    const char *target;
    json_array_foreach(tw__gp_units(gp), i, unit)
    {
        json_t *lists = json_object_get(unit, "names");
        if (!json_is_object(lists)) json_object_set_new(unit, "names", lists = json_object());
        json_object_foreach(json_object_get(unit, "tables"), target, name)
        {
            if (json_object_get(lists, target)) continue;
            json_t *table = tw__gp_table(gp, unit, target);
            GString *names = names_of(table);
            if (names)
                json_object_set_new(lists, target,
                                    json_string(tw__gp_new_member(gp, "names", names->str, names->len)));
            if (names) g_string_free(names, TRUE);
            json_decref(table);
        }
    }
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (guint k = 0; k < gp->members->len; k++) {
        tw__gp_member *member = gp->members->pdata[k];
        if (strcmp(member->name, "manifest") == 0 || !fetch(gp, member)) continue;
        g_checksum_update(sum, (const guchar *)member->name, (gssize)strlen(member->name) + 1);
        g_checksum_update(sum, (const guchar *)&member->size, sizeof member->size);
        g_checksum_update(sum, (const guchar *)member->data, (gssize)member->size);
    }
    json_object_set_new(gp->manifest, "digest", json_string(g_checksum_get_string(sum)));
    g_checksum_free(sum);
}

static void archive_put(GString *out, const char *name, const char *data, size_t size)
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
    archive_put(out, "manifest", manifest, strlen(manifest));
    free(manifest);
    for (guint i = 0; i < gp->members->len; i++) {
        tw__gp_member *member = gp->members->pdata[i];
        if (strcmp(member->name, "manifest") != 0 && fetch(gp, member))
            archive_put(out, member->name, member->data, member->size);
    }
    return out;
}
