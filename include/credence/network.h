/* SPDX-License-Identifier: MIT */
/* credence/network.h - Bayesian networks: nodes with states, arcs, a conditional probability table (CPT) at each node.
 *
 *   network = read from a file, built, or made of a model;  evidence  -->  posteriors, MPE, MAP, explanations, policies
 *
 * CPTs keep the numbers as they were written; rows of published ones miss 1 by what was rounded away, so inference
 * divides a row by its sum. A network is immutable and shared by threads.
 *
 * Answers are exact. Where that would take more than the memory allowed, it is CRD_ERROR_LIMIT, whose message has how much,
 * before any of it is taken; or, where the caller agrees, an estimate with its standard error. Findings that cannot be
 * together are CRD_ERROR_PROBABILITY, and the message names some that contradict each other. */
#ifndef CREDENCE_NETWORK_H
#define CREDENCE_NETWORK_H

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_network crd_network;

typedef enum crd_node_kind {
    CRD_NODE_CHANCE = 0,
    CRD_NODE_DECISION = 1, /* its parents are known when it is taken; it has no table */
    CRD_NODE_UTILITY = 2,  /* of its parents' states; it has one state, and a table of one number a row */
    /* A continuous chance node: normal, with a mean that is linear in its continuous parents, and all of its numbers
     * for each combination of the states of its discrete ones (conditional linear Gaussian). It has no states. A node of
     * another kind has no continuous parent. */
    CRD_NODE_GAUSSIAN = 3
} crd_node_kind;

/* ---- Files ---- */

typedef enum crd_network_format {
    CRD_NETWORK_FORMAT_ANY = 0, /* reading: what the bytes show */
    CRD_NETWORK_FORMAT_BIF = 1,
    CRD_NETWORK_FORMAT_XMLBIF = 2,
    CRD_NETWORK_FORMAT_NET = 3,  /* Hugin's */
    CRD_NETWORK_FORMAT_UAI = 4,  /* names are lost: nodes and states are numbered from 0 */
    CRD_NETWORK_FORMAT_DOT = 5,  /* a drawing, which is written only */
    CRD_NETWORK_FORMAT_XDSL = 6, /* of GeNIe and SMILE */
    CRD_NETWORK_FORMAT_DNE = 7   /* Netica's; names that are no identifiers become such */
} crd_network_format;

/* What format the first bytes of a file show; ANY where it is none of a network. */
CRD_API crd_network_format crd_network_recognise(crd_text bytes);
/* The same of a file, which may be compressed: *format is ANY where it holds no network. A file that breaks off is
 * known by what is there of it. */
CRD_API CRD_MUST_USE crd_status crd_network_recognise_file(crd_context *context, const char *path,
                                                           crd_network_format *format, crd_error *error);

/* Errors have the line, and the column as `field`; `place` names where the bytes are from. */
CRD_API CRD_MUST_USE crd_status crd_network_read(crd_context *context, crd_text bytes, const char *place,
                                                 crd_network_format format, crd_network **out, crd_error *error);
/* A file, as it is or compressed. */
CRD_API CRD_MUST_USE crd_status crd_network_load(crd_context *context, const char *path, crd_network_format format,
                                                 crd_network **out, crd_error *error);
/* All bytes of an input, which takes them from it: there is nothing left but to close it. */
CRD_API CRD_MUST_USE crd_status crd_network_from_input(crd_input *input, crd_network_format format, crd_network **out,
                                                       crd_error *error);
CRD_API void crd_network_destroy(crd_network *network);
/* The bytes, for crd_free; reading them gives back every number to the bit, and every name unless the format has none.
 * CRD_ERROR_SYNTAX where the format cannot represent something. */
CRD_API CRD_MUST_USE crd_status crd_network_write(const crd_network *network, crd_network_format format, crd_text *out,
                                                  crd_error *error);

/* ---- Networks made call by call ----
 *
 *   create, or start from a network;  add nodes, then arcs, then tables;  finish
 *
 * Nodes are numbered from 0 in the order in which they are added, and the parents of a node in the order of its arcs.
 * Errors name the node as their subject; a failing call changes nothing. */

typedef struct crd_network_builder crd_network_builder;

CRD_API CRD_MUST_USE crd_status crd_network_builder_create(crd_context *context, crd_text name,
                                                           crd_network_builder **out, crd_error *error);
