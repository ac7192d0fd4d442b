/* SPDX-License-Identifier: MIT */
// needs: base
/* Options from JSON text, as POPLAR_ENGINE_OPTIONS brings them, with allocations that fail: the first byte says which
 * one. Whatever the text, a failing call says why and leaves every option as it was. */
#include "core/base/base.h"

#include <stdlib.h>
#include <string.h>

static const tw__option_desc table[] = {
    { "b", TW__OPT_BOOL, "false", NULL, true, "" },
    { "i", TW__OPT_INT, "7", NULL, true, "" },
    { "d", TW__OPT_DOUBLE, "0.5", NULL, true, "" },
    { "s", TW__OPT_STRING, "text", NULL, true, "" },
    { "e", TW__OPT_ENUM, "one", "one|two", false, "" },
    { "target.long.name", TW__OPT_BOOL, "true", NULL, true, "" },
};
enum { COUNT = sizeof table / sizeof *table };

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    char *json = malloc(size), before[COUNT][64];
    tw__options *options = tw__options_new(table, COUNT, TW__LOG_ENGINE);
    check(json && options);
    memcpy(json, data + 1, size - 1);
    json[size - 1] = 0;
    tw__options_set(options, "i", "12");
    for (size_t i = 0; i < COUNT; i++) snprintf(before[i], 64, "%s", tw__options_get(options, table[i].key));
    tw__fail_allocation(data[0] % 16);
    tw_status status = tw__options_set_json(options, json, "fuzz");
    tw__fail_allocation(0);
    for (size_t i = 0; i < COUNT; i++) {
        const char *now = tw__options_get(options, table[i].key);
        if (status != TW_OK) check(strcmp(now, before[i]) == 0);
        char *again = strdup(now); /* canonical text is its own canonical text */
        check(tw__options_set(options, table[i].key, again) == TW_OK);
        check(strcmp(tw__options_get(options, table[i].key), again) == 0);
        free(again);
    }
    if (status != TW_OK) check(*tw_error_message());
    tw__options_free(options);
    free(json);
    return 0;
}
