/* Replays saved inputs through a fuzz target: fuzz_x FILE|FOLDER|+PREFIX ... A missing folder is an empty corpus.
 * Files after +PREFIX get these characters before their text: targets read there what the rest is. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0, count = 0;
    const char *prefix = "";
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '+') {
            prefix = argv[i] + 1;
            continue;
        }
        DIR *dir = opendir(argv[i]);
        if (!dir) {
            struct stat st;
            if (stat(argv[i], &st) == 0) failed += replay(argv[i], prefix), count++;
            continue;
        }
        for (struct dirent *e; (e = readdir(dir));) {
            char path[4096];
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            failed += replay(path, prefix), count++;
        }
        closedir(dir);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("replayed %d inputs, %d unreadable\n", count, failed);
    return failed != 0;
}
