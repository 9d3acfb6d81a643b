/* SPDX-License-Identifier: MIT */
/* credence/compare.h - which method and family of densities suits a table: model selection by cross-validated log loss.
 *
 *   rows --create--> one model a fold --run--> a result for each candidate --> a recommendation
 *
 * A candidate is a choice of settings. A model is its tally and settings are chosen when it is queried, so that the rows
 * of each fold are learned once, for all candidates; each of them then answers every row by the model without the row's
 * fold. The loss of row i under candidate c is
 *
 *   l(c, i) = -log P(true class of i | the other cells of i, settings of c, rows outside the fold of i).
 *
 * With weights w of the rows and W their sum, a mean is m = sum of w d / W, and its standard error
 *
 *   SE = sqrt((sum of w (d - m)^2 / W) / (n - 1)),   n = max(W, W^2 / sum of w^2).
 *
 * n is the effective number of rows. Weights of 1 and more are counts: a row of weight k stands for k rows, and n = W.
 * Weights that sum to less than W^2 / sum of w^2 (Kish 1965) cannot be counts, and then that is n, whatever the unit in
 * which weights are stated. Without weights n is the number of rows either way.
 *
 * Recommended is the candidate b of the least log loss, the mean of l(b, i); or, since candidates stand in the order of
 * their simplicity, the first one s for which the mean of l(s, i) - l(b, i) is at most a quarter of its standard error.
 * The difference is taken row by row, since rows that are hard for one candidate are hard for the other. */
#ifndef CREDENCE_COMPARE_H
#define CREDENCE_COMPARE_H

#include <credence/evaluate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names of all candidates, simplest first; NULL behind the last. */
CRD_API const char *crd_comparison_candidate(size_t index);
/* Whether candidates choose the setting of that name, so that it cannot be stated for all of them. */
CRD_API int crd_comparison_chooses(const char *setting);

/* How far a comparison is. */
typedef struct crd_comparison_progress {
    size_t size;
    size_t candidate;    /* the one that is tried */
    size_t tried, count; /* candidates before it, and all that are within the budget */
    double done;         /* the part of its work that is done, from 0 to 1 */
    double work;         /* the same of all candidates */
} crd_comparison_progress;

/* A comparison has a budget of work. The work of each candidate is estimated from the rows, columns, values and classes
 * of the table, never from times, so the same rows have the same candidates tried on every machine. A budget of 1 is at
 * most the work of training a stacked ensemble, and at most about 3 seconds of CPU time and 1 millisecond for each row.
 * Naive Bayes is always tried. A candidate that would exceed the budget is left out, and the next one is considered. */
typedef struct crd_comparison_options {
    size_t size;
    const crd_settings *settings;   /* that hold for all candidates, which override some; NULL: the defaults */
    const crd_split_options *split; /* of 0 folds, or NULL: 10 folds, or 5 if there are more than 200 rows */
    const char *const *candidates;  /* names of those to compare, in any order, whatever their work; NULL: all that suit
                                     * the table and are within the budget */
    size_t candidate_count;
    double budget;    /* how many times the default budget; 0: 1. INFINITY: every candidate is tried */
    unsigned threads; /* 0: one for each CPU core. No result but times depends on it */
    /* Called by the thread that runs. May be NULL. */
    void (*progress)(void *user, const crd_comparison_progress *at);
    void *progress_user;
} crd_comparison_options;

