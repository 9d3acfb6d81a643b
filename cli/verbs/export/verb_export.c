/* SPDX-License-Identifier: MIT */
/* verb_export.c - the whole model in JSON: what was counted, not what is derived from it; a table in another format;
 * or a network. */
#include "core/error_messages.h"
#include "core/json_writer.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "source/input_file.h"
#include "source/model_or_table.h"
#include "verbs/export/export_network.h"
#include "verbs/export/export_rows.h"

#define NETWORK_FORMATS "bif|xmlbif|net|uai|dot"
#define ALL_FORMATS "json|arff|csv|" NETWORK_FORMATS "|model"

static void write_counts(json *j, const crd_summary *summary, size_t attribute) {
    json_key(j, "values");
    json_array(j);
    for (size_t i = 0; i < crd_summary_value_count(summary, attribute); i++) {
        json_object(j);
        json_member_text(j, "value", crd_summary_value(summary, attribute, i));
        if (crd_summary_target(summary).bytes == NULL) {
            double rows = crd_summary_class_count(summary) == 0 ? 0 : crd_summary_count(summary, attribute, i, 0);
            json_member_number(j, "count", rows);
        } else {
            json_key(j, "counts");
            json_object(j);
            for (size_t c = 0; c < crd_summary_class_count(summary); c++) {
                json_key_text(j, crd_summary_class(summary, c));
                json_number(j, crd_summary_count(summary, attribute, i, c));
            }
            json_end_object(j);
        }
        json_end_object(j);
    }
    json_end_array(j);
}

static int write_exact(const invocation *call, json *j, const char *key, const crd_summary *summary, size_t attribute,
                       size_t class_index, int power) {
    crd_error error;
    char *text = NULL;
    if (crd_summary_exact(summary, attribute, class_index, power, &text, &error) != CRD_OK)
        return message_error(&error);
    json_member_text(j, key, crd_text_of(text));
    crd_free(call->context, text);
    return ENDED_WELL;
}

static int write_moments(const invocation *call, json *j, const crd_summary *summary, size_t attribute) {
    int ended = ENDED_WELL;
    json_key(j, "moments");
    json_array(j);
    for (size_t c = 0; c < crd_summary_class_count(summary) && ended == ENDED_WELL; c++) {
        crd_moments moments = crd_summary_moments(summary, attribute, c);
        json_object(j);
        json_member_text(j, "class", crd_summary_class(summary, c));
        json_member_number(j, "n", moments.rows);
        json_member_number(j, "sum", moments.sum);
        json_member_number(j, "sum_of_squares", moments.sum_of_squares);
        ended = write_exact(call, j, "exact_sum", summary, attribute, c, 1);
        if (ended == ENDED_WELL) ended = write_exact(call, j, "exact_sum_of_squares", summary, attribute, c, 2);
        json_member_number(j, "mean", moments.mean);
        json_member_number(j, "variance", moments.variance);
        json_member_number(j, "sample_variance", moments.sample_variance);
        json_end_object(j);
    }
    json_end_array(j);
    return ended;
}

static int write_attribute(const invocation *call, json *j, const crd_summary *summary, size_t attribute) {
    static const char *const kinds[] = {"none", "number", "category"};
    crd_kind kind = crd_summary_kind(summary, attribute);
    int ended = ENDED_WELL;
    json_object(j);
    json_member_text(j, "attribute", crd_summary_attribute(summary, attribute));
    json_member_text(j, "kind", crd_text_of(kinds[kind]));
    json_member_text(j, "family", crd_text_of(crd_summary_family(summary, attribute)));
    if (kind == CRD_KIND_CATEGORY) write_counts(j, summary, attribute);
    if (kind == CRD_KIND_NUMBER) ended = write_moments(call, j, summary, attribute);
    json_end_object(j);
    return ended;
}

static void write_classes(json *j, const crd_summary *summary) {
    json_key(j, "classes");
    json_array(j);
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) {
        json_object(j);
        json_member_text(j, "class", crd_summary_class(summary, c));
        json_member_number(j, "rows", crd_summary_class_rows(summary, c));
        json_end_object(j);
    }
    json_end_array(j);
}

static void write_settings(json *j, const crd_settings *settings) {
    json_key(j, "settings");
    json_object(j);
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name, *value = crd_settings_get(settings, name);
        json_member_text(j, name, crd_text_of(value == NULL ? "" : value));
    }
    json_end_object(j);
}

/* Written as it goes: a model may be too large to be held as a tree. */
static int write_model(const invocation *call, output *out, const crd_model *model, const crd_summary *summary) {
    json j = json_begin(out->stream, true);
    int ended = ENDED_WELL;
    json_object(&j);
    json_member_text(&j, "credence", crd_text_of(crd_version()));
    bool has_target = crd_summary_target(summary).bytes != NULL;
    if (has_target) json_member_text(&j, "target", crd_summary_target(summary));
    if (crd_summary_weight(summary).bytes != NULL) json_member_text(&j, "weight", crd_summary_weight(summary));
    json_member_number(&j, "rows", crd_summary_rows(summary));
    write_settings(&j, crd_model_settings(model));
    if (has_target) write_classes(&j, summary);
    json_key(&j, "attributes");
    json_array(&j);
    for (size_t a = 0; a < crd_summary_attribute_count(summary) && ended == ENDED_WELL; a++) {
        ended = write_attribute(call, &j, summary, a);
    }
    json_end_array(&j);
    json_end_object(&j);
    json_end_line(&j);
    return ended;
}

