/* SPDX-License-Identifier: MIT */
/* clang 19: where it is, what it is told for each target, precompiled headers, running it. */
#define _GNU_SOURCE
#include "poplar/codelet/compile/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- running ----------------------------------------------------------------------------------------------- */

/* Feeds stdin and drains stdout and stderr at once, so that neither side waits for a full pipe. */
static void pump(int in, const char *input, size_t length, int out, int err, GString *outputs[2])
{
    struct pollfd fds[3] = { { in, POLLOUT, 0 }, { out, POLLIN, 0 }, { err, POLLIN, 0 } };
    while (fds[0].fd >= 0 || fds[1].fd >= 0 || fds[2].fd >= 0) {
        if (poll(fds, 3, -1) < 0) {
            if (errno == EINTR) continue;
            break;
        }
        if (fds[0].fd >= 0 && fds[0].revents) {
            ssize_t n = length ? write(in, input, length) : 0;
            if (n > 0) input += n, length -= (size_t)n;
            if (length == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) close(in), fds[0].fd = -1;
        }
        for (int i = 1; i < 3; i++) {
            if (fds[i].fd < 0 || !fds[i].revents) continue;
            char buffer[16384];
            ssize_t n = read(fds[i].fd, buffer, sizeof buffer);
            if (n > 0)
                g_string_append_len(outputs[i - 1], buffer, n);
            else if (n == 0 || errno != EINTR)
                close(fds[i].fd), fds[i].fd = -1;
        }
    }
    for (int i = 0; i < 3; i++)
        if (fds[i].fd >= 0) close(fds[i].fd);
}

tw_status tw__run(char *const *argv, const char *input, size_t length, char **output, char **messages,
                  int *exit_status)
{
    GPid pid;
    int in, out, err;
    GError *error = NULL;
    if (!g_spawn_async_with_pipes(NULL, (char **)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES,
                                  NULL, NULL, &pid, &in, &out, &err, &error)) {
        tw_status status = tw__fail(TW_E_NO_ENVIRONMENT, "cannot run '%s': %s", argv[0], error->message);
        g_error_free(error);
        return status;
    }
    /* A compiler that stops reading early must not end this process with SIGPIPE: block it in this thread and take
     * back one that arrived. */
    sigset_t pipe_signal, old;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &old);
    GString *outputs[2] = { g_string_new(NULL), g_string_new(NULL) };
    pump(in, input, length, out, err, outputs);
    sigtimedwait(&pipe_signal, NULL, &(struct timespec){ 0, 0 });
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    int state = 0;
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR) continue;
    g_spawn_close_pid(pid);
    *exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + (WIFSIGNALED(state) ? WTERMSIG(state) : 0);
    char *texts[2] = { g_string_free(outputs[0], FALSE), g_string_free(outputs[1], FALSE) };
    if (output)
        *output = texts[0];
    else
        g_free(texts[0]);
    *messages = texts[1];
    return TW_OK;
}

/* --- discovery --------------------------------------------------------------------------------------------- */

static struct {
    tw__toolchain toolchain;
    GString *problem;
} found;

/* Fills in the folders from what `clang -v` prints: the include list between two fixed lines, and -resource-dir. */
static bool read_verbose(tw__toolchain *t, const char *text)
{
    GPtrArray *dirs = g_ptr_array_new();
    const char *resource = strstr(text, "-resource-dir");
    if (resource) { /* quoted when it has to be */
        resource += strlen("-resource-dir");
        resource += strspn(resource, "\" ");
        t->resource_dir = g_strndup(resource, strcspn(resource, resource[-1] == '"' ? "\"" : " "));
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    bool inside = false;
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "#include <...>"))
            inside = true;
        else if (g_str_has_prefix(*line, "End of search list"))
            inside = false;
        else if (inside && **line == ' ')
            g_ptr_array_add(dirs, g_strdup(*line + 1));
    }
    g_ptr_array_add(dirs, NULL);
    t->include_dirs = (char **)g_ptr_array_free(dirs, FALSE);
    return t->resource_dir && t->include_dirs[0];
}

/* The compiler's own answer is kept in the cache: asking costs as much as compiling a small codelet. */
static bool discover(tw__toolchain *t)
{
    g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, t->identity, -1);
    g_autofree char *path = tw__cache_path(digest, ".toolchain"), *text = NULL;
    if (tw__cache_read(path, &text, NULL) && read_verbose(t, text)) return true;
    char *argv[] = { t->clang, "--driver-mode=g++", "-v", "-E", "-x", "c++", "-", "-o", "/dev/null", NULL };
    int status = 0;
    g_clear_pointer(&text, g_free);
    if (tw__run(argv, "", 0, NULL, &text, &status) != TW_OK || status != 0 || !read_verbose(t, text)) {
        g_string_printf(found.problem, "'%s' does not work: %s", t->clang, text ? text : tw_error_message());
        return false;
    }
    if (path) tw__cache_write(path, text, strlen(text));
    return true;
}

