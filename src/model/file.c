/* SPDX-License-Identifier: MIT */
/* file.c - what a file contains, by its first bytes. */
#include "base/error.h"
#include "model/model_internal.h"
#include "network/formats/network_format.h"
#include "table/source.h"

#include <sys/stat.h>

crd_status crd_file_detect(crd_context *context, const char *path, crd_file_kind *kind, crd_error *error) {
    enum { BEGINNING = 4096 };
    crd_i_source *file = NULL, *whole = NULL;
    crd_text first = {"", 0};
    struct stat facts;
    bool is_network = false;
    *kind = CRD_FILE_ROWS;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) return CRD_OK;
    crd_status status = crd_i_source_open(context, path, &file, error);
    if (status == CRD_OK) status = crd_i_source_peek(context, file, BEGINNING, &first, &whole, error);
    if (status == CRD_OK && crd_i_model_begins(first)) {
        *kind = CRD_FILE_MODEL;
        crd_i_source_close(whole);
    } else if (status == CRD_OK) {
        status = crd_i_network_detect(whole, &is_network, error);
        if (is_network) *kind = CRD_FILE_NETWORK;
    }
    if (status != CRD_OK) crd_i_error_place(error, path, 0, 0);
    return status;
}
