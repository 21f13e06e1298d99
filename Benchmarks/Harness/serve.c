/* The conversation with the runner. The runner opens a row and requests samples, in turn with other programs. One line
 * each way, and one process for each row:
 *     open KIND KEY=VALUE ...     ok, or: none REASON
 *     sample                      values in the row's unit, separated by blanks
 */
#include "harness.h"

#include <unistd.h>

__thread uint64_t counted_here;

static const struct kind *kinds[] = {&post_kind,   &names_kind,        &objects_kind,       &miss_kind,
                                     &change_kind, &wait_kind,         &threads_kind,       &churn_kind,
                                     &single_kind, &churn_memory_kind, &waiting_kind,       &paced_kind,
                                     &bytes_kind,  &allocations_kind,  &thread_memory_kind, &slots_kind};

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* The text behind " key=", or NULL. */
static const char *find(const struct row *row, const char *key) {
    size_t length = strlen(key);
    for (const char *at = row->line; (at = strchr(at, ' ')) != NULL;) {
        at++;
        if (strncmp(at, key, length) == 0 && at[length] == '=') return at + length + 1;
    }
    return NULL;
}

long option(const struct row *row, const char *key, long otherwise) {
    const char *text = find(row, key);
    return text ? strtol(text, NULL, 10) : otherwise;
}

const char *option_word(const struct row *row, const char *key, char word[32]) {
    const char *text = find(row, key);
    snprintf(word, 32, "%.*s", text ? (int)strcspn(text, " ") : 0, text ? text : "");
    return word;
}

/* ---- Operations that are timed ----------------------------------------------------------------------------------- */

/* Warms up as well. Returns the shorter of two times: the first run may have had to allocate or fill caches. */
void calibrate(struct row *row, void (*run)(struct row *row, long count)) {
    double batch = (double)option(row, "batch", 5000000);
    row->count = option(row, "count_each", 0);
    if (row->count) return run(row, row->count);
    for (row->count = 1; row->count < 1L << 40; row->count *= 2) {
        double start = now();
        run(row, row->count);
        double middle = now();
        if (middle - start < batch) continue;
        run(row, row->count);
        if (now() - middle >= batch) return;
    }
}

size_t time_sample(struct row *row, void (*run)(struct row *row, long count), const clockid_t *other, double *values) {
    struct stretch stretch;
    int attempt = 0;
    do {
        stretch = stretch_begin(other);
        double start = now();
        run(row, row->count);
        *values = (now() - start) / (double)row->count;
    } while (again(&stretch, other, &attempt));
    return 1;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static void run_task(struct row *row, long count) { row->task->run(row->task->context, count); }

static const char *open_task(struct row *row) {
    const char *reason = row->task->open ? row->task->open(row->task->context) : NULL;
    if (!reason && row->task->run) calibrate(row, run_task);
    return reason;
}

static size_t sample_task(struct row *row, double *values) {
    if (row->task->run) {
        size_t count = time_sample(row, run_task, NULL, values);
        if (row->task->settle) row->task->settle(row->task->context);
        return count;
    }
    size_t most = (size_t)option(row, "most", MOST_VALUES);
    return row->task->take(row->task->context, values, most < MOST_VALUES ? most : MOST_VALUES);
}

static const struct kind task_kind = {"task", open_task, sample_task};

/* ---- The conversation -------------------------------------------------------------------------------------------- */

struct program {
    const struct peer *peers;
    size_t peer_count;
    const struct task *tasks;
    size_t task_count;
};

static const struct kind *find_kind(const struct program *program, struct row *row) {
    size_t length = strcspn(row->line, " ");
    if (length == 4 && strncmp(row->line, "task", 4) == 0) {
        char name[32];
        option_word(row, "name", name);
        for (size_t i = 0; i < program->task_count; i++) {
            row->task = &program->tasks[i];
            if (strcmp(name, row->task->name) == 0) return &task_kind;
        }
        return NULL;
    }
    for (size_t i = 0; row->peer && i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]->name) == length && strncmp(row->line, kinds[i]->name, length) == 0) return kinds[i];
    return NULL;
}

static void answer_sample(const struct kind *kind, struct row *row) {
    static double values[MOST_VALUES];
    size_t count = kind->sample(row, values);
    for (size_t i = 0; i < count; i++) printf("%s%.7g", i ? " " : "", values[i]);
    puts(count ? "" : "nothing");
}

