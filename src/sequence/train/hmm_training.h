/* SPDX-License-Identifier: MIT */
/* hmm_training.h - data structures for training hidden Markov models: the problem (sequences and settings), the shape
 * (the states to be estimated), and the models of successive EM steps. */
#ifndef CRD_SEQUENCE_TRAIN_HMM_TRAINING_H
#define CRD_SEQUENCE_TRAIN_HMM_TRAINING_H

#include "math/em.h"
#include "math/random.h"
#include "model/accumulate.h"
#include "sequence/data/sequences.h"
#include "sequence/hmm_internal.h"

#include <credence/hmm_train.h>

/* ======== Observation facts ========
 *
 * Summary statistics of the columns of sequences, from one pass over all steps. They are used to standardize sums, to
 * scale distances, and to decide which densities can be estimated from sums. */

/* Consecutive steps of a sequence that are treated as a sequence: all of its steps, or a part. */
typedef struct crd_i_segment {
    size_t sequence;
    uint64_t source, target;
} crd_i_segment;

typedef struct crd_i_observed_column {
    crd_column_type type;
    uint64_t present;
    /* Numeric columns: */
    double least, greatest;
    double mean, deviation;                    /* of the values */
    double log_mean, log_deviation;            /* of the logarithms of the positive values */
    bool has_negative, has_zero, has_fraction; /* some value is below 0; 0; not an integer */
    bool has_above_one;
    /* Categorical columns: */
    size_t values;
    double *counts; /* count of each value */
    double differ;  /* probability that two random values differ */
} crd_i_observed_column;

typedef struct crd_i_observation_facts {
    crd_context *context;
    uint64_t steps, labeled; /* all steps, and the labeled steps */
    crd_i_observed_column *columns;
    size_t column_count;
} crd_i_observation_facts;

CRD_MUST_USE crd_status crd_i_observation_facts_create(const crd_sequences *sequences, const crd_i_segment *segments,
                                                       size_t count, crd_i_observation_facts **out, crd_error *error);
void crd_i_observation_facts_destroy(crd_i_observation_facts *facts); /* NULL is allowed */

/* ======== Emission sums ========
 *
 * Expected sufficient statistics of observations under emission classes (hidden states, or their components):
 *
 *   sum_t g_tk,   sum_t g_tk z_t,   sum_t g_tk z_t^2,   sum_t g_tk [x_t = v],   sum_t g_tk z_t z_t'
 *
 * where g_tk is the posterior probability of class k at step t, and z a number standardized by its column's mean and
 * standard deviation. The statistics are plain sums of doubles, with the classes of each statistic side by side. For
 * many families they suffice for the M step: normal, lognormal, Poisson, exponential, Bernoulli, categorical, and
 * joint normal with a specified shrinkage. A model that learns a few rows with the same sums (pseudo_rows.h) has the
 * same densities. */

typedef struct crd_i_emission_sums crd_i_emission_sums; /* layout of the sums: immutable, shared by threads */

/* Creates the layout for the columns of sequences and the given number of classes. Sets *out to NULL if some density is
 * not a function of sums; then the rows themselves must be learned (crd_i_weighted_steps_create). `facts` must outlive the
 * layout. */
CRD_MUST_USE crd_status crd_i_emission_sums_create(const crd_sequences *sequences, const crd_i_observation_facts *facts,
                                                   const crd_settings *settings, size_t classes,
                                                   crd_i_emission_sums **out, crd_error *error);
void crd_i_emission_sums_destroy(crd_i_emission_sums *layout); /* NULL is allowed */

/* Returns the number of doubles in the sums: statistics x stride. */
size_t crd_i_emission_sums_size(const crd_i_emission_sums *layout);
/* Returns the number of doubles of scratch space that crd_i_emission_sums_add needs. */
size_t crd_i_emission_sums_room(const crd_i_emission_sums *layout);
/* Adds a block of steps, with weight weights[step * stride + class] in each class. */
void crd_i_emission_sums_add(const crd_i_emission_sums *layout, const crd_i_observation_block *block,
                             const double *weights, size_t stride, double *workspace, double *sums);

