import type { PublicKey } from '../../crypto/types.js';
import { parseExtra, txPublicKeys, additionalPublicKeys } from '../../cryptonote/extra.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import { INPUT_CONTEXT_BYTES } from '../../fork-rules.js';
import {
  CodecError,
  decode,
  list,
  raw,
  u8,
  varint,
  varintNumber,
  Writer,
  type Codec,
} from '../../../util/codec.js';
import { absent, key, pair, struct, versioned } from './binary-archive.js';
import { transferDetails, type TransferDetails } from './transfer-details.js';

/** An output that an online wallet exports to an offline wallet. Source: wallet2.h `exported_transfer_details`. */
export interface ExportedOutput {
  readonly publicKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly globalIndex: number;
  readonly txPublicKey: PublicKey;
  readonly flags: OutputFlags;
  readonly amount: bigint;
  /** Additional public keys of the transaction: one per output, or no keys. */
  readonly additionalKeys: readonly PublicKey[];
  /** Index of the paid address; undefined in exports of release 0.18.0. */
  readonly subaddress: SubaddressIndex | undefined;
  /**
   * Input context of the transaction, 33 bytes, of an output in the form of the fork, whose `txPublicKey` is its ephemeral
   * public key; absent in the old form.
   */
  readonly context?: Uint8Array;
}

/** Flags of an exported output. */
export interface OutputFlags {
  readonly spent: boolean;
  readonly frozen: boolean;
  readonly rct: boolean;
  readonly keyImageKnown: boolean;
  /** True if the exporting wallet requests a signed key image of the output. */
  readonly keyImageRequested: boolean;
  readonly keyImagePartial: boolean;
}

/** Range of a wallet's outputs, in the order in which the wallet received them. */
export interface OutputExport {
  /** Index of the first output of the range in the list of all outputs that the wallet ever received. */
  readonly first: number;
  /** Number of all outputs that the wallet ever received; at least `first + outputs.length`. */
  readonly total: number;
  readonly outputs: readonly ExportedOutput[];
}

/**
 * Format of an export. `current`: present releases write and read it. `0.18.0`: the only format that release 0.18.0
 * reads; later releases do not read it.
 */
export type ExportFormat = 'current' | '0.18.0';

/** Names of the flags, in the order of their bits. */
const FLAGS = ['spent', 'frozen', 'rct', 'keyImageKnown', 'keyImageRequested', 'keyImagePartial'] as const;

const flags: Codec<OutputFlags> = {
  write: (value, w) =>
    u8.write(
      FLAGS.reduce((bits, name, i) => bits | (value[name] ? 1 << i : 0), 0),
      w,
    ),
  read(r) {
    const bits = u8.read(r);
    const [spent, frozen, rct, keyImageKnown, keyImageRequested, keyImagePartial] = FLAGS.map(
      (_, i) => (bits & (1 << i)) !== 0,
    );
    return {
      spent: spent === true,
      frozen: frozen === true,
      rct: rct === true,
      keyImageKnown: keyImageKnown === true,
      keyImageRequested: keyImageRequested === true,
      keyImagePartial: keyImagePartial === true,
    };
  },
};

const U32_MAX = 0xffff_ffff;

const u32Varint: Codec<number> = {
  write: (value, w) => varintNumber.write(value, w),
  read(r) {
    const value = varintNumber.read(r);
    if (value > U32_MAX) throw new CodecError('archive: exceeds u32');
    return value;
  },
};

const subaddress = struct<SubaddressIndex>({ major: u32Varint, minor: u32Varint }) as Codec<
  SubaddressIndex | undefined
>;

const beforeFlags = {
  publicKey: key<PublicKey>(),
  outputIndex: varintNumber,
  globalIndex: varintNumber,
  txPublicKey: key<PublicKey>(),
};

