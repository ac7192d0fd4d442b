/* SPDX-License-Identifier: MIT */
/* compare: runs a kernel's program on a machine. The program's first comment says how, in a line  run: tilewright
 * csl run wse.csl --params=pes:{p},m:{m} --in x={x:1,p,m} --out y={out:1,p,m} --profile {profile}  {n} is the
 * size; with a line `parts: MOST STEP`, {p} is how many cores share it, MOST at most and each a multiple of STEP,
 * and {m} = n / p. {m*m/2} calculates, from left to right. {x:1,p,m} is a .npy file with the input x in
 * that shape, {x:p,n} with p copies of it when it has n numbers, {u:blocks p} with the square u cut into p * p
 * squares, as [p][p][m * m]; {out:...} is the file that the program writes, in the same words. */
#include "cli/compare/compare.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tilewright/tile.h>

const tw__compare_machine tw__compare_machines[] = {
    { "ipu-mk1", "ipu1", "ipu.c", "ipu1", "tile" }, { "ipu-mk2", "ipu2", "ipu.c", "ipu2", "tile" },
    { "wse2", "wse2", "wse.csl", "wse2", "PE" },    { "wse3", "wse3", "wse.csl", "wse3", "PE" },
    { "aie", "aie1", "aie.cpp", "aie1", "tile" },   { "a2a3", "a2", "pto.pto", "a2a3", "core" },
    { "a5", "a5", "pto.pto", "a5", "core" },
};
const size_t tw__compare_machine_count = G_N_ELEMENTS(tw__compare_machines);

const tw__compare_machine *tw__compare_find_machine(const char *name)
{
    for (size_t i = 0; i < tw__compare_machine_count; i++)
        if (strcmp(tw__compare_machines[i].name, name) == 0) return &tw__compare_machines[i];
    return NULL;
}

char *tw__compare_program(const char *folder, const tw__compare_machine *machine)
{
    const char *end = strrchr(machine->program, '.');
    g_autofree char *name =
        g_strdup_printf("%.*s_%s%s", (int)(end - machine->program), machine->program, machine->device, end);
    char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS)) return path;
    g_free(path);
    return g_build_filename(folder, machine->program, NULL);
}

/* --- the line --------------------------------------------------------------------------------------------------- */

typedef struct job {
    const tw__compare_machine *machine;
    const tw__compare_case *c;
    const char *folder; /* for files of this run */
    size_t n, p, m;
    char *out;      /* what the program writes; its form: */
    bool is_blocks; /* [p][p][m * m] of a square */
    char *problem;
} job;

/* What stands behind `key` in the comment at the top of a program; NULL when there is no such line. */
static char *header_line(const char *text, const char *key)
{
    text += strcspn(text, "\n"); /* the licence */
    text += *text == '\n';
    const char *end = strstr(text, "*/"); /* of C; a line that is no comment ends that of others */
    bool is_c = strncmp(text, "/*", 2) == 0;
    while (*text && (is_c ? text < end : strncmp(text, "//", 2) == 0)) {
        const char *word = text + strspn(text, "/* ");
        size_t length = strcspn(word, "\n");
        if (g_str_has_prefix(word, key)) return g_strstrip(g_strndup(word + strlen(key), length - strlen(key)));
        text = word + length;
        text += *text == '\n';
    }
    return NULL;
}

static bool compare_value(const job *j, const char *word, size_t length, size_t *value)
{
    const struct {
        char name;
        size_t value;
    } names[] = { { 'n', j->n }, { 'p', j->p }, { 'm', j->m } };
    char *end;
    *value = strtoull(word, &end, 10);
    if (length && end == word + length) return true;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && length == 1; i++)
        if (*word == names[i].name) return *value = names[i].value, true;
    return false;
}

/* Names and numbers with * / and +, from left to right. */
static bool compare_calculate(const job *j, const char *text, size_t *value)
{
    char by = '+';
    *value = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "*/+"), next;
        if (!compare_value(j, at, length, &next) || (by == '/' && !next)) return false;
        *value = by == '*' ? *value * next : by == '/' ? *value / next : *value + next;
        at += length;
        if (!*at) return true;
        by = *at;
    }
}

static void copy_blocks(const job *j, char *to, const char *from, bool back)
{
    size_t row = j->m * 4;
    for (size_t by = 0; by < j->p; by++)
        for (size_t bx = 0; bx < j->p; bx++)
            for (size_t y = 0; y < j->m; y++) {
                size_t block = ((by * j->p + bx) * j->m + y) * row,
                       square = ((by * j->m + y) * j->n + bx * j->m) * 4;
                memcpy(to + (back ? square : block), from + (back ? block : square), row);
            }
}

