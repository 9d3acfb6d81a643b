/* SPDX-License-Identifier: MIT */
/* rule_options.h - decision rules over class probabilities: --cost, --reject and --threshold. */
#ifndef CREDENCE_CLI_RULE_OPTIONS_H
#define CREDENCE_CLI_RULE_OPTIONS_H

#include "core/output.h"

#define OPTIONS_OF_RULE                                                                                                \
    {"cost",                                                                                                           \
     0,                                                                                                                \
     "FILE",                                                                                                           \
     .help = "cost matrix, classes by actions: choose the minimum expected cost",                                      \
     .scope = SCOPE_NOT_NETWORKS,                                                                                      \
     .conflicts = "reject threshold",                                                                                  \
     .hint = "with --cost, abstention is one more action: add a column with its costs to the file",                    \
     .file = OPTION_READS},                                                                                            \
        {"reject",                                                                                                     \
         0,                                                                                                            \
         "[WORD=]P",                                                                                                   \
         .help = "reject option: decide 'unsure', or WORD, if no posterior reaches P",                                 \
         .scope = SCOPE_NOT_NETWORKS,                                                                                  \
         .conflicts = "threshold"},                                                                                    \
    {                                                                                                                  \
        "threshold", 0, "[CLASS=]P",                                                                                   \
            .help = "for two classes: decide CLASS, or the second class, if its posterior reaches P",                  \
            .scope = SCOPE_NOT_NETWORKS                                                                                \
    }
#define OPTION_FIT                                                                                                     \
    {                                                                                                                  \
        "typicality", 0, NULL, .help = "typicality p-value (outlier score)",                                           \
                               .scope = SCOPE_NOT_NETWORKS | SCOPE_NOT_SEQUENCES                                       \
    }

/* Rows whose typicality p-value is below this limit are counted as atypical. */
#define RULE_POOR_FIT 0.01

/* Creates the decision rule over these classes; NULL if no option specifies one. */
int rule_read(const invocation *call, const crd_text *classes, size_t count, crd_rule **out);
/* Creates the decision rule over the classes of a classifier; NULL if no option specifies one. */
int rule_read_for(const invocation *call, const crd_classifier *classifier, crd_rule **out);
/* Creates the decision rule for messages. Without an option, or with only one class, it is the default rule of a mail
 * filter. This rule decides 'unsure' if a message gives no evidence, and always if there is only one class, which is
 * reported in a warning. */
int rule_read_for_mail(const invocation *call, const crd_text *classes, size_t count, crd_rule **out);
/* Returns the file that --cost names, for messages; "" if the option is not given. */
const char *rule_file(const invocation *call);

#endif
