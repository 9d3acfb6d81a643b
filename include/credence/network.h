/* SPDX-License-Identifier: MIT */
/* credence/network.h - Bayesian networks: nodes with states, arcs, and a conditional probability table (CPT) for each
 * node.
 *
 *   network (read from a file, built, or derived from a model) + evidence  -->  posteriors, MPE, MAP, explanations, policies
 *
 * CPTs store the numbers exactly as they were written. Rows of published tables often miss 1 because of rounding, so
 * inference divides each row by its sum. A network is immutable, and threads can share it.
 *
 * Results are exact. If exact inference needs more memory than the options allow, a call fails with CRD_ERROR_LIMIT
 * before it allocates anything, and the message contains the required size. If the options allow an approximation, the
 * call returns an estimate with its standard error instead. Contradictory findings are CRD_ERROR_PROBABILITY, and the
 * message names some of them. */
#ifndef CREDENCE_NETWORK_H
#define CREDENCE_NETWORK_H

#include <credence/fit.h>
#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The types of network nodes. */
typedef enum crd_node_kind {
    CRD_NODE_CHANCE = 0,   /* a discrete random variable with a CPT */
    CRD_NODE_DECISION = 1, /* a choice; its parents are observed before it is made; it has no table */
    CRD_NODE_UTILITY = 2,  /* a function of its parents' states; it has one state, and one number per table row */
    /* A continuous chance node with a conditional linear Gaussian distribution. Its mean is a linear function of its
     * continuous parents. Each combination of its discrete parents' states has its own coefficients and variance. The
     * node has no states. Only Gaussian nodes can have a continuous parent. */
    CRD_NODE_GAUSSIAN = 3
} crd_node_kind;

/* ---- Files ---- */

/* Returns the network format that the first bytes of a file have. Returns CRD_NETWORK_FORMAT_ANY if they are not the
 * start of a network file. crd_file_detect (credence/model.h) detects network files. */
CRD_API crd_network_format crd_network_recognize(crd_text bytes);

/* Reads a network from `bytes` in the given format. `place` is the name of the source for error messages. The caller
 * destroys *out. Errors contain the line, and the column number as `field`. */
CRD_API CRD_MUST_USE crd_status crd_network_read(crd_context *context, crd_text bytes, const char *place,
                                                 crd_network_format format, crd_network **out, crd_error *error);
/* Reads a network from all bytes of `input`. The call consumes the input, so the caller can only close it afterwards.
 * The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_network_from_input(crd_input *input, crd_network_format format, crd_network **out,
                                                       crd_error *error);
/* Writes the network in `format` and sets *out to the bytes, which the caller frees with crd_free. Reading them again
 * gives bit-identical numbers, and the same names unless the format has no names. CRD_ERROR_SYNTAX: the format cannot
 * represent part of the network. */
CRD_API CRD_MUST_USE crd_status crd_network_write(const crd_network *network, crd_network_format format, crd_text *out,
                                                  crd_error *error);

/* ---- Network builder ----
 *
 *   create an empty builder or copy a network;  add nodes, then arcs, then tables;  finish
 *
 * Nodes are numbered from 0 in the order in which you add them. The parents of a node are in the order of its arcs.
 * Errors name the node as their subject. A call that fails changes nothing. */

/* A network under construction. */
typedef struct crd_network_builder crd_network_builder;

/* Creates a builder for a network called `name`, without nodes. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_create(crd_context *context, crd_text name,
                                                           crd_network_builder **out, crd_error *error);
/* Creates a builder that contains a copy of `network`, which you can then change. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_from(const crd_network *network, crd_network_builder **out,
                                                         crd_error *error);
/* Frees a builder. Networks that it has finished stay valid. NULL is allowed. */
CRD_API void crd_network_builder_destroy(crd_network_builder *builder);

