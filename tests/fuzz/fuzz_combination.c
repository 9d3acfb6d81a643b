/* SPDX-License-Identifier: MIT */
/* fuzz_combination.c - several settings at once, on a model that keeps every tally: posteriors are probabilities, and so
 * are those of a model that was trained under the settings; or there is an error.
 *
 * The first byte is the table, the second the allocation that fails in a run of its own. Then come three bytes a
 * change: the setting, the form of its value, and the argument. */
#include "training.h"

#include "stats/joint_tally.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHANGES = 12, MAX_CLASSES = 8, MOST_ATTRIBUTES = 8, MOST_VALUE = 256, MOST_INTEGER = 3 };

/* Columns and classes of the tables, so that lists name some that are there. */
static const char *const priors[] = {
    "Yes=0.3,No=0.7", "1=1,2=2,10=0", "yes=0,no=1,never=2", "p=1e308,q=1e-308", "only=1", "one=3", "p=0,q=0"};
static const char *const columns[] = {"Outlook,Wind", "x,y", "a,b;e", "a", "a,b", "k,n,e", "x;b", "k;n"};
static const char *const arcs[] = {"Play->Outlook->Wind", "c->x",    "c->b->e,c->e", "c->a",
                                   "a->c,b->c",           "y->k->e", "y->b",         "y->n->k"};

static double number_of(const crd_setting_form *form, unsigned choice) {
    static const double odd[] = {1, 0.5, 2, 1e-300, 1e-9, 1e9, 1e300, 0, 3, 1.7976931348623157e308};
    switch (choice % 4) {
    case 0: return isfinite(form->least) ? form->least : -1e308;
    case 1: return isfinite(form->greatest) ? form->greatest : 1e308;
    default: return odd[choice / 4 % (sizeof odd / sizeof *odd)];
    }
}

/* The greatest is out of bounds for integers, of which most are the size of something to be made. */
static double integer_of(const crd_setting_form *form, unsigned choice) {
    return form->least + choice % (MOST_INTEGER + 1u);
}

static void put_families(char *destination, size_t capacity, unsigned choice) {
    static const char *const names[] = {"*", "x", "y", "a", "n", "b"};
    crd_family family = CRD_FAMILY_INIT;
    size_t count = 0;
    while (crd_family_at(count, &family)) count++;
    FUZZ_CHECK(crd_family_at(choice % (count + 1) % count, &family));
    if (choice % 3 == 0) snprintf(destination, capacity, "%s", family.name);
    else snprintf(destination, capacity, "%s=%s,*=gaussian", names[choice % 6], family.name);
    if (choice > 250) snprintf(destination, capacity, "auto");
}

static void put_argument(const crd_setting_form *form, unsigned choice, size_t table, char *destination,
                         size_t capacity) {
    const size_t list_index = choice % 2 == 0 ? table : choice / 2; /* mostly a list for this table */
    destination[0] = '\0';
    switch (form->type) {
    case CRD_SETTING_ARGUMENT_NONE: break;
    case CRD_SETTING_ARGUMENT_NUMBER: snprintf(destination, capacity, "%.17g", number_of(form, choice)); break;
    case CRD_SETTING_ARGUMENT_INTEGER: snprintf(destination, capacity, "%.17g", integer_of(form, choice)); break;
    case CRD_SETTING_ARGUMENT_NUMBERS:
        snprintf(destination, capacity, choice % 2 == 0 ? "0:%u:300" : "-1.7e308:0:1:1.%ue308", choice % 77 / 10 + 1);
        break;
    case CRD_SETTING_ARGUMENT_PRIORS:
        snprintf(destination, capacity, "%s", priors[list_index % (sizeof priors / sizeof *priors)]);
        break;
    case CRD_SETTING_ARGUMENT_FAMILIES: put_families(destination, capacity, choice); break;
    case CRD_SETTING_ARGUMENT_COLUMNS:
        snprintf(destination, capacity, "%s", columns[list_index % (sizeof columns / sizeof *columns)]);
        break;
    case CRD_SETTING_ARGUMENT_ARCS:
        snprintf(destination, capacity, "%s", arcs[list_index % (sizeof arcs / sizeof *arcs)]);
        break;
    case CRD_SETTING_ARGUMENT_RANGE: snprintf(destination, capacity, "%u-%u", 1 + choice % 4, 2 + choice % 9); break;
    case CRD_SETTING_ARGUMENT_LANGUAGE:
        snprintf(destination, capacity, "%s", choice % 2 == 0 ? "english" : "german");
        break;
    case CRD_SETTING_ARGUMENT_LATENT_NODES: snprintf(destination, capacity, "h:%u", 1 + choice % 4); break;
    case CRD_SETTING_ARGUMENT_WORDS: snprintf(destination, capacity, "w%u,the", choice % 4); break;
    }
}

