/* explain_what_if.c - see explain_what_if.h. */
#include "verbs/explain/explain_what_if.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "verbs/explain/explain_row.h"

#include <math.h>
#include <stdlib.h>

/* Below this there is nothing to tell, in bits. */
static const double NOTHING = 5e-5;

int what_if_open(const crd_model *model, const crd_classifier *classifier, const crd_rule *rule, bool all,
                 what_if *out) {
    size_t attributes = crd_classifier_attribute_count(classifier);
    crd_error error;
    *out = (what_if){.classifier = classifier, .rule = rule, .all = all};
    out->changes = memory_resize(NULL, attributes, sizeof *out->changes);
    out->told = memory_resize(NULL, attributes, sizeof *out->told);
    out->changes[0].size = sizeof *out->changes;
    out->told[0].size = sizeof *out->told;
    if (crd_what_if_create(model, classifier, &out->asked, &error) != CRD_OK) return message_error(&error);
    return ENDED_WELL;
}

void what_if_close(what_if *w) {
    crd_what_if_destroy(w->asked);
    free(w->changes);
    free(w->told);
    *w = (what_if){0};
}

int what_if_ask(what_if *w, const crd_value *values) {
    crd_error error;
    w->change_search = (crd_counterfactual_search)CRD_COUNTERFACTUAL_SEARCH_INIT;
    w->change_search.rule = w->rule;
    w->change_search.is_thorough = w->all;
    w->told_search = (crd_information_gain_search)CRD_INFORMATION_GAIN_SEARCH_INIT;
    w->told_search.is_thorough = w->all;
    if (crd_what_if_counterfactuals(w->asked, values, &w->change_search, w->changes, &w->change_count, &error) !=
            CRD_OK ||
        crd_what_if_information_gain(w->asked, values, &w->told_search, w->told, &w->told_count, &error) != CRD_OK) {
        return message_error(&error);
    }
    return ENDED_WELL;
}

/* The class decided for then, or the action taken. */
static crd_text decided(const what_if *w, const crd_counterfactual *change) {
    size_t decision = (size_t)change->decision;
    return w->rule == NULL ? crd_classifier_class(w->classifier, decision) : crd_rule_action(w->rule, decision);
}

/* ---- JSON ---- */

static void write_change(json *j, const what_if *w, const crd_counterfactual *change) {
    json_object(j);
    json_member_text(j, "attribute", crd_classifier_attribute(w->classifier, change->attribute));
    json_key(j, "value");
    if (change->value.kind == CRD_KIND_NUMBER) json_number(j, change->value.number);
    else json_text(j, change->value.text);
    json_member_number(j, "deviations", change->deviations);
    json_member_text(j, w->rule == NULL ? "prediction" : "decision", decided(w, change));
    json_member_number(j, "probability", change->probability);
    json_end_object(j);
}

void what_if_write_json(json *j, const what_if *w) {
    json_key(j, "changes");
    json_array(j);
    for (size_t i = 0; i < w->change_count; i++) write_change(j, w, &w->changes[i]);
    json_end_array(j);
    json_member_number(j, "changes_tried", (double)w->change_search.looked_at);
    json_member_number(j, "uncertainty", w->told_search.uncertainty);
    json_key(j, "missing");
    json_array(j);
    for (size_t i = 0; i < w->told_count; i++) {
        json_object(j);
        json_member_text(j, "attribute", crd_classifier_attribute(w->classifier, w->told[i].attribute));
        json_member_number(j, "bits", w->told[i].bits);
        json_end_object(j);
    }
    json_end_array(j);
}

/* ---- On paper ---- */

/* A number that flips the decision in as few digits as suit the way to it, rounded away from where it comes from: one
 * that is rounded towards it would not flip anything. */
static void add_rounded_away(string *out, double from, double to) {
    enum { LEAST_DIGITS = 5, MOST_DIGITS = 16 };
    static const double TOLERANCE = .01;
    char room[CRD_NUMBER_ROOM];
    for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS && to != 0; digits++) {
        double rounded = 0, unit = pow(10, floor(log10(fabs(to))) - digits + 1);
        for (int nudge = 0; nudge < 2; nudge++) {
            snprintf(room, sizeof room, "%.*e", digits - 1, nudge == 0 ? to : rounded + (to > from ? unit : -unit));
            crd_number_parse(crd_text_of(room), &rounded);
            if (to > from ? rounded >= to : rounded <= to) break;
        }
        if (fabs(rounded - to) > TOLERANCE * fabs(to - from)) continue;
        to = rounded;
        break;
    }
    string_add_number(out, to);
}

