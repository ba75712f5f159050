import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canPreload, compileLibrary } from '../support/checked/compile-library.js';
import { SmallDisk } from '../support/processes/small-disk.js';
import { MemoryGroup } from './memory-group.js';

const SOURCE = fileURLToPath(new URL('../../../test/soak/machine-preload.c', import.meta.url));
const BUILD = fileURLToPath(new URL('.', import.meta.url));
/** Size of the disk of the wallets of a process [bytes]. */
const DISK_BYTES = 256 << 20;
/** Size of the control file: step of the clock [s], delay of a flush [us]. */
const CONTROL_BYTES = 16;

/** Builds the library that steps clocks and slows disks; undefined without a compiler, or on another system. */
function library(): string | undefined {
  if (!canPreload) return undefined;
  const version = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const path = join(BUILD, `machine-${version}.so`);
  if (existsSync(path)) return path;
  const draft = `${path}.${process.pid}`;
  if (!compileLibrary(SOURCE, draft)) return undefined;
  renameSync(draft, path);
  return path;
}

const missing = (attempt: () => void): string | undefined => {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

/** Finds out why clocks cannot be stepped and disks not be slow; undefined if they can. */
export const missingLibrary = (): string | undefined =>
  library() === undefined ? 'it takes Linux on x64, and a C compiler (cc, gcc, clang or tcc)' : undefined;

/** Finds out why disks cannot be full or read-only; undefined if they can. */
export const missingDisk = (): string | undefined => missing(() => SmallDisk.assertAllowed());

/** Finds out why memory cannot be limited; undefined if it can. */
export const missingMemory = (): string | undefined =>
  missing(() => MemoryGroup.make(`wallet-rpc-soak-${process.pid}`).remove());

/** Machine of a wallet server as it seems to it: its clock, the disk of its wallets, and its memory. */
export class Machine {
  /** Environment of the server. */
  readonly env: NodeJS.ProcessEnv;
  /** Disk of its wallets; undefined if this process may not mount one. */
  readonly disk: SmallDisk | undefined;
  readonly memory: MemoryGroup | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'soak-machine-'));
  readonly #control = join(this.#directory, 'control');
  #seconds = 0;
  #delayMs = 0;

  /** @param walletDir directory of the wallets, which is made. */
  constructor(name: string, walletDir: string) {
    writeFileSync(this.#control, Buffer.alloc(CONTROL_BYTES));
    const preload = library();
    this.env = preload === undefined ? {} : { LD_PRELOAD: preload, MACHINE_CONTROL: this.#control };
    this.disk = missingDisk() === undefined ? SmallDisk.mount(walletDir, DISK_BYTES, {}) : undefined;
    if (this.disk === undefined) mkdirSync(walletDir);
    this.memory =
      missingMemory() === undefined ? MemoryGroup.make(`wallet-rpc-soak-${process.pid}-${name}`) : undefined;
  }

  /** Steps the clock of the server to a distance from the real time [s]. */
  step(seconds: number): void {
    this.#seconds = seconds;
    this.#write();
  }

  /** Delays each flush to the disk [ms]. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
    this.#write();
  }

  #write(): void {
    const bytes = Buffer.alloc(CONTROL_BYTES);
    bytes.writeBigInt64LE(BigInt(this.#seconds));
    bytes.writeBigInt64LE(BigInt(1000 * this.#delayMs), 8);
    // The server maps the file, which must stay the same.
    const file = openSync(this.#control, 'r+');
    writeSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  }

  /** Removes disk and group. The server has ended. */
  remove(): void {
    this.disk?.unmount();
    this.memory?.remove();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
