/* SPDX-License-Identifier: MIT */
/* term_density.h - the densities of texts: derivation, evaluation, explanation, and the selection, weights and
 * smoothing of terms.
 *
 * Contents:
 *   1. Feature selection
 *   2. Term weights
 *   3. Text families
 *   4. Readers of documents
 *   5. Empirical Bayes smoothing */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_DENSITY_H
#define CRD_DENSITY_UNIVARIATE_TERM_DENSITY_H

#include "base/dictionary.h"
#include "density/univariate/family.h"
#include "settings/settings_internal.h"
#include "stats/term_store.h"

/* ======== 1. Feature selection ========
 *
 * Whether a term is selected depends on its own counts and on a few numbers from one pass over all terms. So each term
 * of a document is decided when it occurs, whatever the size of the vocabulary. The settings are:
 *
 *   min-df, max-df   bounds on the number of texts of all classes that have the term; a value below 1 is
 *                                  a fraction of all texts
 *   stop-words                     excludes the terms of the given words. auto: excludes terms that occur in at least a
 *                                  tenth of the texts and whose presence T has I(T; C) < H(T) / 100, which is almost no
 *                                  information about the class C
 *   vocabulary                     keeps the N remaining terms with the largest I(T; C); ties go to the first in byte
 *                                  order
 *
 * The mutual information (Yang and Pedersen 1997) is
 *
 *   I(T; C) = sum over c, t of P(t, c) log(P(t, c) / (P(t) P(c))),
 *
 * with P estimated by relative frequencies of texts. */

/* The counts of a term under a condition: texts that contain it, and the sum of tf(x) over these texts. */
typedef struct crd_i_term_class {
    int32_t condition;
    double documents, weight;
} crd_i_term_class;

/* Summarizes the counts of a term by condition and returns the number of conditions. `out` has space for counts->count
 * entries. */
size_t crd_i_term_classes(const crd_i_term_counts *counts, crd_i_tf tf, crd_i_term_class *out);

/* Returns tf(x) for x = `times` occurrences: x, 1 + log x, or 1. */
double crd_i_term_tf(crd_i_tf tf, uint32_t times);

typedef struct crd_i_term_selection {
    crd_context *context;
    size_t conditions;
    double *documents; /* number of texts of each condition */
    double total;      /* number of all texts */
    double least, most;
    bool is_auto;                 /* stop words are detected from their counts */
    crd_i_dictionary *stop_terms; /* the terms of the given stop words; NULL: none */
    size_t vocabulary;            /* maximum number of terms; 0: unlimited */
    bool has_threshold;           /* the vocabulary is limited by the threshold; false: all other terms count */
    double threshold;
    crd_i_buffer last; /* the last term in byte order that is exactly at the threshold and still selected */
} crd_i_term_selection;

/* Creates a selection from the store and the settings, without a threshold. Call _clear in any case, even after
 * failure. */
CRD_MUST_USE crd_status crd_i_term_selection_open(crd_context *context, const crd_i_term_store *store,
                                                  const crd_i_token_rules *rules, const crd_settings *settings,
                                                  crd_i_term_selection *out, crd_error *error);
void crd_i_term_selection_clear(crd_i_term_selection *selection);
/* Returns whether some terms may be excluded. */
bool crd_i_term_selection_is_active(const crd_i_term_selection *selection);
/* Returns whether a term with these counts is selected. */
bool crd_i_term_selection_has(const crd_i_term_selection *selection, crd_text term, const crd_i_term_class *classes,
                              size_t count);

/* Iterates over all selected terms in byte order. */
typedef struct crd_i_term_pass {
    const crd_i_term_selection *selection;
    crd_i_tf tf;
    crd_i_term_cursor cursor;
    crd_i_term_counts counts; /* counts of the current term */
    crd_i_term_class *classes;
    size_t class_count, capacity;
    crd_text term;
    uint64_t looked_at; /* number of terms visited, selected or not */
} crd_i_term_pass;
void crd_i_term_pass_begin(crd_i_term_pass *pass, const crd_i_term_store *store, const crd_i_term_selection *selection,
                           crd_i_tf tf);
CRD_MUST_USE crd_status crd_i_term_pass_next(crd_i_term_pass *pass, bool *more, crd_error *error);
void crd_i_term_pass_end(crd_i_term_pass *pass);

