/* SPDX-License-Identifier: MIT */
/* c_templates.h - C expressions for the terms of densities, and functions that write texts and arrays as C.
 *
 * In a template, "@name" is the array of the parameter called `name`. An array is written only if a template refers to
 * it. */
#ifndef CRD_EXPORT_C_TEMPLATES_H
#define CRD_EXPORT_C_TEMPLATES_H

#include "base/parameter_list.h"
#include "export/export_formats.h"

/* The C code of a family or a joint density. */
typedef struct crd_i_c_template {
    const char *name;
    const char *covers; /* condition under which a number x counts; NULL: always */
    const char *term;   /* family: the term to add for class k; joint density: the call that adds its terms to `sums` */
    unsigned functions; /* bits of the functions of c_runtime.h that the code calls */
} crd_i_c_template;

/* Return the template of a family or of a joint density, or NULL if C cannot express it. */
const crd_i_c_template *crd_i_c_family(const char *name);
const crd_i_c_template *crd_i_c_joint(const char *name);

/* Writes a text as a string literal. All bytes except plain ASCII become octal escapes. */
void crd_i_c_write_text(crd_i_export_writer *writer, crd_text text);
/* Writes a text as part of a comment. Bytes that could end or change the comment become '_'. */
void crd_i_c_write_comment(crd_i_export_writer *writer, crd_text text);
/* Writes the definition static const char *const NAME[] = {...}; */
void crd_i_c_write_texts(crd_i_export_writer *writer, const char *name, const crd_i_dictionary *texts);
/* Writes the definition static const double PREFIXNAME[] = {...}; or, without dimensions, PREFIXNAME = ...; */
void crd_i_c_write_array(crd_i_export_writer *writer, const char *prefix, const crd_i_parameter_array *array);
/* Writes the arrays of `list` that a template refers to. */
void crd_i_c_write_arrays(crd_i_export_writer *writer, const char *prefix, const crd_i_c_template *template,
                          const crd_i_parameter_list *list);
/* Writes a template, with each "@" replaced by `prefix`. */
void crd_i_c_write_template(crd_i_export_writer *writer, const char *prefix, const char *text);

#endif
