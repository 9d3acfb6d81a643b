/* SPDX-License-Identifier: MIT */
/* hmm_file.c - parses a hidden Markov model written by people as JSON text: docs/hmm-file.md.
 *
 *     {
 *       "credence_hmm": 1,
 *       "states": ["rain", "dry"],
 *       "start": [0.5, 0.5],
 *       "transitions": [[0.7, 0.3], [0.3, 0.7]],
 *       "observations": [
 *         {"name": "umbrella", "family": "categorical", "values": ["yes", "no"],
 *          "probability": [[0.9, 0.1], [0.2, 0.8]]}
 *       ]
 *     }
 *
 * Members may be in any order. An unknown member is an error, because it is probably a typing mistake. All
 * errors are CRD_ERROR_SYNTAX with the line, or CRD_ERROR_MEMORY.
 *
 * Contents:
 *   1. Members and numbers
 *   2. Observations
 *   3. States, transitions and file */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "sequence/stated_hmm.h"
#include "table/formats/json.h"
#include "table/values/column_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Largest absolute value of a number. Its square, and the square of a small multiple, is within the range of
 * doubles. */
#define CRD_I_HMM_LARGEST 1e150

typedef struct crd_i_hmm_parser {
    crd_i_json_tree tree;
    const crd_i_json_node *root;
    crd_i_stated_hmm *hmm;
    crd_i_dictionary *columns; /* names of all columns */
} crd_i_hmm_parser;

/* Lengths of a nested list, from the outermost level inward, and what each level has one item for. */
typedef struct crd_i_hmm_shape {
    size_t depth, lengths[4];
    const char *of[4];
} crd_i_hmm_shape;

/* ======== 1. Members and numbers ======== */

/* Tolerance of a sum of probabilities, which were rounded when they were written. */
static const double SLACK = 1e-6;

/* ---- Errors ---- */

/* Report an error at the node's line. `format` has one %s, for the text. */
static crd_status hmm_file_fail_text(const crd_i_json_node *node, crd_error *error, const char *format, crd_text text) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, format, crd_i_quote(text, quoted));
    crd_i_error_place(error, NULL, node->line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status hmm_file_fail(const crd_i_json_node *node, crd_error *error, const char *message) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, node->line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status fail_length(const crd_i_json_node *node, const char *key, size_t wanted, const char *of,
                              crd_error *error) {
    if (node->type != CRD_I_JSON_OPEN_ARRAY)
        crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' must be a list of %zu here, one for each %s", key, wanted, of);
    else
        crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' has a list of %u here, but needs %zu, one for each %s", key,
                   (unsigned)node->count, wanted, of);
    crd_i_error_place(error, NULL, node->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* ---- Members ---- */

/* Reject unknown members of an object (`known` ends with NULL), and find a required member. */
static crd_status hmm_file_check_members(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                         const char *description, const char *const *known, crd_error *error) {
    for (const crd_i_json_node *node = crd_i_json_tree_first(object); node != NULL;
         node = crd_i_json_tree_next(&p->tree, node)) {
        size_t i = 0;
        while (known[i] != NULL && !crd_text_equal(node->key, crd_text_of(known[i]))) i++;
        if (known[i] != NULL) continue;
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SYNTAX, "%s has the unknown member '%s': expected ", description,
                   crd_i_quote(node->key, quoted));
        for (i = 0; known[i] != NULL; i++) crd_i_error_item(error, i, crd_text_of(known[i]));
        crd_i_error_place(error, NULL, node->line, 0);
        return CRD_ERROR_SYNTAX;
    }
    return CRD_OK;
}

static crd_status hmm_file_need(const crd_i_hmm_parser *p, const crd_i_json_node *object, const char *key,
                                const char *description, const crd_i_json_node **out, crd_error *error) {
    *out = crd_i_json_tree_member(&p->tree, object, key);
    if (*out != NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s has no '%s'", description, key);
    crd_i_error_place(error, NULL, object->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* Read optional members of the file. If the member is missing, the output is unchanged, except that a count becomes 1.
 * A count is at most `most`. */
static crd_status hmm_file_text(const crd_i_hmm_parser *p, const char *key, crd_text *view, crd_error *error) {
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, key);
    if (node == NULL) return CRD_OK;
    if (node->type != CRD_I_JSON_TEXT || node->text.length == 0)
        return hmm_file_fail_text(node, error, "'%s' must be the name of a column, in quotes", crd_text_of(key));
    *view = node->text;
    return CRD_OK;
}

static crd_status hmm_file_flag(const crd_i_hmm_parser *p, const char *key, bool *to, crd_error *error) {
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, key);
    if (node == NULL) return CRD_OK;
    if (node->type != CRD_I_JSON_TRUE && node->type != CRD_I_JSON_FALSE)
        return hmm_file_fail_text(node, error, "'%s' must be true or false", crd_text_of(key));
    *to = node->type == CRD_I_JSON_TRUE;
    return CRD_OK;
}

static crd_status hmm_file_count(const crd_i_hmm_parser *p, const char *key, size_t most, size_t *destination,
                                 crd_error *error) {
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, key);
    *destination = 1;
    if (node == NULL) return CRD_OK;
    if (node->type == CRD_I_JSON_NUMBER && node->number >= 1 && node->number <= (double)most &&
        node->number == floor(node->number)) {
        *destination = (size_t)node->number;
        return CRD_OK;
    }
    crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' must be a whole number from 1 to %zu", key, most);
    crd_i_error_place(error, NULL, node->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* Reads a list of distinct, nonempty texts into a new array, which the caller owns even on failure. */
static crd_status hmm_file_names(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                 crd_text **out, size_t *count, crd_error *error) {
    crd_context *context = p->hmm->context;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0)
        return hmm_file_fail_text(node, error, "'%s' must be a list of texts", crd_text_of(key));
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    *out = crd_i_alloc(context, node->count, sizeof **out);
    crd_status status = names == NULL || *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); status == CRD_OK && item != NULL;
         item = crd_i_json_tree_next(&p->tree, item)) {
        if (item->type != CRD_I_JSON_TEXT || item->text.length == 0) {
            status = hmm_file_fail_text(item, error, "'%s' has an item that is empty or not a text", crd_text_of(key));
            break;
        }
        const int32_t code = crd_i_dictionary_add(names, item->text);
        if (code < 0) status = crd_i_fail_memory(error);
        else if ((size_t)code < *count)
            status = hmm_file_fail_text(item, error, "'%s' occurs twice in one list", item->text);
        else (*out)[(*count)++] = item->text;
    }
    crd_i_dictionary_destroy(names);
    return status;
}

