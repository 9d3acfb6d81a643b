/* SPDX-License-Identifier: MIT */
/* verb_show.c - the verb show: priors, conditional tables, means and standard deviations, densities and cut points
 * of a model. */
#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "describe/ensemble_members.h"
#include "describe/network_text.h"
#include "describe/part_list.h"
#include "describe/term_text.h"
#include "source/comparison_text.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/network_model.h"
#include "source/option_scope.h"
#include "verbs/show/show_attributes.h"
#include "verbs/show/show_components.h"
#include "verbs/show/show_contrast.h"
#include "verbs/show/show_curves.h"
#include "verbs/show/show_network.h"
#include "verbs/show/show_pictures.h"
#include "verbs/show/show_sequence.h"
#include "verbs/show/show_values.h"

#include <stdlib.h>
#include <string.h>

/* The maximum numbers without --all. */
enum { ATTRIBUTES_SHOWN = 50, ESTIMATES = 32 };

typedef struct show_view {
    crd_context *context;
    const crd_classifier *classifier;
    const crd_summary *summary;
    const crd_model *model;
    const crd_hmm *hmm; /* the HMM whose states are the classes; NULL: the model is not for sequences */
    crd_result *report;
    bool all;
    bool contrasts;  /* compare each class with the rest */
    bool curves;     /* add points of densities and nomograms to JSON */
    size_t *classes; /* the classes to show, ascending */
    size_t class_count;
    attribute_view *attributes; /* the attributes to show */
    size_t count;
} show_view;

/* ---- The whole ---- */

/* Reports the prior probability of each class. */
static int show_report_classes(show_view *v) {
    crd_result_heading(v->report, 2, "Classes", "");
    crd_result_table *t = crd_result_add_table(v->report, "classes");
    t->is_wrapped = t->is_transposed = true;
    crd_result_add_column(t, "class", "");
    crd_result_add_column(t, "rows", "rows");
    crd_result_add_column(t, "prior", "prior");
    for (size_t i = 0; i < v->class_count; i++) {
        crd_term term = CRD_TERM_INIT;
        crd_error error;
        size_t c = v->classes[i];
        if (crd_classifier_prior(v->classifier, c, &term, &error) != CRD_OK) return message_error(&error);
        crd_cell_name(t, v->summary->classes[c].name);
        crd_cell_count(t, v->summary->classes[c].rows);
        attribute_add_term(t, &term);
    }
    size_t hidden = v->summary->class_count - v->class_count;
    if (hidden > 0)
        crd_result_line(v->report, CRD_REMARK, "and %zu classes with fewer rows, here and below (--all)", hidden);
    /* If columns were chosen, the pictures show only these. */
    if (v->count < crd_classifier_attribute_count(v->classifier)) return ENDED_WELL;
    int ended = picture_prior(v->report, v->classifier, v->classes, v->class_count);
    return ended == ENDED_WELL ? picture_nomograms(v->report, v->classifier, v->summary->target) : ended;
}

/* Appends a count of parameters, such as "12 means" or "1 class probability". The name of an estimate is a plural.
 * The singular of -ies ends in -y, and otherwise the -s is dropped. */
static void show_add_estimate(string *out, const crd_estimate *estimate) {
    size_t length = strlen(estimate->what);
    bool ies = length > 3 && strcmp(estimate->what + length - 3, "ies") == 0;
    string_format(out, "%llu ", (unsigned long long)estimate->count);
    if (estimate->count == 1) length -= ies ? 3 : 1;
    string_add(out, estimate->what, length);
    if (estimate->count == 1 && ies) string_add_char(out, 'y');
}

/* Appends a joint statistic and its columns, such as "cross, cells of size and weight". */
static void add_joint_tally(string *target_string, const crd_summary *summary, size_t joint_tally) {
    size_t size = summary->joint_tallies[joint_tally].attribute_count;
    string_format(target_string, "%s%s%s", joint_tally == 0 ? "" : ", ", summary->joint_tallies[joint_tally].name,
                  size == 0 ? "" : " of ");
    for (size_t i = 0; i < size; i++) {
        if (i > 0) string_format(target_string, "%s", i + 1 < size ? ", " : " and ");
        string_add_shown(target_string, summary->attributes[summary->joint_tallies[joint_tally].attributes[i]].name);
    }
}

