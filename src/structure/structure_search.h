/* SPDX-License-Identifier: MIT */
/* structure_search.h - searches for the structure of a network, by name.
 *
 * A search is one file with a function of the type crd_i_search_function and one line in the table in
 * structure_search.c. Nodes are the columns of the case table, and ties are broken by their numbers. Results depend
 * on the table and the options, but not on `threads`. A search that is canceled (crd_i_context_cancelled) returns
 * within a tenth of a second, with the best graph it has and is_stopped set. */
#ifndef CRD_STRUCTURE_STRUCTURE_SEARCH_H
#define CRD_STRUCTURE_STRUCTURE_SEARCH_H

#include "base/arena.h"
#include "base/context.h"
#include "math/independence_tests.h"
#include "structure/counted_rows.h"
#include "structure/graph.h"
#include "table/case_table.h"

#include <stdatomic.h>

/* ======== Arc constraints ========
 *
 * Arcs that a structure must contain and arcs that it must not contain. */

typedef struct crd_i_arc_constraints {
    crd_context *context;
    crd_i_graph *required;  /* arcs that every structure must contain */
    crd_i_graph *forbidden; /* arcs that no structure may contain, including the arcs that tiers forbid */
    size_t max_parents;     /* per node, required parents included; SIZE_MAX: no limit */
} crd_i_arc_constraints;

/* Creates constraints over `count` nodes that neither require nor forbid an arc. Add arcs to the graphs with
 * crd_i_graph_add. */
CRD_MUST_USE crd_status crd_i_arc_constraints_create(crd_context *context, size_t count, crd_i_arc_constraints **out,
                                                     crd_error *error);
CRD_MUST_USE crd_status crd_i_arc_constraints_clone(const crd_i_arc_constraints *constraints,
                                                    crd_i_arc_constraints **out, crd_error *error);
void crd_i_arc_constraints_destroy(crd_i_arc_constraints *constraints);

/* Forbids every arc from a node of a later tier to a node of an earlier tier. tiers[node] is the tier of the node,
 * counted from 0, or CRD_I_NO_TIER. Arcs from and to nodes without a tier stay allowed. */
#define CRD_I_NO_TIER UINT32_MAX
void crd_i_arc_constraints_set_tiers(crd_i_arc_constraints *constraints, const uint32_t *tiers);

/* Checks that some DAG satisfies the constraints. Messages name nodes by `names`. Returns CRD_ERROR_SETTING if an
 * arc is both required and forbidden, if a required arc leads from a node to itself, or if a node has more required
 * parents than it may have. Returns CRD_ERROR_CYCLE if the required arcs form a directed cycle. */
CRD_MUST_USE crd_status crd_i_arc_constraints_check(const crd_i_arc_constraints *constraints, const crd_text *names,
                                                    crd_error *error);

/* Checks the required arcs against the column types. Returns CRD_ERROR_TYPE if a required arc leads from a numeric
 * column to a categorical column. */
CRD_MUST_USE crd_status crd_i_arc_constraints_check_types(const crd_i_arc_constraints *constraints,
                                                          const crd_i_case_table *table, crd_error *error);

/* Returns whether the constraints allow an arc. With `constraints` NULL, every arc is allowed except from a node to
 * itself. */
static inline bool crd_i_arc_is_allowed(const crd_i_arc_constraints *constraints, size_t source, size_t target) {
    return source != target && (constraints == NULL || !crd_i_graph_has(constraints->forbidden, source, target));
}

/* Returns whether the constraints require an arc; false if `constraints` is NULL. */
static inline bool crd_i_arc_is_required(const crd_i_arc_constraints *constraints, size_t source, size_t target) {
    return constraints != NULL && crd_i_graph_has(constraints->required, source, target);
}

/* Returns whether both the constraints and the column types allow an arc: a numeric column cannot be a parent of a
 * categorical column. */
static inline bool crd_i_arc_is_possible(const crd_i_case_table *table, const crd_i_arc_constraints *constraints,
                                         size_t source, size_t target) {
    return crd_i_arc_is_allowed(constraints, source, target) &&
           !(table->columns[source].type == CRD_TYPE_NUMERIC && table->columns[target].type != CRD_TYPE_NUMERIC);
}

