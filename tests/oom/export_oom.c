/* SPDX-License-Identifier: MIT */
/* Each allocation of exporting a model fails in turn: an error every time, and no leak. A sink that refuses ends the
 * export; what cannot be expressed is refused before the sink is called. */
#include "model_support.h"

#include <credence/export.h>

static const char rows[] = "n,m,color,class\n"
                           "1,2,red,p\n2,2.5,red,p\n1.5,2,blue,p\n3,4,red,p\n2.5,2,?,p\n2,3,red,p\n"
                           "4,6,blue,q\n5,5.5,blue,q\n?,6,red,q\n4.5,7,blue,q\n6,6,blue,q\n5,8,blue,q\n";

enum { FORMATS = CRD_EXPORT_PMML + 1 };

static crd_model *learn(crd_context *context, const char *const *settings) {
    crd_settings *model_settings;
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    assert_done(crd_settings_create(context, &model_settings, &error), error);
    for (; *settings != NULL; settings += 2)
        assert_done(crd_settings_set(model_settings, settings[0], crd_text_of(settings[1]), &error), error);
    assert_done(open_text(context, rows, strlen(rows), "class", &reader, &error), error);
    assert_done(crd_model_train(context, reader, model_settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(model_settings);
    return model;
}

/* Counts parts, and refuses the one whose number is `most`. */
typedef struct parts {
    size_t count, most;
} parts;

static int take_part(void *user, const char *bytes, size_t length) {
    parts *taken = user;
    (void)bytes, (void)length;
    return ++taken->count == taken->most;
}

static const char *const methods[][5] = {{NULL},
                                         {"attribute-weights", "fitted"},
                                         {"joint", "numbers", "joint-mixture", "2"},
                                         {"joint", "categories"},
                                         {"method", "pairwise"},
                                         {"method", "bagging:2"},
                                         {"method", "network"},
                                         {"calibration", "isotonic"}};

/* A format that cannot express a model rejects it before it writes. */
static crd_status write_or_reject(const crd_model *model, crd_export_format format, crd_error *error) {
    parts taken = {0, 0};
    const crd_status status = crd_model_export(model, NULL, format, NULL, take_part, &taken, error);
    if (status != CRD_ERROR_SETTING) return status;
    assert_int_equal(taken.count, 0);
    return CRD_OK;
}

static void allocations_fail(void **state) {
    (void)state;
    for (size_t way = 0; way < FORMATS * sizeof methods / sizeof *methods; way++)
        for (allocation_trial trial = {.divisor = 20}; allocation_trial_next(&trial);) {
            crd_model *model = learn(trial.context, methods[way / FORMATS]);
            crd_error error;
            assert_allocation_fails(&trial, write_or_reject(model, (crd_export_format)(way % FORMATS), &error), CRD_OK,
                                    error);
            crd_model_destroy(model);
        }
}

static void sinks_refuse(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_model *model = learn(context, methods[0]);
    crd_error error;
    for (int format = 0; format < FORMATS; format++) {
        parts taken = {0, 1};
        assert_int_equal(crd_model_export(model, NULL, (crd_export_format)format, NULL, take_part, &taken, &error),
                         CRD_ERROR_CANCELLED);
        assert_int_equal(taken.count, 1);
    }
    parts taken = {0, 0};
    assert_int_equal(
        crd_model_export(model, NULL, (crd_export_format)(CRD_EXPORT_HMM + 1), NULL, take_part, &taken, &error),
        CRD_ERROR_ARGUMENT);
    crd_model_destroy(model);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_fail),
        cmocka_unit_test(sinks_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
