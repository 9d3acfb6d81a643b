/* SPDX-License-Identifier: MIT */
/* hmm_internal.h - the members of a hidden Markov model derived under settings: transition probabilities as a chain,
 * and densities of observations given the state. */
#ifndef CRD_SEQUENCE_HMM_INTERNAL_H
#define CRD_SEQUENCE_HMM_INTERNAL_H

#include "base/dictionary.h"
#include "base/error.h"
#include "classify/classifier_internal.h"
#include "model/model_internal.h"
#include "sequence/chain/chain.h"
#include "sequence/data/sequences.h"
#include "sequence/unseen_words.h"
#include "settings/settings_internal.h"

#include <credence/hmm.h>
#include <credence/sequence.h>

/* ======== N-gram counts ========
 *
 * N-grams of the states of sequences are counted. They are the sufficient statistics for the start, transition and
 * end probabilities of a Markov chain of any order below n.
 *
 * For a chain of order N, (N + 1)-grams are counted: a state or the end, together with the N symbols before it.
 * Before the first state these symbols are the mark `begin`. After a step without a state they are the mark
 * `unknown`, so no n-gram spans such a step. Counts of shorter n-grams are sums over the first symbols. An n-gram
 * that contains `unknown` counts only for the shorter n-grams without it. Labeled sequences produce integer counts,
 * whose sums are exact. Baum-Welch produces expected counts. */

enum {
    CRD_I_MOST_GRAM = CRD_I_MOST_ORDER + 1,
    CRD_I_SYMBOL_END = 0xfffd,
    CRD_I_SYMBOL_UNKNOWN = 0xfffe,
    CRD_I_SYMBOL_BEGIN = 0xffff,
    CRD_I_MAX_STATES = 0xfff0 /* symbols below this value are states */
};

typedef struct crd_i_ngram {
    uint32_t symbols[CRD_I_MOST_GRAM]; /* order + 1 symbols, oldest first */
    double count;
} crd_i_ngram;

typedef struct crd_i_ngram_counts {
    crd_context *context;
    size_t order;
    crd_i_dictionary *states; /* names of the states, in the order of their first occurrence */
    /* Hash table with open addressing: packed symbols as keys, and their counts. */
    uint64_t *keys;
    double *counts;
    size_t used, capacity;
} crd_i_ngram_counts;

CRD_MUST_USE crd_status crd_i_ngram_counts_create(crd_context *context, size_t order, crd_i_ngram_counts **out,
                                                  crd_error *error);
void crd_i_ngram_counts_destroy(crd_i_ngram_counts *counts);
CRD_MUST_USE crd_status crd_i_ngram_counts_clone(crd_context *context, const crd_i_ngram_counts *counts,
                                                 crd_i_ngram_counts **out, crd_error *error);

/* Gets the number of a state, adding it if it is new. Returns CRD_ERROR_LIMIT if there are too many states. */
CRD_MUST_USE crd_status crd_i_ngram_counts_state(crd_i_ngram_counts *counts, crd_text name, uint32_t *state,
                                                 crd_error *error);

/* Adds to the count of order + 1 symbols, oldest first. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_ngram_counts_add(crd_i_ngram_counts *counts, const uint32_t *symbols, double count);

/* State of counting a sequence block by block, where each step is a state number, negative if it has no state. */
typedef struct crd_i_ngram_context {
    uint32_t symbols[CRD_I_MOST_GRAM]; /* the latest `order` symbols, oldest first */
} crd_i_ngram_context;
void crd_i_ngram_counts_begin(const crd_i_ngram_counts *counts, crd_i_ngram_context *ngram);
CRD_MUST_USE bool crd_i_ngram_counts_add_steps(crd_i_ngram_counts *counts, crd_i_ngram_context *ngram,
                                               const int32_t *states, size_t steps);
/* Counts the end after the last step. Does nothing for a sequence without steps. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_ngram_counts_end(crd_i_ngram_counts *counts, const crd_i_ngram_context *ngram);

/* Adds (sign 1) or subtracts (sign -1) other counts of the same order. States are matched by name. Returns
 * CRD_ERROR_NOT_LEARNED if a count would become negative. On failure no count has changed. */
