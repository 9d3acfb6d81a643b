/* SPDX-License-Identifier: MIT */
/* input_file.c - see input_file.h. */
#include "source/input_file.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/document_operand.h"
#include "source/examples.h"

#include <string.h>
#include <sys/stat.h>

bool input_file_reads_once(const char *path) {
    struct stat facts;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

/* Prints a hint if the name of a built-in example was given instead of a file. */
static void hint_at_example(const char *path) {
    for (const example *e = example_table; e->name != NULL; e++) {
        if (strcmp(e->name, path) != 0) continue;
        message_hint("to write the example of that name, run credence example %s > %s", path, e->file);
    }
}

int input_file_is_model(const invocation *call, const char *path, bool *is_model) {
    crd_error error;
    int is = 0;
    *is_model = false;
    if (strcmp(path, "-") == 0 || document_operand_option(call, path) != NULL) return ENDED_WELL;
    if (crd_model_recognise(call->context, path, &is, &error) != CRD_OK) {
        int ended = message_error(&error);
        hint_at_example(path);
        return ended;
    }
    *is_model = is != 0;
    return ENDED_WELL;
}

const char *input_file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Inspects the first operand. Other operands are tables, which may be read before they are complete. */
static int look_at_first(const invocation *call, const char *path, bool *is_network) {
    first_input *first = call->first;
    crd_error error;
    if (call->arguments.operand_count == 0 || strcmp(path, call->arguments.operands[0]) != 0) return ENDED_WELL;
    if (first->input == NULL) {
        if (crd_input_open(call->context, path, &first->input, &error) != CRD_OK) return message_error(&error);
        first->is_network = crd_network_recognise(crd_input_beginning(first->input)) != CRD_NETWORK_FORMAT_ANY;
    }
    *is_network = first->is_network;
    return ENDED_WELL;
}

int input_file_is_network(const invocation *call, const char *path, bool *is_network) {
    crd_network_format format = CRD_NETWORK_FORMAT_ANY;
    crd_error error;
    *is_network = false;
    if (document_operand_option(call, path) != NULL) return ENDED_WELL;
    if (input_file_reads_once(path)) return look_at_first(call, path, is_network);
    /* A file that cannot be read is not a network. The code that reads it as something else reports the error. */
    if (crd_network_recognise_file(call->context, path, &format, &error) != CRD_OK) return ENDED_WELL;
    *is_network = format != CRD_NETWORK_FORMAT_ANY;
    return ENDED_WELL;
}

int input_file_load_network(const invocation *call, const char *path, crd_network **out) {
    crd_error error;
    crd_status status = input_file_reads_once(path)
                            ? crd_network_from_input(call->first->input, CRD_NETWORK_FORMAT_ANY, out, &error)
                            : crd_network_load(call->context, path, CRD_NETWORK_FORMAT_ANY, out, &error);
    return status == CRD_OK ? ENDED_WELL : message_error_in_network(&error);
}
