/* SPDX-License-Identifier: MIT */
/* folder_walk.h - lists the files of a folder and its subfolders, sorted by the bytes of their names. */
#ifndef CRD_TABLE_DOCUMENTS_FOLDER_WALK_H
#define CRD_TABLE_DOCUMENTS_FOLDER_WALK_H

#include "base/context.h"

typedef struct crd_i_folder_walk crd_i_folder_walk;

CRD_MUST_USE crd_status crd_i_folder_walk_begin(crd_context *context, const char *path, crd_i_folder_walk **out,
                                                crd_error *error);
void crd_i_folder_walk_end(crd_i_folder_walk *walk); /* NULL is allowed */

/* Returns the next regular file and its size. The path is valid until the next call; NULL: there are no more files.
 * Skips names that begin with a point, links to folders, and anything that is not a regular file. Errors contain the
 * folder's path. */
CRD_MUST_USE crd_status crd_i_folder_walk_next(crd_i_folder_walk *walk, const char **path, uint64_t *bytes,
                                               crd_error *error);

#endif
