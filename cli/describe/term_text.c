/* SPDX-License-Identifier: MIT */
/* term_text.c - see term_text.h. */
#include "describe/term_text.h"

#include <math.h>
#include <string.h>

/* Adds a relative frequency with its smoothing. For n of N rows, t values and strength m, it is one of
 *
 *   n/N,   (n + m 1/t)/(N + m),   (n + m p)/(N + m),   (n + m)/(N + m t),
 *
 * where p is the share of the value in all rows. The second and third forms are m-estimates (Cestnik 1990), the fourth
 * is additive (Laplace) smoothing. */
static void add_ratio(string *out, const crd_term *term) {
    char n[CRD_NUMBER_ROOM], total[CRD_NUMBER_ROOM], m[CRD_NUMBER_ROOM], t[CRD_NUMBER_ROOM], share[CRD_NUMBER_ROOM],
        denominator[CRD_NUMBER_ROOM];
    crd_number_count(term->count, n);
    crd_number_count(term->total, total);
    crd_number_count(term->strength, m);
    crd_number_count(term->values, t);
    switch (term->smoothing) {
    case CRD_TERM_PLAIN: string_format(out, "%s/%s", n, total); break;
    case CRD_TERM_M_UNIFORM: string_format(out, "(%s + %s·1/%s)/(%s + %s)", n, m, t, total, m); break;
    case CRD_TERM_M_MARGINAL:
        crd_number_count(term->share_count, share);
        crd_number_count(term->share_total, denominator);
        string_format(out, "(%s + %s·%s/%s)/(%s + %s)", n, m, share, denominator, total, m);
        break;
    case CRD_TERM_LAPLACE: string_format(out, "(%s + %s)/(%s + %s·%s)", n, m, total, m, t); break;
    case CRD_TERM_OVERALL: string_format(out, "%s/%s over all classes: none of this one", n, total); break;
    }
}

/* Adds "density N(mean, standard deviation) at x", or "exponential(rate 2) at x". */
static void term_text_add_density(string *out, const crd_term *term) {
    char buffer[CRD_NUMBER_ROOM];
    if (term->family == NULL || strcmp(term->family, "gaussian") == 0) {
        string_format(out, "density N(%s, ", crd_number_round(term->mean, buffer));
        string_format(out, "%s)", crd_number_round(term->deviation, buffer));
    } else {
        string_format(out, "%s(", term->family);
        for (size_t i = 0; i < term->parameter_count; i++) {
            const crd_term_parameter *parameter = &term->parameters[i];
            string_format(out, "%s%s %s", i == 0 ? "" : ", ", parameter->name,
                          crd_number_round(parameter->value, buffer));
        }
        string_format(out, ")");
    }
    string_format(out, " at %s", crd_number_round(term->x, buffer));
}

static void add_exponent(string *out, const crd_term *term) {
    char buffer[CRD_NUMBER_ROOM];
    if (term->exponent != 1) string_format(out, ", weight %s", crd_number_round(term->exponent, buffer));
}

void term_text_add(string *out, const crd_term *term) {
    switch (term->form) {
    case CRD_TERM_RATIO: add_ratio(out, term); break;
    case CRD_TERM_DENSITY: term_text_add_density(out, term); break;
    case CRD_TERM_GIVEN: string_format(out, "as the settings say"); break;
    case CRD_TERM_MISSING: string_format(out, "missing: left out"); break;
    case CRD_TERM_UNSEEN: string_format(out, "never seen: left out"); break;
    case CRD_TERM_SILENT: string_format(out, "constant or empty: left out"); break;
    case CRD_TERM_JOINT: string_format(out, "in a joint density: see below"); break;
    }
    if (term_text_counts(term)) add_exponent(out, term);
}

bool term_text_counts(const crd_term *term) {
    return term->form == CRD_TERM_RATIO || term->form == CRD_TERM_DENSITY || term->form == CRD_TERM_GIVEN;
}

static const char *format_name(const crd_term *term) {
    switch (term->form) {
    case CRD_TERM_RATIO: return "ratio";
    case CRD_TERM_DENSITY: return "density";
    case CRD_TERM_GIVEN: return "given";
    case CRD_TERM_MISSING: return "missing";
    case CRD_TERM_UNSEEN: return "unseen";
    case CRD_TERM_JOINT: return "joint";
    case CRD_TERM_SILENT: break;
    }
    return "silent";
}

const char *term_text_zero_reason(const crd_settings *settings) {
    const char *smoothing = crd_settings_get(settings, "smoothing");
    /* If each value has a positive probability under each class, only a number can make all classes impossible. */
    bool smoothed = smoothing != NULL && strcmp(smoothing, "none") != 0 && strstr(smoothing, "marginal") == NULL;
    if (!smoothed) return "use --smoothing m:1 to avoid zero probabilities of categories";
    bool is_network = method_is_network(crd_settings_get(settings, "method"));
    return is_network ? "these values have probability 0 in the network" : "a number is too far from the training data";
}