/* Returns the sum of weights of a class. */
double crd_i_emission_sums_total(const crd_i_emission_sums *layout, const double *sums, size_t k);
/* Multiplies the value counts by positive random factors, factor(state). Otherwise, equal classes would stay equal. */
void crd_i_emission_sums_perturb(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                                 double *sums);
/* Moves a share of the weight of the classes from `source` to `target` - 1 to the overall distribution, in columns
 * whose probabilities or rates can be 0 (categorical, Bernoulli, Poisson, exponential). EM never leaves a zero, so an
 * initial model must not contain one. */
void crd_i_emission_sums_soften(const crd_i_emission_sums *layout, double share, size_t source, size_t target,
                                double *sums);
/* Replaces the value counts by random counts, proportional to the overall counts times factor(state). The weights of
 * classes do not change. If the factors are exponential variates and the overall counts are equal, the probabilities of
 * each class have a uniform Dirichlet distribution. */
void crd_i_emission_sums_draw(const crd_i_emission_sums *layout, double (*factor)(void *state), void *state,
                              double *sums);
/* Makes extrapolated sums valid. Weights, value counts and variances that are below `part` times the plain ones, and
 * means that are out of range, are replaced from the plain sums. */
void crd_i_emission_sums_mend(const crd_i_emission_sums *layout, const double *plain, double part, double *sums);
/* Copies the sums of one class. */
void crd_i_emission_sums_copy_class(const crd_i_emission_sums *layout, const double *source, size_t from_class,
                                    double *destination, size_t to_class);

/* Performs the M step: creates a model of pseudo-rows with these sums. Takes ownership of `schema`, whose target must
 * have the class names as declared values, in the order of classes. */
CRD_MUST_USE crd_status crd_i_emission_sums_model(const crd_i_emission_sums *layout, const double *sums,
                                                  const crd_text *names, crd_i_schema *schema,
                                                  const crd_settings *settings, crd_model **out, crd_error *error);
/* Returns whether such a model maximizes likelihood times prior under the settings, so that EM never decreases the
 * objective. */
bool crd_i_emission_sums_are_maximized(const crd_i_emission_sums *layout);
/* Returns the log density of the prior at the densities of such a model, up to a constant; 0 without smoothing. */
double crd_i_emission_sums_log_prior(const crd_i_emission_sums *layout, const double *sums);

/* ======== E step ========
 *
 * The E step of Baum-Welch computes expected transition counts, and statistics of the observations of each state,
 * given all observations and labels.
 *
 * Sequences are divided into chunks that depend only on the problem. Each chunk is summed in order, and the chunks
 * are added in order. So results are bit-identical for any number of threads. */

/* The training data. */
typedef struct crd_i_training_steps {
    const crd_sequences *sequences;
    const crd_i_segment *segments; /* none of them is empty */
    size_t segment_count;
    uint64_t steps;
    bool clamps;        /* labels determine the states of their steps */
    crd_i_group *group; /* the processes that have these sequences and compute together; NULL: none */
    unsigned threads;
} crd_i_training_steps;

/* Form of the observation statistics. */
typedef struct crd_i_expectation_form {
    const crd_i_emission_sums *layout; /* layout of sums; NULL: a model of weighted rows */
    /* For a model of weighted rows; copied for each chunk. */
    const crd_i_schema *schema;
    const crd_settings *settings;
    const crd_text *names; /* names of the emission classes: state * components + component */
} crd_i_expectation_form;

