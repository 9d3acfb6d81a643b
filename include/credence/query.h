/* SPDX-License-Identifier: MIT */
/* credence/query.h - queries about the rows of a table, and about any column of a model.
 *
 *   table   counts of rows by chosen columns: joint, marginal and conditional counts, events, independence.
 *           The results are relative frequencies without smoothing: a combination that no row has gets 0.
 *   query   a model under settings: the distribution of any column given other columns. */
#ifndef CREDENCE_QUERY_H
#define CREDENCE_QUERY_H

#ifndef CRD_EXPERIMENTAL
#error "credence/query.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/classifier.h>
#include <credence/distribution.h>
#include <credence/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Events ----
 *
 *   event       COLUMN = VALUE, and != < <= > >=
 *               COLUMN in {VALUE, VALUE, ...}, COLUMN not in {...}, COLUMN even, COLUMN odd, COLUMN is even
 *               not event, event and event, event or event, ( event )
 *               event, event      a conjunction like `and`, but with lower precedence than `or`
 *   also        == for =, && for and, || for or, P( event ) around the whole
 *
 * Keywords may be in capitals. A column is the longest known name before the operator, or a name in double quotes. A
 * value ends before " and ", " or ", && or ||, a comma, or a closing bracket that it did not open. A value may also be
 * in double quotes; if it contains | = < or >, it must be. Inside quotes, a doubled quote is a quote. A whole
 * comparison may be in quotes too, like a field of a CSV list. */

/* A parsed event. */
typedef struct crd_event crd_event;

/* Parses an event into *out. `names` are the known column names. Returns CRD_ERROR_SYNTAX if the text is not an event,
 * and CRD_ERROR_COLUMN if it contains an unknown column, which is then error->subject. Destroy the event with
 * crd_event_destroy. */
CRD_API CRD_MUST_USE crd_status crd_event_parse(crd_context *context, crd_text text, const crd_text *names,
                                                size_t name_count, crd_event **out, crd_error *error);
/* Frees the event. `event` may be NULL. */
CRD_API void crd_event_destroy(crd_event *event);

/* Returns the original text without surrounding whitespace. It is valid as long as the event. */
CRD_API crd_text crd_event_text(const crd_event *event);

/* How an event joins its parts. */
typedef enum crd_event_join { CRD_EVENT_OR = 1, CRD_EVENT_AND = 2 } crd_event_join;
/* Returns the number of events that the event joins by "or", or by "and". Returns 0 if it does not join any by
 * `join`. */
CRD_API size_t crd_event_part_count(const crd_event *event, crd_event_join join);
/* Returns a part of an event: see crd_event_part_count. It is valid as long as the event. */
CRD_API const crd_event *crd_event_part(const crd_event *event, size_t part);

/* The relation of a comparison. */
typedef enum crd_event_relation {
    CRD_EVENT_EQUAL = 1,
    CRD_EVENT_UNEQUAL = 2,
    CRD_EVENT_LESS = 3,
    CRD_EVENT_AT_MOST = 4,
    CRD_EVENT_GREATER = 5,
    CRD_EVENT_AT_LEAST = 6,
    CRD_EVENT_EVEN = 7, /* an even integer; the value is the keyword */
    CRD_EVENT_ODD = 8   /* an odd integer; the value is the keyword */
} crd_event_relation;

/* A comparison of a column with a value. */
typedef struct crd_column_comparison {
    size_t column; /* index into the names given to crd_event_parse */
    crd_event_relation relation;
    crd_text value; /* valid as long as the event */
} crd_column_comparison;
/* Returns the number of comparisons in an event. */
CRD_API size_t crd_event_comparison_count(const crd_event *event);
/* Returns a comparison of an event. Comparisons are numbered from left to right. */
CRD_API crd_column_comparison crd_event_comparison(const crd_event *event, size_t comparison);

/* ---- Events of a network: parsed with the names of its nodes, in their order ---- */

/* Computes the probability of an event given evidence, and of its complement. Discrete nodes can be compared only by =
 * and !=. A continuous node can be compared with numbers, but only in an event without other nodes. *standard_error, if
 * not NULL, is set to an upper bound of the standard error: 0 if the result is exact, NaN if it is unknown. `options`
 * and `asked` are as in crd_network_joint_posterior.
 *
 * Returns CRD_ERROR_COLUMN if a node does not have a state, CRD_ERROR_SYNTAX if states are compared by size, and
 * CRD_ERROR_NUMBER if a continuous node is compared with a text. Returns CRD_ERROR_TYPE if a continuous node occurs
 * together with other nodes. Returns CRD_ERROR_LIMIT if the nodes have more than CRD_TABLE_MOST_CELLS combinations of
 * states. Also returns the errors of crd_network_joint_posterior. */
CRD_API CRD_MUST_USE crd_status crd_network_event(const crd_network *network, const crd_finding *findings, size_t count,
                                                  const crd_event *event, const crd_inference_options *options,
                                                  double probabilities[2], double *standard_error,
                                                  crd_inference_result *asked, crd_error *error);
