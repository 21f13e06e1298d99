/* The host center carries posts between all processes of a user, without a daemon. The processes share one file: see
 * WHICH PROCESSES MEET.
 *
 * It is a HeraldCenterRef like any other (see herald.h). It carries names, and messages (message.h):
 *
 *      HeraldCenterRef host = HeraldCenterGetHostCenter();
 *      HeraldNameRef name = HeraldNameCreate("com.acme.cache-changed");
 *      HeraldStatus status = HeraldCenterAddObserver(host, me, refresh, name, NULL, HeraldSuspensionCoalesce);
 *      HeraldCenterPostNotification(host, name, NULL, NULL, false);      -- in this process, or in another
 *
 * The rules stand at the end: WHAT IS CARRIED, MESSAGES, KEPT MESSAGES, WHEN OBSERVERS ARE CALLED, IN WHICH ORDER, WHAT
 * IT COSTS, WHICH PROCESSES MEET, WHEN PROCESSES DIE, FORK and ERRORS.
 */
#ifndef HERALD_HOST_H
#define HERALD_HOST_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the host center, or NULL when memory is out. The host center never dies: retaining and releasing it does
 *  nothing. It opens its file with the first call that needs the file. Adding an observer fails with
 *  HeraldTransportFailed when the file cannot be had, and with HeraldInvalidArgument for a name that cannot be carried.
 *  In both cases posting calls no observer. */
HERALD_EXPORT HeraldCenterRef HeraldCenterGetHostCenter(void);

/** HeraldCenterAddObserverWithOptions with HeraldObserverOptions.prefix (R26), by the name that it had in 0.2. An
 *  observer under a prefix, and an observer of all names (NULL as name), hears each post
 *  separately, in one order with the messages. While any process has such an observer, each post costs its poster as
 *  much as a message does. Names that other processes have posted become names of this process, 65,536 at most. Posts
 *  of further names are dropped and counted as missed. Posts that were overwritten before they were read are counted as
 *  missed, too. The exception is plain posts of a name that this process also observes by the name itself: one call
 *  stands for those that were lost (HeraldHostGetPostCount). When a process adds its first observer of this kind, up to
 *  64 lost posts may stay uncounted, if plain posts are made in the next two seconds. The registration is removed by
 *  its token alone. */
HERALD_ADDS HeraldStatus HeraldHostAddObserverUnder(const void *observer, HeraldCallback callback, const char *prefix,
                                                    const HeraldObserverOptions *options, HeraldToken *token);

/** Inside a callback of the host center, returns how many posts, of all processes, this call stands for. Outside of
 *  such callbacks, returns 1. The number means nothing for posts that were held while the center was suspended. */
HERALD_EXPORT uint64_t HeraldHostGetPostCount(void);

/** How many messages this process has missed, of the names that it observes. A message is missed if it was overwritten
 *  before it was read, or if there was no memory for it. While the process observes all names or a prefix, missed posts
 *  of all names count, too. The number is exact at the time of the call, with three exceptions. If the first observer
 *  of a name was added just while the file was made again, messages in files that this process never came to are not
 *  counted. One message of each poster that was killed may be missed without being counted. And of 2^31 messages of a
 *  name or more, all missed at once, fewer may be counted. Messages that HeraldMessage.missed has reported are
 *  included, except those that an inbox has dropped. */
HERALD_EXPORT uint64_t HeraldHostGetMissedMessageCount(void);

/** Posts a name given as text. A HeraldNameRef is made only if some process has observed the name. Returns
 *  HeraldInvalidArgument for a text that is empty or too long, and HeraldTransportFailed when the file cannot be
 *  had. */
HERALD_EXPORT HeraldStatus HeraldHostPost(const char *name);

/** Sets the number that belongs to a name (its state, see HeraldHostSetState), and posts the name. An observer that is
 *  called for this post finds this state, or a newer one, by HeraldHostGetCurrentState. The state is kept: an observer
 *  of the name that starts with what is kept (HeraldStartKept) is called with it. The name is entered in the file's
 *  table. Fails like HeraldHostPost, and then has set nothing. */
HERALD_EXPORT HeraldStatus HeraldHostPostState(const char *name, uint64_t state);

