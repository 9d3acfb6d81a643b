/* SPDX-License-Identifier: MIT */
/* verb_export.c - the verb export: writes a model for other programs, a table in another format, or a network. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "verbs/export/export_network.h"
#include "verbs/export/export_page.h"
#include "verbs/export/export_rows.h"

#include <string.h>

#define NETWORK_FORMATS "bif|xmlbif|net|uai|xdsl|dne|dot"
#define MODEL_FORMATS "json|c|sql|pmml|onnx|hmm"
#define ALL_FORMATS MODEL_FORMATS "|arff|csv|" NETWORK_FORMATS "|model|html"

/* The sink of crd_model_export. The output is opened with the first part, so a rejected model leaves no file. */
typedef struct export_sink {
    const invocation *call;
    output out;
    bool is_open;
    int ended;
} export_sink;

static int export_write_part(void *user, const char *bytes, size_t length) {
    export_sink *sink = user;
    if (!sink->is_open) {
        sink->ended = output_open(sink->call, &sink->out);
        sink->is_open = sink->ended == ENDED_WELL;
    }
    if (!sink->is_open || output_broken(&sink->out)) return 1;
    output_write(&sink->out, bytes, length);
    return 0;
}

/* Writes a model in a format for other programs. */
static int export_model(const invocation *call, crd_export_format format) {
    crd_model *model = NULL;
    crd_error error;
    export_sink sink = {.call = call};
    crd_export_options options = CRD_EXPORT_OPTIONS_INIT;
    crd_settings *settings = NULL;
    int ended = model_operand_open(call, call->arguments.operands[0], &model);
    if (ended == ENDED_WELL && crd_model_is_sequence(model) && format != CRD_EXPORT_HMM) {
        ended = message_failed("%s is a hidden Markov model, which this format cannot represent",
                               call->arguments.operands[0]);
        message_hint("use --as hmm");
    }
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended != ENDED_WELL) {
        crd_model_destroy(model);
        return ended;
    }
    const char *table = arguments_value(&call->arguments, "table");
    if (table != NULL) options.table = crd_text_of(table);
    crd_status status = crd_model_export(model, settings, format, &options, export_write_part, &sink, &error);
    if (sink.ended != ENDED_WELL) ended = sink.ended;
    else if (status != CRD_OK && !(sink.is_open && output_broken(&sink.out))) ended = message_error(&error);
    if (sink.is_open) ended = output_close(&sink.out, ended);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

/* Rejects a network, which has neither counts nor rows. */
static int check_no_network(const invocation *call, const char *as) {
    const char *path = call->arguments.operands[0];
    crd_file_kind kind = CRD_FILE_ROWS;
    const int ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL || kind != CRD_FILE_NETWORK) return ended;
    message_failed("%s is a network: it has no counts or rows to write as %s", path, as);
    message_hint("use --as %s to write it, or --as model to convert it to a model", NETWORK_FORMATS);
    return ENDED_FAILED;
}

/* Exports in the format of --as. */
static int export_as(invocation *call) {
    static const crd_export_format model_formats[] = {CRD_EXPORT_JSON, CRD_EXPORT_C,    CRD_EXPORT_SQL,
                                                      CRD_EXPORT_PMML, CRD_EXPORT_ONNX, CRD_EXPORT_HMM};
    static const row_format *const row_formats[] = {&row_format_arff, &row_format_csv};
    static const crd_network_format network_formats[] = {
        CRD_NETWORK_FORMAT_BIF,  CRD_NETWORK_FORMAT_XMLBIF, CRD_NETWORK_FORMAT_NET, CRD_NETWORK_FORMAT_UAI,
        CRD_NETWORK_FORMAT_XDSL, CRD_NETWORK_FORMAT_DNE,    CRD_NETWORK_FORMAT_DOT};
    enum {
        MODELS = sizeof model_formats / sizeof *model_formats,
        ROWS = sizeof row_formats / sizeof *row_formats,
        NETWORKS = sizeof network_formats / sizeof *network_formats
    };
    const arguments *words = &call->arguments;
    const char *name = arguments_value(words, "as");
    size_t as = 0;
    if (name == NULL) return message_usage("export needs --as %s", ALL_FORMATS);
    int ended = arguments_choice(words, "as", ALL_FORMATS, &as);
    if (ended != ENDED_WELL) return ended;
    if (arguments_value(words, "table") != NULL && strcmp(name, "sql") != 0)
        return message_usage("--table needs --as sql");
    if (arguments_value(words, "page") != NULL && strcmp(name, "html") != 0)
        return message_usage("--page needs --as html");
    if (as == MODELS + ROWS + NETWORKS) return export_network_as_model(call);
    if (as == MODELS + ROWS + NETWORKS + 1) return export_page(call);
    if (as >= MODELS + ROWS) return export_network(call, network_formats[as - MODELS - ROWS]);
    /* Formats that read rows twice reject a pipe, whatever it contains. */
    if (as < MODELS || !input_file_reads_once(words->operands[0])) ended = check_no_network(call, name);
    if (ended != ENDED_WELL) return ended;
    if (as < MODELS) return export_model(call, model_formats[as]);
    if (arguments_setting(words) != NULL)
        return message_usage("settings apply only to models; --as %s writes a table", name);
    return export_rows(call, words->operands[0], row_formats[as - MODELS]);
}

static int export_run(invocation *call) {
    return output_announce(call, export_as(call));
}

static const option options[] = {
    {"as", 0, ALL_FORMATS, .help = "format to write", .is_once = true},
    {"table", 0, "NAME", .help = "sql: the table that the query reads (data)", .is_once = true},
    OPTION_EXPORT_PAGE,
    OPTION_OUTPUT,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_export = {
    .name = "export",
    .usage = "export MODEL|DATA --as " ALL_FORMATS,
    .summary = "Export a model, a network or a table for other programs",
    .about =
        "json: a complete model. c: a self-contained C99 file. sql: a query for SQLite, DuckDB and PostgreSQL. pmml, "
        "onnx: naive Bayes for programs that read these formats. hmm: a hidden Markov model as a text file, which you "
        "can use instead of a model file. arff, csv: a table. bif, xmlbif, net (Hugin), uai: a network with bit-exact "
        "numbers. dot: its graph, for Graphviz. model: a network as a model that predicts the node --target. html: the "
        "web page with the model or the network inside, one file that runs in a browser without a connection.\n\n"
        "json contains counts of values by class for categorical columns. For numeric columns it contains the count, "
        "sum and sum of squares by class, exactly in hexadecimal and as the nearest decimal, with the mean and both "
        "variances. It also contains every parameter from which posteriors are computed under the settings: densities, "
        "joint densities, weights, calibration, members of ensembles. arff declares the types and values of columns. "
        "uai contains no names. A network can be a network file, a model with --method network, or naive Bayes with "
        "only categorical columns, in which the class is the parent of every attribute; CPTs are estimated under the "
        "settings. model needs -o MODEL.",
    .example = "  credence example tennis > days.csv\n"
               "  credence export days.csv --target Play --as json\n"
               "  credence export days.csv --as arff\n"
               "  credence export days.csv --target Play --as bif -o days.bif\n"
               "  credence export days.bif --as model --target Outlook -o outlook.model\n",
    .essentials = "as|output|target|smoothing",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .least = 1,
    .most = 1,
    .operands = "one MODEL, one network, or one table",
    .reads_operands = true,
    .run = export_run};
