/* ensemble_members.c - see ensemble_members.h. */
#include "describe/ensemble_members.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "describe/term_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A member as it is asked: a classifier of its own, whose attributes and classes are found by their names. */
typedef struct member_voice {
    crd_text name;
    const crd_model *model;
    double weight;
    crd_classifier *classifier;
    size_t *attributes; /* of each of its attributes, that of the whole */
    size_t *classes;    /* of each class of the whole, its own; SIZE_MAX: it has none */
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

static void find_classes(const crd_classifier *whole, member_voice *voice) {
    size_t all = crd_classifier_class_count(whole), count = crd_classifier_class_count(voice->classifier);
    voice->classes = memory_resize(NULL, all, sizeof *voice->classes);
    for (size_t k = 0; k < all; k++) {
        size_t own = 0;
        while (own < count &&
               !crd_text_equal(crd_classifier_class(voice->classifier, own), crd_classifier_class(whole, k)))
            own++;
        voice->classes[k] = own < count ? own : SIZE_MAX;
    }
}

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
        find_classes(classifier, voice);
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

/* One answer: probabilities stand by the classes of the whole. */
typedef struct said {
    double *probabilities;
    crd_answer answer; /* the decision is a class of the whole */
} said;

static int ask(const ensemble *m, size_t member, const crd_value *values, said *out) {
    const member_voice *voice = &m->each[member];
    size_t attributes = crd_classifier_attribute_count(voice->classifier);
    size_t classes = crd_classifier_class_count(voice->classifier), all = crd_classifier_class_count(m->classifier);
    crd_error error;
    crd_value *own = memory_resize(NULL, attributes, sizeof *own);
    double *logs = memory_resize(NULL, classes, sizeof *logs);
    double *probabilities = memory_resize(NULL, classes, sizeof *probabilities);
    for (size_t a = 0; a < attributes; a++) own[a] = values[voice->attributes[a]];
    int ended = ENDED_WELL;
    if (crd_classifier_probabilities(voice->classifier, own, logs, probabilities, &out->answer, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    int32_t decision = -1;
    for (size_t k = 0; ended == ENDED_WELL && k < all; k++) {
        size_t class = voice->classes[k];
        out->probabilities[k] = class == SIZE_MAX || out->answer.decision < 0 ? 0 : probabilities[class];
        if (class != SIZE_MAX && out->answer.decision == (int32_t) class) decision = (int32_t)k;
    }
    out->answer.decision = decision;
    free(own);
    free(logs);
    free(probabilities);
    return ended;
}

static void add_answer(const ensemble *m, table *t, const double *probabilities, int32_t decision) {
    char room[ROUNDED_ROOM];
    if (decision < 0) table_add(t, "nothing");
    else table_add_name(t, crd_classifier_class(m->classifier, (size_t)decision));
    for (size_t k = 0; k < crd_classifier_class_count(m->classifier); k++) {
        table_add(t, decision < 0 ? "-" : output_round(probabilities[k], room));
    }
}

static void add_heading(const ensemble *m, table *t) {
    string text = {0};
    table_add(t, "model");
    table_add(t, "weight");
    table_add(t, "says");
    for (size_t k = 0; k < crd_classifier_class_count(m->classifier); k++) {
        string_clear(&text);
        string_format(&text, "P(");
        string_add_shown(&text, crd_classifier_class(m->classifier, k));
        string_format(&text, ")");
        table_add(t, string_text(&text));
    }
    string_free(&text);
}

int ensemble_print(output *out, const ensemble *m, const crd_value *values, const double *probabilities,
                   const crd_answer *answer) {
    char room[ROUNDED_ROOM];
    size_t classes = crd_classifier_class_count(m->classifier);
    said one = {.probabilities = memory_resize(NULL, classes, sizeof *one.probabilities)};
    table *t = table_create_for(out, classes + 3);
    table_align_left(t, 2);
    add_heading(m, t);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < m->count && ended == ENDED_WELL; i++) {
        ended = ask(m, i, values, &one);
        if (ended != ENDED_WELL) break;
        table_add_name(t, m->each[i].name);
        table_add(t, output_round(m->each[i].weight, room));
        add_answer(m, t, one.probabilities, one.answer.decision);
    }
    table_format(t, "all, by %s", crd_combine_rule_name(crd_model_rule(m->model)));
    table_add(t, "");
    add_answer(m, t, probabilities, answer->decision);
    output_heading(out, 2, "What each model says", "");
    if (ended == ENDED_WELL) table_print(t, out->stream, 2, out->width);
    table_destroy(t);
    free(one.probabilities);
    return ended;
}

static void write_answer(json *j, const ensemble *m, const double *probabilities, int32_t decision) {
    json_key(j, "prediction");
    if (decision < 0) json_null(j);
    else json_text(j, crd_classifier_class(m->classifier, (size_t)decision));
    json_key(j, "probabilities");
    json_object(j);
    for (size_t k = 0; k < crd_classifier_class_count(m->classifier); k++) {
        json_key_text(j, crd_classifier_class(m->classifier, k));
        json_number(j, decision < 0 ? NAN : probabilities[k]);
    }
    json_end_object(j);
}

int ensemble_write_json(json *j, const ensemble *m, const crd_value *values, const double *probabilities,
                        const crd_answer *answer) {
    said one = {.probabilities =
                    memory_resize(NULL, crd_classifier_class_count(m->classifier), sizeof *one.probabilities)};
    int ended = ENDED_WELL;
    json_member_text(j, "rule", crd_text_of(crd_combine_rule_name(crd_model_rule(m->model))));
    json_key(j, "models");
    json_array(j);
    for (size_t i = 0; i < m->count && ended == ENDED_WELL; i++) {
        ended = ask(m, i, values, &one);
        if (ended != ENDED_WELL) break;
        json_object(j);
        json_member_text(j, "model", m->each[i].name);
        json_member_number(j, "weight", m->each[i].weight);
        write_answer(j, m, one.probabilities, one.answer.decision);
        json_end_object(j);
    }
    json_end_array(j);
    write_answer(j, m, probabilities, answer->decision);
    json_member_number(j, "log_evidence", answer->log_evidence);
    json_member_number(j, "unseen", answer->unseen);
    free(one.probabilities);
    return ended;
}

/* ---- What it is made of ---- */

static const char *rule_in_words(crd_combine_rule rule) {
    switch (rule) {
    case CRD_COMBINE_OPTIMAL: return "the mean of what all say, by their weights";
    case CRD_COMBINE_GIBBS: return "for each row what one of them says, drawn by the weights";
    case CRD_COMBINE_MAP: return "what the most probable of them says";
    case CRD_COMBINE_ML: return "what the one says under which the data were most probable";
    }
    return "";
}

static void write_members(json *j, const ensemble *m) {
    json_member_text(j, "rule", crd_text_of(crd_combine_rule_name(crd_model_rule(m->model))));
    if (crd_model_rule(m->model) == CRD_COMBINE_GIBBS) {
        json_member_number(j, "seed", (double)crd_model_seed(m->model));
    }
    json_key(j, "models");
    json_array(j);
    for (size_t i = 0; i < m->count; i++) {
        json_object(j);
        json_member_text(j, "model", m->each[i].name);
        json_member_number(j, "weight", m->each[i].weight);
        json_key(j, "settings");
        term_text_settings_json(j, crd_model_settings(m->each[i].model));
        json_end_object(j);
    }
    json_end_array(j);
    json_key(j, "classes");
    json_array(j);
    for (size_t k = 0; k < crd_classifier_class_count(m->classifier); k++) {
        json_text(j, crd_classifier_class(m->classifier, k));
    }
    json_end_array(j);
}

static int print_member(table *t, const member_voice *voice) {
    crd_summary *summary = NULL;
    crd_error error;
    string settings = {0};
    char room[ROUNDED_ROOM];
    if (crd_summary_create(voice->model, &summary, &error) != CRD_OK) return message_error(&error);
    term_text_add_settings(&settings, crd_model_settings(voice->model));
    table_add_name(t, voice->name);
    table_add(t, output_round(voice->weight, room));
    table_add(t, output_count(crd_summary_rows(summary), room));
    table_format(t, "%zu", crd_summary_attribute_count(summary));
    table_add(t, string_text(&settings));
    string_free(&settings);
    crd_summary_destroy(summary);
    return ENDED_WELL;
}

static int print_members(output *out, const ensemble *m) {
    static const char *const heading[] = {"model", "weight", "rows", "attributes", "settings"};
    size_t classes = crd_classifier_class_count(m->classifier);
    string text = {0};
    output_line(out, "Made of %zu model%s, by %s: %s", m->count, m->count == 1 ? "" : "s",
                crd_combine_rule_name(crd_model_rule(m->model)), rule_in_words(crd_model_rule(m->model)));
    if (crd_model_rule(m->model) == CRD_COMBINE_GIBBS) {
        output_line(out, "Seed: %llu", (unsigned long long)crd_model_seed(m->model));
    }
    for (size_t k = 0; k < classes; k++) string_add_listed(&text, k, crd_classifier_class(m->classifier, k));
    output_list_line(out, "Classes: %s", string_text(&text));
    string_free(&text);
    output_heading(out, 2, "Models", "");
    table *t = table_create_for(out, 5);
    table_align_left(t, 4);
    for (size_t i = 0; i < 5; i++) table_add(t, heading[i]);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < m->count && ended == ENDED_WELL; i++) ended = print_member(t, &m->each[i]);
    if (ended == ENDED_WELL) table_print(t, out->stream, 2, 0);
    table_destroy(t);
    return ended;
}

int ensemble_show(output *out, const crd_model *model, const crd_classifier *classifier) {
    ensemble m;
    int ended = ensemble_open(model, classifier, &m);
    if (ended == ENDED_WELL && out->format == FORMAT_JSON) {
        json j = json_begin(out->stream, true);
        json_object(&j);
        write_members(&j, &m);
        json_end_object(&j);
        json_end_line(&j);
    } else if (ended == ENDED_WELL) {
        ended = print_members(out, &m);
    }
    ensemble_close(&m);
    return ended;
}

void ensemble_add_member(string *out, const crd_classifier *member, size_t index) {
    static const char *const names[] = {"joint", "normal", "exponents"};
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
        {"average", "the mean of their probabilities by weight"},
        {"gibbs", "one of them drawn for each row by weight"},
        {"product",
         "their probabilities, none below e^-50, to the power of the weights, times a factor for each class"},
        {"vote", "e to the power of the weights of those that decide for a class"}};
    const char *rule = crd_classifier_ensemble_rule(classifier);
    for (size_t i = 0; rule != NULL && i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rule, rules[i][0]) == 0) return rules[i][1];
    return "";
}
