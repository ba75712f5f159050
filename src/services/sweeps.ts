import type { KeyImage } from '../crypto/types.js';
import { formatAddress } from '../cryptonote/address.js';
import type { Address } from '../cryptonote/types.js';
import type { Amount } from '../util/amount.js';
import { WalletError } from '../wallet/fault.js';
import { sweepInputs } from '../wallet/input-selection.js';
import type { Coin } from '../wallet/purse.js';
import type { OwnedOutput } from '../wallet/records.js';
import { planSweep } from '../wallet/transfer-plan.js';
import { isUnlocked } from '../wallet/unlock.js';
import type { MadePayments, MakingOptions } from './payment-maker.js';
import type { WalletSession } from './wallet-session.js';

/** How and to whom a sweep pays. */
export interface SweepTerms extends Omit<MakingOptions, 'account'> {
  readonly address: string;
  /** That each transaction splits its money into. */
  readonly outputs: number;
}

/** What an account holds, or a part of it, to one address. */
export interface SweepOrder extends SweepTerms {
  readonly account: number;
  /** Empty, and not all addresses: one of them, picked at random. */
  readonly minors: readonly number[];
  readonly allAddresses: boolean;
  /** Only outputs of less than this; 0 takes all. */
  readonly below: Amount;
}

const NOT_SPENT = 'outputs from before RingCT are shown, and not spent';

const failed = (reason: string): WalletError => new WalletError({ kind: 'transfer_failed', reason });

/** Payments of all that outputs hold. */
export class Sweeps {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** @throws WalletError `transfer_failed` where nothing fits the order, DaemonError */
  async all(order: SweepOrder): Promise<MadePayments> {
    const { payments, accounts, link } = this.#session;
    const address = await accounts.resolve(order.address);
    return this.#sweep(order, order.account, address, () => {
      const purse = payments.builder.purse(order.account, order.minors);
      if (purse.funds(0n).available === 0n) throw failed('nothing that was asked for can be spent now');
      const oneAddress = !order.allAddresses && order.minors.length === 0;
      const inputs = sweepInputs(purse, { oneAddress, below: order.below }, link.rng);
      if (inputs.length === 0) throw failed('no output is as small as was asked for');
      return inputs;
    });
  }

  /** @throws WalletError `key_image_unknown`, `invalid` where the output cannot be spent now, DaemonError */
  async single(terms: SweepTerms, keyImage: KeyImage): Promise<MadePayments> {
    const { outputStates, accounts } = this.#session;
    const address = await accounts.resolve(terms.address);
    const { major } = outputStates.find(keyImage).subaddress;
    return this.#sweep(terms, major, address, () => {
      const output = outputStates.find(keyImage);
      if (!output.rct) throw failed(NOT_SPENT);
      if (!this.#isFree(output))
        throw new WalletError({ kind: 'invalid', reason: 'the output is spent, locked or frozen' });
      return [output];
    });
  }

  /**
   * Outputs that no ring can be made for: from before RingCT, of an amount that hardly anybody else was paid.
   * @throws WalletError `transfer_failed` where there are outputs so old, which nothing here can spend.
   */
  async unmixable(): Promise<MadePayments> {
    const old = this.#session.file.read((r) => r.outputs.held()).filter(({ rct }) => !rct);
    if (old.some((output) => this.#isFree(output))) throw failed(NOT_SPENT);
    const { isViewOnly, coldSigning } = this.#session;
    return { payments: [], ...(isViewOnly ? { unsignedSet: await coldSigning.seal([]) } : {}) };
  }

  #sweep(
    terms: SweepTerms,
    account: number,
    address: Address,
    inputsOf: () => readonly Coin[],
  ): Promise<MadePayments> {
    const { payments, link } = this.#session;
    const text = formatAddress(address);
    return payments.make({ ...terms, account }, ({ rates, priority }) => {
      const request = { address, text, outputs: terms.outputs, priority };
      const planned = planSweep(request, inputsOf(), rates, link.rng);
      if (planned.length === 0) throw failed('the outputs hold less than the fee of spending them');
      return planned;
    });
  }

  #isFree(output: OwnedOutput): boolean {
    const { frozen, spentBy, burnt } = output;
    const unlocked = isUnlocked(output, this.#session.height(), this.#session.now());
    return unlocked && !frozen && !burnt && spentBy === undefined;
  }
}