/* Adds a node of type `kind`. Node names must be unique, and so must the states within a node (CRD_ERROR_COLUMN). A
 * node needs at least one state (CRD_ERROR_EMPTY). `states` is ignored for utility and Gaussian nodes. Sets *node to
 * the number of the new node; `node` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_add_node(crd_network_builder *builder, crd_text name,
                                                             crd_node_kind kind, const crd_text *states,
                                                             size_t state_count, size_t *node, crd_error *error);
/* Adds an arc from `parent` to `child`. The new parent comes after the parents that the child already has. This changes
 * the shape of the child's table, so the call drops the table. CRD_ERROR_TYPE: the parent is Gaussian and the child is
 * not. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_add_arc(crd_network_builder *builder, size_t parent, size_t child,
                                                            crd_error *error);
/* Removes the arc from `parent` to `child`. This changes the shape of the child's table, so the call drops the
 * table. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_remove_arc(crd_network_builder *builder, size_t parent,
                                                               size_t child, crd_error *error);
/* Sets the whole conditional probability table of a node. `values` has the layout that crd_network_cpt returns, and
 * `count` must equal the table's size. Rows must sum to 1 within 0.01 and are stored unchanged (CRD_ERROR_PROBABILITY).
 * The numbers of a Gaussian node must be finite, and its variances at least 0. CRD_ERROR_ARGUMENT: the node is a
 * decision, which has no table. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_set_cpt(crd_network_builder *builder, size_t node,
                                                            const double *values, size_t count, crd_error *error);
/* Sets one row of a node's conditional probability table. `values` contains crd_network_cpt_width numbers.
 * `parent_states` contains a state for each parent; entries for Gaussian parents are ignored. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_set_cpt_row(crd_network_builder *builder, size_t node,
                                                                const size_t *parent_states, const double *values,
                                                                crd_error *error);
/* Creates the network, after the checks that a network file also has to pass. Every node except decisions needs all
 * rows of its table (CRD_ERROR_EMPTY). A utility cannot have children (CRD_ERROR_SCHEMA_DIFFERS), and a directed cycle
 * is CRD_ERROR_CYCLE. The builder keeps its content, so you can change it and finish again. The caller destroys
 * *out. */
CRD_API CRD_MUST_USE crd_status crd_network_builder_finish(const crd_network_builder *builder, crd_network **out,
                                                           crd_error *error);

/* ---- Models ---- */

/* Creates a model from a network, with the node `target` as its class. The model contains no training rows and cannot
 * learn any. Decisions are columns of its rows too; a row without a value for a decision gets the uniform distribution.
 * The caller destroys *out. CRD_ERROR_COLUMN: the target is not a chance node. */
CRD_API CRD_MUST_USE crd_status crd_model_from_network(const crd_network *network, crd_text target, crd_model **out,
                                                       crd_error *error);
/* Returns whether the model predicts as a network under its own settings: it contains a user-specified network, or its
 * method is network. */
CRD_API int crd_model_is_network(const crd_model *model);

/* Creates the record of how EM or gradient ascent fitted the CPTs of a model's network under `settings` (NULL: the
 * model's settings) to rows with missing values and latent nodes. If crd_model_fit has not stored the fit, the call fits
 * the tables now. Sets *out to NULL if the CPTs are estimated from counts or specified by the user. The caller destroys
 * *out with crd_fit_destroy. */
CRD_API CRD_MUST_USE crd_status crd_fit_from_model(const crd_model *model, const crd_settings *settings, crd_fit **out,
                                                   crd_error *error);

/* ---- Network contents ---- */

/* Returns the name of the network. The text lives as long as the network. */
CRD_API crd_text crd_network_name(const crd_network *network);
/* Selects nodes with a selector, which has the syntax of crd_reader_select. Writes *count node numbers to `nodes`,
 * which must have space for all nodes of the network. */
CRD_API CRD_MUST_USE crd_status crd_network_select(const crd_network *network, crd_text selector, size_t *nodes,
                                                   size_t *count, crd_error *error);
/* Returns the type of a node. */
CRD_API crd_node_kind crd_network_node_kind(const crd_network *network, size_t node);
/* Returns the conditional probability table of a node as it was written, and sets *rows to its number of rows. The
 * table has one row per combination of the parents' states; the last parent's state varies fastest. A row has one
 * number per state. Returns NULL for a decision.
 *
 * A Gaussian node has one row per combination of its discrete parents' states. A row contains the constant of the mean,
 * a coefficient for each continuous parent in the order of parents, and the variance. If the variance is 0, the node is
 * a function of its parents. The table lives as long as the network. */
