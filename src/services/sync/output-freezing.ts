import { unixSeconds } from '../../util/clock.js';
import { keccak } from '../../monero/crypto/keccak.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { SPENT_IN_CHAIN, UNSPENT, type KeyImageStatus } from '../../daemon/daemon.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { toHex, utf8 } from '../../util/bytes.js';
import type { Spender } from '../../model/spender.js';
import { WalletError } from '../../model/wallet-error.js';
import { withdrawSpend } from '../../store/recorded-spends.js';
import { recogniseStored } from '../../store/resolve-key-images.js';
import { isUnknownSpend, type KeyImageState } from '../../store/tables/output-row.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { LostPayments } from './lost-payments.js';
import type { WalletContext } from '../context/wallet-context.js';
import { confirmUnspent, lacksNewestBlock } from './newest-block.js';
import type { WalletSync } from './wallet-sync.js';

type Context = Pick<WalletContext, 'clock' | 'daemon' | 'keystore' | 'locks' | 'log' | 'store'>;

/** Counts locked money against the limits of clients. */
interface Spending {
  /** Checks and counts money. @throws WalletError `spend_limit`, `credential_denied` */
  record(w: WalletWriter, spender: Spender | undefined, spent: readonly LockedMoney[]): unknown;
}

/** Money that a client locks, with a hash under which it counts only once. */
interface LockedMoney {
  readonly signingHash: Hash;
  readonly amount: Amount;
  readonly payees: readonly [];
  readonly hasUnknownPayee: false;
  readonly isLocked: true;
}

/** Other services of the wallet that this service calls. */
interface Services {
  readonly lostPayments: LostPayments;
  readonly spending: Spending;
  readonly sync: WalletSync;
}

/** Outputs with the daemon's answers, which say whether they are spent. */
interface AskedOutputs {
  readonly outputs: readonly KeyImageState[];
  /** States of the outputs, in the order of the outputs. */
  readonly statuses: Promise<readonly KeyImageStatus[]>;
}

/** Number of key images in one call to the daemon. */
const KEY_IMAGES_PER_CALL = 1000;