CRD_MUST_USE crd_status crd_i_ngram_counts_combine(crd_i_ngram_counts *counts, const crd_i_ngram_counts *other,
                                                   int sign, crd_error *error);

/* Lists all n-grams with nonzero counts, in ascending order of their symbols. States are replaced by their ranks,
 * ranks[i] for state i; marks stay unchanged. The caller frees the list with crd_free. */
CRD_MUST_USE crd_status crd_i_ngram_counts_list(const crd_i_ngram_counts *counts, const uint32_t *ranks,
                                                crd_i_ngram **out, size_t *count, crd_error *error);
/* Computes how often each state occurred. */
void crd_i_ngram_counts_visits(const crd_i_ngram_counts *counts, double *visits);

/* ======== Transition model ========
 *
 * Start, transition and end probabilities are estimated from n-gram counts, under settings.
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
 * part-of-speech tagger; 2000). Each n-gram adds its count to the weight of the j for which (c(h_j a) - 1) / (n(h_j)
 * - 1) is largest. Each weight begins with one pseudo-count, so no symbol that occurred is impossible after any
 * other. If a context never occurred, the weights of the shorter contexts are scaled up to sum 1.
 *
 * Without smoothing, a context that never occurred is replaced by its last N - 1 symbols, and so on. If no context
 * occurred, all symbols that may follow are equally likely.
 *
 * Topology and forbidden transitions exclude symbols. The probabilities of the others sum to 1 in each context. */

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

/* ======== Context nodes ========
 *
 * A chain of any order is converted into a chain of order 1. Its nodes are contexts: the last `order` states of a
 * path. In a transition, the target's context is the source's context without its oldest state, plus the new state.
 * Only contexts that some path can reach are nodes. */

typedef struct crd_i_context_nodes {
    crd_context *context;
    size_t states, order, count;
    /* contexts of the nodes, `order` symbols each, oldest first; CRD_I_SYMBOL_BEGIN before the first state */
    uint32_t *contexts;
    uint32_t *state_of; /* latest state of each node */
    /* start and end probability of each node; `end` is NULL if there are no end probabilities */
    double *start, *end;
    double *dense;         /* order 1: transition probabilities [source * count + target]; NULL in higher orders */
    size_t *first;         /* higher orders: index of each source's first transition, plus an end entry */
    uint32_t *targets;     /* higher orders: target of each transition, ascending within a source */
    double *probabilities; /* higher orders: probability of each transition, above zero */
    double *shared;        /* higher orders: probability of each node if the oldest state before it is unknown */
} crd_i_context_nodes;

/* Creates the nodes of a transition model. Returns CRD_ERROR_LIMIT if there would be too many transitions. */
CRD_MUST_USE crd_status crd_i_context_nodes_create(const crd_i_transition_model *model, crd_i_context_nodes **out,
                                                   crd_error *error);
void crd_i_context_nodes_destroy(crd_i_context_nodes *nodes);
/* Creates the chain with these nodes. */
CRD_MUST_USE crd_status crd_i_context_nodes_chain(const crd_i_context_nodes *nodes, crd_i_chain **out,
                                                  crd_error *error);

/* Adds expected counts of nodes and transitions to n-gram counts of the same order, whose states must have the same
 * numbers. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_context_nodes_count(const crd_i_context_nodes *nodes, const crd_i_chain_counts *expected,
                                            crd_i_ngram_counts *counts);

/* ======== Content of a sequence model ========
 *
 * Sufficient statistics of the observations given the state, and n-gram counts of states. Everything else is derived
 * from these and the settings when the model is used. */

