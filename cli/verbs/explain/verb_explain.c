/* SPDX-License-Identifier: MIT */
/* verb_explain.c - the verb explain: shows the computation of a prediction term by term, as text or JSON. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "describe/ensemble_members.h"
#include "describe/network_text.h"
#include "describe/term_text.h"
#include "source/data_input.h"
#include "source/given.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/network_model.h"
#include "source/option_scope.h"
#include "source/rule_options.h"
#include "source/sequence_options.h"
#include "verbs/explain/explain_decision.h"
#include "verbs/explain/explain_dependence.h"
#include "verbs/explain/explain_network.h"
#include "verbs/explain/explain_parts.h"
#include "verbs/explain/explain_sequence.h"
#include "verbs/explain/explain_what_if.h"
#include "verbs/explain/explain_worksheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many terms the table of weights lists without --top or --all. */
enum { TERMS_LISTED = 20 };

typedef struct explain_explanation {
    const crd_classifier *classifier;
    crd_rule *rule;      /* NULL: no rule */
    crd_typicality *fit; /* NULL: --typicality is not given */
    what_if what_if;
    ensemble members;           /* the members of an ensemble, which are reported instead of terms */
    crd_dependence *dependence; /* NULL: --data is not given */
    bool all;
    size_t top; /* SIZE_MAX: all terms */
    bool only_top;
    output out;
    crd_result *drawn; /* the written reports, if plots are drawn; NULL: no plots */
    size_t drawn_count;
    bool between; /* --between determined the pair */
    size_t pair[2];
    double *log_posterior, *probabilities;
    double *found_log_posterior, *result; /* before calibration */
    row_choice rows;
    crd_value *values;
    size_t *columns; /* the frame's column of each attribute; SIZE_MAX if the frame lacks it */
} explain_explanation;

/* ---- Which classes are compared ---- */

/* Finds a class by its name. Reports an error with the list of classes if the name is unknown. */
static int explain_find_class(const crd_classifier *classifier, crd_text name, size_t *out) {
    size_t count = crd_classifier_class_count(classifier);
    for (size_t c = 0; c < count; c++) {
        if (!crd_text_equal(crd_classifier_class(classifier, c), name)) continue;
        *out = c;
        return ENDED_WELL;
    }
    string shown = {0};
    string_add_shown(&shown, name);
    message_failed("--between: unknown class '%s'", string_text(&shown));
    string_clear(&shown);
    for (size_t c = 0; c < count; c++) string_add_listed(&shown, c, crd_classifier_class(classifier, c));
    message_hint("the classes are %s", string_text(&shown));
    string_free(&shown);
    return ENDED_FAILED;
}

/* Reads the two classes of --between. */
static int explain_read_pair(const invocation *call, explain_explanation *e) {
    const char *text = arguments_value(&call->arguments, "between");
    list names;
    if (text == NULL) return ENDED_WELL;
    if (!list_split(text, &names) || names.count != 2) {
        list_free(&names);
        return message_usage("--between needs two classes: --between A,B");
    }
    int ended = ENDED_WELL;
    for (size_t i = 0; i < 2 && ended == ENDED_WELL; i++)
        ended = explain_find_class(e->classifier, names.items[i], &e->pair[i]);
    list_free(&names);
    if (ended == ENDED_WELL && e->pair[0] == e->pair[1]) {
        return message_usage("--between needs two different classes, got %s", text);
    }
    e->between = ended == ENDED_WELL;
    return ended;
}

/* Reads --top N|all: how many terms are listed, largest weight first. */
static int read_top(const invocation *call, explain_explanation *e) {
    const char *text = arguments_value(&call->arguments, "top");
    double number = 0;
    e->top = e->all ? SIZE_MAX : TERMS_LISTED;
    if (text == NULL) return ENDED_WELL;
    e->top = SIZE_MAX;
    if (strcmp(text, "all") == 0) return ENDED_WELL;
    if (crd_number_parse(crd_text_of(text), &number) != CRD_NUMBER_FINITE || !(number >= 0 && number <= 0x1p31) ||
        number != floor(number)) {
        return message_usage("--top expects a number of terms, or all, not '%s'", text);
    }
    e->top = (size_t)number;
    e->only_top = true;
    return ENDED_WELL;
}

