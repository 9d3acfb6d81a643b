/* SPDX-License-Identifier: MIT */
/* json_objects_source.h - JSON objects over any number of lines, in an array or one behind the other, become JSON lines.
 *
 * An object becomes one line, and the line ends within it follow it, so that an object that begins a line stays on the line
 * of that number. Those that share a line get one each, and are counted as if they had. Nothing is kept in memory. */
#ifndef CRD_TABLE_JSON_OBJECTS_SOURCE_H
#define CRD_TABLE_JSON_OBJECTS_SOURCE_H

#include "table/source.h"

/* Whether the first bytes of a text are those of an array of objects, or of an object over several lines. */
bool crd_i_json_objects_recognise(crd_text first);

/* Takes over `inner`, also when it fails. What is between objects is checked here: CRD_ERROR_SYNTAX, with its line,
 * when all before it has been read. */
CRD_MUST_USE crd_status crd_i_source_json_objects(crd_context *context, crd_i_source *inner, crd_i_source **out,
                                                  crd_error *error);

#endif
