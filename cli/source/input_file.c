/* SPDX-License-Identifier: MIT */
/* input_file.c - see input_file.h. */
#include "source/input_file.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "source/document_operand.h"
#include "source/examples.h"

#include <string.h>

bool input_file_reads_once(const char *path) {
    crd_i_os_facts facts;
    if (strcmp(path, "-") == 0) return true;
    return crd_i_os_facts_of(path, &facts) && facts.kind != CRD_I_OS_FILE && facts.kind != CRD_I_OS_FOLDER;
}

/* Prints a hint if the name of a built-in example was given instead of a file. */
static void hint_at_example(const char *path) {
    for (const example *e = example_table; e->name != NULL; e++) {
        if (strcmp(e->name, path) != 0) continue;
        message_hint("to write the example of that name, run credence example %s > %s", path, e->file);
    }
}

const char *input_file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Returns the index of the operand with this path; SIZE_MAX: it is not an operand. */
static size_t find_operand(const invocation *call, const char *path) {
    for (size_t i = 0; i < call->arguments.operand_count; i++)
        if (call->arguments.operands[i] == path) return i;
    return SIZE_MAX;
}

/* Detects what the input of the first operand contains, which can be read only once. Other operands are tables, which
 * may be read before they are complete. */
static crd_status detect_input(const invocation *call, const char *path, crd_file_kind *kind, crd_error *error) {
    operand_files *files = call->files;
    if (call->arguments.operand_count == 0 || strcmp(path, call->arguments.operands[0]) != 0) return CRD_OK;
    const crd_status status = files->input == NULL ? crd_input_open(call->context, path, &files->input, error) : CRD_OK;
    if (status == CRD_OK && crd_network_recognize(crd_input_beginning(files->input)) != CRD_NETWORK_FORMAT_ANY)
        *kind = CRD_FILE_NETWORK;
    return status;
}

/* Detects what the path contains, or returns what is known. */
static crd_status input_file_look(const invocation *call, const char *path, crd_file_kind *kind, crd_error *error) {
    const size_t operand = find_operand(call, path);
    *kind = CRD_FILE_ROWS;
    if (document_operand_option(call, path) != NULL) return CRD_OK;
    if (operand != SIZE_MAX && call->files->are_known[operand]) {
        *kind = call->files->kinds[operand];
        return CRD_OK;
    }
    const crd_status status = input_file_reads_once(path) ? detect_input(call, path, kind, error)
                                                          : crd_file_detect(call->context, path, kind, error);
    if (status == CRD_OK && operand != SIZE_MAX) {
        call->files->kinds[operand] = *kind;
        call->files->are_known[operand] = true;
    }
    return status;
}

int input_file_detect(const invocation *call, const char *path, crd_file_kind *kind) {
    crd_error error;
    if (input_file_look(call, path, kind, &error) == CRD_OK) return ENDED_WELL;
    const int ended = message_error(&error);
    hint_at_example(path);
    return ended;
}

crd_file_kind input_file_kind(const invocation *call, const char *path) {
    crd_file_kind kind = CRD_FILE_ROWS;
    return input_file_look(call, path, &kind, NULL) == CRD_OK ? kind : CRD_FILE_ROWS;
}

int input_file_load_network(const invocation *call, const char *path, crd_network **out) {
    crd_error error;
    crd_status status = input_file_reads_once(path)
                            ? crd_network_from_input(call->files->input, CRD_NETWORK_FORMAT_ANY, out, &error)
                            : crd_network_load(call->context, path, CRD_NETWORK_FORMAT_ANY, out, &error);
    return status == CRD_OK ? ENDED_WELL : message_error_in_network(&error);
}
