/* SPDX-License-Identifier: MIT */
/* credence/compare.h - model selection: compares methods and density families for a table by cross-validated log loss.
 *
 *   rows --create--> one model per fold --run--> a result for each candidate --> a recommendation
 *
 * A candidate is a choice of settings. Models consist of sufficient statistics, and settings apply when a model
 * predicts. So the rows of each fold are learned only once, for all candidates. Each candidate then predicts every row
 * by the model without the row's fold. The loss of row i under candidate c is
 *
 *   l(c, i) = -log P(true class of i | the other values of i, settings of c, rows outside the fold of i).
 *
 * With row weights w and their sum W, a mean is m = sum of w d / W, and its standard error is
 *
 *   SE = sqrt((sum of w (d - m)^2 / W) / (n - 1)),   n = max(W, W^2 / sum of w^2).
 *
 * n is the effective number of rows. Weights of 1 and more are counts: a row of weight k represents k rows, and n = W.
 * Weights that sum to less than W^2 / sum of w^2 (Kish 1965) cannot be counts; then n is Kish's effective size,
 * whatever the unit of the weights. Without weights, both values equal the number of rows.
 *
 * The recommended candidate is the candidate b with the smallest log loss, the mean of l(b, i), or a simpler candidate
 * that is about as good. Candidates are ordered by simplicity, and s is the first candidate for which the mean of l(s,
 * i) - l(b, i) is at most a quarter of its standard error. The difference is computed row by row because rows that are
 * hard for one candidate are hard for the others. */
#ifndef CREDENCE_COMPARE_H
#define CREDENCE_COMPARE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/compare.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/evaluate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the name of a candidate, simplest first. Returns NULL if `index` is past the last candidate. */
CRD_API const char *crd_comparison_candidate(size_t index);
/* Returns whether candidates choose the setting called `setting`. If so, you cannot specify it for all of them. */
CRD_API int crd_comparison_chooses(const char *setting);

/* The progress of a comparison. */
typedef struct crd_comparison_progress {
    size_t size;
    size_t candidate;    /* the candidate that is running */
    size_t tried, count; /* candidates before it, and all candidates within the budget */
    double done;         /* the finished share of its work, from 0 to 1 */
    double work;         /* the finished share of the work of all candidates */
} crd_comparison_progress;

/* Options of a comparison.
 *
 * A comparison has a budget of work. The work of each candidate is estimated from the rows, columns, values and classes
 * of the table, never from times, so the same rows give the same candidates on every machine. A budget of 1 is at most
 * the work of training a stacked ensemble, and at most about 3 seconds of CPU time plus 1 millisecond per row. Naive
 * Bayes is always tried. A candidate that would exceed the budget is skipped, and the next one is considered. */
typedef struct crd_comparison_options {
    size_t size;
    const crd_settings *settings;   /* for all candidates, which override some of them; NULL: the defaults */
    const crd_split_options *split; /* with 0 folds, or NULL: 10 folds, or 5 if there are more than 200 rows */
    /* Names of the candidates to compare, in any order, whatever their work. NULL: all candidates that suit the table and
     * are within the budget. */
    const char *const *candidates;
    size_t candidate_count;
    double budget;    /* a multiple of the default budget; 0: 1. INFINITY: try every candidate */
    unsigned threads; /* 0: one for each CPU core. No result except times depends on it */
    /* Called by the thread that runs the comparison. May be NULL. */
    void (*progress)(void *user, const crd_comparison_progress *at);
    void *progress_user;
    /* "c", "sql", "onnx" or "pmml": leave out candidates that this export format cannot express. NULL or "json": none */
    const char *deploy;
} crd_comparison_options;

