/* SPDX-License-Identifier: MIT */
/* cc_runtime SOURCES FOLDER: makes the runtime library of every chip, CHIP-PART.o, when the library is built: the
 * assembly as one text, each unit of C through the compiler. */
#include "poplar/colossus/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

static int problems;

static void make_report(void *user, const tw_diag *diag)
{
    (void)user;
    if (diag->severity != TW_ERROR) return;
    fprintf(stderr, "%s:%d:%d: %s\n", diag->file, diag->line, diag->column, diag->message);
}

static char *content_of(const char *folder, const char *name, const char *before)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    char *both = g_strconcat(before ? before : "", text, NULL);
    g_free(text);
    return both;
}

static void write_object(tw_isa_arch arch, const char *text, const char *folder, const char *part)
{
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    g_autofree char *file = g_strconcat(tw_isa_arch_name(arch), "-", part, ".o", NULL);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    tw_object *object = tw_asm_text(text, strlen(text), part, &options, diags);
    if (!object) tw_diags_print(diags, stderr, false);
    if (!object || tw_object_write(object, path) != TW_OK) problems++;
    tw_object_free(object);
    tw_diags_free(diags);
}

static void make_unit(tw_isa_arch arch, const char *sources, const char *name, const char *folder, const char *part)
{
    g_autofree char *text = content_of(sources, name, NULL), *path = g_build_filename(sources, name, NULL);
    g_autofree char *include = g_strconcat("-I", sources, NULL);
    /* Nothing here may become a call of what it defines. */
    const char *args[] = { "-O2", "-std=c17", "-ffreestanding", "-fno-builtin", "-nostdinc", include };
    tw__cc_request request = { .version = TW__CC_VERSION,
                               .path = path,
                               .text = text,
                               .length = strlen(text),
                               .language = TW__CC_C,
                               .arch = arch,
                               .args = args,
                               .arg_count = G_N_ELEMENTS(args),
                               .report = make_report };
    tw__cc_output output;
    tw_status status = tw__cc_compile(&request, &output);
    if (status == TW_E_NO_ENVIRONMENT) return; /* this build has no compiler, and so nothing that would call it */
    if (status != TW_OK) {
        fprintf(stderr, "%s: %s\n", name, tw_error_message());
        problems++;
        return;
    }
    write_object(arch, output.text, folder, part);
    tw__cc_output_clear(&output);
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const char *sources = argv[1], *folder = argv[2];
    g_mkdir_with_parents(folder, 0777);
    g_autofree char *start = content_of(sources, "function.S", NULL),
                    *more = content_of(sources, "divide.S", start), *most = content_of(sources, "memory.S", more),
                    *assembly = content_of(sources, "print.S", most);
    for (tw_isa_arch arch = TW_ISA_IPU1; arch <= TW_ISA_IPU21; arch <<= 1) {
        write_object(arch, assembly, folder, "assembly");
        make_unit(arch, sources, "workers.c", folder, "workers");
        make_unit(arch, sources, "supervisor.c", folder, "supervisor");
    }
    return problems != 0;
}