/** Inside a callback of the host center for a plain post: the state of the name, as it was when this call was prepared,
 *  which was after the newest post that the call stands for. `*hasState` (may be NULL) becomes whether a process has
 *  set one; otherwise, and outside of such callbacks, returns 0. So it does for posts that were held while the center
 * was suspended. */
HERALD_EXPORT uint64_t HeraldHostGetCurrentState(bool *hasState);

/** HeraldGetErrorDescription (herald.h), by the name that it had in 0.2. */
HERALD_EXPORT const char *HeraldHostGetErrorDescription(void);

/** Returns the path of the file, or the path at which the file will be made if there is none yet. Returns NULL when no
 *  place for the file can be found. The path stays valid. */
HERALD_EXPORT const char *HeraldHostGetPath(void);

/** Copies the path of the folder with the inspectors' sockets, and returns the path's length. Returns 0 if no process
 *  has made the folder. Through such a socket the user's tools look into a process that allows this (inspect.h). A
 *  socket is named NUMBER.IDENTITY. NUMBER is the number of its process; two processes may have the same number where
 *  containers share the folder. IDENTITY is 16 hexadecimal digits. */
HERALD_EXPORT size_t HeraldHostGetInspectorFolder(char *buffer, size_t size);

/** Puts a new, empty file in the place of the user's file, even if the old file is damaged or cannot be used. All
 *  processes that use the old file go on in the new file at once, and each observer is called once. States are carried
 *  over. If another process is making the new file, the call waits a moment for that process, and then makes the file
 *  itself. Returns HeraldTransportFailed when the new file cannot be made. */
HERALD_EXPORT HeraldStatus HeraldHostReset(void);

/* ---- Tokens: asking, in place of being called ------------------------------------------------------------------- */

/** One registration that a function below has made. 0 names nothing. Numbers are never reused. */
typedef uint64_t HeraldHostToken;

/** Registers for HeraldHostCheck. This starts no thread. */
HERALD_ADDS HeraldStatus HeraldHostRegisterCheck(const char *name, HeraldHostToken *token);

/** Registers for a file descriptor that becomes readable when the name is posted, for poll and epoll. The descriptor is
 *  an eventfd, non-blocking and close-on-exec. A read of eight bytes gives a uint64_t, the number of posts since the
 *  last read. With `reuse`, this name shares the descriptor in `*descriptor`, which an earlier call has made. Then a
 *  read gives the sum for all its names, and HeraldHostCheck tells the names apart. Herald owns the descriptor, and
 *  closes it with its last token. The thread that serves the descriptor is the one that calls observers. */
HERALD_ADDS HeraldStatus HeraldHostRegisterFileDescriptor(const char *name, bool reuse, int *descriptor,
                                                          HeraldHostToken *token);

/** How many posts there were since the last check of this token. A check costs a few loads. A token's first check gives
 *  1 plus the posts since the token was registered. So a program can read its settings whenever a check gives posts,
 *  and reads them once at the start. After the file was made again, a check gives at least 1. While the token is
 *  suspended, a check gives 0. Of 2^29 messages of the name or more since the last check it may give fewer, or 0. */
HERALD_EXPORT HeraldStatus HeraldHostCheck(HeraldHostToken token, uint64_t *posts);

/** The number that belongs to a name, 0 at first. Setting it posts nothing. Unlike on macOS, the number outlives
 *  registrations and processes. It ends with the file: when the file is removed and no process that uses the file is
 *  left. */
HERALD_EXPORT HeraldStatus HeraldHostGetState(HeraldHostToken token, uint64_t *state);
HERALD_EXPORT HeraldStatus HeraldHostSetState(HeraldHostToken token, uint64_t state);

/** A suspended token reports no posts until it has been resumed as often as it was suspended. Then it reports at once
 *  the posts that were made in the meantime. Resuming a token that is not suspended returns HeraldInvalidArgument. */
HERALD_EXPORT HeraldStatus HeraldHostSuspend(HeraldHostToken token);
HERALD_EXPORT HeraldStatus HeraldHostResume(HeraldHostToken token);

/** Ends a token. Returns HeraldInvalidArgument if the token has ended already. */
HERALD_EXPORT HeraldStatus HeraldHostCancel(HeraldHostToken token);