/* The input as a file of that shape, written once however often the line asks for it. */
static char *write_input(job *j, const struct tw__compare_array *a, const char *shape)
{
    tw_npy file = { .item = 4, .count = 1 };
    size_t elements = a->shape[0] * a->shape[1];
    g_autofree char *data = NULL;
    strcpy(file.descr, a->is_integer ? "<i4" : "<f4");
    if (g_str_has_prefix(shape, "blocks")) {
        file.rank = 3, file.shape[0] = file.shape[1] = j->p, file.shape[2] = j->m * j->m, file.count = elements;
        data = g_malloc(elements * 4);
        copy_blocks(j, data, a->data, false);
    } else {
        g_auto(GStrv) words = g_strsplit(shape, ",", TW_NPY_RANK);
        for (char **word = words; *word; word++) {
            if (!compare_calculate(j, *word, &file.shape[file.rank])) return NULL;
            file.count *= file.shape[file.rank++];
        }
        if (!file.count || file.count % elements) return NULL;
        data = g_malloc(file.count * 4);
        for (size_t i = 0; i < file.count / elements; i++) memcpy(data + i * elements * 4, a->data, elements * 4);
    }
    g_autofree char *name = g_strdup_printf("%s-%08x.npy", a->name, g_str_hash(shape));
    char *path = g_build_filename(j->folder, name, NULL);
    file.data = data;
    if (g_file_test(path, G_FILE_TEST_EXISTS)) return path;
    if (tw_npy_write(path, &file) == TW_OK) return path;
    g_free(path);
    return NULL;
}

/* What a name in braces stands for; NULL when it is wrong. */
static char *replacement(job *j, const char *name)
{
    if (strcmp(name, "profile") == 0) return g_build_filename(j->folder, "profile.json", NULL);
    if (strcmp(name, "folder") == 0) return g_strdup(j->folder);
    if (strcmp(name, "device") == 0) return g_strdup(j->machine->device);
    const char *colon = strchr(name, ':');
    if (!colon) {
        size_t value;
        return compare_calculate(j, name, &value) ? g_strdup_printf("%zu", value) : NULL;
    }
    g_autofree char *array = g_strndup(name, (size_t)(colon - name));
    if (strcmp(array, "out") == 0) {
        j->is_blocks = g_str_has_prefix(colon + 1, "blocks");
        g_free(j->out);
        return g_strdup(j->out = g_build_filename(j->folder, "out.npy", NULL));
    }
    for (int i = 0; i < TW__COMPARE_ARRAYS && j->c->inputs[i].name; i++)
        if (strcmp(j->c->inputs[i].name, array) == 0) return write_input(j, &j->c->inputs[i], colon + 1);
    return NULL;
}

/* Names in braces replaced; NULL with job->problem. */
static char *fill_in(job *j, const char *line)
{
    GString *out = g_string_new(NULL);
    for (const char *at = line; *at; at++) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            g_string_append_c(out, *at);
            continue;
        }
        g_autofree char *name = g_strndup(at + 1, (size_t)(end - at - 1));
        g_autofree char *text = replacement(j, name);
        if (!text) {
            j->problem = g_strdup_printf("its line `run:` asks for '{%s}', which there is not", name);
            return g_string_free(out, TRUE), NULL;
        }
        g_string_append(out, text);
        at = end;
    }
    return g_string_free(out, FALSE);
}

/* p and m, by the line `parts:`. */
static bool share(job *j, const char *text)
{
    g_autofree char *line = header_line(text, "parts:");
    char *end = NULL;
    size_t most = line ? strtoull(line, &end, 10) : 1, step = line ? strtoull(end, &end, 10) : 1;
    if (!most || !step || (end && *end)) return false;
    for (j->p = MIN(most, MAX(j->n / step, 1)); j->p > 1 && (j->n % j->p || j->n / j->p % step); j->p--) continue;
    j->m = j->n / j->p;
    return true;
}

/* --- the run ---------------------------------------------------------------------------------------------------- */

/* Why a program failed, by what it said or its compiler did, in one line: what is missing when it does not link, else
 * the first error, else what a command of this program says, else its last words. */
static char *why_it_failed(const char *text, int status)
{
    static const struct {
        const char *mark, *ends, *says;
    } links[] = { { "undefined reference to `", "'", "it does not link: '%.*s' is defined nowhere" },
                  { "cannot find -l", ":", "it does not link: there is no library '%.*s'" } };
    for (size_t i = 0; i < G_N_ELEMENTS(links); i++) {
        const char *at = strstr(text, links[i].mark);
        if (at) at += strlen(links[i].mark);
        if (at) return g_strdup_printf(links[i].says, (int)strcspn(at, links[i].ends), at);
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const char *found = NULL, *last = NULL;
    for (char **line = lines; *line; line++)
        if (*g_strstrip(*line)) last = *line;
    for (char **line = lines; *line && !found; line++)
        if (strstr(*line, "error: ")) found = *line;
    for (char **line = lines; *line && !found; line++)
        if (g_str_has_prefix(*line, "tilewright ")) found = *line;
    if (!found) found = last;
    if (found) return g_strdup(found);
    return WIFEXITED(status) ? g_strdup_printf("it ends with status %d and says nothing", WEXITSTATUS(status))
                             : g_strdup_printf("signal %d ends it", WTERMSIG(status));
}

static bool spawn(job *j, const char *folder, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL), *said = NULL, *complained = NULL;
    g_autoptr(GError) error = NULL;
    int status = 0;
    if (self && words[0] && strcmp(words[0], "tilewright") == 0)
        g_free(words[0]), words[0] = g_steal_pointer(&self);
    if (!g_spawn_sync(folder, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &said, &complained, &status, &error))
        return j->problem = g_strdup(error->message), false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    g_autofree char *why = why_it_failed(complained && *complained ? complained : said ? said : "", status);
    j->problem = g_strdup_printf("the program failed: %s", why);
    return false;
}

