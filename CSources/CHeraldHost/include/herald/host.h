/* The host center: every process of a user hears it, and no daemon runs.
 *
 * It is a HeraldCenterRef like any other (see herald.h), for names, and for messages (message.h):
 *
 *      HeraldCenterRef host = HeraldCenterGetHostCenter();
 *      HeraldNameRef name = HeraldNameCreate("com.acme.cache-changed");
 *      HeraldStatus status = HeraldCenterAddObserver(host, me, refresh, name, NULL, HeraldSuspensionCoalesce);
 *      HeraldCenterPostNotification(host, name, NULL, NULL, false);      -- in this process, or in another
 *
 * WHAT IS CARRIED. A plain post carries that a name was posted, and how often. Its object and userInfo stay with the
 * poster: observers get NULL for both, and a registration for an object does not hear it. A message is carried whole:
 * up to 65,536 bytes, and an object and a type of 1,024 bytes together. A larger one is HeraldTooLarge, whether or not
 * anybody hears it. Names are 1 to 512 bytes of UTF-8. A name that has never had an observer is not entered in the
 * table, which has room for about 87,000 names of up to 64 bytes. Names that are addresses are refused. Names that
 * begin with "self." stay in the process.
 *
 * MESSAGES (R23). Each message is heard by itself, as a copy in memory of the observer's process, in one order for all
 * readers. HeraldMessage.sequence is its place in this order. The sequence only rises until the system is booted again.
 * A file that is made in the place of another goes on with the other's numbers. A file that is made after the other was
 * removed begins at a higher number; this jump is no loss. (A process that comes from another folder to a file that
 * others have used in the meantime finds that file's lower numbers.) The log keeps 8,192 messages, and about 1 MiB for
 * each process that posts. There is no back-pressure: a reader that is too slow loses the oldest messages. It learns
 * how many messages of the names that it observes were lost (HeraldMessage.missed, HeraldHostGetMissedMessageCount).
 * This number is exact, with two exceptions: messages of a name that no process had observed, in a file that was just
 * made again, and one message for each poster that was killed.
 *      A message that nobody hears costs what a plain post does, and nothing is written. The first 90 seconds of a file
 * are an exception: all messages are kept then, for processes that have yet to find the file.
 *      The file takes some memory with the first message, and 1 MiB with each process's first message. This MiB is
 * given back when four conditions hold: the process has ended, all have read what it posted, the file is no longer new,
 * and no processes share a channel (see below). A process that observes gives such memory back when it has nothing else
 * to do, within a minute. The last MiB of the file system is left to others. If there is no room for another MiB, or
 * 251 processes have one already, a process borrows a MiB for each message. As a rule there are four to borrow, and
 * fewer where others have filled the file system. If there is none, or if all are lent to processes that do not finish
 * (because they were stopped, say), a message is HeraldQueueFull. Plain posts go on, and so do the messages of
 * processes that have a MiB of their own.
 *      While another process makes the file again, a message waits for the new one, some milliseconds as a rule. If
 * that process was stopped or killed, the poster makes the file after a moment. A message that is posted to a removed
 * file is heard by the processes that still use it. A suspended center reads on, and keeps copies as message.h
 * describes. Messages count for tokens and descriptors. An observer that gets a message gets no plain call for it in
 * addition.
 *
 * WHEN OBSERVERS ARE CALLED. Observers are called on one thread of Herald's, which begins with the first observer and
 * ends with the last. It also calls the observers of the poster's own process, and the post returns 0. (Posts that a
 * suspended center has held are delivered on the thread that resumes it.) A callback that takes long delays the other
 * observers of its process, but no other process. All signals except synchronous faults are blocked on this thread.
 * Every post that begins after an add has returned calls the observer at least once. Posts coalesce: one call may stand
 * for several posts, and HeraldHostGetPostCount returns for how many. A call without a post is possible, but rare.
 * Suspension is the center's (R16).
 *
 * IN WHICH ORDER. Names are heard in the order in which they were posted last: if a thread posts "started" and then
 * "finished", every process hears them in this order. A name that is posted again before it was heard takes the later
 * place. This holds for posts that begin after the observers were added, but not across a file that is made again (see
 * below). If a thread posts after it has heard another's post, its post is heard after that one, unless the other
 * poster was interrupted in the middle of its post.
 *
 * WHAT IT COSTS. A post is a few memory accesses and takes no lock. It makes no system call, except one to wake each
 * process that observes the name and sleeps. It costs the same whether ten processes use the center or thousands. A
 * process that posts or hears checks once a second that its file is still there. A process that hears nothing wakes for
 * this check after a second, and then after twice as long each time, up to a minute. A poster pays nothing for
 * processes that were stopped or killed, for suspended centers, or for locks that others have. A channel is the place
 * where a process sleeps. 3,968 processes can observe with a channel of their own. Further processes share 64 channels,
 * and wake for each other's names.
 *
 * WHICH PROCESSES MEET. Processes of the same user meet, through a file of shared memory that only this user may open
 * (mode 0600). The file is
 *      herald-3 in $HERALD_HOST_DIRECTORY, if that is set; else
 *      herald-3 in $XDG_RUNTIME_DIR, if it is a folder of the user's that no other user can write to; else
 *      herald-3 in /run/user/UID, if it is such a folder; else
 *      herald-UID-3 in /dev/shm, or herald-UID-3.1 to .7 if another user has taken the names before it.
 * A folder in which no file can be made and shared (it is read-only, say) is passed over. If HERALD_HOST_DIRECTORY
 * names such a folder, calls fail. HeraldHostVisitFolders reports which folders were passed over, and why.
 * HeraldHostGetPath returns where a process's file is. A process with other values of these variables uses another
 * file. The user is the effective user of the process's first use. While the process runs as another user, it keeps its
 * file, and calls that need a look at the file fail. The 3 is the layout's number: processes whose Herald has another
 * layout use another file.
 *      A file of another owner, mode, size or layout is refused with an error, and left as it is. Everything in the
 * file is checked before it is used. So another program of the user's that writes to the file can cost posts, but no
 * more. To survive a file that is cut short, the center has a handler for SIGBUS, which passes on the signals that are
 * not its own. A thread that has this signal blocked is not protected, nor is a program that later installs a handler
 * of its own.
 *      A file that is full is made again with the names that are in use, so names of the past cost nothing. The file is
 * also made again by HeraldHostReset, and when it has been removed. The processes meet again in the new file, all at
 * once when one process in the old file has noticed. A process that posts or hears looks once a second, an idle one at
 * least once a minute. A process that starts to use the center in the meantime makes the new file and knows none of the
 * others: messages that are posted there wait for them. Messages wait in one more case: all processes had left a file
 * for one in the folder of a login, that folder has gone, and the first process comes back. Plain posts do not wait.
 * Instead each process that comes to the new file posts again the names that it has posted since its last look, and
 * calls every observer of a name at least once, because the name may have been posted in the meantime. Observers of any
 * name or a prefix hear plain posts from then on. States are carried over. A file that was cut short and restored, that
 * has lost what lies behind its header, or that is a copy is made again, too.
 *
 * WHEN PROCESSES DIE. A process may be killed or stopped at any instruction: all others go on, and miss nothing.
 *
 * FORK. The child may post, check and observe. Observers that the child has inherited are called again as soon as it
 * registers an observer or a file descriptor (in a child that a callback has forked, immediately). Tokens with a file
 * descriptor stay with the parent.
 *
 * ERRORS. A call that fails has changed nothing; HeraldHostGetErrorDescription returns what was wrong. All calls may be
 * made on any thread. No call is async-signal-safe.
 */
