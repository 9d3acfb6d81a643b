/* SPDX-License-Identifier: MIT */
/* The memory that is free is read once for a classifier: whether a row is answered does not depend on the
 * moment when it is asked.
 *
 * The linker gives crd_i_free_memory to this file (--wrap), which counts its calls and makes up what is free. */
#include "network_support.h"

#include "base/memory.h"

#include "counted_fixture.h"

static double is_free;
static int readings;

double __wrap_crd_i_free_memory(void);

double __wrap_crd_i_free_memory(void) {
    readings++;
    return is_free;
}

/* Roots x0, x1, ... and a child of every two of them: where the children are known, all roots are one clique of 2^48
 * states, too many for the tree that rows share. */
enum { ROOTS = 48, CHILDREN = ROOTS * (ROOTS - 1) / 2 };

static crd_model *model_of_pairs(void) {
    size_t capacity = 200 * (ROOTS + CHILDREN), used = 0;
    char *text = malloc(capacity);
    crd_network *network;
    crd_model *model;
    crd_error error;
    assert_non_null(text);
    for (int i = 0; i < ROOTS; i++)
        used += (size_t)snprintf(text + used, capacity - used,
                                 "variable x%d { type discrete[2] { n, y }; }\nprobability (x%d) { table 0.4, 0.6; }\n",
                                 i, i);
    for (int i = 0; i < ROOTS; i++)
        for (int j = i + 1; j < ROOTS; j++)
            used += (size_t)snprintf(text + used, capacity - used,
                                     "variable c%d_%d { type discrete[2] { n, y }; }\nprobability (c%d_%d | x%d, x%d) "
                                     "{ table 0.9, 0.7, 0.6, 0.2, 0.1, 0.3, 0.4, 0.8; }\n",
                                     i, j, i, j, i, j);
    assert_done(crd_network_read(context, (crd_text){text, used}, "pairs", CRD_NETWORK_FORMAT_BIF, &network, &error),
                error);
    assert_done(crd_model_from_network(network, crd_text_of("x0"), &model, &error), error);
    crd_network_destroy(network);
    free(text);
    return model;
}

/* Every child is seen, and no root. */
static crd_status answer(const crd_classifier *classifier, crd_error *error) {
    crd_value row[ROOTS - 1 + CHILDREN];
    double logs[2], probabilities[2];
    crd_answer answered;
    size_t count = crd_classifier_attribute_count(classifier);
    assert_int_equal(count, sizeof row / sizeof *row);
    for (size_t a = 0; a < count; a++) {
        crd_text name = crd_classifier_attribute(classifier, a);
        row[a] = name.bytes[0] == 'c' ? text_value(a % 2 == 0 ? "y" : "n") : missing_value();
    }
    return crd_classifier_posterior(classifier, row, logs, probabilities, &answered, error);
}

static void free_memory_is_read_once_for_a_classifier(void **state) {
    (void)state;
    crd_model *model = model_of_pairs();
    crd_classifier *classifier;
    crd_error error;
    is_free = 1 << 20;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_int_equal(readings, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(answer(classifier, &error), CRD_ERROR_LIMIT);
        is_free *= 2;
    }
    assert_int_equal(readings, 1);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(free_memory_is_read_once_for_a_classifier, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("model_network_memory", tests, NULL, NULL);
}
