/* compound.h - what a classifier has beyond the densities of single attributes: joint densities of several of them,
 * exponents, a network, and other classifiers that answer in its place.
 *
 * Rows are then answered one by one, by one function, whichever way they came in; plain naive Bayes has none of this and
 * keeps its own, faster ways. */
#ifndef CRD_CLASSIFY_COMPOUND_H
#define CRD_CLASSIFY_COMPOUND_H

#include "classify/classifier_internal.h"
#include "density/multivariate/joint_density.h"
#include "ensemble/pool.h"
#include "fit/calibration.h"
#include "fit/pairwise.h"
#include "model/fit_cache.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "network_model/network_classifier.h"

typedef struct crd_i_taken {
    crd_i_joint *joint;
    size_t *attributes; /* of the classifier, for each column of the joint density */
} crd_i_taken;

struct crd_i_compound {
    crd_context *context;
    crd_i_taken *joints;
    size_t joint_count;
    bool *is_taken;                 /* of each attribute: some joint density speaks of it, instead of its own */
    double *exponents;              /* of each attribute; NULL: all 1 */
    crd_i_pairwise *pairwise;       /* NULL: none */
    crd_i_network_part *network;    /* that answers in the place of all densities; NULL: none */
    crd_i_pool *pool;               /* the classifiers that answer in its place, see pool.h; NULL: it answers itself */
    crd_i_calibration *calibration; /* NULL: none */
    crd_i_fit_cache fitted;         /* what was fitted for it, and was not there before */
    size_t room;                    /* doubles that an answer works in */
};

/* What the classifier's settings ask for beyond naive Bayes, from what the model keeps; nothing is done where that is
 * nothing. CRD_ERROR_SETTING where the model has not kept it. */
CRD_MUST_USE crd_status crd_i_compound_derive(crd_classifier *classifier, const crd_model *model,
                                              const crd_i_schema_view *order, crd_error *error);
void crd_i_compound_destroy(crd_i_compound *compound); /* NULL is fine */

/* The row of these cells, one for each attribute: log posteriors, probabilities (NULL: not wanted) and the answer, for
 * any classifier. room has crd_i_compound_room doubles. Only networks fail, for want of memory. */
size_t crd_i_compound_room(const crd_classifier *classifier);
CRD_MUST_USE crd_status crd_i_compound_answer(const crd_classifier *classifier, const crd_i_one_cell *cells,
                                              double *log_posterior, double *probabilities, crd_answer *answer,
                                              double *room, crd_error *error);
/* The same before calibration. */
CRD_MUST_USE crd_status crd_i_compound_propose(const crd_classifier *classifier, const crd_i_one_cell *cells,
                                               double *log_posterior, double *probabilities, crd_answer *answer,
                                               double *room, crd_error *error);
/* Then calibrates that, where the classifier does. */
void crd_i_compound_calibrate(const crd_classifier *classifier, double *log_posterior, double *probabilities,
                              crd_answer *answer);
/* Adds the term of a joint density to the sum of each class. */
void crd_i_taken_add(const crd_i_taken *taken, const crd_i_one_cell *cells, double *sums, double *room);

/* CRD_ERROR_SETTING where the classifier is more than naive Bayes, of which `what`, such as "draws take", is true
 * alone. `instead` says what else there is to use, such as ", or predict". */
CRD_MUST_USE crd_status crd_i_compound_refuse(const crd_classifier *classifier, const char *what, const char *instead,
                                              crd_error *error);

/* Adds the terms of the joint densities alone. */
void crd_i_compound_add_joints(const crd_classifier *classifier, const crd_i_one_cell *cells, double *sums,
                               double *room);
/* The exponent of an attribute, 1 unless there are others; classifiers of naive Bayes alone have none. */
double crd_i_compound_exponent(const crd_classifier *classifier, size_t attribute);
/* Whether an attribute's own density counts: it speaks, and no joint density speaks in its place. */
bool crd_i_attribute_counts(const crd_classifier *classifier, size_t attribute);

#endif