/* ---- An inbox, for a program with a loop of its own -------------------------------------------------------------- */

/** An inbox keeps what an observer would hear, until the program takes it, on a thread of its own choice:
 *
 *      HeraldHostInbox inbox;
 *      int descriptor;
 *      HeraldStatus status = HeraldHostOpenInbox("com.acme.job", 0, &inbox, &descriptor);
 *      HeraldMessage message = {.size = sizeof message};
 *      ... poll says that the descriptor is readable ...
 *      while (HeraldHostReceive(inbox, &message)) work(message.bytes, message.length);
 *
 *  No message is copied for the inbox: it keeps the copy that this process has made anyway. */
typedef struct HeraldHostReceiver *HeraldHostInbox;

/** Opens an inbox for a name (NULL: any name). A message that is posted after this call has returned is received once,
 *  in the order in which an observer would hear it. `limit` is how much may wait; 0 means 256. All that waits takes 16
 *  MiB at most. A message that finds no room takes the place of the oldest, and of more if it needs their bytes. These
 *  are dropped and counted (see HeraldHostReceive).
 *      `*descriptor` becomes an eventfd, non-blocking and close-on-exec, for poll and epoll. It is readable while
 *  something waits, and at no other time. So it makes no difference whether the program receives all that waits or one
 *  message for each time that poll returns, or whether epoll is level-triggered; with EPOLLET, receive until nothing
 *  waits. Herald owns the descriptor, reads it, and closes it with the inbox. The program must not read it.
 *      Suspending the center does not stop an inbox: it hears as HeraldSuspensionDeliverImmediately says (R16). In the
 *  child of a fork the inbox stays with the parent: there nothing is received, and closing the inbox closes the child's
 *  copy of the descriptor.
 *      HeraldInvalidArgument for a name that cannot be carried, and for NULL as `inbox` or `descriptor`.
 *  HeraldTransportFailed when the file cannot be had, or no file descriptor is available. HeraldOutOfMemory. Then
 *  `*inbox` is NULL and `*descriptor` is -1. */
HERALD_ADDS HeraldStatus HeraldHostOpenInbox(const char *name, size_t limit, HeraldHostInbox *inbox, int *descriptor);

/** The same for the names that begin with the prefix and a dot (R26, HeraldObserverOptions.prefix). Each plain post is
 *  received separately, as it is for any name. HeraldInvalidArgument for NULL as `prefix`, too. */
HERALD_ADDS HeraldStatus HeraldHostOpenInboxUnder(const char *prefix, size_t limit, HeraldHostInbox *inbox,
                                                  int *descriptor);

/** Takes the oldest message that waits. Returns false if nothing waits. Does not wait. What the message points to is
 *  valid until the next call of this function or of HeraldHostCloseInbox with this inbox. Any thread may receive, one
 *  at a time.
 *      A plain post is received, too, as a message without object, type and bytes (NULL) and with sequence 0. (The
 *  sequence of a message is never 0.) It stands for one or several posts, as a call of an observer does.
 *      `message->missed` is what HeraldMessage.missed says of this message (of all names that the process observes) and
 *  of those that the inbox has dropped before it, and 1 for each message or plain post that it has dropped, or that it
 *  could not keep because memory was out. HeraldHostGetMissedMessageCount does not count what an inbox has dropped.
 *      Set `message->size` to sizeof *message before the first call. The function writes no more than this, and sets
 *  `size` to what it has written. A size that is too small counts as 72, the size in the first version. Returns false
 *  for NULL, too. */
HERALD_EXPORT bool HeraldHostReceive(HeraldHostInbox inbox, HeraldMessage *message);

/** The name of the message that was received last. NULL if HeraldHostReceive has returned false since then, or was not
 *  called yet, and for NULL. The thread that receives may call this function. */
HERALD_EXPORT HeraldNameRef HeraldHostGetReceivedName(HeraldHostInbox inbox);

/** Closes the inbox and its descriptor, and drops what waits. (If somebody else has removed the inbox's registration,
 *  the inbox has received what waited then, and nothing after that. It is still to be closed.) Waits for no callback:
 * may be called while messages arrive, and in a callback. After this call, and during it, no other thread may use the
 * inbox. NULL does nothing. */
