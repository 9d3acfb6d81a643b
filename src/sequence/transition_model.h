/* SPDX-License-Identifier: MIT */
/* transition_model.h - start, transition and end probabilities from counts of n-grams, under settings.
 *
 * With c(h a) how often symbol a, a state or the end, came behind the context h of the last N symbols, n(h) the sum of c(h a)
 * over the symbols a that may follow h, and t how many of these there are:
 *   none           c(h a) / n(h)
 *   m:M            (c(h a) + M p(a)) / (n(h) + M), p(a) = 1 / t, or the relative frequency of a
 *   laplace:L      (c(h a) + L) / (n(h) + L t)
 *   interpolated   the sum over j = 0 .. N of l_j c(h_j a) / n(h_j), h_j the last j symbols of h
 * The weights l_j are found by deleted interpolation (Brants: TnT, a statistical part-of-speech tagger; 2000): each n-gram
 * adds its count to the weight of that j for which (c(h_j a) - 1) / (n(h_j) - 1) is greatest. Each weight begins with one
 * pseudo-count, so that no symbol that was met is impossible behind any other. Of contexts that were never met the
 * weights of the shorter ones are scaled up to 1. Without smoothing such a context is that of its last N - 1 symbols, and
 * so on; where nothing at all was met, all symbols that may follow are equally likely.
 *
 * Topology and forbidden transitions rule symbols out; the others' probabilities sum to 1, in each context. */
#ifndef CRD_SEQUENCE_TRANSITION_MODEL_H
#define CRD_SEQUENCE_TRANSITION_MODEL_H

#include "sequence/ngram_counts.h"

/* Which transitions the settings allow, between states in their order. */
typedef struct crd_i_transition_rules {
    crd_context *context;
    size_t states;
    bool has_end;      /* the end is one of the symbols that may follow */
    bool *start, *end; /* of each state */
    bool *next;        /* from * states + to */
} crd_i_transition_rules;

/* `start` and `end` name the begin and the end of a sequence unless they are states. CRD_ERROR_SETTING: a transition names no
 * state, or a state or the begin has nothing that may follow. */
CRD_MUST_USE crd_status crd_i_transition_rules_init(crd_i_transition_rules *rules, const crd_settings *settings,
                                                    const crd_i_dictionary *states, crd_error *error);
void crd_i_transition_rules_clear(crd_i_transition_rules *rules);

/* The counts of n-grams of one length, context by context. */
typedef struct crd_i_transition_level {
    uint64_t *contexts; /* packed, ascending */
    size_t *first;      /* of each context its first next symbol, and behind the last one's */
    double *totals;     /* of each context, over the symbols that there are */
    uint32_t *next;     /* ascending within a context; the end is `states` */
    double *counts;
    size_t context_count;
} crd_i_transition_level;

typedef struct crd_i_transition_model {
    crd_context *context;
    size_t states, order;
    crd_i_transition_rules rules;
    crd_i_transition_estimate estimate;
    double strength;
    bool is_marginal;                                    /* M is spread by the symbols' relative frequencies */
    double weights[CRD_I_MOST_ORDER + 1];                /* of interpolation, by the length of the context */
    crd_i_transition_level levels[CRD_I_MOST_ORDER + 1]; /* by the length of the context */
} crd_i_transition_model;

/* `ranks`: see crd_i_ngram_counts_list; `states` are in order. The order is the settings', and at most that of the counts. What the setting
 * transitions takes for auto depends on whether states are hidden. */
CRD_MUST_USE crd_status crd_i_transition_model_create(const crd_i_ngram_counts *counts, const uint32_t *ranks,
                                                      const crd_i_dictionary *states, bool is_hidden,
                                                      const crd_settings *settings, crd_i_transition_model **out,
                                                      crd_error *error);
void crd_i_transition_model_destroy(crd_i_transition_model *model);

/* The symbols of a packed context of so many, the earliest first. */
void crd_i_transition_context(uint64_t packed, size_t length, uint32_t *symbols);

/* P(next | context) of all states, and of the end behind them, which is 0 where it has no probability. The context has `order` symbols,
 * the earliest first: states, or CRD_I_SYMBOL_BEGIN before the first. Any thread. */
void crd_i_transition_model_row(const crd_i_transition_model *model, const uint32_t *context, double *probabilities);
/* Probabilities that are free: those that may be, less one of each context. */
size_t crd_i_transition_model_parameters(const crd_i_transition_model *model);
/* How many starts, transitions and ends were counted that the rules make impossible, of *all. */
double crd_i_transition_model_ruled_out(const crd_i_transition_model *model, double *all);

#endif
