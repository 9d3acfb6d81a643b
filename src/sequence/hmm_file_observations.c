/* SPDX-License-Identifier: MIT */
/* hmm_file_observations.c - parses the observations in the text of a hidden Markov model. See hmm_file_internal.h. */
#include "sequence/hmm_file_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>

/* Parameters of a family, and the bounds of their values. `second` is NULL if the family has only one parameter. */
static const struct {
    const crd_i_family *family;
    const char *first, *second;
    double least, greatest, least_second;
} parameters[] = {
    {&crd_i_family_gaussian, "mean", "deviation", -1e150, 1e150, 1e-150},
    {&crd_i_family_lognormal, "mean", "deviation", -300, 300, 1e-8},
    {&crd_i_family_poisson, "rate", NULL, 0, 1e15, 0},
    {&crd_i_family_exponential, "rate", NULL, 1e-150, 1e150, 0},
    {&crd_i_family_bernoulli, "probability", NULL, 0, 1, 0},
    {&crd_i_family_uniform, "least", "greatest", -1e150, 1e150, -1e150},
};
enum { FAMILY_COUNT = sizeof parameters / sizeof *parameters };

/* Reads the values and probabilities of a categorical observation. */
static crd_status read_categorical(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                   crd_i_stated_observation *observation, crd_error *error) {
    static const char *const known[] = {"name", "family", "values", "probability", NULL};
    const crd_i_json_node *values, *node;
    observation->family = &crd_i_family_categorical;
    crd_status status = crd_i_hmm_file_check_members(p, object, "a categorical observation", known, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_need(p, object, "values", "a categorical observation", &values, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_names(p, values, "values", &observation->values, &observation->value_count, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_need(p, object, "probability", "a categorical observation", &node, error);
    if (status != CRD_OK) return status;
    const crd_i_hmm_shape shape =
        crd_i_hmm_file_shape_with(crd_i_hmm_file_class_shape(p->hmm), observation->value_count, "value");
    status = crd_i_hmm_file_numbers(p, node, "probability", &shape, &observation->firsts, error);
    const size_t classes = p->hmm->states * p->hmm->components;
    return status == CRD_OK ? crd_i_hmm_file_check_rows(p, node, "probability", observation->firsts, classes,
                                                        observation->value_count, error)
                            : status;
}

/* Returns whether a matrix is symmetric and positive definite, by Cholesky factorization into `lower`. */
static bool is_covariance(const double *matrix, size_t size, double *lower) {
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++) {
            const double a = matrix[i * size + j], b = matrix[j * size + i];
            if (!(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)))) return false;
        }
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i * size + j];
            for (size_t k = 0; k < j; k++) sum -= lower[i * size + k] * lower[j * size + k];
            if (i == j && !(sum > 0x1p-36 * matrix[i * size + i])) return false;
            lower[i * size + j] = i == j ? sqrt(sum) : sum / lower[j * size + j];
        }
    return true;
}

/* Reads the mean vectors and covariance matrices of a multivariate normal observation. */
static crd_status read_normal(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                              crd_i_stated_observation *observation, crd_error *error) {
    static const char *const known[] = {"names", "family", "mean", "covariance", NULL};
    static const char WHAT[] = "an observation of the family 'normal'";
    const crd_i_json_node *names, *mean, *covariance;
    crd_status status = crd_i_hmm_file_check_members(p, object, WHAT, known, error);
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, object, "names", WHAT, &names, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_names(p, names, "names", &observation->names, &observation->name_count, error);
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, object, "mean", WHAT, &mean, error);
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, object, "covariance", WHAT, &covariance, error);
    if (status != CRD_OK) return status;
    if (observation->name_count < 2)
        return crd_i_hmm_file_fail(names, error,
                                   "'normal' needs two columns or more: for one column, use the family gaussian");
    const size_t size = observation->name_count, classes = p->hmm->states * p->hmm->components;
    const crd_i_hmm_shape line = crd_i_hmm_file_shape_with(crd_i_hmm_file_class_shape(p->hmm), size, "column"),
                          square = crd_i_hmm_file_shape_with(line, size, "column");
    status = crd_i_hmm_file_numbers(p, mean, "mean", &line, &observation->firsts, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_numbers(p, covariance, "covariance", &square, &observation->seconds, error);
    double *workspace = status == CRD_OK ? crd_i_alloc(p->hmm->context, size * size, sizeof *workspace) : NULL;
    if (status == CRD_OK && workspace == NULL) status = crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < classes; k++)
        if (!is_covariance(observation->seconds + k * size * size, size, workspace))
            status = crd_i_hmm_file_fail_text(
                covariance, error, "the covariance matrix of state '%s' is not symmetric, or not positive definite",
                p->hmm->names[k / p->hmm->components]);
    crd_free(p->hmm->context, workspace);
    return status;
}

