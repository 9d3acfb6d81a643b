/* SPDX-License-Identifier: MIT */
/* hmm_file_values.c - parses names, numbers and probabilities in the text of a hidden Markov model. See
 * hmm_file_internal.h. */
#include "sequence/hmm_file_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Tolerance of a sum of probabilities, which were rounded when they were written. */
static const double SLACK = 1e-6;

/* ---- Errors ---- */

crd_status crd_i_hmm_file_fail_text(const crd_i_json_node *node, crd_error *error, const char *format, crd_text text) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SYNTAX, format, crd_i_quote(text, quoted));
    crd_i_error_place(error, NULL, node->line, 0);
    return CRD_ERROR_SYNTAX;
}

crd_status crd_i_hmm_file_fail(const crd_i_json_node *node, crd_error *error, const char *message) {
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

crd_status crd_i_hmm_file_check_members(const crd_i_hmm_parser *p, const crd_i_json_node *object,
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

crd_status crd_i_hmm_file_need(const crd_i_hmm_parser *p, const crd_i_json_node *object, const char *key,
                               const char *description, const crd_i_json_node **out, crd_error *error) {
    *out = crd_i_json_tree_member(&p->tree, object, key);
    if (*out != NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s has no '%s'", description, key);
    crd_i_error_place(error, NULL, object->line, 0);
    return CRD_ERROR_SYNTAX;
}

crd_status crd_i_hmm_file_text(const crd_i_hmm_parser *p, const char *key, crd_text *view, crd_error *error) {
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, key);
    if (node == NULL) return CRD_OK;
    if (node->type != CRD_I_JSON_TEXT || node->text.length == 0)
        return crd_i_hmm_file_fail_text(node, error, "'%s' must be the name of a column, in quotes", crd_text_of(key));
    *view = node->text;
    return CRD_OK;
}

crd_status crd_i_hmm_file_flag(const crd_i_hmm_parser *p, const char *key, bool *to, crd_error *error) {
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, key);
    if (node == NULL) return CRD_OK;
    if (node->type != CRD_I_JSON_TRUE && node->type != CRD_I_JSON_FALSE)
        return crd_i_hmm_file_fail_text(node, error, "'%s' must be true or false", crd_text_of(key));
    *to = node->type == CRD_I_JSON_TRUE;
    return CRD_OK;
}

crd_status crd_i_hmm_file_count(const crd_i_hmm_parser *p, const char *key, size_t most, size_t *destination,
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

crd_status crd_i_hmm_file_names(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key, crd_text **out,
                                size_t *count, crd_error *error) {
    crd_context *context = p->hmm->context;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0)
        return crd_i_hmm_file_fail_text(node, error, "'%s' must be a list of texts", crd_text_of(key));
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    *out = crd_i_alloc(context, node->count, sizeof **out);
    crd_status status = names == NULL || *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); status == CRD_OK && item != NULL;
         item = crd_i_json_tree_next(&p->tree, item)) {
        if (item->type != CRD_I_JSON_TEXT || item->text.length == 0) {
            status =
                crd_i_hmm_file_fail_text(item, error, "'%s' has an item that is empty or not a text", crd_text_of(key));
            break;
        }
        const int32_t code = crd_i_dictionary_add(names, item->text);
        if (code < 0) status = crd_i_fail_memory(error);
        else if ((size_t)code < *count)
            status = crd_i_hmm_file_fail_text(item, error, "'%s' occurs twice in one list", item->text);
        else (*out)[(*count)++] = item->text;
    }
    crd_i_dictionary_destroy(names);
    return status;
}

/* ---- Numbers ---- */

crd_i_hmm_shape crd_i_hmm_file_class_shape(const crd_i_stated_hmm *hmm) {
    crd_i_hmm_shape shape = {.depth = 1, .lengths = {hmm->states}, .of = {"state"}};
    if (hmm->components > 1) {
        shape.depth = 2;
        shape.lengths[1] = hmm->components;
        shape.of[1] = "component";
    }
    return shape;
}

crd_i_hmm_shape crd_i_hmm_file_shape_with(crd_i_hmm_shape shape, size_t length, const char *description) {
    shape.lengths[shape.depth] = length;
    shape.of[shape.depth++] = description;
    return shape;
}

/* Reads the numbers of a nested list of the given shape, from nesting level `level` on. */
static crd_status hmm_file_values_fill(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                       const crd_i_hmm_shape *shape, size_t level, double **next, crd_error *error) {
    if (level == shape->depth) {
        if (node->type != CRD_I_JSON_NUMBER)
            return crd_i_hmm_file_fail_text(node, error, "'%s' has an item that is not a number", crd_text_of(key));
        if (fabs(node->number) > CRD_I_HMM_LARGEST)
            return crd_i_hmm_file_fail_text(node, error, "the number %s is too large", node->text);
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

crd_status crd_i_hmm_file_fill(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                               const crd_i_hmm_shape *shape, double *destination, crd_error *error) {
    return hmm_file_values_fill(p, node, key, shape, 0, &destination, error);
}

/* The text must contain as many numbers as the array, so a short text cannot request much memory. */
crd_status crd_i_hmm_file_numbers(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
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

crd_status crd_i_hmm_file_check_each(const crd_i_json_node *node, const char *key, const double *numbers, size_t count,
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

crd_status crd_i_hmm_file_check_distribution(const crd_i_json_node *node, const char *description,
                                             const double *numbers, size_t count, crd_error *error) {
    double sum = 0;
    crd_status status = crd_i_hmm_file_check_each(node, description, numbers, count, 0, 1, error);
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

const crd_i_json_node *crd_i_hmm_file_item(const crd_i_hmm_parser *p, const crd_i_json_node *list, size_t n) {
    const crd_i_json_node *node = crd_i_json_tree_first(list);
    for (size_t i = 0; i < n && node != NULL; i++) node = crd_i_json_tree_next(&p->tree, node);
    return node == NULL ? list : node;
}

crd_status crd_i_hmm_file_check_rows(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *description,
                                     const double *numbers, size_t rows, size_t count, crd_error *error) {
    crd_status status = CRD_OK;
    const crd_i_json_node *item = crd_i_json_tree_first(node);
    for (size_t i = 0; status == CRD_OK && i < rows; i++) {
        status = crd_i_hmm_file_check_distribution(node->count == rows && item != NULL ? item : node, description,
                                                   numbers + i * count, count, error);
        if (node->count == rows && item != NULL) item = crd_i_json_tree_next(&p->tree, item);
    }
    return status;
}
