/* SPDX-License-Identifier: MIT */
/* model_kind.h - the kinds of models: tallied rows, other models, a user-specified network, or sequences. Each kind
 * is a table of functions in its own file:
 *   tallied           methods/tallied_kind.c            sufficient statistics of rows
 *   members           ensemble/member_models.c          other models, whose predictions are pooled
 *   network           network_model/network_of_model.c    a Bayesian network with user-specified tables
 *   sequence          sequence/hmm_kind.c               hidden Markov model: tallies per state, and transition counts
 *   sequence classes  sequence/sequence_classes.c  one HMM per class, for sequence classification
 * methods/kind_table.c lists them. */
#ifndef CRD_MODEL_MODEL_KIND_H
#define CRD_MODEL_MODEL_KIND_H

#include "io/byte_codec.h"

#include <credence/classifier.h>
#include <credence/model.h>

struct crd_i_schema_view;

typedef struct crd_i_model_kind {
    const char *name;

    /* The tag of the only section in its file. NULL: the sections of model_sections.h. */
    const char *tag;
    uint32_t newest_version; /* newest supported version of that section */
    unsigned nesting; /* 0: the section contains no models; otherwise it contains models with a smaller nesting */
    void (*write)(const crd_model *model, crd_i_encoder *encoder);
    /* Reads the section after its head; NULL if there is no tag. The message of CRD_ERROR_DAMAGED names the model
     * file. */
    crd_status (*read)(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out, crd_error *error);

    /* Return whether a file that begins with these bytes specifies such a model as text, and read that model. The
     * bytes may be modified; errors include the line. NULL: there is no text format. */
    bool (*is_text)(const unsigned char *bytes, size_t length);
    crd_status (*read_text)(crd_context *context, char *bytes, size_t length, crd_model **out, crd_error *error);

    /* Copies the model's content; NULL: it has none, or it cannot be copied. */
    crd_status (*clone)(crd_context *context, const void *content, void **out, crd_error *error);
    void (*destroy)(crd_context *context, void *content);

    /* Fills in a classifier, except its settings. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const struct crd_i_schema_view *view,
                         crd_error *error);

    /* Fails with CRD_ERROR_ARGUMENT because such a model has no rows and cannot `description`, such as "learn rows";
     * the hint describes an alternative. NULL: the model consists of rows. */
    crd_status (*refuse)(const crd_model *model, const char *description, crd_error *error);

    /* For kinds that learn in their own way; this function and the ones below are NULL in other kinds. Returns the
     * tallied model of its rows, whose column order it uses. */
    const crd_model *(*rows)(const crd_model *model);
    /* Returns CRD_ERROR_ARGUMENT for a model that `combine` does not support, because it cannot `description`. */
    crd_status (*check_combines)(const crd_model *model, const char *description, crd_error *error);
    /* Adds (sign 1) or subtracts (sign -1) what another model of this kind has learned: all or nothing. */
    crd_status (*combine)(crd_model *model, const crd_model *other, int sign, crd_error *error);
    /* Adds (sign 1) or subtracts (sign -1) all rows of a new reader, which it binds. */
    crd_status (*change_all)(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign, crd_error *error);
} crd_i_model_kind;

extern const crd_i_model_kind crd_i_tallied_kind, crd_i_members_kind, crd_i_network_kind, crd_i_sequence_kind,
    crd_i_sequence_classes_kind;

/* All kinds, terminated by NULL. */
extern const crd_i_model_kind *const crd_i_model_kinds[];

#endif
