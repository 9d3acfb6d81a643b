/* SPDX-License-Identifier: MIT */
/* verb_train.c - learns a model from tables, and says what it understood of them. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "describe/fit_text.h"
#include "source/auto_method.h"
#include "source/column_warnings.h"
#include "source/data_input.h"
#include "source/latent_training.h"
#include "source/model_or_table.h"
#include "source/searched_structure.h"
#include "source/structure_option.h"
#include "source/unlabelled_training.h"

#include <string.h>

/* A log loss is worse than that of the class prior beyond so many standard errors, and so much. */
static const double WORSE_ERRORS = 2, WORSE = 0.01;

/* Tables of more columns are summed up by kind. */
enum { COLUMNS_LISTED = 40 };

static const char *kind_name(crd_kind kind) {
    switch (kind) {
    case CRD_KIND_NUMBER: return "number";
    case CRD_KIND_CATEGORY: return "category";
    case CRD_KIND_NONE: break;
    }
    return "none yet";
}

/* Sums of weights are rounded, and their differences show it. */
static const double ROUNDING = 1e-12;

/* Rows in which the attribute is missing. */
static double missing_rows(const crd_summary *summary, size_t attribute) {
    double rows = crd_summary_rows(summary), present = 0;
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) present += crd_summary_present(summary, attribute, c);
    double missing = rows - present;
    return missing < rows * ROUNDING ? 0 : missing;
}

/* On standard error: it is a note, not an answer. */
static void list_columns(const crd_summary *summary) {
    static const char *const titles[] = {"column", "kind", "family", "values", "missing"};
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    report *r = report_create();
    report_table *t = report_add_table(r, NULL);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) column_add(t, NULL, titles[i]);
    t->columns[1].is_left = t->columns[2].is_left = true;
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) {
        crd_kind kind = crd_summary_kind(summary, a);
        cell_name(t, crd_summary_attribute(summary, a));
        cell_words(t, kind_name(kind));
        cell_words(t, crd_summary_family(summary, a));
        if (kind == CRD_KIND_CATEGORY) cell_count(t, (double)crd_summary_value_count(summary, a));
        else cell_null(t);
        cell_count(t, missing_rows(summary, a));
    }
    if (crd_summary_target(summary).bytes != NULL) {
        cell_name(t, crd_summary_target(summary));
        cell_words(t, "target");
        cell_null(t);
        cell_count(t, (double)crd_summary_class_count(summary));
        cell_null(t);
    }
    report_write(r, &notes);
    report_destroy(r);
}

static void sum_up_columns(const crd_summary *summary) {
    size_t of_kind[3] = {0}, with_missing = 0;
    string target = {0};
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) {
        of_kind[crd_summary_kind(summary, a)]++;
        if (missing_rows(summary, a) > 0) with_missing++;
    }
    string_add_shown(&target, crd_summary_target(summary));
    size_t numbers = of_kind[CRD_KIND_NUMBER], categories = of_kind[CRD_KIND_CATEGORY];
    size_t classes = crd_summary_class_count(summary);
    message_note("%zu attributes: %zu number%s, %zu categor%s, %zu without a cell; cells are missing in %zu",
                 crd_summary_attribute_count(summary), numbers, numbers == 1 ? "" : "s", categories,
                 categories == 1 ? "y" : "ies", of_kind[CRD_KIND_NONE], with_missing);
    if (crd_summary_target(summary).bytes != NULL)
        message_note("target '%s' with %zu class%s", string_text(&target), classes, classes == 1 ? "" : "es");
    string_free(&target);
}

/* Where the columns come from. */
static const char *heading_of(const crd_reader *reader) {
    switch (crd_reader_format(reader)) {
    case CRD_FORMAT_ARFF: return "the ARFF file declares the columns";
    case CRD_FORMAT_JSON_LINES: return "the keys of all objects are the columns";
    case CRD_FORMAT_JSON:
    case CRD_FORMAT_COLUMNS:
    case CRD_FORMAT_AUTO:
    case CRD_FORMAT_DELIMITED: break;
    }
    return crd_reader_has_header(reader) ? "the first line names the columns"
           : crd_reader_header_assumed_absent(reader)
               ? "the first line is all numbers, so it was taken for data (--header yes|no)"
               : "there is no header";
}