/* ======== Independence tests ========
 *
 * Tests of conditional independence of two columns x and y of a case table given columns z.
 *
 *   g2   categorical: G^2 = 2 N I(x;y|z), with N rows and their empirical mutual information. Its asymptotic
 *        distribution is chi-squared with the sum over z of (r_z - 1)(c_z - 1) degrees of freedom, where r_z and c_z
 *        are the numbers of states of x and y that occur together with z. Only states with rows count.
 *   x2   categorical: Pearson's chi-squared statistic, with the same degrees of freedom
 *   z    numeric: Fisher's z of the partial correlation r, atanh(r) sqrt(n - k - 3), with k given columns; it is
 *        approximately standard normal
 *   cg   any types: likelihood ratio of conditional Gaussian distributions, 2 (L(xyz) + L(z) - L(xz) - L(yz)). L is
 *        the maximized log-likelihood if the numbers are jointly normal for each combination of states of the
 *        categories. Its asymptotic distribution is chi-squared; the degrees of freedom are the same difference of
 *        parameter counts, and only combinations with rows count.
 *
 * See Spirtes, Glymour and Scheines (2000) for g2, x2 and z in structure learning, and Lauritzen and Wermuth (1989)
 * for conditional Gaussian distributions. A test uses the rows that are complete in its columns. */

/* ======== Two-way contingency tables ========
 *
 * Contingency tables of two categorical columns x and y of a case table, one table for each configuration z of other
 * columns, and their test statistics for the independence of x and y given z:
 *
 *   X^2 = sum_xyz (N_xyz - E_xyz)^2 / E_xyz,   G^2 = 2 sum_xyz N_xyz log(N_xyz / E_xyz),   E_xyz = N_xz N_yz / N_z
 *
 * with (|X_z| - 1)(|Y_z| - 1) degrees of freedom for each z, where only rows and columns with a positive total count.
 *
 * A row counts if no value is missing in x, y and the other columns. There are three counting methods, chosen by
 * estimated cost: intersecting bit sets of rows for small tables; one pass over the rows for larger tables; and
 * hashing of the combinations that occur if the tables would have far more entries than there are rows. */

/* Work memory of one thread. Initialize it with zeros and free it with crd_i_contingency_room_clear. */
typedef struct crd_i_contingency_room {
    double *cells;
    uint64_t *masks;
    uint32_t *ids; /* numbers of the combinations that the rows have */
    size_t cell_capacity, mask_capacity, id_capacity;
} crd_i_contingency_room;
void crd_i_contingency_room_clear(crd_context *context, crd_i_contingency_room *workspace);

/* Computes the row count, X^2, G^2 and the degrees of freedom for columns x and y given the columns `given`. All
 * columns must be categorical and distinct. The other members of *out are not meaningful. */
CRD_MUST_USE crd_status crd_i_contingency_of(const crd_i_counted_rows *counted, crd_i_contingency_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count,
                                             crd_i_contingency *out, crd_error *error);

typedef enum crd_i_independence_test {
    CRD_I_TEST_AUTO = 0, /* g2, z or cg, depending on the column types */
    CRD_I_TEST_G2,
    CRD_I_TEST_X2,
    CRD_I_TEST_Z,
    CRD_I_TEST_CG
} crd_i_independence_test;

typedef struct crd_i_independence crd_i_independence;

/* Prepares tests over a table, which must outlive them. Returns CRD_ERROR_TYPE if the test does not support a column
 * type. */
CRD_MUST_USE crd_status crd_i_independence_create(const crd_i_case_table *table, crd_i_independence_test test,
                                                  crd_i_independence **out, crd_error *error);
void crd_i_independence_destroy(crd_i_independence *independence);

/* Work memory of one thread. Initialize it with zeros and free it with crd_i_independence_room_clear. */
enum { CRD_I_CRITICAL_VALUES = 64 };
typedef struct crd_i_independence_room {
    crd_i_contingency_room contingency;
    double *numbers;
    size_t capacity;
    /* A hash table of critical values of chi-squared distributions; a new value replaces the old one in its slot. */
    struct {
        double alpha, degrees, value;
    } critical[CRD_I_CRITICAL_VALUES];
} crd_i_independence_room;
void crd_i_independence_room_clear(crd_context *context, crd_i_independence_room *workspace);

