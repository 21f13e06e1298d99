/* Any bytes in the shared file: no crash, no access beyond it, no endless loop.
 *
 * The segment lies in memory that the address sanitizer knows the ends of. An input patches a table with names in it
 * and uses it in between, as other processes would while this one works. Now and then the bytes go into a real file,
 * which is opened by the public calls.
 */
#include "../../../CSources/CHeraldHost/src/channel.h"
#include "../../../CSources/CHeraldHost/src/entry.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerInitialize(int *argument_count, char ***arguments);

static struct input {
    const uint8_t *bytes;
    size_t length;
} input;

static uint64_t take(unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size && input.length; i++, input.length--) value = value << 8 | *input.bytes++;
    return value;
}

static void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* Few names, so that they meet, and one that is as long as can be. */
static uint32_t take_name(char text[HERALD_NAME_LIMIT + 1]) {
    unsigned number = (unsigned)take(1);
    uint32_t length = number % 16 == 0 ? HERALD_NAME_LIMIT : 1 + number % 40;
    memset(text, 'a' + (int)(number % 7), length);
    text[length] = 0;
    return length;
}

static bool is_patched; /* the table that is in use */

static void patch(struct herald_header *header, size_t size) {
    is_patched = true;
    size_t offset = take(3) % size;
    unsigned kind = (unsigned)take(1);
    if (kind % 4 == 0) { /* a word of a name, as bad as can be thought of */
        offset = HERALD_REGIONS_AT + offset % 1024 * sizeof(struct herald_entry);
        *(uint64_t *)(void *)((char *)header + offset) = take(8);
    } else if (kind % 4 == 1) { /* the header */
        memset((char *)header + offset % 192, (int)take(1), 1);
    } else {
        size_t room = size - offset, wanted = 1 + take(1);
        memset((char *)header + offset, (int)take(1), wanted < room ? wanted : room);
    }
}

/* Where the name is found, the name is; and it is where it was entered, unless bytes have changed meanwhile: two
 * entries may share bytes of text then, so that what is entered into one is the other's name as well. */
static void require_found(struct herald_segment *segment, const char *text, uint32_t length,
                          const struct herald_entry *entered) {
    char there[HERALD_NAME_LIMIT + 1];
    const struct herald_entry *found = herald_entry_find(segment, text, length);
    require(found != NULL, "what was just entered is not found");
    require(is_patched || found == entered, "what was just entered is found elsewhere");
    for (uint32_t region = 0; region < herald_segment_regions(segment); region++) {
        const struct herald_entry *first = herald_region_entries(segment->header, region);
        if (found < first || found >= first + herald_region_names(region)) continue;
        require(herald_entry_text(segment, region, found, there) && strcmp(there, text) == 0, "it is another name");
        return;
    }
    require(false, "it is found outside the table");
}

static void use(struct herald_segment *segment) {
    char text[HERALD_NAME_LIMIT + 1], found[HERALD_NAME_LIMIT + 1];
    struct herald_seat seat = {.segment = segment, .number = (uint32_t)take(1), .shared = take(1) & 1};
    struct herald_entry *entry = NULL;
    uint32_t length = take_name(text);
    switch (take(1) % 5) {
    case 0:
        if (herald_entry_obtain(segment, text, length, &entry) != HeraldOK) return;
        require_found(segment, text, length, entry);
        herald_entry_watch(entry, seat.number, true);
        herald_entry_post(entry, segment);
        return;
    case 1:
        entry = herald_entry_find(segment, text, length);
        if (entry) herald_entry_post(entry, segment);
        return;
    case 2:
        for (uint32_t region = 0; region < herald_segment_regions(segment); region++)
            for (uint32_t i = 0; i < herald_region_names(region); i++)
                if (herald_entry_text(segment, region, herald_region_entries(segment->header, region) + i, found))
                    require(strlen(found) <= HERALD_NAME_LIMIT, "a name is too long");
        return;
    case 3:
        herald_seat_arm(&seat);
        herald_seat_groups(&seat);
        herald_seat_disarm(&seat);
        return;
    default: herald_seat_wake(&seat);
    }
}

