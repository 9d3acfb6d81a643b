/* SPDX-License-Identifier: MIT */
/* held_out.c - see held_out.h.
 *
 * Contents:
 *   1. Rows in folds
 *   2. Creation
 *   3. Frames
 *   4. Models of folds
 *   5. Weights of terms
 *   6. Terms of a fold
 *   7. Fit of the weights
 *   8. Grid folds */
#include "fit/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "classify/classify_row.h"
#include "classify/posteriors.h"
#include "math/exact/ieee754.h"
#include "math/logistic_newton.h"
#include "model/accumulate.h"
#include "model/joint_tallies.h"
#include "settings/settings_internal.h"
#include "stats/grid.h"
#include "stats/kept_rows.h"

#include <math.h>
#include <string.h>

/* ======== 1. Rows in folds ======== */

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
    uint32_t *rows; /* row of the sample */
    double *weights;
    uint64_t *hashes;
} out_deal;

/* Splits the rows of the sample into folds. Returns false if memory runs out. */
static bool deal_rows(crd_i_held_out *inner, out_deal *deal) {
    const crd_i_sample *sample = &inner->sample;
    const double *weights = sample->table->weights;
    size_t capacity = 0;
    for (size_t row = 0; row < sample->table->rows; row++)
        capacity += weights[row] >= CRD_I_HELD_OUT_FOLDS ? (size_t)CRD_I_HELD_OUT_FOLDS
                    : weights[row] >= 2                  ? (size_t)weights[row]
                                                         : 1;
    deal->rows = crd_i_alloc(inner->context, capacity, sizeof *deal->rows);
    deal->weights = crd_i_alloc(inner->context, capacity, sizeof *deal->weights);
    deal->hashes = crd_i_alloc(inner->context, capacity, sizeof *deal->hashes);
    if (deal->rows == NULL || deal->weights == NULL || deal->hashes == NULL) return false;
    for (size_t fold = 0; fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        inner->starts[fold] = deal->count;
        for (size_t row = 0; row < sample->table->rows; row++) {
            const uint64_t hash = sample->hashes[row];
            const double weight = weight_in(weights[row], hash, fold);
            const bool is_first = fold == fold_of(hash);
            if (weight == 0 && !is_first) continue;
            deal->rows[deal->count] = (uint32_t)row;
            deal->weights[deal->count] = weight;
            /* Random draws for a row depend on its hash. Other parts of the row get hashes of their own, so they are
             * drawn independently. */
            deal->hashes[deal->count++] = is_first ? hash : held_out_mix(hash + fold + 1);
        }
    }
    inner->starts[CRD_I_HELD_OUT_FOLDS] = deal->count;
    return true;
}

/* Reorders the sample by folds. Returns false if memory runs out. */
static bool held_out_deal(crd_i_held_out *inner) {
    crd_i_sample *sample = &inner->sample;
    out_deal dealt = {0};
    const bool done = deal_rows(inner, &dealt) && crd_i_case_table_gather(sample->table, dealt.rows, dealt.count);
    crd_free(inner->context, dealt.rows);
    crd_free(inner->context, done ? sample->table->weights : dealt.weights);
    crd_free(inner->context, done ? sample->hashes : dealt.hashes);
    if (!done) return false;
    sample->table->weights = dealt.weights;
    sample->hashes = dealt.hashes;
    return true;
}

/* ======== 2. Creation ======== */

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
    inner->target = model->schema->columns[model->schema->target].name;
    inner->weight = name_weight(inner->context, model);
    inner->columns = crd_i_alloc(inner->context, kept->joint_tally->column_count, sizeof *inner->columns);
    if (inner->weight.bytes == NULL || inner->columns == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_joint_tallies_rows(model, kept, schema_view, &inner->sample, error);
    if (status == CRD_OK && !held_out_deal(inner)) status = crd_i_fail_memory(error);
    /* Attributes are the columns in schema order, without the target. */
    for (size_t i = 0; i < kept->joint_tally->column_count; i++)
        inner->columns[kept->columns[i] - (kept->columns[i] > model->schema->target)] = i;
    return status;
}