/* Computes the probability of an event of a continuous node from its posterior, and of its complement. Every comparison
 * in the event is taken as a comparison with this node, whatever its name. */
CRD_API CRD_MUST_USE crd_status crd_normal_mixture_event(crd_context *context, const crd_normal_mixture *mixture,
                                                         const crd_event *event, double probabilities[2],
                                                         crd_error *error);

/* ---- Events of distributions: parsed with the names of the random variables, in their order ---- */

/* Computes the probability of an event of independent random variables given a condition, and of its complement. `variables` are their
 * distributions, of one dimension each. Comparisons are with numbers; even and odd are for discrete distributions. `condition` may be NULL.
 * *condition_probability, which may be NULL, is set to the probability of the condition. The result is exact up to rounding.
 * CRD_ERROR_NUMBER: a variable is compared with a text; CRD_ERROR_ARGUMENT: a distribution has several dimensions, or is continuous where
 * even or odd is asked for; CRD_ERROR_PROBABILITY: the condition has probability 0; CRD_ERROR_LIMIT: the events compare too many variables
 * with too many numbers. Experimental. */
CRD_API CRD_MUST_USE crd_status crd_distribution_event(crd_context *context, const crd_distribution *const *variables,
                                                       size_t count, const crd_event *event, const crd_event *condition,
                                                       double probabilities[2], double *condition_probability,
                                                       crd_error *error);

/* ---- Tables ---- */

/* The rows of a table, counted by some of its columns. */
typedef struct crd_table crd_table;

/* Counts the rows of a reader by `count` of its columns, in *out. All later calls use the reader's column indices.
 * Memory grows with the number of distinct rows. Returns CRD_ERROR_EMPTY if there are no rows. Destroy the table with
 * crd_table_destroy. */
CRD_API CRD_MUST_USE crd_status crd_table_read(crd_context *context, crd_reader *reader, const size_t *columns,
                                               size_t count, crd_table **out, crd_error *error);
/* Frees the table. `table` may be NULL. */
CRD_API void crd_table_destroy(crd_table *table);

/* Creates a table in *out of the rows in which the event is true (NULL: all rows). Rows are excluded and counted if
 * they lack a value in one of the `asked` columns or in a column of the event: see crd_table_left_out. Values keep
 * their indices, even values that no row has any more. The event must be parsed with the names of the table's
 * columns. */
CRD_API CRD_MUST_USE crd_status crd_table_given(const crd_table *table, const size_t *asked, size_t count,
                                                const crd_event *event, crd_table **out, crd_error *error);

/* Returns the number of rows. */
CRD_API uint64_t crd_table_rows(const crd_table *table);
/* Returns the number of rows that crd_table_given excluded because a value is missing. */
CRD_API uint64_t crd_table_left_out(const crd_table *table);
/* Returns the number of columns. */
CRD_API size_t crd_table_column_count(const crd_table *table);
/* Returns the name of a column, which is valid as long as the table. */
CRD_API crd_text crd_table_column_name(const crd_table *table, size_t column);
/* Returns the type of a column. */
CRD_API crd_column_type crd_table_column_type(const crd_table *table, size_t column);
/* Returns the number of distinct values of a column. */
CRD_API size_t crd_table_value_count(const crd_table *table, size_t column);
/* Returns a distinct value of a column. Numbers are in ascending order. Categories are in numeric order if all of them
 * are numbers, otherwise in code point order. */
CRD_API crd_value crd_table_value(const crd_table *table, size_t column, size_t value);

/* The maximum number of entries of a joint table. */
#define CRD_TABLE_MOST_CELLS 10000000
/* Computes the number of entries of the joint table of some columns. Returns CRD_ERROR_LIMIT if there are more than
 * CRD_TABLE_MOST_CELLS. */
CRD_API CRD_MUST_USE crd_status crd_table_cells(const crd_table *table, const size_t *columns, size_t count,
                                                size_t *cells, crd_error *error);
/* Counts the rows of each combination of values of these columns. The last column's value varies fastest. `rows` must
 * have space for all combinations. Rows with a missing value in one of the columns are not counted. */
CRD_API CRD_MUST_USE crd_status crd_table_counts(const crd_table *table, const size_t *columns, size_t count,
                                                 uint64_t *rows, crd_error *error);
/* Computes the mean and the variance (divided by N) of a numeric column over the rows that have a value in it. Returns
 * CRD_ERROR_COLUMN if the column is not numeric, and CRD_ERROR_EMPTY if no row has a value. */
CRD_API CRD_MUST_USE crd_status crd_table_moments(const crd_table *table, size_t column, double *mean, double *variance,
                                                  crd_error *error);
/* Counts the rows in which all events are true. Returns CRD_ERROR_COLUMN if a column is compared with a value of
 * another type, or if categories are compared by size. */
CRD_API CRD_MUST_USE crd_status crd_table_count(const crd_table *table, const crd_event *const *events, size_t count,
                                                uint64_t *rows, crd_error *error);

