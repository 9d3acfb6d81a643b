/* SPDX-License-Identifier: MIT */
/* What would change a decision, and what missing cells would tell: against enumeration, exact cut points and integrals.
 */
#include "model_support.h"

#include "counted_fixture.h"

static const char DAYS[] = "Outlook,Temperature,Humidity,Wind,Play\n"
                           "Sunny,Hot,High,Weak,No\nSunny,Hot,High,Strong,No\nOvercast,Hot,High,Weak,Yes\n"
                           "Rain,Mild,High,Weak,Yes\nRain,Cool,Normal,Weak,Yes\nRain,Cool,Normal,Strong,No\n"
                           "Overcast,Cool,Normal,Strong,Yes\nSunny,Mild,High,Weak,No\nSunny,Cool,Normal,Weak,Yes\n"
                           "Rain,Mild,Normal,Weak,Yes\nSunny,Mild,Normal,Strong,Yes\nOvercast,Mild,High,Strong,Yes\n"
                           "Overcast,Hot,Normal,Weak,Yes\nRain,Mild,High,Strong,No\n";

enum { MOST = 8 };

typedef struct counterfactuals_fixture {
    crd_model *model;
    crd_classifier *classifier;
    crd_what_if *what_if;
    crd_counterfactual changes[MOST];
    size_t change_count;
    crd_counterfactual_search search;
    crd_information_gain gains[MOST];
    size_t told_count;
    crd_information_gain_search inquiry;
} counterfactuals_fixture;

static counterfactuals_fixture open_fixture(const char *text, const char *target, const char *const *settings) {
    counterfactuals_fixture f = {.change_count = 0};
    f.changes[0].size = sizeof *f.changes;
    f.gains[0].size = sizeof *f.gains;
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    assert_done(crd_model_train_keeping(context, reader, NULL, crd_text_of("all"), &f.model, NULL, &error), error);
    crd_reader_close(reader);
    f.classifier = classifier_with(f.model, context, settings);
    assert_done(crd_what_if_create(f.model, f.classifier, &f.what_if, &error), error);
    f.search = (crd_counterfactual_search)CRD_COUNTERFACTUAL_SEARCH_INIT;
    f.inquiry = (crd_information_gain_search)CRD_INFORMATION_GAIN_SEARCH_INIT;
    return f;
}

static void close_fixture(counterfactuals_fixture *f) {
    crd_what_if_destroy(f->what_if);
    crd_classifier_destroy(f->classifier);
    crd_model_destroy(f->model);
}

static void find_changes(counterfactuals_fixture *f, const crd_value *values) {
    crd_error error;
    assert_done(crd_what_if_counterfactuals(f->what_if, values, &f->search, f->changes, &f->change_count, &error),
                error);
}

static void find_told(counterfactuals_fixture *f, const crd_value *values) {
    crd_error error;
    assert_done(crd_what_if_information_gain(f->what_if, values, &f->inquiry, f->gains, &f->told_count, &error), error);
}

static int32_t decision_of(const counterfactuals_fixture *f, const crd_value *values, double *probabilities) {
    double logs[MOST];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(f->classifier, values, logs, probabilities, &answer, &error), error);
    return answer.decision;
}

/* ---- Categories ---- */

static const char *const VALUES[4][3] = {
    {"Overcast", "Rain", "Sunny"}, {"Cool", "Hot", "Mild"}, {"High", "Normal", NULL}, {"Strong", "Weak", NULL}};
/* How often they are there. */
static const double COUNTS[4][3] = {{4, 5, 5}, {4, 4, 6}, {7, 7, 0}, {6, 8, 0}};

/* For an attribute of the row, by enumeration: the probability of the best value that flips the decision; 0: none. */
static double best_flip(const counterfactuals_fixture *f, const crd_value *row, size_t attribute, const char **value) {
    double p[MOST], best = 0;
    crd_value changed[4];
    int32_t before = decision_of(f, row, p);
    memcpy(changed, row, sizeof changed);
    for (size_t v = 0; v < 3 && VALUES[attribute][v] != NULL; v++) {
        changed[attribute] = text_value(VALUES[attribute][v]);
        int32_t after = decision_of(f, changed, p);
        if (after == before || p[after] <= best) continue;
        best = p[after];
        *value = VALUES[attribute][v];
    }
    return best;
}

