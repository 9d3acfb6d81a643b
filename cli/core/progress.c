/* SPDX-License-Identifier: MIT */
/* progress.c - see progress.h. The reader reports progress from whichever thread reads, while another thread may report
 * something else. A mutex protects the state.
 *
 * On a terminal there is one line, which is overwritten. Elsewhere a line is written every LINE_EVERY seconds, so the
 * log of a long run shows that it continues. */
#include "core/progress.h"

#include "base/os.h"
#include "core/messages.h"
#include "core/string_buffer.h"
#include "core/system.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In seconds. */
static const double FIRST_SHOWN_AFTER = 1, SHOWN_EVERY = 0.2, LINE_EVERY = 10;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static bool forbidden, is_shown;
static double begun, steps_begun, last_shown;
static uint64_t last_done;
static double first_call; /* time of the first progress report of any kind; 0: none yet */
/* time of the last report by the reader or by a step; these are more specific than a stage */
static double last_specific;
static unsigned process_count; /* number of processes that this process reports for; 0: a single process */

/* The current work that consists of several parts. */
static struct {
    char name[64];
    size_t done, count; /* finished parts and all parts; count 0: no such work */
    double part;        /* finished share of all work, from 0 to 1 */
    double begun;
} work;

/* The current stage of a library call. */
static struct {
    char name[64];
    double begun, first, done; /* `first` is the value of `done` in the first crd_result */
} stage;

static double progress_now(void) {
    return 1e-9 * (double)crd_i_os_clock();
}

static void progress_add_bytes(string *line, double bytes) {
    if (bytes >= 1e9) string_format(line, "%.2f GB", bytes / 1e9);
    else string_format(line, bytes >= 1e7 ? "%.0f MB" : "%.1f MB", bytes / 1e6);
}

static void add_duration(string *line, double seconds) {
    uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : (uint64_t)1e9;
    unsigned long long hours = whole / 3600, minutes = whole / 60 % 60, remainder = whole % 60;
    if (hours > 0) string_format(line, "%llu h %llu min", hours, minutes);
    else if (minutes > 0) string_format(line, "%llu min %llu s", minutes, remainder);
    else string_format(line, "%llu s", remainder);
}

/* ---- Where progress is shown ---- */

static bool progress_is_seen(void) {
    return !message_is_quiet() && system_shows_escapes(CRD_I_STDERR);
}

static bool is_by_lines(void) {
    return !message_is_quiet() && (process_count > 0 || !system_is_terminal(CRD_I_STDERR));
}

/* Returns whether a line may be shown now for something that began at `since`. */
static bool is_due(double time, double since) {
    if (is_by_lines()) {
        const double last = last_shown > first_call ? last_shown : first_call;
        return time - last >= LINE_EVERY;
    }
    return !forbidden && progress_is_seen() && time - since >= FIRST_SHOWN_AFTER && time - last_shown >= SHOWN_EVERY;
}

/* Writes the line in a single write, so no partial line is visible. */
static void show_line(const string *text, double time) {
    const bool is_line = is_by_lines();
    string line = {0};
    string_format(&line, is_line ? "credence: progress: " : "\r\x1b[Kcredence: ");
    string_add(&line, text->bytes, text->length);
    if (is_line) string_add_char(&line, '\n');
    fwrite(line.bytes, 1, line.length, stderr);
    fflush(stderr);
    string_free(&line);
    is_shown = !is_line;
    last_shown = time;
}

static void add_time_left(string *line, double seconds, double part) {
    if (!(part > 0 && part < 1)) return;
    string_format(line, ", ");
    add_duration(line, seconds * (1 - part) / part);
    string_format(line, " left");
}

/* Shows "read 1.20 of 3.40 GB ...". */
static void show_read(double time, uint64_t done, uint64_t total) {
    string line = {0};
    double rate = (double)done / (time - begun);
    string_format(&line, "read ");
    progress_add_bytes(&line, (double)done);
    if (total > 0) {
        string_format(&line, " of ");
        progress_add_bytes(&line, (double)total);
        string_format(&line, " (%.0f %%)", 100 * (double)done / (double)total);
    }
    string_format(&line, ", %.1f MB/s", rate / 1e6);
    if (total > done && done > 0) {
        string_format(&line, ", ");
        add_duration(&line, (double)(total - done) / rate);
        string_format(&line, " left");
    }
    show_line(&line, time);
    string_free(&line);
}

/* Shows "3 of 36: naive, kernel (12 %), 40 s left". */
static void show_work(double time) {
    string line = {0};
    string_format(&line, "%zu of %zu: %s (%.0f %%)", work.done < work.count ? work.done + 1 : work.count, work.count,
                  work.name, 100 * work.part);
    add_time_left(&line, time - work.begun, work.part);
    show_line(&line, time);
    string_free(&line);
}

static void progress_erase_line(void) {
    if (!is_shown) return;
    fputs("\r\x1b[K", stderr);
    fflush(stderr);
    is_shown = false;
}

