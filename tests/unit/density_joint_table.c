/* SPDX-License-Identifier: MIT */
/* The joint table: against a table that is written out in full, its sums, marginals, and what is refused. */
#include "base/text.h"
#include "density/multivariate/joint_density.h"
#include "math/functions/elementary.h"
#include "stats_joint_tally_support.h"

#include <string.h>

enum { COLUMNS = 5, NUMBER = 2, CLASSES = 3 };
static const crd_column_type KINDS[COLUMNS] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC,
                                               CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL};
static const int VALUES[COLUMNS] = {2, 3, 0, 4, 2};

static table draw_table(size_t rows, bool is_complete) {
    table new_table = table_of(rows, COLUMNS, KINDS);
    for (size_t row = 0; row < rows; row++) {
        new_table.classes[row] = (int)random_below(CLASSES);
        for (size_t i = 0; i < COLUMNS; i++) {
            /* Values that depend on each other and on the class. */
            double x =
                i == NUMBER
                    ? 0.5
                    : (double)((row * (i + 1) + random_below(2) + (size_t)new_table.classes[row]) % (size_t)VALUES[i]);
            new_table.cells[row * COLUMNS + i] = random_below(12) == 0 && !is_complete ? (double)NAN : x;
        }
    }
    return new_table;
}

/* Every value is known, whether a row has it or not. */
static void see_all(seen *current_seen, owner *tally_owner, const table *rows) {
    for (size_t i = 0; i < COLUMNS; i++)
        for (int value = 0; value < VALUES[i]; value++)
            meet(tally_owner->values[i], &tally_owner->value_counts[i], value);
    for (int class = 0; class < CLASSES; class ++) meet(tally_owner->classes, &tally_owner->class_count, class);
    assert_true(tally_owner->joint_tally->type->extend(tally_owner->joint_tally, tally_owner->class_count,
                                                       tally_owner->value_counts));
    see(current_seen, tally_owner, rows);
    bool there[TABLE_VALUES];
    memset(there, true, sizeof there);
    current_seen->view.condition_count =
        sort_names(tally_owner->classes, tally_owner->class_count, there, TABLE_CLASSES, current_seen->conditions);
    for (size_t i = 0; i < COLUMNS; i++)
        current_seen->columns[i].value_count = sort_names(tally_owner->values[i], tally_owner->value_counts[i], there,
                                                          TABLE_VALUES, current_seen->values[i]);
}

static crd_settings *settings_of(const char *smoothing) {
    crd_settings *settings;
    assert_int_equal(crd_settings_create(context, &settings, NULL), CRD_OK);
    assert_int_equal(crd_settings_set(settings, "smoothing", crd_text_of(smoothing), NULL), CRD_OK);
    return settings;
}

typedef struct table_result {
    table rows;
    owner *owner;
    seen seen;
    double class_counts[CLASSES];
    crd_text names[COLUMNS];
    crd_i_joint_source joint_source;
} table_result;

static void ask(table_result *result, size_t rows, bool is_complete) {
    result->rows = draw_table(rows, is_complete);
    result->owner = owner_of(&crd_i_joint_counts, &result->rows, 64, false);
    see_all(&result->seen, result->owner, &result->rows);
    memset(result->class_counts, 0, sizeof result->class_counts);
    for (size_t row = 0; row < rows; row++) result->class_counts[result->rows.classes[row]]++;
    for (size_t i = 0; i < COLUMNS; i++) result->names[i] = crd_text_of("column");
    const crd_i_joint_source joint_source = {.joint_tally = result->owner->joint_tally,
                                             .view = result->seen.view,
                                             .names = result->names,
                                             .class_counts = result->class_counts};
    result->joint_source = joint_source;
}

static void ask_no_more(table_result *result) {
    owner_free(result->owner);
    table_free(&result->rows);
}

