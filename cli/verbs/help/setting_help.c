/* SPDX-License-Identifier: MIT */
/* setting_help.c - see setting_help.h. */
#include "verbs/help/setting_help.h"

#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/report_write.h"
#include "verbs/help/help_text.h"

#include <string.h>

/* The groups of settings in the order of help. A setting (crd_setting) names its group. */
static const struct {
    const char *name, *summary, *about;
} setting_groups[] = {
    {"tables", "the method, the densities of columns, and their smoothing", ""},
    {"text", "the terms of text columns", ""},
    {"network", "the arcs and tables of Bayesian networks",
     "--method network estimates the conditional probability tables (CPTs) of a Bayesian network. --arcs "
     "'A->B,C->B' "
     "specifies its arcs; put a name that contains a comma or '->' in double quotes. --arcs-from FILE uses the arcs "
     "of a network file, whose states are part of the model even if no row has them. Numeric columns are continuous "
     "nodes, linear in their "
     "continuous parents. Columns with few distinct integers are treated as codes and are categorical; use "
     "--categorical or --numeric to override this. A categorical node cannot have a continuous parent. Columns "
     "without "
     "a node are ignored, with a note. You need no --target: then no row is skipped, and a row counts for each node "
     "that is present with all its parents. --estimator em, or gradient, fits the CPTs to all values of rows with "
     "missing values. --latent-nodes NAME:K declares nodes that are not columns, with K states. query "
     "computes any posterior of such a model; predict and evaluate predict the node that --target names there.\n\n"
     "--search learns the arcs from the rows: hill-climb, "
     "tabu or exact maximizes --score, pc tests independence at --alpha, chow-liu finds the best tree. With tan and "
     "kdb:K, also as --method, the target is a parent of all nodes. --required-arcs, --forbidden-arcs, --tiers and "
     "--max-parents constrain the result. The model contains the learned arcs, and no rows. --bootstrap N searches "
     "N resamples, prints the confidence of each arc, and trains the averaged network."},
    {"sequence", "the states and transitions of hidden Markov models",
     "--method sequence, which --sequence, --time or --states implies, trains a hidden Markov model of sequences of "
     "rows. --sequence and --time define the sequences. If you give --target, the states are its labels, and "
     "training counts them. Otherwise the states are hidden: EM finds the K states of --states, or as many as "
     "--select-states chooses, from --em-starts random starts. EM also learns from rows without a label among "
     "labeled "
     "rows, unless --unlabeled drop skips them. --order, --topology, --forbidden-transitions, --end-probabilities, "
     "--transitions and "
     "--state-mixture are settings for sequences."},
    {"fit", "fitted weights, calibration and EM", ""}};

const char *setting_help_group(size_t index) {
    return index < sizeof setting_groups / sizeof *setting_groups ? setting_groups[index].name : NULL;
}

const char *setting_help_about(const char *group) {
    for (size_t i = 0; i < sizeof setting_groups / sizeof *setting_groups; i++)
        if (strcmp(setting_groups[i].name, group) == 0) return setting_groups[i].about;
    return "";
}

/* Other names for settings: plurals, and names that users look for. */
static const struct {
    const char *topic, *setting;
} topics[] = {{"methods", "method"},  {"classifiers", "method"}, {"families", "family"},   {"densities", "family"},
              {"density", "family"},  {"priors", "prior"},       {"laplace", "smoothing"}, {"alpha", "smoothing"},
              {"searches", "search"}, {"structures", "search"}};

const crd_setting *setting_help_find(const char *topic) {
    while (*topic == '-') topic++;
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (strcmp(topics[i].topic, topic) == 0) topic = topics[i].setting;
    for (size_t i = 0; i < crd_setting_count(); i++)
        if (strcmp(crd_setting_at(i)->name, topic) == 0) return crd_setting_at(i);
    return NULL;
}

void setting_help_add(string *out, const crd_setting *setting) {
    crd_family family = CRD_FAMILY_INIT;
    string_format(out, "%s", setting->help);
    if (strcmp(setting->name, "family") != 0) return;
    string_format(out, "; FAMILY is auto");
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        if (family.type == CRD_TYPE_NUMERIC) string_format(out, ", %s", family.name);
    }
    string_format(out, "; for texts");
    bool is_first = true;
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        if (family.type != CRD_TYPE_TEXT) continue;
        string_format(out, "%s%s", is_first ? " " : ", ", family.name);
        is_first = false;
    }
}

void setting_help_print_short(FILE *stream, const crd_setting *setting) {
    string left = {0}, help = {0};
    string_format(&left, "--%s %s", setting->name, setting->syntax);
    string_add(&help, setting->help, strcspn(setting->help, ":;"));
    string_format(&help, " (%s)", setting->default_value);
    help_print_entry(stream, string_text(&left), string_text(&help));
    string_free(&left);
    string_free(&help);
}

