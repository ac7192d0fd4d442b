/* SPDX-License-Identifier: MIT */
/* C programs on a simulated tile and elsewhere: main() calls out() with words, and both have to say the same. */
#ifndef PROGRAM_TEST_H
#define PROGRAM_TEST_H

#include "poplar/colossus/cc/cc.h"
#include "poplar/colossus/object/object.h"
#include "poplar/colossus/sim_test.h"

#include <glib/gstdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* main() without arguments on a worker; out() keeps words, the first of them says how many there are. */
static const char program_start[] =
    ".worker\n.section .text.start, \"ax\"\n.align 4\n.globl start\n.stack_own start, 0\n"
    "start: mov $sp, $mworker_base\n  setzi $m0, 0\n  setzi $m1, 0\n  call $lr, main\n  exitz $mzero\n"
    ".section .text.out, \"ax\"\n.align 4\n.globl out\n.type out, @function\n.stack_total out, 0\n"
    "out: setzi $m1, out_words\n  ld32 $m2, $m1, $mzero, 0\n  add $m2, $m2, 1\n  st32 $m2, $m1, $mzero, 0\n"
    "  stm32 $m0, $m1, $m2\n  br $lr\n"
    ".section .bss.out, \"aw\", @nobits\n.align 4\nout_words: .space 0x10000\n.globl out_words\n";

enum { PROGRAM_WORDS = 0x10000 / 4 - 1, PROGRAM_STACK = 0xe7f00 };

typedef struct program_problems {
    GString *text;
} program_problems;

static void program_report(void *user, const tw_diag *d)
{
    program_problems *p = user;
    if (d->severity == TW_ERROR)
        g_string_append_printf(p->text, "%s:%d:%d: error: %s\n", d->file, d->line, d->column, d->message);
}

/* The source as assembly, g_free(); NULL and what was wrong. */
__attribute__((unused)) static char *program_compile(const char *path, const char *text, tw__cc_language language,
                                                     const char *const *args, GString *problems)
{
    program_problems p = { problems };
    size_t count = 0;
    while (args && args[count]) count++;
    tw__cc_request request = { .version = TW__CC_VERSION,
                               .path = path,
                               .text = text,
                               .length = strlen(text),
                               .language = language,
                               .arch = TW_ISA_IPU2,
                               .args = args,
                               .arg_count = count,
                               .report = program_report,
                               .user = &p };
    tw__cc_output output = { 0 };
    tw_status status = tw__cc_compile(&request, &output);
    if (status != TW_OK && !problems->len) g_string_append_printf(problems, "%s\n", tw_error_message());
    char *made = g_steal_pointer(&output.text);
    tw__cc_output_clear(&output);
    return made;
}

static tw_object *program_assemble(const char *text, const char *name, GString *problems)
{
    tw_asm_options options = { .size = sizeof options, .arch = TW_ISA_IPU2 };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(text, strlen(text), name, &options, diags);
    const tw_diag *d;
    for (size_t i = 0; !object && (d = tw_diags_get(diags, i)); i++)
        g_string_append_printf(problems, "%s:%d: %s: %s\n", d->file, d->line, d->message,
                               d->source ? d->source : "");
    tw_diags_free(diags);
    return object;
}

/* Runs assembly with a main() on a tile. The words; NULL and what was wrong. */
__attribute__((unused)) static GArray *program_run(const char *assembly, uint64_t turns, uint64_t *took,
                                                   GString *problems)
{
    g_autofree char *start = g_strdup(program_start);
    tw_object *objects[] = { program_assemble(start, "start", problems),
                             program_assemble(assembly, "program", problems) };
    static const char *const keep[] = { "out_words", NULL };
    tw_link_options link = { .size = sizeof link, .entry = "start", .keep = keep };
    tw_object *image = objects[0] && objects[1] ? tw_link((const tw_object *const *)objects, 2, &link, NULL) : NULL;
    if (objects[0] && objects[1] && !image) g_string_append_printf(problems, "%s\n", tw_error_message());
    for (unsigned i = 0; i < 2; i++) tw_object_free(objects[i]);
    if (!image) return NULL;
    tw_sim *sim = tw_sim_new(NULL);
    GArray *words = NULL;
    tw_sim_launch launch = { .entry = tw_object_entry(image),
                             .vertex_base = 0x80000,
                             .worker_base = PROGRAM_STACK };
    if (tw_sim_load(sim, image) == TW_OK && tw_sim_start(sim, 0, &launch) == TW_OK) {
        tw_sim_stop stop = tw_sim_run(sim, turns);
        if (stop == TW_SIM_FAULT) g_string_append_printf(problems, "%s\n", tw_sim_get_exception(sim)->message);
        if (stop == TW_SIM_LIMIT) g_string_append(problems, "it does not end\n");
        uint32_t at = image->symbols[tw_object_find_symbol(image, "out_words")].value, count = 0;
        if (stop == TW_SIM_DONE && tw_sim_read(sim, at, &count, 4) == TW_OK) {
            words = g_array_sized_new(FALSE, TRUE, 4, MAX(count, 1));
            g_array_set_size(words, MIN(count, PROGRAM_WORDS));
            if (words->len) tw_sim_read(sim, at + 4, words->data, words->len * 4);
        }
        if (took) *took = tw_sim_turns(sim, 0);
    }
    tw_sim_free(sim);
    tw_object_free(image);
    return words;
}

__attribute__((unused)) static bool program_command(const char *folder, const char *const *argv, char **out,
                                                    size_t *size, GString *problems)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *err = NULL;
    GString *all = NULL;
    int status = 0;
    gint fd_out = -1;
    GPid pid;
    if (!g_spawn_async_with_pipes(folder, (char **)argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                  NULL, NULL, &pid, NULL, &fd_out, NULL, &error)) {
        g_string_append_printf(problems, "%s: %s\n", argv[0], error->message);
        return false;
    }
    all = g_string_new(NULL);
    char buffer[4096];
    for (gssize n; (n = read(fd_out, buffer, sizeof buffer)) > 0;) g_string_append_len(all, buffer, n);
    close(fd_out);
    waitpid(pid, &status, 0);
    g_spawn_close_pid(pid);
    if (size) *size = all->len;
    char *text = g_string_free(all, FALSE);
    if (out)
        *out = text;
    else
        g_free(text);
    if (status) g_string_append_printf(problems, "%s ends with status 0x%x\n", argv[0], status);
    return status == 0;
}

#endif