static void test_every_day(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture(DAYS, "Play", WITH("smoothing", "m:1"));
    size_t flips = 0, none = 0;
    for (size_t day = 0; day < 36; day++) {
        const crd_value row[] = {text_value(VALUES[0][day % 3]), text_value(VALUES[1][day / 3 % 3]),
                                 text_value(VALUES[2][day / 9 % 2]), text_value(VALUES[3][day / 18])};
        size_t expected = 0;
        find_changes(&f, row);
        assert_int_equal(f.search.looked_at, 4);
        for (size_t a = 0; a < 4; a++) {
            const char *value = NULL;
            double probability = best_flip(&f, row, a, &value), same = 0;
            if (value == NULL) continue;
            expected++;
            for (size_t v = 0; v < 3; v++) same += COUNTS[a][v] / 14 * (COUNTS[a][v] / 14);
            bool is_match = false;
            for (size_t i = 0; i < f.change_count; i++) {
                if (f.changes[i].attribute != a) continue;
                is_match = true;
                assert_true(crd_text_equal(f.changes[i].value.text, crd_text_of(value)));
                assert_true(f.changes[i].probability == probability);
                assert_near(f.changes[i].deviations, sqrt(2 / (1 - same)), 1e-12);
            }
            assert_true(is_match);
        }
        assert_int_equal(f.change_count, expected);
        for (size_t i = 1; i < f.change_count; i++) assert_true(f.changes[i - 1].deviations <= f.changes[i].deviations);
        flips += expected;
        none += expected == 0;
    }
    assert_true(flips > 36 && none > 0); /* both have been seen */
    close_fixture(&f);
}

/* A two-valued attribute is as far apart as a number and as a category. */
static void test_one_unit(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture("a,b,class\n0,n,p\n0,n,p\n0,n,p\n1,y,q\n1,y,q\n0,n,q\n", "class",
                                             WITH("family", "a=bernoulli", "smoothing", "m:1"));
    const crd_value row[] = {number_value(0), missing_value()}, other[] = {missing_value(), text_value("n")};
    find_changes(&f, row);
    assert_int_equal(f.change_count, 1);
    assert_true(f.changes[0].value.number == 1);
    double as_number = f.changes[0].deviations;
    find_changes(&f, other);
    assert_int_equal(f.change_count, 1);
    assert_near(f.changes[0].deviations, as_number, 1e-12);
    close_fixture(&f);
}

/* ---- Numbers ---- */

static const char THREE[] = "x,class\n1,a\n2,a\n3,a\n4,b\n4.5,b\n5,b\n5.5,b\n2,c\n6,c\n10,c\n14,c\n";

/* With one attribute the decision changes where the cut points are, which are known exactly. */
static void test_cut_points(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture(THREE, "class", WITH("smoothing", "none"));
    crd_cut_point cuts[16];
    size_t count;
    crd_error error;
    assert_done(crd_classifier_cut_points(f.classifier, 0, cuts, 16, &count, &error), error);
    assert_true(count >= 3);
    for (double x = -6; x <= 20; x += .37) {
        const crd_value row[] = {number_value(x)};
        double nearest = INFINITY, p[MOST];
        for (size_t i = 0; i < count; i++) nearest = fmin(nearest, fabs(cuts[i].at - x));
        int32_t before = decision_of(&f, row, p);
        find_changes(&f, row);
        assert_int_equal(f.change_count, 1);
        double target = f.changes[0].value.number, back = target > x ? -1e-9 : 1e-9;
        assert_near(fabs(target - x), nearest, 1e-9);
        assert_int_equal(decision_of(&f, (const crd_value[]){number_value(target)}, p), f.changes[0].decision);
        assert_true(f.changes[0].decision != before);
        assert_int_equal(decision_of(&f, (const crd_value[]){number_value(target + back)}, p), before);
    }
    close_fixture(&f);
}

