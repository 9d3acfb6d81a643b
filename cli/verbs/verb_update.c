/* SPDX-License-Identifier: MIT */
/* verb_update.c - the verbs update and forget: they change a model file in place. update learns more rows or merges
 * models of parts of the rows; forget removes rows or retracts merged models. */
#include "base/os.h"
#include "core/default_model.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "source/class_warnings.h"
#include "source/data_input.h"
#include "source/document_operand.h"
#include "source/network_model.h"
#include "source/part_models.h"

#include <errno.h>
#include <string.h>

/* The differences between the verbs update and forget. */
typedef struct update_change {
    const char *verb, *done;
    int sign;
    crd_status (*apply)(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error);
} update_change;

/* --new-classes yes: a class may differ only in spelling from a known one. */
static bool adds_similar_classes(const invocation *call) {
    const char *value = arguments_value(&call->arguments, "new-classes");
    return value != NULL && strcmp(value, "yes") == 0;
}

/* The classes of a model; NULL if there are none. Freed with crd_summary_destroy. */
static crd_summary *update_classes(const crd_model *model) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_model_sequence_classes(model) != NULL || crd_summary_create(model, &summary, &error) != CRD_OK) return NULL;
    if (summary->target.bytes != NULL) return summary;
    crd_summary_destroy(summary);
    return NULL;
}

/* Warns about possible faults in the classes of a model that has learned rows. */
static void update_report_classes(const invocation *call, const update_change *c, const crd_summary *before,
                                  const crd_model *model) {
    if (c->sign < 0 || message_is_quiet() || before == NULL) return;
    class_warnings_report_new(before, model);
    if (!crd_model_is_sequence(model)) class_warnings_report(call, model);
}

/* Learns, forgets or moves the rows, according to the verb, --class and --was. */
static crd_status update_apply(const invocation *call, const update_change *c, crd_model *model, crd_reader *reader,
                               crd_read_facts *facts, crd_error *error) {
    const char *class = arguments_value(&call->arguments, "class"), *was = arguments_value(&call->arguments, "was");
    if (adds_similar_classes(call)) crd_reader_accept_similar_classes(reader);
    if (was != NULL) return crd_model_move_all(model, reader, crd_text_of(was), crd_text_of(class), facts, error);
    crd_status status = class == NULL ? CRD_OK : crd_reader_set_class(reader, crd_text_of(class), error);
    return status == CRD_OK ? c->apply(model, reader, facts, error) : status;
}

/* Prints a note about the change and the current number of rows. */
static void note_change(const crd_model *model, const char *done, const char *rows) {
    crd_summary *summary = NULL;
    char total[CRD_NUMBER_ROOM];
    if (crd_summary_create(model, &summary, NULL) == CRD_OK)
        message_note("%s; the model has %s%s now", done, crd_number_count(summary->rows, total), rows);
    crd_summary_destroy(summary);
}

/* Changes the model by models of parts of the rows: merges them, or retracts them. */
static int change_by_models(const invocation *call, const update_change *c, crd_model *model, const char *target) {
    string done = {0};
    crd_error error;
    crd_summary *before = update_classes(model);
    int ended = part_models_apply(call, 1, c->sign, model, &done);
    if (ended == ENDED_WELL && c->sign > 0 && !adds_similar_classes(call))
        ended = class_warnings_check_new(before, model);
    if (ended == ENDED_WELL &&
        (crd_model_fit(model, &error) != CRD_OK || crd_model_save(model, target, &error) != CRD_OK))
        ended = message_error(&error);
    if (ended == ENDED_WELL) note_change(model, string_text(&done), " rows");
    if (ended == ENDED_WELL && c->sign > 0) part_models_warn_of_copies(call);
    if (ended == ENDED_WELL) update_report_classes(call, c, before, model);
    crd_summary_destroy(before);
    string_free(&done);
    return ended;
}

/* Reports documents that cannot be forgotten. The library's error names the count that would fall below zero, which
 * does not help the user. */
static int report_not_learned(const invocation *call, const crd_read_facts *facts, const crd_error *error) {
    const arguments *given = &call->arguments;
    const char *name = document_operand_option(call, given->operands[1]);
    const char *class = arguments_value(given, arguments_have(given, "was") ? "was" : "class");
    if (name == NULL || class == NULL) return message_error_in(error, given->operands[1]);
    const char *item = strcmp(name, "mail") == 0 ? "message" : "document";
    string shown = {0};
    string_add_shown(&shown, crd_text_of(class));
    if (facts->rows == 1)
        message_failed("this %s was never learned as '%s': nothing was %s", item, string_text(&shown),
                       arguments_have(given, "was") ? "moved" : "forgotten");
    else
        message_failed("not all of these %ss were learned as '%s': nothing was %s", item, string_text(&shown),
                       arguments_have(given, "was") ? "moved" : "forgotten");
    string_free(&shown);
    return ENDED_FAILED;
}

