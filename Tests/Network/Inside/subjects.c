/* Names and objects as subjects of NATS. */
#include "../server.h"
#include "../../../CSources/CHeraldNetwork/src/subject.h"

TEST(Network_subjects_say_every_name) {
    static const char letters[] = "ab.%*> $_\x01\x7f\xc3\xa4Z0";
    char name[64], object[64], subject[HERALD_NET_SUBJECT_ROOM], read_name[HERALD_NET_SUBJECT_ROOM],
        read_object[HERALD_NET_SUBJECT_ROOM];
    unsigned state = 7;
    bool has_object;
    for (int i = 0; i < 500000; i++) {
        char *texts[] = {name, object};
        for (int t = 0; t < 2; t++) {
            state = state * 1103515245u + 12345u;
            size_t length = (state >> 16) % 12 + (t == 0);
            for (size_t k = 0; k < length; k++) {
                state = state * 1103515245u + 12345u;
                texts[t][k] = letters[(state >> 16) % (sizeof letters - 1)];
            }
            texts[t][length] = 0;
        }
        bool about = state & 1 << 20;
        size_t length = herald_net_subject_write(subject, "herald", name, about ? object : NULL);
        bool same = length == strlen(subject) && strncmp(subject, "herald.", 7) == 0 &&
                    !strpbrk(subject, "*> \x01\x7f") &&
                    herald_net_subject_read(subject, "herald", read_name, read_object, &has_object) &&
                    has_object == about && strcmp(name, read_name) == 0 && (!about || strcmp(object, read_object) == 0);
        CHECK(same);
        if (!same) return;
    }
    CHECK(herald_net_subject_write(subject, "", "$JS.API.INFO", NULL) && strcmp(subject, "%24JS.API.INFO") == 0);
    CHECK(herald_net_subject_write(subject, "", "_INBOX.a", NULL) && strcmp(subject, "%5FINBOX.a") == 0);
    CHECK(herald_net_subject_write(subject, "p", "a..b", "x.y") && strcmp(subject, "p.a.%00.b.%.x%2Ey") == 0);
}