/* A copy of the network, to be changed. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_from(const crd_network *network, crd_network_builder **out,
                                                         crd_error *error);
CRD_API void crd_network_builder_destroy(crd_network_builder *builder);

/* Names are unique, and so are the states of a node, of which there is at least one (CRD_ERROR_COLUMN,
 * CRD_ERROR_EMPTY). Those of a utility and of a Gaussian node are not read. *node, which may be NULL, is the number of the node. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_add_node(crd_network_builder *builder, crd_text name,
                                                             crd_node_kind kind, const crd_text *states,
                                                             size_t state_count, size_t *node, crd_error *error);
/* Adds the parent behind those that the child has, or removes it. Either gives the child's table another shape, so that
 * it has none from then on. A Gaussian parent of another kind of node is CRD_ERROR_KIND. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_add_arc(crd_network_builder *builder, size_t parent, size_t child,
                                                            crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_network_builder_remove_arc(crd_network_builder *builder, size_t parent,
                                                               size_t child, crd_error *error);
/* The whole conditional probability table of a node, laid out as crd_network_cpt has it; `count` numbers, which have to
 * be as many as it has. Rows have to sum to 1 within 0.01, and are kept as they are (CRD_ERROR_PROBABILITY); those of a
 * Gaussian node have to be finite, with a variance of 0 or more. A decision has no table (CRD_ERROR_ARGUMENT). */
CRD_API CRD_MUST_USE crd_status crd_network_builder_set_cpt(crd_network_builder *builder, size_t node,
                                                            const double *values, size_t count, crd_error *error);
/* One row of it: `values` has crd_network_cpt_width numbers, parent_states a state for each parent, which is not read for
 * Gaussian parents. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_set_cpt_row(crd_network_builder *builder, size_t node,
                                                                const size_t *parent_states, const double *values,
                                                                crd_error *error);
/* The network, after the checks that one from a file passes: each node but decisions has all rows of its table
 * (CRD_ERROR_EMPTY), no utility has children (CRD_ERROR_SCHEMA_DIFFERS), no directed cycle (CRD_ERROR_CYCLE). The
 * builder keeps what it has, and can be changed and finished again. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_finish(const crd_network_builder *builder, crd_network **out,
                                                           crd_error *error);

/* ---- Models ---- */

/* The network of a model under settings (NULL: its own). With the method network it has the arcs of the setting
 * structure; else the model has to be naive Bayes of categories, and the class is the parent of each of them.
 * CRD_ERROR_COLUMN where a number would be a node, CRD_ERROR_KIND where the structure names one; CRD_ERROR_SETTING
 * where the settings are those of no network, the model has not kept what the structure needs, or states a network
 * and is used under other settings than its own; CRD_ERROR_LIMIT where a table would be too large. Calibration
 * corrects a classifier's answers, and no tables. */
CRD_API CRD_MUST_USE crd_status crd_network_from_model(const crd_model *model, const crd_settings *settings,
                                                       crd_network **out, crd_error *error);
/* A model that states the network, with a node of it as target: it has learned no rows, and can learn none.
 * Decisions are columns of its rows too, uniform where a row has no cell for them. CRD_ERROR_COLUMN where the target
 * is no node with chances. */
CRD_API CRD_MUST_USE crd_status crd_model_from_network(const crd_network *network, crd_text target, crd_model **out,
                                                       crd_error *error);
/* Whether the model answers as a network under its own settings: it states one, or has the method network. */
CRD_API int crd_model_is_network(const crd_model *model);

/* How the CPTs of a model's network were fitted to rows with missing cells and hidden nodes (the settings estimator and
 * hidden): the steps of the best of several starts, of which step 0 is the start itself. What is maximised, and never
 * falls, is the logarithm of the posterior of the tables under the pseudo-counts of the setting smoothing, up to a constant;
 * without smoothing that is the log-likelihood. */
typedef struct crd_fit_report crd_fit_report;

/* Fits where crd_model_fit has not kept it. *out is NULL where the CPTs are counted or stated. */
CRD_API CRD_MUST_USE crd_status crd_fit_report_create(const crd_model *model, const crd_settings *settings,
                                                      crd_fit_report **out, crd_error *error);
CRD_API void crd_fit_report_destroy(crd_fit_report *report);
CRD_API size_t crd_fit_report_step_count(const crd_fit_report *report);
/* NaN beyond the last step. */
CRD_API double crd_fit_report_log_likelihood(const crd_fit_report *report, size_t step);
CRD_API double crd_fit_report_log_posterior(const crd_fit_report *report, size_t step);
/* The log posterior that each start came to before the best went on; NaN beyond the last. */
CRD_API size_t crd_fit_report_start_count(const crd_fit_report *report);
CRD_API double crd_fit_report_start_value(const crd_fit_report *report, size_t start);
CRD_API size_t crd_fit_report_best_start(const crd_fit_report *report);
/* It ended as there was little to gain; else by the setting iterations, or because the call was stopped. */
CRD_API int crd_fit_report_is_converged(const crd_fit_report *report);
CRD_API int crd_fit_report_is_stopped(const crd_fit_report *report);

/* ---- What is in it ---- */