/* Reports the target, the number of rows, the settings, the parameters and the stored statistics. */
static void show_report_opening(show_view *v) {
    char rows[CRD_NUMBER_ROOM];
    crd_result *r = v->report;
    size_t classes = v->summary->class_count, attributes = v->summary->attribute_count;
    crd_text target = v->summary->target, weight = v->summary->weight;
    string tallies = {0}, joint_tallies = {0}, settings = {0}, estimated = {0};
    crd_estimate estimates[ESTIMATES];
    size_t kinds = crd_classifier_estimates(v->classifier, estimates, ESTIMATES);
    for (size_t i = 0; i < v->summary->tally_count; i++)
        string_format(&tallies, "%s%s", i == 0 ? "" : ", ", v->summary->tallies[i]);
    for (size_t i = 0; i < v->summary->joint_tally_count; i++) add_joint_tally(&joint_tallies, v->summary, i);
    term_text_add_settings_of(&settings, v->classifier);
    crd_result_line(r, CRD_LINE, "Target %s: %zu class%s, %zu attribute%s, %s row%s", crd_result_show(r, target),
                    classes, classes == 1 ? "" : "es", attributes, attributes == 1 ? "" : "s",
                    crd_number_count(v->summary->rows, rows), v->summary->rows == 1 ? "" : "s");
    if (weight.bytes != NULL)
        crd_result_line(r, CRD_LIST_LINE, "Weight %s: a row counts as often as its weight", crd_result_show(r, weight));
    if (tallies.length > 0) crd_result_line(r, CRD_LIST_LINE, "Stored for numeric columns: %s", string_text(&tallies));
    if (joint_tallies.length > 0)
        crd_result_line(r, CRD_LIST_LINE, "Joint statistics: %s", string_text(&joint_tallies));
    crd_result_line(r, CRD_LIST_LINE, "Settings: %s", string_text(&settings));
    crd_result_text(r, "target", target);
    if (weight.bytes != NULL) crd_result_text(r, "weight", weight);
    crd_result_number(r, "rows", v->summary->rows);
    term_text_report_settings(r, crd_classifier_settings(v->classifier));
    crd_result_begin(r, CRD_OBJECT, "estimated");
    for (size_t i = 0; i < kinds && i < ESTIMATES; i++) {
        crd_result_number(r, estimates[i].what, (double)estimates[i].count);
        string_format(&estimated, "%s", i == 0 ? "" : ", ");
        show_add_estimate(&estimated, &estimates[i]);
    }
    crd_result_end(r);
    crd_result_line(r, CRD_LIST_LINE, "Estimated: %s", string_text(&estimated));
    string_free(&tallies);
    string_free(&joint_tallies);
    string_free(&settings);
    string_free(&estimated);
}

/* Reports the classes, the attributes and the other parts of the classifier. */
static int show_report_view(show_view *v) {
    crd_result *r = v->report;
    int ended = ENDED_WELL;
    crd_result_begin(r, CRD_OBJECT, NULL);
    if (v->hmm != NULL) {
        sequence_report_opening(r, v->model, v->hmm, v->summary);
        ended = part_list_report(r, v->context, v->model);
        if (ended == ENDED_WELL) ended = sequence_report(r, v->hmm, v->summary, v->all);
    } else {
        show_report_opening(v);
        ended = part_list_report(r, v->context, v->model);
        if (ended == ENDED_WELL) ended = show_report_classes(v);
    }
    if (ended == ENDED_WELL && v->contrasts)
        ended = show_contrast(v->report, v->summary, v->classes, v->class_count, v->all);
    comparison_report_choice(v->context, v->model, v->all, r);
    components_report_kept(r, v->summary);
    if (ended == ENDED_WELL) ended = components_report(r, v->classifier, v->all);
    crd_result_begin(r, CRD_ARRAY, "attributes");
    for (size_t i = 0; i < v->count && ended == ENDED_WELL; i++) {
        if (!v->all && i == ATTRIBUTES_SHOWN) {
            size_t more = v->count - i;
            crd_result_line(r, CRD_PARAGRAPH, "and %zu attribute%s more (--all, or --of COLS)", more,
                            more == 1 ? "" : "s");
            crd_result_hide(r, true);
        }
        ended = attribute_report(r, &v->attributes[i]);
    }
    crd_result_hide(r, false);
    crd_result_end(r);
    if (ended == ENDED_WELL && v->curves && v->hmm == NULL) ended = nomograms_report(r, v->classifier);
    crd_result_end(r);
    return ended;
}

/* ---- The verb ---- */

