/* SPDX-License-Identifier: MIT */
/* folder_walk.h - the files of a folder, and of those in it, in the order of their names' bytes. */
#ifndef CRD_TABLE_DOCUMENTS_FOLDER_WALK_H
#define CRD_TABLE_DOCUMENTS_FOLDER_WALK_H

#include "base/context.h"

typedef struct crd_i_folder_walk crd_i_folder_walk;

CRD_MUST_USE crd_status crd_i_folder_walk_begin(crd_context *context, const char *path, crd_i_folder_walk **out,
                                                crd_error *error);
void crd_i_folder_walk_end(crd_i_folder_walk *walk); /* NULL is fine */

/* The next regular file, and its size: a path that lives until the next call; NULL: there are no more. Names that begin with a point, links
 * to folders and what is no file are left out. Errors have the path of the folder. */
CRD_MUST_USE crd_status crd_i_folder_walk_next(crd_i_folder_walk *walk, const char **path, uint64_t *bytes,
                                               crd_error *error);

#endif
