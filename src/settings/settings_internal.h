/* SPDX-License-Identifier: MIT */
/* settings_internal.h - the settings in the form that densities and methods read. Each setting also stores its
 * canonical text. */
#ifndef CRD_SETTINGS_SETTINGS_INTERNAL_H
#define CRD_SETTINGS_SETTINGS_INTERNAL_H

#include "base/buffer.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "stats/tally.h"
#include "text/tokens.h"

#include <credence/settings.h>

typedef enum crd_i_smoothing { CRD_I_SMOOTHING_NONE, CRD_I_SMOOTHING_M, CRD_I_SMOOTHING_LAPLACE } crd_i_smoothing;

typedef enum crd_i_prior {
    CRD_I_PRIOR_FREQUENCY,
    CRD_I_PRIOR_LAPLACE,
    CRD_I_PRIOR_UNIFORM,
    CRD_I_PRIOR_GIVEN
} crd_i_prior;

/* The settings in table order. The first CRD_I_SETTINGS_ALWAYS_STATED settings are in every model file. The others are
 * written only if they differ from their defaults, so adding a setting does not change existing files. */
typedef enum crd_i_setting_index {
    CRD_I_SETTING_SMOOTHING,
    CRD_I_SETTING_PRIOR,
    CRD_I_SETTING_VARIANCE,
    CRD_I_SETTING_POOL_VARIANCE,
    CRD_I_SETTING_MIN_SD,
    CRD_I_SETTING_FAMILY,
    CRD_I_SETTING_HISTOGRAM,
    CRD_I_SETTING_BANDWIDTH,
    CRD_I_SETTING_MIXTURE,
    CRD_I_SETTING_STUDENT,
    CRD_I_SETTING_METHOD,
    CRD_I_SETTING_JOINT,
    CRD_I_SETTING_COVARIANCE,
    CRD_I_SETTING_JOINT_MIXTURE,
    CRD_I_SETTING_ATTRIBUTE_WEIGHTS,
    CRD_I_SETTING_CALIBRATION,
    CRD_I_SETTING_SEARCH,
    CRD_I_SETTING_ARCS,
    CRD_I_SETTING_ESTIMATOR,
    CRD_I_SETTING_EM_STARTS,
    CRD_I_SETTING_LATENT_NODES,
    CRD_I_SETTING_ITERATIONS,
    CRD_I_SETTING_TOLERANCE,
    CRD_I_SETTING_SCORE,
    CRD_I_SETTING_CI_TEST,
    CRD_I_SETTING_ALPHA,
    CRD_I_SETTING_REQUIRED_ARCS,
    CRD_I_SETTING_FORBIDDEN_ARCS,
    CRD_I_SETTING_TIERS,
    CRD_I_SETTING_MAX_PARENTS,
    CRD_I_SETTING_MAX_CONDITIONING,
    CRD_I_SETTING_RESTARTS,
    CRD_I_SETTING_STATES,
    CRD_I_SETTING_ORDER,
    CRD_I_SETTING_TOPOLOGY,
    CRD_I_SETTING_FORBIDDEN_TRANSITIONS,
    CRD_I_SETTING_END_PROBABILITIES,
    CRD_I_SETTING_TRANSITIONS,
    CRD_I_SETTING_STATE_MIXTURE,
    CRD_I_SETTING_UNSEEN_WORDS,
    CRD_I_SETTING_TERM_SMOOTHING,
    CRD_I_SETTING_TF,
    CRD_I_SETTING_LENGTH_NORMALIZATION,
    CRD_I_SETTING_COMPLEMENT_WEIGHTS,
    CRD_I_SETTING_MIN_DF,
    CRD_I_SETTING_MAX_DF,
    CRD_I_SETTING_STOP_WORDS,
    CRD_I_SETTING_MAX_TERMS,
    CRD_I_SETTING_TOKENS,
    CRD_I_SETTING_LETTER_CASE,
    CRD_I_SETTING_STEM,
    CRD_I_SETTING_NGRAMS,
    CRD_I_SETTING_SPARSE_BIGRAMS,
    CRD_I_SETTING_HASH,
    CRD_I_SETTING_COUNT
} crd_i_setting_index;
enum { CRD_I_SETTINGS_ALWAYS_STATED = 5 };

/* The value of a setting: the index of its form in the table, and its numeric argument, or 0 if it has none. */
typedef struct crd_i_setting_value {
    size_t form;
    double argument;
} crd_i_setting_value;

