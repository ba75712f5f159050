import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { replaceFile } from '../../store/file/file-draft.js';
import { codeOf } from '../../store/file/file-errors.js';
import { equalBytes, utf8 } from '../../util/bytes.js';
import {
  CheckpointError,
  formatCheckpoint,
  parseCheckpoint,
  type NetworkCheckpoint,
} from './checkpoint-file.js';
import { VerifiedChain, type VerifiedChainParts } from './verified-chain.js';
import { WorkClient, type WorkState } from './work-client.js';

/** Settings of `--verify-work`. */
export interface WorkSettings extends NetworkCheckpoint {
  /** Number of newest blocks whose work is checked after a long gap. */
  readonly depth: number;
  /** File that records the verified blocks for the next start; absent: none does. */
  readonly record?: string;
}

/** Parts of the server that the checks of proof of work use. */
export interface WorkParts extends Pick<
  VerifiedChainParts,
  'serving' | 'newestFork' | 'onForged' | 'onRefused' | 'random' | 'clock'
> {
  readonly log: Logger;
  /** Absent: a process that loads RandomX. */
  readonly client?: WorkClient;
}

/** State of the checks of proof of work. */
export interface WorkStatus {
  /** Height up to which the chain is verified. */
  readonly height: number;
  /** Height of the newest block whose header was checked. */
  readonly knownHeight: number;
  /** Number of blocks of wallets that wait until they are verified. */
  readonly waiting: number;
  /** Reason for which blocks cannot be verified; absent if the last attempt has succeeded. */
  readonly problem?: string;
  readonly process: WorkState;
}

/** Longest time for which verified blocks are not recorded [ms]. */
const RECORD_MS = 30_000;

/** Checks the proof of work of the daemons' chain, and records the verified blocks in a file. */
export class WorkVerification {
  readonly #settings: WorkSettings;
  readonly #client: WorkClient;
  readonly #chain: VerifiedChain;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #saving = Promise.resolve();

  constructor(settings: WorkSettings, parts: WorkParts) {
    const { log, client = new WorkClient({ log }), ...rest } = parts;
    this.#settings = settings;
    this.#log = log;
    this.#client = client;
    const recorded = this.#recorded();
    this.#chain = new VerifiedChain({
      ...{ ...rest, depth: settings.depth, worker: client },
      checkpoint: recorded?.checkpoint ?? settings.checkpoint,
      ...(recorded?.verified === undefined ? {} : { verified: recorded.verified }),
      onVerified: () => {
        this.#timer ??= setTimeout(() => this.#save(), RECORD_MS).unref();
      },
    });
  }

  /** See {@link VerifiedChain.admit}. */
  admit(block: BlockRef): Promise<void> | undefined {
    return this.#chain.admit(block);
  }

  /** See {@link VerifiedChain.isVerified}. */
  isVerified(block: BlockRef): boolean {
    return this.#chain.isVerified(block);
  }

  /** See {@link VerifiedChain.confirmations}. */
  confirmations(height: number, tip: number): number {
    return this.#chain.confirmations(height, tip);
  }

  get status(): WorkStatus {
    const { height, knownHeight, waiting, problem } = this.#chain;
    return {
      ...{ height, knownHeight, waiting },
      ...(problem === undefined ? {} : { problem }),
      process: this.#client.state,
    };
  }

  /** Ends the process, and records the verified blocks. */
  async close(): Promise<void> {
    await this.#client.close();
    this.#save();
    await this.#saving;
  }

  /** Reads the record of an earlier process; undefined if there is none, or if it begins with another checkpoint. */
  #recorded(): NetworkCheckpoint | undefined {
    const { record, checkpoint, network } = this.#settings;
    if (record === undefined) return undefined;
    try {
      const read = parseCheckpoint(readFileSync(record, 'utf8'));
      const { root } = read.verified ?? {};
      const isOurs =
        root?.height === checkpoint.height &&
        equalBytes(root.hash, checkpoint.hash) &&
        read.network === network &&
        read.checkpoint.fixedDifficulty === checkpoint.fixedDifficulty;
      return isOurs ? read : undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      const reason = error instanceof CheckpointError ? error.message : codeOf(error);
      this.#log.warn(
        { file: record, reason },
        'the record of verified blocks cannot be read; they are verified again',
      );
      return undefined;
    }
  }

  #save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { record, checkpoint: root, network } = this.#settings;
    if (record === undefined || this.#chain.height <= root.height) return;
    const { checkpoint, verified } = this.#chain.record();
    const { height, hash } = root;
    const text = formatCheckpoint({ network, checkpoint, verified: { ...verified, root: { height, hash } } });
    this.#saving = this.#saving
      .then(() => replaceFile(record, utf8(text)))
      .catch((error: unknown) => {
        this.#log.warn({ file: record, reason: String(error) }, 'the verified blocks cannot be recorded');
      });
  }
}
