/* SPDX-License-Identifier: MIT */
/* The instructions of IPU assembly that editors colour are those of the table. */
#include "../../golden/words.h"
#include <tilewright/poplar/colossus/isa.h>

static void colossus_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < tw_isa_count(); i++) add_word("instruction", tw_isa_get(i)->name);
    compare_words(TW_SOURCE_DIR "/editors/words/", "colossus", 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(colossus_words) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