/* A value that its form allows is taken. */
static void change(crd_settings *settings, const uint8_t *choices, size_t table) {
    const crd_setting *setting = crd_setting_at(choices[0] % crd_setting_count());
    const crd_setting_form *form = &setting->forms[choices[1] % setting->form_count];
    char argument[MOST_VALUE], value[2 * MOST_VALUE];
    crd_error error = {0};
    put_argument(form, choices[2], table, argument, sizeof argument);
    snprintf(value, sizeof value, "%s%s%s%s%s", form->word == NULL ? "" : form->word,
             form->word != NULL && argument[0] != '\0' ? ":" : "", argument, form->suffix == NULL ? "" : ":",
             form->suffix == NULL ? "" : form->suffix);
    crd_status status = crd_settings_set(settings, setting->name, crd_text_of(value), &error);
    FUZZ_CHECK(status == CRD_OK || (status == CRD_ERROR_SETTING && error.message[0] != '\0'));
    FUZZ_CHECK(status == CRD_OK || form->type != CRD_SETTING_ARGUMENT_NONE);
}

static void classify(const crd_model *model, const crd_settings *settings, bool may_fail) {
    static const char *const cells[] = {"Sunny", "x", "2", "-1.5e308", "1e-300", "never seen"};
    crd_classifier *classifier = NULL;
    crd_error error = {0};
    double log_posterior[MAX_CLASSES];
    crd_status status = crd_classifier_create(model, settings, &classifier, &error);
    FUZZ_CHECK((status == CRD_OK) == (classifier != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    FUZZ_CHECK(status != CRD_ERROR_MEMORY || may_fail);
    if (status != CRD_OK) return;
    const size_t attributes = crd_classifier_attribute_count(classifier);
    FUZZ_CHECK(crd_classifier_class_count(classifier) <= MAX_CLASSES && attributes <= MOST_ATTRIBUTES);
    for (size_t round = 0; round <= sizeof cells / sizeof *cells; round++) { /* all missing first */
        crd_value row[MOST_ATTRIBUTES] = {{CRD_TYPE_NONE, 0, {NULL, 0}}};
        crd_answer answer = {0};
        for (size_t i = 0; round > 0 && i < attributes; i++) {
            const crd_text cell = crd_text_of(cells[round - 1]);
            const bool is_number = crd_classifier_attribute_type(classifier, i) == CRD_TYPE_NUMERIC;
            if (!is_number) row[i] = (crd_value){CRD_TYPE_CATEGORICAL, 0, cell};
            if (is_number && crd_number_parse(cell, &row[i].number) == CRD_NUMBER_FINITE)
                row[i].type = CRD_TYPE_NUMERIC;
        }
        status = crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error);
        FUZZ_CHECK(status == CRD_OK || (status == CRD_ERROR_MEMORY && may_fail));
        if (status == CRD_OK) fuzz_check_posterior(log_posterior, crd_classifier_class_count(classifier), &answer);
    }
    crd_classifier_destroy(classifier);
}

static void combine(const uint8_t *bytes, size_t length, unsigned refuse) {
    const size_t table = bytes[0] % FUZZ_TABLES;
    char kept[160] = "all";
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++) {
        strcat(kept, ",");
        strcat(kept, crd_i_joint_tally_type_at(i)->name);
    }
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_settings *settings = NULL;
    crd_model *model = NULL;
    crd_error error = {0};
    FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
    for (size_t index = 2; index + 3 <= length && index < 2 + 3 * MOST_CHANGES; index += 3)
        change(settings, bytes + index, table);
    model = fuzz_train(context, fuzz_tables[table], NULL, kept);
    accounts.refuse = refuse == 0 ? 0 : accounts.ullong + refuse;
    classify(model, settings, refuse != 0);
    accounts.refuse = 0;
    crd_model_destroy(model);
    model = NULL;
    crd_status status = fuzz_try_train(context, fuzz_tables[table], settings, NULL, &model, &error);
    FUZZ_CHECK((status == CRD_OK) == (model != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status == CRD_OK) classify(model, NULL, false);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2) return 0;
    combine(bytes, length, 0);
    if (bytes[1] != 0) combine(bytes, length, bytes[1]);
    return 0;
}

/* Each form of each setting, with an argument that depends on both, together with forms of two others. */
void fuzz_seeds(fuzz_emit emit, void *user) {
    const size_t count = crd_setting_count();
    for (size_t i = 0; i < count; i++)
        for (size_t form = 0; form < crd_setting_at(i)->form_count; form++)
            for (size_t table = 0; table < FUZZ_TABLES; table += 3) {
                const size_t mix = 7 * i + 3 * form + table;
                const unsigned char input[] = {
                    (unsigned char)((table + i) % FUZZ_TABLES),
                    (unsigned char)(mix % 5 == 0 ? mix : 0),
                    (unsigned char)i,
                    (unsigned char)form,
                    (unsigned char)(2 * mix),
                    (unsigned char)(i + 1 + form),
                    (unsigned char)mix,
                    (unsigned char)(3 * mix),
                    (unsigned char)(i + 2 + table + form),
                    (unsigned char)(mix / 2),
                    (unsigned char)(5 * mix),
                };
                emit(user, input, sizeof input);
            }
}
