/* SPDX-License-Identifier: MIT */
/* credence/hmm_train.h - models of sequences from sequences. */
#ifndef CREDENCE_HMM_TRAIN_H
#define CREDENCE_HMM_TRAIN_H

#include <credence/hmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Labelled sequences: counting ---- */

/* Counts the sequences of a reader whose target, the state of each row, is set: cells of each state's rows, and states that
 * follow each other, up to the order of the settings. Rows without a label count for neither, and separate those before them
 * from those behind. The model is a function of its columns and the multiset of sequences, so that it is updated
 * (crd_model_update_all), forgets (crd_model_forget_all) and is merged (crd_model_merge) exactly. Memory does not grow with the
 * number of rows. options may be NULL: each file is one sequence. settings may be NULL (defaults); facts may be NULL. No
 * labelled row is CRD_ERROR_EMPTY, unless the reader is one of a part of the rows. */
CRD_API CRD_MUST_USE crd_status crd_sequence_train(crd_context *context, crd_reader *reader,
                                                   const crd_sequence_options *options, const crd_settings *settings,
                                                   crd_model **out, crd_read_facts *facts, crd_error *error);
/* The same of sequences at hand, which have a target. */
CRD_API CRD_MUST_USE crd_status crd_sequences_train(const crd_sequences *sequences, const crd_settings *settings,
                                                    crd_model **out, crd_read_facts *facts, crd_error *error);
/* Sequences in, sequences out, of a model that counted labelled ones: all or nothing. Columns meet by name.
 * CRD_ERROR_NOT_LEARNED: sequences that were not learned are to be forgotten. */
