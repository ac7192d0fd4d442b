/* SPDX-License-Identifier: MIT */
/* Which launcher starts ranks, and with what options. Ranks are not bound to cores: each has threads of its own, and
 * together they have as many as there are cores. */
#define _GNU_SOURCE /* pipe2 */
#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A module of the library, programs that start ranks for it, the package that has these; how hosts are told; what
 * ranks have in their environment, where they cannot start others; options. */
static const struct {
    const char *module, *programs[3], *package, *headers, *hosts, *rank, *options[4];
} launchers[] = {
    { "wire-openmpi.so",
      { "mpirun.openmpi", "mpirun" },
      "openmpi-bin",
      "libopenmpi-dev",
      "--host",
      "OMPI_COMM_WORLD_RANK",
      { "--bind-to", "none", "--oversubscribe" } },
    { "wire-mpich.so",
      { "mpiexec.mpich", "mpiexec.hydra", "mpiexec" },
      "mpich",
      "libmpich-dev",
      "-hosts",
      NULL,
      { NULL } },
};

enum { MOST_RANKS = 65536 };

static bool has_module(const char *module)
{
    g_autofree char *path = g_build_filename(tw_lib_dir(), "tilewright", module, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

static char *find_program(const char *const *names)
{
    for (size_t i = 0; i < 3 && names[i]; i++) {
        char *path = g_find_program_in_path(names[i]);
        if (path) return path;
    }
    return NULL;
}

static GPtrArray *launcher_words(size_t launcher, char *program, const tw__launch *launch)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, program);
    g_ptr_array_add(words, g_strdup("-n"));
    g_ptr_array_add(words, g_strdup(launch->ranks));
    for (size_t k = 0; k < 4 && launchers[launcher].options[k]; k++)
        g_ptr_array_add(words, g_strdup(launchers[launcher].options[k]));
    if (launch->hosts) {
        g_ptr_array_add(words, g_strdup(launchers[launcher].hosts));
        g_ptr_array_add(words, g_strdup(launch->hosts));
    }
    if (!launch->all_output) { /* all ranks run the same program: what it prints is wanted once */
        static const char *const once[] = {
            "sh", "-c",
            "test \"${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}\" = 0 || exec >/dev/null; exec \"$0\" \"$@\""
        };
        for (size_t k = 0; k < G_N_ELEMENTS(once); k++) g_ptr_array_add(words, g_strdup(once[k]));
    }
    g_ptr_array_add(words, NULL);
    return words;
}

static void share_cores(unsigned ranks)
{
    unsigned cores = g_get_num_processors();
    g_autofree char *threads = g_strdup_printf("%u", cores / ranks ? cores / ranks : 1);
    if (!g_getenv("OMP_NUM_THREADS")) tw__cli_set_variable("OMP_NUM_THREADS", threads);
}

char **tw__launch_words(const char *command, const tw__launch *launch)
{
    char *end;
    unsigned long ranks = strtoul(launch->ranks, &end, 10);
    if (!g_ascii_isdigit(*launch->ranks) || *end || ranks < 1 || ranks > MOST_RANKS) {
        fprintf(stderr, "tilewright %s: -n is a number of ranks from 1 to %d, not '%s'\n", command, MOST_RANKS,
                launch->ranks);
        return NULL;
    }
    const char *package = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(launchers); i++) {
        if (!has_module(launchers[i].module)) continue;
        char *program = find_program(launchers[i].programs);
        const char *rank = launchers[i].rank ? g_getenv(launchers[i].rank) : NULL;
        if (program && rank) {
            fprintf(stderr,
                    "tilewright %s: this is rank %s of a run, and %s starts none from a rank: leave -n out\n",
                    command, rank, launchers[i].programs[1]);
            g_free(program);
            return NULL;
        }
        if (program) {
            tw__cli_set_variable("TILEWRIGHT_PROGRESS", "0"); /* ranks have one terminal */
            if (!launch->hosts) share_cores((unsigned)ranks);
            if (!isatty(STDOUT_FILENO)) tw__cli_set_variable("NO_COLOR", "1"); /* Open MPI gives ranks a terminal */
            return (char **)g_ptr_array_free(launcher_words(i, program, launch), FALSE);
        }
        package = launchers[i].package;
    }
    if (package)
        fprintf(stderr, "tilewright %s: no launcher for several ranks is there (Debian: apt install %s)\n", command,
                package);
    else
        fprintf(
            stderr,
            "tilewright %s: this build runs one process: it was built without MPI (Debian: apt install %s, then "
            "build again)\n",
            command, launchers[0].headers);
    return NULL;
}

#define AT(field) .at = offsetof(tw__launch, field)
const tw__cli_option tw__launch_rows[TW__LAUNCH_ROWS] = {
    { "-n", "RANKS", AT(ranks), .form = TW__CLI_APART },
    { "--hosts", "A,B", AT(hosts), .form = TW__CLI_APART },
    { "--all-output", AT(all_output) },
};

unsigned tw__launch_words_of(const char *word)
{
    for (size_t k = 0; k < TW__LAUNCH_ROWS; k++)
        if (strcmp(word, tw__launch_rows[k].name) == 0) return tw__launch_rows[k].value ? 2 : 1;
    return 0;
}

