/* SPDX-License-Identifier: MIT */
// needs: dap
/* A client of the Debug Adapter Protocol: the input is its messages, a line each, "setBreakpoints {...}" (framed,
 * with a number), "{...}" (framed as it is) or "!..." (bytes as they are, "~" for the end of a line). They go to the
 * adapter of a simulated tile with a loop, a call and a fault. Whatever comes, what it answers is well-formed,
 * numbered without gaps, with no more answers than requests, and it ends by itself. */
#define _GNU_SOURCE
#include "cli/colossus/sim_debug.h"

#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/tile.h>
#include <unistd.h>

static void check(bool ok)
{
    if (!ok) abort();
}

/* --- what is debugged ------------------------------------------------------------------------------------------ */

static const char source[] = ".globl main\n"
                             "main: setzi $m0, 9\n"
                             " call $m10, add\n"
                             "loop: brnzdec $m0, loop\n"
                             " ld32 $m1, $m0, $mzero, 3\n"
                             " exitnz $mzero\n"
                             ".globl add\n"
                             "add: add $m0, $m0, 1\n"
                             " br $m10\n";

static tw_object *image_of_source(void)
{
    tw_object *object = tw_asm_text(source, strlen(source), "main.s", NULL, NULL);
    tw_link_options options = { .size = sizeof options, .entry = "main" };
    tw_object *image = tw_link((const tw_object *const *)&object, 1, &options, NULL);
    tw_object_free(object);
    check(image != NULL);
    return image;
}

static int fuzz_prepare(tw__sim_session *s)
{
    tw_sim_launch launch = { tw_object_entry(s->image), s->region1 + TW__SIM_VERTEX,
                             s->region1 + TW__SIM_ARGUMENTS };
    tw_sim_reset(s->sim);
    check(tw_sim_load(s->sim, s->image) == TW_OK && tw_sim_start(s->sim, 0, &launch) == TW_OK);
    return 0;
}

static void free_lines(void *lines)
{
    g_strfreev(lines);
}

static int run_session(tw__dap *dap, int argc, char **argv)
{
    (void)argc, (void)argv;
    tw__sim_request request = { .dap = dap, .interactive = true };
    tw_sim_options options = { .size = sizeof options };
    tw__sim_session s = { .r = &request, .limit = 2000, .prepare = fuzz_prepare, .image = image_of_source() };
    check((s.sim = tw_sim_new(&options)) != NULL);
    s.region1 = tw_tile_arch_by_name(tw_isa_arch_name(tw_object_arch(s.image)))->regions[1].start;
    s.sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_lines);
    fuzz_prepare(&s);
    tw__sim_debug(&s);
    g_hash_table_destroy(s.sources);
    tw_sim_free(s.sim);
    tw_object_free(s.image);
    return 0;
}

/* --- messages -------------------------------------------------------------------------------------------------- */

static void put_framed(GString *out, const char *text)
{
    g_string_append_printf(out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
}

/* Returns how many requests there may be at most. */
static unsigned put_line(GString *out, const char *line, unsigned number)
{
    if (*line == '!') {
        for (line++; *line; line++) g_string_append(out, *line == '~' ? "\r\n" : (char[]){ *line, 0 });
        return 1; /* it may be any one */
    }
    size_t word = strcspn(line, " ");
    if (*line == '{' || !*line) {
        put_framed(out, line);
        return 1;
    }
    g_autofree char *text =
        g_strdup_printf("{\"seq\":%u,\"type\":\"request\",\"command\":\"%.*s\"%s%s}", number, (int)word, line,
                        line[word] ? ",\"arguments\":" : "", line[word] ? line + word + 1 : "");
    put_framed(out, text);
    return 1;
}

/* Frames, and in them JSON with the next number; how many answers there are. */
static unsigned check_answers(const char *at, size_t size)
{
    const char *end = at + size;
    unsigned answers = 0;
    for (json_int_t seq = 1; at < end; seq++) {
        char *body;
        check(g_str_has_prefix(at, "Content-Length: "));
        size_t length = strtoul(at + strlen("Content-Length: "), &body, 10);
        check(strncmp(body, "\r\n\r\n", 4) == 0 && length <= (size_t)(end - body - 4));
        json_t *message = json_loadb(body + 4, length, 0, NULL);
        check(message && json_integer_value(json_object_get(message, "seq")) == seq);
        answers += g_strcmp0(json_string_value(json_object_get(message, "type")), "response") == 0;
        json_decref(message);
        at = body + 4 + length;
    }
    return answers;
}

static int file_with(const char *bytes, size_t size)
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    check(file >= 0 && write(file, bytes, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
    return file;
}

static void serve(const GString *input, unsigned most)
{
    tw__dap_target target = tw__sim_dap_target;
    target.main = run_session;
    int in = file_with(input->str, input->len), out = file_with("", 0), own[3] = { dup(0), dup(1), dup(2) };
    fflush(NULL);
    dup2(in, 0), dup2(out, 1), dup2(out, 2);
    tw__dap_serve(&target);
    for (int i = 0; i < 3; i++) /* one that was closed is closed again */
        if (own[i] < 0 || dup2(own[i], i) < 0) close(i);
    off_t size = lseek(out, 0, SEEK_END);
    g_autofree char *text = g_malloc((gsize)size + 1);
    check(pread(out, text, (size_t)size, 0) == size);
    text[size] = 0;
    check(check_answers(text, (size_t)size) <= most);
    for (int i = 0; i < 3; i++)
        if (own[i] >= 0) close(own[i]);
    close(in), close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 8192) return 0;
    g_autofree char *text = g_strndup((const char *)data, size);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) input = g_string_new(NULL);
    unsigned most = 0;
    for (unsigned i = 0; lines[i]; i++) most += put_line(input, lines[i], i + 1);
    /* Bytes as they are may hold several messages. */
    for (const char *at = input->str; (at = strstr(at, "ontent")); at++) most++;
    serve(input, most);
    return 0;
}

