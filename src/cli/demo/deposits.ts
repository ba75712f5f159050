import * as z from 'zod';
import { coins, type DemoServer } from './demo-server.js';

/** Payment of a demo to addresses of one wallet. */
export interface Deposit {
  readonly hash: string;
  /** Bytes of the transaction, in hex. */
  readonly blob: string;
  /** Height of its block. */
  readonly height: number;
  /** Amounts of its outputs to the wallet [atomic units]. */
  readonly amounts: readonly bigint[];
  /** True: it has the payment id of the integrated address. */
  readonly isMarked: boolean;
}

/* Outputs as any wallet with the view key knows them: without key images, and without spends. */
const incoming = z.object({
  transfers: z
    .array(
      z.object({
        ...{ amount: z.bigint(), tx_hash: z.string(), block_height: z.bigint(), global_index: z.bigint() },
        ...{ pubkey: z.string(), subaddr_index: z.bigint() },
      }),
    )
    .default([]),
});
const balance = z.object({ balance: z.bigint() });
const payments = z.object({ payments: z.array(z.object({ tx_hash: z.string() })).default([]) });
const news = z.object({
  events: z
    .array(
      z.object({
        type: z.string(),
        data: z.object({
          ...{ tx_hash: z.string(), address: z.string(), amount: z.bigint() },
          height: z.bigint().optional(),
        }),
      }),
    )
    .default([]),
  cursor: z.bigint(),
});
type News = z.output<typeof news>['events'];

const PAYMENT_EVENTS = ['payment.seen', 'payment.mined', 'payment.confirmed', 'payment.reversed'];

/** Outputs and balance of a wallet, and the transactions of its payments with the payment id. */
interface Books {
  readonly outputs: z.output<typeof incoming>['transfers'];
  readonly balance: bigint;
  readonly marked: readonly string[];
}

/** Writes a value, so that equal values have equal texts. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));

/** Compares what wallets with one view key have received, and which events they report. */
export class DepositWatch {
  readonly #wallet: DemoServer;
  readonly #copy: DemoServer;
  readonly #paymentId: string;
  /** Ids of the newest events that were shown, of the wallet and of the copy. */
  #shown: readonly [bigint, bigint] = [0n, 0n];

  /** @param copy view-only copy of the wallet. @param paymentId payment id of the integrated address. */
  constructor(wallet: DemoServer, copy: DemoServer, paymentId: string) {
    this.#wallet = wallet;
    this.#copy = copy;
    this.#paymentId = paymentId;
  }

  /**
   * Describes balance and new events of the wallet and its copy, a line each.
   * @throws Error if they differ, or have other outputs than those of the deposits.
   */
  async describe(deposits: readonly Deposit[]): Promise<string[]> {
    const [ours, theirs] = await Promise.all([this.#booksOf(this.#wallet), this.#booksOf(this.#copy)]);
    if (textOf(ours) !== textOf(theirs)) throw new Error('the view-only copy has received something else');
    const expected = deposits.flatMap(({ hash, amounts, isMarked }) =>
      amounts.map((paid) => ({ row: `${hash} ${paid}`, hash, paid, isMarked })),
    );
    const marked = expected.filter(({ isMarked }) => isMarked);
    checkSame(
      ours.outputs.map(({ tx_hash: hash, amount: paid }) => `${hash} ${paid}`),
      expected.map(({ row }) => row),
    );
    checkSame(
      ours.marked,
      marked.map(({ hash }) => hash),
    );
    if (ours.balance !== expected.reduce((sum, { paid }) => sum + paid, 0n))
      throw new Error(`the balance is ${coins(ours.balance)}`);
    const [first, second] = this.#shown;
    const [here, there] = [await newsOf(this.#wallet, first), await newsOf(this.#copy, second)];
    if (textOf(here.events) !== textOf(there.events)) throw new Error('the view-only copy has other events');
    this.#shown = [here.cursor, there.cursor];
    return [
      `shop       ${lineOf(ours)}; ${countsOf(here.events)}`,
      `view-only  ${lineOf(theirs)}; ${countsOf(there.events)}`,
    ];
  }

  /** Describes the balance of another wallet with the same keys. @throws Error if it has received something else. */
  async describeTwin(twin: DemoServer): Promise<string> {
    const [ours, theirs] = await Promise.all([this.#booksOf(this.#wallet), this.#booksOf(twin)]);
    if (textOf(ours) !== textOf(theirs)) throw new Error('the wallet has received something else');
    return `${lineOf(theirs)}, the same as the shop`;
  }

  async #booksOf(server: DemoServer): Promise<Books> {
    const { transfers } = await server.call(
      'incoming_transfers',
      { transfer_type: 'all', verbose: true },
      incoming,
    );
    const found = await server.call('get_payments', { payment_id: this.#paymentId }, payments);
    return {
      outputs: transfers,
      balance: (await server.call('get_balance', {}, balance)).balance,
      marked: found.payments.map(({ tx_hash: hash }) => hash),
    };
  }
}

const lineOf = ({ balance: sum, outputs }: Books): string => `${coins(sum)} in ${outputs.length} outputs`;

/** Compares outputs with the expected ones, in any order. @throws Error if they differ. */
function checkSame(found: readonly string[], expected: readonly string[]): void {
  if (textOf(found.toSorted()) !== textOf(expected.toSorted()))
    throw new Error('the wallet has received something else');
}

/** Reads the events of payments after a cursor. */
const newsOf = (server: DemoServer, after: bigint): Promise<z.output<typeof news>> =>
  server.call('get_events', { after, limit: 1000, types: PAYMENT_EVENTS }, news);

/** Counts events by type. */
function countsOf(events: News): string {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, number]) => `${number} ${type}`).join(', ') || 'none';
}