/* By the definition: the product of the probabilities of the values under the class, each from all rows that have one. */
static double naive(const table *rows, const crd_settings *settings, int class, const int *codes) {
    double product = 1, strength = settings->smoothing == CRD_I_SMOOTHING_NONE ? 0 : settings->smoothing_strength;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i == NUMBER) continue;
        double matches = 0, of_class = 0, having = 0, present = 0, values = VALUES[i];
        for (size_t row = 0; row < rows->rows; row++) {
            double x = rows->cells[row * COLUMNS + i];
            bool is_own = rows->classes[row] == class;
            present += x == x;
            having += x == codes[i];
            of_class += is_own && x == x;
            matches += is_own && x == codes[i];
        }
        double even = settings->smoothing_marginal ? having / present : 1 / values;
        if (settings->smoothing == CRD_I_SMOOTHING_LAPLACE)
            product *= (matches + strength) / (of_class + strength * values);
        else product *= (matches + strength * even) / (of_class + strength);
    }
    return product;
}

/* Of powers of two, the rows' worth of naive Bayes under which complete rows are most likely, each left out. */
static double best_borrowed(const table *rows, const crd_settings *settings) {
    double best = 0, most = -INFINITY;
    for (double borrowed = 1; borrowed <= 0x1p30; borrowed *= 2) {
        double likelihood = 0;
        for (size_t row = 0; row < rows->rows; row++) {
            int codes[COLUMNS] = {0};
            double same = 0, total = 0;
            bool is_complete = true;
            for (size_t i = 0; i < COLUMNS; i++) {
                double x = rows->cells[row * COLUMNS + i];
                is_complete = is_complete && (x == x || i == NUMBER);
                codes[i] = x == x ? (int)x : 0;
            }
            for (size_t other = 0; other < rows->rows; other++) {
                bool counts = other != row && rows->classes[other] == rows->classes[row], matches = true;
                for (size_t i = 0; i < COLUMNS; i++) {
                    double x = rows->cells[other * COLUMNS + i];
                    counts = counts && (x == x || i == NUMBER);
                    matches = matches && (x == codes[i] || i == NUMBER);
                }
                total += counts;
                same += counts && matches;
            }
            if (is_complete)
                likelihood +=
                    log((same + borrowed * naive(rows, settings, rows->classes[row], codes)) / (total + borrowed));
        }
        if (likelihood > most) most = likelihood, best = borrowed;
    }
    return best;
}

/* By the definition: P(combination | class) of a table with the smoothing spread over all of its cells. */
static double definition(const table *rows, const crd_settings *settings, int class, const int *codes,
                         double borrowed) {
    double count = 0, total = 0, cells = 1, share = 1;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i == NUMBER) continue;
        cells *= VALUES[i];
        double having = 0, present = 0;
        for (size_t row = 0; row < rows->rows; row++) {
            double x = rows->cells[row * COLUMNS + i];
            present += x == x;
            having += x == codes[i];
        }
        share *= having / present;
    }
    for (size_t row = 0; row < rows->rows; row++) {
        bool is_complete = rows->classes[row] == class, matches = true;
        for (size_t i = 0; i < COLUMNS; i++) {
            if (i == NUMBER) continue;
            double x = rows->cells[row * COLUMNS + i];
            is_complete = is_complete && x == x;
            matches = matches && x == codes[i];
        }
        total += is_complete;
        count += is_complete && matches;
    }
    if (borrowed > 0) count += borrowed * naive(rows, settings, class, codes), total += borrowed;
    double strength = settings->smoothing_strength;
    switch (settings->smoothing) {
    case CRD_I_SMOOTHING_M:
        return (count + strength * (settings->smoothing_marginal ? share : 1 / cells)) / (total + strength);
    case CRD_I_SMOOTHING_LAPLACE: return (count + strength) / (total + strength * cells);
    case CRD_I_SMOOTHING_NONE: break;
    }
    return count / total;
}

/* The next combination of codes, those that are fixed staying; false: that was the last. */
static bool next(int *codes, const bool *is_fixed) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i == NUMBER || is_fixed[i]) continue;
        if (++codes[i] < VALUES[i]) return true;
        codes[i] = 0;
    }
    return false;
}

