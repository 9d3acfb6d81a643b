/* SPDX-License-Identifier: MIT */
/* json_classifier.h - exports a classifier as JSON: every parameter that its posteriors are computed from.
 * docs/export.md describes the keys and the formulas. */
#ifndef CRD_EXPORT_JSON_CLASSIFIER_H
#define CRD_EXPORT_JSON_CLASSIFIER_H

#include "export/export_formats.h"
#include "export/json_text.h"

/* Returns the name of a column type. */
const char *crd_i_json_kind_name(crd_kind kind);
void crd_i_json_write_settings(crd_i_json_text *json, const crd_settings *settings);
/* Writes the member "network": an array of nodes with their conditional probability tables. */
void crd_i_json_write_network(crd_i_json_text *json, const crd_network *network);
/* Writes a classifier as an object. The members of an ensemble are nested in it. */
CRD_MUST_USE crd_status crd_i_json_write_classifier(crd_i_json_text *json, const crd_classifier *classifier,
                                                    crd_error *error);

#endif
