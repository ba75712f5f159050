/*
 * Library that LD_PRELOAD puts before the C library in wallet servers of a soak run. It steps the clock of the process and
 * slows its disk down, as a file says that MACHINE_CONTROL names and that the test changes while the process runs: two
 * integers of 64 bits, the step of the clock [s] and the delay of each flush to the disk [us].
 *
 * The monotonic clock stays: no step of the time of day changes it on a real machine either.
 */
typedef long Long;
struct timespec { Long tv_sec, tv_nsec; };
struct timeval { Long tv_sec, tv_usec; };

extern void *dlsym(void *, const char *);
extern char *getenv(const char *);
extern int open(const char *, int, ...);
extern void *mmap(void *, unsigned long, int, int, int, Long);
extern int usleep(unsigned);

#define NEXT ((void *)-1L) /* RTLD_NEXT */
#define REALTIME 0
#define REALTIME_COARSE 5

static const volatile Long still[2];
static const volatile Long *control = still;

__attribute__((constructor)) static void begin(void)
{
  const char *name = getenv("MACHINE_CONTROL");
  int file = name ? open(name, 0 /* read only */) : -1;
  void *page = file < 0 ? (void *)-1L : mmap(0, 16, 1 /* read */, 1 /* shared */, file, 0);
  if (page != (void *)-1L) control = page;
}

int clock_gettime(int id, struct timespec *time)
{
  static int (*real)(int, struct timespec *);
  int failed;
  if (!real) real = (int (*)(int, struct timespec *))dlsym(NEXT, "clock_gettime");
  failed = real(id, time);
  if (!failed && (id == REALTIME || id == REALTIME_COARSE)) time->tv_sec += control[0];
  return failed;
}

int gettimeofday(struct timeval *time, void *zone)
{
  static int (*real)(struct timeval *, void *);
  int failed;
  if (!real) real = (int (*)(struct timeval *, void *))dlsym(NEXT, "gettimeofday");
  failed = real(time, zone);
  if (!failed && time) time->tv_sec += control[0];
  return failed;
}

Long time(Long *result)
{
  struct timespec now;
  clock_gettime(REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

static int flush(const char *name, int file)
{
  int (*real)(int) = (int (*)(int))dlsym(NEXT, name);
  Long delay = control[1];
  while (delay > 0) {
    usleep(delay > 500000 ? 500000 : (unsigned)delay);
    delay -= 500000;
  }
  return real(file);
}

int fsync(int file) { return flush("fsync", file); }
int fdatasync(int file) { return flush("fdatasync", file); }
