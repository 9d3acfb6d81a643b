/* SPDX-License-Identifier: MIT */
/* sql_export.c - exports naive Bayes as one query, in the SQL that SQLite, DuckDB and PostgreSQL have in common.
 *
 * The query has steps. For each row of the table, they compute the numbers as doubles, then the log joint probability
 * of each class (NULL: impossible). The next steps compute the maximum over the classes, each class relative to the
 * maximum, and the posteriors.
 *
 * Steps are materialized, because a database that inlines them would compute the terms of all classes again for each
 * reference. Literals have an exponent, which makes them doubles in databases where decimals are exact. The first term
 * of a sum is cast, which makes the sum a double in every database. */
#include "export/export_formats.h"

#include "base/error.h"
#include "export/sql_families.h"

#include <math.h>
#include <string.h>

/* SQLite's limits on the columns of a step and on the depth of an expression. */
enum { MOST_CLASSES = 400, MOST_SUMMANDS = 100 };

/* ---- Checks: can SQL express the model? ---- */

static crd_status sql_export_check_text(crd_text text, crd_error *error) {
    if (memchr(text.bytes, '\0', text.length) == NULL) return CRD_OK;
    return crd_i_export_refuse(error, "SQL", "a text with a NUL byte", "category");
}

/* Checks that the classifier is naive Bayes, without calibration, with families that SQL can express. */
static crd_status sql_export_check(const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_type *type = scorer->type;
    if (type->joints != NULL || type->pairs != NULL)
        return crd_i_export_refuse(error, "SQL", "attributes with a joint density", "method");
    if (type->members != NULL) return crd_i_export_refuse(error, "SQL", "an ensemble", "method");
    if (scorer != classifier->scorer) return crd_i_export_refuse(error, "SQL", "calibration", "calibration");
    if (classifier->class_count > MOST_CLASSES)
        return crd_i_export_refuse(error, "SQL", "more than 400 classes", "target");
    crd_status status = CRD_OK;
    for (size_t k = 0; k < classifier->class_count && status == CRD_OK; k++)
        status = sql_export_check_text(crd_i_dictionary_text(classifier->classes, k), error);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        status = sql_export_check_text(attribute->name, error);
        for (size_t v = 0; attribute->values != NULL && v < crd_i_dictionary_size(attribute->values); v++)
            if (status == CRD_OK) status = sql_export_check_text(crd_i_dictionary_text(attribute->values, v), error);
        if (status == CRD_OK && crd_i_attribute_counts(attribute)) status = crd_i_sql_check_family(attribute, error);
    }
    return status;
}

/* ---- The query ---- */

/* Writes the name of a result column, "P(class)". */
static void write_posterior_name(crd_i_export_writer *writer, crd_text class) {
    crd_i_export_text(writer, "\"P(");
    crd_i_sql_quote(writer, class, '"');
    crd_i_export_text(writer, ")\"");
}

/* Writes the columns that convert numeric attributes to doubles. A table that was imported from CSV may contain texts
 * instead of numbers; then texts that mean missing become NULL. */
static void sql_export_write_numbers(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (attribute->kind != CRD_KIND_NUMBER || !crd_i_attribute_counts(attribute)) continue;
        crd_i_export_text(writer, ",\n    CASE WHEN LOWER(CAST(\"");
        crd_i_sql_quote(writer, attribute->name, '"');
        crd_i_export_text(writer, "\" AS VARCHAR)) NOT IN (''");
        for (size_t m = 0; m < crd_summary_missing_count(exported->summary); m++) {
            crd_text missing = crd_summary_missing(exported->summary, m);
            if (missing.length == 0) continue;
            crd_i_export_text(writer, ", LOWER('");
            crd_i_sql_quote(writer, missing, '\'');
            crd_i_export_text(writer, "')");
        }
        crd_i_export_text(writer, ") THEN CAST(\"");
        crd_i_sql_quote(writer, attribute->name, '"');
        crd_i_export_format(writer, "\" AS DOUBLE PRECISION) END AS credence_x_%zu", i);
    }
}

/* Writes the log joint probability of each class: the log prior plus one term per attribute. Terms are grouped in
 * parentheses, so no expression becomes too deep. */
static crd_status sql_export_write_sums(const crd_classifier *classifier, crd_i_export_writer *writer,
                                        crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t k = 0; k < classifier->class_count && status == CRD_OK; k++) {
        size_t written = 0;
        crd_i_export_text(writer, k == 0 ? "" : ",");
        crd_i_export_text(writer, "\n    (CAST(");
        crd_i_sql_number(writer, classifier->log_priors[k]);
        crd_i_export_text(writer, " AS DOUBLE PRECISION)");
        for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
            const crd_i_attribute *attribute = &classifier->attributes[i];
            if (!crd_i_attribute_counts(attribute) || crd_i_scorer_weight(classifier->scorer, i) == 0) continue;
            if (++written % MOST_SUMMANDS == 0) crd_i_export_text(writer, ")\n     + (0e0");
            crd_i_export_text(writer, "\n     + ");
            status = crd_i_sql_write_term(writer, classifier, i, k, error);
        }
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
        crd_i_sql_quote(writer, crd_i_dictionary_text(classifier->classes, k), '\'');
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
    crd_i_export_format(writer, "-- Written by credence %s: posteriors of naive Bayes. Missing cells are NULL.\n",
                        crd_version());
    crd_i_export_text(writer, "WITH credence_0 AS MATERIALIZED (SELECT credence_rows.*");
    sql_export_write_numbers(exported, writer);
    crd_i_export_text(writer, "\n  FROM \"");
    crd_i_sql_quote(writer, table, '"');
    crd_i_export_text(writer, "\" AS credence_rows),\ncredence_1 AS MATERIALIZED (SELECT credence_0.*,");
    status = sql_export_write_sums(classifier, writer, error);
    size_t step = write_greatest(classifier, writer, 2);
    open_step(writer, step++);
    write_shares(classifier, writer);
    open_step(writer, step++);
    write_total(classifier, writer);
    crd_i_export_format(writer, "\n  FROM credence_%zu)\nSELECT credence_%zu.*,", step - 2, step - 1);
    sql_export_write_answer(classifier, writer);
    crd_i_export_format(writer, "\n  FROM credence_%zu;\n", step - 1);
    return status;
}