static int export_model(const invocation *call) {
    const arguments *words = &call->arguments;
    crd_model *model = NULL;
    crd_summary *summary = NULL;
    crd_error error;
    output out;
    int ended = model_or_table_open(call, words->operands[0], &model);
    if (ended == ENDED_WELL && crd_model_member_count(model) > 0) {
        ended = message_failed("%s is made of other models, and has counted nothing itself: export each of those",
                               words->operands[0]);
    }
    if (ended == ENDED_WELL && crd_summary_create(model, &summary, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_close(&out, write_model(call, &out, model, summary));
    crd_summary_destroy(summary);
    crd_model_destroy(model);
    return ended;
}

/* A network has no counts, and no rows. */
static int check_no_network(const invocation *call, const char *as) {
    const char *path = call->arguments.operands[0];
    bool is_model = false, is_network = false;
    int ended = input_file_is_model(call, path, &is_model);
    if (ended == ENDED_WELL && !is_model) ended = input_file_is_network(call, path, &is_network);
    if (ended != ENDED_WELL || !is_network) return ended;
    message_failed("%s is a network: it has neither counts nor rows to write as %s", path, as);
    message_hint("--as %s writes it, and --as model makes it a model", NETWORK_FORMATS);
    return ENDED_FAILED;
}

static int run(invocation *call) {
    static const row_format *const row_formats[] = {NULL, &row_format_arff, &row_format_csv};
    static const crd_network_format network_formats[] = {CRD_NETWORK_FORMAT_BIF, CRD_NETWORK_FORMAT_XMLBIF,
                                                         CRD_NETWORK_FORMAT_NET, CRD_NETWORK_FORMAT_UAI,
                                                         CRD_NETWORK_FORMAT_DOT};
    enum { ROW_FORMATS = 3, NETWORK_COUNT = 5 };
    const arguments *words = &call->arguments;
    const char *name = arguments_value(words, "as");
    size_t as = 0;
    if (name == NULL) return message_usage("export needs --as %s", ALL_FORMATS);
    int ended = arguments_choice(words, "as", ALL_FORMATS, &as);
    if (ended != ENDED_WELL) return ended;
    if (as == ROW_FORMATS + NETWORK_COUNT) return export_network_as_model(call);
    if (as >= ROW_FORMATS) return export_network(call, network_formats[as - ROW_FORMATS]);
    /* What reads rows twice refuses a pipe, whatever it holds. */
    if (row_formats[as] == NULL || !input_file_reads_once(words->operands[0])) ended = check_no_network(call, name);
    if (ended != ENDED_WELL) return ended;
    if (row_formats[as] == NULL) return export_model(call);
    if (arguments_setting(words) != NULL) return message_usage("settings are for models; --as %s writes a table", name);
    return export_rows(call, words->operands[0], row_formats[as]);
}

static const option options[] = {{"as", 0, ALL_FORMATS, .help = "the format to write", .is_once = true},
                                 OPTION_OUTPUT,
                                 OPTIONS_OF_TABLE,
                                 OPTIONS_OF_READING,
                                 OPTIONS_END};

const verb verb_export = {
    .name = "export",
    .usage = "export MODEL|DATA --as " ALL_FORMATS,
    .summary = "Export a model, a network or a table for other programs",
    .about = "json: the sufficient statistics of a model. arff, csv: a table. bif, xmlbif, net (Hugin), uai: a "
             "network, with every number to the last bit. dot: its graph, for Graphviz. model: a network as a "
             "model that predicts the node --target.\n\n"
             "json has counts of values by class for categorical columns; for numeric ones the count, sum and "
             "sum of squares by class, exactly in hexadecimal beside the nearest decimal, with the mean and both "
             "variances. arff declares the kinds and values of columns. uai has no names. A network is a network "
             "file, a model with --method network, or naive Bayes of categories, whose class is the parent of "
             "every attribute; CPTs are estimated under the settings. model needs -o MODEL.",
    .example = "  credence example tennis > days.csv\n"
               "  credence export days.csv --target Play --as json\n"
               "  credence export days.csv --as arff\n"
               "  credence export days.csv --target Play --as bif -o days.bif\n"
               "  credence export days.bif --as model --target Outlook -o outlook.model\n",
    .essentials = "as|output|target|smoothing",
    .options = options,
    .takes_settings = true,
    .least = 1,
    .most = 1,
    .operands = "one MODEL, one network, or one table",
    .reads_operands = true,
    .run = run};
