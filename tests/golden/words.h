/* SPDX-License-Identifier: MIT */
/* Words of a language as editors know them (editors/words/NAME.txt, "kind word" a line, sorted): a test makes them of
 * the tables and compares; TW_GOLDEN=1 writes them. */
#ifndef TW_TESTS_WORDS_H
#define TW_TESTS_WORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <glib.h>

static GPtrArray *words;

static void add_word(const char *kind, const char *word)
{
    if (!words) words = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(words, g_strdup_printf("%s %s", kind, word));
}

static gint word_order(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `least`: so many words there are at least. */
static void compare_words(const char *folder, const char *name, guint least)
{
    char *file = g_strdup_printf("%s%s.txt", folder, name), *known = NULL;
    GString *text = g_string_new(NULL);
    assert_true(words->len >= least);
    g_ptr_array_sort(words, word_order);
    for (guint i = 0; i < words->len; i++)
        if (i == 0 || strcmp(words->pdata[i], words->pdata[i - 1]) != 0)
            g_string_append_printf(text, "%s\n", (const char *)words->pdata[i]);
    if (getenv("TW_GOLDEN")) assert_true(g_file_set_contents(file, text->str, (gssize)text->len, NULL));
    if (!g_file_get_contents(file, &known, NULL, NULL) || strcmp(known, text->str) != 0)
        fail_msg("%s is not what the tables say: ./dev golden", file);
    g_string_free(text, TRUE);
    g_ptr_array_free(words, TRUE);
    g_free(known);
    g_free(file);
}

#endif