static const char *const SMOOTHINGS[] = {"m:1", "m:7.5:marginal", "laplace:0.5", "none"};

static void test_definition(void **state) {
    (void)state;
    for (size_t s = 0; s < 2 * sizeof SMOOTHINGS / sizeof *SMOOTHINGS; s++) {
        table_result result;
        bool is_complete = s % 2 == 0;
        ask(&result, s / 2 == 3 ? 400 : 60, is_complete);
        crd_settings *settings = settings_of(SMOOTHINGS[s / 2]);
        double borrowed = is_complete ? 0 : best_borrowed(&result.rows, settings);
        crd_i_joint *joint;
        assert_int_equal(crd_i_joint_table.derive(context, &result.joint_source, settings, &joint, NULL), CRD_OK);
        assert_false(joint->takes[NUMBER]);
        double *workspace = malloc(joint->capacity * sizeof *workspace);
        /* Each set of columns that are there: the probability is the sum over what the others may be. */
        for (unsigned present = 1; present < 1u << COLUMNS; present++) {
            if ((present & ~(1u << NUMBER)) == 0) continue;
            bool is_there[COLUMNS], is_missing[COLUMNS];
            for (size_t i = 0; i < COLUMNS; i++) is_there[i] = present >> i & 1, is_missing[i] = !is_there[i];
            int codes[COLUMNS] = {0};
            double sum[CLASSES] = {0};
            do {
                double expected[CLASSES] = {0}, sums[CLASSES] = {0};
                do
                    for (int class = 0; class < CLASSES; class ++)
                        expected[class] += definition(&result.rows, settings, class, codes, borrowed);
                while (next(codes, is_there));
                crd_i_joint_cell cells[COLUMNS];
                for (size_t i = 0; i < COLUMNS; i++) {
                    const crd_i_joint_cell cell = {is_there[i], 0.5, codes[i]};
                    cells[i] = cell;
                }
                joint->type->add(joint, cells, sums, workspace);
                for (int class = 0; class < CLASSES; class ++) {
                    if (expected[class] == 0) assert_true(sums[class] == (double)-INFINITY);
                    else assert_true(fabs(sums[class] - log(expected[class])) < 1e-12 * (1 + fabs(sums[class])));
                    sum[class] += exp(sums[class]);
                }
            } while (next(codes, is_missing));
            for (int class = 0; class < CLASSES; class ++) assert_true(fabs(sum[class] - 1) < 1e-12);
        }
        /* Where nothing is there, nothing is said. */
        crd_i_joint_cell none[COLUMNS] = {{false, 0, 0}};
        double sums[CLASSES] = {1, 2, 3};
        joint->type->add(joint, none, sums, workspace);
        assert_true(sums[0] == 1 && sums[1] == 2 && sums[2] == 3);

        crd_i_estimates estimates = {.context = context};
        assert_true(joint->type->estimates(joint, &estimates));
        assert_int_equal(estimates.entries[0].count, (48 - 1) * CLASSES);
        crd_i_estimates_clear(&estimates);
        char line[200];
        joint->type->describe(joint, line, sizeof line);
        assert_non_null(strstr(line, "48 entries"));
        free(workspace);
        crd_i_joint_destroy(joint);
        crd_settings_destroy(settings);
        ask_no_more(&result);
    }
}

/* A class that has no complete rows is answered by all the others, where nothing is assumed; without any rows there is
 * nothing to tell. */
