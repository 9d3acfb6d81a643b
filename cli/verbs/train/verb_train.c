/* SPDX-License-Identifier: MIT */
/* verb_train.c - the verb train: trains a model on tables, in one of several ways. */
#include "verbs/train/train.h"

#include "core/default_model.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/verb.h"
#include "source/auto_method.h"
#include "source/class_warnings.h"
#include "source/column_warnings.h"
#include "source/document_operand.h"
#include "source/latent_training.h"
#include "source/model_operand.h"
#include "source/searched_structure.h"
#include "source/sequence_options.h"
#include "source/sequence_training.h"
#include "source/structure_option.h"
#include "source/unlabeled_training.h"

#include <string.h>

static int train_check_target(const invocation *call, const crd_model *model, const crd_reader *reader) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    int ended = column_warnings_check_target(call, summary, reader);
    if (ended == ENDED_WELL) document_operand_warn_of_empty(call, summary);
    crd_summary_destroy(summary);
    return ended;
}

/* Fits the method to the stored rows, and checks that the model can predict. For example, a prior that does not fit
 * the classes is an error. Sets *ending if the fit was interrupted. */
static int train_check_settings(const invocation *call, crd_model *model, int *ending) {
    crd_error error;
    if (train_may_fit(crd_model_settings(model)))
        progress_say("all rows are read; fitting the method to the stored rows");
    crd_status status = crd_model_fit(model, &error);
    progress_erase();
    if (status != CRD_OK) return message_error(&error);
    /* After an interrupt, the model keeps the tables reached so far. */
    if (invocation_interrupted() && *ending == ENDED_WELL) {
        *ending = invocation_interrupted_exit();
        crd_context_resume(call->context);
    }
    return model_operand_check_answers(model, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Returns whether the model is a part that will be merged with others. */
static bool train_is_part(const invocation *call) {
    return arguments_have(&call->arguments, "shard") || arguments_have(&call->arguments, "part");
}

/* Trains on the rows. A part stores its rows, so the structure search can run after all parts are merged. */
static crd_status train_on_rows(const invocation *call, data *d, const crd_settings *settings,
                                const crd_structure_options *options, const char *tallies, crd_model **model,
                                crd_read_facts *facts, int *ending, crd_error *error) {
    if (searched_structure_is_stated(settings) && !train_is_part(call))
        return searched_structure_train(call, d, settings, options, tallies, model, facts, ending, error);
    return tallies == NULL
               ? crd_model_train(call->context, d->reader, settings, model, facts, error)
               : crd_model_train_keeping(call->context, d->reader, settings, crd_text_of(tallies), model, facts, error);
}

/* Trains by the method of the options. */
static int train_by_settings(const invocation *call, data *d, const char *tallies, crd_model **model,
                             crd_read_facts *facts, int *ending) {
    crd_settings *settings = NULL;
    crd_error error;
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    int ended = document_operand_settings(call, settings);
    crd_status status = CRD_OK;
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    options.threads = crd_reader_threads(d->reader);
    if (ended == ENDED_WELL) ended = searched_structure_options(call, &options);
    if (ended == ENDED_WELL && options.resamples > 0 && !searched_structure_is_stated(settings))
        ended = message_usage(
            "--bootstrap needs a structure search: add --search, such as --search hill-climb, or --method tan");
    if (ended == ENDED_WELL && arguments_have(&call->arguments, "format") && !searched_structure_is_stated(settings))
        ended = message_usage(
            "--format needs a structure search: add --search, such as --search hill-climb, or --method tan");
    if (ended == ENDED_WELL) status = train_on_rows(call, d, settings, &options, tallies, model, facts, ending, &error);
    if (status != CRD_OK) {
        ended = data_report_untrained(call, d, &error, call->arguments.operands[0]);
        if (error.status == CRD_ERROR_SYNTAX && arguments_have(&call->arguments, "no-multiline-fields")) {
            message_hint("if quoted fields contain line ends, do not use --no-multiline-fields");
        }
    }
    crd_settings_destroy(settings);
    return ended;
}

static int train_by_method(const invocation *call, data *d, crd_model **model, crd_read_facts *facts, int *ending) {
    const char *kept = arguments_value(&call->arguments, "keep-statistics");
    return auto_method_is_given(&call->arguments)
               ? auto_method_train(call, d, call->arguments.operands[0], kept, model, facts)
               : train_by_settings(call, d, kept, model, facts, ending);
}

static bool is_always_given(const invocation *call) {
    (void)call;
    return true;
}

/* A way of training, selected by options: the functions that train the model and report on it. *ending: the exit
 * code if training was interrupted and the model has the part reached so far. */
typedef struct train_training {
    bool (*is_given)(const invocation *call);
    int (*train)(const invocation *call, data *d, crd_model **model, crd_read_facts *facts, int *ending);
    int (*report)(const invocation *call, const crd_model *model, crd_reader *reader, const crd_read_facts *facts);
    bool is_of_labels; /* the target is a column of classes, which other methods may predict better */
} train_training;

/* The first way whose options are given is used. */
static const train_training trainings[] = {
    {sequence_options_are_given, sequence_training_run, train_report_sequences, false},
    {data_has_hidden_target, latent_training_run, train_report, false},
    {unlabeled_training_is_given, unlabeled_training_run, train_report, true},
    {is_always_given, train_by_method, train_report, true},
};

static const train_training *training_of(const invocation *call) {
    const train_training *t = trainings;
    while (!t->is_given(call)) t++;
    return t;
}

/* Leaves the group of processes. Only the first process continues: it reports, and reads the first of all rows again
 * to check the method. The others are done. */
static int leave_group(const invocation *call, data *d) {
    crd_error error;
    if (!invocation_is_collective(call)) return ENDED_WELL;
    crd_context_leave_group(call->context);
    if (!invocation_is_root(call)) return ENDED_WELL;
    return crd_reader_begin_whole(d->reader, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Sets the id of --part, by which merging identifies the rows of the model. */
static int name_part(const invocation *call, crd_model *model) {
    const char *id = arguments_value(&call->arguments, "part");
    crd_error error;
    return id == NULL || crd_model_set_part(model, crd_text_of(id), &error) == CRD_OK ? ENDED_WELL
                                                                                      : message_error(&error);
}

/* Prints the number of messages of each class, and the path of the model if no option gave it. */
static void report_messages(const invocation *call, const crd_model *model, const char *path) {
    crd_summary *summary = NULL;
    crd_error error;
    string counts = {0};
    if (message_is_quiet() || !arguments_have(&call->arguments, "mail")) return;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return;
    for (size_t i = 0; i < summary->class_count; i++) {
        string_format(&counts, i == 0 ? "" : ", ");
        string_add_shown(&counts, summary->classes[i].name);
        string_format(&counts, " %.0f", summary->classes[i].rows);
    }
    message_note("messages of each class: %s", string_text(&counts));
    if (!arguments_have(&call->arguments, "output")) message_note("the model is in %s", path);
    string_free(&counts);
    crd_summary_destroy(summary);
}

/* Ends an export when its first bytes arrive. */
static int stop_export(void *user, const char *bytes, size_t length) {
    (void)user, (void)bytes, (void)length;
    return 1;
}

/* Checks that the format of --deploy can express the model. The candidates are chosen by their methods, but a format of
 * a column, or the size of trees, may be impossible too. */
static int train_check_export(const invocation *call, const crd_model *model) {
    static const struct {
        const char *name;
        crd_export_format format;
    } formats[] = {{"json", CRD_EXPORT_JSON},
                   {"c", CRD_EXPORT_C},
                   {"sql", CRD_EXPORT_SQL},
                   {"onnx", CRD_EXPORT_ONNX},
                   {"pmml", CRD_EXPORT_PMML}};
    const char *name = arguments_value(&call->arguments, "deploy");
    crd_error error;
    for (size_t i = 0; name != NULL && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) != 0) continue;
        const crd_status status = crd_model_export(model, NULL, formats[i].format, NULL, stop_export, NULL, &error);
        if (status != CRD_OK && status != CRD_ERROR_CANCELLED) return message_error(&error);
    }
    return ENDED_WELL;
}

/* Trains the model, writes it to `path`, and prints the notes. */
static int train_learn(const invocation *call, data *d, const char *path) {
    const train_training *way = training_of(call);
    const bool is_whole = !train_is_part(call); /* a part of the rows may lack classes */
    crd_model *model = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    int ending = ENDED_WELL;
    int ended = data_choose_columns(call, d, call->arguments.operands[0], true);
    if (ended == ENDED_WELL) ended = way->train(call, d, &model, &facts, &ending);
    if (ended == ENDED_WELL) ended = name_part(call, model);
    if (ended == ENDED_WELL && is_whole && way->is_of_labels) ended = train_check_target(call, model, d->reader);
    if (ended == ENDED_WELL && is_whole) ended = train_check_settings(call, model, &ending);
    if (ended == ENDED_WELL) ended = train_check_export(call, model);
    if (ended == ENDED_WELL) ended = bad_row_list_flush(d->bad);
    if (ended == ENDED_WELL && invocation_is_root(call) && crd_model_save(model, path, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = leave_group(call, d);
    const bool is_reported = ended == ENDED_WELL && invocation_is_root(call);
    if (is_reported) ended = way->report(call, model, d->reader, &facts);
    if (is_reported && ended == ENDED_WELL) report_messages(call, model, path);
    if (is_reported && ended == ENDED_WELL && is_whole && way->is_of_labels) {
        class_warnings_report(call, model);
        train_check_method(call, model, d->reader);
    }
    crd_model_destroy(model);
    return ended == ENDED_WELL ? ending : ended;
}

/* Runs the verb: opens the rows, trains and writes the model. */
static int train_run(invocation *call) {
    const arguments *given = &call->arguments;
    const char *path = arguments_value(given, "output");
    bool has_target = arguments_have(given, "target") || arguments_have(given, "schema") || call->structure != NULL ||
                      data_has_hidden_target(call) || sequence_options_are_given(call) ||
                      arguments_have(given, "documents") || arguments_have(given, "mail");
    const char *setting = sequence_options_are_given(call) ? NULL : arguments_setting_in(given, "sequence");
    if (setting != NULL) {
        message_usage("--%s is for sequences, but the rows of %s are not read as sequences", setting,
                      given->operands[0]);
        message_hint("add --sequence COL, or --method sequence if all rows are one sequence");
        return ENDED_USAGE;
    }
    if (path == NULL && arguments_have(given, "mail") && !train_is_part(call)) {
        path = default_mail_model();
        if (path == NULL) return ENDED_USAGE;
        default_mail_model_make_folders(path);
    }
    if (path == NULL && has_target) {
        return message_usage("train needs a file to write the model to: -o MODEL");
    }
    call->has_all_rows = auto_method_is_given(given);
    data d;
    int ended = data_open(call, given->operands, given->operand_count, false, &d);
    if (ended != ENDED_WELL) return ended;
    ended = train_learn(call, &d, path);
    data_close(&d);
    return ended;
}

static const option options[] = {
    OPTION_TARGET,
    OPTION_MODEL_OUTPUT,
    OPTION_WEIGHT,
    OPTION_NUMBER,
    OPTION_CATEGORY,
    OPTION_TEXT,
    OPTION_COLUMN_FORMAT,
    OPTION_IGNORE,
    OPTION_ONLY,
    OPTION_DISCRETIZE,
    OPTIONS_OF_SEQUENCES,
    {"select-states", 0, "bic|held-out", .help = "sequences: criterion that chooses the number of hidden states (bic)",
     .conflicts = "target", .is_once = true},
    {"max-states", 0, "N", .help = "sequences: maximum number of hidden states to try (12)", .conflicts = "target",
     .is_once = true},
    {"select-classes", 0, "bic|held-out",
     .help = "--latent-class NAME: criterion that chooses the number of latent classes (bic)", .needs = "latent-class",
     .is_once = true},
    {"max-classes", 0, "N", .help = "--latent-class NAME: maximum number of latent classes to try (12)",
     .needs = "latent-class", .is_once = true},
    {"unlabeled", 0, "drop|use[:W]",
     .help = "rows whose target is missing: skip them (drop), or learn from them by EM (use), at weight W or one "
             "chosen by held-out labels",
     .conflicts = "arcs arcs-from search keep-statistics method=auto", .is_once = true},
    {"keep-statistics", 0, "NAME,...|all",
     .help = "keep more sufficient statistics, for families and methods chosen later"},
    {"budget", 0, "X", .help = "--method auto: try candidates for X times the default work; inf tries all (1)",
     .needs = "method"},
    {"deploy", 0, "FORMAT",
     .help = "--method auto: only try models that export can write as FORMAT: json, c, sql, onnx or pmml",
     .needs = "method"},
    {"bootstrap", 0, "N",
     .help = "search N resamples of the rows: report the confidence of each arc, and train the averaged network",
     .conflicts = "shard part", .is_once = true},
    {"threshold", 0, "S",
     .help = "minimum strength of arcs in the averaged network (default: computed from all strengths)",
     .needs = "bootstrap", .is_once = true},
    {"seed", 0, "N", .help = "seed of --bootstrap, --restarts, latent classes and hidden states (1)", .is_once = true},
    {"format", 0, FORMATS,
     .help = "print all arcs that a search found, and whether they are directed; with --bootstrap their confidence; "
             "for sequences, how EM found the states",
     .needs = "arcs arcs-from search method sequence sequence-break time states",
     .conflicts = "shard part unlabeled method=auto", .is_once = true},
    OPTION_SCHEMA,
    OPTION_ARCS_FROM,
    {"latent-class", 0, "NAME[:K]", .help = "find K latent classes NAME in the rows, instead of a target",
     .scope = SCOPE_COLUMNS, .is_once = true},
    {"shard", 0, "I/N", .help = "train on the I-th of N parts of the rows, to be merged", .conflicts = "discretize",
     .hint = "compute cut points from all rows, in a schema: credence schema DATA... --discretize ... -o SCHEMA",
     .is_once = true},
    {"part", 0, "ID", .help = "mark the rows as a part with this id; merge, update and forget count a part once",
     .conflicts = "latent-class states method=auto", .is_once = true},
    {"no-multiline-fields", 0, NULL,
     .help = "promise that every row is one line, so a shard need not scan the rows before it"},
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};

const verb verb_train = {
    .name = "train",
    .usage =
        "train DATA... --target COL -o MODEL | train DATA... --method network --arcs ARCS -o MODEL | train DATA... "
        "--search hill-climb -o MODEL | train DATA... --latent-class NAME[:K] -o MODEL | train DATA... --sequence COL "
        "[--target COL] "
        "[--states K] -o MODEL | train --mail|--documents CLASS=PATH,... -o MODEL",
    .summary = "Train a model from tables",
    .about =
        "A column is numeric if all of its values are numbers, else categorical. The target is always categorical. "
        "Rows whose target is missing are skipped, unless --unlabeled use learns from them by EM, at a weight that "
        "held-out labels choose. The model file contains sufficient statistics. Settings given here are stored as its "
        "defaults.\n\n"
        "--latent-class NAME:K finds K latent classes NAME in the rows, by EM over naive Bayes "
        "with a latent class. Without K, --select-classes chooses their number. predict assigns them, show compares "
        "each "
        "with the rest, evaluate --true-labels compares them with labels.\n\n"
        "With --weight a row counts as many times as the number in that column, which may be a fraction: a row of "
        "weight 3 is three rows, and a row of weight 0 is skipped. update and forget then need the column too.\n\n"
        "For numeric columns the count, sum and sum of squares are kept. If --family names a density family that needs "
        "more statistics, they are kept too. --keep-statistics keeps them for later use: signs (numbers of negative, "
        "zero, one, "
        "integer and fractional values), logs (sums of logarithms), min-max (minimum and maximum; such a model cannot "
        "forget), histogram (up to 4,096 values or bins); all means these four.\n\n"
        "--method and --joint keep the joint statistics that they need, and you can name them with --keep-statistics "
        "too: joint-counts "
        "(counts of combinations of categories), cross-products (sums of products of numbers), pair-counts (counts of "
        "every pair of "
        "attributes' values), rows (up to 65,536 of the rows themselves; the model cannot forget after it had to drop "
        "some), grouped-moments (sums of products of numbers by combination of categories).\n\n"
        "--method auto compares methods and families by cross-validation, like evaluate --compare, and trains the "
        "recommended one. The model contains the chosen settings and the comparison, which show prints. Candidates are "
        "tried cheapest first within a budget of work that depends on the rows only; --budget allows more.\n\n"
        "With --shard I/N only one of N parts of the rows is learned, which may be empty. merge creates a model that "
        "is byte-identical to the model of all rows, in any order. All shards need the same files and options. Without "
        "--schema a shard has the column types of its own values, and merge rejects shards whose types differ. Arcs, "
        "and searches except tan and kdb, need a schema. Shards for a structure search keep their rows, and so does "
        "the merged model: its arcs and predictions equal those of one run, but its bytes do not. Quoted fields may "
        "contain line ends, so a shard scans the rows before it, unless --no-multiline-fields promises that every row "
        "is one "
        "line.\n\n"
        "With --part ID the model is a part with that id, which may have no rows. merge and update reject, or skip, a "
        "part that the model already contains, and forget retracts it. Structure searches run after all parts are "
        "merged.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence train days.csv --target Play -o best.model --method auto\n"
               "  credence train days.csv --method network --arcs 'Outlook->Play,Wind->Play' -o net.model\n"
               "  credence train days.csv --search hill-climb -o found.model\n",
    .essentials = "target|output|method|family|smoothing|ignore|categorical|text|column-format|weight|header|bad-rows",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA: a file, several, or -",
    .reads_operands = true,
    .is_collective = true,
    .data_at = 1,
    .run = train_run};