CRD_API const double *crd_network_cpt(const crd_network *network, size_t node, size_t *rows);
/* Returns how many numbers a row of the node's table has. */
CRD_API size_t crd_network_cpt_width(const crd_network *network, size_t node);

/* ---- Independence ---- */

/* Sets *is_separated to whether a and b are d-separated by the nodes `given`: independent given these nodes whatever
 * the CPTs are. If they are not, sets *path to a shortest active path from a to b, with *length nodes; the caller frees
 * it with crd_free. The result depends only on the graph. CPTs of zeros and ones, in which a node is a function of its
 * parents, can make nodes independent that are not d-separated. Takes time and memory linear in the size of the
 * network, whatever the path lengths. CRD_ERROR_ARGUMENT: a and b are the same node, or one of them is in `given`. */
CRD_API CRD_MUST_USE crd_status crd_network_separation(const crd_network *network, size_t a, size_t b,
                                                       const size_t *given, size_t given_count, int *is_separated,
                                                       size_t **path, size_t *length, crd_error *error);
/* Sets *is_separated to whether two sets of nodes are d-separated by the nodes `given`: each node of a is separated
 * from each node of b. If they are not, sets *path to a shortest active path from a node of a to a node of b, with
 * *length nodes; the caller frees it with crd_free. CRD_ERROR_ARGUMENT: the three sets are not disjoint. */
CRD_API CRD_MUST_USE crd_status crd_network_set_separation(const crd_network *network, const size_t *a, size_t a_count,
                                                           const size_t *b, size_t b_count, const size_t *given,
                                                           size_t given_count, int *is_separated, size_t **path,
                                                           size_t *length, crd_error *error);
/* Lists at most `limit` simple paths between a and b, shortest first. If is_open is non-zero, it lists only paths that
 * are active given the nodes `given`; otherwise it lists all paths. *nodes contains the nodes of all *count paths one
 * after the other, each from a to b, and *lengths contains the number of nodes of each path. The caller frees both with
 * crd_free. There may be exponentially many paths, so the search can stop early. *is_complete is 0 if it did, or if
 * there are more than `limit` paths. CRD_ERROR_ARGUMENT: a and b are the same node. */
CRD_API CRD_MUST_USE crd_status crd_network_paths(const crd_network *network, size_t a, size_t b, const size_t *given,
                                                  size_t given_count, int is_open, size_t limit, size_t **nodes,
                                                  size_t **lengths, size_t *count, int *is_complete, crd_error *error);

/* The roles of a node on a path. */
typedef enum crd_path_role {
    CRD_PATH_END = 0,          /* the first or last node of the path */
    CRD_PATH_CHAIN = 1,        /* between a cause and an effect */
    CRD_PATH_COMMON_CAUSE = 2, /* a cause of both neighbors */
    CRD_PATH_COMMON_EFFECT = 3 /* an effect of both neighbors: a collider */
} crd_path_role;

/* A node on a path, and its effect on the path. A common effect blocks the path unless it or one of its descendants is
 * given. Any other inner node blocks the path if it is given. */
typedef struct crd_path_node {
    size_t node;
    crd_path_role role;
    int is_blocking;
    size_t opened_by; /* the nearest given node that opens a common effect, possibly that node itself; else CRD_NONE */
} crd_path_node;

/* Describes each node of a path given the nodes `given`. `out` must have space for `length` entries.
 * CRD_ERROR_ARGUMENT: no arc joins two consecutive nodes of the path. */
CRD_API CRD_MUST_USE crd_status crd_network_path_nodes(const crd_network *network, const size_t *path, size_t length,
                                                       const size_t *given, size_t given_count, crd_path_node *out,
                                                       crd_error *error);
/* Sets *blanket to the Markov blanket of a node: its parents, its children, and the other parents of its children.
 * Given the blanket, the node is independent of all other nodes. Utilities are excluded because they do not change any
 * probability. *blanket contains *count nodes in ascending order, possibly none; the caller frees it with crd_free.
 * CRD_ERROR_ARGUMENT: there is no such node. */
CRD_API CRD_MUST_USE crd_status crd_network_markov_blanket(const crd_network *network, size_t node, size_t **blanket,
                                                           size_t *count, crd_error *error);