HERALD_EXPORT void HeraldHostCloseInbox(HeraldHostInbox inbox);

/* ---- What there is ---------------------------------------------------------------------------------------------- */

/** A name in the table. */
typedef struct {
    size_t size;      /**< sizeof(HeraldHostNameInfo) of the library that calls */
    const char *name; /**< valid during the call */
    uint64_t posts;   /**< since the name was first observed or the file was made */
    uint64_t state;
    uint32_t watchers;         /**< processes with observers or descriptors; all after the first 3,968 add at most 64 */
    uint32_t processCount;     /**< how many of the watchers have given their process numbers */
    const uint32_t *processes; /**< these numbers, not verified; valid during the call */
} HeraldHostNameInfo;

/** How many processes, this one included, observe all names or the names under a prefix. Each of these processes may
 *  hear posts of a name for which HeraldHostNameInfo.watchers is 0. The number is the same for every name, because only
 *  each process itself knows its prefixes. All processes after the first 60 add at most 4 to the number. Also returns
 *  0 when the file cannot be had. */
HERALD_EXPORT uint32_t HeraldHostGetPrefixWatcherCount(void);

/** How many names the table has room for. */
HERALD_EXPORT uint32_t HeraldHostGetNameLimit(void);

/** Calls `visit` with the path of every file in the same folder that has another layout and that some process uses.
 *  Such a process has another version of Herald, and does not meet the processes of this version. */
HERALD_EXPORT HeraldStatus HeraldHostVisitOtherFiles(void (*visit)(void *context, const char *path), void *context);

/** A folder in which the user's file can be. */
typedef struct {
    size_t size;         /**< sizeof(HeraldHostFolderInfo) of the library that calls */
    const char *path;    /**< all texts here are valid during the call */
    const char *source;  /**< where the folder comes from: "HERALD_HOST_DIRECTORY", "XDG_RUNTIME_DIR" or a few words */
    const char *problem; /**< why the file cannot be there; NULL: it can */
    bool isChosen;       /**< this is the first folder in which the file can be */
    const char *file;    /**< a file of the user's in this folder; NULL: none */
    bool isFileInUse;    /**< some process observes in `file` or posts messages to it */
} HeraldHostFolderInfo;

/** Calls `visit` for each folder in which the user's file can be, the preferred folder first. If HERALD_HOST_DIRECTORY
 *  is set, that is the only folder. Folders before the chosen one were passed over. A process may use a file in another
 *  folder, because it sees other folders or has other variables. Such a process does not meet the processes whose file
 *  is in the chosen folder. */
HERALD_EXPORT HeraldStatus HeraldHostVisitFolders(void (*visit)(void *context, const HeraldHostFolderInfo *info),
                                                  void *context);

/** Calls `visit` for every name in the table. Names that begin with `self.` are not in it: they stay in their process.
 */
HERALD_EXPORT HeraldStatus HeraldHostVisitNames(void (*visit)(void *context, const HeraldHostNameInfo *info),
                                                void *context);

#ifdef __cplusplus
}
#endif