/* Computes the p-value of the hypothesis that x and y are independent given the columns `given`. All columns must
 * differ. The p-value is 1 if x or y is constant or a function of the given columns. */
CRD_MUST_USE crd_status crd_i_independence_p(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count, double *p,
                                             crd_error *error);
/* Sets *holds to whether the p-value is above alpha, 0 < alpha < 1. Faster than crd_i_independence_p, because the
 * p-value is computed only if the statistic is close to its critical value. */
CRD_MUST_USE crd_status crd_i_independence_holds(const crd_i_independence *independence,
                                                 crd_i_independence_room *workspace, size_t x, size_t y,
                                                 const uint32_t *given, size_t given_count, double alpha, bool *holds,
                                                 crd_error *error);
/* Estimates the mutual information of x and y given the columns `given`, in nats, 0 or more. For categorical columns
 * it is computed from relative frequencies. With numeric columns it is computed from the fitted normal
 * distributions; for two numeric columns without given columns it is -log(1 - r^2) / 2. The value over the complete
 * rows is multiplied by their share of all rows, so columns with few values get little information. */
CRD_MUST_USE crd_status crd_i_independence_information(const crd_i_independence *independence,
                                                       crd_i_independence_room *workspace, size_t x, size_t y,
                                                       const uint32_t *given, size_t given_count, double *information,
                                                       crd_error *error);

/* ======== Decomposable scores ========
 *
 * The score of a structure is a sum over families; a family is a node and its parents.
 *
 * Scores are natural logarithms, and larger is better, as in bnlearn. Let n be the weight of all rows, r the number
 * of states of the node, and q the number of combinations of states of its discrete parents, whether or not they
 * occur. n_jk is the weight of the rows with combination j and state k, n_j its sum over k, and a_jk are
 * pseudo-counts with the sum a_j:
 *
 *   loglik   sum_jk n_jk log(n_jk / n_j)
 *   bic      loglik - log(n) / 2 * (r - 1) q   (Schwarz 1978)
 *   aic      loglik - (r - 1) q                (Akaike 1974)
 *   bdeu:S   sum_j [log(Gamma(a_j) / Gamma(a_j + n_j)) + sum_k log(Gamma(a_jk + n_jk) / Gamma(a_jk))]
 *            with a_jk = S / (r q): the log marginal likelihood under Dirichlet priors
 *            (Buntine 1991; Heckerman, Geiger and Chickering 1995)
 *   k2       the log marginal likelihood with a_jk = 1 (Cooper and Herskovits 1992)
 *
 * A numeric node is conditional linear Gaussian (Lauritzen and Wermuth 1989): normal and linear in its numeric
 * parents, with its own coefficients and variance for each of the q combinations j of its discrete parents. With p
 * numeric parents, n_j rows and the residual sum of squares RSS_j,
 *
 *   loglik   sum over rows of log N(x | fitted mean, RSS_j / (n_j - p - 1))
 *
 * and bic and aic count p + 2 parameters for each combination. The score is -INFINITY if a combination has rows, but
 * at most p + 1, or if the parents leave less than 1e-13 of the variance. Parents that are linear in other parents
 * get no coefficient. A numeric column that does not vary scores 0 without parents.
 *
 *   bge:S    the log marginal likelihood under a normal-Wishart prior (Geiger and Heckerman 1994, as corrected by
 *            Kuipers, Moffa and Heckerman 2014), for numeric nodes only. S is the equivalent sample size of the mean
 *            (1 by default). The Wishart prior has N + 2 degrees of freedom with N nodes, and the prior mean is the
 *            mean of the rows. The formula is in gaussian_family.h.
 *
 * A categorical node with a numeric parent scores -INFINITY.
 *
 * Missing values: let n_S be the weight of the rows that are complete in a family, and s_S its score over these rows.
 * If no parent has missing values, the family scores n / n_S s_S. Otherwise families would be compared over different
 * rows, and differences between rows would be mistaken for differences between families. Therefore a parent's gain is
 * computed over the same rows with and without it, and the score is the minimum over the parents (the first one only,
 * if there are more than 8):
 *
 *   s(x | P) = min over p in P of  s(x | P - p) + n / n_S (s_S(x | P) - s_S(x | P - p))
 *
 * So a parent that gains nothing adds nothing. The gain of a parent that is known in a part of the rows is scaled to
 * all rows, so values missing at random do not count against it. The score of a categorical node is at most minus its
 * penalty.
 *
 * A score depends only on the table, the kind of score, the node and the set of parents. Sums over categorical tables
 * are in fixed point, so the order in which tables are counted does not matter. */