/* Determines which arcs are compelled: directed in the CPDAG, and so present in every network with the same
 * independences. The other arcs are reversible, and no data can determine their direction. `is_compelled` has one entry
 * per arc, in the order of nodes and of the parents of each node. CRD_ERROR_LIMIT: the network has more than 32768
 * nodes. */
CRD_API CRD_MUST_USE crd_status crd_network_compelled_arcs(const crd_network *network, unsigned char *is_compelled,
                                                           crd_error *error);

#ifdef CRD_EXPERIMENTAL
/* ---- Network comparison ----
 *
 * Nodes are matched by name. A node that is in only one network counts as a node without arcs in the other network, so
 * its arcs are differences. Texts live as long as the comparison. */

/* How an arc of one network relates to the other network. */
typedef enum crd_arc_relation {
    CRD_ARC_SAME = 0,
    CRD_ARC_REVERSED = 1, /* `from` and `to` are as in the first network */
    CRD_ARC_ONLY_FIRST = 2,
    CRD_ARC_ONLY_SECOND = 3
} crd_arc_relation;

/* An arc of a network comparison. */
typedef struct crd_arc_comparison {
    crd_text from, to;
    crd_arc_relation relation;
} crd_arc_comparison;

/* Whether the tables of a node can be compared, and if not, why. */
typedef enum crd_cpt_relation {
    CRD_CPT_COMPARED = 0,
    CRD_CPT_ONLY_FIRST = 1, /* the second network lacks the node */
    CRD_CPT_ONLY_SECOND = 2,
    CRD_CPT_OTHER_PARENTS = 3,
    CRD_CPT_OTHER_STATES = 4, /* the node or a parent has other states, or the node is of another type */
    CRD_CPT_NONE = 5          /* both nodes are decisions, which have no table */
} crd_cpt_relation;

/* The difference between the conditional probability tables of a node. Tables are compared if the node has the same
 * parents and states in both networks, in any order. */
typedef struct crd_cpt_comparison {
    crd_text name;
    crd_cpt_relation relation;
    double difference; /* the maximum difference between two numbers of the tables; NaN if they are not compared */
    /* The maximum Kullback-Leibler divergence between two rows, from the second network to the first, in nats. May be
     * infinite; NaN if rows do not contain probabilities. */
    double divergence;
} crd_cpt_comparison;

/* The differences between two networks. Read-only. */
typedef struct crd_network_comparison {
    void *arena;                                /* for the library */
    size_t nodes;                               /* in at least one of the networks */
    size_t only_first_nodes, only_second_nodes; /* in only one of the networks */
    size_t same, reversed, only_first_arcs, only_second_arcs;
    size_t arc_distance; /* arcs to add, remove or reverse: the structural Hamming distance of the DAGs */
    /* The structural Hamming distance of the CPDAGs, in which arcs are undirected if no data can determine their
     * direction. */
    size_t hamming_distance;
    size_t arc_count; /* the arcs that at least one of the networks has, ordered by their child nodes */
    crd_arc_comparison *arcs;
    crd_cpt_comparison *cpts; /* nodes of the first network come first, in their order, then the nodes of the second */
} crd_network_comparison;

/* Compares the structure and the tables of two networks. The caller destroys *out. CRD_ERROR_LIMIT: there are more than
 * 32768 nodes. */
CRD_API CRD_MUST_USE crd_status crd_network_compare(const crd_network *first, const crd_network *second,
                                                    crd_network_comparison **out, crd_error *error);
/* Frees a comparison. NULL is allowed. */
CRD_API void crd_network_comparison_destroy(crd_network_comparison *comparison);
#endif /* CRD_EXPERIMENTAL */

/* ---- Inference: a finding is one observed variable; all of them are the evidence ---- */

/* Computes the joint posterior of the chance nodes that a query names. `joint` receives one probability per
 * combination of states; the last node's state varies fastest. `errors` has the same layout and receives standard
 * errors: 0 if a value is exact, NaN if its error is not known. `errors` and `result` may be NULL. Errors are the
 * same as for crd_network_posteriors. */
CRD_API CRD_MUST_USE crd_status crd_network_joint_posterior(const crd_network *network, const crd_network_query *query,
                                                            double *joint, double *errors, crd_inference_result *result,
                                                            crd_error *error);