/* The result of Pearson's test and of the likelihood ratio test of independence, within each combination of the given
 * columns. The statistics and the degrees of freedom of all combinations are summed. There is no continuity correction.
 * Empty rows and columns of a contingency table are ignored. Initialize it with CRD_INDEPENDENCE_INIT. */
typedef struct crd_independence {
    size_t size;
    double rows;
    double chi_squared, chi_squared_p;
    double g_squared, g_squared_p;
    double degrees;
    double information;   /* mutual information in nats, conditional on the given columns */
    uint64_t tables;      /* number of combinations of the given columns that have rows */
    uint64_t cells;       /* number of cells of all contingency tables */
    uint64_t cells_below; /* number of cells with an expected count below 5 */
    double least_expected;
} crd_independence;

#define CRD_INDEPENDENCE_INIT                                                                                          \
    { sizeof(crd_independence), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Tests whether two sets of columns are independent given other columns. Each combination of values of a set is treated
 * as one category. The columns must be categorical, or numeric with at most 20 distinct values, all of them integers.
 * Returns CRD_ERROR_COLUMN otherwise, and CRD_ERROR_EMPTY if no row has a value in all of the columns. */
CRD_API CRD_MUST_USE crd_status crd_table_independence(const crd_table *table, const size_t *a, size_t a_count,
                                                       const size_t *b, size_t b_count, const size_t *given,
                                                       size_t given_count, crd_independence *out, crd_error *error);

/* ---- Queries ---- */

/* A model under settings. It is immutable and may be shared by threads. It keeps no reference to the model. Its columns
 * are the model's columns in their order, including the target. */
typedef struct crd_query crd_query;

/* Creates a query object in *out. `settings` may be NULL (the model's settings). Destroy it with crd_query_destroy. */
CRD_API CRD_MUST_USE crd_status crd_query_create(const crd_model *model, const crd_settings *settings, crd_query **out,
                                                 crd_error *error);
/* Frees the query object. `query` may be NULL. */
CRD_API void crd_query_destroy(crd_query *query);

/* Returns the settings, which are valid as long as the query object. */
CRD_API const crd_settings *crd_query_settings(const crd_query *query);
/* Returns the number of columns. */
CRD_API size_t crd_query_column_count(const crd_query *query);
/* Returns the name of a column, which is valid as long as the query object. */
CRD_API crd_text crd_query_column_name(const crd_query *query, size_t column);
/* Returns the type of a column. */
CRD_API crd_column_type crd_query_column_type(const crd_query *query, size_t column);
/* Writes the family of a column to *out: see crd_classifier_family. Returns 0 for the target, which does not have a
 * family. */
CRD_API int crd_query_column_family(const crd_query *query, size_t column, crd_family *out);
/* Returns the column index of the target. */
CRD_API size_t crd_query_target(const crd_query *query);
/* Returns the number of values of a categorical column, or of classes for the target. Returns 0 for a numeric
 * column. */
CRD_API size_t crd_query_value_count(const crd_query *query, size_t column);
/* Returns a value of a categorical column, or a class of the target. The text is valid as long as the query object. */
CRD_API crd_text crd_query_value(const crd_query *query, size_t column, size_t value);

/* Computes the posterior of the classes given values. `given` contains a value for each column; type NONE means that
 * the value is unknown. Writes the log probability of each class to `log_classes`, which must have space for all
 * classes, and log p(given) to *answer. Returns CRD_ERROR_COLUMN for an unknown class. Categories that did not occur in
 * training are ignored and counted in answer->unseen. */
CRD_API CRD_MUST_USE crd_status crd_query_posterior(const crd_query *query, const crd_value *given, double *log_classes,
                                                    crd_answer *answer, crd_error *error);

/* Computes log P(row | given), where `log_classes` is the posterior from crd_query_posterior. The row may contain a
 * class, attributes, or both; columns of type NONE are summed out. If the row contains numbers, the result is a log
 * density. Attributes that were given must not occur in the row. Returns CRD_ERROR_COLUMN for a value that did not
 * occur in training, and CRD_ERROR_EMPTY for a column without a density. */
CRD_API CRD_MUST_USE crd_status crd_query_log_probability(const crd_query *query, const double *log_classes,
                                                          const crd_value *row, double *log_probability,
                                                          crd_error *error);

/* Computes the mean and the standard deviation of a numeric column given a posterior of the classes. Its distribution
 * is the mixture of the class-conditional densities, weighted by the posterior. */
CRD_API CRD_MUST_USE crd_status crd_query_moments(const crd_query *query, const double *log_classes, size_t column,
                                                  double *mean, double *deviation, crd_error *error);
/* Computes P(X <= x) of a numeric column given a posterior of the classes: see crd_query_moments. */
CRD_API CRD_MUST_USE crd_status crd_query_below(const crd_query *query, const double *log_classes, size_t column,
                                                double x, double *probability, crd_error *error);
/* Computes the x with P(X <= x) = p, 0 < p < 1, of a numeric column given a posterior of the classes: see
 * crd_query_moments. */
CRD_API CRD_MUST_USE crd_status crd_query_quantile(const crd_query *query, const double *log_classes, size_t column,
                                                   double p, double *x, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
