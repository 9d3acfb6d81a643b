/* SPDX-License-Identifier: MIT */
/* comparison_text.h - why a candidate is recommended, and why others have no scores, in words. */
#ifndef CREDENCE_CLI_COMPARISON_TEXT_H
#define CREDENCE_CLI_COMPARISON_TEXT_H

#include "core/invocation.h"

#include <credence/compare.h>

/* Sentences: the reason, and the gain over the class prior where it may be chance. */
void comparison_add_reason(const crd_comparison *comparison, string *out);
/* A sentence that names the candidates without scores; nothing where all have some. */
void comparison_add_not_tried(const crd_comparison *comparison, string *out);
/* Why a candidate has no scores. */
void comparison_add_why_left_out(const invocation *call, const crd_comparison_result *one, string *out);

#endif