/* A component of a mixture of normal distributions. */
typedef struct crd_normal_component {
    double weight, mean, variance;
} crd_normal_component;
/* The exact posterior of a Gaussian node: a mixture of normal distributions. It has one component for each possible
 * combination of states of the discrete nodes on which the node depends. Equal components are merged. Read-only. */
typedef struct crd_normal_mixture {
    crd_context *context;
    double mean, variance;
    size_t count;
    crd_normal_component *components; /* in ascending order of their means; their weights sum to 1 */
} crd_normal_mixture;
/* Computes the posteriors of the Gaussian nodes that a query names. out[i] is the posterior of query->nodes[i], which the caller
 * frees with crd_normal_mixture_destroy. If the evidence contains numbers, the log evidence in *result is the log of a
 * density. If a node with variance 0 is observed, its number is a function of other numbers: it contributes a factor of
 * 1 if it has the required value, and is impossible otherwise. `options` and `result` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_network_mixtures(const crd_network *network, const crd_network_query *query,
                                                     crd_normal_mixture **out, crd_inference_result *result,
                                                     crd_error *error);
/* Computes the posterior means and the covariance matrix of the Gaussian nodes that a query names. `means` receives
 * node_count numbers, and `covariance` receives node_count times node_count numbers, row by row. `options` and `result`
 * may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_network_moments(const crd_network *network, const crd_network_query *query,
                                                    double *means, double *covariance, crd_inference_result *result,
                                                    crd_error *error);
/* Frees a mixture. NULL is allowed. */
CRD_API void crd_normal_mixture_destroy(crd_normal_mixture *mixture);
/* Returns the density at x. It is infinite at a component of variance 0. */
CRD_API double crd_normal_mixture_density(const crd_normal_mixture *mixture, double x);
/* Returns P(X <= x). */
CRD_API double crd_normal_mixture_cdf(const crd_normal_mixture *mixture, double x);
/* Returns P(X > x) = 1 - cdf, accurately even if it is small. */
CRD_API double crd_normal_mixture_above(const crd_normal_mixture *mixture, double x);
/* Returns the smallest x with P(X <= x) >= p. Returns NaN unless 0 <= p <= 1, or if the context was cancelled. */
CRD_API double crd_normal_mixture_quantile(const crd_normal_mixture *mixture, double p);

/* Computes the posteriors of the nodes that a query names for many cases. The query's findings hold in every case. Let
 * N be the number of nodes of the network. states[i * N + node] is the observed state of case i, or -1 if it is not
 * known. For Gaussian nodes, numbers[i * N + node] is the observed number, or NaN, and the state is ignored; `numbers`
 * may be NULL if no number is known. `posteriors` receives the posteriors of all queried nodes, case after case; a
 * Gaussian node has its mean and its variance. `log_evidence` receives one number per case. Both outputs may be NULL.
 * An impossible case has a log evidence of -INFINITY and posteriors of 0. Results are always exact. */
CRD_API CRD_MUST_USE crd_status crd_network_case_posteriors(const crd_network *network, const crd_network_query *query,
                                                            const int32_t *states, const double *numbers, size_t cases,
                                                            double *posteriors, double *log_evidence, crd_error *error);

/* Inference for cases that arrive in batches, such as the rows of a file. The preparation is done once for all cases.
 * The result of a case is bit-identical whichever other cases are in its batch. The engine is immutable, and threads
 * can share it. The network must outlive it. */
typedef struct crd_network_engine crd_network_engine;
/* Creates an engine that computes the posteriors of the nodes that a query names. Its findings hold in every case and
 * override the case's own values. `known` lists the nodes that cases may observe; utilities are not allowed. The query
 * is copied. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_network_engine_create(const crd_network *network, const crd_network_query *query,
                                                          const size_t *known, size_t known_count,
                                                          crd_network_engine **out, crd_error *error);
/* Frees an engine. NULL is allowed. */
CRD_API void crd_network_engine_destroy(crd_network_engine *engine);
/* Computes the posteriors of a batch of cases. Arrays have the layout of crd_network_case_posteriors.
 * CRD_ERROR_ARGUMENT: a case observes a chance node that is not one of the known nodes. CRD_ERROR_COLUMN: a case does
 * not fix a decision on which the result depends. */
