/* SPDX-License-Identifier: MIT */
/* `tilewright layout`: what vectors, vertices and structs look like in a tile's memory, bit by bit. */
#include "cli/cli.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tile/abi.h>
#include <tilewright/poplar/vertex_state.h>

typedef struct options {
    const char *arch, *layout, *outer, *type, *align, *address, *count, *base, *table, *rows, *flags;
    bool json;
    char **arguments; /* the rest */
    int argument_count;
} options;

#define AT(field) .at = offsetof(options, field)
static const tw__cli_option known[] = {
    { "--arch", "CHIP", AT(arch), "mk1, mk2 or ipu21" },
    { "--layout", "NAME", AT(layout), "of the vector, or of a VectorList" },
    { "--outer", "NAME", AT(outer), "of the vector that holds the rows" },
    { "--type", "T", AT(type), "of its elements" },
    { "--align", "N", AT(align), "smallest alignment, in bytes" },
    { "--address", "A", AT(address), "of its first element" },
    { "--count", "N", AT(count), "of elements" },
    { "--base", "B", AT(base), "what a row's address counts from" },
    { "--table", "T", AT(table), "address of the rows" },
    { "--rows", "A:N,...", AT(rows), "address and count of each row" },
    { "--flags", "FLAGS", AT(flags), "for the compiler" },
    { "--json", NULL, AT(json), "the same for programs" },
};

static int usage(const char *text)
{
    return tw__cli_usage_error("layout", "%s", text);
}

static int failure(void)
{
    return tw__cli_failure("layout");
}

