/* SPDX-License-Identifier: MIT */
/* calibration.h - calibrated probabilities: corrections estimated from how often predictions were right.
 *
 * A calibration is fitted to the stored rows. Each row's posterior comes from a model trained without the row's fold.
 * Let p_k be the uncalibrated probability of class k, and q_k the calibrated one.
 *
 *   scaling    q_k is proportional to exp(a log p_k + b_k)
 *   isotonic   q_k is proportional to f_k(p_k)
 *
 * Scaling corrects probabilities that are too extreme, or not extreme enough. The slope a >= 0 and the offsets b_k
 * maximize the likelihood of the rows' classes (Platt 1999 for two classes; Alexandari, Kundaje and Shrikumar 2020 for
 * more).
 *
 * Isotonic calibration treats each class separately. It fits the rising step function of the uncalibrated probability
 * that fits best (pool adjacent violators; Zadrozny and Elkan 2002). Each step is shrunk towards the class's share by
 * one pseudo-count, and f_k is linear between the centers of the steps. */
#ifndef CRD_FIT_CALIBRATION_H
#define CRD_FIT_CALIBRATION_H

#include "fit/held_out.h"

typedef struct crd_i_calibration crd_i_calibration;

/* Fits the calibration of the classifier's settings. The held-out posteriors are stored in `posteriors`, where a later
 * calibration finds them; NULL: they are not stored. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_calibration_fit(const crd_classifier *classifier, const crd_i_held_out *inner,
                                              crd_i_fit_cache *posteriors, crd_i_calibration **out, crd_error *error);
void crd_i_calibration_destroy(crd_i_calibration *calibration); /* NULL is allowed */
/* Adjusts the calibration to a specified prior; does nothing for other priors. The calibration is fitted under the
 * classes' relative frequencies. So the specified prior is divided out before the correction and multiplied in again
 * afterwards. Call it once. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_calibration_state_prior(crd_i_calibration *calibration, const crd_classifier *classifier,
                                                const crd_model *model, const crd_i_schema_view *view);

/* Serialize a calibration to numbers, which the caller frees, and restore it. *out is NULL if the numbers are not a
 * valid calibration. Return false if memory runs out. */
CRD_MUST_USE bool crd_i_calibration_numbers(const crd_i_calibration *calibration, double **numbers, size_t *count);
CRD_MUST_USE bool crd_i_calibration_restore(crd_context *context, crd_i_calibration_rule rule, size_t classes,
                                            const double *numbers, size_t count, crd_i_calibration **out);

/* Returns the rule, and the slope of scaling in *slope. */
crd_i_calibration_rule crd_i_calibration_describe(const crd_i_calibration *calibration, double *slope);
/* Writes one point of a class's correction. For isotonic calibration, point `index` of the curve maps the probability
 * *source to *destination. For scaling, index 0 sets *destination to the class's offset. Returns false after the last
 * point. */
bool crd_i_calibration_point(const crd_i_calibration *calibration, size_t class_index, size_t index, double *source,
                             double *destination);

/* Adds the parameters to a list: slope and offsets, or the points of all curves, one class after the other; and the
 * specified prior, if any. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_calibration_list_parameters(const crd_i_calibration *calibration,
                                                    crd_i_parameter_list *parameter);

/* Corrects log posteriors in place. They must be normalized before the call and are not normalized after it. */
void crd_i_calibration_apply(const crd_i_calibration *calibration, double *log_posterior);

#endif