#ifndef HERALD_HOST_H
#define HERALD_HOST_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The host center. It never dies: retaining and releasing it does nothing. NULL when memory is out. The center opens
 *  its file with the first call that needs the file. Adding an observer fails with HeraldTransportFailed when the file
 *  cannot be had, and with HeraldInvalidArgument for a name that cannot be carried. In both cases posting calls no
 *  observer. */
HERALD_EXPORT HeraldCenterRef HeraldCenterGetHostCenter(void);

/** Observes the names that begin with the prefix and a dot, not the prefix itself: "com.acme" means com.acme.saved, and
 *  neither com.acme nor com.acmesoft.saved. Such observers, and observers of any name (NULL as name), hear each post by
 *  itself, in one order with messages. While there are such observers, each post costs its poster as much as a message
 *  does. Names that others have made become names of this process, 65,536 at most. Posts of further names are dropped
 *  and counted as missed, as are posts that were overwritten before they were read. The exception is plain posts of
 *  names that this process also observes by their names: one call stands for those that were lost
 *  (HeraldHostGetPostCount). In the two seconds after a process's first such observer was added, up to 64 lost posts
 *  may stay uncounted if plain posts are made in that time. The registration is removed by its token alone. */
HERALD_ADDS HeraldStatus HeraldHostAddObserverUnder(const void *observer, HeraldCallback callback, const char *prefix,
                                                    const HeraldObserverOptions *options, HeraldToken *token);

