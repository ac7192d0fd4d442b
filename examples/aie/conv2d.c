/* SPDX-License-Identifier: MIT */
/* 2-D convolution of a PGM image with a 3 x 3 kernel: sixteen pixels at a time, one mac16 for two taps of a row.
 *
 *     ./conv2d [in.pgm out.pgm]      without arguments a test picture is made and checked
 *
 * prints: conv2d: 64 x 48 pixels smoothed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/aie.h>

static int width = 64, height = 48;
static uint8 *image;
static const int16 kernel[3][3] = { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } }; /* sum 16 */

static int pixel(int x, int y)
{
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return image[y * width + x];
}

/* Pixels x - 1 .. x + 30 of a row, as int16; outside the picture the border repeats. */
static v32int16 row(int x, int y)
{
    v32int16 r;
    for (int i = 0; i < 32; i++) r[i] = (int16)pixel(x - 1 + i, y);
    return r;
}

/* acc + k0 x[l] + k1 x[l+1], then k2 x[l+2] with a zero beside it. */
static v16acc48 add_row(v16acc48 acc, v32int16 x, const int16 *k)
{
    v16int16 taps = { k[0], k[1], k[2], 0 };
    acc = mac16(acc, x, 0, 0x03020100, 0x07060504, 0x2110, taps, 0, 0, 0, 1);
    return mac16(acc, x, 2, 0x03020100, 0x07060504, 0x2110, taps, 2, 0, 0, 1);
}

static void convolve(uint8 *out)
{
    set_rnd(rnd_pos_inf);
    set_sat();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x += 16) {
            v16acc48 acc = null_v16acc48();
            for (int r = 0; r < 3; r++) acc = add_row(acc, row(x, y + r - 1), kernel[r]);
            v16uint8 result = ubsrs(acc, 4);
            memcpy(out + y * width + x, &result, (size_t)(width - x < 16 ? width - x : 16));
        }
}

/* A number of the header, behind blanks and comments; -1: none. */
static int header_number(FILE *f)
{
    int n, c;
    while ((c = getc(f)) == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#')
        while (c == '#' && (n = getc(f)) != '\n' && n != EOF) continue;
    ungetc(c, f);
    return fscanf(f, "%d", &n) == 1 ? n : -1;
}
static int read_pgm(const char *path)
{
    char magic[3] = "";
    FILE *f = fopen(path, "rb");
    if (!f) return perror(path), 0;
    int is_pgm = fscanf(f, "%2s", magic) == 1 && strcmp(magic, "P5") == 0;
    width = header_number(f), height = header_number(f);
    int most = header_number(f);
    is_pgm =
        is_pgm && getc(f) != EOF && width > 0 && height > 0 && width <= 10000 && height <= 10000 && most == 255;
    size_t size = is_pgm ? (size_t)width * (size_t)height : 0;
    image = size ? malloc(size) : NULL;
    size_t got = image ? fread(image, 1, size, f) : 0;
    fclose(f);
    if (!is_pgm)
        return fprintf(stderr, "%s is not a binary PGM (P5) of 8 bits and at most 10000 x 10000\n", path), 0;
    if (got < size) return fprintf(stderr, "%s ends after %zu of %zu pixels\n", path, got, size), 0;
    return 1;
}
static int write_pgm(const char *path, const uint8 *out)
{
    FILE *f = fopen(path, "wb");
    if (!f) return perror(path), 0;
    fprintf(f, "P5\n%d %d\n255\n", width, height);
    fwrite(out, 1, (size_t)width * (size_t)height, f);
    return fclose(f) == 0;
}

static int check(const uint8 *out)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum = 8;
            for (int i = 0; i < 9; i++) sum += kernel[i / 3][i % 3] * pixel(x + i % 3 - 1, y + i / 3 - 1);
            if (out[y * width + x] != sum >> 4) return fprintf(stderr, "pixel (%d,%d)\n", x, y), 0;
        }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 ? !read_pgm(argv[1]) : !(image = malloc((size_t)(width * height)))) return 1;
    for (int i = 0; argc == 1 && i < width * height; i++) image[i] = (uint8)(i * i / 3 + i * 7);
    uint8 *out = malloc((size_t)width * (size_t)height);
    if (!out) return 1;
    convolve(out);
    int ok = check(out);
    if (argc > 2 && !write_pgm(argv[2], out)) ok = 0;
    if (ok) printf("conv2d: %d x %d pixels smoothed\n", width, height);
    free(out), free(image);
    return !ok;
}