/* A class that is decided for in an interval far narrower than what lies around it. */
static void test_narrow_interval(void **state) {
    (void)state;
    counterfactuals_fixture f =
        open_fixture("x,class\n-10,a\n-5,a\n0,a\n5,a\n10,a\n7,b\n7.01,b\n", "class", WITH("smoothing", "none"));
    find_changes(&f, (const crd_value[]){number_value(-3)});
    assert_int_equal(f.change_count, 1);
    assert_true(f.changes[0].value.number > 6.97 && f.changes[0].value.number < 7);
    close_fixture(&f);
}

/* Whatever the family: it flips, and nothing nearer on a fine grid does. */
static void check_family(const char *family, bool is_whole) {
    static const char text[] =
        "x,z,class\n1,3,a\n2,2,a\n3,4,a\n2,3,a\n4,6,b\n5,7,b\n5,9,b\n6,8,b\n2,1,c\n6,9,c\n9,4,c\n"
        "14,5,c\n1,0,a\n0,3,a\n12,7,c\n11,8,c\n";
    counterfactuals_fixture f = open_fixture(text, "class", WITH("family", family));
    size_t seen = 0;
    for (double x = 0; x <= 14; x++) {
        crd_value row[] = {number_value(x), number_value(3)};
        double p[MOST];
        int32_t before = decision_of(&f, row, p);
        find_changes(&f, row);
        for (size_t i = 0; i < f.change_count; i++) {
            size_t a = f.changes[i].attribute;
            double start = row[a].number, target = f.changes[i].value.number;
            crd_value changed[] = {row[0], row[1]};
            changed[a] = number_value(target);
            assert_true(decision_of(&f, changed, p) == f.changes[i].decision && f.changes[i].decision != before);
            assert_true(p[f.changes[i].decision] == f.changes[i].probability);
            if (is_whole) assert_true(target == floor(target));
            double step = is_whole ? 1 : fabs(target - start) / 256;
            for (double away = step; away < fabs(target - start) * (1 - 1e-9); away += step)
                for (int side = -1; side <= 1; side += 2) {
                    changed[a] = number_value(start + side * away);
                    int32_t there = decision_of(&f, changed, p);
                    if (is_whole && start + side * away < 0) continue; /* would be left out */
                    assert_int_equal(there, before);
                }
            seen++;
        }
    }
    assert_true(seen > 8);
    close_fixture(&f);
}

static void test_families(void **state) {
    (void)state;
    check_family("gaussian", false);
    check_family("student", false);
    check_family("kernel", false);
    check_family("mixture", false);
    check_family("poisson", true);
}

/* Numbers whose squares are no doubles. */
static void test_extremes(void **state) {
    (void)state;
    static const double scales[] = {1e308, 1e-310};
    for (size_t i = 0; i < 2; i++) {
        char text[200];
        sprintf(text, "x,class\n%.17g,a\n%.17g,a\n%.17g,b\n%.17g,b\n", 1.7 * scales[i], 1.5 * scales[i],
                -1.7 * scales[i], -1.5 * scales[i]);
        counterfactuals_fixture f = open_fixture(text, "class", WITH("smoothing", "none"));
        find_changes(&f, (const crd_value[]){number_value(1.6 * scales[i])});
        assert_int_equal(f.change_count, 1);
        assert_near(f.changes[0].value.number / scales[i], 0, 1e-3);
        assert_near(f.changes[0].deviations, 1, .1);
        close_fixture(&f);
    }
}

/* ---- Rules, and rows without changes ---- */

static void test_threshold(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture("x,class\n-1,a\n1,a\n1,b\n3,b\n", "class", WITH("smoothing", "none"));
    const crd_text classes[] = {{"a", 1}, {"b", 1}}, unsure = {"unsure", 6};
    crd_rule *threshold, *reject;
    crd_error error;
    assert_done(crd_rule_create_threshold(context, classes, 2, 1, .9, &threshold, &error), error);
    assert_done(crd_rule_create_reject(context, classes, 2, .9, unsure, &reject, &error), error);
    /* N(0, 1) against N(2, 1): log odds of b are 2 x - 2. */
    double boundary = (2 + log(9)) / 2;
    f.search.rule = threshold;
    find_changes(&f, (const crd_value[]){number_value(1.5)});
    assert_int_equal(f.change_count, 1);
    assert_near(f.changes[0].value.number, boundary, 1e-9);
    assert_int_equal(f.changes[0].decision, 1);
    f.search.rule = reject;
    find_changes(&f, (const crd_value[]){number_value(4)});
    assert_int_equal(f.change_count, 1);
    assert_near(f.changes[0].value.number, boundary, 1e-9);
    assert_int_equal(f.changes[0].decision, 2);
    assert_true(isnan(f.changes[0].probability));
    crd_rule_destroy(threshold);
    crd_rule_destroy(reject);
    close_fixture(&f);
}

