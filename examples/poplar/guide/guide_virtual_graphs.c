/* SPDX-License-Identifier: MIT */
/* Section 2.4 of the guide, "Virtual graphs": three ways to choose tiles, and what either graph sees of the other.
 *
 * prints: first 100 of each of 2 IPUs: 200 tiles
 * prints: tiles 8 to 15: tile 0 is tile 8 of the parent
 * prints: a list of tiles: tile 2 is tile 40 of the parent
 * prints: the parent ran what the virtual graph added: 12 12 12 12
 */
#include "check.h"

int main(void)
{
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 2);
    tw_graph *parent = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(parent, "guide_codelets.cpp", NULL);
    CHECK(tw_target_tiles(tw_graph_target(parent)) == 2 * 1472);

    tw_graph *first = tw_graph_virtual_first(parent, 100);
    printf("first 100 of each of 2 IPUs: %u tiles\n", tw_target_tiles(tw_graph_target(first)));
    CHECK(tw_graph_to_top_level_tile(first, 100) == 1472);

    tw_graph *range = tw_graph_virtual_range(parent, 8, 16);
    printf("tiles 8 to 15: tile 0 is tile %u of the parent\n", tw_graph_to_top_level_tile(range, 0));
    CHECK(tw_target_tiles(tw_graph_target(range)) == 8);
    CHECK(tw_graph_from_top_level_tile(range, 7) == TW_UNMAPPED);

    static const unsigned list[] = { 3, 17, 40 };
    tw_graph *some = tw_graph_virtual_tiles(parent, 3, list);
    printf("a list of tiles: tile 2 is tile %u of the parent\n", tw_graph_to_top_level_tile(some, 2));

    /* A variable of the parent, mapped inside the range, appears in the virtual graph under the tiles of that
     * graph. */
    tw_tensor x = tw_graph_add_variable(parent, TW_UNSIGNED_INT, 1, (size_t[]){ 4 }, "x");
    tw_graph_map(parent, x, 10);
    tw_mapped_interval at;
    CHECK(tw_graph_get_mapping(range, x, &at, 1) == 1 && at.tile == 2 && at.interval.end == 4);
    CHECK(tw_graph_get_mapping(some, x, &at, 1) == 0);

    /* What the virtual graph adds is in the parent, which runs it. */
    unsigned amount = 4;
    tw_tensor number = tw_graph_add_constant(range, TW_UNSIGNED_INT, 0, NULL, &amount, false, "amount");
    tw_graph_map(range, number, 2);
    CHECK(tw_graph_get_mapping(parent, number, &at, 1) == 1 && at.tile == 10);
    tw_compute_set cs = tw_graph_add_compute_set(range, "add");
    tw_vertex v = tw_graph_add_vertex(range, cs, "AddInPlace", 2);
    tw_graph_connect(range, v, "value", x);
    tw_graph_connect(range, v, "amount", number);
    tw_graph_create_host_access(parent, "x", x);

    tw_engine *e = tw_engine_new(parent, tw_program_repeat(parent, 3, tw_program_execute(parent, cs)), NULL);
    CHECK_ENGINE(e, tw_engine_load(e, dev));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    uint32_t values[4];
    CHECK(tw_engine_read(e, "x", values, sizeof values) == TW_OK);
    printf("the parent ran what the virtual graph added: %u %u %u %u\n", values[0], values[1], values[2],
           values[3]);

    tw_engine_free(e);
    tw_graph_free(some);
    tw_graph_free(range);
    tw_graph_free(first);
    tw_graph_free(parent);
    tw_device_free(dev);
    return 0;
}
