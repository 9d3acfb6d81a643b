/* SPDX-License-Identifier: MIT */
/* latent_search.h - the search for latent classes: random restarts of EM, and the number of classes. See
 * credence/latent.h. */
#ifndef CRD_EM_LATENT_SEARCH_H
#define CRD_EM_LATENT_SEARCH_H

#include "cases/case_table.h"
#include "em/mixture_fit.h"

#include <credence/latent.h>

enum { CRD_I_LATENT_MOST_CLASSES = 1000 };

struct crd_latent {
    crd_context *context;
    size_t classes;
    size_t emptied; /* number of classes that EM left without rows, and that were dropped */
    double rows, distinct;
    crd_i_mixture_fit fit;
    double *restarts;
    size_t restart_count;
    crd_latent_choice *choices;
    size_t choice_count, choice_capacity, chosen;
    crd_i_class_mixture *mixture; /* the mixture with the best parameters */
    bool is_stopped;              /* the call was cancelled, and this is the best result so far */
    /* The inputs from which crd_latent_model builds the model. */
    crd_i_case_table *table;
    crd_i_schema *schema;
    crd_settings *settings;
};

/* Finds the latent classes of latent->table. Only the number of classes and of restarts may be left open (0) in the
 * options; everything else must be set. */
CRD_MUST_USE crd_status crd_i_latent_search(crd_latent *latent, const crd_latent_options *options, crd_error *error);
/* Frees the results for one number of classes. */
void crd_i_latent_clear(crd_latent *latent);

#endif