static void test_no_changes(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture("a,b,class\nu,x,p\nv,y,q\n", "class", WITH("smoothing", "none"));
    find_changes(&f, (const crd_value[]){text_value("u"), text_value("y")}); /* every class at zero */
    assert_int_equal(f.change_count, 0);
    assert_int_equal(f.search.looked_at, 0);
    /* v would leave no class above zero: no decision is no other decision. */
    find_changes(&f, (const crd_value[]){text_value("u"), text_value("x")});
    assert_int_equal(f.search.looked_at, 2);
    assert_int_equal(f.change_count, 0);
    find_changes(&f, (const crd_value[]){missing_value(), missing_value()});
    assert_int_equal(f.change_count, 0);
    find_changes(&f, (const crd_value[]){text_value("never seen"), missing_value()}); /* p, the first; v makes it q */
    assert_int_equal(f.change_count, 1);
    assert_true(crd_text_equal(f.changes[0].value.text, crd_text_of("v")));
    close_fixture(&f);
}

/* ---- What missing cells would tell ---- */

/* Quinlan's information gains of the four attributes, as books give them to three digits. */
static void test_information_gain(void **state) {
    (void)state;
    static const double gains[] = {.247, .029, .152, .048};
    static const size_t order[] = {0, 2, 3, 1};
    counterfactuals_fixture f = open_fixture(DAYS, "Play", WITH("smoothing", "none"));
    const crd_value row[] = {missing_value(), missing_value(), missing_value(), missing_value()};
    find_told(&f, row);
    assert_int_equal(f.told_count, 4);
    assert_near(f.inquiry.uncertainty, .940, .0005);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(f.gains[i].attribute, order[i]);
        assert_near(f.gains[i].bits, gains[order[i]], .0006);
    }
    close_fixture(&f);
}

static double entropy(double p) {
    return p <= 0 || p >= 1 ? 0 : -(p * log2(p) + (1 - p) * log2(1 - p));
}

/* Given Sunny, from the counts alone: P(v | Sunny) and P(Yes | v, Sunny) for each value of Humidity. */
static void test_given_cells(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture(DAYS, "Play", WITH("smoothing", "none"));
    double no = 5. / 14 * 3 / 5, yes = 9. / 14 * 2 / 9, high = no * 4 / 5 + yes * 3 / 9, normal = no / 5 + yes * 6 / 9;
    double left = high * entropy(yes * 3 / 9 / high) + normal * entropy(yes * 6 / 9 / normal);
    find_told(&f, (const crd_value[]){text_value("Sunny"), text_value("Hot"), missing_value(), text_value("Weak")});
    assert_int_equal(f.told_count, 1);
    find_told(&f, (const crd_value[]){text_value("Sunny"), missing_value(), missing_value(), missing_value()});
    assert_int_equal(f.told_count, 3);
    assert_int_equal(f.gains[0].attribute, 2);
    assert_near(f.inquiry.uncertainty, entropy(yes / (yes + no)), 1e-12);
    assert_near(f.gains[0].bits, entropy(yes / (yes + no)) - left / (yes + no), 1e-12);
    close_fixture(&f);
}

static double normal_density(double x, double mean, double deviation) {
    double z = (x - mean) / deviation;
    return exp(-z * z / 2) / (deviation * sqrt(2 * acos(-1)));
}

/* By the rectangle rule over ten deviations. */
static double integral(double prior, double mean, double deviation, double other, double spread) {
    double left = 0;
    for (double x = -60; x < 60; x += 1. / 256) {
        double a = prior * normal_density(x, mean, deviation), b = (1 - prior) * normal_density(x, other, spread);
        if (a + b > 0) left += (a + b) * entropy(a / (a + b)) / 256;
    }
    return entropy(prior) - left;
}