CRD_API crd_text crd_network_name(const crd_network *network);
CRD_API size_t crd_network_node_count(const crd_network *network);
/* The node of a name; CRD_NONE where there is none. */
CRD_API size_t crd_network_find(const crd_network *network, crd_text name);
/* Nodes as crd_reader_select picks columns. `nodes` has room for all. */
CRD_API CRD_MUST_USE crd_status crd_network_select(const crd_network *network, crd_text selector, size_t *nodes,
                                                   size_t *count, crd_error *error);
CRD_API crd_text crd_network_node_name(const crd_network *network, size_t node);
CRD_API crd_node_kind crd_network_node_kind(const crd_network *network, size_t node);
CRD_API size_t crd_network_state_count(const crd_network *network, size_t node);
CRD_API crd_text crd_network_state(const crd_network *network, size_t node, size_t state);
/* The state of that name; where all states are intervals (crd_is_interval), also the one that a number lies in. */
CRD_API size_t crd_network_find_state(const crd_network *network, size_t node, crd_text state);
CRD_API size_t crd_network_parent_count(const crd_network *network, size_t node);
CRD_API size_t crd_network_parent(const crd_network *network, size_t node, size_t parent);
CRD_API size_t crd_network_child_count(const crd_network *network, size_t node);
CRD_API size_t crd_network_child(const crd_network *network, size_t node, size_t child);
/* The numbers as they were written: a row of one for each state for each combination of the parents' states, those of
 * the last parent varying fastest. NULL for a decision. A row of a Gaussian node, for a combination of the states of its
 * discrete parents, has the mean's constant, its coefficient of each continuous parent, in the order of parents, and
 * the variance, which may be 0: then the node is a function of its parents. */
CRD_API const double *crd_network_cpt(const crd_network *network, size_t node, size_t *rows);
/* How many numbers a row has. */
CRD_API size_t crd_network_cpt_width(const crd_network *network, size_t node);
/* The node numbers with parents before their children. */
CRD_API const uint32_t *crd_network_order(const crd_network *network);

/* ---- Independence ---- */

/* Whether a and b are independent whatever the CPTs are, once the nodes `given` are known (d-separation). Where they
 * are not, *path, for crd_free, is a shortest path along which they may depend on each other, from a to b: *length
 * nodes. Only the graph counts: CPTs of zeros and ones, in which a node is a function of its parents, can make
 * nodes independent that are not d-separated. In time and memory linear in the network, however long its paths.
 * CRD_ERROR_ARGUMENT where a and b are the same or one of them is given. */
CRD_API CRD_MUST_USE crd_status crd_network_separation(const crd_network *network, size_t a, size_t b,
                                                       const size_t *given, size_t given_count, int *is_separated,
                                                       size_t **path, size_t *length, crd_error *error);
/* The same of two sets, disjoint from each other and from `given` (else CRD_ERROR_ARGUMENT): they are separated where
 * each node of a is from each of b. The path is a shortest one from a node of a to one of b. */
CRD_API CRD_MUST_USE crd_status crd_network_set_separation(const crd_network *network, const size_t *a, size_t a_count,
                                                           const size_t *b, size_t b_count, const size_t *given,
                                                           size_t given_count, int *is_separated, size_t **path,
                                                           size_t *length, crd_error *error);
/* Paths between a and b on which no node comes twice, the shortest first, `most` of them at most: those that are open where
 * the nodes `given` are known, or, unless is_open, any. *nodes, for crd_free, has the nodes of one after the other, from a to b,
 * *lengths, for crd_free too, how many each has. Paths may be exponentially many: where there are more, or the search for them
 * was given up, *is_complete is 0. CRD_ERROR_ARGUMENT where a and b are the same. */
CRD_API CRD_MUST_USE crd_status crd_network_paths(const crd_network *network, size_t a, size_t b, const size_t *given,
                                                  size_t given_count, int is_open, size_t most, size_t **nodes,
                                                  size_t **lengths, size_t *count, int *is_complete, crd_error *error);

typedef enum crd_path_role {
    CRD_PATH_END = 0,
    CRD_PATH_CHAIN = 1,        /* between cause and effect */
    CRD_PATH_COMMON_CAUSE = 2, /* of both neighbours */
    CRD_PATH_COMMON_EFFECT = 3 /* of both neighbours: a collider */
} crd_path_role;

/* What a node does on a path: a common effect blocks it unless it is given, or a node to which arcs lead from it; any other
 * where it is given. */
typedef struct crd_path_node {
    size_t node;
    crd_path_role role;
    int is_blocking;
    size_t opened_by; /* the nearest given node that opens a common effect, itself perhaps; CRD_NONE */
} crd_path_node;

/* The nodes of a path, one by one: `out` has room for `length`. CRD_ERROR_ARGUMENT where no arc joins two that follow each
 * other. */
CRD_API CRD_MUST_USE crd_status crd_network_path_nodes(const crd_network *network, const size_t *path, size_t length,
                                                       const size_t *given, size_t given_count, crd_path_node *out,
                                                       crd_error *error);