static int report_failure(const invocation *call, const crd_model *model, const crd_read_facts *facts,
                          const crd_error *error) {
    const char *path = call->arguments.operands[1];
    if (error->status == CRD_ERROR_NOT_LEARNED) return report_not_learned(call, facts, error);
    const int ended = message_error_in(error, path);
    document_operand_hint_at_mail(call, model, path);
    return ended;
}

/* Changes the model by the rows of DATA, and prints a note about the change. */
static int change_by_rows(const invocation *call, const update_change *c, crd_model *model, const char *target) {
    const arguments *given = &call->arguments;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    char buffer[ROWS_ROOM];
    data d;
    int ended = data_open_for(call, model, given->operands + 1, given->operand_count - 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    const char *was = arguments_value(given, "was");
    crd_summary *before = update_classes(model);
    if (update_apply(call, c, model, d.reader, &facts, &error) != CRD_OK || crd_model_fit(model, &error) != CRD_OK)
        ended = report_failure(call, model, &facts, &error);
    if (ended == ENDED_WELL) ended = bad_row_list_flush(d.bad);
    if (ended == ENDED_WELL && crd_model_save(model, target, &error) != CRD_OK)
        ended = report_failure(call, model, &facts, &error);
    if (ended == ENDED_WELL) {
        string done = {0};
        string_format(&done, "%s %s", was == NULL ? c->done : "moved", output_rows(facts.rows, buffer));
        note_change(model, string_text(&done), "");
        string_free(&done);
        data_report_rows(model, &facts);
        update_report_classes(call, c, before, model);
    }
    crd_summary_destroy(before);
    data_close(&d);
    return ended;
}

/* ---- A mail model that is not there yet ---- */

static bool update_is_missing(const crd_error *error) {
    return error->status == CRD_ERROR_SYSTEM && error->system_error == ENOENT;
}

/* Creates the model from the first messages, if it does not exist. */
static int learn_first(const invocation *call, data *d, const char *target) {
    crd_settings *settings = NULL;
    crd_model *model = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    char buffer[ROWS_ROOM];
    crd_status status = crd_settings_create(call->context, &settings, &error);
    if (status == CRD_OK) status = crd_settings_set_for_mail(settings, &error);
    if (status == CRD_OK) status = crd_model_train(call->context, d->reader, settings, &model, &facts, &error);
    if (status == CRD_OK) status = crd_model_fit(model, &error);
    if (status == CRD_OK) status = crd_model_save(model, target, &error);
    const int ended = status == CRD_OK ? ENDED_WELL : message_error_in(&error, call->arguments.operands[1]);
    if (ended == ENDED_WELL) {
        message_note("learned %s; %s is a new model", output_rows(facts.rows, buffer), target);
        class_warnings_report(call, model);
    }
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

/* Trains the model on these messages, as train does. */
static int create_mail_model(const invocation *call, const char *target) {
    const arguments *given = &call->arguments;
    data d;
    if (arguments_have(given, "was"))
        return message_usage("--was moves messages of a model, and %s is not there", target);
    int ended = data_open(call, given->operands + 1, given->operand_count - 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    ended = data_choose_columns(call, &d, given->operands[1], false);
    if (ended == ENDED_WELL) ended = learn_first(call, &d, target);
    data_close(&d);
    return ended;
}

/* Waits until standard input has data, before the model is locked. A person may take long to type rows, and other
 * commands that change the model wait for the lock. */
static int await_input(const arguments *given) {
    enum { MILLISECONDS = 1000 };
    bool is_read = false;
    for (size_t i = 1; i < given->operand_count; i++) is_read = is_read || strcmp(given->operands[i], "-") == 0;
    while (is_read && !crd_i_os_await(CRD_I_STDIN, MILLISECONDS))
        if (invocation_interrupted()) return invocation_interrupted_exit();
    return ENDED_WELL;
}

/* Runs update or forget: opens and locks the model, changes it by rows, documents or models, and writes it. */
static int run_change(const invocation *call, const update_change *c) {
    const arguments *given = &call->arguments;
    const char *target = arguments_value(given, "output");
    crd_model_lock *lock = NULL;
    crd_model *model = NULL;
    crd_error error;
    const char *path = given->operands[0];
    const bool may_create = c->sign > 0 && document_operand_option(call, given->operands[1]) != NULL &&
                            strcmp(document_operand_option(call, given->operands[1]), "mail") == 0;
    bool by_models = false;
    int ended = network_model_refuse(call, path, c->verb);
    if (ended == ENDED_WELL) ended = part_models_are_given(call, 1, &by_models);
    if (ended == ENDED_WELL) ended = await_input(given);
    if (ended != ENDED_WELL) return ended;
    if (may_create) default_mail_model_make_folders(target == NULL ? path : target);
    /* Only a change in place reads the file that it will write, so only then the model is locked. */
    if (target == NULL && crd_model_lock_take(call->context, path, &lock, &error) != CRD_OK)
        return message_error(&error);
    if (crd_model_load(call->context, path, &model, &error) != CRD_OK && may_create && update_is_missing(&error)) {
        ended = create_mail_model(call, target == NULL ? path : target);
    } else if (model == NULL) {
        ended = message_error(&error);
        if (error.status == CRD_ERROR_NOT_A_MODEL) message_hint("%s changes a model that train has made", c->verb);
    } else {
        message_columns_settled_by("the model has");
        ended = (by_models ? change_by_models : change_by_rows)(call, c, model, target == NULL ? path : target);
    }
    crd_model_destroy(model);
    crd_model_lock_release(lock);
    return ended;
}

static int run_update(invocation *call) {
    static const update_change learning = {"update", "learned", 1, crd_model_update_all};
    return run_change(call, &learning);
}

static int run_forget(invocation *call) {
    static const update_change forgetting = {"forget", "forgot", -1, crd_model_forget_all};
    return run_change(call, &forgetting);
}

#define OPTION_CHANGED                                                                                                 \
    {                                                                                                                  \
        "output", 'o', "MODEL", .help = "write the changed model to MODEL, and keep the old one",                      \
                                .file = OPTION_WRITES, .is_once = true                                                 \
    }
#define OPTION_CLASS                                                                                                   \
    { "class", 0, "NAME", .help = "class of all rows, if they have no target", .is_once = true }

static const option options_of_update[] = {
    OPTION_CHANGED,
    OPTION_CLASS,
    {"was", 0, "NAME", .help = "the class they were learned as; moves them to --class", .needs = "class",
     .is_once = true},
    {"new-classes", 0, "yes|no", .help = "add classes that differ only in spelling from a known one (no)",
     .is_once = true},
    OPTION_DUPLICATES,
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};
static const option options_of_forget[] = {OPTION_CHANGED,     OPTION_CLASS,  OPTIONS_OF_DOCUMENTS,
                                           OPTIONS_OF_READING, OPTION_STRICT, OPTIONS_END};

const verb verb_update = {
    .name = "update",
    .usage = "update MODEL DATA... | update MODEL PART.model... | update MODEL --class NAME --mail PATH...",
    .summary = "Learn more rows, or merge models into one in place",
    .about =
        "The model becomes byte-identical to one that was trained on all rows at once. It is changed completely or "
        "not at all; other commands that change it at the same time wait.\n\n"
        "Rows without a target are of the class that --class names. With --was, rows that were learned as another "
        "class "
        "move from there in one step.\n\n"
        "A class that differs from a known one only in case, surrounding spaces, or the way a number is written is an "
        "error, unless you add --new-classes yes.\n\n"
        "update --mail creates MODEL if it does not exist. Without MODEL, --mail uses $CREDENCE_MAIL_MODEL, or "
        "~/.local/share/credence/mail.model.\n\n"
        "If models are given instead of rows, they are merged into the first, as merge does. One that was trained with "
        "--part is counted once: a second time it is rejected, or skipped (--duplicates skip).",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence update days.model days.csv\n",
    .essentials = "class|was|new-classes|output|duplicates|strict|input|header|missing|threads",
    .options = options_of_update,
    .has_mail_model = true,
    .takes_sequences = true,
    .least = 2,
    .most = SIZE_MAX,
    .operands = "MODEL and DATA",
    .reads_operands = true,
    .data_at = 2,
    .run = run_update};

const verb verb_forget = {
    .name = "forget",
    .usage = "forget MODEL DATA... | forget MODEL PART.model... | forget MODEL --class NAME --mail PATH...",
    .summary = "Unlearn rows, or retract models that were merged",
    .about =
        "The model becomes byte-identical to one that never learned the rows. If rows cannot have been learned, "
        "they are rejected and nothing changes.\n\n"
        "If models are given instead of rows, they are retracted: their rows are removed, and the ids of their parts "
        "(train --part), which must be in the model."
        "\n\nIf training stored the statistics histogram or pair-counts, their bins keep the width that all rows "
        "needed.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv days.csv --target Play -o days.model\n"
               "  credence forget days.model days.csv\n",
    .essentials = "class|output|strict|input|header|missing|threads",
    .options = options_of_forget,
    .has_mail_model = true,
    .takes_sequences = true,
    .least = 2,
    .most = SIZE_MAX,
    .operands = "MODEL and DATA",
    .reads_operands = true,
    .data_at = 2,
    .run = run_forget};