static void test_numbers(void **state) {
    (void)state;
    counterfactuals_fixture f =
        open_fixture("x,y,class\n-1,1,a\n1,2,a\n1,1,b\n3,2,b\n", "class", WITH("smoothing", "none"));
    find_told(&f, (const crd_value[]){missing_value(), missing_value()});
    assert_int_equal(f.told_count, 2);
    assert_int_equal(f.gains[0].attribute, 0);
    assert_near(f.gains[0].bits, integral(.5, 0, 1, 2, 1), .002);
    assert_near(f.gains[1].bits, 0, 1e-12); /* y is the same in both classes */
    close_fixture(&f);

    f = open_fixture("x,class\n-1,a\n1,a\n0,b\n20,b\n", "class", WITH("smoothing", "none", "prior", "a=.9,b=.1"));
    find_told(&f, (const crd_value[]){missing_value()});
    assert_near(f.gains[0].bits, integral(.9, 0, 1, 10, 10), .01);
    close_fixture(&f);
}

static void test_whole_numbers(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture("x,class\n1,a\n2,a\n3,a\n5,b\n6,b\n10,b\n", "class",
                                             WITH("family", "poisson", "smoothing", "none"));
    double left = 0, a = exp(-2), b = exp(-7);
    for (int x = 0; x < 100; x++) {
        if (x > 0) {
            a *= 2. / x;
            b *= 7. / x;
        }
        left += (a + b) / 2 * entropy(a / (a + b));
    }
    find_told(&f, (const crd_value[]){missing_value()});
    assert_near(f.gains[0].bits, 1 - left, 1e-9);
    close_fixture(&f);
}

static void test_nothing_to_tell(void **state) {
    (void)state;
    counterfactuals_fixture f = open_fixture("a,b,n,class\nu,x,?,p\nv,y,?,q\n", "class", WITH("smoothing", "none"));
    find_told(&f, (const crd_value[]){text_value("u"), text_value("y"), missing_value()});
    assert_int_equal(f.told_count, 0);
    assert_true(isnan(f.inquiry.uncertainty));
    /* a is known, which leaves nothing open; n has never had a cell. */
    find_told(&f, (const crd_value[]){text_value("u"), missing_value(), missing_value()});
    assert_int_equal(f.told_count, 1);
    assert_true(f.gains[0].bits == 0);
    close_fixture(&f);
}

/* ---- Beyond naive Bayes ---- */