/* ---- Numbers ---- */

/* Return the shape with one number per emission class, and a shape with one more nested level. */
static crd_i_hmm_shape hmm_file_class_shape(const crd_i_stated_hmm *hmm) {
    crd_i_hmm_shape shape = {.depth = 1, .lengths = {hmm->states}, .of = {"state"}};
    if (hmm->components > 1) {
        shape.depth = 2;
        shape.lengths[1] = hmm->components;
        shape.of[1] = "component";
    }
    return shape;
}

static crd_i_hmm_shape hmm_file_shape_with(crd_i_hmm_shape shape, size_t length, const char *description) {
    shape.lengths[shape.depth] = length;
    shape.of[shape.depth++] = description;
    return shape;
}

/* Reads the numbers of a nested list of the given shape, from nesting level `level` on. */
static crd_status hmm_file_values_fill(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                       const crd_i_hmm_shape *shape, size_t level, double **next, crd_error *error) {
    if (level == shape->depth) {
        if (node->type != CRD_I_JSON_NUMBER)
            return hmm_file_fail_text(node, error, "'%s' has an item that is not a number", crd_text_of(key));
        if (fabs(node->number) > CRD_I_HMM_LARGEST)
            return hmm_file_fail_text(node, error, "the number %s is too large", node->text);
        *(*next)++ = node->number;
        return CRD_OK;
    }
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count != shape->lengths[level])
        return fail_length(node, key, shape->lengths[level], shape->of[level], error);
    crd_status status = CRD_OK;
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); status == CRD_OK && item != NULL;
         item = crd_i_json_tree_next(&p->tree, item))
        status = hmm_file_values_fill(p, item, key, shape, level + 1, next, error);
    return status;
}

/* Read finite numbers into an existing array, or into a new array. */
static crd_status hmm_file_fill(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                const crd_i_hmm_shape *shape, double *destination, crd_error *error) {
    return hmm_file_values_fill(p, node, key, shape, 0, &destination, error);
}

/* The text must contain as many numbers as the array, so a short text cannot request much memory. */
static crd_status hmm_file_numbers(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                   const crd_i_hmm_shape *shape, double **out, crd_error *error) {
    size_t count = 1;
    for (size_t i = 0; i < shape->depth; i++) {
        if (shape->lengths[i] > 0 && count > p->tree.count / shape->lengths[i])
            return fail_length(node, key, shape->lengths[0], shape->of[0], error);
        count *= shape->lengths[i];
    }
    *out = crd_i_alloc(p->hmm->context, count, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    double *next = *out;
    return hmm_file_values_fill(p, node, key, shape, 0, &next, error);
}

/* Check that numbers are within bounds; that they are probabilities that sum to 1, except for rounding; and that each
 * row is such a distribution. */
static crd_status hmm_file_check_each(const crd_i_json_node *node, const char *key, const double *numbers, size_t count,
                                      double least, double greatest, crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] >= least && numbers[i] <= greatest) continue;
        crd_i_fail(error, CRD_ERROR_SYNTAX, "'%s' has %.10g, which is not between %g and %g", key, numbers[i], least,
                   greatest);
        crd_i_error_place(error, NULL, node->line, 0);
        return CRD_ERROR_SYNTAX;
    }
    return CRD_OK;
}

