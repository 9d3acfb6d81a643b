/* credence/settings.h - how a question is to be answered: smoothing, priors, variances, families.
 *
 * A model keeps tallies, not parameters, so these can be chosen anew at every question. */
#ifndef CREDENCE_SETTINGS_H
#define CREDENCE_SETTINGS_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One row of the table of settings, from which command line, documentation and bindings are made. */
typedef struct crd_setting {
    const char *name;          /* "smoothing" */
    const char *syntax;        /* "none|m:M|m:M:marginal|laplace:L|bdeu:S|k2" */
    const char *default_value; /* "m:1" */
    const char *help;          /* one line */
} crd_setting;

CRD_API const crd_setting *crd_setting_table(size_t *count);

typedef struct crd_settings crd_settings;

/* All at their defaults. */
CRD_API CRD_MUST_USE crd_status crd_settings_create(crd_context *context, crd_settings **out, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_settings_clone(const crd_settings *settings, crd_settings **out, crd_error *error);
CRD_API void crd_settings_destroy(crd_settings *settings);

/* Sets one from text; CRD_ERROR_SETTING leaves it as it was. */
CRD_API CRD_MUST_USE crd_status crd_settings_set(crd_settings *settings, const char *name, crd_text value,
                                                 crd_error *error);

/* The canonical text of one ("m:1" for "m:1.0"); NULL for an unknown name. Lives until the next set. */
CRD_API const char *crd_settings_get(const crd_settings *settings, const char *name);

#ifdef __cplusplus
}
#endif
#endif
