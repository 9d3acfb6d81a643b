/* SPDX-License-Identifier: MIT */
/* sql_export.c - exports naive Bayes, and trees, as one query, in the SQL that SQLite, DuckDB and PostgreSQL have in
 * common.
 *
 * The query has steps. For each row of the table, they compute the numbers as doubles, then the log joint probability
 * of each class (NULL: impossible). The next steps compute the maximum over the classes, each class relative to the
 * maximum, and the posteriors.
 *
 * Steps are materialized, because a database that inlines them would compute the terms of all classes again for each
 * reference. Literals have an exponent, which makes them doubles in databases where decimals are exact. The first term
 * of a sum is cast, which makes the sum a double in every database.
 *
 * For trees, one step per level follows each row from the roots to the leaves. A missing value can divide a row among
 * both children of a node, so the steps have a weight for each row and node. The predictions of the leaves are summed
 * with these weights.
 *
 * Contents:
 *   1. Terms of attributes
 *   2. Trees
 *   3. The query */
#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"
#include "export/export_internal.h"
#include "model/model_parts.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Terms of attributes ======== */

/* Writes a text that is inside quotes, and doubles each quote in it. */
static void sql_quote(crd_i_export_writer *writer, crd_text text, char quote) {
    for (size_t i = 0; i < text.length; i++) {
        crd_i_export_bytes(writer, &text.bytes[i], 1);
        if (text.bytes[i] == quote) crd_i_export_bytes(writer, &quote, 1);
    }
}

/* Writes a double as a literal with an exponent, or NULL if it is not finite (the logarithm of 0). */
static void sql_number(crd_i_export_writer *writer, double number) {
    char buffer[CRD_NUMBER_ROOM];
    if (!isfinite(number)) {
        crd_i_export_text(writer, "NULL");
        return;
    }
    crd_number_format(number, buffer);
    crd_i_export_text(writer, number < 0 ? "(" : "");
    crd_i_export_text(writer, buffer);
    crd_i_export_text(writer, strchr(buffer, 'e') == NULL ? "e0" : "");
    crd_i_export_text(writer, number < 0 ? ")" : "");
}

/* The term that is being written. */
typedef struct sql_term {
    crd_i_export_writer *writer;
    const crd_i_attribute *attribute;
    const crd_i_parameter_list *list;
    double weight;
    size_t number, k; /* indexes of the attribute and of the class */
} sql_term;

/* Returns a parameter of the density in the term's class. */
static double sql_families_parameter(const sql_term *sql, const char *name) {
    const crd_i_parameter_array *array = crd_i_parameter_list_find(sql->list, name);
    return array->numbers[array->dimensions == 0 ? 0 : sql->k];
}

/* Writes the column that contains the number, which the first step of the query defines. */
static void write_x(const sql_term *sql) {
    crd_i_export_format(sql->writer, "credence_x_%zu", sql->number);
}

/* Writes a formula, in which x is the column and a name in braces is a parameter of the density. */
static void write_formula(const sql_term *sql, const char *formula) {
    for (; *formula != '\0'; formula++) {
        if (*formula == 'x') {
            write_x(sql);
        } else if (*formula == '{') {
            char name[32];
            size_t length = strcspn(++formula, "}");
            memcpy(name, formula, length);
            name[length] = '\0';
            formula += length;
            sql_number(sql->writer, sql_families_parameter(sql, name));
        } else {
            crd_i_export_bytes(sql->writer, formula, 1);
        }
    }
}

static void sql_families_write_weight(const sql_term *sql) {
    if (sql->weight == 1) return;
    sql_number(sql->writer, sql->weight);
    crd_i_export_text(sql->writer, " * ");
}

/* Formulas of a numeric term: CASE WHEN counts THEN usual ELSE 0. If `is_far` is given, WHEN is_far THEN far comes
 * first, because databases report an error if a square exceeds the range of a double. */
typedef struct number_formulas {
    const char *counts, *is_far, *far, *usual;
} number_formulas;

/* Writes the term of a numeric attribute from its formulas, multiplied by the attribute weight. */
static void write_number_term(const sql_term *sql, const number_formulas *formulas) {
    crd_i_export_text(sql->writer, "CASE WHEN ");
    if (formulas->is_far != NULL) {
        write_formula(sql, formulas->is_far);
        crd_i_export_text(sql->writer, " THEN ");
        sql_families_write_weight(sql);
        crd_i_export_text(sql->writer, "(");
        write_formula(sql, formulas->far);
        crd_i_export_text(sql->writer, ") WHEN ");
    }
    write_formula(sql, formulas->counts);
    crd_i_export_text(sql->writer, " THEN ");
    sql_families_write_weight(sql);
    crd_i_export_text(sql->writer, "(");
    write_formula(sql, formulas->usual);
    crd_i_export_text(sql->writer, ") ELSE 0e0 END");
}

