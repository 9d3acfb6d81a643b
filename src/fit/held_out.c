/* SPDX-License-Identifier: MIT */
/* held_out.c - see held_out.h. */
#include "fit/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "classify/posteriors.h"
#include "model/accumulate.h"
#include "model/joint_tallies.h"
#include "settings/list_items.h"
#include "stats/kept_rows.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Minimum number of values for more than one thread, and maximum number of held-out predictions, one for each row and
 * class. */
enum { LEAST_FOR_THREADS = 1 << 14, MOST_ANSWERS = 1 << 25 };

struct crd_i_held_out {
    crd_context *context;
    const crd_classifier *like;
    crd_text target;     /* name of the model's target column */
    crd_text weight;     /* name of the weight column, which no other column has; owned */
    crd_i_sample sample; /* the rows in the order of folds */
    size_t *columns;     /* for each attribute of the classifier: its column in the sample */
    size_t starts[CRD_I_HELD_OUT_FOLDS + 1];
};

/* ---- Rows in folds ---- */

static uint64_t held_out_mix(uint64_t hash) {
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

/* Returns the fold of a hash. A sample may consist of the rows with the smallest hashes, so the fold uses other bits
 * than their order. */
static size_t fold_of(uint64_t hash) {
    return (size_t)(held_out_mix(hash) % CRD_I_HELD_OUT_FOLDS);
}

/* Returns the weight of the part of a row that belongs to a fold; 0: none. A row of weight 2 or more represents several
 * copies. They are dealt to the folds in turn, beginning with the fold of the hash. If all copies were in one fold, a
 * model trained without this fold would not have seen the row at all. A fractional remainder of the weight stays in the
 * first fold. */
static double weight_in(double weight, uint64_t hash, size_t fold) {
    const size_t turn = (fold + CRD_I_HELD_OUT_FOLDS - fold_of(hash)) % CRD_I_HELD_OUT_FOLDS;
    if (!(weight >= 2)) return turn == 0 ? weight : 0;
    const double whole = floor(weight), rounds = floor(whole / CRD_I_HELD_OUT_FOLDS);
    const double left = whole - rounds * CRD_I_HELD_OUT_FOLDS;
    return rounds + ((double)turn < left ? 1 : 0) + (turn == 0 ? weight - whole : 0);
}

/* The rows, or parts of rows, of all folds, one fold after the other. Rows of a fold keep their order. */
typedef struct out_deal {
    size_t count;
    size_t *rows; /* row of the sample */
    double *weights;
    uint64_t *hashes;
} out_deal;

/* Splits the rows of the sample into folds. Returns false if memory runs out. */
static bool deal_rows(crd_i_held_out *inner, out_deal *deal) {
    const crd_i_sample *sample = &inner->sample;
    size_t capacity = 0;
    for (size_t row = 0; row < sample->rows; row++)
        capacity += sample->weights[row] >= CRD_I_HELD_OUT_FOLDS ? (size_t)CRD_I_HELD_OUT_FOLDS
                    : sample->weights[row] >= 2                  ? (size_t)sample->weights[row]
                                                                 : 1;
    deal->rows = crd_i_alloc(inner->context, capacity, sizeof *deal->rows);
    deal->weights = crd_i_alloc(inner->context, capacity, sizeof *deal->weights);
    deal->hashes = crd_i_alloc(inner->context, capacity, sizeof *deal->hashes);
    if (deal->rows == NULL || deal->weights == NULL || deal->hashes == NULL) return false;
    for (size_t fold = 0; fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        inner->starts[fold] = deal->count;
        for (size_t row = 0; row < sample->rows; row++) {
            const uint64_t hash = sample->hashes[row];
            const double weight = weight_in(sample->weights[row], hash, fold);
            const bool is_first = fold == fold_of(hash);
            if (weight == 0 && !is_first) continue;
            deal->rows[deal->count] = row;
            deal->weights[deal->count] = weight;
            /* Random draws for a row depend on its hash. Other parts of the row get hashes of their own, so they are
             * drawn independently. */
            deal->hashes[deal->count++] = is_first ? hash : held_out_mix(hash + fold + 1);
        }
    }
    inner->starts[CRD_I_HELD_OUT_FOLDS] = deal->count;
    return true;
}

/* Replaces an array of the sample's rows by an array of the dealt rows. Returns false if memory runs out. */
static bool held_out_replace(crd_context *context, const out_deal *deal, void **items, size_t size) {
    if (*items == NULL || deal->count == 0) return true;
    unsigned char *moved = crd_i_alloc(context, deal->count, size);
    if (moved == NULL) return false;
    for (size_t i = 0; i < deal->count; i++)
        memcpy(moved + i * size, (const unsigned char *)*items + deal->rows[i] * size, size);
    crd_free(context, *items);
    *items = moved;
    return true;
}

/* Reorders the sample by folds. Returns false if memory runs out. */
static bool held_out_deal(crd_i_held_out *inner) {
    crd_i_sample *sample = &inner->sample;
    out_deal dealt = {0};
    bool done = deal_rows(inner, &dealt);
    for (size_t i = 0; done && i < sample->column_count; i++) {
        crd_i_cells *cells = &sample->columns[i];
        void *numbers = (void *)cells->numbers, *codes = (void *)cells->codes;
        done = held_out_replace(inner->context, &dealt, &numbers, sizeof(double));
        cells->numbers = numbers;
        done = done && held_out_replace(inner->context, &dealt, &codes, sizeof(int32_t));
        cells->codes = codes;
        void *texts = (void *)cells->texts;
        done = done && held_out_replace(inner->context, &dealt, &texts, sizeof(crd_text));
        cells->texts = texts;
        cells->rows = dealt.count;
    }
    void *conditions = sample->conditions;
    done = done && held_out_replace(inner->context, &dealt, &conditions, sizeof *sample->conditions);
    sample->conditions = conditions;
    if (done) {
        crd_free(inner->context, sample->weights);
        crd_free(inner->context, sample->hashes);
        sample->weights = dealt.weights;
        sample->hashes = dealt.hashes;
        sample->rows = dealt.count;
        dealt.weights = NULL;
        dealt.hashes = NULL;
    }
    crd_free(inner->context, dealt.rows);
    crd_free(inner->context, dealt.weights);
    crd_free(inner->context, dealt.hashes);
    return done;
}

/* ---- Creating ---- */

static const crd_i_model_joint_tally *held_out_find_rows(const crd_model *model) {
    for (size_t i = 0; i < model->joint_tally_count; i++)
        if (model->joint_tallies[i].covers_all && model->joint_tallies[i].joint_tally->type == &crd_i_kept_rows)
            return &model->joint_tallies[i];
    return NULL;
}

static bool held_out_is_taken(const crd_model *model, crd_text name) {
    return crd_i_schema_find(model->schema, name) != SIZE_MAX;
}

/* Returns a name for the weight column: "weight", followed by as many apostrophes as needed to make it unique. */
static crd_text name_weight(crd_context *context, const crd_model *model) {
    char name[64] = "weight";
    for (size_t length = strlen(name); length + 1 < sizeof name && held_out_is_taken(model, crd_text_of(name));
         length++)
        name[length] = '\'';
    return crd_i_text_copy(context, crd_text_of(name));
}

/* Reads the stored rows and maps the attributes to their columns. */
static crd_status held_out_fill(crd_i_held_out *inner, const crd_model *model, const crd_i_model_joint_tally *kept,
                                const crd_i_schema_view *schema_view, crd_error *error) {
    crd_i_joint_source joint_source = {0};
    inner->target = model->schema->columns[model->schema->target].name;
    inner->weight = name_weight(inner->context, model);
    inner->columns = crd_i_alloc(inner->context, kept->joint_tally->column_count, sizeof *inner->columns);
    if (inner->weight.bytes == NULL || inner->columns == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_joint_tallies_open(model, kept, schema_view, &joint_source, error);
    if (status == CRD_OK &&
        (!crd_i_sample_init(&inner->sample, inner->context, kept->joint_tally, &joint_source.view) ||
         !held_out_deal(inner)))
        status = crd_i_fail_memory(error);
    crd_i_joint_tallies_close(&joint_source);
    /* Attributes are the columns in schema order, without the target. */
    for (size_t i = 0; i < kept->joint_tally->column_count; i++)
        inner->columns[kept->columns[i] - (kept->columns[i] > model->schema->target)] = i;
    return status;
}

crd_status crd_i_held_out_check(const crd_model *model, const char *description, crd_error *error) {
    if (held_out_find_rows(model) != NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "%s is fitted to rows, but the model stores none", description);
    crd_i_error_hint(error, "train it with %s, or with tally=rows", description);
    crd_i_error_subject(error, crd_text_of("rows"));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_held_out_create(const crd_model *model, const crd_classifier *like, const crd_i_schema_view *view,
                                 const char *description, crd_i_held_out **out, crd_error *error) {
    *out = NULL;
    crd_status status = crd_i_held_out_check(model, description, error);
    if (status != CRD_OK) return status;
    crd_i_held_out *inner = crd_i_alloc_zeroed(model->context, 1, sizeof *inner);
    if (inner == NULL) return crd_i_fail_memory(error);
    inner->context = model->context;
    inner->like = like;
    status = held_out_fill(inner, model, held_out_find_rows(model), view, error);
    if (status == CRD_OK && inner->sample.rows > MOST_ANSWERS / like->class_count)
        status = crd_i_fail(error, CRD_ERROR_LIMIT,
                            "%s needs predictions for %zu rows and %zu classes, which is too much: is the "
                            "target an identifier?",
                            description, inner->sample.rows, like->class_count);
    if (status != CRD_OK) {
        crd_i_held_out_destroy(inner);
        return status;
    }
    *out = inner;
    return CRD_OK;
}

void crd_i_held_out_destroy(crd_i_held_out *inner) {
    if (inner == NULL) return;
    crd_i_sample_clear(&inner->sample);
    crd_free(inner->context, (void *)inner->weight.bytes);
    crd_free(inner->context, inner->columns);
    crd_free(inner->context, inner);
}

/* Sets the families of numeric columns in the settings by name, if one of them was selected. Otherwise the settings
 * already contain them. */
static crd_status fix_families(const crd_classifier *classifier, crd_settings *settings, crd_error *error) {
    crd_i_buffer text = {.context = settings->context};
    bool done = true, is_selected = false;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].comparison != NULL) is_selected = true;
    if (!is_selected) return CRD_OK;
    for (size_t i = 0; done && i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (attribute->kind == CRD_KIND_NUMBER && attribute->family != NULL)
            done = crd_i_item_append(&text, text.length == 0, attribute->name, attribute->family->name);
    }
    crd_text families = {(const char *)text.bytes, text.length};
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK && text.length > 0) status = crd_settings_set(settings, "family", families, error);
    crd_i_buffer_clear(&text);
    return status;
}