/** Inside a callback of the host center: how many posts the call stands for, of all processes together. Elsewhere 1.
 *  The number means nothing for posts that were held while the center was suspended. */
HERALD_EXPORT uint64_t HeraldHostGetPostCount(void);

/** How many messages this process has missed, of the names that it observes: they were overwritten before they were
 *  read, or there was no memory for them. While the process observes any name or a prefix, missed posts of all names
 *  count. The number is exact at the time of the call, with one exception: if the first observer of a name was added
 *  just while the file was made again, messages in files that this process never came to are not counted. Messages that
 *  HeraldMessage.missed has reported are included. */
HERALD_EXPORT uint64_t HeraldHostGetMissedMessageCount(void);

/** Posts a name given as text, without making a HeraldNameRef of it. HeraldInvalidArgument for a text that is empty or
 *  too long, HeraldTransportFailed when the file cannot be had. */
HERALD_EXPORT HeraldStatus HeraldHostPost(const char *name);

/** A sentence about why this thread's last failing call failed: a call of a function of this header, or an add to the
 *  host center. "" if no call has failed yet. An add that returns HeraldOutOfMemory may leave the sentence as it was.
 *  Valid until the thread's next call. */
HERALD_EXPORT const char *HeraldHostGetErrorDescription(void);

/** The path of the file, or the path that it would have. Valid until this thread's next call of this function. NULL
 *  when the place cannot be found. */
HERALD_EXPORT const char *HeraldHostGetPath(void);

/** The folder of the sockets by which the user's tools look into processes that let them (inspect.h). A socket is named
 *  NUMBER.IDENTITY. NUMBER is the number of its process, which two processes may have where containers share the
 *  folder. IDENTITY is 16 hexadecimal digits. Copies the folder's path and returns its length. 0: no process has made
 *  it. */
HERALD_EXPORT size_t HeraldHostGetInspectorFolder(char *buffer, size_t size);

/** Puts a new, empty file in the place of the user's, even if that one is damaged or cannot be used. All processes that
 *  use the old file go on in the new one at once, and each observer is called once. States are carried over. If another
 *  process is making the new file, the call waits a moment for it, and then makes the file itself.
 *  HeraldTransportFailed when the new file cannot be made. */
HERALD_EXPORT HeraldStatus HeraldHostReset(void);

/* ---- Tokens: asking, in place of being called ------------------------------------------------------------------- */

/** One registration made by a call below. 0 names nothing. Numbers are never reused. */
typedef uint64_t HeraldHostToken;

/** Registers for HeraldHostCheck. No thread is started. */
HERALD_ADDS HeraldStatus HeraldHostRegisterCheck(const char *name, HeraldHostToken *token);

/** Registers for a file descriptor that becomes readable when the name is posted, for poll and epoll. It is an eventfd,
 *  non-blocking and close-on-exec: a read of eight bytes gives a uint64_t, the number of posts since the last read.
 *  With `reuse`, the descriptor in `*descriptor`, which an earlier call made, serves this name too. Then the number is
 *  the sum, and HeraldHostCheck tells the names apart. Herald owns the descriptor and closes it with its last token.
 *  The thread that serves it is the one that calls observers. */
HERALD_ADDS HeraldStatus HeraldHostRegisterFileDescriptor(const char *name, bool reuse, int *descriptor,
                                                          HeraldHostToken *token);

