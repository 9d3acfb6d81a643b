/* SPDX-License-Identifier: MIT */
/* A forest of trees: its averages over prunings against the sum over every single pruning, its bins, and the numbers
 * that it is stored as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "ensemble/tree_forest.h"
#include "math_random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = 60, COLUMNS = 3, CLASSES = 3, CODES = 4 };

/* Rows of two numeric columns, one with missing values, and a categorical one; the class depends on all of them. */
typedef struct forest_table {
    double numbers[2][ROWS];
    int32_t codes[ROWS], classes[ROWS];
    double weights[ROWS];
    uint64_t hashes[ROWS];
    uint8_t bins[COLUMNS * ROWS];
} forest_table;

static crd_context *context;

static int set_up(void **state) {
    (void)state;
    return crd_context_create(NULL, &context) == CRD_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return 0;
}

static void table_draw(forest_table *table) {
    for (size_t row = 0; row < ROWS; row++) {
        const double first = (double)(random_bits() % 7), second = (double)(random_bits() % 50) / 8;
        table->numbers[0][row] = first;
        table->numbers[1][row] = random_bits() % 8 == 0 ? NAN : second;
        table->codes[row] = (int32_t)(random_bits() % CODES);
        table->classes[row] = random_bits() % 4 == 0  ? (int32_t)(random_bits() % CLASSES)
                              : first > 3             ? 0
                              : table->codes[row] < 2 ? 1
                                                      : 2;
        table->weights[row] = 1 + (double)(random_bits() % 3);
        table->hashes[row] = random_bits();
    }
}

static void forest_open(crd_i_forest *forest, forest_table *table) {
    double totals[CODES] = {0};
    *forest = (crd_i_forest){.context = context, .column_count = COLUMNS, .class_count = CLASSES};
    forest->columns = crd_i_alloc_zeroed(context, COLUMNS, sizeof *forest->columns);
    assert_non_null(forest->columns);
    for (size_t row = 0; row < ROWS; row++) totals[table->codes[row]] += table->weights[row];
    for (size_t i = 0; i < 2; i++) {
        assert_true(crd_i_forest_cut(context, table->numbers[i], table->weights, ROWS, &forest->columns[i]));
        for (size_t row = 0; row < ROWS; row++)
            table->bins[i * ROWS + row] = isnan(table->numbers[i][row])
                                              ? 0
                                              : crd_i_forest_bin_of_number(&forest->columns[i], table->numbers[i][row]);
    }
    assert_true(crd_i_forest_group(context, totals, CODES, &forest->columns[2]));
    for (size_t row = 0; row < ROWS; row++)
        table->bins[2 * ROWS + row] = crd_i_forest_bin_of_code(&forest->columns[2], table->codes[row]);
}

static void forest_grow(crd_i_forest *forest, forest_table *table) {
    crd_error error;
    forest_open(forest, table);
    const crd_i_forest_rows rows = {ROWS, table->bins, table->classes, table->weights, table->hashes};
    assert_int_equal(crd_i_forest_grow(forest, &rows, &error), CRD_OK);
}

/* ---- Averages over prunings ---- */

static void node_weigh(const crd_i_forest *forest, size_t root, size_t v, double *counts) {
    const crd_i_forest_node *node = &forest->nodes[v];
    if (node->column >= 0) {
        node_weigh(forest, root, v + 1, counts);
        node_weigh(forest, root, root + node->right, counts);
        return;
    }
    for (size_t i = 0; i < node->set; i++)
        counts[forest->entries[node->right + i].class_index] += forest->entries[node->right + i].weight;
}

/* Sums over every pruning of the subtree at `v` its prior times its likelihood, and the same times the prediction for a
 * row. Returns -1 if a missing value divides the row on its path. */
