/* SPDX-License-Identifier: MIT */
/* credence/settings.h - how a question is to be answered: smoothing, priors, variances, families.
 *
 * A model keeps tallies, not parameters, so these can be chosen anew at every question. */
#ifndef CREDENCE_SETTINGS_H
#define CREDENCE_SETTINGS_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The table of settings: from it the command line, its help and bindings are made ---- */

/* What stands behind the word of a form, or in its place. */
typedef enum crd_setting_argument {
    CRD_SETTING_ARGUMENT_NONE = 0,
    CRD_SETTING_ARGUMENT_NUMBER = 1,  /* from least to greatest */
    CRD_SETTING_ARGUMENT_INTEGER = 2, /* likewise, a whole number */
    CRD_SETTING_ARGUMENT_NUMBERS = 3, /* ascending, with colons between them, as many as least to greatest */
    CRD_SETTING_ARGUMENT_PRIORS = 4,  /* CLASS=P,... with CSV's quotes */
    CRD_SETTING_ARGUMENT_FAMILIES =
        5, /* FAMILY, or COL=FAMILY,... with *=FAMILY for the rest; crd_family_at lists them */
    CRD_SETTING_ARGUMENT_COLUMNS = 6,  /* blocks of columns: COL,COL,...;COL,COL,... */
    CRD_SETTING_ARGUMENT_ARCS = 7,     /* A->B,C->B,D: arcs, and nodes without any */
    CRD_SETTING_ARGUMENT_HIDDEN = 8,   /* NAME:K,...: nodes that are no columns, and how many states they have */
    CRD_SETTING_ARGUMENT_WORDS = 9,    /* WORD,WORD,... with CSV's quotes */
    CRD_SETTING_ARGUMENT_RANGE = 10,   /* N or N-M: whole numbers from least to greatest that do not descend */
    CRD_SETTING_ARGUMENT_LANGUAGE = 11 /* a language of Snowball's stemmers: crd_stemmer_language lists them */
} crd_setting_argument;

/* One form that the value of a setting can have: "none", "laplace:L", "m:M:marginal", "H". */
typedef struct crd_setting_form {
    const char *word;     /* "laplace"; NULL: the argument stands alone */
    const char *argument; /* what the syntax calls it, "L"; NULL: there is none */
    const char *suffix;   /* a word behind the argument, "marginal"; NULL: none */
    crd_setting_argument type;
    double least, greatest; /* bounds of the argument, both allowed; infinite: there is none */
    const char *help;
} crd_setting_form;

/* One setting. The value is the text of one of its forms: word, argument and suffix with colons between them. */
typedef struct crd_setting {
    const char *name;          /* "smoothing" */
    const char *syntax;        /* all forms: "none|m:M|m:M:marginal|laplace:L|bdeu:S|k2" */
    const char *default_value; /* "m:1" */
    const char *help;          /* a sentence */
    const crd_setting_form *forms;
    size_t form_count;
} crd_setting;

CRD_API size_t crd_setting_count(void);
/* Rows live as long as the library; later versions may add fields at their ends. NULL behind the last. */
CRD_API const crd_setting *crd_setting_at(size_t index);

/* ---- Settings ---- */

typedef struct crd_settings crd_settings;

/* All at their defaults. */
CRD_API CRD_MUST_USE crd_status crd_settings_create(crd_context *context, crd_settings **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_settings_clone(const crd_settings *settings, crd_settings **out, crd_error *error);
CRD_API void crd_settings_destroy(crd_settings *settings);

/* Sets one from text; CRD_ERROR_SETTING leaves it as it was. */
CRD_API CRD_MUST_USE crd_status crd_settings_set(crd_settings *settings, const char *name, crd_text value,
                                                 crd_error *error);

/* Values that suit texts of mail messages (credence/mail.h): uniform prior, tf log, length root, term-smoothing 0.1. */
CRD_API CRD_MUST_USE crd_status crd_settings_set_for_mail(crd_settings *settings, crd_error *error);

/* The canonical text of one ("m:1" for "m:1.0"); NULL for an unknown name. Lives until the next set. */
CRD_API const char *crd_settings_get(const crd_settings *settings, const char *name);

#ifdef __cplusplus
}
#endif
#endif
