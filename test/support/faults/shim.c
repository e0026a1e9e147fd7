// The fault shim: by LD_PRELOAD it stands between a program and the C library, sees every durable call below a folder, writes it into a
// journal, and delays it, fails it, ignores it, does it and says that it failed, or ends the process there, as the rules of a plan say.
//
// DROPGATE_FAULT_ROOT     the folder that it looks at; without it, every path
// DROPGATE_FAULT_JOURNAL  a file to which each call is appended (journal.ts reads it); without it, nothing is written
// DROPGATE_FAULT_PLAN     a file of rules, one a line (shim.ts writes it); it is read again whenever it has been replaced
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 65536
#define RULES_MAX 64
#define PIECES_MAX 1024
#define REAL(name) ((__typeof__(&name))real_of(#name))

static void *real_of(const char *name) { return dlsym(RTLD_NEXT, name); }

/* What was opened below the root: its path, and an id that is never used again. The number of a descriptor is, and not every close can be
   seen; so each is asked whether it still is the same file. */
static struct open_file { char *path; unsigned id; int is_folder; dev_t device; ino_t inode; } files[DESCRIPTORS_MAX];
static unsigned opened;

/* Held while a call is done and written down, so that the journal has the order in which things happened; not while the disk syncs. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static const char *plan_path;
static int journal = -1;

enum action { DIE_BEFORE, DIE_AFTER, FAIL, FAIL_AFTER, IGNORE, DELAY };
static const char *const ACTIONS[] = {"die-before", "die-after", "fail", "fail-after", "ignore", "delay"};
static struct rule { enum action action; char kind[128], glob[512]; long from, times, value, seen; } rules[RULES_MAX];
static int rules_count;
static struct timespec plan_time;
static ino_t plan_inode;

/* ---- the plan: `ACTION KIND GLOB FROM TIMES VALUE`; calls FROM … FROM+TIMES-1 of those that match, TIMES 0: all from FROM on.
   KIND and GLOB are patterns of fnmatch(3), extended ones too. */

static void read_plan(void) {
  struct stat now;
  if (!plan_path || stat(plan_path, &now) != 0) return;
  if (now.st_ino == plan_inode && now.st_mtim.tv_nsec == plan_time.tv_nsec && now.st_mtim.tv_sec == plan_time.tv_sec) return;
  plan_inode = now.st_ino;
  plan_time = now.st_mtim;
  rules_count = 0;
  FILE *plan = fopen(plan_path, "re");
  char action[16];
  struct rule rule;
  while (plan && rules_count < RULES_MAX &&
         fscanf(plan, "%15s %127s %511s %ld %ld %ld", action, rule.kind, rule.glob, &rule.from, &rule.times, &rule.value) == 6) {
    rule.seen = 0;
    for (unsigned each = 0; each < sizeof ACTIONS / sizeof *ACTIONS; each++)
      if (strcmp(action, ACTIONS[each]) == 0) { rule.action = each; rules[rules_count++] = rule; }
  }
  if (plan) fclose(plan);
}

struct verdict { int failure, late_failure, ignored, dies; long delay_us; };

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Under the lock, before a call. The path counts from the root. */
static struct verdict judge(const char *kind, const char *path) {
  struct verdict verdict = {0};
  read_plan();
  for (int each = 0; each < rules_count; each++) {
    struct rule *rule = &rules[each];
    if (fnmatch(rule->kind, kind, FNM_EXTMATCH) != 0 || fnmatch(rule->glob, path + root_length, FNM_EXTMATCH) != 0) continue;
    if (++rule->seen < rule->from || (rule->times > 0 && rule->seen >= rule->from + rule->times)) continue;
    if (rule->action == DIE_BEFORE) die();
    if (rule->action == DIE_AFTER) verdict.dies = 1;
    if (rule->action == FAIL) verdict.failure = rule->value;
    if (rule->action == FAIL_AFTER) verdict.late_failure = rule->value;
    if (rule->action == IGNORE) verdict.ignored = 1;
    if (rule->action == DELAY) verdict.delay_us = rule->value;
  }
  return verdict;
}

/* ---- the journal: `PID KIND ID OFFSET LENGTH PATH OTHER`, by tabs, then LENGTH bytes and a line end */

