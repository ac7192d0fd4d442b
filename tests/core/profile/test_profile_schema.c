/* SPDX-License-Identifier: MIT */
/* The table of columns: each row says what its readers need, and none says what another says already. */
#include "core/profile/schema.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void profile_schema_rows(void **state)
{
    (void)state;
    static const char *const units[] = { "", "cycles", "bytes", "tiles", "Hz", "us", "seconds", "ratio", NULL };
    for (int t = 0; t < TW__TABLES; t++) {
        size_t many = 0;
        for (TW__EACH_COLUMN(c, t)) {
            const char *name = c->key ? c->key : c->page ? c->page : "(a name or its value)";
            bool wide = tw__column_is_real(c) || c->kind == TW__KIND_SIGNED || c->kind == TW__KIND_SUM;
            if (!g_strv_contains(units, c->unit)) fail_msg("table %d, %s: unit '%s'", t, name, c->unit);
            if (!*c->meaning) fail_msg("table %d, %s: no meaning", t, name);
            if (c->size != 1 && c->size != 4 && c->size != 8) fail_msg("table %d, %s: %u bytes", t, name, c->size);
            if (wide && c->size != 8) fail_msg("table %d, %s: %u bytes of a double or count", t, name, c->size);
            if (c->at + c->size > tw__tables[t].size) fail_msg("table %d, %s: beyond its struct", t, name);
            many++;
        }
        assert_in_range(many, 1, TW__MOST_COLUMNS);
    }
}

/* Two columns of one part have keys of their own, and so have two of the page. */
static void profile_schema_names(void **state)
{
    (void)state;
    g_autoptr(GHashTable) pages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int t = 0; t < TW__TABLES; t++)
        for (TW__EACH_COLUMN(a, t)) {
            for (const tw__column *b = a + 1; a->key && b->table == t; b++) {
                unsigned x = a->when & ~(unsigned)TW__WHEN_IF, y = b->when & ~(unsigned)TW__WHEN_IF;
                if (b->key && !strcmp(a->key, b->key) && (!x || !y || (x & y))) fail_msg("table %d: %s", t, a->key);
            }
            if (!a->page || !*tw__tables[t].page) continue;
            char *page = g_strconcat(tw__tables[t].page, a->page, NULL);
            if (!g_hash_table_add(pages, page)) fail_msg("table %d: page %s", t, page);
        }
}

/* tw__given has a place for each figure that a file may state, the first two where their names say. */
static void profile_schema_given(void **state)
{
    (void)state;
    const char *keys[TW__GIVEN_FIGURES];
    unsigned many = 0;
    for (TW__EACH_COLUMN(c, TW__TABLE_step)) {
        if (!(c->when & TW__GIVEN)) continue;
        assert_true(many < TW__GIVEN_FIGURES);
        keys[many++] = c->key;
    }
    assert_int_equal(many, TW__GIVEN_FIGURES);
    assert_string_equal(keys[TW__GIVEN_ACTIVE_TILES], "activeTiles");
    assert_string_equal(keys[TW__GIVEN_TILE_BALANCE], "tileBalance");
}

/* Any value goes in and comes out, and its neighbours stay. */
static void profile_schema_values(void **state)
{
    (void)state;
    for (int t = 0; t < TW__TABLES; t++) {
        unsigned char *item = g_malloc(tw__tables[t].size), *before = g_malloc(tw__tables[t].size);
        for (TW__EACH_COLUMN(c, t)) {
            memset(item, 0xa5, tw__tables[t].size), memcpy(before, item, tw__tables[t].size);
            uint64_t value = UINT64_C(0x0123456789abcdef) >> (64 - 8 * c->size);
            if (tw__column_is_real(c)) {
                tw__column_set_real(c, item, -2.5);
                assert_true(tw__column_real(c, item) == -2.5);
            } else {
                tw__column_set(c, item, value);
                assert_true(tw__column_get(c, item) == value);
            }
            memcpy(before + c->at, item + c->at, c->size);
            assert_memory_equal(item, before, tw__tables[t].size);
        }
        g_free(item), g_free(before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_schema_rows),
        cmocka_unit_test(profile_schema_names),
        cmocka_unit_test(profile_schema_given),
        cmocka_unit_test(profile_schema_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