typedef struct crd_i_expectation {
    crd_context *context;
    double log_likelihood; /* -INFINITY if some segment is impossible */
    size_t impossible;     /* number of impossible segments */
    size_t impossible_at;  /* index of the first impossible segment */
    double *visits;        /* expected number of steps of each state */
    double *sums;          /* statistics as sums, in the given layout; NULL: they are in `rows` */
    crd_model *rows;
    crd_i_chain_counts counts; /* expected counts of nodes and transitions */
    double *memory;
} crd_i_expectation;

/* Computes the expected statistics. The steps of an impossible segment count in the states by the density of their
 * observations alone, and do not contribute to the transitions. */
CRD_MUST_USE crd_status crd_i_expectation_compute(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                                  const crd_i_expectation_form *form, crd_i_expectation *out,
                                                  crd_error *error);
void crd_i_expectation_clear(crd_i_expectation *expectation); /* an all-zero struct is allowed */

/* Computes only the log likelihood. */
CRD_MUST_USE crd_status crd_i_expectation_likelihood(const crd_hmm *hmm, const crd_i_training_steps *steps, double *out,
                                                     crd_error *error);

/* The step that the model explains worst: the step with the smallest expected log density. */
typedef struct crd_i_worst_step {
    crd_i_segment segment; /* a segment of one step */
    double log_density;
} crd_i_worst_step;
CRD_MUST_USE crd_status crd_i_expectation_worst(const crd_hmm *hmm, const crd_i_training_steps *steps,
                                                crd_i_worst_step *out, crd_error *error);

/* The training data and the settings. */
typedef struct crd_i_training_problem {
    crd_context *context;
    const crd_sequences *sequences;
    crd_settings *settings;          /* settings of the sequence model */
    crd_settings *emission_settings; /* settings of its emission model */
    crd_i_schema *schema;            /* the observations and the target; its states are declared if they are labels */
    bool is_hidden;                  /* labels are not used */
    crd_i_segment *segments;
    size_t segment_count;
    uint64_t steps;
    crd_i_observation_facts *facts;
    crd_hmm *start; /* the model that EM starts from, whose states are used; NULL: initial models are generated */
    unsigned threads;
} crd_i_training_problem;

/* The states to be estimated, and how. */
typedef struct crd_i_training_shape {
    const crd_i_training_problem *problem;
    size_t states, components, classes;
    crd_text *state_names; /* in the order of states */
    crd_text *class_names; /* state by state, the names of its components */
    char *texts;
    crd_settings *settings; /* settings of the model, with the number of states */
    crd_settings *prior_settings;
    crd_i_schema *schema;        /* schema of the emission model; the declared values of its target are the classes */
    crd_i_emission_sums *layout; /* NULL: densities are estimated from weighted rows */
} crd_i_training_shape;

/* Creates a shape with the given number of hidden states. If states are labels, `states` is ignored, and the states
 * declared in the schema are used. */
CRD_MUST_USE crd_status crd_i_training_shape_create(const crd_i_training_problem *problem, size_t states,
                                                    crd_i_training_shape **out, crd_error *error);
void crd_i_training_shape_destroy(crd_i_training_shape *shape); /* NULL is allowed */
/* Returns the form of the statistics of its E steps. */
crd_i_expectation_form crd_i_training_form(const crd_i_training_shape *shape);
/* Returns all training data. */
crd_i_training_steps crd_i_training_all(const crd_i_training_problem *problem);

/* A model during training, immutable and reference-counted. */
typedef struct crd_i_training_model {
    crd_context *context;
    crd_i_hmm_content *content; /* NULL: `hmm` is borrowed */
    crd_hmm *hmm;
    double log_prior;  /* log prior density of its parameters */
    bool is_maximized; /* its parameters are the posterior mode given its statistics */
    size_t references;
} crd_i_training_model;

/* Statistics that a model is derived from: observations, and n-gram counts of states. */
typedef struct crd_i_training_statistics {
    const double *sums; /* NULL: the statistics are in `rows` */
    crd_model *rows;
    crd_i_ngram_counts *ngrams;
} crd_i_training_statistics;