crd_status crd_i_held_out_check(const crd_model *model, const char *description, crd_error *error) {
    if (crd_i_joint_tallies_whole(model, &crd_i_kept_rows) != NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "%s is fitted to rows, but the model stores none", description);
    crd_i_error_hint(error, "train it with %s, or with keep-statistics=rows", description);
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
    status = held_out_fill(inner, model, crd_i_joint_tallies_whole(model, &crd_i_kept_rows), view, error);
    if (status == CRD_OK && inner->sample.table->rows > MOST_ANSWERS / like->class_count)
        status = crd_i_fail(error, CRD_ERROR_LIMIT,
                            "%s needs predictions for %zu rows and %zu classes, which is too much: is the "
                            "target an identifier?",
                            description, inner->sample.table->rows, like->class_count);
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
        if (attribute->type == CRD_TYPE_NUMERIC && attribute->family != NULL)
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
    if (status == CRD_OK && settings->method != CRD_I_METHOD_STACKING) status = fix_families(classifier, *out, error);
    if (status == CRD_OK && settings->prior == CRD_I_PRIOR_GIVEN)
        status = crd_settings_set(*out, "prior", crd_text_of("frequency"), error);
    if (status != CRD_OK) {
        crd_settings_destroy(*out);
        *out = NULL;
    }
    return status;
}

size_t crd_i_held_out_rows(const crd_i_held_out *inner) {
    return inner->sample.table->rows;
}

const int32_t *crd_i_held_out_classes(const crd_i_held_out *inner) {
    return crd_i_sample_conditions(&inner->sample);
}

const double *crd_i_held_out_weights(const crd_i_held_out *inner) {
    return inner->sample.table->weights;
}

const uint64_t *crd_i_held_out_hashes(const crd_i_held_out *inner) {
    return inner->sample.hashes;
}

/* Returns the column of an attribute of `like`. It contains neither numbers nor codes nor texts if all values are
 * missing. */