/* Rules for the bins of a histogram and for the bandwidth of a kernel density: see histogram.c and kernel_density.c. */
typedef enum crd_i_histogram_rule {
    CRD_I_HISTOGRAM_LIKELIHOOD,
    CRD_I_HISTOGRAM_WIDTH,
    CRD_I_HISTOGRAM_FREQUENCY,
    CRD_I_HISTOGRAM_EDGES,
    CRD_I_HISTOGRAM_STURGES,
    CRD_I_HISTOGRAM_SCOTT,
    CRD_I_HISTOGRAM_FREEDMAN
} crd_i_histogram_rule;

typedef enum crd_i_bandwidth {
    CRD_I_BANDWIDTH_WEKA,
    CRD_I_BANDWIDTH_SCOTT,
    CRD_I_BANDWIDTH_SILVERMAN,
    CRD_I_BANDWIDTH_GIVEN
} crd_i_bandwidth;

/* The source of the pseudo-counts of the family student: see student.c. */
typedef enum crd_i_student_rule {
    CRD_I_STUDENT_SMOOTHING,
    CRD_I_STUDENT_LIKELIHOOD,
    CRD_I_STUDENT_GIVEN
} crd_i_student_rule;

/* The method that combines the densities of attributes into a posterior, and the attributes that have a joint
 * density. */
typedef enum crd_i_method {
    CRD_I_METHOD_NAIVE,
    CRD_I_METHOD_JOINT,
    CRD_I_METHOD_AODE,
    CRD_I_METHOD_PAIRWISE,
    CRD_I_METHOD_TREES,
    CRD_I_METHOD_BAGGING,
    CRD_I_METHOD_BOOSTING,
    CRD_I_METHOD_STACKING,
    CRD_I_METHOD_NETWORK,
    CRD_I_METHOD_SEQUENCE,
    CRD_I_METHOD_COUNT
} crd_i_method;

typedef enum crd_i_together {
    CRD_I_TOGETHER_NONE,
    CRD_I_TOGETHER_ALL, /* numbers in one block, categories in another */
    CRD_I_TOGETHER_NUMBERS,
    CRD_I_TOGETHER_CATEGORIES,
    CRD_I_TOGETHER_BLOCKS /* blocks of named columns */
} crd_i_together;

typedef enum crd_i_covariance_form {
    CRD_I_COVARIANCE_AUTO,
    CRD_I_COVARIANCE_FULL,
    CRD_I_COVARIANCE_TIED,
    CRD_I_COVARIANCE_DIAG
} crd_i_covariance_form;

typedef enum crd_i_calibration_rule {
    CRD_I_CALIBRATION_NONE,
    CRD_I_CALIBRATION_ISOTONIC,
    CRD_I_CALIBRATION_PLATT,
    CRD_I_CALIBRATION_KNOWN_WORDS /* nothing is fitted, and no rows are needed */
} crd_i_calibration_rule;

/* How the tables of a network are estimated: see crd_i_settings_estimator. */
typedef enum crd_i_estimator { CRD_I_ESTIMATOR_COUNTS, CRD_I_ESTIMATOR_EM, CRD_I_ESTIMATOR_GRADIENT } crd_i_estimator;

/* How the arcs of a network are learned: see structure/structure_search.h. */
typedef enum crd_i_search_choice {
    CRD_I_SEARCH_NONE, /* they are user-specified */
    CRD_I_SEARCH_HILL_CLIMB,
    CRD_I_SEARCH_TABU,
    CRD_I_SEARCH_PC,
    CRD_I_SEARCH_EXACT,
    CRD_I_SEARCH_CHOW_LIU,
    CRD_I_SEARCH_TAN,
    CRD_I_SEARCH_KDB
} crd_i_search_choice;

/* How transition probabilities are estimated from counts. */
typedef enum crd_i_transition_estimate {
    CRD_I_TRANSITIONS_AUTO,
    CRD_I_TRANSITIONS_SMOOTHING,
    CRD_I_TRANSITIONS_NONE,
    CRD_I_TRANSITIONS_M,
    CRD_I_TRANSITIONS_LAPLACE,
    CRD_I_TRANSITIONS_INTERPOLATED
} crd_i_transition_estimate;

typedef enum crd_i_unseen_rule { CRD_I_UNSEEN_AUTO, CRD_I_UNSEEN_NONE, CRD_I_UNSEEN_SUFFIX } crd_i_unseen_rule;

