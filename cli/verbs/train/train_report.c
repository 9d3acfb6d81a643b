/* SPDX-License-Identifier: MIT */
/* train_report.c - see train.h. */
#include "verbs/train/train.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/class_warnings.h"
#include "source/column_warnings.h"
#include "source/fit_text.h"
#include "source/structure_option.h"

#include <string.h>
#include <strings.h>

/* If there are more columns, they are counted by type instead. */
enum { COLUMNS_LISTED = 40 };

/* Sums of weights are rounded, so a tiny relative difference means zero. */
static const double ROUNDING = 1e-12;

/* Returns the weight of the rows in which the attribute is missing. */
static double missing_rows(const crd_summary *summary, size_t attribute) {
    double rows = summary->rows, present = 0;
    for (size_t c = 0; c < summary->class_count; c++) present += crd_summary_present(summary, attribute, c);
    double missing = rows - present;
    return missing < rows * ROUNDING ? 0 : missing;
}

/* Lists the columns on standard error, because this is a note and not the output. */
static void train_report_list_columns(const crd_summary *summary, size_t classes, double inserted) {
    static const char *const titles[] = {"column", "type", "family", "values", "missing"};
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    crd_result *r = report_create(NULL);
    crd_result_table *t = crd_result_add_table(r, NULL);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) crd_result_add_column(t, NULL, titles[i]);
    t->columns[1].is_left = t->columns[2].is_left = true;
    for (size_t a = 0; a < summary->attribute_count; a++) {
        crd_column_type type = summary->attributes[a].type;
        crd_cell_name(t, summary->attributes[a].name);
        crd_cell_words(t, crd_column_type_name(type));
        crd_cell_words(t, summary->attributes[a].family);
        if (type == CRD_TYPE_CATEGORICAL) crd_cell_count(t, (double)summary->attributes[a].value_count);
        else crd_cell_null(t);
        crd_cell_count(t, missing_rows(summary, a) - inserted);
    }
    if (summary->target.bytes != NULL) {
        crd_cell_name(t, summary->target);
        crd_cell_words(t, "target");
        crd_cell_null(t);
        crd_cell_count(t, (double)classes);
        crd_cell_null(t);
    }
    report_write(r, &notes);
    crd_result_destroy(r);
}

/* Prints the numbers of attributes by type, and how many have missing values. */
static void sum_up_columns(const crd_summary *summary, size_t classes, double inserted) {
    size_t of_type[CRD_TYPE_TEXT + 1] = {0}, with_missing = 0;
    string target = {0}, texts = {0};
    for (size_t a = 0; a < summary->attribute_count; a++) {
        of_type[summary->attributes[a].type]++;
        if (missing_rows(summary, a) > inserted) with_missing++;
    }
    string_add_shown(&target, summary->target);
    size_t numbers = of_type[CRD_TYPE_NUMERIC], categories = of_type[CRD_TYPE_CATEGORICAL];
    if (of_type[CRD_TYPE_TEXT] > 0)
        string_format(&texts, ", %zu text%s", of_type[CRD_TYPE_TEXT], of_type[CRD_TYPE_TEXT] == 1 ? "" : "s");
    message_note("%zu attributes: %zu number%s, %zu categor%s%s, %zu without values; %zu with missing values",
                 summary->attribute_count, numbers, numbers == 1 ? "" : "s", categories, categories == 1 ? "y" : "ies",
                 string_text(&texts), of_type[CRD_TYPE_NONE], with_missing);
    if (summary->target.bytes != NULL)
        message_note("target '%s' with %zu class%s", string_text(&target), classes, classes == 1 ? "" : "es");
    string_free(&target);
    string_free(&texts);
}

/* Column names, as a list for people and as the value of an option. */
typedef struct column_names {
    string shown, typed;
    size_t count;
} column_names;

