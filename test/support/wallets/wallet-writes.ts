import { expect } from '@jest/globals';
import type { Loose, WalletCalls } from '../network/json-rpc.js';

/** Errors of a payment without spendable money. */
const NO_MONEY = [-17, -37];

/** Value of a setting: the last acknowledged one, and one that was sent and not answered. */
interface Setting {
  acknowledged?: string;
  sent?: string;
}

/**
 * Random writes to one wallet, two at a time, until the server is gone, and a check that a later server still has every
 * acknowledged one.
 */
export class WalletWrites {
  readonly #destination: string;
  /** Labels by index of the address. */
  readonly #labels = new Map<number, Setting>();
  /** Notes by transaction hash. */
  readonly #notes = new Map<string, Setting>();
  /** Addresses by index. */
  readonly #addresses = new Map<number, string>();
  /** Fees of payments by transaction hash. */
  readonly #payments = new Map<string, number>();
  #count = 0;
  #creating = false;

  /** @param destination address of the payments. */
  constructor(destination: string) {
    this.#destination = destination;
  }

  /** Number of acknowledged writes. */
  get count(): number {
    return this.#count;
  }

  /** Number of acknowledged payments. */
  get payments(): number {
    return this.#payments.size;
  }

  /** Writes until a request gets no answer. */
  async run(wallet: WalletCalls): Promise<void> {
    const loop = async (write: () => Promise<void>): Promise<void> => {
      try {
        for (;;) await write();
      } catch (error) {
        // Fetch fails with it when the connection is lost; the class is another one inside Jest.
        if ((error as Error).name !== 'TypeError') throw error;
      }
    };
    await Promise.all([
      loop(() =>
        this.#addresses.size === 0 || Math.random() < 0.5 ? this.#createAddress(wallet) : this.#label(wallet),
      ),
      loop(() => (Math.random() < 0.2 ? this.#pay(wallet) : this.#note(wallet))),
    ]);
  }

  async #createAddress({ rpc }: WalletCalls): Promise<void> {
    const label = this.#text('created');
    this.#creating = true;
    const { address, address_index } = await rpc('create_address', { label });
    this.#creating = false;
    expect(this.#addresses.has(address_index as number)).toBe(false);
    this.#addresses.set(address_index as number, address as string);
    this.#labels.set(address_index as number, { acknowledged: label });
    this.#count += 1;
  }

  async #label({ rpc }: WalletCalls): Promise<void> {
    const minor = 1 + Math.floor(Math.random() * this.#addresses.size);
    await this.#set(this.#labels, minor, 'label', (label) =>
      rpc('label_address', { index: { major: 0, minor }, label }),
    );
  }

  async #note({ rpc }: WalletCalls): Promise<void> {
    const txid = Math.floor(Math.random() * 30)
      .toString(16)
      .padStart(64, 'a');
    await this.#set(this.#notes, txid, 'note', (note) =>
      rpc('set_tx_notes', { txids: [txid], notes: [note] }),
    );
  }

  async #set<K>(
    settings: Map<K, Setting>,
    key: K,
    kind: string,
    send: (value: string) => Promise<unknown>,
  ): Promise<void> {
    const setting = settings.get(key) ?? {};
    settings.set(key, setting);
    setting.sent = this.#text(kind);
    await send(setting.sent);
    setting.acknowledged = setting.sent;
    delete setting.sent;
    this.#count += 1;
  }

  async #pay({ call }: WalletCalls): Promise<void> {
    const destinations = [{ amount: 1_000_000, address: this.#destination }];
    const { result, error } = await call('transfer', { destinations });
    if (error !== undefined) return expect(NO_MONEY).toContain(error.code);
    const { tx_hash, fee } = result as Loose;
    this.#payments.set(tx_hash as string, fee as number);
    this.#count += 1;
  }

  #text(kind: string): string {
    return `${kind} ${this.#count} ${Math.random()}`;
  }

  /** Compares the wallet with every acknowledged write, and takes what it holds as acknowledged. */
  async check(wallet: WalletCalls): Promise<void> {
    await this.#checkAddresses(wallet);
    await this.#checkNotes(wallet);
    await this.#checkPayments(wallet);
  }

  async #checkAddresses({ rpc }: WalletCalls): Promise<void> {
    const { addresses } = await rpc('get_address');
    const [, ...created] = addresses as Loose[];
    const unanswered = created.length - this.#addresses.size;
    expect([0, this.#creating ? 1 : 0]).toContain(unanswered);
    for (const { address, address_index, label } of addresses as Loose[]) {
      if (address_index > 0 && !this.#addresses.has(address_index))
        this.#addresses.set(address_index, address);
      else if (address_index > 0) expect(address).toBe(this.#addresses.get(address_index));
      settle(this.#labels, address_index as number, label as string);
    }
    this.#creating = false;
  }

  async #checkNotes({ rpc }: WalletCalls): Promise<void> {
    const txids = [...this.#notes.keys()];
    if (txids.length === 0) return;
    const { notes } = await rpc('get_tx_notes', { txids });
    txids.forEach((txid, i) => settle(this.#notes, txid, notes[i] as string));
  }

  async #checkPayments({ rpc }: WalletCalls): Promise<void> {
    const {
      out = [],
      pending = [],
      failed,
    } = await rpc('get_transfers', {
      ...{ out: true, pending: true, failed: true },
    });
    expect(failed).toBeUndefined();
    const fees = new Map([...out, ...pending].map(({ txid, fee }: Loose) => [txid as string, fee as number]));
    expect(fees.size).toBe(out.length + pending.length);
    for (const [txid, fee] of this.#payments) expect([txid, fees.get(txid)]).toEqual([txid, fee]);
  }
}

/** Compares a stored value with the acknowledged one, or the one that was not answered. */
function settle<K>(settings: Map<K, Setting>, key: K, stored: string): void {
  const { acknowledged, sent } = settings.get(key) ?? {};
  if (acknowledged !== undefined && stored !== sent) expect([key, stored]).toEqual([key, acknowledged]);
  settings.set(key, { acknowledged: stored });
}
