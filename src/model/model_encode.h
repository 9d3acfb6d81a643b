/* SPDX-License-Identifier: MIT */
/* model_encode.h - the sections of a model of tallied rows; docs/model-file.md has every byte. */
#ifndef CRD_MODEL_MODEL_ENCODE_H
#define CRD_MODEL_MODEL_ENCODE_H

#include "model/model_internal.h"

void crd_i_tallied_write(const crd_model *model, crd_i_encoder *encoder);
/* How many settings are stated, and each with its value. */
void crd_i_model_write_settings(const crd_settings *settings, crd_i_encoder *encoder);
/* The file of a model that is part of another: its length, and its bytes. */
void crd_i_model_write_nested(const crd_model *model, crd_i_encoder *encoder);

#endif