typedef struct crd_i_hmm_content {
    crd_context *context;
    /* Model of the observations. Its target is the state; with several components, the pair of state and component,
     * with names "A/1", "A/2", ... . In a finished model, its settings are the defaults and are not used. */
    crd_model *emissions;
    crd_i_ngram_counts *transitions;
    size_t components;
    bool is_hidden; /* no column has the states; the target of the emissions, their last column, is not in any file */
    /* counts are expected counts, or specified: rows and sequences can be neither added nor removed */
    bool is_fitted;
    bool is_stated; /* a text specifies the probabilities, and the counts do not represent rows; implies is_fitted */
    /* How sequences were found in files; the texts are owned. */
    crd_sequence_options source;
} crd_i_hmm_content;

/* Returns the content of a sequence model; NULL: the model is not a sequence model. */
const crd_i_hmm_content *crd_i_hmm_content_of(const crd_model *model);

/* Creates the content, and takes ownership of `emissions` and `transitions`, even on failure. Hidden states are
 * declared as values of the target, and marked as fitted. `source` may be NULL if the sequences are not from files. */
CRD_MUST_USE crd_status crd_i_hmm_content_create(crd_context *context, crd_model *emissions,
                                                 crd_i_ngram_counts *transitions, size_t components, bool is_hidden,
                                                 const crd_sequence_options *source, crd_i_hmm_content **out,
                                                 crd_error *error);
void crd_i_hmm_content_destroy(crd_i_hmm_content *content);

/* Creates a model with this content, and takes ownership of `content`, even on failure. The method of the settings
 * becomes `sequence`, and their order at most the order of the counts. */
CRD_MUST_USE crd_status crd_i_sequence_model_create(crd_i_hmm_content *content, const crd_settings *settings,
                                                    crd_model **out, crd_error *error);

/* Creates the settings of the emission model from the settings of a sequence model (NULL: the defaults). Returns
 * CRD_ERROR_SETTING if the settings fit something to the posteriors of single rows. */
CRD_MUST_USE crd_status crd_i_emission_settings(crd_context *context, const crd_settings *settings, crd_settings **out,
                                                crd_error *error);
/* Writes the class name of a component to `buffer` and returns it. `buffer` must have CRD_I_COMPONENT_ROOM bytes more
 * than the state's name. `component` counts from 0. If there is only one component, the class has the state's name. */
enum { CRD_I_COMPONENT_ROOM = 24 };
crd_text crd_i_component_name(crd_text state, size_t component, size_t components, char *buffer);

/* Lists the states in order: all states that occurred, are declared, or are hidden. Also returns the rank of each of
 * the counts' states, UINT32_MAX for a state that no longer exists. The caller owns *out and *ranks. */
CRD_MUST_USE crd_status crd_i_hmm_content_states(const crd_i_hmm_content *content, crd_i_dictionary **out,
                                                 uint32_t **ranks, crd_error *error);

/* ======== Emission model ========
 *
 * Log P(observation | state): the sum of the log densities of the columns that are present,
 *
 *   log P(x | s) = sum over the columns j with a value of log P(x_j | s).
 *
 * With several components it is a mixture, log sum_m w_m P(x | s, m), where w_m is the relative frequency of
 * component m among the rows of state s. Missing columns contribute no factor. Neither do unseen values of a
 * categorical column, unless they are words (unseen_words.h), nor numbers outside the support of the column's
 * family. */

typedef struct crd_i_emission_model {
    crd_context *context;
    /* classifier of the emission model; its classes are states, or pairs of state and component */
    crd_classifier *classifier;
    size_t states, components;
    uint32_t *class_of; /* [state * components + component]: the class; UINT32_MAX: it has no rows */
    /* log weights of the components within their state; -INFINITY for missing components */
    double *log_weights;
    bool is_plain;               /* classes are the states, in order */
    crd_i_unseen_words **unseen; /* word model of each attribute; NULL: not a word column */
} crd_i_emission_model;

/* Creates the emission model of an HMM. `states` are in order. `content` must outlive it. */
CRD_MUST_USE crd_status crd_i_emission_model_create(const crd_i_hmm_content *content, const crd_i_dictionary *states,
                                                    const crd_settings *settings, crd_i_emission_model **out,
                                                    crd_error *error);
