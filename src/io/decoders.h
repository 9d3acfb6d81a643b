/* SPDX-License-Identifier: MIT */
/* decoders.h - the compressed formats that readers decompress, one file each. */
#ifndef CRD_IO_DECODERS_H
#define CRD_IO_DECODERS_H

#include "table/source.h"

/* Terminated by an entry whose name is NULL. */
extern const crd_i_decoder crd_i_decoders[];

crd_status crd_i_gzip_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);
crd_status crd_i_zstd_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);

#endif
