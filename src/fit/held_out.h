/* SPDX-License-Identifier: MIT */
/* held_out.h - the training rows that a model stores, split into folds for fits to held-out rows.
 *
 * The fold depends on the hash of a row's content, so it depends neither on the order of rows nor on threads. Copies of
 * a row are dealt to the folds in turn. Models of some of the rows are trained as usual, with the rows' weights. */
#ifndef CRD_FIT_HELD_OUT_H
#define CRD_FIT_HELD_OUT_H

#include "classify/classifier_internal.h"

enum { CRD_I_HELD_OUT_FOLDS = 5 };

/* Fits to held-out rows stop at this relative change of the loss. It is far smaller than the effect of drawing other
 * rows. */
#define CRD_I_HELD_OUT_ENOUGH 1e-7

typedef struct crd_i_held_out crd_i_held_out;

/* Reads the stored rows, ordered by fold. Class and value codes are the codes of `like`, a classifier of the model,
 * which must outlive *out. If the model stores no rows, returns CRD_ERROR_SETTING; `description` names in the error the
 * setting that needs them. */
CRD_MUST_USE crd_status crd_i_held_out_create(const crd_model *model, const crd_classifier *like,
                                              const crd_i_schema_view *view, const char *description,
                                              crd_i_held_out **out, crd_error *error);
void crd_i_held_out_destroy(crd_i_held_out *inner); /* NULL is allowed */
/* Returns CRD_OK if the model stores rows, otherwise CRD_ERROR_SETTING as above. */
CRD_MUST_USE crd_status crd_i_held_out_check(const crd_model *model, const char *description, crd_error *error);

/* Creates the settings for models of some of the rows: the classifier's settings without calibration. Families that
 * were selected for the classifier are fixed, so they are not selected again for each fold. A specified prior is
 * dropped, because a class may not occur among the rows. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_held_out_settings(const crd_classifier *classifier, crd_settings **out, crd_error *error);

size_t crd_i_held_out_rows(const crd_i_held_out *inner);
/* Return the class, weight and hash of each row. */
const int32_t *crd_i_held_out_classes(const crd_i_held_out *inner);
const double *crd_i_held_out_weights(const crd_i_held_out *inner);
const uint64_t *crd_i_held_out_hashes(const crd_i_held_out *inner);
/* Returns the bag of terms of a row's text; an empty text if it is missing. */
crd_text crd_i_held_out_text(const crd_i_held_out *inner, size_t attribute, size_t row);
/* Converts the values of a row for another classifier of the same attributes, one value for each. */
void crd_i_held_out_row(const crd_i_held_out *inner, const crd_classifier *classifier, size_t row,
                        crd_i_one_cell *cells);
/* Returns the first row of a fold, 0 .. CRD_I_HELD_OUT_FOLDS. The last index returns the number of rows. */
size_t crd_i_held_out_start(const crd_i_held_out *inner, size_t fold);
/* Returns the number of rows of a fold, limited to the first `most` rows. */
size_t crd_i_held_out_rows_of_fold(const crd_i_held_out *inner, size_t fold, size_t most);

/* Trains a model on all rows outside of first .. limit - 1, with the given weights (NULL: the rows' own). If no weight
 * is left, the model has no rows, and no classifier can be created from it. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_held_out_learn(const crd_i_held_out *inner, const crd_settings *settings, size_t first,
                                             size_t limit, const double *weights, crd_model **out, crd_error *error);
/* Computes the log posteriors of the rows first .. limit - 1 with a classifier: rows x classes of `like`. A class that
 * the classifier does not have gets -INFINITY. */
CRD_MUST_USE crd_status crd_i_held_out_ask(const crd_i_held_out *inner, const crd_classifier *classifier, size_t first,
                                           size_t limit, double *logs, crd_error *error);
/* Computes the log posteriors of each row with a model trained without the row's fold. */
CRD_MUST_USE crd_status crd_i_held_out_hold_out(const crd_i_held_out *inner, const crd_settings *settings, double *logs,
                                                crd_error *error);

#endif
