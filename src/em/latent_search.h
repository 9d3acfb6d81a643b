/* SPDX-License-Identifier: MIT */
/* latent_search.h - the search for latent classes: starts of EM, and the number of classes. See credence/latent.h. */
#ifndef CRD_EM_LATENT_SEARCH_H
#define CRD_EM_LATENT_SEARCH_H

#include "cases/case_table.h"
#include "em/mixture_fit.h"

#include <credence/latent.h>

enum { CRD_I_LATENT_MOST_CLASSES = 1000 };

struct crd_latent {
    crd_context *context;
    size_t classes;
    size_t emptied; /* classes more that were looked for, and left without rows */
    double rows, distinct;
    crd_i_mixture_fit fit;
    double *restarts;
    size_t restart_count;
    crd_latent_choice *choices;
    size_t choice_count, choice_capacity, chosen;
    crd_i_class_mixture *mixture; /* with the parameters of the best */
    bool is_stopped;              /* the call was cancelled, and this is what there was */
    /* What the model is made of. */
    crd_i_case_table *table;
    crd_i_schema *schema;
    crd_settings *settings;
};

/* Finds the classes of the table that `how` has, by options without any that are left to be chosen but for the number of
 * classes and of starts. */
CRD_MUST_USE crd_status crd_i_latent_search(crd_latent *latent, const crd_latent_options *options, crd_error *error);
/* Frees what was found of one number of classes. */
void crd_i_latent_clear(crd_latent *latent);

#endif
