/* network_ask.h - how a network may be asked, as --memory, --approximate, --always, --draws, --seed and --threads say,
 * and what is said where it cannot be. */
#ifndef CREDENCE_CLI_NETWORK_ASK_H
#define CREDENCE_CLI_NETWORK_ASK_H

#include "invocation.h"
#include "json.h"
#include "output.h"

int network_ask_options(const invocation *call, crd_ask_options *out);

/* Why a question has no answer, and the option that helps where one does. `asked` says what it would have taken; NULL: that is not known. */
int network_ask_failed(const invocation *call, const crd_error *error, const crd_asked *asked);

/* A line on how an answer was estimated; nothing where it is exact. */
void network_ask_print_estimate(output *out, const crd_asked *asked);
/* The same as members of an object. */
void network_ask_write_estimate(json *j, const crd_asked *asked);

#endif