/* Finds the threshold of the vocabulary in two passes. */
CRD_MUST_USE crd_status crd_i_term_selection_fit(crd_i_term_selection *selection, const crd_i_term_store *store,
                                                 crd_error *error);

/* ======== 2. Term weights ========
 *
 * Fitted weights of terms replace the values that a text family computes from counts.
 *
 * Term t occurs x times in a text; i_t is its inverse document frequency (Salton and Buckley 1988) and f_t = tf(x) i_t.
 * The score of class c is
 *
 *   score_c(text) = sum over t of w_tc f_t / sqrt(sum over t of f_t^2)
 *
 * over the terms that have weights; other terms do not count. crd_i_term_density_set_weights evaluates texts with tf(x)
 * = 1 + log x. Note that fit/word_weights.c fits the weights with log(1 + x) instead. */

typedef struct crd_i_term_weights {
    crd_context *context;
    crd_i_dictionary *terms;
    double *rarities; /* the inverse document frequency i_t of each term */
    double *values;   /* [term][condition]: w_tc i_t */
} crd_i_term_weights;

void crd_i_term_weights_destroy(crd_i_term_weights *weights); /* NULL is fine */

/* ======== 3. Text families ========
 *
 * The interface of the text families: the parts that they share, and the functions that differ.
 *
 * A text is a bag of terms. If term t occurs x times in it, then over the selected terms
 *
 *   log P(text | c) = s ( whole_c(text) + sum over t of value_tc(x) )
 *
 * The factor s is chosen by the setting `length`. With n the sum of tf(x), it is 1, sqrt(n) / n, 1 / sqrt(sum of
 * tf(x)^2) or min(1, N / n). It is needed because the words of a text are far from independent: a long text has no more
 * evidence than a few independent words. tf(x) is chosen by the setting `tf`; it is x if !counts_tf, and 1 if
 * is_presence.
 *
 * The value of a term consists of a baseline, which applies under every condition, and a correction under the
 * conditions that have the term. So the cost of a term grows with the number of conditions that have it, not with all
 * conditions:
 *
 *   sum over t of value_tc(x) = baseline_c(tf, constants, repeats) + sum over t of correction_tc(x).
 *
 * The corrections of a term are computed from the term store when a reader first meets the term, and the reader caches
 * them. Readers belong to the density; each is used by one thread at a time. Terms that never occur cost nothing,
 * except in sums over the whole vocabulary, which are computed once and cached in the model (crd_i_term_density_fit).
 * Terms that occur in no training text are ignored, and counted. */

typedef struct crd_i_term_density crd_i_term_density;
typedef struct crd_i_term_readers crd_i_term_readers;

/* The correction of a term under a condition that has the term. */
typedef struct crd_i_term_value {
    int32_t condition;
    double value;
} crd_i_term_value;

/* Summary of the selected terms of a document. */
typedef struct crd_i_document_terms {
    uint64_t length;         /* number of occurrences */
    uint64_t distinct;       /* number of distinct terms */
    double weight, squares;  /* sum of tf(x), and sum of tf(x)^2 */
    double constant;         /* sum of tf(x) times the constant of each term */
    const uint64_t *repeats; /* number of terms that occur at least 1, 2, ... times */
    size_t repeat_count;
} crd_i_document_terms;

/* The change of a term when one text is removed: the classes that had the term before, and that have it after. A count
 * is 0 if the term was not, or is not, selected. */
typedef struct crd_i_term_change {
    const crd_i_term_class *before;
    size_t before_count;
    const crd_i_term_class *after;
    size_t after_count;
    size_t own; /* the condition of the removed text */
    bool did_count, counts;
} crd_i_term_change;