static crd_status fail_family(const crd_i_json_node *node, crd_error *error) {
    crd_i_hmm_file_fail_text(node, error, "unknown family '%s': expected ", node->text);
    crd_i_error_item(error, 0, crd_text_of("categorical"));
    crd_i_error_item(error, 1, crd_text_of("normal"));
    for (size_t i = 0; i < FAMILY_COUNT; i++) crd_i_error_item(error, i + 2, crd_text_of(parameters[i].family->name));
    return CRD_ERROR_SYNTAX;
}

/* Reads the parameters of an observation with one of the univariate numeric families. */
static crd_status read_number_family(const crd_i_hmm_parser *p, const crd_i_json_node *object, size_t family,
                                     crd_i_stated_observation *observation, crd_error *error) {
    const char *first = parameters[family].first, *second = parameters[family].second;
    const char *const known[] = {"name", "family", first, second, NULL};
    const crd_i_json_node *node, *second_at = NULL;
    const size_t classes = p->hmm->states * p->hmm->components;
    const crd_i_hmm_shape shape = crd_i_hmm_file_class_shape(p->hmm);
    char what[64];
    snprintf(what, sizeof what, "an observation of the family '%s'", parameters[family].family->name);
    observation->family = parameters[family].family;
    crd_status status = crd_i_hmm_file_check_members(p, object, what, known, error);
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, object, first, what, &node, error);
    if (status == CRD_OK) status = crd_i_hmm_file_numbers(p, node, first, &shape, &observation->firsts, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_check_each(node, first, observation->firsts, classes, parameters[family].least,
                                           parameters[family].greatest, error);
    if (status != CRD_OK || second == NULL) return status;
    status = crd_i_hmm_file_need(p, object, second, what, &second_at, error);
    if (status == CRD_OK) status = crd_i_hmm_file_numbers(p, second_at, second, &shape, &observation->seconds, error);
    if (status == CRD_OK)
        status = crd_i_hmm_file_check_each(second_at, second, observation->seconds, classes,
                                           parameters[family].least_second, CRD_I_HMM_LARGEST, error);
    for (size_t k = 0; status == CRD_OK && k < classes && observation->family == &crd_i_family_uniform; k++)
        if (!(observation->seconds[k] > observation->firsts[k]))
            status = crd_i_hmm_file_fail(second_at, error, "'greatest' must be above 'least'");
    return status;
}

/* Reads an observation, according to its family. */
static crd_status read_observation(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                   crd_i_stated_observation *observation, crd_error *error) {
    const crd_i_json_node *node, *name;
    observation->line = object->line;
    if (object->type != CRD_I_JSON_OPEN_OBJECT)
        return crd_i_hmm_file_fail(object, error, "an observation must be an object, in braces");
    crd_status status = crd_i_hmm_file_need(p, object, "family", "an observation", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_TEXT)
        return crd_i_hmm_file_fail(node, error, "'family' must be the name of a family, in quotes");
    if (crd_text_equal(node->text, crd_text_of("normal"))) return read_normal(p, object, observation, error);
    status = crd_i_hmm_file_need(p, object, "name", "an observation", &name, error);
    if (status != CRD_OK) return status;
    if (name->type != CRD_I_JSON_TEXT || name->text.length == 0)
        return crd_i_hmm_file_fail(name, error, "'name' must be the name of a column, in quotes");
    observation->names = crd_i_alloc(p->hmm->context, 1, sizeof *observation->names);
    if (observation->names == NULL) return crd_i_fail_memory(error);
    observation->names[observation->name_count++] = name->text;
    if (crd_text_equal(node->text, crd_text_of("categorical"))) return read_categorical(p, object, observation, error);
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (crd_text_equal(node->text, crd_text_of(parameters[i].family->name)))
            return read_number_family(p, object, i, observation, error);
    return fail_family(node, error);
}

crd_status crd_i_hmm_file_add_column(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_text name,
                                     crd_error *error) {
    if (name.bytes == NULL) return CRD_OK;
    const size_t known = crd_i_dictionary_size(p->columns);
    const int32_t code = crd_i_dictionary_add(p->columns, name);
    if (code < 0) return crd_i_fail_memory(error);
    return (size_t)code < known ? crd_i_hmm_file_fail_text(node, error, "two columns are called '%s'", name) : CRD_OK;
}

crd_status crd_i_hmm_file_observations(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node;
    crd_status status = crd_i_hmm_file_need(p, p->root, "observations", "the file", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0)
        return crd_i_hmm_file_fail(node, error, "'observations' must be a list of columns");
    hmm->observations = crd_i_alloc_zeroed(hmm->context, node->count, sizeof *hmm->observations);
    if (hmm->observations == NULL) return crd_i_fail_memory(error);
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); status == CRD_OK && item != NULL;
         item = crd_i_json_tree_next(&p->tree, item)) {
        crd_i_stated_observation *next = &hmm->observations[hmm->observation_count++];
        status = read_observation(p, item, next, error);
        for (size_t i = 0; status == CRD_OK && i < next->name_count; i++)
            status = crd_i_hmm_file_add_column(p, item, next->names[i], error);
    }
    return status;
}
