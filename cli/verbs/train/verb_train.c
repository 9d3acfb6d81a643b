/* SPDX-License-Identifier: MIT */
/* verb_train.c - learns a model from tables, in one of several ways. */
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
#include "source/model_or_table.h"
#include "source/searched_structure.h"
#include "source/sequence_options.h"
#include "source/sequence_training.h"
#include "source/structure_option.h"
#include "source/unlabelled_training.h"

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

/* A prior that does not fit the classes would make a model that answers nothing. */
static int train_check_settings(const invocation *call, crd_model *model, int *ending) {
    crd_error error;
    if (train_may_fit(crd_model_settings(model)))
        progress_say("all is read; fitting the method to the rows that were kept");
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

/* Whether the model is one of several that are to be merged. */
static bool train_is_part(const invocation *call) {
    return arguments_have(&call->arguments, "shard") || arguments_have(&call->arguments, "part");
}

/* A part of the rows keeps them, so that the structure is searched for once all are merged. */
static crd_status train_on_rows(const invocation *call, data *d, const crd_settings *settings,
                                const crd_structure_options *options, const char *tallies, crd_model **model,
                                crd_read_facts *facts, int *ending, crd_error *error) {
    if (searched_structure_is_stated(settings) && !train_is_part(call))
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
    int ended = document_operand_settings(call, settings);
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

/* The tallies to be kept beyond those that the method reads, in `names`; NULL: none. */
static const char *tallies_kept(const invocation *call, string *names) {
    const char *tallies = arguments_value(&call->arguments, "tally");
    const bool has_grid = arguments_have(&call->arguments, "grid");
    if (tallies == NULL) return has_grid ? "grid" : NULL;
    string_format(names, "%s%s", tallies, has_grid ? ",grid" : "");
    return string_text(names);
}

static int train_by_method(const invocation *call, data *d, crd_model **model, crd_read_facts *facts, int *ending) {
    string names = {0};
    const char *kept = tallies_kept(call, &names);
    const int ended = auto_method_is_given(&call->arguments)
                          ? auto_method_train(call, d, call->arguments.operands[0], kept, model, facts)
                          : train_by_settings(call, d, kept, model, facts, ending);
    string_free(&names);
    return ended;
}

static bool is_always_given(const invocation *call) {
    (void)call;
    return true;
}

/* A way of training, which options choose: what makes the model, and what holds for it. *ending: what the command ends
 * with where it was interrupted and the model is of what there was. */
typedef struct train_training {
    bool (*is_given)(const invocation *call);
    int (*train)(const invocation *call, data *d, crd_model **model, crd_read_facts *facts, int *ending);
    int (*report)(const invocation *call, const crd_model *model, crd_reader *reader, const crd_read_facts *facts);
    bool is_of_labels; /* the target is a column of classes, of which other methods may learn more */
} train_training;

/* The first that is given. */
static const train_training trainings[] = {
    {sequence_options_are_given, sequence_training_run, train_report_sequences, false},
    {data_has_hidden_target, latent_training_run, train_report, false},
    {unlabelled_training_is_given, unlabelled_training_run, train_report, true},
    {is_always_given, train_by_method, train_report, true},
};

static const train_training *training_of(const invocation *call) {
    const train_training *t = trainings;
    while (!t->is_given(call)) t++;
    return t;
}

/* Of several processes the first one reports, and checks the method by the first of all rows: for itself alone, since the others are done. */
static int leave_group(const invocation *call, data *d) {
    crd_error error;
    if (!invocation_is_collective(call)) return ENDED_WELL;
    crd_context_leave_group(call->context);
    if (!invocation_is_root(call)) return ENDED_WELL;
    return crd_reader_begin_whole(d->reader, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* --part: the id by which merging knows the rows of the model. */
static int name_part(const invocation *call, crd_model *model) {
    const char *id = arguments_value(&call->arguments, "part");
    crd_error error;
    return id == NULL || crd_model_set_part(model, crd_text_of(id), &error) == CRD_OK ? ENDED_WELL
                                                                                      : message_error(&error);
}

/* The messages of each class, and the file of a model that no option names. */
static void report_messages(const invocation *call, const crd_model *model, const char *path) {
    crd_summary *summary = NULL;
    crd_error error;
    string counts = {0};
    if (message_is_quiet() || !arguments_have(&call->arguments, "mail")) return;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return;
    for (size_t i = 0; i < crd_summary_class_count(summary); i++) {
        string_format(&counts, i == 0 ? "" : ", ");
        string_add_shown(&counts, crd_summary_class(summary, i));
        string_format(&counts, " %.0f", crd_summary_class_rows(summary, i));
    }
    message_note("messages of each class: %s", string_text(&counts));
    if (!arguments_have(&call->arguments, "output")) message_note("the model is in %s", path);
    string_free(&counts);
    crd_summary_destroy(summary);
}

static int train_learn(const invocation *call, data *d, const char *path) {
    const train_training *way = training_of(call);
    const bool is_whole = !train_is_part(call); /* a part of the rows need not have all classes */
    crd_model *model = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    int ending = ENDED_WELL;
    int ended = data_choose_columns(call, d, call->arguments.operands[0], true);
    if (ended == ENDED_WELL) ended = way->train(call, d, &model, &facts, &ending);
    if (ended == ENDED_WELL) ended = name_part(call, model);
    if (ended == ENDED_WELL && is_whole && way->is_of_labels) ended = train_check_target(call, model, d->reader);
    if (ended == ENDED_WELL && is_whole) ended = train_check_settings(call, model, &ending);
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

static int train_run(invocation *call) {
    const arguments *given = &call->arguments;
    const char *path = arguments_value(given, "output");
    bool has_target = arguments_have(given, "target") || arguments_have(given, "schema") || call->structure != NULL ||
                      data_has_hidden_target(call) || sequence_options_are_given(call) ||
                      arguments_have(given, "documents") || arguments_have(given, "mail");
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
    OPTION_FORM,
    OPTION_IGNORE,
    OPTION_ONLY,
    OPTION_DISCRETIZE,
    OPTIONS_OF_SEQUENCES,
    {"states-by", 0, "bic|held-out", .help = "sequences: what the number of hidden states is chosen by (bic)",
     .conflicts = "target", .is_once = true},
    {"most-states", 0, "N", .help = "sequences: most hidden states to choose from (12)", .conflicts = "target",
     .is_once = true},
    {"classes-by", 0, "bic|held-out", .help = "--hidden NAME: what the number of latent classes is chosen by (bic)",
     .needs = "hidden", .is_once = true},
    {"most-classes", 0, "N", .help = "--hidden NAME: most latent classes to choose from (12)", .needs = "hidden",
     .is_once = true},
    {"unlabelled", 0, "drop|use[:W]",
     .help = "rows whose target is missing: left out (drop), or learned from, at a weight chosen by held-out labels",
     .conflicts = "structure tally grid method=auto", .is_once = true},
    {"tally", 0, "NAME,...|all",
     .help = "further sufficient statistics to keep, for families and methods chosen later"},
    {"grid", 0, NULL, .help = "the same as --tally grid"},
    {"budget", 0, "X", .help = "--method auto: try candidates for X times the default work, or all: inf (1)",
     .needs = "method"},
    {"bootstrap", 0, "N", .help = "search N resamples of the rows: how sure each arc is, and the averaged network",
     .conflicts = "shard part", .is_once = true},
    {"threshold", 0, "S", .help = "strength above which the averaged network has an arc (found from all strengths)",
     .needs = "bootstrap", .is_once = true},
    {"seed", 0, "N", .help = "seed of --bootstrap, --restarts, latent classes and hidden states (1)", .is_once = true},
    {"format", 0, FORMATS,
     .help = "prints all arcs that a search found, and whether they are directed; with --bootstrap how sure they are; "
             "of sequences, how EM found the states",
     .needs = "structure method sequence time states", .conflicts = "shard part unlabelled method=auto",
     .is_once = true},
    OPTION_SCHEMA,
    {"shard", 0, "I/N", .help = "train on the I-th of N parts of the rows, to be merged", .conflicts = "discretize",
     .hint = "cut points are those of all rows, in a schema: credence schema DATA... --discretize ... -o SCHEMA",
     .is_once = true},
    {"part", 0, "ID", .help = "the rows are a part of others, known by this id: merge, update and forget take it once",
     .conflicts = "hidden states method=auto", .is_once = true},
    {"line-rows", 0, NULL, .help = "every row is one line: a shard need not scan what is before it"},
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};

const verb verb_train = {
    .name = "train",
    .usage = "train DATA... --target COL -o MODEL | train DATA... --method network --structure ARCS|FILE -o "
             "MODEL | train DATA... --hidden NAME[:K] -o MODEL | train DATA... --sequence COL|blank [--target COL] "
             "[--states K] -o MODEL | train --mail|--documents CLASS=PATH,... -o MODEL",
    .summary = "Train a model from tables",
    .about =
        "A column is numeric if all of its cells that are not missing are numbers, else categorical; the "
        "target is always categorical. Rows whose target is missing are skipped, unless "
        "--unlabelled use learns from them by EM, at a weight that held-out labels choose. The model file holds "
        "sufficient statistics; settings given here are stored as its defaults.\n\n"
        "--hidden NAME:K without a target or structure finds K latent classes NAME in the rows, by EM over naive Bayes "
        "whose class is hidden; without K, --classes-by chooses their number. predict assigns them, show describes "
        "each against the rest, evaluate --against compares them with labels.\n\n"
        "--method sequence, which --sequence, --time or --states implies, trains a hidden Markov model of the "
        "sequences "
        "of rows that --sequence and --time find. Its states are the labels of --target, which are counted, or hidden: "
        "K of --states, or as many as --states-by chooses, found by EM from --restarts starts. Rows without a label "
        "among others are learned from by EM too, unless --unlabelled drop leaves them out. --order, --topology, "
        "--forbidden, --ends, --transitions and --components are settings of sequences.\n\n"
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
        "is recommended. The model contains the chosen settings and the comparison, which show prints. Candidates are "
        "tried cheapest first within a budget of work that depends on the rows only; --budget allows more.\n\n"
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
        "A search instead of arcs finds them in the rows: --structure hill-climb, tabu or exact maximises "
        "--score, "
        "pc tests independence at --alpha, chow-liu is the best tree; tan and kdb:K, also as --method, have the target "
        "for a parent of all. --required, --forbidden, --tiers and --most-parents constrain the result. The model has "
        "the arcs found, and no rows. --bootstrap N searches N resamples, prints how sure each arc is, and trains the "
        "averaged network.\n\n"
        "With --shard I/N only one of N parts of the rows is learned, which may be none; merge gives the "
        "model of all rows, to the byte, in any order. All shards need the same files and options. Without --schema a "
        "part has the "
        "kinds that its own cells show, and merge refuses parts in which they differ; arcs, and searches but tan and "
        "kdb, need a schema. Shards of structures that are searched for keep their rows, and so does the merged model: "
        "it has the arcs and answers of one run, but not its bytes. Quoted "
        "fields may contain line ends, so that a shard scans what is before it, unless --line-rows promises "
        "that every row is one line.\n\n"
        "With --part ID the model holds a part of that id, which may have no rows. merge and update refuse, or leave "
        "out, "
        "a part that is there already, and forget retracts it. Structures are searched for once all parts are merged.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence train days.csv --target Play -o best.model --method auto\n"
               "  credence train days.csv --method network --structure 'Outlook->Play,Wind->Play' -o net.model\n"
               "  credence train days.csv --structure hill-climb -o found.model\n",
    .essentials = "target|output|method|family|smoothing|ignore|category|text|form|weight|header|bad-rows",
    .options = options,
    .takes_settings = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA: a file, several, or -",
    .reads_operands = true,
    .is_collective = true,
    .data_at = 1,
    .run = train_run};
