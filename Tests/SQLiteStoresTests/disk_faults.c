/* Preloaded into JournalProbe: gives the database's files, and only these, a disk that fails.

   SATCHEL_DISK_FILES   what the paths of the files begin with
   SATCHEL_DISK_FAULT   full   a write writes nothing: no space left
                        short  a write writes half and says so; the next ones find no space left
                        error  a write writes nothing: I/O error
                        torn   a write writes half: I/O error
                        flush  a flush fails: I/O error
                        kill   SIGKILL comes before a write
                        cut    the power goes before a write: of what was written after a file's last flush each write
                               is there, half there, or not, and the process ends with status 77
   SATCHEL_DISK_AT      which write (or flush) is the first, counted from 1
   SATCHEL_DISK_TIMES   how many from there on fail; 0: all
   SATCHEL_DISK_SEED    decides what a power cut leaves
   SATCHEL_DISK_LIES    if set, flushes do nothing and say that they did

   The first fault is told as a line "fault" on standard output.

   cc -shared -fPIC -O1 -o disk_faults.so disk_faults.c -ldl -lpthread */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One write or truncation that is not flushed: what was there before, and what is there since. */
struct change {
    char *path;
    off64_t offset, old_size, new_size;
    char *old_bytes, *new_bytes;
    size_t old_count, new_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *files, *fault;
static unsigned long first_fault, times, seen;
static uint64_t dice;
static int lies;
static struct change *changes;
static size_t change_count, change_room;

static ssize_t (*next_pwrite)(int, const void *, size_t, off64_t);
static int (*next_ftruncate)(int, off64_t);
static int (*next_fsync)(int), (*next_fdatasync)(int);

static unsigned long number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    files = getenv("SATCHEL_DISK_FILES");
    fault = getenv("SATCHEL_DISK_FAULT");
    first_fault = number("SATCHEL_DISK_AT");
    times = number("SATCHEL_DISK_TIMES");
    dice = number("SATCHEL_DISK_SEED");
    lies = getenv("SATCHEL_DISK_LIES") != NULL;
    next_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    next_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    next_fsync = dlsym(RTLD_NEXT, "fsync");
    next_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
}

static int is(const char *name) { return fault && !strcmp(fault, name); }

/* The path of a file that is ours; NULL otherwise. */
static const char *path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, PATH_MAX - 1);
    if (!files || count < 0) return NULL;
    path[count] = 0;
    return strncmp(path, files, strlen(files)) ? NULL : path;
}

/* Whether the operation that is now counted fails. */
static int is_due(void) {
    seen++;
    if (!fault || !first_fault || seen < first_fault || (times && seen >= first_fault + times)) return 0;
    if (seen == first_fault && write(STDOUT_FILENO, "fault\n", 6) != 6) _exit(1);
    return 1;
}

static unsigned roll(unsigned sides) {
    dice += 0x9E3779B97F4A7C15u;
    uint64_t mixed = (dice ^ (dice >> 30)) * 0xBF58476D1CE4E5B9u;
    return (unsigned)((mixed >> 33) % sides);
}

/* Notes what a write or a truncation is about to do. The shared memory beside the log is no part of what is kept. */
static void note(int descriptor, const char *path, const void *bytes, size_t count, off64_t offset, off64_t new_size) {
    struct stat64 status;
    size_t length = strlen(path);
    if (!is("cut") || (length > 4 && !strcmp(path + length - 4, "-shm")) || fstat64(descriptor, &status)) return;
    if (change_count == change_room) {
        change_room = change_room ? 2 * change_room : 256;
        changes = realloc(changes, change_room * sizeof *changes);
    }
    struct change *change = &changes[change_count++];
    off64_t end = bytes ? offset + (off64_t)count : status.st_size;
    if (end > status.st_size) end = status.st_size;
    *change = (struct change){.path = strdup(path), .offset = offset, .old_size = status.st_size, .new_size = new_size};
    change->old_count = end > offset ? (size_t)(end - offset) : 0;
    change->old_bytes = malloc(change->old_count + 1);
    if (pread64(descriptor, change->old_bytes, change->old_count, offset) != (ssize_t)change->old_count) _exit(1);
    if (!bytes) return;
    change->new_bytes = malloc(count + 1);
    change->new_count = count;
    memcpy(change->new_bytes, bytes, count);
    change->new_size = offset + (off64_t)count > status.st_size ? offset + (off64_t)count : status.st_size;
}

