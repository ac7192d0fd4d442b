/* SPDX-License-Identifier: MIT */
// needs: tile
/* Words of any vector layout, from anywhere. Whatever decodes without complaint must encode again to the same words,
 * reserved bits apart; whatever does not must say why. */
#include <tilewright/tile/layout.h>

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

static void check_list(const tw_tile_arch *arch, const tw_vector_form *form, const uint32_t words[2],
                       uint32_t entry)
{
    uint32_t base, rows, table, again[2], address, count;
    tw_vector_form f;
    check(tw_layout_resolve(arch, form, &f) == TW_OK);
    bool deltan = f.layout == TW_LAYOUT_DELTAN;
    if (tw_list_decode(arch, form, words, &base, &rows, &table) == TW_OK) {
        uint32_t mask = deltan ? UINT32_MAX : 0xFF1FFFFF;
        check(tw_list_encode(arch, form, base, rows, table, again) == TW_OK);
        check(again[0] == (words[0] & mask));
        if (table) check(again[1] == (deltan ? words[1] & 0xFFFF : words[1] & mask));
    } else {
        check(*tw_error_message());
    }
    if (tw_list_decode_row(arch, form, base, entry, &address, &count) == TW_OK && count) {
        check(tw_list_encode_row(arch, form, base, address, count, again) == TW_OK);
        check(again[0] == entry);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const chips[] = { "ipu1", "ipu2", "ipu21", "cpu" };
    if (size < 16) return 0;
    const tw_tile_arch *arch = tw_tile_arch_by_name(chips[data[0] % 4]);
    tw_vector_form f, form = { (tw_layout)(data[1] % (TW_LAYOUT_COUNT + 1)), data[2],
                               data[3] ? 1u << data[3] % 32 : 0, (data[0] & 4) != 0 };
    uint32_t words[2], entry, again[2], address, count;
    memcpy(words, data + 4, 8);
    memcpy(&entry, data + 12, 4);
    if (tw_layout_resolve(arch, &form, &f) != TW_OK) {
        check(*tw_error_message());
        check(tw_vector_decode(arch, &form, words, &address, &count) != TW_OK);
        return 0;
    }
    if (tw_layout_get(f.layout)->is_list) return check_list(arch, &form, words, entry), 0;
    unsigned bytes = tw_layout_get(f.layout)->bytes;
    if (tw_vector_decode(arch, &form, words, &address, &count) != TW_OK) return 0;
    if (tw_vector_encode(arch, &form, address, count, again) != TW_OK) {
        check(!tw_layout_get(f.layout)->has_count); /* one element must fit where no count is stored */
        return 0;
    }
    uint32_t first = bytes == 2                         ? words[0] & 0xFFFF
                     : f.layout == TW_LAYOUT_SHORT_SPAN ? words[0] & ~(1u << 20)
                                                        : words[0];
    check(again[0] == first && (bytes < 8 || again[1] == words[1]));
    return 0;
}