/* Chooses the predicted class and the next most probable one. */
static void explain_choose_pair(const explain_explanation *e, const crd_answer *answer, reasons *r) {
    size_t classes = crd_classifier_class_count(e->classifier), first = 0, second = SIZE_MAX;
    if (answer->decision >= 0) first = (size_t)answer->decision;
    for (size_t c = 0; c < classes; c++) {
        if (c == first) continue;
        if (second == SIZE_MAX || e->log_posterior[c] > e->log_posterior[second]) second = c;
    }
    r->paired = second != SIZE_MAX;
    r->pair[0] = first;
    r->pair[1] = second;
}

/* ---- Rows ---- */

static int report_row(crd_result *out, explain_explanation *e, const reasons *r, double fit) {
    bool has_terms = e->members.count == 0;
    crd_result_begin(out, CRD_OBJECT, NULL);
    int ended = has_terms ? worksheet_report(out, r)
                          : ensemble_report_row(out, &e->members, r->values, r->probabilities, r->answer);
    if (!has_terms) worksheet_report_decision(out, r);
    if (e->fit != NULL) decision_report_fit(out, fit);
    if (e->rule != NULL) decision_report(out, e->rule, e->classifier, e->log_posterior, e->probabilities);
    if (ended == ENDED_WELL && has_terms) ended = what_if_report(out, &e->what_if, r->values);
    crd_result_end(out);
    return ended;
}

/* Plots are drawn for at most this many rows of DATA. */
enum { ROWS_DRAWN = 20 };

/* Keeps a written report for its plots, or destroys it. */
static void keep_or_destroy(explain_explanation *e, crd_result *written) {
    if (e->drawn != NULL && e->drawn_count <= ROWS_DRAWN) crd_result_append(e->drawn, written);
    else crd_result_destroy(written);
}

static crd_result *create_row_report(const invocation *call, explain_explanation *e) {
    return report_create_for(call, e->drawn_count++ < ROWS_DRAWN);
}

/* Draws the posterior of each class as a bar. */
static int explain_draw_posterior(crd_result *out, const reasons *r) {
    size_t classes = crd_classifier_class_count(r->classifier);
    if (!crd_result_is_for(out, CRD_FOR_PICTURES)) return ENDED_WELL;
    crd_plot_bar *bars = memory_resize(NULL, classes, sizeof *bars);
    for (size_t c = 0; c < classes; c++)
        bars[c] = (crd_plot_bar){.name = crd_classifier_class(r->classifier, c), .value = r->probabilities[c]};
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    plot.bars = bars;
    plot.count = classes;
    plot.are_probabilities = 1;
    options.title = crd_text_of("Posterior");
    crd_status status = crd_plot_draw_bars(crd_result_context(out), &plot, &options, &svg, &error);
    free(bars);
    return report_add_picture(out, status, &svg, &error);
}

/* Explains a row, and writes the report. Takes ownership of the report. */
static int verb_explain_row(explain_explanation *e, crd_result *out, const crd_value *values) {
    crd_answer answer;
    crd_error error;
    double fit = NAN;
    reasons r = {.classifier = e->classifier,
                 .values = values,
                 .log_posterior = e->log_posterior,
                 .probabilities = e->probabilities,
                 .found_log_posterior = e->found_log_posterior,
                 .result = e->result,
                 .answer = &answer,
                 .all = e->all,
                 .top = e->top,
                 .only_top = e->only_top,
                 .paired = e->between,
                 .pair = {e->pair[0], e->pair[1]}};
    int ended = ENDED_WELL;
    if (crd_classifier_uncalibrated(e->classifier, values, e->found_log_posterior, e->result, &answer, &error) !=
            CRD_OK ||
        crd_classifier_posterior(e->classifier, values, e->log_posterior, e->probabilities, &answer, &error) !=
            CRD_OK ||
        (e->fit != NULL && crd_typicality_row(e->fit, values, &answer, &fit, &error) != CRD_OK)) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL && !e->between) explain_choose_pair(e, &answer, &r);
    if (ended == ENDED_WELL) ended = explain_draw_posterior(out, &r);
    if (ended == ENDED_WELL) ended = report_row(out, e, &r, fit);
    if (ended == ENDED_WELL) report_write_line(out, &e->out);
    keep_or_destroy(e, out);
    return ended;
}

