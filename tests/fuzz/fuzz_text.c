/* SPDX-License-Identifier: MIT */
// needs: engine
/* Texts and formats that users hand over: PrintTensor formats over any values, option strings of streams and engines,
 * log levels from the environment. The first byte says which; whatever comes, it is taken or refused with a
 * reason. */
#include "poplar/engine/engine.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

static FILE *nowhere(void)
{
    static FILE *out;
    if (!out) out = fopen("/dev/null", "w");
    check(out != NULL);
    return out;
}

/* A format, a type, up to three dimensions, and the rest as values. */
static void print(const uint8_t *data, size_t size)
{
    static const tw_type types[] = { TW_BOOL, TW_CHAR,  TW_SHORT,          TW_INT,      TW_UNSIGNED_INT,
                                     TW_HALF, TW_FLOAT, TW_UNSIGNED_SHORT, TW_LONGLONG, TW_UNSIGNED_CHAR };
    tw_print_format format;
    if (size < sizeof format + 5) return;
    memcpy(&format, data, sizeof format);
    format.float_format = data[sizeof format] % 4;
    data += sizeof format, size -= sizeof format;
    tw_type type = types[data[1] % (sizeof types / sizeof *types)];
    size_t shape[3] = { data[2] % 16, data[3] % 16, data[4] % 16 }, count = 1;
    uint32_t rank = data[0] / 4 % 4;
    for (uint32_t d = 0; d < rank; d++) count *= shape[d];
    size_t room = count * sizeof(int64_t) + 1, given = size - 5 < room ? size - 5 : room;
    char *values = calloc(1, room);
    check(values != NULL);
    memcpy(values, data + 5, given);
    if (type == TW_BOOL)
        for (size_t i = 0; i < count; i++) values[i] &= 1;
    tw__print_values(nowhere(), "title", type, rank, shape, values, &format);
    free(values);
}

static void stream_options(const char *text)
{
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 4 });
    tw_graph *g = tw_graph_new(target);
    tw_stream s = tw_graph_add_host_to_device_fifo(g, "s", TW_FLOAT, 4, TW_STREAM_REPLICATE, text);
    check((tw_graph_status(g) == TW_OK) == (s.id != 0));
    check(s.id != 0 || *tw_graph_error(g)->message);
    tw_graph_free(g);
    tw_target_free(target);
}

/* "key=value" strings, one a line; autoReport options would write files. */
static void engine_options(char *text)
{
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 4 });
    tw_graph *g = tw_graph_new(target);
    const char *options[9] = { NULL };
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line && count < 8; line = strtok(NULL, "\n"))
        if (strncmp(line, "autoReport", 10)) options[count++] = line;
    tw_engine *e = tw_engine_new(g, tw_program_sequence(g, NULL), options);
    check(tw_engine_status(e) == TW_OK || *tw_engine_error(e)->message);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_target_free(target);
}

static void log_levels(const char *text)
{
    setenv("POPLAR_LOG_DEST", "/dev/null", 1);
    setenv("POPLAR_LOG_LEVEL", text, 1);
    setenv("POPLAR_ENGINE_LOG_LEVEL", text, 1);
    tw__log_reload();
    TW__LOG(ENGINE, ERR, "%s", text);
    unsetenv("POPLAR_LOG_LEVEL");
    unsetenv("POPLAR_ENGINE_LOG_LEVEL");
    tw__log_reload();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    char *text = calloc(1, size);
    check(text != NULL);
    memcpy(text, data + 1, size - 1);
    switch (data[0] % 4) {
    case 0: print(data + 1, size - 1); break;
    case 1: stream_options(text); break;
    case 2: engine_options(text); break;
    default: log_levels(text); break;
    }
    free(text);
    return 0;
}
