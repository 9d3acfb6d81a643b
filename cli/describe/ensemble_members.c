/* SPDX-License-Identifier: MIT */
/* ensemble_members.c - see ensemble_members.h. */
#include "describe/ensemble_members.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/term_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A member of an ensemble with its own classifier. Its attributes and classes are matched by name. */
typedef struct member_voice {
    crd_text name;
    const crd_model *model;
    double weight;
    crd_classifier *classifier;
    size_t *attributes; /* for each attribute of the member, the index in the ensemble */
    size_t *classes;    /* for each class of the ensemble, the index in the member; SIZE_MAX: none */
} member_voice;

static void find_attributes(const crd_classifier *whole, member_voice *voice) {
    size_t count = crd_classifier_attribute_count(voice->classifier), all = crd_classifier_attribute_count(whole);
    voice->attributes = memory_resize(NULL, count, sizeof *voice->attributes);
    for (size_t a = 0, next = 0; a < count; a++) {
        crd_text name = crd_classifier_attribute(voice->classifier, a);
        while (!crd_text_equal(crd_classifier_attribute(whole, next % all), name)) next++;
        voice->attributes[a] = next % all;
    }
}

static void ensemble_members_find_classes(const crd_classifier *whole, member_voice *voice) {
    size_t all = crd_classifier_class_count(whole), count = crd_classifier_class_count(voice->classifier);
    voice->classes = memory_resize(NULL, all, sizeof *voice->classes);
    for (size_t k = 0; k < all; k++) {
        size_t member_class = 0;
        while (member_class < count &&
               !crd_text_equal(crd_classifier_class(voice->classifier, member_class), crd_classifier_class(whole, k)))
            member_class++;
        voice->classes[k] = member_class < count ? member_class : SIZE_MAX;
    }
}

/* Creates a classifier for each member and matches its attributes and classes with the ensemble's. */
int ensemble_open(const crd_model *model, const crd_classifier *classifier, ensemble *out) {
    crd_error error;
    *out = (ensemble){.model = model, .classifier = classifier};
    size_t count = crd_model_member_count(model);
    out->each = memory_resize(NULL, count, sizeof *out->each);
    for (; out->count < count; out->count++) {
        member_voice *voice = &out->each[out->count];
        crd_member member = CRD_MEMBER_INIT;
        *voice = (member_voice){.classifier = NULL};
        if (crd_model_member(model, out->count, &member, &error) != CRD_OK ||
            crd_classifier_create(member.model, NULL, &voice->classifier, &error) != CRD_OK) {
            return message_error(&error);
        }
        voice->name = member.name;
        voice->model = member.model;
        voice->weight = member.weight;
        find_attributes(classifier, voice);
        ensemble_members_find_classes(classifier, voice);
    }
    return ENDED_WELL;
}

void ensemble_close(ensemble *m) {
    for (size_t i = 0; i < m->count; i++) {
        crd_classifier_destroy(m->each[i].classifier);
        free(m->each[i].attributes);
        free(m->each[i].classes);
    }
    free(m->each);
    *m = (ensemble){.count = 0};
}

/* A member's prediction, with probabilities in the order of the ensemble's classes. */
typedef struct members_statement {
    double *probabilities;
    crd_answer answer; /* the decision is a class of the ensemble */
} members_statement;