static void serve(const struct program *program, const struct peer *peer) {
    struct row row = {.peer = peer};
    const struct kind *open = NULL;
    char line[sizeof row.line + 8];
    pin_to(0);
    if (peer && peer->begin_thread) peer->begin_thread();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "open ", 5) == 0 && !open) {
            snprintf(row.line, sizeof row.line, "%.*s", (int)sizeof row.line - 1, line + 5);
            open = find_kind(program, &row);
            const char *reason = open ? open->open(&row) : "this program has no such row";
            if (reason) open = NULL;
            printf("%s%s\n", reason ? "none " : "ok", reason ? reason : "");
        } else if (strcmp(line, "sample") == 0 && open) {
            answer_sample(open, &row);
        } else {
            puts("what?");
        }
        fflush(stdout);
    }
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

static void say_text(const char *key, const char *text) {
    if (text) printf(",\"%s\":\"%s\"", key, text);
}
static void say_yes(const char *key, bool yes) {
    if (yes) printf(",\"%s\":true", key);
}

/* Prints a peer as a line of JSON, as the runner writes it into its results, without members that are NULL, 0 or false.
 * The texts contain neither quotes nor backslashes. */
static void list(const struct program *program) {
    for (size_t i = 0; i < program->peer_count; i++) {
        const struct peer *peer = &program->peers[i];
        printf("peer {\"id\":\"%s\",\"threadSafe\":%s", peer->name, peer->thread_safe ? "true" : "false");
        say_text("title", peer->title);
        say_text("package", peer->package);
        say_text("role", peer->role ? peer->role : "peer");
        say_text("rival", peer->rival);
        say_text("ahead", peer->ahead);
        say_text("like", peer->like);
        say_text("lookup", peer->lookup);
        if (peer->rank) printf(",\"rank\":%d", peer->rank);
        say_text("label", peer->label);
        say_yes("objects", peer->objects);
        say_yes("removesByObserver", peer->remove_observer);
        say_yes("waits", peer->remove_and_wait);
        puts("}");
    }
    for (size_t i = 0; i < program->task_count; i++) printf("task %s\n", program->tasks[i].name);
}

/* Runs an operation so many times and nothing else, for callgrind; or prints how many allocations that took. */
static int repeat(const struct program *program, const struct peer *peer, const char *line, long count,
                  bool allocations) {
    struct row row = {.peer = peer};
    snprintf(row.line, sizeof row.line, "%s batch=0", line);
    const struct kind *kind = find_kind(program, &row);
    if (!kind) return 64;
    const char *reason = kind->open(&row);
    if (reason) {
        fprintf(stderr, "%s\n", reason);
        return 1;
    }
    double values[MOST_VALUES];
    row.count = count;
    uint64_t before = allocations_here();
    kind->sample(&row, values);
    if (allocations) printf("%llu\n", (unsigned long long)(allocations_here() - before));
    fflush(stdout);
    _exit(0); /* without the peer's clean-up */
}

int peer_main(int count, char **arguments, const struct peer *peers, size_t peer_count, const struct task *tasks,
              size_t task_count) {
    struct program program = {peers, peer_count, tasks, task_count};
    const struct peer *peer = NULL;
    choose_cpus();
    for (size_t i = 0; count > 2 && i < peer_count; i++)
        if (strcmp(arguments[2], peers[i].name) == 0) peer = &peers[i];
    bool known = peer || (count > 2 && strcmp(arguments[2], "-") == 0);
    if (count == 2 && strcmp(arguments[1], "list") == 0) return list(&program), 0;
    if (count == 3 && strcmp(arguments[1], "serve") == 0 && known) return serve(&program, peer), 0;
    if (count == 4 && strcmp(arguments[1], "gate") == 0 && peer) return put_to(peer, arguments[3]);
    bool allocations = count == 5 && strcmp(arguments[1], "allocations") == 0;
    if (known && (allocations || (count == 5 && strcmp(arguments[1], "repeat") == 0)))
        return repeat(&program, peer, arguments[3], strtol(arguments[4], NULL, 10), allocations);
    fprintf(stderr,
            "usage: %s list | serve PEER | gate PEER RULE | repeat PEER ROW COUNT | allocations PEER ROW COUNT\n"
            "A PEER is of the list, or -.\n",
            arguments[0]);
    return 64;
}
