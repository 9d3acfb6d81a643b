/* SPDX-License-Identifier: MIT */
/* Averaged one-dependence estimators: against the definition, row by row; sums to one; numbers by their bins; rows of
 * any order; a thousand attributes; and the bins themselves. */
#include "density/multivariate/entropy_discretization.h"
#include "density/multivariate/joint_density.h"
#include "math/functions/elementary.h"
#include "stats_joint_tally_support.h"

#include <string.h>

enum { COLUMNS = 5, CLASSES = 3 };
static const crd_column_type CATEGORIES[COLUMNS] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL,
                                                    CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL};
static const int VALUES[COLUMNS] = {2, 3, 4, 2, 3};

/* Values that depend on each other and on the class. Of the last two columns, value 1 of the first implies value 2 of
 * the other. The third column has some values that are rare. */
static table draw_table(size_t rows, bool has_missing) {
    table new_table = table_of(rows, COLUMNS, CATEGORIES);
    for (size_t row = 0; row < rows; row++) {
        double *cells = new_table.cells + row * COLUMNS;
        new_table.classes[row] = (int)(row < CLASSES ? row : random_below(CLASSES));
        new_table.weights[row] = (double)(1 + random_below(4)) / 3;
        cells[0] = (double)random_below(2);
        cells[1] = (double)((random_below(2) + (size_t)new_table.classes[row] + (size_t)cells[0]) % 3);
        cells[2] = random_below(16) == 0 ? (double)random_below(4) : (double)new_table.classes[row];
        cells[3] = (double)random_below(2);
        cells[4] = cells[3] == 1 ? 2 : (double)random_below(3);
        for (size_t i = 0; has_missing && i < COLUMNS; i++)
            if (random_below(12) == 0) cells[i] = (double)NAN;
    }
    return new_table;
}

typedef struct aode_result {
    owner *owner;
    seen seen;
    double class_counts[TABLE_CLASSES];
    crd_text names[TABLE_COLUMNS];
    crd_i_joint_source joint_source;
} aode_result;

static void ask(aode_result *result, const table *rows, bool is_weighted) {
    memset(result, 0, sizeof *result);
    result->owner = owner_of(&crd_i_pair_counts, rows, 512, is_weighted);
    assert_non_null(result->owner);
    see(&result->seen, result->owner, rows);
    for (size_t row = 0; row < rows->rows; row++) result->class_counts[rows->classes[row]] += 1;
    for (size_t i = 0; i < rows->columns; i++) result->names[i] = crd_text_of("column");
    result->joint_source.joint_tally = result->owner->joint_tally;
    result->joint_source.view = result->seen.view;
    result->joint_source.names = result->names;
    result->joint_source.class_counts = result->class_counts;
}

static crd_settings *settings_of(const char *smoothing) {
    crd_settings *settings;
    assert_int_equal(crd_settings_create(context, &settings, NULL), CRD_OK);
    assert_int_equal(crd_settings_set(settings, "smoothing", crd_text_of(smoothing), NULL), CRD_OK);
    return settings;
}

static crd_i_joint *derive(const aode_result *result, const crd_settings *settings) {
    crd_i_joint *joint;
    assert_int_equal(crd_i_joint_a1de.derive(context, &result->joint_source, settings, &joint, NULL), CRD_OK);
    return joint;
}

static void answer(const crd_i_joint *joint, const crd_i_joint_cell *cells, double *sums) {
    double *workspace = malloc((joint->capacity + 1) * sizeof *workspace);
    for (size_t i = 0; i < joint->capacity; i++) workspace[i] = (double)NAN;
    for (size_t k = 0; k < joint->conditions; k++) sums[k] = 0;
    joint->type->add(joint, cells, sums, workspace);
    free(workspace);
}

/* ---- The definition, of tables of categories all of which some row has ---- */

typedef struct aode_definition {
    const table *rows;
    const crd_settings *settings;
    bool is_weighted;
} aode_definition;

/* Rows of a class (negative: of any) that have these cells, as far as they are not negative. `some` is a column that
 * must be present. */
static double count(const aode_definition *definition, int class, size_t a, int value_a, size_t b, int value_b) {
    double sum = 0;
    for (size_t row = 0; row < definition->rows->rows; row++) {
        double x = definition->rows->cells[row * COLUMNS + a], y = definition->rows->cells[row * COLUMNS + b];
        if (class >= 0 && definition->rows->classes[row] != class) continue;
        if (x != x || y != y || (value_a >= 0 && x != value_a) || (value_b >= 0 && y != value_b)) continue;
        sum += definition->is_weighted ? definition->rows->weights[row] : 1;
    }
    return sum;
}