static void fuzz_table(void) {
    static uint32_t numbers[] = {1, 2};
    uint32_t regions = numbers[take(1) & 1];
    size_t size = herald_region_at(regions);
    struct herald_segment segment = {.header = aligned_alloc(4096, size), .regions = regions, .file = {.number = -1}};
    require(segment.header != NULL, "memory is out");
    memset((void *)segment.header, 0, size);
    segment.header->regions = regions;
    is_patched = false;
    for (int i = 0; i < 40; i++) {
        struct herald_entry *entry;
        char text[8];
        int length = snprintf(text, sizeof text, "n.%d", i);
        require(herald_entry_obtain(&segment, text, (uint32_t)length, &entry) == HeraldOK, "no place in a good table");
    }
    while (input.length) {
        if (take(1) % 3) {
            patch(segment.header, size);
        } else {
            use(&segment);
        }
    }
    free(segment.header);
}

/* ---- A real file ------------------------------------------------------------------------------------------------- */

static char folder[] = "/dev/shm/herald-fuzz-XXXXXX";

static void ignore(void *context, const HeraldHostNameInfo *info) {
    (void)context;
    require(strlen(info->name) <= HERALD_NAME_LIMIT, "a name is too long");
}

static void fuzz_file(void) {
    const char *path = HeraldHostGetPath();
    static char bytes[HERALD_REGIONS_AT + 1024 * 128];
    unlink(path);
    HeraldHostToken token;
    uint64_t posts;
    require(HeraldHostRegisterCheck("good", &token) == HeraldOK, HeraldHostGetErrorDescription()); /* makes it anew */
    HeraldHostCancel(token);
    int file = open(path, O_RDWR);
    require(file >= 0 && pread(file, bytes, sizeof bytes, 0) == sizeof bytes, "the file cannot be read");
    unlink(path);
    close(file);
    file = open(path, O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 20; i++) patch((struct herald_header *)(void *)bytes, sizeof bytes);
    size_t size = take(1) % 4 ? sizeof bytes : take(3) % sizeof bytes;
    require(write(file, bytes, size) == (ssize_t)size, "the file cannot be written");
    close(file);
    if (HeraldHostRegisterCheck("n.1", &token) == HeraldOK) {
        HeraldHostPost("n.1");
        HeraldHostCheck(token, &posts);
        HeraldHostVisitNames(ignore, NULL);
        HeraldHostCancel(token);
    } else {
        require(HeraldHostGetErrorDescription()[0], "no sentence");
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static int files; /* each keeps its memory */
    input = (struct input){bytes, length};
    if (take(1) == 7 && files++ < 500) {
        fuzz_file();
    } else {
        fuzz_table();
    }
    return 0;
}

static void clean(void) {
    const char *path = HeraldHostGetPath();
    if (path) unlink(path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argument_count, char ***arguments) {
    (void)argument_count, (void)arguments;
    require(mkdtemp(folder) != NULL, strerror(errno));
    setenv("HERALD_HOST_DIRECTORY", folder, 1);
    atexit(clean);
    return 0;
}

#ifdef HERALD_FUZZ_STANDALONE
int main(int argc, char **argv) {
    static uint8_t bytes[600];
    long runs = argc > 2 ? atol(argv[2]) : 1000;            /* --runs N */
    unsigned seed = argc > 4 ? (unsigned)atol(argv[4]) : 1; /* --seed S */
    LLVMFuzzerInitialize(NULL, NULL);
    for (long run = 0; run < runs; run++) {
        size_t length = (size_t)rand_r(&seed) % sizeof bytes;
        for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(rand_r(&seed) >> 8);
        if (argv[1] && run % 16 == 0) bytes[0] = 7;
        LLVMFuzzerTestOneInput(bytes, length);
    }
    return 0;
}
#endif
