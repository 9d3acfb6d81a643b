/* SPDX-License-Identifier: MIT */
/* Each allocation of making a network call by call, and of what its arcs imply, fails in turn: an error every time, and no leak. */
#include "model_support.h"

static crd_status whole_life(crd_context *context, crd_error *error) {
    const crd_text states[] = {{"x", 1}, {"y", 1}};
    const double table[] = {.2, .8}, rows[] = {.1, .9, .3, .7};
    const size_t second = 1;
    crd_network_builder *builder = NULL, *other = NULL;
    crd_network *network = NULL, *changed = NULL;
    crd_status status = crd_network_builder_create(context, crd_text_of("n"), &builder, error);
    if (status == CRD_OK)
        status = crd_network_builder_add_node(builder, crd_text_of("a"), CRD_NODE_CHANCE, states, 2, NULL, error);
    if (status == CRD_OK)
        status = crd_network_builder_add_node(builder, crd_text_of("b"), CRD_NODE_CHANCE, states, 2, NULL, error);
    if (status == CRD_OK) status = crd_network_builder_add_arc(builder, 0, 1, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt(builder, 0, table, 2, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt_row(builder, 1, &second, rows, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt(builder, 1, rows, 4, error);
    if (status == CRD_OK) status = crd_network_builder_finish(builder, &network, error);
    if (status == CRD_OK) status = crd_network_builder_from(network, &other, error);
    if (status == CRD_OK) status = crd_network_builder_remove_arc(other, 0, 1, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt(other, 1, table, 2, error);
    if (status == CRD_OK) status = crd_network_builder_finish(other, &changed, error);
    const size_t ends[] = {0, 1};
    size_t *path = NULL, *blanket = NULL, *nodes = NULL, *lengths = NULL, count = 0;
    int is_separated = 0, is_complete = 0;
    crd_path_node seen[2];
    if (status == CRD_OK)
        status =
            crd_network_set_separation(network, &ends[0], 1, &ends[1], 1, NULL, 0, &is_separated, &path, &count, error);
    if (status == CRD_OK) status = crd_network_markov_blanket(network, 0, &blanket, &count, error);
    if (status == CRD_OK)
        status = crd_network_paths(network, 0, 1, NULL, 0, 1, 8, &nodes, &lengths, &count, &is_complete, error);
    if (status == CRD_OK) status = crd_network_path_nodes(network, ends, 2, NULL, 0, seen, error);
    crd_free(context, path);
    crd_free(context, blanket);
    crd_free(context, nodes);
    crd_free(context, lengths);
    crd_network_destroy(changed);
    crd_network_destroy(network);
    crd_network_builder_destroy(other);
    crd_network_builder_destroy(builder);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_error error = {0};
        assert_allocation_fails(&trial, whole_life(trial.context, &error), CRD_OK, error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