static double sum_prunings(const crd_i_forest *forest, size_t root, size_t v, const uint8_t *bins, bool is_on_path,
                           double *prediction) {
    const crd_i_forest_node *node = &forest->nodes[v];
    const double a = forest->pseudo_count;
    double counts[CLASSES] = {0}, total = 0, likelihood = lgamma(CLASSES * a);
    node_weigh(forest, root, v, counts);
    for (size_t k = 0; k < CLASSES; k++) {
        total += counts[k];
        likelihood += lgamma(counts[k] + a) - lgamma(a);
    }
    likelihood = exp(likelihood - lgamma(total + CLASSES * a));
    const double stop = node->column < 0 ? 1 : 0.5;
    for (size_t k = 0; is_on_path && k < CLASSES; k++)
        prediction[k] = stop * likelihood * (counts[k] + a) / (total + CLASSES * a);
    if (node->column < 0) return likelihood;
    const uint8_t bin = bins[node->column];
    if (bin == 0 && node->missing_side >= CRD_I_FOREST_BOTH_RIGHT) return -1;
    const bool is_left = bin == 0 ? node->missing_side == CRD_I_FOREST_LEFT
                         : forest->columns[node->column].is_categorical
                             ? forest->sets[node->set].words[bin / 64] >> bin % 64 & 1
                             : bin <= node->threshold;
    double below[CLASSES] = {0};
    const double left = sum_prunings(forest, root, v + 1, bins, is_on_path && is_left, below);
    const double right = sum_prunings(forest, root, root + node->right, bins, is_on_path && !is_left, below);
    if (left < 0 || right < 0) return -1;
    for (size_t k = 0; is_on_path && k < CLASSES; k++) prediction[k] += 0.5 * below[k] * (is_left ? right : left);
    return 0.5 * likelihood + 0.5 * left * right;
}

/* The values are stored as floats, whose precision is 6e-8. Rows that are divided are skipped: the next tests are about
 * them. */
static void predictions_average_all_prunings(void **state) {
    (void)state;
    forest_table table;
    crd_i_forest forest;
    size_t compared[2] = {0}; /* rows without and with a missing value */
    table_draw(&table);
    forest_grow(&forest, &table);
    for (size_t row = 0; row < ROWS; row++) {
        uint8_t bins[COLUMNS];
        double wanted[CLASSES] = {0}, means[CLASSES];
        for (size_t i = 0; i < COLUMNS; i++) bins[i] = table.bins[i * ROWS + row];
        bool is_divided = false;
        for (size_t t = 0; t < forest.tree_count; t++) {
            double prediction[CLASSES] = {0};
            const double sum = sum_prunings(&forest, forest.roots[t], forest.roots[t], bins, true, prediction);
            is_divided = is_divided || sum < 0;
            for (size_t k = 0; k < CLASSES; k++) wanted[k] += prediction[k] / sum / (double)forest.tree_count;
        }
        if (is_divided) continue;
        compared[bins[1] == 0]++;
        assert_true(fabs(crd_i_forest_predict(&forest, bins, means) - forest.scale) < 1e-12 * forest.scale);
        for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(means[k] - wanted[k]) < 2e-7);
    }
    assert_true(compared[0] > ROWS / 2);
    crd_i_forest_clear(&forest);
}

/* Predicts a row that goes to both children at every split: the mean of the leaves, weighted by their rows. */
static void rows_without_values_have_the_mean_of_the_leaves(void **state) {
    (void)state;
    forest_table table;
    crd_i_forest forest;
    const uint8_t bins[COLUMNS] = {0};
    double means[CLASSES], wanted[CLASSES] = {0}, wholeness = 0;
    table_draw(&table);
    for (size_t row = 0; row < ROWS; row++)
        if (isnan(table.numbers[1][row])) table.numbers[1][row] = 3;
    forest_grow(&forest, &table);
    for (size_t t = 0; t < forest.tree_count; t++) {
        double total[CLASSES] = {0}, all = 0;
        node_weigh(&forest, forest.roots[t], forest.roots[t], total);
        for (size_t k = 0; k < CLASSES; k++) all += total[k];
        for (size_t v = forest.roots[t]; v < forest.roots[t + 1]; v++) {
            double counts[CLASSES] = {0}, weight = 0;
            if (forest.nodes[v].column >= 0) continue;
            node_weigh(&forest, forest.roots[t], v, counts);
            for (size_t k = 0; k < CLASSES; k++) weight += counts[k] / all / (double)forest.tree_count;
            wholeness += weight * weight * (double)forest.tree_count;
            for (size_t k = 0; k < CLASSES; k++) wanted[k] += weight * (double)forest.values[v * CLASSES + k];
        }
    }
    const double scale = crd_i_forest_predict(&forest, bins, means);
    assert_true(fabs(scale - (1 + (forest.scale - 1) * wholeness)) < 1e-9);
    for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(means[k] - wanted[k]) < 1e-9);
    crd_i_forest_clear(&forest);
}

