/* SPDX-License-Identifier: MIT */
/* hmm_file_internal.h - internals shared by the files that parse the text of a hidden Markov model:
 *
 *   hmm_file.c                the file, its states and transitions
 *   hmm_file_observations.c   families of observations and their parameters
 *   hmm_file_values.c         names, numbers and probabilities
 *
 * All errors are CRD_ERROR_SYNTAX with the line, or CRD_ERROR_MEMORY. */
#ifndef CRD_SEQUENCE_HMM_FILE_INTERNAL_H
#define CRD_SEQUENCE_HMM_FILE_INTERNAL_H

#include "sequence/stated_hmm.h"
#include "table/formats/json_tree.h"

/* Largest absolute value of a number. Its square, and the square of a small multiple, is within the range of
 * doubles. */
#define CRD_I_HMM_LARGEST 1e150

typedef struct crd_i_hmm_parser {
    crd_i_json_tree tree;
    const crd_i_json_node *root;
    crd_i_stated_hmm *hmm;
    crd_i_dictionary *columns; /* names of all columns */
} crd_i_hmm_parser;

/* Report an error at the node's line. `format` has one %s, for the text. */
crd_status crd_i_hmm_file_fail_text(const crd_i_json_node *node, crd_error *error, const char *format, crd_text text);
crd_status crd_i_hmm_file_fail(const crd_i_json_node *node, crd_error *error, const char *message);

/* Reject unknown members of an object (`known` ends with NULL), and find a required member. */
CRD_MUST_USE crd_status crd_i_hmm_file_check_members(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                                     const char *description, const char *const *known,
                                                     crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_need(const crd_i_hmm_parser *p, const crd_i_json_node *object, const char *key,
                                            const char *description, const crd_i_json_node **out, crd_error *error);
/* Read optional members of the file. If the member is missing, the output is unchanged, except that a count becomes 1.
 * A count is at most `most`. */
CRD_MUST_USE crd_status crd_i_hmm_file_text(const crd_i_hmm_parser *p, const char *key, crd_text *view,
                                            crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_flag(const crd_i_hmm_parser *p, const char *key, bool *to, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_count(const crd_i_hmm_parser *p, const char *key, size_t most,
                                             size_t *destination, crd_error *error);
/* Reads a list of distinct, nonempty texts into a new array, which the caller owns even on failure. */
CRD_MUST_USE crd_status crd_i_hmm_file_names(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                             crd_text **out, size_t *count, crd_error *error);

/* Lengths of a nested list, from the outermost level inward, and what each level has one item for. */
typedef struct crd_i_hmm_shape {
    size_t depth, lengths[4];
    const char *of[4];
} crd_i_hmm_shape;
/* Return the shape with one number per emission class, and a shape with one more nested level. */
crd_i_hmm_shape crd_i_hmm_file_class_shape(const crd_i_stated_hmm *hmm);
crd_i_hmm_shape crd_i_hmm_file_shape_with(crd_i_hmm_shape shape, size_t length, const char *description);
/* Read finite numbers into an existing array, or into a new array. */
CRD_MUST_USE crd_status crd_i_hmm_file_fill(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                            const crd_i_hmm_shape *shape, double *destination, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_numbers(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                               const crd_i_hmm_shape *shape, double **out, crd_error *error);
/* Check that numbers are within bounds; that they are probabilities that sum to 1, except for rounding; and that each
 * row is such a distribution. */
CRD_MUST_USE crd_status crd_i_hmm_file_check_each(const crd_i_json_node *node, const char *key, const double *numbers,
                                                  size_t count, double least, double greatest, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_check_distribution(const crd_i_json_node *node, const char *description,
                                                          const double *numbers, size_t count, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_check_rows(const crd_i_hmm_parser *p, const crd_i_json_node *node,
                                                  const char *description, const double *numbers, size_t rows,
                                                  size_t count, crd_error *error);
/* Returns item n of a list, for its line; the list itself if there is no such item. */
const crd_i_json_node *crd_i_hmm_file_item(const crd_i_hmm_parser *p, const crd_i_json_node *list, size_t n);

/* Registers the name of a column, which must be new. Does nothing if name.bytes is NULL. */
CRD_MUST_USE crd_status crd_i_hmm_file_add_column(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_text name,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_observations(const crd_i_hmm_parser *p, crd_error *error);

#endif