/* What was written to this file is on the disk now. */
static void flushed(const char *path) {
    size_t kept = 0;
    for (size_t index = 0; index < change_count; index++) {
        if (strcmp(changes[index].path, path)) {
            changes[kept++] = changes[index];
        } else {
            free(changes[index].path);
            free(changes[index].old_bytes);
            free(changes[index].new_bytes);
        }
    }
    change_count = kept;
}

static void apply(const char *path, const char *bytes, size_t count, off64_t offset, off64_t size) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) _exit(1);
    if (next_pwrite(descriptor, bytes, count, offset) != (ssize_t)count) _exit(1);
    if (size >= 0 && next_ftruncate(descriptor, size)) _exit(1);
    close(descriptor);
}

/* Takes back what was not flushed, and lets chance decide what of it had reached the disk all the same. */
static void cut_power(void) {
    for (size_t index = change_count; index-- > 0;) {
        struct change *change = &changes[index];
        apply(change->path, change->old_bytes, change->old_count, change->offset, change->old_size);
    }
    for (size_t index = 0; index < change_count; index++) {
        struct change *change = &changes[index];
        unsigned share = roll(3);
        if (share && change->new_bytes) {
            apply(change->path, change->new_bytes, change->new_count * share / 2, change->offset, -1);
        } else if (share) {
            apply(change->path, "", 0, 0, change->new_size);
        }
    }
    _exit(77);
}

static void end_here(void) {
    if (is("cut")) cut_power();
    if (is("kill")) raise(SIGKILL);
}

static ssize_t faulty_pwrite(int descriptor, const char *path, const void *bytes, size_t count, off64_t offset) {
    if (is("flush") || !is_due()) {
        note(descriptor, path, bytes, count, offset, 0);
        return next_pwrite(descriptor, bytes, count, offset);
    }
    end_here();
    int writes_half = is("torn") || (is("short") && seen == first_fault);
    ssize_t written = writes_half ? next_pwrite(descriptor, bytes, count / 2, offset) : 0;
    if (is("short") && writes_half) return written;
    errno = is("full") || is("short") ? ENOSPC : EIO;
    return -1;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return next_pwrite(descriptor, bytes, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t written = faulty_pwrite(descriptor, path, bytes, count, offset);
    int code = errno;
    pthread_mutex_unlock(&lock);
    errno = code;
    return written;
}

int ftruncate64(int descriptor, off64_t size) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return next_ftruncate(descriptor, size);
    pthread_mutex_lock(&lock);
    int fails = !is("flush") && !is("full") && !is("short") && is_due();
    if (fails) end_here();
    if (!fails) note(descriptor, path, NULL, 0, size, size);
    int result = fails ? -1 : next_ftruncate(descriptor, size);
    int code = fails ? EIO : errno;
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

static int faulty_flush(int descriptor, int (*next)(int)) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return next(descriptor);
    pthread_mutex_lock(&lock);
    int fails = is("flush") && is_due();
    int result = fails ? -1 : lies ? 0 : next(descriptor);
    int code = fails ? EIO : errno;
    if (result == 0 && !lies) flushed(path);
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

int fsync(int descriptor) { return faulty_flush(descriptor, next_fsync); }
int fdatasync(int descriptor) { return faulty_flush(descriptor, next_fdatasync); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite64(descriptor, bytes, count, offset);
}
int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }
