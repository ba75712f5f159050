import { parentPort } from 'node:worker_threads';
import type { KeyImage, PublicKey, SecretKey } from '../../monero/crypto/types.js';
import { systemRng } from '../../util/random.js';
import {
  candidatesOf,
  verifyKeyImage,
  keyImageOf,
  signKeyImage,
  type KeyImageVerdict,
  type LocatedOutput,
  type OutputCandidate,
  type OutputHint,
  type SignedKeyImage,
  type SpendingKeys,
} from '../../monero/wallet/scan/key-images.js';

/** A signed key image, and the output key that it claims to belong to. */
export interface KeyImageClaim {
  readonly publicKey: PublicKey;
  readonly signed: SignedKeyImage;
}

/** Item, keys and result of each kind of task; a task processes a list of items. */
export interface KeyImageWork {
  readonly locate: { readonly item: OutputHint; readonly keys: ViewKeys; readonly result: OutputCandidate[] };
  readonly derive: { readonly item: LocatedOutput; readonly keys: SpendingKeys; readonly result: KeyImage };
  readonly sign: {
    readonly item: LocatedOutput;
    readonly keys: SpendingKeys;
    readonly result: SignedKeyImage;
  };
  readonly verify: {
    readonly item: KeyImageClaim;
    readonly keys: undefined;
    readonly result: KeyImageVerdict;
  };
}

/** Keys with which a thread finds the addresses that outputs pay. */
export interface ViewKeys {
  readonly viewSecret: SecretKey;
}

export type KeyImageTask = {
  readonly [K in keyof KeyImageWork]: {
    readonly kind: K;
    readonly items: readonly KeyImageWork[K]['item'][];
    readonly keys: KeyImageWork[K]['keys'];
  };
}[keyof KeyImageWork];

/** Results of a task in the order of its items, or the `problem` of an inconsistent item. */
export type KeyImageAnswer = { readonly results: readonly unknown[] } | { readonly problem: string };

function results(task: KeyImageTask): readonly unknown[] {
  switch (task.kind) {
    case 'locate':
      return task.items.map((item) => candidatesOf(item, task.keys.viewSecret));
    case 'derive':
      return task.items.map((item) => keyImageOf(item, task.keys));
    case 'sign':
      return task.items.map((item) => signKeyImage(item, task.keys, systemRng));
    case 'verify':
      return task.items.map(({ publicKey, signed }) => verifyKeyImage(publicKey, signed));
  }
}

function wipe({ keys }: KeyImageTask): void {
  if (keys === undefined) return;
  keys.viewSecret.fill(0);
  if ('spendSecret' in keys) keys.spendSecret.fill(0);
}

const port = parentPort;
if (port === null) throw new Error('key-image-thread runs as a worker thread only');
port.on('message', (task: KeyImageTask) => {
  let answer: KeyImageAnswer;
  try {
    answer = { results: results(task) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    answer = { problem: error.message };
  }
  wipe(task);
  port.postMessage(answer);
});
