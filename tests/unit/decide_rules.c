/* SPDX-License-Identifier: MIT */
/* Decisions under costs, saying nothing, thresholds, and what they come to. */
#include "evaluate/decision_rule.h"
#include "model_support.h"

#include "math/random.h"

#include <unistd.h>

#include "counted_fixture.h"

#define TEXTS(...) ((const crd_text[]){__VA_ARGS__})
#define T(text) ((crd_text){text, sizeof(text) - 1})

/* Mail: deleting ham costs 10, delivering spam 1, asking always 1/2. */
static const crd_text mail_classes[] = {{"ham", 3}, {"spam", 4}};
static const crd_text mail_actions[] = {{"deliver", 7}, {"delete", 6}, {"ask", 3}};
static const double mail_costs[] = {0, 10, .5, 1, 0, .5};

static crd_rule *rule_of_costs(const crd_text *classes, size_t class_count, const crd_text *actions,
                               size_t action_count, const double *costs) {
    crd_rule *rule;
    crd_error error;
    crd_cost_table table = CRD_COST_TABLE_INIT;
    table.rows = classes;
    table.row_count = class_count;
    table.actions = actions;
    table.action_count = action_count;
    table.costs = costs;
    assert_done(crd_rule_create_costs(context, classes, class_count, &table, &rule, &error), error);
    return rule;
}

static crd_decision decide(const crd_rule *rule, const double *probabilities, double *expected) {
    double logs[8];
    crd_decision decision = CRD_DECISION_INIT;
    for (size_t i = 0; i < rule->class_count; i++)
        logs[i] = probabilities[i] > 0 ? crd_log(probabilities[i]) : -INFINITY;
    crd_rule_decide(rule, logs, expected, &decision);
    /* By the probabilities themselves it is the same, and these are what costs are multiplied by. */
    double by_probabilities[8];
    crd_decision again = CRD_DECISION_INIT;
    crd_rule_decide_probabilities(rule, logs, probabilities, by_probabilities, &again);
    assert_true(again.action == decision.action && again.tied == decision.tied);
    for (size_t a = 0; rule->kind == CRD_RULE_COSTS && a < rule->action_count; a++) {
        double sum = 0, total = 0;
        for (size_t k = 0; k < rule->class_count; k++) {
            sum += probabilities[k] * crd_rule_cost(rule, k, a);
            total += probabilities[k];
        }
        if (again.action >= 0) assert_true(by_probabilities[a] == sum / total);
    }
    return decision;
}

static void test_least_expected_cost(void **state) {
    (void)state;
    crd_rule *rule = rule_of_costs(mail_classes, 2, mail_actions, 3, mail_costs);
    double expected[3];
    /* deliver .3 x 0 + .7 x 1, delete .3 x 10, ask .5 */
    crd_decision decision = decide(rule, (const double[]){.3, .7}, expected);
    assert_int_equal(decision.action, 2);
    assert_int_equal(decision.tied, 1);
    assert_near(decision.expected_cost, .5, 1e-15);
    assert_near(expected[0], .7, 1e-15);
    assert_near(expected[1], 3, 1e-14);
    assert_near(expected[2], .5, 1e-15);
    /* 10 x 1/32 against 31/32: deleting costs .3125 */
    decision = decide(rule, (const double[]){1. / 32, 31. / 32}, NULL);
    assert_int_equal(decision.action, 1);
    assert_near(decision.expected_cost, .3125, 1e-15);
    assert_int_equal(decide(rule, (const double[]){.75, .25}, NULL).action, 0);
    /* Delivering and asking both cost 1/2: the first. */
    decision = decide(rule, (const double[]){.5, .5}, NULL);
    assert_int_equal(decision.action, 0);
    assert_int_equal(decision.tied, 2);
    assert_int_equal(rule->action_classes[0], -1);
    assert_true(crd_rule_cost(rule, 0, 1) == 10);
    crd_rule_destroy(rule);
}

