import type { Hash } from '../../monero/crypto/types.js';
import { bytes32, equalBytes, fromHex, utf8 } from '../../util/bytes.js';

/* Only the process that checks proof of work loads this file. */

/** Error for a RandomX library that cannot be used; the text says which package to install. */
export class RandomXProblem extends Error {
  override readonly name = 'RandomXProblem';
}

/** Functions of the library, with the addresses of its caches and machines. Source: randomx.h. */
interface Functions {
  readonly flags: () => number;
  readonly allocate: (flags: number) => unknown;
  readonly fill: (cache: unknown, key: Uint8Array, length: number) => void;
  readonly release: (cache: unknown) => void;
  readonly create: (flags: number, cache: unknown, dataset: null) => unknown;
  readonly setCache: (machine: unknown, cache: unknown) => void;
  readonly hash: (machine: unknown, input: Uint8Array, length: number, output: Uint8Array) => void;
}

/** Flags of the library: compiled programs, and their memory never writable and executable at once. */
const JIT = 8;
const SECURE = 16;

/** Number of seeds whose caches are kept: 256 MiB each. */
const MAX_SEEDS = 2;

/** Names by which the system finds the library; the number is that of its interface. */
const NAMES: readonly string[] =
  process.platform === 'darwin' ? ['librandomx.0.dylib', 'librandomx.dylib'] : ['librandomx.so.0'];

/** Vector that is published with the library. */
const PUBLISHED = {
  key: utf8('test key 000'),
  input: utf8('This is a test'),
  hash: fromHex('639183aae1bf4c9a35884cb46b09cad9175f04efd7684e7262a0ac1c2f0b4e3f'),
};

/** Cache of a seed, and the machine that hashes with it. */
interface Slot {
  readonly cache: unknown;
  readonly machine: unknown;
  seed: Uint8Array;
}

/** Computes RandomX hashes with the library of the operating system, in the mode that needs 256 MiB for each seed. */
export class RandomX {
  readonly #functions: Functions;
  #flags: number;
  /** Most recently used last. */
  readonly #slots: Slot[] = [];

  private constructor(functions: Functions) {
    this.#functions = functions;
    const flags = functions.flags();
    this.#flags = (flags & JIT) === 0 ? flags : flags | SECURE;
  }

  /**
   * Loads the library, and computes its published vector.
   * @param path path of the library; absent: the library that the system finds by its name.
   * @throws RandomXProblem
   */
  static async load(path?: string): Promise<RandomX> {
    const randomX = new RandomX(await functionsOf(path === undefined ? NAMES : [path]));
    const { key, input, hash } = PUBLISHED;
    if (!equalBytes(randomX.hash(key, input), hash))
      throw new RandomXProblem('the RandomX library computes another hash than its published one');
    return randomX;
  }

  /** True if the library compiles programs; false if it interprets them, which takes about ten times as long. */
  get isCompiled(): boolean {
    return (this.#flags & JIT) !== 0;
  }

  /** True if a hash with a seed needs no new cache. */
  has(seed: Uint8Array): boolean {
    return this.#slots.some((slot) => equalBytes(slot.seed, seed));
  }

  /**
   * Prepares the cache of a seed, which takes the place of the seed that was used longest ago. Does nothing for a seed
   * that has a cache. @throws RandomXProblem
   */
  prepare(seed: Uint8Array): void {
    const at = this.#slots.findIndex((slot) => equalBytes(slot.seed, seed));
    const [slot = this.#renew(seed)] = at < 0 ? [] : this.#slots.splice(at, 1);
    this.#slots.push(slot);
  }

  /** Hashes an input. @throws RandomXProblem */
  hash(seed: Uint8Array, input: Uint8Array): Hash {
    this.prepare(seed);
    const output = new Uint8Array(32);
    this.#functions.hash(this.#slots.at(-1)?.machine, input, input.length, output);
    return bytes32<'Hash'>(output, 'Hash');
  }

  #renew(seed: Uint8Array): Slot {
    const { fill, setCache } = this.#functions;
    const oldest = this.#slots.length < MAX_SEEDS ? undefined : this.#slots.shift();
    if (oldest === undefined) return this.#create(seed);
    fill(oldest.cache, seed, seed.length);
    setCache(oldest.machine, oldest.cache);
    oldest.seed = Uint8Array.from(seed);
    return oldest;
  }

  /** Creates a cache and a machine; without compiled programs where the system forbids them. */
  #create(seed: Uint8Array): Slot {
    const { allocate, fill, release, create } = this.#functions;
    for (;;) {
      const cache = allocate(this.#flags & ~SECURE);
      if (cache !== null) {
        fill(cache, seed, seed.length);
        const machine = create(this.#flags, cache, null);
        if (machine !== null) return { cache, machine, seed: Uint8Array.from(seed) };
        release(cache);
      }
      if (!this.isCompiled)
        throw new RandomXProblem('there is no memory for RandomX: it needs 256 MiB for each seed');
      this.#flags &= ~(JIT | SECURE);
    }
  }
}

/** Loads the library by the first of its names that the system finds. @throws RandomXProblem */
async function functionsOf(names: readonly string[]): Promise<Functions> {
  const { default: koffi } = await import('koffi').catch((cause: unknown) => {
    throw new RandomXProblem(
      'the npm package koffi is not installed, with which the RandomX library is called: npm install koffi',
      { cause },
    );
  });
  const problems: string[] = [];
  for (const name of names) {
    try {
      const library = koffi.load(name);
      const bind = <F>(declaration: string): F => library.func(declaration) as F;
      return {
        flags: bind('int randomx_get_flags()'),
        allocate: bind('void *randomx_alloc_cache(int flags)'),
        fill: bind('void randomx_init_cache(void *cache, const uint8_t *key, size_t length)'),
        release: bind('void randomx_release_cache(void *cache)'),
        create: bind('void *randomx_create_vm(int flags, void *cache, void *dataset)'),
        setCache: bind('void randomx_vm_set_cache(void *machine, void *cache)'),
        hash: bind(
          'void randomx_calculate_hash(void *machine, const uint8_t *input, size_t length, _Out_ uint8_t *output)',
        ),
      };
    } catch (error) {
      problems.push(error instanceof Error ? error.message : name);
    }
  }
  throw new RandomXProblem(
    `the RandomX library cannot be loaded: install the package librandomx0 (Debian, Ubuntu), or name the path of the library (${problems.join('; ')})`,
  );
}