/* Tallies that became too large. A method that needs one was refused before. */
static void say_what_was_given_up(const crd_summary *summary) {
    for (size_t i = 0; i < crd_summary_joint_tally_count(summary); i++)
        if (crd_summary_joint_tally_is_given_up(summary, i))
            message_warning("the tally '%s' was given up: these columns have too many values together, so that what "
                            "reads it is left out, or refused",
                            crd_summary_joint_tally(summary, i));
}

/* Whether something may be fitted to the rows that were kept, which takes its time. */
static bool may_fit(const crd_settings *settings) {
    static const char *const plain[][2] = {
        {"method", "naive"}, {"joint", "none"}, {"exponents", "none"}, {"calibration", "none"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        const char *value = crd_settings_get(settings, plain[i][0]);
        if (value != NULL && strcmp(value, plain[i][1]) != 0) return true;
    }
    return false;
}

/* How the tables of a network were fitted to the rows. */
static int report_fit(const crd_model *model) {
    output notes = {.stream = stderr, .format = FORMAT_TABLE};
    crd_fit_report *fit = NULL;
    string line = {0};
    crd_error error;
    if (crd_fit_report_create(model, NULL, &fit, &error) != CRD_OK) return message_error(&error);
    if (fit == NULL) return ENDED_WELL;
    fit_text_add(&line, fit, crd_model_settings(model));
    message_note("%s", string_text(&line));
    report *r = report_create();
    fit_text_report(r, fit);
    report_write(r, &notes);
    if (crd_fit_report_is_stopped(fit))
        message_warning("the fit was stopped before its end: the model has the tables that it had come to");
    report_destroy(r);
    string_free(&line);
    crd_fit_report_destroy(fit);
    return ENDED_WELL;
}

/* A node without any cell has no states, and is left out with its arcs. */
static void warn_of_empty_nodes(const invocation *call, const crd_summary *summary, const crd_settings *settings) {
    const char *arcs = arguments_value(&call->arguments, "structure");
    if (arcs == NULL || strstr(arcs, "->") == NULL || strcmp(crd_settings_get(settings, "hidden"), "none") != 0) return;
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) {
        string name = {0};
        if (crd_summary_kind(summary, a) == CRD_KIND_NUMBER || crd_summary_value_count(summary, a) > 0) continue;
        string_add_shown(&name, crd_summary_attribute(summary, a));
        message_warning("'%s' has no cell, so that the network has no such node; --hidden %s:K fits it with K states",
                        string_text(&name), string_text(&name));
        string_free(&name);
    }
}

/* Tables that are counted leave out families that are not complete. */
static void hint_at_estimator(const crd_summary *summary, const crd_settings *settings) {
    size_t count = 0, numbers = 0;
    if (!method_is_network(crd_settings_get(settings, "method")) ||
        strcmp(crd_settings_get(settings, "estimator"), "counts") != 0 ||
        strcmp(crd_settings_get(settings, "hidden"), "none") != 0)
        return;
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) {
        count += missing_rows(summary, a) > 0;
        numbers += crd_summary_kind(summary, a) == CRD_KIND_NUMBER;
    }
    if (count > 0)
        message_hint(
            "%zu column%s lack%s cells, and a row counts for a node where it has the node and all its parents; "
            "--estimator em takes in all that a row has%s",
            count, count == 1 ? "" : "s", count == 1 ? "s" : "",
            numbers == 0 ? "" : ", once --discretize makes ranges of all numbers");
}

/* Classifiers by searched arcs are of categories first: normal densities fit few columns of numbers. */
static void hint_at_ranges(const invocation *call, const crd_summary *summary) {
    const char *method = arguments_value(&call->arguments, "method");
    size_t numbers = 0;
    if (method == NULL || strcmp(method, "network") == 0 || !method_is_network(method)) return;
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++)
        numbers += crd_summary_kind(summary, a) == CRD_KIND_NUMBER;
    if (numbers > 0)
        message_hint("--method %s has a normal density for each of %zu column%s of numbers; --discretize '*=mdl' makes "
                     "ranges of them, which often does better",
                     method, numbers, numbers == 1 ? "" : "s");
}

