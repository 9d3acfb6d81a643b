/* SPDX-License-Identifier: MIT */
/* Each allocation of scoring a network of both kinds of nodes on rows fails in turn: an error every time, and no leak. */
#include "model_support.h"

static const char TABLE[] = "a,b,x\nu,p,1\nv,q,2.5\nu,q,2\nv,q,4\nu,p,1.5\nv,p,3\nu,p,2.5\n";

static crd_status make_network(crd_context *context, crd_network **out, crd_error *error) {
    const crd_text of_a[] = {{"u", 1}, {"v", 1}}, of_b[] = {{"p", 1}, {"q", 1}};
    const double half[] = {.5, .5, .5, .5}, normals[] = {0, 1, 0, 1};
    crd_network_builder *builder = NULL;
    *out = NULL;
    crd_status status = crd_network_builder_create(context, crd_text_of("n"), &builder, error);
    if (status == CRD_OK)
        status = crd_network_builder_add_node(builder, crd_text_of("a"), CRD_NODE_CHANCE, of_a, 2, NULL, error);
    if (status == CRD_OK)
        status = crd_network_builder_add_node(builder, crd_text_of("b"), CRD_NODE_CHANCE, of_b, 2, NULL, error);
    if (status == CRD_OK)
        status = crd_network_builder_add_node(builder, crd_text_of("x"), CRD_NODE_GAUSSIAN, NULL, 0, NULL, error);
    if (status == CRD_OK) status = crd_network_builder_add_arc(builder, 0, 1, error);
    if (status == CRD_OK) status = crd_network_builder_add_arc(builder, 0, 2, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt(builder, 0, half, 2, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt(builder, 1, half, 4, error);
    if (status == CRD_OK) status = crd_network_builder_set_cpt(builder, 2, normals, 4, error);
    if (status == CRD_OK) status = crd_network_builder_finish(builder, out, error);
    crd_network_builder_destroy(builder);
    return status;
}

static crd_status whole_life(crd_context *context, crd_error *error) {
    crd_network *network = NULL;
    crd_reader *reader = NULL;
    crd_structure_score *score = NULL;
    crd_status status = make_network(context, &network, error);
    if (status == CRD_OK) status = open_text(context, TABLE, sizeof TABLE - 1, NULL, &reader, error);
    if (status == CRD_OK) status = crd_structure_score_create(network, reader, crd_text_of("bic"), &score, error);
    if (status == CRD_OK) {
        assert_true(score->rows == 7);
        /* 2 + 2 parameters of the number, for each state of a. */
        assert_true(score->parameters[2] == 4);
        assert_near(score->total, score->nodes[0] + score->nodes[1] + score->nodes[2], 1e-12);
    } else {
        assert_null(score);
    }
    crd_structure_score_destroy(score);
    crd_reader_close(reader);
    crd_network_destroy(network);
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