static double smoothed(const aode_definition *definition, double number, double total, size_t column, int value) {
    double strength = definition->settings->smoothing_strength, values = VALUES[column];
    double share = count(definition, -1, column, value, column, value) / count(definition, -1, column, -1, column, -1);
    if (definition->settings->smoothing == CRD_I_SMOOTHING_LAPLACE)
        return (number + strength) / (total + strength * values);
    if (definition->settings->smoothing == CRD_I_SMOOTHING_NONE) return number / total;
    return (number + strength * (definition->settings->smoothing_marginal ? share : 1 / values)) / (total + strength);
}

static double information(const aode_definition *definition, size_t column) {
    double sum = 0, all = count(definition, -1, column, -1, column, -1);
    for (int class = 0; class < CLASSES; class ++)
        for (int value = 0; value < VALUES[column]; value++) {
            double both = count(definition, class, column, value, column, value);
            double of_class = count(definition, class, column, -1, column, -1);
            double of_value = count(definition, -1, column, value, column, value);
            if (both > 0) sum += both / all * log(both * all / (of_class * of_value));
        }
    return sum;
}

static bool implies(const aode_definition *definition, size_t a, int value_a, size_t b, int value_b) {
    double all = count(definition, -1, a, value_a, b, -1);
    return all >= 100 && fabs(count(definition, -1, a, value_a, b, value_b) - all) < 1e-6;
}

static double probability(const aode_definition *definition, int class, const int *given) {
    int codes[COLUMNS];
    memcpy(codes, given, sizeof codes);
    for (size_t a = 0; a < COLUMNS; a++)
        for (size_t b = 0; b < COLUMNS; b++)
            if (a != b && codes[a] >= 0 && codes[b] >= 0 && implies(definition, a, codes[a], b, codes[b]))
                codes[b] = -1;
    double sum = 0, weights = 0;
    for (size_t p = 0; p < COLUMNS; p++) {
        if (codes[p] < 0) continue;
        double weight = information(definition, p);
        double product = smoothed(definition, count(definition, class, p, codes[p], p, codes[p]),
                                  count(definition, class, p, -1, p, -1), p, codes[p]);
        for (size_t j = 0; j < COLUMNS; j++)
            if (j != p && codes[j] >= 0)
                product *= smoothed(definition, count(definition, class, p, codes[p], j, codes[j]),
                                    count(definition, class, p, codes[p], j, -1), j, codes[j]);
        sum += weight * product;
        weights += weight;
    }
    return weights > 0 ? sum / weights : 1;
}

static void cells_of(const int *codes, crd_i_joint_cell *cells) {
    for (size_t i = 0; i < COLUMNS; i++) cells[i] = (crd_i_joint_cell){codes[i] >= 0, (double)NAN, codes[i]};
}

/* The next combination, -1 standing for a missing cell; false: that was the last. */
static bool next(int *codes, int least) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (++codes[i] < VALUES[i]) return true;
        codes[i] = least;
    }
    return false;
}

/* The tables have every value, so that values are numbered by themselves in the view. */
static void test_definition(void **state) {
    (void)state;
    static const char *const smoothings[] = {"m:1", "m:2.5:marginal", "laplace:0.5"};
    for (int i = 0; i < 6; i++) {
        bool is_weighted = i % 2 == 1;
        table rows = draw_table(600, i >= 2);
        crd_settings *settings = settings_of(smoothings[i / 2]);
        aode_result result;
        ask(&result, &rows, is_weighted);
        crd_i_joint *joint = derive(&result, settings);
        const aode_definition wanted = {&rows, settings, is_weighted};
        assert_true(implies(&wanted, 3, 1, 4, 2) && !implies(&wanted, 4, 2, 3, 1));
        int codes[COLUMNS] = {-1, -1, -1, -1, -1};
        do {
            double sums[CLASSES];
            crd_i_joint_cell cells[COLUMNS];
            if (random_below(8) != 0) continue; /* the definition takes its time */
            cells_of(codes, cells);
            answer(joint, cells, sums);
            for (int class = 0; class < CLASSES; class ++) {
                double probable = probability(&wanted, class, codes);
                assert_true(fabs(sums[class] - log(probable)) < 1e-10);
            }
        } while (next(codes, -1));
        crd_i_joint_destroy(joint);
        owner_free(result.owner);
        crd_settings_destroy(settings);
        table_free(&rows);
    }
}