static void train_report_add_name(column_names *names, crd_text name) {
    enum { MOST_NAMED = 10 };
    if (names->count++ >= MOST_NAMED) return;
    string_format(&names->shown, "%s'", names->count == 1 ? "" : ", ");
    string_add_shown(&names->shown, name);
    string_add_char(&names->shown, '\'');
    if (names->count > 1) string_add_char(&names->typed, ',');
    list_add_typed(&names->typed, name);
    if (names->count == MOST_NAMED) string_format(&names->shown, " and others");
}

/* Returns whether all values of the attribute that are not missing are the same. */
static bool train_report_is_constant(const crd_summary *summary, size_t attribute) {
    size_t values = 0;
    if (summary->attributes[attribute].type == CRD_TYPE_NUMERIC) {
        const crd_moments moments = crd_summary_column_moments(summary, attribute);
        return moments.rows > 1 && moments.variance == 0;
    }
    if (summary->attributes[attribute].type != CRD_TYPE_CATEGORICAL) return false;
    for (size_t v = 0; v < summary->attributes[attribute].value_count; v++)
        values += crd_summary_value_rows(summary, attribute, v) > 0;
    return values == 1;
}

/* Prints a note about columns that cannot predict anything, because they have no values or only one. */
static void note_constant_columns(const crd_summary *summary) {
    column_names constant = {0}, empty = {0};
    const double rows = summary->rows;
    if (rows < 2) return;
    for (size_t a = 0; a < summary->attribute_count; a++) {
        if (summary->attributes[a].type == CRD_TYPE_TEXT) continue;
        const crd_text name = summary->attributes[a].name;
        if (missing_rows(summary, a) >= rows) train_report_add_name(&empty, name);
        else if (train_report_is_constant(summary, a)) train_report_add_name(&constant, name);
    }
    if (empty.count > 0) message_note("%s ha%s no values", string_text(&empty.shown), empty.count == 1 ? "s" : "ve");
    if (constant.count > 0)
        message_note("%s ha%s only one value%s", string_text(&constant.shown), constant.count == 1 ? "s" : "ve",
                     constant.count == 1 ? ", and predicts nothing" : " each, and predict nothing");
    string_free(&constant.shown);
    string_free(&constant.typed);
    string_free(&empty.shown);
    string_free(&empty.typed);
}

/* Prints a hint if a date column is not used as the time of a sequence model. Its parts are then observations, which
 * is rarely intended. */
static void hint_at_times(const invocation *call, const crd_model *model) {
    crd_schema *schema = NULL;
    if (arguments_have(&call->arguments, "time") || crd_schema_from_model(model, 0, &schema, NULL) != CRD_OK) return;
    for (size_t i = 0; i < crd_schema_column_count(schema); i++) {
        column_names names = {0};
        if (crd_schema_is_ignored(schema, i) || crd_schema_column_parts(schema, i) < 2) continue;
        train_report_add_name(&names, crd_schema_column_name(schema, i));
        message_warning("%s is a date, and its parts are treated as observations: use --time %s to order the steps by "
                        "it, or --ignore %s to skip it",
                        string_text(&names.shown), string_text(&names.typed), string_text(&names.typed));
        string_free(&names.shown);
        string_free(&names.typed);
    }
    crd_schema_destroy(schema);
}

/* Prints notes about the columns. inserted: rows of the summary that are steps between rows; all their values are
 * missing. */
static void report_columns(const crd_summary *summary, size_t classes, double inserted) {
    (summary->attribute_count <= COLUMNS_LISTED ? train_report_list_columns : sum_up_columns)(summary, classes,
                                                                                              inserted);
    note_constant_columns(summary);
}

enum { HEADING_ROOM = 64 };

