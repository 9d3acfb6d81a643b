/* SPDX-License-Identifier: MIT */
/* show_texts.h - reports a text attribute of a classifier: the counts of each class, and the words that best
 * separate a class from the rest. */
#ifndef CREDENCE_CLI_SHOW_TEXTS_H
#define CREDENCE_CLI_SHOW_TEXTS_H

#include "verbs/show/show_values.h"

int texts_report(crd_result *r, const attribute_view *v);

#endif