static bool number(const char *text, const char *what, int base, uint32_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = text ? strtoull(text, &end, base) : 0;
    if (!text || end == text || *end || errno || *text == '-' || value > UINT32_MAX) {
        tw__cli_usage_error("layout", text ? "%s: '%s' is not a number of 32 bits" : "%s is missing", what, text);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

/* The chip and the form that the options name, not yet resolved. */
static bool form_of(const options *o, const tw_tile_arch **arch, tw_vector_form *form)
{
    tw_type type = o->type ? tw_type_by_name(o->type) : TW_TYPE_NONE;
    uint32_t align = 0;
    if (!o->arch || !o->layout) return usage("--arch and --layout are needed"), false;
    if (!(*arch = tw_tile_arch_by_name(o->arch)) || !(form->layout = tw_layout_by_name(o->layout)))
        return usage(tw_error_message()), false;
    if (!type) {
        const char *names[TW_TYPE_COUNT];
        for (int t = 0; t < TW_TYPE_COUNT; t++) names[t] = tw_type_name((tw_type)t, TW_SYSTEM_POPLAR);
        if (!o->type) return usage("--type is missing"), false;
        return tw__cli_unknown("layout", "unknown element type", o->type, names + 1, TW_TYPE_COUNT - 1), false;
    }
    if (o->align && !number(o->align, "--align", 0, &align)) return false;
    form->element_bytes = (unsigned)tw_type_size(type), form->min_align = align;
    return true;
}

/* --- printing ------------------------------------------------------------------------------------------------- */

/* Words of a layout as hex texts: 8 digits, 4 for a 16-bit pointer. */
static int word_texts(tw_layout layout, const uint32_t words[2], char texts[2][16])
{
    unsigned bytes = tw_layout_get(layout)->bytes;
    snprintf(texts[0], 16, "%0*X", bytes == 2 ? 4 : 8, words[0]);
    snprintf(texts[1], 16, "%0*X", layout == TW_LAYOUT_DELTAN ? 4 : 8, words[1]);
    return bytes == 8 ? 2 : 1;
}

static json_t *words_json(const char (*texts)[16], size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(texts[i]));
    return list;
}

/* One line, or the object with "layout", "encoding", "align" and what is in `more`. */
static int print_words(const options *o, const tw_vector_form *form, const char (*texts)[16], size_t count)
{
    char text[256];
    if (!o->json) {
        for (size_t i = 0; i < count; i++) printf("%s%s", i ? " " : "", texts[i]);
        putchar('\n');
        return TW__EXIT_OK;
    }
    return tw__cli_print_json(json_pack("{s:s, s:s, s:i, s:o}", "layout", tw_layout_get(form->layout)->name,
                                        "encoding", tw_layout_describe(form, text, sizeof text), "align",
                                        (int)form->min_align, "words", words_json(texts, count)));
}

/* --- encode and decode ---------------------------------------------------------------------------------------- */

/* "0x4C010:8,0x4C040:3": words of the base structure (or outer vector), then those of the table. */
static int encode_rows(const options *o, const tw_tile_arch *arch, const tw_vector_form *form)
{
    uint32_t table, words[2];
    size_t room = 1, count = 0, bytes = 0;
    tw_vector_form f;
    tw_layout outer = form->layout;
    if (!number(o->table, "--table", 0, &table)) return TW__EXIT_USAGE;
    if (tw_layout_get(form->layout)->is_list)
        outer = TW_LAYOUT_NOT_A_VECTOR;
    else if (o->outer && !(outer = tw_layout_by_name(o->outer)))
        return usage(tw_error_message());
    for (const char *c = o->rows; *c; c++) room += *c == ',';
    tw_row *rows = calloc(room, sizeof *rows);
    for (const char *c = o->rows; rows && *c;) {
        char row[64], *colon;
        snprintf(row, sizeof row, "%.*s", (int)strcspn(c, ","), c);
        if (!(colon = strchr(row, ':'))) return free(rows), usage("--rows takes ADDRESS:COUNT,...");
        *colon = 0;
        if (!number(row, "--rows", 0, &rows[count].address) || !number(colon + 1, "--rows", 0, &rows[count].count))
            return free(rows), TW__EXIT_USAGE;
        count++, c += strcspn(c, ","), c += *c == ',';
    }
    tw_status status = tw_rows_table_bytes(arch, outer, form, (uint32_t)count, &bytes, NULL);
    if (status == TW_OK) status = tw_layout_resolve(arch, form, &f);
    uint8_t *data = calloc(bytes + 8, 1);
    char(*texts)[16] = calloc(2 * count + 2, sizeof *texts);
    if (!rows || !data || !texts) status = TW_E_NO_MEMORY;
    if (status == TW_OK) status = tw_rows_encode(arch, outer, &f, rows, (uint32_t)count, table, words, data);
    int result = TW__EXIT_FAILURE;
    if (status == TW_OK) {
        bool list = outer == TW_LAYOUT_NOT_A_VECTOR;
        tw_vector_form head = { list ? f.layout : outer, list ? 4 : tw_layout_get(f.layout)->bytes, 0, false };
        tw_layout_resolve(arch, &head, &head);
        size_t used = (size_t)word_texts(head.layout, words, texts),
               step = list ? 4 : tw_layout_get(f.layout)->bytes;
        for (size_t i = 0; i < count; i++) {
            tw_layout_load(list ? TW_LAYOUT_ONE_PTR : f.layout, data + i * step, words);
            used += (size_t)word_texts(list ? TW_LAYOUT_ONE_PTR : f.layout, words, texts + used);
        }
        result = print_words(o, &f, (const char(*)[16])texts, used);
    } else {
        failure();
    }
    free(texts), free(data), free(rows);
    return result;
}

/* Options that mean nothing for what is asked: better said than ignored. False after a usage message. */
static bool no_others(const options *o, bool list)
{
    bool rows = o->rows != NULL;
    const struct {
        const char *value, *name;
        bool fits;
    } all[] = { { o->base, "--base", list && !rows },
                { o->table, "--table", list || rows },
                { o->outer, "--outer", rows && !list },
                { o->address, "--address", !rows },
                { o->count, "--count", !rows },
                { o->argument_count ? o->arguments[0] : NULL, o->arguments[0], false } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value && !all[i].fits)
            return tw__cli_usage_error("layout", "'%s' means nothing for %s %s", all[i].name,
                                       rows ? "all rows of a" : "a", list ? "VectorList" : "Vector"),
                   false;
    return true;
}

static int encode(const options *o)
{
    const tw_tile_arch *arch;
    tw_vector_form form = { 0 }, f;
    uint32_t address, count, other, words[2] = { 0, 0 };
    char texts[2][16];
    if (!form_of(o, &arch, &form) || !no_others(o, tw_layout_get(form.layout)->is_list)) return TW__EXIT_USAGE;
    if (o->rows) return encode_rows(o, arch, &form);
    if (!number(o->address, "--address", 0, &address) || !number(o->count, "--count", 0, &count))
        return TW__EXIT_USAGE;
    if (tw_layout_resolve(arch, &form, &f) != TW_OK) return failure();
    bool list = tw_layout_get(f.layout)->is_list;
    if (list && !o->base == !o->table)
        return usage("a list needs --table (its base structure), --base (one row) or --rows (all of it)");
    if (list && !number(o->base ? o->base : o->table, o->base ? "--base" : "--table", 0, &other))
        return TW__EXIT_USAGE;
    tw_status status = !list     ? tw_vector_encode(arch, &f, address, count, words)
                       : o->base ? tw_list_encode_row(arch, &f, other, address, count, words)
                                 : tw_list_encode(arch, &f, address, count, other, words);
    if (status != TW_OK) return failure();
    size_t used = (size_t)word_texts(list && o->base ? TW_LAYOUT_ONE_PTR : f.layout, words, texts);
    return print_words(o, &f, (const char(*)[16])texts, used);
}

static int decode(const options *o)
{
    const tw_tile_arch *arch;
    tw_vector_form form = { 0 }, f;
    uint32_t words[2] = { 0, 0 }, address = 0, count = 0, other = 0;
    if (!form_of(o, &arch, &form)) return TW__EXIT_USAGE;
    if (tw_layout_resolve(arch, &form, &f) != TW_OK) return failure();
    const tw_layout_info *info = tw_layout_get(f.layout);
    bool row = info->is_list && o->base;
    int want = info->bytes == 8 && !row ? 2 : 1;
    if (o->argument_count != want) return tw__cli_usage_error("layout", "%s has %d word(s)", info->name, want);
    for (int i = 0; i < want; i++)
        if (!number(o->arguments[i], "a word", 16, &words[i])) return TW__EXIT_USAGE;
    bool half = info->bytes == 2 || (f.layout == TW_LAYOUT_DELTAN && !row);
    if (half && words[want - 1] > UINT16_MAX)
        return tw__cli_usage_error("layout", "%s: %s has more than 16 bits", info->name, o->arguments[want - 1]);
    if (row && !number(o->base, "--base", 0, &other)) return TW__EXIT_USAGE;
    tw_status status = !info->is_list ? tw_vector_decode(arch, &f, words, &address, &count)
                       : row          ? tw_list_decode_row(arch, &f, other, words[0], &address, &count)
                                      : tw_list_decode(arch, &f, words, &address, &count, &other);
    if (status != TW_OK) return failure();
    bool counted = info->has_count, table = info->is_list && !row;
    if (o->json) {
        char hex[2][16];
        snprintf(hex[0], 16, "0x%X", address), snprintf(hex[1], 16, "0x%X", other);
        json_t *out = json_pack("{s:s, s:s}", "layout", info->name, "address", hex[0]);
        if (counted) json_object_set_new(out, "count", json_integer(count));
        if (table) json_object_set_new(out, "table", json_string(hex[1]));
        return tw__cli_print_json(out);
    }
    printf("address 0x%X", address);
    if (counted) printf("  count %u", count);
    if (table) printf("  table 0x%X", other);
    putchar('\n');
    return TW__EXIT_OK;
}

/* --- vertex --------------------------------------------------------------------------------------------------- */

static json_t *vertex_json(const tw_state_vertex *v)
{
    json_t *fields = json_array(), *constraints = json_array();
    for (size_t i = 0; i < v->field_count; i++) {
        const tw_state_field *f = &v->fields[i];
        json_array_append_new(fields,
                              json_pack("{s:s, s:i, s:i, s:s, s:s, s:s, s:s, s:i, s:b}", "name", f->name, "offset",
                                        (int)f->offset, "size", (int)f->size, "direction", f->direction, "type",
                                        f->type, "layout", f->layout, "encoding", f->encoding, "minAlign",
                                        (int)f->min_align, "interleaved", f->interleaved));
    }
    for (size_t i = 0; i < v->constraint_count; i++)
        json_array_append_new(constraints, json_string(v->constraints[i]));
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o}", "name", v->name, "symbol", v->symbol, "kind", v->kind,
                     "size", (int)v->size, "align", (int)v->align, "fields", fields, "constraints", constraints);
}