/* The functions and constants of one text family. */
typedef struct crd_i_term_math {
    const crd_i_family *family;
    bool is_score;  /* its values are scores, not log probabilities of the text */
    bool counts_tf; /* its counts are sums of tf(x), not of x */
    bool has_no_prior;
    bool is_spread;   /* explanations distribute whole_c over the terms, in proportion to their occurrences */
    bool is_presence; /* only the presence of a term counts: values are log odds of its presence */

    /* Sums over all terms. sum_count returns how many there are (NULL: none). If there are any, the first ones are one
     * per condition. `sum` computes them; `totals` and `terms` of the density are already set. */
    size_t (*sum_count)(const crd_i_term_density *density);
    crd_status (*sum)(const crd_i_term_density *density, double *out, crd_error *error);
    bool sums_texts;       /* the sum of a condition depends on its number of texts */
    double auto_smoothing; /* smoothing for the setting `auto`; 0: the family estimates it */

    /* Leave-one-out support. take_out updates density->sums for one term of the removed text. At this time
     * density->totals, terms and text counts already exclude the text for this term. NULL: a text cannot be removed.
     * begin_taking and end_taking (NULL: not needed) are called before and after; totals and terms are with and without
     * the text. */
    void (*take_out)(crd_i_term_density *density, const crd_i_term_change *change);
    void (*begin_taking)(crd_i_term_density *density);
    void (*end_taking)(crd_i_term_density *density);

    /* Computes density->values from the sums and totals. It allocates them by crd_i_term_density_room. */
    crd_status (*prepare)(crd_i_term_density *density, crd_error *error);
    /* Computes the corrections of a term and its constant. `values` has space for all of its classes. */
    void (*weigh)(const crd_i_term_density *density, const crd_i_term_counts *counts, const crd_i_term_class *classes,
                  size_t count, crd_i_term_value *values, double *constant);
    /* Adds the corrections of a term that occurs `times` times. */
    void (*correct)(const crd_i_term_density *density, const crd_i_term_value *values, size_t count, uint32_t times,
                    double tf, double *logs);
    /* `baseline` adds the baselines of the document's terms under each condition. `whole` adds the part for the
     * document as a whole (NULL: none). */
    void (*baseline)(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);
    void (*whole)(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);
    /* Returns P(term | condition): the probability of the next term of a text or, for a Bernoulli density, of its
     * presence. `value` is NULL under a condition that never had the term. NULL: the family has no such probability. */
    double (*probability)(const crd_i_term_density *density, const crd_i_term_value *value, double constant,
                          size_t condition);
} crd_i_term_math;

struct crd_i_term_density {
    crd_i_density base;
    const crd_i_term_math *math;
    crd_i_term_store *store;
    crd_i_token_rules rules;
    crd_i_term_selection selection;
    crd_i_tf tf;
    crd_i_length_rule length;
    double length_given;
    double smoothing; /* A, the setting term-smoothing; 0: estimated */
    bool is_plain;    /* complement: weights are not normalized */
    double terms;     /* number of selected terms */
    double *totals;   /* for each condition: sum of tf(x) over selected terms and documents */
    /* for each condition: sum over selected terms of the texts that have the term; NULL: not counted */
    double *texts;
    double *sums; /* computed by math->sum */
    size_t sum_count;
    double *values; /* computed by math->prepare */
    crd_i_term_readers *readers;
    crd_i_term_weights *weights; /* fitted weights; NULL: the family's own values are used */
};

/* Allocates density->values with `count` numbers, if it is NULL. */
CRD_MUST_USE crd_status crd_i_term_density_room(crd_i_term_density *density, size_t count, crd_error *error);
/* Adds a term that occurs `times` times to the summary of a document, except to its `repeats`. */
void crd_i_term_density_gather(crd_i_document_terms *document, uint32_t times, double tf, double constant);
/* Adds the baselines and the part for the whole document to `logs`, which hold the sum of the corrections of its terms.
 * Then scales the result by the setting `length`. */
void crd_i_term_density_conclude(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);

/* The functions of crd_i_family that all text families share. */
crd_status crd_i_term_density_derive(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                     const crd_settings *settings, crd_i_density **out, crd_error *error);
void crd_i_term_density_destroy(crd_i_density *density);
void crd_i_term_density_add(const crd_i_density *density, const crd_i_cells *cells, double *sums);
void crd_i_term_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
void crd_i_term_density_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
bool crd_i_term_density_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                                  const crd_settings *settings, bool is_first, crd_i_estimates *estimates);
bool crd_i_term_density_list(const crd_i_density *density, crd_i_parameter_list *parameter);
/* Computes the numbers that need a pass over all terms, so `derive` needs no pass. *count is 0 if no pass is needed. */
crd_status crd_i_term_density_fit(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                  const crd_settings *settings, double **numbers, size_t *count, crd_error *error);