/* Without smoothing, a pair that no row of a class has is impossible under it, by any parent. */
static void test_zero(void **state) {
    (void)state;
    table rows = draw_table(99, false);
    for (size_t row = 0; row < rows.rows; row++)
        if (rows.classes[row] == 0) rows.cells[row * COLUMNS + 1] = rows.cells[row * COLUMNS];
    crd_settings *settings = settings_of("none");
    aode_result result;
    ask(&result, &rows, false);
    crd_i_joint *joint = derive(&result, settings);
    const int codes[COLUMNS] = {0, 1, -1, -1, -1}, met[COLUMNS] = {1, 1, -1, -1, -1};
    crd_i_joint_cell cells[COLUMNS];
    double sums[CLASSES];
    cells_of(codes, cells);
    answer(joint, cells, sums);
    assert_true(sums[0] == -INFINITY && isfinite(sums[1]));
    cells_of(met, cells);
    answer(joint, cells, sums);
    assert_true(isfinite(sums[0]));
    crd_i_joint_destroy(joint);
    owner_free(result.owner);
    crd_settings_destroy(settings);
    table_free(&rows);
}

/* The probabilities of all rows sum to one, where too few rows are there for anything to be implied. */
static void test_sums(void **state) {
    (void)state;
    static const char *const smoothings[] = {"m:1", "m:3:marginal", "laplace:1"};
    table rows = draw_table(99, true);
    aode_result result;
    ask(&result, &rows, false);
    for (int i = 0; i < 3; i++) {
        crd_settings *settings = settings_of(smoothings[i]);
        crd_i_joint *joint = derive(&result, settings);
        int codes[COLUMNS] = {0};
        double totals[CLASSES] = {0};
        do {
            double sums[CLASSES];
            crd_i_joint_cell cells[COLUMNS];
            cells_of(codes, cells);
            answer(joint, cells, sums);
            for (int class = 0; class < CLASSES; class ++) totals[class] += exp(sums[class]);
        } while (next(codes, 0));
        for (int class = 0; class < CLASSES; class ++) assert_true(fabs(totals[class] - 1) < 1e-12);
        /* What is not known is missing; where all are, nothing is said. */
        const int unknown[COLUMNS] = {7, 9, 4, 2, 3};
        crd_i_joint_cell cells[COLUMNS];
        double sums[CLASSES];
        cells_of(unknown, cells);
        answer(joint, cells, sums);
        for (int class = 0; class < CLASSES; class ++) assert_true(sums[class] == 0);
        for (size_t column = 0; column < COLUMNS; column++) assert_true(joint->takes[column]);
        /* Of t values, t - 1 alone and given each of the 14 - t values of others: 13, 24, 33, 13 and 24 in a class. */
        crd_i_estimates estimates = {.context = context};
        assert_true(joint->type->estimates(joint, &estimates));
        assert_true(estimates.count == 1 && estimates.entries[0].count == 3 * (13 + 24 + 33 + 13 + 24));
        crd_i_estimates_clear(&estimates);
        crd_i_joint_destroy(joint);
        crd_settings_destroy(settings);
    }
    owner_free(result.owner);
    table_free(&rows);
}

/* Numbers that lie in groups, which go with the class, are as the names of these groups; also between and beyond them,
 * and where cells are wide. */
