/* SPDX-License-Identifier: MIT */
/* json_objects_source.h - converts JSON objects that span lines, in an array or one after the other, to JSON Lines.
 *
 * An object becomes one line, followed by the line ends it contained, so an object that begins a line keeps its line
 * number. Objects that share a line get one line each and are numbered accordingly. The source keeps nothing in
 * memory. */
#ifndef CRD_TABLE_JSON_OBJECTS_SOURCE_H
#define CRD_TABLE_JSON_OBJECTS_SOURCE_H

#include "table/source.h"

/* Returns whether a text begins with an array of objects, or with an object over several lines. */
bool crd_i_json_objects_recognise(crd_text first);

/* Creates the source. It takes over `inner`, even if it fails. It checks the bytes between objects:
 * CRD_ERROR_SYNTAX, with the line, after everything before was read. */
CRD_MUST_USE crd_status crd_i_source_json_objects(crd_context *context, crd_i_source *inner, crd_i_source **out,
                                                  crd_error *error);

#endif
