/* show_family_choice.h - how families did where auto chose one of them for an attribute. */
#ifndef CREDENCE_CLI_SHOW_FAMILY_CHOICE_H
#define CREDENCE_CLI_SHOW_FAMILY_CHOICE_H

#include "core/json_writer.h"
#include "core/output.h"

/* Each writes nothing where the family was not chosen by auto. */
void candidates_print(output *out, const crd_classifier *classifier, size_t attribute);
void candidates_json(json *j, const crd_classifier *classifier, size_t attribute);

#endif
