/* SPDX-License-Identifier: MIT */
/* credence/sequence_classes.h - classes of whole sequences: a hidden Markov model of the sequences of each class, and Bayes' rule
 * over them,
 *
 *     P(class | x) = P(class) P(x | class) / sum over classes of P(class) P(x | class)
 *
 * with P(x | class) the probability of the sequence x in the class's model. */
#ifndef CREDENCE_SEQUENCE_CLASSES_H
#define CREDENCE_SEQUENCE_CLASSES_H

#include <credence/hmm_train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models ---- */

/* Of sequences whose target, a class, is the same in all of their labelled rows; sequences without a label do not count. For each
 * class a model with hidden states is trained as crd_hmm_train does, with the setting `states`, 1 or more, and the options, which may
 * be NULL. CRD_ERROR_SYNTAX: a sequence has two classes; the message names it, with the line. CRD_ERROR_EMPTY: no sequence has a
 * class. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classes_train(const crd_sequences *sequences, const crd_settings *settings,
                                                           const crd_hmm_train_options *options, crd_model **out,
                                                           crd_error *error);

/* Whether it is such a model. */
CRD_API int crd_model_is_sequence_classes(const crd_model *model);
/* Its classes in order, how many sequences each has had, and the model of sequences of each, as long as the model; 0 and NULL for
 * other models. */
CRD_API size_t crd_sequence_classes_count(const crd_model *model);
CRD_API crd_text crd_sequence_classes_name(const crd_model *model, size_t class_index);
CRD_API double crd_sequence_classes_sequences(const crd_model *model, size_t class_index);
CRD_API const crd_model *crd_sequence_classes_model(const crd_model *model, size_t class_index);

/* ---- Answers ---- */

/* A model of classes under settings, derived once, immutable, shared by threads. */
typedef struct crd_sequence_classifier crd_sequence_classifier;

/* settings NULL: the model's own. Of these `prior` is that of classes, all others those of each class's model. The model must outlive
 * it. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_create(const crd_model *model, const crd_settings *settings,
                                                               crd_sequence_classifier **out, crd_error *error);
CRD_API void crd_sequence_classifier_destroy(crd_sequence_classifier *classifier);

CRD_API size_t crd_sequence_classifier_class_count(const crd_sequence_classifier *classifier);
CRD_API crd_text crd_sequence_classifier_class(const crd_sequence_classifier *classifier, size_t class_index);
CRD_API double crd_sequence_classifier_log_prior(const crd_sequence_classifier *classifier, size_t class_index);
CRD_API const crd_hmm *crd_sequence_classifier_hmm(const crd_sequence_classifier *classifier, size_t class_index);

/* What is known of one sequence. */
typedef struct crd_sequence_answer {
    size_t size;
    int32_t decision; /* the class of the greatest posterior, the first of those tied; -1: impossible in every class */
    uint32_t tied;    /* how many classes tie with it, itself included */
    double log_evidence; /* log P(x); -INFINITY where decision is -1 */
} crd_sequence_answer;

#define CRD_SEQUENCE_ANSWER_INIT                                                                                       \
    { sizeof(crd_sequence_answer), -1, 0, 0 }

/* Of each sequence: log P(x | class) and log P(class | x), sequences x classes, and the answer; each may be NULL. Log posteriors are all
 * -INFINITY where a sequence is impossible in every class. The first answer states the size of all. threads 0: one for each
 * processor; answers do not depend on it. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_posteriors(const crd_sequence_classifier *classifier,
                                                                   const crd_sequences *sequences, unsigned threads,
                                                                   double *log_likelihoods, double *log_posteriors,
                                                                   crd_sequence_answer *answers, crd_error *error);
/* The class of each sequence by its labels, as the classifier has it: -1 where it has none, or one that the classifier has not.
 * CRD_ERROR_SYNTAX as in training. */
CRD_API CRD_MUST_USE crd_status crd_sequence_classifier_truths(const crd_sequence_classifier *classifier,
                                                               const crd_sequences *sequences, int32_t *classes,
                                                               crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