/* The transform of an occurrence count (tf), and the length normalization of a document: see term_density.h. */
typedef enum crd_i_tf { CRD_I_TF_COUNT, CRD_I_TF_LOG, CRD_I_TF_BINARY } crd_i_tf;
typedef enum crd_i_length_rule {
    CRD_I_LENGTH_NONE,
    CRD_I_LENGTH_ROOT,
    CRD_I_LENGTH_UNIT,
    CRD_I_LENGTH_GIVEN
} crd_i_length_rule;
typedef enum crd_i_stop_rule { CRD_I_STOP_NONE, CRD_I_STOP_AUTO, CRD_I_STOP_GIVEN } crd_i_stop_rule;

/* A list of arcs in a setting. */
typedef struct crd_i_arcs {
    crd_i_dictionary *nodes; /* sorted by bytes; NULL: none is specified */
    uint32_t *parents;       /* parent numbers of all nodes, ascending for each node */
    size_t *ends;            /* for each node, the index after its last parent */
} crd_i_arcs;

enum { CRD_I_MOST_MEMBERS = 1000, CRD_I_MOST_DEPENDENCE = 16, CRD_I_MOST_HIDDEN_STATES = 1000 };

enum { CRD_I_MOST_ORDER = 3, CRD_I_MOST_COMPONENTS = 64, CRD_I_MOST_SUFFIX = 20 };

enum { CRD_I_MOST_EDGES = 64, CRD_I_MOST_CURVES = 16 };

struct crd_i_family;

struct crd_settings {
    crd_context *context;

    crd_i_smoothing smoothing;
    double smoothing_strength; /* M or L */
    bool smoothing_marginal;   /* the pseudo-counts are spread by the values' overall frequencies */
    /* S of bdeu:S, which the tables of networks read; otherwise 0. Densities use an equivalent m:M instead: see
     * crd_i_settings_for_classes. */
    double smoothing_bdeu;

    crd_i_prior prior;
    double prior_strength;           /* L */
    crd_i_dictionary *prior_classes; /* GIVEN: the named classes, sorted by bytes; otherwise NULL */
    /* One per named class, as specified. They sum to about 1, or to less; then one other class has the remainder. */
    double *prior_probabilities;

    bool sample_variance; /* divided by n - 1 rather than n */
    bool share_classes, share_attributes;
    double min_sd;

    crd_i_dictionary *family_columns;            /* the named columns, sorted by bytes; NULL: none */
    const struct crd_i_family **family_choices;  /* one per named column */
    const struct crd_i_family *family_of_others; /* family of all other columns of its kind */

    crd_i_histogram_rule histogram;
    double histogram_bins; /* for WIDTH and FREQUENCY */
    size_t histogram_edge_count;
    double histogram_edges[CRD_I_MOST_EDGES];
    crd_i_bandwidth bandwidth;
    double bandwidth_given;
    /* mixture_curves: the number of components; 0: at most mixture_most components, chosen by BIC. */
    size_t mixture_curves, mixture_most;
    crd_i_student_rule student;
    double student_given;

    crd_i_method method;
    size_t method_members;             /* number of members for BAGGING and BOOSTING */
    crd_i_search_choice method_search; /* for NETWORK: TAN or KDB, used if no structure is specified */
    size_t method_dependence;          /* K of KDB */
    /* For the methods lda and qda: the covariances of the joint density of all numbers; otherwise AUTO. */
    crd_i_covariance_form method_covariance;
    /* The attributes with a joint density. The method JOINT without other blocks means ALL: see
     * crd_i_settings_together. */
    crd_i_together joint;
    crd_i_dictionary *joint_columns;         /* BLOCKS: the columns of all blocks, block by block; otherwise NULL */
    size_t *joint_ends;                      /* for each block, the index after its last column */
    size_t joint_count;                      /* number of blocks */
    crd_i_covariance_form stated_covariance; /* the setting covariance */
    double stated_shrinkage;
    /* Derived from the settings method and covariance: */
    crd_i_covariance_form covariance;
    double covariance_shrinkage; /* for FULL and TIED; NaN: chosen by likelihood */
    bool is_joint_mixture;       /* joint numbers have a mixture of normals */
    size_t joint_components;     /* its number of components; 0: chosen by held-out rows */
    bool attribute_weights_fitted;
    crd_i_calibration_rule calibration;
    crd_i_dictionary *structure_nodes;    /* sorted by bytes; NULL: no structure is specified */
    uint32_t *structure_parents;          /* parent numbers of all nodes, ascending for each node */
    size_t *structure_ends;               /* for each node, the index after its last parent */
    crd_i_search_choice structure_search; /* how arcs are learned if none are specified */
    size_t structure_dependence;          /* K of KDB */
    double alpha;
    crd_i_arcs required_arcs, forbidden_arcs, forbidden_transitions;
    crd_i_dictionary *tier_columns; /* the columns of all tiers, tier by tier; NULL: none */
    size_t *tier_ends;              /* for each tier, the index after its last column */
    size_t tier_count;
    size_t max_parents;      /* 0: no limit */
    size_t max_conditioning; /* SIZE_MAX: no limit */
    size_t restarts;         /* SIZE_MAX: depends on the number of nodes */

