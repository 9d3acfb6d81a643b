/* SPDX-License-Identifier: MIT */
/* Mixtures of normal densities: that a drawn one is found again, integrals and marginals, that no step makes the fit
 * worse and no order of rows shows, and rows that have little to tell. */
#include "density/multivariate/joint_density.h"
#include "math/random.h"
#include "stats_joint_tally_support.h"

#include <string.h>

enum { CLASSES = 2, MOST_COLUMNS = 4 };
static const crd_column_type KINDS[MOST_COLUMNS] = {CRD_TYPE_NUMERIC, CRD_TYPE_NUMERIC, CRD_TYPE_NUMERIC,
                                                    CRD_TYPE_NUMERIC};

/* A density in two dimensions that is known: three clouds for class 0, two for class 1, each long and turned. */
typedef struct mixture_cloud {
    int class;
    double share, x, y, along, across, turn; /* turn in radians */
} mixture_cloud;

static const mixture_cloud CLOUDS[] = {
    {0, 0.5, 0, 0, 2, 0.3, 0.5},  {0, 0.3, 5, 1, 1, 0.5, 2},    {0, 0.2, 1, 6, 0.6, 0.6, 0},
    {1, 0.7, 3, -3, 1.5, 0.4, 1}, {1, 0.3, -4, 3, 0.5, 2, 0.2},
};
enum { CLOUD_COUNT = sizeof CLOUDS / sizeof *CLOUDS };

static double true_density(int class, double x, double y) {
    double sum = 0;
    for (size_t i = 0; i < CLOUD_COUNT; i++) {
        const mixture_cloud *cloud = &CLOUDS[i];
        if (cloud->class != class) continue;
        double dx = x - cloud->x, dy = y - cloud->y, c = cos(cloud->turn), s = sin(cloud->turn);
        double a = (c * dx + s * dy) / cloud->along, b = (c * dy - s * dx) / cloud->across;
        sum += cloud->share * exp(-(a * a + b * b) / 2) / (2 * acos(-1) * cloud->along * cloud->across);
    }
    return sum;
}

static void draw_point(crd_i_random *random, int class, double *x) {
    double u = crd_i_random_uniform(random);
    const mixture_cloud *cloud = NULL;
    for (size_t i = 0; i < CLOUD_COUNT && u >= 0; i++)
        if (CLOUDS[i].class == class) cloud = &CLOUDS[i], u -= cloud->share;
    double a = cloud->along * crd_i_random_normal(random), b = cloud->across * crd_i_random_normal(random);
    x[0] = cloud->x + cos(cloud->turn) * a - sin(cloud->turn) * b;
    x[1] = cloud->y + sin(cloud->turn) * a + cos(cloud->turn) * b;
}

static table draw_clouds(size_t rows, uint64_t seed) {
    table new_table = table_of(rows, 2, KINDS);
    crd_i_random random = crd_i_random_at(seed, 1);
    for (size_t row = 0; row < rows; row++) {
        new_table.classes[row] = crd_i_random_uniform(&random) < 0.6 ? 0 : 1;
        draw_point(&random, new_table.classes[row], new_table.cells + 2 * row);
    }
    return new_table;
}

/* What is given as fitted before. */
static const double *known;
static size_t known_count;

static crd_status derive(const table *rows, const char *components, size_t batch, crd_i_joint **joint,
                         crd_error *error) {
    double class_counts[TABLE_CLASSES] = {0};
    crd_settings *settings = NULL;
    seen current_seen;
    *joint = NULL;
    owner *kept = owner_of(&crd_i_kept_rows, rows, batch, true);
    crd_status status = kept == NULL ? CRD_ERROR_MEMORY : crd_settings_create(context, &settings, NULL);
    if (status == CRD_OK) status = crd_settings_set(settings, "joint-mixture", crd_text_of(components), NULL);
    if (status == CRD_OK) {
        see(&current_seen, kept, rows);
        const crd_i_joint_source joint_source = {.joint_tally = kept->joint_tally,
                                                 .view = current_seen.view,
                                                 .class_counts = class_counts,
                                                 .fitted = known,
                                                 .fitted_count = known_count};
        status = crd_i_joint_normal_mixture.derive(context, &joint_source, settings, joint, error);
    }
    if (settings != NULL) crd_settings_destroy(settings);
    owner_free(kept);
    return status;
}

/* log p under each class; NaN is missing. */
static void ask(const crd_i_joint *joint, const double *x, double *sums) {
    crd_i_joint_cell cells[MOST_COLUMNS];
    double *workspace = malloc((joint->capacity + 1) * sizeof *workspace);
    for (size_t i = 0; i < joint->column_count; i++) {
        const crd_i_joint_cell cell = {x[i] == x[i], x[i], 0};
        cells[i] = cell;
    }
    for (size_t i = 0; i < joint->conditions; i++) sums[i] = 0;
    joint->type->add(joint, cells, sums, workspace);
    free(workspace);
}

