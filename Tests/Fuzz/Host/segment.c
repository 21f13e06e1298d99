/* Arbitrary bytes in the shared file: no crash, no access beyond it, no endless loop.
 *
 * The segment lies in memory between pages that may not be accessed. An input patches a table with names in it and uses
 * it in between, as other processes would at the same time. Sometimes the bytes go into a real file, which the public
 * calls open.
 */
#include "../../../CSources/CHeraldHost/src/channel.h"
#include "hostile.h"
#include <errno.h>
#include <fcntl.h>
#include <herald/message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerInitialize(int *argument_count, char ***arguments);

/* Few names, so that they meet, and one of the greatest length. */
static uint32_t take_name(char text[HERALD_HOST_NAME_LIMIT + 1]) {
    unsigned number = (unsigned)take(1);
    uint32_t length = number % 16 == 0 ? HERALD_HOST_NAME_LIMIT : 1 + number % 40;
    memset(text, 'a' + (int)(number % 7), length);
    text[length] = 0;
    return length;
}

static bool is_patched; /* the table that is in use */

/* The parts that are patched: those of a table with one region. */
static const struct zone {
    size_t at, size;
} zones[] = {{0, sizeof(struct herald_host_header)},
             {HERALD_HOST_CHANNELS_AT, HERALD_HOST_ENTRIES_AT - HERALD_HOST_CHANNELS_AT},
             {HERALD_HOST_ENTRIES_AT, HERALD_HOST_FIRST_NAMES * sizeof(struct herald_host_entry)},
             {HERALD_HOST_TEXTS_AT, (size_t)HERALD_HOST_FIRST_NAMES *HERALD_HOST_BYTES_PER_NAME},
             {HERALD_HOST_BLOCKS_AT, HERALD_HOST_FIRST_NAMES * sizeof(struct herald_host_block)}};
enum { ZONES = sizeof zones / sizeof *zones };

static void patch(char *bytes, unsigned zone) {
    is_patched = true;
    hostile_patch(bytes + zones[zone].at, zones[zone].size);
}

/* A name that is found is the right one. It is where it was entered, unless bytes have changed since: then two entries
 * may share the bytes of a text, and a name that is entered into one is the other's name as well. */
static void require_found(struct herald_host_segment *segment, const char *text, uint32_t length,
                          const struct herald_host_entry *entered) {
    char there[HERALD_HOST_NAME_LIMIT + 1];
    const struct herald_host_entry *found = herald_host_entry_find(segment, text, length);
    require(found != NULL, "what was just entered is not found");
    require(is_patched || found == entered, "what was just entered is found elsewhere");
    for (uint32_t region = 0; region < herald_host_segment_regions(segment); region++) {
        const struct herald_host_entry *first = herald_host_region_entries(segment->header, region);
        if (found < first || found >= first + herald_host_region_names(region)) continue;
        require(herald_host_entry_text(segment, region, found, there) && strcmp(there, text) == 0,
                "it is another name");
        return;
    }
    require(false, "it is found outside the table");
}

static void use(struct herald_host_segment *segment) {
    char text[HERALD_HOST_NAME_LIMIT + 1], found[HERALD_HOST_NAME_LIMIT + 1];
    struct herald_host_own_channel seat = {
        .segment = segment, .number = (uint32_t)take(2) % HERALD_HOST_CHANNELS, .shared = take(1) & 1};
    struct herald_host_entry *entry = NULL;
    uint32_t length = take_name(text);
    switch (take(1) % 6) {
    case 0:
        if (herald_host_entry_obtain(segment, text, length, take(1) & 1, &entry) != HeraldOK || !entry) return;
        require_found(segment, text, length, entry);
        if (herald_host_entry_watch(entry, segment, seat.number) == HeraldOK) herald_host_entry_post(entry, segment);
        if (take(1) & 1) herald_host_entry_unwatch(entry, segment, seat.number);
        return;
    case 1:
        entry = herald_host_entry_find(segment, text, length);
        if (entry) herald_host_entry_post(entry, segment);
        return;
    case 2:
        for (uint32_t region = 0; region < herald_host_segment_regions(segment); region++)
            for (uint32_t i = 0; i < herald_host_region_names(region); i++)
                if (herald_host_entry_text(segment, region, herald_host_region_entries(segment->header, region) + i,
                                           found))
                    require(strlen(found) <= HERALD_HOST_NAME_LIMIT, "a name is too long");
        return;
    case 3:
        herald_host_own_channel_arm(&seat);
        herald_host_own_channel_groups(&seat);
        herald_host_own_channel_disarm(&seat);
        return;
    case 4: herald_host_header_supersede(segment->header); return;
    default: herald_host_own_channel_wake(&seat);
    }
}

static void fuzz_table(void) {
    struct herald_host_segment segment = {.header = hostile_memory(0, HERALD_HOST_LOG_AT), .unnamed = -1};
    segment.header->regions = 1 + ((uint32_t)take(1) & 1);
    is_patched = false;
    for (int i = 0; i < 40; i++) {
        struct herald_host_entry *entry;
        char text[8];
        int length = snprintf(text, sizeof text, "n.%d", i);
        HeraldStatus status = herald_host_entry_obtain(&segment, text, (uint32_t)length, false, &entry);
        require(status == HeraldOK && entry, "no place in a good table");
    }
    while (hostile_left()) {
        unsigned what = (unsigned)take(1);
        if (what % 3) {
            patch((char *)segment.header, what / 3 % ZONES);
        } else {
            use(&segment);
        }
    }
}