static void print_vertex(const tw_state_vertex *v)
{
    printf("%s  %s, %u bytes, aligned to %u\n", v->name, v->kind, v->size, v->align);
    for (size_t i = 0; i < v->field_count; i++) {
        const tw_state_field *f = &v->fields[i];
        char type[128];
        snprintf(type, sizeof type, "%s%s%s", f->direction, *f->direction ? " " : "", f->type);
        printf("  %6u %5u  %-20s %-28s %s%s%s%s\n", f->offset, f->size, f->name, type, f->layout,
               *f->layout ? ": " : "", f->encoding, f->interleaved ? ", interleaved" : "");
    }
    for (size_t i = 0; i < v->constraint_count; i++) printf("  constraint %s\n", v->constraints[i]);
    putchar('\n');
}

static int vertex(const options *o)
{
    tw_state_map *map;
    if (o->argument_count != 1 || !o->arch) return usage("`layout vertex FILE --arch CHIP`");
    if (tw__cli_need_name("layout", o->arguments[0], "a source or an archive")) return TW__EXIT_USAGE;
    tw_diags *diags = tw__cli_diags();
    tw_status status = tw_status_of(map = tw_state_map_read(o->arguments[0], o->arch, o->flags, diags));
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    bool said = tw_diags_count(diags, TW_ERROR) > 0;
    tw_diags_free(diags);
    if (status != TW_OK) return said ? TW__EXIT_FAILURE : failure();
    json_t *list = o->json ? json_array() : NULL;
    if (!o->json) printf("offset  size  field\n");
    for (size_t i = 0; i < tw_state_map_count(map); i++)
        o->json ? (void)json_array_append_new(list, vertex_json(tw_state_map_get(map, i)))
                : print_vertex(tw_state_map_get(map, i));
    tw_state_map_free(map);
    return o->json ? tw__cli_print_json(list) : TW__EXIT_OK;
}

