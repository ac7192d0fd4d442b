/* SPDX-License-Identifier: MIT */
/* PTO-AS text of a million constants: what a value takes in memory at the peak of reading, checking and running, and
 * in time beside a loop that only reads the numbers (strtoll). Exit status 1 when the limit of memory is missed. */
#include "bench.h"

#include <sys/resource.h>
#include <tilewright/pto/text.h>

enum { VALUES = 1000000, ROOM = 48, MOST = 300 }; /* bytes of a line; per value */

static void check(bool good)
{
    if (good) return;
    fprintf(stderr, "%s\n", tw_error_message());
    exit(2);
}

static size_t write_program(char *text)
{
    char *at = text + sprintf(text, "func.func @f() {\n");
    for (int i = 0; i < VALUES; i++) at += sprintf(at, "  %%c%d = arith.constant %d : index\n", i, i % 1000);
    return (size_t)(at + sprintf(at, "  return\n}\n") - text);
}

/* Processor time: other work on the machine must not count. */
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double read_numbers(const char *text)
{
    double start = now();
    long long sum = 0;
    for (const char *at = text; (at = strstr(at, "constant "));)
        sum += strtoll(at + 9, (char **)(uintptr_t)&at, 10);
    if (sum != 499500LL * (VALUES / 1000)) abort();
    return now() - start;
}

int main(void)
{
    struct rusage before, after;
    char *text = malloc((size_t)VALUES * ROOM);
    if (!text) return 2;
    size_t size = write_program(text);
    double peer = read_numbers(text);
    getrusage(RUSAGE_SELF, &before);
    double start = now();
    tw_pto_text *program = tw_pto_text_parse("constants.pto", text, size, NULL, NULL);
    check(program != NULL);
    double parsed = now();
    check(tw_pto_text_verify(program, TW_PTO_A2A3) == TW_OK);
    double verified = now();
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_run *run = core ? tw_pto_run_new(program, NULL, core) : NULL;
    check(run && tw_pto_run_start(run, NULL) == TW_OK);
    double ended = now();
    getrusage(RUSAGE_SELF, &after);
    double bytes = (double)(after.ru_maxrss - before.ru_maxrss) * 1024 / VALUES;
    printf("peak memory per value   %8.1f bytes           limit %d    %s\n", bytes, MOST,
           bytes <= MOST ? "ok" : "MISSED");
    printf("read, check, run        %8.0f %4.0f %4.0f ns a value   ratio to strtoll %.3f\n",
           (parsed - start) * 1e9 / VALUES, (verified - parsed) * 1e9 / VALUES, (ended - verified) * 1e9 / VALUES,
           peer / (ended - start));
    bench_row("read a value", (parsed - start) * 1e9 / VALUES, "ns", BENCH_NO_LIMIT, 0);
    bench_row("check a value", (verified - parsed) * 1e9 / VALUES, "ns", BENCH_NO_LIMIT, 0);
    bench_row("run a value", (ended - verified) * 1e9 / VALUES, "ns", BENCH_NO_LIMIT, 0);
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(program);
    free(text);
    return bench_row("peak memory per value", bytes, "B", BENCH_AT_MOST, MOST) ? 0 : 1;
}