static void add_way(string *out, const crd_value *from, const crd_counterfactual *change) {
    double number = from->number;
    explain_add_value(out, from);
    string_format(out, " → ");
    if (change->value.kind == CRD_KIND_CATEGORY) {
        string_add_shown(out, change->value.text);
        return;
    }
    if (from->kind == CRD_KIND_CATEGORY) crd_number_parse(from->text, &number);
    add_rounded_away(out, number, change->value.number);
}

static const char *what_flips(const what_if *w) {
    return w->rule == NULL ? "answer" : "decision";
}

/* Adds which values were tried, where not all of them were. */
static void add_tried(string *out, const what_if *w) {
    const crd_counterfactual_search *search = &w->change_search;
    if (search->looked_at == search->present) return;
    string_format(out, ", of the %zu of %zu values that weigh most", search->looked_at, search->present);
}

static void print_no_change(output *out, const what_if *w) {
    string tried = {0};
    add_tried(&tried, w);
    if (w->change_search.looked_at > 0) {
        output_paragraph(out, "No change of a single value%s%s flips the %s.", string_text(&tried),
                         tried.length > 0 ? "," : "", what_flips(w));
    }
    string_free(&tried);
}

static void print_smallest(output *out, const what_if *w, const crd_value *values) {
    const crd_counterfactual *change = &w->changes[0];
    char room[ROUNDED_ROOM];
    string way = {0}, then = {0}, tried = {0};
    string_add_shown(&way, crd_classifier_attribute(w->classifier, change->attribute));
    string_add_char(&way, ' ');
    add_way(&way, &values[change->attribute], change);
    if (change->value.kind == CRD_KIND_NUMBER) {
        string_format(&way, ", %s deviations away", output_round(change->deviations, room));
    }
    string_add_shown(&then, decided(w, change));
    if (change->value.kind == CRD_KIND_CATEGORY && !isnan(change->probability)) {
        string_format(&then, " (%s)", output_round(change->probability, room));
    }
    add_tried(&tried, w);
    output_paragraph(out, "Smallest change that flips the %s%s: %s; then %s", what_flips(w), string_text(&tried),
                     string_text(&way), string_text(&then));
    string_free(&way);
    string_free(&then);
    string_free(&tried);
}

static void print_all_changes(output *out, const what_if *w, const crd_value *values) {
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, 5);
    table_add(t, "");
    table_add(t, "change");
    table_add(t, "deviations");
    table_add(t, "then");
    table_add(t, "probability");
    table_align_left(t, 1);
    table_align_left(t, 3);
    for (size_t i = 0; i < w->change_count; i++) {
        const crd_counterfactual *change = &w->changes[i];
        string way = {0};
        add_way(&way, &values[change->attribute], change);
        table_add_name(t, crd_classifier_attribute(w->classifier, change->attribute));
        table_add(t, string_text(&way));
        table_add(t, output_round(change->deviations, room));
        table_add_name(t, decided(w, change));
        table_add(t, output_round(change->probability, room));
        string_free(&way);
    }
    output_heading(out, 3, "Changes of a single value that flip the ", what_flips(w));
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

static void print_told(output *out, const what_if *w) {
    char bits[ROUNDED_ROOM], open[ROUNDED_ROOM];
    if (w->told_count == 0) return;
    if (!(w->told[0].bits >= NOTHING)) {
        output_paragraph(out, "No missing value would tell more.");
        return;
    }
    if (w->all) {
        table *t = table_create_for(out, 2);
        table_omit_heading(t);
        for (size_t i = 0; i < w->told_count; i++) {
            table_add_name(t, crd_classifier_attribute(w->classifier, w->told[i].attribute));
            table_add(t, output_round(w->told[i].bits, bits));
        }
        string rest = {0};
        string_format(&rest, ", in bits; %s are open", output_round(w->told_search.uncertainty, open));
        output_heading(out, 3, "What missing values are expected to tell", string_text(&rest));
        table_print(t, out->stream, 2, 0);
        table_destroy(t);
        string_free(&rest);
        return;
    }
    string name = {0}, among = {0};
    if (w->told_search.looked_at < w->told_search.missing) {
        string_format(&among, "the %zu of %zu most relevant ", w->told_search.looked_at, w->told_search.missing);
    }
    string_add_shown(&name, crd_classifier_attribute(w->classifier, w->told[0].attribute));
    output_paragraph(out, "Of %smissing values %s would tell most: %s of the %s bits that are open",
                     string_text(&among), string_text(&name), output_round(w->told[0].bits, bits),
                     output_round(w->told_search.uncertainty, open));
    string_free(&name);
    string_free(&among);
}

void what_if_print(output *out, const what_if *w, const crd_value *values) {
    if (w->change_count == 0) print_no_change(out, w);
    else if (w->all) print_all_changes(out, w, values);
    else print_smallest(out, w, values);
    print_told(out, w);
}
