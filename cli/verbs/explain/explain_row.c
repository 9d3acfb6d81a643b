/* SPDX-License-Identifier: MIT */
/* explain_row.c - see explain_row.h. */
#include "verbs/explain/explain_row.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <string.h>

int explain_term(const reasons *r, size_t attribute, size_t class_index, crd_term *term) {
    crd_error error;
    *term = (crd_term)CRD_TERM_INIT;
    if (crd_classifier_term(r->classifier, attribute, class_index, &r->values[attribute], term, &error) != CRD_OK) {
        return message_error(&error);
    }
    return ENDED_WELL;
}

int explain_prior(const reasons *r, size_t class_index, crd_term *term) {
    crd_error error;
    *term = (crd_term)CRD_TERM_INIT;
    if (crd_classifier_prior(r->classifier, class_index, term, &error) != CRD_OK) return message_error(&error);
    return ENDED_WELL;
}

/* Adds the beginning of a text in double quotes. */
static void explain_row_add_beginning(string *out, crd_text text) {
    enum { BEGINNING = 24 };
    size_t end = text.length;
    if (end > BEGINNING)
        for (end = BEGINNING; end > 0 && ((unsigned char)text.bytes[end] & 0xC0) == 0x80;) end--;
    string_add_char(out, '"');
    string_add_shown(out, (crd_text){text.bytes, end});
    string_format(out, end < text.length ? "...\"" : "\"");
}

void explain_add_value(string *out, const crd_value *value) {
    char buffer[CRD_NUMBER_ROOM];
    if (value->type == CRD_TYPE_TEXT && value->text.bytes != NULL) {
        explain_row_add_beginning(out, value->text);
    } else if (value->type == CRD_TYPE_CATEGORICAL) {
        string_add_shown(out, value->text);
    } else if (value->type == CRD_TYPE_NUMERIC && !isnan(value->number)) {
        string_add(out, buffer, crd_number_format(value->number, buffer));
    } else {
        string_add_char(out, '?');
    }
}

int row_choice_read(const invocation *call, row_choice *out) {
    *out = (row_choice){0};
    if (!arguments_have(&call->arguments, "row")) return ENDED_WELL;
    int ended = arguments_whole(&call->arguments, "row", &out->only);
    if (ended == ENDED_WELL && out->only == 0)
        return message_usage("--row expects the number of a row, from 1, not '%s'",
                             arguments_value(&call->arguments, "row"));
    return ended;
}

bool row_choice_next(row_choice *rows) {
    rows->seen++;
    if (rows->only > 0 && rows->seen != rows->only) return false;
    rows->written = rows->seen;
    return true;
}

bool row_choice_is_first(const row_choice *rows) {
    return rows->written == (rows->only > 0 ? rows->only : 1);
}

bool row_choice_is_done(const row_choice *rows) {
    return rows->only > 0 && rows->written == rows->only;
}

int row_choice_finish(const row_choice *rows, const invocation *call) {
    const arguments *words = &call->arguments;
    if (rows->only == 0 || row_choice_is_done(rows)) return ENDED_WELL;
    string place = {0};
    size_t files = words->operand_count - 1;
    const char *path = words->operands[1], *has = files == 1 ? "has" : "have";
    if (files > 1) string_format(&place, "the %zu files", files);
    else if (strcmp(path, "-") == 0) string_format(&place, "standard input");
    else string_add_shown(&place, crd_text_of(path));
    message_failed("%s %s %llu row%s%s: row %llu does not exist", string_text(&place), has,
                   (unsigned long long)rows->seen, rows->seen == 1 ? "" : "s", files > 1 ? " together" : "",
                   (unsigned long long)rows->only);
    string_free(&place);
    return ENDED_FAILED;
}

void explain_report_place(crd_result *r, const crd_reader *reader, size_t row, uint64_t number) {
    crd_result_prose(
        r, CRD_HEADING_ABOVE, 2, "", crd_result_format(r, "Row %llu", (unsigned long long)number),
        crd_result_format(r, " (%s:%llu)", crd_reader_place(reader), (unsigned long long)crd_reader_line(reader, row)));
}

bool explain_is_calibrated(const reasons *r) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    return crd_classifier_calibration(r->classifier, &calibration) != 0;
}