static void test_numbers(void **state) {
    (void)state;
    static const crd_column_type types[3] = {CRD_TYPE_NUMERIC, CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC};
    static const crd_column_type named[3] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL};
    for (int is_spread = 0; is_spread < 2; is_spread++) {
        table rows = table_of(900, 3, types), names = table_of(900, 3, named);
        for (size_t row = 0; row < rows.rows; row++) {
            int class = (int)(row % 3), group = random_below(10) == 0 ? (int)random_below(3) : class;
            /* 0, 1 and 2 around -8, 0.5 and 20, some of them so far apart in the last places that cells are wide. */
            static const double centers[3] = {-8, 0.5, 20};
            double spread = is_spread ? (double)(random_bits() >> 11) * 0x1p-53 - 0.5 : 0;
            rows.classes[row] = names.classes[row] = class;
            rows.cells[row * 3] = centers[group] + spread;
            names.cells[row * 3] = group;
            rows.cells[row * 3 + 1] = names.cells[row * 3 + 1] = (double)((random_below(2) + (size_t)group) % 3);
            rows.cells[row * 3 + 2] = class == 0 ? -1e300 : 1e-300 * (double)(1 + random_below(2));
            names.cells[row * 3 + 2] = class == 0 ? 0 : 1;
        }
        crd_settings *settings = settings_of("m:1");
        aode_result result, of_names;
        ask(&result, &rows, false);
        ask(&of_names, &names, false);
        crd_i_joint *joint = derive(&result, settings), *wanted = derive(&of_names, settings);
        static const double groups[3][4] = {{-8, -1e308, -7.4, -4}, {0.5, 0.9, 0, 10}, {20, 19.4, 11, 1e308}};
        for (int i = 0; i < 36; i++) {
            int group = i / 12, value = i / 4 % 3;
            double x = groups[group][i % 4], y = i % 2 == 0 ? -9e299 : 1.0 / (i % 3);
            const crd_i_joint_cell cells[3] = {{true, x, -1}, {true, 0, value}, {i % 5 > 0, y, -1}};
            const crd_i_joint_cell as_names[3] = {{true, 0, group}, {true, 0, value}, {i % 5 > 0, 0, y < 0 ? 0 : 1}};
            double sums[3], sums_of_names[3];
            answer(joint, cells, sums);
            answer(wanted, as_names, sums_of_names);
            for (int class = 0; class < 3; class ++) assert_true(sums[class] == sums_of_names[class]);
        }
        char text[200];
        joint->type->describe(joint, text, sizeof text);
        assert_non_null(strstr(text, "3 attributes in turn"));
        assert_non_null(strstr(text, "up to 3 bins"));
        joint->type->describe(joint, text, 10);
        assert_int_equal(strlen(text), 9);
        crd_i_joint_destroy(joint);
        crd_i_joint_destroy(wanted);
        owner_free(result.owner);
        owner_free(of_names.owner);
        crd_settings_destroy(settings);
        table_free(&rows);
        table_free(&names);
    }
}

/* The same bits from rows in any order, weights that round included. */
static void test_order(void **state) {
    (void)state;
    static const crd_column_type types[TABLE_COLUMNS] = {CRD_TYPE_NUMERIC, CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC,
                                                         CRD_TYPE_NUMERIC, CRD_TYPE_CATEGORICAL, CRD_TYPE_NUMERIC};
    table rows = table_of(2000, TABLE_COLUMNS, types);
    for (size_t row = 0; row < rows.rows; row++) {
        rows.classes[row] = (int)random_below(TABLE_CLASSES);
        rows.weights[row] = 1 / (double)(1 + random_below(9));
        for (size_t i = 0; i < TABLE_COLUMNS; i++)
            rows.cells[row * TABLE_COLUMNS + i] = types[i] == CRD_TYPE_CATEGORICAL
                                                      ? (double)random_below(5)
                                                      : (double)(random_bits() >> 11) * 0x1p-51 + rows.classes[row];
    }
    crd_settings *settings = settings_of("m:1");
    aode_result first;
    ask(&first, &rows, true);
    crd_i_joint *wanted = derive(&first, settings);
    for (int i = 0; i < 3; i++) {
        aode_result again;
        table_shuffle(&rows);
        ask(&again, &rows, true);
        crd_i_joint *joint = derive(&again, settings);
        for (size_t row = 0; row < 200; row++) {
            double sums[TABLE_CLASSES], others[TABLE_CLASSES];
            crd_i_joint_cell cells[TABLE_COLUMNS];
            for (size_t j = 0; j < TABLE_COLUMNS; j++)
                cells[j] = (crd_i_joint_cell){true, rows.cells[row * TABLE_COLUMNS + j], (int32_t)random_below(5)};
            answer(wanted, cells, sums);
            answer(joint, cells, others);
            assert_memory_equal(sums, others, sizeof sums);
        }
        crd_i_joint_destroy(joint);
        owner_free(again.owner);
    }
    crd_i_joint_destroy(wanted);
    owner_free(first.owner);
    crd_settings_destroy(settings);
    table_free(&rows);
}

