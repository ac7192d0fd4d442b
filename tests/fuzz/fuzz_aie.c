/* SPDX-License-Identifier: MIT */
// needs: aie
/* Names of AI Engine types, and text files at the edge of an array: no text may crash, what is accepted keeps its
 * form. First byte: what the rest is (0xff: a name; else an element type and a beat). */
#include <tilewright/aie/array.h>
#include <tilewright/aie/type_names.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void name(const uint8_t *data, size_t size)
{
    char text[300];
    tw_aie_type type;
    snprintf(text, sizeof text, "%.*s", (int)(size < 299 ? size : 299), (const char *)data);
    for (unsigned flags = 0; flags <= TW_AIE_WITH_EXTRA; flags++)
        if (tw_aie_type_by_name(text, flags, &type) == TW_OK ? strcmp(type.name, text) != 0 : !*tw_error_message())
            abort();
}

static void forward(void *user)
{
    int last;
    (void)user;
    uint32_t word = tw_aie_get_word(0, &last);
    tw_aie_put_word(0, word, last);
}

static void store(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "w");
    if (!f) abort();
    fwrite(data, 1, size, f);
    fclose(f);
}
static size_t load(const char *path, char *text, size_t room)
{
    FILE *f = fopen(path, "r");
    if (!f) abort();
    size_t n = fread(text, 1, room, f);
    fclose(f);
    return n;
}

static tw_status through(const char *from, const char *to, tw_aie_element element, unsigned bits)
{
    tw_aie_array *a = tw_aie_array_new();
    if (!a) return TW_E_NO_MEMORY;
    tw_aie_kernel k = tw_aie_array_add(a, "k", forward, NULL, 0, 0);
    tw_aie_array_input(a, &(tw_aie_file){ from, element, bits, 0, 0 }, tw_aie_in(k, 0));
    tw_aie_array_output(a, tw_aie_out(k, 0), &(tw_aie_file){ to, element, bits, 0, 0 });
    tw_status status = tw_aie_array_run(a, 0);
    tw_aie_array_free(a);
    return status;
}

/* What was accepted is written in a form that reads and writes as itself. */
static void file(const uint8_t *data, size_t size, unsigned kind)
{
    static char in[64], once[64], twice[64], a[1 << 16], b[1 << 16];
    tw_aie_element element = (tw_aie_element)(kind % TW_AIE_ELEMENTS);
    unsigned bits = 32u << (kind / TW_AIE_ELEMENTS % 3);
    snprintf(in, sizeof in, "/tmp/tw_fuzz_aie_%d_0", (int)getpid());
    snprintf(once, sizeof once, "/tmp/tw_fuzz_aie_%d_1", (int)getpid());
    snprintf(twice, sizeof twice, "/tmp/tw_fuzz_aie_%d_2", (int)getpid());
    store(in, data, size < 4096 ? size : 4096);
    if (through(in, once, element, bits) == TW_OK) {
        if (through(once, twice, element, bits) != TW_OK) abort();
        size_t n = load(once, a, sizeof a);
        if (load(twice, b, sizeof b) != n || memcmp(a, b, n)) abort();
        remove(once), remove(twice);
    } else if (!*tw_error_message()) {
        abort();
    }
    remove(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    if (data[0] == 0xff)
        name(data + 1, size - 1);
    else
        file(data + 1, size - 1, data[0]);
    return 0;
}
