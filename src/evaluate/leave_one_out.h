/* SPDX-License-Identifier: MIT */
/* leave_one_out.h - the predictions for rows by models without these rows. */
#ifndef CRD_EVALUATE_LEAVE_ONE_OUT_H
#define CRD_EVALUATE_LEAVE_ONE_OUT_H

#include <credence/evaluate.h>

/* A leave-one-out cross-validation. */
typedef struct crd_i_leave_one_out crd_i_leave_one_out;

/* Creates a leave-one-out evaluation of a model. The model must not have a weight column, and must outlive it
 * unchanged. `settings` NULL: the model's settings. Only one thread at a time can use it. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_leave_one_out_create(const crd_model *model, const crd_settings *settings,
                                                   crd_i_leave_one_out **out, crd_error *error);
/* Frees a leave-one-out evaluation. NULL is allowed. */
void crd_i_leave_one_out_destroy(crd_i_leave_one_out *loo);
/* Returns the classifier of the model with all rows. Posteriors list its classes. */
const crd_classifier *crd_i_leave_one_out_classifier(const crd_i_leave_one_out *loo);

/* Predicts each row of a frame by the model without that row. The model must have learned the rows. If a class had only
 * this row, it gets probability 0. A category or number that only this row had is ignored. Rows whose target is missing
 * have no prediction. CRD_ERROR_NOT_LEARNED: a row was evidently not learned. */
CRD_MUST_USE crd_status crd_i_leave_one_out_classify(crd_i_leave_one_out *loo, const crd_frame *frame,
                                                     crd_posteriors *posteriors, crd_error *error);

#endif