/* The rules.
 *
 * WHAT IS CARRIED. A plain post tells other processes that a name was posted, and how often. The object and the
 * userInfo of a plain post stay with the poster: observers get NULL for both, and a registration for an object does not
 * hear the post. A message is carried whole. It has up to 65,536 bytes, and up to 1,024 bytes of object and type
 * together. Posting a larger message returns HeraldTooLarge, whether or not anybody hears it. Names are 1 to 512 bytes
 * of UTF-8. The file has a table of names, with room for about 87,000 names of up to 64 bytes. A name is entered there
 * when a process first observes or checks it. Names that are addresses (HeraldNameForAddress) are refused. Names that
 * begin with "self." stay in the process.
 *
 * MESSAGES (R23). Messages do not coalesce: an observer is called once for each message, and gets a copy of it in its
 * own process. All processes hear messages in the same order. HeraldMessage.sequence is the place of a message in this
 * order. Until the system is booted again, sequences only rise. A file that is made in the place of another file goes
 * on with the numbers of that file. A file that is made after the old file was removed begins at a higher number; this
 * jump does not mean that messages were lost. (There is one exception: a process may move from a file in another folder
 * to a file that other processes have used in the meantime. The numbers in that file may be lower.) The log keeps 8,192
 * messages, and about 1 MiB for each process that posts. There is no back-pressure: a reader that is too slow loses the
 * oldest messages. The reader learns how many messages of the names that it observes were lost (HeraldMessage.missed,
 * HeraldHostGetMissedMessageCount). This number is exact, with two exceptions. The first is messages that
 * were posted to a file just after it was made again, if no process had observed their name by then. The second is one
 * message for each poster that was killed.
 *      A message that nobody hears is not written, and costs what a plain post costs. The first 90 seconds of a file
 * are an exception: all messages are written then, for processes that have yet to find the file.
 *      The file takes some memory with the first message, and 1 MiB with each process's first message. This MiB can be
 * given back when four conditions hold: the process has ended, all readers have read what it posted, the file is no
 * longer new, and no processes share a channel (see below). A process that observes then gives the MiB back, within a
 * minute. Herald leaves the last MiB of the file system to others. A process gets no MiB of its own if there is no room
 * for one, or if 251 processes have one already. Such a process borrows a MiB for each message. As a rule there are
 * four to borrow, and fewer where others have filled the file system. There may be none, or all may be lent to
 * processes that do not finish (because they were stopped, say). Then posting a message returns HeraldQueueFull. Plain
 * posts go on, and so do the messages of processes that have a MiB of their own.
 *      While another process makes the file again, posting a message waits for the new file, some milliseconds as a
 * rule. If that other process was stopped or killed, the poster makes the file after a moment. A message that is posted
 * to a removed file is heard by the processes that still use that file. A suspended center goes on reading messages,
 * and keeps copies as message.h describes. Tokens and descriptors count messages, too. An observer that gets a message
 * gets no plain call for it in addition.
 *
 * KEPT MESSAGES (R25). A message that is posted with HeraldPostKeep is kept in the file for its name and object, also
 * when its poster has ended. An observer that is added with HeraldStartKept is called with what is kept, on Herald's
 * thread, soon after the add has returned; then `began` is called; then come the messages that are posted later. A kept
 * message is always written to the log, also if nobody hears it now. A reader that is too slow loses older messages. It
 * hears the newest kept message all the same, after HeraldMessage.missed has counted those before it.
 *      The file keeps 32,768 messages, and 64 MiB of them. A message, with its texts and 56 bytes more, takes a power
 * of 2 from 128 bytes to 128 KiB. What was forgotten counts until the file is made again. If there is no room, Herald
 * frees what killed processes have left, takes a larger piece, and makes the file again if that helps, but not more
 * often than every 10 seconds. Then posting returns HeraldQueueFull, and nothing has changed. An observer can begin
 * with 16 MiB, as a suspended center holds (R16); with more, `began` gets HeraldQueueFull. If the file cannot be had,
 * `began` gets HeraldTransportFailed, and the observer begins again when the file can be had. A name that begins with
 * "self." keeps nothing (HeraldInvalidArgument). A file that is made again keeps what the old file kept. When the file
 * was removed, or all processes go to another folder, the first process that comes to the next file keeps there what
 * the old file kept, except where something newer is kept already. What a process keeps in the old file after that is
 * lost. What a removed file kept is lost, too, when the last process that uses it ends. While a process observes all
 * names, forgetting and carrying may be counted as missed messages. The state of a name (HeraldHostPostState) is kept,
 * too: an observer of the name that starts with what is kept is called once for it.
 *
 * WHEN OBSERVERS ARE CALLED. In each process, Herald has one thread that calls the observers. This thread begins with
 * the first observer and ends with the last. It also calls the observers of the poster's own process, so the post
 * returns 0. (Posts that a suspended center has held are delivered on the thread that resumes the center.) A callback
 * that takes long delays the other observers of its process, but no other process. All signals except synchronous
 * faults are blocked on this thread. If a post begins after an add has returned, the new observer is called at least
 * once. Posts coalesce: one call may stand for several posts. HeraldHostGetPostCount returns how many. A call without a
 * post is possible, but rare. Suspension works as in every center (R16).
 *
 * IN WHICH ORDER. Names are heard in the order of their last posts: if a thread posts "started" and then "finished",
 * every process hears them in this order. A name that is posted again before it was heard takes the later place. This
 * holds for posts that begin after the observers were added. It does not hold across a file that is made again (see
 * below). If a thread hears a post of another thread and then posts, its post is heard after the other one. There is
 * one exception: the other thread was interrupted in the middle of its post.
 *
 * WHAT IT COSTS. A post is a few memory accesses and takes no lock. It makes no system call, except one for each
 * sleeping process that observes the name, to wake it. It costs the same whether ten processes use the center or
 * thousands. A process that posts or hears checks once a second that its file is still there. A process that hears
 * nothing wakes for this check after a second, and then after twice as long each time, up to a minute. A poster pays
 * nothing for processes that were stopped or killed, for suspended centers, or for locks that other processes have. A
 * channel is the place where a process sleeps. 3,968 processes can observe with a channel of their own. Further
 * processes share 64 channels, and wake for each other's names.
 *
 * WHICH PROCESSES MEET. Processes of the same user meet in a file of shared memory. Only this user may open the file
 * (mode 0600). The file is
 *      herald-3 in $HERALD_HOST_DIRECTORY, if that is set; else
 *      herald-3 in $XDG_RUNTIME_DIR, if it is a folder of the user's that no other user can write to; else
 *      herald-3 in /run/user/UID, if it is such a folder; else
 *      herald-UID-3 in /dev/shm, or herald-UID-3.1 to .7 if another user has taken the earlier names.
 * A folder in which no file can be made and shared (it is read-only, say) is passed over. If HERALD_HOST_DIRECTORY
 * names such a folder, calls fail. HeraldHostVisitFolders reports which folders were passed over, and why.
 * HeraldHostGetPath returns where a process's file is. A process with other values of these variables uses another
 * file. The user is the effective user when the process first uses the center. While the process runs as another user,
 * it keeps its file, and calls that need a look at the file fail. The 3 is the layout's number: processes whose Herald
 * has another layout use another file.
 *      A file of another owner, mode, size or layout is refused with an error, and left as it is. Everything in the
 * file is checked before it is used. So another program of the user's that writes to the file can cost posts, but no
 * more. The center has a handler for SIGBUS, to survive a file that is cut short. The handler passes on the signals
 * that are not its own. A thread that has SIGBUS blocked is not protected, nor is a program that later installs a
 * handler of its own.
 *      A full file is made again with the names that are in use, so names of the past cost nothing. The file is also
 * made again by HeraldHostReset, and when it has been removed. The processes meet again in the new file. Once one
 * process that uses the old file has noticed the new file, all the others that use the old file move at once. A process
 * that posts or hears looks for a new file once a second, an idle process at least once a minute. A new process may
 * start to use the center before the others have moved. Then it makes the new file, and is alone there at first.
 * Messages that it posts wait in the new file until the others come. Messages wait in one more case, too. The user's
 * runtime folder (as a rule /run/user/UID) appears with a login, and goes with the last logout. All processes may have
 * moved from an earlier file to a file in that folder. When the folder has gone, the first process that comes back to
 * the place of the earlier file is alone there at first. Plain posts do not wait. Instead, each process that comes to
 * the new file posts some names once more: those that it has posted since it last saw that the old file was still in
 * its place. It also calls every observer of a name at least once, because the name may have been posted in the
 * meantime. Observers of any name or a prefix hear only the plain posts that are made from then on. States are carried
 * over. Three other files are made again, too: a file that was cut short and restored, a file that has lost what lies
 * behind its header, and a file that is a copy.
 *
 * WHEN PROCESSES DIE. A process may be killed or stopped at any instruction: all others go on, and miss nothing.
 *
 * FORK. The child may post, check and observe. Inherited observers are called in the child, too, once the child
 * registers an observer or a file descriptor. (If a callback of this center has forked the child, the child calls them
 * even if it registers nothing.) Tokens with a file descriptor and inboxes stay with the parent.
 *
 * ERRORS. A call that fails has changed nothing. HeraldGetErrorDescription returns what was wrong. All calls may be
 * made on any thread. No call is async-signal-safe.
 */
#endif
