/*
 * Library that LD_PRELOAD puts before OpenSSL and the C library in monerod, monero-wallet-rpc and monero-wallet-cli.
 * It removes three delays that no wallet rule depends on, and shortens two:
 *
 * - Every wallet object, and every server start, generates an RSA key of 4096 bits for a certificate: 1 to 5 s.
 *   The client of the message store does so even when TLS is disabled. KEY_FILE holds the key that is used instead.
 *   Source: message_transporter.cpp `set_options`, net_ssl.cpp `create_context`.
 * - Every start compares the processor's counter with the clock in a busy loop of 1 s. Before `main` the clock runs
 *   SPEED times as fast; the result only scales durations in log lines.
 *   Source: perf_timer.cpp `get_ticks_per_ns`.
 *
 * - monerod computes RandomX hashes of every block that it mines or verifies, 65 ms a block, and initialises 256 MiB for
 *   them. The tests' chains have difficulty 1, which every hash meets, so a constant is used instead. Identifiers of
 *   blocks do not depend on it. Source: rx-slow-hash.c, difficulty.cpp `check_hash`.
 *
 * - Every new wallet derives 50 × 200 subaddresses in advance, 0.4 s, and again as a multisig wallet. The constant of these
 *   numbers is replaced in memory, unless DEFAULT_LOOKAHEAD is set: wallets then watch ACCOUNTS × ADDRESSES. Keys files
 *   hold the numbers of their wallet, which apply as before. Source: wallet2.cpp `wallet2::wallet2`, `load_keys`.
 *
 * - A password is hashed, 0.1 s, whenever keys are encrypted, decrypted or stored: 14 times for a new wallet. Wallets of
 *   tests have the same few passwords. The hash of each is computed once in a run and recorded in the directory that
 *   SLOW_HASHES names. Records of our servers have other names: neither program uses a hash of the other one.
 *   Without the records a wallet takes 0.5 s more of a processor when it is created and as much when it is opened: the test
 *   `multisig-mixed-small` takes 81 s instead of 34 s, too much for the 15 minutes of a run.
 *   Source: chacha.h `generate_chacha_key`, slow-hash.c `cn_slow_hash`.
 *
 * It needs no header and no library, so a compiler alone is enough to build it.
 */
typedef struct rsa_st RSA;
typedef struct bignum_st BIGNUM;
typedef struct bio_st BIO;
struct timespec { long tv_sec, tv_nsec; };

extern void *dlsym(void *, const char *);

/* Absent in programs without OpenSSL. */
#define OPTIONAL extern __attribute__((weak))
OPTIONAL BIO *BIO_new_file(const char *, const char *);
OPTIONAL int BIO_free(BIO *);
OPTIONAL RSA *PEM_read_bio_RSAPrivateKey(BIO *, RSA **, void *, void *);
OPTIONAL void RSA_free(RSA *);
OPTIONAL void RSA_get0_key(const RSA *, const BIGNUM **, const BIGNUM **, const BIGNUM **);
OPTIONAL void RSA_get0_factors(const RSA *, const BIGNUM **, const BIGNUM **);
OPTIONAL void RSA_get0_crt_params(const RSA *, const BIGNUM **, const BIGNUM **, const BIGNUM **);
OPTIONAL int RSA_set0_key(RSA *, BIGNUM *, BIGNUM *, BIGNUM *);
OPTIONAL int RSA_set0_factors(RSA *, BIGNUM *, BIGNUM *);
OPTIONAL int RSA_set0_crt_params(RSA *, BIGNUM *, BIGNUM *, BIGNUM *);
OPTIONAL BIGNUM *BN_dup(const BIGNUM *);

#define NEXT ((void *)-1L) /* RTLD_NEXT */
#define MONOTONIC 1        /* CLOCK_MONOTONIC */
#define SECOND 1000000000L /* nanoseconds */
#define SPEED 100

int RSA_generate_key_ex(RSA *rsa, int bits, BIGNUM *exponent, void *callback)
{
  const BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qInverse;
  BIO *file = BIO_new_file(KEY_FILE, "r");
  RSA *key = file ? PEM_read_bio_RSAPrivateKey(file, 0, 0, 0) : 0;
  (void)bits, (void)exponent, (void)callback;
  if (file) BIO_free(file);
  if (!key) return 0;
  RSA_get0_key(key, &n, &e, &d);
  RSA_get0_factors(key, &p, &q);
  RSA_get0_crt_params(key, &dp, &dq, &qInverse);
  RSA_set0_key(rsa, BN_dup(n), BN_dup(e), BN_dup(d));
  RSA_set0_factors(rsa, BN_dup(p), BN_dup(q));
  RSA_set0_crt_params(rsa, BN_dup(dp), BN_dup(dq), BN_dup(qInverse));
  RSA_free(key);
  return 1;
}

