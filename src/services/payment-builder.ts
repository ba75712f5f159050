import { keyDerivation } from '../crypto/derivation.js';
import { feePerByte } from '../cryptonote/fees.js';
import { amount, sum, type Amount } from '../util/amount.js';
import { WorkerPool } from '../util/worker-pool.js';
import type { SpendableInput } from '../wallet/construction.js';
import { chooseRings, GammaPicker, type Ring } from '../wallet/decoys.js';
import { WalletError } from '../wallet/fault.js';
import { outputSecretKey } from '../wallet/receive.js';
import type { OwnedOutput } from '../wallet/records.js';
import type { SignedTx } from '../wallet/signing.js';
import type { FundedTransfer } from '../wallet/transfer-plan.js';
import { isUnlocked } from '../wallet/unlock.js';
import type { Prices } from './fee-market.js';
import type { SigningAnswer, SigningTask } from './signing-thread.js';
import type { WalletSession } from './wallet-session.js';

/** What all transactions of one payment share. */
export interface PaymentTerms {
  readonly account: number;
  readonly unlockTime: bigint;
}

/** An account's outputs as a payment sees them. */
export interface Funds {
  /** Spendable now. */
  readonly free: readonly OwnedOutput[];
  /** What will be spendable later. */
  readonly locked: Amount;
}

/** One transaction with its rings: all that can be settled without a spend key. */
export interface PaymentDraft {
  readonly share: FundedTransfer;
  /** One an input of the share. */
  readonly rings: readonly Ring[];
  readonly terms: PaymentTerms;
  readonly prices: Prices;
}

/** No transaction pays a fee above a coin: the heaviest at the fastest rate stays below. */
const FEE_CEILING = amount(1_000_000_000_000n);

/** Threads that prove and sign, shared by all wallets. */
const signers = new WorkerPool<SigningTask, SigningAnswer>(
  new URL('./signing-thread.js', import.meta.url),
  2,
);

/** Takes a payment from prices and outputs to signed transactions. Nothing is recorded here. */
export class PaymentBuilder {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** @param minors empty: every address of the account. */
  funds(account: number, minors: readonly number[]): Funds {
    const { file } = this.#session;
    const height = this.#session.height();
    const now = this.#session.now();
    const held = file
      .read((r) => r.outputs.unspent(account, minors.length === 0 ? undefined : minors))
      .filter(({ frozen, keyImage }) => !frozen && (this.#session.isViewOnly || keyImage !== undefined));
    const free = held.filter((output) => isUnlocked(output, height, now));
    const total = (outputs: readonly OwnedOutput[]): Amount => sum(outputs.map((output) => output.amount));
    return { free, locked: amount(total(held) - total(free)) };
  }

  /** Gives every input its ring. @throws WalletError, DaemonError */
  async draft(
    planned: readonly FundedTransfer[],
    terms: PaymentTerms,
    prices: Prices,
  ): Promise<PaymentDraft[]> {
    for (const { fee } of planned) assertFee(fee);
    const daemon = this.#session.link.daemon();
    const picker = new GammaPicker(await daemon.getOutputDistribution(), this.#session.link.rng);
    const drafts: PaymentDraft[] = [];
    for (const share of planned) {
      const rings = await chooseRings(share.inputs, picker, (indices) => daemon.getOutputs(indices));
      drafts.push({ share, rings, terms, prices });
    }
    return drafts;
  }

  /** @throws WalletError `view_only`, `transfer_failed`, `fee_too_high` */
  async sign({ share, rings, terms, prices }: PaymentDraft): Promise<SignedTx> {
    const { viewSecret } = this.#session.keys;
    const task: SigningTask = {
      plan: {
        inputs: share.inputs.map((output, i) => this.#spendable(output, rings[i])),
        payees: share.payees.map(({ address, amount: value }) => ({ address, amount: value })),
        feeFrom: share.feeFrom,
        changeAddress: this.#session.accounts.decoded({ major: terms.account, minor: 0 }),
        fee: share.fee,
        unlockTime: terms.unlockTime,
        viewSecret: Uint8Array.from(viewSecret.expose()) as ReturnType<typeof viewSecret.expose>,
      },
      rate: feePerByte(prices.rates, prices.priority),
      rates: prices.rates,
    };
    const answer = await signers.run(task);
    for (const { secretKey } of task.plan.inputs) secretKey.fill(0);
    task.plan.viewSecret.fill(0);
    if ('problem' in answer) throw new WalletError({ kind: 'transfer_failed', reason: answer.problem });
    assertFee(answer.signed.fee);
    return answer.signed;
  }

  #spendable(output: OwnedOutput, ring: Ring | undefined): SpendableInput {
    const { viewSecret, spendSecret } = this.#session.keys;
    if (spendSecret === undefined || output.keyImage === undefined || ring === undefined)
      throw new WalletError({ kind: 'view_only' });
    const keys = { viewSecret: viewSecret.expose(), spendSecret: spendSecret.expose() };
    const derivation = keyDerivation(output.derivationKey, keys.viewSecret);
    return {
      ring,
      secretKey: outputSecretKey(keys, derivation, output.outputIndex, output.subaddress),
      keyImage: output.keyImage,
      amount: output.amount,
      mask: output.mask,
    };
  }
}

/** @throws WalletError `fee_too_high` */
export function assertFee(fee: Amount): void {
  if (fee > FEE_CEILING) throw new WalletError({ kind: 'fee_too_high', fee, ceiling: FEE_CEILING });
}