/* Writes the term of a categorical attribute: the log probability of each value, 0 for unseen values. */
static void write_category_term(const sql_term *sql) {
    const crd_i_parameter_array *logs = crd_i_parameter_list_find(sql->list, "log_probability");
    crd_i_export_text(sql->writer, "CASE CAST(\"");
    sql_quote(sql->writer, sql->attribute->name, '"');
    crd_i_export_text(sql->writer, "\" AS VARCHAR)");
    for (size_t v = 0; v < logs->rows; v++) {
        crd_i_export_text(sql->writer, " WHEN '");
        sql_quote(sql->writer, crd_i_dictionary_text(sql->attribute->values, v), '\'');
        crd_i_export_text(sql->writer, "' THEN ");
        sql_number(sql->writer, sql->weight * logs->numbers[v * logs->columns + sql->k]);
    }
    crd_i_export_text(sql->writer, " ELSE 0e0 END");
}

/* Normal densities multiply by 1 / (sd sqrt 2), the slope, or divide by sd if the slope is out of range. */
#define SQUARE(z) "(" z ") * (" z ")"
#define BY_SLOPE(x) "(" x " - {mean} - {mean_rest}) * {slope}"
#define BY_DIVISION(x) "(" x " * 0.5e0 - {mean} * 0.5e0) / {sd} * 2e0"
#define STUDENT "(x - {location}) / {scale}"

static const number_formulas normal_by_slope = {"x IS NOT NULL", "ABS(" BY_SLOPE("x") ") > 1e150", "NULL",
                                                "{log_peak} - " SQUARE(BY_SLOPE("x"))};
static const number_formulas normal_by_division = {"x IS NOT NULL", "ABS(" BY_DIVISION("x") ") > 1e150", "NULL",
                                                   "{log_peak} - 0.5e0 * " SQUARE(BY_DIVISION("x"))};
static const number_formulas lognormal_by_slope = {"x > 0e0", NULL, NULL,
                                                   "{log_peak} - " SQUARE(BY_SLOPE("LN(x)")) " - LN(x)"};
static const number_formulas lognormal_by_division = {"x > 0e0", NULL, NULL,
                                                      "{log_peak} - 0.5e0 * " SQUARE(BY_DIVISION("LN(x)")) " - LN(x)"};
static const number_formulas exponential = {"x >= 0e0", NULL, NULL, "LN({rate}) - {rate} * x"};
static const number_formulas student = {
    "x IS NOT NULL", "ABS(" STUDENT ") > 1e150",
    "{log_peak} - ({degrees} + 1e0) / 2e0 * (2e0 * LN(ABS(" STUDENT ")) - LN({degrees}))",
    "{log_peak} - ({degrees} + 1e0) / 2e0 * LN(1e0 + " SQUARE(STUDENT) " / {degrees})"};
/* Poisson without log x!, which is the same for all classes. */
static const number_formulas poisson = {"x >= 0e0 AND x = FLOOR(x)", NULL, NULL, "x * LN({mean}) - {mean}"};
/* Poisson with mean 0. */
static const number_formulas never = {"x >= 0e0 AND x = FLOOR(x)", NULL, NULL, "CASE WHEN x = 0e0 THEN 0e0 END"};

/* Writes a Bernoulli term. The logarithm of a zero probability is NULL. */
static void write_bernoulli_term(const sql_term *sql) {
    double p = sql_families_parameter(sql, "p");
    crd_i_export_text(sql->writer, "CASE ");
    write_x(sql);
    crd_i_export_text(sql->writer, " WHEN 1e0 THEN ");
    sql_number(sql->writer, sql->weight * (p > 0 ? crd_log(p) : -INFINITY));
    crd_i_export_text(sql->writer, " WHEN 0e0 THEN ");
    sql_number(sql->writer, sql->weight * (p < 1 ? crd_log(1 - p) : -INFINITY));
    crd_i_export_text(sql->writer, " ELSE 0e0 END");
}

