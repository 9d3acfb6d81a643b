/* SPDX-License-Identifier: MIT */
/* sql_families.h - terms of single attributes as SQL, and what they are made of. */
#ifndef CRD_EXPORT_SQL_FAMILIES_H
#define CRD_EXPORT_SQL_FAMILIES_H

#include "export/export_formats.h"

/* A text within quotes of a kind, which are doubled. */
void crd_i_sql_quote(crd_i_export_writer *writer, crd_text text, char quote);
/* A double as a literal with an exponent; NULL for the logarithm of 0. */
void crd_i_sql_number(crd_i_export_writer *writer, double number);

CRD_MUST_USE crd_status crd_i_sql_check_family(const crd_i_attribute *attribute, crd_error *error);
/* The term of attribute i under class k: 0 where the cell is missing or does not count, NULL where it is impossible. A
 * number is in the column credence_x_i. */
CRD_MUST_USE crd_status crd_i_sql_write_term(crd_i_export_writer *writer, const crd_classifier *classifier, size_t i,
                                             size_t k, crd_error *error);

#endif