static int open_explanation(const invocation *call, explain_explanation *e, const char *formats) {
    if (pictures_path(call) != NULL) e->drawn = report_create_drawn(call);
    int ended = output_open(call, &e->out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &e->out, formats, FORMAT_TABLE);
    if (ended != ENDED_WELL) return ended;
    if (e->out.to_terminal) progress_forbid();
    return ENDED_WELL;
}

/* Writes the opening line of the text report: the settings of the model, or the members of an ensemble. */
static void explain_report_opening(explain_explanation *e) {
    crd_result *r = report_create(e->drawn == NULL ? NULL : crd_result_context(e->drawn));
    string settings = {0};
    term_text_add_settings_of(&settings, e->classifier);
    if (e->members.count == 0) crd_result_line(r, CRD_LIST_LINE, "Settings: %s", string_text(&settings));
    else
        crd_result_line(r, CRD_LINE, "Combined from %zu models, by %s", e->members.count,
                        crd_combine_rule_name(crd_model_rule(e->members.model)));
    report_write_line(r, &e->out);
    keep_or_destroy(e, r);
    string_free(&settings);
}

/* Reports the result of --data after the last row, closes the output, and writes the plots. */
static int close_explanation(const invocation *call, explain_explanation *e, int ended) {
    if (ended == ENDED_WELL && e->dependence != NULL) {
        crd_result *r = report_create_drawn(call);
        ended = dependence_report(r, e->dependence, e->classifier, e->all);
        if (ended == ENDED_WELL) report_write_line(r, &e->out);
        if (e->drawn != NULL) crd_result_append(e->drawn, r);
        else crd_result_destroy(r);
    }
    ended = output_close(&e->out, ended);
    if (ended == ENDED_WELL && e->drawn != NULL) ended = pictures_check_report(e->drawn, call);
    if (ended == ENDED_WELL && e->drawn != NULL) ended = report_write_pictures(e->drawn, call);
    crd_result_destroy(e->drawn);
    e->drawn = NULL;
    return ended;
}

/* Explains the row that --given describes. */
static int verb_explain_given(const invocation *call, const crd_model *model, explain_explanation *e) {
    given g;
    int ended = given_read_attributes(call, model, &g);
    if (ended != ENDED_WELL) return ended;
    given_warn_of_unseen(&g);
    for (size_t a = 0; a < crd_classifier_attribute_count(e->classifier); a++)
        if (g.values[a].type == CRD_TYPE_CATEGORICAL &&
            crd_classifier_attribute_type(e->classifier, a) == CRD_TYPE_TEXT)
            g.values[a].type = CRD_TYPE_TEXT;
    ended = open_explanation(call, e, FORMATS);
    if (ended == ENDED_WELL) {
        explain_report_opening(e);
        ended = verb_explain_row(e, create_row_report(call, e), g.values);
    }
    ended = close_explanation(call, e, ended);
    given_free(&g);
    return ended;
}

/* Finds the frame's column of each attribute. The columns are in the model's order, except that the target may be
 * among them. */
static void explain_match_columns(explain_explanation *e, const crd_frame *frame) {
    size_t columns = crd_frame_column_count(frame), next = 0;
    for (size_t a = 0; a < crd_classifier_attribute_count(e->classifier); a++) {
        crd_text name = crd_classifier_attribute(e->classifier, a);
        e->columns[a] = SIZE_MAX;
        for (size_t tried = 0; tried < columns; tried++) {
            size_t column = (next + tried) % columns;
            if (!crd_text_equal(crd_frame_column_name(frame, column), name)) continue;
            e->columns[a] = column;
            next = column + 1;
            break;
        }
    }
}

/* Explains the chosen rows of a frame. */
static int explain_frame(const invocation *call, explain_explanation *e, const crd_reader *reader,
                         const crd_frame *frame) {
    explain_match_columns(e, frame);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        if (!row_choice_next(&e->rows)) continue;
        for (size_t a = 0; a < crd_classifier_attribute_count(e->classifier); a++) {
            e->values[a] = e->columns[a] == SIZE_MAX ? (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}}
                                                     : crd_frame_value(frame, row, e->columns[a]);
        }
        /* With --row, the opening is written only when the row is found, because the row may not exist. */
        if (e->rows.only > 0) explain_report_opening(e);
        crd_result *out = create_row_report(call, e);
        explain_report_place(out, reader, row, e->rows.seen);
        int ended = verb_explain_row(e, out, e->values);
        if (ended != ENDED_WELL || row_choice_is_done(&e->rows)) return ended;
    }
    return ENDED_WELL;
}