/* Returns a text about where the column names come from. */
static const char *heading_of(const crd_reader *reader, char buffer[HEADING_ROOM]) {
    switch (crd_reader_format(reader)) {
    case CRD_FORMAT_ARFF: return "the ARFF file declares the columns";
    case CRD_FORMAT_JSON_LINES: return "the keys of the objects name the columns";
    case CRD_FORMAT_COLUMNS: return "each row is a document";
    case CRD_FORMAT_JSON:
    case CRD_FORMAT_AUTO:
    case CRD_FORMAT_DELIMITED: break;
    }
    const unsigned long long line = crd_reader_header_line(reader);
    snprintf(buffer, HEADING_ROOM, "line %llu names the columns", line);
    return line > 1                                   ? buffer
           : crd_reader_has_header(reader)            ? "the first line names the columns"
           : crd_reader_header_assumed_absent(reader) ? "the first line is data: no header (--header yes|no)"
                                                      : "the file has no header";
}

/* Prints notes about sufficient statistics that were dropped because they became too large. If a method needs one,
 * training has already failed. */
static void report_dropped_statistics(const crd_summary *summary) {
    for (size_t i = 0; i < summary->joint_tally_count; i++)
        if (summary->joint_tallies[i].is_dropped)
            message_warning(
                "the statistic '%s' was dropped: these columns have too many value combinations. Settings that "
                "need it are skipped or rejected",
                summary->joint_tallies[i].name);
}

bool train_may_fit(const crd_settings *settings) {
    static const char *const plain[][2] = {
        {"method", "naive"}, {"joint", "none"}, {"attribute-weights", "none"}, {"calibration", "none"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        const char *value = crd_settings_get(settings, plain[i][0]);
        if (value != NULL && strcmp(value, plain[i][1]) != 0) return true;
    }
    return false;
}

/* Prints how the tables of a network were fitted to the rows. */
static int report_fit(const crd_model *model) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    crd_fit *fit = NULL;
    string line = {0};
    crd_error error;
    if (crd_fit_from_model(model, NULL, &fit, &error) != CRD_OK) return message_error(&error);
    if (fit == NULL) return ENDED_WELL;
    fit_text_add(&line, fit, crd_model_settings(model));
    message_note("%s", string_text(&line));
    crd_result *r = report_create(NULL);
    fit_text_report(r, fit, NULL);
    report_write(r, &notes);
    if (fit_text_facts(fit).is_stopped)
        message_warning("the fit was interrupted: the model has the tables reached so far");
    crd_result_destroy(r);
    string_free(&line);
    crd_fit_destroy(fit);
    return ENDED_WELL;
}

/* Warns about nodes without values. They have no states, so they are dropped with their arcs. */
static void warn_of_empty_nodes(const invocation *call, const crd_summary *summary, const crd_settings *settings) {
    const char *arcs = arguments_value(&call->arguments, "arcs");
    if (arcs == NULL || strstr(arcs, "->") == NULL || strcmp(crd_settings_get(settings, "latent-nodes"), "none") != 0)
        return;
    for (size_t a = 0; a < summary->attribute_count; a++) {
        string name = {0};
        if (summary->attributes[a].type == CRD_TYPE_NUMERIC || summary->attributes[a].value_count > 0) continue;
        string_add_shown(&name, summary->attributes[a].name);
        message_warning(
            "'%s' has no values, so the network does not contain this node; --latent-nodes %s:K fits it with K states",
            string_text(&name), string_text(&name));
        string_free(&name);
    }
}

/* Prints a hint to use EM if rows with missing values are not counted. */
static void hint_at_estimator(const crd_summary *summary, const crd_settings *settings) {
    size_t count = 0, numbers = 0;
    if (!method_is_network(crd_settings_get(settings, "method")) ||
        strcmp(crd_settings_get(settings, "estimator"), "counts") != 0 ||
        strcmp(crd_settings_get(settings, "latent-nodes"), "none") != 0)
        return;
    for (size_t a = 0; a < summary->attribute_count; a++) {
        count += missing_rows(summary, a) > 0;
        numbers += summary->attributes[a].type == CRD_TYPE_NUMERIC;
    }
    if (count > 0)
        message_hint("%zu column%s lack%s values, and a row counts for a node only if the node and all its parents are "
                     "present; --estimator em uses all values of a row%s",
                     count, count == 1 ? "" : "s", count == 1 ? "s" : "",
                     numbers == 0 ? "" : ", after --discretize has turned all numbers into ranges");
}

