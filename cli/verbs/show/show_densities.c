/* show_densities.c - see show_densities.h. */
#include "verbs/show/show_densities.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/plot.h"
#include "core/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much of a density lies to either side of what is drawn: of a normal one what is further than 3 deviations off. */
static const double LEFT_OUT = 0.0013498980316300933;
enum { LEAST_POINTS = 20, MOST_POINTS = 60, USUAL_WIDTH = 80 };

/* 0 where there is none. A discrete one is drawn by steps from number to number. */
static double density_at(const crd_classifier *classifier, size_t attribute, size_t class_index, double x) {
    crd_family family = CRD_FAMILY_INIT;
    bool is_discrete = crd_classifier_family(classifier, attribute, &family) && family.is_discrete;
    crd_value value = {CRD_KIND_NUMBER, is_discrete ? round(x) : x, {NULL, 0}};
    crd_term term = CRD_TERM_INIT;
    crd_status status = crd_classifier_term(classifier, attribute, class_index, &value, &term, NULL);
    return status == CRD_OK && term.form == CRD_TERM_DENSITY ? crd_exp(term.log_value) : 0;
}

static bool axis_of(const crd_classifier *classifier, size_t attribute, double *from, double *to) {
    bool any = false;
    for (size_t c = 0; c < crd_classifier_class_count(classifier); c++) {
        double low = 0, high = 0;
        if (crd_classifier_quantile(classifier, attribute, c, LEFT_OUT, &low, NULL) != CRD_OK ||
            crd_classifier_quantile(classifier, attribute, c, 1 - LEFT_OUT, &high, NULL) != CRD_OK)
            continue;
        if (!isfinite(high - low)) continue;
        if (!any || low < *from) *from = low;
        if (!any || high > *to) *to = high;
        any = true;
    }
    return any && *to > *from;
}

/* The axis below the curves: its ends and its middle. */
static void add_axis(string *line, double from, double to, size_t points) {
    char left[ROUNDED_ROOM], middle[ROUNDED_ROOM], right[ROUNDED_ROOM];
    output_round(from, left);
    output_round(from + (to - from) / 2, middle);
    output_round(to, right);
    size_t start = line->length;
    string_format(line, "%s", left);
    size_t middle_at = points / 2 - text_width(middle, strlen(middle)) / 2;
    size_t right_at = points - strlen(right);
    while (line->length - start < middle_at) string_add_char(line, ' ');
    string_format(line, "%s", middle);
    while (line->length - start < right_at) string_add_char(line, ' ');
    string_format(line, "%s", right);
}

void curves_print(output *out, const crd_classifier *classifier, size_t attribute) {
    size_t classes = crd_classifier_class_count(classifier);
    size_t width = out->width == 0 ? USUAL_WIDTH : out->width, widest = 0;
    double from = 0, to = 0, highest = 0;
    if (!axis_of(classifier, attribute, &from, &to)) return;
    table *t = table_create(2);
    table_align_left(t, 1);
    for (size_t c = 0; c < classes; c++) {
        crd_text name = crd_classifier_class(classifier, c);
        size_t taken = text_width(name.bytes, name.length);
        if (taken > widest) widest = taken;
    }
    size_t points = width > widest + 6 + LEAST_POINTS ? width - widest - 6 : LEAST_POINTS;
    if (points > MOST_POINTS) points = MOST_POINTS;
    double *heights = memory_resize(NULL, points * classes, sizeof *heights);
    for (size_t i = 0; i < points * classes; i++) {
        double x = from + (to - from) * (double)(i % points) / (double)(points - 1);
        heights[i] = density_at(classifier, attribute, i / points, x);
        if (heights[i] > highest) highest = heights[i];
    }
    for (size_t i = 0; i < points * classes && highest > 0; i++) heights[i] /= highest;
    string line = {0};
    for (size_t c = 0; c < classes; c++) {
        string_clear(&line);
        plot_curve(&line, heights + c * points, points);
        while (line.length > 0 && line.bytes[line.length - 1] == ' ') line.bytes[--line.length] = '\0';
        table_add_name(t, crd_classifier_class(classifier, c));
        table_add(t, string_text(&line));
    }
    string_clear(&line);
    add_axis(&line, from, to, points);
    table_add(t, "");
    table_add(t, string_text(&line));
    /* Four blanks are how Markdown knows what is to stay as it is. */
    table_print(t, out->stream, out->format == FORMAT_MARKDOWN ? 4 : 2, 0);
    string_free(&line);
    free(heights);
    table_destroy(t);
}

static bool has_cuts(const crd_classifier *classifier, size_t attribute) {
    size_t count = 0;
    return crd_classifier_cut_points(classifier, attribute, NULL, 0, &count, NULL) != CRD_ERROR_COLUMN;
}

/* All cuts; *out is the caller's. */
static int find_cuts(const crd_classifier *classifier, size_t attribute, crd_cut_point **out, size_t *count) {
    crd_error error;
    size_t room = 0;
    *out = NULL;
    do {
        room = *count = room == 0 ? 16 : *count;
        *out = memory_resize(*out, room, sizeof **out);
        if (crd_classifier_cut_points(classifier, attribute, *out, room, count, &error) != CRD_OK) {
            free(*out);
            *out = NULL;
            return message_error(&error);
        }
    } while (*count > room);
    return ENDED_WELL;
}

int curves_print_cuts(output *out, const crd_classifier *classifier, size_t attribute) {
    crd_cut_point *cuts = NULL;
    size_t count = 0;
    char low[ROUNDED_ROOM], high[ROUNDED_ROOM];
    if (!has_cuts(classifier, attribute)) return ENDED_WELL;
    int ended = find_cuts(classifier, attribute, &cuts, &count);
    if (ended != ENDED_WELL) return ended;
    string heading = {0};
    string_format(&heading, "Decision by ");
    string_add_shown(&heading, crd_classifier_attribute(classifier, attribute));
    string_format(&heading, " alone");
    output_heading(out, 2, string_text(&heading), "");
    string_free(&heading);
    table *t = table_create_for(out, 2);
    table_omit_heading(t);
    table_align_left(t, 1);
    for (size_t i = 0; i < count; i++) {
        if (i == 0) {
            table_format(t, "below %s", output_round(cuts[i].at, high));
        } else {
            table_format(t, "%s to %s", output_round(cuts[i - 1].at, low), output_round(cuts[i].at, high));
        }
        table_add_name(t, crd_classifier_class(classifier, cuts[i].below));
    }
    if (count > 0) {
        table_format(t, "above %s", output_round(cuts[count - 1].at, low));
        table_add_name(t, crd_classifier_class(classifier, cuts[count - 1].above));
        table_print(t, out->stream, 2, 0);
    } else {
        output_remark(out, "the same class everywhere");
    }
    table_destroy(t);
    free(cuts);
    return ENDED_WELL;
}

int curves_cuts_json(json *j, const crd_classifier *classifier, size_t attribute) {
    crd_cut_point *cuts = NULL;
    size_t count = 0;
    if (!has_cuts(classifier, attribute)) return ENDED_WELL;
    int ended = find_cuts(classifier, attribute, &cuts, &count);
    if (ended != ENDED_WELL) return ended;
    json_key(j, "cuts");
    json_array(j);
    for (size_t i = 0; i < count; i++) {
        json_object(j);
        json_member_number(j, "at", cuts[i].at);
        json_member_text(j, "below", crd_classifier_class(classifier, cuts[i].below));
        json_member_text(j, "above", crd_classifier_class(classifier, cuts[i].above));
        json_end_object(j);
    }
    json_end_array(j);
    free(cuts);
    return ENDED_WELL;
}
