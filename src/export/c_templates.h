/* SPDX-License-Identifier: MIT */
/* c_templates.h - the terms of densities as C, and the texts and arrays that they are made of.
 *
 * In a template "@name" stands for the array of that parameter; an array is written where a template names it. */
#ifndef CRD_EXPORT_C_TEMPLATES_H
#define CRD_EXPORT_C_TEMPLATES_H

#include "base/parameter_list.h"
#include "export/export_formats.h"

typedef struct crd_i_c_template {
    const char *name;
    const char *covers; /* the condition under which a number x counts; NULL: always */
    const char *term;   /* of a family, what is added for class k; of a joint density, the call that adds it */
    unsigned functions; /* of c_runtime.h that it calls, as bits */
} crd_i_c_template;

/* NULL: there is none. */
const crd_i_c_template *crd_i_c_family(const char *name);
const crd_i_c_template *crd_i_c_joint(const char *name);

/* A text as a string literal, and as part of a comment. */
void crd_i_c_write_text(crd_i_export_writer *writer, crd_text text);
void crd_i_c_write_comment(crd_i_export_writer *writer, crd_text text);
/* static const char *const NAME[] = {...}; */
void crd_i_c_write_texts(crd_i_export_writer *writer, const char *name, const crd_i_dictionary *texts);
/* static const double PREFIXNAME[] = {...}; */
void crd_i_c_write_array(crd_i_export_writer *writer, const char *prefix, const crd_i_parameter_array *array);
/* Those that a template names. */
void crd_i_c_write_arrays(crd_i_export_writer *writer, const char *prefix, const crd_i_c_template *template,
                          const crd_i_parameter_list *list);
void crd_i_c_write_template(crd_i_export_writer *writer, const char *prefix, const char *text);

#endif