static void find_toolchain(void)
{
    static const char *const names[] = { "clang-19", "clang" };
    tw__toolchain *t = &found.toolchain;
    found.problem = g_string_new(NULL);
    const char *wanted = g_getenv("TILEWRIGHT_CLANG");
    if (wanted && *wanted) {
        t->clang = g_find_program_in_path(wanted);
    } else {
        for (size_t i = 0; i < G_N_ELEMENTS(names) && !t->clang; i++) t->clang = g_find_program_in_path(names[i]);
    }
    if (!t->clang) {
        g_string_printf(
            found.problem,
            "codelets are compiled with clang 19, and '%s' is not installed (Debian: apt install clang-19)",
            wanted && *wanted ? wanted : names[0]);
        return;
    }
    GStatBuf info;
    g_autofree char *real = realpath(t->clang, NULL);
    if (!real || g_stat(real, &info) != 0) info = (GStatBuf){ 0 };
    t->identity =
        g_strdup_printf("%s %lld %lld", real ? real : t->clang, (long long)info.st_size, (long long)info.st_mtime);
    g_autofree char *lld = g_find_program_in_path("ld.lld-19");
    t->has_lld = lld != NULL;
    if (!discover(t)) g_clear_pointer(&t->clang, g_free);
}

tw_status tw__toolchain_get(const tw__toolchain **toolchain)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* not GLib's: thread sanitizers do not see into that */
    pthread_once(&once, find_toolchain);
    *toolchain = &found.toolchain;
    return found.toolchain.clang ? TW_OK : tw__fail(TW_E_NO_ENVIRONMENT, "%s", found.problem->str);
}

/* --- arguments --------------------------------------------------------------------------------------------- */

const char *tw__build_target_name(tw__build_target target)
{
    static const char *const names[] = { "cpu-float", "cpu-f16", "ipu1", "ipu2", "ipu21" };
    return (unsigned)target < TW__BUILD_TARGETS ? names[target] : "unknown";
}

static void toolchain_add(GPtrArray *args, const char *arg)
{
    g_ptr_array_add(args, g_strdup(arg));
}

static void add_pair(GPtrArray *args, const char *option, const char *value)
{
    toolchain_add(args, option);
    toolchain_add(args, value);
}

/* The chip as the front end sees it: a 32-bit machine whose C ABI agrees with guide 2.3 (docs/decisions.md, M5), with
 * the host's header files. Tables are made from it; the compiler of code has a target of its own. */
static void add_device(GPtrArray *args, const tw__toolchain *toolchain, bool is_c, tw__build_target target,
                       unsigned options)
{
    static const char *const versions[] = {
        [TW__BUILD_IPU1] = "1", [TW__BUILD_IPU2] = "2", [TW__BUILD_IPU21] = "21"
    };
    static const char *const fixed[] = { "-fno-short-enums", "-nostdinc",       "-nostdinc++",        "-D__IPU__=1",
                                         "-Wno-everything",  "-fms-extensions", "-D_GLIBCXX_HOSTED=1" };
    if (!(options & TW__BUILD_CODE)) toolchain_add(args, "--target=armv7-none-eabi");
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) toolchain_add(args, fixed[i]);
    g_ptr_array_add(args, g_strdup_printf("-D__IPU_ARCH_VERSION__=%s", versions[target]));
    if (!is_c) {
        toolchain_add(args, "-D_GNU_SOURCE=1"); /* as for C++ on the host, whose library needs it */
        toolchain_add(args, "-fno-c++-static-destructors");
    }
    /* Behind ours, which have a <cmath> for half, as on the host. */
    for (char **dir = toolchain->include_dirs; *dir; dir++) add_pair(args, "-idirafter", *dir);
}