/* Copies the settings and changes calibration, family and prior. */
crd_status crd_i_held_out_settings(const crd_classifier *classifier, crd_settings **out, crd_error *error) {
    const crd_settings *settings = classifier->settings;
    crd_status status = crd_i_settings_copy(classifier->context, settings, out, error);
    if (status != CRD_OK) return status;
    status = crd_settings_set(*out, "calibration", crd_text_of("none"), error);
    /* The members of a stacked ensemble select families for themselves. */
    if (status == CRD_OK && settings->method != CRD_I_METHOD_COMMITTEE) status = fix_families(classifier, *out, error);
    if (status == CRD_OK && settings->prior == CRD_I_PRIOR_GIVEN)
        status = crd_settings_set(*out, "prior", crd_text_of("frequency"), error);
    if (status != CRD_OK) {
        crd_settings_destroy(*out);
        *out = NULL;
    }
    return status;
}

size_t crd_i_held_out_rows(const crd_i_held_out *inner) {
    return inner->sample.rows;
}

const int32_t *crd_i_held_out_classes(const crd_i_held_out *inner) {
    return inner->sample.conditions;
}

const double *crd_i_held_out_weights(const crd_i_held_out *inner) {
    return inner->sample.weights;
}

const uint64_t *crd_i_held_out_hashes(const crd_i_held_out *inner) {
    return inner->sample.hashes;
}