typedef enum crd_i_score_kind {
    CRD_I_SCORE_LOGLIK,
    CRD_I_SCORE_BIC,
    CRD_I_SCORE_AIC,
    CRD_I_SCORE_BDEU,
    CRD_I_SCORE_K2,
    CRD_I_SCORE_BGE
} crd_i_score_kind;

typedef struct crd_i_score {
    crd_i_score_kind kind;
    double sample_size; /* equivalent sample size of BDeu and BGe; above 0 */
} crd_i_score;

/* Parses a score: loglik, bic, aic, bdeu, bdeu:S, k2, bge or bge:S. S is 1 by default. Returns CRD_ERROR_SETTING if
 * `text` is not a score or S is out of range. */
CRD_MUST_USE crd_status crd_i_score_parse(crd_text text, crd_i_score *out, crd_error *error);

/* The scores of the families of a table, with a cache. Each object is for one thread at a time; objects created by
 * crd_i_family_scores_share use the same cache. */
typedef struct crd_i_family_scores crd_i_family_scores;

/* Creates scores over a table, which must outlive them. Returns CRD_ERROR_SETTING if the score does not support a
 * column type of the table: BGe supports only numeric columns, BDeu and K2 only categorical columns. */
CRD_MUST_USE crd_status crd_i_family_scores_create(const crd_i_case_table *table, crd_i_score score,
                                                   crd_i_family_scores **out, crd_error *error);
/* Creates scores for another thread, which share the immutable data and the cache. Destroy them before `scores`. */
CRD_MUST_USE crd_status crd_i_family_scores_share(const crd_i_family_scores *scores, crd_i_family_scores **out,
                                                  crd_error *error);
void crd_i_family_scores_destroy(crd_i_family_scores *scores); /* NULL is allowed */

/* Computes the score of a family. Parents are in ascending order. */
CRD_MUST_USE crd_status crd_i_family_score(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                           size_t parent_count, double *score, crd_error *error);
/* Computes for each candidate the score of the node after toggling the arc from the candidate: with it as a parent
 * if it is not a parent, else without it. The table of the node and its parents is counted only once. Returns
 * CRD_ERROR_CANCELLED or CRD_ERROR_DEADLINE if stopped. */
CRD_MUST_USE crd_status crd_i_family_scores_toggle(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                                   size_t parent_count, const uint32_t *candidates, size_t count,
                                                   double *toggled, crd_error *error);
/* Returns whether the cache contains the score of a toggled family. */
bool crd_i_family_scores_know_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                      size_t parent_count, uint32_t candidate);
/* Stores the score of a toggled family in the cache. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_family_scores_put_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                                  size_t parent_count, uint32_t candidate, double score);
/* Returns whether the column types allow `parent` as a parent of `node`. */
bool crd_i_family_scores_fit(const crd_i_family_scores *scores, size_t parent, size_t node);
/* Returns how many different families were scored, by all objects that share the cache. At most a million are
 * counted. Call it only while no thread computes scores. */
uint64_t crd_i_family_scores_computed(const crd_i_family_scores *scores);

/* ======== Fixed-point contributions ========
 *
 * The contribution of a count to a score is in fixed point.
 *
 * Scores of categorical nodes are sums over table entries of a function of the count n: n log n, or log Gamma(a + n)
 * - log Gamma(a). Terms are integer multiples of 2^-shift. Sums of integers do not depend on the order of the terms,
 * so equal families have equal scores however they were counted. The function values are tabulated if there are not
 * too many rows. */

/* The terms of one function: n log n if `pseudo` is 0, else log Gamma(pseudo + n) - log Gamma(pseudo). Immutable. */
typedef struct crd_i_count_terms {
    crd_context *context;
    double pseudo;
    double scale;    /* 2^shift */
    int64_t *values; /* terms of the counts below `size`; NULL: no table */
    size_t size;
} crd_i_count_terms;

