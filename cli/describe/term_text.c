/* term_text.c - see term_text.h. */
#include "describe/term_text.h"

#include <math.h>
#include <string.h>

static void add_ratio(string *out, const crd_term *term) {
    char n[ROUNDED_ROOM], total[ROUNDED_ROOM], m[ROUNDED_ROOM], t[ROUNDED_ROOM], share[ROUNDED_ROOM], of[ROUNDED_ROOM];
    output_count(term->count, n);
    output_count(term->total, total);
    output_count(term->strength, m);
    output_count(term->values, t);
    switch (term->smoothing) {
    case CRD_TERM_PLAIN: string_format(out, "%s/%s", n, total); break;
    case CRD_TERM_M_UNIFORM: string_format(out, "(%s + %s·1/%s)/(%s + %s)", n, m, t, total, m); break;
    case CRD_TERM_M_MARGINAL:
        output_count(term->share_count, share);
        output_count(term->share_total, of);
        string_format(out, "(%s + %s·%s/%s)/(%s + %s)", n, m, share, of, total, m);
        break;
    case CRD_TERM_LAPLACE: string_format(out, "(%s + %s)/(%s + %s·%s)", n, m, total, m, t); break;
    case CRD_TERM_OVERALL: string_format(out, "%s/%s over all classes: none of this one", n, total); break;
    }
}

/* "density N(mean, deviation) at x", or "exponential(rate 2) at x". */
static void add_density(string *out, const crd_term *term) {
    char room[ROUNDED_ROOM];
    if (term->family == NULL || strcmp(term->family, "gaussian") == 0) {
        string_format(out, "density N(%s, ", output_round(term->mean, room));
        string_format(out, "%s)", output_round(term->deviation, room));
    } else {
        string_format(out, "%s(", term->family);
        for (size_t i = 0; i < term->parameter_count; i++) {
            const crd_term_parameter *parameter = &term->parameters[i];
            string_format(out, "%s%s %s", i == 0 ? "" : ", ", parameter->name, output_round(parameter->value, room));
        }
        string_format(out, ")");
    }
    string_format(out, " at %s", output_round(term->x, room));
}

static void add_exponent(string *out, const crd_term *term) {
    char room[ROUNDED_ROOM];
    if (term->exponent != 1) string_format(out, ", to the power %s", output_round(term->exponent, room));
}

void term_text_add(string *out, const crd_term *term) {
    switch (term->form) {
    case CRD_TERM_RATIO: add_ratio(out, term); break;
    case CRD_TERM_DENSITY: add_density(out, term); break;
    case CRD_TERM_GIVEN: string_format(out, "as the settings say"); break;
    case CRD_TERM_MISSING: string_format(out, "missing: left out"); break;
    case CRD_TERM_UNSEEN: string_format(out, "never seen: left out"); break;
    case CRD_TERM_SILENT: string_format(out, "says nothing: left out"); break;
    case CRD_TERM_JOINT: string_format(out, "taken together with others: see below"); break;
    }
    if (term_text_counts(term)) add_exponent(out, term);
}

bool term_text_counts(const crd_term *term) {
    return term->form == CRD_TERM_RATIO || term->form == CRD_TERM_DENSITY || term->form == CRD_TERM_GIVEN;
}

const char *term_text_form(const crd_term *term) {
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
    /* Where each value has a probability under each class, only a number can put all classes at zero. */
    bool smoothed = smoothing != NULL && strcmp(smoothing, "none") != 0 && strstr(smoothing, "marginal") == NULL;
    if (!smoothed) return "--smoothing m:1 leaves no category at zero";
    bool is_network = strcmp(crd_settings_get(settings, "method"), "network") == 0;
    return is_network ? "the network rules out that these cells are together"
                      : "a number is too far from everything learned";
}

/* Families are shown with their attributes; that they, and methods, are what they are unless told otherwise needs no
 * line. */
static bool goes_without_saying(const char *setting) {
    static const char *const names[] = {"family", "histogram", "bandwidth", "mixture",     "student",  "method",
                                        "joint",  "normal",    "exponents", "calibration", "structure"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(setting, names[i]) == 0) return true;
    return false;
}

void term_text_add_settings(string *out, const crd_settings *settings) {
    size_t count = 0;
    count = crd_setting_count();
    for (size_t i = 0; i < count; i++) {
        const char *value = crd_settings_get(settings, crd_setting_at(i)->name);
        bool is_idle = goes_without_saying(crd_setting_at(i)->name) && value != NULL &&
                       strcmp(value, crd_setting_at(i)->default_value) == 0;
        if (is_idle) continue;
        string_format(out, "%s%s ", i == 0 ? "" : ", ", crd_setting_at(i)->name);
        string_add_shown(out, crd_text_of(value == NULL ? "" : value));
    }
}

void term_text_settings_json(json *j, const crd_settings *settings) {
    size_t count = 0;
    count = crd_setting_count();
    json_object(j);
    for (size_t i = 0; i < count; i++) {
        const char *value = crd_settings_get(settings, crd_setting_at(i)->name);
        json_member_text(j, crd_setting_at(i)->name, crd_text_of(value == NULL ? "" : value));
    }
    json_end_object(j);
}

void term_text_parameters_json(json *j, const crd_term_parameter *parameters, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_moment = strcmp(parameters[i].name, "mean") == 0 || strcmp(parameters[i].name, "deviation") == 0;
        if (!is_moment) json_member_number(j, parameters[i].name, parameters[i].value);
    }
}
