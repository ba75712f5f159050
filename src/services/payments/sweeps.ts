import type { KeyImage } from '../../monero/crypto/types.js';
import type { FeeRates } from '../../monero/wallet/select/fees.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import type { Address } from '../../monero/cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import type { MadePayments } from '../../model/made-payment.js';
import { WalletError } from '../../model/wallet-error.js';
import type { SpendableOutput } from '../../monero/wallet/select/spendable-outputs.js';
import { CANNOT_PAY_FOR_ITSELF, planSweep } from '../../monero/wallet/select/sweep-plan.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';
import type { SweepRequest as SweepDestination } from '../../monero/wallet/select/transfer-request.js';
import { assertReplaces, isSpendableNow, type FailedPayment } from './failed-payment.js';
import type { OrderEntry } from './payment-ledger.js';
import type { PaymentOptions, PaymentMaker } from './payment-maker.js';
import type { Accounts } from '../accounts/accounts.js';
import type { OutputFreezing } from '../sync/output-freezing.js';
import { needsMembershipProof } from './fork-guard.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'keystore' | 'rng' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly outputFreezing: OutputFreezing;
  readonly payments: PaymentMaker;
}

/** Destination and options of a sweep. */
export interface SweepTerms extends Omit<PaymentOptions, 'account'> {
  readonly address: string;
  /** Number of outputs to the address in each transaction. */
  readonly outputs: number;
}

/** Request to send all outputs of an account, or some of them, to one address. */
export interface SweepRequest extends SweepTerms {
  readonly account: number;
  /** Minor indices of the swept addresses; empty, without `allAddresses`: one address chosen at random. */
  readonly minors: readonly number[];
  readonly allAddresses: boolean;
  /** Amount below which outputs are swept [atomic units]; 0: all outputs. */
  readonly below: Amount;
}

type Planned = readonly PaymentPlan<SpendableOutput>[];

/** Creates the error of a sweep of outputs from before RingCT. */
const notSpendable = (): WalletError =>
  new WalletError({
    kind: 'transfer_failed',
    reason: 'outputs from before RingCT cannot be spent with this server',
  });

/** Makes payments that send whole outputs to one address. */
export class Sweeps {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Sweeps the outputs of an account. @throws WalletError `transfer_failed` if no output matches the request,
   * DaemonError
   */
  async all(request: SweepRequest): Promise<MadePayments> {
    const { account, allAddresses, below, minors } = request;
    const { payments, accounts } = this.#services;
    const address = await accounts.resolve(request.address);
    const filter = { oneAddress: !allAddresses && minors.length === 0, below };
    return this.#sweep(request, account, address, (sweep, rates) =>
      payments.planner.plan({ account, minors }, { kind: 'sweep', sweep, filter }, rates),
    );
  }

  /**
   * Joins outputs of an account below an amount, as many as one transaction can spend, and returns them to the account.
   * @throws as {@link all}.
   */
  join(account: number, below: Amount, terms: Omit<SweepTerms, 'address'>): Promise<MadePayments> {
    const { payments, accounts } = this.#services;
    const filter = { oneAddress: false, below };
    const address = accounts.decoded({ major: account, minor: 0 });
    return this.#sweep({ ...terms, address: '' }, account, address, async (sweep, rates) => {
      const planned = await payments.planner.plan(
        { account, minors: [] },
        { kind: 'sweep', sweep, filter },
        rates,
      );
      return planned.slice(0, 1);
    });
  }

  /**
   * Sweeps one output.
   * @param readKeyImage returns the output's key image; called after the address is checked, as in the reference.
   * @throws WalletError `key_image_unknown`, `invalid` if the output cannot be spent now, DaemonError
   */
  async single(terms: SweepTerms, readKeyImage: () => KeyImage): Promise<MadePayments> {
    const { outputFreezing, accounts } = this.#services;
    const address = await accounts.resolve(terms.address);
    const keyImage = readKeyImage();
    const { major } = outputFreezing.find(keyImage).subaddress;
    return this.#sweepOutputs(terms, major, address, () => {
      const output = outputFreezing.find(keyImage);
      if (!output.rct) throw notSpendable();
      if (output.carrot !== undefined) throw needsMembershipProof();
      if (!isSpendableNow(this.#context, output))
        throw new WalletError({
          kind: 'invalid',
          reason: 'the output is spent, locked or frozen',
          text: 'No outputs found',
        });
      return [output];
    });
  }

  /** Sweeps the inputs of a failed sweep to its address again. @throws WalletError, DaemonError */
  async again(terms: SweepTerms, failed: FailedPayment): Promise<MadePayments> {
    const [destination] = failed.destinations;
    const account = failed.sweptInputs()[0]?.subaddress.major;
    if (destination === undefined || account === undefined) throw new Error('a sweep without a destination');
    const address = await this.#services.accounts.resolve(destination.address);
    const outputs = failed.destinations.length;
    return this.#sweepOutputs({ ...terms, outputs }, account, address, () => failed.sweptInputs(), failed);
  }

  /**
   * Sweeps outputs that cannot have a ring: outputs from before RingCT of an amount that too few other outputs have.
   * Makes no payment.
   * @throws WalletError `transfer_failed` if the wallet has outputs from before RingCT, which it cannot spend.
   */
  async unmixable(order?: OrderEntry): Promise<MadePayments> {
    const old = this.#context.store.read((r) => r.outputs.unspentPlain());
    if (old.some((output) => isSpendableNow(this.#context, output))) throw notSpendable();
    return this.#services.payments.makeNone(order);
  }

  /** Sweeps the given outputs. */
  #sweepOutputs(
    terms: SweepTerms,
    account: number,
    address: Address,
    inputs: () => readonly SpendableOutput[],
    failed?: FailedPayment,
  ): Promise<MadePayments> {
    const { rng, store } = this.#context;
    return this.#sweep(terms, account, address, (sweep, rates) => {
      const planned = store.read(() => planSweep(sweep, inputs(), rates, rng));
      if (failed !== undefined && planned.length > 0) assertReplaces(failed, planned);
      return planned;
    });
  }

  #sweep(
    terms: SweepTerms,
    account: number,
    address: Address,
    plan: (sweep: SweepDestination, rates: FeeRates) => Planned | Promise<Planned>,
  ): Promise<MadePayments> {
    const text = formatAddress(address);
    return this.#services.payments.make({ ...terms, account, isAlone: true }, async ({ rates, priority }) => {
      const { outputs, unlockTime } = terms;
      const planned = await plan({ address, text, account, outputs, unlockTime, priority }, rates);
      if (planned.length === 0)
        throw new WalletError({
          kind: 'transfer_failed',
          reason: 'the outputs are worth less than the fee to spend them',
          text: CANNOT_PAY_FOR_ITSELF,
        });
      return planned;
    });
  }
}