/* Returns 2^shift for a table with `rows` rows and pseudo-counts of at least `least_pseudo` (0: no pseudo-counts).
 * Sums of the terms of all rows stay below 2^62. */
double crd_i_count_terms_scale(double rows, double least_pseudo);
/* Initializes the terms for counts up to `rows`. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_count_terms_init(crd_i_count_terms *terms, crd_context *context, double pseudo, double scale,
                                         double rows);
void crd_i_count_terms_clear(crd_i_count_terms *terms); /* terms that are all zero need no clearing */

/* Returns the term of a count beyond the table, in fixed point. */
int64_t crd_i_count_term_far(const crd_i_count_terms *terms, double count);

/* Returns the term of `count` in fixed point. */
static inline int64_t crd_i_count_term(const crd_i_count_terms *terms, size_t count) {
    return count < terms->size ? terms->values[count] : crd_i_count_term_far(terms, (double)count);
}

typedef struct crd_i_search_options {
    crd_i_score score; /* for searches that maximize a score */
    double alpha;      /* significance level, for searches that test */
    crd_i_independence_test test;
    size_t max_conditioning; /* most columns that a test conditions on */
    size_t k;                /* for kdb: most parents in addition to the class */
    /* For hill climbing and tabu search. restarts: how often the search restarts, mostly from the best graph after a
     * random walk through its equivalence class and random changes of arcs. perturbed: the number of these changes
     * (0: half the number of nodes plus 2, at most 52). tabu: the length of the tabu list, and how many steps in a
     * row may find nothing better (0: 100). */
    size_t restarts, perturbed, tabu;
    uint64_t seed;
    unsigned threads;                         /* 0: one per CPU core */
    const crd_i_arc_constraints *constraints; /* NULL: none; checked by the caller */
} crd_i_search_options;

/* As many restarts as are worth their time for the number of nodes. */
#define CRD_I_RESTARTS_AUTO SIZE_MAX

#define CRD_I_SEARCH_OPTIONS_INIT                                                                                      \
    { {CRD_I_SCORE_BIC, 1}, 0.05, CRD_I_TEST_AUTO, SIZE_MAX, 1, 0, 0, 0, 1, 1, NULL }

typedef struct crd_i_search_result {
    crd_i_graph *graph; /* owned by the caller; NULL on failure */
    double score;       /* for searches that maximize a score, else NaN */
    uint64_t steps, tests, scores_computed;
    bool is_stopped; /* canceled, or the deadline has passed: the graph is the best so far */
    double rows;     /* weight of the rows that were searched; crd_i_structure_find may drop incomplete rows */
} crd_i_search_result;

typedef crd_status crd_i_search_function(const crd_i_case_table *table, const crd_i_search_options *options,
                                         crd_i_search_result *out, crd_error *error);

typedef struct crd_i_search {
    const char *name;
    const char *summary; /* one line of help */
    crd_i_search_function *run;
    bool needs_target;      /* the table must have a target */
    bool may_be_undirected; /* the graph may have undirected edges */
    bool has_score, has_test, takes_constraints;
} crd_i_search;

/* Returns the search of that name; NULL: there is none. */
const crd_i_search *crd_i_search_named(crd_text name);
size_t crd_i_search_count(void);
const crd_i_search *crd_i_search_at(size_t i);

/* Greedy hill climbing by adding, removing and reversing arcs: from the required arcs, through equivalent graphs;
 * then from perturbed graphs. */
crd_i_search_function crd_i_hill_climb;
/* Hill climbing that continues from its optimum (Glover 1989): takes the best step even if it lowers the score, but
 * not to one of the last graphs. */
crd_i_search_function crd_i_tabu_search;
/* Finds the structure with the maximum score. At most 25 nodes; returns CRD_ERROR_LIMIT for more. */
crd_i_search_function crd_i_exact_search;
/* The PC algorithm, independent of the order of the columns (Colombo and Maathuis 2014). */
crd_i_search_function crd_i_pc_stable;
/* Finds the tree of maximum likelihood (Chow and Liu 1968), directed away from the target, else from the first node. */
crd_i_search_function crd_i_chow_liu;
/* Tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt 1997): the target is a parent of all nodes, which also
 * form a tree. */
crd_i_search_function crd_i_tan;
/* The k-dependence classifier (Sahami 1996): the target is a parent of all nodes, each of which has up to k other
 * parents. */