/* ---- A real file ------------------------------------------------------------------------------------------------- */

static char folder[64];

static void ignore(void *context, const HeraldHostNameInfo *info) {
    (void)context;
    require(strlen(info->name) <= HERALD_HOST_NAME_LIMIT, "a name is too long");
}

/* What is kept of few names, in the first slabs. */
static const struct zone kept_zones[] = {
    {HERALD_HOST_KEEPING_AT, HERALD_HOST_CELLS_END - HERALD_HOST_KEEPING_AT},
    {HERALD_HOST_SLABS_AT, 2 * HERALD_HOST_SLAB},
};
enum { KEPT_ZONES = sizeof kept_zones / sizeof *kept_zones };
static char kept_bytes[KEPT_ZONES][HERALD_HOST_CELLS_END - HERALD_HOST_KEEPING_AT];

static HeraldStatus keep(const char *name) {
    HeraldMessage message = {.size = sizeof message, .bytes = "bytes", .length = 5, .options = HeraldPostKeep};
    return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), HeraldNameCreate(name), &message);
}
static void ignore_kept(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    (void)context, (void)object, (void)tag;
    const HeraldMessage *message = userInfo;
    require(strlen(HeraldNameGetUTF8String(name)) <= HERALD_HOST_NAME_LIMIT, "a name is too long");
    require(message->length <= HERALD_HOST_MESSAGE_LIMIT, "a message is too long");
}
static void ignore_taken(void *context, const void *userInfo, const void *tag) {
    ignore_kept(context, HeraldNameCreate("n.1"), NULL, userInfo, tag);
}
static void use_kept(void) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldNameRef name = HeraldNameCreate("n.1");
    HeraldCenterTakeKept(host, name, NULL, ignore_taken, NULL);
    HeraldCenterVisitKept(host, ignore_kept, NULL);
    if (take(1) % 2) HeraldCenterForget(host, name, NULL);
    if (take(1) % 2) keep("n.1");
    HeraldCenterTakeKept(host, name, NULL, ignore_taken, NULL);
    if (take(1) % 4) return;
    require(HeraldHostReset() == HeraldOK, HeraldHostGetErrorDescription());
    require(keep("n.1") == HeraldOK, HeraldHostGetErrorDescription());
}

static void fuzz_file(void) {
    const char *path = HeraldHostGetPath();
    static char bytes[HERALD_HOST_ENTRIES_AT + HERALD_HOST_FIRST_NAMES * sizeof(struct herald_host_entry)];
    unlink(path);
    HeraldHostToken token;
    uint64_t posts;
    require(HeraldHostRegisterCheck("good", &token) == HeraldOK, HeraldHostGetErrorDescription()); /* makes one */
    HeraldHostCancel(token);
    require(keep("n.1") == HeraldOK && keep("n.2") == HeraldOK, HeraldHostGetErrorDescription());
    int file = open(path, O_RDWR);
    require(file >= 0 && pread(file, bytes, sizeof bytes, 0) == sizeof bytes, "the file cannot be read");
    for (int i = 0; i < KEPT_ZONES; i++)
        require(pread(file, kept_bytes[i], kept_zones[i].size, (off_t)kept_zones[i].at) > 0, "it cannot be read");
    unlink(path);
    close(file);
    file = open(path, O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 20; i++) patch(bytes, (unsigned)take(1) % 3);
    for (unsigned i = take(1) % 8; i; i--) {
        unsigned zone = (unsigned)take(1) % KEPT_ZONES;
        hostile_patch(kept_bytes[zone], take(1) % 4 ? 4096 : kept_zones[zone].size);
    }
    size_t size = take(1) % 4 ? HERALD_HOST_FILE_SIZE : take(3) % sizeof bytes;
    require(write(file, bytes, sizeof bytes) == sizeof bytes && ftruncate(file, (off_t)size) == 0,
            "it cannot be written");
    for (int i = 0; i < KEPT_ZONES && size == HERALD_HOST_FILE_SIZE; i++)
        require(pwrite(file, kept_bytes[i], kept_zones[i].size, (off_t)kept_zones[i].at) > 0, "it cannot be written");
    struct stat about;
    require(fstat(file, &about) == 0, "it cannot be examined");
    uint64_t seal = herald_host_seal_of(about.st_ino);
    if (size == HERALD_HOST_FILE_SIZE && take(1) % 4)
        require(pwrite(file, &seal, sizeof seal, HERALD_HOST_SEAL_AT) == sizeof seal, "it cannot be sealed");
    close(file);
    if (HeraldHostRegisterCheck("n.1", &token) == HeraldOK) {
        HeraldHostPost("n.1");
        HeraldHostCheck(token, &posts);
        HeraldHostVisitNames(ignore, NULL);
        use_kept();
        HeraldHostCancel(token);
    } else {
        require(HeraldHostGetErrorDescription()[0], "no sentence");
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static int files; /* each keeps its memory */
    hostile_begin(bytes, length);
    unsigned what = (unsigned)take(1);
    if (what == 7 && files++ < 500) {
        fuzz_file();
    } else if (what % 4 == 3) {
        fuzz_kept();
    } else if (what % 2) {
        fuzz_log();
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
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
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