/* Marks the attributes that match a selector of --of. */
static int choose_some(const show_view *v, crd_text selector, size_t *result, bool *is_chosen) {
    size_t count = 0;
    crd_error error;
    if (crd_summary_select(v->summary, selector, result, &count, &error) != CRD_OK) {
        string near = {0};
        size_t near_count = 0;
        for (size_t a = 0; a < v->summary->attribute_count; a++)
            list_add_near(&near, &near_count, crd_text_of(error.subject), v->summary->attributes[a].name);
        message_failed("--of: %s", error.message);
        if (near.length > 0) message_hint("did you mean %s?", string_text(&near));
        string_free(&near);
        return ENDED_FAILED;
    }
    for (size_t i = 0; i < count; i++) is_chosen[result[i]] = true;
    return ENDED_WELL;
}

/* Reads --top-terms N, the number of informative words listed per class. */
static int show_read_words(const invocation *call, size_t *out) {
    enum { USUAL = 10, MOST = 100000 };
    uint64_t words = USUAL;
    *out = USUAL;
    if (!arguments_have(&call->arguments, "top-terms")) return ENDED_WELL;
    int ended = arguments_whole(&call->arguments, "top-terms", &words);
    if (ended == ENDED_WELL && words > MOST) return message_usage("--top-terms must be at most %d", MOST);
    *out = (size_t)words;
    return ended;
}

/* Chooses the attributes of --of, or all of them. */
static int choose_attributes(const invocation *call, show_view *v) {
    size_t attributes = v->summary->attribute_count, index = 0;
    bool everything = !arguments_have(&call->arguments, "of"),
         plots = pictures_path(call) == NULL && arguments_have(&call->arguments, "plot");
    bool *is_chosen = memory_resize(NULL, attributes, sizeof *is_chosen);
    size_t *result = memory_resize(NULL, attributes, sizeof *result), words = 0;
    int ended = show_read_words(call, &words);
    v->curves = arguments_have(&call->arguments, "curves");
    bool all_classes = v->all || v->hmm != NULL || crd_result_is_for(v->report, CRD_FOR_MACHINES);
    v->classes = values_choose_classes(v->summary, all_classes, &v->class_count);
    for (size_t a = 0; a < attributes; a++) is_chosen[a] = everything;
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(&call->arguments, "of", &index)) != NULL;) {
        list selectors;
        if (!list_split(value, &selectors)) {
            ended = message_usage("--of: a quote is not closed");
            break;
        }
        for (size_t i = 0; i < selectors.count && ended == ENDED_WELL; i++)
            ended = choose_some(v, selectors.items[i], result, is_chosen);
        list_free(&selectors);
    }
    v->attributes = memory_resize(NULL, attributes, sizeof *v->attributes);
    for (size_t a = 0; a < attributes; a++)
        if (is_chosen[a])
            v->attributes[v->count++] = (attribute_view){.classifier = v->classifier,
                                                         .summary = v->summary,
                                                         .attribute = a,
                                                         .classes = v->classes,
                                                         .class_count = v->class_count,
                                                         .words = words,
                                                         .all = v->all,
                                                         .plots = plots,
                                                         .curves = v->curves,
                                                         .ranks_values = v->hmm != NULL};
    if (v->count == 1) v->attributes[0].is_single = v->hmm == NULL;
    free(result);
    free(is_chosen);
    return ended;
}

/* Shows the members of an ensemble. An ensemble of separate models has no tables of its own. */
static int show_members(const invocation *call, const crd_model *model, const crd_classifier *classifier) {
    if (arguments_have(&call->arguments, "of") || arguments_have(&call->arguments, "plot")) {
        return message_usage("the model consists of other models: use --of and --plot with each of them");
    }
    crd_result *r = report_create_drawn(call);
    return report_finish(r, call, FORMATS, ensemble_report(r, model, classifier));
}

/* Returns whether the classes are latent, that is, found in rows without a target (train --latent-class). */
static bool has_latent_classes(const crd_classifier *classifier) {
    const char *hidden = crd_settings_get(crd_classifier_settings(classifier), "latent-nodes");
    return hidden != NULL && strcmp(hidden, "none") != 0;
}

/* Writes the report of a classifier or an HMM. hmm NULL: the model is not for sequences. */
static int show_classifier(const invocation *call, const crd_model *model, const crd_classifier *classifier,
                           const crd_hmm *hmm) {
    if (crd_model_member_count(model) > 0) return show_members(call, model, classifier);
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    show_view v = {.context = call->context,
                   .classifier = classifier,
                   .summary = summary,
                   .model = model,
                   .hmm = hmm,
                   .report = report_create_for(call, true),
                   .all = arguments_have(&call->arguments, "all"),
                   .contrasts = arguments_have(&call->arguments, "contrast") || has_latent_classes(classifier)};
    int ended = choose_attributes(call, &v);
    if (ended == ENDED_WELL) ended = show_report_view(&v);
    ended = report_finish(v.report, call, FORMATS, ended);
    free(v.classes);
    free(v.attributes);
    crd_summary_destroy(summary);
    return ended;
}

