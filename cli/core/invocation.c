/* SPDX-License-Identifier: MIT */
/* invocation.c - see invocation.h. */
#include "core/invocation.h"

#include "core/messages.h"
#include "core/progress.h"

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

/* The signals that usually end a command. SIGHUP is one of them, because it must not leave a partly written file
 * either. */
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };

static void catch_signals(void) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    /* No SA_RESTART: a read that blocks on a pipe has to return. */
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        /* The parent process may ignore the signal, as nohup does, or a shell for background jobs. */
        if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        sigaction(ending_signals[i], &action, NULL);
    }
}

static void leave_signals(void) {
    struct sigaction action, now;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        if (sigaction(ending_signals[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            sigaction(ending_signals[i], &action, NULL);
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
    catch_signals();
    return ENDED_WELL;
}

void invocation_end(invocation *call) {
    arguments_free(&call->arguments);
    if (call->context == NULL) return;
    leave_signals();
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
