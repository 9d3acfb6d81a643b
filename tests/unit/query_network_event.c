/* SPDX-License-Identifier: MIT */
/* Events of a network: their probabilities by hand, given evidence, of states and of numbers; and what is refused. */
#include "model_support.h"

#include <math.h>

/* a: u 0.25; b given a: p 0.5 and 0.25; x given a: normal with mean 0 and variance 1, or exactly 2. */
static crd_network *make_network(crd_context *context) {
    const crd_text of_a[] = {{"u", 1}, {"v", 1}}, of_b[] = {{"p", 1}, {"q", 1}};
    const double table_a[] = {.25, .75}, table_b[] = {.5, .5, .25, .75}, table_x[] = {0, 1, 2, 0};
    crd_network_builder *builder;
    crd_network *network;
    crd_error error;
    assert_done(crd_network_builder_create(context, crd_text_of("n"), &builder, &error), error);
    assert_done(crd_network_builder_add_node(builder, crd_text_of("a"), CRD_NODE_CHANCE, of_a, 2, NULL, &error), error);
    assert_done(crd_network_builder_add_node(builder, crd_text_of("b"), CRD_NODE_CHANCE, of_b, 2, NULL, &error), error);
    assert_done(crd_network_builder_add_node(builder, crd_text_of("x"), CRD_NODE_GAUSSIAN, NULL, 0, NULL, &error),
                error);
    assert_done(crd_network_builder_add_arc(builder, 0, 1, &error), error);
    assert_done(crd_network_builder_add_arc(builder, 0, 2, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, 0, table_a, 2, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, 1, table_b, 4, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, 2, table_x, 4, &error), error);
    assert_done(crd_network_builder_finish(builder, &network, &error), error);
    crd_network_builder_destroy(builder);
    return network;
}

static crd_event *parsed(crd_context *context, const char *text) {
    const crd_text names[] = {{"a", 1}, {"b", 1}, {"x", 1}};
    crd_event *event;
    crd_error error;
    assert_done(crd_event_parse(context, crd_text_of(text), names, 3, &event, &error), error);
    return event;
}

static void probabilities(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_given; /* b=q is known */
        double probability;
    } cases[] = {{"a=u", false, 0.25},
                 {"a=u and b=p", false, 0.125},
                 {"a=u or b=p", false, 0.25 + 0.1875},
                 {"not (a=u or b=p)", false, 0.5625},
                 {"a!=u", true, 0.5625 / 0.6875},
                 {"a=u and a=v", false, 0},
                 {"x<0", false, 0.125},
                 {"x=2", false, 0.75},
                 {"x>=2 and x<=2", false, 0.75},
                 {"x!=2", false, 0.25},
                 {"x<0 or x>=2", false,
                  0.125 + 0.25 * 0.022750131948179195 + 0.75}, /* 1 - the cdf of 2, Python 3.13's math.erfc */
                 {"x=0", false, 0}};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = make_network(context);
    const crd_finding finding = {1, 1, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_event *event = parsed(context, cases[i].text);
        double shares[2], deviation = -1;
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        crd_error error;
        assert_done(
            crd_network_event(network, &finding, cases[i].is_given, event, NULL, shares, &deviation, &result, &error),
            error);
        assert_near(shares[0], cases[i].probability, 1e-14);
        assert_near(shares[1], 1 - cases[i].probability, 1e-14);
        assert_true(deviation == 0);
        crd_event_destroy(event);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *subject;
        crd_status status;
    } cases[] = {{"a=w", "a", CRD_ERROR_COLUMN},
                 {"b<p", "b", CRD_ERROR_SYNTAX},
                 {"x>high", "", CRD_ERROR_NUMBER},
                 {"a=u and x>1", "x", CRD_ERROR_TYPE}};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = make_network(context);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_event *event = parsed(context, cases[i].text);
        double shares[2];
        crd_error error;
        assert_int_equal(crd_network_event(network, NULL, 0, event, NULL, shares, NULL, NULL, &error), cases[i].status);
        assert_string_equal(error.subject, cases[i].subject);
        crd_event_destroy(event);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Each allocation fails in turn: an error every time, and no leak. */
static void every_allocation(void **state) {
    (void)state;
    static const char *const texts[] = {"a=u or b=p", "x>1"};
    for (size_t which = 0; which < 2; which++)
        for (size_t fail_at = 1;; fail_at++) {
            allocations counted = {0};
            crd_context *context = counted_context(&counted);
            crd_network *network = make_network(context);
            crd_event *event = parsed(context, texts[which]);
            double result[2];
            crd_error error;
            counted.calls = 0;
            counted.fail_at = fail_at;
            crd_status status = crd_network_event(network, NULL, 0, event, NULL, result, NULL, NULL, &error);
            bool failed = counted.calls >= fail_at;
            counted.fail_at = 0;
            assert_int_equal(status, failed ? CRD_ERROR_MEMORY : CRD_OK);
            crd_event_destroy(event);
            crd_network_destroy(network);
            crd_context_destroy(context);
            assert_int_equal(counted.live, 0);
            if (!failed) break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities),
        cmocka_unit_test(refused),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
