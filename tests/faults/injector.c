/* Loaded into a real process by LD_PRELOAD: lets its n-th call on one file fail as a disk does, moves its clock
 * and takes its sleeps away. `injector.py` compiles it and says what the variables mean. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Calls of the chosen kind on the file, and how many of them failed: shared with the test that looks on. */
static struct { long calls, faults; } unseen, *tally = &unseen;
static const char *path, *kind, *clock_text = "0";
static long at, number;
static int lasts, tears, is_hasty;

static void *mapped(const char *name, size_t size)
{
    void *memory;
    int file = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
    if (file < 0) abort();
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) abort();
    close(file);
    return memory;
}

static long numeral(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    path = getenv("FAULT_PATH");
    kind = getenv("FAULT_CALL");
    at = numeral("FAULT_AT");
    number = numeral("FAULT_ERRNO");
    lasts = numeral("FAULT_LASTS");
    tears = numeral("FAULT_TEARS");
    is_hasty = numeral("FAULT_HASTY");
    if (getenv("FAULT_TALLY")) tally = mapped(getenv("FAULT_TALLY"), sizeof *tally);
    if (getenv("FAULT_CLOCK")) clock_text = mapped(getenv("FAULT_CLOCK"), 32);
}

/* Tell whether this call on a file is one that fails. */
static int fails(const char *call, int file)
{
    char link[64], found[4096], *end = link;
    long left = file, length, now, digit = 1;
    if (!path || !kind || strcmp(call, kind) || file < 0) return 0;
    memcpy(link, "/proc/self/fd/", 14);
    for (end = link + 14; digit <= left / 10; digit *= 10);
    for (; digit; digit /= 10) *end++ = '0' + left / digit % 10;
    *end = 0;
    length = readlink(link, found, sizeof found - 1);
    if (length < 0 || strncmp(found, path, strlen(path))) return 0;
    now = __atomic_add_fetch(&tally->calls, 1, __ATOMIC_SEQ_CST);
    if (!at || now < at || (now > at && !lasts)) return 0;
    __atomic_add_fetch(&tally->faults, 1, __ATOMIC_SEQ_CST);
    errno = number;
    return now == at ? 1 : 2;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    int how = fails("write", file);
    if (!how) return syscall(SYS_write, file, bytes, size);
    return how == 1 && tears ? syscall(SYS_write, file, bytes, size / 2) : -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset)
{
    int how = fails("write", file);
    if (!how) return syscall(SYS_pwrite64, file, bytes, size, offset);
    return how == 1 && tears ? syscall(SYS_pwrite64, file, bytes, size / 2, offset) : -1;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    return pwrite64(file, bytes, size, offset);
}

int fsync(int file) { return fails("sync", file) ? -1 : syscall(SYS_fsync, file); }

int fdatasync(int file) { return fails("sync", file) ? -1 : syscall(SYS_fdatasync, file); }

int ftruncate64(int file, off64_t size)
{
    return fails("truncate", file) ? -1 : syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int clock_gettime(clockid_t which, struct timespec *moment)
{
    int answer = syscall(SYS_clock_gettime, which, moment);
    if (which == CLOCK_REALTIME) moment->tv_sec += atol(clock_text);
    return answer;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone)
{
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    moment->tv_sec = found.tv_sec;
    moment->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *answer)
{
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (answer) *answer = found.tv_sec;
    return found.tv_sec;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    return is_hasty ? 0 : syscall(SYS_nanosleep, wanted, left);
}

int usleep(useconds_t micros)
{
    struct timespec wanted = {micros / 1000000, micros % 1000000 * 1000L};
    return nanosleep(&wanted, NULL);
}
