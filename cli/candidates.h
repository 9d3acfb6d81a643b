/* candidates.h - how families did where auto chose one of them for an attribute. */
#ifndef CREDENCE_CLI_CANDIDATES_H
#define CREDENCE_CLI_CANDIDATES_H

#include "json.h"
#include "output.h"

/* Each writes nothing where the family was not chosen by auto. */
void candidates_print(output *out, const crd_classifier *classifier, size_t attribute);
void candidates_json(json *j, const crd_classifier *classifier, size_t attribute);

#endif
