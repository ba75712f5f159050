import type { Loose } from '../support/network/json-rpc.js';
import { difference, without, type Books } from '../support/wallets/wallet-books.js';

/** Output of a wallet, as its list has it. */
interface ListedOutput {
  readonly tx_hash: string;
  readonly key_image: string;
  readonly amount: number;
  readonly spent: boolean;
  readonly unlocked: boolean;
}

const outputsOf = ({ outputs }: Books): readonly ListedOutput[] =>
  (outputs.transfers ?? []) as readonly ListedOutput[];

const receivedKey = ({ txid, amount, subaddr_index: { major, minor } }: Loose): string =>
  `the payment ${String(txid)} of ${String(amount)} to ${String(major)}/${String(minor)}`;
const outputKey = ({ tx_hash, key_image, amount }: ListedOutput): string =>
  `the output ${key_image} of ${amount} in ${tx_hash}`;

const sorted = <T>(rows: readonly T[], key: (row: T) => string): T[] =>
  [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));

/** Returns the transfers in blocks, without facts that only the paying wallet knows. */
const minedTransfers = ({ transfers: { received, out } }: Books): object => ({
  received: sorted(received as Loose[], receivedKey),
  out: sorted(out as Loose[], ({ txid }) => String(txid)).map((row) =>
    without(
      row as object,
      'destinations',
      'note',
      'timestamp',
      'subaddr_indices',
      'subaddr_index',
      'address',
    ),
  ),
});

/** Returns the part of the books that payments in the pool do not change. */
const minedPart = (books: Books): object => ({
  height: books.height,
  ...minedTransfers(books),
  outputs: sorted(outputsOf(books), outputKey).map((output) => without(output, 'spent', 'unlocked')),
});

/** Returns the books of a wallet that waits for nothing, without what only the wallet itself knows. */
const settledPart = (books: Books): object => {
  const { per_subaddress = [], ...sums } = books.balance as Loose;
  return {
    ...minedPart(books),
    pending: books.transfers.pending,
    balance: sums,
    subaddresses: (per_subaddress as Loose[]).map((row) => without(row as object, 'label')),
    outputs: sorted(outputsOf(books), outputKey),
  };
};

/** Describes how the blocks of a wallet differ from those of an honest twin; undefined without a difference. */
export const minedDifference = (books: Books, twin: Books): string | undefined =>
  difference(minedPart(books), minedPart(twin));

/** Describes how a wallet at rest differs from its honest twin; undefined without a difference. */
export const settledDifference = (books: Books, twin: Books): string | undefined =>
  difference(settledPart(books), settledPart(twin));

/** Everything that an honest twin has said about the money of a wallet since the start. */
export class Truth {
  readonly #received = new Set<string>();
  readonly #paid = new Set<string>();
  /** Hashes of transactions that were in a block, and concern the wallet. */
  readonly #mined = new Set<string>();
  readonly #outputs = new Map<string, { unlocked: boolean; spent: boolean }>();
  #latest: Books | undefined;

  /** Latest books of the twin. */
  get latest(): Books {
    if (this.#latest === undefined) throw new Error('the twin was not asked yet');
    return this.#latest;
  }

  /** Enters the books of the twin. */
  enter(books: Books): void {
    this.#latest = books;
    const { received, out } = books.transfers;
    for (const row of received as Loose[]) this.#received.add(receivedKey(row)).add(String(row.txid));
    for (const { txid } of out as Loose[]) this.#paid.add(String(txid));
    for (const { txid } of [...(received as Loose[]), ...(out as Loose[])]) this.#mined.add(String(txid));
    for (const output of outputsOf(books)) {
      const known = this.#outputs.get(outputKey(output));
      this.#outputs.set(outputKey(output), {
        unlocked: output.unlocked || known?.unlocked === true,
        spent: output.spent || known?.spent === true,
      });
    }
  }

  /** True for a transaction that a block had at some time. */
  hasMined(txHash: string): boolean {
    return this.#mined.has(txHash);
  }

  /** Lists the claims of a wallet that no honest daemon has ever made: credited, freed or lost money. */
  lies(books: Books): string[] {
    const { received, out, pending } = books.transfers;
    const found: string[] = [];
    for (const row of received as Loose[])
      if (!this.#received.has(receivedKey(row))) found.push(`credited: ${receivedKey(row)}`);
    for (const { txid } of out as Loose[])
      if (!this.#paid.has(String(txid))) found.push(`lost: ${String(txid)} is listed as paid`);
    const now = new Map(outputsOf(this.latest).map((output) => [outputKey(output), output]));
    for (const output of outputsOf(books)) {
      const name = outputKey(output);
      const known = this.#outputs.get(name);
      if (known === undefined) found.push(`credited: ${name}`);
      else if (output.unlocked && !output.spent && !known.unlocked) found.push(`freed: ${name} is unlocked`);
      // The wallet knows payments of its own that no block has, and that the twin does not know.
      else if (output.spent && !known.spent && (pending as Loose[]).length === 0)
        found.push(`lost: ${name} is spent`);
      if (!output.spent && now.get(name)?.spent === true && books.height >= this.latest.height)
        found.push(`freed: ${name} is unspent`);
    }
    return found;
  }
}
