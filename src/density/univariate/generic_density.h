/* SPDX-License-Identifier: MIT */
/* generic_density.h - what follows from a log density, a distribution function and its inverse alone, for families
 * that have nothing better. A family puts CRD_I_GENERIC into its table, and then gives log_density, parameters,
 * estimated, below, quantile and moments. */
#ifndef CRD_DENSITY_UNIVARIATE_GENERIC_DENSITY_H
#define CRD_DENSITY_UNIVARIATE_GENERIC_DENSITY_H

#include "density/univariate/family.h"

#define CRD_I_GENERIC                                                                                                  \
    .add = crd_i_generic_add, .term = crd_i_generic_term, .estimates = crd_i_generic_estimates,                        \
    .draw = crd_i_generic_draw, .rest_create = crd_i_generic_rest_create, .rest_destroy = crd_i_generic_rest_destroy,  \
    .rest_add = crd_i_generic_rest_add

void crd_i_generic_add(const crd_i_density *density, const crd_i_cells *cells, double *sums);
void crd_i_generic_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
bool crd_i_generic_estimates(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                             bool is_first, crd_i_estimates *estimates);
/* Those that `parameters` has, of each condition. */
bool crd_i_generic_list_parameters(const crd_i_density *density, crd_i_parameter_list *parameter);
/* The quantile of a uniform number. */
double crd_i_generic_draw(const crd_i_density *density, size_t condition, crd_i_random *random);

/* A row is taken out of copies of its attribute's tallies, and densities are derived anew; what has been asked for is
 * remembered. The family reads nothing that cannot forget (else CRD_ERROR_CANNOT_FORGET), shares nothing between
 * attributes, and a condition without rows changes nothing for the others. */
CRD_MUST_USE crd_status crd_i_generic_rest_create(const crd_i_family *family, crd_context *context,
                                                  const crd_i_tallied *attributes, size_t count,
                                                  const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_generic_rest_destroy(crd_i_rest *remainder);
CRD_MUST_USE crd_status crd_i_generic_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                                               const int32_t *conditions, double *sums, uint32_t *unseen,
                                               crd_error *error);

#endif
