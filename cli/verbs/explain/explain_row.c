/* SPDX-License-Identifier: MIT */
/* explain_row.c - see explain_row.h. */
#include "verbs/explain/explain_row.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>

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

void explain_add_value(string *out, const crd_value *value) {
    char room[CRD_NUMBER_ROOM];
    if (value->kind == CRD_KIND_CATEGORY) {
        string_add_shown(out, value->text);
    } else if (value->kind == CRD_KIND_NUMBER && !isnan(value->number)) {
        string_add(out, room, crd_number_format(value->number, room));
    } else {
        string_add_char(out, '?');
    }
}

void explain_report_place(report *r, const crd_reader *reader, size_t row, uint64_t number) {
    report_heading_above(
        r, 2, report_format(r, "Row %llu", (unsigned long long)number),
        report_format(r, " (%s:%llu)", crd_reader_place(reader), (unsigned long long)crd_reader_line(reader, row)));
}

bool explain_is_calibrated(const reasons *r) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    return crd_classifier_calibration(r->classifier, &calibration) != 0;
}