/* Rows that lack a cell of a joint density, and how they count. */
static int report_incomplete_rows(const crd_model *model) {
    crd_classifier *classifier = NULL;
    crd_error error;
    char room[ROWS_ROOM];
    if (!may_fit(crd_model_settings(model))) return ENDED_WELL;
    if (crd_model_target(model).bytes == NULL) return ENDED_WELL;
    if (crd_classifier_create(model, NULL, &classifier, &error) != CRD_OK) return message_error(&error);
    for (size_t i = 0; i < crd_classifier_joint_count(classifier); i++) {
        crd_joint joint = CRD_JOINT_INIT;
        if (crd_classifier_joint(classifier, i, &joint, &error) != CRD_OK || !(joint.incomplete_rows > 0)) continue;
        message_note("joint density '%s' of %zu columns: %.0f of %s lack%s a cell, and count%s for the cells present",
                     joint.name, joint.attribute_count, joint.incomplete_rows, output_rows((uint64_t)joint.rows, room),
                     joint.incomplete_rows == 1 ? "s" : "", joint.incomplete_rows == 1 ? "s" : "");
    }
    crd_classifier_destroy(classifier);
    return ENDED_WELL;
}

static int say_what_was_understood(const invocation *call, const crd_model *model, crd_reader *reader,
                                   const crd_read_facts *facts) {
    const char *shard = arguments_value(&call->arguments, "shard");
    crd_summary *summary = NULL;
    crd_error error;
    char rows[ROWS_ROOM];
    if (message_is_quiet()) return ENDED_WELL;
    if (shard == NULL) message_note("learned %s; %s", output_rows(facts->rows, rows), heading_of(reader));
    else message_note("learned %s of shard %s", output_rows(facts->rows, rows), shard);
    data_report_rows(model, facts);
    if (facts->skipped > 0 && shard == NULL && !may_fit(crd_model_settings(model)))
        message_hint("--unlabelled use learns from rows without a target, too");
    /* What a part of the rows makes doubtful need not be so in the whole. */
    if (shard != NULL) return ENDED_WELL;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    if (crd_summary_attribute_count(summary) <= COLUMNS_LISTED) {
        list_columns(summary);
    } else {
        sum_up_columns(summary);
    }
    say_what_was_given_up(summary);
    structure_warn_of_values(call, model);
    column_warnings_report(call, summary, reader);
    warn_of_empty_nodes(call, summary, crd_model_settings(model));
    hint_at_estimator(summary, crd_model_settings(model));
    hint_at_ranges(call, summary);
    crd_summary_destroy(summary);
    int ended = report_fit(model);
    return ended == ENDED_WELL ? report_incomplete_rows(model) : ended;
}

static int check_target(const invocation *call, const crd_model *model, const crd_reader *reader) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    int ended = column_warnings_check_target(call, summary, reader);
    crd_summary_destroy(summary);
    return ended;
}