static void test_empty(void **state) {
    (void)state;
    table_result result;
    ask(&result, 300, true);
    for (size_t row = 0; row < 300; row++) result.rows.classes[row] %= 2;
    owner_free(result.owner);
    result.owner = owner_of(&crd_i_joint_counts, &result.rows, 64, false);
    see_all(&result.seen, result.owner, &result.rows);
    result.joint_source.joint_tally = result.owner->joint_tally;
    result.joint_source.view = result.seen.view;
    crd_settings *settings = settings_of("none");
    crd_i_joint *joint;
    assert_int_equal(crd_i_joint_table.derive(context, &result.joint_source, settings, &joint, NULL), CRD_OK);
    const crd_i_joint_cell cells[COLUMNS] = {{true, 0, 1}, {true, 0, 1}, {false, 0, 0}, {false, 0, 0}, {true, 0, 0}};
    double sums[CLASSES] = {0}, workspace[CLASSES];
    joint->type->add(joint, cells, sums, workspace);
    double count = 0, total = 0;
    for (size_t row = 0; row < 300; row++) {
        const double *x = result.rows.cells + row * COLUMNS;
        if (x[0] != x[0] || x[1] != x[1] || x[3] != x[3] || x[4] != x[4]) continue;
        total++;
        count += x[0] == 1 && x[1] == 1 && x[4] == 0;
    }
    assert_true(count > 0 && fabs(sums[2] - log(count / total)) < 1e-12);
    crd_i_joint_destroy(joint);
    ask_no_more(&result);

    ask(&result, 0, true);
    assert_int_equal(crd_i_joint_table.derive(context, &result.joint_source, settings, &joint, NULL), CRD_OK);
    double nothing[CLASSES] = {1, 2, 3};
    joint->type->add(joint, cells, nothing, workspace);
    assert_true(nothing[0] == 1 && nothing[1] == 2 && nothing[2] == 3);
    crd_i_joint_destroy(joint);
    crd_settings_destroy(settings);
    ask_no_more(&result);
}

/* An image of 100 x 100 pixels of three colors, each of 256 shades: the table of the thirteenth lecture. */
static void test_refused(void **state) {
    (void)state;
    enum { PIXELS = 30000, SHADES = 256 };
    crd_i_joint_tally *joint_tally = crd_i_joint_counts.create(context, PIXELS);
    size_t *value_counts = malloc(PIXELS * sizeof *value_counts);
    crd_i_view *columns = calloc(PIXELS, sizeof *columns);
    int32_t shades[SHADES], conditions[2] = {0, 1};
    for (int32_t i = 0; i < SHADES; i++) shades[i] = i;
    for (size_t i = 0; i < PIXELS; i++) {
        value_counts[i] = SHADES;
        columns[i].values = shades;
        columns[i].value_count = SHADES;
        assert_true(joint_tally->type->settle(joint_tally, i, CRD_TYPE_CATEGORICAL));
    }
    assert_true(joint_tally->type->extend(joint_tally, 2, value_counts));
    double class_counts[2] = {60, 61};
    const crd_i_joint_source joint_source = {
        .joint_tally = joint_tally, .view = {conditions, 2, columns}, .class_counts = class_counts};
    crd_settings *settings = settings_of("m:1");
    crd_i_joint *joint;
    crd_error error;
    assert_int_equal(crd_i_joint_table.derive(context, &joint_source, settings, &joint, &error), CRD_ERROR_LIMIT);
    assert_null(joint);
    assert_string_equal(
        error.message, "the joint table would have 256^30000 entries for each class, about 10^72247, and there are 121 "
                       "rows to fill it: take fewer columns together, or use naive Bayes or aode");
    /* 2^40 cells are taken, twice as many are not. */
    for (size_t i = 0; i < PIXELS; i++) columns[i].value_count = i < 5 ? SHADES : 1;
    assert_int_equal(crd_i_joint_table.derive(context, &joint_source, settings, &joint, &error), CRD_OK);
    crd_i_joint_destroy(joint);
    columns[7].value_count = 2;
    assert_int_equal(crd_i_joint_table.derive(context, &joint_source, settings, &joint, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, " 256^5*2 entries for each class, about 10^12,"));
    /* A product too long to be written out is cut off. */
    for (size_t i = 0; i < PIXELS; i++) columns[i].value_count = 1 + i % SHADES;
    assert_int_equal(crd_i_joint_table.derive(context, &joint_source, settings, &joint, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "*... entries"));
    crd_settings_destroy(settings);
    crd_i_joint_tally_destroy(joint_tally);
    free(value_counts);
    free(columns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_definition, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
