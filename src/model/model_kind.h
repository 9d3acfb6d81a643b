/* SPDX-License-Identifier: MIT */
/* model_kind.h - what a model is made of: tallied rows, other models, a stated network, or sequences. One table of functions
 * for each, in a file of its own:
 *
 *   tallied   methods/tallied_kind.c           rows, of which it has tallies
 *   members   ensemble/member_models.c         other models, whose answers are pooled
 *   network   network_model/stated_network.c   a Bayesian network whose tables are stated
 *   sequence  sequence/hmm_kind.c              sequences of rows: tallies under states, and counts of states that follow
 *   sequence classes   sequence/sequence_classes_kind.c   a model of sequences for each class of whole sequences
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
    unsigned nesting;        /* 0: it holds no models in that section; else models of a lesser nesting */
    void (*write)(const crd_model *model, crd_i_encoder *encoder);
    /* Behind the head of a section of that version; NULL where there is no tag. The message of CRD_ERROR_DAMAGED names
     * the model file. */
    crd_status (*read)(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out, crd_error *error);

    /* Whether a file that begins with these bytes states such a model as a text, and that model; the bytes may be written to, and
     * errors have the line. NULL: no text does. */
    bool (*is_text)(const unsigned char *bytes, size_t length);
    crd_status (*read_text)(crd_context *context, char *bytes, size_t length, crd_model **out, crd_error *error);

    /* Of the model's content; NULL: it has none, or none that can be copied. */
    crd_status (*clone)(crd_context *context, const void *content, void **out, crd_error *error);
    void (*destroy)(crd_context *context, void *content);

    /* All of a classifier but its settings. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const struct crd_i_schema_view *order,
                         crd_error *error);

    /* CRD_ERROR_ARGUMENT: such a model has no rows, so that it cannot `what`, such as "learn rows"; with what can be
     * done instead. NULL: it is made of rows. */
    crd_status (*refuse)(const crd_model *model, const char *what, crd_error *error);

    /* Of a kind that learns in its own way; each NULL elsewhere. The tallied model of its rows, in the order of whose columns
     * its own stand. */
    const crd_model *(*rows)(const crd_model *model);
    /* CRD_ERROR_ARGUMENT for one that combine cannot take: it cannot `what`. */
    crd_status (*check_combines)(const crd_model *model, const char *what, crd_error *error);
    /* Adds (sign 1) or takes out (sign -1) what another of this kind has learned: all or nothing. */
    crd_status (*combine)(crd_model *model, const crd_model *other, int sign, crd_error *error);
    /* The same with all rows of a fresh reader, which it binds. */
    crd_status (*change_all)(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign, crd_error *error);
} crd_i_model_kind;

extern const crd_i_model_kind crd_i_tallied_kind, crd_i_members_kind, crd_i_network_kind, crd_i_sequence_kind,
    crd_i_sequence_classes_kind;

/* All of them; NULL behind the last. */
extern const crd_i_model_kind *const crd_i_model_kinds[];

#endif
