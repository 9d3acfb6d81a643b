/* main.c - the command: finds the verb, takes its arguments apart, runs it. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"
#include "core/verb.h"
#include "source/structure.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const verb *const verb_table[] = {
    &verb_train,  &verb_predict,      &verb_evaluate, &verb_explain, &verb_show,  &verb_query,   &verb_sample,
    &verb_bayes,  &verb_distribution, &verb_update,   &verb_forget,  &verb_merge, &verb_combine, &verb_schema,
    &verb_export, &verb_example,      &verb_help,     &verb_version, NULL};

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

static int run(const verb *v, int argc, char **argv) {
    invocation call = {0};
    message_offer(v->options, v->takes_settings);
    int ended = arguments_parse(argc, argv, v->name, v->options, v->takes_settings, &call.arguments);
    if (ended == ENDED_WELL && arguments_have(&call.arguments, "help")) {
        ended = verb_explain_itself(v);
    } else if (ended == ENDED_WELL) {
        if (arguments_have(&call.arguments, "quiet")) message_be_quiet();
        ended = arguments_check(&call.arguments, v->rules);
        if (ended == ENDED_WELL) ended = invocation_begin(&call);
        if (ended == ENDED_WELL) ended = output_guard_inputs(&call, v);
        if (ended == ENDED_WELL) ended = structure_read(&call);
        if (ended == ENDED_WELL) ended = v->run(&call);
    }
    structure_free(call.structure);
    invocation_end(&call);
    return ended;
}

int main(int argc, char **argv) {
    /* A file that reaches its limit is to fail like a full disk: with a message, and without half a file. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) return print_overview();
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const verb *v = verb_find(name);
    return v == NULL ? ENDED_USAGE : run(v, argc - 2, argv + 2);
}
