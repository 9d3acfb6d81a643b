/* SPDX-License-Identifier: MIT */
/* class_warnings.h - warnings about the classes of a model: there is only one, two are probably the same, or some are new. */
#ifndef CREDENCE_CLI_CLASS_WARNINGS_H
#define CREDENCE_CLI_CLASS_WARNINGS_H

#include "core/invocation.h"
#include "core/string_buffer.h"

/* Warns that all rows have one class, and that it will be predicted for every row. */
void class_warnings_report_only(crd_text target, crd_text name);
/* Warns that all messages have one class, so a mail filter decides nothing. */
void class_warnings_report_only_mail(crd_text name);
/* Warns if the model has one class, or two that differ only in spelling. */
void class_warnings_report(const invocation *call, const crd_model *model);
/* Warns if the model has classes that differ only in spelling. */
void class_warnings_report_similar(const crd_model *model);
/* Warns of classes that the model did not have before the change. `before` is NULL if it had no rows. */
void class_warnings_report_new(const crd_summary *before, const crd_model *model);
/* Fails if the model has a new class that differs only in spelling from a class that it had before the change. */
int class_warnings_check_new(const crd_summary *before, const crd_model *model);

#endif