/* Explains the chosen rows of all frames. */
static int verb_explain_frames(const invocation *call, explain_explanation *e, crd_reader *reader) {
    crd_error error;
    if (e->rows.only == 0) explain_report_opening(e);
    while (!row_choice_is_done(&e->rows) && !output_broken(&e->out)) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (status != CRD_OK) return message_error(&error);
        if (frame == NULL) return row_choice_finish(&e->rows, call);
        int ended = explain_frame(call, e, reader, frame);
        if (ended != ENDED_WELL) return ended;
    }
    return ENDED_WELL;
}

/* Reads DATA and explains the chosen rows. */
static int verb_explain_files(const invocation *call, const crd_model *model, explain_explanation *e) {
    const arguments *words = &call->arguments;
    size_t attributes = crd_classifier_attribute_count(e->classifier);
    crd_error error;
    data d;
    int ended = data_open_for(call, model, words->operands + 1, words->operand_count - 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    e->values = memory_resize(NULL, attributes, sizeof *e->values);
    e->columns = memory_resize(NULL, attributes, sizeof *e->columns);
    if (crd_model_bind(model, d.reader, &error) != CRD_OK) {
        ended = message_error(&error);
    } else {
        ended = open_explanation(call, e, e->rows.only > 0 ? FORMATS : FORMATS_OF_EACH_ROW);
        if (ended == ENDED_WELL) ended = verb_explain_frames(call, e, d.reader);
        ended = close_explanation(call, e, ended);
    }
    free(e->values);
    free(e->columns);
    data_close(&d);
    return ended;
}

/* Reports only the result of --data, without a row. */
static int explain_no_row(const invocation *call, explain_explanation *e) {
    int ended = open_explanation(call, e, FORMATS);
    if (ended == ENDED_WELL) explain_report_opening(e);
    return close_explanation(call, e, ended);
}

/* Reads the options for rows, then explains the row of --given or the rows of DATA. */
static int verb_explain_rows(const invocation *call, const crd_model *model, explain_explanation *e) {
    crd_error error;
    for (size_t i = 0; crd_model_member_count(model) > 0 && i < 2; i++) {
        const char *name = i == 0 ? "between" : "top";
        if (!arguments_have(&call->arguments, name)) continue;
        return message_usage("--%s compares attributes, but the model combines other models: explain each of them",
                             name);
    }
    int ended = explain_read_pair(call, e);
    if (ended == ENDED_WELL) ended = read_top(call, e);
    if (ended == ENDED_WELL) ended = row_choice_read(call, &e->rows);
    if (ended == ENDED_WELL) ended = rule_read_for(call, e->classifier, &e->rule);
    if (ended == ENDED_WELL && arguments_have(&call->arguments, "typicality") &&
        crd_typicality_create(model, crd_classifier_settings(e->classifier), &e->fit, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL && crd_model_member_count(model) > 0) {
        ended = ensemble_open(model, e->classifier, &e->members);
    } else if (ended == ENDED_WELL) {
        ended = what_if_open(model, e->classifier, e->rule, e->all, &e->what_if);
    }
    if (ended != ENDED_WELL) return ended;
    return arguments_have(&call->arguments, "given") ? verb_explain_given(call, model, e)
                                                     : verb_explain_files(call, model, e);
}

/* Explains a model as a network, by the settings of the command line and of the model. */
static int explain_as_network(const invocation *call, const crd_model *model, const crd_classifier *classifier) {
    const char *path = call->arguments.operands[0];
    crd_network *network = NULL;
    crd_settings *own_settings = NULL;
    crd_error error;
    int ended = classifier == NULL ? network_model_settings(call, model, &own_settings) : ENDED_WELL;
    const crd_settings *settings = classifier == NULL ? own_settings : crd_classifier_settings(classifier);
    what_if if_result = {0};
    bool is_of_target = classifier != NULL && !arguments_have(&call->arguments, "of");
    if (ended == ENDED_WELL && crd_network_from_model(model, settings, &network, &error) != CRD_OK) {
        const char *subject = arguments_value(&call->arguments, "of");
        if (subject != NULL && error.status == CRD_ERROR_COLUMN && !crd_model_is_network(model)) {
            ended = message_usage("--of explains a node of a network, but %s is not a network", path);
            message_hint("to explain the class by some columns, use --only %s", subject);
        } else {
            ended = message_error_in(&error, path);
        }
    }
    if (ended == ENDED_WELL && is_of_target)
        ended = what_if_open(model, classifier, NULL, arguments_have(&call->arguments, "all"), &if_result);
    if (ended == ENDED_WELL)
        ended = explain_network(call, network, crd_model_target(model),
                                network_model_is_stated(model) ? NULL : settings, is_of_target ? &if_result : NULL);
    what_if_close(&if_result);
    crd_settings_destroy(own_settings);
    crd_network_destroy(network);
    return ended;
}

/* Explains with a model, by the kind of the model and of the input. */
static int explain_with_model(const invocation *call, const crd_model *model, const crd_classifier *classifier,
                              bool from_given) {
    if (classifier == NULL) return explain_as_network(call, model, NULL);
    /* A categorical model is also a network, so any of its nodes can be explained. */
    bool asks_network = arguments_have(&call->arguments, "of") || arguments_have(&call->arguments, "likelihood");
    bool is_network = method_is_network(crd_settings_get(crd_classifier_settings(classifier), "method"));
    if (crd_model_member_count(model) == 0 && (is_network || asks_network)) {
        return explain_as_network(call, model, classifier);
    }
    int refused = option_scope_check_others(call);
    if (refused != ENDED_WELL) return refused;
    explain_explanation e = {.classifier = classifier, .all = arguments_have(&call->arguments, "all")};
    bool has_row = from_given || call->arguments.operand_count > 1;
    e.log_posterior = memory_resize(NULL, crd_classifier_class_count(classifier), sizeof *e.log_posterior);
    e.probabilities = memory_resize(NULL, crd_classifier_class_count(classifier), sizeof *e.probabilities);
    e.found_log_posterior = memory_resize(NULL, crd_classifier_class_count(classifier), sizeof *e.found_log_posterior);
    e.result = memory_resize(NULL, crd_classifier_class_count(classifier), sizeof *e.result);
    int ended = dependence_read(call, model, &e.dependence);
    if (ended == ENDED_WELL) ended = has_row ? verb_explain_rows(call, model, &e) : explain_no_row(call, &e);
    what_if_close(&e.what_if);
    ensemble_close(&e.members);
    crd_dependence_destroy(e.dependence);
    crd_typicality_destroy(e.fit);
    crd_rule_destroy(e.rule);
    free(e.log_posterior);
    free(e.probabilities);
    free(e.found_log_posterior);
    free(e.result);
    return ended;
}

static int explain_file(const invocation *call) {
    crd_network *network = NULL;
    const arguments *words = &call->arguments;
    int ended = option_scope_check_network(call, true);
    if (ended == ENDED_WELL) ended = model_operand_open_network(call, words->operands[0], &network, NULL);
    if (ended == ENDED_WELL) ended = explain_network(call, network, (crd_text){NULL, 0}, NULL, NULL);
    crd_network_destroy(network);
    return ended;
}

/* Explains items of sequences. Sets *is_one to whether the first operand is a sequence model. */
static int explain_items(const invocation *call, bool *is_one) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_file_kind kind = CRD_FILE_ROWS;
    *is_one = false;
    int ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL || (kind != CRD_FILE_MODEL && !sequence_options_are_given(call))) return ended;
    ended = model_operand_open(call, path, &model);
    *is_one = ended == ENDED_WELL && crd_model_is_sequence(model);
    if (*is_one) ended = pictures_refuse(call);
    if (*is_one && ended == ENDED_WELL) ended = explain_sequence(call, model);
    if (ended == ENDED_WELL && !*is_one) model_operand_keep(call, path, model);
    else crd_model_destroy(model);
    return ended;
}

