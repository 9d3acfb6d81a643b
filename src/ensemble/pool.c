/* pool.c - see pool.h. */
#include "ensemble/pool.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/compound.h"
#include "math/functions/elementary.h"
#include "math/random.h"
#include "model/frame_binding.h"

#include <math.h>
#include <string.h>

crd_i_pool *crd_i_pool_create(crd_context *context, crd_i_pool_rule rule, uint64_t seed) {
    crd_i_pool *pool = crd_i_alloc_zeroed(context, 1, sizeof *pool);
    if (pool == NULL) return NULL;
    pool->context = context;
    pool->rule = rule;
    pool->seed = seed;
    return pool;
}

static void clear_member(crd_context *context, crd_i_pool_member *member) {
    for (size_t i = 0; member->codes != NULL && i < member->classifier->attribute_count; i++)
        crd_free(context, member->codes[i]);
    crd_free(context, member->codes);
    crd_free(context, member->attributes);
    crd_free(context, member->classes);
    crd_classifier_destroy(member->classifier);
}

void crd_i_pool_destroy(crd_i_pool *pool) {
    if (pool == NULL) return;
    for (size_t i = 0; i < pool->count; i++) clear_member(pool->context, &pool->members[i]);
    crd_free(pool->context, pool->members);
    crd_free(pool->context, pool->offsets);
    crd_free(pool->context, pool);
}

/* ---- Members ---- */

static size_t find_attribute(const crd_classifier *owner, crd_text name) {
    size_t i = 0;
    while (!crd_text_equal(owner->attributes[i].name, name)) i++;
    return i;
}

/* The owner's codes in those of the member; the code of missing cells, -1, stands first. */
static int32_t *map_codes(crd_context *context, const crd_i_dictionary *from, const crd_i_dictionary *to) {
    size_t count = crd_i_dictionary_size(from);
    int32_t *codes = crd_i_alloc(context, count + 1, sizeof *codes);
    if (codes == NULL) return NULL;
    codes[0] = CRD_I_CODE_MISSING;
    for (size_t i = 0; i < count; i++) {
        int32_t code = crd_i_dictionary_find(to, crd_i_dictionary_text(from, i));
        codes[i + 1] = code < 0 ? CRD_I_CODE_UNSEEN : code;
    }
    return codes;
}

static bool map_member(crd_i_pool *pool, const crd_classifier *owner, crd_i_pool_member *member) {
    const crd_classifier *own = member->classifier;
    member->attributes = crd_i_alloc(pool->context, own->attribute_count, sizeof *member->attributes);
    member->codes = crd_i_alloc_zeroed(pool->context, own->attribute_count, sizeof *member->codes);
    member->classes = crd_i_alloc(pool->context, own->class_count, sizeof *member->classes);
    if (member->attributes == NULL || member->codes == NULL || member->classes == NULL) return false;
    for (size_t k = 0; k < own->class_count; k++)
        member->classes[k] = crd_i_dictionary_find(owner->classes, crd_i_dictionary_text(own->classes, k));
    for (size_t i = 0; i < own->attribute_count; i++) {
        member->attributes[i] = find_attribute(owner, own->attributes[i].name);
        const crd_i_dictionary *values = owner->attributes[member->attributes[i]].values;
        if (own->attributes[i].values == NULL || values == NULL) continue;
        member->codes[i] = map_codes(pool->context, values, own->attributes[i].values);
        if (member->codes[i] == NULL) return false;
    }
    return true;
}

/* Doubles that cells of so many attributes take. */
static size_t cells_room(size_t attributes) {
    return (attributes * sizeof(crd_i_one_cell) + sizeof(double) - 1) / sizeof(double);
}

/* A row works in: the members' log posteriors in the owner's classes, their log evidences, the cells and log posteriors
 * of the member at hand, and whatever that one works in. */
static size_t measure(const crd_i_pool *pool, const crd_classifier *owner) {
    size_t most = 0;
    for (size_t i = 0; i < pool->count; i++) {
        const crd_classifier *member = pool->members[i].classifier;
        size_t room = cells_room(member->attribute_count) + member->class_count + crd_i_compound_room(member);
        if (room > most) most = room;
    }
    return pool->count * (owner->class_count + 1) + most;
}

crd_status crd_i_pool_add(crd_i_pool *pool, const crd_classifier *owner, crd_classifier *member, double weight,
                          crd_error *error) {
    crd_i_pool_member added = {.classifier = member, .weight = weight};
    if (!crd_i_reserve(pool->context, &pool->members, &pool->capacity, pool->count + 1, sizeof *pool->members) ||
        !map_member(pool, owner, &added)) {
        clear_member(pool->context, &added);
        return crd_i_fail_memory(error);
    }
    pool->members[pool->count++] = added;
    pool->room = measure(pool, owner);
    return CRD_OK;
}

