/* SPDX-License-Identifier: MIT */
/* rule_options.h - what to do with probabilities, as --cost, --reject and --threshold say. */
#ifndef CREDENCE_CLI_RULE_OPTIONS_H
#define CREDENCE_CLI_RULE_OPTIONS_H

#include "core/output.h"

#define OPTIONS_OF_RULE                                                                                                \
    {"cost",                                                                                                           \
     0,                                                                                                                \
     "FILE",                                                                                                           \
     .help = "cost matrix, classes by actions: decide for the least expected cost",                                    \
     .scope = SCOPE_NOT_NETWORKS,                                                                                      \
     .conflicts = "reject threshold",                                                                                  \
     .hint = "under --cost, abstention is one more action: a column of the file with what it costs",                   \
     .file = OPTION_READS},                                                                                            \
        {"reject",                                                                                                     \
         0,                                                                                                            \
         "[WORD=]P",                                                                                                   \
         .help = "reject option: decide for 'unsure', or WORD, where no posterior reaches P",                          \
         .scope = SCOPE_NOT_NETWORKS,                                                                                  \
         .conflicts = "threshold"},                                                                                    \
    {                                                                                                                  \
        "threshold", 0, "[CLASS=]P",                                                                                   \
            .help = "of two classes decide for CLASS, or the second, where its posterior reaches P",                   \
            .scope = SCOPE_NOT_NETWORKS                                                                                \
    }
#define OPTION_FIT                                                                                                     \
    { "fit", 0, NULL, .help = "typicality p-value (outlier score)", .scope = SCOPE_NOT_NETWORKS | SCOPE_NOT_SEQUENCES }

/* Rows with a smaller fit than this are counted. */
#define RULE_POOR_FIT 0.01

/* The rule over these classes; NULL where no option asks for one. */
int rule_read(const invocation *call, const crd_text *classes, size_t count, crd_rule **out);
/* The same over the classes of a classifier. */
int rule_read_for(const invocation *call, const crd_classifier *classifier, crd_rule **out);
/* The same for messages: without an option, or with one class only, the rule by which a mail filter decides. It is 'unsure' if a message shows
 * nothing, and always if there is one class, which is warned of. */
int rule_read_for_mail(const invocation *call, const crd_text *classes, size_t count, crd_rule **out);
/* What --cost names, for messages; "" where nothing does. */
const char *rule_file(const invocation *call);

#endif
