/* The benchmark of the core: every row beside its floor, measured in the same run. See README.md. */
#include "bench.h"

static void usage(FILE *file) { fputs("usage: bench [--quick] [results.json]\n", file); }

static const char *read_arguments(int count, char **arguments) {
    const char *path = NULL;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--quick") == 0) {
            settings.quick = true;
        } else if (strcmp(arguments[i], "--help") == 0) {
            usage(stdout);
            exit(0);
        } else if (arguments[i][0] == '-' || path) {
            usage(stderr);
            exit(2);
        } else {
            path = arguments[i];
        }
    }
    return path;
}

static void run_rows(void) {
    /* First, while there is no memory of other rows that waits to be freed. */
    memory_rows();
    post_rows();
    if (settings.other_cpu >= 0) throughput_rows();
    name_rows();
    change_rows();
    if (settings.other_cpu >= 0) wait_rows();
    if (settings.other_cpu >= 0) churn_rows();
}

int main(int count, char **arguments) {
    const char *path = read_arguments(count, arguments);
    FILE *file = path ? results_open(path) : NULL;
    settings.rounds = settings.quick ? 7 : 51;
    settings.batch = settings.quick ? 1e6 : 3e6;
    choose_cpus();
    pin_to(settings.cpu);
    if (settings.other_cpu < 0) fprintf(stderr, "bench: only one CPU: the rows with two threads are left out\n");
    run_rows();
    progress("done");
    rows_print();
    if (file) results_write(file, path);
    return 0;
}