bool crd_i_pool_estimates(const crd_i_pool *pool, crd_i_estimates *to) {
    for (size_t i = 0; i < pool->count; i++) {
        const crd_i_estimates *own = &pool->members[i].classifier->estimates;
        for (size_t e = 0; e < own->count; e++)
            if (!crd_i_estimates_add(to, own->entries[e].what, own->entries[e].count)) return false;
    }
    return true;
}

/* ---- Answering ---- */

/* What the cell of an attribute has: cells of the same content have the same, whichever way they came in. */
static uint64_t content_of(const crd_i_attribute *attribute, const crd_i_one_cell *cell) {
    enum { MISSING = 1, UNSEEN = 2, FIRST_CODE = 3 };
    if (!cell->is_present || attribute->kind == CRD_KIND_NONE) return MISSING;
    if (attribute->kind == CRD_KIND_CATEGORY) return cell->is_unseen ? UNSEEN : (uint64_t)cell->code + FIRST_CODE;
    double number = cell->number + 0.0; /* -0 is 0 */
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A function of what the row has, and so the same for a row wherever it stands. */
static uint64_t hash_cells(const crd_classifier *owner, const crd_i_one_cell *cells) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < owner->attribute_count; i++) {
        hash = (hash ^ content_of(&owner->attributes[i], &cells[i])) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool has_say(const double *logs, size_t classes) {
    for (size_t k = 0; k < classes; k++)
        if (logs[k] > -INFINITY) return true;
    return false;
}

static double join_average(const crd_i_pool *pool, size_t classes, const double *logs, const double *evidences,
                           double *log_posterior) {
    double total = 0, greatest = -INFINITY, evidence = 0;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = 0;
    for (size_t i = 0; i < pool->count; i++) {
        double weight = pool->members[i].weight;
        if (weight == 0 || !has_say(logs + i * classes, classes)) continue;
        total += weight;
        if (evidences[i] > greatest) greatest = evidences[i];
        for (size_t k = 0; k < classes; k++) log_posterior[k] += weight * crd_exp(logs[i * classes + k]);
    }
    for (size_t k = 0; k < classes; k++)
        log_posterior[k] = log_posterior[k] > 0 ? crd_log(log_posterior[k]) : -INFINITY;
    if (total == 0) return -INFINITY;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->members[i].weight > 0 && has_say(logs + i * classes, classes))
            evidence += pool->members[i].weight / total * crd_exp(evidences[i] - greatest);
    return greatest + crd_log(evidence);
}

static double join_gibbs(const crd_i_pool *pool, size_t classes, const double *logs, const double *evidences,
                         double draw, double *log_posterior) {
    double total = 0, passed = 0;
    size_t chosen = SIZE_MAX;
    for (size_t i = 0; i < pool->count; i++)
        if (has_say(logs + i * classes, classes)) total += pool->members[i].weight;
    for (size_t i = 0; i < pool->count && !(passed > draw * total); i++) {
        if (pool->members[i].weight == 0 || !has_say(logs + i * classes, classes)) continue;
        passed += pool->members[i].weight;
        chosen = i;
    }
    for (size_t k = 0; k < classes; k++) log_posterior[k] = chosen == SIZE_MAX ? -INFINITY : logs[chosen * classes + k];
    return chosen == SIZE_MAX ? -INFINITY : evidences[chosen];
}

static double join_product(const crd_i_pool *pool, size_t classes, const double *logs, const double *evidences,
                           double *log_posterior) {
    double evidence = 0;
    bool any = false;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = pool->offsets == NULL ? 0 : pool->offsets[k];
    for (size_t i = 0; i < pool->count; i++) {
        double weight = pool->members[i].weight;
        if (weight == 0 || !has_say(logs + i * classes, classes)) continue;
        any = true;
        evidence += weight * evidences[i];
        for (size_t k = 0; k < classes; k++) {
            double log_probability = logs[i * classes + k];
            log_posterior[k] += weight * (log_probability > CRD_I_POOL_LEAST ? log_probability : CRD_I_POOL_LEAST);
        }
    }
    if (any || pool->count == 0) return evidence; /* without members the factors are all that is known */
    for (size_t k = 0; k < classes; k++) log_posterior[k] = -INFINITY;
    return -INFINITY;
}