static bool compare_values(job *j, tw__compare_row *row)
{
    const tw__compare_case *c = j->c;
    size_t elements = c->output.shape[0] * c->output.shape[1];
    tw_npy *file = tw_npy_read(j->out);
    if (!file) return j->problem = g_strdup(tw_error_message()), false;
    g_autofree char *square = NULL;
    const void *data = file->data;
    bool fits = file->item == 4 && file->count == elements, is_integer = file->descr[1] != 'f';
    if (!fits) j->problem = g_strdup_printf("it wrote %zu numbers, not %zu", file->count, elements);
    if (fits && j->is_blocks) copy_blocks(j, square = g_malloc(elements * 4), data, true), data = square;
    for (size_t i = 0; i < elements && fits; i++) {
        double got = is_integer ? (double)((const int32_t *)data)[i] : (double)((const float *)data)[i];
        double error = fabs(got - c->expected[i]) / c->tolerance;
        if (!(error <= 1) && !j->problem)
            j->problem = g_strdup_printf("wrong result: element %zu is %.9g, not %.9g", i, got, c->expected[i]);
        row->worst = fmax(row->worst, error);
    }
    tw_npy_free(file);
    return !j->problem;
}

static void chip_figures(tw__compare_row *row)
{
    const tw_tile_arch *arch = tw_tile_arch_by_name(row->machine->arch);
    if (!arch) return;
    row->cores = arch->tiles, row->clock_hz = arch->clock_hz;
    row->peak_operations = arch->tiles * arch->clock_hz * arch->f32_operations_per_cycle;
    row->peak_bytes = arch->tiles * arch->clock_hz * arch->local_bytes_per_cycle;
}

static void remove_folder(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_unlink(path) != 0 && errno == EISDIR) remove_folder(path);
    }
    if (dir) g_dir_close(dir);
    g_rmdir(folder);
}

static void compare_program(job *j, const char *folder, tw__compare_row *row)
{
    g_autofree char *path = tw__compare_program(folder, j->machine);
    char *text = g_file_test(path, G_FILE_TEST_EXISTS) ? tw_read_file(path, TW_SOURCE_LIMIT, NULL) : NULL;
    g_autofree char *line = text ? header_line(text, "run:") : NULL;
    g_autofree char *why = text ? header_line(text, "cannot:") : NULL;
    bool shared = text && share(j, text);
    free(text);
    if (why)
        j->problem = g_strdup(why);
    else if (!line || !shared)
        j->problem = g_strdup_printf(
            line ? "%s: its line `parts:` is not two numbers" : "there is no program for it: %s", path);
    g_autofree char *command = j->problem ? NULL : fill_in(j, line);
    if (!command) return;
    row->command = g_strdup(line);
    if (!spawn(j, folder, command)) return;
    if (!j->out) {
        j->problem = g_strdup("its line `run:` has no {out:...}");
    } else if (compare_values(j, row)) {
        g_autofree char *profile = g_build_filename(j->folder, "profile.json", NULL);
        if (!tw__compare_read_profile(profile, row)) j->problem = g_steal_pointer(&row->problem);
    }
}

bool tw__compare_run(const char *folder, const tw__compare_machine *machine, const tw__compare_kernel *kernel,
                     const tw__compare_case *c, tw__compare_row *row)
{
    g_autofree char *own = g_dir_make_tmp("tilewright-compare-XXXXXX", NULL);
    if (!own) return fprintf(stderr, "tilewright compare: no place for files\n"), false;
    *row = (tw__compare_row){ .kernel = kernel, .machine = machine, .n = c->n };
    row->operations = c->operations, row->bytes = c->bytes;
    job j = { .machine = machine, .c = c, .folder = own, .n = c->n };
    chip_figures(row);
    compare_program(&j, folder, row);
    row->problem = j.problem;
    g_free(j.out);
    remove_folder(own);
    return true;
}

void tw__compare_row_clear(tw__compare_row *row)
{
    g_free(row->problem);
    g_free(row->command);
    g_free(row->label), g_free(row->chip), g_free(row->band);
}
