/* SPDX-License-Identifier: MIT */
/* command.c - the command: finds the verb, parses its arguments and runs it. */
#include "core/conversion_hint.h"
#include "core/error_messages.h"
#include "core/mail_stream.h"
#include "core/messages.h"
#include "core/operands.h"
#include "core/output.h"
#include "core/pictures.h"
#include "core/system.h"
#include "core/text_table.h"
#include "core/verb.h"
#include "source/bad_row_list.h"
#include "source/same_files.h"
#include "source/sequence_options.h"
#include "source/structure_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const verb *const verb_table[] = {
    &verb_train,   &verb_predict, &verb_evaluate, &verb_explain, &verb_show,   &verb_compare,
    &verb_score,   &verb_report,  &verb_query,    &verb_sample,  &verb_bayes,  &verb_distribution,
    &verb_update,  &verb_forget,  &verb_merge,    &verb_combine, &verb_schema, &verb_export,
    &verb_example, &verb_help,    &verb_version,  NULL};

static int print_overview(void) {
    fputs("usage: credence VERB ...\n\n", stderr);
    table *t = table_create(2);
    table_align_left(t, 1);
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        table_add(t, verb_table[i]->name);
        table_add(t, verb_table[i]->summary);
    }
    table_print(t, stderr, 2, 0);
    table_destroy(t);
    fputs("\ncredence help VERB explains one, with an example.\n", stderr);
    return ENDED_USAGE;
}

/* Checks that several processes can run the verb. Each process reads a part of the rows, so the rows must be in files:
 * standard input is rejected. */
static int check_collective(const verb *v, const arguments *given, const crd_communicator *communicator) {
    if (communicator == NULL || communicator->count == 1) return ENDED_WELL;
    if (!v->is_collective) return message_usage("%s is for one process: run credence %s", v->name, v->name);
    for (size_t i = 0; i < given->operand_count; i++)
        if (strcmp(given->operands[i], "-") == 0)
            return message_usage(
                "several processes cannot share standard input (-): name files that all of them can read");
    return ENDED_WELL;
}

static int check_operands(const verb *v, const arguments *given) {
    size_t count = given->operand_count;
    if (count >= v->least && count <= v->most) return ENDED_WELL;
    if (count < v->least || v->least > 0) return message_usage("%s needs %s", v->name, v->operands);
    return message_usage("%s takes %s, not '%s'", v->name, v->operands, given->operands[v->most]);
}

/* Checks that standard input is read at most once, that no output file is also an input file, and that no two options
 * write the same file. */
static int check_files(const verb *v, const arguments *given) {
    const char **inputs = NULL;
    size_t count = inputs_list(v, given, &inputs), pipes = 0;
    int ended = ENDED_WELL;
    for (size_t i = 0; i < count; i++) pipes += strcmp(inputs[i], "-") == 0;
    if (pipes > 1) ended = message_usage("standard input (-) can be read once only");
    for (const option *o = v->options; o->name != NULL && ended == ENDED_WELL; o++) {
        const char *path = o->file == OPTION_WRITES ? arguments_value(given, o->name) : NULL;
        if (path == NULL || path[0] == '\0') continue;
        ended = output_check_path(o->name, path, inputs, count);
        for (const option *first = v->options; first != o && ended == ENDED_WELL; first++) {
            const char *other = first->file == OPTION_WRITES ? arguments_value(given, first->name) : NULL;
            if (other != NULL && strcmp(path, other) == 0)
                ended = message_usage("--%s and --%s name the same file", first->name, o->name);
        }
    }
    free(inputs);
    return ended;
}

/* Checks that all processes see the same input files. */
static int check_copies(const verb *v, const arguments *given, const crd_communicator *communicator) {
    if (communicator == NULL || communicator->count == 1) return ENDED_WELL;
    const char **inputs = NULL;
    const size_t count = inputs_list(v, given, &inputs);
    const int ended = same_files_check(communicator, inputs, count);
    free(inputs);
    return ended;
}

/* Writes the names of the first three verbs that have the option, and " and others" if there are more. Returns the
 * number of verbs that have it. */
static size_t add_verbs_with_option(string *out, crd_text name) {
    size_t count = 0;
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        if (!options_have(verb_table[i]->options, verb_table[i]->setting_groups, name)) continue;
        if (count < 3) string_format(out, "%s%s", count == 0 ? "" : ", ", verb_table[i]->name);
        count++;
    }
    if (count > 3) string_format(out, " and others");
    return count;
}

/* Runs a verb: parses and checks its arguments, opens the library context and calls the verb's function. Returns the
 * exit status. */
static int command_dispatch(const verb *v, int argc, char **argv, const crd_communicator *communicator) {
    invocation call = {.verb = v, .communicator = communicator};
    message_offer(v->options, v->setting_groups);
    options_find_verbs_by(add_verbs_with_option);
    int ended = arguments_parse(argc, argv, v->name, v->options, v->setting_groups, &call.arguments);
    if (ended == ENDED_WELL && arguments_have(&call.arguments, "help")) {
        ended = verb_explain_itself(v);
    } else if (ended == ENDED_WELL) {
        if (arguments_have(&call.arguments, "quiet")) message_be_quiet();
        ended = operands_complete(v, &call.arguments);
        if (ended == ENDED_WELL) ended = check_operands(v, &call.arguments);
        if (ended == ENDED_WELL) ended = check_collective(v, &call.arguments, communicator);
        if (ended == ENDED_WELL) ended = arguments_check(&call.arguments);
        if (ended == ENDED_WELL) ended = sequence_options_check(&call);
        if (ended == ENDED_WELL) ended = check_files(v, &call.arguments);
        if (ended == ENDED_WELL) ended = check_copies(v, &call.arguments, communicator);
        if (ended == ENDED_WELL) ended = invocation_begin(&call);
        if (ended == ENDED_WELL) ended = pictures_check(&call);
        if (ended == ENDED_WELL) ended = structure_read(&call);
        if (ended == ENDED_WELL) ended = v->run(&call);
        if (ended == ENDED_WELL && bad_row_list_is_lost()) ended = ENDED_FAILED;
    }
    structure_free(call.structure);
    invocation_end(&call);
    return ended;
}

int command_run(int argc, char **argv, const crd_communicator *communicator) {
    const bool has_streams = system_occupy_streams();
    if (argc < 2) return print_overview();
    mail_stream_expect(argc - 1, argv + 1);
    if (!has_streams)
        return mail_stream_end(message_failed("%s: cannot be opened: %s", system_null_device, strerror(errno)));
    conversion_hint_command(argc - 1, argv + 1);
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const verb *v = verb_find(name);
    return mail_stream_end(v == NULL ? ENDED_USAGE : command_dispatch(v, argc - 2, argv + 2, communicator));
}