static double join_votes(const crd_i_pool *pool, size_t classes, const double *logs, const double *evidences,
                         double *log_posterior) {
    double total = 0, evidence = 0;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = 0;
    for (size_t i = 0; i < pool->count; i++) {
        double weight = pool->members[i].weight;
        if (weight == 0 || !has_say(logs + i * classes, classes)) continue;
        size_t decision = 0;
        for (size_t k = 1; k < classes; k++)
            if (logs[i * classes + k] > logs[i * classes + decision]) decision = k;
        log_posterior[decision] += weight;
        evidence += weight * evidences[i];
        total += weight;
    }
    if (total > 0) return evidence / total;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = -INFINITY;
    return -INFINITY;
}

double crd_i_pool_join(const crd_i_pool *pool, size_t classes, const double *logs, const double *evidences, double draw,
                       double *log_posterior) {
    if (pool->rule == CRD_I_POOL_GIBBS) return join_gibbs(pool, classes, logs, evidences, draw, log_posterior);
    if (pool->rule == CRD_I_POOL_VOTE) return join_votes(pool, classes, logs, evidences, log_posterior);
    if (pool->rule == CRD_I_POOL_PRODUCT) return join_product(pool, classes, logs, evidences, log_posterior);
    return join_average(pool, classes, logs, evidences, log_posterior);
}

/* The owner's cell as the member takes it. */
static crd_i_one_cell translate(const crd_i_pool_member *member, size_t i, const crd_i_one_cell *cells) {
    const crd_classifier *own = member->classifier;
    crd_i_one_cell cell = cells[member->attributes[i]];
    if (!cell.is_present || own->attributes[i].kind == CRD_KIND_NONE) {
        const crd_i_one_cell missing = {false, false, 0, CRD_I_CODE_MISSING};
        return missing;
    }
    if (own->attributes[i].kind == CRD_KIND_CATEGORY) {
        cell.code = cell.is_unseen ? CRD_I_CODE_UNSEEN : member->codes[i][cell.code + 1];
        cell.is_unseen = cell.code < 0;
    } else {
        cell.is_unseen =
            crd_i_attribute_counts(own, i) && !crd_i_density_covers(own->attributes[i].density, cell.number);
    }
    return cell;
}

static crd_status ask_member(const crd_i_pool_member *member, const crd_i_one_cell *cells, size_t classes, double *logs,
                             double *evidence, double *room, crd_error *error) {
    const crd_classifier *own = member->classifier;
    crd_i_one_cell *own_cells = (crd_i_one_cell *)room;
    double *own_logs = room + cells_room(own->attribute_count);
    crd_answer answer;
    for (size_t i = 0; i < own->attribute_count; i++) own_cells[i] = translate(member, i, cells);
    crd_status status =
        crd_i_compound_answer(own, own_cells, own_logs, NULL, &answer, own_logs + own->class_count, error);
    if (status != CRD_OK) return status;
    for (size_t k = 0; k < classes; k++) logs[k] = -INFINITY;
    for (size_t k = 0; answer.decision >= 0 && k < own->class_count; k++) logs[member->classes[k]] = own_logs[k];
    *evidence = answer.log_evidence;
    return CRD_OK;
}

crd_status crd_i_pool_ask(const crd_classifier *owner, const crd_i_pool *pool, const crd_i_one_cell *cells,
                          double *logs, double *evidences, double *room, crd_error *error) {
    size_t classes = owner->class_count;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < pool->count; i++)
        status = ask_member(&pool->members[i], cells, classes, logs + i * classes, &evidences[i], room, error);
    return status;
}

crd_status crd_i_pool_answer(const crd_classifier *owner, const crd_i_pool *pool, const crd_i_one_cell *cells,
                             double *log_posterior, double *probabilities, crd_answer *answer, double *room,
                             crd_error *error) {
    size_t classes = owner->class_count;
    double *logs = room, *evidences = logs + pool->count * classes, *rest = evidences + pool->count, draw = 0;
    crd_status status = crd_i_pool_ask(owner, pool, cells, logs, evidences, rest, error);
    if (status != CRD_OK) return status;
    if (pool->rule == CRD_I_POOL_GIBBS) {
        crd_i_random random = crd_i_random_at(pool->seed, hash_cells(owner, cells));
        draw = crd_i_random_uniform(&random);
    }
    double evidence = crd_i_pool_join(pool, classes, logs, evidences, draw, log_posterior);
    answer->unseen = 0;
    for (size_t i = 0; i < owner->attribute_count; i++) answer->unseen += cells[i].is_unseen;
    crd_i_classifier_conclude(owner->lanes, owner->log_priors, classes, log_posterior, probabilities, answer);
    answer->log_evidence = answer->decision < 0 ? -INFINITY : evidence;
    return CRD_OK;
}
