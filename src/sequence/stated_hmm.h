/* SPDX-License-Identifier: MIT */
/* stated_hmm.h - a hidden Markov model as it is stated: probabilities and parameters, rather than what was counted. It
 * becomes an ordinary sequence model, whose counts have these relative frequencies and whose emissions have these statistics
 * (pseudo_rows.h), under settings that smooth nothing. */
#ifndef CRD_SEQUENCE_STATED_HMM_H
#define CRD_SEQUENCE_STATED_HMM_H

#include "density/univariate/family.h"
#include "settings/settings_internal.h"

/* The distribution of the next state after up to `order` states; fewer where a sequence has begun with them. */
typedef struct crd_i_stated_context {
    size_t length;
    uint32_t states[CRD_I_MOST_ORDER]; /* the latest last */
    uint64_t line;                     /* that states it */
} crd_i_stated_context;

/* One column, or several with a multivariate normal density. Parameters are those of the emission classes, which are pairs of
 * a state and a component, state by state. */
typedef struct crd_i_stated_observation {
    const crd_i_family *family; /* NULL: a multivariate normal density */
    crd_text *names;
    size_t name_count;
    crd_text *values; /* of a category */
    size_t value_count;
    /* As crd_i_column_statistics has them, but deviations in the place of variances, rates in that of an exponential mean; of a
     * category `firsts` are the probabilities of values; of a multivariate normal density mean vectors and covariances. */
    double *firsts, *seconds;
    uint64_t line;
} crd_i_stated_observation;

typedef struct crd_i_stated_hmm {
    crd_context *context;
    size_t order, states, components;
    crd_text *names;                /* of states */
    double *start;                  /* of states */
    crd_i_stated_context *contexts; /* different from each other */
    size_t context_count;
    double *next; /* contexts x (states + 1): the last is the end of the sequence */
    bool has_ends;
    double *weights; /* states x components */
    crd_i_stated_observation *observations;
    size_t observation_count;
    crd_text target; /* the column of states */
    bool is_hidden;  /* no file has that column */
    /* How sequences are found in files, as crd_sequence_options has it. */
    crd_text sequence, time, time_form;
    bool blank_lines;
    double step;
    bool has_header;
} crd_i_stated_hmm;

void crd_i_stated_hmm_clear(crd_i_stated_hmm *stated); /* all zero is fine */

/* Reads the text of a file as docs/hmm-file.md has it. The texts of *out stay in the bytes, which are written to. Errors have
 * the line. On failure *out is empty. */
CRD_MUST_USE crd_status crd_i_stated_hmm_read(crd_context *context, char *bytes, size_t length, crd_i_stated_hmm *out,
                                              crd_error *error);
/* Whether the beginning of a file is that of such a text. */
bool crd_i_stated_hmm_recognise(const unsigned char *bytes, size_t length);

/* The sequence model that the text of a file states. */
CRD_MUST_USE crd_status crd_i_stated_hmm_load(crd_context *context, char *bytes, size_t length, crd_model **out,
                                              crd_error *error);

#endif
