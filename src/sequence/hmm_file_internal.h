/* SPDX-License-Identifier: MIT */
/* hmm_file_internal.h - what the files that read the text of a hidden Markov model share:
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

/* Numbers whose squares, and those of what is a few times as far off, are in the range of doubles. */
#define CRD_I_HMM_LARGEST 1e150

typedef struct crd_i_hmm_parser {
    crd_i_json_tree tree;
    const crd_i_json_node *root;
    crd_i_stated_hmm *hmm;
    crd_i_dictionary *columns; /* the names of all columns */
} crd_i_hmm_parser;

/* `format` has one %s, for the text. */
crd_status crd_i_hmm_file_fail_text(const crd_i_json_node *node, crd_error *error, const char *format, crd_text text);
crd_status crd_i_hmm_file_fail(const crd_i_json_node *node, crd_error *error, const char *message);

/* Refuses members that are not among those known, which end with NULL; finds one that has to be there. */
CRD_MUST_USE crd_status crd_i_hmm_file_check_members(const crd_i_hmm_parser *p, const crd_i_json_node *object,
                                                     const char *description, const char *const *known,
                                                     crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_need(const crd_i_hmm_parser *p, const crd_i_json_node *object, const char *key,
                                            const char *description, const crd_i_json_node **out, crd_error *error);
/* Members of the file that may be left out; *to is as it was then, and a count, which is at most `most`, is 1. */
CRD_MUST_USE crd_status crd_i_hmm_file_text(const crd_i_hmm_parser *p, const char *key, crd_text *view,
                                            crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_flag(const crd_i_hmm_parser *p, const char *key, bool *to, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_count(const crd_i_hmm_parser *p, const char *key, size_t most,
                                             size_t *destination, crd_error *error);
/* Different texts, none of them empty, into a fresh list, which the caller has also on failure. */
CRD_MUST_USE crd_status crd_i_hmm_file_names(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                             crd_text **out, size_t *count, crd_error *error);

/* How long the lists of a nested list are, from the outermost in, and what they have a number for each of. */
typedef struct crd_i_hmm_shape {
    size_t depth, lengths[4];
    const char *of[4];
} crd_i_hmm_shape;
/* A number for each emission class; a list more for each. */
crd_i_hmm_shape crd_i_hmm_file_class_shape(const crd_i_stated_hmm *hmm);
crd_i_hmm_shape crd_i_hmm_file_shape_with(crd_i_hmm_shape shape, size_t length, const char *description);
/* Finite numbers into room that is there, or into a fresh list. */
CRD_MUST_USE crd_status crd_i_hmm_file_fill(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                            const crd_i_hmm_shape *shape, double *destination, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_numbers(const crd_i_hmm_parser *p, const crd_i_json_node *node, const char *key,
                                               const crd_i_hmm_shape *shape, double **out, crd_error *error);
/* That numbers are within bounds; that they are probabilities which sum to 1, but for rounding; the same of each row. */
CRD_MUST_USE crd_status crd_i_hmm_file_check_each(const crd_i_json_node *node, const char *key, const double *numbers,
                                                  size_t count, double least, double greatest, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_check_distribution(const crd_i_json_node *node, const char *description,
                                                          const double *numbers, size_t count, crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_check_rows(const crd_i_hmm_parser *p, const crd_i_json_node *node,
                                                  const char *description, const double *numbers, size_t rows,
                                                  size_t count, crd_error *error);
/* The n-th item of a list, for its line. */
const crd_i_json_node *crd_i_hmm_file_item(const crd_i_hmm_parser *p, const crd_i_json_node *list, size_t n);

/* Makes the name of a column known, which has to be new; bytes NULL: there is none. */
CRD_MUST_USE crd_status crd_i_hmm_file_add_column(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_text name,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_hmm_file_observations(const crd_i_hmm_parser *p, crd_error *error);

#endif