/* The Markov blanket of a node: its parents, its children, and the other parents of its children. Given these, it is
 * independent of all other nodes. Utilities, which change no probability, are left out. *blanket, for crd_free, has
 * *count nodes in ascending order; it may be none. CRD_ERROR_ARGUMENT where there is no such node. */
CRD_API CRD_MUST_USE crd_status crd_network_markov_blanket(const crd_network *network, size_t node, size_t **blanket,
                                                           size_t *count, crd_error *error);

/* Which arcs all networks have that state the same independences: those that are directed in the CPDAG. The others can be
 * turned, so that no rows tell their direction. `is_compelled` has a place for each arc, in the order of nodes and of the
 * parents of each. CRD_ERROR_LIMIT where there are more than 32768 nodes. */
CRD_API CRD_MUST_USE crd_status crd_network_compelled_arcs(const crd_network *network, unsigned char *is_compelled,
                                                           crd_error *error);

/* ---- Two networks compared ----
 *
 * Nodes are matched by their names. A node that only one of them has is without arcs in the other, so that its arcs are
 * differences. Texts live as long as the comparison. */

typedef struct crd_network_comparison crd_network_comparison;

/* CRD_ERROR_LIMIT where there are more than 32768 nodes. */
CRD_API CRD_MUST_USE crd_status crd_network_compare(const crd_network *first, const crd_network *second,
                                                    crd_network_comparison **out, crd_error *error);
CRD_API void crd_network_comparison_destroy(crd_network_comparison *comparison); /* NULL is fine */

typedef struct crd_network_comparison_facts {
    size_t size;
    size_t nodes;                               /* of both networks together */
    size_t only_first_nodes, only_second_nodes; /* that one of them has */
    size_t same, reversed, only_first_arcs, only_second_arcs;
    size_t arc_distance;     /* arcs to add, remove or reverse: the structural Hamming distance of the DAGs */
    size_t hamming_distance; /* that of their CPDAGs, in which directions that no rows can tell apart are left open */
} crd_network_comparison_facts;

