/* SPDX-License-Identifier: MIT */
/* class_warnings.c - see class_warnings.h. */
#include "source/class_warnings.h"

#include "core/error_messages.h"
#include "core/messages.h"

void class_warnings_report_only(crd_text target, crd_text name) {
    string shown = {0}, column = {0};
    string_add_shown(&shown, name);
    string_add_shown(&column, target);
    message_warning("the target '%s' has one class, '%s': every row is predicted to be '%s'", string_text(&column),
                    string_text(&shown), string_text(&shown));
    string_free(&shown);
    string_free(&column);
}

void class_warnings_report_only_mail(crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    message_warning("the model has only the class '%s', so every message is unsure: train on messages of another class",
                    string_text(&shown));
    string_free(&shown);
}

static void report_similar(const crd_summary *summary) {
    size_t first = 0, second = 0;
    string names[2] = {{0}, {0}}, others = {0};
    const int pairs = crd_summary_similar_classes(summary, &first, &second);
    if (pairs == 0) return;
    string_add_shown(&names[0], summary->classes[first].name);
    string_add_shown(&names[1], summary->classes[second].name);
    if (pairs == 2) string_format(&others, ", and so does 1 other pair");
    if (pairs > 2) string_format(&others, ", and so do %d other pairs", pairs - 1);
    message_warning("the classes '%s' and '%s' differ only in spelling%s: if they are one class, give them one name",
                    string_text(&names[0]), string_text(&names[1]), string_text(&others));
    string_free(&names[0]);
    string_free(&names[1]);
    string_free(&others);
}

/* Warns of classes with a single row if the others have many rows: such a row may be a line of totals. */
static void report_lone(const crd_summary *summary) {
    size_t first = 0;
    string names = {0};
    const size_t count = crd_summary_lone_classes(summary, &first);
    for (size_t i = first, place = 0; place < count && i < summary->class_count; i++) {
        if (summary->classes[i].rows != 1) continue;
        string_format(&names, "%s'", place++ == 0 ? "" : ", ");
        string_add_shown(&names, summary->classes[i].name);
        string_format(&names, "'");
    }
    if (count == 1)
        message_warning(
            "the class %s has one row, while every other class has many: if the row is a line of totals or a "
            "misspelled label, remove or correct it",
            string_text(&names));
    if (count > 1)
        message_warning("the classes %s have one row each, while every other class has many: if the rows are lines of "
                        "totals or misspelled labels, remove or correct them",
                        string_text(&names));
    string_free(&names);
}

void class_warnings_report_similar(const crd_model *model) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_model_target(model).bytes == NULL || message_is_quiet()) return;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return;
    report_similar(summary);
    crd_summary_destroy(summary);
}

void class_warnings_report(const invocation *call, const crd_model *model) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return;
    const bool has_target = summary->target.bytes != NULL;
    if (has_target && summary->class_count == 1) {
        const crd_text only = summary->classes[0].name;
        if (arguments_have(&call->arguments, "mail")) class_warnings_report_only_mail(only);
        else class_warnings_report_only(summary->target, only);
    }
    if (has_target) report_similar(summary);
    if (has_target) report_lone(summary);
    crd_summary_destroy(summary);
}

static bool class_warnings_has_class(const crd_summary *summary, crd_text name) {
    for (size_t i = 0; i < summary->class_count; i++)
        if (crd_text_equal(summary->classes[i].name, name)) return true;
    return false;
}

void class_warnings_report_new(const crd_summary *before, const crd_model *model) {
    enum { MOST_NAMED = 10 };
    crd_summary *after = NULL;
    crd_error error;
    string added = {0}, known = {0};
    size_t count = 0;
    if (before == NULL || before->class_count == 0) return;
    if (crd_summary_create(model, &after, &error) != CRD_OK) return;
    for (size_t i = 0; i < after->class_count; i++) {
        if (class_warnings_has_class(before, after->classes[i].name)) continue;
        if (count < MOST_NAMED) string_add_listed(&added, count, after->classes[i].name);
        count++;
    }
    for (size_t i = 0; i < before->class_count && i < MOST_NAMED; i++)
        string_add_listed(&known, i, before->classes[i].name);
    if (before->class_count > MOST_NAMED) string_format(&known, ", ...");
    if (count > MOST_NAMED) string_format(&added, ", ...");
    if (count > 0)
        message_warning("%zu new class%s: %s; the model had %s", count, count == 1 ? "" : "es", string_text(&added),
                        string_text(&known));
    string_free(&added);
    string_free(&known);
    crd_summary_destroy(after);
}

int class_warnings_check_new(const crd_summary *before, const crd_model *model) {
    crd_summary *after = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (before == NULL) return ENDED_WELL;
    if (crd_summary_create(model, &after, &error) != CRD_OK) return message_error(&error);
    for (size_t i = 0; ended == ENDED_WELL && i < after->class_count; i++) {
        const size_t similar = crd_summary_similar_class(before, after->classes[i].name);
        string names[2] = {{0}, {0}};
        if (similar == CRD_NONE) continue;
        string_add_shown(&names[0], after->classes[i].name);
        string_add_shown(&names[1], before->classes[similar].name);
        ended = message_failed("the class '%s' is new, and differs only in spelling from '%s'", string_text(&names[0]),
                               string_text(&names[1]));
        message_hint("use the known spelling, or add the class: --new-classes yes");
        string_free(&names[0]);
        string_free(&names[1]);
    }
    crd_summary_destroy(after);
    return ended;
}