/* Performs the M step. Takes ownership of statistics->rows and ->ngrams, even on failure, and sets them to NULL. */
CRD_MUST_USE crd_status crd_i_training_model_create(const crd_i_training_shape *shape,
                                                    crd_i_training_statistics *statistics, crd_i_training_model **out,
                                                    crd_error *error);
/* Creates the model that the problem starts from (problem->start). */
CRD_MUST_USE crd_status crd_i_training_model_start(const crd_i_training_shape *shape, crd_i_training_model **out,
                                                   crd_error *error);
/* Creates empty n-gram counts in which the states have the shape's numbers. */
CRD_MUST_USE crd_status crd_i_training_ngrams(const crd_i_training_shape *shape, const crd_text *names,
                                              crd_i_ngram_counts **out, crd_error *error);
crd_i_training_model *crd_i_training_model_hold(crd_i_training_model *model); /* NULL is allowed */
void crd_i_training_model_release(crd_i_training_model *model);               /* NULL is allowed */

/* ======== Initial models ========
 *
 * Baum-Welch needs initial models, and it reinitializes empty states.
 *
 * Hidden states begin at seed steps that are far apart (k-means++; Arthur and Vassilvitskii 2007), each with the
 * steps nearest to its seed. In a left-to-right topology, each sequence is divided into as many parts as there are
 * states: of equal length in the first start, at random positions in later starts. If there are labels, they
 * determine the states of their steps, and unlabeled steps are not counted.
 *
 * Transition counts begin with pseudo-counts, so none is impossible unless the settings forbid it. Value counts and
 * transitions have random factors, because equal states would stay equal. Probabilities of values, counts and rates
 * include a share of their overall distribution, because EM never leaves a zero.
 *
 * If there are categorical columns, every second start is drawn: value probabilities are random around their overall
 * frequencies, and transitions are random and sparse. All values of a categorical column are equally far from each
 * other, so seeds contain little information.
 *
 * If all observations are numeric, every second start is spread: half of the weight of each step is divided among all
 * states, and transitions are drawn as above. Such starts find states that alternate, which starts with persistent
 * states do not reach. */

/* ======== Step sample ========
 *
 * A sample of steps in memory, evenly spaced over all sequences, from which the seeds of states are drawn. */

typedef struct crd_i_step_sample {
    const crd_i_observation_facts *facts;
    crd_context *context;
    size_t steps;
    double **numbers; /* values of each column; NULL: not numeric */
    int32_t **codes;
} crd_i_step_sample;

CRD_MUST_USE crd_status crd_i_step_sample_create(const crd_i_training_problem *problem, crd_i_step_sample **out,
                                                 crd_error *error);
void crd_i_step_sample_destroy(crd_i_step_sample *sample); /* NULL is allowed */

/* Returns whether all observations are categorical. Then only drawn starts differ much, and many should be tried. */
bool crd_i_sequence_starts_are_blind(const crd_i_training_problem *problem);

/* Creates the initial model number `start` for a random seed. */
CRD_MUST_USE crd_status crd_i_sequence_start(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                             const crd_i_step_sample *sample, uint64_t seed, size_t start,
                                             crd_i_training_model **out, crd_error *error);

/* Reinitializes a state without steps. It receives the steps of the sample that are most similar to the step that the
 * model explains worst, and transitions to and from all states. They are added to the statistics of an E step. */
CRD_MUST_USE crd_status crd_i_sequence_rescue(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                              const crd_i_step_sample *sample, const crd_hmm *hmm, size_t state,
                                              crd_i_expectation *statistics, crd_error *error);