/* Defines a text family by its `math`, which must be defined before it in the file. */
#define CRD_I_TERM_FAMILY(variable, label, line)                                                                       \
    static crd_status derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,       \
                             const void *shared, crd_i_density **out, crd_error *error) {                              \
        (void)shared;                                                                                                  \
        return crd_i_term_density_derive(&math, context, attribute, settings, out, error);                             \
    }                                                                                                                  \
    static crd_status fit(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,          \
                          double **numbers, size_t *count, crd_error *error) {                                         \
        return crd_i_term_density_fit(&math, context, attribute, settings, numbers, count, error);                     \
    }                                                                                                                  \
    const crd_i_family variable = {.name = (label),                                                                    \
                                   .summary = (line),                                                                  \
                                   .reads = {&crd_i_terms},                                                            \
                                   .derive = derive,                                                                   \
                                   .destroy = crd_i_term_density_destroy,                                              \
                                   .add = crd_i_term_density_add,                                                      \
                                   .add_block = crd_i_term_density_add_block,                                          \
                                   .term = crd_i_term_density_term,                                                    \
                                   .estimates = crd_i_term_density_estimates,                                          \
                                   .list_parameters = crd_i_term_density_list,                                         \
                                   .rest_create = crd_i_term_rest_create,                                              \
                                   .rest_destroy = crd_i_term_rest_destroy,                                            \
                                   .rest_add = crd_i_term_rest_add,                                                    \
                                   .fit = fit,                                                                         \
                                   .read = crd_i_term_density_read};

/* Evaluates the text of each row: logs[row * conditions + condition] = log P(text | condition), all 0 if the text is
 * missing. Adds to counts[row] the number of its distinct terms that occur in no training text. Any thread may call it.
 */
CRD_MUST_USE crd_status crd_i_term_density_read(const crd_i_density *density, const crd_i_cells *cells, double *logs,
                                                crd_i_terms_read *counts, crd_error *error);

/* Leave-one-out densities: see term_leave_one_out.c. */
crd_status crd_i_term_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                  size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_term_rest_destroy(crd_i_rest *remainder);
crd_status crd_i_term_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                               const int32_t *conditions, double *sums, uint32_t *unseen, crd_error *error);

/* One term of a document, for explanations. */
typedef struct crd_i_term_part {
    crd_text term;
    uint32_t times;
    bool is_known, counts; /* it occurs in a training text; it is selected */
    const double *values; /* for each condition, its contribution to log P(text | condition); 0 if it is not selected */
} crd_i_term_part;

/* Calls `take` for each distinct term, in the order of first occurrence, until it returns false (out of memory). Then
 * sets remainder[condition] to the part of log P(text | condition) that is not in any term. */
CRD_MUST_USE crd_status crd_i_term_density_explain(const crd_i_density *density, crd_text text, bool is_bag,
                                                   bool (*take)(void *user, const crd_i_term_part *part), void *user,
                                                   double *remainder, crd_error *error);
/* Evaluates a single term, as part of a text that contains it once. Writes its contributions to `values`. Writes P(term
 * | condition) to `probabilities`, or NaN if the family has no such probability. Either array may be NULL. */
CRD_MUST_USE crd_status crd_i_term_density_value(const crd_i_density *density, crd_text term, double *values,
                                                 double *probabilities, bool *is_known, bool *counts, crd_error *error);

/* Replaces the values of a text density by fitted weights. The density takes ownership of `weights`. */
void crd_i_term_density_set_weights(crd_i_density *density, crd_i_term_weights *weights);

/* ======== 4. Readers of documents ========
 *
 * Each reader has a tokenizer, the terms that it has met, and their values. One thread at a time uses it.
 *
 * The cached terms do not change results. A reader forgets all of them when they become large. */

/* A term that the reader has met. */
typedef struct crd_i_met_term {
    bool is_known, counts;
    uint32_t times; /* in the current document */
    uint32_t value_count;
    size_t first_value;
    double constant;
} crd_i_met_term;