CRD_API CRD_MUST_USE crd_status crd_network_engine_posteriors(const crd_network_engine *engine, const int32_t *states,
                                                              const double *numbers, size_t cases, double *posteriors,
                                                              double *log_evidence, crd_error *error);

/* Makes a new reader deliver frames with exactly the given nodes as columns; utilities are not allowed. File columns
 * are matched by name, as for a model. Without a header, they are matched by position if there is one field for each
 * node except utilities. The usual texts mean a missing value, unless one of them is a state or the reader's options
 * specify other texts. If crd_network_from_model created the network, rows are read as the model reads them, including
 * its formats of amounts, dates and truth values and its missing-value texts. */
CRD_API CRD_MUST_USE crd_status crd_network_bind(const crd_network *network, const size_t *nodes, size_t count,
                                                 crd_reader *reader, crd_error *error);
/* Returns the name of the file column from which the node is computed: NAME for NAME.month. Returns an empty text if
 * the node has its own column, or if the network was not created from a model. Experimental. */
CRD_API crd_text crd_network_node_field(const crd_network *network, size_t node);
/* Parses a value that a person typed for a node: a number for a Gaussian node, otherwise a category, which need not be
 * a state. If the network was created from a model, the value can have the format that the model reads in files: a
 * date, an amount, or a truth value. Sets the type of *out to NONE if the text lacks the node's part; for example, a
 * date may lack the hour. A text in *out lives as long as `cell` and the network. CRD_ERROR_NUMBER: the text does not
 * have the format. Experimental. */
CRD_API CRD_MUST_USE crd_status crd_network_read_cell(const crd_network *network, size_t node, crd_text cell,
                                                      crd_value *out, crd_error *error);
/* Formats a number of a Gaussian node as it appears in rows. It does this like crd_model_format_number with the model
 * that the network was created from. Returns the length of the text in `buffer`. Experimental. */
CRD_API size_t crd_network_format_number(const crd_network *network, size_t node, double number,
                                         char buffer[CRD_CELL_ROOM]);
/* Converts rows [begin, begin + rows) of a frame to cases with one state per node of the network. A state is -1 if the
 * frame lacks the column, if the value is missing, or if it is not a state of the node. `unknown`, which may be NULL,
 * receives for each row the number of values that are not states. */
CRD_API void crd_network_states(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows,
                                int32_t *states, uint32_t *unknown);

/* Extracts the numbers of Gaussian nodes from rows [begin, begin + rows) of a frame, with one entry per node of the
 * network. An entry is NaN if the frame lacks the column or the value is missing. */
CRD_API void crd_network_numbers(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows,
                                 double *numbers);

#ifdef CRD_EXPERIMENTAL
/* ---- Interventions ---- */

/* Creates the network that holds after an intervention do(X = x, ...): the arcs into each node of `actions` are removed,
 * and the node has its state or number with certainty (truncated factorization; Pearl 2000, section 3.2). Posteriors in
 * the new network are causal effects if the arcs of `network` are causes. crd_network_states and crd_network_numbers skip
 * the values that rows have for these nodes, because the intervention replaces them. A decision becomes a chance node. The caller
 * destroys *out. CRD_ERROR_TYPE: the node is a utility. CRD_ERROR_COLUMN: a node is listed twice. CRD_ERROR_ARGUMENT: an
 * action has likelihoods, or its node or state does not exist. CRD_ERROR_NUMBER: the number is not finite. */
CRD_API CRD_MUST_USE crd_status crd_network_intervene(const crd_network *network, const crd_finding *actions,
                                                      size_t count, crd_network **out, crd_error *error);

/* ---- Evidence analysis ---- */

/* The analysis of one finding. Distributions have one probability per state of the node. */
typedef struct crd_finding_analysis {
    int is_premise;        /* a finding of a decision */
    const double *alone;   /* the node's posterior given only this finding */
    const double *without; /* the node's posterior given all other findings */
    /* The information that the finding adds to all others, in nats: the Kullback-Leibler divergence of the posterior
     * from `without`. It is 0 if the finding changes nothing, and never infinite, so you can sort findings by it. */
    double information;
    /* A shortest active path from the node to the finding's node, given all other findings; NULL if the two nodes are
     * d-separated: then the finding adds nothing whatever the CPTs are. */
    size_t *path;
    size_t path_length; /* number of nodes */
} crd_finding_analysis;

