/* show_components.h - what a classifier has beyond prior and attributes, as show tells it: joint densities, exponents, pairs,
 * members, calibration; and what was kept for them. */
#ifndef CREDENCE_CLI_SHOW_COMPONENTS_H
#define CREDENCE_CLI_SHOW_COMPONENTS_H

#include "core/json_writer.h"
#include "core/output.h"

/* ", to the power 0.5" where there is an exponent. */
void show_parts_add_exponent(string *out, const crd_classifier *classifier, size_t attribute);
int show_parts_print(output *out, const crd_classifier *classifier, bool all);

/* Members of an attribute's object, of the whole. Nothing where there is nothing. */
void show_parts_write_attribute(json *j, const crd_classifier *classifier, size_t attribute);
void show_parts_write_kept(json *j, const crd_summary *summary);
int show_parts_write(json *j, const crd_classifier *classifier);

#endif