/* A prior that does not fit the classes would make a model that answers nothing. */
static int check_settings(const invocation *call, crd_model *model, int *ending) {
    crd_error error;
    if (may_fit(crd_model_settings(model))) progress_say("all is read; fitting the method to the rows that were kept");
    crd_status status = crd_model_fit(model, &error);
    progress_erase();
    if (status != CRD_OK) return message_error(&error);
    /* Tables that were being fitted are kept as they were then. */
    if (invocation_interrupted() && *ending == ENDED_WELL) {
        *ending = invocation_interrupted_exit();
        crd_context_resume(call->context);
    }
    return model_or_table_check_answers(model, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* A part of the rows keeps them, so that the structure is searched for once all are merged. */
static crd_status train_on_rows(const invocation *call, data *d, const crd_settings *settings,
                                const crd_structure_options *options, const char *tallies, crd_model **model,
                                crd_read_facts *facts, int *ending, crd_error *error) {
    if (searched_structure_is_stated(settings) && !arguments_have(&call->arguments, "shard"))
        return searched_structure_train(call, d, settings, options, tallies, model, facts, ending, error);
    return tallies == NULL
               ? crd_model_train(call->context, d->reader, settings, model, facts, error)
               : crd_model_train_keeping(call->context, d->reader, settings, crd_text_of(tallies), model, facts, error);
}

/* As the options state the method. */
static int train_by_settings(const invocation *call, data *d, const char *tallies, crd_model **model,
                             crd_read_facts *facts, int *ending) {
    crd_settings *settings = NULL;
    crd_error error;
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    int ended = arguments_apply_settings(&call->arguments, settings);
    crd_status status = CRD_OK;
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    options.threads = crd_reader_threads(d->reader);
    if (ended == ENDED_WELL) ended = searched_structure_options(call, &options);
    if (ended == ENDED_WELL && options.resamples > 0 && !searched_structure_is_stated(settings))
        ended =
            message_usage("--bootstrap is of a search: name it with --structure, such as hill-climb, or --method tan");
    if (ended == ENDED_WELL && arguments_have(&call->arguments, "format") && !searched_structure_is_stated(settings))
        ended = message_usage("--format prints what a search found: name it with --structure, such as hill-climb, or "
                              "--method tan");
    if (ended == ENDED_WELL) status = train_on_rows(call, d, settings, &options, tallies, model, facts, ending, &error);
    if (status != CRD_OK) {
        ended = data_report_untrained(call, d, &error, call->arguments.operands[0]);
        if (error.status == CRD_ERROR_SYNTAX && arguments_have(&call->arguments, "line-rows")) {
            message_hint("if cells in quotes hold line ends, --line-rows must be left out");
        }
    }
    crd_settings_destroy(settings);
    return ended;
}

static int train(const invocation *call, data *d, crd_model **model, crd_read_facts *facts, int *ending) {
    bool uses_unlabelled = false;
    crd_unlabelled_options unlabelled = CRD_UNLABELLED_OPTIONS_INIT;
    int ended = unlabelled_training_read(call, &uses_unlabelled, &unlabelled);
    if (ended != ENDED_WELL) return ended;
    if (data_has_hidden_target(call))
        return latent_training_run(call, d, call->arguments.operands[0], model, facts, ending);
    if (uses_unlabelled) return unlabelled_training_run(call, d, call->arguments.operands[0], model, facts);
    const char *tallies = arguments_value(&call->arguments, "tally");
    bool has_grid = arguments_have(&call->arguments, "grid");
    string names = {0};
    if (tallies != NULL) string_format(&names, "%s%s", tallies, has_grid ? ",grid" : "");
    else if (has_grid) string_format(&names, "grid");
    const char *kept = tallies != NULL || has_grid ? string_text(&names) : NULL;
    ended = auto_method_is_given(&call->arguments)
                ? auto_method_train(call, d, call->arguments.operands[0], kept, model, facts)
                : train_by_settings(call, d, kept, model, facts, ending);
    string_free(&names);
    return ended;
}

/* The model is there by now: what is said of it is worth little time, and no failure. */
static void check_method(const crd_model *model, crd_reader *reader) {
    crd_method_check check = CRD_METHOD_CHECK_INIT;
    char loss[ROUNDED_ROOM], other[ROUNDED_ROOM], rows[ROWS_ROOM];
    if (message_is_quiet() || crd_method_check_run(reader, model, &check, NULL) != CRD_OK) return;
    if (check.excess > WORSE_ERRORS * check.excess_error && check.excess > WORSE)
        message_warning("naive Bayes does worse than the class prior: log loss %s to %s on %s held out%s",
                        output_round(check.log_loss, loss), output_round(check.baseline_log_loss, other),
                        output_rows(check.rows, rows),
                        check.better == NULL ? "; evaluate --compare shows whether anything does better" : "");
    if (check.better == NULL) return;
    string options = {0};
    for (size_t i = 0; i < CRD_METHOD_CHECK_SETTINGS && check.settings[i].name != NULL; i++)
        string_format(&options, " --%s %s", check.settings[i].name, check.settings[i].value);
    message_hint("%s would do better:%s has log loss %s to %s on %s held out; --method auto compares more",
                 check.better, string_text(&options), output_round(check.better_log_loss, other),
                 output_round(check.log_loss, loss), output_rows(check.rows, rows));
    string_free(&options);
}

static int learn(const invocation *call, data *d, const char *path) {
    crd_model *model = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    int ending = ENDED_WELL;
    int ended = data_choose_columns(call, d, call->arguments.operands[0], true);
    if (ended == ENDED_WELL) ended = train(call, d, &model, &facts, &ending);
    /* A part of the rows need not have all classes. */
    const bool is_latent = data_has_hidden_target(call);
    if (ended == ENDED_WELL && !arguments_have(&call->arguments, "shard") && !is_latent)
        ended = check_target(call, model, d->reader);
    if (ended == ENDED_WELL && !arguments_have(&call->arguments, "shard")) ended = check_settings(call, model, &ending);
    if (ended == ENDED_WELL && crd_model_save(model, path, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) ended = say_what_was_understood(call, model, d->reader, &facts);
    if (ended == ENDED_WELL && !arguments_have(&call->arguments, "shard") && !is_latent) check_method(model, d->reader);
    crd_model_destroy(model);
    return ended == ENDED_WELL ? ending : ended;
}

static int run(invocation *call) {
    const arguments *given = &call->arguments;
    const char *path = arguments_value(given, "output");
    bool has_target = arguments_have(given, "target") || arguments_have(given, "schema") || call->structure != NULL ||
                      data_has_hidden_target(call);
    if (path == NULL && has_target) {
        return message_usage("train needs a file to write the model to: -o MODEL");
    }
    data d;
    int ended = data_open(call, given->operands, given->operand_count, false, &d);
    if (ended != ENDED_WELL) return ended;
    ended = learn(call, &d, path);
    data_close(&d);
    return ended;
}

static const option options[] = {
    OPTION_TARGET,
    OPTION_MODEL_OUTPUT,
    OPTION_WEIGHT,
    OPTION_NUMBER,
    OPTION_CATEGORY,
    OPTION_FORM,
    OPTION_IGNORE,
    OPTION_ONLY,
    OPTION_DISCRETIZE,
    {"classes-by", 0, "bic|held-out", .help = "--hidden NAME: what the number of latent classes is chosen by (bic)",
     .needs = "hidden", .is_once = true},
    {"most-classes", 0, "N", .help = "--hidden NAME: most latent classes to choose from (12)", .needs = "hidden",
     .is_once = true},
    {"unlabelled", 0, "drop|use[:W]",
     .help = "rows whose target is missing: left out (drop), or learned from, at a weight chosen by held-out labels",
     .conflicts = "shard structure tally grid method=auto", .is_once = true},
    {"tally", 0, "NAME,...|all",
     .help = "further sufficient statistics to keep, for families and methods chosen later"},
    {"grid", 0, NULL, .help = "the same as --tally grid"},
    {"patience", 0, "SECONDS", .help = "--method auto: leave out candidates that take longer (120)", .needs = "method"},
    {"bootstrap", 0, "N", .help = "search N resamples of the rows: how sure each arc is, and the averaged network",
     .conflicts = "shard", .is_once = true},
    {"threshold", 0, "S", .help = "strength above which the averaged network has an arc (found from all strengths)",
     .needs = "bootstrap", .is_once = true},
    {"seed", 0, "N", .help = "seed of --bootstrap, --restarts and latent classes (1)", .is_once = true},
    {"format", 0, FORMATS,
     .help = "prints all arcs that a search found, and whether they are directed; with --bootstrap how sure they are",
     .needs = "structure method", .conflicts = "shard unlabelled method=auto", .is_once = true},
    OPTION_SCHEMA,
    {"shard", 0, "I/N", .help = "train on the I-th of N parts of the rows, to be merged; needs --schema",
     .needs = "schema", .hint = "it is made first, from all rows: credence schema DATA... --target COL -o SCHEMA"},
    {"line-rows", 0, NULL, .help = "every row is one line: a shard need not scan what is before it"},
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};

const verb verb_train = {
    .name = "train",
    .usage = "train DATA... --target COL -o MODEL | train DATA... --method network --structure ARCS|FILE -o "
             "MODEL | train DATA... --hidden NAME[:K] -o MODEL",
    .summary = "Train a model from tables",
    .about =
        "A column is numeric if all of its cells that are not missing are numbers, else categorical; the "
        "target is always categorical. Rows whose target is missing are skipped, unless "
        "--unlabelled use learns from them by EM, at a weight that held-out labels choose. The model file holds "
        "sufficient statistics; settings given here are stored as its defaults.\n\n"
        "--hidden NAME:K without a target or structure finds K latent classes NAME in the rows, by EM over naive Bayes "
        "whose class is hidden; without K, --classes-by chooses their number. predict assigns them, show describes "
        "each against the rest, evaluate --against compares them with labels.\n\n"
        "With --weight a row counts as many times as its number in that column, which need not be whole: a "
        "row of weight 3 is three rows, one of weight 0 is none. update and forget then need the column "
        "too.\n\n"
        "For numeric columns the count, sum and sum of squares are kept. Families of densities that need "
        "further statistics keep them where --family names them; --tally keeps them for later use: signs "
        "(numbers of negative, zero, one, whole and fractional cells), logs (sums of logarithms), extremes "
        "(minimum and maximum; such a model cannot forget), grid (a histogram of up to 4,096 values or "
        "cells; --grid for short); all is these four.\n\n"
        "--method and --joint keep the joint statistics they need, and --tally names those too: cells "
        "(counts of combinations of categories), cross (sums of products of numbers), pairs (counts of "
        "every pair of attributes' values), rows (up to 65,536 of the rows themselves; the model cannot "
        "forget once it had to leave some out), groups (sums of products of numbers by combination of "
        "categories).\n\n"
        "--method auto compares methods and families by cross-validation, as evaluate --compare does, and trains what "
        "is recommended; the model has the settings chosen, and a note states what was chosen, why, and among how "
        "many. It takes as long as the comparison.\n\n"
        "--method network estimates the conditional probability tables (CPTs) of a Bayesian network whose "
        "arcs --structure names: 'A->B,C->B' (a name with a comma or '->' in it stands in double quotes), "
        "or a network file, whose states are then known though no row may have them. Columns "
        "of numbers are continuous nodes, linear in their continuous parents, but for a few whole numbers, which are "
        "codes (--category, --number); a category has no such parent. Columns without a node are left out, with a "
        "note. No --target is needed: no row is skipped then, and a "
        "row counts for each node that is present with all its parents. --estimator em, or gradient, fits the CPTs to "
        "all that rows with missing cells have, and --hidden NAME:K declares nodes of the structure that are no "
        "columns, with K states. query computes any posterior of "
        "such a model; predict and evaluate predict the node that --target names there.\n\n"
        "A search in the place of arcs finds them in the rows: --structure hill-climb, tabu or exact maximises "
        "--score, "
        "pc tests independence at --alpha, chow-liu is the best tree; tan and kdb:K, also as --method, have the target "
        "for a parent of all. --required, --forbidden, --tiers and --most-parents constrain the result. The model has "
        "the arcs found, and no rows. --bootstrap N searches N resamples, prints how sure each arc is, and trains the "
        "averaged network.\n\n"
        "With --shard I/N only one of N parts of the rows is learned, which may be none; merge gives the "
        "model of all rows, to the byte, in any order. All shards need the same files and options. Quoted "
        "fields may contain line ends, so that a shard scans what is before it, unless --line-rows promises "
        "that every row is one line.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence train days.csv --target Play -o best.model --method auto\n"
               "  credence train days.csv --method network --structure 'Outlook->Play,Wind->Play' -o net.model\n"
               "  credence train days.csv --structure hill-climb -o found.model\n",
    .essentials = "target|output|method|family|smoothing|ignore|category|weight",
    .options = options,
    .takes_settings = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA: a file, several, or -",
    .reads_operands = true,
    .data_at = 1,
    .run = run};
