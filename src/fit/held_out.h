/* SPDX-License-Identifier: MIT */
/* held_out.h - the rows that a model has kept, split into folds: for what is fitted to rows that were held out.
 *
 * Folds go by the hash of a row's content, so that they depend neither on the order of rows nor on threads; copies of a
 * row are dealt to the folds in turn. Models of some of the rows are trained as any other, row by row with the rows'
 * weights. */
#ifndef CRD_FIT_HELD_OUT_H
#define CRD_FIT_HELD_OUT_H

#include "classify/classifier_internal.h"

enum { CRD_I_HELD_OUT_FOLDS = 5 };

/* What is fitted to held-out rows is fitted to this part of the loss: far below what other rows would make of it. */
#define CRD_I_HELD_OUT_ENOUGH 1e-7

typedef struct crd_i_held_out crd_i_held_out;

/* The kept rows, fold by fold; classes and values go by the numbers that they have in `like`, a classifier of the model
 * in that order, which must outlive it. `what` is named by the error where the model has kept no rows:
 * CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_held_out_create(const crd_model *model, const crd_classifier *like,
                                              const crd_i_schema_view *view, const char *description,
                                              crd_i_held_out **out, crd_error *error);
void crd_i_held_out_destroy(crd_i_held_out *inner); /* NULL is fine */
/* Whether the model has kept rows; CRD_ERROR_SETTING as above where not. */
CRD_MUST_USE crd_status crd_i_held_out_check(const crd_model *model, const char *description, crd_error *error);

/* The settings for models of some of the rows of a classifier's model: those of the classifier, not calibrated, with
 * the families that it has chosen, so that these are not chosen again for each part of the rows, and without a prior
 * that is stated class by class, since a class may not be among the rows. */
CRD_MUST_USE crd_status crd_i_held_out_settings(const crd_classifier *classifier, crd_settings **out, crd_error *error);

size_t crd_i_held_out_rows(const crd_i_held_out *inner);
/* Of each row. */
const int32_t *crd_i_held_out_classes(const crd_i_held_out *inner);
const double *crd_i_held_out_weights(const crd_i_held_out *inner);
const uint64_t *crd_i_held_out_hashes(const crd_i_held_out *inner);
/* The bag of terms of a row's text; empty where it is missing. */
crd_text crd_i_held_out_text(const crd_i_held_out *inner, size_t attribute, size_t row);
/* The cells of a row as another classifier of the same attributes takes them, one for each. */
void crd_i_held_out_row(const crd_i_held_out *inner, const crd_classifier *classifier, size_t row,
                        crd_i_one_cell *cells);
/* Where fold f, from 0 to CRD_I_HELD_OUT_FOLDS, begins. */
size_t crd_i_held_out_start(const crd_i_held_out *inner, size_t fold);
/* How many of a fold's rows take part where no more than `most` may: the first ones. */
size_t crd_i_held_out_rows_of_fold(const crd_i_held_out *inner, size_t fold, size_t most);

/* A model of all rows but those from `from` up to below `to`, under the weights given (NULL: the rows' own). It has no
 * rows where these leave none: then it cannot be asked. */
CRD_MUST_USE crd_status crd_i_held_out_learn(const crd_i_held_out *inner, const crd_settings *settings, size_t first,
                                             size_t limit, const double *weights, crd_model **out, crd_error *error);
/* The posteriors, by a classifier, of the rows from `from` up to below `to`: log posteriors, rows x classes of
 * `like`; classes that it does not know are at -INFINITY. */
CRD_MUST_USE crd_status crd_i_held_out_ask(const crd_i_held_out *inner, const crd_classifier *classifier, size_t first,
                                           size_t limit, double *logs, crd_error *error);
/* The posteriors of each row by models without the row's fold. */
CRD_MUST_USE crd_status crd_i_held_out_hold_out(const crd_i_held_out *inner, const crd_settings *settings, double *logs,
                                                crd_error *error);

#endif
