/* SPDX-License-Identifier: MIT */
/* json_classifier.h - a classifier in JSON: every parameter that its posteriors are computed from. docs/export.md has the
 * keys and the formulas. */
#ifndef CRD_EXPORT_JSON_CLASSIFIER_H
#define CRD_EXPORT_JSON_CLASSIFIER_H

#include "export/export_formats.h"
#include "export/json_text.h"

const char *crd_i_json_kind_name(crd_kind kind);
void crd_i_json_write_settings(crd_i_json_text *json, const crd_settings *settings);
/* A key, and the nodes with their tables. */
void crd_i_json_write_network(crd_i_json_text *json, const crd_network *network);
/* Members of an ensemble are written within it. */
CRD_MUST_USE crd_status crd_i_json_write_classifier(crd_i_json_text *json, const crd_classifier *classifier,
                                                    crd_error *error);

#endif
