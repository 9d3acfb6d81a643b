/* SPDX-License-Identifier: MIT */
/* output.c - see output.h. */
#include "core/output.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/system.h"
#include "core/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 16, EXIT_AFTER_BROKEN_PIPE = 141 };

/* A partial file that is removed if the command exits early, for example because it ran out of memory. */
static const char *unfinished;

static void remove_unfinished(void) {
    if (unfinished != NULL) (void)crd_i_os_remove(unfinished);
}

static int cannot_write(const char *path, int reason) {
    return message_failed("%s: cannot be written: %s", path, strerror(reason));
}

/* Opens a path for writing. The stream gets a copy of the descriptor, so it can be closed before the file appears. */
static int output_open_file(crd_context *context, output *out, const char *path) {
    crd_error error;
    if (crd_output_file_open(context, path, &out->file, &error) != CRD_OK) return message_error(&error);
    unfinished = crd_output_file_temporary(out->file);
    if (unfinished != NULL) atexit(remove_unfinished);
    out->stream = crd_i_os_stream_of(crd_output_file_descriptor(out->file));
    return out->stream != NULL ? ENDED_WELL : cannot_write(path, errno);
}

int output_open_path(crd_context *context, const char *path, output *out) {
    *out = (output){.name = path == NULL ? "standard output" : path};
    if (path != NULL) {
        int ended = output_open_file(context, out, path);
        if (ended != ENDED_WELL) return output_close(out, ended);
    } else {
        out->stream = stdout;
        out->to_terminal = terminal_is(CRD_I_STDOUT);
        out->width = terminal_width(CRD_I_STDOUT);
        const char *no_color = getenv("NO_COLOR");
        bool refused = no_color != NULL && no_color[0] != '\0';
        out->color = out->to_terminal && !refused && system_shows_escapes(CRD_I_STDOUT);
    }
    out->buffer = memory_resize(NULL, BUFFER_BYTES, 1);
    setvbuf(out->stream, out->buffer, out->to_terminal ? _IOLBF : _IOFBF, BUFFER_BYTES);
    return ENDED_WELL;
}

int output_open_named(const invocation *call, const char *path, output *out) {
    return output_open_path(call->context, invocation_is_root(call) ? path : system_null_device, out);
}

int output_open(const invocation *call, output *out) {
    return output_open_named(call, arguments_value(&call->arguments, "output"), out);
}

int output_choose_format(const invocation *call, output *out, const char *words, output_format usual) {
    static const char *const names[] = {
        [FORMAT_TABLE] = "table", [FORMAT_CSV] = "csv", [FORMAT_JSON] = "json", [FORMAT_MARKDOWN] = "markdown"};
    const char *value = arguments_value(&call->arguments, "format");
    size_t word = 0;
    out->format = usual;
    int ended = arguments_choice(&call->arguments, "format", words, &word);
    if (ended != ENDED_WELL) return ended;
    for (size_t i = 0; value != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], value) == 0) out->format = (output_format)i;
    }
    if (out->format == FORMAT_MARKDOWN) {
        /* Markdown is input for another program, even if it is written to a terminal. */
        out->color = false;
        out->width = 0;
    }
    return ENDED_WELL;
}

void output_write(output *out, const char *bytes, size_t length) {
    if (length == 0 || out->reason != 0) return;
    errno = 0;
    if (fwrite(bytes, 1, length, out->stream) < length) out->reason = errno != 0 ? errno : EIO;
}

static void write_json(void *stream, const char *bytes, size_t length) {
    fwrite(bytes, 1, length, stream);
}

crd_json_writer output_json(output *out) {
    return (crd_json_writer){.write = write_json, .user = out->stream};
}

bool output_broken(const output *out) {
    return ferror(out->stream) != 0;
}

static int failed_to_write(const output *out, int reason) {
    if (invocation_interrupted()) return invocation_end_interrupted();
    /* The reader of our output has closed the pipe. Unless SIGPIPE is ignored, it ends the process in the same way. */
    if (system_is_broken_pipe(reason) && out->file == NULL) return EXIT_AFTER_BROKEN_PIPE;
    return cannot_write(out->name, reason);
}

/* Returns the errno value of an earlier write failure. If it was not recorded, writes once more: on a full disk the
 * write fails again. */
static int find_reason(const output *out) {
    if (out->reason != 0) return out->reason;
    if (errno != 0) return errno;
    if (!out->to_terminal && fputc('\n', out->stream) != EOF) (void)fflush(out->stream);
    return errno != 0 ? errno : EIO;
}

