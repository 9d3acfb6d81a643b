/* SPDX-License-Identifier: MIT */
/* credence/sequence_classes.h - sequence classification: one hidden Markov model per class, combined with Bayes' rule.
 *
 *   P(class | x) = P(class) P(x | class) / sum over classes of P(class) P(x | class)
 *
 * P(x | class) is the likelihood of the sequence x under the hidden Markov model of the class.
 *
 *   crd_sequence_classes_train(sequences, settings, NULL, &model, &error);
 *   crd_sequence_classifier_create(model, NULL, &classifier, &error);
 *   crd_sequence_classifier_posteriors(classifier, sequences, 0, NULL, log_posteriors, NULL, &error); */
#ifndef CREDENCE_SEQUENCE_CLASSES_H
#define CREDENCE_SEQUENCE_CLASSES_H

#ifndef CRD_EXPERIMENTAL
#error "credence/sequence_classes.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/hmm_train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models ---- */

/* Trains a sequence classifier in *out. All labeled rows of a sequence must have the same label, which is its class.
 * Sequences without a label are ignored. For each class, a hidden Markov model with hidden states is trained as by
 * crd_hmm_train, with the setting `states`, 1 or more, and the options. `settings` and `options` may be NULL. The
 * caller destroys *out. CRD_ERROR_SYNTAX: a sequence has two classes; the message names the sequence and the line.
 * CRD_ERROR_EMPTY: no sequence has a class. CRD_ERROR_ARGUMENT: the sequences have no target. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classes_train(const crd_sequences *sequences, const crd_settings *settings,
                                                           const crd_hmm_train_options *options, crd_model **out,
                                                           crd_error *error);

/* The classes of a sequence classifier. Read-only. */
typedef struct crd_sequence_classes {
    crd_context *context;
    crd_text target; /* name of the class column */
    size_t position; /* for the library: the column in files without a header */
    size_t count;
    crd_text *names;    /* in order */
    double *sequences;  /* number of training sequences of each class */
    crd_model **models; /* hidden Markov model of each class */
} crd_sequence_classes;

/* Returns the classes of a sequence classifier, which live as long as the model. Returns NULL for other models. */
CRD_API const crd_sequence_classes *crd_model_sequence_classes(const crd_model *model);

/* ---- Predictions ---- */

/* A sequence classifier under settings. It is derived once. Read-only; threads may share it. */
typedef struct crd_sequence_classifier {
    crd_context *context;
    const crd_sequence_classes *classes; /* of the model */
    double *log_priors;                  /* of each class */
    crd_hmm **hmms;                      /* of each class */
} crd_sequence_classifier;

/* Creates a sequence classifier in *out. `settings` NULL: the model's settings. The setting `prior` applies to the
 * classes; all other settings apply to the hidden Markov model of each class. The model must outlive it. Destroy it
 * with crd_sequence_classifier_destroy. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_create(const crd_model *model, const crd_settings *settings,
                                                               crd_sequence_classifier **out, crd_error *error);
/* Frees a sequence classifier. NULL is allowed. */
CRD_API void crd_sequence_classifier_destroy(crd_sequence_classifier *classifier);

/* The prediction for one sequence. Initialize it with CRD_SEQUENCE_ANSWER_INIT. */
typedef struct crd_sequence_answer {
    size_t size;
    /* The class with the largest posterior; ties go to the first. -1: the sequence is impossible under every class. */
    int32_t decision;
    uint32_t tied;       /* number of classes that tie, including the predicted one */
    double log_evidence; /* log P(x); -INFINITY if decision is -1 */
} crd_sequence_answer;

#define CRD_SEQUENCE_ANSWER_INIT                                                                                       \
    { sizeof(crd_sequence_answer), -1, 0, 0 }

/* Classifies sequences. `log_likelihoods` receives log P(x | class) and `log_posteriors` receives log P(class | x),
 * both as sequences x classes numbers. `answers` receives one prediction per sequence; the size of the first applies to
 * all. Each array may be NULL. All log posteriors are -INFINITY if a sequence is impossible under every class.
 * `threads` 0: one per CPU core; results do not depend on it. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_posteriors(const crd_sequence_classifier *classifier,
                                                                   const crd_sequences *sequences, unsigned threads,
                                                                   double *log_likelihoods, double *log_posteriors,
                                                                   crd_sequence_answer *answers, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
