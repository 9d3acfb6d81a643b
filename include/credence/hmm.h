/* SPDX-License-Identifier: MIT */
/* credence/hmm.h - hidden Markov models: states s_1 .. s_T are a Markov chain, and each observation depends on its state alone,
 *
 *     P(s, x) = P(s_1) prod P(s_t | s_{t-1}, ...) prod P(x_t | s_t) [P(end | s_T)]
 *
 * A model of sequences has counts: of the cells of each state's rows, and of states that follow each other. Under settings, such as
 * order, transitions, smoothing and family, it is a crd_hmm, which answers questions about sequences (credence/sequence.h). */
#ifndef CREDENCE_HMM_H
#define CREDENCE_HMM_H

#include <credence/classifier.h>
#include <credence/model.h>
#include <credence/sequence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a model is one of sequences. */
CRD_API int crd_model_is_sequence(const crd_model *model);
/* How sequences were found in the files that it learned, so that others are read alike; texts live as long as the model.
 * CRD_ERROR_ARGUMENT: it is no model of sequences, or of classes of them. */
CRD_API CRD_MUST_USE crd_status crd_model_sequence_options(const crd_model *model, crd_sequence_options *out,
                                                           crd_error *error);

/* The model that a text states, as docs/hmm-file.md has it; crd_model_load reads files of such texts, too. Errors have the line. */
CRD_API CRD_MUST_USE crd_status crd_hmm_read(crd_context *context, const char *text, size_t length, crd_model **out,
                                             crd_error *error);

/* A model of sequences under settings, derived once, immutable, shared by threads. */
typedef struct crd_hmm crd_hmm;

/* settings may be NULL (the model's own); their method is sequence, or the default. The order may be lower than that of training. CRD_ERROR_ARGUMENT: it is no model of
 * sequences; CRD_ERROR_LIMIT: a chain of this order would have too many transitions. The model must outlive it. */
CRD_API CRD_MUST_USE crd_status crd_hmm_create(const crd_model *model, const crd_settings *settings, crd_hmm **out,
                                               crd_error *error);
CRD_API void crd_hmm_destroy(crd_hmm *hmm);

CRD_API const crd_settings *crd_hmm_settings(const crd_hmm *hmm);
/* States in order: by number when all names are numbers, else by code point. */
CRD_API size_t crd_hmm_state_count(const crd_hmm *hmm);
CRD_API crd_text crd_hmm_state(const crd_hmm *hmm, size_t state);
/* How many states the next one depends on. */
CRD_API size_t crd_hmm_order(const crd_hmm *hmm);
/* Whether states are hidden: numbers that no column has. */
CRD_API int crd_hmm_is_hidden(const crd_hmm *hmm);
/* Whether a text states its probabilities (docs/hmm-file.md): counts of the model then stand for no rows. */
CRD_API int crd_hmm_is_stated(const crd_hmm *hmm);
/* Whether the end of a sequence has a probability. */
CRD_API int crd_hmm_has_end(const crd_hmm *hmm);
/* Mixture components of each state. */
CRD_API size_t crd_hmm_components(const crd_hmm *hmm);

/* P(next | context) of all states, and of the end, which is 0 where it has no probability; end may be NULL. The context is the
 * latest states, the earliest first, of which more than the order are not read. Fewer than the order are all that there are: the
 * first of them begins the sequence, and a length of 0 is its begin. */
CRD_API CRD_MUST_USE crd_status crd_hmm_next(const crd_hmm *hmm, const size_t *context, size_t length,
                                             double *probabilities, double *end, crd_error *error);
/* Single ones of these: P(state) at the first step, P(to | context), P(end | context); NaN where there is no such state, or no
 * memory. */
CRD_API double crd_hmm_start(const crd_hmm *hmm, size_t state);
CRD_API double crd_hmm_transition(const crd_hmm *hmm, const size_t *context, size_t length, size_t to);
CRD_API double crd_hmm_end(const crd_hmm *hmm, const size_t *context, size_t length);

/* The classifier whose densities are those of observations: its classes are the states, or with several components
 * these, "A/1", "A/2", ... of state A. */
CRD_API const crd_classifier *crd_hmm_emissions(const crd_hmm *hmm);
/* The class of a component of a state; SIZE_MAX: it has none, since no row has it. *weight, unless NULL: its probability in
 * the state. */
CRD_API size_t crd_hmm_emission_class(const crd_hmm *hmm, size_t state, size_t component, double *weight);

/* Whether an attribute of that classifier is a column of words, whose counts are completed by suffix, prefix and shape: see the
 * setting unseen-words. */
CRD_API int crd_hmm_has_words(const crd_hmm *hmm, size_t attribute);

/* How many numbers were estimated: probabilities that are free, and parameters of densities. */
CRD_API size_t crd_hmm_parameter_count(const crd_hmm *hmm);

/* How many of the starts, transitions and, where they have a probability, ends that were counted the settings topology and forbidden
 * make impossible; *all, unless NULL: of how many. */
CRD_API double crd_hmm_ruled_out(const crd_hmm *hmm, double *all);

#ifdef __cplusplus
}
#endif
#endif