static counterfactuals_fixture open_trained(const char *text, const char *target, const char *const *pairs) {
    counterfactuals_fixture f = {.change_count = 0};
    f.changes[0].size = sizeof *f.changes;
    f.gains[0].size = sizeof *f.gains;
    crd_settings *settings;
    crd_reader *reader;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    assert_done(crd_model_train(context, reader, settings, &f.model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    assert_done(crd_classifier_create(f.model, NULL, &f.classifier, &error), error);
    assert_done(crd_what_if_create(f.model, f.classifier, &f.what_if, &error), error);
    f.search = (crd_counterfactual_search)CRD_COUNTERFACTUAL_SEARCH_INIT;
    f.inquiry = (crd_information_gain_search)CRD_INFORMATION_GAIN_SEARCH_INIT;
    return f;
}

/* Of the five sunny days the three with weak wind have one Yes, the two with strong wind one: a table of both knows it,
 * where naive Bayes takes the wind of all days. */
static void test_joint_table(void **state) {
    (void)state;
    counterfactuals_fixture f = open_trained(DAYS, "Play", WITH("joint", "Outlook,Wind", "smoothing", "none"));
    find_told(&f, (const crd_value[]){text_value("Sunny"), text_value("Mild"), text_value("High"), missing_value()});
    assert_int_equal(f.told_count, 1);
    find_told(&f, (const crd_value[]){text_value("Sunny"), missing_value(), missing_value(), missing_value()});
    for (size_t i = 0; i < f.told_count; i++)
        if (f.gains[i].attribute == 3)
            assert_near(f.gains[i].bits, entropy(.4) - (.6 * entropy(1. / 3) + .4 * entropy(.5)), 1e-12);
    assert_int_equal(f.told_count, 3);
    close_fixture(&f);
}

static void test_one_dependence(void **state) {
    (void)state;
    counterfactuals_fixture f = open_trained(DAYS, "Play", WITH("method", "aode"));
    size_t flips = 0;
    for (size_t day = 0; day < 36; day++) {
        const crd_value row[] = {text_value(VALUES[0][day % 3]), text_value(VALUES[1][day / 3 % 3]),
                                 text_value(VALUES[2][day / 9 % 2]), text_value(VALUES[3][day / 18])};
        size_t expected = 0;
        find_changes(&f, row);
        for (size_t a = 0; a < 4; a++) {
            const char *value = NULL;
            expected += best_flip(&f, row, a, &value) > 0;
        }
        assert_int_equal(f.change_count, expected);
        flips += expected;
    }
    assert_true(flips > 18);
    close_fixture(&f);
}

/* ---- Very many attributes ---- */

static void test_bounded(void **state) {
    (void)state;
    enum { WIDE = 800, ROWS = 12 };
    char *text = malloc(WIDE * (8 + 4 * ROWS) + 64), *cursor = text;
    assert_non_null(text);
    for (int i = 0; i < WIDE; i++) cursor += sprintf(cursor, "x%d,", i);
    cursor += sprintf(cursor, "class\n");
    for (int row = 0; row < ROWS; row++) { /* the classes differ in one attribute: by 20 */
        for (int i = 0; i < WIDE; i++)
            cursor += sprintf(cursor, "%d,", (i + row) % 6 + (i == 700 && row >= 6 ? 20 : 0));
        cursor += sprintf(cursor, "%s\n", row < 6 ? "a" : "b");
    }
    counterfactuals_fixture f = open_fixture(text, "class", WITH("smoothing", "none"));
    crd_value *row = malloc(WIDE * sizeof *row);
    crd_counterfactual *changes = malloc(WIDE * sizeof *changes);
    crd_information_gain *gains = malloc(WIDE * sizeof *gains);
    assert_true(row != NULL && changes != NULL && gains != NULL);
    changes[0].size = sizeof *changes;
    gains[0].size = sizeof *gains;
    crd_error error;
    size_t count;
    for (int i = 0; i < WIDE; i++) row[i] = number_value(i % 3);
    assert_done(crd_what_if_counterfactuals(f.what_if, row, &f.search, changes, &count, &error), error);
    assert_int_equal(f.search.present, WIDE);
    assert_true(f.search.looked_at >= 8 && f.search.looked_at < WIDE);
    for (int i = 0; i < WIDE; i++) row[i] = missing_value();
    assert_done(crd_what_if_information_gain(f.what_if, row, &f.inquiry, gains, &count, &error), error);
    assert_int_equal(f.inquiry.missing, WIDE);
    assert_int_equal(gains[0].attribute, 700);
    free(row);
    free(changes);
    free(gains);
    free(text);
    close_fixture(&f);
}

/* Equal probabilities by different roundings weigh nothing; what differs keeps all its bits. */
static void test_weights(void **state) {
    (void)state;
    double third = crd_log(1.0 / 3), rounded = third * (1 + 0x1p-51);
    assert_true(third != rounded && crd_weight_of_evidence(third, rounded) == 0);
    assert_true(crd_weight_of_evidence(-1.5, -2.25) == 0.75);
    assert_true(crd_weight_of_evidence(-INFINITY, -1) == -INFINITY);
    assert_true(crd_weight_of_evidence(-1, -INFINITY) == INFINITY);
    assert_true(isnan(crd_weight_of_evidence(-INFINITY, -INFINITY)));
    assert_true(crd_weight_settle(1e-13, 100) == 0 && crd_weight_settle(1e-13, 1) == 1e-13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_day),        cmocka_unit_test(test_one_unit),
        cmocka_unit_test(test_cut_points),       cmocka_unit_test(test_narrow_interval),
        cmocka_unit_test(test_families),         cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_threshold),        cmocka_unit_test(test_no_changes),
        cmocka_unit_test(test_information_gain), cmocka_unit_test(test_given_cells),
        cmocka_unit_test(test_numbers),          cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_nothing_to_tell),  cmocka_unit_test(test_joint_table),
        cmocka_unit_test(test_one_dependence),   cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
