/* SPDX-License-Identifier: MIT */
/* stated_hmm.h - a hidden Markov model specified by the user: probabilities and parameters instead of counts. It
 * becomes an ordinary sequence model. Its n-gram counts have the specified relative frequencies, its emissions have the
 * specified statistics (pseudo_rows.h), and its settings do not smooth. */
#ifndef CRD_SEQUENCE_STATED_HMM_H
#define CRD_SEQUENCE_STATED_HMM_H

#include "density/univariate/family.h"
#include "settings/settings_internal.h"

/* The distribution of the next state after up to `order` states. A context has fewer states only at the beginning of a
 * sequence. */
typedef struct crd_i_stated_context {
    size_t length;
    uint32_t states[CRD_I_MOST_ORDER]; /* the latest last */
    uint64_t line;                     /* line in the file */
} crd_i_stated_context;

/* One column, or several columns with a multivariate normal density. Parameters are given for each emission class, a
 * pair of state and component, state by state. */
typedef struct crd_i_stated_observation {
    const crd_i_family *family; /* NULL: multivariate normal */
    crd_text *names;
    size_t name_count;
    crd_text *values; /* values of a categorical column */
    size_t value_count;
    /* Parameters as in crd_i_column_statistics, with these differences: deviations instead of variances, and the rate
     * instead of the mean of an exponential. Categorical: `firsts` are the probabilities of the values. Multivariate
     * normal: mean vectors and covariance matrices. */
    double *firsts, *seconds;
    uint64_t line;
} crd_i_stated_observation;

typedef struct crd_i_stated_hmm {
    crd_context *context;
    size_t order, states, components;
    crd_text *names;                /* names of the states */
    double *start;                  /* start probabilities of the states */
    crd_i_stated_context *contexts; /* distinct contexts */
    size_t context_count;
    double *next; /* contexts x (states + 1): next-state probabilities; the last entry is the end of the sequence */
    bool has_ends;
    double *weights; /* states x components: component weights */
    crd_i_stated_observation *observations;
    size_t observation_count;
    crd_text target; /* name of the state column */
    bool is_hidden;  /* no file has that column */
    /* How sequences are found in files, as in crd_sequence_options. */
    crd_text sequence, time, time_format;
    bool blank_lines;
    double step;
    bool has_header;
} crd_i_stated_hmm;

void crd_i_stated_hmm_clear(crd_i_stated_hmm *stated); /* an all-zero struct is allowed */

/* Reads the text of a file in the format of docs/hmm-file.md. The texts of *out point into `bytes`, which is modified.
 * Errors include the line. On failure *out is empty. */
CRD_MUST_USE crd_status crd_i_stated_hmm_read(crd_context *context, char *bytes, size_t length, crd_i_stated_hmm *out,
                                              crd_error *error);
/* Returns whether the beginning of a file looks like such a text. */
bool crd_i_stated_hmm_recognize(const unsigned char *bytes, size_t length);

/* Creates the sequence model that the text of a file specifies. */
CRD_MUST_USE crd_status crd_i_stated_hmm_load(crd_context *context, char *bytes, size_t length, crd_model **out,
                                              crd_error *error);

#endif