static void note(const char *kind, unsigned id, const char *path, const char *other, off_t offset, const struct iovec *bytes, int pieces,
                 size_t length) {
  if (journal < 0) return;
  char head[2 * PATH_MAX + 128];
  struct iovec all[PIECES_MAX + 2];
  int count = 1;
  int size = snprintf(head, sizeof head, "%d\t%s\t%u\t%lld\t%zu\t%s\t%s\n", getpid(), kind, id, (long long)offset, length,
                      path ? path + root_length : "", other ? other + root_length : "");
  all[0] = (struct iovec){head, size};
  for (size_t left = length; left > 0 && pieces > 0; bytes++, pieces--) {
    size_t part = bytes->iov_len < left ? bytes->iov_len : left;
    all[count++] = (struct iovec){bytes->iov_base, part};
    left -= part;
  }
  all[count++] = (struct iovec){"\n", 1};
  if (REAL(writev)(journal, all, count) < 0) abort();
}

__attribute__((constructor)) static void begin(void) {
  const char *given = getenv("DROPGATE_FAULT_ROOT"), *path = getenv("DROPGATE_FAULT_JOURNAL");
  if (given && realpath(given, root)) root_length = strlen(root);
  plan_path = getenv("DROPGATE_FAULT_PLAN");
  if (!path) return;
  int descriptor = REAL(open)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  journal = fcntl(descriptor, F_DUPFD_CLOEXEC, 1000);
  REAL(close)(descriptor);
}

/* ---- paths */

/* The path without links and detours, of a file that need not be there; 0 when it is not below the root. The -shm of SQLite is memory. */
static int locate(int folder, const char *path, char *found) {
  char given[PATH_MAX], parent[PATH_MAX];
  if (!path || !*path) return 0;
  int size = path[0] == '/' || folder == AT_FDCWD ? snprintf(given, sizeof given, "%s", path)
                                                  : snprintf(given, sizeof given, "/proc/self/fd/%d/%s", folder, path);
  if (size >= PATH_MAX) return 0;
  while (size > 1 && given[size - 1] == '/') given[--size] = 0;
  char *slash = strrchr(given, '/');
  if (slash && slash - given == (long)strlen("/proc/self/fd") && strncmp(given, "/proc/self/fd", slash - given) == 0) {
    /* What is open already, by its number. */
    if (!realpath(given, found)) return 0;
    size = strlen(found);
  } else {
    const char *name = slash ? slash + 1 : given;
    if (slash) *slash = 0;
    if (!realpath(slash ? (slash == given ? "/" : given) : ".", parent)) return 0;
    size = snprintf(found, PATH_MAX, "%s/%s", parent, name);
  }
  if (size >= PATH_MAX || strncmp(found, root, root_length) != 0) return 0;
  if (root_length > 0 && found[root_length] != '/' && found[root_length] != 0) return 0;
  return size < 4 || strcmp(found + size - 4, "-shm") != 0;
}

static struct open_file *file_of(int descriptor) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX || !files[descriptor].path) return NULL;
  struct open_file *file = &files[descriptor];
  struct stat now;
  return fstat(descriptor, &now) == 0 && now.st_ino == file->inode && now.st_dev == file->device ? file : NULL;
}

/* ---- calls that change a name: judged, done, written down */

static int named(const char *kind, const char *path, const char *other, int (*act)(void *), void *arguments) {
  pthread_mutex_lock(&lock);
  struct verdict verdict = judge(kind, other ? other : path);
  int result = verdict.failure ? -1 : verdict.ignored ? 0 : act(arguments);
  int problem = verdict.failure ? verdict.failure : errno;
  if (result >= 0 && !verdict.ignored) note(kind, 0, path, other, 0, NULL, 0, 0);
  if (verdict.dies) die();
  pthread_mutex_unlock(&lock);
  /* As a file server does whose answer was lost, when it is asked again. */
  if (result >= 0 && verdict.late_failure) {
    result = -1;
    problem = verdict.late_failure;
  }
  errno = problem;
  return result;
}

struct names { int from_folder, to_folder, flags; const char *from, *to; mode_t mode; };