CRD_API CRD_MUST_USE crd_status crd_sequences_update(crd_model *model, const crd_sequences *sequences,
                                                     crd_read_facts *facts, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_sequences_forget(crd_model *model, const crd_sequences *sequences,
                                                     crd_read_facts *facts, crd_error *error);

/* ---- Hidden states: Baum and Welch's algorithm ----
 *
 * Sequences without labels, or with some: the states of the other steps are hidden, and parameters are those of the greatest
 * likelihood, or of the greatest posterior under the pseudo-counts of smoothing, that EM reaches from several starts. The
 * result is an ordinary model of sequences, whose tallies have each step in every state by the state's posterior probability.
 *
 * Results are the same with any number of threads. The order of sequences changes them by rounding, and where starts are drawn. */

/* What the number of hidden states is chosen by. */
typedef enum crd_hmm_criterion {
    CRD_HMM_BIC = 0, /* log likelihood - parameters log(steps) / 2, greater is better */
    CRD_HMM_HELD_OUT =
        1 /* the log likelihood of sequences, or of parts of few long ones, that were held out, in five folds */
} crd_hmm_criterion;

typedef struct crd_hmm_train_options {
    size_t size;
    size_t states; /* 0: those of the setting states; auto: chosen, until two more have not been better */
    size_t least_states, most_states; /* to choose from */
    crd_hmm_criterion criterion;
    /* Starts of EM, of which the best is taken to its end; of many steps on a part of them. 0: those of the settings estimator
     * (em:N) or restarts, otherwise 10, or 20 if all observations are categories */
    size_t restarts;
    size_t most_steps; /* of EM; 0: the setting iterations */
    double
        tolerance; /* EM ends where a step raises the objective by no more than this part of it; below 0: the setting */
    uint64_t seed;
    unsigned threads;  /* 0: one for each processor. No result depends on it */
    int ignore_labels; /* non-zero: all states are hidden, whatever the target is */
    /* A model of sequences that EM starts from, in the place of starts of its own: its states are those that are looked for, and keep
     * their names. NULL: none. It must outlive the fit. */
    const crd_model *start;
    const crd_sequence_options
        *source; /* of sequences that no reader read: how such are found in files; NULL: the model does not say */
} crd_hmm_train_options;

#define CRD_HMM_TRAIN_OPTIONS_INIT                                                                                     \
    { sizeof(crd_hmm_train_options), 0, 1, 12, CRD_HMM_BIC, 0, 0, -1, 1, 0, 0, 0, 0 }

/* How states were found. */
typedef struct crd_hmm_fit crd_hmm_fit;

/* A model of sequences. Where they have a target, unless it is ignored, its labels and declared values are the states, and labels
 * are held fast: where all steps have one, the model is that of crd_sequences_train. Otherwise the states are hidden, "1", "2", ... by
 * decreasing expected number of steps, or in the order of a left-to-right topology or as forbidden transitions name them; `target`
 * is what they are called, the name of no column. Settings (NULL: the defaults) are the model's, of which `states` becomes their
 * number, and `normal` full:0 or shared:0 if it was full or shared: EM maximises the
 * likelihood, without shrinkage. options may be NULL. *how is destroyed by the caller; NULL: not needed; the sequences must outlive it.
 * CRD_ERROR_EMPTY: no step is there, none has a label, or there are fewer steps than states; CRD_ERROR_SETTING: settings that EM cannot
 * follow; CRD_ERROR_ARGUMENT: a sequence that the topology and its labels make impossible. */
CRD_API CRD_MUST_USE crd_status crd_hmm_train(const crd_sequences *sequences, crd_text target,
                                              const crd_settings *settings, const crd_hmm_train_options *options,
                                              crd_model **out, crd_hmm_fit **how, crd_error *error);
CRD_API void crd_hmm_fit_destroy(crd_hmm_fit *how);
/* The same in two steps. Finding that is cancelled, or whose time is over, returns what there is once a step of EM was made:
 * then crd_hmm_fit_is_stopped, and the model can be made when calls go on (crd_context_resume). */
CRD_API CRD_MUST_USE crd_status crd_hmm_find(const crd_sequences *sequences, crd_text target,
                                             const crd_settings *settings, const crd_hmm_train_options *options,
                                             crd_hmm_fit **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_hmm_fit_model(const crd_hmm_fit *how, crd_model **out, crd_error *error);
CRD_API int crd_hmm_fit_is_stopped(const crd_hmm_fit *how);
CRD_API int crd_hmm_fit_is_converged(const crd_hmm_fit *how);

CRD_API size_t crd_hmm_fit_states(const crd_hmm_fit *how);
CRD_API size_t crd_hmm_fit_empty(const crd_hmm_fit *how);      /* states among them without steps */
CRD_API size_t crd_hmm_fit_rescued(const crd_hmm_fit *how);    /* how often a state without steps began anew */
CRD_API uint64_t crd_hmm_fit_observed(const crd_hmm_fit *how); /* steps that were learned from */
CRD_API uint64_t crd_hmm_fit_labelled(const crd_hmm_fit *how); /* those of them that have a label which counts */

/* The steps of EM since the start, or since a state began anew: the log likelihood, and the objective, which is the log likelihood
 * and the log density of the parameters' prior. The objective never falls, unless crd_hmm_fit_may_fall: then the settings estimate
 * otherwise than by likelihood or posterior, and the model is that of the best step. */
CRD_API size_t crd_hmm_fit_steps(const crd_hmm_fit *how);
CRD_API double crd_hmm_fit_log_likelihood(const crd_hmm_fit *how, size_t step);
CRD_API double crd_hmm_fit_objective(const crd_hmm_fit *how, size_t step);
CRD_API size_t crd_hmm_fit_best_step(const crd_hmm_fit *how); /* the model's */
CRD_API int crd_hmm_fit_may_fall(const crd_hmm_fit *how);

/* The objectives that the starts have reached in a few steps, on a part of many sequences. */
CRD_API size_t crd_hmm_fit_restarts(const crd_hmm_fit *how);
CRD_API double crd_hmm_fit_restart(const crd_hmm_fit *how, size_t restart);

/* The numbers of states that were tried. */
typedef struct crd_hmm_choice {
    size_t size;
    size_t states;
    double log_likelihood; /* of all steps */
    double parameters;     /* that are free */
    double bic;            /* log likelihood - parameters log(steps) / 2 */
    double held_out;       /* mean log likelihood of a step that was held out; NaN: not computed */
} crd_hmm_choice;

#define CRD_HMM_CHOICE_INIT                                                                                            \
    { sizeof(crd_hmm_choice), 0, 0, 0, 0, 0 }

CRD_API size_t crd_hmm_fit_choices(const crd_hmm_fit *how);
CRD_API size_t crd_hmm_fit_chosen(const crd_hmm_fit *how); /* the index of the best */
CRD_API void crd_hmm_fit_choice_at(const crd_hmm_fit *how, size_t index, crd_hmm_choice *out);

#ifdef __cplusplus
}
#endif
#endif