/* Returns the column of an attribute of `like`. It contains neither numbers nor codes nor texts if all values are
 * missing. */
static crd_i_cells held_out_cells(const crd_i_held_out *inner, size_t attribute) {
    return inner->sample.columns[inner->columns[attribute]];
}

crd_text crd_i_held_out_text(const crd_i_held_out *inner, size_t attribute, size_t row) {
    const crd_text missing = {NULL, 0};
    const crd_i_cells column = held_out_cells(inner, attribute);
    return column.texts == NULL ? missing : column.texts[row];
}

/* Converts category codes by name, because another classifier may number the values differently or not have them. */
void crd_i_held_out_row(const crd_i_held_out *inner, const crd_classifier *classifier, size_t row,
                        crd_i_one_cell *cells) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_cells column = held_out_cells(inner, i);
        const crd_i_attribute *attribute = &inner->like->attributes[i], *other = &classifier->attributes[i];
        const crd_i_one_cell missing = CRD_I_MISSING_CELL;
        cells[i] = missing;
        if (column.numbers != NULL) {
            cells[i].is_present = crd_i_number_present(&column, row) && other->kind == CRD_KIND_NUMBER;
            cells[i].number = column.numbers[row];
            cells[i].is_unseen = cells[i].is_present && crd_i_attribute_counts(other) &&
                                 !crd_i_density_covers(other->density, cells[i].number);
        } else if (column.texts != NULL) {
            cells[i].is_present = column.texts[row].length > 0 && other->kind == CRD_KIND_TEXT;
            cells[i].text = column.texts[row];
            cells[i].is_bag = true;
        } else if (column.codes != NULL && column.codes[row] >= 0 && other->values != NULL) {
            crd_text value = crd_i_dictionary_text(attribute->values, (size_t)column.codes[row]);
            cells[i].code = crd_i_dictionary_find(other->values, value);
            cells[i].is_present = true;
            cells[i].is_unseen = cells[i].code < 0;
        }
    }
}

