/* grid_density_settings.c - the settings of the families that read a grid, as text: `histogram`, `bandwidth`, `mixture`. */
#include "settings/settings_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

#include <stdio.h>
#include <string.h>

static bool is(crd_text text, const char *word) {
    return crd_text_equal(text, crd_text_of(word));
}

static bool skip(crd_text *text, const char *prefix) {
    size_t length = strlen(prefix);
    if (text->length < length || memcmp(text->bytes, prefix, length) != 0) return false;
    text->bytes += length;
    text->length -= length;
    return true;
}

static bool parse_whole(crd_text text, double most, double *out) {
    double value;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= 1 && value <= most)) return false;
    *out = value;
    return value == (double)(int64_t)value;
}

/* ---- histogram ---- */

typedef struct rule_name {
    const char *name;
    crd_i_histogram_rule rule;
} rule_name;

static const rule_name rules[] = {{"likelihood", CRD_I_HISTOGRAM_LIKELIHOOD},
                                  {"sturges", CRD_I_HISTOGRAM_STURGES},
                                  {"scott", CRD_I_HISTOGRAM_SCOTT},
                                  {"freedman", CRD_I_HISTOGRAM_FREEDMAN}};
enum { RULES = sizeof rules / sizeof *rules };

/* Ascending, with colons between them. */
static bool parse_edges(crd_settings *to, crd_text text) {
    size_t count = 0;
    for (size_t begin = 0, end; begin <= text.length; begin = end + 1) {
        for (end = begin; end < text.length && text.bytes[end] != ':';) end++;
        crd_text part = {text.bytes + begin, end - begin};
        double value;
        if (count == CRD_I_MOST_EDGES || crd_number_parse(part, &value) != CRD_NUMBER_FINITE) return false;
        value += 0.0; /* -0 becomes 0 */
        if (count > 0 && !(value > to->histogram_edges[count - 1])) return false;
        to->histogram_edges[count++] = value;
    }
    to->histogram = CRD_I_HISTOGRAM_EDGES;
    to->histogram_edge_count = count;
    return count >= 2;
}

bool crd_i_histogram_parse(crd_settings *to, crd_text text) {
    const double most = 4096;
    crd_text rest = text;
    to->histogram_bins = 0;
    to->histogram_edge_count = 0;
    for (size_t i = 0; i < RULES; i++) {
        if (!is(text, rules[i].name)) continue;
        to->histogram = rules[i].rule;
        return true;
    }
    if (skip(&rest, "edges:")) return parse_edges(to, rest);
    to->histogram = skip(&rest, "width:") ? CRD_I_HISTOGRAM_WIDTH : CRD_I_HISTOGRAM_FREQUENCY;
    if (to->histogram == CRD_I_HISTOGRAM_FREQUENCY && !skip(&rest, "frequency:")) return false;
    return parse_whole(rest, most, &to->histogram_bins);
}

char *crd_i_histogram_text(const crd_settings *of) {
    enum { ROOM = 16 + CRD_I_MOST_EDGES * (CRD_NUMBER_ROOM + 1) };
    char room[ROOM], number[CRD_NUMBER_ROOM];
    size_t used = 0;
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].rule == of->histogram)
            return (char *)crd_i_text_copy(of->context, crd_text_of(rules[i].name)).bytes;
    if (of->histogram == CRD_I_HISTOGRAM_EDGES) {
        used = (size_t)snprintf(room, sizeof room, "edges");
        for (size_t i = 0; i < of->histogram_edge_count; i++) {
            crd_number_format(of->histogram_edges[i], number);
            used += (size_t)snprintf(room + used, sizeof room - used, ":%s", number);
        }
    } else {
        crd_number_format(of->histogram_bins, number);
        snprintf(room, sizeof room, "%s:%s", of->histogram == CRD_I_HISTOGRAM_WIDTH ? "width" : "frequency", number);
    }
    return (char *)crd_i_text_copy(of->context, crd_text_of(room)).bytes;
}

/* ---- bandwidth ---- */

static const char *const bandwidths[] = {
    [CRD_I_BANDWIDTH_SCOTT] = "scott", [CRD_I_BANDWIDTH_SILVERMAN] = "silverman", [CRD_I_BANDWIDTH_WEKA] = "weka"};

bool crd_i_bandwidth_parse(crd_settings *to, crd_text text) {
    double value;
    to->bandwidth_given = 0;
    for (size_t i = 0; i < sizeof bandwidths / sizeof *bandwidths; i++) {
        if (!is(text, bandwidths[i])) continue;
        to->bandwidth = (crd_i_bandwidth)i;
        return true;
    }
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value > 0)) return false;
    to->bandwidth = CRD_I_BANDWIDTH_GIVEN;
    to->bandwidth_given = value;
    return true;
}

char *crd_i_bandwidth_text(const crd_settings *of) {
    char number[CRD_NUMBER_ROOM];
    if (of->bandwidth == CRD_I_BANDWIDTH_GIVEN) crd_number_format(of->bandwidth_given, number);
    return (char *)crd_i_text_copy(
               of->context, crd_text_of(of->bandwidth == CRD_I_BANDWIDTH_GIVEN ? number : bandwidths[of->bandwidth]))
        .bytes;
}

/* ---- mixture ---- */

bool crd_i_mixture_parse(crd_settings *to, crd_text text) {
    double value;
    bool by_bic = skip(&text, "bic:");
    if (!parse_whole(text, CRD_I_MOST_CURVES, &value)) return false;
    to->mixture_curves = by_bic ? 0 : (size_t)value;
    to->mixture_most = by_bic ? (size_t)value : 0;
    return true;
}

char *crd_i_mixture_text(const crd_settings *of) {
    char room[32];
    if (of->mixture_curves == 0) snprintf(room, sizeof room, "bic:%lu", (unsigned long)of->mixture_most);
    else snprintf(room, sizeof room, "%lu", (unsigned long)of->mixture_curves);
    return (char *)crd_i_text_copy(of->context, crd_text_of(room)).bytes;
}

/* ---- student ---- */

bool crd_i_student_parse(crd_settings *to, crd_text text) {
    double value;
    to->student_given = 0;
    to->student = CRD_I_STUDENT_SMOOTHING;
    if (is(text, "smoothing")) return true;
    to->student = CRD_I_STUDENT_LIKELIHOOD;
    if (is(text, "likelihood")) return true;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= 0 && value <= CRD_I_MOST_STRENGTH))
        return false;
    to->student = CRD_I_STUDENT_GIVEN;
    to->student_given = value + 0.0; /* -0 becomes 0 */
    return true;
}

char *crd_i_student_text(const crd_settings *of) {
    char number[CRD_NUMBER_ROOM];
    const char *text = of->student == CRD_I_STUDENT_SMOOTHING ? "smoothing" : "likelihood";
    if (of->student == CRD_I_STUDENT_GIVEN) {
        crd_number_format(of->student_given, number);
        text = number;
    }
    return (char *)crd_i_text_copy(of->context, crd_text_of(text)).bytes;
}