GPtrArray *tw__toolchain_args(const tw__toolchain *toolchain, const tw__source *source, tw__build_target target,
                              unsigned options)
{
    static const char *const common[] = { "-O2", "-ffp-contract=off", "-fsigned-char", "-D__POPC__=1" };
    static const char *const cpp[] = { "-std=c++17", "-fno-exceptions", "-fno-access-control" };
    static const char *const host[] = { "-fPIC", "-fvisibility=hidden", "-fno-math-errno" };
    GPtrArray *args = g_ptr_array_new_with_free_func(g_free);
    add_pair(args, "-x", source->is_c ? "c" : "c++");
    for (size_t i = 0; i < G_N_ELEMENTS(common); i++) toolchain_add(args, common[i]);
    if (source->is_c)
        toolchain_add(args, "-std=gnu17");
    else
        for (size_t i = 0; i < G_N_ELEMENTS(cpp); i++) toolchain_add(args, cpp[i]);
    add_pair(args, "-resource-dir", toolchain->resource_dir);
    if (tw__build_is_host(target)) {
        for (size_t i = 0; i < G_N_ELEMENTS(host); i++) toolchain_add(args, host[i]);
        /* Not "native": the compiler may know instruction sets of this CPU that it warns of (avx10.1), or none of
         * them. */
        if (!(options & TW__BUILD_PORTABLE) && tw__cpu_march()) {
            g_ptr_array_add(args, g_strconcat("-march=", tw__cpu_march(), NULL));
            /* clang halves vectors of 64 bytes unless it is told to keep them */
            if (tw__cpu_best() == TW__CPU_AVX512) toolchain_add(args, "-mprefer-vector-width=512");
        }
        if (target == TW__BUILD_F16) {
            toolchain_add(args, "-DTW_HALF_F16=1");
            add_pair(args, "-Xclang", "-ffloat16-excess-precision=none");
        }
    } else {
        add_device(args, toolchain, source->is_c, target, options);
    }
    for (const char *const *flag = source->flags; flag && *flag; flag++) toolchain_add(args, *flag);
    g_autofree char *folder = g_path_get_dirname(source->path);
    g_autofree char *device = g_build_filename(tw__include_dir(), "poplar", "device", NULL);
    add_pair(args, "-iquote", folder);
    add_pair(args, "-isystem", tw__include_dir());
    /* Builtins are known before the first include, as they are to the vendor's compiler. They come with names like
     * float2, so only where the source uses them, or has those names anyway: then its own headers may use them. */
    if (options & TW__BUILD_CODE && !source->is_c &&
        (strstr(source->text, "__builtin_ipu_") || strstr(source->text, "poplar/")))
        add_pair(args, "-include", "poplar/device/ipu_device_builtins.h");
    add_pair(args, "-isystem", device);
    g_ptr_array_add(args, NULL);
    return args;
}

/* --- precompiled headers ----------------------------------------------------------------------------------- */

/* Headers of the standard library that codelets tend to include. They are in a second precompiled header, used by
 * sources that name one of them: names a source does not ask for stay out of its way. */
static const char *const std_headers[] = { "cmath", "algorithm", "array", "limits", "cstring", "utility", "tuple" };

/* Flags that may differ between a precompiled header and its user. */
static bool is_neutral(const char *flag)
{
    return g_str_has_prefix(flag, "-W") || g_str_has_prefix(flag, "-I") ||
           (g_str_has_prefix(flag, "-D") && flag[2] != '_' && flag[2] != 0) || g_str_has_prefix(flag, "-U");
}

/* Not sealed like other entries: the compiler reads it itself, and one that it cannot use is thrown away
 * (sources.c). */
static bool sync_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    return ok;
}

char *tw__toolchain_pch(const tw__toolchain *toolchain, const tw__source *source, tw__build_target target,
                        unsigned options)
{
    if (source->is_c) return NULL; /* compiles faster than a precompiled header loads */
    bool with_std = strstr(source->text, "<ipu_vector_math>") != NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(std_headers) && !with_std; i++) {
        g_autofree char *name = g_strdup_printf("<%s>", std_headers[i]);
        with_std = strstr(source->text, name) != NULL;
    }
    GPtrArray *flags = g_ptr_array_new();
    for (const char *const *flag = source->flags; flag && *flag; flag++) {
        if (!is_neutral(*flag)) g_ptr_array_add(flags, (char *)*flag);
    }
    g_ptr_array_add(flags, NULL);
    GString *text = g_string_new("#include <poplar/Vertex.hpp>\n");
    for (size_t i = 0; i < G_N_ELEMENTS(std_headers) && with_std; i++)
        g_string_append_printf(text, "#include <%s>\n", std_headers[i]);
    tw__source header = { "tilewright-codelets.hpp", text->str, false, (const char *const *)flags->pdata };
    GPtrArray *args = tw__toolchain_args(toolchain, &header, target, options);
    g_autofree char *joined = g_strjoinv("\n", (char **)args->pdata), *digest = tw__cache_headers_digest();
    g_autofree char *all =
        g_strjoin("\n", "pch", toolchain->identity, joined, digest ? digest : "", text->str, NULL);
    g_autofree char *key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
    char *path = tw__cache_path(key, ".pch");
    if (path && g_access(path, R_OK) != 0) {
        g_autofree char *made = tw__cache_temporary(".pch"), *messages = NULL;
        int status = 1;
        args->pdata[1] = (g_free(args->pdata[1]), g_strdup("c++-header"));
        g_ptr_array_remove_index(args, args->len - 1);
        g_ptr_array_insert(args, 0, g_strdup(toolchain->clang));
        toolchain_add(args, "-"), toolchain_add(args, "-o"), toolchain_add(args, made);
        g_ptr_array_add(args, NULL);
        if (!made || tw__run((char **)args->pdata, text->str, text->len, NULL, &messages, &status) != TW_OK ||
            status != 0 || !sync_file(made) || g_rename(made, path) != 0) {
            g_clear_pointer(&path, g_free); /* unusual flags: do without */
            if (made) g_unlink(made);
        }
    }
    g_string_free(text, TRUE);
    g_ptr_array_free(flags, TRUE);
    g_ptr_array_free(args, TRUE);
    return path;
}
