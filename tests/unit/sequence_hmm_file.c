/* SPDX-License-Identifier: MIT */
/* Texts of hidden Markov models: what they state is read, and what is wrong with one is named with its line. */
#include "model_support.h"

#include "sequence/stated_hmm.h"

static const char UMBRELLA[] = "{\"credence_hmm\": 1,\n"
                               " \"states\": [\"rain\", \"dry\"],\n"
                               " \"start\": [0.5, 0.5],\n"
                               " \"transitions\": [[0.7, 0.3],\n"
                               "                 [0.3, 0.7]],\n"
                               " \"observations\": [{\"name\": \"umbrella\", \"family\": \"categorical\",\n"
                               "   \"values\": [\"yes\", \"no\"], \"probability\": [[0.9, 0.1], [0.2, 0.8]]}]}\n";

static crd_status read_text(crd_context *context, const char *text, crd_i_stated_hmm *out, crd_error *error) {
    static char copy[8192];
    assert_true(strlen(text) < sizeof copy);
    memcpy(copy, text, strlen(text) + 1);
    assert_true(crd_i_stated_hmm_recognize((const unsigned char *)copy, strlen(copy)) ||
                strstr(text, "credence_hmm") == NULL || text[0] != '{');
    return crd_i_stated_hmm_read(context, copy, strlen(copy), out, error);
}