static crd_status hmm_file_check_distribution(const crd_i_json_node *node, const char *description,
                                              const double *numbers, size_t count, crd_error *error) {
    double sum = 0;
    crd_status status = hmm_file_check_each(node, description, numbers, count, 0, 1, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < count; i++) sum += numbers[i];
    if (!(fabs(sum - 1) <= SLACK)) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the probabilities of '%s' sum to %.10g, not 1: divide them by their sum",
                   description, sum);
        crd_i_error_place(error, NULL, node->line, 0);
        return CRD_ERROR_SYNTAX;
    }
    return CRD_OK;
}

/* Returns item n of a list, for its line; the list itself if there is no such item. */
static const crd_i_json_node *hmm_file_item(const crd_i_hmm_parser *p, const crd_i_json_node *list, size_t n) {
    const crd_i_json_node *node = crd_i_json_tree_first(list);
    for (size_t i = 0; i < n && node != NULL; i++) node = crd_i_json_tree_next(&p->tree, node);
    return node == NULL ? list : node;
}

static crd_status hmm_file_check_rows(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *description,
                                      const double *numbers, size_t rows, size_t count, crd_error *error) {
    crd_status status = CRD_OK;
    const crd_i_json_node *item = crd_i_json_tree_first(node);
    for (size_t i = 0; status == CRD_OK && i < rows; i++) {
        status = hmm_file_check_distribution(node->count == rows && item != NULL ? item : node, description,
                                             numbers + i * count, count, error);
        if (node->count == rows && item != NULL) item = crd_i_json_tree_next(&p->tree, item);
    }
    return status;
}

/* ======== 2. Observations ======== */

/* Parameters of a family, and the bounds of their values. `second` is NULL if the family has only one parameter. */
static const struct {
    const crd_i_family *family;
    const char *first, *second;
    double least, greatest, least_second;
} parameters[] = {
    {&crd_i_family_gaussian, "mean", "sd", -1e150, 1e150, 1e-150},
    {&crd_i_family_lognormal, "mean", "sd", -300, 300, 1e-8},
    {&crd_i_family_poisson, "rate", NULL, 0, 1e15, 0},
    {&crd_i_family_exponential, "rate", NULL, 1e-150, 1e150, 0},
    {&crd_i_family_bernoulli, "probability", NULL, 0, 1, 0},
    {&crd_i_family_uniform, "minimum", "maximum", -1e150, 1e150, -1e150},
};
enum { FAMILY_COUNT = sizeof parameters / sizeof *parameters };

/* Reads the values and probabilities of a categorical observation. */
static crd_status read_categorical(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                   crd_i_stated_observation *observation, crd_error *error) {
    static const char *const known[] = {"name", "family", "values", "probability", NULL};
    const crd_i_json_node *values, *node;
    observation->family = &crd_i_family_categorical;
    crd_status status = hmm_file_check_members(p, object, "a categorical observation", known, error);
    if (status == CRD_OK) status = hmm_file_need(p, object, "values", "a categorical observation", &values, error);
    if (status == CRD_OK)
        status = hmm_file_names(p, values, "values", &observation->values, &observation->value_count, error);
    if (status == CRD_OK) status = hmm_file_need(p, object, "probability", "a categorical observation", &node, error);
    if (status != CRD_OK) return status;
    const crd_i_hmm_shape shape = hmm_file_shape_with(hmm_file_class_shape(p->hmm), observation->value_count, "value");
    status = hmm_file_numbers(p, node, "probability", &shape, &observation->firsts, error);
    const size_t classes = p->hmm->states * p->hmm->components;
    return status == CRD_OK ? hmm_file_check_rows(p, node, "probability", observation->firsts, classes,
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
    crd_status status = hmm_file_check_members(p, object, WHAT, known, error);
    if (status == CRD_OK) status = hmm_file_need(p, object, "names", WHAT, &names, error);
    if (status == CRD_OK)
        status = hmm_file_names(p, names, "names", &observation->names, &observation->name_count, error);
    if (status == CRD_OK) status = hmm_file_need(p, object, "mean", WHAT, &mean, error);
    if (status == CRD_OK) status = hmm_file_need(p, object, "covariance", WHAT, &covariance, error);
    if (status != CRD_OK) return status;
    if (observation->name_count < 2)
        return hmm_file_fail(names, error,
                             "'normal' needs two columns or more: for one column, use the family gaussian");
    const size_t size = observation->name_count, classes = p->hmm->states * p->hmm->components;
    const crd_i_hmm_shape line = hmm_file_shape_with(hmm_file_class_shape(p->hmm), size, "column"),
                          square = hmm_file_shape_with(line, size, "column");
    status = hmm_file_numbers(p, mean, "mean", &line, &observation->firsts, error);
    if (status == CRD_OK) status = hmm_file_numbers(p, covariance, "covariance", &square, &observation->seconds, error);
    double *workspace = status == CRD_OK ? crd_i_alloc(p->hmm->context, size * size, sizeof *workspace) : NULL;
    if (status == CRD_OK && workspace == NULL) status = crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < classes; k++)
        if (!is_covariance(observation->seconds + k * size * size, size, workspace))
            status = hmm_file_fail_text(
                covariance, error, "the covariance matrix of state '%s' is not symmetric, or not positive definite",
                p->hmm->names[k / p->hmm->components]);
    crd_free(p->hmm->context, workspace);
    return status;
}