/* The mean of log p - log of what is found, over rows that were not learned from, is small; a single normal density of
 * each class is far away. */
static void test_recovery(void **state) {
    (void)state;
    static const struct {
        const char *components;
        double least, most; /* of the mean difference */
    } tries[] = {{"3", 0, 0.01}, {"1", 0.2, 10}};
    table rows = draw_clouds(8000, 1), fresh = draw_clouds(4000, 2);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        crd_i_joint *joint;
        crd_error error;
        assert_int_equal(derive(&rows, tries[i].components, 4096, &joint, &error), CRD_OK);
        double sum = 0, sums[CLASSES];
        for (size_t row = 0; row < fresh.rows; row++) {
            const double *x = fresh.cells + 2 * row;
            ask(joint, x, sums);
            sum += log(true_density(fresh.classes[row], x[0], x[1])) - sums[fresh.classes[row]];
        }
        sum /= (double)fresh.rows;
        assert_true(sum > tries[i].least && sum < tries[i].most);
        crd_i_joint_destroy(joint);
    }
    table_free(&rows);
    table_free(&fresh);
}

/* Where it is chosen, the number of components is about that of the clouds, and posteriors are those of the true
 * densities, nearly. */
static void test_choice(void **state) {
    (void)state;
    table rows = draw_clouds(6000, 3), fresh = draw_clouds(4000, 4);
    crd_i_joint *joint;
    assert_int_equal(derive(&rows, "auto", 1000, &joint, NULL), CRD_OK);
    char line[300];
    joint->type->describe(joint, line, sizeof line);
    int fewest, most;
    assert_int_equal(sscanf(line, "components for each class: %d to %d", &fewest, &most), 2);
    assert_true(fewest >= 2 && most >= 3 && most <= 5);
    assert_null(strstr(line, "tails"));
    assert_non_null(strstr(line, "6000 complete of 6000 rows"));
    assert_null(strstr(line, "settled"));
    double loss = 0, least = 0, sums[CLASSES];
    for (size_t row = 0; row < fresh.rows; row++) {
        const double *x = fresh.cells + 2 * row;
        int label = fresh.classes[row], other = 1 - label;
        double priors[CLASSES] = {0.6, 0.4};
        ask(joint, x, sums);
        loss += log1p(priors[other] / priors[label] * exp(sums[other] - sums[label]));
        least +=
            log1p(priors[other] * true_density(other, x[0], x[1]) / (priors[label] * true_density(label, x[0], x[1])));
    }
    assert_true(loss < least + 0.01 * (double)fresh.rows);
    crd_i_joint_destroy(joint);
    table_free(&rows);
    table_free(&fresh);
}

/* What is over the plane is 1, and over one column as much as over the other and this one. */
static void test_integrals(void **state) {
    (void)state;
    table rows = draw_clouds(500, 5);
    crd_i_joint *joint;
    assert_int_equal(derive(&rows, "3", 100, &joint, NULL), CRD_OK);
    const double step = 0.1, end = 20;
    double whole[CLASSES] = {0}, sums[CLASSES];
    for (double x = -end; x < end; x += step) {
        double line[CLASSES] = {0}, point[2] = {x, (double)NAN};
        for (double y = -end; y < end; y += step) {
            const double here[2] = {x, y};
            ask(joint, here, sums);
            for (size_t k = 0; k < CLASSES; k++) line[k] += step * exp(sums[k]);
        }
        ask(joint, point, sums);
        for (size_t k = 0; k < CLASSES; k++) {
            whole[k] += step * line[k];
            assert_true(fabs(line[k] - exp(sums[k])) < 1e-6);
        }
    }
    /* Sums over a lattice of smooth functions are their integrals, as far as doubles go. */
    for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(whole[k] - 1) < 1e-6);
    const double none[2] = {(double)NAN, (double)NAN};
    ask(joint, none, sums);
    assert_true(sums[0] == 0 && sums[1] == 0);
    crd_i_joint_destroy(joint);
    table_free(&rows);
}

static void test_order(void **state) {
    (void)state;
    table rows = draw_clouds(1500, 6);
    crd_i_joint *first, *again;
    assert_int_equal(derive(&rows, "auto", 4096, &first, NULL), CRD_OK);
    for (int i = 0; i < 2; i++) {
        table_shuffle(&rows);
        assert_int_equal(derive(&rows, "auto", 1 + random_below(300), &again, NULL), CRD_OK);
        for (size_t row = 0; row < rows.rows; row++) {
            double one[CLASSES], other[CLASSES], x[2] = {rows.cells[2 * row], rows.cells[2 * row + 1]};
            if (row % 3 == 0) x[row % 2] = (double)NAN;
            ask(first, x, one);
            ask(again, x, other);
            assert_memory_equal(one, other, sizeof one);
        }
        crd_i_joint_destroy(again);
    }
    crd_i_joint_destroy(first);
    table_free(&rows);
}