    crd_i_estimator estimator;
    size_t em_starts;               /* 0: depends on the problem */
    crd_i_dictionary *latent_nodes; /* NULL: none */
    size_t *latent_states;          /* one per latent node; 0: to be chosen */
    size_t iterations;
    double tolerance;

    size_t states; /* number of hidden states; 0: to be chosen */
    size_t order;
    bool is_left_to_right;
    size_t most_skipped; /* for left-to-right: maximum number of skipped states; SIZE_MAX: no limit */
    bool has_end_probabilities;
    crd_i_transition_estimate transitions; /* as specified */
    double transition_strength;            /* M or L */
    size_t components;
    crd_i_unseen_rule unseen_words;
    size_t longest_suffix; /* for SUFFIX */

    double term_smoothing; /* pseudo-counts for each term under each class; 0: auto */
    crd_i_tf tf;
    crd_i_length_rule length;
    double length_given;   /* for GIVEN */
    bool complement_plain; /* weights of the family complement are not normalized */
    double min_df, max_df; /* numbers of documents; below 1: a fraction of them; 0: no limit */
    crd_i_stop_rule stop_rule;
    crd_i_dictionary *stop_words;  /* GIVEN: the words as specified; otherwise NULL */
    size_t max_terms;              /* 0: no limit */
    crd_i_token_rules token_rules; /* tokenization rules */

    crd_i_setting_value values[CRD_I_SETTING_COUNT]; /* in table order */
    char *texts[CRD_I_SETTING_COUNT];                /* canonical texts, in table order */
};

/* Copies settings to another context. */
CRD_MUST_USE crd_status crd_i_settings_copy(crd_context *context, const crd_settings *settings, crd_settings **out,
                                            crd_error *error);
/* Returns whether all canonical texts are equal. */
bool crd_i_settings_equal(const crd_settings *a, const crd_settings *b);

/* Parses `CLASS=P,...` into a new dictionary and its probabilities, sorted by the classes' bytes. CRD_I_PRIOR_SLACK is
 * how far a sum may differ from 1, because people write 0.333. */
#define CRD_I_PRIOR_SLACK 1e-6
CRD_MUST_USE crd_status crd_i_prior_parse(crd_context *context, crd_text text, crd_i_dictionary **classes,
                                          double **probabilities, crd_error *error);
/* Returns the canonical text of priors; NULL: out of memory. */
char *crd_i_prior_text(crd_context *context, const crd_i_dictionary *classes, const double *probabilities);

/* Parses `FAMILY`, or `COL=FAMILY,...` with *=FAMILY for all other columns. Creates a dictionary (NULL if no column is
 * named) and its families, sorted by the columns' bytes. */
CRD_MUST_USE crd_status crd_i_family_parse(crd_context *context, crd_text text, crd_i_dictionary **columns,
                                           const struct crd_i_family ***choices, const struct crd_i_family **others,
                                           crd_error *error);
char *crd_i_family_text(crd_context *context, const crd_settings *settings);

/* With larger strengths, ratios of pseudo-counts and counts would leave the range of doubles. */
#define CRD_I_MOST_STRENGTH 1e100
/* Smaller pseudo-counts of terms would be lost in the rounding of counts. */
#define CRD_I_LEAST_TERM_SMOOTHING 1e-10

/* Parse and format lists: blocks of columns, arcs, latent nodes and words. A parser reports its own errors and fills in
 * its fields; on failure the caller destroys the lists. Texts are canonical; NULL: out of memory. */
