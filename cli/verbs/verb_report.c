/* SPDX-License-Identifier: MIT */
/* verb_report.c - the verb report: one HTML file about rows, a model or a network. */
#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/shell_words.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/document_operand.h"
#include "source/input_file.h"
#include "source/model_operand.h"

#include <credence/html_report.h>

#include <string.h>

typedef struct report_reporting {
    const invocation *call;
    crd_report_options options;
    string command, name;
    data rows; /* the rows of DATA, if given */
    char *html;
} report_reporting;

/* ---- Options ---- */

/* Appends the command that creates the report again, with a fixed output path. */
static void report_add_command(const invocation *call, string *out) {
    static const char *const left_out[] = {"output", "quiet", "threads"};
    const arguments *words = &call->arguments;
    string_format(out, "credence report");
    for (size_t i = 0; i < words->operand_count; i++) {
        string_add_char(out, ' ');
        shell_add_word(out, words->operands[i]);
    }
    for (size_t i = 0; i < words->option_count; i++) {
        bool is_left_out = false;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            is_left_out = is_left_out || strcmp(left_out[k], words->options[i].name) == 0;
        if (!is_left_out) shell_add_option(out, words->options[i].name, words->options[i].value);
    }
    string_format(out, " -o report.html");
}

/* Appends the names of the files without folders. */
static void report_add_names(const invocation *call, string *out) {
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        const char *path = input_file_name(call->arguments.operands[i]), *name = crd_i_os_file_name(path);
        string_format(out, "%s%s", i > 0 ? ", " : "", name[0] != '\0' ? name : path);
    }
}

/* Reads the options of the report. */
static int report_read_options(report_reporting *r) {
    const arguments *words = &r->call->arguments;
    uint64_t folds = 0, rows = 0, threads = 0;
    const char *title = arguments_value(words, "title"), *date = arguments_value(words, "date");
    int ended = arguments_whole(words, "cross-validate", &folds);
    if (ended == ENDED_WELL && arguments_have(words, "cross-validate") && (folds < 2 || folds > 1000000))
        ended = message_usage("--cross-validate must be an integer from 2 to 1000000");
    if (ended == ENDED_WELL) ended = arguments_whole(words, "seed", &r->options.seed);
    if (ended == ENDED_WELL) ended = arguments_whole(words, "max-rows", &rows);
    if (ended == ENDED_WELL && arguments_have(words, "max-rows") && rows < 2)
        ended = message_usage("--max-rows must be an integer of at least 2");
    if (ended == ENDED_WELL) ended = arguments_whole(words, "threads", &threads);
    if (ended != ENDED_WELL) return ended;
    r->options.folds = (uint32_t)folds;
    r->options.most_rows = (size_t)rows;
    r->options.threads = threads > 4096 ? 4096 : (unsigned)threads;
    if (title != NULL) r->options.title = crd_text_of(title);
    if (date != NULL) r->options.date = crd_text_of(date);
    report_add_command(r->call, &r->command);
    report_add_names(r->call, &r->name);
    r->options.command = crd_text_of(string_text(&r->command));
    r->options.name = crd_text_of(string_text(&r->name));
    return ENDED_WELL;
}

/* ---- What it is about ---- */

static void report_show_progress(void *user, const char *stage, double done, double total) {
    (void)user;
    if (total > 0) progress_step(stage, (size_t)done, (size_t)total);
    else progress_say(stage);
}

/* Finishes a call of the library that reports progress. Returns the exit code. */
static int verb_report_finish(report_reporting *r, crd_status status, const crd_error *error) {
    crd_call_end(r->call->context);
    progress_erase();
    if (status == CRD_OK) return ENDED_WELL;
    return message_error_in(error, r->call->arguments.operands[0]);
}

static int report_begin(const report_reporting *r) {
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.progress = report_show_progress;
    return crd_call_begin(r->call->context, &options) == CRD_OK ? ENDED_WELL : ENDED_FAILED;
}