static int do_rename(void *given) {
  struct names *names = given;
  return REAL(renameat2)(names->from_folder, names->from, names->to_folder, names->to, names->flags);
}
static int do_link(void *given) {
  struct names *names = given;
  return REAL(linkat)(names->from_folder, names->from, names->to_folder, names->to, names->flags);
}
static int do_unlink(void *given) {
  struct names *names = given;
  return REAL(unlinkat)(names->from_folder, names->from, names->flags);
}
static int do_mkdir(void *given) {
  struct names *names = given;
  return REAL(mkdirat)(names->from_folder, names->from, names->mode);
}

static int one(const char *kind, int (*act)(void *), struct names names) {
  char path[PATH_MAX];
  return locate(names.from_folder, names.from, path) ? named(kind, path, NULL, act, &names) : act(&names);
}
static int two(const char *kind, int (*act)(void *), struct names names) {
  char from[PATH_MAX], to[PATH_MAX];
  int both = locate(names.from_folder, names.from, from) + locate(names.to_folder, names.to, to);
  return both == 2 ? named(kind, from, to, act, &names) : act(&names);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return two("rename", do_rename, (struct names){.from_folder = a, .to_folder = b, .from = from, .to = to, .flags = flags});
}
int renameat(int a, const char *from, int b, const char *to) { return renameat2(a, from, b, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  return two("link", do_link, (struct names){.from_folder = a, .to_folder = b, .from = from, .to = to, .flags = flags});
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int unlinkat(int folder, const char *path, int flags) {
  return one(flags & AT_REMOVEDIR ? "rmdir" : "unlink", do_unlink, (struct names){.from_folder = folder, .from = path, .flags = flags});
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat stat;
  return lstat(path, &stat) == 0 && S_ISDIR(stat.st_mode) ? rmdir(path) : unlink(path);
}
int mkdirat(int folder, const char *path, mode_t mode) {
  return one("mkdir", do_mkdir, (struct names){.from_folder = folder, .from = path, .mode = mode});
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

/* ---- opening */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  char found[PATH_MAX];
  if ((flags & O_TMPFILE) == O_TMPFILE || !locate(folder, path, found)) return REAL(openat)(folder, path, flags, mode);
  const char *kind = flags & O_TRUNC ? "cut" : flags & O_CREAT ? "create" : "open";
  pthread_mutex_lock(&lock);
  struct verdict verdict = judge(kind, found);
  if (verdict.delay_us) {
    pthread_mutex_unlock(&lock);
    usleep(verdict.delay_us);
    pthread_mutex_lock(&lock);
  }
  int descriptor = verdict.failure ? -1 : REAL(openat)(folder, path, flags, mode);
  int problem = verdict.failure ? verdict.failure : errno;
  if (descriptor >= 0 && descriptor < DESCRIPTORS_MAX) {
    struct stat stat;
    fstat(descriptor, &stat);
    free(files[descriptor].path);
    files[descriptor] = (struct open_file){strdup(found), ++opened, S_ISDIR(stat.st_mode), stat.st_dev, stat.st_ino};
    note(kind, opened, found, S_ISDIR(stat.st_mode) ? found : NULL, 0, NULL, 0, 0);
  }
  if (verdict.dies) die();
  pthread_mutex_unlock(&lock);
  errno = problem;
  return descriptor;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE_OF(flags) return open_at(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE_OF(flags) return open_at(folder, path, flags, mode); }

/* A shell gives a program its standard output in this way. */
int dup2(int from, int to) {
  int result = REAL(dup2)(from, to);
  pthread_mutex_lock(&lock);
  struct open_file *file = file_of(from);
  if (result >= 0 && result < DESCRIPTORS_MAX && file && from != to) {
    free(files[to].path);
    files[to] = *file;
    files[to].path = strdup(file->path);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* A descriptor is gone even when closing it fails: with the disk's late word about what was written to it. */
int close(int descriptor) {
  struct open_file *file = file_of(descriptor);
  if (!file) return REAL(close)(descriptor);
  pthread_mutex_lock(&lock);
  struct verdict verdict = judge("close", file->path);
  note("close", file->id, file->path, NULL, 0, NULL, 0, 0);
  free(file->path);
  file->path = NULL;
  int result = REAL(close)(descriptor);
  int problem = verdict.failure ? verdict.failure : errno;
  if (verdict.dies) die();
  pthread_mutex_unlock(&lock);
  errno = problem;
  return verdict.failure ? -1 : result;
}

/* A file that the kernel copies by itself would not be seen: who asks for that is told to write, and does. */
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
  if (!file_of(to)) return REAL(copy_file_range)(from, from_offset, to, to_offset, length, flags);
  errno = ENOSYS;
  return -1;
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  if (!file_of(to)) return REAL(sendfile64)(to, from, offset, count);
  errno = EINVAL;
  return -1;
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) { return sendfile64(to, from, offset, count); }

/* Node closes files, and lets the kernel copy them, without the functions of the C library. */
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long), e = va_arg(rest, long),
       f = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_close) return close(a);
  if (number == SYS_copy_file_range) return copy_file_range(a, (off64_t *)b, c, (off64_t *)d, e, f);
  return REAL(syscall)(number, a, b, c, d, e, f);
}

/* ---- content; each of the real calls takes its bytes in pieces */

static ssize_t put(int descriptor, const struct iovec *bytes, int pieces, off_t offset) {
  struct open_file *file = file_of(descriptor);
  if (!file) return offset < 0 ? REAL(writev)(descriptor, bytes, pieces) : REAL(pwritev)(descriptor, bytes, pieces, offset);
  pthread_mutex_lock(&lock);
  struct verdict verdict = judge("write", file->path);
  ssize_t written = -1;
  int problem = verdict.failure;
  if (verdict.ignored) {
    written = 0;
    for (int each = 0; each < pieces; each++) written += bytes[each].iov_len;
  } else if (!verdict.failure) {
    written = offset < 0 ? REAL(writev)(descriptor, bytes, pieces) : REAL(pwritev)(descriptor, bytes, pieces, offset);
    problem = errno;
    off_t at = offset < 0 ? lseek(descriptor, 0, SEEK_CUR) - written : offset;
    if (written > 0) note("write", file->id, file->path, NULL, at, bytes, pieces, written);
  }
  if (verdict.dies) die();
  pthread_mutex_unlock(&lock);
  errno = problem;
  return written;
}

ssize_t writev(int descriptor, const struct iovec *bytes, int pieces) { return put(descriptor, bytes, pieces, -1); }
ssize_t pwritev(int descriptor, const struct iovec *bytes, int pieces, off_t offset) { return put(descriptor, bytes, pieces, offset); }
ssize_t pwritev64(int descriptor, const struct iovec *bytes, int pieces, off64_t offset) { return put(descriptor, bytes, pieces, offset); }
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  return put(descriptor, &(struct iovec){(void *)bytes, size}, 1, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) { return pwrite(descriptor, bytes, size, offset); }
ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (!file_of(descriptor)) return REAL(write)(descriptor, bytes, size);
  return put(descriptor, &(struct iovec){(void *)bytes, size}, 1, -1);
}

