/* SPDX-License-Identifier: MIT */
/* ref_conv: layouts as mixed-radix numbers. A layout is a string of digits, slowest first: g n c d h w as they are, k
 * the group of c0 channels, o the channel in it, f and m the image's box of 16 and its place there. */
#include "pto/reference/ref_conv.h"

#include <string.h>

static const struct {
    tw_pto_layout layout;
    const char *digits; /* of an element */
    const char
        *shape[2]; /* dimensions of the description, digits joined by letters: plain, and with several groups */
} layouts[] = {
    { TW_PTO_NCHW, "nchw", { "n c h w", NULL } },
    { TW_PTO_NHWC, "nhwc", { "n h w c", NULL } },
    { TW_PTO_GNCHW, "gnchw", { "g n c h w", "g n c h w" } },
    { TW_PTO_NCDHW, "ncdhw", { "n c d h w", NULL } },
    { TW_PTO_NC1HWC0, "nkhwo", { "n k h w o", NULL } },
    { TW_PTO_GNC1HWC0, "gnkhwo", { "g n k h w o", "g n k h w o" } },
    { TW_PTO_NDC1HWC0, "ndkhwo", { "n d k h w o", NULL } },
    { TW_PTO_FRACTAL_Z, "gkhwfmo", { "khw f m o", "g khw f m o" } },
    { TW_PTO_FRACTAL_Z_3D, "gdkhwfmo", { "dkhw f m o", "g dkhw f m o" } },
};

static int find(tw_pto_layout layout)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].layout == layout) return (int)i;
    return -1;
}

static uint32_t radix(char digit, const ref_map *of, uint32_t c0)
{
    switch (digit) {
    case 'g': return of->g;
    case 'n': return of->n;
    case 'c': return of->c;
    case 'd': return of->d;
    case 'h': return of->h;
    case 'w': return of->w;
    case 'k': return (of->c + c0 - 1) / c0;
    case 'o': return c0;
    case 'f': return (of->n + 15) / 16;
    default: return 16; /* m */
    }
}

static uint32_t digit_of(char digit, const ref_map *at, uint32_t c0)
{
    switch (digit) {
    case 'g': return at->g;
    case 'n': return at->n;
    case 'c': return at->c;
    case 'd': return at->d;
    case 'h': return at->h;
    case 'w': return at->w;
    case 'k': return at->c / c0;
    case 'o': return at->c % c0;
    case 'f': return at->n / 16;
    default: return at->n % 16;
    }
}

bool ref_conv_shape(tw_pto_layout layout, const ref_map *of, uint32_t c0, tw_pto_conv *out)
{
    int i = find(layout);
    const char *digits = i < 0 ? NULL : layouts[i].shape[of->g > 1];
    if (!digits || (of->d > 1 && !strchr(digits, 'd'))) return false;
    memset(out, 0, sizeof *out);
    out->layout = layout;
    for (uint32_t extent = 1;; digits++) {
        if (*digits && *digits != ' ') {
            extent *= radix(*digits, of, c0);
            continue;
        }
        out->shape[out->rank++] = extent;
        extent = 1;
        if (!*digits) return true;
    }
}

size_t ref_conv_place(tw_pto_layout layout, const ref_map *of, const ref_map *at, uint32_t c0)
{
    size_t place = 0;
    for (const char *digits = layouts[find(layout)].digits; *digits; digits++)
        place = place * radix(*digits, of, c0) + digit_of(*digits, at, c0);
    return place;
}

static uint32_t one(uint32_t value)
{
    return value ? value : 1;
}

/* Output pixels along one axis; 0 when the filter does not fit. */
static uint64_t outputs(uint64_t size, uint64_t before, uint64_t after, uint64_t filter, uint64_t dilation,
                        uint64_t stride)
{
    uint64_t padded = size + before + after, field = (filter - 1) * dilation + 1, count = 0;
    for (uint64_t at = 0; at + field <= padded; at += stride) count++;
    return count;
}

static void output_pixels(const tw_pto_conv *v, const ref_map *of, uint64_t *high, uint64_t *wide)
{
    *high = outputs(of->h, v->pad[2], v->pad[3], one(v->filter_h), one(v->dilation_h), one(v->stride_h));
    *wide = outputs(of->w, v->pad[0], v->pad[1], one(v->filter_w), one(v->dilation_w), one(v->stride_w));
}

void ref_conv_matrix(const tw_pto_conv *v, const ref_map *of, uint32_t c0, uint64_t *rows, uint64_t *cols)
{
    uint64_t high, wide;
    output_pixels(v, of, &high, &wide);
    *rows = (uint64_t)of->n * of->d * high * wide;
    *cols = (uint64_t)radix('k', of, c0) * one(v->filter_h) * one(v->filter_w) * c0;
}

bool ref_conv_input(const tw_pto_conv *v, const ref_map *of, uint32_t c0, uint64_t row, uint64_t col, ref_map *at)
{
    uint64_t high, wide, channel = col % c0, kw, kh;
    output_pixels(v, of, &high, &wide);
    uint64_t ow = row % wide, oh = row / wide % high, image = row / wide / high;
    col /= c0;
    kw = col % one(v->filter_w);
    kh = col / one(v->filter_w) % one(v->filter_h);
    channel += col / one(v->filter_w) / one(v->filter_h) * c0;
    int64_t y = (int64_t)(oh * one(v->stride_h) + kh * one(v->dilation_h)) - v->pad[2],
            x = (int64_t)(ow * one(v->stride_w) + kw * one(v->dilation_w)) - v->pad[0];
    if (y < 0 || y >= of->h || x < 0 || x >= of->w || channel >= (v->channels ? v->channels : of->c)) return false;
    *at =
        (ref_map){ 0,          (uint32_t)(image / of->d), (uint32_t)channel, (uint32_t)(image % of->d), (uint32_t)y,
                   (uint32_t)x };
    return true;
}
