import type { SectionReader } from '../../monero/epee/portable-storage.js';
import type { TypedSection } from '../../monero/epee/storage-writer.js';
import type { Json } from '../../util/json.js';
import type { ServedBlock } from '../store/served-blocks.js';
import type { ForgedChain } from './forged-chain.js';
import type { LieContext } from './lie-context.js';

/** Fields of an answer in JSON. */
export type Answer = Readonly<Record<string, Json | undefined>>;
/** Parsed parameters of a request in JSON. */
export type Params = Readonly<Record<string, unknown>>;

/** Answers a request in place of the handler, which `ask` calls. */
export type Twist<Request, Reply> = (
  ask: (request: Request) => Promise<Reply>,
  request: Request,
  lie: LieContext,
) => Reply | Promise<Reply>;

/** Place of a block in a page of blocks. */
export interface BlockPlace {
  readonly height: number;
  /** True: payments lack signatures and proofs. */
  readonly prune: boolean;
}

/** A fault that can be injected into the daemon: its description, and the answers that it changes. */
export interface Fault {
  /** Effect in one line; `n` is the number that is given with the name. */
  readonly help: string;
  /** Largest number; absent: a million. */
  readonly most?: number;
  /** Field of the request that the fault cannot do without. */
  readonly needs?: 'address' | 'key_images';
  /** Changed answers in JSON, by name of the method or path. */
  readonly answers?: Readonly<Record<string, Twist<Params, Answer>>>;
  /** Changed answers in portable storage, by path. */
  readonly sections?: Readonly<Record<string, Twist<SectionReader, TypedSection>>>;
  /** Changes a block in the answers {@link BLOCK_PAGES}. */
  readonly block?: (served: ServedBlock, place: BlockPlace, lie: LieContext) => ServedBlock;
  /** Answers in which changed blocks show; absent: all of {@link BLOCK_PAGES}. */
  readonly pages?: readonly string[];
  /** Changes a copy of the chain and of the pool, from which the named answers are given. */
  readonly chain?: {
    readonly answers: readonly string[];
    readonly forge: (chain: ForgedChain, lie: LieContext) => void;
  };
}

/** Answers that contain blocks. Those by height have whole payments, and no global indices of outputs. */
const BLOCK_PAGES = ['/get_blocks.bin', '/get_blocks_by_height.bin'] as const;

/** Returns the names of the answers that a fault changes. */
export const changedAnswers = ({
  answers = {},
  sections = {},
  block,
  pages = BLOCK_PAGES,
  chain,
}: Fault): readonly string[] => [
  ...Object.keys(answers),
  ...Object.keys(sections),
  ...(block === undefined ? [] : pages),
  ...(chain?.answers ?? []),
];

/** Returns the same change for several answers. */
export const inEach = <T>(names: readonly string[], change: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.map((name) => [name, change]));

/** Changes what the handlers of JSON answers reply. */
export const replies = (
  names: readonly string[],
  change: (reply: Answer, lie: LieContext) => Answer,
): Required<Pick<Fault, 'answers'>> => ({
  answers: inEach(names, async (ask, request, lie) => change(await ask(request), lie)),
});

/** Changes what the handlers of answers in portable storage reply. */
export const storageReplies = (
  paths: readonly string[],
  change: (reply: TypedSection, lie: LieContext) => TypedSection,
): Required<Pick<Fault, 'sections'>> => ({
  sections: inEach(paths, async (ask, request, lie) => change(await ask(request), lie)),
});

/** Names of the answers that describe transactions. */
export const TRANSACTIONS = ['/get_transactions'] as const;

/** Changes each transaction of an answer. */
export const eachTransaction = (
  change: (entry: Answer, lie: LieContext) => Answer,
): Required<Pick<Fault, 'answers'>> =>
  replies(TRANSACTIONS, (answer, lie) => {
    const txs = ((answer['txs'] ?? []) as readonly Answer[]).map((entry) => change(entry, lie));
    return { ...answer, txs, txs_as_hex: txs.map((entry) => entry['as_hex'] ?? '') };
  });
