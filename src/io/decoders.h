/* SPDX-License-Identifier: MIT */
/* decoders.h - the compressed formats that readers see through, one file each. */
#ifndef CRD_IO_DECODERS_H
#define CRD_IO_DECODERS_H

#include "table/source.h"

/* Ends with a name of NULL. */
extern const crd_i_decoder crd_i_decoders[];

crd_status crd_i_gzip_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);
crd_status crd_i_zstd_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);

#endif