/* Returns the density of a uniform distribution; 0 if its range is empty. */
static double sql_families_height(double start, double upper) {
    double half = upper / 2 - start / 2;
    return half > 0 ? 0.5 / half : 0;
}

/* Writes a uniform term: a mixture of the class's own range and the range of the column. */
static void write_uniform_term(const sql_term *sql) {
    double share = sql_families_parameter(sql, "share"),
           own = sql_families_height(sql_families_parameter(sql, "from"), sql_families_parameter(sql, "to"));
    double all =
        sql_families_height(sql_families_parameter(sql, "overall_from"), sql_families_parameter(sql, "overall_to"));
    double inside = share * own + (1 - share) * all, outside = (1 - share) * all;
    crd_i_export_text(sql->writer, "CASE WHEN ");
    write_formula(sql, "x >= {from} AND x <= {to} THEN ");
    sql_number(sql->writer, sql->weight * crd_log(inside));
    write_formula(sql, " WHEN x >= {overall_from} AND x <= {overall_to} THEN ");
    sql_number(sql->writer, sql->weight * (outside > 0 ? crd_log(outside) : -INFINITY));
    crd_i_export_text(sql->writer, " ELSE 0e0 END");
}

static const number_formulas *formulas_of(const sql_term *sql) {
    const char *name = sql->attribute->family->name;
    if (strcmp(name, "gaussian") == 0)
        return sql_families_parameter(sql, "slope") > 0 ? &normal_by_slope : &normal_by_division;
    if (strcmp(name, "lognormal") == 0)
        return sql_families_parameter(sql, "slope") > 0 ? &lognormal_by_slope : &lognormal_by_division;
    if (strcmp(name, "poisson") == 0) return sql_families_parameter(sql, "mean") > 0 ? &poisson : &never;
    return strcmp(name, "exponential") == 0 ? &exponential : &student;
}

static void write_family(const sql_term *sql) {
    const char *name = sql->attribute->family->name;
    if (strcmp(name, "categorical") == 0) write_category_term(sql);
    else if (strcmp(name, "bernoulli") == 0) write_bernoulli_term(sql);
    else if (strcmp(name, "uniform") == 0) write_uniform_term(sql);
    else write_number_term(sql, formulas_of(sql));
}

/* Checks that SQL can express the family of an attribute. */
static crd_status sql_check_family(const crd_i_attribute *attribute, crd_error *error) {
    static const char *const expressed[] = {"categorical", "gaussian", "lognormal",   "bernoulli",
                                            "poisson",     "uniform",  "exponential", "student"};
    for (size_t i = 0; i < sizeof expressed / sizeof *expressed; i++)
        if (strcmp(expressed[i], attribute->family->name) == 0) return CRD_OK;
    char what[64];
    snprintf(what, sizeof what, "a density of the family %s", attribute->family->name);
    return crd_i_export_refuse(error, "SQL", what, "family");
}

/* Writes the term of attribute i under class k. It is 0 if the cell is missing or does not count, and NULL if the class
 * cannot have it. Numbers come from the column credence_x_i. */
static crd_status sql_write_term(crd_i_export_writer *writer, const crd_classifier *classifier, size_t i, size_t k,
                                 crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_i_parameter_list list = {.context = classifier->context};
    const sql_term sql = {writer, attribute, &list, crd_i_scorer_weight(classifier->scorer, i), i, k};
    bool done = attribute->family->list_parameters(attribute->density, &list);
    if (done) write_family(&sql);
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ======== 2. Trees ======== */

/* The parameters of trees, which docs/export.md describes; without attributes if the model has none. */
typedef struct sql_trees {
    crd_i_parameter_list list;
    size_t *attributes; /* of each column of the trees */
    size_t column_count;
} sql_trees;

static crd_status sql_trees_open(sql_trees *trees, const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = classifier->scorer;
    const crd_i_scorer_joints *joints = scorer->type->joints;
    *trees = (sql_trees){.list.context = classifier->context};
    if (joints == NULL) return CRD_OK;
    trees->attributes = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *trees->attributes);
    if (trees->attributes == NULL || !joints->tree_parameters(scorer, &trees->list)) return crd_i_fail_memory(error);
    trees->column_count = crd_i_parameter_list_find(&trees->list, "values")->rows;
    return joints->attributes(scorer, classifier, 0, trees->attributes, error);
}

static void sql_trees_close(sql_trees *trees) {
    crd_free(trees->list.context, trees->attributes);
    crd_i_parameter_list_clear(&trees->list);
}

