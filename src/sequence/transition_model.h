/* SPDX-License-Identifier: MIT */
/* transition_model.h - estimates start, transition and end probabilities from n-gram counts, under settings.
 *
 * Let c(h a) be the count of symbol a (a state or the end) after the context h of the last N symbols, n(h) the sum of
 * c(h a) over the symbols a that may follow h, and t the number of these symbols:
 *
 *   none           c(h a) / n(h)                                                    (maximum likelihood)
 *   m:M            (c(h a) + M p(a)) / (n(h) + M), p(a) = 1 / t, or the relative frequency of a
 *   laplace:L      (c(h a) + L) / (n(h) + L t)
 *   interpolated   sum over j = 0 .. N of l_j c(h_j a) / n(h_j), where h_j are the last j symbols of h
 *
 * The weights l_j are estimated by deleted interpolation (Jelinek and Mercer 1980; Brants: TnT, a statistical
 * part-of-speech tagger; 2000). Each n-gram adds its count to the weight of the j for which (c(h_j a) - 1) / (n(h_j) -
 * 1) is largest. Each weight begins with one pseudo-count, so no symbol that occurred is impossible after any other. If
 * a context never occurred, the weights of the shorter contexts are scaled up to sum 1.
 *
 * Without smoothing, a context that never occurred is replaced by its last N - 1 symbols, and so on. If no context
 * occurred, all symbols that may follow are equally likely.
 *
 * Topology and forbidden transitions exclude symbols. The probabilities of the others sum to 1 in each context. */
#ifndef CRD_SEQUENCE_TRANSITION_MODEL_H
#define CRD_SEQUENCE_TRANSITION_MODEL_H

#include "sequence/ngram_counts.h"

/* Transitions that the settings allow, between states in their order. */
typedef struct crd_i_transition_rules {
    crd_context *context;
    size_t states;
    bool has_end;      /* the end is one of the symbols that may follow */
    bool *start, *end; /* for each state: it may begin, or end, a sequence */
    bool *next;        /* [source * states + target]: the transition is allowed */
} crd_i_transition_rules;

/* Counts of n-grams of one length, grouped by context. */
typedef struct crd_i_transition_level {
    uint64_t *contexts; /* packed symbols, ascending */
    size_t *first;      /* index of each context's first successor, plus an end entry */
    double *totals;     /* total count of each context */
    uint32_t *next;     /* successors, ascending within a context; the end is `states` */
    double *counts;
    size_t context_count;
} crd_i_transition_level;

typedef struct crd_i_transition_model {
    crd_context *context;
    size_t states, order;
    crd_i_transition_rules rules;
    crd_i_transition_estimate estimate;
    double strength;
    /* the M pseudo-counts are distributed by the relative frequencies of the symbols */
    bool is_marginal;
    double weights[CRD_I_MOST_ORDER + 1];                /* interpolation weights, by context length */
    crd_i_transition_level levels[CRD_I_MOST_ORDER + 1]; /* counts, by context length */
} crd_i_transition_model;

/* Creates a transition model. See crd_i_ngram_counts_list for `ranks`; `states` are in order. The order is given by the
 * settings and must not exceed the order of the counts. If the setting `transitions` is `auto`, the estimate depends on
 * whether states are hidden. */
CRD_MUST_USE crd_status crd_i_transition_model_create(const crd_i_ngram_counts *counts, const uint32_t *ranks,
                                                      const crd_i_dictionary *states, bool is_hidden,
                                                      const crd_settings *settings, crd_i_transition_model **out,
                                                      crd_error *error);
void crd_i_transition_model_destroy(crd_i_transition_model *model);

/* Unpacks a context of `length` symbols, oldest first. */
void crd_i_transition_context(uint64_t packed, size_t length, uint32_t *symbols);

/* Computes P(next | context) for all states and, as the last entry, for the end (0 if there are no end probabilities).
 * The context has `order` symbols, oldest first: states, or CRD_I_SYMBOL_BEGIN before the first state. Any thread may
 * call it. */
void crd_i_transition_model_row(const crd_i_transition_model *model, const uint32_t *context, double *probabilities);
/* Returns the number of free parameters: for each context, the number of allowed successors minus 1. */
size_t crd_i_transition_model_parameters(const crd_i_transition_model *model);
/* Returns the number of counted starts, transitions and ends that the rules exclude. Sets *all to the number of all
 * that were counted. */
double crd_i_transition_model_ruled_out(const crd_i_transition_model *model, double *all);

#endif
