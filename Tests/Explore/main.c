/* The explorer: runs every scenario with the core as it is, and then with each of the core's steps left out.
 *
 *      explore [--mutation NAME] [--scenario NAME] [--seed SEED] [--memory tso|views]
 *
 * Without arguments two processes share the work, because a process chooses the core's barrier only once.
 */
#include "choice.h"
#include "run.h"
#include "scenarios.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { WRONG_USE = 64 };

int explore_mutation;

/* The linker's symbols for the section of the scenarios. */
extern const struct scenario *const __start_explore_scenarios[], *const __stop_explore_scenarios[];

static int count_scenarios(void) { return (int)(__stop_explore_scenarios - __start_explore_scenarios); }
static const struct scenario *scenario_at(int i) { return __start_explore_scenarios[i]; }

static const char *const mutations[] = {
#define MUTATION(name) #name,
#include "mutations.h"
};
enum { MUTATIONS = sizeof mutations / sizeof *mutations };

/* ---- The core's own memory --------------------------------------------------------------------------------------- */

/* The linker's symbols for the sections with the variables of the core and of the scenarios. */
extern char __start_explore_data[], __stop_explore_data[], __start_explore_bss[], __stop_explore_bss[];
static char *image;

static void save_image(void) {
    size_t data = (size_t)(__stop_explore_data - __start_explore_data);
    size_t bss = (size_t)(__stop_explore_bss - __start_explore_bss);
    image = malloc(data + bss);
    memcpy(image, __start_explore_data, data);
    memcpy(image + data, __start_explore_bss, bss);
}

static void restore_image(void) {
    size_t data = (size_t)(__stop_explore_data - __start_explore_data);
    memcpy(__start_explore_data, image, data);
    memcpy(__start_explore_bss, image + data, (size_t)(__stop_explore_bss - __start_explore_bss));
}

/* ---- One scenario ------------------------------------------------------------------------------------------------ */

static const char *const memories[] = {[RUN_TSO] = "tso", [RUN_VIEWS] = "views"};

void must_hold(bool condition, const char *sentence) {
    if (!condition) run_fail(sentence);
}

void let_others(void) {
    run_begin_step();
    run_note_step("in the scenario", NULL, 0, "scenario", 0);
}

bool was_late(void) {
    bool late = run.was_late;
    run.was_late = false;
    return late;
}

void end_thread(void) { run_exit_thread(); }

void fork_here(void) { run_fork(); }