static const double *sql_trees_numbers(const sql_trees *trees, const char *name) {
    return crd_i_parameter_list_find(&trees->list, name)->numbers;
}

/* Writes the columns that convert categories to the numbers of their bins: NULL if missing, 0 if rare. */
static void sql_trees_write_bins(const sql_trees *trees, const crd_classifier *classifier,
                                 crd_i_export_writer *writer) {
    const double *values = sql_trees_numbers(trees, "values"), *bin = sql_trees_numbers(trees, "bin");
    for (size_t i = 0; i < trees->column_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[trees->attributes[i]];
        if (attribute->type != CRD_TYPE_CATEGORICAL) continue;
        crd_i_export_text(writer, ",\n    CASE CAST(\"");
        sql_quote(writer, attribute->name, '"');
        crd_i_export_text(writer, "\" AS VARCHAR)");
        for (size_t v = 0; v < (size_t)values[i]; v++) {
            crd_i_export_text(writer, " WHEN '");
            sql_quote(writer, crd_i_dictionary_text(attribute->values, v), '\'');
            crd_i_export_text(writer, "' THEN ");
            sql_number(writer, *bin++);
        }
        crd_i_export_format(writer, " END AS credence_x_%zu", trees->attributes[i]);
    }
}

/* Writes the values of all rows, one per line: the number, or the bin of the category, and in `credence_bin` the same
 * without rare categories. */
static void sql_trees_write_cells(const sql_trees *trees, crd_i_export_writer *writer) {
    const double *values = sql_trees_numbers(trees, "values");
    crd_i_export_text(writer, ",\ncredence_columns(credence_column) AS MATERIALIZED (VALUES ");
    for (size_t i = 0; i < trees->column_count; i++) crd_i_export_format(writer, "%s(%zu)", i == 0 ? "" : ", ", i);
    crd_i_export_text(writer, "),\ncredence_cells AS MATERIALIZED (SELECT credence_row, credence_column,\n    CASE "
                              "credence_column");
    for (size_t i = 0; i < trees->column_count; i++)
        crd_i_export_format(writer, " WHEN %zu THEN credence_x_%zu", i, trees->attributes[i]);
    crd_i_export_text(writer, " END AS credence_x,\n    CASE credence_column");
    for (size_t i = 0; i < trees->column_count; i++)
        crd_i_export_format(
            writer, values[i] > 0 ? " WHEN %zu THEN NULLIF(credence_x_%zu, 0e0)" : " WHEN %zu THEN credence_x_%zu", i,
            trees->attributes[i]);
    crd_i_export_text(writer, " END AS credence_bin\n  FROM credence_values CROSS JOIN credence_columns)");
}

/* Writes the edges from a node to its children: side (1: left), column of the split, cut, members of the left side as
 * digits, and the share of a missing value. */
static void sql_trees_write_edges(const sql_trees *trees, size_t node, crd_i_export_writer *writer) {
    const size_t column = (size_t)sql_trees_numbers(trees, "column")[node];
    const double test = sql_trees_numbers(trees, "test")[node], share = sql_trees_numbers(trees, "left_share")[node];
    const crd_i_parameter_array *members = crd_i_parameter_list_find(&trees->list, "members");
    const bool is_category = sql_trees_numbers(trees, "values")[column] > 0;
    for (int side = 1; side >= 0; side--) {
        const size_t child = side == 1 ? node + 1 : (size_t)sql_trees_numbers(trees, "right")[node];
        crd_i_export_format(writer, ",\n  (%zu, %zu, %d, %zu, ", node, child, side, column);
        sql_number(writer, is_category ? NAN : test);
        crd_i_export_text(writer, is_category ? ", '" : ", NULL");
        for (size_t bin = 1; is_category && bin < members->columns * 32; bin++) {
            const uint32_t word = (uint32_t)members->numbers[(size_t)test * members->columns + bin / 32];
            crd_i_export_text(writer, word >> bin % 32 & 1 ? "1" : "0");
        }
        crd_i_export_text(writer, is_category ? "', " : ", ");
        sql_number(writer, side == 1 ? share : 1 - share);
        crd_i_export_text(writer, ")");
    }
}

