/* SPDX-License-Identifier: MIT */
/* progress.c - see progress.h. The reader calls from whichever thread reads, while another may report something. */
#include "core/progress.h"

#include "core/messages.h"
#include "core/string_buffer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* In seconds. */
static const double FIRST_SHOWN_AFTER = 1, SHOWN_EVERY = 0.2, LINE_EVERY = 10;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static bool forbidden, is_shown;
static double begun, steps_begun, last_shown;
static uint64_t last_done;
static unsigned process_count; /* of which this one reports, by lines; 0: there is a terminal */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void add_bytes(string *line, double bytes) {
    if (bytes >= 1e9) string_format(line, "%.2f GB", bytes / 1e9);
    else string_format(line, bytes >= 1e7 ? "%.0f MB" : "%.1f MB", bytes / 1e6);
}

static void add_duration(string *line, double seconds) {
    uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : (uint64_t)1e9;
    unsigned long long hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
    if (hours > 0) string_format(line, "%llu h %llu min", hours, minutes);
    else if (minutes > 0) string_format(line, "%llu min %llu s", minutes, rest);
    else string_format(line, "%llu s", rest);
}

/* "credence: read 1.20 of 3.40 GB ..." One write, so that no half of it is seen. */
static void show(double seconds, uint64_t done, uint64_t total) {
    string line = {0};
    double rate = (double)done / seconds;
    string_format(&line, process_count > 0 ? "credence: read " : "\r\x1b[Kcredence: read ");
    add_bytes(&line, (double)done);
    if (total > 0) {
        string_format(&line, " of ");
        add_bytes(&line, (double)total);
        string_format(&line, " (%.0f %%)", 100 * (double)done / (double)total);
    }
    string_format(&line, ", %.1f MB/s", rate / 1e6);
    if (total > done && done > 0) {
        string_format(&line, ", ");
        add_duration(&line, (double)(total - done) / rate);
        string_format(&line, " left");
    }
    if (process_count > 0) string_add_char(&line, '\n');
    fwrite(line.bytes, 1, line.length, stderr);
    fflush(stderr);
    string_free(&line);
    is_shown = process_count == 0;
}

static void erase(void) {
    if (!is_shown) return;
    fputs("\r\x1b[K", stderr);
    fflush(stderr);
    is_shown = false;
}

static void on_progress(void *user, uint64_t done, uint64_t total) {
    (void)user;
    double time = now();
    pthread_mutex_lock(&guard);
    /* Another pass over the same files. */
    if (done < last_done) begun = time;
    last_done = done;
    if (total > 0 && done >= total) {
        erase();
    } else if (process_count > 0) {
        if (time - (last_shown > begun ? last_shown : begun) >= LINE_EVERY) {
            show(time - begun, done * process_count, total * process_count);
            last_shown = time;
        }
    } else if (!forbidden && time - begun >= FIRST_SHOWN_AFTER && time - last_shown >= SHOWN_EVERY) {
        show(time - begun, done, total);
        last_shown = time;
    }
    pthread_mutex_unlock(&guard);
}

static bool is_seen(void) {
    const char *terminal = getenv("TERM");
    /* A dumb terminal cannot take a line away. */
    return !message_is_quiet() && isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

/* The first time that somebody sees it. */
static bool begin(void) {
    if (!is_seen()) return false;
    message_call_before(progress_erase);
    return true;
}

void progress_by_lines(unsigned processes) {
    process_count = processes;
}

void progress_begin(crd_reader_options *options) {
    if (process_count > 0 ? message_is_quiet() : !begin()) return;
    pthread_mutex_lock(&guard);
    begun = now();
    last_shown = 0;
    last_done = 0;
    pthread_mutex_unlock(&guard);
    options->progress = on_progress;
}

void progress_step(const char *step, size_t done, size_t total) {
    double time = now();
    const size_t number = done < total ? done + 1 : total; /* where all are done, none begins */
    const bool is_by_lines = process_count > 0 && !message_is_quiet();
    if (!is_by_lines && !begin()) return;
    pthread_mutex_lock(&guard);
    if (done == 0) steps_begun = time;
    if (is_by_lines) {
        if (time - (last_shown > steps_begun ? last_shown : steps_begun) >= LINE_EVERY) {
            fprintf(stderr, "credence: %zu of %zu: %s\n", number, total, step);
            last_shown = time;
        }
    } else if (!forbidden && time - steps_begun >= FIRST_SHOWN_AFTER) {
        fprintf(stderr, "\r\x1b[Kcredence: %zu of %zu: %s", number, total, step);
        fflush(stderr);
        is_shown = true;
    }
    pthread_mutex_unlock(&guard);
}

void progress_result(const char *result) {
    if (!begin()) return;
    pthread_mutex_lock(&guard);
    if (!forbidden && now() - steps_begun >= FIRST_SHOWN_AFTER) {
        erase();
        fprintf(stderr, "credence: %s\n", result);
        fflush(stderr);
    }
    pthread_mutex_unlock(&guard);
}

void progress_say(const char *what) {
    if (!begin()) return;
    pthread_mutex_lock(&guard);
    if (!forbidden) {
        fprintf(stderr, "\r\x1b[Kcredence: %s", what);
        fflush(stderr);
        is_shown = true;
    }
    pthread_mutex_unlock(&guard);
}

void progress_erase(void) {
    pthread_mutex_lock(&guard);
    erase();
    pthread_mutex_unlock(&guard);
}

void progress_forbid(void) {
    pthread_mutex_lock(&guard);
    erase();
    forbidden = true;
    pthread_mutex_unlock(&guard);
}
