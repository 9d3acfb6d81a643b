/* curves.h - what one number attribute alone says: its densities drawn, and the points where the decision changes. */
#ifndef CREDENCE_CLI_CURVES_H
#define CREDENCE_CLI_CURVES_H

#include "json.h"
#include "output.h"

/* The mean and deviation of a class under the settings; false where the attribute says nothing about it. */
bool curves_parameters(const crd_classifier *classifier, size_t attribute, size_t class_index, double *mean,
                       double *deviation);

/* A curve a class, over one axis and to one scale. */
void curves_print(output *out, const crd_classifier *classifier, size_t attribute);

/* The class decided for in each interval. */
int curves_print_cuts(output *out, const crd_classifier *classifier, size_t attribute);
int curves_cuts_json(json *j, const crd_classifier *classifier, size_t attribute);

#endif
