/* SPDX-License-Identifier: MIT */
/* Shows a field of temperatures 0..1: as a PPM file, and in the terminal (colours there, letters elsewhere). */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Black, violet, red, orange, white. */
static inline void picture_colour(float t, uint8_t rgb[3])
{
    static const float stops[][3] = {
        { 0, 0, 12 }, { 74, 12, 107 }, { 188, 55, 84 }, { 249, 142, 9 }, { 252, 255, 220 }
    };
    float at = (t < 0 ? 0 : t > 1 ? 1 : t) * 4;
    int i = at < 4 ? (int)at : 3;
    for (int k = 0; k < 3; k++)
        rgb[k] = (uint8_t)(stops[i][k] + (at - (float)i) * (stops[i + 1][k] - stops[i][k]) + 0.5f);
}

static inline bool picture_write(const char *path, const float *cells, int rows, int cols)
{
    FILE *out = fopen(path, "wb");
    if (!out) return perror(path), false;
    fprintf(out, "P6\n%d %d\n255\n", cols, rows);
    for (int i = 0; i < rows * cols; i++) {
        uint8_t rgb[3];
        picture_colour(cells[i], rgb);
        fwrite(rgb, 1, 3, out);
    }
    if (fclose(out) != 0) return perror(path), false;
    return true;
}

static inline float picture_mean(const float *cells, int cols, int top, int bottom, int left, int right)
{
    float sum = 0;
    for (int row = top; row < bottom; row++)
        for (int col = left; col < right; col++) sum += cells[row * cols + col];
    return sum / (float)((bottom - top) * (right - left));
}

/* `wide` characters across; a character is twice as high as wide. */
static inline void picture_print(const float *cells, int rows, int cols, int wide)
{
    const char *force = getenv("CLICOLOR_FORCE"), *none = getenv("NO_COLOR"), ramp[] = " .:-=+*#%@";
    bool colour = (isatty(STDOUT_FILENO) && !(none && *none)) || (force && strcmp(force, "0") != 0);
    int high = rows * wide / cols / 2;
    for (int y = 0; y < high; y++) {
        for (int x = 0; x < wide; x++) {
            int left = x * cols / wide, right = (x + 1) * cols / wide, halves[3];
            for (int k = 0; k < 3; k++) halves[k] = (2 * y + k) * rows / (2 * high);
            float above = picture_mean(cells, cols, halves[0], halves[1], left, right);
            float below = picture_mean(cells, cols, halves[1], halves[2], left, right);
            if (colour) {
                uint8_t a[3], b[3];
                picture_colour(above, a), picture_colour(below, b);
                printf("\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;%d;%dm\u2580", a[0], a[1], a[2], b[0], b[1], b[2]);
            } else {
                putchar(ramp[(int)((above + below) / 2 * 9.99f)]);
            }
        }
        puts(colour ? "\x1b[0m" : "");
    }
}

#endif