/* --- what is sent ---------------------------------------------------------------------------------------------- */

static const char *const words[] = {
    "initialize {\"linesStartAt1\":false}\n",
    "launch {\"program\":\"main.s\",\"stopOnEntry\":true}\n",
    "configurationDone\n",
    "disconnect\n",
    "restart\n",
    "threads\n",
    "pause {\"threadId\":1}\n",
    "continue {\"threadId\":1}\n",
    "next {\"threadId\":1,\"granularity\":\"instruction\"}\n",
    "stepIn {\"threadId\":1}\n",
    "stepOut {\"threadId\":1}\n",
    "stackTrace {\"threadId\":1,\"startFrame\":0,\"levels\":2}\n",
    "scopes {\"frameId\":1}\n",
    "variables {\"variablesReference\":2,\"start\":1,\"count\":3}\n",
    "setVariable {\"variablesReference\":2,\"name\":\"$m0\",\"value\":\"3\"}\n",
    "evaluate {\"expression\":\"$m0 + 1\",\"frameId\":1}\n",
    "evaluate {\"expression\":\"info registers\",\"context\":\"repl\"}\n",
    "disassemble {\"memoryReference\":\"0x4c000\",\"instructionOffset\":-2,"
    "\"instructionCount\":8}\n",
    "cancel {\"requestId\":3}\n",
    "terminate\n",
    "exceptionInfo {\"threadId\":1}\n",
    "completions {\"text\":\"print $m\",\"column\":9,\"frameId\":1}\n",
    "readMemory {\"memoryReference\":\"0x4c000\",\"offset\":-4,\"count\":12}\n",
    "setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"add\"}]}\n",
    "setBreakpoints {\"source\":{\"path\":\"main.s\"},\"breakpoints\":[{\"line\":4}]}\n",
    "\"condition\":\"$m0 == 3\",",
    "\"hitCondition\":\"2\",",
    "\"logMessage\":\"{$m0} {add} {\",",
    "!Content-Length: 7~~{}~~\n",
    "watch *0x82000",
    "print/x $a0:1",
    "x/4i main",
    "set $m0 = 7",
    "until loop",
    "tbreak add",
    "display $m0",
    "jump main",
    "thread 6",
    "backtrace",
    "up",
    "down",
    "frame 1",
    "list main",
    "disassemble add",
    "info breakpoints",
    "info cycles",
    "info line loop",
    "stepi 2",
    "nexti",
    "step",
    "finish",
    "delete 1",
    "disable 1",
    "enable",
    "ignore 1 2",
    "undisplay",
    "ptype main",
    "info locals",
    "help x",
    "attach {}\n",
    "setExceptionBreakpoints {\"filters\":[]}\n",
    "[]",
    "{}",
    "null",
    "true",
    "-1",
    "4294967295",
    "1e300",
    "\"\\u0000\"",
    "\"\\ud800\"",
    NULL
};
static const mutate_language language = { .words = words };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_text(&language, data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed)
{
    return mutate_cross(&language, a, a_size, b, b_size, out, most, seed);
}
