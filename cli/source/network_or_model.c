/* SPDX-License-Identifier: MIT */
/* network_or_model.c - see network_or_model.h. */
#include "source/network_or_model.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/input_file.h"
#include "source/model_or_table.h"
#include "source/network_model.h"

#include <string.h>

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
    int ended = model_or_table_open(call, path, &model);
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
    if (*out == NULL) model_or_table_keep(call, path, model);
    else crd_model_destroy(model);
    return ended;
}

int network_or_model_open(const invocation *call, const char *path, crd_network **out, crd_settings **settings) {
    const crd_file_kind kind = input_file_kind(call, path);
    *out = NULL;
    if (settings != NULL) *settings = NULL;
    if (kind == CRD_FILE_NETWORK) return input_file_load_network(call, path, out);
    return kind == CRD_FILE_MODEL || is_counted_table(call) ? open_counted(call, path, out, settings) : ENDED_WELL;
}

/* Opens a model that must be convertible to a network. A naive Bayes model of categories is the network in which the
 * class is the parent of each attribute. */
static int network_or_model_open_model(const invocation *call, const char *verb, const char *path, crd_network **out) {
    crd_model *model = NULL;
    crd_error error;
    int ended = model_or_table_open(call, path, &model);
    const bool is_network = ended == ENDED_WELL && crd_network_from_model(model, NULL, out, &error) == CRD_OK;
    if (ended == ENDED_WELL && !is_network && error.status == CRD_ERROR_COLUMN && !crd_model_is_network(model)) {
        message_failed("%s is not a network, but %s needs networks", path, verb);
        if (strcmp(verb, "compare") == 0)
            message_hint("to compare models, run evaluate for each of them on the same rows, or combine to weigh them");
        else message_hint("use train --search hill-climb to learn a network from a table");
        ended = ENDED_FAILED;
    } else if (ended == ENDED_WELL && !is_network) {
        ended = message_error_in(&error, path);
    }
    crd_model_destroy(model);
    return ended;
}

int network_or_model_need(const invocation *call, const char *verb, const char *path, crd_network **out) {
    crd_file_kind kind = CRD_FILE_ROWS;
    int ended = network_or_model_open(call, path, out, NULL);
    if (ended != ENDED_WELL || *out != NULL) return ended;
    ended = input_file_detect(call, path, &kind);
    if (ended == ENDED_WELL && kind == CRD_FILE_MODEL) return network_or_model_open_model(call, verb, path, out);
    if (ended != ENDED_WELL) return ended;
    message_failed("%s is not a network: %s needs network files or models", path, verb);
    message_hint("use credence train --search hill-climb to train a model with learned arcs");
    return ENDED_FAILED;
}
