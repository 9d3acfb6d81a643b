/* rule_options.h - what to do with probabilities, as --cost, --reject and --threshold say. */
#ifndef CREDENCE_CLI_RULE_OPTIONS_H
#define CREDENCE_CLI_RULE_OPTIONS_H

#include "core/output.h"

#define OPTIONS_OF_RULE                                                                                                \
    {"cost", 0, "FILE", "cost matrix, classes by actions: decide for the least expected cost"},                        \
        {"reject", 0, "[WORD=]P", "reject option: decide for 'unsure', or WORD, where no posterior reaches P"}, {      \
        "threshold", 0, "[CLASS=]P", "of two classes decide for CLASS, or the second, where its posterior reaches P"   \
    }
#define OPTION_FIT                                                                                                     \
    { "fit", 0, NULL, "typicality p-value (outlier score)" }

/* Rows with a smaller fit than this are counted. */
#define RULE_POOR_FIT 0.01

/* Before anything is read: at most one of the options, and its file is neither an output nor read twice. */
int rule_check(const invocation *call);
/* The rule over these classes; NULL where no option asks for one. */
int rule_read(const invocation *call, const crd_text *classes, size_t count, crd_rule **out);
/* The same over the classes of a classifier. */
int rule_read_for(const invocation *call, const crd_classifier *classifier, crd_rule **out);
/* What --cost names, for messages; "" where nothing does. */
const char *rule_file(const invocation *call);

#endif
