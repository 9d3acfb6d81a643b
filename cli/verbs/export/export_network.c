/* SPDX-License-Identifier: MIT */
/* export_network.c - see export_network.h. */
#include "verbs/export/export_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/network_model.h"

/* Opens the network of the first operand. Sets *target to the target of the model from which it was created; it is
 * empty for a network file. */
static int open_network(const invocation *call, crd_network **out, string *target) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_summary *summary = NULL;
    crd_error error;
    crd_file_kind kind = CRD_FILE_ROWS;
    *out = NULL;
    int ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL) return ended;
    if (kind == CRD_FILE_NETWORK) {
        if (arguments_setting(&call->arguments) != NULL)
            return message_usage("%s is a network with fixed tables: settings apply only to estimated tables", path);
        return input_file_load_network(call, path, out);
    }
    ended = model_operand_open(call, path, &model);
    if (ended == ENDED_WELL) ended = network_model_network(call, path, model, out);
    if (ended == ENDED_WELL && crd_summary_create(model, &summary, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        crd_text name = summary->target;
        string_add(target, name.bytes, name.length);
    }
    crd_summary_destroy(summary);
    crd_model_destroy(model);
    return ended;
}

/* Writes the network in a format. */
int export_network(const invocation *call, crd_network_format format) {
    crd_network *network = NULL;
    crd_text bytes = {NULL, 0};
    string target = {0};
    crd_error error;
    output out;
    int ended = open_network(call, &network, &target);
    if (ended == ENDED_WELL && crd_network_write(network, format, &bytes, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) {
        output_write(&out, bytes.bytes, bytes.length);
        ended = output_close(&out, ENDED_WELL);
        if (ended == ENDED_WELL && format == CRD_NETWORK_FORMAT_UAI)
            message_note("UAI files contain no names: nodes and states are numbered from 0, in order");
    }
    crd_free(call->context, (void *)bytes.bytes);
    crd_network_destroy(network);
    string_free(&target);
    return ended;
}

/* Writes the network as a model file. */
int export_network_as_model(const invocation *call) {
    const char *model_path = arguments_value(&call->arguments, "output");
    crd_network *network = NULL;
    crd_model *model = NULL;
    string target = {0};
    crd_error error;
    if (model_path == NULL) return message_usage("export needs a file to write the model to: -o MODEL");
    int ended = open_network(call, &network, &target);
    crd_text usual = {target.length == 0 ? NULL : target.bytes, target.length};
    if (ended == ENDED_WELL) ended = network_model_make(call, network, call->arguments.operands[0], usual, &model);
    if (ended == ENDED_WELL && crd_model_save(model, model_path, &error) != CRD_OK) ended = message_error(&error);
    crd_model_destroy(model);
    crd_network_destroy(network);
    string_free(&target);
    return ended;
}
