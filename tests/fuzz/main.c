/* SPDX-License-Identifier: MIT */
/* Replays saved inputs through a fuzz target: fuzz_x FILE|FOLDER|+PREFIX ... A missing folder is an empty corpus.
 * Files after +PREFIX get these characters before their text: targets read there what the rest is.
 *
 * Where the target has mutators of its own, they are applied to the first inputs, always in the same way, and what
 * comes of it is run. */
#include "mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_MUTATED = 120, GROWTH = 256 };

#pragma weak LLVMFuzzerCustomMutator
#pragma weak LLVMFuzzerCustomCrossOver

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input before; /* the input that was replayed last */
static unsigned mutated;

static void mutate(const input *in)
{
    if (!LLVMFuzzerCustomMutator || mutated >= MOST_MUTATED) return;
    size_t most = in->size + before.size + GROWTH;
    uint8_t *data = malloc(most);
    for (unsigned round = 0; round < 2; round++) {
        size_t size = in->size;
        if (size) memcpy(data, in->data, size);
        if (round && LLVMFuzzerCustomCrossOver && before.data)
            size = LLVMFuzzerCustomCrossOver(in->data, in->size, before.data, before.size, data, most, ++mutated);
        else
            size = LLVMFuzzerCustomMutator(data, size, most, ++mutated);
        if (size > most) abort();
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
}

static int replay(const char *path, const char *prefix)
{
    FILE *f = fopen(path, "rb");
    if (!f) return fprintf(stderr, "cannot open %s\n", path), 1;
    size_t size = strlen(prefix), room = (1 << 16) + size;
    uint8_t *data = malloc(room);
    if (data) memcpy(data, prefix, size);
    for (size_t n; data && (n = fread(data + size, 1, room - size, f)) > 0;) {
        size += n;
        if (size == room) data = realloc(data, room *= 2);
    }
    fclose(f);
    if (!data) return 1;
    LLVMFuzzerTestOneInput(data, size);
    input in = { data, size };
    mutate(&in);
    free(before.data);
    before = in;
    return 0;
}

static int replay_folder(const char *folder, const char *prefix, int *count)
{
    struct dirent **entries;
    int failed = 0, n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') failed += replay(path, prefix), ++*count;
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0, count = 0;
    const char *prefix = "";
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (argv[i][0] == '+')
            prefix = argv[i] + 1;
        else if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
            failed += replay_folder(argv[i], prefix, &count);
        else if (stat(argv[i], &st) == 0)
            failed += replay(argv[i], prefix), count++;
    }
    free(before.data);
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("replayed %d inputs, %d unreadable; %u mutated\n", count, failed, mutated);
    return failed != 0;
}