/** Returns the codec of a record of an output of the old form, without its version. */
const recordOf = (version: number): Codec<ExportedOutput> =>
  struct<Omit<ExportedOutput, 'context'>>({
    ...beforeFlags,
    flags,
    amount: varint,
    additionalKeys: list(key<PublicKey>()),
    subaddress: version < 1 ? absent<SubaddressIndex | undefined>(undefined) : subaddress,
  });

/** Codec of a record of an output in the form of the fork, without its version. */
const forkRecord = struct<ExportedForkOutput>({
  ...beforeFlags,
  context: raw(INPUT_CONTEXT_BYTES),
  flags,
  amount: varint,
  subaddress,
});

/** Thrown when an output in the form of the fork is written in a format that has no place for its input context. */
export class FormatTooOld extends Error {
  override readonly name = 'FormatTooOld';

  constructor() {
    super('an output in the form of the fork is not written in a format of before the fork');
  }
}

/** Returns a codec that reads versions 0 and 1. @param newest version that is written. */
const exportedOutput = (newest: 0 | 1): Codec<ExportedOutput> => {
  const written = recordOf(newest);
  return {
    write(value, w) {
      if (value.context !== undefined) throw new FormatTooOld();
      varintNumber.write(newest, w);
      written.write(value, w);
    },
    read: (r) => versioned(1, recordOf).read(r),
  };
};

/** An output in the form of the fork in an export. */
type ExportedForkOutput = Omit<ExportedOutput, 'additionalKeys' | 'context'> & {
  readonly context: Uint8Array;
};

/** Version of the record of an output in the form of the fork, beside those of {@link exportedOutput}. */
const FORK_RECORD = 2;

/** Reads and writes an output of either form: records of version 1 for the old form, of {@link FORK_RECORD} for the new one. */
const outputOfEitherForm: Codec<ExportedOutput> = {
  write(value, w) {
    const { context, additionalKeys: _none, ...rest } = value;
    if (context === undefined) return exportedOutput(1).write(value, w);
    varintNumber.write(FORK_RECORD, w);
    forkRecord.write({ ...rest, context }, w);
  },
  read(r) {
    const version = varintNumber.read(r);
    if (version === FORK_RECORD) return { ...forkRecord.read(r), additionalKeys: [] };
    if (version !== 1) throw new CodecError('archive: unknown version of an output');
    return recordOf(1).read(r);
  },
};

/** Converts a full record of an old format. @throws CodecError for an inconsistent record. */
function fromDetails(details: TransferDetails): ExportedOutput {
  const { fields } = parseExtra(details.tx.extra);
  const output = details.tx.outputs[details.outputIndex];
  const txPublicKey = txPublicKeys(fields)[details.keyIndex];
  if (output === undefined || txPublicKey === undefined)
    throw new CodecError('archive: an output is not in its transaction');
  return {
    publicKey: output.publicKey,
    outputIndex: details.outputIndex,
    globalIndex: details.globalIndex,
    txPublicKey,
    flags: {
      spent: details.spent,
      frozen: details.frozen,
      rct: details.rct,
      keyImageKnown: details.keyImageKnown,
      keyImageRequested: details.keyImageRequested,
      keyImagePartial: details.keyImagePartial,
    },
    amount: details.amount,
    additionalKeys: additionalPublicKeys(fields),
    subaddress: details.subaddress,
  };
}

const fullRecord: Codec<ExportedOutput> = {
  write() {
    throw new Error('full records are never written');
  },
  read: (r) => fromDetails(transferDetails.read(r)),
};

/** Fields of a range of outputs that precede the outputs. */
interface ExportHead extends Pick<OutputExport, 'first' | 'total'> {
  /** Number of outputs in the range. */
  readonly count: number;
}

/** Codec of a range of outputs, which can also be written in parts. */
interface ExportLayout extends Codec<OutputExport> {
  readonly output: Codec<ExportedOutput>;
  /** Writes the fields that precede the outputs. */
  writeHead(head: ExportHead, w: Writer): void;
}

