/* SPDX-License-Identifier: MIT */
/* C and C++ for a chip: through the compiler and the assembler of the box colossus. */
#include "poplar/codelet/compile/compile.h"
#include "poplar/colossus/cc/cc.h"

#include <stdlib.h>
#include <string.h>

typedef struct chip_messages {
    tw__reporter *reporter;
    const char *code; /* of the messages; NULL: their own */
} chip_messages;

static void chip_report(void *user, const tw_diag *diag)
{
    static const int severities[] = { [TW_NOTE] = 0, [TW_WARNING] = 1, [TW_ERROR] = 2 };
    chip_messages *messages = user;
    if (strncmp(diag->file, "<popc>", 6) == 0 && diag->severity == TW_NOTE) return;
    tw__scan_diag out = { .file = diag->file,
                          .line = (unsigned)diag->line,
                          .column = (unsigned)diag->column,
                          .length = (unsigned)diag->length,
                          .severity = severities[diag->severity],
                          .code = messages->code ? messages->code : diag->code,
                          .message = diag->message };
    tw__report(messages->reporter, &out);
}

typedef struct source_place {
    unsigned file, line, column; /* file 0: none */
} source_place;

/* The place in the source of each line of assembly: the last `.loc` in front of it. g_free. */
static source_place *places_of_assembly(char **lines, guint count)
{
    source_place *places = g_new0(source_place, count + 1), at = { 0 };
    for (guint i = 0; i < count; i++) {
        places[i] = at;
        if (!g_str_has_prefix(lines[i], "\t.loc ")) continue;
        char *text = lines[i] + strlen("\t.loc ");
        at.file = (unsigned)strtoul(text, &text, 10); /* 0 where there is no number */
        at.line = (unsigned)strtoul(text, &text, 10);
        at.column = (unsigned)strtoul(text, &text, 10);
    }
    return places;
}

/* What `.file` says of its number, newly allocated; NULL: nothing. */
static char *file_of_assembly(char **lines, unsigned file)
{
    for (char **l = lines; file && *l; l++) {
        if (!g_str_has_prefix(*l, "\t.file ")) continue;
        char *name = *l + strlen("\t.file ");
        if (strtoul(name, &name, 10) != file || !g_str_has_prefix(name, " \"")) continue;
        const char *end = name += 2;
        while (*end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
        g_autofree char *escaped = g_strndup(name, (gsize)(end - name));
        return g_strcompress(escaped);
    }
    return NULL;
}

/* Text that the compiler wrote is right, or it is the compiler that is wrong: the message shows the line. Inline
 * assembly is the source's. */
static void report_assembly(tw__reporter *reporter, const tw__source *source, const char *assembly,
                            const tw_diags *diags)
{
    g_auto(GStrv) lines = g_strsplit(assembly, "\n", -1);
    const guint count = g_strv_length(lines);
    g_autofree source_place *places = places_of_assembly(lines, count);
    for (size_t i = 0; i < tw_diags_count(diags, TW_NOTE); i++) {
        const tw_diag *d = tw_diags_get(diags, i);
        if (d->severity != TW_ERROR) continue;
        g_autofree char *text = g_strdup_printf("the compiler's assembly is refused: %s: %s", d->message,
                                                d->source ? g_strstrip((char *)d->source) : "");
        const guint line = d->line > 0 ? (guint)d->line - 1 : count;
        const source_place at = places[MIN(line, count)];
        g_autofree char *file = file_of_assembly(lines, at.file);
        tw__scan_diag out = { .file = file ? file : source->path,
                              .line = at.line,
                              .column = at.column,
                              .length = 1,
                              .severity = 2,
                              .code = "cc.assembly",
                              .message = text };
        tw__report(reporter, &out);
    }
}

static bool chip_assemble(const tw__source *source, tw_isa_arch arch, const char *text, GByteArray *code,
                          tw__reporter *reporter)
{
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(text, strlen(text), source->path, &options, diags);
    if (!object) report_assembly(reporter, source, text, diags);
    size_t size = 0;
    uint8_t *bytes = object ? tw_object_to_elf(object, &size) : NULL;
    if (bytes) g_byte_array_append(code, bytes, (guint)size);
    free(bytes);
    tw_object_free(object);
    tw_diags_free(diags);
    return size > 0;
}

bool tw__chip_code_make(const tw__toolchain *toolchain, const tw__source *source, const GString *text,
                        tw__build_target target, unsigned options, GByteArray *code, char ***headers,
                        tw__reporter *reporter)
{
    GPtrArray *args = tw__toolchain_args(toolchain, source, target, options | TW__BUILD_CODE);
    g_ptr_array_remove_index(args, args->len - 1);
    chip_messages messages = { reporter, NULL };
    tw__cc_request request = { .path = source->path,
                               .text = text->str,
                               .length = text->len,
                               .language = source->is_c ? TW__CC_C : TW__CC_CPP,
                               .arch = tw_isa_arch_by_name(tw__build_target_name(target)),
                               .args = (const char *const *)args->pdata + 2, /* without -x and its value */
                               .arg_count = args->len - 2,
                               .report = chip_report,
                               .user = &messages };
    tw__cc_output output;
    tw_status status = tw__cc_compile(&request, &output);
    g_ptr_array_free(args, TRUE);
    if (status != TW_OK) {
        tw__scan_diag diag = { source->path, 0, 0, 1, 2, "popc.code", tw_error_message() };
        if (!reporter->errors) tw__report(reporter, &diag);
        return false;
    }
    bool ok = true;
    if (options & TW__BUILD_TEXT)
        g_byte_array_append(code, (const guint8 *)output.text, (guint)strlen(output.text));
    else
        ok = chip_assemble(source, request.arch, output.text, code, reporter);
    *headers = g_steal_pointer(&output.headers);
    tw__cc_output_clear(&output);
    return ok;
}

/* --- through the cache ------------------------------------------------------------------------------------------ */

tw_status tw__chip_bytes(const tw__source *source, tw__arch arch, bool assembly, char **bytes, size_t *size,
                         tw_diags *diags)
{
    tw__built built;
    unsigned options = TW__BUILD_CODE | (assembly ? TW__BUILD_TEXT : 0u);
    tw_status status = tw__build(source, (tw__build_target)(TW__BUILD_IPU1 + (int)arch), options, &built, diags);
    if (status == TW_OK && !tw__cache_read(built.object, bytes, size)) status = tw__cache_lost(built.object);
    tw__built_clear(&built);
    return status;
}

tw_status tw__chip_object(const tw__source *source, tw__arch arch, tw_object **object, tw_diags *diags)
{
    char *bytes = NULL;
    size_t size = 0;
    tw_status status = tw__chip_bytes(source, arch, false, &bytes, &size, diags);
    *object = NULL;
    if (status == TW_OK)
        status = tw_status_of(*object = tw_object_from_elf((const uint8_t *)bytes, size, source->path));
    else if (diags && tw_diags_count(diags, TW_ERROR) == 0)
        tw_diags_add(diags, &(tw_diag){ .file = source->path,
                                        .length = 1,
                                        .severity = TW_ERROR,
                                        .code = "popc.code",
                                        .message = tw_error_message() });
    g_free(bytes);
    return status;
}