/* Of so many attributes that any product of probabilities is far below the least double. */
static void test_many(void **state) {
    (void)state;
    enum { MANY = 600, ROWS = 40 };
    int32_t *codes = malloc(MANY * ROWS * sizeof *codes), conditions[ROWS];
    crd_i_cells *columns = calloc(MANY, sizeof *columns);
    size_t *values = malloc(MANY * sizeof *values);
    crd_i_joint_tally *joint_tally = crd_i_pair_counts.create(context, MANY);
    static const int32_t places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    crd_i_view *views = malloc(MANY * sizeof *views);
    for (size_t i = 0; i < MANY; i++) {
        for (size_t row = 0; row < ROWS; row++) codes[i * ROWS + row] = (int32_t)random_below(8);
        columns[i] = (crd_i_cells){.rows = ROWS, .codes = codes + i * ROWS};
        values[i] = 8;
        views[i] = (crd_i_view){places, 2, places, 8, NULL};
        assert_true(joint_tally->type->settle(joint_tally, i, CRD_TYPE_CATEGORICAL));
    }
    for (size_t row = 0; row < ROWS; row++) conditions[row] = (int32_t)(row % 2);
    assert_true(joint_tally->type->extend(joint_tally, 2, values));
    const crd_i_joint_tally_rows rows = {ROWS, columns, conditions, NULL};
    assert_int_equal(joint_tally->type->add(joint_tally, &rows, NULL), CRD_OK);
    const crd_i_joint_source joint_source = {.joint_tally = joint_tally, .view = {places, 2, views}};
    crd_settings *settings = settings_of("m:1");
    crd_i_joint *joint;
    assert_int_equal(crd_i_joint_a1de.derive(context, &joint_source, settings, &joint, NULL), CRD_OK);
    crd_i_joint_cell *cells = malloc(MANY * sizeof *cells);
    for (size_t row = 0; row < ROWS; row++) {
        double sums[2];
        for (size_t i = 0; i < MANY; i++) cells[i] = (crd_i_joint_cell){true, 0, codes[i * ROWS + row]};
        answer(joint, cells, sums);
        /* A row that was learned is far likelier under its own class. */
        assert_true(isfinite(sums[0]) && isfinite(sums[1]) && sums[1 - row % 2] < -1000);
        assert_true(sums[row % 2] > sums[1 - row % 2] + 100);
    }
    crd_i_joint_destroy(joint);
    crd_i_joint_tally_destroy(joint_tally);
    crd_settings_destroy(settings);
    free(cells);
    free(views);
    free(values);
    free(columns);
    free(codes);
}

static void test_memory(void **state) {
    (void)state;
    table rows = draw_table(600, true);
    crd_settings *settings = settings_of("m:1");
    aode_result result;
    ask(&result, &rows, false);
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_i_joint *joint = NULL;
        crd_error error;
        assert_allocation_fails(
            &trial, crd_i_joint_a1de.derive(context, &result.joint_source, settings, &joint, &error), CRD_OK, error);
        assert_true(trial.has_failed == (joint == NULL));
        crd_i_joint_destroy(joint);
    }
    crd_settings_destroy(settings);
    owner_free(result.owner);
    table_free(&rows);
}

/* ---- Bins ---- */

static size_t bins_of(const double *counts, size_t cells, size_t classes, int32_t *bins) {
    double *workspace = malloc((cells + 1) * classes * sizeof *workspace);
    size_t bin_count = crd_i_entropy_bins(counts, cells, classes, workspace, bins);
    free(workspace);
    return bin_count;
}

/* Two classes of n rows each, apart: the gain is 2 n log 2, the price log(2 n - 1) + log 7 - 2 log 2. So 2 rows of each
 * (gain 2.77, price 1.66) are cut, 1 of each (1.39, 0.56) too; of 3 classes with one row each, cut off one by one, none
 * is (gain 3.30 - 1.39 = 1.91, price log 2 + log 25 - 3 log 3 + 2 log 2 = 2.00). */
static void test_bins(void **state) {
    (void)state;
    int32_t bins[8];
    static const double two[] = {2, 0, 1, 0, 0, 3};
    assert_int_equal(bins_of(two, 3, 2, bins), 2);
    assert_true(bins[0] == 0 && bins[1] == 0 && bins[2] == 1);
    static const double one[] = {1, 0, 0, 1};
    assert_int_equal(bins_of(one, 2, 2, bins), 2);
    static const double three[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_int_equal(bins_of(three, 3, 3, bins), 2); /* by the median alone */
    assert_true(bins[0] == 0 && bins[1] == 0 && bins[2] == 1);
    /* Three groups of two classes. */
    static const double groups[] = {50, 0, 50, 1, 0, 60, 1, 60, 70, 0};
    assert_int_equal(bins_of(groups, 5, 2, bins), 3);
    assert_true(bins[1] == 0 && bins[2] == 1 && bins[3] == 1 && bins[4] == 2);
    /* What tells nothing is cut at its median; one cell, or none, cannot be cut. */
    static const double nothing[] = {10, 10, 10, 10, 10, 10, 10, 10, 60, 60};
    assert_int_equal(bins_of(nothing, 5, 2, bins), 2);
    assert_true(bins[3] == 0 && bins[4] == 1);
    assert_int_equal(bins_of(nothing, 1, 2, bins), 1);
    assert_int_equal(bins_of(nothing, 0, 2, bins), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_definition, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bins, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
