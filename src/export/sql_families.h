/* SPDX-License-Identifier: MIT */
/* sql_families.h - writes the terms of single attributes as SQL. */
#ifndef CRD_EXPORT_SQL_FAMILIES_H
#define CRD_EXPORT_SQL_FAMILIES_H

#include "export/export_formats.h"

/* Writes a text that is inside quotes, and doubles each quote in it. */
void crd_i_sql_quote(crd_i_export_writer *writer, crd_text text, char quote);
/* Writes a double as a literal with an exponent, or NULL if it is not finite (the logarithm of 0). */
void crd_i_sql_number(crd_i_export_writer *writer, double number);

/* Checks that SQL can express the family of an attribute. */
CRD_MUST_USE crd_status crd_i_sql_check_family(const crd_i_attribute *attribute, crd_error *error);
/* Writes the term of attribute i under class k. It is 0 if the cell is missing or does not count, and NULL if the class
 * cannot have it. Numbers come from the column credence_x_i. */
CRD_MUST_USE crd_status crd_i_sql_write_term(crd_i_export_writer *writer, const crd_classifier *classifier, size_t i,
                                             size_t k, crd_error *error);

#endif