typedef int Clock(int, struct timespec *);
typedef int Main(int, char **, char **);
typedef int Start(Main *, int, char **, void *, void *, void *, void *);

static int inMain;
static Main *realMain;

int clock_gettime(int id, struct timespec *time)
{
  static Clock *real;
  static long first;
  int failed;
  if (!real) real = (Clock *)dlsym(NEXT, "clock_gettime");
  failed = real(id, time);
  if (!inMain && !failed && id == MONOTONIC) {
    long now = time->tv_sec * SECOND + time->tv_nsec;
    if (!first) first = now;
    now = first + (now - first) * SPEED;
    time->tv_sec = now / SECOND;
    time->tv_nsec = now % SECOND;
  }
  return failed;
}

#define ACCOUNTS 5
#define ADDRESSES 20

/* Headers of a program in memory. Source: elf.h, link.h. */
struct segment { unsigned type, flags; unsigned long offset, address, physical, size, memory, align; };
struct program { unsigned long base; const char *name; const struct segment *segments; unsigned short count; };
typedef struct { long accounts, addresses; } __attribute__((may_alias)) Lookahead;

extern int dl_iterate_phdr(int (*)(struct program *, unsigned long, void *), void *);
extern int mprotect(void *, unsigned long, int);
extern void *mmap(void *, unsigned long, int, int, int, long);
extern char *getenv(const char *);

#define LOADED 1
#define READABLE 4
#define PAGE 4096UL

/* Replaces the one pair of 50 and 200 among the constants; several pairs stay, since one may mean something else. */
static int shortenLookahead(struct program *program, unsigned long size, void *unused)
{
  Lookahead *found = 0;
  (void)size, (void)unused;
  for (int i = 0; i < program->count; i++) {
    const struct segment *segment = &program->segments[i];
    Lookahead *pair = (Lookahead *)(program->base + segment->address);
    if (segment->type != LOADED || segment->flags != READABLE || (unsigned long)pair % sizeof *pair) continue;
    for (; (unsigned long)(pair + 1) <= program->base + segment->address + segment->size; pair++) {
      if (pair->accounts != 50 || pair->addresses != 200) continue;
      if (found) return 1;
      found = pair;
    }
  }
  void *page = (void *)((unsigned long)found & ~(PAGE - 1));
  if (found && !mprotect(page, PAGE, 3 /* read, write */)) {
    found->accounts = ACCOUNTS;
    found->addresses = ADDRESSES;
    mprotect(page, PAGE, 1 /* read */);
  }
  return 1; /* The program comes first; the libraries stay. */
}

typedef unsigned char Byte;
typedef void SlowHash(const Byte *, unsigned long, Byte *, int, int, unsigned long);

extern int open(const char *, int, ...);
extern long read(int, void *, unsigned long);
extern long write(int, const void *, unsigned long);
extern int close(int);
extern int rename(const char *, const char *);
extern int getpid(void);
extern int snprintf(char *, unsigned long, const char *, ...);

#define EXECUTABLE 5
#define ALIGNMENT 16
#define DIGEST 32
/* Bytes of the longest input on record: twice as many digits are the name of its file. */
#define LONGEST 100
#define NAME 1000

static const char *records;
static SlowHash *computeHash;

/* Takes the place of `cn_slow_hash`. What is no hash of a password is computed: other variants, long inputs. */
static void recordedHash(const Byte *data, unsigned long length, Byte *digest, int variant, int prehashed,
                         unsigned long height)
{
  char path[NAME], draft[NAME + 16];
  Byte known[DIGEST];
  unsigned long size;
  int file;
  size = snprintf(path, NAME, "%s/reference-", records);
  if (variant || prehashed || length > LONGEST || size + 2 * length >= NAME) {
    computeHash(data, length, digest, variant, prehashed, height);
    return;
  }
  for (unsigned long i = 0; i < length; i++) size += snprintf(path + size, 3, "%02x", data[i]);
  file = open(path, 0 /* read only */);
  if (file >= 0) {
    long got = read(file, known, DIGEST);
    close(file);
    if (got == DIGEST) {
      for (int i = 0; i < DIGEST; i++) digest[i] = known[i];
      return;
    }
  }
  computeHash(data, length, digest, variant, prehashed, height);
  /* Another process finds a complete record or none. */
  snprintf(draft, sizeof draft, "%s.%d", path, getpid());
  file = open(draft, 0101 /* create, write only */, 0600);
  if (file < 0) return;
  long written = write(file, digest, DIGEST);
  close(file);
  if (written == DIGEST) rename(draft, path);
}