/* Prints a hint to discretize. Classifiers with searched arcs are designed for categories, and normal densities fit
 * few numeric columns. */
static void hint_at_ranges(const invocation *call, const crd_summary *summary) {
    const char *method = arguments_value(&call->arguments, "method");
    size_t numbers = 0;
    if (method == NULL || strcmp(method, "network") == 0 || !method_is_network(method)) return;
    for (size_t a = 0; a < summary->attribute_count; a++) numbers += summary->attributes[a].type == CRD_TYPE_NUMERIC;
    if (numbers > 0)
        message_hint("--method %s fits a normal density to each of %zu numeric column%s; --discretize '*=mdl' turns "
                     "them into ranges, which is often better",
                     method, numbers, numbers == 1 ? "" : "s");
}

/* Prints how many rows lack a value of a joint density, and how they count. */
static int report_incomplete_rows(const crd_model *model) {
    crd_classifier *classifier = NULL;
    crd_error error;
    char buffer[ROWS_ROOM];
    if (!train_may_fit(crd_model_settings(model))) return ENDED_WELL;
    if (crd_model_target(model).bytes == NULL) return ENDED_WELL;
    if (crd_classifier_create(model, NULL, &classifier, &error) != CRD_OK) return message_error(&error);
    for (size_t i = 0; i < crd_classifier_joint_count(classifier); i++) {
        crd_joint joint = CRD_JOINT_INIT;
        if (crd_classifier_joint(classifier, i, &joint, &error) != CRD_OK || !(joint.incomplete_rows > 0)) continue;
        message_note("joint density '%s' of %zu columns: %.0f of %s lack%s a value, and count%s for the values present",
                     joint.name, joint.attribute_count, joint.incomplete_rows,
                     output_rows((uint64_t)joint.rows, buffer), joint.incomplete_rows == 1 ? "s" : "",
                     joint.incomplete_rows == 1 ? "s" : "");
    }
    crd_classifier_destroy(classifier);
    return ENDED_WELL;
}

/* Returns whether skipped rows may be real rows. A few lines without a target may be units or totals; as rows they
 * would change little, but they may change column types. */
static bool skipped_may_be_rows(const crd_read_facts *facts) {
    enum { LEAST_SKIPPED = 5, ROWS_FOR_ONE = 20 };
    return facts->skipped >= LEAST_SKIPPED && facts->skipped >= facts->rows / ROWS_FOR_ONE;
}

/* Prints the notes about training on rows. */
int train_report(const invocation *call, const crd_model *model, crd_reader *reader, const crd_read_facts *facts) {
    const char *shard = arguments_value(&call->arguments, "shard");
    crd_summary *summary = NULL;
    crd_error error;
    char rows[ROWS_ROOM], heading[HEADING_ROOM];
    if (message_is_quiet()) return ENDED_WELL;
    if (shard == NULL) message_note("learned %s; %s", output_rows(facts->rows, rows), heading_of(reader, heading));
    else message_note("learned %s of shard %s", output_rows(facts->rows, rows), shard);
    data_report_rows(model, facts);
    if (skipped_may_be_rows(facts) && shard == NULL && !train_may_fit(crd_model_settings(model)))
        message_hint("use --unlabeled use to learn from rows without a target too");
    /* A shard need not have all values, so its columns are not checked. */
    if (shard != NULL) return ENDED_WELL;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    report_columns(summary, summary->class_count, 0);
    report_dropped_statistics(summary);
    structure_warn_of_values(call, model);
    column_warnings_report(call, summary, reader);
    warn_of_empty_nodes(call, summary, crd_model_settings(model));
    hint_at_estimator(summary, crd_model_settings(model));
    hint_at_ranges(call, summary);
    crd_summary_destroy(summary);
    int ended = report_fit(model);
    return ended == ENDED_WELL ? report_incomplete_rows(model) : ended;
}

