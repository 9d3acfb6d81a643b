/* SPDX-License-Identifier: MIT */
/* model_encode.h - encodes the sections of a tallied model; docs/model-file.md specifies every byte. */
#ifndef CRD_MODEL_MODEL_ENCODE_H
#define CRD_MODEL_MODEL_ENCODE_H

#include "model/model_internal.h"

void crd_i_tallied_write(const crd_model *model, crd_i_encoder *encoder);
/* Writes the number of explicitly set settings, and each with its value. */
void crd_i_model_write_settings(const crd_settings *settings, crd_i_encoder *encoder);
/* Writes the file of a model that is part of another: its length and its bytes. */
void crd_i_model_write_nested(const crd_model *model, crd_i_encoder *encoder);

#endif