int ftruncate(int descriptor, off_t length) {
  struct open_file *file = file_of(descriptor);
  if (!file) return REAL(ftruncate)(descriptor, length);
  pthread_mutex_lock(&lock);
  struct verdict verdict = judge("truncate", file->path);
  int result = verdict.failure ? -1 : verdict.ignored ? 0 : REAL(ftruncate)(descriptor, length);
  int problem = verdict.failure ? verdict.failure : errno;
  if (result == 0 && !verdict.ignored) note("truncate", file->id, file->path, NULL, length, NULL, 0, 0);
  if (verdict.dies) die();
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}
int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

/* A sync makes durable what was done before it began: the journal has both ends. The disk may have lost what a failed one was to keep. */
static int sync_file(int descriptor, int (*act)(int)) {
  static unsigned tokens;
  struct open_file *file = file_of(descriptor);
  if (!file) return act(descriptor);
  pthread_mutex_lock(&lock);
  struct verdict verdict = judge(file->is_folder ? "sync-folder" : "sync", file->path);
  unsigned id = file->id, token = ++tokens;
  note("sync-begin", id, file->path, NULL, token, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  if (verdict.delay_us) usleep(verdict.delay_us);
  int result = verdict.failure ? -1 : verdict.ignored ? 0 : act(descriptor);
  int problem = verdict.failure ? verdict.failure : errno;
  pthread_mutex_lock(&lock);
  if (!verdict.ignored) note(result == 0 ? "sync" : "sync-failed", id, NULL, NULL, token, NULL, 0, 0);
  if (verdict.dies) die();
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}

int fsync(int descriptor) { return sync_file(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return sync_file(descriptor, REAL(fdatasync)); }