typedef struct crd_i_term_reader {
    struct crd_i_term_reader *next; /* the next reader that no thread uses */
    crd_context *context;
    const crd_i_term_density *density;
    crd_i_tokenizer *tokenizer;
    crd_i_dictionary *terms;
    crd_i_met_term *met; /* indexed by term code */
    size_t met_count, met_capacity;
    crd_i_term_value *values;
    size_t value_count, value_capacity;
    int32_t *result; /* the terms of the current document, in the order of their first occurrence */
    size_t found_count, found_capacity;
    size_t last_count; /* number of terms of the previous document */
    uint64_t *repeats;
    size_t repeat_count, repeat_capacity;
    crd_i_term_counts counts;
    crd_i_term_class *classes;
    size_t class_capacity;
} crd_i_term_reader;

/* Returns the values of a term that the reader has met; NULL if it has none. */
static inline const crd_i_term_value *crd_i_term_reader_values(const crd_i_term_reader *reader,
                                                               const crd_i_met_term *met) {
    return met->value_count == 0 ? NULL : reader->values + met->first_value;
}

/* Takes a reader for this thread. Return it with crd_i_term_reader_give_back. */
CRD_MUST_USE crd_status crd_i_term_reader_take(const crd_i_term_density *density, crd_i_term_reader **out,
                                               crd_error *error);
void crd_i_term_reader_give_back(crd_i_term_reader *reader);

/* Reads a document. Its terms and their numbers of occurrences are valid until crd_i_term_reader_end. */
CRD_MUST_USE crd_status crd_i_term_reader_begin(crd_i_term_reader *reader, crd_text text, bool is_bag,
                                                crd_error *error);
void crd_i_term_reader_end(crd_i_term_reader *reader);

/* ======== 5. Empirical Bayes smoothing ========
 *
 * Smooths the multinomial text family by how terms are distributed over the classes.
 *
 * D_t texts contain term t, and D_tc of them belong to class c. Given D_t, the D_tc have a Dirichlet compound
 * multinomial distribution with mean pi and concentration kappa. pi_c is the share of class c in the sum of all D_tc. A
 * term with small kappa occurs in one class, a term with large kappa occurs everywhere. kappa is 1/2, 4, 32 or 256,
 * with probabilities omega. EM (Dempster, Laird and Rubin 1977) estimates omega from all terms:
 *
 *   L_j(t) = Gamma(kappa_j) / Gamma(D_t + kappa_j) prod over c of Gamma(D_tc + kappa_j pi_c) / Gamma(kappa_j pi_c)
 *   r_j(t) = omega_j L_j(t) / sum over i of omega_i L_i(t),     omega_j <- mean over t of r_j(t)
 *
 * Let N_tc be the sum of tf(x) of term t in class c, and N_t, n_c and n its sums over classes, over terms and over
 * both. With rho_c = n_c / n:
 *
 *   theta_tc = sum over j of r_j(t) (N_tc + h_j rho_c) / (N_t + h_j),    h_j = kappa_j / 2
 *   P(t | c) = theta_tc N_t / (n_c Z_c),    Z_c = sum over t of theta_tc N_t / n_c
 *
 * h_j is half of kappa_j on purpose: slightly less smoothing separates the classes best. A class that never had the
 * term has theta_tc = rho_c b(t), where b(t) = sum over j of r_j(t) h_j / (N_t + h_j). With g(t) = sum over j of r_j(t)
 * / (N_t + h_j), the normalization is
 *
 *   Z_c = (sum over t of b(t) N_t) / n + (sum over the terms of c of g(t) N_t N_tc) / n_c. */

enum { CRD_I_SPREADS = 4 };

/* Returns the number of estimated values. numbers[] contains the sum of g(t) N_t N_tc of each class, the share pi_c of
 * each class, the sum of b(t) N_t, and omega. */
size_t crd_i_term_spread_count(size_t conditions);
/* Estimates numbers[] from all selected terms of the density. */
CRD_MUST_USE crd_status crd_i_term_spread_fit(const crd_i_term_density *density, double *numbers, crd_error *error);

/* The values b(t), g(t) and N_t of a term. crd_i_term_spread_of computes them from the estimated numbers[] and the
 * counts of the term in its classes. */
typedef struct crd_i_term_spread {
    double elsewhere, factor, weight;
} crd_i_term_spread;
crd_i_term_spread crd_i_term_spread_of(const crd_i_term_density *density, const double *numbers,
                                       const crd_i_term_class *classes, size_t count);

#endif
