import type { Random } from '../support/fakes/seeded-random.js';
import type { Loose, WalletCalls } from '../support/network/json-rpc.js';
import type { Payer } from './payer.js';
import type { PayoutStates } from './payout-states.js';

/** Set of a batch that the cold wallet has signed. */
export interface SignedSet {
  readonly batchId: string;
  readonly signed: string;
  readonly hash: string;
  /** Transaction, as the node takes it. */
  readonly blob: string;
  readonly payoutIds: readonly string[];
  /** Number of times that each payout had returned because its set was not signed in time, when this one was exported. */
  readonly unsigned: ReadonlyMap<string, number>;
}

/** Parts of a round that a {@link Signer} uses. */
interface Parts {
  readonly payer: Pick<Payer, 'ask'>;
  readonly cold: WalletCalls;
  readonly states: PayoutStates;
  readonly violate: (text: string) => void;
  /** Returns the time from which a payout is not sent any more [Unix s]; undefined: none. */
  readonly expiryOf: (id: string) => number | undefined;
  /** True for a transaction that the pool or a block has. */
  readonly isKnown: (hash: string) => Promise<boolean>;
}

/** Cold wallet of a view-only payer: signs the sets that the payer exports. */
export class Signer {
  readonly #parts: Parts;
  /** Sets that were signed, and are not submitted yet. */
  readonly kept: SignedSet[] = [];
  /** Reads the events so far; false without an answer. */
  read: () => Promise<boolean> = () => Promise.resolve(false);
  /** Number of sets that were signed. */
  signed = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Gives the cold wallet the outputs, and the payer their key images. */
  async exchange(): Promise<void> {
    const { payer, cold } = this.#parts;
    const exported = (await payer.ask('export_outputs', { all: true }))?.result;
    if (exported === undefined) return;
    await cold.rpc('import_outputs', { outputs_data_hex: exported['outputs_data_hex'] });
    const { signed_key_images = [], offset = 0 } = await cold.rpc('export_key_images', { all: true });
    if ((signed_key_images as unknown[]).length > 0)
      await payer.ask('import_key_images', { signed_key_images, offset });
  }

  /** Lists the sets that the payer wants to be signed; none without an answer. */
  async exported(): Promise<Loose[]> {
    const reply = await this.#parts.payer.ask('export_payout_batches');
    // Returns of these payouts from earlier sets must not count as returns from the exported ones.
    return (await this.read()) ? ((reply?.result?.['batches'] ?? []) as Loose[]) : [];
  }

  /** Signs a set, and keeps it. */
  async sign({ batch_id, unsigned_txset, payouts, expires_at: expires }: Loose): Promise<void> {
    const { cold, states, violate, expiryOf } = this.#parts;
    const reply = await cold.call('sign_transfer', { unsigned_txset, export_raw: true });
    if (reply.error !== undefined)
      return violate(`the cold wallet does not sign ${batch_id}: ${JSON.stringify(reply.error)}`);
    const [hash] = (reply.result?.['tx_hash_list'] ?? []) as string[];
    const [blob] = (reply.result?.['tx_raw_list'] ?? []) as string[];
    if (hash === undefined || blob === undefined || expires === undefined)
      return violate(`the set of ${batch_id} has no transaction, or no expiry`);
    const payoutIds = (payouts as Loose[]).map(({ payout_id }) => String(payout_id));
    const first = Math.min(...payoutIds.map((id) => expiryOf(id) ?? Infinity));
    if (Number(expires) > first) violate(`the set of ${batch_id} outlives a payout by ${expires - first} s`);
    states.sign(hash, payoutIds);
    this.signed += 1;
    this.kept.push({
      ...{ batchId: String(batch_id), signed: String(reply.result?.['signed_txset']), hash, blob, payoutIds },
      unsigned: new Map(payoutIds.map((id) => [id, states.unsignedOf(id)])),
    });
  }

  /** Signs the exported sets that were not signed yet. @param most number of them. */
  async signSome(most = Infinity): Promise<void> {
    const known = new Set(this.kept.map(({ batchId }) => batchId));
    const open = (await this.exported()).filter(({ batch_id }) => !known.has(String(batch_id)));
    for (const set of open.slice(0, most)) await this.sign(set);
  }

  /**
   * Submits a kept set. A set that has expired must be refused, unless its transaction was relayed by others.
   * @returns the error; undefined: it was accepted, or there was no answer.
   */
  async submit(set: SignedSet): Promise<string | undefined> {
    const { payer, states, violate, isKnown } = this.#parts;
    const i = this.kept.indexOf(set);
    if (i >= 0) this.kept.splice(i, 1);
    if (!(await this.read())) return undefined;
    const isExpired = set.payoutIds.some((id) => states.unsignedOf(id) > (set.unsigned.get(id) ?? 0));
    const wasKnown = await isKnown(set.hash);
    const reply = await payer.ask('submit_payout_batches', { signed_txsets: [set.signed] });
    if (reply === undefined) return undefined;
    const [result] = (reply.result?.['results'] ?? []) as Loose[];
    const error = reply.error ?? result?.error;
    if (error !== undefined) return String(error.message);
    const hashes = (result?.tx_hashes ?? []) as string[];
    if (hashes.join() !== set.hash) violate(`the set of ${set.hash} is answered with ${hashes.join(', ')}`);
    if (isExpired && !wasKnown) violate(`the set of ${set.hash} has expired, and is accepted`);
    return undefined;
  }

  /** Signs a payment of the payer that is no batch, and submits it. */
  async signPayment(unsigned_txset: string): Promise<void> {
    const { cold, payer } = this.#parts;
    const { signed_txset } = await cold.rpc('sign_transfer', { unsigned_txset });
    await payer.ask('submit_transfer', { tx_data_hex: signed_txset });
  }

  /** Draws a kept set; undefined if there is none. */
  draw(random: Random): SignedSet | undefined {
    return this.kept[random.below(Math.max(1, this.kept.length))];
  }
}
