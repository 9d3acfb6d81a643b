/* SPDX-License-Identifier: MIT */
/* model_decode.h - models from bytes that may be hostile. */
#ifndef CRD_MODEL_MODEL_DECODE_H
#define CRD_MODEL_MODEL_DECODE_H

#include "model/model_internal.h"

/* A model that is part of another one, and so holds none itself. */
CRD_MUST_USE crd_status crd_i_model_decode_part(crd_context *context, const unsigned char *bytes, size_t length,
                                                crd_model **out, crd_error *error);

#endif
