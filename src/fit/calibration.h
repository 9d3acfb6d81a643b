/* SPDX-License-Identifier: MIT */
/* calibration.h - probabilities corrected by how often they came true.
 *
 * Fitted to the posteriors, by models without the row's fold, of each row that the model has kept. Scaling multiplies log
 * probabilities by one number and adds another for each class, so that the rows' classes become most likely: it fixes
 * probabilities that are too sure, or not sure enough. Isotonic calibration takes each class by itself: of the rows by
 * ascending probability, the steps that rise and fit best (pool adjacent violators), each drawn towards the class's share
 * by one pseudo-count, and straight lines between the middles of the steps; then all classes are normalised. */
#ifndef CRD_FIT_CALIBRATION_H
#define CRD_FIT_CALIBRATION_H

#include "fit/held_out.h"

typedef struct crd_i_calibration crd_i_calibration;

/* By the classifier's settings, which have one. What is held out is kept in `posteriors`, and found there by the
 * calibration that is fitted next; NULL: nowhere. */
CRD_MUST_USE crd_status crd_i_calibration_fit(const crd_classifier *classifier, const crd_i_held_out *inner,
                                              crd_i_fit_cache *posteriors, crd_i_calibration **out, crd_error *error);
void crd_i_calibration_destroy(crd_i_calibration *calibration); /* NULL is fine */
/* It is fitted to rows as they come, under their classes' relative frequencies. Where another prior is stated class
 * by class, that is taken out before probabilities are corrected, and put in again afterwards; to be called once.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_calibration_state_prior(crd_i_calibration *calibration, const crd_classifier *classifier,
                                                const crd_model *model, const crd_i_schema_view *view);

/* As numbers, and back: NULL in *out where they are none of it. false: out of memory. */
CRD_MUST_USE bool crd_i_calibration_numbers(const crd_i_calibration *calibration, double **numbers, size_t *count);
CRD_MUST_USE bool crd_i_calibration_restore(crd_context *context, crd_i_calibration_rule rule, size_t classes,
                                            const double *numbers, size_t count, crd_i_calibration **out);

/* The rule that it follows, and the slope of scaling. */
crd_i_calibration_rule crd_i_calibration_describe(const crd_i_calibration *calibration, double *slope);
/* Of isotonic calibration point `index` of a class's line; of scaling, at 0, the class's offset in *to. false behind
 * the end. */
bool crd_i_calibration_point(const crd_i_calibration *calibration, size_t class_index, size_t index, double *source,
                             double *destination);

/* slope and offset, or of each class the points of its line one behind the other; and the stated prior, where there is
 * one. false: out of memory. */
CRD_MUST_USE bool crd_i_calibration_list_parameters(const crd_i_calibration *calibration,
                                                    crd_i_parameter_list *parameter);

/* Corrects log posteriors, normalised before and to be normalised again. */
void crd_i_calibration_apply(const crd_i_calibration *calibration, double *log_posterior);

#endif