static crd_status fail_family(const crd_i_json_node *node, crd_error *error) {
    hmm_file_fail_text(node, error, "unknown family '%s': expected ", node->text);
    crd_i_error_item(error, 0, crd_text_of("categorical"));
    crd_i_error_item(error, 1, crd_text_of("normal"));
    for (size_t i = 0; i < FAMILY_COUNT; i++) crd_i_error_item(error, i + 2, crd_text_of(parameters[i].family->name));
    return CRD_ERROR_SYNTAX;
}

/* Returns the name of a parameter in the file, which an earlier version may have written. */
static const char *parameter_name(const crd_i_hmm_parser *p, const crd_i_json_node *object, const char *name) {
    static const char *const former[][2] = {{"sd", "deviation"}, {"minimum", "least"}, {"maximum", "greatest"}};
    for (size_t i = 0; name != NULL && i < sizeof former / sizeof *former; i++)
        if (strcmp(name, former[i][0]) == 0 && crd_i_json_tree_member(&p->tree, object, former[i][1]) != NULL)
            return former[i][1];
    return name;
}

/* Reads the parameters of an observation with one of the univariate numeric families. */
static crd_status read_number_family(const crd_i_hmm_parser *p, const crd_i_json_node *object, size_t family,
                                     crd_i_stated_observation *observation, crd_error *error) {
    const char *first = parameter_name(p, object, parameters[family].first);
    const char *second = parameter_name(p, object, parameters[family].second);
    const char *const known[] = {"name", "family", first, second, NULL};
    const crd_i_json_node *node, *second_at = NULL;
    const size_t classes = p->hmm->states * p->hmm->components;
    const crd_i_hmm_shape shape = hmm_file_class_shape(p->hmm);
    char what[64];
    snprintf(what, sizeof what, "an observation of the family '%s'", parameters[family].family->name);
    observation->family = parameters[family].family;
    crd_status status = hmm_file_check_members(p, object, what, known, error);
    if (status == CRD_OK) status = hmm_file_need(p, object, first, what, &node, error);
    if (status == CRD_OK) status = hmm_file_numbers(p, node, first, &shape, &observation->firsts, error);
    if (status == CRD_OK)
        status = hmm_file_check_each(node, first, observation->firsts, classes, parameters[family].least,
                                     parameters[family].greatest, error);
    if (status != CRD_OK || second == NULL) return status;
    status = hmm_file_need(p, object, second, what, &second_at, error);
    if (status == CRD_OK) status = hmm_file_numbers(p, second_at, second, &shape, &observation->seconds, error);
    if (status == CRD_OK)
        status = hmm_file_check_each(second_at, second, observation->seconds, classes, parameters[family].least_second,
                                     CRD_I_HMM_LARGEST, error);
    for (size_t k = 0; status == CRD_OK && k < classes && observation->family == &crd_i_family_uniform; k++)
        if (!(observation->seconds[k] > observation->firsts[k]))
            status = hmm_file_fail(second_at, error, "'maximum' must be above 'minimum'");
    return status;
}

/* Reads an observation, according to its family. */
static crd_status read_observation(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                   crd_i_stated_observation *observation, crd_error *error) {
    const crd_i_json_node *node, *name;
    observation->line = object->line;
    if (object->type != CRD_I_JSON_OPEN_OBJECT)
        return hmm_file_fail(object, error, "an observation must be an object, in braces");
    crd_status status = hmm_file_need(p, object, "family", "an observation", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_TEXT)
        return hmm_file_fail(node, error, "'family' must be the name of a family, in quotes");
    if (crd_text_equal(node->text, crd_text_of("normal"))) return read_normal(p, object, observation, error);
    status = hmm_file_need(p, object, "name", "an observation", &name, error);
    if (status != CRD_OK) return status;
    if (name->type != CRD_I_JSON_TEXT || name->text.length == 0)
        return hmm_file_fail(name, error, "'name' must be the name of a column, in quotes");
    observation->names = crd_i_alloc(p->hmm->context, 1, sizeof *observation->names);
    if (observation->names == NULL) return crd_i_fail_memory(error);
    observation->names[observation->name_count++] = name->text;
    if (crd_text_equal(node->text, crd_text_of("categorical"))) return read_categorical(p, object, observation, error);
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (crd_text_equal(node->text, crd_text_of(parameters[i].family->name)))
            return read_number_family(p, object, i, observation, error);
    return fail_family(node, error);
}

/* Registers the name of a column, which must be new. Does nothing if name.bytes is NULL. */
static crd_status hmm_file_add_column(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_text name,
                                      crd_error *error) {
    if (name.bytes == NULL) return CRD_OK;
    const size_t known = crd_i_dictionary_size(p->columns);
    const int32_t code = crd_i_dictionary_add(p->columns, name);
    if (code < 0) return crd_i_fail_memory(error);
    return (size_t)code < known ? hmm_file_fail_text(node, error, "two columns are called '%s'", name) : CRD_OK;
}