CRD_MUST_USE crd_status crd_i_joint_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_joint_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_arcs_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_arcs_setting_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_latent_nodes_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_latent_nodes_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_stop_words_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_stop_words_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_required_arcs_parse(crd_settings *settings, crd_text text, crd_error *error);
CRD_MUST_USE crd_status crd_i_forbidden_arcs_parse(crd_settings *settings, crd_text text, crd_error *error);
CRD_MUST_USE crd_status crd_i_forbidden_transitions_parse(crd_settings *settings, crd_text text, crd_error *error);
CRD_MUST_USE crd_status crd_i_tiers_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_arcs_text(crd_context *context, const crd_i_arcs *arcs);
char *crd_i_tiers_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_stem_parse(crd_settings *settings, crd_text text, crd_error *error);
/* Parses N or N-M. false: the text is neither. */
CRD_MUST_USE bool crd_i_ngrams_parse(crd_i_token_rules *rules, crd_text text);
/* Returns whether the text is a form of a setting that begins with a word, rather than a list. */
bool crd_i_setting_has_word(crd_i_setting_index setting, crd_text text);

/* Determines whether a rejected value contains a word that the setting does not support, as a later version might.
 * `quoted` becomes that word. */
CRD_MUST_USE crd_status crd_i_settings_unknown_word(crd_context *context, const crd_setting *setting, crd_text value,
                                                    char quoted[CRD_I_QUOTED_ROOM], bool *is_unknown, crd_error *error);

/* Sets a setting by its name and value in a model file of version 0.1, if one of them has changed since. Otherwise sets
 * *is_former to false and changes nothing. The method must be set before. */
CRD_MUST_USE crd_status crd_i_settings_set_former(crd_settings *settings, crd_text name, crd_text value,
                                                  bool *is_former, crd_error *error);
/* Returns today's name of a setting that was renamed and kept its values. NULL: it was not renamed. */
const char *crd_i_former_setting_name(crd_text name);
/* Replaces the name and the value of a setting without numbers, as files of version 0.1 have them, by today's. */
void crd_i_former_setting_replace(const char **name, const char **value);

/* Returns whether an existing setting has its default value. */
bool crd_i_settings_is_default(const crd_settings *settings, const char *name);
/* Converts the smoothing bdeu:S for densities. S pseudo-counts spread evenly over the table of an attribute's values
 * and `classes` classes are S / classes pseudo-counts in each class, like m:M. The canonical text and other smoothing
 * do not change. */
void crd_i_settings_for_classes(crd_settings *settings, size_t classes);
/* Returns the search that learns the arcs of a network, from the method or the structure, and sets *dependence to K of
 * KDB. Returns NONE if the arcs are specified or the method is not NETWORK. */
crd_i_search_choice crd_i_settings_search(const crd_settings *settings, size_t *dependence);
/* Returns the attributes that have a joint density, given the method and the specified blocks. */
crd_i_together crd_i_settings_together(const crd_settings *settings);

/* Returns the estimator of a network. Latent nodes cannot be counted, so EM is used if there are any. */
crd_i_estimator crd_i_settings_estimator(const crd_settings *settings);
/* Returns whether a node is latent, and sets *states to its number of states; 0: to be chosen. */
bool crd_i_settings_latent_node(const crd_settings *settings, crd_text name, size_t *states);

/* Returns the rules by which texts become terms. */
crd_i_token_rules crd_i_settings_token_rules(const crd_settings *settings);
/* Returns CRD_ERROR_SETTING if texts were counted with the rules of `counted` and `stated` has other rules; the message
 * contains both. A model stores only counts of terms, so the rules are fixed at training. */
CRD_MUST_USE crd_status crd_i_settings_check_counted(const crd_settings *counted, const crd_settings *stated,
                                                     crd_error *error);

/* Returns the set of extra tallies that the chosen families need. */
crd_i_extras crd_i_settings_extras(const crd_settings *settings);

/* ======== Lists ========
 *
 * Lists in the value of a setting are CSV items NAME=VALUE, each split at its last '='. */

/* Removes the next item from *view and stores it in `item` without quotes. *more: a comma followed. */
CRD_MUST_USE crd_status crd_i_item_next(crd_text *view, crd_i_buffer *item, bool *more, crd_error *error);

/* Appends NAME, in quotes if needed, also if it contains a semicolon. false: out of memory. */
CRD_MUST_USE bool crd_i_item_append_name(crd_i_buffer *buffer, bool is_first, crd_text name);
/* Appends NAME=VALUE, in quotes if the name needs them. false: out of memory. */
CRD_MUST_USE bool crd_i_item_append(crd_i_buffer *buffer, bool is_first, crd_text name, const char *value);

#endif
