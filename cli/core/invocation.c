/* SPDX-License-Identifier: MIT */
/* invocation.c - see invocation.h. */
#include "core/invocation.h"

#include "core/messages.h"
#include "core/progress.h"
#include "core/system.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A signal handler can access process-wide state only. */
static crd_context *context_to_cancel;
static volatile sig_atomic_t signal_seen;

static void on_signal(int number) {
    signal_seen = number;
    crd_context_cancel(context_to_cancel);
}

/* Prints a log record of the library as a note or a warning, with a hint at the option that helps. */
static void on_log(void *user, const crd_log_record *record) {
    /* A verb may read a file twice, and each reader logs the same message. */
    static char last[512];
    (void)user;
    if (strncmp(last, record->message, sizeof last - 1) == 0) return;
    strncpy(last, record->message, sizeof last - 1);
    if (record->level == CRD_LOG_WARNING) {
        message_warning("%s", record->message);
        if (message_is_quiet()) return;
        if (record->code == CRD_LOG_DECIMAL_DOUBTFUL)
            message_hint("use --column-format '%s=point' or --column-format '%s=comma'", record->subject,
                         record->subject);
        if (record->code == CRD_LOG_DAY_DOUBTFUL)
            message_hint("use --column-format '%s=date-dmy' or --column-format '%s=date-mdy'", record->subject,
                         record->subject);
        if (record->code == CRD_LOG_STEP_SHORT) message_hint("for one step per row, use --step %s", record->subject);
    } else {
        message_note("%s", record->message);
    }
}

/* Begins the library calls. --threads applies to all calls of the library, including fitting, and all calls show
 * progress. An invalid number of threads is reported by the code that reads the option. */
static bool open_calls(invocation *call) {
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    const char *typed = arguments_value(&call->arguments, "threads");
    double threads = 0;
    progress_follow(&options);
    if (typed != NULL && crd_number_parse(crd_text_of(typed), &threads) == CRD_NUMBER_FINITE && threads >= 1 &&
        threads <= 256)
        options.threads = (unsigned)threads;
    return crd_call_begin(call->context, &options) == CRD_OK;
}

int invocation_begin(invocation *call) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.log = on_log;
    options.communicator = call->communicator;
    if (crd_context_create(&options, &call->context) != CRD_OK) return message_failed("out of memory");
    context_to_cancel = call->context;
    const size_t count = call->arguments.operand_count;
    call->files = memory_resize(NULL, 1, sizeof *call->files);
    *call->files = (operand_files){.kinds = memory_resize(NULL, count, sizeof *call->files->kinds),
                                   .are_known = memory_resize(NULL, count, sizeof *call->files->are_known)};
    for (size_t i = 0; i < count; i++) call->files->are_known[i] = false;
    if (!open_calls(call)) return message_failed("out of memory");
    system_catch_signals(on_signal);
    return ENDED_WELL;
}

void invocation_end(invocation *call) {
    arguments_free(&call->arguments);
    if (call->context == NULL) return;
    system_leave_signals(on_signal);
    crd_model_destroy(call->files->model);
    crd_input_close(call->files->input);
    free(call->files->kinds);
    free(call->files->are_known);
    free(call->files);
    crd_call_end(call->context);
    crd_context_destroy(call->context);
    call->context = NULL;
}

bool invocation_is_collective(const invocation *call) {
    return call->communicator != NULL && call->communicator->count > 1;
}

bool invocation_is_root(const invocation *call) {
    return call->communicator == NULL || call->communicator->rank == 0;
}

bool invocation_interrupted(void) {
    return signal_seen != 0;
}

bool invocation_reports_part(const invocation *call) {
    return invocation_interrupted() && !invocation_is_collective(call);
}

int invocation_interrupted_exit(void) {
    return 128 + (signal_seen != 0 ? (int)signal_seen : SIGINT);
}

int invocation_end_interrupted(void) {
    message_failed("interrupted");
    return invocation_interrupted_exit();
}

int invocation_end_unreachable(unsigned rank) {
    if (invocation_interrupted()) return invocation_end_interrupted();
    return message_failed("process %u of the group cannot be reached", rank);
}