size_t crd_i_held_out_start(const crd_i_held_out *inner, size_t fold) {
    return inner->starts[fold];
}

size_t crd_i_held_out_rows_of_fold(const crd_i_held_out *inner, size_t fold, size_t most) {
    size_t rows = inner->starts[fold + 1] - inner->starts[fold];
    return rows < most ? rows : most;
}

/* ---- Frames ---- */

/* Adds a column to the frame, with the values from row `first` on. */
static crd_status held_out_add_column(crd_frame *frame, crd_text name, const crd_i_cells *cells, size_t first,
                                      crd_i_dictionary *values, crd_error *error) {
    const crd_i_column column = {.kind = cells->numbers != NULL ? CRD_KIND_NUMBER
                                         : cells->codes != NULL ? CRD_KIND_CATEGORY
                                         : cells->texts != NULL ? CRD_KIND_TEXT
                                                                : CRD_KIND_NONE,
                                 .numbers = cells->numbers == NULL ? NULL : cells->numbers + first,
                                 .codes = cells->codes == NULL ? NULL : cells->codes + first,
                                 .texts = cells->texts == NULL ? NULL : cells->texts + first,
                                 .are_bags = cells->texts != NULL,
                                 .dictionary = values};
    return crd_i_frame_add(frame, name, &column, error);
}