static void test_steps(void **state) {
    (void)state;
    table rows = draw_clouds(700, 7);
    double weights[700], sum = 0;
    for (size_t i = 0; i < 700; i++) weights[i] = 0.5 + (double)(i % 3), sum += weights[i];
    const crd_i_mixture_rows given = {700, 2, rows.cells, weights, sum, NULL};
    const double shared[4] = {4, 0.5, 0.5, 3};
    for (size_t count = 1; count <= 8; count++) {
        double before = -INFINITY, likelihood = -INFINITY;
        bool settled = false;
        for (size_t steps = 1; !settled && steps < 500; steps++) {
            crd_i_mixture mixture;
            assert_int_equal(crd_i_mixture_fit(context, &given, shared, count, steps, &mixture, NULL), CRD_OK);
            if (steps == 1) assert_false(mixture.settled);
            /* Parts of rows below 1e-8 are left out, which is all that can make it less. */
            if (mixture.count == count) assert_true(mixture.objective > before - 1e-6 * sum);
            before = mixture.objective;
            settled = mixture.settled;
            likelihood = mixture.likelihood;
            double shares = 0;
            for (size_t k = 0; k < mixture.count; k++) shares += mixture.shares[k];
            assert_true(fabs(shares - 1) < 1e-12);
            crd_i_mixture_clear(&mixture);
        }
        assert_true(settled);
        assert_true(isfinite(likelihood));
    }
    table_free(&rows);
}

/* Columns that depend on each other or do not differ, classes of one row, of equal rows or of none that is complete,
 * numbers at the ends of what there is: every answer is a number. */
static void test_little(void **state) {
    (void)state;
    static const double SCALES[] = {1, 1e300, 1e-300, 1e-310};
    for (size_t s = 0; s < sizeof SCALES / sizeof *SCALES; s++)
        for (int way = 0; way < 2; way++) {
            table rows = table_of(120, MOST_COLUMNS, KINDS);
            crd_i_random random = crd_i_random_at(8, s);
            for (size_t row = 0; row < rows.rows; row++) {
                double *x = rows.cells + row * MOST_COLUMNS, z = crd_i_random_normal(&random);
                rows.classes[row] = row == 0 ? 3 : row < 20 ? 2 : row < 40 ? 4 : (int)(row % 2);
                rows.weights[row] = row % 7 == 0 ? 0.25 : 1;
                x[0] = SCALES[s] * (row > 0 && row < 20 ? 1 : z);
                x[1] = SCALES[s] * (rows.classes[row] == 2 ? 1 : -2 * (x[0] / SCALES[s]) + 3);
                x[2] = 7;
                x[3] = rows.classes[row] == 4 ? (double)NAN : (double)rows.classes[row];
            }
            crd_i_joint *joint;
            crd_error error;
            assert_int_equal(derive(&rows, way == 0 ? "auto" : "4", 50, &joint, &error), CRD_OK);
            assert_false(joint->takes[2]);
            double sums[TABLE_CLASSES];
            for (unsigned present = 1; present < 1u << MOST_COLUMNS; present++)
                for (int far = 0; far < 3; far++) {
                    double x[MOST_COLUMNS];
                    for (size_t i = 0; i < MOST_COLUMNS; i++)
                        x[i] = (present >> i & 1) == 0 ? (double)NAN : far == 2 ? -1e308 : SCALES[s] * far;
                    ask(joint, x, sums);
                    for (size_t k = 0; k < joint->conditions; k++) assert_true(isfinite(sums[k]));
                }
            crd_i_joint_destroy(joint);
            table_free(&rows);
        }
    /* Nothing at all. */
    table none = table_of(3, 2, KINDS);
    for (size_t i = 0; i < 6; i++) none.cells[i] = i % 2 == 0 ? (double)NAN : 5;
    crd_i_joint *joint;
    assert_int_equal(derive(&none, "auto", 10, &joint, NULL), CRD_OK);
    assert_false(joint->takes[0] || joint->takes[1]);
    double sums[TABLE_CLASSES], x[2] = {1, 2};
    ask(joint, x, sums);
    assert_true(sums[0] == 0);
    char line[100];
    joint->type->describe(joint, line, sizeof line);
    assert_string_equal(line, "no rows in which numbers differ");
    crd_i_joint_destroy(joint);
    table_free(&none);
}