/* Writes the tables of edges and leaves. The first line of each states the types of its columns. */
static void sql_trees_write_nodes(const sql_trees *trees, size_t classes, crd_i_export_writer *writer) {
    const crd_i_parameter_array *column = crd_i_parameter_list_find(&trees->list, "column");
    const double *test = sql_trees_numbers(trees, "test"), *value = sql_trees_numbers(trees, "value");
    crd_i_export_text(writer,
                      ",\ncredence_edges(credence_node, credence_child, credence_side, credence_column, credence_cut, "
                      "credence_members, credence_factor)\n  AS MATERIALIZED (VALUES (-1, -1, 1, 0, CAST(NULL AS "
                      "DOUBLE PRECISION), CAST(NULL AS VARCHAR), CAST(0e0 AS DOUBLE PRECISION))");
    for (size_t v = 0; v < column->rows; v++)
        if (column->numbers[v] >= 0) sql_trees_write_edges(trees, v, writer);
    crd_i_export_text(writer, "),\ncredence_leaves(credence_node");
    for (size_t k = 0; k < classes; k++) crd_i_export_format(writer, ", credence_p_%zu", k);
    crd_i_export_text(writer, ") AS MATERIALIZED (VALUES (-1");
    for (size_t k = 0; k < classes; k++) crd_i_export_text(writer, ", CAST(0e0 AS DOUBLE PRECISION)");
    crd_i_export_text(writer, ")");
    for (size_t v = 0; v < column->rows; v++) {
        if (column->numbers[v] >= 0) continue;
        crd_i_export_format(writer, ",\n  (%zu", v);
        for (size_t k = 0; k < classes; k++) {
            crd_i_export_text(writer, ", ");
            sql_number(writer, value[(size_t)test[v] * classes + k]);
        }
        crd_i_export_text(writer, ")");
    }
    crd_i_export_text(writer, "),\ncredence_roots(credence_node) AS MATERIALIZED (VALUES ");
    const crd_i_parameter_array *root = crd_i_parameter_list_find(&trees->list, "root");
    for (size_t t = 0; t < root->rows; t++)
        crd_i_export_format(writer, "%s(%zu)", t == 0 ? "" : ", ", (size_t)root->numbers[t]);
    crd_i_export_text(writer, ")");
}

/* Writes the way of each row through the trees: one step per level, in which nodes are replaced by their children.
 * Rows without any value do not begin it. A recursive step would be shorter, but SQLite uses no indexes in it. */
static void sql_trees_write_walk(const sql_trees *trees, crd_i_export_writer *writer) {
    static const char step[] =
        "\n    FROM credence_walk_%zu AS w\n"
        "    JOIN credence_edges AS e ON e.credence_node = w.credence_node\n"
        "    JOIN credence_cells AS c ON c.credence_row = w.credence_row AND c.credence_column = e.credence_column\n"
        "    WHERE CASE WHEN c.credence_bin IS NULL THEN CASE WHEN e.credence_factor > 0e0 THEN 1 ELSE 0 END\n";
    static const char condition[] =
        "      WHEN c.credence_bin <= e.credence_cut\n"
        "        OR SUBSTR(e.credence_members, CAST(c.credence_bin AS INTEGER), 1) = '1' THEN e.credence_side\n"
        "      ELSE 1 - e.credence_side END = 1)";
    crd_i_export_text(writer, ",\ncredence_walk_0 AS MATERIALIZED (SELECT credence_row, credence_node, "
                              "CAST(1e0 AS DOUBLE PRECISION) AS credence_weight\n    FROM (SELECT DISTINCT "
                              "credence_row FROM credence_cells WHERE credence_x IS NOT NULL) AS credence_known\n"
                              "    CROSS JOIN credence_roots)");
    const size_t levels = (size_t)sql_trees_numbers(trees, "levels")[0];
    for (size_t level = 1; level < levels; level++) {
        crd_i_export_format(writer,
                            ",\ncredence_walk_%zu AS MATERIALIZED (SELECT w.credence_row, e.credence_child AS "
                            "credence_node,\n      w.credence_weight * CASE WHEN c.credence_bin IS NULL THEN "
                            "e.credence_factor ELSE 1e0 END AS credence_weight",
                            level);
        crd_i_export_format(writer, step, level - 1);
        crd_i_export_text(writer, condition);
    }
    for (size_t level = 0; level < levels; level++)
        crd_i_export_format(writer, "%sSELECT * FROM credence_walk_%zu",
                            level == 0 ? ",\ncredence_walk AS MATERIALIZED (" : "\n  UNION ALL ", level);
    crd_i_export_text(writer, ")");
}