static crd_status hmm_file_observations(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node;
    crd_status status = hmm_file_need(p, p->root, "observations", "the file", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0)
        return hmm_file_fail(node, error, "'observations' must be a list of columns");
    hmm->observations = crd_i_alloc_zeroed(hmm->context, node->count, sizeof *hmm->observations);
    if (hmm->observations == NULL) return crd_i_fail_memory(error);
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); status == CRD_OK && item != NULL;
         item = crd_i_json_tree_next(&p->tree, item)) {
        crd_i_stated_observation *next = &hmm->observations[hmm->observation_count++];
        status = read_observation(p, item, next, error);
        for (size_t i = 0; status == CRD_OK && i < next->name_count; i++)
            status = hmm_file_add_column(p, item, next->names[i], error);
    }
    return status;
}

/* ======== 3. States, transitions and file ======== */

/* ---- States and transitions ---- */

static crd_status hmm_file_read_states(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node;
    crd_status status = hmm_file_need(p, p->root, "states", "the file", &node, error);
    if (status == CRD_OK) status = hmm_file_names(p, node, "states", &hmm->names, &hmm->states, error);
    if (status == CRD_OK && hmm->states > CRD_I_MOST_HIDDEN_STATES)
        status = hmm_file_fail(node, error, "too many states");
    if (status == CRD_OK) status = hmm_file_need(p, p->root, "start", "the file", &node, error);
    const crd_i_hmm_shape shape = {.depth = 1, .lengths = {hmm->states}, .of = {"state"}};
    if (status == CRD_OK) status = hmm_file_numbers(p, node, "start", &shape, &hmm->start, error);
    return status == CRD_OK ? hmm_file_check_distribution(node, "start", hmm->start, hmm->states, error) : status;
}

/* Reads the component weights of the states. Without the member "components", every state has one component. */
static crd_status read_components(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, "components");
    hmm->components = 1;
    if (node != NULL) {
        const crd_i_json_node *first = node->type == CRD_I_JSON_OPEN_ARRAY ? crd_i_json_tree_first(node) : NULL;
        if (first == NULL || first->type != CRD_I_JSON_OPEN_ARRAY || first->count == 0 ||
            first->count > CRD_I_MOST_COMPONENTS)
            return hmm_file_fail(node, error, "'components' must be a list with the component weights of each state");
        hmm->components = first->count;
    }
    if (node == NULL) {
        hmm->weights = crd_i_alloc(hmm->context, hmm->states, sizeof *hmm->weights);
        if (hmm->weights == NULL) return crd_i_fail_memory(error);
        for (size_t k = 0; k < hmm->states; k++) hmm->weights[k] = 1;
        return CRD_OK;
    }
    const crd_i_hmm_shape shape = {.depth = 2, .lengths = {hmm->states, hmm->components}, .of = {"state", "component"}};
    crd_status status = hmm_file_numbers(p, node, "components", &shape, &hmm->weights, error);
    if (status != CRD_OK) return status;
    return hmm_file_check_rows(p, node, "components", hmm->weights, hmm->states, hmm->components, error);
}

static crd_status make_contexts(crd_i_stated_hmm *hmm, size_t count, crd_error *error) {
    hmm->contexts = crd_i_alloc_zeroed(hmm->context, count, sizeof *hmm->contexts);
    hmm->next = crd_i_alloc_zeroed(hmm->context, count, (hmm->states + 1) * sizeof *hmm->next);
    hmm->context_count = count;
    return hmm->contexts == NULL || hmm->next == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* Reads the transition matrix, with a row for each state, and the end probabilities. */
static crd_status read_matrix(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const size_t states = hmm->states;
    const crd_i_json_node *end = crd_i_json_tree_member(&p->tree, p->root, "end");
    double *rows = NULL, *ends = NULL;
    const crd_i_hmm_shape square = {.depth = 2, .lengths = {states, states}, .of = {"state", "state"}};
    const crd_i_hmm_shape line = {.depth = 1, .lengths = {states}, .of = {"state"}};
    crd_status status = hmm_file_numbers(p, node, "transitions", &square, &rows, error);
    if (status == CRD_OK && end != NULL) status = hmm_file_numbers(p, end, "end", &line, &ends, error);
    if (status == CRD_OK) status = make_contexts(hmm, states, error);
    hmm->has_ends = end != NULL;
    for (size_t k = 0; status == CRD_OK && k < states; k++) {
        double *row = hmm->next + k * (states + 1);
        memcpy(row, rows + k * states, states * sizeof *row);
        row[states] = end == NULL ? 0 : ends[k];
        hmm->contexts[k].length = 1;
        hmm->contexts[k].states[0] = (uint32_t)k;
        hmm->contexts[k].line = hmm_file_item(p, node, k)->line;
        const char *description = end == NULL ? "transitions" : "transitions' and 'end";
        status = hmm_file_check_distribution(hmm_file_item(p, node, k), description, row, states + 1, error);
    }
    crd_free(hmm->context, rows);
    crd_free(hmm->context, ends);
    return status;
}

static size_t state_named(const crd_i_stated_hmm *hmm, crd_text name) {
    size_t k = 0;
    while (k < hmm->states && !crd_text_equal(hmm->names[k], name)) k++;
    return k;
}

/* Reads the states of a context, the latest last. */
static crd_status read_after(const crd_i_hmm_parser *p, const crd_i_json_node *object, crd_i_stated_context *stated,
                             crd_error *error) {
    const crd_i_json_node *node;
    crd_status status = hmm_file_need(p, object, "after", "an item of 'transitions'", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0 || node->count > p->hmm->order)
        return hmm_file_fail(
            node, error, "'after' must be a list of states, the latest last, with at most as many states as the order");
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); item != NULL;
         item = crd_i_json_tree_next(&p->tree, item)) {
        const size_t k = item->type == CRD_I_JSON_TEXT ? state_named(p->hmm, item->text) : p->hmm->states;
        if (k == p->hmm->states) return hmm_file_fail_text(item, error, "unknown state '%s'", item->text);
        stated->states[stated->length++] = (uint32_t)k;
    }
    stated->line = object->line;
    return CRD_OK;
}

