/* network_or_model.c - see network_or_model.h. */
#include "network_or_model.h"

#include "model_or_table.h"
#include "report.h"

int network_or_model_is_file(const invocation *call, const char *path, bool *is_network) {
    crd_network_format format = CRD_NETWORK_ANY;
    crd_error error;
    *is_network = false;
    if (model_or_table_reads_once(path)) return ENDED_WELL;
    /* What cannot be read is no network, and whoever reads it as something else says why. */
    if (crd_network_recognise_file(call->context, path, &format, &error) != CRD_OK) return ENDED_WELL;
    *is_network = format != CRD_NETWORK_ANY;
    return ENDED_WELL;
}

int network_or_model_open(const invocation *call, const char *path, crd_network **out) {
    bool is_file = false;
    crd_error error;
    *out = NULL;
    int ended = network_or_model_is_file(call, path, &is_file);
    if (ended != ENDED_WELL || !is_file) return ended;
    if (crd_network_load(call->context, path, CRD_NETWORK_ANY, out, &error) != CRD_OK) return report_error(&error);
    return ENDED_WELL;
}
