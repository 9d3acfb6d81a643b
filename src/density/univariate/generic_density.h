/* SPDX-License-Identifier: MIT */
/* generic_density.h - default functions for numeric families. They need only the log density, the distribution function
 * and its inverse. A family puts CRD_I_GENERIC into its table and then provides log_density, parameters, estimated,
 * below, quantile and moments. */
#ifndef CRD_DENSITY_UNIVARIATE_GENERIC_DENSITY_H
#define CRD_DENSITY_UNIVARIATE_GENERIC_DENSITY_H

#include "density/univariate/family.h"

#define CRD_I_GENERIC                                                                                                  \
    .add = crd_i_generic_add, .term = crd_i_generic_term, .estimates = crd_i_generic_estimates,                        \
    .draw = crd_i_generic_draw, .rest_create = crd_i_generic_rest_create, .rest_destroy = crd_i_generic_rest_destroy,  \
    .rest_add = crd_i_generic_rest_add

/* The functions of crd_i_family; see there. */
void crd_i_generic_add(const crd_i_density *density, const crd_i_cells *cells, double *sums);
void crd_i_generic_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
bool crd_i_generic_estimates(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                             bool is_first, crd_i_estimates *estimates);
/* Lists the values that `parameters` returns for each condition. */
bool crd_i_generic_list_parameters(const crd_i_density *density, crd_i_parameter_list *parameter);
/* Returns the quantile of a uniform random number (inversion method). */
double crd_i_generic_draw(const crd_i_density *density, size_t condition, crd_i_random *random);

/* Leave-one-out densities for any family. A row is removed from a copy of its attribute's statistics, and the density
 * is derived again. Results are cached.
 *
 * The family must meet three conditions. All statistics that it reads support removal (otherwise the result is
 * CRD_ERROR_CANNOT_FORGET). Its attributes share no state. A condition without rows does not affect the other
 * conditions. */
CRD_MUST_USE crd_status crd_i_generic_rest_create(const crd_i_family *family, crd_context *context,
                                                  const crd_i_tallied *attributes, size_t count,
                                                  const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_generic_rest_destroy(crd_i_rest *remainder);
CRD_MUST_USE crd_status crd_i_generic_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                                               const int32_t *conditions, double *sums, uint32_t *unseen,
                                               crd_error *error);

#endif
