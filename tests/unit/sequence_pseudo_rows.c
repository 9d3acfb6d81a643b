/* SPDX-License-Identifier: MIT */
/* Models of stated statistics: densities have the parameters that were stated, whatever their scale, and the model is one
 * like others: its file can be read. */
#include "model_support.h"

#include "sequence/pseudo_rows.h"

typedef struct rows_column {
    const char *name, *family; /* NULL: a category */
} rows_column;

static crd_i_schema *schema_of(crd_context *context, const rows_column *columns, size_t count) {
    crd_i_schema *schema = crd_i_schema_create(context);
    for (size_t i = 0; i < count; i++)
        assert_true(crd_i_schema_add(schema, crd_text_of(columns[i].name),
                                     columns[i].family == NULL ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC, i));
    assert_true(crd_i_schema_add(schema, crd_text_of("state"), CRD_TYPE_CATEGORICAL, count));
    schema->target = count;
    schema->width = count + 1;
    schema->has_header = true;
    return schema;
}

static crd_settings *settings_of(crd_context *context, const char *family, const char *joint) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    assert_done(crd_settings_set(settings, "covariance", crd_text_of("full:0"), &error), error);
    if (family != NULL) assert_done(crd_settings_set(settings, "family", crd_text_of(family), &error), error);
    if (joint != NULL) assert_done(crd_settings_set(settings, "joint", crd_text_of(joint), &error), error);
    return settings;
}

/* The classifier of a model that has been through its file. */
static crd_classifier *reread(crd_context *context, crd_model *model) {
    unsigned char *bytes;
    size_t length;
    crd_error error;
    crd_model *read;
    crd_classifier *classifier;
    assert_done(crd_model_encode(model, &bytes, &length, &error), error);
    assert_done(crd_model_decode(context, bytes, length, &read, &error), error);
    assert_done(crd_classifier_create(read, NULL, &classifier, &error), error);
    crd_free(context, bytes);
    crd_model_destroy(read);
    crd_model_destroy(model);
    return classifier;
}

static double parameter(const crd_classifier *classifier, size_t attribute, size_t class, size_t which) {
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    size_t count;
    crd_error error;
    assert_done(crd_classifier_parameters(classifier, attribute, class, parameters, &count, &error), error);
    assert_true(which < count);
    return parameters[which].value;
}

static const crd_text STATES[] = {{"a", 1}, {"b", 1}};

/* Means that are far from 0 beside their deviation, and the reverse: both keep all their digits. */
static void test_numbers(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    const rows_column columns[] = {{"g", "gaussian"},    {"far", "gaussian"}, {"l", "lognormal"}, {"p", "poisson"},
                                   {"e", "exponential"}, {"b", "bernoulli"},  {"u", "uniform"},   {"wide", "gaussian"}};
    enum { COLUMNS = 8 };
    const double cells[] = {3, 0.25};
    const double first[COLUMNS][2] = {
        {0.1, -7.3}, {1e6 + 0.1, -1048575.99}, {0.4, -2.5}, {0.3, 17.25}, {1.0 / 3, 14}, {0.3, 0.75}, {-1, 0.5},
        {0.1, 3}};
    const double second[COLUMNS][2] = {{1.7, 0.01}, {1e-6, 1e-10}, {0.09, 4},   {0, 0},
                                       {0, 0},      {0, 0},        {2.5, 0.75}, {1e40, 1e-40}};
    crd_i_column_statistics statistics[COLUMNS + 1] = {{0}};
    for (size_t i = 0; i < COLUMNS; i++) {
        statistics[i].cells = cells;
        statistics[i].firsts = first[i];
        statistics[i].seconds = second[i];
    }
    const crd_i_class_statistics all = {.classes = 2, .names = STATES, .rows = (double[]){4, 1}, .columns = statistics};
    crd_settings *settings = settings_of(context, "l=lognormal,p=poisson,e=exponential,b=bernoulli,u=uniform", NULL);
    crd_model *model;
    assert_done(
        crd_i_model_of_statistics(context, schema_of(context, columns, COLUMNS), settings, &all, &model, &error),
        error);
    crd_classifier *classifier = reread(context, model);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < COLUMNS; i++) {
            const char *family = columns[i].family;
            const double a = parameter(classifier, i, k, 0);
            if (strcmp(family, "exponential") == 0) assert_near(a * first[i][k], 1, 1e-15);
            else assert_near(a, first[i][k], 1e-15 * fabs(first[i][k]) + 1e-15 * sqrt(second[i][k]));
            if (second[i][k] == 0) continue;
            const double b = strcmp(family, "uniform") == 0 ? second[i][k] : sqrt(second[i][k]);
            assert_near(parameter(classifier, i, k, 1) / b, 1, 4e-15);
        }
    }
    crd_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A table of values, one of which a class cannot have, and rows of classes that are more than there are cells. */