/* Writes the steps that compute the mean prediction of the trees for each row of `credence_values`. */
static void sql_trees_write_means(const sql_trees *trees, size_t classes, crd_i_export_writer *writer) {
    sql_trees_write_cells(trees, writer);
    sql_trees_write_nodes(trees, classes, writer);
    sql_trees_write_walk(trees, writer);
    crd_i_export_text(writer, ",\ncredence_means AS MATERIALIZED (SELECT credence_row AS credence_key,\n    "
                              "SUM(credence_weight * credence_weight) AS credence_whole");
    for (size_t k = 0; k < classes; k++)
        crd_i_export_format(writer, ",\n    SUM(credence_weight * credence_p_%zu) AS credence_mean_%zu", k, k);
    crd_i_export_text(writer, "\n  FROM credence_walk JOIN credence_leaves ON credence_leaves.credence_node = "
                              "credence_walk.credence_node\n  GROUP BY credence_row),\n"
                              "credence_0 AS MATERIALIZED (SELECT credence_values.*, credence_means.*\n"
                              "  FROM credence_values LEFT JOIN credence_means ON credence_key = credence_row)");
}

/* Writes the term of the trees under class k; 0 without any value. */
static void sql_trees_write_term(const sql_trees *trees, size_t k, crd_i_export_writer *writer) {
    const double count = (double)crd_i_parameter_list_find(&trees->list, "root")->rows;
    crd_i_export_text(writer, "\n     + COALESCE((1e0 + ");
    sql_number(writer, (sql_trees_numbers(trees, "scale")[0] - 1) / count);
    crd_i_export_format(writer, " * credence_whole) * LN(credence_mean_%zu / ", k);
    sql_number(writer, count);
    crd_i_export_text(writer, ") - ");
    sql_number(writer, sql_trees_numbers(trees, "log_share")[k]);
    crd_i_export_text(writer, ", 0e0)");
}

/* ======== 3. The query ======== */

/* SQLite's limits on the columns of a step and on the depth of an expression, and the most numbers of trees, because
 * databases need much memory and time to parse a query. */
enum { MAX_CLASSES = 400, MOST_SUMMANDS = 100, MOST_NUMBERS = 1 << 20 };

/* ---- Checks ---- */

static crd_status sql_export_check_text(crd_text text, crd_error *error) {
    if (memchr(text.bytes, '\0', text.length) == NULL) return CRD_OK;
    return crd_i_export_refuse(error, "SQL", "a text with a NUL byte", "category");
}

/* Checks that the classifier is naive Bayes with families that SQL can express, or trees, without calibration. */
static crd_status sql_export_check(const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_type *type = scorer->type;
    const bool has_trees = type->joints != NULL && type->joints->tree_parameters != NULL;
    if ((type->joints != NULL || type->pairs != NULL) && !has_trees)
        return crd_i_export_refuse(error, "SQL", "attributes with a joint density", "method");
    if (type->members != NULL) return crd_i_export_refuse(error, "SQL", "an ensemble", "method");
    if (scorer != classifier->scorer) return crd_i_export_refuse(error, "SQL", "calibration", "calibration");
    if (classifier->class_count > MAX_CLASSES)
        return crd_i_export_refuse(error, "SQL", "more than 400 classes", "target");
    crd_status status = CRD_OK;
    for (size_t k = 0; k < classifier->class_count && status == CRD_OK; k++)
        status = sql_export_check_text(crd_i_dictionary_text(classifier->classes, k), error);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        status = sql_export_check_text(attribute->name, error);
        for (size_t v = 0; attribute->values != NULL && v < crd_i_dictionary_size(attribute->values); v++)
            if (status == CRD_OK) status = sql_export_check_text(crd_i_dictionary_text(attribute->values, v), error);
        if (status == CRD_OK && crd_i_attribute_counts(attribute)) status = sql_check_family(attribute, error);
    }
    return status == CRD_OK ? crd_i_export_check_trees(scorer, "SQL", MOST_NUMBERS, error) : status;
}

/* ---- Steps ---- */

/* Writes the name of a result column, "P(class)". */
static void write_posterior_name(crd_i_export_writer *writer, crd_text class) {
    crd_i_export_text(writer, "\"P(");
    sql_quote(writer, class, '"');
    crd_i_export_text(writer, ")\"");
}

/* Writes the columns that convert numeric attributes to doubles. A table that was imported from CSV may contain texts
 * instead of numbers; then texts that mean missing become NULL. */
