/* SPDX-License-Identifier: MIT */
/* intervals.c - see column_schema.h. */
#include "table/column_schema.h"

#include "base/memory.h"

#include <credence/schema.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char EVERYTHING[] = "(-inf, inf)";

bool crd_i_cuts_fit(const double *cuts, size_t count) {
    bool fit = true;
    for (size_t i = 0; fit && i < count; i++) fit = isfinite(cuts[i]) && (i == 0 || cuts[i - 1] < cuts[i]);
    return fit;
}

bool crd_i_intervals_set(crd_context *context, crd_i_intervals *out, const double *cuts, size_t count) {
    /* Room for one at least: without cut points it is one interval, and not none. */
    double *copy = crd_i_alloc(context, count + 1, sizeof *copy);
    if (copy == NULL) return false;
    for (size_t i = 0; i < count; i++) copy[i] = cuts[i] + 0.0; /* -0 becomes 0 */
    crd_i_intervals_clear(context, out);
    out->cuts = copy;
    out->cut_count = count;
    return true;
}

bool crd_i_intervals_copy(crd_context *context, crd_i_intervals *out, const crd_i_intervals *intervals) {
    return !crd_i_intervals_are(intervals) || crd_i_intervals_set(context, out, intervals->cuts, intervals->cut_count);
}

void crd_i_intervals_clear(crd_context *context, crd_i_intervals *intervals) {
    crd_free(context, intervals->cuts);
    *intervals = (crd_i_intervals){NULL, 0};
}

bool crd_i_intervals_equal(const crd_i_intervals *a, const crd_i_intervals *b) {
    bool equal = crd_i_intervals_are(a) == crd_i_intervals_are(b) && a->cut_count == b->cut_count;
    for (size_t i = 0; equal && i < a->cut_count; i++) equal = a->cuts[i] == b->cuts[i];
    return equal;
}

crd_text crd_i_intervals_label(const crd_i_intervals *intervals, size_t interval, char buffer[CRD_I_INTERVAL_ROOM]) {
    char low[CRD_NUMBER_ROOM], high[CRD_NUMBER_ROOM];
    size_t count = intervals->cut_count;
    if (count == 0) return crd_text_of(EVERYTHING);
    if (interval > 0) crd_number_format(intervals->cuts[interval - 1], low);
    if (interval < count) crd_number_format(intervals->cuts[interval], high);
    if (interval == 0) snprintf(buffer, CRD_I_INTERVAL_ROOM, "<%s", high);
    else if (interval == count) snprintf(buffer, CRD_I_INTERVAL_ROOM, ">=%s", low);
    else snprintf(buffer, CRD_I_INTERVAL_ROOM, "[%s, %s)", low, high);
    return crd_text_of(buffer);
}

bool crd_i_intervals_add_labels(const crd_i_intervals *intervals, crd_i_dictionary *dictionary) {
    char buffer[CRD_I_INTERVAL_ROOM];
    bool done = true;
    for (size_t i = 0; done && i <= intervals->cut_count; i++)
        done = crd_i_dictionary_add(dictionary, crd_i_intervals_label(intervals, i, buffer)) >= 0;
    return done;
}

crd_i_dictionary *crd_i_intervals_labels(crd_context *context, const crd_i_intervals *intervals) {
    crd_i_dictionary *labels = crd_i_dictionary_create(context);
    if (labels == NULL || crd_i_intervals_add_labels(intervals, labels)) return labels;
    crd_i_dictionary_destroy(labels);
    return NULL;
}

int32_t crd_i_intervals_find_text(const crd_i_intervals *intervals, crd_text text) {
    char buffer[CRD_I_INTERVAL_ROOM];
    double number;
    if (crd_number_parse(text, &number) == CRD_NUMBER_FINITE) return crd_i_intervals_find(intervals, number);
    for (size_t i = 0; i <= intervals->cut_count; i++)
        if (crd_text_equal(crd_i_intervals_label(intervals, i, buffer), text)) return (int32_t)i;
    return -1;
}

static bool parse_end(const char *bytes, size_t length, double *out) {
    return crd_number_parse((crd_text){bytes, length}, out) == CRD_NUMBER_FINITE;
}

/* A label: numbers from `begin` on and below `end`, which may be infinite. false: it is none. */
static bool intervals_parse_label(crd_text label, double *begin, double *end) {
    const char *bytes = label.bytes;
    size_t length = label.length;
    *begin = -INFINITY;
    *end = INFINITY;
    if (crd_text_equal(label, crd_text_of(EVERYTHING))) return true;
    if (length > 1 && bytes[0] == '<') return parse_end(bytes + 1, length - 1, end);
    if (length > 2 && memcmp(bytes, ">=", 2) == 0) return parse_end(bytes + 2, length - 2, begin);
    if (length < 6 || bytes[0] != '[' || bytes[length - 1] != ')') return false;
    const char *comma = memchr(bytes, ',', length);
    if (comma == NULL || comma[1] != ' ') return false;
    size_t first = (size_t)(comma - bytes);
    return parse_end(bytes + 1, first - 1, begin) && parse_end(comma + 2, length - first - 3, end) && *begin < *end;
}

bool crd_i_interval_begin(crd_text label, double *begin) {
    double end;
    return intervals_parse_label(label, begin, &end);
}

int crd_is_interval(crd_text label) {
    double begin, end;
    return intervals_parse_label(label, &begin, &end);
}

int crd_interval_contains(crd_text label, double number) {
    double begin, end;
    return intervals_parse_label(label, &begin, &end) && begin <= number && number < end;
}
