/* given.c - see given.h. */
#include "given.h"

#include "data.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static int unknown_column(crd_text item, const crd_text *names, size_t count) {
    const char *equals = item.length == 0 ? NULL : memchr(item.bytes, '=', item.length);
    crd_text typed = {item.bytes, equals == NULL ? item.length : (size_t)(equals - item.bytes)};
    string shown = {0};
    string_add_shown(&shown, typed);
    if (equals == NULL) {
        report_usage("--given takes COLUMN=VALUE, not '%s'", string_text(&shown));
    } else {
        report_failed("--given: there is no attribute '%s'", string_text(&shown));
    }
    string_clear(&shown);
    for (size_t i = 0; i < count; i++) string_add_listed(&shown, i, names[i]);
    report_hint("the attributes are %s", string_text(&shown));
    string_free(&shown);
    return equals == NULL ? ENDED_USAGE : ENDED_FAILED;
}

int given_refuse_number(crd_text name, crd_text text, crd_number_class class) {
    string column = {0}, value = {0};
    string_add_shown(&column, name);
    string_add_shown(&value, text);
    if (class == CRD_NUMBER_INFINITE) {
        report_failed("--given: '%s' for '%s' is infinite: numbers must be finite", string_text(&value),
                      string_text(&column));
    } else {
        report_failed("--given: '%s' is a number, not '%s'", string_text(&column), string_text(&value));
    }
    string_free(&column);
    string_free(&value);
    return ENDED_FAILED;
}

/* A text that means missing in files does so here, unless training has seen it as a value. */
static int read_value(const crd_classifier *classifier, size_t attribute, crd_text text, const list *missing,
                      crd_value *value) {
    crd_error error;
    *value = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
    if (crd_classifier_kind(classifier, attribute) == CRD_KIND_NUMBER) {
        if (list_has(missing, text)) return ENDED_WELL;
        crd_number_class class = crd_number_parse(text, &value->number);
        if (class == CRD_NUMBER_FINITE) {
            value->kind = CRD_KIND_NUMBER;
            return ENDED_WELL;
        }
        return given_refuse_number(crd_classifier_attribute(classifier, attribute), text, class);
    }
    crd_value category = {CRD_KIND_CATEGORY, 0, text};
    if (list_has(missing, text)) {
        crd_term term = CRD_TERM_INIT;
        if (crd_classifier_class_count(classifier) == 0) return ENDED_WELL;
        if (crd_classifier_term(classifier, attribute, 0, &category, &term, &error) != CRD_OK) {
            return report_error(&error);
        }
        if (term.form == CRD_TERM_UNSEEN) return ENDED_WELL;
    }
    *value = category;
    return ENDED_WELL;
}

static int read_list(const crd_classifier *classifier, const list *items, const crd_text *names, size_t count,
                     const list *missing, given *out) {
    for (size_t i = 0; i < items->count; i++) {
        size_t attribute = 0;
        crd_text text;
        if (!list_split_assignment(items, i, names, count, &attribute, &text)) {
            return unknown_column(items->items[i], names, count);
        }
        if (out->texts[attribute].bytes != NULL) {
            string shown = {0};
            string_add_shown(&shown, names[attribute]);
            report_usage("--given: '%s' is given twice", string_text(&shown));
            string_free(&shown);
            return ENDED_USAGE;
        }
        out->texts[attribute] = text;
        int ended = read_value(classifier, attribute, text, missing, &out->values[attribute]);
        if (ended != ENDED_WELL) return ended;
    }
    return ENDED_WELL;
}

int given_read(const session *s, const crd_classifier *classifier, given *out) {
    size_t count = crd_classifier_attribute_count(classifier), at = 0;
    list missing;
    *out = (given){0};
    int ended = data_missing_texts(s, &missing);
    if (ended != ENDED_WELL) return ended;
    crd_text *names = memory_resize(NULL, count, sizeof *names);
    out->values = memory_resize(NULL, count, sizeof *out->values);
    out->texts = memory_resize(NULL, count, sizeof *out->texts);
    for (size_t i = 0; i < count; i++) {
        names[i] = crd_classifier_attribute(classifier, i);
        out->values[i] = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
        out->texts[i] = (crd_text){NULL, 0};
    }
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(&s->arguments, "given", &at)) != NULL;) {
        out->lists = memory_resize(out->lists, out->list_count + 1, sizeof *out->lists);
        list *items = &out->lists[out->list_count];
        if (!list_split(value, items)) {
            ended = report_usage("--given: a quote is not closed");
            break;
        }
        out->list_count++;
        /* --given '' gives nothing: the priors alone. */
        if (items->count == 1 && items->items[0].length == 0) continue;
        ended = read_list(classifier, items, names, count, &missing, out);
    }
    free(names);
    list_free(&missing);
    if (ended != ENDED_WELL) given_free(out);
    return ended;
}

static void warn_if_unseen(const crd_summary *summary, size_t attribute, crd_text text) {
    string near = {0}, shown = {0};
    bool seen = false;
    for (size_t v = 0; v < crd_summary_value_count(summary, attribute) && !seen; v++) {
        crd_text value = crd_summary_value(summary, attribute, v);
        seen = crd_text_equal(value, text);
        if (seen || !list_near(text, value)) continue;
        string_format(&near, "%s", near.length == 0 ? "" : " or ");
        string_add_shown(&near, value);
    }
    if (!seen && near.length > 0) {
        string_add_shown(&shown, crd_summary_attribute(summary, attribute));
        string_format(&shown, " is never ");
        string_add_shown(&shown, text);
        report_warning("%s; did you mean %s?", string_text(&shown), string_text(&near));
    }
    string_free(&near);
    string_free(&shown);
}

int given_warn_of_unseen(const crd_model *model, const given *g) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return report_error(&error);
    for (size_t i = 0; i < crd_summary_attribute_count(summary); i++)
        if (g->values[i].kind == CRD_KIND_CATEGORY) warn_if_unseen(summary, i, g->texts[i]);
    crd_summary_destroy(summary);
    return ENDED_WELL;
}

void given_free(given *g) {
    for (size_t i = 0; i < g->list_count; i++) list_free(&g->lists[i]);
    free(g->lists);
    free(g->values);
    free(g->texts);
    *g = (given){0};
}