static void begin_any(double time) {
    if (first_call == 0) first_call = time;
}

static void on_progress(void *user, uint64_t done, uint64_t total) {
    (void)user;
    double time = progress_now();
    pthread_mutex_lock(&guard);
    begin_any(time);
    last_specific = time;
    /* Another pass over the same files has begun. */
    if (done < last_done) begun = time;
    last_done = done;
    const uint64_t processes = process_count > 0 ? process_count : 1;
    if (total > 0 && done >= total) {
        if (work.count == 0) progress_erase_line();
    } else if (work.count == 0 && time > begun && is_due(time, begun)) {
        show_read(time, done * processes, total * processes);
    }
    pthread_mutex_unlock(&guard);
}

/* Returns whether progress is visible. If so, messages will erase the progress line first. */
static bool progress_prepare(void) {
    if (is_by_lines()) return true;
    if (!progress_is_seen()) return false;
    message_call_before(progress_erase);
    return true;
}

void progress_by_lines(unsigned processes) {
    process_count = processes;
}

void progress_begin(crd_reader_options *options) {
    if (!progress_prepare()) return;
    pthread_mutex_lock(&guard);
    begun = progress_now();
    begin_any(begun);
    last_done = 0;
    pthread_mutex_unlock(&guard);
    options->progress = on_progress;
}

void progress_step(const char *step, size_t done, size_t total) {
    double time = progress_now();
    const size_t number = done < total ? done + 1 : total; /* if all steps are done, no further step begins */
    if (!progress_prepare()) return;
    pthread_mutex_lock(&guard);
    begin_any(time);
    last_specific = time;
    if (done == 0) steps_begun = time;
    if (is_due(time, steps_begun)) {
        string line = {0};
        string_format(&line, "%zu of %zu: %s", number, total, step);
        show_line(&line, time);
        string_free(&line);
    }
    pthread_mutex_unlock(&guard);
}

void progress_work(const char *name, size_t done, size_t count, double part) {
    double time = progress_now();
    if (!progress_prepare()) return;
    pthread_mutex_lock(&guard);
    begin_any(time);
    if (work.count == 0) work.begun = steps_begun = time;
    snprintf(work.name, sizeof work.name, "%s", name);
    work.done = done;
    work.count = count;
    work.part = part;
    if (is_due(time, work.begun)) show_work(time);
    pthread_mutex_unlock(&guard);
}

/* Shows "fitting the ensemble (30 %), 12 s left". */
static void show_stage(double time, double total) {
    string line = {0};
    string_format(&line, "%s", stage.name);
    if (total > 0) string_format(&line, " (%.0f %%)", 100 * stage.done / total);
    if (total > stage.first)
        add_time_left(&line, time - stage.begun, (stage.done - stage.first) / (total - stage.first));
    show_line(&line, time);
    string_free(&line);
}

/* Seconds after the last report by the reader or a step before a stage is shown. */
static const double STAGE_AFTER = 1;

/* Records a stage of a library call, and shows it, or the current work, if a line is due. */
static void on_stage(void *user, const char *name, double done, double total) {
    (void)user;
    double time = progress_now();
    if (!progress_prepare()) return;
    pthread_mutex_lock(&guard);
    begin_any(time);
    if (strcmp(stage.name, name) != 0 || done < stage.done) {
        snprintf(stage.name, sizeof stage.name, "%s", name);
        stage.begun = time;
        stage.first = done;
    }
    stage.done = done;
    if (work.count > 0) {
        if (is_due(time, work.begun)) show_work(time);
    } else if (time - last_specific >= STAGE_AFTER && (total > 0 || is_by_lines()) && is_due(time, stage.begun)) {
        show_stage(time, total);
    }
    pthread_mutex_unlock(&guard);
}

void progress_follow(crd_call_options *options) {
    options->progress = on_stage;
}

void progress_result(const char *result) {
    if (is_by_lines() || !progress_prepare()) return;
    pthread_mutex_lock(&guard);
    if (!forbidden && progress_now() - steps_begun >= FIRST_SHOWN_AFTER) {
        progress_erase_line();
        fprintf(stderr, "credence: %s\n", result);
        fflush(stderr);
    }
    pthread_mutex_unlock(&guard);
}

void progress_say(const char *description) {
    if (is_by_lines() || !progress_prepare()) return;
    pthread_mutex_lock(&guard);
    if (!forbidden) {
        fprintf(stderr, "\r\x1b[Kcredence: %s", description);
        fflush(stderr);
        is_shown = true;
    }
    pthread_mutex_unlock(&guard);
}

void progress_erase(void) {
    pthread_mutex_lock(&guard);
    progress_erase_line();
    pthread_mutex_unlock(&guard);
}

void progress_work_end(void) {
    pthread_mutex_lock(&guard);
    progress_erase_line();
    work.count = 0;
    pthread_mutex_unlock(&guard);
}

void progress_forbid(void) {
    pthread_mutex_lock(&guard);
    progress_erase_line();
    forbidden = true;
    pthread_mutex_unlock(&guard);
}
