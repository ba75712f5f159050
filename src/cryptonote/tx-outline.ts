import { CodecError, readCount, skipVarint, varintNumber, type Reader } from '../util/codec.js';
import { GEN_INPUT, KEY_INPUT, KEY_OUTPUT, TAGGED_KEY_OUTPUT } from './transaction.js';

/** Where an output lies in the encoding of its transaction. */
export interface OutputPlace {
  /** Offset of its key. */
  readonly key: number;
  /** 0 to 255; absent before hard fork 15. */
  readonly viewTag?: number;
}

/**
 * What a scan reads of a transaction, as places in its encoding: most transactions are not ours, and are never
 * built.
 */
export interface TxOutline {
  readonly version: 1 | 2;
  /** A miner's reward. */
  readonly coinbase: boolean;
  /** Offset of each input's key image. */
  readonly keyImages: readonly number[];
  readonly outputs: readonly OutputPlace[];
  /** Offsets at which the extra begins and ends; the prefix ends with it. */
  readonly extra: readonly [number, number];
}

const KEY_BYTES = 32;

/** The key image's offset, or undefined for a miner's input. */
function passInput(r: Reader): number | undefined {
  const type = r.byte();
  if (type === GEN_INPUT) {
    varintNumber.read(r);
    return undefined;
  }
  if (type !== KEY_INPUT) throw new CodecError('unknown input type');
  skipVarint(r);
  for (let left = readCount(r); left > 0; left--) skipVarint(r);
  const at = r.offset;
  r.skip(KEY_BYTES);
  return at;
}

function passOutput(r: Reader): OutputPlace {
  skipVarint(r);
  const type = r.byte();
  if (type !== KEY_OUTPUT && type !== TAGGED_KEY_OUTPUT) throw new CodecError('unknown output type');
  const key = r.offset;
  r.skip(KEY_BYTES);
  return type === KEY_OUTPUT ? { key } : { key, viewTag: r.byte() };
}

/**
 * Walks through a prefix and stops behind it.
 * @throws CodecError where {@link txPrefix} does. Source: cryptonote_basic.h `transaction_prefix`.
 */
export function outlineTx(r: Reader): TxOutline {
  const version = varintNumber.read(r);
  if (version !== 1 && version !== 2) throw new CodecError('unknown transaction version');
  skipVarint(r);
  const inputs = readCount(r);
  const keyImages: number[] = [];
  for (let i = 0; i < inputs; i++) {
    const at = passInput(r);
    if (at !== undefined) keyImages.push(at);
  }
  const outputs: OutputPlace[] = [];
  for (let left = readCount(r); left > 0; left--) outputs.push(passOutput(r));
  const length = varintNumber.read(r);
  const start = r.offset;
  r.skip(length);
  return {
    version,
    coinbase: inputs === 1 && keyImages.length === 0,
    keyImages,
    outputs,
    extra: [start, r.offset],
  };
}
