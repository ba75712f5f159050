import { isLockOpen } from '../../monero/cryptonote/unlock-time.js';
import type { SectionReader } from '../../monero/epee/portable-storage.js';
import type { Scalar, TypedSection } from '../../monero/epee/storage-writer.js';
import { concatBytes, fromHex, toHex, toLatin1 } from '../../util/bytes.js';
import { encode, Reader, u64, varintNumber } from '../../util/codec.js';
import type { Json } from '../../util/json.js';
import { replies, storageReplies, type Answer, type Fault, type Params } from './fault.js';
import type { LieContext } from './lie-context.js';
import { randomPoint } from './nobody.js';

/* Lies about the outputs from which a wallet chooses the members of its rings. */

/** An output in an answer. */
interface ToldOutput {
  readonly key: Uint8Array;
  readonly mask: Uint8Array;
  readonly unlocked: boolean;
  readonly height: number;
}

/** Amount and global index of an output that was asked for. */
interface AskedOutput {
  readonly amount: bigint;
  readonly index: bigint;
}

type OutputChange = (output: ToldOutput, asked: AskedOutput, lie: LieContext) => ToldOutput;

/** Returns a fault that changes each output of the answers about outputs. */
const ofOutputs = (help: string, change: OutputChange): Fault => ({
  help,
  answers: {
    '/get_outs': async (ask, request, lie) => {
      const answer = await ask(request);
      return { ...answer, outs: changedOuts(answer, request, (output, asked) => change(output, asked, lie)) };
    },
  },
  sections: {
    '/get_outs.bin': async (ask, request, lie) => {
      const answer = await ask(request);
      return changedSection(answer, request, (output, asked) => change(output, asked, lie));
    },
  },
});

type Changing = (output: ToldOutput, asked: AskedOutput) => ToldOutput;

function changedOuts(answer: Answer, request: Params, change: Changing): readonly Json[] | undefined {
  const asked = request['outputs'] as readonly AskedOutput[];
  return (answer['outs'] as readonly Answer[] | undefined)?.map((out, i) => {
    const told = {
      ...{ key: fromHex(String(out['key'])), mask: fromHex(String(out['mask'])) },
      ...{ unlocked: out['unlocked'] === true, height: Number(out['height']) },
    };
    const { key, mask, unlocked, height } = change(told, asked[i] ?? { amount: 0n, index: 0n });
    return { ...out, key: toHex(key), mask: toHex(mask), unlocked, height };
  });
}

function changedSection(answer: TypedSection, request: SectionReader, change: Changing): TypedSection {
  const { outs } = answer;
  if (outs?.type !== 'list') return answer;
  const asked = request.sections('outputs');
  const items = outs.items.map((item, i): Scalar => {
    const { key, mask, unlocked, height } = item.type === 'object' ? item.value : {};
    if (
      key?.type !== 'string' ||
      mask?.type !== 'string' ||
      unlocked?.type !== 'bool' ||
      height?.type !== 'u64'
    )
      return item;
    const told = change(
      { key: key.value, mask: mask.value, unlocked: unlocked.value, height: Number(height.value) },
      { amount: asked[i]?.uint('amount', 0n) ?? 0n, index: asked[i]?.uint('index', 0n) ?? 0n },
    );
    return {
      type: 'object',
      value: {
        ...(item.type === 'object' ? item.value : {}),
        key: { type: 'string', value: told.key },
        mask: { type: 'string', value: told.mask },
        unlocked: { type: 'bool', value: told.unlocked },
        height: { type: 'u64', value: BigInt(told.height) },
      },
    };
  });
  return { ...answer, outs: { ...outs, items } };
}

/** Returns the neighbour of an output; the output itself if it has none. */
function neighbour(output: ToldOutput, { amount, index }: AskedOutput, { node }: LieContext): ToldOutput {
  const { view } = node.chain;
  const found = view.output(amount, index ^ 1n);
  if (found === undefined) return output;
  return {
    key: found.publicKey,
    mask: found.commitment,
    unlocked: isLockOpen(found.unlockTime, view.height, view.time),
    height: found.height,
  };
}

/** Returns another point for an output; it stays the same. */
const pointFor = ({ amount, index }: AskedOutput, lie: LieContext): Uint8Array =>
  lie.once(`point ${amount} ${index}`, () => randomPoint(lie.rng));

type Counts = readonly number[];

