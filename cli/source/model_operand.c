/* SPDX-License-Identifier: MIT */
/* model_operand.c - see model_operand.h.
 *
 * Contents:
 *   1. Model files, and tables as models
 *   2. Networks
 *   3. Settings and answers */
#include "source/model_operand.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "source/auto_method.h"
#include "source/column_warnings.h"
#include "source/data_input.h"
#include "source/document_operand.h"
#include "source/input_file.h"
#include "source/network_model.h"
#include "source/option_scope.h"
#include "source/sequence_options.h"
#include "source/sequence_training.h"
#include "source/structure_option.h"

#include <math.h>
#include <string.h>

/* ======== 1. Model files, and tables as models ======== */

void model_operand_hint(const char *path) {
    const char *shown = input_file_name(path);
    if (input_file_reads_once(path)) message_hint("%s can be read only once: a model must be a file", shown);
    else message_hint("%s is not a model, nor a table that can be read", shown);
}

static bool is_of_sequences(const crd_model *model) {
    return crd_model_is_sequence(model) || crd_model_sequence_classes(model) != NULL;
}

static int load_model(const invocation *call, const char *path, crd_model **out) {
    crd_error error;
    if (auto_method_is_given(&call->arguments))
        return message_usage("%s is a model; --method auto needs the rows themselves", path);
    if (crd_model_load(call->context, path, out, &error) != CRD_OK) return message_error(&error);
    bool is_network = crd_model_is_network(*out) != 0;
    int ended = option_scope_check_model(call, path, is_network);
    if (ended == ENDED_WELL)
        ended = is_of_sequences(*out) ? option_scope_check_sequence_model(call, path)
                                      : option_scope_check_texts(call, path, *out);
    if (ended != ENDED_WELL) return ended;
    message_columns_settled_by("the model has");
    return is_network ? network_model_turn(call, path, out) : ENDED_WELL;
}

/* Returns whether a column has few distinct values that are all integers, such as the points of a die. */
static bool model_operand_has_few_whole_numbers(const crd_profile *profile, size_t column,
                                                const crd_column_profile *facts) {
    enum { MOST_VALUES = 20 };
    crd_value value;
    uint64_t cells;
    if (facts->type != CRD_TYPE_NUMERIC || !facts->is_exact || facts->distinct > MOST_VALUES) return false;
    for (uint64_t rank = 0; rank < facts->distinct; rank++)
        if (!crd_profile_frequent(profile, column, rank, &value, &cells) || value.number != floor(value.number))
            return false;
    return facts->distinct > 0;
}

static int take_as_category(const invocation *call, data *d, crd_text name) {
    crd_error error;
    if (crd_text_equal(name, (crd_text){string_text(&d->target), d->target.length}) ||
        column_is_named_by(call, "numeric", d->reader, name) || column_is_named_by(call, "weight", d->reader, name))
        return ENDED_WELL;
    for (size_t i = 0; i < crd_reader_column_count(d->reader); i++)
        if (crd_text_equal(crd_reader_column_name(d->reader, i), name))
            return crd_reader_set_column_type(d->reader, i, CRD_TYPE_CATEGORICAL, &error) == CRD_OK
                       ? ENDED_WELL
                       : message_error(&error);
    return ENDED_WELL;
}

/* Makes numeric columns with few distinct integers categorical, unless options specify how numbers are modeled. Reads
 * the table once more, so input that can be read only once is left unchanged. */
