/* SPDX-License-Identifier: MIT */
/* Each allocation of cross-moments and of the normal densities that are derived from them fails in turn: an error every
 * time, and no leak. */
#include "model_support.h"

#include "base/error.h"
#include "density/multivariate/joint_density.h"
#include "stats/joint_tally.h"

enum { ROWS = 24, COLUMNS = 3, CLASSES = 2 };

typedef struct normal_objects {
    crd_settings *settings;
    crd_i_joint_tally *first, *second, *both;
    crd_i_joint *joint;
} normal_objects;

static void destroy(normal_objects *objects) {
    crd_i_joint_destroy(objects->joint);
    crd_i_joint_tally_destroy(objects->first);
    crd_i_joint_tally_destroy(objects->second);
    crd_i_joint_tally_destroy(objects->both);
    crd_settings_destroy(objects->settings);
}

static crd_status learn(crd_context *context, const crd_i_joint_tally_rows *rows, crd_i_joint_tally **out,
                        crd_error *error) {
    static const size_t none[COLUMNS] = {0};
    crd_i_joint_tally *joint_tally = *out = crd_i_cross_moments.create(context, COLUMNS);
    bool done = joint_tally != NULL;
    for (size_t i = 0; done && i < COLUMNS; i++) done = joint_tally->type->settle(joint_tally, i, CRD_TYPE_NUMERIC);
    if (!done || !joint_tally->type->extend(joint_tally, CLASSES, none)) return crd_i_fail_memory(error);
    return joint_tally->type->add(joint_tally, rows, error);
}

static crd_status whole_life(normal_objects *objects, crd_context *context, const char *normal, bool keeps,
                             crd_error *error) {
    static const int32_t in_order[CLASSES] = {0, 1};
    static const size_t numbers[CLASSES] = {0, 1};
    static const double counts[CLASSES] = {ROWS, ROWS};
    static const crd_i_joint_tally_map map = {numbers, CLASSES, NULL, NULL};
    double cells[COLUMNS][ROWS];
    int32_t under[ROWS];
    crd_i_cells columns[COLUMNS];
    for (size_t row = 0; row < ROWS; row++) under[row] = (int32_t)(row % CLASSES);
    for (size_t i = 0; i < COLUMNS; i++) {
        for (size_t row = 0; row < ROWS; row++) cells[i][row] = (double)((row * (i + 3) * 7 + row * row) % 11) / 7;
        const crd_i_cells column = {.rows = ROWS, .numbers = cells[i]};
        columns[i] = column;
    }
    const crd_i_joint_tally_rows rows = {ROWS, columns, under, NULL};
    crd_status why = CRD_OK, status = crd_settings_create(context, &objects->settings, error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "covariance", crd_text_of(normal), error);
    if (status == CRD_OK) status = learn(context, &rows, &objects->first, error);
    if (status == CRD_OK) status = learn(context, &rows, &objects->second, error);
    if (status != CRD_OK) return status;
    objects->both = crd_i_cross_moments.combined(objects->first, objects->second, &map, 1, &why, error);
    if (objects->both == NULL) return crd_i_fail_memory(error);
    const crd_i_joint_source joint_source = {.joint_tally = objects->both,
                                             .view = {in_order, CLASSES, NULL},
                                             .class_counts = counts,
                                             .rows = keeps ? &rows : NULL};
    return crd_i_joint_named("normal")->derive(context, &joint_source, objects->settings, &objects->joint, error);
}

static void every_allocation(void **state) {
    (void)state;
    static const char *const forms[] = {"auto", "full", "tied", "full:0", "diag"};
    for (size_t way = 0; way < 2 * sizeof forms / sizeof *forms; way++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            normal_objects objects = {0};
            crd_error error;
            assert_allocation_fails(&trial, whole_life(&objects, trial.context, forms[way / 2], way % 2 == 0, &error),
                                    CRD_OK, error);
            destroy(&objects);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