/* Also if values are missing, in a column that had missing values in training and in others. */
static void contributions_add_up(void **state) {
    (void)state;
    forest_table table;
    crd_i_forest forest;
    table_draw(&table);
    forest_grow(&forest, &table);
    for (size_t missing = 0; missing < 8; missing++) {
        uint8_t bins[COLUMNS];
        double means[CLASSES], contributions[COLUMNS * CLASSES], total = 0;
        for (size_t i = 0; i < COLUMNS; i++) bins[i] = missing >> i & 1 ? 0 : table.bins[i * ROWS];
        crd_i_forest_predict(&forest, bins, means);
        crd_i_forest_contributions(&forest, bins, contributions);
        for (size_t k = 0; k < CLASSES; k++) {
            double sum = forest.base[k];
            for (size_t i = 0; i < COLUMNS; i++) sum += contributions[i * CLASSES + k];
            assert_true(fabs(sum - means[k]) < 1e-12);
            assert_true(means[k] > 0);
            total += means[k];
        }
        assert_true(fabs(total - 1) < 1e-6);
    }
    crd_i_forest_clear(&forest);
}

/* ---- Rows and numbers ---- */

static void rows_in_another_order_grow_the_same_forest(void **state) {
    (void)state;
    forest_table table, reversed;
    crd_i_forest forest, other;
    double *numbers, *others;
    size_t count, other_count;
    table_draw(&table);
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t i = 0; i < 2; i++) reversed.numbers[i][row] = table.numbers[i][ROWS - 1 - row];
        reversed.codes[row] = table.codes[ROWS - 1 - row];
        reversed.classes[row] = table.classes[ROWS - 1 - row];
        reversed.weights[row] = table.weights[ROWS - 1 - row];
        reversed.hashes[row] = table.hashes[ROWS - 1 - row];
    }
    forest_grow(&forest, &table);
    forest_grow(&other, &reversed);
    assert_true(crd_i_forest_encode(&forest, &numbers, &count));
    assert_true(crd_i_forest_encode(&other, &others, &other_count));
    assert_int_equal(count, other_count);
    /* The scale is a sum over rows in their order, so its last bits may differ. */
    assert_true(fabs(numbers[3] - others[3]) < 1e-9);
    numbers[3] = others[3];
    assert_memory_equal(numbers, others, count * sizeof *numbers);
    crd_free(context, numbers);
    crd_free(context, others);
    crd_i_forest_clear(&forest);
    crd_i_forest_clear(&other);
}

static bool decodes(const double *numbers, size_t count, double *means) {
    const size_t codes[COLUMNS] = {0, 0, CODES};
    const uint8_t bins[COLUMNS] = {1, 2, 3};
    crd_i_forest forest = {.context = context, .column_count = COLUMNS, .class_count = CLASSES};
    bool is_valid;
    assert_true(crd_i_forest_decode(&forest, codes, numbers, count, &is_valid));
    if (is_valid) crd_i_forest_predict(&forest, bins, means);
    crd_i_forest_clear(&forest);
    return is_valid;
}

static void numbers_restore_the_forest(void **state) {
    (void)state;
    forest_table table;
    crd_i_forest forest;
    const uint8_t bins[COLUMNS] = {1, 2, 3};
    double *numbers, means[CLASSES], wanted[CLASSES];
    size_t count;
    table_draw(&table);
    forest_grow(&forest, &table);
    crd_i_forest_predict(&forest, bins, wanted);
    assert_true(crd_i_forest_encode(&forest, &numbers, &count));
    assert_true(decodes(numbers, count, means));
    assert_memory_equal(means, wanted, sizeof means);
    for (size_t length = 0; length < count; length += 1 + length / 50) assert_false(decodes(numbers, length, means));
    /* Wrong numbers are detected, or belong to another forest, whose predictions are numbers. */
    static const double wrong[] = {-2, -1, 0.5, 1e300, NAN};
    for (size_t i = 0; i < 2000; i++) {
        const size_t place = (size_t)(random_bits() % count);
        const double right = numbers[place];
        numbers[place] = wrong[i % (sizeof wrong / sizeof *wrong)];
        if (decodes(numbers, count, means))
            for (size_t k = 0; k < CLASSES; k++) assert_true(means[k] == means[k]);
        numbers[place] = right;
    }
    crd_free(context, numbers);
    crd_i_forest_clear(&forest);
}