/* Creates the report about a table. */
static int report_rows(report_reporting *r) {
    const arguments *words = &r->call->arguments;
    const char *path = words->operands[0];
    crd_settings *settings = NULL;
    crd_error error;
    int ended = data_open(r->call, words->operands, words->operand_count, false, &r->rows);
    if (ended == ENDED_FAILED && words->operand_count == 1) model_operand_hint(path);
    if (ended == ENDED_WELL) ended = data_choose_columns(r->call, &r->rows, path, false);
    if (ended == ENDED_WELL && crd_settings_create(r->call->context, &settings, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = document_operand_settings(r->call, settings);
    for (size_t i = 0; i < words->option_count; i++)
        if (crd_comparison_chooses(words->options[i].name)) r->options.is_stated = 1;
    r->options.settings = settings;
    if (ended == ENDED_WELL) ended = report_begin(r);
    if (ended == ENDED_WELL)
        ended = verb_report_finish(r, crd_report_rows(r->call->context, r->rows.reader, &r->options, &r->html, &error),
                                   &error);
    crd_settings_destroy(settings);
    return ended;
}

static int report_open_rows(report_reporting *r, const crd_model *model) {
    const arguments *words = &r->call->arguments;
    if (words->operand_count == 1) return ENDED_WELL;
    return data_open_for(r->call, model, words->operands + 1, words->operand_count - 1, false, &r->rows);
}

static int verb_report_network(report_reporting *r) {
    crd_network *network = NULL;
    crd_error error;
    int ended = model_operand_need_network(r->call, r->call->arguments.operands[0], &network);
    if (ended == ENDED_WELL && r->call->arguments.operand_count > 1)
        ended =
            data_open(r->call, r->call->arguments.operands + 1, r->call->arguments.operand_count - 1, false, &r->rows);
    if (ended == ENDED_WELL) ended = report_begin(r);
    if (ended == ENDED_WELL)
        ended =
            verb_report_finish(r, crd_report_network(network, r->rows.reader, &r->options, &r->html, &error), &error);
    crd_network_destroy(network);
    return ended;
}

/* Creates the report about a model or a network. */
static int report_model(report_reporting *r) {
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    int ended = model_operand_open(r->call, r->call->arguments.operands[0], &model);
    if (ended == ENDED_WELL && crd_model_target(model).bytes == NULL && !crd_model_is_sequence(model)) {
        model_operand_keep(r->call, r->call->arguments.operands[0], model);
        return verb_report_network(r);
    }
    if (ended == ENDED_WELL) ended = model_operand_settings(r->call, model, &settings);
    r->options.settings = settings;
    if (ended == ENDED_WELL) ended = report_open_rows(r, model);
    if (ended == ENDED_WELL) ended = report_begin(r);
    if (ended == ENDED_WELL)
        ended = verb_report_finish(r, crd_report_model(model, r->rows.reader, &r->options, &r->html, &error), &error);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

static int verb_report_write(const report_reporting *r) {
    output out;
    int ended = output_open(r->call, &out);
    if (ended != ENDED_WELL) return ended;
    output_write(&out, r->html, strlen(r->html));
    return output_close(&out, ended);
}

/* Runs the verb: creates the report and writes it. */
static int report_run(invocation *call) {
    report_reporting r = {.call = call, .options = CRD_REPORT_OPTIONS_INIT};
    crd_file_kind kind = CRD_FILE_ROWS;
    const char *target = arguments_value(&call->arguments, "output");
    int ended = report_read_options(&r);
    if (ended == ENDED_WELL && target != NULL) ended = output_check_writable(call->context, target);
    if (ended == ENDED_WELL) ended = input_file_detect(call, call->arguments.operands[0], &kind);
    if (ended == ENDED_WELL)
        ended = (kind == CRD_FILE_MODEL     ? report_model
                 : kind == CRD_FILE_NETWORK ? verb_report_network
                                            : report_rows)(&r);
    if (ended == ENDED_WELL) ended = output_announce(call, verb_report_write(&r));
    crd_free(call->context, r.html);
    data_close(&r.rows);
    string_free(&r.command);
    string_free(&r.name);
    return ended;
}

static const option options[] = {
    OPTION_OUTPUT,
    {"title", 0, "TEXT", .help = "title, instead of the name of the target", .is_once = true},
    {"date", 0, "TEXT", .help = "date to show; without it, equal reports are byte-identical", .is_once = true},
    {"cross-validate", 0, "K", .help = "number of folds (10; 5 if more than 5000 rows are evaluated)",
     .scope = SCOPE_NOT_MODELS | SCOPE_NOT_NETWORK_FILES, .is_once = true},
    {"seed", 0, "N", .help = "seed of the folds and permutations (1)", .is_once = true},
    {"max-rows", 0, "N", .help = "evaluate at most N rows, every k-th (10000; fewer for wide tables and texts)",
     .scope = SCOPE_NOT_MODELS | SCOPE_NOT_NETWORK_FILES, .is_once = true},
    OPTIONS_OF_TABLE,
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_report = {
    .name = "report",
    .usage = "report DATA... --target COL -o FILE.html | report MODEL|NETWORK [DATA...] -o FILE.html",
    .summary = "Report on a table, a model or a network: one HTML file",
    .about = "Writes one self-contained HTML file. It works offline, contains no scripts, supports light and dark "
             "themes, and can be printed. It begins with a summary and warnings.\n\n"
             "For DATA it contains the profile of the columns and a comparison of methods by cross-validation, with "
             "intervals. For the recommended method (or the one of --method and other settings) it contains scores, "
             "ROC, precision-recall and calibration curves, the confusion matrix, the contribution of each attribute, "
             "and dependent pairs. It also explains a certain, an uncertain and a wrong prediction, each by a model "
             "that was not trained on the row. For MODEL it contains the learned parameters, and with DATA the scores. "
             "For NETWORK it contains graph, beliefs, tables and independences, and with DATA their fit.\n\n"
             "Equal input, settings and versions give byte-identical files. For large tables, methods are evaluated on "
             "every k-th row (--max-rows), and the report says so.",
    .example = "  credence example iris > iris.csv\n"
               "  credence report iris.csv --target last -o iris.html\n"
               "  credence train iris.csv --target last -o iris.model\n"
               "  credence report iris.model iris.csv -o model.html\n"
               "  credence example asia > asia.bif\n"
               "  credence report asia.bif -o asia.html\n",
    .essentials = "output|target|title|max-rows|method",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA, a MODEL or a NETWORK",
    .reads_operands = true,
    .data_at = 1,
    .run = report_run};