static void sql_export_write_numbers(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (attribute->type != CRD_TYPE_NUMERIC || !(crd_i_attribute_counts(attribute) || attribute->is_joint))
            continue;
        crd_i_export_text(writer, ",\n    CASE WHEN LOWER(CAST(\"");
        sql_quote(writer, attribute->name, '"');
        crd_i_export_text(writer, "\" AS VARCHAR)) NOT IN (''");
        for (size_t m = 0; m < crd_i_summary_missing_count(exported->summary); m++) {
            crd_text missing = crd_i_summary_missing(exported->summary, m);
            if (missing.length == 0) continue;
            crd_i_export_text(writer, ", LOWER('");
            sql_quote(writer, missing, '\'');
            crd_i_export_text(writer, "')");
        }
        crd_i_export_text(writer, ") THEN CAST(\"");
        sql_quote(writer, attribute->name, '"');
        crd_i_export_format(writer, "\" AS DOUBLE PRECISION) END AS credence_x_%zu", i);
    }
}

/* Writes the log joint probability of each class: the log prior plus one term per attribute. Terms are grouped in
 * parentheses, so no expression becomes too deep. */
static crd_status sql_export_write_sums(const crd_classifier *classifier, const sql_trees *trees,
                                        crd_i_export_writer *writer, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t k = 0; k < classifier->class_count && status == CRD_OK; k++) {
        size_t written = 0;
        crd_i_export_text(writer, k == 0 ? "" : ",");
        crd_i_export_text(writer, "\n    (CAST(");
        sql_number(writer, classifier->log_priors[k]);
        crd_i_export_text(writer, " AS DOUBLE PRECISION)");
        for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
            const crd_i_attribute *attribute = &classifier->attributes[i];
            if (!crd_i_attribute_counts(attribute) || crd_i_scorer_weight(classifier->scorer, i) == 0) continue;
            if (++written % MOST_SUMMANDS == 0) crd_i_export_text(writer, ")\n     + (0e0");
            crd_i_export_text(writer, "\n     + ");
            status = sql_write_term(writer, classifier, i, k, error);
        }
        if (trees->attributes != NULL) sql_trees_write_term(trees, k, writer);
        crd_i_export_format(writer, ") AS credence_log_%zu", k);
    }
    return status;
}

/* Opens the next step of the query, which contains all columns of the previous step. */
static void open_step(crd_i_export_writer *writer, size_t step) {
    crd_i_export_format(writer, "\n  FROM credence_%zu),\ncredence_%zu AS MATERIALIZED (SELECT credence_%zu.*,",
                        step - 2, step, step - 1);
}

/* Writes the name of a column in a round of the maximum. The columns of round 0 are the log probabilities. */
static void write_name(crd_i_export_writer *writer, size_t round, size_t column) {
    if (round == 0) crd_i_export_format(writer, "credence_log_%zu", column);
    else crd_i_export_format(writer, "credence_most_%zu_%zu", round, column);
}

/* Writes the maximum of two neighboring columns. Either may be NULL. */
static void write_greater(crd_i_export_writer *writer, size_t round, size_t column) {
    crd_i_export_text(writer, "CASE WHEN ");
    write_name(writer, round, column + 1);
    crd_i_export_text(writer, " > ");
    write_name(writer, round, column);
    crd_i_export_text(writer, " OR ");
    write_name(writer, round, column);
    crd_i_export_text(writer, " IS NULL THEN ");
    write_name(writer, round, column + 1);
    crd_i_export_text(writer, " ELSE ");
    write_name(writer, round, column);
    crd_i_export_text(writer, " END");
}

/* Writes the maximum over all classes. Each round is a step that compares pairs of columns, because SQL has no function
 * for the maximum of several columns that works in every database. Returns the number of the next step. */
static size_t write_greatest(const crd_classifier *classifier, crd_i_export_writer *writer, size_t step) {
    size_t count = classifier->class_count, round = 0;
    do {
        size_t pairs = (count + 1) / 2;
        open_step(writer, step++);
        for (size_t i = 0; i < pairs; i++) {
            crd_i_export_text(writer, i == 0 ? "\n    " : ",\n    ");
            if (2 * i + 1 < count) write_greater(writer, round, 2 * i);
            else write_name(writer, round, 2 * i);
            crd_i_export_text(writer, " AS ");
            if (pairs == 1) crd_i_export_text(writer, "credence_most");
            else write_name(writer, round + 1, i);
        }
        count = pairs;
        round++;
    } while (count > 1);
    return step;
}