static int show_hmm(const invocation *call, const crd_model *model) {
    crd_settings *settings = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    int ended = option_scope_check_others(call);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_hmm_create(model, settings, &hmm, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = show_classifier(call, model, crd_hmm_facts_of(hmm)->emissions, hmm);
    crd_hmm_destroy(hmm);
    crd_settings_destroy(settings);
    return ended;
}

/* Reports the classes of sequence classification, and the counts of each. */
static void report_sequence_classes(crd_result *r, const crd_model *model, const crd_sequence_classifier *classifier) {
    size_t classes = crd_model_sequence_classes(model)->count;
    crd_result_line(r, CRD_LINE, "Sequence classification with one hidden Markov model per class: %zu class%s of %s",
                    classes, classes == 1 ? "" : "es", crd_result_show(r, crd_model_target(model)));
    crd_result_words(r, "kind", "sequence classes");
    crd_result_text(r, "target", crd_model_target(model));
    crd_result_heading(r, 2, "Classes", "");
    crd_result_table *t = crd_result_add_table(r, "classes");
    t->is_short = true;
    crd_result_add_column(t, "class", "class");
    crd_result_add_column(t, "sequences", "sequences");
    crd_result_add_column(t, "prior", "prior");
    for (size_t c = 0; c < classes; c++) {
        crd_cell_name(t, crd_model_sequence_classes(model)->names[c]);
        crd_cell_count(t, crd_model_sequence_classes(model)->sequences[c]);
        crd_cell_number(t, crd_exp(classifier->log_priors[c]));
    }
}

/* Reports the HMM of one class. The view must exist until the report is written. */
static int report_class_model(const invocation *call, const crd_model *model, const crd_sequence_classifier *classifier,
                              size_t class_index, crd_result *r, show_view *v) {
    const crd_hmm *hmm = classifier->hmms[class_index];
    crd_summary *summary = NULL;
    crd_error error;
    *v = (show_view){.context = call->context,
                     .classifier = crd_hmm_facts_of(hmm)->emissions,
                     .model = crd_model_sequence_classes(model)->models[class_index],
                     .hmm = hmm,
                     .report = r,
                     .all = arguments_have(&call->arguments, "all"),
                     .contrasts = arguments_have(&call->arguments, "contrast")};
    if (crd_summary_create(v->model, &summary, &error) != CRD_OK) return message_error(&error);
    v->summary = summary;
    int ended = choose_attributes(call, v);
    crd_result_prose(
        r, CRD_HEADING_ABOVE, 1, "",
        crd_result_format(r, "Class %s", crd_result_show(r, crd_model_sequence_classes(model)->names[class_index])),
        "");
    return ended == ENDED_WELL ? show_report_view(v) : ended;
}

/* Shows a model of sequence classification: its classes and the HMM of each. */
static int show_sequence_classes(const invocation *call, const crd_model *model) {
    crd_settings *settings = NULL;
    crd_sequence_classifier *classifier = NULL;
    crd_error error;
    size_t classes = crd_model_sequence_classes(model)->count;
    show_view *views = memory_resize(NULL, classes, sizeof *views);
    crd_result *r = report_create_for(call, true);
    int ended = option_scope_check_others(call);
    for (size_t c = 0; c < classes; c++) views[c] = (show_view){0};
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_sequence_classifier_create(model, settings, &classifier, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    crd_result_begin(r, CRD_OBJECT, NULL);
    if (ended == ENDED_WELL) report_sequence_classes(r, model, classifier);
    crd_result_begin(r, CRD_ARRAY, "models");
    for (size_t c = 0; c < classes && ended == ENDED_WELL; c++)
        ended = report_class_model(call, model, classifier, c, r, &views[c]);
    crd_result_end(r);
    crd_result_end(r);
    ended = report_finish(r, call, FORMATS, ended);
    for (size_t c = 0; c < classes; c++) {
        free(views[c].classes);
        free(views[c].attributes);
        crd_summary_destroy((crd_summary *)(uintptr_t)views[c].summary);
    }
    free(views);
    crd_sequence_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    return ended;
}

/* Shows a model. Under the current settings the model may be a network; then the network is shown. */
static int show_model(const invocation *call) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_network *network = NULL;
    int ended = model_operand_open(call, path, &model);
    if (ended == ENDED_WELL && (crd_model_is_sequence(model) || crd_model_sequence_classes(model) != NULL)) {
        ended = crd_model_is_sequence(model) ? show_hmm(call, model) : show_sequence_classes(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL && crd_model_target(model).bytes == NULL) {
        ended = show_network_of(call, path, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL) ended = model_operand_classifier(call, model, &classifier);
    if (ended == ENDED_WELL && crd_model_member_count(model) == 0 &&
        method_is_network(crd_settings_get(crd_classifier_settings(classifier), "method"))) {
        ended = network_model_network(call, path, model, &network);
        if (ended == ENDED_WELL) ended = show_network(call, network, model, crd_classifier_settings(classifier));
    } else if (ended == ENDED_WELL) {
        ended = option_scope_check_others(call);
        if (ended == ENDED_WELL) ended = show_classifier(call, model, classifier, NULL);
    }
    crd_network_destroy(network);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}

static int show_run(invocation *call) {
    crd_network *network = NULL;
    crd_file_kind kind = CRD_FILE_ROWS;
    const char *path = call->arguments.operands[0];
    int ended = input_file_detect(call, path, &kind);
    if (ended == ENDED_WELL && kind != CRD_FILE_NETWORK) return show_model(call);
    if (ended == ENDED_WELL) ended = model_operand_open_network(call, path, &network, NULL);
    if (ended == ENDED_WELL) ended = show_network(call, network, NULL, NULL);
    crd_network_destroy(network);
    return ended;
}

static const option options[] = {
    {"of", 0, "COLS", .help = "show only these attributes; for a single numeric one, also its decision boundaries"},
    {"all", 0, NULL, .help = "show long tables in full"},
    {"contrast", 0, NULL, .help = "compare each class with the rest, the columns that differ most first",
     .scope = SCOPE_NOT_NETWORKS},
    {"top-terms", 0, "N", .help = "number of most informative words listed per class, for texts (10)",
     .scope = SCOPE_NOT_NETWORKS},
    OPTION_PLOT_OR_CHARACTERS,
    {"curves", 0, NULL, .help = "json: add densities at points of an axis, decision regions, nomograms",
     .scope = SCOPE_NOT_NETWORKS},
    {"graph", 0, NULL, .help = "network: draw only its graph, in characters", .scope = SCOPE_NETWORKS,
     .conflicts = "of"},
    {"cpdag", 0, NULL,
     .help = "network: draw the graph of all equivalent networks (CPDAG); reversible arcs are undirected",
     .scope = SCOPE_NETWORKS, .conflicts = "of"},
    OPTION_MEMORY,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTIONS_OF_SEQUENCES,
    OPTION_TABLE_TARGET,
    OPTIONS_OF_COLUMNS,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_show = {
    .name = "show",
    .usage = "show MODEL",
    .summary = "Show priors, conditional tables, densities and decision boundaries",
    .about =
        "Shows the parameters of a model under the current settings. For a single numeric attribute (the only one, or "
        "the one of --of) it lists the decision boundaries, at which the decision by this attribute only changes. With "
        "--family "
        "auto it lists the candidate families and their scores. For texts it lists the counts of each class, and the "
        "words that best separate it from the rest (--top-terms N), by the Kullback-Leibler divergence of their "
        "presence.\n\n"
        "For a network it shows the size, the graph, and the parents, states and CPT of each node. JSON contains the "
        "whole network. The graph is drawn in layers with arcs going down; a line that crosses another passes over it. "
        "If the graph is wider than the terminal, each layer is a list of its nodes and their parents.\n\n"
        "For a hidden Markov model it shows the states with their start probabilities, their share of steps in the "
        "long run (stationary distribution) and their expected duration. It also shows the transitions, and the "
        "densities of each column given the state. For columns with many values, the most probable ones are shown.\n\n"
        "--plot FILE.svg, or FILE.html, draws the prior, a nomogram, densities with decision regions, conditional "
        "tables and informative words. A network is drawn as a graph with prior probabilities, and its tables.",
    .example = "  credence example iris > iris.csv\n"
               "  credence show iris.csv --target species --of petal_length --plot\n"
               "  credence example burglary > burglary.bif\n"
               "  credence show burglary.bif --of Alarm\n"
               "  credence show burglary.bif --graph\n",
    .essentials = "of|all|plot|format|target|family|smoothing",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .takes_sequence_classes = true,
    .least = 1,
    .most = 1,
    .operands = "one MODEL",
    .reads_operands = true,
    .run = show_run};