/* Reads a context and the distribution of its successors. */
static crd_status read_context(const crd_i_hmm_parser *p, const crd_i_json_node *object, size_t place,
                               crd_error *error) {
    static const char *const known[] = {"after", "to", "end", NULL};
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node;
    if (object->type != CRD_I_JSON_OPEN_OBJECT)
        return hmm_file_fail(object, error,
                             "'transitions' must be a list of objects with 'after' and 'to', or, in order 1, of rows");
    crd_status status = hmm_file_check_members(p, object, "an item of 'transitions'", known, error);
    if (status == CRD_OK) status = read_after(p, object, &hmm->contexts[place], error);
    if (status == CRD_OK) status = hmm_file_need(p, object, "to", "an item of 'transitions'", &node, error);
    if (status != CRD_OK) return status;
    const crd_i_hmm_shape line = {.depth = 1, .lengths = {hmm->states}, .of = {"state"}};
    double *row = hmm->next + place * (hmm->states + 1);
    status = hmm_file_fill(p, node, "to", &line, row, error);
    const crd_i_json_node *end = crd_i_json_tree_member(&p->tree, object, "end");
    if (status == CRD_OK && end != NULL) {
        if (end->type != CRD_I_JSON_NUMBER) return hmm_file_fail(end, error, "'end' must be a probability here");
        row[hmm->states] = end->number;
        hmm->has_ends = true;
    }
    return status == CRD_OK ? hmm_file_check_distribution(object, "to", row, hmm->states + 1, error) : status;
}

/* Returns the rank of a context: after all shorter contexts, and in lexicographic order among those of its length. */
static size_t hmm_file_rank(const crd_i_stated_hmm *hmm, const crd_i_stated_context *context) {
    size_t rank = 0, shorter = 0, width = 1;
    for (size_t i = 0; i < context->length; i++) {
        rank = rank * hmm->states + context->states[i];
        shorter += i > 0 ? width : 0;
        width *= hmm->states;
    }
    return shorter + rank;
}

/* Checks that every reachable context is specified exactly once. */
static crd_status check_contexts(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    size_t ranks = 0, width = 1;
    for (size_t i = 0; i < hmm->order; i++) {
        width *= hmm->states;
        ranks += width;
    }
    if (hmm->context_count > ranks) return hmm_file_fail(node, error, "'transitions' has the same states twice");
    if (ranks / 64 > p->tree.count + 1024)
        return hmm_file_fail(node, error, "'transitions' lacks most combinations of states");
    size_t *place = crd_i_alloc(hmm->context, ranks, sizeof *place);
    if (place == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < ranks; i++) place[i] = SIZE_MAX;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < hmm->context_count; i++) {
        size_t *mine = &place[hmm_file_rank(hmm, &hmm->contexts[i])];
        if (*mine != SIZE_MAX) {
            const crd_i_json_node *twice = hmm_file_item(p, node, i);
            status = hmm_file_fail(twice, error, "'transitions' has the same states a second time");
        }
        *mine = i;
    }
    /* Check the successors of the start and of every context. */
    for (size_t i = 0; status == CRD_OK && i < hmm->states + hmm->context_count * hmm->states; i++) {
        crd_i_stated_context next = {.length = 1};
        const size_t source = i < hmm->states ? 0 : i / hmm->states - 1, state = i % hmm->states;
        const double probability = i < hmm->states ? hmm->start[state] : hmm->next[source * (hmm->states + 1) + state];
        if (!(probability > 0)) continue;
        if (i >= hmm->states) {
            const crd_i_stated_context *before = &hmm->contexts[source];
            const size_t drop = before->length == hmm->order ? 1 : 0;
            next.length = before->length + 1 - drop;
            memcpy(next.states, before->states + drop, (next.length - 1) * sizeof *next.states);
        }
        next.states[next.length - 1] = (uint32_t)state;
        if (place[hmm_file_rank(hmm, &next)] != SIZE_MAX) continue;
        crd_i_fail(error, CRD_ERROR_SYNTAX, "'transitions' has no item for these possible states: ");
        for (size_t s = 0; s < next.length; s++) crd_i_error_item(error, s, hmm->names[next.states[s]]);
        crd_i_error_place(error, NULL, node->line, 0);
        status = CRD_ERROR_SYNTAX;
    }
    crd_free(hmm->context, place);
    return status;
}