void crd_i_emission_model_destroy(crd_i_emission_model *emission);

/* Mapping between the columns of sequences and of a model: matched by name, with codes translated. Shared by
 * threads. */
typedef struct crd_i_emission_binding crd_i_emission_binding;

/* Binds sequences to a model, and their labels to its states. Returns CRD_ERROR_SCHEMA_DIFFERS if a column is numeric
 * in one and categorical in the other. The sequences and the model must outlive the binding. */
CRD_MUST_USE crd_status crd_i_emission_bind(const crd_i_emission_model *emission, const crd_sequences *sequences,
                                            const crd_i_dictionary *states, crd_i_emission_binding **out,
                                            crd_error *error);
void crd_i_emission_binding_destroy(crd_i_emission_binding *binding);

/* Workspace of one thread. */
typedef struct crd_i_emission_room crd_i_emission_room;
CRD_MUST_USE crd_status crd_i_emission_room_create(const crd_i_emission_binding *binding, crd_i_emission_room **out,
                                                   crd_error *error);
void crd_i_emission_room_destroy(crd_i_emission_room *workspace);

/* Computes logs[(t - source) * stride + state] for the steps from `source` to `target` - 1 of a sequence. The workspace
 * belongs to the calling thread. */
CRD_MUST_USE crd_status crd_i_emission_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                            uint64_t target, double *logs, size_t stride,
                                            crd_i_emission_room *workspace, crd_error *error);
/* Works like crd_i_emission_fill, but clamps labeled steps: all states other than the label are -INFINITY. A label that
 * is not a state is ignored. */
CRD_MUST_USE crd_status crd_i_emission_fill_clamped(const crd_i_emission_binding *binding, size_t sequence,
                                                    uint64_t source, uint64_t target, double *logs, size_t stride,
                                                    crd_i_emission_room *workspace, crd_error *error);

/* Computes log w_m P(observation | state, m) for the components m of all states, as
 * logs[(t - source) * stride + state * components + m]. */
CRD_MUST_USE crd_status crd_i_emission_fill_components(const crd_i_emission_binding *binding, size_t sequence,
                                                       uint64_t source, uint64_t target, double *logs, size_t stride,
                                                       crd_i_emission_room *workspace, crd_error *error);

struct crd_hmm {
    crd_context *context;
    crd_settings *settings;   /* settings of the sequence model */
    crd_i_dictionary *states; /* in order: code = state */
    size_t state_count, order;
    bool is_hidden, is_stated;
    crd_i_transition_model *transitions;
    crd_i_context_nodes *nodes; /* nodes of the chain, with the same layout */
    crd_i_chain *chain;
    crd_i_emission_model *emission;
    crd_hmm_facts facts;
};

/* Version of crd_hmm_create for a content that is not yet part of a model, for example during training. `content` must
 * outlive the result. */
CRD_MUST_USE crd_status crd_i_hmm_derive(const crd_i_hmm_content *content, const crd_settings *settings, crd_hmm **out,
                                         crd_error *error);

/* ======== Labeled sequences ========
 *
 * Training counts statistics of the rows of each state, and n-grams of states. */

/* Returns CRD_ERROR_ARGUMENT if the model was not counted from labeled sequences, so that it cannot do what
 * `description` says, for example "learn sequences". */
CRD_MUST_USE crd_status crd_i_sequence_model_check_counted(const crd_model *model, const char *description,
                                                           crd_error *error);
/* Adds (sign 1) or subtracts (sign -1) the counts of another content. On failure the model is unchanged. */
CRD_MUST_USE crd_status crd_i_sequence_model_combine(crd_model *model, const crd_i_hmm_content *other, int sign,
                                                     crd_error *error);
/* Adds or subtracts all sequences of a fresh reader. The sequences are found as in the model's training, and the model
 * must be counted. `facts` may be NULL. */
CRD_MUST_USE crd_status crd_i_sequence_learn_reader(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                    int sign, crd_error *error);

#endif