/* An explanation of a node's posterior. It compares the posterior given each finding alone, given all other findings,
 * and given all but two findings. This takes two queries per finding and one per pair, which share one junction tree.
 * If the tree would be too large for the memory, each query is computed separately, and approximated if the options
 * allow it. Findings of decisions are premises: they hold in every query and are not analyzed. Findings are numbered in
 * the order in which you pass them. Read-only. */
typedef struct crd_evidence_analysis {
    void *arena;          /* for the library */
    size_t states;        /* of the node */
    const double *before; /* the node's distribution without any finding */
    const double *after;  /* the node's posterior given all findings */
    size_t count;
    crd_finding_analysis *findings;
    /* The state that the evidence supports most: the state with the largest contribution to the Kullback-Leibler
     * divergence of the posterior from the distribution without findings. The most probable state if the evidence
     * changes nothing. */
    size_t state;
    /* The finding that adds the most information; CRD_NONE if no finding changes the posterior, or, for estimates, if no
     * change exceeds chance. */
    size_t most;
    double log_evidence;             /* log probability of all findings together */
    crd_approximation approximation; /* the method of the results; CRD_APPROXIMATION_NEVER: they are exact */
    double error;                    /* the largest standard error: 0 if results are exact, NaN if it is not known */
    struct crd_evidence_subsets *subsets; /* for the library */
} crd_evidence_analysis;

/* The maximum number of findings for which pairs are analyzed. Only findings that change the odds of some state by at
 * least a tenth, alone or given all others, are paired. */
#define CRD_EVIDENCE_ANALYSIS_PAIRS 30

/* Analyzes how each of `count` findings affects the posterior of `node`. `options` may be NULL. The caller destroys
 * *out. CRD_ERROR_COLUMN: the node's own state is a finding. Other errors are the same as for
 * crd_network_posteriors. */
CRD_API CRD_MUST_USE crd_status crd_evidence_analysis_create(const crd_network *network, const crd_finding *findings,
                                                             size_t count, size_t node,
                                                             const crd_inference_options *options,
                                                             crd_evidence_analysis **out, crd_error *error);
/* Frees an analysis. NULL is allowed. */
CRD_API void crd_evidence_analysis_destroy(crd_evidence_analysis *analysis);

/* Returns the node's posterior given all findings except i and k. Returns NULL if i and k are the same, one of them is
 * a premise, or the pair is not analyzed. The array lives as long as the analysis. */
CRD_API const double *crd_evidence_analysis_without_both(const crd_evidence_analysis *analysis, size_t i, size_t k);

/* Returns the change of a state's log odds when finding i is added to all other findings. A positive value supports the
 * state, a negative value contradicts it. The value is infinite if the finding makes the state certain or
 * impossible. */
CRD_API double crd_evidence_analysis_weight(const crd_evidence_analysis *analysis, size_t i, size_t state);

/* The effect of finding k on finding i. An interaction is reported only if it holds both given all other findings and
 * given none of them. A change of the odds by a tenth or more counts as an effect, and a change by less than a fiftieth
 * counts as none. Changes in between support no claim. */
typedef enum crd_interaction {
    CRD_INTERACTION_NONE = 0, /* none of the interactions below */
    /* i supports the state, and k cancels that support at least in part because k is another cause of i: see
     * crd_evidence_analysis_meeting. */
    CRD_INTERACTION_EXPLAINS_AWAY = 1,
    CRD_INTERACTION_SCREENS_OFF = 2, /* i is informative about the state, but hardly so when k is known */
    /* i is informative about the state only when k is known, and k does not explain it away. */
    CRD_INTERACTION_OPENS = 3
} crd_interaction;
/* Returns the effect of finding k on finding i for a state of the node. */
CRD_API crd_interaction crd_evidence_analysis_interaction(const crd_evidence_analysis *analysis, size_t i, size_t k,
                                                          size_t state);
/* Returns the effect of finding k on finding i for the state *state. If k explains i away for other states, it returns
 * that effect and sets *state to the state that loses the most support. For estimates, it reports only effects that
 * exceed chance. */