static int explain_run(invocation *call) {
    crd_file_kind kind = CRD_FILE_ROWS;
    bool is_of_sequences = false;
    if (arguments_have(&call->arguments, "row") && call->arguments.operand_count < 2)
        return message_usage("--row needs DATA: explain MODEL DATA --row N");
    int ended = input_file_detect(call, call->arguments.operands[0], &kind);
    if (ended == ENDED_WELL && kind == CRD_FILE_NETWORK) return explain_file(call);
    if (ended == ENDED_WELL) ended = explain_items(call, &is_of_sequences);
    if (ended != ENDED_WELL || is_of_sequences) return ended;
    bool needs_row = !arguments_have(&call->arguments, "data") && !arguments_have(&call->arguments, "likelihood") &&
                     !arguments_have(&call->arguments, "of");
    return model_operand_answer(call, "explain", needs_row, false, explain_with_model);
}

static const option options[] = {
    OPTION_GIVEN,
    {"row", 0, "N", .help = "only row N of DATA, counted from 1", .conflicts = "given", .is_once = true},
    {"between", 0, "A,B", .help = "weight of evidence for class A against class B", .scope = SCOPE_NOT_NETWORKS},
    {"top", 0, "N|all", .help = "the N terms of largest weight; the others are summed (20)",
     .scope = SCOPE_NOT_NETWORKS | SCOPE_NOT_SEQUENCES, .is_once = true},
    OPTIONS_OF_RULE,
    OPTION_FIT,
    OPTION_LABELED,
    {"all", 0, NULL, .help = "all terms, counterfactuals, missing values and pairs"},
    {"of", 0, "NODE[=STATE]", .help = "network: the node, or state, whose posterior is explained",
     .scope = SCOPE_NETWORKS},
    OPTION_DO,
    OPTION_LIKELIHOOD,
    OPTIONS_OF_ESTIMATES,
    OPTION_FORMAT,
    OPTION_PLOT,
    OPTION_OUTPUT,
    OPTIONS_OF_SEQUENCES,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};

