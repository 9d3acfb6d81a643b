/* SPDX-License-Identifier: MIT */
/* sequence_options.c - see sequence_options.h. */
#include "source/sequence_options.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <credence/number.h>

#include <stdlib.h>
#include <string.h>

bool sequence_options_are_given(const invocation *call) {
    const char *method = arguments_value(&call->arguments, "method");
    if (method != NULL) return strcmp(method, "sequence") == 0;
    return arguments_have(&call->arguments, "sequence") || arguments_have(&call->arguments, "sequence-break") ||
           arguments_have(&call->arguments, "time") || arguments_have(&call->arguments, "states");
}

/* Returns the first given option, or setting, for sequences; NULL: none. */
static const char *find_sequence_option(const arguments *given) {
    static const char *const names[] = {"sequence", "sequence-break", "time", "step", "select-states", "max-states"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (arguments_have(given, names[i])) return names[i];
    return arguments_setting_in(given, "sequence");
}

/* Rejects options for sequences together with a method, a structure, or settings for rows. */
int sequence_options_check(const invocation *call) {
    const arguments *given = &call->arguments;
    const char *method = arguments_value(given, "method"), *other = NULL;
    const bool is_sequence = method != NULL && strcmp(method, "sequence") == 0;
    const char *name = is_sequence ? "method sequence" : find_sequence_option(given);
    if (method != NULL && !is_sequence) other = "method";
    else if (arguments_have(given, "arcs-from")) other = "arcs-from";
    else other = arguments_setting_in(given, "network|text");
    if (name == NULL || other == NULL) return ENDED_WELL;
    message_usage("--%s is for sequences, but --%s %s is for rows: they cannot be combined", name, other,
                  arguments_value(given, other));
    message_hint("remove --%s for a sequence model (--method sequence), or --%s for a model of rows", other, name);
    return ENDED_USAGE;
}

bool sequence_options_are_blank(const invocation *call, const crd_model *model) {
    crd_sequence_options kept = CRD_SEQUENCE_OPTIONS_INIT;
    if (arguments_have(&call->arguments, "sequence-break")) return true;
    if (arguments_have(&call->arguments, "sequence")) return false;
    return model != NULL && crd_model_sequence_options(model, &kept, NULL) == CRD_OK && kept.blank_lines;
}

/* Removes the time unit at the end of a text and returns its length in seconds; 0: there is none. */
static double take_unit(crd_text *text) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"sec", 1}, {"min", 60}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i].name);
        if (text->length <= length || memcmp(text->bytes + text->length - length, units[i].name, length) != 0) continue;
        text->length -= length;
        return units[i].seconds;
    }
    return 0;
}

static int read_step(const char *value, double *out) {
    crd_text number = crd_text_of(value);
    const double unit = take_unit(&number);
    bool fits = crd_number_parse(number, out) == CRD_NUMBER_FINITE && *out > 0;
    if (unit > 0) *out *= unit;
    if (fits && *out < 1e300) return ENDED_WELL;
    return message_usage(
        "--step: expected a number above zero, with or without the unit s, m (min), h, d or w, such as 15m, got '%s'",
        value);
}

int sequence_options_read(const invocation *call, crd_sequence_options *options) {
    const char *sequence = arguments_value(&call->arguments, "sequence"),
               *time = arguments_value(&call->arguments, "time"), *step = arguments_value(&call->arguments, "step");
    const crd_text none = {NULL, 0};
    if (sequence != NULL || arguments_have(&call->arguments, "sequence-break")) {
        options->blank_lines = sequence == NULL;
        options->sequence = sequence == NULL ? none : crd_text_of(sequence);
    }
    if (time != NULL) {
        const crd_text column = crd_text_of(time);
        if (options->time.bytes == NULL || !crd_text_equal(column, options->time)) options->time_format = none;
        options->time = column;
        options->step = 0;
    }
    return step == NULL ? ENDED_WELL : read_step(step, &options->step);
}

int sequence_options_of_model(const invocation *call, const crd_model *model, crd_sequence_options *options) {
    crd_error error;
    *options = (crd_sequence_options)CRD_SEQUENCE_OPTIONS_INIT;
    if (crd_model_sequence_options(model, options, &error) != CRD_OK) return message_error(&error);
    return sequence_options_read(call, options);
}

void sequence_options_fit(const invocation *call, const crd_reader *reader, crd_sequence_options *options) {
    if (arguments_have(&call->arguments, "sequence") || options->sequence.bytes == NULL) return;
    size_t *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns), count = 0;
    const crd_status status = crd_reader_select(reader, options->sequence, columns, &count, NULL);
    free(columns);
    if (status != CRD_ERROR_COLUMN) return;
    string shown = {0};
    string_add_shown(&shown, options->sequence);
    message_warning("the sequence column '%s' of the model is missing: all rows of a file are one sequence (use "
                    "--sequence COL for another column)",
                    string_text(&shown));
    string_free(&shown);
    options->sequence = (crd_text){NULL, 0};
}
