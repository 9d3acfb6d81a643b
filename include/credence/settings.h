/* SPDX-License-Identifier: MIT */
/* credence/settings.h - settings that determine how a query is answered: smoothing, priors, variances, families.
 *
 * A model stores sufficient statistics, not parameters. So you can choose the settings again for every query. */
#ifndef CREDENCE_SETTINGS_H
#define CREDENCE_SETTINGS_H

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The table of settings: the command line, its help and the language bindings are generated from it ---- */

/* The type of the argument in the form of a setting's value. */
typedef enum crd_setting_argument {
    CRD_SETTING_ARGUMENT_NONE = 0,
    CRD_SETTING_ARGUMENT_NUMBER = 1,  /* a number from `least` to `greatest` */
    CRD_SETTING_ARGUMENT_INTEGER = 2, /* an integer from `least` to `greatest` */
    /* Ascending numbers, separated by colons; `least` to `greatest` bound how many. */
    CRD_SETTING_ARGUMENT_NUMBERS = 3,
    CRD_SETTING_ARGUMENT_PRIORS = 4, /* CLASS=P,... with CSV quoting */
    /* FAMILY, or COL=FAMILY,... with *=FAMILY for all other columns; crd_family_at lists the families. */
    CRD_SETTING_ARGUMENT_FAMILIES = 5,
    CRD_SETTING_ARGUMENT_COLUMNS = 6, /* blocks of columns: COL,COL,...;COL,COL,... */
    CRD_SETTING_ARGUMENT_ARCS = 7,    /* A->B,C->B,D: arcs, and nodes without arcs */
    /* NAME:K,...: latent nodes, which are not columns, and their numbers of states. */
    CRD_SETTING_ARGUMENT_LATENT_NODES = 8,
    CRD_SETTING_ARGUMENT_WORDS = 9,    /* WORD,WORD,... with CSV quoting */
    CRD_SETTING_ARGUMENT_RANGE = 10,   /* N or N-M: integers from `least` to `greatest`, N at most M */
    CRD_SETTING_ARGUMENT_LANGUAGE = 11 /* a language of the Snowball stemmers */
} crd_setting_argument;

/* One form that the value of a setting can have: "none", "laplace:L", "m:M:marginal", "H". */
typedef struct crd_setting_form {
    const char *word;     /* "laplace"; NULL: the form consists of the argument only */
    const char *argument; /* the argument's name in the syntax, "L"; NULL: the form has no argument */
    const char *suffix;   /* a word after the argument, "marginal"; NULL: none */
    crd_setting_argument type;
    double least, greatest; /* inclusive bounds of the argument; infinite: no bound */
    const char *help;
} crd_setting_form;

/* One setting. Its value is the text of one of its forms: word, argument and suffix, separated by colons. */
typedef struct crd_setting {
    const char *name;          /* "smoothing" */
    const char *syntax;        /* all forms: "none|m:M|m:M:marginal|laplace:L|bdeu:S|k2" */
    const char *default_value; /* "m:1" */
    const char *help;          /* a sentence */
    const crd_setting_form *forms;
    size_t form_count;
    const char *group; /* what it is for: "tables", "text", "network", "sequence" or "fit" (fitted parts, EM) */
} crd_setting;

/* Returns the number of settings. */
CRD_API size_t crd_setting_count(void);
/* Returns an entry of the table of settings, or NULL after the last entry. Entries are valid as long as the library is
 * loaded. Later versions may add fields at their ends. */
CRD_API const crd_setting *crd_setting_at(size_t index);

/* ---- Settings ---- */

/* Creates a copy of `settings` in *out. Destroy it with crd_settings_destroy. */
CRD_API CRD_MUST_USE crd_status crd_settings_clone(const crd_settings *settings, crd_settings **out, crd_error *error);

/* Sets values that suit the texts of mail messages (credence/mail.h): prior uniform, tf log,
 * length-normalization root, term-smoothing 0.1, calibration known-words. */
CRD_API CRD_MUST_USE crd_status crd_settings_set_for_mail(crd_settings *settings, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
