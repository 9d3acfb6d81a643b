/* SPDX-License-Identifier: MIT */
/* model_kind.h - what a model is made of: tallied rows, other models, or a stated network. One table of functions for each,
 * in a file of its own:
 *
 *   tallied   methods/tallied_kind.c           rows, of which it has tallies
 *   members   ensemble/member_models.c         other models, whose answers are pooled
 *   network   network_model/stated_network.c   a Bayesian network whose tables are stated
 *
 * Which there are is in methods/kind_table.c. */
#ifndef CRD_MODEL_MODEL_KIND_H
#define CRD_MODEL_MODEL_KIND_H

#include "io/byte_codec.h"

#include <credence/classifier.h>
#include <credence/model.h>

struct crd_i_schema_view;

typedef struct crd_i_model_kind {
    const char *name;

    /* Its file has one section of this tag, from which all follows. NULL: the sections of model_sections.h. */
    const char *tag;
    uint32_t newest_version; /* of that section */
    bool holds_models;       /* in that section, and none of its own kind */
    void (*write)(const crd_model *model, crd_i_encoder *encoder);
    /* Behind the head of a section of that version; NULL where there is no tag. The message of CRD_ERROR_DAMAGED names
     * the model file. */
    crd_status (*read)(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out, crd_error *error);

    /* Of the model's content; NULL: it has none, or none that can be copied. */
    crd_status (*clone)(crd_context *context, const void *content, void **out, crd_error *error);
    void (*destroy)(crd_context *context, void *content);

    /* All of a classifier but its settings. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const struct crd_i_schema_view *order,
                         crd_error *error);

    /* CRD_ERROR_ARGUMENT: such a model has no rows, so that it cannot `what`, such as "learn rows"; with what can be
     * done instead. NULL: it is made of rows. */
    crd_status (*refuse)(const crd_model *model, const char *what, crd_error *error);
} crd_i_model_kind;

extern const crd_i_model_kind crd_i_tallied_kind, crd_i_members_kind, crd_i_network_kind;

/* All of them; NULL behind the last. */
extern const crd_i_model_kind *const crd_i_model_kinds[];

#endif