#define CRD_COMPARISON_OPTIONS_INIT                                                                                    \
    { sizeof(crd_comparison_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* A comparison of candidates on the rows of a table. */
typedef struct crd_comparison crd_comparison;

/* Creates a comparison and reads the rows twice: to determine the column types, and to learn each fold. The source must
 * be at its first row. It must outlive the comparison, and nothing else may use it until the comparison has run. The
 * settings and split of the options need not outlive the call, except `given` folds. `options` may be NULL. The caller
 * destroys *out. CRD_ERROR_EMPTY: there is nothing to learn from, or only one fold. CRD_ERROR_ARGUMENT: a candidate is
 * unknown. */
CRD_API CRD_MUST_USE crd_status crd_comparison_create(crd_row_source *source, const crd_comparison_options *options,
                                                      crd_comparison **out, crd_error *error);
/* Frees a comparison. NULL is allowed. */
CRD_API void crd_comparison_destroy(crd_comparison *comparison);

/* Returns a summary of all rows, which is available before the run. It lives as long as the comparison. */
CRD_API const crd_summary *crd_comparison_summary(const crd_comparison *comparison);
/* Returns the folds of the rows. They live as long as the comparison. */
CRD_API const crd_split *crd_comparison_split(const crd_comparison *comparison);

/* Scores all candidates and determines the recommendation. A failure of one candidate affects only its own result.
 * Running out of memory, cancellation (crd_context_cancel) and input errors end the call. You can then call it again;
 * candidates that already have a result keep it. CRD_ERROR_EMPTY: no candidate could be scored; their results contain
 * the reasons.
 *
 * If several processes share the work (credence/communicator.h), every process must have all rows and make these calls.
 * Each process predicts some folds of each candidate, and all of them get the results. A cancelled run then has no
 * results. */
CRD_API CRD_MUST_USE crd_status crd_comparison_run(crd_comparison *comparison, crd_error *error);
/* Determines the recommendation among the candidates that have scores so far. Use it after a cancelled run.
 * CRD_ERROR_EMPTY: no candidate has scores. */
CRD_API CRD_MUST_USE crd_status crd_comparison_conclude(crd_comparison *comparison, crd_error *error);

/* ---- Results of the candidates that suit the table, simplest first ---- */

/* The status of a candidate. */
typedef enum crd_candidate_status {
    CRD_CANDIDATE_PENDING = 0,     /* not tried yet */
    CRD_CANDIDATE_SCORED = 1,      /* all of its scores are available */
    CRD_CANDIDATE_TOO_LARGE = 2,   /* its statistics would need too much memory */
    CRD_CANDIDATE_OVER_BUDGET = 3, /* not tried: it exceeds the budget */
    CRD_CANDIDATE_FAILED = 4       /* its settings do not suit the rows */
} crd_candidate_status;

/* The scores of a candidate. */
typedef struct crd_comparison_result {
    size_t size;
    const char *name;
    crd_candidate_status status;
    const char *message; /* why there are no scores, if the status is TOO_LARGE or FAILED; else "" */
    double accuracy;     /* accuracy, log_loss, brier, auc and ece are defined as in crd_totals */
    /* After the run, the mean over rows whose true class has a positive probability under some candidate: see
     * crd_recommendation.left_out. */
    double log_loss;
    double log_loss_error; /* its standard error; NaN: none, for an infinite log loss or a single row */
    double brier, auc, ece;
    double parameters; /* the number of parameters of the model that predicts the first fold */
    double seconds;    /* the time for deriving models and predicting rows */
} crd_comparison_result;

#define CRD_COMPARISON_RESULT_INIT                                                                                     \
    { sizeof(crd_comparison_result), 0, CRD_CANDIDATE_PENDING, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Returns the number of candidates that suit the table. */
CRD_API size_t crd_comparison_count(const crd_comparison *comparison);
/* Writes the result of a candidate to *out. Texts live as long as the comparison. */
CRD_API void crd_comparison_result_at(const crd_comparison *comparison, size_t candidate, crd_comparison_result *out);

/* Gets the index-th setting that defines a candidate. Settings without effect on this table are skipped. Returns 0 if
 * `index` is past the last setting. */
CRD_API int crd_comparison_setting(const crd_comparison *comparison, size_t candidate, size_t index, const char **name,
                                   const char **value);
/* Creates all settings of a candidate, for example for training a model. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_comparison_settings(const crd_comparison *comparison, size_t candidate,
                                                        crd_settings **out, crd_error *error);

/* ---- Recommendation, after the run ---- */

/* Why a candidate is recommended. */
typedef enum crd_recommendation_reason {
    CRD_RECOMMENDED_BEST = 1,    /* it has the smallest log loss */
    CRD_RECOMMENDED_SIMPLER = 2, /* it is simpler than the best, and not distinguishably worse: see above */
    CRD_RECOMMENDED_FIRST = 3,   /* log losses contain no rows: it is the simplest candidate */
    CRD_RECOMMENDED_NONE = 4     /* no scored candidate is better than the class frequencies */
} crd_recommendation_reason;

/* The recommended candidate and its comparison with the best candidate and with the baseline. The baseline predicts the
 * class frequencies. */
typedef struct crd_recommendation {
    size_t size;
    crd_recommendation_reason reason;
    size_t candidate;        /* the recommended candidate; for NONE, the candidate that would have been recommended */
    size_t best;             /* the candidate with the smallest log loss */
    double difference;       /* for SIMPLER: the mean of its losses minus the losses of the best, row by row */
    double difference_error; /* the standard error of `difference` */
    uint64_t rows;           /* the number of tested rows */
    /* Tested rows that are excluded from log losses: every candidate gives their class probability 0, because no other
     * row has it. */
    uint64_t left_out;
    double baseline_accuracy; /* of the class frequencies, over the rows in log losses; NaN if there are none */
    double baseline_log_loss; /* of the class frequencies, over the rows in log losses; NaN if there are none */
    size_t tried;             /* candidates that have scores */
    double gain;              /* the mean of the baseline's losses minus the recommended candidate's, row by row */
    double gain_error;        /* its standard error; both are NaN if the log loss is missing or infinite */
    double budget;            /* the budget of the comparison */
    double larger_budget;     /* 4 times the budget */
    size_t more;              /* how many more candidates the larger budget would allow */
    double sufficient_budget; /* a power of 2 that would allow every candidate; 0: the budget already does */
} crd_recommendation;

#define CRD_RECOMMENDATION_INIT                                                                                        \
    { sizeof(crd_recommendation), CRD_RECOMMENDED_BEST, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Writes the recommendation to *out. The comparison must have run. */
CRD_API void crd_comparison_recommendation(const crd_comparison *comparison, crd_recommendation *out);

/* ---- Model selection that a model file contains ---- */

/* The maximum number of settings that define a candidate. */
enum { CRD_SELECTION_SETTINGS = 4 };

/* A candidate of a selection. */
typedef struct crd_selection_candidate {
    crd_comparison_result result;
    struct {
        const char *name, *value;
    } settings[CRD_SELECTION_SETTINGS]; /* name NULL: end of the list */
} crd_selection_candidate;

/* The candidates of a comparison with their scores, and the recommendation. Model files can contain a selection.
 * Read-only. */
typedef struct crd_selection {
    crd_context *context;
    crd_recommendation recommendation;
    crd_selection_candidate *candidates;
    size_t count;
    char *texts; /* for the library */
} crd_selection;

/* Returns the results of a comparison, which owns them. Returns NULL before the run. */
CRD_API const crd_selection *crd_comparison_selection(const crd_comparison *comparison);
/* Stores the results, without times, in a model that was trained with the recommended settings. Model files contain
 * them until the model learns or forgets rows, or is merged. */
CRD_API CRD_MUST_USE crd_status crd_model_set_selection(crd_model *model, const crd_selection *selection,
                                                        crd_error *error);
/* Returns the results by which the settings of the model were chosen, which the model owns. Returns NULL if the
 * settings were not chosen by a comparison, or if the rows have changed since then. */
CRD_API const crd_selection *crd_model_selection(const crd_model *model);

/* Sets *out to sentences that explain the recommendation. The caller frees it with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_selection_reason(const crd_selection *selection, char **out, crd_error *error);
/* Sets *out to sentences that list the candidates without scores, and the budget that would allow them. Sets it to ""
 * if all candidates have scores. The caller frees it with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_selection_not_tried(const crd_selection *selection, char **out, crd_error *error);

/* ---- Method check: is the default naive Bayes good enough? ---- */

/* The maximum number of settings in a crd_method_check. */
enum { CRD_METHOD_CHECK_SETTINGS = 4 };

/* The scores of a few inexpensive candidates on a sample of the rows, in 3-fold cross-validation. */
typedef struct crd_method_check {
    size_t size;
    uint64_t rows;            /* of the sample; 0: nothing was checked, and the numbers are NaN */
    double log_loss;          /* with the model's settings */
    double baseline_log_loss; /* of the class frequencies */
    double excess;            /* the mean of the losses minus the baseline's losses, row by row */
    double excess_error;      /* the standard error of `excess` */
    const char *better;       /* the best candidate that is clearly better than the model; NULL: none is */
    double better_log_loss;   /* the log loss of that candidate */
    double gain, gain_error;  /* the mean of the losses minus that candidate's losses, and its standard error */
    struct {
        const char *name, *value;
    } settings[CRD_METHOD_CHECK_SETTINGS]; /* of the better candidate; name NULL: end of the list */
} crd_method_check;

#define CRD_METHOD_CHECK_INIT                                                                                          \
    {                                                                                                                  \
        sizeof(crd_method_check), 0, 0, 0, 0, 0, 0, 0, 0, 0, {                                                         \
            {0, 0}, {0, 0}, {0, 0}, {                                                                                  \
                0, 0                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Checks a model that was trained from the reader, using a sample of at most 1,000 rows. For a large table the sample
 * comes from its first rows. A candidate is clearly better if its log loss is below the baseline's and its gain exceeds
 * two standard errors, 5 % of the log loss, and 0.01.
 *
 * Nothing is checked in these cases: the model has weights, or a method, family or calibration other than the default;
 * the input cannot be read again; there are fewer than 60 rows or fewer than two classes; there are very many columns
 * or values; or class frequencies differ between the sample and the model. For a large table, the check takes a small
 * part of the training time. */
CRD_API CRD_MUST_USE crd_status crd_method_check_run(crd_reader *reader, const crd_model *model, crd_method_check *out,
                                                     crd_error *error);
/* Sets *out to one sentence, without a full stop, if the check shows that the model is worse than the class prior,
 * beyond chance. Otherwise sets it to NULL. The caller frees it with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_method_check_warning(crd_context *context, const crd_method_check *check,
                                                         char **out, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