static crd_status read_contexts(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_error *error) {
    const crd_i_json_node *end = crd_i_json_tree_member(&p->tree, p->root, "end");
    if (end != NULL) return hmm_file_fail(end, error, "'end' must be in each item of 'transitions'");
    crd_status status = make_contexts(p->hmm, node->count, error);
    const crd_i_json_node *item = crd_i_json_tree_first(node);
    for (size_t i = 0; status == CRD_OK && item != NULL; i++, item = crd_i_json_tree_next(&p->tree, item))
        status = read_context(p, item, i, error);
    return status == CRD_OK ? check_contexts(p, node, error) : status;
}

static crd_status read_transitions(const crd_i_hmm_parser *p, crd_error *error) {
    const crd_i_json_node *node;
    crd_status status = hmm_file_count(p, "order", CRD_I_MOST_ORDER, &p->hmm->order, error);
    if (status == CRD_OK) status = hmm_file_need(p, p->root, "transitions", "the file", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0)
        return hmm_file_fail(node, error, "'transitions' must be a list of rows, one for each state");
    const bool has_rows = crd_i_json_tree_first(node)->type == CRD_I_JSON_OPEN_ARRAY;
    return has_rows && p->hmm->order == 1 ? read_matrix(p, node, error) : read_contexts(p, node, error);
}

/* ---- The file ---- */

static crd_status hmm_file_read_version(const crd_i_hmm_parser *p, crd_error *error) {
    const crd_i_json_node *node;
    crd_status status = hmm_file_need(p, p->root, "credence_hmm", "the file", &node, error);
    if (status != CRD_OK) crd_i_error_hint(error, "a hidden Markov model has the member \"credence_hmm\": 1");
    if (status != CRD_OK || (node->type == CRD_I_JSON_NUMBER && node->number == 1)) return status;
    return hmm_file_fail(node, error, "'credence_hmm' must be 1, the only version that this library supports");
}

static crd_status hmm_file_read_time_format(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_column_format format;
    crd_i_stated_hmm *hmm = p->hmm;
    /* Earlier versions wrote "time_form" instead of "time_format". */
    const bool is_former = crd_i_json_tree_member(&p->tree, p->root, "time_form") != NULL;
    const char *key = is_former ? "time_form" : "time_format";
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, key);
    crd_status status = hmm_file_text(p, key, &hmm->time_format, error);
    if (status != CRD_OK || node == NULL) return status;
    if (hmm->time.bytes == NULL) return hmm_file_fail(node, error, "'time_format' needs 'time'");
    if (crd_i_column_format_find_time(hmm->time_format, &format)) return CRD_OK;
    return hmm_file_fail(node, error, "'time_format' must be a format of times, for example \"seconds-dmy\"");
}

/* Reads the names of the columns and how sequences are found in files. */
static crd_status hmm_file_read_sequences(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *step = crd_i_json_tree_member(&p->tree, p->root, "step");
    hmm->has_header = true;
    crd_status status = hmm_file_text(p, "target", &hmm->target, error);
    if (status == CRD_OK) status = hmm_file_text(p, "sequence", &hmm->sequence, error);
    if (status == CRD_OK) status = hmm_file_text(p, "time", &hmm->time, error);
    if (status == CRD_OK) status = hmm_file_read_time_format(p, error);
    if (status == CRD_OK) status = hmm_file_flag(p, "blank_lines", &hmm->blank_lines, error);
    if (status == CRD_OK && hmm->blank_lines) hmm->has_header = false;
    if (status == CRD_OK) status = hmm_file_flag(p, "header", &hmm->has_header, error);
    if (status != CRD_OK) return status;
    hmm->is_hidden = hmm->target.bytes == NULL;
    if (hmm->is_hidden) hmm->target = crd_text_of("state");
    if (step != NULL && (step->type != CRD_I_JSON_NUMBER || !(step->number >= 1e-150)))
        return hmm_file_fail(step, error, "'step' must be a number above 0");
    if (step != NULL && hmm->time.bytes == NULL) return hmm_file_fail(step, error, "'step' needs 'time'");
    if (hmm->blank_lines && hmm->sequence.bytes != NULL)
        return hmm_file_fail(p->root, error, "'sequence' cannot be combined with \"blank_lines\": true");
    hmm->step = step == NULL ? 0 : step->number;
    status = hmm_file_add_column(p, p->root, hmm->target, error);
    if (status == CRD_OK) status = hmm_file_add_column(p, p->root, hmm->sequence, error);
    return status == CRD_OK ? hmm_file_add_column(p, p->root, hmm->time, error) : status;
}