void setting_help_print_names(FILE *stream, const char *groups) {
    const crd_setting *setting = NULL;
    for (size_t group = 0; group < sizeof setting_groups / sizeof *setting_groups; group++) {
        const char *name = setting_groups[group].name;
        string names = {0};
        if (!names_contain(groups, name)) continue;
        for (size_t i = 0; (setting = settings_next(name, &i)) != NULL;)
            string_format(&names, "%s--%s", names.length == 0 ? "" : " ", setting->name);
        help_print_names(stream, name, string_text(&names));
        string_free(&names);
    }
}

/* Prints the density families, each with its purpose. */
static void setting_help_print_families(FILE *stream) {
    crd_family family = CRD_FAMILY_INIT;
    fputs("\nFamilies\n", stream);
    for (size_t i = 0; crd_family_at(i, &family); i++)
        if (family.type == CRD_TYPE_NUMERIC || family.type == CRD_TYPE_TEXT)
            help_print_entry(stream, family.name, family.summary);
}

/* Prints a setting with its forms: the effect of a form, and the bounds of its argument. */
static void setting_help_print_forms(FILE *stream, const crd_setting *setting) {
    string help = {0};
    fprintf(stream, "--%s (%s)\n", setting->name, setting->default_value);
    setting_help_add(&help, setting);
    help_print_words(stream, string_text(&help), 2, 0);
    string_free(&help);
    for (size_t i = 0; i < setting->form_count; i++) {
        const crd_setting_form *form = &setting->forms[i];
        string left = {0};
        string_format(&left, "%s%s%s%s%s", form->word == NULL ? "" : form->word,
                      form->word == NULL || form->argument == NULL ? "" : ":",
                      form->argument == NULL ? "" : form->argument, form->suffix == NULL ? "" : ":",
                      form->suffix == NULL ? "" : form->suffix);
        help_print_entry(stream, string_text(&left), form->help);
        string_free(&left);
    }
}

int setting_help_print(const invocation *call, const crd_setting *setting) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    setting_help_print_forms(out.stream, setting);
    if (strcmp(setting->name, "family") == 0) setting_help_print_families(out.stream);
    return output_close(&out, ENDED_WELL);
}

int setting_help_print_groups(const invocation *call, const char *groups) {
    const crd_setting *setting = NULL;
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    help_print_words(out.stream,
                     "Settings choose the method, the densities and their smoothing. train stores them in the model as "
                     "its defaults; any other verb applies them to that call only.",
                     0, 0);
    fputs("\nIndex (credence help settings GROUP; credence help settings NAME)\n", out.stream);
    setting_help_print_names(out.stream, groups);
    for (size_t group = 0; group < sizeof setting_groups / sizeof *setting_groups; group++) {
        if (!names_contain(groups, setting_groups[group].name)) continue;
        fprintf(out.stream, "\nGroup %s: %s\n", setting_groups[group].name, setting_groups[group].summary);
        help_print_paragraphs(setting_groups[group].about, out.stream, true);
        for (size_t i = 0; (setting = settings_next(setting_groups[group].name, &i)) != NULL;) {
            fputc('\n', out.stream);
            setting_help_print_forms(out.stream, setting);
        }
    }
    return output_close(&out, ENDED_WELL);
}

int setting_help_report(const invocation *call) {
    crd_family family = CRD_FAMILY_INIT;
    crd_result *r = report_create(call->context);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_begin(r, CRD_ARRAY, "settings");
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_words(r, "name", setting->name);
        crd_result_words(r, "default", setting->default_value);
        crd_result_words(r, "help", setting->help);
        crd_result_words(r, "group", setting->group);
        crd_result_table *t = crd_result_add_table(r, "forms");
        t->is_short = true;
        crd_result_add_column(t, "word", NULL);
        crd_result_add_column(t, "argument", NULL);
        crd_result_add_column(t, "suffix", NULL);
        crd_result_add_column(t, "help", NULL);
        for (size_t j = 0; j < setting->form_count; j++) {
            const crd_setting_form *form = &setting->forms[j];
            const char *const words[] = {form->word, form->argument, form->suffix, form->help};
            for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
                if (words[k] == NULL) crd_cell_null(t);
                else crd_cell_words(t, words[k]);
            }
        }
        crd_result_end(r);
    }
    crd_result_end(r);
    crd_result_table *families = crd_result_add_table(r, "families");
    families->is_short = true;
    crd_result_add_column(families, "name", NULL);
    crd_result_add_column(families, "type", NULL);
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        crd_cell_words(families, family.name);
        crd_cell_words(families, crd_column_type_name(family.type));
    }
    crd_result_end(r);
    return report_finish(r, call, "json", ENDED_WELL);
}