static void test_umbrella(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    crd_i_stated_hmm hmm;
    assert_done(read_text(context, UMBRELLA, &hmm, &error), error);
    assert_int_equal(hmm.states, 2);
    assert_int_equal(hmm.order, 1);
    assert_int_equal(hmm.components, 1);
    assert_int_equal(hmm.context_count, 2);
    assert_true(hmm.next[0] == 0.7 && hmm.next[1] == 0.3 && hmm.next[3] == 0.3 && hmm.next[4] == 0.7);
    assert_true(hmm.is_hidden && hmm.has_header && !hmm.has_ends);
    assert_int_equal(hmm.observation_count, 1);
    assert_true(hmm.observations[0].firsts[2] == 0.2);
    crd_i_stated_hmm_clear(&hmm);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Orders, ends, components and every family. */
static void test_all(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    crd_i_stated_hmm hmm;
    assert_done(
        read_text(
            context,
            "\xEF\xBB\xBF{\"order\": 2, \"credence_hmm\": 1, \"comment\": [{}], \"states\": [\"a\", \"b\"], \"start\": "
            "[1, 0],"
            "\"transitions\": [{\"after\": [\"a\"], \"to\": [0.5, 0.25], \"end\": 0.25},"
            "{\"after\": [\"a\", \"a\"], \"to\": [1, 0]}, {\"after\": [\"a\", \"b\"], \"to\": [0, 0], \"end\": 1}],"
            "\"components\": [[1, 0], [0.5, 0.5]], \"target\": \"s\", \"sequence\": \"id\", \"time\": \"t\", \"step\": "
            "2,"
            "\"observations\": ["
            "{\"names\": [\"x\", \"y\"], \"family\": \"normal\", \"mean\": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],"
            " \"covariance\": [[[[1, 0], [0, 1]], [[2, 1], [1, 2]]], [[[1, 0], [0, 1]], [[2, 1], [1, 2]]]]},"
            "{\"name\": \"g\", \"family\": \"gaussian\", \"mean\": [[1, 2], [3, 4]], \"deviation\": [[1, 2], [3, 4]]},"
            "{\"name\": \"p\", \"family\": \"poisson\", \"rate\": [[1, 2], [3, 4]]},"
            "{\"name\": \"e\", \"family\": \"exponential\", \"rate\": [[1, 2], [3, 4]]},"
            "{\"name\": \"l\", \"family\": \"lognormal\", \"mean\": [[1, 2], [3, 4]], \"deviation\": [[1, 2], [3, 4]]},"
            "{\"name\": \"b\", \"family\": \"bernoulli\", \"probability\": [[1, 0.5], [0, 0.25]]},"
            "{\"name\": \"u\", \"family\": \"uniform\", \"least\": [[0, 0], [0, 0]], \"greatest\": [[1, 2], [3, 4]]},"
            "{\"name\": \"c\", \"family\": \"categorical\", \"values\": [\"v\"], \"probability\": [[[1], [1]], [[1], "
            "[1]]]}"
            "]}",
            &hmm, &error),
        error);
    assert_int_equal(hmm.order, 2);
    assert_int_equal(hmm.components, 2);
    assert_true(hmm.has_ends && !hmm.is_hidden && hmm.step == 2);
    assert_int_equal(hmm.context_count, 3);
    assert_int_equal(hmm.contexts[2].length, 2);
    assert_int_equal(hmm.contexts[2].states[1], 1);
    assert_true(hmm.next[2] == 0.25 && hmm.next[8] == 1);
    assert_int_equal(hmm.observation_count, 8);
    assert_true(hmm.observations[0].seconds[5] == 1 && hmm.observations[1].seconds[3] == 4);
    crd_i_stated_hmm_clear(&hmm);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* The umbrella with one part of its text replaced by another. */
static void test_wrong(void **state) {
    (void)state;
    static const struct {
        const char *part, *replacement, *message;
        uint64_t line;
    } cases[] = {
        {"0.7, 0.3],", "0.7, 0.2],", "'transitions' sum to 0.9", 4},
        {"[0.3, 0.7]]", "[0.3, 0.7], [1, 0]]", "list of 3 here, but needs 2", 4},
        {"[0.3, 0.7]]", "[1.3, -0.3]]", "which is not between 0 and 1", 5},
        {"[0.3, 0.7]]", "[NaN, 0.7]]", "", 5},
        {"[0.3, 0.7]]", "[1e999, 0.7]]", "out of the range of numbers", 5},
        {"[0.3, 0.7]]", "[null, 0.7]]", "not a number", 5},
        {"\"dry\"", "\"rain\"", "'rain' occurs twice", 2},
        {"\"dry\"", "\"\"", "empty or not a text", 2},
        {"[0.5, 0.5]", "[0.5, 0.5, 0]", "list of 3 here, but needs 2, one for each state", 3},
        {"[0.5, 0.5]", "0.5", "a list of 2", 3},
        {"\"categorical\"", "\"cauchy\"", "unknown family 'cauchy'", 6},
        {"\"categorical\"", "\"gaussian\"", "the unknown member 'values'", 7},
        {"\"no\"]", "\"no\", \"maybe\"]", "list of 2 here, but needs 3, one for each value", 7},
        {"0.1]", "0.2]", "sum to 1.1", 7},
        {"\"name\": \"umbrella\", ", "", "has no 'name'", 6},
        {"\"umbrella\"", "\"state\"", "two columns are called 'state'", 6},
        {"\"start\"", "\"begin\"", "the unknown member 'begin'", 3},
        {" \"start\": [0.5, 0.5],\n", "", "has no 'start'", 1},
        {"\"credence_hmm\": 1", "\"credence_hmm\": 2", "must be 1", 1},
        {"\"start\"", "\"states\"", "'states' occurs twice", 3},
        {"\"start\"", "\"end\": [0.1, 0], \"start\"", "sum to 1.1", 4},
        {"\"start\"", "\"order\": 2, \"start\"", "objects with 'after'", 4},
        {"\"start\"", "\"order\": 4, \"start\"", "from 1 to 3", 3},
        {"\"start\"", "\"step\": 1, \"start\"", "needs 'time'", 3},
        {"\"start\"", "\"components\": [[1, 0], [1]], \"start\"", "list of 1 here, but needs 2, one for each component",
         3},
        {"}]}", "}]", "", 8},
        {"}]}\n", "}]} x", "", 7},
        {"[[0.9, 0.1], [0.2, 0.8]]", "[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]", "too deeply", 7},
        {"[[0.7, 0.3],\n                 [0.3, 0.7]]", "[{\"after\": [\"rain\"], \"to\": [0, 1]}]",
         "no item for these possible states: dry", 4},
        {"[[0.7, 0.3],\n                 [0.3, 0.7]]", "[{\"after\": [\"snow\"], \"to\": [0, 1]}]",
         "unknown state 'snow'", 4},
        {"\"categorical\",\n   \"values\": [\"yes\", \"no\"], \"probability\": [[0.9, 0.1], [0.2, 0.8]]",
         "\"gaussian\", \"mean\": [0, 1], \"deviation\": [1, 0]", "'deviation' has 0", 6},
        {"\"name\": \"umbrella\", \"family\": \"categorical\",\n   \"values\": [\"yes\", \"no\"], \"probability\": "
         "[[0.9, 0.1], [0.2, 0.8]]",
         "\"names\": [\"x\", \"y\"], \"family\": \"normal\", \"mean\": [[0, 1], [0, 1]], \"covariance\": [[[1, 2], [2, "
         "1]], [[1, 0], [0, 1]]]",
         "state 'rain' is not symmetric, or not positive", 6},
    };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        crd_error error;
        crd_i_stated_hmm hmm;
        const char *match = strstr(UMBRELLA, cases[i].part);
        assert_non_null(match);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(match - UMBRELLA), UMBRELLA, cases[i].replacement,
                 match + strlen(cases[i].part));
        const crd_status status = read_text(context, text, &hmm, &error);
        assert_true(status == CRD_ERROR_SYNTAX || status == CRD_ERROR_NUMBER);
        if (strstr(error.message, cases[i].message) == NULL || error.line != cases[i].line)
            fail_msg("case %zu: line %u: %s", i, (unsigned)error.line, error.message);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_umbrella), cmocka_unit_test(test_all),
                                       cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