#define CRD_NETWORK_COMPARISON_FACTS_INIT                                                                              \
    { sizeof(crd_network_comparison_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_network_comparison_describe(const crd_network_comparison *comparison,
                                             crd_network_comparison_facts *out);

typedef enum crd_arc_relation {
    CRD_ARC_SAME = 0,
    CRD_ARC_REVERSED = 1, /* from and to are those of the first */
    CRD_ARC_ONLY_FIRST = 2,
    CRD_ARC_ONLY_SECOND = 3
} crd_arc_relation;

typedef struct crd_arc_comparison {
    size_t size;
    crd_text from, to;
    crd_arc_relation relation;
} crd_arc_comparison;

#define CRD_ARC_COMPARISON_INIT                                                                                        \
    { sizeof(crd_arc_comparison), {0, 0}, {0, 0}, CRD_ARC_SAME }

/* The arcs of either, by the nodes that they lead to. False behind the last. */
CRD_API int crd_network_comparison_arc(const crd_network_comparison *comparison, size_t index, crd_arc_comparison *out);

typedef enum crd_cpt_relation {
    CRD_CPT_COMPARED = 0,
    CRD_CPT_ONLY_FIRST = 1, /* the other has no such node */
    CRD_CPT_ONLY_SECOND = 2,
    CRD_CPT_OTHER_PARENTS = 3,
    CRD_CPT_OTHER_STATES = 4, /* its own, or those of a parent; or it is another kind of node */
    CRD_CPT_NONE = 5          /* both are decisions, which have no table */
} crd_cpt_relation;

/* How far the conditional probability tables of a node are from each other, where it has the same parents and states in
 * both networks, in any order. */
typedef struct crd_cpt_comparison {
    size_t size;
    crd_text name;
    crd_cpt_relation relation;
    double difference; /* the greatest of two numbers of the tables; NaN where they are not compared */
    double
        divergence; /* the greatest of two rows: Kullback-Leibler, from the second to the first, in nats; may be infinite;
                        * NaN where rows have no probabilities */
} crd_cpt_comparison;

#define CRD_CPT_COMPARISON_INIT                                                                                        \
    { sizeof(crd_cpt_comparison), {0, 0}, CRD_CPT_COMPARED, 0, 0 }

/* Node by node: those of the first network in their order, then those that only the second has. */
CRD_API void crd_network_comparison_cpt(const crd_network_comparison *comparison, size_t node, crd_cpt_comparison *out);

/* ---- Inference: a finding is one observed variable; all of them are the evidence ---- */

/* One observed variable: its state, or virtual (likelihood) evidence, how likely the observation is in each state; of a
 * Gaussian node, its number. */
typedef struct crd_finding {
    size_t node;
    size_t state;              /* not read of a Gaussian node */
    const double *likelihoods; /* NULL: the state, or number, is certain */
    double number;             /* of a Gaussian node, finite; not read of others */
} crd_finding;

typedef enum crd_approximation {
    CRD_APPROXIMATION_NEVER = 0,
    CRD_APPROXIMATION_WEIGHTING = 1, /* likelihood weighting */
    CRD_APPROXIMATION_GIBBS = 2,
    CRD_APPROXIMATION_LOOPY = 3 /* belief propagation in spite of loops: its error is not known */
} crd_approximation;

typedef struct crd_inference_options {
    size_t size;
    unsigned threads;                /* 0: one for each processor; changes no bit */
    double memory;                   /* bytes that exact answers may take; 0: half of what is free */
    crd_approximation approximation; /* what to do where that is not enough */
    int is_always_approximate;       /* estimate in any case: by weighting where no approximation is chosen */
    uint64_t seed;
    uint64_t draws; /* of Monte Carlo; 0: 131072, for standard errors between 0.001 and 0.002, mostly */
} crd_inference_options;

#define CRD_INFERENCE_OPTIONS_INIT                                                                                     \
    { sizeof(crd_inference_options), 0, 0, CRD_APPROXIMATION_NEVER, 0, 1, 0 }

/* What an answer comes with. */
typedef struct crd_inference_result {
    size_t size;
    double log_evidence;       /* log of the probability of the evidence; NaN where propagation did not converge */
    double log_evidence_error; /* its standard error: 0 where it is exact, NaN where it is not known */
    crd_approximation approximation; /* by which the answer was found; NEVER: it is exact */
    double draws, effective_draws;   /* of Monte Carlo: how many, and how many independent ones they are worth */
    double cells, bytes;             /* of the tables of the exact way, also where it was too much */
    size_t nodes;                    /* that the question needed */
} crd_inference_result;

#define CRD_INFERENCE_RESULT_INIT                                                                                      \
    { sizeof(crd_inference_result), 0, 0, CRD_APPROXIMATION_NEVER, 0, 0, 0, 0, 0 }

/* The posteriors of the nodes asked (chance nodes), one after the other; `errors`, which may be NULL, has the same
 * places for standard errors: 0 where exact, NaN where not known. options and asked may be NULL. A node with a finding
 * may be asked. Decisions have to be among the evidence if what is asked depends on them. An estimate is within two
 * standard errors of the exact answer in 95 of 100 runs or more. Where no draw agrees with the evidence, it is
 * CRD_ERROR_NOT_CONVERGED. */
CRD_API CRD_MUST_USE crd_status crd_network_posteriors(const crd_network *network, const crd_finding *findings,
                                                       size_t count, const size_t *nodes, size_t node_count,
                                                       const crd_inference_options *options, double *posteriors,
                                                       double *errors, crd_inference_result *asked, crd_error *error);
/* Their joint posterior: a cell for each combination of states, those of the last node varying fastest. */
CRD_API CRD_MUST_USE crd_status crd_network_joint_posterior(const crd_network *network, const crd_finding *findings,
                                                            size_t count, const size_t *nodes, size_t node_count,
                                                            const crd_inference_options *options, double *joint,
                                                            double *errors, crd_inference_result *asked,
                                                            crd_error *error);
/* The posterior of a Gaussian node: a mixture of normal distributions, one for each combination of states of the discrete
 * nodes that it depends on and that is possible; those that are alike are one. Exact. */
typedef struct crd_normal_mixture crd_normal_mixture;
/* Of each of these Gaussian nodes: out[i] is that of nodes[i], for crd_normal_mixture_destroy. Where the evidence has
 * numbers, the log evidence of the result is that of a density: a number that is a function of others, as those of
 * variance 0 are, counts for a probability of 1 where it is what it has to be, else it is impossible. */
CRD_API CRD_MUST_USE crd_status crd_network_mixtures(const crd_network *network, const crd_finding *findings,
                                                     size_t count, const size_t *nodes, size_t node_count,
                                                     const crd_inference_options *options, crd_normal_mixture **out,
                                                     crd_inference_result *asked, crd_error *error);
/* Means of these Gaussian nodes, and their covariance matrix, row by row: node_count times node_count numbers. */
CRD_API CRD_MUST_USE crd_status crd_network_moments(const crd_network *network, const crd_finding *findings,
                                                    size_t count, const size_t *nodes, size_t node_count,
                                                    const crd_inference_options *options, double *means,
                                                    double *covariance, crd_inference_result *asked, crd_error *error);
CRD_API void crd_normal_mixture_destroy(crd_normal_mixture *mixture);
CRD_API double crd_normal_mixture_mean(const crd_normal_mixture *mixture);
CRD_API double crd_normal_mixture_variance(const crd_normal_mixture *mixture);
/* Its components, ascending by mean; weights sum to 1. Any of the outputs may be NULL. */
CRD_API size_t crd_normal_mixture_count(const crd_normal_mixture *mixture);
CRD_API void crd_normal_mixture_component(const crd_normal_mixture *mixture, size_t i, double *weight, double *mean,
                                          double *variance);
/* At a component of variance 0, the density is infinite. */
CRD_API double crd_normal_mixture_density(const crd_normal_mixture *mixture, double x);
CRD_API double crd_normal_mixture_cdf(const crd_normal_mixture *mixture, double x);
/* 1 - cdf, exact where that is small. */
CRD_API double crd_normal_mixture_above(const crd_normal_mixture *mixture, double x);
/* The least x with a cdf of at least p; NaN unless 0 <= p <= 1, or where its context was cancelled. */
CRD_API double crd_normal_mixture_quantile(const crd_normal_mixture *mixture, double p);

/* The most probable explanation of these nodes together, given the evidence, all others summed out (MAP); of all nodes
 * without a finding where nodes is NULL (MPE): then `states` has a place for each node of the network, in their order,
 * those with evidence included. log_probability is that of states and evidence together. Always exact. */
CRD_API CRD_MUST_USE crd_status crd_network_mpe(const crd_network *network, const crd_finding *findings, size_t count,
                                                const size_t *nodes, size_t node_count,
                                                const crd_inference_options *options, size_t *states,
                                                double *log_probability, crd_inference_result *asked, crd_error *error);

/* Many cases. Case i has the state states[i * nodes of the network + node], or -1 where it is not known; of Gaussian
 * nodes, of which states are not read, the number numbers[i * nodes of the network + node], or NaN: `numbers` may be NULL
 * where none is known. The posteriors of the nodes asked stand one case after the other, of a Gaussian node its mean and
 * its variance; either output may be NULL. An impossible case has a log evidence of -INFINITY and posteriors of 0. Always exact. */
CRD_API CRD_MUST_USE crd_status crd_network_case_posteriors(const crd_network *network, const int32_t *states,
                                                            const double *numbers, size_t cases, const size_t *nodes,
                                                            size_t node_count, const crd_inference_options *options,
                                                            double *posteriors, double *log_evidence, crd_error *error);

/* Cases that come in parts, as the rows of a file do: what they need is made once for all of them, and an answer has
 * the same bits whichever other cases come with it. `evidence` hold in every case, in the place of what a case
 * itself has for their nodes; `known` are the nodes, none of them a utility, which cases may have observed, too.
 * Immutable, and shared by threads; the network has to outlive it. */
typedef struct crd_network_engine crd_network_engine;
CRD_API CRD_MUST_USE crd_status crd_network_engine_create(const crd_network *network, const crd_finding *findings,
                                                          size_t count, const size_t *known, size_t known_count,
                                                          const size_t *nodes, size_t node_count,
                                                          const crd_inference_options *options,
                                                          crd_network_engine **out, crd_error *error);
CRD_API void crd_network_engine_destroy(crd_network_engine *asker);
/* States, numbers and answers as those of crd_network_case_posteriors. CRD_ERROR_ARGUMENT where a case observes a chance node
 * that is not among the known ones; CRD_ERROR_COLUMN where it leaves open a decision on which the answer depends. */
CRD_API CRD_MUST_USE crd_status crd_network_engine_posteriors(const crd_network_engine *asker, const int32_t *states,
                                                              const double *numbers, size_t cases, double *posteriors,
                                                              double *log_evidence, crd_error *error);

/* Makes a fresh reader deliver frames with exactly these nodes, none of them a utility, as columns: they meet the
 * files' columns as a model's do, by name, or by position where there is no header and a field for each node but
 * utilities. The usual texts mean a missing cell, unless one of them is a state, or the reader's options gave
 * others. Rows for a network that crd_network_from_model made are read as the model reads them: forms of amounts, dates and
 * truth values, and texts that mean missing. */
CRD_API CRD_MUST_USE crd_status crd_network_bind(const crd_network *network, const size_t *nodes, size_t count,
                                                 crd_reader *reader, crd_error *error);
/* Returns the name of the file column that the node is computed from: NAME for NAME.month. Returns an empty text if the node has a
 * column of its own, or if the network was not made from a model. Experimental. */
CRD_API crd_text crd_network_node_field(const crd_network *network, size_t node);
/* Reads a value that a person typed for a node: a number for a Gaussian node, else a category, which may not be a state. If the
 * network was made from a model, the value can have the form that the model reads in files: a date, an amount, a truth value.
 * *out is NONE if the text lacks the part that the node is, as a date lacks the hour. A text of *out lives as long as `cell` and
 * the network. CRD_ERROR_NUMBER: the text has not the form. Experimental. */
CRD_API CRD_MUST_USE crd_status crd_network_read_cell(const crd_network *network, size_t node, crd_text cell,
                                                      crd_value *out, crd_error *error);
/* Writes a number of a Gaussian node as a cell of rows, as crd_model_format_number does for the model that the network was made
 * from. Returns the length. Experimental. */
CRD_API size_t crd_network_format_number(const crd_network *network, size_t node, double number,
                                         char room[CRD_CELL_ROOM]);
/* Rows [begin, begin + rows) of a frame as cases, a state for each node of the network: -1 where there is no such
 * column, or the cell is missing, or no state of its node. `unknown`, which may be NULL, gets for each row how many
 * cells are no state. */
CRD_API void crd_network_states(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows,
                                int32_t *states, uint32_t *unknown);

/* The numbers of the same rows, for Gaussian nodes: NaN where there is no such column, or the cell is missing. */
CRD_API void crd_network_numbers(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows,
                                 double *numbers);

/* ---- Evidence analysis ---- */

/* Why the posterior of a node is what it is: what it would be given each finding alone, given all others, and given
 * all but two. That takes two questions a finding and one a pair, of one tree; where that would be too large for the
 * memory, each is asked by itself, and estimated where the options allow it. Findings of decisions are premises:
 * they are in force in every question, and are no reasons. Findings are numbered as they were handed over. */
typedef struct crd_evidence_analysis crd_evidence_analysis;

/* Pairs are looked at where there are no more evidence than these, and of evidence that change the odds of some
 * state by a tenth or more, alone or with all others. */
#define CRD_EVIDENCE_ANALYSIS_PAIRS 30

/* CRD_ERROR_COLUMN where the state of the node is a finding itself; else errors are those of crd_network_posteriors. */
CRD_API CRD_MUST_USE crd_status crd_evidence_analysis_create(const crd_network *network, const crd_finding *findings,
                                                             size_t count, size_t node,
                                                             const crd_inference_options *options,
                                                             crd_evidence_analysis **out, crd_error *error);
CRD_API void crd_evidence_analysis_destroy(crd_evidence_analysis *reasons);

/* Posteriors of the node, a probability for each of its states: without any finding, given all, given finding i alone,
 * given all others. */
CRD_API const double *crd_evidence_analysis_before(const crd_evidence_analysis *reasons);
CRD_API const double *crd_evidence_analysis_after(const crd_evidence_analysis *reasons);
CRD_API const double *crd_evidence_analysis_alone(const crd_evidence_analysis *reasons, size_t i);
CRD_API const double *crd_evidence_analysis_without(const crd_evidence_analysis *reasons, size_t i);
/* Given all but i and k; NULL where i and k are the same, one is a premise, or they are not looked at as a pair. */
CRD_API const double *crd_evidence_analysis_without_both(const crd_evidence_analysis *reasons, size_t i, size_t k);
/* Whether finding i is of a decision. */
CRD_API int crd_evidence_analysis_is_premise(const crd_evidence_analysis *reasons, size_t i);
/* Of all evidence: the log of their probability, and how the answers were found (NEVER: they are exact). */
CRD_API double crd_evidence_analysis_log_evidence(const crd_evidence_analysis *reasons);
CRD_API crd_approximation crd_evidence_analysis_approximation(const crd_evidence_analysis *reasons);
/* The largest standard error of all answers: 0 where they are exact, NaN where it is not known. */
CRD_API double crd_evidence_analysis_error(const crd_evidence_analysis *reasons);

/* The state that the evidence supports most: that which adds most to the divergence of the posterior from
 * the distribution before; the most probable one where it changes nothing. */
CRD_API size_t crd_evidence_analysis_state(const crd_evidence_analysis *reasons);
/* By how much finding i changes the log odds of a state, all others known: above 0 it supports the state, below
 * 0 it is against it; infinite where it settles it. */
CRD_API double crd_evidence_analysis_weight(const crd_evidence_analysis *reasons, size_t i, size_t state);
/* What finding i adds to all others, in nats: the divergence of the posterior from that without it. It is 0 where it
 * changes nothing, and never infinite, so that evidence can be ordered by it. */
CRD_API double crd_evidence_analysis_information(const crd_evidence_analysis *reasons, size_t i);
/* The finding that adds most; CRD_NONE where none changes the answer, of estimates by more than chance may. */
CRD_API size_t crd_evidence_analysis_most(const crd_evidence_analysis *reasons);
/* A shortest path, all other evidence known, along which the node may depend on that of finding i, from the node on:
 * *length nodes. NULL where they are separated, and finding i adds nothing whatever the CPTs are. */
CRD_API const size_t *crd_evidence_analysis_path(const crd_evidence_analysis *reasons, size_t i, size_t *length);

/* What finding k does to finding i: what holds both where all others are known, and where none is. Changes of the odds
 * by a tenth or more are something, those by less than a fiftieth hardly anything; of what lies between, nothing is
 * claimed. */
typedef enum crd_interaction {
    CRD_INTERACTION_NONE = 0, /* nothing of the below */
    /* i supports the state, and k takes that back at least in part, being another cause of i: see
     * crd_evidence_analysis_meeting. */
    CRD_INTERACTION_EXPLAINS_AWAY = 1,
    CRD_INTERACTION_SCREENS_OFF = 2, /* i is informative on the state, but hardly any more once k is known */
    CRD_INTERACTION_OPENS = 3 /* i is informative on the state only since k is known, and explains nothing away */
} crd_interaction;
CRD_API crd_interaction crd_evidence_analysis_interaction(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                          size_t state);
/* What finding k does to finding i, of the state *state; or, where k explains i away of another state, of the one that it takes
 * most from, which *state is then. Of estimates, none that may be chance. */
CRD_API crd_interaction crd_evidence_analysis_interplay(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                        size_t *state);
/* How the node and k are both causes of i: the shortest path from the node to that of k whose arcs meet at i, or above
 * it, at nodes that are not known; *length nodes. NULL where there is none, where arcs lead from the node to k, and
 * where pairs are not looked at. */
CRD_API const size_t *crd_evidence_analysis_meeting(const crd_evidence_analysis *reasons, size_t i, size_t k,
                                                    size_t *length);

/* ---- Draws ---- */

/* Rows drawn from the network given evidence, as states and numbers of all nodes by their number. Row r is a function of
 * the seed and of r alone. Exact also where evidence are given: no draw is thrown away. Decisions have to be among the
 * evidence; utilities have state 0. The network has to outlive the sampler. */
typedef struct crd_network_sampler crd_network_sampler;
CRD_API CRD_MUST_USE crd_status crd_network_sampler_create(const crd_network *network, const crd_finding *findings,
                                                           size_t count, const crd_inference_options *options,
                                                           crd_network_sampler **out, crd_error *error);
CRD_API void crd_network_sampler_destroy(crd_network_sampler *sampler);
/* For one thread at a time. The state of a Gaussian node is -1, the number of any other NaN. `numbers` may be NULL where
 * the network has no Gaussian nodes. */
CRD_API CRD_MUST_USE crd_status crd_network_sampler_draw(crd_network_sampler *sampler, uint64_t row, int32_t *states,
                                                         double *numbers, crd_error *error);

/* ---- Decisions ---- */

/* What to decide, so that the utilities, added up, are as great as can be expected. */
typedef struct crd_policy crd_policy;

/* Findings are known before the first decision; those of decisions are choices that are made already, or for
 * certain. `observed`: chance nodes that are observed before the first decision that is still open, beside what the
 * arcs of the network have. Decisions are taken in the order of the arcs, and where these leave it open, in that of
 * their numbers; what was known or chosen stays known. CRD_ERROR_EMPTY: the network has no decisions or no
 * utilities; CRD_ERROR_SCHEMA_DIFFERS: a decision is to know what it has effect on. Always exact. */
CRD_API CRD_MUST_USE crd_status crd_policy_create(const crd_network *network, const crd_finding *findings, size_t count,
                                                  const size_t *observed, size_t observed_count,
                                                  const crd_inference_options *options, crd_policy **out,
                                                  crd_error *error);
CRD_API void crd_policy_destroy(crd_policy *policy);
CRD_API double crd_policy_utility(const crd_policy *policy); /* expected */
CRD_API double crd_policy_log_evidence(const crd_policy *policy);
/* The decisions that are open, in the order in which they are taken. */
CRD_API size_t crd_policy_decision_count(const crd_policy *policy);
CRD_API size_t crd_policy_decision(const crd_policy *policy, size_t i);
/* The nodes that decision i is made to depend on, ascending: those known by then that matter, whatever the CPTs are. */
CRD_API size_t crd_policy_known_count(const crd_policy *policy, size_t i);
CRD_API size_t crd_policy_known(const crd_policy *policy, size_t i, size_t k);
/* By combination of their states, those of the last varying fastest: the choice (CRD_NONE where the combination cannot
 * be), the first of those that are equally good; and for each choice what can be expected of those utilities that the
 * decision has an effect on, NaN where it cannot be. */
CRD_API size_t crd_policy_choice(const crd_policy *policy, size_t i, size_t combination);
CRD_API const double *crd_policy_utilities(const crd_policy *policy, size_t i, size_t combination);

/* What it is worth to observe a chance node before the first decision that is open: by how much that raises the utility
 * that can be expected. Never below 0, and exactly that where no decision would depend on it. */
CRD_API CRD_MUST_USE crd_status crd_network_value_of_observing(const crd_network *network, const crd_finding *findings,
                                                               size_t count, size_t node,
                                                               const crd_inference_options *options, double *value,
                                                               crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
