/* show_densities.h - what one number attribute alone says: its densities drawn, and the points where the decision changes. */
#ifndef CREDENCE_CLI_SHOW_DENSITIES_H
#define CREDENCE_CLI_SHOW_DENSITIES_H

#include "core/json_writer.h"
#include "core/output.h"

/* A curve a class, over one axis and to one scale. */
void curves_print(output *out, const crd_classifier *classifier, size_t attribute);

/* The class decided for in each interval. Of families whose curves cross anywhere this is not known, and nothing is
 * said. */
int curves_print_cuts(output *out, const crd_classifier *classifier, size_t attribute);
int curves_cuts_json(json *j, const crd_classifier *classifier, size_t attribute);

#endif
