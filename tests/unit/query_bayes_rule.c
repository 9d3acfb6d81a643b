/* SPDX-License-Identifier: MIT */
/* Bayes' rule on bare numbers: the lectures' three cases, identities over random problems, and what is refused. */
#include <credence/bayes.h>

#include "unit/math_random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "counted_fixture.h"

static crd_bayes *begin(void) {
    crd_bayes *bayes = NULL;
    assert_int_equal(crd_bayes_create(context, &bayes, NULL), CRD_OK);
    return bayes;
}

static void prior(crd_bayes *bayes, const char *hypothesis, double p) {
    assert_int_equal(crd_bayes_prior(bayes, crd_text_of(hypothesis), p, NULL), CRD_OK);
}

static void likelihood(crd_bayes *bayes, const char *outcome, const char *hypothesis, double p) {
    assert_int_equal(crd_bayes_likelihood(bayes, crd_text_of(outcome), crd_text_of(hypothesis), p, NULL), CRD_OK);
}

static void finish(crd_bayes *bayes) {
    crd_error error;
    crd_status status = crd_bayes_finish(bayes, &error);
    if (status != CRD_OK) print_message("%s\n", error.message);
    assert_int_equal(status, CRD_OK);
}

static double observe(crd_bayes *bayes, const char *outcome) {
    double evidence = 0;
    assert_int_equal(crd_bayes_observe(bayes, crd_text_of(outcome), NULL, &evidence, NULL), CRD_OK);
    return evidence;
}

static bool is(double result, double expected) {
    return fabs(result - expected) <= 1e-15 + 1e-14 * fabs(expected);
}

/* ---- The lectures ---- */

static void test_cancer(void **state) {
    (void)state;
    crd_bayes *bayes = begin();
    prior(bayes, "cancer", 0.008);
    likelihood(bayes, "+", "cancer", 0.98);
    likelihood(bayes, "+", "no cancer", 0.03);
    finish(bayes);
    assert_true(is(bayes->prior[1], 0.992) && bayes->prior_inferred[1]);
    assert_true(is(observe(bayes, "+"), 0.0376));
    assert_true(is(bayes->posterior[0], 0.00784 / 0.0376));
    assert_true(fabs(bayes->posterior[0] - 0.208510638) < 1e-9);
    assert_int_equal(crd_bayes_map(bayes, NULL), 1);
    assert_int_equal(crd_bayes_ml(bayes, NULL), 0);
    crd_bayes_destroy(bayes);
}

static void test_optimal_answer(void **state) {
    (void)state;
    crd_bayes *bayes = begin();
    const char *names[] = {"h1", "h2", "h3"}, *says[] = {"+", "-", "-"};
    const double weights[] = {0.4, 0.3, 0.3};
    for (int i = 0; i < 3; i++) {
        prior(bayes, names[i], weights[i]);
        assert_int_equal(crd_bayes_hypothesis_answer(bayes, crd_text_of(names[i]), crd_text_of(says[i]), NULL), CRD_OK);
    }
    finish(bayes);
    assert_true(is(crd_bayes_answer_weight(bayes, 0), 0.4) && is(crd_bayes_answer_weight(bayes, 1), 0.6));
    assert_int_equal(crd_bayes_optimal(bayes, NULL), 1);
    assert_int_equal((size_t)bayes->answer[crd_bayes_map(bayes, NULL)], 0);
    assert_true(isnan(crd_bayes_accuracy(bayes)));
    crd_bayes_destroy(bayes);
}

static void test_boxes_and_fruit(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        crd_bayes *bayes = begin();
        prior(bayes, "red", 0.4);
        likelihood(bayes, "apple", "red", 2.0 / 8);
        likelihood(bayes, "apple", "blue", 3.0 / 4);
        /* Oranges are what is left, named or not. */
        if (round == 1) assert_int_equal(crd_bayes_outcome(bayes, crd_text_of("orange"), NULL), CRD_OK);
        finish(bayes);
        assert_true(is(crd_bayes_accuracy(bayes), 0.75));
        if (round == 0) {
            assert_true(is(observe(bayes, "apple"), 0.55));
            assert_true(is(bayes->posterior[0], 2.0 / 11) && is(bayes->posterior[1], 9.0 / 11));
        } else {
            assert_true(is(bayes->likelihood[bayes->hypothesis_count], 0.75) &&
                        bayes->likelihood_inferred[bayes->hypothesis_count]);
            observe(bayes, "orange");
            assert_true(is(bayes->posterior[0], 2.0 / 3));
        }
        crd_bayes_destroy(bayes);
    }
}

/* ---- Identities ---- */

/* Any order of the same outcomes leads to the same weights, which add up to one; the evidence of all is the product of
 * the steps', and is what summing over the hypotheses gives. */
