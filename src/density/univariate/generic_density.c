/* SPDX-License-Identifier: MIT */
/* generic_density.c - implements generic_density.h, except leave-one-out densities, which are in
 * generic_leave_one_out.c. */
#include "density/univariate/generic_density.h"

void crd_i_generic_add(const crd_i_density *density, const crd_i_cells *cells, double *sums) {
    size_t conditions = density->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (!crd_i_number_present(cells, row)) continue;
        double x = cells->numbers[row], *destination = sums + row * conditions;
        for (size_t k = 0; k < conditions; k++) destination[k] += density->family->log_density(density, k, x);
    }
}

void crd_i_generic_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term) {
    const crd_i_family *family = density->family;
    term->form = CRD_TERM_DENSITY;
    term->x = cell->numbers[0];
    term->family = family->name;
    term->log_value = family->log_density(density, condition, term->x);
    term->parameter_count = family->parameters(density, condition, term->parameters);
    family->moments(density, condition, &term->mean, &term->deviation);
}

bool crd_i_generic_estimates(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                             bool is_first, crd_i_estimates *estimates) {
    (void)settings, (void)is_first;
    const char *const *estimated = density->family->estimated;
    for (size_t i = 0; i < CRD_TERM_PARAMETERS && estimated[i] != NULL; i++)
        if (!crd_i_estimates_add(estimates, estimated[i], attribute->view.condition_count)) return false;
    return true;
}

bool crd_i_generic_list_parameters(const crd_i_density *density, crd_i_parameter_list *parameter) {
    crd_term_parameter term_parameter[CRD_TERM_PARAMETERS];
    size_t count = density->conditions == 0 ? 0 : density->family->parameters(density, 0, term_parameter);
    for (size_t i = 0; i < count; i++) {
        double *numbers = crd_i_parameter_list_vector(parameter, term_parameter[i].name, density->conditions);
        if (numbers == NULL) return false;
        for (size_t k = 0; k < density->conditions; k++) {
            density->family->parameters(density, k, term_parameter);
            numbers[k] = term_parameter[i].value;
        }
    }
    return true;
}

double crd_i_generic_draw(const crd_i_density *density, size_t condition, crd_i_random *random) {
    return density->family->quantile(density, condition, crd_i_random_open(random));
}