/* --- struct --------------------------------------------------------------------------------------------------- */

static json_t *struct_json(const tw_abi_struct *s)
{
    json_t *members = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const tw_abi_member *m = &s->members[i];
        json_t *row = json_pack("{s:s, s:s, s:I, s:i}", "name", m->name, "type", s->types[i], "offsetBits",
                                (json_int_t)m->offset, "align", (int)m->align);
        json_object_set_new(row, m->is_bit_field ? "width" : "size",
                            json_integer(m->is_bit_field ? (json_int_t)m->width : (json_int_t)m->size));
        if (m->is_bit_field) json_object_set_new(row, "signed", json_boolean(s->is_signed[i]));
        json_array_append_new(members, row);
    }
    return json_pack("{s:s, s:b, s:i, s:I, s:i, s:o}", "name", s->name, "union", s->is_union, "line", s->line,
                     "size", (json_int_t)s->record.size, "align", (int)s->record.align, "members", members);
}

static void print_struct(const tw_abi_struct *s)
{
    printf("%s  %llu bytes, aligned to %u\n", s->name, (unsigned long long)s->record.size, s->record.align);
    for (size_t i = 0; i < s->count; i++) {
        const tw_abi_member *m = &s->members[i];
        const char *name = *m->name ? m->name : "(unnamed)";
        if (m->is_bit_field && !m->width)
            printf("  %6llu        %-20s %s : 0\n", (unsigned long long)m->offset / 8, name, s->types[i]);
        else if (m->is_bit_field)
            printf("  %6llu.%-2llu %3u  %-20s %s : %u, %s\n", (unsigned long long)m->offset / 8,
                   (unsigned long long)m->offset % 8, m->width, name, s->types[i], m->width,
                   s->is_signed[i] ? "signed" : "unsigned");
        else
            printf("  %6llu %6u  %-20s %s\n", (unsigned long long)m->offset / 8, m->size, name, s->types[i]);
    }
    putchar('\n');
}