/* Each node on the right of the one before: deeper than a tree can grow, though few nodes wait for a subtree. */
static void a_tree_that_is_too_deep_is_invalid(void **state) {
    (void)state;
    for (size_t depth = 40; depth <= 400; depth += 5) {
        double numbers[4000] = {1, COLUMNS, CLASSES, 1, 0.5, 0, 1, 0, 1, 1, 4, CODES, 1, 2, 3, 4}, means[CLASSES];
        size_t count = 16;
        for (size_t i = 0; i < depth; i++) {
            const double split[] = {0, 0, 0.5, 1}, leaf[] = {-1, 1, 0, 1};
            memcpy(numbers + count, split, sizeof split);
            memcpy(numbers + count + 4, leaf, sizeof leaf);
            count += 8;
        }
        const double leaf[] = {-1, 1, 2, 1};
        memcpy(numbers + count, leaf, sizeof leaf);
        assert_int_equal(decodes(numbers, count + 4, means), depth < 48);
    }
}

static void bins_hold_extreme_numbers(void **state) {
    (void)state;
    enum { MANY = 2000 };
    static double numbers[MANY], weights[MANY];
    crd_i_forest_column column = {0};
    const double few[] = {-DBL_MAX, -0.0, 0.0, 5e-324, 1e308, DBL_MAX, NAN};
    for (size_t i = 0; i < MANY; i++) weights[i] = 1;
    assert_true(crd_i_forest_cut(context, few, weights, sizeof few / sizeof *few, &column));
    assert_int_equal(column.bin_count, 5); /* both zeros are equal */
    for (size_t i = 0; i < 6; i++) assert_int_equal(crd_i_forest_bin_of_number(&column, few[i]), i < 2 ? i + 1 : i);
    assert_int_equal(crd_i_forest_bin_of_number(&column, INFINITY), 5);
    assert_int_equal(crd_i_forest_bin_of_number(&column, -INFINITY), 1);
    crd_free(context, column.cuts);
    /* Half of the rows have one number. The others have many, and divide the remaining bins. */
    for (size_t i = 0; i < MANY; i++) numbers[i] = i < MANY / 2 ? 7 : (double)i;
    column = (crd_i_forest_column){0};
    assert_true(crd_i_forest_cut(context, numbers, weights, MANY, &column));
    assert_int_equal(column.bin_count, CRD_I_FOREST_MOST_BINS);
    assert_int_equal(crd_i_forest_bin_of_number(&column, 7), 1);
    assert_true(crd_i_forest_bin_of_number(&column, MANY / 2) > 1);
    crd_free(context, column.cuts);
    column = (crd_i_forest_column){0};
    assert_true(crd_i_forest_cut(context, numbers, weights, 0, &column));
    assert_int_equal(crd_i_forest_bin_of_number(&column, 1), 0);
    crd_free(context, column.cuts);
    /* The heaviest categories have bins; the others share the bin of missing values. */
    column = (crd_i_forest_column){0};
    for (size_t i = 0; i < MANY; i++) weights[i] = (double)(i + 1);
    assert_true(crd_i_forest_group(context, weights, MANY, &column));
    assert_int_equal(crd_i_forest_bin_of_code(&column, MANY - 1), 1);
    assert_int_equal(crd_i_forest_bin_of_code(&column, 0), 0);
    assert_int_equal(crd_i_forest_bin_of_code(&column, -1), 0);
    crd_free(context, column.code_bins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(predictions_average_all_prunings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_without_values_have_the_mean_of_the_leaves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(contributions_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_in_another_order_grow_the_same_forest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_restore_the_forest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tree_that_is_too_deep_is_invalid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bins_hold_extreme_numbers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