const verb verb_explain = {
    .name = "explain",
    .usage =
        "explain MODEL DATA... [--row N] | explain MODEL --given COL=VALUE,... | explain MODEL --data FILE | explain "
        "NETWORK --of NODE --given NODE=STATE,...",
    .summary = "Explain a prediction, term by term",
    .about =
        "For each class, explain prints the prior, the likelihood of each attribute, their product, the evidence and "
        "the posterior. Then it prints the weight of evidence of each attribute for the predicted class against the "
        "runner-up, or for the classes of --between. The 20 largest weights are listed, or as many as --top requests, "
        "and the others are summed. For text columns it lists the weights of words and marks them in the text. At the "
        "end come counterfactuals and the expected information gain of missing values.\n\n"
        "A counterfactual is the smallest change of a single value that changes the decision, measured in standard "
        "deviations of its attribute. With --cost, --reject or --threshold, the decision is also explained. "
        "--typicality "
        "adds the typicality of the row. --data FILE contains rows with their classes, such as the training rows. It "
        "reports which pairs of attributes are dependent given the class, and which setting models the dependence.\n\n"
        "Joint densities and pairs have their own lines. For an ensemble, the posterior of each member is shown. The "
        "JSON output is one object per row. Its log_prior and log_values add up to log_joint, and log_joint minus "
        "log_evidence is log_posterior (before calibration). weights contains the weight of evidence of all terms, "
        "changes the counterfactual of every attribute, and missing the information gain of every missing value. "
        "--data adds an object with the pairs.\n\n"
        "Networks: explain prints the posterior of the node --of given each finding alone, without it, and with all "
        "evidence. It reports the finding with the largest impact, the findings that explain others away, and the "
        "paths along which each finding acts.\n\n"
        "Sequence models: for each item of DATA, explain prints how the earlier observations (past), its own "
        "observation and the later observations (future) contribute to each state. Their sum is the log posterior, up "
        "to normalization. Then it prints the weight of evidence for the most probable state against the next, column "
        "by column, and whether the most probable path differs.",
    .example = "  credence example tennis > days.csv\n"
               "  credence explain days.csv --target Play --smoothing none \\\n"
               "    --given Outlook=Sunny,Temperature=Cool,Humidity=High,Wind=Strong\n"
               "  credence example burglary > burglary.bif\n"
               "  credence explain burglary.bif --of Burglary --given Alarm=True,Earthquake=True\n",
    .essentials = "given|row|between|top|all|of|data|cost|plot|format|smoothing",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "MODEL, and DATA or --given",
    .has_mail_model = true,
    .reads_operands = true,
    .data_at = 2,
    .instead_of_data = "given|data|likelihood|of",
    .run = explain_run};