/* Posteriors of `count` classes; every other one has ties. */
static void draw_posterior(crd_i_random *random, size_t count, bool tie, double *logs) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double share = crd_i_random_open(random);
        logs[i] = tie ? floor(share * 3) + (i == 0) : share;
        sum += logs[i];
    }
    for (size_t i = 0; i < count; i++) logs[i] = logs[i] > 0 ? crd_log(logs[i] / sum) : -INFINITY;
}

static void test_identities(void **state) {
    (void)state;
    enum { CLASSES = 4, ACTIONS = 5, TIMES = 2000 };
    const crd_text names[] = {T("a"), T("b"), T("c"), T("d"), T("unsure")};
    crd_i_random random = crd_i_random_at(11, 1);
    for (size_t time = 0; time < TIMES; time++) {
        double logs[CLASSES], plain[CLASSES * CLASSES], chow[CLASSES * ACTIONS];
        double costs[CLASSES * ACTIONS], moved[CLASSES * ACTIONS], expected[ACTIONS];
        double least = crd_i_random_open(&random), factor = .25 + crd_i_random_open(&random);
        crd_decision a = CRD_DECISION_INIT, b = CRD_DECISION_INIT;
        crd_error error;
        crd_rule *rule, *other;
        draw_posterior(&random, CLASSES, time % 2 == 1, logs);
        for (size_t i = 0; i < CLASSES; i++) {
            double constant = 10 * crd_i_random_open(&random) - 5;
            for (size_t j = 0; j < CLASSES; j++) plain[i * CLASSES + j] = chow[i * ACTIONS + j] = i == j ? 0 : 1;
            chow[i * ACTIONS + CLASSES] = 1 - least;
            for (size_t j = 0; j < ACTIONS; j++) {
                costs[i * ACTIONS + j] = crd_i_random_open(&random);
                moved[i * ACTIONS + j] = costs[i * ACTIONS + j] * factor + constant;
            }
        }
        /* One for a mistake, nothing else: the most probable class, the first of those that tie. */
        rule = rule_of_costs(names, CLASSES, names, CLASSES, plain);
        crd_rule_decide(rule, logs, NULL, &a);
        size_t first = 0;
        double greatest = fmax(fmax(logs[0], logs[1]), fmax(logs[2], logs[3]));
        while (logs[first] < greatest - CRD_TIE_MARGIN) first++;
        assert_int_equal(a.action, first);
        assert_near(a.expected_cost, 1 - crd_exp(logs[first]), 1e-14);
        crd_rule_destroy(rule);

        /* A factor for all and a constant for each class change no decision. */
        rule = rule_of_costs(names, CLASSES, names, ACTIONS, costs);
        other = rule_of_costs(names, CLASSES, names, ACTIONS, moved);
        crd_rule_decide(rule, logs, expected, &a);
        crd_rule_decide(other, logs, NULL, &b);
        assert_int_equal(a.action, b.action);
        for (size_t j = 0; j < ACTIONS; j++) assert_true(expected[a.action] <= expected[j]);
        crd_rule_destroy(rule);
        crd_rule_destroy(other);

        /* Saying nothing is an action that costs 1 - least. */
        rule = rule_of_costs(names, CLASSES, names, ACTIONS, chow);
        assert_done(crd_rule_create_reject(context, names, CLASSES, least, T("unsure"), &other, &error), error);
        crd_rule_decide(rule, logs, NULL, &a);
        crd_rule_decide(other, logs, NULL, &b);
        assert_int_equal(a.action, b.action);
        crd_rule_destroy(rule);
        crd_rule_destroy(other);
    }
}