CRD_API crd_interaction crd_evidence_analysis_interplay(const crd_evidence_analysis *analysis, size_t i, size_t k,
                                                        size_t *state);
/* Returns the path that shows how the node and k are both causes of i. It is the shortest path from the node to the
 * node of k whose arcs meet at i, or above i at unobserved nodes. Sets *length to its number of nodes. Returns NULL if
 * there is no such path, if a directed path leads from the node to k, or if pairs are not analyzed. The array lives as
 * long as the analysis. */
CRD_API const size_t *crd_evidence_analysis_meeting(const crd_evidence_analysis *analysis, size_t i, size_t k,
                                                    size_t *length);

/* ---- Sampling ---- */

/* Draws rows from the network given evidence. A row contains a state and a number for each node. Row r depends only on
 * the seed and on r. Draws are exact also given evidence, and none is rejected. Decisions must have findings; utilities
 * have state 0. The network must outlive the sampler. */
typedef struct crd_network_sampler crd_network_sampler;
/* Creates a sampler of `network` given `count` findings. The seed is the seed of `options`, which may be NULL. The
 * caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_network_sampler_create(const crd_network *network, const crd_finding *findings,
                                                           size_t count, const crd_inference_options *options,
                                                           crd_network_sampler **out, crd_error *error);
/* Frees a sampler. NULL is allowed. */
CRD_API void crd_network_sampler_destroy(crd_network_sampler *sampler);
/* Draws row `row` and writes the states and numbers of all nodes. The state of a Gaussian node is -1, and the number of
 * any other node is NaN. `numbers` may be NULL if the network has no Gaussian nodes. Only one thread at a time can use
 * a sampler. */
CRD_API CRD_MUST_USE crd_status crd_network_sampler_draw(crd_network_sampler *sampler, uint64_t row, int32_t *states,
                                                         double *numbers, crd_error *error);

/* ---- Decisions ---- */

/* An open decision and its best choices. A combination numbers the states of the known nodes; the last node's state
 * varies fastest. */
typedef struct crd_policy_decision {
    size_t node;
    size_t known_count; /* the nodes that are known at that time and matter for some CPTs, in ascending order */
    size_t *known;
    size_t combinations, choice_count;
    /* The choice of each combination, the first if several are equally good; CRD_NONE if the combination is
     * impossible. */
    size_t *choices;
    /* utilities[combination * choice_count + choice]: the expected sum of the utilities that the decision affects; NaN
     * if the combination is impossible */
    double *utilities;
} crd_policy_decision;

/* The optimal policy: the choices that maximize the expected sum of all utilities. Read-only. */
typedef struct crd_policy {
    void *arena;    /* for the library */
    double utility; /* expected */
    double log_evidence;
    size_t decision_count; /* open decisions, in the order in which they are made */
    crd_policy_decision *decisions;
} crd_policy;

/* Computes the optimal policy. `findings` are known before the first decision; findings of decisions are choices that
 * are already made. `observed` lists chance nodes that are observed before the first open decision, in addition to the
 * nodes that the arcs imply. `options` may be NULL. Decisions are made in the order of the arcs; if the arcs leave the
 * order open, they are made in the order of node numbers. Everything observed or chosen earlier stays known. The result
 * is always exact. The caller destroys *out.
 *
 * CRD_ERROR_EMPTY: the network has no decisions or no utilities. CRD_ERROR_SCHEMA_DIFFERS: a decision would depend on a
 * node that it affects. */
CRD_API CRD_MUST_USE crd_status crd_policy_create(const crd_network *network, const crd_finding *findings, size_t count,
                                                  const size_t *observed, size_t observed_count,
                                                  const crd_inference_options *options, crd_policy **out,
                                                  crd_error *error);
/* Frees a policy. NULL is allowed. */
CRD_API void crd_policy_destroy(crd_policy *policy);

/* Sets *value to the value of information of a chance node: the increase of the expected utility if it is observed
 * before the first open decision. The value is never negative, and exactly 0 if no decision would depend on the node.
 * `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_network_value_of_observing(const crd_network *network, const crd_finding *findings,
                                                               size_t count, size_t node,
                                                               const crd_inference_options *options, double *value,
                                                               crd_error *error);
#endif /* CRD_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif
#endif