/** Freezes and thaws single outputs, and corrects whether outputs are spent. */
export class OutputFreezing {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Freezes an output, so that no payment spends it. Its amount counts against the limits of the client, as locked
   * money.
   * @throws WalletError `key_image_unknown`, `spend_limit`, `credential_denied`
   */
  freeze(keyImage: KeyImage, spender?: Spender): void {
    const output = this.find(keyImage);
    this.#context.store.write((w) => {
      const isFree = !output.frozen && output.spentBy === undefined;
      this.#services.spending.record(w, spender, [this.#lockedBy(output, isFree ? output.amount : ZERO)]);
      w.outputs.setFrozen(output, true);
    });
  }

  /** Thaws a frozen output. @throws WalletError `key_image_unknown` */
  thaw(keyImage: KeyImage): void {
    const output = this.find(keyImage);
    this.#context.store.write((w) => w.outputs.setFrozen(output, false));
  }

  /**
   * Returns the money that freezing an output locks. Its hash includes the time, so that freezing counts again after a
   * thaw.
   */
  #lockedBy({ publicKey }: OwnedOutput, amount: Amount): LockedMoney {
    const time = new Uint8Array(8);
    new DataView(time.buffer).setBigUint64(0, BigInt(unixSeconds(this.#context.clock)));
    const signingHash = keccak(utf8('freeze'), publicKey, time);
    return { signingHash, amount, payees: [], hasUnknownPayee: false, isLocked: true };
  }

  /** Finds an output by its key image. @throws WalletError `key_image_unknown` */
  find(keyImage: KeyImage): OwnedOutput {
    const output = this.#context.store.read((r) => r.outputs.byKeyImage(keyImage));
    if (output === undefined) throw new WalletError({ kind: 'key_image_unknown' });
    return output;
  }

  /**
   * Marks outputs spent or unspent as the daemon reports, if nothing else can tell. The daemon is not believed against the
   * chain: a spend that a block proves stays. A wallet that has its spend key and has read all blocks knows every spend in
   * them, so that it marks no other output as spent. Both are logged. Fails own payments that the daemon has in neither pool
   * nor chain, which frees their inputs; the inputs of other unmined payments stay reserved. Then corrects key images
   * that an earlier version stored for wrong outputs.
   * @throws DaemonError; WalletError `daemon_misbehaves` if the daemon lacks recorded spends or payments, and also the
   * newest scanned block. Source: wallet2.cpp `rescan_spent`.
   */
  async rescanSpent(): Promise<void> {
    const { locks } = this.#context;
    await this.#services.sync.runExclusive(async () => {
      await this.#services.lostPayments.failUnheld();
      await locks.spentStates.run(() => this.#correctAll());
      await this.#services.sync.correctKeyImages();
    });
  }

  async #correctAll(): Promise<void> {
    const denied: KeyImageState[] = [];
    const knowsSpends = this.#knowsSpends;
    const doubted: KeyImageState[] = [];
    // The request for the next key images is sent before the answer for the present key images is awaited.
    let asked = this.#askBehind(0);
    for (let last = asked.outputs.at(-1); last !== undefined; last = asked.outputs.at(-1)) {
      const { outputs, statuses } = asked;
      asked = this.#askBehind(last.number);
      const differing = this.#markSpent(outputs, await statuses, knowsSpends);
      denied.push(...differing.denied);
      doubted.push(...differing.doubted);
    }
    if (doubted.length > 0)
      this.#warn(
        doubted,
        'the daemon calls outputs spent whose spends no block contains that this wallet has read: they stay as they are, and rescan_blockchain finds spends that are missing',
      );
    if (denied.length > 0) await this.#markUnspent(denied);
  }

  /** True if the wallet knows all spends of its outputs in the chain. */
  get #knowsSpends(): boolean {
    const { keystore, store } = this.#context;
    return (
      !keystore.importsKeyImages &&
      keystore.keys.multisig === undefined &&
      store.read((r) => r.meta.get('skipped_from')) === undefined
    );
  }

  #warn(outputs: readonly KeyImageState[], text: string): void {
    const [first] = outputs;
    if (first !== undefined)
      this.#context.log.warn({ count: outputs.length, keyImage: toHex(first.keyImage) }, text);
  }

  /** Asks the daemon whether the next outputs are spent. @param after number of the output before the first output. */
  #askBehind(after: number): AskedOutputs {
    const { store, daemon } = this.#context;
    const outputs = store.read((r) => r.outputs.keyImageStates(after, KEY_IMAGES_PER_CALL));
    if (outputs.length === 0) return { outputs, statuses: Promise.resolve([]) };
    const statuses = daemon.client().isKeyImageSpent(outputs.map(({ keyImage }) => keyImage));
    // A rejection is marked as handled, because this answer is not awaited if an earlier answer fails.
    statuses.catch(() => undefined);
    return { outputs, statuses };
  }

  /**
   * Marks the outputs that the daemon reports as spent. @param knowsSpends true: only outputs whose spends are stored.
   * @returns outputs stored as spent that the daemon reports as unspent, and outputs that it reports as spent in vain.
   */
  #markSpent(
    outputs: readonly KeyImageState[],
    statuses: readonly KeyImageStatus[],
    knowsSpends: boolean,
  ): { readonly denied: readonly KeyImageState[]; readonly doubted: readonly KeyImageState[] } {
    const denied: KeyImageState[] = [];
    const doubted: KeyImageState[] = [];
    this.#context.store.write((w) => {
      for (const [i, output] of outputs.entries()) {
        const status = statuses[i];
        if (status === undefined || (status !== UNSPENT) === (output.spentBy !== undefined)) continue;
        if (status === UNSPENT) {
          if (!this.#isReserved(output)) denied.push(output);
          continue;
        }
        recogniseStored(w, [output.keyImage]);
        if (!knowsSpends) w.outputs.markSpentByUnknown(output, status === SPENT_IN_CHAIN);
        if (w.outputs.byRef(output)?.spentBy === undefined) doubted.push(output);
        else this.#logCorrection(output, true);
      }
    });
    return { denied, doubted };
  }

  /**
   * Frees outputs stored as spent that the daemon reports as unspent; none if a block proves the first recorded spend that it
   * denies wrongly.
   * @throws DaemonError; WalletError `daemon_misbehaves` if the daemon lacks the newest block of the wallet.
   */
  async #markUnspent(denied: readonly KeyImageState[]): Promise<void> {
    const statuses = await confirmUnspent(
      this.#context,
      denied.map(({ keyImage }) => keyImage),
    );
    if (statuses === undefined) throw lacksNewestBlock('reports spent outputs as unspent');
    const unspent = denied.filter((_, i) => statuses[i] === UNSPENT);
    for (const { keyImage, spentBy: txHash, spentHeight: height } of unspent) {
      if (height === undefined || txHash === undefined || isUnknownSpend(txHash)) continue;
      // A daemon that denies one spend of its own chain is believed about none.
      if (await this.#services.sync.unproven.provesSpend({ keyImage, txHash, height }))
        return this.#warn(
          unspent,
          'the daemon denies spends of outputs that its blocks contain: they stay spent',
        );
    }
    this.#context.store.write((w) => {
      for (const output of unspent) {
        const whole = w.outputs.byRef(output);
        if (whole === undefined) continue;
        withdrawSpend(w, whole);
        this.#logCorrection(output, false);
      }
    });
  }

  #logCorrection({ keyImage }: KeyImageState, spent: boolean): void {
    this.#context.log.info(
      { keyImage: toHex(keyImage), spent },
      'the spent state of an output differed from the daemon and was corrected',
    );
  }

  /** True if an output is spent by an unmined payment that can be relayed again. */
  #isReserved({ spentBy, spentHeight }: KeyImageState): boolean {
    if (spentBy === undefined || spentHeight !== undefined) return false;
    const payment = this.#context.store.read((r) => r.outgoing.byHash(spentBy));
    return payment?.blob !== undefined && (payment.state === 'prepared' || payment.state === 'pending');
  }
}