enum { SEQUENCES_ROOM = 96 };

/* Returns a text such as "3 sequences of 40 to 52 steps". */
static const char *sequences_of(const crd_read_facts *facts, char buffer[SEQUENCES_ROOM]) {
    const unsigned long long count = facts->sequences, least = facts->shortest, most = facts->longest;
    if (least == most)
        snprintf(buffer, SEQUENCES_ROOM, "%llu sequence%s of %llu step%s%s", count, count == 1 ? "" : "s", most,
                 most == 1 ? "" : "s", count == 1 ? "" : " each");
    else snprintf(buffer, SEQUENCES_ROOM, "%llu sequences of %llu to %llu steps", count, least, most);
    return buffer;
}

/* Prints for each class of sequence classification its number of sequences and of hidden states. */
static void train_report_classes(const crd_model *model) {
    for (size_t k = 0; k < crd_model_sequence_classes(model)->count; k++) {
        string line = {0};
        crd_hmm *hmm = NULL;
        const double count = crd_model_sequence_classes(model)->sequences[k];
        if (crd_hmm_create(crd_model_sequence_classes(model)->models[k], NULL, &hmm, NULL) != CRD_OK) return;
        string_add_shown(&line, crd_model_sequence_classes(model)->names[k]);
        message_note("class %s: %.0f sequence%s, %zu hidden state%s", string_text(&line), count, count == 1 ? "" : "s",
                     crd_hmm_state_count(hmm), crd_hmm_state_count(hmm) == 1 ? "" : "s");
        crd_hmm_destroy(hmm);
        string_free(&line);
    }
}

/* Warns if the labels contain starts or transitions that the settings topology and forbidden exclude. */
static void warn_of_ruled_out(const crd_hmm *hmm) {
    double all = 0;
    const double ruled_out = crd_hmm_ruled_out(hmm, &all);
    if (crd_hmm_facts_of(hmm)->is_hidden || !(ruled_out > 0)) return;
    message_warning("%.0f of %.0f starts and transitions of the data are excluded by topology or forbidden: sequences "
                    "with them have probability 0",
                    ruled_out, all);
    if (strcmp(crd_settings_get(crd_hmm_facts_of(hmm)->settings, "topology"), "ergodic") != 0)
        message_hint("left-to-right orders labels by their names");
}

static bool is_same_word(crd_text text, const char *word) {
    return text.length == strlen(word) && strncasecmp(text.bytes, word, text.length) == 0;
}

/* Warns if the first line is probably a header. Tagged text has no header unless an option says so, and a header
 * read as a row has a label of its own. */
static void warn_of_header(const crd_sequence_options *where, const crd_reader *reader, const crd_summary *summary) {
    static const char *const names[] = {"tag",    "tags",  "pos", "upos",  "xpos",  "postag", "pos_tag", "label",
                                        "labels", "class", "ner", "chunk", "state", "target", "category"};
    if (!where->blank_lines || crd_reader_has_header(reader)) return;
    for (size_t c = 0; c < summary->class_count; c++) {
        const crd_text name = summary->classes[c].name;
        for (size_t i = 0; summary->classes[c].rows == 1 && i < sizeof names / sizeof *names; i++) {
            if (!is_same_word(name, names[i])) continue;
            string shown = {0};
            string_add_shown(&shown, name);
            message_warning("'%s' is a class with one row: the first line probably names the columns",
                            string_text(&shown));
            message_hint("if it does, use --header yes");
            string_free(&shown);
            return;
        }
    }
}

