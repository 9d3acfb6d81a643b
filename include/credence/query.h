/* SPDX-License-Identifier: MIT */
/* credence/query.h - questions: about the rows of a table, and about any column of a model.
 *
 *   table   the rows counted by chosen columns: joint, marginal and conditional counts, events, independence.
 *           Plain relative frequencies: nothing is smoothed, and a zero is a zero.
 *   query   a model under settings: the distribution of any column given others. */
#ifndef CREDENCE_QUERY_H
#define CREDENCE_QUERY_H

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
 *               event, event      the same as and, but binds less than or
 *   also        == for =, && for and, || for or, P( event ) around all of it
 *
 * The words may be in capitals. A column is the longest known name that the operator follows, or in double quotes; a
 * value ends before " and ", " or ", && or ||, a comma, a closing bracket that it did not open, or is in double quotes.
 * One that holds | = < or > has to be. A doubled quote inside quotes is a quote. A whole comparison may be in quotes
 * too, as an item of a CSV list is. */

typedef struct crd_event crd_event;

/* CRD_ERROR_SYNTAX where the text is no event, CRD_ERROR_COLUMN where it names an unknown column (error->subject). */
CRD_API CRD_MUST_USE crd_status crd_event_parse(crd_context *context, crd_text text, const crd_text *names,
                                                size_t name_count, crd_event **out, crd_error *error);
CRD_API void crd_event_destroy(crd_event *event);

/* The text as it was written, without blanks around it. */
CRD_API crd_text crd_event_text(const crd_event *event);

/* The events that an event joins by "or", or by "and": as many as there are, 0 for one that joins none by it. They
 * live as long as the event. */
typedef enum crd_event_join { CRD_EVENT_OR = 1, CRD_EVENT_AND = 2 } crd_event_join;
CRD_API size_t crd_event_part_count(const crd_event *event, crd_event_join join);
CRD_API const crd_event *crd_event_part(const crd_event *event, size_t part);

typedef enum crd_event_relation {
    CRD_EVENT_EQUAL = 1,
    CRD_EVENT_UNEQUAL = 2,
    CRD_EVENT_LESS = 3,
    CRD_EVENT_AT_MOST = 4,
    CRD_EVENT_GREATER = 5,
    CRD_EVENT_AT_LEAST = 6,
    CRD_EVENT_EVEN = 7, /* a whole number that 2 divides; the value is the word */
    CRD_EVENT_ODD = 8   /* a whole number that 2 does not divide */
} crd_event_relation;

/* The comparisons that an event is made of, from left to right. */
typedef struct crd_column_comparison {
    size_t column; /* index into the names it was parsed with */
    crd_event_relation relation;
    crd_text value; /* lives as long as the event */
} crd_column_comparison;
CRD_API size_t crd_event_comparison_count(const crd_event *event);
CRD_API crd_column_comparison crd_event_comparison(const crd_event *event, size_t comparison);
/* Whether the event holds where each of its comparisons does, or does not, as `are_true` has them in their order. */
CRD_API int crd_event_holds(const crd_event *event, const unsigned char *are_true);

/* ---- Events of a network: parsed with the names of its nodes, in their order ---- */

/* The probability that the event holds given the evidence, and that it does not. Nodes with states are compared by = and !=; a
 * continuous one, which an event compares alone, with numbers. *standard_error, which may be NULL, is that of an estimate at most:
 * 0 where it is exact, NaN where it is not known. CRD_ERROR_COLUMN: a node has no such state; CRD_ERROR_SYNTAX: states are compared
 * by size; CRD_ERROR_NUMBER: a number is none; CRD_ERROR_KIND: a continuous node stands beside others; CRD_ERROR_LIMIT: the nodes
 * have more than CRD_TABLE_MOST_CELLS combinations of states; else errors are those of crd_network_joint_posterior. */
CRD_API CRD_MUST_USE crd_status crd_network_event(const crd_network *network, const crd_finding *findings, size_t count,
                                                  const crd_event *event, const crd_inference_options *options,
                                                  double probabilities[2], double *standard_error,
                                                  crd_inference_result *asked, crd_error *error);
/* The same of a continuous node whose posterior is known. Each comparison is taken to be of it. */
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

typedef struct crd_table crd_table;

/* Counts the rows of a reader by `count` of its columns, numbered as the reader has them, here and in every later
 * call. Takes memory by the number of different rows. No rows is CRD_ERROR_EMPTY. */
CRD_API CRD_MUST_USE crd_status crd_table_read(crd_context *context, crd_reader *reader, const size_t *columns,
                                               size_t count, crd_table **out, crd_error *error);
/* A table without rows, by all of the named columns; rows are added by frames, whose columns meet by name. After an
 * addition that failed, the table is good for nothing but to be destroyed. */