static void limit_time(int seconds) {
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

static bool run_once(const struct scenario *scenario, enum run_memory memory) {
    restore_image();
    heap_reset();
    locks_reset();
    memory_reset();
    choice_begin_run();
    run.memory = memory;
    limit_time(10);
    bool held = run_scenario(scenario->prepare, scenario->newcomers ? NULL : scenario_warm_up, scenario->ready,
                             scenario->bodies, scenario->check);
    limit_time(0);
    return held;
}

static const char *file_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void report(const struct scenario *scenario, enum run_memory memory) {
    const char *barrier = getenv("HERALD_BARRIER");
    printf("%s: %s\n    make explore SCENARIO=%s MEMORY=%s BARRIER=%s SEED=%s%s%s\n", scenario->name, run.failure,
           scenario->name, memories[memory], barrier && !strcmp(barrier, "fence") ? "fence" : "membarrier",
           choice_seed(), explore_mutation ? " MUTATION=" : "", explore_mutation ? mutations[explore_mutation] : "");
    for (int i = 0, thread = -1; i < run.count; i++) {
        const struct run_step *step = &run.steps[i];
        if (step->thread != thread) printf("  thread %d\n", thread = step->thread);
        printf("    %s:%d %s", file_of(step->file), step->line, step->what);
        if (step->at) printf(" %#lx", (unsigned long)(uintptr_t)step->at & 0xffffff);
        if (step->at || step->value) printf(" = %#lx", (unsigned long)step->value);
        printf("\n");
    }
    fflush(stdout);
}

struct effort {
    int bound;
    long runs, walks;
};

/* A small search first: few unusual choices find most faults. */
static const struct effort efforts[] = {{1, 2000, 300}, {2, 12000, 2000}, {2, 8000, 2000}};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

struct tally {
    long runs;
    int searches, whole; /* the bounded searches, and those of them that were complete */
};

/* The search's limits, and the first run that failed. */
struct search {
    const char *scenario, *seed;         /* only the scenario with this name, only this run; or NULL */
    enum run_memory memory, last_memory; /* the first and the last memory model */
    const struct scenario *failed;
    struct tally tally;
};

/* Whether all runs hold: runs with fewer unusual choices first, then random walks. */
static bool explore(struct search *search, const struct scenario *scenario, struct effort effort) {
    bool over = false;
    for (int bound = 1; bound <= effort.bound; bound++) {
        choice_begin_bounded(bound);
        over = false;
        for (long i = 0; i < effort.runs && !over; i++, search->tally.runs++) {
            if (!run_once(scenario, search->memory)) return false;
            over = !choice_has_next();
        }
    }
    search->tally.searches++;
    search->tally.whole += over;
    long walks = over ? effort.walks : effort.walks + effort.runs / 2; /* more if the last search was cut off */
    for (long i = 0; i < walks; i++, search->tally.runs++) {
        choice_begin_random((uint64_t)i + 1);
        if (!run_once(scenario, search->memory)) return false;
    }
    return true;
}

/* Whether everything holds. If not, `failed` and `memory` tell which run is in `run`. */
static bool search_all(struct search *search, int first_effort) {
    enum run_memory first = search->memory;
    for (int effort = first_effort; effort < EFFORTS; effort++) {
        search->tally.searches = search->tally.whole = 0;
        for (int i = 0; i < count_scenarios(); i++) {
            if (search->scenario && strcmp(search->scenario, scenario_at(i)->name) != 0) continue;
            for (search->memory = first; search->memory <= search->last_memory; search->memory++) {
                search->failed = scenario_at(i);
                if (search->seed ? !run_once(scenario_at(i), search->memory)
                                 : !explore(search, scenario_at(i), efforts[effort]))
                    return false;
            }
        }
    }
    search->failed = NULL;
    return true;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

/* Fences matter if posts carry them. The handshake, posts by topic and walks over many matter if they do not; then a
 * post's lookup cache may have a closed center's buckets, too. The other mutations are divided between the two
 * processes. */
static bool is_for(int mutation, bool fencing) {
    const char *name = mutations[mutation];
    if (!strcmp(name, "LIGHT") || !strcmp(name, "SECTION_LIGHT")) return fencing;
    static const char *const asking[] = {
        "HANDSHAKE_",       "POLL",         "FIND_POLL",        "ANSWER_FENCE", "AWAIT",     "HEAVY",
        "OUTSIDE",          "OFFLINE_LOOK", "GO_ONLINE",        "TOPIC_",       "READ_ONCE", "LAST_STATE",
        "LAST_FRAMES",      "LAST_ONLY",    "ENDING",           "ENDS",         "REPLACED",  "FLAGS_AFTER",
        "CLOSE_GENERATION", "OTHER_AFTER",  "GENERATION_AFTER", "BLOCKS"};
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (!strncmp(name, asking[i], strlen(asking[i]))) return !fencing;
    return mutation % 2 == fencing;
}

static bool meets(const struct scenario *scenario, const char *step) {
    size_t length = strlen(step);
    for (const char *at = scenario->meets; at && (at = strstr(at, step)); at += length)
        if ((at == scenario->meets || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

/* Whether the core holds without the step. */
static bool survives(struct search *search, int mutation) {
    explore_mutation = mutation;
    for (int i = 0; i < count_scenarios(); i++) {
        if (!meets(scenario_at(i), mutations[mutation])) continue;
        struct search first = *search;
        first.scenario = scenario_at(i)->name;
        if (search_all(&first, 0)) continue;
        *search = first;
        return false;
    }
    return search_all(search, 0);
}

static bool catch_mutation(int mutation) {
    struct search search = {.memory = RUN_TSO, .last_memory = RUN_VIEWS};
    bool survived = survives(&search, mutation);
    if (survived) {
        printf("SURVIVED    %s, %ld runs\n", mutations[mutation], search.tally.runs);
    } else {
        printf("caught      %s by %s, %s, run %ld: %s\n", mutations[mutation], search.failed->name,
               memories[search.memory], search.tally.runs + 1, run.failure);
    }
    fflush(stdout);
    return !survived;
}

/* One of the two processes: tests the core as it is, and then its share of the mutations. */
static int work(bool fencing) {
    struct search search = {.memory = RUN_TSO, .last_memory = RUN_VIEWS};
    explore_mutation = 0;
    if (!search_all(&search, EFFORTS - 1)) {
        report(search.failed, search.memory);
        return 1;
    }
    printf("the core holds, %s: %d scenarios, %ld runs; %d of %d bounded searches are whole\n",
           fencing ? "fences" : "membarrier", count_scenarios(), search.tally.runs, search.tally.whole,
           search.tally.searches);
    fflush(stdout);
    bool survived = false;
    for (int mutation = 1; mutation < MUTATIONS; mutation++)
        if (is_for(mutation, fencing)) survived |= !catch_mutation(mutation);
    return survived;
}

extern char **environ;

static int divide(char *program) {
    pid_t workers[2];
    int ends[2], caught = 0, survived = 0, failed = 0;
    if (pipe(ends) != 0) return 1;
    for (int fencing = 0; fencing < 2; fencing++) {
        setenv("HERALD_BARRIER", fencing ? "fence" : "membarrier", 1);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        char *arguments[] = {program, (char *)"--work", NULL};
        if (posix_spawn(&workers[fencing], "/proc/self/exe", &actions, NULL, arguments, environ) != 0) return 1;
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    char line[8192];
    while (fgets(line, sizeof line, said)) {
        fputs(line, stdout);
        fflush(stdout);
        caught += !strncmp(line, "caught ", 7);
        survived += !strncmp(line, "SURVIVED ", 9);
    }
    for (int i = 0; i < 2; i++) {
        int status = 1;
        waitpid(workers[i], &status, 0);
        failed |= status != 0;
    }
    printf("%d scenarios, %d mutations caught, %d survived\n", count_scenarios(), caught, survived);
    return failed;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static int refuse(const char *what, const char *value) {
    fprintf(stderr, "explore: there is no %s %s\n", what, value);
    return WRONG_USE;
}

static int find(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

static bool is_scenario(const char *name) {
    for (int i = 0; i < count_scenarios(); i++)
        if (!strcmp(name, scenario_at(i)->name)) return true;
    return false;
}

int main(int count, char **arguments) {
    save_image();
    bool fencing = getenv("HERALD_BARRIER") && !strcmp(getenv("HERALD_BARRIER"), "fence");
    if (count == 1) return divide(arguments[0]);
    if (count == 2 && !strcmp(arguments[1], "--work")) return work(fencing);
    struct search search = {.memory = RUN_TSO, .last_memory = RUN_VIEWS};
    const char *mutation = NULL, *memory = NULL;
    for (int i = 1; i + 1 < count; i += 2) {
        const char **option = !strcmp(arguments[i], "--mutation")   ? &mutation
                              : !strcmp(arguments[i], "--scenario") ? &search.scenario
                              : !strcmp(arguments[i], "--seed")     ? &search.seed
                              : !strcmp(arguments[i], "--memory")   ? &memory
                                                                    : NULL;
        if (!option) return refuse("option", arguments[i]);
        *option = arguments[i + 1];
    }
    if (count % 2 == 0) return refuse("value for", arguments[count - 1]);
    if (mutation && (explore_mutation = find(mutation, mutations, MUTATIONS)) < 1) return refuse("mutation", mutation);
    if (search.scenario && !is_scenario(search.scenario)) return refuse("scenario", search.scenario);
    if (memory) {
        int number = find(memory, memories, RUN_VIEWS + 1);
        if (number < 0) return refuse("memory", memory);
        search.memory = search.last_memory = (enum run_memory)number;
    }
    if (search.seed && !choice_begin_replay(search.seed)) return refuse("seed", search.seed);
    if (search.seed && !search.scenario) return refuse("scenario for the seed", search.seed);
    bool held = mutation && !search.scenario ? survives(&search, explore_mutation)
                                             : search_all(&search, search.seed ? EFFORTS - 1 : 0);
    if (search.seed && !choice_seed_fits()) return refuse("run of this scenario with the seed", search.seed);
    if (!held) {
        report(search.failed, search.memory);
        return 1;
    }
    if (search.seed) {
        printf("the run holds\n");
    } else {
        printf("all of %ld runs hold\n", search.tally.runs);
    }
    return 0;
}
