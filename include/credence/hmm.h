/* SPDX-License-Identifier: MIT */
/* credence/hmm.h - hidden Markov models (HMMs): the states s_1 .. s_T are a Markov chain, and each observation x_t
 * depends only on its state.
 *
 *   P(s, x) = P(s_1) prod P(s_t | s_{t-1}, ...) prod P(x_t | s_t) [P(end | s_T)]
 *
 *   crd_sequences_read(reader, &options, &sequences, &error);                          credence/sequence.h
 *   crd_sequences_train(sequences, NULL, &model, NULL, &error);                        credence/hmm_train.h
 *   crd_hmm_create(model, NULL, &hmm, &error);
 *   crd_hmm_paths(hmm, sequences, 0, states, NULL, &error);                            credence/hmm_decode.h
 *
 * A hidden Markov model file (crd_model) contains sufficient statistics: the value counts and moments of each state,
 * and the counts of states that follow each other. Settings such as order, transitions, smoothing and family turn these
 * into the probabilities of a crd_hmm. Rabiner (1989) is the standard introduction. */
#ifndef CREDENCE_HMM_H
#define CREDENCE_HMM_H

#include <credence/classifier.h>
#include <credence/model.h>
#include <credence/sequence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether a model is a hidden Markov model. */
CRD_API int crd_model_is_sequence(const crd_model *model);
/* Gets the options with which sequences were found in the training files, so that other files are read the same way.
 * Texts live as long as the model. CRD_ERROR_ARGUMENT: the model is neither a hidden Markov model nor a sequence
 * classifier. */
CRD_API CRD_MUST_USE crd_status crd_model_sequence_options(const crd_model *model, crd_sequence_options *out,
                                                           crd_error *error);

/* Reads a user-specified hidden Markov model from a text in the format of docs/hmm-file.md. crd_model_load reads files
 * with such texts too. The caller destroys *out. Errors contain the line. */
CRD_API CRD_MUST_USE crd_status crd_hmm_read(crd_context *context, const char *text, size_t length, crd_model **out,
                                             crd_error *error);

/* Properties of a hidden Markov model. Read-only; pointers live as long as it. */
typedef struct crd_hmm_facts {
    const crd_settings *settings;
    size_t order;  /* how many previous states the next state depends on */
    int is_hidden; /* states are hidden: numbers that do not come from a column */
    /* The user specified the probabilities in a text (docs/hmm-file.md). Then the model's counts do not represent
     * rows. */
    int is_stated;
    int has_end;            /* there are end (termination) probabilities */
    size_t components;      /* number of mixture components of each state */
    size_t parameter_count; /* number of estimated parameters: free probabilities and density parameters */
    /* The emission densities. Classes are the states, or, with several mixture components, the components "A/1", "A/2",
     * ... of state A. */
    const crd_classifier *emissions;
} crd_hmm_facts;

/* Returns the properties of a hidden Markov model. */
CRD_API const crd_hmm_facts *crd_hmm_facts_of(const crd_hmm *hmm);

/* Computes P(next state | context) for all states, and the end probability, which is 0 if the model has none; `end` may
 * be NULL. The context contains the latest states, earliest first; states beyond the order are ignored. A context
 * shorter than the order begins the sequence, and length 0 is the start of a sequence. */
CRD_API CRD_MUST_USE crd_status crd_hmm_next(const crd_hmm *hmm, const size_t *context, size_t length,
                                             double *probabilities, double *end, crd_error *error);
/* Returns P(state) at the first step. Returns NaN if the state does not exist or memory runs out. */
CRD_API double crd_hmm_start(const crd_hmm *hmm, size_t state);
/* Returns P(state | context), with the context of crd_hmm_next. Returns NaN if a state does not exist or memory runs
 * out. */
CRD_API double crd_hmm_transition(const crd_hmm *hmm, const size_t *context, size_t length, size_t state);
/* Returns P(end | context), with the context of crd_hmm_next. Returns NaN if a state does not exist or memory runs
 * out. */
CRD_API double crd_hmm_end(const crd_hmm *hmm, const size_t *context, size_t length);

/* Returns the emission class of a state's component, or SIZE_MAX if no row has it. Sets *weight, unless NULL, to the
 * component's probability in the state. */
CRD_API size_t crd_hmm_emission_class(const crd_hmm *hmm, size_t state, size_t component, double *weight);

/* Returns whether an attribute of the emission classifier is a word column. Counts of its words are smoothed by suffix,
 * prefix and shape: see the setting unseen-words. */
CRD_API int crd_hmm_has_words(const crd_hmm *hmm, size_t attribute);

/* Returns how many of the counted starts, transitions and ends the settings topology and forbidden make impossible.
 * Ends count only if they have probabilities. Sets *all, unless NULL, to the total count. */
CRD_API double crd_hmm_ruled_out(const crd_hmm *hmm, double *all);

#ifdef __cplusplus
}
#endif
#endif