/* Creates a frame of the rows first .. limit - 1. The attributes are in their usual order, so models of the frame have
 * the same order. */
static crd_status held_out_make_frame(const crd_i_held_out *inner, size_t first, size_t limit, const double *weights,
                                      crd_frame **out, crd_error *error) {
    const crd_i_sample *sample = &inner->sample;
    crd_status status = crd_frame_create(inner->context, limit - first, out, error);
    for (size_t i = 0; status == CRD_OK && i < inner->like->attribute_count; i++) {
        const crd_i_cells cells = held_out_cells(inner, i);
        const crd_i_attribute *attribute = &inner->like->attributes[i];
        status = held_out_add_column(*out, attribute->name, &cells, first, attribute->values, error);
    }
    const crd_i_cells classes = {.codes = sample->conditions}, row_weights = {.numbers = weights};
    if (status == CRD_OK)
        status = held_out_add_column(*out, inner->target, &classes, first, inner->like->classes, error);
    if (status == CRD_OK) status = held_out_add_column(*out, inner->weight, &row_weights, first, NULL, error);
    if (status != CRD_OK) {
        crd_frame_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Models trained on some of the rows ---- */

/* Adds the rows first .. limit - 1 to a model. */
static crd_status learn_range(const crd_i_held_out *inner, crd_model *model, size_t first, size_t limit,
                              const double *weights, crd_error *error) {
    crd_frame *frame;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    if (first == limit) return CRD_OK;
    crd_status status = held_out_make_frame(inner, first, limit, weights, &frame, error);
    if (status == CRD_OK) status = crd_i_accumulate_frame(model, frame, &facts, error);
    crd_frame_destroy(frame);
    return status;
}

/* Trains on the rows before `first` and on the rows from `limit` on. */
crd_status crd_i_held_out_learn(const crd_i_held_out *inner, const crd_settings *settings, size_t first, size_t limit,
                                const double *weights, crd_model **out, crd_error *error) {
    const double *used = weights == NULL ? inner->sample.weights : weights;
    crd_frame *like;
    *out = NULL;
    if (crd_i_context_cancelled(inner->context)) return crd_i_fail_cancelled(error);
    crd_status status = held_out_make_frame(inner, 0, 0, used, &like, error);
    if (status != CRD_OK) return status;
    status = crd_model_create_weighted(inner->context, like, inner->target, inner->weight, settings, out, error);
    crd_frame_destroy(like);
    if (status == CRD_OK) status = learn_range(inner, *out, 0, first, used, error);
    if (status == CRD_OK) status = learn_range(inner, *out, limit, inner->sample.rows, used, error);
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* Computes the log posteriors of at most ASKED_AT_ONCE rows and converts them to the classes of `like`. */
static crd_status ask_some(const crd_i_held_out *inner, const crd_classifier *classifier, crd_posteriors *posteriors,
                           size_t first, size_t limit, double *logs, crd_error *error) {
    size_t classes = inner->like->class_count;
    crd_frame *frame;
    for (size_t i = 0; i < (limit - first) * classes; i++) logs[i] = -INFINITY;
    if (crd_i_context_cancelled(inner->context)) return crd_i_fail_cancelled(error);
    crd_status status = held_out_make_frame(inner, first, limit, inner->sample.weights, &frame, error);
    if (status == CRD_OK) status = crd_classifier_classify(classifier, frame, posteriors, error);
    for (size_t k = 0; status == CRD_OK && k < classifier->class_count; k++) {
        int32_t own = crd_i_dictionary_find(inner->like->classes, crd_classifier_class(classifier, k));
        for (size_t row = 0; row < limit - first; row++)
            logs[row * classes + (size_t)own] = crd_posteriors_log(posteriors, row)[k];
    }
    crd_frame_destroy(frame);
    return status;
}

/* Number of rows that are classified at once. It is small, so canceling takes effect quickly. */
enum { ASKED_AT_ONCE = 512 };

crd_status crd_i_held_out_ask(const crd_i_held_out *inner, const crd_classifier *classifier, size_t first, size_t limit,
                              double *logs, crd_error *error) {
    crd_posteriors *posteriors;
    crd_status status = crd_posteriors_create(inner->context, &posteriors, error);
    for (size_t index = first; status == CRD_OK && index < limit; index += ASKED_AT_ONCE) {
        size_t end = limit - index < ASKED_AT_ONCE ? limit : index + ASKED_AT_ONCE;
        status = ask_some(inner, classifier, posteriors, index, end, logs + (index - first) * inner->like->class_count,
                          error);
    }
    crd_posteriors_destroy(posteriors);
    return status;
}

/* Trains a model on the other folds and computes the log posteriors of the rows of this fold. */
static crd_status hold_out_fold(const crd_i_held_out *inner, const crd_settings *settings, size_t fold, double *logs,
                                crd_error *error) {
    size_t first = inner->starts[fold], limit = inner->starts[fold + 1], classes = inner->like->class_count;
    crd_model *model;
    crd_classifier *classifier = NULL;
    crd_status status = crd_i_held_out_learn(inner, settings, first, limit, NULL, &model, error);
    if (status != CRD_OK) return status;
    status = crd_classifier_create(model, NULL, &classifier, error);
    crd_model_destroy(model);
    if (status == CRD_ERROR_EMPTY) { /* all rows are in this fold, so no model can be trained */
        for (size_t i = first * classes; i < limit * classes; i++) logs[i] = -INFINITY;
        return CRD_OK;
    }
    if (status == CRD_OK) status = crd_i_held_out_ask(inner, classifier, first, limit, logs + first * classes, error);
    crd_classifier_destroy(classifier);
    return status;
}

/* State of the threads. Each thread takes the next fold and writes only the rows of this fold. */
typedef struct out_holding {
    const crd_i_held_out *inner;
    const crd_settings *settings;
    double *logs;
    atomic_size_t next; /* next fold to be taken */
    crd_i_stage stage;
    crd_status statuses[CRD_I_HELD_OUT_FOLDS];
    crd_error errors[CRD_I_HELD_OUT_FOLDS];
} out_holding;

static void hold_out_some(void *state, unsigned member) {
    out_holding *work = state;
    (void)member;
    for (size_t f = atomic_fetch_add(&work->next, 1); f < CRD_I_HELD_OUT_FOLDS; f = atomic_fetch_add(&work->next, 1)) {
        work->statuses[f] = hold_out_fold(work->inner, work->settings, f, work->logs, &work->errors[f]);
        crd_i_stage_add(&work->stage, 1);
    }
}

/* Processes the folds in threads if there are enough values. Returns the error of the first fold that failed. */
crd_status crd_i_held_out_hold_out(const crd_i_held_out *inner, const crd_settings *settings, double *logs,
                                   crd_error *error) {
    out_holding work = {.inner = inner, .settings = settings, .logs = logs};
    atomic_init(&work.next, 0);
    unsigned crew = crd_i_thread_pool_size(0);
    crd_i_stage_begin(&work.stage, "holding out folds", CRD_I_HELD_OUT_FOLDS);
    bool is_little = inner->sample.rows * inner->sample.column_count < LEAST_FOR_THREADS;
    crd_i_thread_pool_run(inner->context,
                          is_little                     ? 1
                          : crew < CRD_I_HELD_OUT_FOLDS ? crew
                                                        : CRD_I_HELD_OUT_FOLDS,
                          hold_out_some, &work);
    crd_i_stage_end(&work.stage);
    for (size_t f = 0; f < CRD_I_HELD_OUT_FOLDS; f++) {
        if (work.statuses[f] == CRD_OK) continue;
        if (error != NULL) *error = work.errors[f];
        return work.statuses[f];
    }
    return CRD_OK;
}