/** Returns the codec of a range. @param fields numbers that precede the outputs. */
function layoutOf(
  output: Codec<ExportedOutput>,
  fields: (head: ExportHead) => readonly number[],
  read: Codec<OutputExport>['read'],
): ExportLayout {
  const writeHead = (head: ExportHead, w: Writer): void => {
    for (const field of [...fields(head), head.count]) varintNumber.write(field, w);
  };
  return {
    output,
    writeHead,
    write(value, w) {
      writeHead({ ...value, count: value.outputs.length }, w);
      for (const one of value.outputs) output.write(one, w);
    },
    read,
  };
}

/** Number of elements, which is written at the start of a pair or a triple. */
const PAIR = 2;
const TRIPLE = 3;

/** Returns the codec of a pair of first index and outputs. The end of the range is used as the total. */
const pairOf = (output: Codec<ExportedOutput>): ExportLayout => {
  const layout = pair(varintNumber, list(output));
  return layoutOf(
    output,
    ({ first }) => [PAIR, first],
    (r) => {
      const [first, outputs] = layout.read(r);
      return { first, total: first + outputs.length, outputs };
    },
  );
};

/** Returns the codec of a triple of first index, total and outputs. */
const tripleOf = (output: Codec<ExportedOutput>): ExportLayout =>
  layoutOf(
    output,
    ({ first, total }) => [TRIPLE, first, total],
    (r) => {
      if (varintNumber.read(r) !== TRIPLE) throw new CodecError('archive: a triple has three elements');
      const first = varintNumber.read(r);
      const total = varintNumber.read(r);
      const outputs = list(output).read(r);
      if (first + outputs.length > total) throw new CodecError('archive: more outputs than the total');
      return { first, total, outputs };
    },
  );

/** Codecs of output ranges inside other formats, by version. */
export const outputExport = {
  current: tripleOf(exportedOutput(1)),
  '0.18.0': pairOf(exportedOutput(0)),
  full: pairOf(fullRecord),
  fork: tripleOf(outputOfEitherForm),
} satisfies Record<ExportFormat | 'full' | 'fork', ExportLayout>;

/** Number of bytes that a written output takes at most, unless it has additional keys. */
const OUTPUT_BYTES = 112;

/**
 * Writes a range of outputs that arrive in parts.
 * @param before bytes that precede the range.
 * @throws Error unless the parts together have the number of outputs that the head states.
 */
export async function writeOutputExport(
  { output, writeHead }: Pick<ExportLayout, 'output' | 'writeHead'>,
  head: ExportHead,
  parts: AsyncIterable<readonly ExportedOutput[]> | Iterable<readonly ExportedOutput[]>,
  before: Uint8Array = new Uint8Array(),
): Promise<Uint8Array> {
  const w = new Writer(before.length + OUTPUT_BYTES * (head.count + 1));
  w.bytes(before);
  writeHead(head, w);
  let written = 0;
  for await (const part of parts) {
    for (const one of part) output.write(one, w);
    written += part.length;
  }
  if (written !== head.count) throw new Error(`${written} outputs in place of ${head.count}`);
  return w.handOver();
}

/** Codecs of all layouts that any release wrote, newest first. */
const LAYOUTS = [outputExport.current, outputExport['0.18.0'], tripleOf(fullRecord), outputExport.full];

/** Reads an export of outputs of which some have the form of the fork. @throws CodecError. */
export const readForkExport = (body: Uint8Array): OutputExport => decode(outputExport.fork, body);

/** Reads an export of any version. @throws CodecError. Source: wallet2.cpp `import_outputs_from_str`. */
export function readOutputExport(body: Uint8Array): OutputExport {
  let failure: CodecError | undefined;
  for (const layout of LAYOUTS)
    try {
      return decode(layout, body);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      failure ??= error;
    }
  throw failure ?? new CodecError('archive: no layout');
}
