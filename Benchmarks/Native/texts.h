/* Names of several lengths, in ASCII, that are looked up by text. */
#ifndef HERALD_BENCH_TEXTS_H
#define HERALD_BENCH_TEXTS_H

#include <peer.h>

static char text_8[] = "doc.save", text_16[] = "document.is.sved", text_24[] = "com.acme.documents.saved",
            text_40[] = "com.acme.application.documents.was.saved";

#endif
