/* SPDX-License-Identifier: MIT */
/* model_decode.h - decodes models from untrusted bytes. */
#ifndef CRD_MODEL_MODEL_DECODE_H
#define CRD_MODEL_MODEL_DECODE_H

#include "model/model_internal.h"

/* Decodes a model that is part of another one; its kind must have a smaller nesting. */
CRD_MUST_USE crd_status crd_i_model_decode_part(crd_context *context, const unsigned char *bytes, size_t length,
                                                unsigned nesting, crd_model **out, crd_error *error);

/* Checks that the bytes just written for a model can be read. */
CRD_MUST_USE crd_status crd_i_model_check_readable(const crd_model *model, const unsigned char *bytes, size_t length,
                                                   crd_error *error);

/* Reads what crd_i_model_write_settings wrote into settings that are at their defaults. */
CRD_MUST_USE crd_status crd_i_model_read_settings(crd_i_cursor *cursor, crd_settings *settings, crd_error *error);

#endif