crd_i_search_function crd_i_kdb;

/* ======== Search threads ========
 *
 * Threads that live through a whole search, for its many short batches of tasks. */

typedef struct crd_i_crew crd_i_crew;

/* Calls lead(state, crew) in the caller's thread, with up to `threads` - 1 other threads available while it runs.
 * Returns false without calling it if memory runs out. */
CRD_MUST_USE bool crd_i_crew_run(crd_context *context, unsigned threads, void (*lead)(void *state, crd_i_crew *crew),
                                 void *state);
/* Called by the leader: calls work(state, member, task) for each task below `count` in any of the threads, and
 * returns when all tasks are finished. Members are numbered below `threads`; the leader is member 0. */
void crd_i_crew_do(crd_i_crew *crew, size_t count, void (*work)(void *state, unsigned member, size_t task),
                   void *state);

/* ======== Sums over column sets ========
 *
 * Scores of families are computed from sums over sets of columns.
 *
 * Let A(S) be the sum of f(n) over the counts n of the table of the columns S. The score of a node v given parents P
 * is
 *
 *   A(P + v) - A(P)
 *
 * for the log-likelihood with f(n) = n log n, and for BDeu with f(n) = log Gamma(n + a) - log Gamma(a). The
 * pseudo-count a of a table entry is the equivalent sample size divided by the number of combinations of states of
 * the set. One table therefore serves all families over the same columns, one for each column. This makes exact
 * searches affordable.
 *
 * Sums are in fixed point, so they do not depend on which thread computes them. */

/* The sums over sets of columns of a table. Shared by the threads. */
typedef struct crd_i_set_terms {
    crd_i_arena *arena;
    crd_context *context;
    const crd_i_case_table *table;
    crd_i_counted_rows *counted;
    crd_i_score score;
    double scale;              /* fixed-point scale of the sums */
    size_t most_cells;         /* most entries of a table that is counted densely */
    crd_i_count_terms entropy; /* terms n log n */
    _Atomic int64_t *sums;     /* by set */
    _Atomic uint32_t *cells;   /* by set: number of combinations that occur; 0: the sum is not computed yet */
} crd_i_set_terms;

enum { CRD_I_MOST_SET_NODES = 25 };

/* Creates the sums. Sets *out to NULL if the score is not such a difference (K2, BGe), or if the table has numeric
 * columns, missing values, fractional weights, no rows or more columns than CRD_I_MOST_SET_NODES. */
CRD_MUST_USE crd_status crd_i_set_terms_create(const crd_i_case_table *table, crd_i_score score, crd_i_set_terms **out,
                                               crd_error *error);
void crd_i_set_terms_destroy(crd_i_set_terms *terms); /* NULL is allowed */

/* The work memory of one thread. */
typedef struct crd_i_set_counter crd_i_set_counter;
CRD_MUST_USE crd_status crd_i_set_counter_create(crd_i_set_terms *terms, crd_i_set_counter **out, crd_error *error);
void crd_i_set_counter_destroy(crd_i_set_counter *counter); /* NULL is allowed */

/* Computes the sums of `set` extended by each of the columns `added`, unless they are known. */
CRD_MUST_USE crd_status crd_i_set_counter_fill(crd_i_set_counter *counter, uint32_t set, const uint32_t *added,
                                               size_t count, crd_error *error);

/* Returns whether the sum over the set is computed. */
static inline bool crd_i_set_is_known(const crd_i_set_terms *terms, uint32_t set) {
    return atomic_load_explicit(&terms->cells[set], memory_order_acquire) > 0;
}

/* Returns the number of combinations of the set that occur. The sum must be known. */
static inline uint32_t crd_i_set_cells(const crd_i_set_terms *terms, uint32_t set) {
    return atomic_load_explicit(&terms->cells[set], memory_order_relaxed);
}

/* Returns A(with) - A(without). Both sums must be known. */
static inline double crd_i_set_difference(const crd_i_set_terms *terms, uint32_t with, uint32_t without) {
    return (double)(atomic_load_explicit(&terms->sums[with], memory_order_relaxed) -
                    atomic_load_explicit(&terms->sums[without], memory_order_relaxed)) /
           terms->scale;
}

#endif
