/* pool.h - several classifiers that answer as one: each is asked about the row, and the answers are weighed.
 *
 * Members may have been derived from different models: attributes, their values and the classes meet by name. A member
 * for which all classes are impossible has no say in that row. */
#ifndef CRD_ENSEMBLE_POOL_H
#define CRD_ENSEMBLE_POOL_H

#include "classify/classifier_internal.h"

typedef enum crd_i_pool_rule {
    CRD_I_POOL_AVERAGE, /* the Bayes optimal answer: probabilities weighed by those of the members */
    CRD_I_POOL_GIBBS,   /* one member drawn for each row by the members' probabilities */
    CRD_I_POOL_PRODUCT, /* probabilities raised to the members' weights and multiplied, times a factor a class */
    CRD_I_POOL_VOTE     /* each member's weight is a log odds for the class that it decides for */
} crd_i_pool_rule;

typedef struct crd_i_pool_member {
    crd_classifier *classifier;
    double weight;
    size_t *attributes; /* of each of its attributes, that of the owner */
    int32_t **codes;    /* of each of its attributes that are categories, at the owner's code + 1 its own */
    int32_t *classes;   /* of each of its classes, that of the owner */
} crd_i_pool_member;

typedef struct crd_i_pool {
    crd_context *context;
    crd_i_pool_rule rule;
    uint64_t seed; /* of GIBBS */
    crd_i_pool_member *members;
    size_t count, capacity;
    double *offsets; /* of PRODUCT: the logarithm of each class's factor, in the owner's order; NULL: all 0 */
    size_t room;     /* doubles that an answer works in */
} crd_i_pool;

/* Probabilities below e to the power of this count as that in a product, so that no member alone rules a class out. */
#define CRD_I_POOL_LEAST (-50.0)

crd_i_pool *crd_i_pool_create(crd_context *context, crd_i_pool_rule rule, uint64_t seed); /* NULL: out of memory */
void crd_i_pool_destroy(crd_i_pool *pool);                                                /* NULL is fine */
/* Takes over the member, also when it fails. All its attributes and classes are among the owner's, of the same kinds.
 * Weights of AVERAGE and GIBBS are above zero or zero, and sum to about 1. */
CRD_MUST_USE crd_status crd_i_pool_add(crd_i_pool *pool, const crd_classifier *owner, crd_classifier *member,
                                       double weight, crd_error *error);
/* Adds what all members estimated. false: out of memory. */
CRD_MUST_USE bool crd_i_pool_estimates(const crd_i_pool *pool, crd_i_estimates *to);

/* As crd_i_compound_answer; cells are the owner's. */
CRD_MUST_USE crd_status crd_i_pool_answer(const crd_classifier *owner, const crd_i_pool *pool,
                                          const crd_i_one_cell *cells, double *log_posterior, double *probabilities,
                                          crd_answer *answer, double *room, crd_error *error);
/* What each member says of the row: log posteriors in the owner's classes, all -INFINITY where it has no say, and the
 * log evidence. room is what an answer works in, but for the part that holds these. */
CRD_MUST_USE crd_status crd_i_pool_ask(const crd_classifier *owner, const crd_i_pool *pool, const crd_i_one_cell *cells,
                                       double *logs, double *evidences, double *room, crd_error *error);
/* Answers that members gave, joined by the rule: of each member the log posteriors in the owner's classes (all
 * -INFINITY: it has no say) and the log evidence. `draw`, from 0 up to below 1, is for GIBBS. log_posterior gets sums
 * that are yet to be normalised; returns the log evidence. */
double crd_i_pool_join(const crd_i_pool *pool, size_t classes, const double *logs, const double *evidences, double draw,
                       double *log_posterior);

#endif
