/* SPDX-License-Identifier: MIT */
/* show_texts.h - what a classifier has of an attribute of texts: how much was read of each class, and the words that
 * tell classes from the rest. */
#ifndef CREDENCE_CLI_SHOW_TEXTS_H
#define CREDENCE_CLI_SHOW_TEXTS_H

#include "verbs/show/show_values.h"

int texts_report(report *r, const attribute_view *v);

#endif