static void test_threshold_is_a_pair_of_costs(void **state) {
    (void)state;
    const crd_text names[] = {T("no"), T("yes")};
    crd_i_random random = crd_i_random_at(12, 1);
    for (size_t time = 0; time < 2000; time++) {
        double logs[2], least = crd_i_random_open(&random), costs[] = {0, least, 1 - least, 0};
        crd_decision a = CRD_DECISION_INIT, b = CRD_DECISION_INIT;
        crd_error error;
        crd_rule *threshold, *rule = rule_of_costs(names, 2, names, 2, costs);
        draw_posterior(&random, 2, false, logs);
        assert_done(crd_rule_create_threshold(context, names, 2, 1, least, &threshold, &error), error);
        crd_rule_decide(rule, logs, NULL, &a);
        crd_rule_decide(threshold, logs, NULL, &b);
        assert_int_equal(a.action, b.action);
        assert_int_equal(b.action, crd_exp(logs[1]) >= least);
        crd_rule_destroy(rule);
        crd_rule_destroy(threshold);
    }
}

static void test_limits(void **state) {
    (void)state;
    const crd_text names[] = {T("no"), T("yes"), T("unsure")};
    const double zero[] = {0, 0};
    crd_error error;
    crd_rule *rule;
    assert_done(crd_rule_create_reject(context, names, 2, .9, T("unsure"), &rule, &error), error);
    assert_int_equal(decide(rule, (const double[]){.9, .1}, NULL).action, 0); /* at least */
    /* Ten times .1 is .9999999999999999: rounding alone does not make unsure. */
    assert_int_equal(decide(rule, (const double[]){.9 - 2e-16, .1}, NULL).action, 0);
    assert_int_equal(decide(rule, (const double[]){.899, .101}, NULL).action, 2);
    assert_int_equal(decide(rule, zero, NULL).action, 2);
    assert_true(isnan(decide(rule, (const double[]){.9, .1}, NULL).expected_cost));
    assert_int_equal(rule->action_classes[1], 1);
    assert_int_equal(rule->action_classes[2], -1);
    crd_rule_destroy(rule);

    assert_done(crd_rule_create_threshold(context, names, 2, 0, .2, &rule, &error), error);
    assert_int_equal(decide(rule, (const double[]){.2, .8}, NULL).action, 0);
    assert_int_equal(decide(rule, (const double[]){.1, .9}, NULL).action, 1);
    assert_int_equal(decide(rule, zero, NULL).action, -1);
    crd_rule_destroy(rule);

    double expected[3];
    rule = rule_of_costs(mail_classes, 2, mail_actions, 3, mail_costs);
    assert_int_equal(decide(rule, zero, expected).action, -1);
    assert_true(isnan(expected[0]) && isnan(expected[2]));
    crd_rule_destroy(rule);

    assert_int_equal(crd_rule_create_reject(context, names, 3, .9, T("unsure"), &rule, &error), CRD_ERROR_ARGUMENT);
    assert_null(rule);
    assert_string_equal(error.message, "the name 'unsure' is also the name of a class");
    assert_int_equal(crd_rule_create_reject(context, names, 2, 0, T("unsure"), &rule, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_rule_create_reject(context, names, 2, NAN, T("unsure"), &rule, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_rule_create_threshold(context, names, 2, 1, 1.5, &rule, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_rule_create_threshold(context, names, 3, 1, .5, &rule, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_rule_create_threshold(context, names, 2, 2, .5, &rule, &error), CRD_ERROR_ARGUMENT);
}

static void test_a_rule_may_need_no_more_than_a_difference(void **state) {
    (void)state;
    const crd_text names[] = {T("no"), T("yes"), T("unsure")};
    crd_error error;
    crd_rule *rule;
    assert_done(crd_rule_create_untied(context, names, 2, T("unsure"), &rule, &error), error);
    assert_int_equal(decide(rule, (const double[]){.5, .5}, NULL).action, 2);
    assert_int_equal(decide(rule, (const double[]){.5 - 1e-9, .5 + 1e-9}, NULL).action, 1);
    assert_int_equal(decide(rule, (const double[]){0, 0}, NULL).action, 2);
    assert_int_equal(rule->kind, CRD_RULE_REJECT);
    assert_true(isnan(rule->least));
    crd_rule_destroy(rule);
    assert_done(crd_rule_create_untied(context, names, 1, T("unsure"), &rule, &error), error);
    assert_int_equal(decide(rule, (const double[]){1}, NULL).action, 1);
    crd_rule_destroy(rule);
    assert_int_equal(crd_rule_create_untied(context, names, 3, T("unsure"), &rule, &error), CRD_ERROR_ARGUMENT);
    assert_null(rule);
}

static void test_costs_that_do_not_fit(void **state) {
    (void)state;
    const double bad[] = {0, INFINITY, .5, 1, 0, .5};
    crd_cost_table table = CRD_COST_TABLE_INIT;
    crd_error error;
    crd_rule *rule;
    table.rows = mail_classes;
    table.row_count = 1;
    table.actions = mail_actions;
    table.action_count = 3;
    table.costs = mail_costs;
    assert_int_equal(crd_rule_create_costs(context, mail_classes, 2, &table, &rule, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the cost table has no row for the class 'spam'");
    assert_string_equal(error.subject, "spam");
    assert_null(rule);
    table.row_count = 2;
    table.rows = TEXTS(T("ham"), T("ham"));
    assert_int_equal(crd_rule_create_costs(context, mail_classes, 1, &table, &rule, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the class 'ham' occurs twice");
    table.rows = TEXTS(T("eggs"), T("eggs"));
    assert_int_equal(crd_rule_create_costs(context, mail_classes, 1, &table, &rule, &error), CRD_ERROR_COLUMN);
    table.rows = mail_classes;
    table.costs = bad;
    assert_int_equal(crd_rule_create_costs(context, mail_classes, 2, &table, &rule, &error), CRD_ERROR_NUMBER);
    table.actions = TEXTS(T("ask"), T("tell"), T("ask"));
    assert_int_equal(crd_rule_create_costs(context, mail_classes, 2, &table, &rule, &error), CRD_ERROR_COLUMN);
    table.action_count = 0;
    assert_int_equal(crd_rule_create_costs(context, mail_classes, 2, &table, &rule, &error), CRD_ERROR_ARGUMENT);
}

/* ---- Files ---- */

static crd_status read_costs(const char *text, crd_rule **rule, crd_error *error) {
    char path[] = "/tmp/credence_costs_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    crd_status status = crd_rule_read_costs(context, path, mail_classes, 2, rule, error);
    unlink(path);
    return status;
}

static void test_file(void **state) {
    (void)state;
    crd_error error;
    crd_rule *rule;
    /* In any order, with a class that cannot be predicted; names may look like numbers, or like missing cells. */
    assert_done(read_costs("true,deliver,delete,7\nspam,1,0,.5\nNA,2,3,4\nham,0,1e1,0.5\n", &rule, &error), error);
    assert_int_equal(rule->action_count, 3);
    assert_true(crd_text_equal(rule->actions[2], T("7")));
    assert_true(crd_rule_cost(rule, 0, 1) == 10 && crd_rule_cost(rule, 1, 0) == 1 && crd_rule_cost(rule, 2, 2) == 4);
    assert_int_equal(rule->class_count, 2);
    crd_rule_destroy(rule);
    assert_done(read_costs("\tham\tspam\nham\t0\t1\nspam\t-1\t0\n", &rule, &error), error);
    assert_true(crd_rule_cost(rule, 1, 0) == -1);
    assert_int_equal(rule->action_classes[1], 1);
    crd_rule_destroy(rule);

    assert_int_equal(read_costs("c,deliver\nham,0\nspam,much\n", &rule, &error), CRD_ERROR_SYNTAX);
    assert_string_equal(error.message, "the cost of 'deliver' is not a finite number: 'much'");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.field, 2);
    assert_int_equal(read_costs("c,deliver\nham,0\nspam,\n", &rule, &error), CRD_ERROR_SYNTAX);
    assert_string_equal(error.message, "the cost of 'deliver' is missing");
    assert_int_equal(read_costs("c,deliver\nham,0\n", &rule, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the cost table has no row for the class 'spam'");
    assert_int_equal(read_costs("c,deliver\nham,0\nham,0\nspam,1\n", &rule, &error), CRD_ERROR_COLUMN);
    assert_int_equal(error.line, 3);
    assert_int_equal(read_costs("c\nham\nspam\n", &rule, &error), CRD_ERROR_COLUMN);
    assert_int_not_equal(read_costs("", &rule, &error), CRD_OK);
    assert_null(rule);
    assert_int_equal(crd_rule_read_costs(context, "/nowhere/costs.csv", mail_classes, 2, &rule, &error),
                     CRD_ERROR_SYSTEM);
}

/* ---- Outcomes ---- */

static void add(crd_outcomes *outcomes, double first, const char *truth, double weight) {
    crd_error error;
    double logs[] = {first > 0 ? crd_log(first) : -INFINITY, first >= 0 ? crd_log(1 - first) : -INFINITY};
    assert_done(crd_i_outcomes_add(outcomes, logs, crd_text_of(truth), weight, NULL, &error), error);
}

static void test_outcomes_of_costs(void **state) {
    (void)state;
    const crd_text rows[] = {T("ham"), T("spam"), T("virus")};
    const double costs[] = {0, 10, .5, 1, 0, .5, 20, 0, 1};
    crd_cost_table table = {sizeof table, rows, 3, mail_actions, 3, costs};
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_error error;
    crd_rule *rule;
    crd_outcomes *outcomes;
    assert_done(crd_rule_create_costs(context, mail_classes, 2, &table, &rule, &error), error);
    assert_done(crd_i_outcomes_create(context, rule, &outcomes, &error), error);
    crd_outcomes_totals(outcomes, &totals);
    assert_int_equal(totals.rows, 0);
    assert_true(isnan(totals.cost) && isnan(totals.coverage) && isnan(totals.accuracy));
    add(outcomes, .9, "ham", 2);         /* deliver: 0 */
    add(outcomes, .9, "spam", 1);        /* deliver: 1 */
    add(outcomes, 1. / 64, "spam", 3);   /* delete: 0 */
    add(outcomes, .3, "ham", 1);         /* ask: 1/2 */
    add(outcomes, 1. / 64, "virus", .5); /* delete: 0 */
    add(outcomes, -1, "ham", .5);        /* undecided: the most, 10 */
    add(outcomes, .3, "nobody", 0);      /* no weight, no matter */
    crd_outcomes_totals(outcomes, &totals);
    assert_int_equal(totals.rows, 6);
    assert_true(totals.weight == 8 && totals.undecided == .5 && totals.answered == 0);
    assert_near(totals.cost, (1 + .5 + 5) / 8, 1e-15);
    assert_true(isnan(totals.plain_cost)); /* no class is an action */
    /* Always: deliver 4 x 1 + .5 x 20, delete 3.5 x 10, ask 7.5 x .5 + .5 x 1. */
    assert_int_equal(totals.single_action, 2);
    assert_near(totals.single_cost, 4.25 / 8, 1e-15);
    assert_int_equal(crd_outcomes_truth_count(outcomes), 3);
    assert_true(crd_outcomes_weight(outcomes, 1, 1) == 3);
    assert_true(crd_outcomes_weight(outcomes, 0, 3) == .5);
    const double logs[] = {0, -INFINITY};
    assert_int_equal(crd_i_outcomes_add(outcomes, logs, T("eggs"), 1, NULL, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "eggs");
    assert_int_equal(crd_i_outcomes_add(outcomes, logs, T("ham"), -1, NULL, &error), CRD_ERROR_WEIGHT);
    crd_i_outcomes_destroy(outcomes);
    crd_rule_destroy(rule);
}

static void test_plain_decision_costs_too(void **state) {
    (void)state;
    const double costs[] = {0, 4, 1, 0};
    crd_rule *rule = rule_of_costs(mail_classes, 2, mail_classes, 2, costs);
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_error error;
    crd_outcomes *outcomes;
    assert_done(crd_i_outcomes_create(context, rule, &outcomes, &error), error);
    add(outcomes, .4, "ham", 1);  /* plain spam: 4; by costs ham, .6 against 1.6: 0 */
    add(outcomes, .4, "spam", 1); /* plain 0; by costs 1 */
    add(outcomes, .1, "spam", 1); /* .9 against .4: both spam, 0 */
    crd_outcomes_totals(outcomes, &totals);
    assert_near(totals.cost, 1. / 3, 1e-15);
    assert_near(totals.plain_cost, 4. / 3, 1e-15);
    assert_int_equal(totals.single_action, 0);
    assert_near(totals.single_cost, 2. / 3, 1e-15);
    assert_near(totals.accuracy, 2. / 3, 1e-15);
    assert_true(totals.coverage == 1);
    crd_i_outcomes_destroy(outcomes);
    crd_rule_destroy(rule);
}

static void test_outcomes_of_saying_nothing(void **state) {
    (void)state;
    static const double order[2][6] = {{.9, .8, .5, .6, -1, .05}, {.05, .6, -1, .5, .8, .9}};
    static const char *const truths[2][6] = {{"ham", "spam", "spam", "ham", "ham", "eggs"},
                                             {"eggs", "ham", "ham", "spam", "spam", "ham"}};
    static const double weights[2][6] = {{.1, .7, .3, 1, 1, .2}, {.2, 1, 1, .3, .7, .1}};
    crd_outcome_totals totals[2] = {CRD_OUTCOME_TOTALS_INIT, CRD_OUTCOME_TOTALS_INIT};
    for (size_t i = 0; i < 2; i++) {
        crd_error error;
        crd_rule *rule;
        crd_outcomes *outcomes;
        assert_done(crd_rule_create_reject(context, mail_classes, 2, .75, T("unsure"), &rule, &error), error);
        assert_done(crd_i_outcomes_create(context, rule, &outcomes, &error), error);
        for (size_t row = 0; row < 6; row++) add(outcomes, order[i][row], truths[i][row], weights[i][row]);
        crd_outcomes_totals(outcomes, &totals[i]);
        assert_near(totals[i].coverage, (.1 + .7 + .2) / 3.3, 1e-15);
        assert_near(totals[i].accuracy, .1, 1e-15); /* of weights .1, .7 and .2 only the first is right */
        assert_true(totals[i].undecided == 0);      /* unsure is a decision */
        assert_true(isnan(totals[i].cost) && totals[i].single_action == -1);
        assert_int_equal(crd_outcomes_truth_count(outcomes), 3);
        crd_i_outcomes_destroy(outcomes);
        crd_rule_destroy(rule);
    }
    /* The order of rows changes no bit. */
    assert_true(totals[0].weight == totals[1].weight && totals[0].accuracy == totals[1].accuracy);
    assert_true(totals[0].coverage == totals[1].coverage);
}

static void test_ties_share_credit_where_one_may_say_nothing(void **state) {
    (void)state;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_error error;
    crd_rule *rule;
    crd_outcomes *outcomes;
    assert_done(crd_rule_create_reject(context, mail_classes, 2, .5, T("unsure"), &rule, &error), error);
    assert_done(crd_i_outcomes_create(context, rule, &outcomes, &error), error);
    add(outcomes, .5, "spam", 1);
    crd_outcomes_totals(outcomes, &totals);
    assert_true(totals.accuracy == .5 && totals.coverage == 1);
    crd_i_outcomes_destroy(outcomes);
    crd_rule_destroy(rule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_expected_cost),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_threshold_is_a_pair_of_costs),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_a_rule_may_need_no_more_than_a_difference),
        cmocka_unit_test(test_costs_that_do_not_fit),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_outcomes_of_costs),
        cmocka_unit_test(test_plain_decision_costs_too),
        cmocka_unit_test(test_outcomes_of_saying_nothing),
        cmocka_unit_test(test_ties_share_credit_where_one_may_say_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
