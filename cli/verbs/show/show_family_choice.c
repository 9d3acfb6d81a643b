/* show_family_choice.c - see show_family_choice.h. */
#include "verbs/show/show_family_choice.h"

#include "core/text_table.h"

void candidates_print(output *out, const crd_classifier *classifier, size_t attribute) {
    char room[ROUNDED_ROOM];
    crd_candidate candidate = CRD_CANDIDATE_INIT;
    if (!crd_classifier_candidate(classifier, attribute, 0, &candidate)) return;
    table *t = table_create_for(out, 4);
    table_align_left(t, 3);
    table_add(t, "family");
    table_add(t, "score");
    table_add(t, "error");
    table_add(t, "");
    for (size_t i = 0; crd_classifier_candidate(classifier, attribute, i, &candidate); i++) {
        table_add(t, candidate.family);
        if (candidate.left_out != NULL) {
            table_add(t, "-");
            table_add(t, "-");
            table_add(t, candidate.left_out);
        } else {
            table_add(t, output_round(candidate.score, room));
            table_add(t, output_round(candidate.standard_error, room));
            table_add(t, candidate.is_chosen ? "chosen" : "");
        }
    }
    fputc('\n', out->stream);
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

void candidates_json(json *j, const crd_classifier *classifier, size_t attribute) {
    crd_candidate candidate = CRD_CANDIDATE_INIT;
    if (!crd_classifier_candidate(classifier, attribute, 0, &candidate)) return;
    json_key(j, "candidates");
    json_array(j);
    for (size_t i = 0; crd_classifier_candidate(classifier, attribute, i, &candidate); i++) {
        json_object(j);
        json_member_text(j, "family", crd_text_of(candidate.family));
        if (candidate.left_out != NULL) {
            json_member_text(j, "left_out", crd_text_of(candidate.left_out));
        } else {
            json_member_number(j, "score", candidate.score);
            json_member_number(j, "standard_error", candidate.standard_error);
        }
        json_end_object(j);
    }
    json_end_array(j);
}