type CountsChange = (counts: Counts) => Counts;

/** Returns a fault that changes the numbers of outputs in the answers about their distribution. */
const ofDistribution = (help: string, change: (counts: Counts, lie: LieContext) => Counts): Fault => ({
  help,
  ...replies(['get_output_distribution'], (answer, lie) => {
    const distributions = answer['distributions'] as readonly Answer[] | undefined;
    return {
      ...answer,
      distributions: distributions?.map((entry) => inEntry(entry, (counts) => change(counts, lie))),
    };
  }),
  ...storageReplies(['/get_output_distribution.bin'], (answer, lie) => {
    const { distributions } = answer;
    if (distributions?.type !== 'list') return answer;
    const items = distributions.items.map((item): Scalar =>
      item.type === 'object'
        ? { ...item, value: inSection(item.value, (counts) => change(counts, lie)) }
        : item,
    );
    return { ...answer, distributions: { ...distributions, items } };
  }),
});

const PLAIN = 'distribution';
const COMPRESSED = 'compressed_data';

/** Changes the counts of an entry in JSON: a list of numbers, or a text with a character for each byte. */
function inEntry(entry: Answer, change: CountsChange): Answer {
  const name = entry[COMPRESSED] === undefined ? PLAIN : COMPRESSED;
  const counts = entry[name];
  if (typeof counts !== 'string') return { ...entry, [name]: change(counts as Counts) };
  return { ...entry, [name]: toLatin1(recoded(Buffer.from(counts, 'latin1'), name, change)) };
}

/** Changes the counts of an entry in portable storage. */
function inSection(entry: TypedSection, change: CountsChange): TypedSection {
  const name = entry[COMPRESSED] === undefined ? PLAIN : COMPRESSED;
  const packed = entry[name];
  if (packed?.type !== 'string') return entry;
  return { ...entry, [name]: { ...packed, value: recoded(packed.value, name, change) } };
}

/** Changes packed counts: 8 bytes each, or varints. */
function recoded(packed: Uint8Array, name: string, change: CountsChange): Uint8Array {
  const compressed = name === COMPRESSED;
  const r = new Reader(packed);
  const counts: number[] = [];
  while (r.remaining > 0) counts.push(compressed ? varintNumber.read(r) : Number(u64.read(r)));
  return concatBytes(
    ...change(counts).map((count) => (compressed ? encode(varintNumber, count) : encode(u64, BigInt(count)))),
  );
}

/** Lies about outputs and their distribution. */
export const OUTPUT_LIES = {
  'wrong-ring-data': ofOutputs('each output is replaced by its neighbour (1)', neighbour),
  'other-ring-keys': ofOutputs('the keys of outputs are other ones (1)', (output, asked, lie) => ({
    ...output,
    key: pointFor(asked, lie),
  })),
  'equal-ring-keys': ofOutputs(
    'all outputs have the key of the output that was asked for first (1)',
    (output, _, lie) => ({ ...output, key: lie.once('first key', () => output.key) }),
  ),
  'other-ring-commitments': ofOutputs(
    'the commitments of outputs are other ones (1)',
    (output, asked, lie) => ({
      ...output,
      mask: pointFor(asked, lie),
    }),
  ),
  'other-ring-heights': ofOutputs('outputs seem n blocks older', (output, _, { value }) => ({
    ...output,
    height: Math.max(0, output.height - value),
  })),
  'unlocked-rings': ofOutputs('all outputs seem unlocked (1)', (output) => ({ ...output, unlocked: true })),
  'locked-rings': ofOutputs('all outputs seem locked (1)', (output) => ({ ...output, unlocked: false })),
  'changing-rings': ofOutputs(
    'every n-th output has another key, in each answer another one',
    (output, _, lie) => (lie.isDue(lie.value) ? { ...output, key: randomPoint(lie.rng) } : output),
  ),
  'shifted-distribution': ofDistribution(
    'outputs seem to lie n blocks later than they do',
    (counts, { value }) => [
      ...counts.slice(0, value).map(() => counts[0] ?? 0),
      ...counts.slice(0, Math.max(0, counts.length - value)),
    ],
  ),
  'truncated-distribution': ofDistribution(
    'the numbers of outputs lack the latest n blocks',
    (counts, { value }) => counts.slice(0, Math.max(0, counts.length - value)),
  ),
} satisfies Record<string, Fault>;