static int structs(const options *o)
{
    tw_abi_structs *read;
    if (o->argument_count != 1) return usage("`layout struct FILE.c`");
    if (tw__cli_need_name("layout", o->arguments[0], "a source in C")) return TW__EXIT_USAGE;
    tw_diags *diags = tw__cli_diags();
    tw_status status = tw_status_of(read = tw_abi_structs_read(o->arguments[0], o->flags, diags));
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    bool said = tw_diags_count(diags, TW_ERROR) > 0;
    tw_diags_free(diags);
    if (status != TW_OK) return said ? TW__EXIT_FAILURE : failure();
    json_t *list = o->json ? json_array() : NULL;
    if (!o->json) printf("offset.bit size  member\n");
    for (size_t i = 0; i < tw_abi_structs_count(read); i++)
        o->json ? (void)json_array_append_new(list, struct_json(tw_abi_structs_get(read, i)))
                : print_struct(tw_abi_structs_get(read, i));
    tw_abi_structs_free(read);
    return o->json ? tw__cli_print_json(list) : TW__EXIT_OK;
}

static int layout(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const options *o);
    } subjects[] = { { "encode", encode }, { "decode", decode }, { "vertex", vertex }, { "struct", structs } };
    enum { SUBJECTS = sizeof subjects / sizeof *subjects };
    const char *names[SUBJECTS];
    options o = { 0 };
    int bad = tw__cli_parse(&tw__command_layout, &o, &argc, argv);
    if (bad) return bad;
    if (argc < 2) return usage("encode, decode, vertex or struct?");
    o.arguments = argv + 2, o.argument_count = argc - 2;
    for (int i = 2; i < argc; i++) argv[i] = (char *)tw__cli_source(argv[i]);
    for (int i = 0; i < SUBJECTS; i++) {
        names[i] = subjects[i].name;
        if (strcmp(argv[1], subjects[i].name) == 0) return subjects[i].run(&o);
    }
    return tw__cli_unknown("layout", "there is no", argv[1], names, SUBJECTS);
}

const tw__command tw__command_layout = {
    .name = "layout",
    .arguments = "encode|decode|vertex|struct [options]",
    .summary = "show vectors, vertex state and structs as bits in a tile",
    .help =
        "  encode --arch mk1|mk2|ipu21 --layout NAME --type T [--align N] --address A --count N\n"
        "            words of a vector in hex; of a VectorList its base structure with --table T, or one row with\n"
        "            --base B; --rows A:N,A:N,... --table T [--outer NAME] gives a whole two-dimensional field\n"
        "  decode --arch CHIP --layout NAME --type T [--align N] [--base B] WORD...\n"
        "            the reverse; WORDs in hex\n"
        "  vertex FILE.cpp|FILE.c|FILE.gp --arch CHIP [--flags FLAGS]\n"
        "            state of each vertex: offset, size, field, encoding\n"
        "  struct FILE.c [--flags FLAGS]\n"
        "            structs and unions of a C file by the rules of the ABI\n"
        "\n"
        "layouts: SPAN SHORT_SPAN ONE_PTR SCALED_PTR32 SCALED_PTR64 SCALED_PTR128 COMPACT_PTR, of lists DELTAN\n"
        "DELTANELEMENTS COMPACT_DELTAN\n",
    .example =
        "tilewright layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12\n"
        "tilewright layout decode --arch mk1 --layout SCALED_PTR64 --type float A000\n"
        "tilewright layout vertex examples/poplar/scale/scale.c --arch mk2\n"
        "tilewright layout struct examples/poplar/scale/scale.c",
    .options = TW__CLI_ROWS(known),
    .words = "encode decode vertex struct",
    .files = ".c .cpp .cc .cxx .gp",
    .main = layout,
};
