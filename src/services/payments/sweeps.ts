import type { KeyImage } from '../../crypto/types.js';
import { formatAddress } from '../../cryptonote/address.js';
import type { Address } from '../../cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { sweepInputs } from '../../wallet/select/input-selection.js';
import type { SpendableOutput } from '../../wallet/select/spendable-outputs.js';
import type { OwnedOutput } from '../../wallet/model/records.js';
import { CANNOT_PAY_FOR_ITSELF, planSweep } from '../../wallet/select/transfer-plan.js';
import { isUnlocked } from '../../wallet/model/unlock-time.js';
import type { MadePayments, MakingOptions } from './payment-maker.js';
import type { Accounts } from '../accounts/accounts.js';
import type { OutputFreezing } from '../sync/output-freezing.js';
import type { PaymentMaker } from './payment-maker.js';
import type { ConstructionData } from '../../wallet/exchange/construction-data.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'keystore' | 'rng' | 'store'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
  readonly outputFreezing: OutputFreezing;
  readonly payments: PaymentMaker;
  /** Encrypts unsigned transactions for the wallet with the spend key. */
  readonly sealUnsigned: (txs: readonly ConstructionData[]) => Promise<Uint8Array>;
}

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

/** @param text upstream's message for it. */
const failed = (reason: string, text?: string): WalletError =>
  new WalletError({ kind: 'transfer_failed', reason, ...(text === undefined ? {} : { text }) });

/** Payments of all that outputs hold. */
export class Sweeps {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** @throws WalletError `transfer_failed` where nothing fits the order, DaemonError */
  async all(order: SweepOrder): Promise<MadePayments> {
    const { rng } = this.#context;
    const { payments, accounts } = this.#services;
    const address = await accounts.resolve(order.address);
    return this.#sweep(order, order.account, address, () => {
      const purse = payments.builder.purse(order.account, order.minors);
      if (purse.funds(0n).available === 0n)
        throw failed(
          'nothing that was asked for can be spent now',
          order.minors.length === 0
            ? 'No unlocked balance in the specified account'
            : 'No unlocked balance in the specified subaddress(es)',
        );
      const oneAddress = !order.allAddresses && order.minors.length === 0;
      const inputs = sweepInputs(purse, { oneAddress, below: order.below }, rng);
      if (inputs.length === 0)
        throw failed(
          'no output is as small as was asked for',
          'The smallest amount found is not below the specified threshold',
        );
      return inputs;
    });
  }

  /**
   * @param readKeyImage called once the address is known to be one, as upstream refuses a wrong one first.
   * @throws WalletError `key_image_unknown`, `invalid` where the output cannot be spent now, DaemonError
   */
  async single(terms: SweepTerms, readKeyImage: () => KeyImage): Promise<MadePayments> {
    const { outputFreezing, accounts } = this.#services;
    const address = await accounts.resolve(terms.address);
    const keyImage = readKeyImage();
    const { major } = outputFreezing.find(keyImage).subaddress;
    return this.#sweep(terms, major, address, () => {
      const output = outputFreezing.find(keyImage);
      if (!output.rct) throw failed(NOT_SPENT);
      if (!this.#isFree(output))
        throw new WalletError({
          kind: 'invalid',
          reason: 'the output is spent, locked or frozen',
          text: 'No outputs found',
        });
      return [output];
    });
  }

  /**
   * Outputs that no ring can be made for: from before RingCT, of an amount that hardly anybody else was paid.
   * @throws WalletError `transfer_failed` where there are outputs so old, which nothing here can spend.
   */
  async unmixable(): Promise<MadePayments> {
    const old = this.#context.store.read((r) => r.outputs.unspent()).filter(({ rct }) => !rct);
    if (old.some((output) => this.#isFree(output))) throw failed(NOT_SPENT);
    const { isViewOnly } = this.#context.keystore;
    const { sealUnsigned } = this.#services;
    return { payments: [], ...(isViewOnly ? { unsignedSet: await sealUnsigned([]) } : {}) };
  }

  #sweep(
    terms: SweepTerms,
    account: number,
    address: Address,
    inputsOf: () => readonly SpendableOutput[],
  ): Promise<MadePayments> {
    const { rng } = this.#context;
    const { payments } = this.#services;
    const text = formatAddress(address);
    return payments.make({ ...terms, account }, ({ rates, priority }) => {
      const request = { address, text, outputs: terms.outputs, priority };
      const planned = planSweep(request, inputsOf(), rates, rng);
      if (planned.length === 0)
        throw failed('the outputs hold less than the fee of spending them', CANNOT_PAY_FOR_ITSELF);
      return planned;
    });
  }

  #isFree(output: OwnedOutput): boolean {
    const { frozen, spentBy, burnt } = output;
    const unlocked = isUnlocked(output, this.#context.store.height(), this.#context.clock.now());
    return unlocked && !frozen && !burnt && spentBy === undefined;
  }
}