static void test_order_and_total_probability(void **state) {
    (void)state;
    enum { HYPOTHESES = 4, OUTCOMES = 3, SEEN = 6 };
    const char *names[] = {"a", "b", "c", "d"}, *outcomes[] = {"x", "y", "z"};
    for (int round = 0; round < 200; round++) {
        double p[HYPOTHESES], total = 0, given[HYPOTHESES][OUTCOMES], direct = 0;
        for (int h = 0; h < HYPOTHESES; h++) total += p[h] = (double)random_below(100) + 1;
        for (int h = 0; h < HYPOTHESES; h++) {
            double sum = 0;
            for (int o = 0; o < OUTCOMES; o++) sum += given[h][o] = (double)random_below(50) + 1;
            for (int o = 0; o < OUTCOMES; o++) given[h][o] /= sum;
        }
        size_t seen[SEEN];
        for (int i = 0; i < SEEN; i++) seen[i] = random_below(OUTCOMES);
        crd_bayes *forth = begin(), *back = begin();
        for (int h = 0; h < HYPOTHESES; h++) {
            prior(forth, names[h], p[h] / total);
            prior(back, names[h], p[h] / total);
            double product = p[h] / total;
            for (int o = 0; o < OUTCOMES; o++) {
                likelihood(forth, outcomes[o], names[h], given[h][o]);
                if (o > 0) likelihood(back, outcomes[o], names[h], given[h][o]);
            }
            for (int i = 0; i < SEEN; i++) product *= given[h][seen[i]];
            direct += product;
        }
        assert_int_equal(crd_bayes_outcome(back, crd_text_of("x"), NULL), CRD_OK);
        finish(forth);
        finish(back);
        double evidence = 1, sum = 0;
        for (int i = 0; i < SEEN; i++) evidence *= observe(forth, outcomes[seen[i]]);
        for (int i = SEEN; i-- > 0;) observe(back, outcomes[seen[i]]);
        for (int h = 0; h < HYPOTHESES; h++) {
            sum += forth->posterior[h];
            assert_true(fabs(forth->posterior[h] - back->posterior[h]) < 1e-13);
        }
        assert_true(fabs(sum - 1) < 1e-15 * HYPOTHESES && fabs(evidence / direct - 1) < 1e-13);
        assert_true(fabs(forth->log_evidence - log(direct)) < 1e-12);
        crd_bayes_destroy(forth);
        crd_bayes_destroy(back);
    }
}

/* Ten thousand observations underflow any product; the weights do not mind. */
static void test_many_observations(void **state) {
    (void)state;
    crd_bayes *bayes = begin();
    likelihood(bayes, "heads", "fair", 0.5);
    likelihood(bayes, "heads", "bent", 0.6);
    assert_int_equal(crd_bayes_outcome(bayes, crd_text_of("tails"), NULL), CRD_OK);
    finish(bayes);
    assert_true(bayes->prior[0] == 0.5);
    for (int i = 0; i < 10000; i++) observe(bayes, i % 2 == 0 ? "heads" : "tails");
    assert_int_equal(crd_bayes_map(bayes, NULL), 0);
    assert_int_equal(crd_bayes_ml(bayes, NULL), 0);
    assert_true(bayes->posterior[0] > 0.999 && fabs(bayes->log_evidence + 6931.47 + 0.69) < 0.1);
    crd_bayes_destroy(bayes);
}

static void test_ties(void **state) {
    (void)state;
    crd_bayes *bayes = begin();
    size_t tied = 0;
    likelihood(bayes, "x", "a", 0.3);
    likelihood(bayes, "x", "b", 0.1 + 0.2);
    likelihood(bayes, "x", "c", 0.2);
    finish(bayes);
    observe(bayes, "x");
    assert_true(crd_bayes_map(bayes, &tied) == 0 && tied == 2);
    assert_true(crd_bayes_ml(bayes, &tied) == 0 && tied == 2);
    crd_bayes_destroy(bayes);
}

/* ---- What is refused ---- */

static void refuse_finish(crd_bayes *bayes, const char *message) {
    crd_error error;
    assert_int_equal(crd_bayes_finish(bayes, &error), CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message, message);
    crd_bayes_destroy(bayes);
}