/* Start of `cn_slow_hash` as GCC compiles it without AES instructions: saves registers, takes 2 MiB of the stack. */
static const Byte MARK[] = { 0xf3, 0x0f, 0x1e, 0xfa };
static const Byte START[] = {
  0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54, 0x55, 0x53, 0x4c, 0x8d, 0x9c, 0x24, 0, 0, 0xe0, 0xff,
};
/* jmp *0(%rip), before the address. */
static const Byte JUMP[] = { 0xff, 0x25, 0, 0, 0, 0 };

static int begins(const Byte *code, const Byte *bytes, unsigned long count)
{
  while (count && *code == *bytes) code++, bytes++, count--;
  return !count;
}

static void copy(Byte *target, const void *bytes, unsigned long count)
{
  for (const Byte *from = bytes; count; count--) *target++ = *from++;
}

static void writeJump(Byte *code, const void *target)
{
  copy(code, JUMP, sizeof JUMP);
  copy(code + sizeof JUMP, &target, sizeof target);
}

/* Replaces the one function with that start; several, or none, stay. */
static int replaceSlowHash(struct program *program, unsigned long size, void *unused)
{
  Byte *found = 0;
  (void)size, (void)unused;
  for (int i = 0; i < program->count; i++) {
    const struct segment *segment = &program->segments[i];
    const unsigned long first = (program->base + segment->address + ALIGNMENT - 1) & ~(ALIGNMENT - 1UL);
    const unsigned long last = program->base + segment->address + segment->size - sizeof MARK - sizeof START;
    if (segment->type != LOADED || segment->flags != EXECUTABLE) continue;
    for (unsigned long address = first; address < last; address += ALIGNMENT) {
      Byte *code = (Byte *)address;
      if (begins(code, MARK, sizeof MARK)) code += sizeof MARK;
      if (!begins(code, START, sizeof START)) continue;
      if (found) return 1;
      found = code;
    }
  }
  if (!found) return 1;
  /* The instructions that the jump overwrites, and a jump to those after them. */
  Byte *kept = mmap(0, PAGE, 7 /* read, write, execute */, 0x22 /* private, anonymous */, -1, 0);
  if (kept == (Byte *)-1L) return 1;
  copy(kept, START, sizeof START);
  writeJump(kept + sizeof START, found + sizeof START);
  computeHash = (SlowHash *)kept;
  void *page = (void *)((unsigned long)found & ~(PAGE - 1));
  if (mprotect(page, 2 * PAGE, 7 /* read, write, execute */)) return 1;
  writeJump(found, (const void *)recordedHash);
  mprotect(page, 2 * PAGE, 5 /* read, execute */);
  return 1;
}

static int countedMain(int count, char **arguments, char **environment)
{
  inMain = 1;
  return realMain(count, arguments, environment);
}

int __libc_start_main(Main *main, int count, char **arguments, void *init, void *fini, void *loader, void *stack)
{
  Start *real = (Start *)dlsym(NEXT, "__libc_start_main");
  realMain = main;
  if (!getenv("DEFAULT_LOOKAHEAD")) dl_iterate_phdr(shortenLookahead, 0);
  records = getenv("SLOW_HASHES");
  if (records) dl_iterate_phdr(replaceSlowHash, 0);
  return real(countedMain, count, arguments, init, fini, loader, stack);
}

static int anything;

int randomx_get_flags(void) { return 0; }
/* No dataset: a miner then uses the cache. */
void *randomx_alloc_dataset(int flags) { (void)flags; return 0; }
void *randomx_alloc_cache(int flags) { (void)flags; return &anything; }
void randomx_init_cache(void *cache, const void *key, unsigned long size) { (void)cache, (void)key, (void)size; }
void randomx_release_cache(void *cache) { (void)cache; }
void *randomx_create_vm(int flags, void *cache, void *dataset) { (void)flags, (void)cache, (void)dataset; return &anything; }
void randomx_vm_set_cache(void *vm, void *cache) { (void)vm, (void)cache; }
void randomx_destroy_vm(void *vm) { (void)vm; }

void randomx_calculate_hash(void *vm, const void *input, unsigned long size, unsigned char *hash)
{
  (void)vm, (void)input, (void)size;
  for (int i = 0; i < 32; i++) hash[i] = 1;
}
