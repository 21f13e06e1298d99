/* Rows: kept, judged, printed as a table and written as JSON, one row to a line so that awk can read it. */
#include "bench.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_ROWS = 96 };

static struct row {
    char name[96];
    int group;
    struct budget budget;
    struct figures figures;
} rows[MOST_ROWS];
static int row_count;

void row_add(int group, struct budget budget, struct figures figures, const char *name, ...) {
    REQUIRE(row_count < MOST_ROWS);
    int at = row_count++; /* behind the rows of its group and of those before it */
    for (; at > 0 && rows[at - 1].group > group; at--) rows[at] = rows[at - 1];
    struct row *row = &rows[at];
    row->group = group;
    row->budget = budget;
    row->figures = figures;
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(row->name, sizeof row->name, name, arguments);
    va_end(arguments);
}

struct figures compare(const struct task *floor, const struct task *value) {
    return (struct figures){"ns", floor->least, value->least, value->median, value->least / floor->least};
}

static bool is_met(const struct row *row) {
    const struct figures *f = &row->figures;
    switch (row->budget.kind) {
    case RATIO_MOST: return f->ratio <= row->budget.limit;
    case RATIO_LEAST: return f->ratio >= row->budget.limit;
    case VALUE_MOST: return f->value <= row->budget.limit;
    case ABOVE_FLOOR: return f->value <= f->floor + row->budget.limit;
    default: return true;
    }
}

static const char *verdict(const struct row *row) {
    if (row->budget.kind == NONE) return "";
    return is_met(row) ? "met" : "missed";
}

static const char *budget_text(const struct row *row, char text[64]) {
    double limit = row->budget.limit;
    switch (row->budget.kind) {
    case RATIO_MOST: snprintf(text, 64, "ratio <= %.*f", limit * 10 == floor(limit * 10) ? 1 : 2, limit); break;
    case RATIO_LEAST: snprintf(text, 64, "ratio >= %.1f", limit); break;
    case VALUE_MOST: snprintf(text, 64, "<= %.0f %s", limit, row->figures.unit); break;
    case ABOVE_FLOOR: snprintf(text, 64, "<= floor + %.0f %s", limit, row->figures.unit); break;
    default: text[0] = 0;
    }
    return text;
}

void progress(const char *what) {
    static double start;
    if (!start) start = now();
    fprintf(stderr, "bench: %5.1f s  %s\n", (now() - start) / 1e9, what);
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static const char *number(double value, char text[32]) {
    if (isnan(value)) return "";
    snprintf(text, 32, fabs(value) < 1000 && value != floor(value) ? "%.2f" : "%.0f", value);
    return text;
}

#define COLUMNS "%-62s %11s %11s %11s %7s  %-8s %-22s %s\n"

static void print_row(const struct row *row) {
    const struct figures *f = &row->figures;
    char text[4][32], budget[64];
    printf(COLUMNS, row->name, number(f->floor, text[0]), number(f->value, text[1]), number(f->median, text[2]),
           number(f->ratio, text[3]), f->unit, budget_text(row, budget), verdict(row));
}

void rows_print(void) {
    printf(COLUMNS, "row", "floor", "value", "median", "ratio", "unit", "budget", "verdict");
    for (int i = 0; i < row_count; i++) print_row(&rows[i]);
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

/* Opened before the work, so that an hour of it is not lost; emptied only when there is something to put in. */
FILE *results_open(const char *path) {
    FILE *file = fopen(path, "a");
    if (!file) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

/* The first line of what the command prints, or nothing. */
static void ask(const char *command, char *answer, int size) {
    FILE *pipe = popen(command, "r");
    answer[0] = 0;
    if (!pipe) return;
    if (!fgets(answer, size, pipe)) answer[0] = 0;
    pclose(pipe);
    answer[strcspn(answer, "\n")] = 0;
}

static void cpu_model(char *model, int size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    struct utsname system;
    snprintf(model, (size_t)size, "%s", uname(&system) == 0 ? system.machine : "unknown");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
        snprintf(model, (size_t)size, "%s", strchr(line, ':') + 2);
        model[strcspn(model, "\n")] = 0;
        break;
    }
    if (file) fclose(file);
}

/* Quotes and backslashes would need escapes, which render.sh should not have to undo. */
static void put_text(FILE *file, const char *key, const char *text, const char *end) {
    fprintf(file, "\"%s\":\"", key);
    for (; *text; text++) fputc(*text == '"' || *text == '\\' || iscntrl((unsigned char)*text) ? ' ' : *text, file);
    fprintf(file, "\"%s", end);
}

static void put_number(FILE *file, const char *key, double value) {
    fprintf(file, isfinite(value) ? "\"%s\":%.6g," : "\"%s\":null,", key, value);
}

static void put_head(FILE *file) {
    char text[256], machine[320], date[32];
    struct utsname system;
    time_t time_now = time(NULL);
    cpu_model(text, sizeof text);
    snprintf(machine, sizeof machine, "%s, %ld cores", text, sysconf(_SC_NPROCESSORS_ONLN));
    put_text(file, "machine", machine, ",\n");
    put_text(file, "kernel", uname(&system) == 0 ? system.release : "unknown", ",\n");
#ifdef __clang__
    put_text(file, "compiler", __VERSION__, ",\n");
#else
    put_text(file, "compiler", "gcc " __VERSION__, ",\n");
#endif
    const char *commit = getenv("HERALD_COMMIT");
    ask("git rev-parse --short HEAD 2>/dev/null", text, sizeof text);
    put_text(file, "commit", commit && *commit ? commit : text[0] ? text : "unknown", ",\n");
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&time_now));
    put_text(file, "date", date, ",\n");
    put_text(file, "run", settings.quick ? "quick" : "full", ",\n");
}

static void put_row(FILE *file, const struct row *row, bool last) {
    char budget[64];
    fputc('{', file);
    put_text(file, "row", row->name, ",");
    put_number(file, "floor", row->figures.floor);
    put_number(file, "value", row->figures.value);
    put_number(file, "median", row->figures.median);
    put_number(file, "ratio", row->figures.ratio);
    put_text(file, "unit", row->figures.unit, ",");
    put_text(file, "budget", budget_text(row, budget), ",");
    const char *met = row->budget.kind == NONE ? "null" : is_met(row) ? "true" : "false";
    fprintf(file, "\"met\":%s}%s\n", met, last ? "" : ",");
}

void results_write(FILE *file, const char *path) {
    if (ftruncate(fileno(file), 0) != 0 && errno != EINVAL) /* a pipe or terminal cannot be emptied, and need not be */
        fprintf(stderr, "bench: cannot empty %s: %s\n", path, strerror(errno));
    fputs("{\n", file);
    put_head(file);
    fputs("\"rows\":[\n", file);
    for (int i = 0; i < row_count; i++) put_row(file, &rows[i], i == row_count - 1);
    fputs("]\n}\n", file);
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        exit(1);
    }
}