int tw__launch_read(const char *command, tw__launch *launch, char ***at)
{
    const tw__cli_syntax syntax = {
        .command = command, .options = tw__launch_rows, .count = TW__LAUNCH_ROWS, .lacks = "'%s' needs a value"
    };
    for (; **at && tw__launch_words_of(**at); ++*at) {
        int status = tw__cli_take_option(&syntax, launch, at);
        if (status != TW__EXIT_OK) return status;
    }
    if (launch->hosts && !launch->ranks)
        return tw__cli_usage_error(command, "--hosts needs -n, the number of ranks");
    return TW__EXIT_OK;
}

/* --- what ranks print ------------------------------------------------------------------------------------------ */

typedef struct relay {
    int from;
    int error; /* of the first write that failed; what comes then is read and dropped, so that no rank waits */
} relay;

static void *pass_output(void *user)
{
    relay *r = user;
    static char bytes[1 << 16];
    ssize_t size, n;
    while ((size = read(r->from, bytes, sizeof bytes)) > 0 || (size < 0 && errno == EINTR))
        for (ssize_t done = 0; done < size && !r->error; done += n) {
            n = write(STDOUT_FILENO, bytes + done, (size_t)(size - done));
            if (n < 0 && errno != EINTR) r->error = errno;
            if (n < 0) n = 0;
        }
    close(r->from);
    return NULL;
}

static int cannot_start(const char *command, const char *program)
{
    fprintf(stderr, "tilewright %s: cannot start '%s': %s\n", command, program, g_strerror(errno));
    return TW__EXIT_FAILURE;
}

/* What a launcher passes on or ends of, unless it is ignored, and the end of a child. */
static void signals_of(sigset_t *set)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
    struct sigaction is;
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (sigaction(numbers[i], NULL, &is) == 0 && is.sa_handler != SIG_IGN) sigaddset(set, numbers[i]);
}

/* Who sent a signal may have sent it to the whole group, and a launcher that is told twice to end leaves its ranks
 * behind. So another process of the group takes no signal and keeps what comes; -1: there is none. */
static pid_t start_witness(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();
    _exit(0);
}

static bool witness_has(pid_t witness, int number)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)witness), *text = NULL;
    const char *pending = g_file_get_contents(path, &text, NULL, NULL) ? strstr(text, "\nShdPnd:") : NULL;
    return pending && g_ascii_strtoull(pending + strlen("\nShdPnd:\t"), NULL, 16) >> (number - 1) & 1;
}

/* The launcher's status. A signal to this process alone ends the launcher, a terminal has told both. Others get a
 * moment: `timeout` tells its child first, then the group. */
static int wait_for_launcher(pid_t child, pid_t witness, const sigset_t *set)
{
    const struct timespec moment = { .tv_nsec = 200000000 };
    int status = 0, ends = 0, got;
    bool told = false;
    siginfo_t info;
    while ((got = waitpid(child, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        got = sigtimedwait(set, &info, ends && !told ? &moment : NULL);
        if (got == SIGUSR1 || got == SIGUSR2)
            kill(child, got);
        else if (got > 0 && got != SIGCHLD && info.si_code <= 0)
            ends = got;
        else if (got < 0 && errno == EAGAIN)
            told = witness_has(witness, ends) || kill(child, ends) == 0;
    }
    return status;
}

int tw__launch_become(const char *command, char **words)
{
    int ends[2];
    sigset_t set, before;
    pid_t child = 0, witness = -1;
    fflush(stdout);
    bool beside = isatty(STDOUT_FILENO) != 1;
    if (beside) signals_of(&set), pthread_sigmask(SIG_BLOCK, &set, &before), witness = start_witness();
    if (beside) child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child < 0) return cannot_start(command, words[0]);
    if (child == 0) {
        if (beside) {
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            dup2(ends[1], STDOUT_FILENO);
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        execv(words[0], words);
        int failed = cannot_start(command, words[0]);
        if (beside) _exit(failed);
        return failed;
    }
    close(ends[1]);
    relay r = { .from = ends[0] };
    GThread *thread = g_thread_new("output", pass_output, &r);
    int status = wait_for_launcher(child, witness, &set);
    if (witness > 0) kill(witness, SIGKILL), waitpid(witness, NULL, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    g_thread_join(thread);
    int result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!r.error) return result;
    fprintf(stderr, "tilewright %s: cannot write the output of the ranks: %s\n", command, g_strerror(r.error));
    return result ? result : TW__EXIT_FAILURE;
}

int tw__launch_self(const char *command, const tw__launch *launch, const char *const *words)
{
    g_auto(GStrv) launcher = tw__launch_words(command, launch);
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    if (!launcher || !self) return TW__EXIT_FAILURE;
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    for (char **word = launcher; *word; word++) g_ptr_array_add(all, *word);
    g_ptr_array_add(all, self);
    for (; *words; words++) g_ptr_array_add(all, (char *)(uintptr_t)*words);
    g_ptr_array_add(all, NULL);
    return tw__launch_become(command, (char **)all->pdata);
}
