/* SPDX-License-Identifier: MIT */
/* classify_mail.c - mail messages: parses messages from memory, learns their fields as texts, and classifies a new one.
 * For folders of messages and mbox files, crd_reader_open_mail does all of this.
 *
 *   cc classify_mail.c -o classify_mail $(pkg-config --cflags --libs credence)
 *   ./classify_mail */
#include <credence/mail.h>
#include <credence/settings.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 4 };
static const char *const MESSAGE[MESSAGES] = {
    "From: Ann <ann@example.org>\nSubject: minutes of the meeting\n\nThe minutes are attached. See you on Monday.\n",
    "From: Bob <bob@example.org>\nSubject: lunch on Monday?\n\nShall we have lunch after the meeting?\n",
    "From: win@prizes.example\nSubject: You have won\n\nClaim your free prize at http://prizes.example/claim\n",
    "From: sale@cheap.example\nSubject: =?utf-8?q?free_offer?=\n\nOnly today: a free watch, http://cheap.example/now\n",
};
static const char *const LABEL[MESSAGES] = {"ham", "ham", "spam", "spam"};
static const char NEW_MESSAGE[] = "From: news@prizes.example\nSubject: a free prize\n\nClaim it today.\n";

/* Parses `count` messages into `mails` and makes a frame of them: the class, then a column for each field. The frame
 * borrows the texts, so it must be destroyed before the messages. */
static crd_status parse_messages(crd_context *context, const char *const *messages, size_t count, crd_mail **mails,
                                 crd_frame **out, crd_error *error) {
    crd_text texts[MESSAGES];
    crd_status status = crd_frame_create(context, count, out, error);
    for (size_t i = 0; !status && i < count; i++) {
        texts[i] = crd_text_of(LABEL[i]);
        status = crd_mail_parse(context, messages[i], strlen(messages[i]), NULL, &mails[i], error);
    }
    if (!status) status = crd_frame_add_texts(*out, crd_text_of("class"), texts, error);
    return status;
}

/* Adds a column of documents for each field. `columns` holds the texts that the frame borrows. */
static crd_status add_fields(crd_frame *frame, crd_mail *const *mails, size_t count,
                             crd_text columns[CRD_MAIL_FIELD_COUNT][MESSAGES], crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t field = 0; !status && field < CRD_MAIL_FIELD_COUNT; field++) {
        for (size_t i = 0; i < count; i++) columns[field][i] = crd_mail_text(mails[i], (crd_mail_field)field);
        status = crd_frame_add_documents(frame, crd_text_of(crd_mail_field_name(field)), columns[field], error);
    }
    return status;
}

int main(void) {
    crd_error error = {0};
    crd_context *context = NULL;
    crd_mail *mails[MESSAGES] = {NULL}, *mail = NULL;
    crd_frame *frame = NULL;
    crd_settings *settings = NULL;
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_text columns[CRD_MAIL_FIELD_COUNT][MESSAGES];
    int failed = 1;

    if (crd_context_create(NULL, &context)) goto done;
    if (parse_messages(context, MESSAGE, MESSAGES, mails, &frame, &error)) goto done;
    if (add_fields(frame, mails, MESSAGES, columns, &error)) goto done;
    if (crd_settings_create(context, &settings, &error)) goto done;
    if (crd_settings_set_for_mail(settings, &error)) goto done;
    /* Calibration makes predictions cautious if most words are unknown. It needs more than four messages. */
    if (crd_settings_set(settings, "calibration", crd_text_of("none"), &error)) goto done;
    if (crd_model_create(context, frame, crd_text_of("class"), settings, &model, &error)) goto done;
    if (crd_model_update(model, frame, &error)) goto done;
    if (crd_classifier_create(model, NULL, &classifier, &error)) goto done;

    /* A row has its values in the order of the classifier's attributes, which are sorted by name. */
    if (crd_mail_parse(context, NEW_MESSAGE, strlen(NEW_MESSAGE), NULL, &mail, &error)) goto done;
    crd_value row[CRD_MAIL_FIELD_COUNT];
    double log_posterior[2], probabilities[2];
    crd_answer answer;
    for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++)
        for (size_t field = 0; field < CRD_MAIL_FIELD_COUNT; field++)
            if (crd_text_equal(crd_classifier_attribute(classifier, i), crd_text_of(crd_mail_field_name(field))))
                row[i] = (crd_value){CRD_TYPE_TEXT, 0, crd_mail_text(mail, (crd_mail_field)field)};
    if (crd_classifier_posterior(classifier, row, log_posterior, probabilities, &answer, &error)) goto done;
    for (size_t c = 0; c < 2; c++) {
        crd_text name = crd_classifier_class(classifier, c);
        printf("%c P(%.*s) = %.4f\n", answer.decision == (int32_t)c ? '*' : ' ', (int)name.length, name.bytes,
               probabilities[c]);
    }
    failed = 0;
done:
    if (failed) fprintf(stderr, "classify_mail: %s\n", error.status ? error.message : "out of memory");
    crd_classifier_destroy(classifier), crd_model_destroy(model), crd_settings_destroy(settings);
    crd_frame_destroy(frame), crd_mail_destroy(mail); /* the frame first: it borrows the messages' texts */
    for (size_t i = 0; i < MESSAGES; i++) crd_mail_destroy(mails[i]);
    crd_context_destroy(context);
    return failed;
}
