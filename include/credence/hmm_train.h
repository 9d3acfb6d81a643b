/* SPDX-License-Identifier: MIT */
/* credence/hmm_train.h - training of hidden Markov models: by counting from labeled sequences, or by EM (the Baum-Welch
 * algorithm) if states are hidden. */
#ifndef CREDENCE_HMM_TRAIN_H
#define CREDENCE_HMM_TRAIN_H

#include <credence/fit.h>
#include <credence/hmm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Labeled sequences: counting ---- */

/* Trains a hidden Markov model on the sequences of a reader whose target, the state of each row, is set. It counts the
 * values of each state, and the states that follow each other up to the order in the settings. Rows without a label are
 * not counted; they separate the rows before them from the rows after them. `options` NULL: each file is one sequence.
 * `settings` NULL: the defaults. `facts` may be NULL. The caller destroys *out.
 *
 * The model is a function of its columns and of the multiset of sequences. So crd_model_update_all,
 * crd_model_forget_all and crd_model_merge are exact. Memory does not grow with the number of rows. CRD_ERROR_EMPTY: no
 * row has a label, and the reader does not read only a part of the rows. */
CRD_API CRD_MUST_USE crd_status crd_sequence_train(crd_context *context, crd_reader *reader,
                                                   const crd_sequence_options *options, const crd_settings *settings,
                                                   crd_model **out, crd_read_facts *facts, crd_error *error);
/* Adds labeled sequences to a model that was trained by counting. Columns are matched by name. If the call fails, the
 * model is unchanged. `facts` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_sequences_update(crd_model *model, const crd_sequences *sequences,
                                                     crd_read_facts *facts, crd_error *error);
/* Removes labeled sequences from a model that was trained by counting. Columns are matched by name. If the call fails,
 * the model is unchanged. `facts` may be NULL. CRD_ERROR_NOT_LEARNED: the model has not learned these sequences. */
CRD_API CRD_MUST_USE crd_status crd_sequences_forget(crd_model *model, const crd_sequences *sequences,
                                                     crd_read_facts *facts, crd_error *error);

/* ---- Hidden states: the Baum-Welch algorithm (Baum et al. 1970) ----
 *
 * If some or all steps have no label, their states are hidden. EM then maximizes the likelihood or, with the
 * pseudo-counts of the setting smoothing, the posterior of the parameters. It starts from several random
 * initializations. The result is an ordinary hidden Markov model: its statistics count each step in every state,
 * weighted by the posterior probability of the state.
 *
 * Results are the same for any number of threads. The order of the sequences changes them by rounding, and by the
 * random initializations. */

/* Options of crd_hmm_train and crd_hmm_find. Initialize it with CRD_HMM_TRAIN_OPTIONS_INIT. */
typedef struct crd_hmm_train_options {
    size_t size;
    /* Number of hidden states. 0: the setting `states`. If that is auto, more states are tried until two additional
     * states bring no improvement. */
    size_t states;
    size_t least_states, max_states; /* the range of state numbers to select from */
    crd_fit_criterion criterion;
    /* Number of random initializations. The best is continued to convergence; if there are many steps, they are
     * compared on a sample. 0: the number in the settings estimator (em:N) or restarts; otherwise 10, or 20 if all
     * observations are categorical. */
    size_t restarts;
    size_t most_steps; /* maximum number of EM steps; 0: the setting iterations */
    /* EM converges when a step increases the objective by at most this fraction of it; negative: the setting. */
    double tolerance;
    uint64_t seed;
    unsigned threads;  /* 0: one per CPU core; results do not depend on it */
    int ignore_labels; /* non-zero: all states are hidden, even if there is a target */
    /* A hidden Markov model from which EM starts, instead of random initializations. Its states are the states of the
     * result and keep their names. NULL: none. It must outlive the fit. */
    const crd_model *start;
    /* For sequences that do not come from a reader: how to find such sequences in files, which the model stores. NULL:
     * the model stores nothing about it. */
    const crd_sequence_options *source;
} crd_hmm_train_options;

#define CRD_HMM_TRAIN_OPTIONS_INIT                                                                                     \
    { sizeof(crd_hmm_train_options), 0, 1, 12, CRD_FIT_BIC, 0, 0, -1, 1, 0, 0, 0, 0 }

/* Finds the hidden states of sequences. `settings` NULL: the defaults. `options` may be NULL. Create the model with
 * crd_fit_model. The caller destroys *out with crd_fit_destroy; the sequences must outlive it. If the call is cancelled or
 * its deadline passes after at least one EM step, it returns the best fit so far.
 *
 * If the sequences have a target that is not ignored, the states are its labels and declared values, and labels are
 * clamped. If all steps are labeled, the result is the model of crd_sequences_train. Otherwise the states are hidden
 * and are called "1", "2", ..., by decreasing expected number of steps, or in the order of a left-to-right topology or
 * of the forbidden transitions. `target` is then the name of the state column; it must not be the name of another
 * column.
 *
 * The model keeps the settings, with two changes. `states` becomes the number of states. `covariance` becomes full:0 or
 * tied:0 if it was full or tied, because EM maximizes the likelihood without shrinkage.
 *
 * CRD_ERROR_EMPTY: the sequences have no steps, no labels, or fewer steps than states. CRD_ERROR_SETTING: EM does not
 * support the settings. CRD_ERROR_ARGUMENT: the topology and the labels make a sequence impossible. */
CRD_API CRD_MUST_USE crd_status crd_hmm_find(const crd_sequences *sequences, crd_text target,
                                             const crd_settings *settings, const crd_hmm_train_options *options,
                                             crd_fit **out, crd_error *error);
/* Finds the hidden states like crd_hmm_find, and creates their model in *out, which the caller destroys. If `fit` is not
 * NULL, *fit describes the fit; destroy it with crd_fit_destroy. */
CRD_API CRD_MUST_USE crd_status crd_hmm_train(const crd_sequences *sequences, crd_text target,
                                              const crd_settings *settings, const crd_hmm_train_options *options,
                                              crd_model **out, crd_fit **fit, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
