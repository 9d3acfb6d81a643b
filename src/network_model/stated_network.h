/* stated_network.h - models that state a network: their tables are numbers that somebody wrote, not counts of rows.
 *
 * Such a model has a column for each node but utilities, in the order of nodes, with its states as declared values, and
 * no rows. It can be asked and saved, but neither learn nor forget. Where rows are answered, decisions are taken for
 * chances of even odds. */
#ifndef CRD_NETWORK_MODEL_STATED_NETWORK_H
#define CRD_NETWORK_MODEL_STATED_NETWORK_H

#include "classify/classifier_internal.h"
#include "io/byte_codec.h"
#include "model/model_internal.h"
#include "model/schema_view.h"

/* All of a classifier but its settings, which have to be the model's: CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_stated_derive(crd_classifier *classifier, const crd_model *model,
                                            const crd_i_schema_view *order, crd_error *error);
/* The network that the model states, as it was; settings NULL, or the model's: else CRD_ERROR_SETTING. */
CRD_MUST_USE crd_status crd_i_stated_network(const crd_model *model, const crd_settings *settings, crd_network **out,
                                             crd_error *error);

/* The section of a model file; docs/model-file.md has every byte. */
void crd_i_stated_write(const crd_model *model, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_stated_read(crd_context *context, crd_i_cursor *cursor, crd_model **out,
                                          crd_error *error);

#endif