/* Of many columns no more rows are looked at than there is time for. */
static void test_wide(void **state) {
    (void)state;
    enum { COLUMNS = 256, ROWS = 1500 };
    crd_i_joint_tally *joint_tally = crd_i_kept_rows.create(context, COLUMNS);
    crd_i_random random = crd_i_random_at(11, 0);
    double *numbers = malloc(COLUMNS * ROWS * sizeof *numbers), class_counts[2] = {ROWS / 2, ROWS / 2};
    size_t value_counts[COLUMNS] = {0};
    crd_i_cells columns[COLUMNS];
    crd_i_view views[COLUMNS] = {{0}};
    int32_t conditions[ROWS], order[2] = {0, 1};
    for (size_t i = 0; i < COLUMNS * ROWS; i++) numbers[i] = crd_i_random_normal(&random);
    for (int32_t i = 0; i < ROWS; i++) conditions[i] = i % 2;
    assert_true(joint_tally->type->extend(joint_tally, 2, value_counts));
    for (size_t i = 0; i < COLUMNS; i++) {
        const crd_i_cells cells = {.rows = ROWS, .numbers = numbers + i * ROWS};
        columns[i] = cells;
        assert_true(joint_tally->type->settle(joint_tally, i, CRD_TYPE_NUMERIC));
    }
    const crd_i_joint_tally_rows rows = {ROWS, columns, conditions, NULL};
    assert_int_equal(joint_tally->type->add(joint_tally, &rows, NULL), CRD_OK);
    const crd_i_joint_source joint_source = {
        .joint_tally = joint_tally, .view = {order, 2, views}, .class_counts = class_counts};
    crd_settings *settings;
    crd_i_joint *joint;
    assert_int_equal(crd_settings_create(context, &settings, NULL), CRD_OK);
    assert_int_equal(crd_settings_set(settings, "joint-mixture", crd_text_of("1"), NULL), CRD_OK);
    assert_int_equal(crd_i_joint_normal_mixture.derive(context, &joint_source, settings, &joint, NULL), CRD_OK);
    char line[200];
    joint->type->describe(joint, line, sizeof line);
    assert_string_equal(line, "components for each class: 1; 1500 complete of 1500 rows, fitted to 1024 of them");
    crd_i_joint_destroy(joint);
    crd_settings_destroy(settings);
    crd_i_joint_tally_destroy(joint_tally);
    free(numbers);
}

/* What was fitted before gives the same bits; what nobody fitted is fitted anew, so it does too, or is a mixture at
 * least. */
static void test_fitted(void **state) {
    (void)state;
    table rows = draw_clouds(400, 10);
    crd_i_joint *first, *again;
    assert_int_equal(derive(&rows, "auto", 400, &first, NULL), CRD_OK);
    const double *numbers = first->type->fitted(first, &known_count);
    double *copy = malloc((known_count + 1) * sizeof *copy);
    memcpy(copy, numbers, known_count * sizeof *copy);
    static const double ODD[] = {0, -1, 0.5, 1, 3, 17, 1e300, -1e300, 1e-300};
    size_t full = known_count, same = 0, tried = 0;
    for (size_t i = 0; i <= full + 2; i++)
        for (size_t j = 0; j < (i < full ? sizeof ODD / sizeof *ODD : 1); j++) {
            double before = copy[i < full ? i : 0], one[CLASSES], other[CLASSES];
            if (i < full) copy[i] = ODD[j];
            known = copy;
            known_count = i < full ? full : full + (i == full + 1) - (i == full + 2);
            copy[full] = 0;
            assert_int_equal(derive(&rows, "auto", 50, &again, NULL), CRD_OK);
            copy[i < full ? i : 0] = before;
            bool is_same = true;
            for (size_t row = 0; row < rows.rows; row += 20) {
                ask(first, rows.cells + 2 * row, one);
                ask(again, rows.cells + 2 * row, other);
                is_same = is_same && memcmp(one, other, sizeof one) == 0;
                for (size_t k = 0; k < CLASSES; k++) assert_true(isfinite(other[k]));
            }
            if (i >= full) assert_true(is_same);
            same += is_same;
            tried++;
            crd_i_joint_destroy(again);
        }
    assert_true(same > tried / 4);
    known = NULL;
    known_count = 0;
    free(copy);
    crd_i_joint_destroy(first);
    table_free(&rows);
}

static void test_memory(void **state) {
    (void)state;
    table rows = draw_clouds(60, 9);
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_i_joint *joint;
        crd_error error;
        assert_allocation_fails(&trial, derive(&rows, "auto", 60, &joint, &error), CRD_OK, error);
        assert_true(trial.has_failed == (joint == NULL));
        crd_i_joint_destroy(joint);
    }
    table_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_recovery, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_choice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_integrals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_little, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wide, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fitted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