static int count_whole_numbers(const invocation *call, const char *path, data *d) {
    static const char *const settled[] = {"family", "method", "schema", "discretize", "arcs", "joint"};
    crd_profile *profile = NULL;
    crd_error error;
    data looked;
    if (!call->counts_whole_numbers || input_file_reads_once(path) || sequence_options_are_given(call))
        return ENDED_WELL;
    for (size_t i = 0; i < sizeof settled / sizeof *settled; i++)
        if (arguments_have(&call->arguments, settled[i])) return ENDED_WELL;
    int ended = data_open(call, &path, 1, false, &looked);
    if (ended != ENDED_WELL) return ended;
    ended = data_choose_columns(call, &looked, path, true);
    if (ended == ENDED_WELL && crd_profile_create(call->context, looked.reader, 0, &profile, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    for (size_t i = 0; ended == ENDED_WELL && i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        if (model_operand_has_few_whole_numbers(profile, i, &facts)) ended = take_as_category(call, d, facts.name);
    }
    crd_profile_destroy(profile);
    data_close(&looked);
    return ended;
}

static int train_on_table(const invocation *call, const char *path, data *d, crd_model **out) {
    crd_settings *settings = NULL;
    crd_error error;
    int ended = data_choose_columns(call, d, path, true);
    if (ended == ENDED_WELL) ended = count_whole_numbers(call, path, d);
    if (ended != ENDED_WELL) return ended;
    if (auto_method_is_given(&call->arguments)) return auto_method_train(call, d, path, NULL, out, NULL);
    if (sequence_options_are_given(call)) return sequence_training_in_memory(call, d, out);
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    ended = document_operand_settings(call, settings);
    if (ended == ENDED_WELL && crd_model_train(call->context, d->reader, settings, out, NULL, &error) != CRD_OK) {
        ended = data_report_untrained(call, d, &error, path);
    }
    if (ended == ENDED_WELL) structure_warn_of_values(call, *out);
    crd_settings_destroy(settings);
    return ended;
}

/* Opens a model file, a network file, or a table on which a model is trained. */
static int open_any(const invocation *call, const char *path, const char *const *rows, size_t row_paths,
                    crd_model **out) {
    crd_file_kind kind = CRD_FILE_ROWS;
    *out = NULL;
    int ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL) return ended;
    if (kind == CRD_FILE_MODEL) return load_model(call, path, out);
    if (kind == CRD_FILE_NETWORK) return network_model_load(call, path, rows, row_paths, out);
    invocation reading = *call;
    reading.has_all_rows = call->has_all_rows || auto_method_is_given(&call->arguments);
    data d;
    ended = data_open(&reading, &path, 1, false, &d);
    if (ended == ENDED_FAILED) model_operand_hint(path);
    if (ended != ENDED_WELL) return ended;
    ended = train_on_table(&reading, path, &d, out);
    data_close(&d);
    return ended;
}

static int open_for_rows(const invocation *call, const char *path, const char *const *rows, size_t row_paths,
                         crd_model **out) {
    operand_files *files = call->files;
    const bool fits = input_file_kind(call, path) == CRD_FILE_MODEL ||
                      files->model_counts_whole_numbers == call->counts_whole_numbers;
    if (files->model != NULL && files->model_path == path && fits) {
        *out = files->model;
        files->model = NULL;
        return ENDED_WELL;
    }
    const int ended = open_any(call, path, rows, row_paths, out);
    if (ended != ENDED_WELL) return ended;
    if (crd_model_sequence_classes(*out) != NULL && !call->verb->takes_sequence_classes)
        return message_failed("%s is a sequence classification model, which %s does not support", path,
                              call->verb->name);
    return (is_of_sequences(*out) ? option_scope_check_sequences : option_scope_check_rows)(call, path);
}

void model_operand_keep(const invocation *call, const char *path, crd_model *model) {
    crd_model_destroy(call->files->model);
    call->files->model = model;
    call->files->model_path = path;
    call->files->model_counts_whole_numbers = call->counts_whole_numbers;
}

int model_operand_open(const invocation *call, const char *path, crd_model **out) {
    return open_for_rows(call, path, NULL, 0, out);
}

int model_operand_open_to_answer(const invocation *call, const char *path, const char *const *rows, size_t row_paths,
                                 crd_model **out) {
    int ended = open_for_rows(call, path, rows, row_paths, out);
    if (ended != ENDED_WELL || is_of_sequences(*out)) return ended;
    return network_model_find_target(call, path, rows, row_paths, out);
}

/* ======== 2. Networks ======== */

/* Returns whether the operand is a table from which a network is learned. */
static bool is_counted_table(const invocation *call) {
    const char *method = arguments_value(&call->arguments, "method");
    /* A network with a given structure can be learned without a target. */
    bool has_target = arguments_have(&call->arguments, "target") || call->structure != NULL;
    return has_target && method != NULL && method_is_network(method);
}

/* Opens a model or a table. *out is NULL if the model's settings, overridden by the command line, are not those for a
 * network. */
static int open_counted(const invocation *call, const char *path, crd_network **out, crd_settings **in_force) {
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    int ended = model_operand_open(call, path, &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = arguments_apply_settings(&call->arguments, settings);
    if (ended == ENDED_WELL && method_is_network(crd_settings_get(settings, "method")) &&
        crd_network_from_model(model, settings, out, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (*out != NULL && in_force != NULL && !network_model_is_stated(model)) {
        *in_force = settings;
        settings = NULL;
    }
    crd_settings_destroy(settings);
    if (ended == ENDED_WELL && *out == NULL) model_operand_keep(call, path, model);
    else crd_model_destroy(model);
    return ended;
}

int model_operand_open_network(const invocation *call, const char *path, crd_network **out, crd_settings **settings) {
    const crd_file_kind kind = input_file_kind(call, path);
    *out = NULL;
    if (settings != NULL) *settings = NULL;
    if (kind == CRD_FILE_NETWORK) return input_file_load_network(call, path, out);
    return kind == CRD_FILE_MODEL || is_counted_table(call) ? open_counted(call, path, out, settings) : ENDED_WELL;
}

/* Opens a model that must be convertible to a network. A naive Bayes model of categories is the network in which the
 * class is the parent of each attribute. */
static int model_operand_open_convertible(const invocation *call, const char *path, crd_network **out) {
    crd_model *model = NULL;
    crd_error error;
    int ended = model_operand_open(call, path, &model);
    const bool is_network = ended == ENDED_WELL && crd_network_from_model(model, NULL, out, &error) == CRD_OK;
    if (ended == ENDED_WELL && !is_network && error.status == CRD_ERROR_COLUMN && !crd_model_is_network(model)) {
        message_failed("%s is not a network, but %s needs networks", path, call->verb->name);
        if (strcmp(call->verb->name, "compare") == 0)
            message_hint("to compare models, run evaluate for each of them on the same rows, or combine to weigh them");
        else message_hint("use train --search hill-climb to learn a network from a table");
        ended = ENDED_FAILED;
    } else if (ended == ENDED_WELL && !is_network) {
        ended = message_error_in(&error, path);
    }
    crd_model_destroy(model);
    return ended;
}

int model_operand_need_network(const invocation *call, const char *path, crd_network **out) {
    crd_file_kind kind = CRD_FILE_ROWS;
    int ended = model_operand_open_network(call, path, out, NULL);
    if (ended != ENDED_WELL || *out != NULL) return ended;
    ended = input_file_detect(call, path, &kind);
    if (ended == ENDED_WELL && kind == CRD_FILE_MODEL) return model_operand_open_convertible(call, path, out);
    if (ended != ENDED_WELL) return ended;
    message_failed("%s is not a network: %s needs network files or models", path, call->verb->name);
    message_hint("use credence train --search hill-climb to train a model with learned arcs");
    return ENDED_FAILED;
}

/* ======== 3. Settings and answers ======== */

int model_operand_settings(const invocation *call, const crd_model *model, crd_settings **out) {
    crd_error error;
    *out = NULL;
    if (crd_model_member_count(model) > 0 && arguments_setting(&call->arguments) != NULL) {
        return message_usage(
            "%s consists of other models, each with its settings: give the settings when you train these",
            call->arguments.operands[0]);
    }
    if (crd_settings_clone(crd_model_settings(model), out, &error) != CRD_OK) return message_error(&error);
    /* The tables of a specified network need no settings, or have already been computed with them. */
    /* the method was chosen in training */
    const char *chosen = auto_method_is_given(&call->arguments) ? "method" : NULL;
    int ended =
        network_model_is_stated(model) ? ENDED_WELL : arguments_apply_other_settings(&call->arguments, chosen, *out);
    if (ended == ENDED_WELL) return ENDED_WELL;
    crd_settings_destroy(*out);
    *out = NULL;
    return ended;
}

int model_operand_classifier(const invocation *call, const crd_model *model, crd_classifier **out) {
    crd_settings *settings = NULL;
    crd_error error;
    *out = NULL;
    int ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_classifier_create(model, settings, out, &error) != CRD_OK) {
        ended = message_error_in(&error, call->arguments.operands[0]);
    }
    crd_settings_destroy(settings);
    return ended;
}

static crd_status check_sequences(const crd_model *model, crd_error *error) {
    crd_hmm *hmm = NULL;
    crd_sequence_classifier *classifier = NULL;
    const crd_status status = crd_model_is_sequence(model)
                                  ? crd_hmm_create(model, NULL, &hmm, error)
                                  : crd_sequence_classifier_create(model, NULL, &classifier, error);
    crd_hmm_destroy(hmm);
    crd_sequence_classifier_destroy(classifier);
    return status;
}

crd_status model_operand_check_answers(const crd_model *model, crd_error *error) {
    if (is_of_sequences(model)) return check_sequences(model, error);
    crd_classifier *classifier = NULL;
    crd_network *network = NULL;
    crd_status status = crd_model_target(model).bytes != NULL ? crd_classifier_create(model, NULL, &classifier, error)
                                                              : crd_network_from_model(model, NULL, &network, error);
    crd_classifier_destroy(classifier);
    crd_network_destroy(network);
    return status;
}

int model_operand_answer(const invocation *call, const char *name, bool needs_row, bool needs_target,
                         row_answerer *answer) {
    const arguments *words = &call->arguments;
    bool from_given = arguments_have(words, "given");
    if (words->operand_count == 1 && !from_given && needs_row) return message_usage("%s needs DATA, or --given", name);
    if (words->operand_count > 1 && from_given) return message_usage("%s accepts DATA or --given, not both", name);
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    int ended = (needs_target ? model_operand_open_to_answer : open_for_rows)(
        call, words->operands[0], words->operands + 1, words->operand_count - 1, &model);
    if (ended == ENDED_WELL && crd_model_target(model).bytes != NULL && !is_of_sequences(model))
        ended = model_operand_classifier(call, model, &classifier);
    if (ended == ENDED_WELL) ended = answer(call, model, classifier, from_given);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}