/* The types of attributes whose predictions depend on settings. */
typedef struct setting_readers {
    bool numbers, categories, texts;
    bool occurrences; /* texts whose family uses word counts according to the setting tf */
} setting_readers;

static setting_readers find_readers(const crd_classifier *classifier) {
    setting_readers readers = {false, false, false, false};
    for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++) {
        crd_column_type type = crd_classifier_attribute_type(classifier, i);
        crd_family family = CRD_FAMILY_INIT;
        readers.numbers |= type == CRD_TYPE_NUMERIC;
        readers.categories |= type == CRD_TYPE_CATEGORICAL;
        readers.texts |= type == CRD_TYPE_TEXT;
        if (type != CRD_TYPE_TEXT || crd_classifier_family(classifier, i, &family) == 0) continue;
        readers.occurrences |= strcmp(family.name, "multinomial") == 0 || strcmp(family.name, "complement") == 0;
    }
    if (!readers.texts) readers.numbers = readers.categories = true;
    return readers;
}

/* Returns whether a setting with its default value needs no mention. Families are shown with their attributes. Settings
 * that no attribute reads are omitted. */
static bool goes_without_saying(const char *setting, setting_readers readers) {
    const struct {
        const char *name;
        bool is_read;
    } shown[] = {{"smoothing", readers.numbers || readers.categories},
                 {"prior", true},
                 {"variance", readers.numbers},
                 {"pool-variance", readers.numbers},
                 {"min-sd", readers.numbers},
                 {"term-smoothing", readers.texts},
                 {"tf", readers.occurrences},
                 {"length-normalization", readers.texts}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (strcmp(setting, shown[i].name) == 0) return !shown[i].is_read;
    return true;
}

static void term_text_append_settings(string *out, const crd_settings *settings, setting_readers readers) {
    bool is_first = true;
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *value = crd_settings_get(settings, crd_setting_at(i)->name);
        bool is_idle = goes_without_saying(crd_setting_at(i)->name, readers) && value != NULL &&
                       strcmp(value, crd_setting_at(i)->default_value) == 0;
        if (is_idle) continue;
        string_format(out, "%s%s ", is_first ? "" : ", ", crd_setting_at(i)->name);
        string_add_shown(out, crd_text_of(value == NULL ? "" : value));
        is_first = false;
    }
}

void term_text_add_settings(string *out, const crd_settings *settings) {
    const setting_readers readers = {.numbers = true, .categories = true};
    term_text_append_settings(out, settings, readers);
}

void term_text_add_settings_of(string *out, const crd_classifier *classifier) {
    term_text_append_settings(out, crd_classifier_settings(classifier), find_readers(classifier));
}

void term_text_report_settings(crd_result *r, const crd_settings *settings) {
    crd_result_begin(r, CRD_OBJECT, "settings");
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name, *value = crd_settings_get(settings, name);
        crd_result_words(r, name, value == NULL ? "" : value);
    }
    crd_result_end(r);
}

/* Adds the parameters other than the mean and the standard deviation, which are reported separately. */
static void report_parameters(crd_result *r, const crd_term_parameter *parameters, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_moment = strcmp(parameters[i].name, "mean") == 0 || strcmp(parameters[i].name, "sd") == 0;
        if (!is_moment) crd_result_number(r, parameters[i].name, parameters[i].value);
    }
}

/* Reports a term as members of the open object. */
void term_text_report(crd_result *r, const crd_term *term) {
    static const char *const smoothings[] = {"plain", "m", "m-marginal", "laplace", "overall"};
    crd_result_words(r, "form", format_name(term));
    crd_result_number(r, "log_value", term->log_value);
    if (term->form == CRD_TERM_RATIO) {
        crd_result_words(r, "smoothing", smoothings[term->smoothing]);
        crd_result_number(r, "count", term->count);
        crd_result_number(r, "total", term->total);
        if (term->smoothing != CRD_TERM_PLAIN && term->smoothing != CRD_TERM_OVERALL) {
            crd_result_number(r, "strength", term->strength);
            crd_result_number(r, "values", term->values);
        }
        if (term->smoothing == CRD_TERM_M_MARGINAL) {
            crd_result_number(r, "share_count", term->share_count);
            crd_result_number(r, "share_total", term->share_total);
        }
    } else if (term->form == CRD_TERM_DENSITY) {
        crd_result_words(r, "family", term->family);
        crd_result_number(r, "mean", term->mean);
        crd_result_number(r, "sd", term->deviation);
        report_parameters(r, term->parameters, term->parameter_count);
    }
    if (term->exponent != 1) crd_result_number(r, "attribute_weight", term->exponent);
}