CRD_API CRD_MUST_USE crd_status crd_table_create(crd_context *context, const crd_text *names, size_t count,
                                                 crd_table **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_table_add(crd_table *table, const crd_frame *frame, crd_error *error);
CRD_API void crd_table_destroy(crd_table *table);

/* The rows in which the event holds (NULL: all), of those that have a cell in each of the columns asked about and each
 * that the event names. The others are left out and counted. Values keep their numbers, also where no row has them any
 * more. Events are those parsed with the table's names. */
CRD_API CRD_MUST_USE crd_status crd_table_given(const crd_table *table, const size_t *asked, size_t count,
                                                const crd_event *event, crd_table **out, crd_error *error);

CRD_API uint64_t crd_table_rows(const crd_table *table);
/* Rows that crd_table_given left out for a missing cell. */
CRD_API uint64_t crd_table_left_out(const crd_table *table);
CRD_API size_t crd_table_column_count(const crd_table *table);
CRD_API crd_text crd_table_column_name(const crd_table *table, size_t column);
CRD_API crd_kind crd_table_column_kind(const crd_table *table, size_t column);
/* Different values in order: numbers by size; categories by number where all are numbers, else by code point. */
CRD_API size_t crd_table_value_count(const crd_table *table, size_t column);
CRD_API crd_value crd_table_value(const crd_table *table, size_t column, size_t value);

/* How many cells the joint table of these columns has. More than CRD_TABLE_MOST_CELLS is CRD_ERROR_LIMIT. */
#define CRD_TABLE_MOST_CELLS 10000000
CRD_API CRD_MUST_USE crd_status crd_table_cells(const crd_table *table, const size_t *columns, size_t count,
                                                size_t *cells, crd_error *error);
/* The rows of each combination of values of these columns, the last column's value changing fastest; `rows` has room
 * for all. Rows with a missing cell in one of them are not counted. */
CRD_API CRD_MUST_USE crd_status crd_table_counts(const crd_table *table, const size_t *columns, size_t count,
                                                 uint64_t *rows, crd_error *error);
/* Mean and variance (/N) of a number column over the rows that have a cell in it. CRD_ERROR_COLUMN: it is no number;
 * CRD_ERROR_EMPTY: there are no such rows. */
CRD_API CRD_MUST_USE crd_status crd_table_moments(const crd_table *table, size_t column, double *mean, double *variance,
                                                  crd_error *error);
/* How many rows every one of the events holds in. CRD_ERROR_COLUMN where a column is compared as what it is not. */
CRD_API CRD_MUST_USE crd_status crd_table_count(const crd_table *table, const crd_event *const *events, size_t count,
                                                uint64_t *rows, crd_error *error);

/* Pearson's and the likelihood ratio test of independence of two category columns; within each combination of values
 * of the columns given, whose statistics and degrees of freedom add up. No correction for continuity; rows and columns
 * of a table that count nothing are left out of it. */
typedef struct crd_independence {
    size_t size;
    double rows;
    double chi_squared, chi_squared_p;
    double g_squared, g_squared_p;
    double degrees;
    double information;   /* mutual information in nats, conditional on the columns given */
    uint64_t tables;      /* combinations of the given columns that have rows */
    uint64_t cells;       /* of all tables */
    uint64_t cells_below; /* in which fewer than 5 rows are expected */
    double least_expected;
} crd_independence;

#define CRD_INDEPENDENCE_INIT                                                                                          \
    { sizeof(crd_independence), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_table_independence(const crd_table *table, size_t a, size_t b, const size_t *given,
                                                       size_t given_count, crd_independence *out, crd_error *error);
/* The same of two sets of columns: of the combinations of values that the columns of each have. */
CRD_API CRD_MUST_USE crd_status crd_table_set_independence(const crd_table *table, const size_t *a, size_t a_count,
                                                           const size_t *b, size_t b_count, const size_t *given,
                                                           size_t given_count, crd_independence *out, crd_error *error);

/* ---- Queries ---- */

/* A model under settings, immutable and shared by threads; it keeps no reference to the model. Its columns are those
 * of the model, the target among them, in their order. */
typedef struct crd_query crd_query;

/* settings NULL: the model's own. */
CRD_API CRD_MUST_USE crd_status crd_query_create(const crd_model *model, const crd_settings *settings, crd_query **out,
                                                 crd_error *error);
CRD_API void crd_query_destroy(crd_query *query);

CRD_API const crd_settings *crd_query_settings(const crd_query *query);
CRD_API size_t crd_query_column_count(const crd_query *query);
CRD_API crd_text crd_query_column_name(const crd_query *query, size_t column);
CRD_API crd_kind crd_query_column_kind(const crd_query *query, size_t column);
/* As crd_classifier_family; the target has none. */
CRD_API int crd_query_column_family(const crd_query *query, size_t column, crd_family *out);
CRD_API size_t crd_query_target(const crd_query *query);
/* The values of a category column, or the classes of the target; 0 for a number. */
CRD_API size_t crd_query_value_count(const crd_query *query, size_t column);
CRD_API crd_text crd_query_value(const crd_query *query, size_t column, size_t value);

/* What is believed once `given`, a value for each column, is known (kind NONE: not known): the log probability of each
 * class, log_classes with room for all, and log p(given). An unknown class is CRD_ERROR_COLUMN; a category never seen
 * is no evidence and counted in answer->unseen. */
CRD_API CRD_MUST_USE crd_status crd_query_posterior(const crd_query *query, const crd_value *given, double *log_classes,
                                                    crd_answer *answer, crd_error *error);

/* log P(row | belief), the columns of kind NONE summed out: of a class, of any attributes, of both. A density where
 * numbers are among them. Not for attributes that were given. CRD_ERROR_COLUMN for a value never seen, CRD_ERROR_EMPTY
 * for a column that has no density. */
CRD_API CRD_MUST_USE crd_status crd_query_log_probability(const crd_query *query, const double *log_classes,
                                                          const crd_value *row, double *log_probability,
                                                          crd_error *error);

/* A number column under a belief is a mixture of its classes' densities. */
CRD_API CRD_MUST_USE crd_status crd_query_moments(const crd_query *query, const double *log_classes, size_t column,
                                                  double *mean, double *deviation, crd_error *error);
/* P(X <= x). */
CRD_API CRD_MUST_USE crd_status crd_query_below(const crd_query *query, const double *log_classes, size_t column,
                                                double x, double *probability, crd_error *error);
/* The x with P(X <= x) = p, 0 < p < 1. */
CRD_API CRD_MUST_USE crd_status crd_query_quantile(const crd_query *query, const double *log_classes, size_t column,
                                                   double p, double *x, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