/* Writes each class relative to the maximum. Below e^-700 it is 0, because some databases would report an underflow. */
static void write_shares(const crd_classifier *classifier, crd_i_export_writer *writer) {
    for (size_t k = 0; k < classifier->class_count; k++)
        crd_i_export_format(writer,
                            "%s\n    CASE WHEN credence_log_%zu - credence_most > -700e0 "
                            "THEN EXP(credence_log_%zu - credence_most) ELSE 0e0 END AS credence_share_%zu",
                            k == 0 ? "" : ",", k, k, k);
}

static void write_total(const crd_classifier *classifier, crd_i_export_writer *writer) {
    crd_i_export_text(writer, "\n    (");
    for (size_t k = 0; k < classifier->class_count; k++)
        crd_i_export_format(writer, "%scredence_share_%zu", k == 0 ? "" : " + ", k);
    crd_i_export_text(writer, ") AS credence_total");
}

/* Writes the prediction and the posteriors. A single class has probability 1, whatever the cells contain. */
static void sql_export_write_answer(const crd_classifier *classifier, crd_i_export_writer *writer) {
    bool is_certain = classifier->class_count == 1 && classifier->log_priors[0] > -INFINITY;
    crd_i_export_text(writer, "\n    CASE");
    for (size_t k = 0; k < classifier->class_count; k++) {
        if (is_certain) crd_i_export_text(writer, " WHEN 1 = 1 THEN '");
        else crd_i_export_format(writer, " WHEN credence_log_%zu - credence_most >= -1e-12 THEN '", k);
        sql_quote(writer, crd_i_dictionary_text(classifier->classes, k), '\'');
        crd_i_export_text(writer, "'");
    }
    crd_i_export_text(writer, " END AS prediction");
    for (size_t k = 0; k < classifier->class_count; k++) {
        if (is_certain) crd_i_export_text(writer, ",\n    1e0 AS ");
        else
            crd_i_export_format(
                writer,
                ",\n    CASE WHEN credence_total > 0e0 THEN credence_share_%zu / credence_total ELSE 0e0 "
                "END AS ",
                k);
        write_posterior_name(writer, crd_i_dictionary_text(classifier->classes, k));
    }
}

crd_status crd_i_export_sql(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    const crd_classifier *classifier = exported->classifier;
    crd_text table = exported->options->table.bytes == NULL ? crd_text_of("data") : exported->options->table;
    crd_status status = sql_export_check(classifier, error);
    if (status == CRD_OK) status = sql_export_check_text(table, error);
    if (status != CRD_OK) return status;
    sql_trees trees;
    status = sql_trees_open(&trees, classifier, error);
    const bool has_trees = trees.column_count > 0;
    if (status == CRD_OK) {
        crd_i_export_format(writer, "-- Written by credence %s: posteriors of %s. Missing cells are NULL.\n",
                            crd_version(), has_trees ? "trees" : "naive Bayes");
        crd_i_export_format(writer, "WITH %s AS MATERIALIZED (SELECT credence_rows.*",
                            has_trees ? "credence_values" : "credence_0");
        if (has_trees) crd_i_export_text(writer, ",\n    ROW_NUMBER() OVER () AS credence_row");
        sql_export_write_numbers(exported, writer);
        if (has_trees) sql_trees_write_bins(&trees, classifier, writer);
        crd_i_export_text(writer, "\n  FROM \"");
        sql_quote(writer, table, '"');
        crd_i_export_text(writer, "\" AS credence_rows)");
        if (has_trees) sql_trees_write_means(&trees, classifier->class_count, writer);
        crd_i_export_text(writer, ",\ncredence_1 AS MATERIALIZED (SELECT credence_0.*,");
        status = sql_export_write_sums(classifier, &trees, writer, error);
        size_t step = write_greatest(classifier, writer, 2);
        open_step(writer, step++);
        write_shares(classifier, writer);
        open_step(writer, step++);
        write_total(classifier, writer);
        crd_i_export_format(writer, "\n  FROM credence_%zu)\nSELECT credence_%zu.*,", step - 2, step - 1);
        sql_export_write_answer(classifier, writer);
        crd_i_export_format(writer, "\n  FROM credence_%zu%s;\n", step - 1,
                            has_trees ? "\n  ORDER BY credence_row" : "");
    }
    sql_trees_close(&trees);
    return status;
}