/* Prints the notes about training on sequences: gaps, rows that are too close, and how EM found the states. */
int train_report_sequences(const invocation *call, const crd_model *model, crd_reader *reader,
                           const crd_read_facts *facts) {
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_summary *summary = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    char rows[ROWS_ROOM], buffer[SEQUENCES_ROOM], heading[HEADING_ROOM];
    const char *shard = arguments_value(&call->arguments, "shard");
    if (message_is_quiet()) return ENDED_WELL;
    if (shard != NULL && facts->sequences == 0) message_note("learned no sequence of shard %s", shard);
    else if (shard != NULL)
        message_note("learned %s in %s of shard %s", output_rows(facts->rows, rows), sequences_of(facts, buffer),
                     shard);
    else
        message_note("learned %s in %s; %s", output_rows(facts->rows, rows), sequences_of(facts, buffer),
                     heading_of(reader, heading));
    if (facts->inserted > 0)
        message_note("%llu step%s into gaps and ha%s no observation (--step)", (unsigned long long)facts->inserted,
                     facts->inserted == 1 ? " falls" : "s fall", facts->inserted == 1 ? "s" : "ve");
    if (facts->crowded > 0)
        message_warning(
            "%s %s less than half a step after the previous row, but %scounts as a step; --step may be too long",
            output_rows(facts->crowded, rows), facts->crowded == 1 ? "is" : "are", facts->crowded == 1 ? "" : "each ");
    if (crd_model_sequence_classes(model) != NULL) {
        train_report_classes(model);
        if (shard == NULL && crd_model_sequence_classes(model)->count == 1)
            class_warnings_report_only(crd_model_target(model), crd_model_sequence_classes(model)->names[0]);
        return ENDED_WELL;
    }
    data_report_rows(model, facts);
    if (shard != NULL) return ENDED_WELL;
    if (crd_model_sequence_options(model, &where, &error) == CRD_OK && where.sequence.bytes == NULL &&
        !where.blank_lines)
        message_note("the whole file is one sequence; --sequence COL (or blank) splits it");
    if (crd_hmm_create(model, NULL, &hmm, &error) != CRD_OK) return message_error(&error);
    if (crd_summary_create(model, &summary, &error) != CRD_OK) {
        crd_hmm_destroy(hmm);
        return message_error(&error);
    }
    /* EM learns from all steps, counting only from rows with labels. */
    const double learned = summary->rows - (double)facts->rows;
    report_columns(summary, crd_hmm_state_count(hmm), learned > 0.5 ? (double)facts->inserted : 0);
    hint_at_times(call, model);
    column_warnings_report(call, summary, reader);
    if (!crd_hmm_facts_of(hmm)->is_hidden) warn_of_header(&where, reader, summary);
    if (!crd_hmm_facts_of(hmm)->is_hidden && crd_hmm_state_count(hmm) == 1)
        class_warnings_report_only(summary->target, summary->classes[0].name);
    warn_of_ruled_out(hmm);
    crd_summary_destroy(summary);
    crd_hmm_destroy(hmm);
    return ENDED_WELL;
}

/* The model is already written, so this check has little time and its failures are ignored. */
void train_check_method(const invocation *call, const crd_model *model, crd_reader *reader) {
    crd_method_check check = CRD_METHOD_CHECK_INIT;
    char loss[CRD_NUMBER_ROOM], other[CRD_NUMBER_ROOM], rows[ROWS_ROOM], *warning = NULL;
    if (message_is_quiet() || crd_method_check_run(reader, model, &check, NULL) != CRD_OK) return;
    if (crd_method_check_warning(call->context, &check, &warning, NULL) == CRD_OK && warning != NULL)
        message_warning("%s", warning);
    if (warning != NULL && check.better == NULL) message_hint("--method auto compares other methods");
    crd_free(call->context, warning);
    if (check.better == NULL) return;
    string options = {0};
    for (size_t i = 0; i < CRD_METHOD_CHECK_SETTINGS && check.settings[i].name != NULL; i++)
        string_format(&options, " --%s %s", check.settings[i].name, check.settings[i].value);
    message_hint("%s would be better:%s has log loss %s compared with %s on %s held out; --method auto compares more",
                 check.better, string_text(&options), crd_number_round(check.better_log_loss, other),
                 crd_number_round(check.log_loss, loss), output_rows(check.rows, rows));
    string_free(&options);
}