static crd_status hmm_file_read_all(const crd_i_hmm_parser *p, crd_error *error) {
    static const char *const known[] = {"credence_hmm", "states",       "start",  "order",  "transitions",
                                        "end",          "components",   "target", "time",   "time_format",
                                        "time_form",    "sequence",     "step",   "header", "blank_lines",
                                        "comment",      "observations", NULL};
    if (p->root->type != CRD_I_JSON_OPEN_OBJECT)
        return hmm_file_fail(p->root, error, "the file must be one object, in braces");
    crd_status status = hmm_file_read_version(p, error);
    if (status == CRD_OK) status = hmm_file_check_members(p, p->root, "the file", known, error);
    if (status == CRD_OK) status = hmm_file_read_states(p, error);
    if (status == CRD_OK) status = read_components(p, error);
    if (status == CRD_OK) status = read_transitions(p, error);
    if (status == CRD_OK) status = hmm_file_read_sequences(p, error);
    return status == CRD_OK ? hmm_file_observations(p, error) : status;
}

crd_status crd_i_stated_hmm_read(crd_context *context, char *bytes, size_t length, crd_i_stated_hmm *out,
                                 crd_error *error) {
    const crd_i_stated_hmm none = {.context = context};
    crd_i_hmm_parser p = {.hmm = out};
    *out = none;
    const crd_text text = {bytes, length};
    if (!crd_i_utf8_is_valid(text)) return crd_i_fail(error, CRD_ERROR_SYNTAX, "the file is not valid UTF-8");
    const size_t mark = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    crd_status status = crd_i_json_tree_read(context, bytes + mark, length - mark, &p.tree, error);
    if (status != CRD_OK) return status;
    p.root = &p.tree.nodes[0];
    p.columns = crd_i_dictionary_create(context);
    status = p.columns == NULL ? crd_i_fail_memory(error) : hmm_file_read_all(&p, error);
    crd_i_dictionary_destroy(p.columns);
    crd_i_json_tree_clear(&p.tree);
    if (status != CRD_OK) crd_i_stated_hmm_clear(out);
    return status;
}

static bool hmm_file_is_blank(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Returns the index after the string that begins with the quote at `index`. */
static size_t pass_string(const unsigned char *bytes, size_t length, size_t index) {
    for (index++; index < length && bytes[index] != '"'; index++)
        if (bytes[index] == '\\') index++;
    return index < length ? index + 1 : length;
}

/* Returns whether the object at the beginning has a direct member `name` whose value begins with `begins`; '\0': any
 * value. */
static bool has_member(const unsigned char *bytes, size_t length, const char *name, char begins) {
    const size_t size = strlen(name);
    size_t depth = 0;
    for (size_t index = 0; index < length;) {
        const unsigned char byte = bytes[index];
        if (byte != '"') {
            depth += byte == '{' || byte == '[';
            if ((byte == '}' || byte == ']') && --depth == 0) return false;
            index++;
            continue;
        }
        const size_t end = pass_string(bytes, length, index);
        const bool is_name = depth == 1 && end - index == size + 2 && memcmp(bytes + index + 1, name, size) == 0;
        index = end;
        while (index < length && hmm_file_is_blank(bytes[index])) index++;
        if (!is_name || index == length || bytes[index] != ':') continue;
        for (index++; index < length && hmm_file_is_blank(bytes[index]);) index++;
        if (begins == '\0' || (index < length && bytes[index] == (unsigned char)begins)) return true;
    }
    return false;
}

/* Recognizes a file by the member "credence_hmm". Without it, lists of states and of start or transition probabilities
 * are also recognized, because rows of data do not have such members. */
bool crd_i_stated_hmm_recognize(const unsigned char *bytes, size_t length) {
    size_t index = 0;
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) index = 3;
    while (index < length && hmm_file_is_blank(bytes[index])) index++;
    if (index == length || bytes[index] != '{') return false;
    bytes += index;
    length -= index;
    return has_member(bytes, length, "credence_hmm", '\0') ||
           (has_member(bytes, length, "states", '[') &&
            (has_member(bytes, length, "start", '[') || has_member(bytes, length, "transitions", '[')));
}

void crd_i_stated_hmm_clear(crd_i_stated_hmm *stated) {
    crd_context *context = stated->context;
    for (size_t i = 0; i < stated->observation_count; i++) {
        crd_free(context, stated->observations[i].names);
        crd_free(context, stated->observations[i].values);
        crd_free(context, stated->observations[i].firsts);
        crd_free(context, stated->observations[i].seconds);
    }
    crd_free(context, stated->observations);
    crd_free(context, stated->names);
    crd_free(context, stated->start);
    crd_free(context, stated->contexts);
    crd_free(context, stated->next);
    crd_free(context, stated->weights);
    const crd_i_stated_hmm none = {.context = context};
    *stated = none;
}