/* Computes a member's prediction for a row. Classes that the member does not have get probability 0. */
static int ensemble_members_ask(const ensemble *m, size_t member, const crd_value *values, members_statement *out) {
    const member_voice *voice = &m->each[member];
    size_t attributes = crd_classifier_attribute_count(voice->classifier);
    size_t classes = crd_classifier_class_count(voice->classifier), all = crd_classifier_class_count(m->classifier);
    crd_error error;
    crd_value *own_value = memory_resize(NULL, attributes, sizeof *own_value);
    double *logs = memory_resize(NULL, classes, sizeof *logs);
    double *probabilities = memory_resize(NULL, classes, sizeof *probabilities);
    for (size_t a = 0; a < attributes; a++) own_value[a] = values[voice->attributes[a]];
    int ended = ENDED_WELL;
    if (crd_classifier_posterior(voice->classifier, own_value, logs, probabilities, &out->answer, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    int32_t decision = -1;
    for (size_t k = 0; ended == ENDED_WELL && k < all; k++) {
        size_t class = voice->classes[k];
        out->probabilities[k] = class == SIZE_MAX || out->answer.decision < 0 ? 0 : probabilities[class];
        if (class != SIZE_MAX && out->answer.decision == (int32_t) class) decision = (int32_t)k;
    }
    out->answer.decision = decision;
    free(own_value);
    free(logs);
    free(probabilities);
    return ended;
}

/* Adds the prediction of a member or of the ensemble to a table row. */
static void ensemble_members_add_answer(const ensemble *m, crd_result_table *t, const double *probabilities,
                                        int32_t decision) {
    if (decision < 0) {
        crd_cell_null(t);
        crd_cell_show_as(t, "nothing", NULL);
    } else {
        crd_cell_name(t, crd_classifier_class(m->classifier, (size_t)decision));
    }
    for (size_t k = 0; k < crd_classifier_class_count(m->classifier); k++)
        crd_cell_number(t, decision < 0 ? NAN : probabilities[k]);
}

static void report_whole(crd_result *r, const ensemble *m, const double *probabilities, const crd_answer *answer) {
    bool is_decided = answer->decision >= 0;
    if (is_decided) crd_result_text(r, "prediction", crd_classifier_class(m->classifier, (size_t)answer->decision));
    else crd_result_number(r, "prediction", NAN);
    crd_result_begin(r, CRD_OBJECT, "probabilities");
    for (size_t k = 0; k < crd_classifier_class_count(m->classifier); k++)
        report_number_named(r, crd_classifier_class(m->classifier, k), is_decided ? probabilities[k] : NAN);
    crd_result_end(r);
    crd_result_number(r, "log_evidence", answer->log_evidence);
    crd_result_number(r, "unseen", answer->unseen);
}

/* Reports the prediction of each member for a row, and the combined prediction. */
int ensemble_report_row(crd_result *r, const ensemble *m, const crd_value *values, const double *probabilities,
                        const crd_answer *answer) {
    size_t classes = crd_classifier_class_count(m->classifier);
    const char *rule = crd_combine_rule_name(crd_model_rule(m->model));
    members_statement one = {.probabilities = memory_resize(NULL, classes, sizeof *one.probabilities)};
    int ended = ENDED_WELL;
    crd_result_heading(r, 2, "Each model's prediction", "");
    crd_result_words(r, "rule", rule);
    crd_result_table *t = crd_result_add_table(r, "models");
    t->is_wrapped = true;
    crd_result_add_column(t, "model", "model");
    crd_result_add_column(t, "weight", "weight");
    crd_result_add_column(t, "prediction", "predicts")->is_left = true;
    t->group = "probabilities";
    for (size_t k = 0; k < classes; k++) {
        crd_text name = crd_classifier_class(m->classifier, k);
        column_add_named(t, name);
        t->columns[t->column_count - 1].title = crd_result_format(r, "P(%s)", crd_result_show(r, name));
    }
    for (size_t i = 0; i < m->count && ended == ENDED_WELL; i++) {
        ended = ensemble_members_ask(m, i, values, &one);
        if (ended != ENDED_WELL) break;
        crd_cell_name(t, m->each[i].name);
        crd_cell_number(t, m->each[i].weight);
        ensemble_members_add_answer(m, t, one.probabilities, one.answer.decision);
    }
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_format(t, "all, by %s", rule);
    crd_cell_null(t);
    ensemble_members_add_answer(m, t, probabilities, answer->decision);
    report_whole(r, m, probabilities, answer);
    free(one.probabilities);
    return ended;
}

/* ---- The members of an ensemble ---- */

static const char *rule_in_words(crd_combine_rule rule) {
    switch (rule) {
    case CRD_COMBINE_OPTIMAL: return "the weighted mean of all predictions";
    case CRD_COMBINE_GIBBS: return "for each row the prediction of one model, drawn by weight";
    case CRD_COMBINE_MAP: return "the prediction of the MAP hypothesis";
    case CRD_COMBINE_ML: return "the prediction of the maximum likelihood hypothesis";
    }
    return "";
}

/* Adds a member to the table and to the open array: its weight, rows, attributes and settings. */
static int ensemble_members_report(crd_result_table *t, const member_voice *voice) {
    crd_result *r = t->result;
    crd_summary *summary = NULL;
    crd_error error;
    string settings = {0};
    if (crd_summary_create(voice->model, &summary, &error) != CRD_OK) return message_error(&error);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "model", voice->name);
    crd_result_number(r, "weight", voice->weight);
    term_text_report_settings(r, crd_model_settings(voice->model));
    crd_result_end(r);
    term_text_add_settings(&settings, crd_model_settings(voice->model));
    crd_cell_name(t, voice->name);
    crd_cell_number(t, voice->weight);
    crd_cell_count(t, summary->rows);
    crd_cell_count(t, (double)summary->attribute_count);
    crd_cell_words(t, report_take(r, &settings));
    crd_summary_destroy(summary);
    return ENDED_WELL;
}

/* Reports the rule, the weights and the properties of the members. */
int ensemble_report(crd_result *r, const crd_model *model, const crd_classifier *classifier) {
    static const char *const titles[] = {"model", "weight", "rows", "attributes"};
    ensemble m;
    int ended = ensemble_open(model, classifier, &m);
    crd_combine_rule rule = crd_model_rule(model);
    string classes = {0};
    crd_result_line(r, CRD_LINE, "Combines %zu model%s, by %s: %s", m.count, m.count == 1 ? "" : "s",
                    crd_combine_rule_name(rule), rule_in_words(rule));
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_words(r, "rule", crd_combine_rule_name(rule));
    if (rule == CRD_COMBINE_GIBBS) {
        crd_result_line(r, CRD_LINE, "Seed: %llu", (unsigned long long)crd_model_seed(model));
        crd_result_number(r, "seed", (double)crd_model_seed(model));
    }
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        string_add_listed(&classes, k, crd_classifier_class(classifier, k));
    crd_result_line(r, CRD_LIST_LINE, "Classes: %s", report_take(r, &classes));
    crd_result_heading(r, 2, "Models", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) crd_result_add_column(t, NULL, titles[i]);
    crd_result_add_column(t, NULL, "settings")->is_left = true;
    crd_result_begin(r, CRD_ARRAY, "models");
    for (size_t i = 0; i < m.count && ended == ENDED_WELL; i++) ended = ensemble_members_report(t, &m.each[i]);
    crd_result_end(r);
    crd_result_begin(r, CRD_ARRAY, "classes");
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        crd_result_text(r, NULL, crd_classifier_class(classifier, k));
    crd_result_end(r);
    crd_result_end(r);
    ensemble_close(&m);
    return ended;
}

void ensemble_add_member(string *out, const crd_classifier *member, size_t index) {
    static const char *const names[] = {"joint", "covariance", "joint-mixture", "attribute-weights"};
    const crd_settings *settings = crd_classifier_settings(member);
    size_t count = 0;
    count = crd_setting_count();
    string_format(out, "%zu %s", index + 1, crd_settings_get(settings, "method"));
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            const char *value = crd_settings_get(settings, crd_setting_at(i)->name);
            if (strcmp(crd_setting_at(i)->name, names[n]) != 0 || strcmp(value, crd_setting_at(i)->default_value) == 0)
                continue;
            string_format(out, ", %s ", names[n]);
            string_add_shown(out, crd_text_of(value));
        }
}

const char *ensemble_pool_rule(const crd_classifier *classifier) {
    static const char *const rules[][2] = {
        {"average", "the weighted mean of their probabilities"},
        {"gibbs", "for each row one of them, drawn by weight"},
        {"product", "log-linear pool of their probabilities, none below e^-50, times a factor for each class"},
        {"vote", "exponential of the weights of the members that predict a class"}};
    const char *rule = crd_classifier_ensemble_rule(classifier);
    for (size_t i = 0; rule != NULL && i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rule, rules[i][0]) == 0) return rules[i][1];
    return "";
}
