/* network_or_model.c - see network_or_model.h. */
#include "network_or_model.h"

#include "model_or_table.h"
#include "network_model.h"
#include "report.h"

#include <string.h>

/* Looks at the first operand; others are tables, and may be read before all of them is there. */
static int look_at_first(const invocation *call, const char *path, bool *is_network) {
    first_input *first = call->first;
    crd_error error;
    if (call->arguments.operand_count == 0 || strcmp(path, call->arguments.operands[0]) != 0) return ENDED_WELL;
    if (first->input == NULL) {
        if (crd_input_open(call->context, path, &first->input, &error) != CRD_OK) return report_error(&error);
        first->is_network = crd_network_recognise(crd_input_beginning(first->input)) != CRD_NETWORK_ANY;
    }
    *is_network = first->is_network;
    return ENDED_WELL;
}

int network_or_model_is_file(const invocation *call, const char *path, bool *is_network) {
    crd_network_format format = CRD_NETWORK_ANY;
    crd_error error;
    *is_network = false;
    if (model_or_table_reads_once(path)) return look_at_first(call, path, is_network);
    /* What cannot be read is no network, and whoever reads it as something else says why. */
    if (crd_network_recognise_file(call->context, path, &format, &error) != CRD_OK) return ENDED_WELL;
    *is_network = format != CRD_NETWORK_ANY;
    return ENDED_WELL;
}

int network_or_model_load(const invocation *call, const char *path, crd_network **out) {
    crd_error error;
    crd_status status = model_or_table_reads_once(path)
                            ? crd_network_take(call->first->input, CRD_NETWORK_ANY, out, &error)
                            : crd_network_load(call->context, path, CRD_NETWORK_ANY, out, &error);
    return status == CRD_OK ? ENDED_WELL : report_error_in_network(&error);
}

/* A table from which a network is to be counted. */
static bool is_counted_table(const invocation *call) {
    const char *method = arguments_value(&call->arguments, "method");
    /* A network with a stated structure is counted without a target. */
    bool has_target = arguments_have(&call->arguments, "target") || call->structure != NULL;
    return has_target && method != NULL && strcmp(method, "network") == 0;
}

/* NULL where the settings of the command line, over those of the model, are of no network. */
static int open_counted(const invocation *call, const char *path, crd_network **out, crd_settings **in_force) {
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    int ended = model_or_table_open(call, path, &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK)
        ended = report_error(&error);
    if (ended == ENDED_WELL) ended = arguments_apply_settings(&call->arguments, settings);
    if (ended == ENDED_WELL && strcmp(crd_settings_get(settings, "method"), "network") == 0 &&
        crd_network_of_model(model, settings, out, &error) != CRD_OK)
        ended = report_error_in(&error, path);
    if (*out != NULL && in_force != NULL && !network_model_is_stated(model)) {
        *in_force = settings;
        settings = NULL;
    }
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

int network_or_model_open(const invocation *call, const char *path, crd_network **out, crd_settings **settings) {
    bool is_file = false, is_model = false;
    crd_error error;
    *out = NULL;
    if (settings != NULL) *settings = NULL;
    int ended = network_or_model_is_file(call, path, &is_file);
    if (ended == ENDED_WELL && !is_file && !model_or_table_reads_once(path)) {
        int is = 0;
        /* What cannot be read is left to those who read it as something else. */
        is_model = crd_model_recognise(call->context, path, &is, &error) == CRD_OK && is != 0;
    }
    if (ended == ENDED_WELL && !is_file && (is_model || is_counted_table(call)))
        return open_counted(call, path, out, settings);
    if (ended != ENDED_WELL || !is_file) return ended;
    return network_or_model_load(call, path, out);
}