/** How many posts there were since the last check of this token. A check costs a few loads. A token's first check gives
 *  1 plus the posts since the token was registered, so that a program which reads its settings after such a check reads
 *  them once. After the file was made again, a check gives at least 1. 0 while the token is suspended. */
HERALD_EXPORT HeraldStatus HeraldHostCheck(HeraldHostToken token, uint64_t *posts);

/** The number that belongs to a name, 0 at first. Setting it posts nothing. Unlike on macOS, it outlives registrations
 *  and processes. It ends with the file: when the file is removed and no process that uses it is left. */
HERALD_EXPORT HeraldStatus HeraldHostGetState(HeraldHostToken token, uint64_t *state);
HERALD_EXPORT HeraldStatus HeraldHostSetState(HeraldHostToken token, uint64_t state);

/** A suspended token reports no posts until it has been resumed as often as it was suspended. Then the posts made in
 *  the meantime are reported at once. Resuming a token that is not suspended is HeraldInvalidArgument. */
HERALD_EXPORT HeraldStatus HeraldHostSuspend(HeraldHostToken token);
HERALD_EXPORT HeraldStatus HeraldHostResume(HeraldHostToken token);

/** Ends a token. HeraldInvalidArgument for one that has ended. */
HERALD_EXPORT HeraldStatus HeraldHostCancel(HeraldHostToken token);

/* ---- What there is ---------------------------------------------------------------------------------------------- */

/** A name in the table. */
typedef struct {
    size_t size;      /**< sizeof(HeraldHostNameInfo) of the library that calls */
    const char *name; /**< borrowed for the call */
    uint64_t posts;   /**< since the name was first observed or the file was made */
    uint64_t state;
    uint32_t watchers;         /**< processes with observers or descriptors; those beyond 3,968 count as at most 64 */
    uint32_t processCount;     /**< how many of these have given their process numbers */
    const uint32_t *processes; /**< these numbers, which are not verified; borrowed for the call */
} HeraldHostNameInfo;

/** How many processes, this one among them, observe any name or the names under a prefix. They hear posts of names for
 *  which HeraldHostNameInfo.watchers is 0. Only each process itself knows its prefixes, so the number is the same for
 *  every name: it is how many processes may hear a post that no process observes by its name. Processes beyond 60 count
 *  as at most 4. Also 0 when the file cannot be had. */
HERALD_EXPORT uint32_t HeraldHostGetPrefixWatcherCount(void);

/** How many names the table has room for. */
HERALD_EXPORT uint32_t HeraldHostGetNameLimit(void);

/** Calls `visit` with the path of every file of another layout, in the same folder, that some process uses. Such a
 *  process has another version of Herald, and does not meet the processes of this one. */
HERALD_EXPORT HeraldStatus HeraldHostVisitOtherFiles(void (*visit)(void *context, const char *path), void *context);

/** A folder in which the user's file can be. */
typedef struct {
    size_t size;         /**< sizeof(HeraldHostFolderInfo) of the library that calls */
    const char *path;    /**< the texts are borrowed for the call */
    const char *source;  /**< where the folder comes from: "HERALD_HOST_DIRECTORY", "XDG_RUNTIME_DIR" or a few words */
    const char *problem; /**< why the file cannot be there; NULL: it can */
    bool isChosen;       /**< it is the first folder in which the file can be */
    const char *file;    /**< a file of the user's that is there; NULL: none */
    bool isFileInUse;    /**< some process observes in that file or posts messages to it */
} HeraldHostFolderInfo;

/** Calls `visit` for each folder in which the user's file can be, in their order. If HERALD_HOST_DIRECTORY is set, that
 *  is the only one. Folders before the chosen one were passed over. A process may use a file in another folder, because
 *  it sees other folders or has other variables. Such a process does not meet those that use the file in the chosen
 *  folder. */
HERALD_EXPORT HeraldStatus HeraldHostVisitFolders(void (*visit)(void *context, const HeraldHostFolderInfo *info),
                                                  void *context);

/** Calls `visit` for every name in the table. Names that begin with `self.` are not in it: they stay in their process.
 */
HERALD_EXPORT HeraldStatus HeraldHostVisitNames(void (*visit)(void *context, const HeraldHostNameInfo *info),
                                                void *context);

#ifdef __cplusplus
}
#endif
#endif