#define CRD_COMPARISON_OPTIONS_INIT                                                                                    \
    { sizeof(crd_comparison_options), 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct crd_comparison crd_comparison;

/* Reads the rows twice, to see what the columns are, and to learn each fold. The source, which is at its first row,
 * must outlive the comparison and be left alone until it has run; the options' settings and split need not outlive
 * the call, but for folds that are given. options may be NULL. CRD_ERROR_EMPTY where there is nothing to learn from
 * or no second fold, CRD_ERROR_ARGUMENT where a candidate is unknown. */
CRD_API CRD_MUST_USE crd_status crd_comparison_create(crd_row_source *source, const crd_comparison_options *options,
                                                      crd_comparison **out, crd_error *error);
CRD_API void crd_comparison_destroy(crd_comparison *comparison);

/* What the rows showed before anything is compared, while the comparison lives. */
CRD_API const crd_summary *crd_comparison_summary(const crd_comparison *comparison);
CRD_API const crd_split *crd_comparison_split(const crd_comparison *comparison);

/* Scores all candidates, and finds the one to recommend. Of several processes (credence/communicator.h) every one has all rows and makes these calls, each
 * answers some folds of each candidate, and all have the results; of a run that was cancelled there are none. What one of them cannot do concerns it alone; running out
 * of memory, being cancelled (crd_context_cancel) and input that fails end the call, and it may be called again:
 * candidates that have a result keep it. CRD_ERROR_EMPTY where no candidate could be scored; their results tell why. */
CRD_API CRD_MUST_USE crd_status crd_comparison_run(crd_comparison *comparison, crd_error *error);
/* Finds the one to recommend among the candidates that have scores by now: for a run that was cancelled.
 * CRD_ERROR_EMPTY where none has. */
CRD_API CRD_MUST_USE crd_status crd_comparison_conclude(crd_comparison *comparison, crd_error *error);

/* ---- Results: of the candidates that suit the table, simplest first ---- */

typedef enum crd_candidate_status {
    CRD_CANDIDATE_PENDING = 0,     /* not tried yet */
    CRD_CANDIDATE_SCORED = 1,      /* all of its scores are there */
    CRD_CANDIDATE_TOO_LARGE = 2,   /* what it counts would take too much memory */
    CRD_CANDIDATE_OVER_BUDGET = 3, /* not tried: the budget does not allow it */
    CRD_CANDIDATE_FAILED = 4       /* its settings do not suit the rows */
} crd_candidate_status;

typedef struct crd_comparison_result {
    size_t size;
    const char *name;
    crd_candidate_status status;
    const char *message;   /* why there are no scores, where they are TOO_LARGE or FAILED; else "" */
    double accuracy;       /* these are those of crd_totals */
    double log_loss;       /* once all are run, over the rows that have one under some candidate: see left_out below */
    double log_loss_error; /* its standard error; NaN: none, as of an infinite log loss or a single row */
    double brier, auc, ece;
    double parameters; /* estimated in the model that answers the first fold */
    double seconds;    /* that it took to derive models and answer rows */
} crd_comparison_result;

#define CRD_COMPARISON_RESULT_INIT                                                                                     \
    { sizeof(crd_comparison_result), 0, CRD_CANDIDATE_PENDING, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API size_t crd_comparison_count(const crd_comparison *comparison);
CRD_API void crd_comparison_result_at(const crd_comparison *comparison, size_t candidate, crd_comparison_result *out);

/* The settings that make a candidate what it is, those without effect on this table left out: the index-th, or 0 behind
 * the last. */
CRD_API int crd_comparison_setting(const crd_comparison *comparison, size_t candidate, size_t index, const char **name,
                                   const char **value);
/* All of its settings, to train a model with; the caller destroys them. */
CRD_API CRD_MUST_USE crd_status crd_comparison_settings(const crd_comparison *comparison, size_t candidate,
                                                        crd_settings **out, crd_error *error);

/* ---- Recommendation: once the comparison has run ---- */

typedef enum crd_recommendation_reason {
    CRD_RECOMMENDED_BEST = 1,    /* its log loss is the least */
    CRD_RECOMMENDED_SIMPLER = 2, /* it is simpler than the best, and not distinguishably worse: see above */
    CRD_RECOMMENDED_FIRST = 3,   /* no row is in a log loss: it is the simplest */
    CRD_RECOMMENDED_NONE = 4     /* none that has scores does better than the relative frequencies of the classes */
} crd_recommendation_reason;

typedef struct crd_recommendation {
    size_t size;
    crd_recommendation_reason reason;
    size_t candidate;         /* to take; of NONE the one that would have been */
    size_t best;              /* the one of the least log loss */
    double difference;        /* SIMPLER: the mean of its losses less those of the best, row by row */
    double difference_error;  /* the standard error of that */
    uint64_t rows;            /* that were tested */
    uint64_t left_out;        /* of these in no log loss: every candidate has their class at zero, as no other row has
                                  * it */
    double baseline_accuracy; /* of the relative frequencies of the classes, in the rows that are in log losses; NaN */
    double baseline_log_loss; /* where there are none */
    size_t tried;             /* candidates that have scores */
    double gain;              /* the baseline's losses less those of the candidate to take: their mean, row by row */
    double gain_error;        /* the standard error of that; both NaN where there is no log loss, or an infinite one */
    double budget;            /* of the comparison */
    double larger_budget;     /* 4 times that */
    size_t more;              /* candidates that it would allow besides */
    double sufficient_budget; /* that would allow every candidate, a power of 2; 0: the comparison's does */
} crd_recommendation;

#define CRD_RECOMMENDATION_INIT                                                                                        \
    { sizeof(crd_recommendation), CRD_RECOMMENDED_BEST, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_comparison_recommendation(const crd_comparison *comparison, crd_recommendation *out);

/* ---- The choice that a model was trained by ---- */

/* The candidates of a comparison with their scores, and the recommendation: what a model file contains of it. */
typedef struct crd_selection crd_selection;

/* Returns the results of a comparison that has run, which owns them; NULL before. */
CRD_API const crd_selection *crd_comparison_selection(const crd_comparison *comparison);
/* Stores the results, without times, in a model that was trained with the recommended settings. Model files contain them
 * until the model learns or forgets rows, or is merged. */
CRD_API CRD_MUST_USE crd_status crd_model_set_selection(crd_model *model, const crd_selection *selection,
                                                        crd_error *error);
/* Returns the results by which the settings of the model were chosen, which the model owns; NULL if they were not chosen,
 * or if the rows have changed since. */
CRD_API const crd_selection *crd_model_selection(const crd_model *model);

/* These return what the functions of the same names return for a comparison. */
CRD_API size_t crd_selection_count(const crd_selection *selection);
CRD_API void crd_selection_result_at(const crd_selection *selection, size_t candidate, crd_comparison_result *out);
CRD_API int crd_selection_setting(const crd_selection *selection, size_t candidate, size_t index, const char **name,
                                  const char **value);
CRD_API void crd_selection_recommendation(const crd_selection *selection, crd_recommendation *out);

/* Sets *out to sentences that give the reason of the recommendation; freed with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_selection_reason(const crd_selection *selection, char **out, crd_error *error);
/* Sets *out to sentences that list the candidates without scores, and the budget that would allow them; "" if all have
 * scores. Freed with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_selection_not_tried(const crd_selection *selection, char **out, crd_error *error);

/* ---- Whether naive Bayes as it is will do ---- */

enum { CRD_METHOD_CHECK_SETTINGS = 4 };

/* What a few candidates that cost little have come to on a sample of the rows, in cross-validation with 3 folds. */
typedef struct crd_method_check {
    size_t size;
    uint64_t rows;            /* of the sample; 0: nothing was checked, and the numbers are NaN */
    double log_loss;          /* of the model's settings */
    double baseline_log_loss; /* of the relative frequencies of the classes */
    double excess;            /* the mean of the losses less those of the baseline, row by row */
    double excess_error;      /* the standard error of that */
    const char *better;       /* the candidate that is clearly better, and the best of these; NULL: none is */
    double better_log_loss;
    double gain, gain_error; /* the mean of the losses less those of the better one, and its standard error */
    struct {
        const char *name, *value;
    } settings[CRD_METHOD_CHECK_SETTINGS]; /* of the better one; name NULL: no more */
} crd_method_check;

#define CRD_METHOD_CHECK_INIT                                                                                          \
    {                                                                                                                  \
        sizeof(crd_method_check), 0, 0, 0, 0, 0, 0, 0, 0, 0, {                                                         \
            {0, 0}, {0, 0}, {0, 0}, {                                                                                  \
                0, 0                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Checks a model that was trained from the reader, by a sample of at most 1,000 rows, of a large table from its first rows.
 * Clearly better is a log loss below the baseline's and a gain of more than two of its standard errors, 5 % of the
 * log loss and 0.01. Nothing is checked
 * where the model has another method, family or calibration than the default one, or weights; where the input cannot be
 * read again; where rows are fewer than 60, classes fewer than two, or columns or values very many; and where the sample's classes are not as
 * frequent as the model's. It takes a small part of the time of training on a large table. */
CRD_API CRD_MUST_USE crd_status crd_method_check_run(crd_reader *reader, const crd_model *model, crd_method_check *out,
                                                     crd_error *error);
/* Sets *out to one sentence, without a full stop, if the check shows that the model is worse than the class prior, beyond
 * chance; else to NULL. Freed with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_method_check_warning(crd_context *context, const crd_method_check *check,
                                                         char **out, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
