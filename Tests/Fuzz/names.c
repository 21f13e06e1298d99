#include "names.h"
#include "input.h"
#include "report.h"

#include <herald/herald.h>
#include <stdlib.h>
#include <string.h>

/* Bytes at the borders between well-formed and malformed sequences. Names live for ever, so there must not be too
 * many. */
static const unsigned char alphabet[16] = {0x00, 0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                           0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xf0, 0xf4, 0xf5};
enum { LENGTH = 4, TEXTS = 1 << 16 };

static HeraldNameRef made[TEXTS];

/* The number that a sequence of `length` bytes encodes, valid or not; -1 when the bytes do not form a sequence. */
static long decode(const unsigned char *at, int length) {
    static const unsigned char mark[] = {0, 0x00, 0xc0, 0xe0, 0xf0}, mask[] = {0, 0x80, 0xe0, 0xf0, 0xf8};
    if ((at[0] & mask[length]) != mark[length]) return -1;
    long number = at[0] & (unsigned char)~mask[length];
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return -1;
        number = number << 6 | (at[i] & 0x3f);
    }
    return number;
}

static int sequence_length(const unsigned char *at) {
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    for (int length = 1; length <= 4; length++) {
        long number = decode(at, length);
        if (number >= least[length] && number <= 0x10ffff && !(number >= 0xd800 && number <= 0xdfff)) return length;
    }
    return 0;
}

static bool is_name(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    if (!*at) return false;
    while (*at) {
        int length = sequence_length(at);
        if (!length) return false;
        at += length;
    }
    return true;
}

static void check_odd_arguments(void) {
    static const short address;
    if (HeraldNameCreate(NULL) || HeraldNameFind(NULL) || HeraldNameFind("nobody makes this one"))
        report_difference("R13: there is a name that nobody made");
    if (HeraldNameForAddress(NULL) || HeraldNameForAddress((const char *)&address + 1) || HeraldNameGetUTF8String(NULL))
        report_difference("R13: there is a name for no address");
}

/* The number of a text. The same text may have several, because bytes after a zero do not count. */
static unsigned canonical(unsigned number) {
    for (int i = 0; i < LENGTH; i++)
        if ((number >> 4 * i & 15) == 0) return number & ((1u << 4 * i) - 1);
    return number;
}

void names_check(void) {
    unsigned number = input_byte();
    number = canonical(number | (unsigned)input_byte() << 8);
    bool creates = input_byte() & 1;
    char text[LENGTH + 4] = {0};
    for (int i = 0; i < LENGTH; i++) text[i] = (char)alphabet[number >> 4 * i & 15];
    if (HeraldNameFind(text) != made[number]) report_difference("R13: NameFind answered another name");
    check_odd_arguments();
    if (!creates) return;
    HeraldNameRef name = HeraldNameCreate(text);
    if ((name != NULL) != is_name(text)) report_difference("R13: a text was wrongly %s", name ? "accepted" : "refused");
    if (made[number] && name != made[number]) report_difference("R13: equal names are different pointers");
    if (name && strcmp(HeraldNameGetUTF8String(name), text)) report_difference("R13: a name has another text");
    made[number] = name;
}