/* ======== Baum-Welch iterations ========
 *
 * The Baum-Welch algorithm (EM for hidden Markov models; Baum, Petrie, Soules and Weiss 1970; Rabiner 1989).
 *
 *   E   gamma_t(i) = P(s_t = i | x) and xi_t(i, j) = P(s_t = i, s_{t+1} = j | x), by forward-backward
 *   M   the maximum a posteriori parameters given these expected counts, as a model derives them from counts; without
 *       smoothing, P(s_1 = i) is proportional to gamma_1(i), P(j | i) = sum_t xi_t(i, j) / sum_t gamma_t(i), and
 *       densities are estimated from the observations weighted by gamma_t(i)
 *
 * If the M step maximizes, the sum of log likelihood and log prior never decreases. Some settings do not maximize it
 * (for example families without such an estimate, or interpolated transitions). Then the best step is kept.
 *
 * A state without steps is reinitialized with the steps that the model explains worst. The steps of a run are counted
 * from there. */

typedef struct crd_i_training_limits {
    double tolerance; /* a run stops when a step increases the objective by no more than this fraction of it */
    size_t most_steps;
} crd_i_training_limits;

/* Result of a run. Initialize to zero with `trace.context` set; free with crd_i_training_run_clear. */
typedef struct crd_i_training_run {
    /* the model whose expected counts `model` is derived from; NULL: `model` is an initial model */
    crd_i_training_model *before;
    crd_i_training_model *model;
    crd_i_em_trace trace; /* values for the initial model and after each step; `model` belongs to the best step */
    size_t rescued;       /* number of states that were reinitialized */
    size_t empty;         /* number of states without steps at the end */
    size_t impossible_at; /* index of the first impossible segment; SIZE_MAX: all segments are possible */
} crd_i_training_run;

void crd_i_training_run_clear(crd_i_training_run *run);
void crd_i_training_run_swap(crd_i_training_run *a, crd_i_training_run *b);

/* Runs Baum-Welch from the run's model and appends to its steps. A run whose model was already evaluated is continued.
 * If cancelled, the run stays at its latest step. */
CRD_MUST_USE crd_status crd_i_baum_welch(const crd_i_training_shape *shape, const crd_i_training_steps *steps,
                                         const crd_i_step_sample *sample, const crd_i_training_limits *limits,
                                         crd_i_training_run *run, crd_error *error);

/* ======== Search for hidden states ========
 *
 * The search uses random restarts of EM and chooses the number of states. See credence/hmm_train.h. */

/* A fit of one number of states. */
typedef struct crd_i_hmm_result {
    crd_i_training_shape *shape;
    crd_i_training_run run; /* without its trace, which is in the fit */
} crd_i_hmm_result;

typedef struct crd_i_hmm_fit {
    crd_fit base;
    crd_sequences *unlabeled; /* the sequences without their labels, if labels are ignored; otherwise NULL */
    crd_i_training_problem problem;
    crd_hmm_train_options options; /* all values set, none left to the settings */
    crd_sequence_options source;   /* the texts are borrowed */
    bool has_source, is_counted;   /* is_counted: every step has a label, so there is nothing to fit */
    crd_i_hmm_result best;
} crd_i_hmm_fit;

/* Finds the states of fit->problem. */
CRD_MUST_USE crd_status crd_i_hmm_search(crd_i_hmm_fit *fit, crd_error *error);
void crd_i_hmm_result_clear(crd_i_hmm_result *result);

/* ======== Weighted steps ========
 *
 * A model of steps whose emission class is known only up to probabilities (model/accumulate.h). */

/* Takes ownership of `schema`, which has the columns of the sequences and a target. */
CRD_MUST_USE crd_status crd_i_weighted_steps_create(const crd_sequences *sequences, crd_i_schema *schema,
                                                    const crd_settings *settings, const crd_text *names, size_t classes,
                                                    crd_i_weighted_rows **out, crd_error *error);
/* Adds steps with the probabilities shares[step * stride + class]. */
CRD_MUST_USE crd_status crd_i_weighted_steps_add(crd_i_weighted_rows *rows, const crd_i_observation_block *block,
                                                 const double *shares, size_t stride, crd_error *error);

#endif