static void test_refusals(void **state) {
    (void)state;
    crd_error error;
    crd_bayes *bayes = begin();
    assert_int_equal(crd_bayes_prior(bayes, crd_text_of("a"), 1.5, &error), CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message, "P(a) is 1.5, which is not between 0 and 1");
    assert_int_equal(crd_bayes_likelihood(bayes, crd_text_of("x"), crd_text_of("a"), -0.5, &error),
                     CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message, "P(x|a) is -0.5, which is not between 0 and 1");
    assert_int_equal(crd_bayes_prior(bayes, crd_text_of("a"), NAN, NULL), CRD_ERROR_PROBABILITY);
    prior(bayes, "a", 0.5);
    assert_int_equal(crd_bayes_prior(bayes, crd_text_of("a"), 0.5, &error), CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message, "P(a) is specified twice");
    prior(bayes, "b", 0.4);
    refuse_finish(bayes, "the priors add up to 0.9, which is 0.1 too little");

    /* Three digits of what is missing, whatever the locale. */
    bayes = begin();
    prior(bayes, "a", 0.25);
    prior(bayes, "b", 0.7487654321);
    refuse_finish(bayes, "the priors add up to 0.9987654321, which is 0.00123 too little");

    bayes = begin();
    for (int i = 0; i < 1500; i++) {
        char name[8];
        snprintf(name, sizeof name, "h%d", i);
        prior(bayes, name, 1);
    }
    refuse_finish(bayes, "the priors add up to 1500, which is 1499 too much");

    refuse_finish(begin(), "missing hypothesis");

    bayes = begin();
    prior(bayes, "a", 0.75);
    prior(bayes, "b", 0.5);
    likelihood(bayes, "x", "c", 0.5);
    refuse_finish(bayes, "the priors add up to 1.25, which is 0.25 too much");

    bayes = begin();
    prior(bayes, "a", 0.7);
    likelihood(bayes, "x", "b", 0.5);
    likelihood(bayes, "x", "c", 0.5);
    refuse_finish(bayes, "2 hypotheses have no prior, for example c; at most one may be missing");

    bayes = begin();
    likelihood(bayes, "x", "a", 0.75);
    likelihood(bayes, "y", "a", 0.75);
    refuse_finish(bayes, "the likelihoods under a add up to 1.5, which is 0.5 too much");

    bayes = begin();
    prior(bayes, "a", 0.5);
    likelihood(bayes, "x", "b", 0.5);
    refuse_finish(bayes, "P(x|a) is missing, and does not follow from the others");

    bayes = begin();
    prior(bayes, "a", 0.5);
    assert_int_equal(crd_bayes_hypothesis_answer(bayes, crd_text_of("b"), crd_text_of("+"), NULL), CRD_OK);
    assert_int_equal(crd_bayes_hypothesis_answer(bayes, crd_text_of("b"), crd_text_of("-"), NULL),
                     CRD_ERROR_PROBABILITY);
    refuse_finish(bayes, "the answer of a is missing");

    /* A name that nothing is left for. */
    bayes = begin();
    likelihood(bayes, "heads", "a", 0.25);
    likelihood(bayes, "tails", "a", 0.75);
    assert_int_equal(crd_bayes_outcome(bayes, crd_text_of("haeds"), NULL), CRD_OK);
    refuse_finish(bayes, "unknown outcome 'haeds': the specified outcomes already have all of the probability");
}

static void test_impossible_observation(void **state) {
    (void)state;
    crd_error error;
    crd_bayes *bayes = begin();
    likelihood(bayes, "x", "a", 0);
    likelihood(bayes, "x", "b", 0);
    likelihood(bayes, "y", "a", 1);
    likelihood(bayes, "y", "b", 0.5);
    finish(bayes);
    assert_int_equal(crd_bayes_observe(bayes, crd_text_of("x"), NULL, NULL, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_bayes_observe(bayes, crd_text_of("z"), NULL, NULL, &error), CRD_ERROR_PROBABILITY);
    assert_true(bayes->posterior[0] == 0.5 && bayes->log_evidence == 0);
    assert_int_equal(crd_bayes_prior(bayes, crd_text_of("c"), 0, &error), CRD_ERROR_ARGUMENT);
    crd_bayes_destroy(bayes);
}

/* ---- Memory ---- */

static void *failing_resize(void *user, void *block, size_t bytes) {
    size_t *left = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (*left == 0) return NULL;
    --*left;
    return realloc(block, bytes);
}

static crd_status whole_run(crd_context *failing) {
    crd_bayes *bayes = NULL;
    crd_status status = crd_bayes_create(failing, &bayes, NULL);
    if (status == CRD_OK) status = crd_bayes_prior(bayes, crd_text_of("a"), 0.5, NULL);
    if (status == CRD_OK) status = crd_bayes_likelihood(bayes, crd_text_of("x"), crd_text_of("a"), 0.5, NULL);
    if (status == CRD_OK) status = crd_bayes_likelihood(bayes, crd_text_of("x"), crd_text_of("b"), 0.5, NULL);
    if (status == CRD_OK) status = crd_bayes_hypothesis_answer(bayes, crd_text_of("a"), crd_text_of("+"), NULL);
    if (status == CRD_OK) status = crd_bayes_hypothesis_answer(bayes, crd_text_of("b"), crd_text_of("-"), NULL);
    if (status == CRD_OK) status = crd_bayes_finish(bayes, NULL);
    if (status == CRD_OK) status = crd_bayes_observe(bayes, crd_text_of("x"), NULL, NULL, NULL);
    crd_bayes_destroy(bayes);
    return status;
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t allowed = 1; status != CRD_OK; allowed++) {
        size_t left = allowed;
        crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
        options.resize = failing_resize;
        options.resize_user = &left;
        crd_context *failing = NULL;
        assert_int_equal(crd_context_create(&options, &failing), CRD_OK);
        status = whole_run(failing);
        assert_true(status == CRD_OK || status == CRD_ERROR_MEMORY);
        assert_true(allowed < 100);
        crd_context_destroy(failing);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancer),
        cmocka_unit_test(test_optimal_answer),
        cmocka_unit_test(test_boxes_and_fruit),
        cmocka_unit_test(test_order_and_total_probability),
        cmocka_unit_test(test_many_observations),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_impossible_observation),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("math_bayes", tests, set_up, tear_down);
}
