/* SPDX-License-Identifier: MIT */
/* verb_update.c - changes a model file in place: learns more rows, or takes rows out again. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/network_model.h"

/* The two verbs differ in these. */
typedef struct change {
    const char *verb, *done;
    crd_status (*apply)(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error);
} change;

static int change_model(const invocation *call, const change *c, crd_model *model, const char *to) {
    const arguments *given = &call->arguments;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    char room[ROWS_ROOM];
    data d;
    int ended = data_open_for(call, model, given->operands + 1, given->operand_count - 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    if (c->apply(model, d.reader, &facts, &error) != CRD_OK || crd_model_fit(model, &error) != CRD_OK ||
        crd_model_save(model, to, &error) != CRD_OK) {
        ended = message_error_in(&error, given->operands[1]);
    } else {
        crd_summary *summary = NULL;
        char total[ROUNDED_ROOM];
        if (crd_summary_create(model, &summary, &error) == CRD_OK)
            message_note("%s %s; the model has %s now", c->done, output_rows(facts.rows, room),
                         output_count(crd_summary_rows(summary), total));
        crd_summary_destroy(summary);
        data_report_rows(model, &facts);
    }
    data_close(&d);
    return ended;
}

static int run_change(const invocation *call, const change *c) {
    const arguments *given = &call->arguments;
    const char *to = arguments_value(given, "output");
    crd_model_lock *lock = NULL;
    crd_model *model = NULL;
    crd_error error;
    const char *path = given->operands[0];
    int ended = network_model_refuse(call, path, c->verb);
    if (ended != ENDED_WELL) return ended;
    /* Only a change in place reads what it is going to write. */
    if (to == NULL && crd_model_lock_take(call->context, path, &lock, &error) != CRD_OK) return message_error(&error);
    if (crd_model_load(call->context, path, &model, &error) != CRD_OK) {
        ended = message_error(&error);
        if (error.status == CRD_ERROR_NOT_A_MODEL) message_hint("%s changes a model that train has made", c->verb);
    } else {
        message_columns_settled_by("the model has");
        ended = change_model(call, c, model, to == NULL ? path : to);
    }
    crd_model_destroy(model);
    crd_model_lock_release(lock);
    return ended;
}

static int run_update(invocation *call) {
    static const change learning = {"update", "learned", crd_model_update_all};
    return run_change(call, &learning);
}

static int run_forget(invocation *call) {
    static const change forgetting = {"forget", "forgot", crd_model_forget_all};
    return run_change(call, &forgetting);
}

static const option options[] = {{"output", 'o', "MODEL",
                                  .help = "write the changed model there, and leave the old one", .file = OPTION_WRITES,
                                  .is_once = true},
                                 OPTIONS_OF_READING,
                                 OPTION_STRICT,
                                 OPTIONS_END};

const verb verb_update = {
    .name = "update",
    .usage = "update MODEL DATA...",
    .summary = "Learn more rows",
    .about = "The model becomes the very file that training on all rows at once would give. It is changed whole "
             "or not at all; other commands that change it at the same time wait.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence update days.model days.csv\n",
    .essentials = "output|strict|input|header|missing|threads",
    .options = options,
    .takes_sequences = true,
    .least = 2,
    .most = SIZE_MAX,
    .operands = "MODEL and DATA",
    .reads_operands = true,
    .data_at = 2,
    .run = run_update};

const verb verb_forget = {
    .name = "forget",
    .usage = "forget MODEL DATA...",
    .summary = "Unlearn rows",
    .about = "The model becomes the very file it would be without the rows. Rows that cannot have been learned "
             "are refused, and then nothing changes. In the statistics grid and pairs, cells that became wide "
             "stay wide.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv days.csv --target Play -o days.model\n"
               "  credence forget days.model days.csv\n",
    .essentials = "output|strict|input|header|missing|threads",
    .options = options,
    .takes_sequences = true,
    .least = 2,
    .most = SIZE_MAX,
    .operands = "MODEL and DATA",
    .reads_operands = true,
    .data_at = 2,
    .run = run_forget};