static crd_i_cells held_out_cells(const crd_i_held_out *inner, size_t attribute) {
    return crd_i_sample_cells(&inner->sample, inner->columns[attribute]);
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
            cells[i].is_present = crd_i_number_present(&column, row) && other->type == CRD_TYPE_NUMERIC;
            cells[i].number = column.numbers[row];
            cells[i].is_unseen = cells[i].is_present && crd_i_attribute_counts(other) &&
                                 !crd_i_density_covers(other->density, cells[i].number);
        } else if (column.texts != NULL) {
            cells[i].is_present = column.texts[row].length > 0 && other->type == CRD_TYPE_TEXT;
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

/* Returns the number of rows of a fold, limited to the first `most` rows. */
static size_t held_out_rows_of_fold(const crd_i_held_out *inner, size_t fold, size_t most) {
    size_t rows = inner->starts[fold + 1] - inner->starts[fold];
    return rows < most ? rows : most;
}

/* ======== 3. Frames ======== */

/* Adds a column to the frame, with the values from row `first` on. */
static crd_status held_out_add_column(crd_frame *frame, crd_text name, const crd_i_cells *cells, size_t first,
                                      crd_i_dictionary *values, crd_error *error) {
    const crd_i_column column = {.type = cells->numbers != NULL ? CRD_TYPE_NUMERIC
                                         : cells->codes != NULL ? CRD_TYPE_CATEGORICAL
                                         : cells->texts != NULL ? CRD_TYPE_TEXT
                                                                : CRD_TYPE_NONE,
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
    crd_status status = crd_frame_create(inner->context, limit - first, out, error);
    for (size_t i = 0; status == CRD_OK && i < inner->like->attribute_count; i++) {
        const crd_i_cells cells = held_out_cells(inner, i);
        const crd_i_attribute *attribute = &inner->like->attributes[i];
        status = held_out_add_column(*out, attribute->name, &cells, first, attribute->values, error);
    }
    const crd_i_cells classes = {.codes = crd_i_sample_conditions(&inner->sample)}, row_weights = {.numbers = weights};
    if (status == CRD_OK)
        status = held_out_add_column(*out, inner->target, &classes, first, inner->like->classes, error);
    if (status == CRD_OK) status = held_out_add_column(*out, inner->weight, &row_weights, first, NULL, error);
    if (status != CRD_OK) {
        crd_frame_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ======== 4. Models of folds ======== */

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
    const double *used = weights == NULL ? inner->sample.table->weights : weights;
    crd_frame *like;
    *out = NULL;
    if (crd_i_context_cancelled(inner->context)) return crd_i_fail_cancelled(error);
    crd_status status = held_out_make_frame(inner, 0, 0, used, &like, error);
    if (status != CRD_OK) return status;
    status = crd_model_create_weighted(inner->context, like, inner->target, inner->weight, settings, out, error);
    crd_frame_destroy(like);
    if (status == CRD_OK) status = learn_range(inner, *out, 0, first, used, error);
    if (status == CRD_OK) status = learn_range(inner, *out, limit, inner->sample.table->rows, used, error);
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
    crd_status status = held_out_make_frame(inner, first, limit, inner->sample.table->weights, &frame, error);
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
    crd_i_stage stage;
} out_holding;

static crd_status hold_out_some(void *state, void *workspace, size_t fold, crd_error *error) {
    out_holding *work = state;
    (void)workspace;
    crd_status status = hold_out_fold(work->inner, work->settings, fold, work->logs, error);
    crd_i_stage_add(&work->stage, 1);
    return status;
}

/* Processes the folds in threads if there are enough values. Returns the error of the first fold that failed. */
crd_status crd_i_held_out_hold_out(const crd_i_held_out *inner, const crd_settings *settings, double *logs,
                                   crd_error *error) {
    out_holding work = {.inner = inner, .settings = settings, .logs = logs};
    bool is_little = inner->sample.table->rows * (inner->sample.table->column_count - 1) < LEAST_FOR_THREADS;
    crd_i_parallel_loop loop = {
        .state = &work, .items = CRD_I_HELD_OUT_FOLDS, .threads = is_little ? 1 : 0, .work = hold_out_some};
    crd_i_stage_begin(&work.stage, "holding out folds", CRD_I_HELD_OUT_FOLDS);
    crd_status status = crd_i_parallel_for(inner->context, &loop, error);
    crd_i_stage_end(&work.stage);
    return status;
}

/* ======== 5. Weights of terms ======== */

/* Maximum number of terms, over rows and classes, that weights are fitted to: a bound on memory and time. */
enum { MOST_TERMS = 1 << 24 };

typedef struct weights_fitting {
    const crd_i_fold_weights *problem;
    const crd_classifier *classifier;
    const crd_i_held_out *inner;
    crd_settings *settings;    /* settings of the folds' classifiers */
    size_t rows, most_of_fold; /* rows that are used, in all and at most per fold; the first of each fold */
    double *terms, *base, *weights;
    int32_t *truths;
} weights_fitting;

static void fold_weights_clear(weights_fitting *f) {
    crd_context *context = f->classifier->context;
    crd_settings_destroy(f->settings);
    crd_free(context, f->terms);
    crd_free(context, f->base);
    crd_free(context, f->weights);
    crd_free(context, f->truths);
}

/* Allocates the arrays for as many rows as MOST_TERMS allows, and prepares the settings of the folds' classifiers. */
static crd_status fold_weights_open(weights_fitting *f, crd_error *error) {
    crd_context *context = f->classifier->context;
    size_t classes = f->classifier->class_count, count = f->problem->count;
    f->most_of_fold = MOST_TERMS / CRD_I_HELD_OUT_FOLDS / ((count + 1) * classes) + 1;
    for (size_t fold = 0; fold < CRD_I_HELD_OUT_FOLDS; fold++)
        f->rows += held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    f->terms = crd_i_alloc_zeroed(context, f->rows * count * classes, sizeof *f->terms);
    f->base = crd_i_alloc(context, f->rows * classes, sizeof *f->base);
    f->weights = crd_i_alloc(context, f->rows, sizeof *f->weights);
    f->truths = crd_i_alloc(context, f->rows, sizeof *f->truths);
    if (f->terms == NULL || f->base == NULL || f->weights == NULL || f->truths == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_held_out_settings(f->classifier, &f->settings, error);
    if (status == CRD_OK && f->problem->method != NULL)
        status = crd_settings_set(f->settings, "method", crd_text_of(f->problem->method), error);
    /* The folds' models only provide terms, so they need no fitted weights. */
    if (status == CRD_OK) status = crd_settings_set(f->settings, "attribute-weights", crd_text_of("none"), error);
    return status;
}

/* ======== 6. Terms of a fold ========
 *
 * The terms of the rows of a fold come from a classifier trained on the other folds. */

typedef struct fold_room {
    crd_i_one_cell *cells;
    double *scratch;
    int32_t *classes; /* for each class of the fold's classifier: its code in the whole classifier */
    double *logs;     /* log densities of texts: attributes x classes of the fold's classifier */
} fold_room;

static void place_truth(const weights_fitting *f, size_t row, size_t index) {
    f->weights[index] = crd_i_held_out_weights(f->inner)[row];
    f->truths[index] = crd_i_held_out_classes(f->inner)[row];
}

/* Handles a fold that contains all rows: no classifier can be trained without it, so all terms and bases are 0. */
static void fold_weights_place_nothing(const weights_fitting *f, size_t row, size_t index) {
    size_t classes = f->classifier->class_count;
    place_truth(f, row, index);
    for (size_t k = 0; k < classes; k++) f->base[index * classes + k] = 0;
}

/* Computes the terms of one row with the fold's classifier and stores them at `index`. */
static crd_status fold_weights_place_row(const weights_fitting *f, const crd_classifier *source_classifier,
                                         const fold_room *workspace, size_t row, size_t index, crd_error *error) {
    size_t classes = f->classifier->class_count;
    double *terms = f->terms + index * classes * f->problem->count, *base = f->base + index * classes;
    const crd_i_scored_row scored = {source_classifier, workspace->cells, workspace->scratch};
    crd_i_held_out_row(f->inner, source_classifier, row, workspace->cells);
    place_truth(f, row, index);
    for (size_t k = 0; k < classes; k++) base[k] = -CRD_I_FOLD_WEIGHTS_MOST;
    for (size_t i = 0; i < source_classifier->attribute_count; i++) {
        crd_status status = crd_i_cell_read(&source_classifier->attributes[i], &workspace->cells[i],
                                            workspace->logs + i * source_classifier->class_count, error);
        if (status != CRD_OK) return status;
    }
    return f->problem->place(f->problem->state, &scored, workspace->classes, terms, base, error);
}

/* Allocates scratch space and computes the terms of the rows of a fold. */
static crd_status place_fold(const weights_fitting *f, const crd_classifier *source_classifier, size_t first,
                             size_t rows, size_t index, crd_error *error) {
    crd_context *context = f->classifier->context;
    size_t scratch = source_classifier->scorer->scratch + f->problem->scratch(f->problem->state, source_classifier);
    fold_room workspace = {crd_i_alloc(context, source_classifier->attribute_count, sizeof *workspace.cells),
                           crd_i_alloc(context, scratch, sizeof *workspace.scratch),
                           crd_i_alloc(context, source_classifier->class_count, sizeof *workspace.classes),
                           crd_i_alloc(context, source_classifier->attribute_count * source_classifier->class_count,
                                       sizeof *workspace.logs)};
    bool has_room =
        workspace.cells != NULL && workspace.scratch != NULL && workspace.classes != NULL && workspace.logs != NULL;
    crd_status status = has_room ? CRD_OK : crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < source_classifier->class_count; k++)
        workspace.classes[k] =
            crd_i_dictionary_find(f->classifier->classes, crd_classifier_class(source_classifier, k));
    for (size_t row = 0; status == CRD_OK && row < rows; row++)
        status = fold_weights_place_row(f, source_classifier, &workspace, first + row, index + row, error);
    crd_free(context, workspace.cells);
    crd_free(context, workspace.scratch);
    crd_free(context, workspace.classes);
    crd_free(context, workspace.logs);
    return status;
}

/* Trains a classifier on the other folds and computes the terms of the fold's rows, stored from `index` on. */
static crd_status fold_weights_find_terms(const weights_fitting *f, size_t fold, size_t index, crd_error *error) {
    size_t first = crd_i_held_out_start(f->inner, fold), limit = crd_i_held_out_start(f->inner, fold + 1);
    size_t rows = held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    crd_model *model;
    crd_classifier *classifier = NULL;
    crd_status status = crd_i_held_out_learn(f->inner, f->settings, first, limit, NULL, &model, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &classifier, error);
    crd_model_destroy(model);
    if (status == CRD_OK) status = place_fold(f, classifier, first, rows, index, error);
    else if (status == CRD_ERROR_EMPTY) {
        for (size_t row = 0; row < rows; row++) fold_weights_place_nothing(f, first + row, index + row);
        status = CRD_OK;
    }
    crd_classifier_destroy(classifier);
    return status;
}

/* ======== 7. Fit of the weights ======== */

/* Fits the weights to the computed terms by penalized logistic regression. */
static crd_status fold_weights_fit(const weights_fitting *f, double *weights, crd_error *error) {
    const crd_i_fold_weights *problem = f->problem;
    double loss, few = problem->ridge_of_few * (double)problem->count / (double)f->rows;
    bool has_converged;
    const crd_i_logistic logistic = {.rows = f->rows,
                                     .classes = f->classifier->class_count,
                                     .features = problem->count,
                                     .values = f->terms,
                                     .base = f->base,
                                     .truths = f->truths,
                                     .weights = f->weights,
                                     .holds_above_zero = true,
                                     .ridge = problem->ridge + few,
                                     .enough = CRD_I_HELD_OUT_ENOUGH};
    bool done = crd_i_logistic_fit(f->classifier->context, &logistic, weights, NULL, &loss, &has_converged);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Computes the terms fold by fold, then fits the weights. */
crd_status crd_i_fold_weights_fit(const crd_i_fold_weights *problem, const crd_classifier *classifier,
                                  const crd_i_held_out *inner, double *weights, crd_error *error) {
    weights_fitting f = {.problem = problem, .classifier = classifier, .inner = inner};
    /* With so few rows, none can be held out. */
    if (crd_i_held_out_rows(inner) < 2 * CRD_I_HELD_OUT_FOLDS || classifier->class_count < 2 || problem->count == 0)
        return CRD_OK;
    crd_status status = fold_weights_open(&f, error);
    for (size_t fold = 0, index = 0; status == CRD_OK && fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        size_t rows = held_out_rows_of_fold(inner, fold, f.most_of_fold);
        if (rows > 0) status = fold_weights_find_terms(&f, fold, index, error);
        index += rows;
    }
    if (status == CRD_OK) status = fold_weights_fit(&f, weights, error);
    fold_weights_clear(&f);
    return status;
}

bool crd_i_fold_weights_fit_in(const double *weights, size_t count) {
    static const double MOST = 1e6;
    for (size_t i = 0; i < count; i++)
        if (!(weights[i] >= 0 && weights[i] <= MOST)) return false;
    return true;
}

/* ======== 8. Grid folds ========
 *
 * A weight counts as that many rows, which are assigned to folds independently, plus a fraction of a row. If equal rows
 * were split evenly instead, a density that follows the rows too closely would find exactly its training data in each
 * fold. For a large number of equal rows, the binomial numbers per fold are drawn by the normal approximation.
 *
 * Families are tried many times, so at most 512 different numbers of a column are used. If its grid has more bins,
 * neighbors are merged within intervals of equal width, a power of two. The number with the most rows represents all
 * numbers of its interval. A bin of positive width is represented by its center. In a column of integers the center is
 * an integer, too, because a bin that is not a single number has at least width 2. */

enum {
    MOST_NUMBERS = 512,
    ONE_BY_ONE = 4096, /* more equal rows than this are not assigned one by one */
    DIGITS = 27        /* base-5 digits, one per fold choice, in 64 random bits */
};

/* ---- Merging bins ---- */

/* Returns the number of intervals of a width that contain bins. */
static size_t count_intervals(const crd_i_grid_view *grid, double width) {
    size_t count = 0;
    for (size_t i = 0; i < grid->count; i++)
        if (i == 0 || floor(grid->values[i] / width) != floor(grid->values[i - 1] / width)) count++;
    return count;
}

/* Returns the smallest width that leaves at most MOST_NUMBERS intervals; 0 if bins need not be merged. */
static double width_of_intervals(const crd_i_grid_view *grid) {
    if (grid->count <= MOST_NUMBERS) return 0;
    int exponent;
    (void)frexp(grid->values[grid->count - 1] * 0.5 - grid->values[0] * 0.5, &exponent);
    /* The range is below 2^(exponent + 1), so at most 257 intervals of this width meet it. */
    double width = ldexp(1, exponent - 7);
    while (width / 2 > 0 && count_intervals(grid, width / 2) <= MOST_NUMBERS) width /= 2;
    return width;
}

/* Merges bins in place. A merged bin has the sum of the counts, and the number of the bin with the most rows. */
static void grid_folds_join(crd_i_grid_view *grid) {
    double width = width_of_intervals(grid), most = 0, interval = 0;
    size_t kept = 0, conditions = grid->conditions;
    for (size_t i = 0; i < grid->count; i++) {
        const double *source = grid->counts + i * conditions;
        double rows = 0, number = grid->values[i], place = width > 0 ? floor(grid->values[i] / width) : 0;
        for (size_t k = 0; k < conditions; k++) rows += source[k];
        bool is_new = kept == 0 || width == 0 || place != interval;
        double *destination = grid->counts + (is_new ? kept++ : kept - 1) * conditions;
        for (size_t k = 0; k < conditions; k++) destination[k] = is_new ? source[k] : destination[k] + source[k];
        interval = place;
        if (!is_new && rows <= most) continue;
        most = rows;
        grid->values[kept - 1] = number;
    }
    grid->count = kept;
}

/* ---- Assignment to folds ---- */

/* Returns the FNV-1a hash of a text. */
static uint64_t grid_folds_hash(crd_text text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.length; i++) hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Assigns rows to folds one by one, uniformly. */
static void deal_one_by_one(crd_i_random *random, size_t rows, double *shares) {
    while (rows > 0) {
        uint64_t bits = crd_i_random_bits(random);
        for (int digit = 0; digit < DIGITS && rows > 0; digit++, rows--) {
            shares[bits % CRD_I_GRID_FOLDS]++;
            bits /= CRD_I_GRID_FOLDS;
        }
    }
}

/* Draws the number of rows of each fold from a multinomial distribution, as successive binomials by the normal
 * approximation. */
static void deal_many(crd_i_random *random, double rows, double *shares) {
    for (size_t f = 0; f + 1 < CRD_I_GRID_FOLDS; f++) {
        double p = 1.0 / (double)(CRD_I_GRID_FOLDS - f);
        double drawn = floor(rows * p + sqrt(rows * p * (1 - p)) * crd_i_random_normal(random) + 0.5);
        shares[f] = drawn < 0 ? 0 : drawn > rows ? rows : drawn;
        rows -= shares[f];
    }
    shares[CRD_I_GRID_FOLDS - 1] = rows;
}

static void grid_folds_deal(crd_i_random *random, double weight, double shares[CRD_I_GRID_FOLDS]) {
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) shares[f] = 0;
    double rows = floor(weight);
    if (rows <= ONE_BY_ONE) deal_one_by_one(random, (size_t)rows, shares);
    else deal_many(random, rows, shares);
    if (weight > rows) shares[crd_i_random_below(random, CRD_I_GRID_FOLDS)] += weight - rows;
}

static bool grid_folds_append(crd_context *context, crd_i_grid_folds_fold *fold, double number, size_t condition,
                              double weight) {
    size_t index = fold->count;
    if (!crd_i_reserve(context, &fold->numbers, &fold->capacity[0], index + 1, sizeof *fold->numbers) ||
        !crd_i_reserve(context, &fold->conditions, &fold->capacity[1], index + 1, sizeof *fold->conditions) ||
        !crd_i_reserve(context, &fold->weights, &fold->capacity[2], index + 1, sizeof *fold->weights))
        return false;
    fold->numbers[index] = number;
    fold->conditions[index] = (int32_t)condition;
    fold->weights[index] = weight;
    fold->count++;
    return true;
}

/* Splits the rows of one bin, condition by condition. The random numbers depend only on the class name and the number.
 * Returns false if memory runs out. */
static bool deal_cell(crd_i_grid_folds *dealt, const crd_i_grid_view *grid, size_t cell, const uint64_t *names) {
    double shares[CRD_I_GRID_FOLDS], number = grid->values[cell];
    for (size_t k = 0; k < dealt->conditions; k++) {
        double weight = grid->counts[cell * dealt->conditions + k];
        if (!(weight > 0)) continue;
        crd_i_random random = crd_i_random_at(names[k], crd_i_bits_of(number + 0.0)); /* -0 is 0 */
        grid_folds_deal(&random, weight, shares);
        for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) {
            if (shares[f] == 0) continue;
            if (!grid_folds_append(dealt->context, &dealt->folds[f], number, k, shares[f])) return false;
            dealt->rows[f * dealt->conditions + k] += shares[f];
        }
    }
    return true;
}

/* ---- Sufficient statistics ---- */

static bool add_fold(crd_i_tally *tally, crd_context *context, size_t conditions, const crd_i_grid_folds_fold *fold) {
    crd_i_groups groups;
    const crd_i_cells cells = {.rows = fold->count, .numbers = fold->numbers};
    bool done = crd_i_groups_init(&groups, context, fold->conditions, fold->weights, fold->count) &&
                tally->type->extend(tally, conditions, 0) && tally->type->add(tally, &cells, &groups);
    crd_i_groups_clear(&groups);
    return done;
}

/* Computes the tallies of all folds together. Returns false if memory runs out. */
static bool tally_whole(crd_i_grid_folds *dealt) {
    bool done = true;
    for (size_t t = 0; done && t < CRD_I_MOST_READS; t++) {
        dealt->whole[t] = crd_i_family_auto.reads[t]->create(dealt->context);
        done = dealt->whole[t] != NULL;
        for (size_t f = 0; done && f < CRD_I_GRID_FOLDS; f++)
            done = add_fold(dealt->whole[t], dealt->context, dealt->conditions, &dealt->folds[f]);
    }
    return done;
}

/* Merges the bins of the grid, splits their rows and computes the tallies of the whole. */
bool crd_i_grid_folds_init(crd_i_grid_folds *dealt, crd_context *context, const crd_i_tally *grid,
                           const crd_i_view *view, const crd_i_dictionary *names) {
    crd_i_grid_view cells;
    memset(dealt, 0, sizeof *dealt);
    dealt->context = context;
    dealt->conditions = view->condition_count;
    dealt->rows = crd_i_alloc_zeroed(context, CRD_I_GRID_FOLDS * dealt->conditions, sizeof *dealt->rows);
    uint64_t *hashes = crd_i_alloc(context, dealt->conditions, sizeof *hashes);
    bool done = crd_i_grid_view_init(&cells, context, grid, view) && dealt->rows != NULL && hashes != NULL;
    for (size_t k = 0; done && k < dealt->conditions; k++) hashes[k] = grid_folds_hash(crd_i_dictionary_text(names, k));
    if (done) grid_folds_join(&cells);
    for (size_t i = 0; done && i < cells.count; i++) done = deal_cell(dealt, &cells, i, hashes);
    done = done && tally_whole(dealt);
    crd_i_grid_view_clear(&cells);
    crd_free(context, hashes);
    return done;
}

void crd_i_grid_folds_clear(crd_i_grid_folds *dealt) {
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) {
        crd_free(dealt->context, dealt->folds[f].numbers);
        crd_free(dealt->context, dealt->folds[f].conditions);
        crd_free(dealt->context, dealt->folds[f].weights);
    }
    for (size_t t = 0; t < CRD_I_MOST_READS; t++) crd_i_tally_destroy(dealt->whole[t]);
    crd_free(dealt->context, dealt->rows);
}

/* Computes the tally of all rows outside of a fold by subtraction. Tallies are exact, so this equals the sum of the
 * other folds. */
static bool subtract_fold(const crd_i_grid_folds *dealt, size_t fold, const crd_i_tally_map *map,
                          const crd_i_tally *whole, crd_i_tally **tally) {
    const crd_i_tally_type *type = whole->type;
    crd_i_tally *out = type->create(dealt->context);
    *tally = type->create(dealt->context);
    bool done = out != NULL && *tally != NULL &&
                add_fold(out, dealt->context, dealt->conditions, &dealt->folds[fold]) &&
                type->prepare(*tally, whole, map) && type->combine(*tally, whole, map, 1) &&
                type->prepare(*tally, out, map) && type->combine(*tally, out, map, -1);
    crd_i_tally_destroy(out);
    return done;
}

bool crd_i_grid_folds_rest(const crd_i_grid_folds *dealt, size_t fold, crd_i_tally *tally[CRD_I_MOST_READS]) {
    for (size_t t = 0; t < CRD_I_MOST_READS; t++) tally[t] = NULL;
    size_t *same = crd_i_alloc(dealt->context, dealt->conditions, sizeof *same);
    bool done = same != NULL;
    for (size_t k = 0; done && k < dealt->conditions; k++) same[k] = k;
    const crd_i_tally_map map = {same, dealt->conditions, NULL, 0};
    for (size_t t = 0; done && t < CRD_I_MOST_READS; t++)
        done = subtract_fold(dealt, fold, &map, dealt->whole[t], &tally[t]);
    crd_free(dealt->context, same);
    return done;
}