int output_close(output *out, int ended) {
    if (out->stream != NULL) {
        errno = 0;
        bool failed = fflush(out->stream) != 0 || ferror(out->stream) != 0;
        int reason = failed ? find_reason(out) : 0;
        if (fclose(out->stream) != 0 && !failed) failed = true, reason = errno;
        if (failed && ended == ENDED_WELL) ended = failed_to_write(out, reason);
    }
    if (out->file != NULL) {
        crd_error error;
        if (ended == ENDED_WELL && crd_output_file_complete(out->file, &error) != CRD_OK)
            ended = invocation_interrupted() ? invocation_end_interrupted() : message_error(&error);
        unfinished = NULL;
        crd_output_file_destroy(out->file);
    }
    string_free(&out->scratch);
    free(out->buffer);
    *out = (output){0};
    return ended;
}

int output_announce(const invocation *call, int ended) {
    const char *path = arguments_value(&call->arguments, "output");
    if (ended == ENDED_WELL && path != NULL && terminal_is(CRD_I_STDERR)) message_note("wrote %s", path);
    return ended;
}

/* Returns whether two paths lead to the same file, through any links. The second path may be "-", standard input
 * redirected from a file. */
static bool is_same_file(const char *path, const char *other) {
    crd_i_os_facts a, b;
    if (strcmp(path, other) == 0) return true;
    bool is_there = strcmp(other, "-") == 0 ? crd_i_os_facts_of_open(CRD_I_STDIN, &b) && b.kind == CRD_I_OS_FILE
                                            : crd_i_os_facts_of(other, &b);
    return is_there && crd_i_os_facts_of(path, &a) && a.device == b.device && a.number == b.number;
}

int output_check_path(const char *name, const char *path, const char *const *inputs, size_t count) {
    if (strcmp(path, "-") == 0) return message_usage("--%s must be a file, not standard output", name);
    for (size_t i = 0; i < count; i++)
        if (is_same_file(path, inputs[i]))
            return message_usage("--%s %s would overwrite the input %s", name, path, inputs[i]);
    return ENDED_WELL;
}

int output_check_writable(crd_context *context, const char *path) {
    crd_i_os_facts facts;
    output out = {.name = path};
    if (crd_i_os_facts_of(path, &facts) && facts.kind != CRD_I_OS_FILE) {
        if (facts.kind == CRD_I_OS_FOLDER) return cannot_write(path, EISDIR);
        return crd_i_os_may_write(path) ? ENDED_WELL : cannot_write(path, errno);
    }
    int ended = output_open_file(context, &out, path);
    /* Removes the temporary file, because nothing was written. */
    output_close(&out, ENDED_FAILED);
    return ended;
}

bool output_add_exponential(string *out, double log_value) {
    /* Outside this range, e^x is not a normal double. */
    static const double LEAST = -700, MOST = 700;
    char buffer[CRD_NUMBER_ROOM];
    if (log_value == -INFINITY) {
        string_format(out, "0");
    } else if (log_value < LEAST || log_value > MOST) {
        string_format(out, "e^%s", crd_number_round(log_value, buffer));
        return false;
    } else {
        string_format(out, "%s", crd_number_round(crd_exp(log_value), buffer));
    }
    return true;
}

const char *output_rows(uint64_t rows, char buffer[ROWS_ROOM]) {
    snprintf(buffer, ROWS_ROOM, "%llu row%s", (unsigned long long)rows, rows == 1 ? "" : "s");
    return buffer;
}

/* Writes the scratch text and clears it. */
static void write_scratch(output *out) {
    if (out->scratch.length > 0) fwrite(out->scratch.bytes, 1, out->scratch.length, out->stream);
    string_clear(&out->scratch);
}

void output_csv_text(output *out, crd_text text) {
    csv_add_text(&out->scratch, text);
    write_scratch(out);
}

void output_csv_number(output *out, double value) {
    csv_add_number(&out->scratch, value);
    write_scratch(out);
}

const char *output_style_code(const output *out, output_style style) {
    if (!out->color) return "";
    switch (style) {
    case STYLE_HEADING: return "\x1b[1m";
    case STYLE_FOR: return "\x1b[32m";
    case STYLE_AGAINST: return "\x1b[31m";
    case STYLE_PLAIN: break;
    }
    return "\x1b[0m";
}
