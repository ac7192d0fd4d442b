/* SPDX-License-Identifier: MIT */
/* The words of PTO-AS that editors colour are those of its tables. */
#include "../../golden/words.h"
#include "pto/text/bind/bind.h"
#include "pto/text/types/types.h"

static void pto_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < tw__pto_row_count(); i++) add_word("instruction", tw__pto_row_at(i)->mnemonic);
    for (size_t i = 0; tw__as_host_at(i); i++) add_word("operation", tw__as_host_at(i)->name);
    for (size_t i = 0; tw__as_flow_at(i); i++) add_word("flow", tw__as_flow_at(i)->name);
    for (unsigned t = 1; t < TW_TYPE_COUNT; t++)
        if (tw__type_element_text((tw_type)t)) add_word("type", tw__type_element_text((tw_type)t));
    compare_words(TW_SOURCE_DIR "/editors/words/", "pto", 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_words) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