static void test_categories(void **state) {
    (void)state;
    crd_context *context = NULL;
    crd_error error;
    crd_term term = CRD_TERM_INIT;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    const rows_column columns[] = {{"c", NULL}};
    const crd_text values[] = {{"x", 1}, {"y", 1}, {"z", 1}};
    const double counts[] = {0.125, 0.375, 0.5, 0.3, 0.7, 0}, rows[] = {6, 2};
    const crd_i_column_statistics statistics[2] = {
        {.cells = rows, .counts = counts, .values = values, .value_count = 3}};
    const crd_i_class_statistics all = {.classes = 2, .names = STATES, .rows = rows, .columns = statistics};
    crd_settings *settings = settings_of(context, NULL, NULL);
    crd_model *model;
    assert_done(crd_i_model_of_statistics(context, schema_of(context, columns, 1), settings, &all, &model, &error),
                error);
    crd_classifier *classifier = reread(context, model);
    for (size_t k = 0; k < 2; k++)
        for (size_t v = 0; v < 3; v++) {
            const crd_value value = {CRD_TYPE_CATEGORICAL, 0, values[v]};
            assert_done(crd_classifier_term(classifier, 0, k, &value, &term, &error), error);
            assert_near(exp(term.log_value), counts[k * 3 + v], 1e-15);
        }
    assert_done(crd_classifier_prior(classifier, 0, &term, &error), error);
    assert_near(exp(term.log_value), 0.75, 1e-15);
    crd_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
}

/* Of a block beside another one and a column by itself: log densities by scipy 1.17.1 multivariate_normal.logpdf. */
static void test_blocks(void **state) {
    (void)state;
    crd_context *context = NULL;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    const rows_column columns[] = {{"x", "gaussian"}, {"c", NULL},       {"y", "gaussian"},
                                   {"z", "gaussian"}, {"q", "gaussian"}, {"r", "gaussian"}};
    const double rows[] = {1, 3}, means[] = {1, -2, 0.5, 0, 1, 10}, q_means[] = {0, 0, 1, 1};
    const double covariances[] = {2, 0, 0, 0.6, 1, 0, -0.3, 0.2, 0.5, 1, 0, 0, 0, 4, 0, 0.5, 0.25, 1};
    const double q_covariances[] = {1, 0, 0.5, 1, 1, 0, -0.5, 1}, counts[] = {0.25, 0.75, 1.5, 1.5};
    const crd_text values[] = {{"u", 1}, {"v", 1}};
    const crd_i_block_statistics blocks[] = {
        {(const size_t[]){0, 2, 3}, 3, rows, means, covariances},
        {(const size_t[]){4, 5}, 2, rows, q_means, q_covariances},
    };
    const crd_i_column_statistics statistics[7] = {
        {0}, {.cells = rows, .counts = counts, .values = values, .value_count = 2}};
    const crd_i_class_statistics all = {2, STATES, rows, statistics, blocks, 2};
    crd_settings *settings = settings_of(context, NULL, "x,y,z;q,r");
    crd_model *model;
    assert_done(crd_i_model_of_statistics(context, schema_of(context, columns, 6), settings, &all, &model, &error),
                error);
    crd_classifier *classifier = reread(context, model);
    const crd_value cells[] = {{CRD_TYPE_NUMERIC, 1.5, {0}}, {CRD_TYPE_CATEGORICAL, 0, {"u", 1}},
                               {CRD_TYPE_NUMERIC, -1, {0}},  {CRD_TYPE_NUMERIC, 0.25, {0}},
                               {CRD_TYPE_NUMERIC, 0.5, {0}}, {CRD_TYPE_NUMERIC, -0.25, {0}}};
    double logs[2];
    const double expected[2][2] = {{-3.306686832175404, -78.20782908190228}, {-1.9857026968501217, -3.319036030183455}};
    assert_int_equal(crd_classifier_joint_count(classifier), 2);
    for (size_t j = 0; j < 2; j++) {
        crd_joint joint = CRD_JOINT_INIT;
        assert_done(crd_classifier_joint(classifier, j, &joint, &error), error);
        assert_done(crd_classifier_joint_terms(classifier, j, cells, logs, &error), error);
        for (size_t k = 0; k < 2; k++) assert_near(logs[k], expected[joint.attribute_count == 3 ? 0 : 1][k], 1e-12);
    }
    crd_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
}

/* Not finite, or of a family that reads the cells themselves: an error, and nothing is left. */
static void test_refused(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    const rows_column columns[] = {{"g", "gaussian"}};
    const double rows[] = {1, 1}, means[] = {0, NAN}, huge[] = {0, INFINITY}, variances[] = {1, 1};
    const double *firsts[] = {means, huge, variances};
    const char *families[] = {"gaussian", "gaussian", "kernel"};
    const crd_status statuses[] = {CRD_ERROR_NUMBER, CRD_ERROR_NUMBER, CRD_ERROR_SETTING};
    for (size_t i = 0; i < 3; i++) {
        const crd_i_column_statistics statistics[2] = {{.cells = rows, .firsts = firsts[i], .seconds = variances}};
        const crd_i_class_statistics all = {.classes = 2, .names = STATES, .rows = rows, .columns = statistics};
        crd_settings *settings = settings_of(context, families[i], NULL);
        crd_model *model;
        assert_int_equal(
            crd_i_model_of_statistics(context, schema_of(context, columns, 1), settings, &all, &model, &error),
            statuses[i]);
        assert_null(model);
        crd_settings_destroy(settings);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_categories),
                                       cmocka_unit_test(test_blocks), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
