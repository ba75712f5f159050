import { publicKeyOf, publicKeysOf } from '../../monero/crypto/derivation.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { feePerByte } from '../../monero/wallet/select/fees.js';
import type { Amount } from '../../util/amount.js';
import type { SpendableInput } from '../../monero/wallet/build/construction.js';
import {
  chooseRings,
  decoysOf,
  GammaPicker,
  sparesOf,
  withoutDecoys,
  type Candidate,
  type ChosenRings,
  type OutputDistribution,
  type Ring,
} from '../../monero/wallet/select/decoys.js';
import { WalletError } from '../../model/wallet-error.js';
import { groupAccountOf, spendSecretIn } from '../../monero/wallet/keys.js';
import { planAttempts } from '../../monero/wallet/multisig/attempts.js';
import { ownPartOf } from '../../monero/wallet/multisig/key-image.js';
import type { Proposal } from '../../monero/wallet/multisig/proposal.js';
import type { OwnInput, PricedPlan, SignedTx } from '../../monero/wallet/build/signing.js';
import { PLACEHOLDER_KEY_IMAGE } from '../../monero/wallet/build/placeholder-tx.js';
import type { SpendableOutput } from '../../monero/wallet/select/spendable-outputs.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';
import { assertFee } from './fee-estimator.js';
import { needsMembershipProof } from './fork-guard.js';
import { MultisigProblem, SigningProblem } from '../workers/worker-pools.js';
import type { PricedTask } from '../workers/signing-thread.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'daemon' | 'keystore' | 'rng' | 'store' | 'workers'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
}

/** A plan with the rings of its inputs, from which its transaction is built. */
export type RingedPlan = PaymentPlan & ChosenRings;

/** A built transaction with its plan; unusable decoys in the plan are replaced. */
export interface Built<T> {
  readonly draft: RingedPlan;
  readonly tx: T;
}

type PlanOf<Input> = Omit<PricedPlan, 'inputs'> & { readonly inputs: readonly Input[] };

/**
 * Largest number of inputs whose decoys are checked on the same thread: checking the decoys of four inputs takes 10 ms,
 * while the start of a second thread takes 50 ms of CPU time and 11 MiB.
 */
const FEW_INPUTS = 4;

/** Builds transactions from planned transfers: chooses rings, then signs. Records no payment. */
export class PaymentBuilder {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Reads the distribution of outputs, from which decoys are chosen. @throws DaemonError */
  async outputDistribution(): Promise<OutputDistribution> {
    return this.#context.daemon.outputDistribution();
  }

  /**
   * Chooses the ring of every input.
   * @param distribution distribution of outputs if it was requested already. @throws WalletError, DaemonError
   */
  async draft(
    planned: readonly PaymentPlan<SpendableOutput>[],
    distribution?: Promise<OutputDistribution>,
  ): Promise<RingedPlan[]> {
    for (const { fee } of planned) assertFee(fee);
    const { daemon } = this.#context;
    const picker = new GammaPicker(await (distribution ?? this.outputDistribution()), this.#context.rng);
    const ringed: RingedPlan[] = [];
    for (const plan of planned) {
      const inputs = this.#completeOutputs(plan.inputs);
      const chosen = await chooseRings(inputs, picker, (indices) => daemon.ringOutputs(indices));
      ringed.push({ ...plan, ...chosen, inputs });
    }
    return ringed;
  }

  /** Signs a draft. @throws WalletError `view_only`, `transfer_failed`, `fee_too_high` */
  sign(presumed: RingedPlan): Promise<Built<SignedTx>> {
    return this.#withUsableDecoys(presumed, (draft) =>
      this.#priced(draft, ownInput, async ({ plan, rate, rates }) => {
        const spendSecret = Uint8Array.from(spendSecretIn(this.#context.keystore.keys)) as SecretKey;
        return this.#context.workers.signing.run('build', { plan: { ...plan, spendSecret }, rate, rates }, [
          spendSecret,
        ]);
      }),
    );
  }

  /**
   * Builds the transaction of a draft without a spend key, with placeholders for key images and ring signatures.
   * @throws WalletError `transfer_failed`, `fee_too_high`
   */
  buildUnsigned(presumed: RingedPlan): Promise<Built<SignedTx>> {
    return this.#withUsableDecoys(presumed, (draft) =>
      this.#priced(draft, withoutSecret, (task) => this.#context.workers.signing.run('buildUnsigned', task)),
    );
  }

  /**
   * Creates a multisig transaction, with the partial signatures of this signer.
   * @throws WalletError `multisig_import_needed`, `transfer_failed`, `fee_too_high`
   */
  propose(presumed: RingedPlan): Promise<Built<Proposal>> {
    return this.#withUsableDecoys(presumed, (draft) => this.#propose(draft));
  }

  async #propose(draft: RingedPlan): Promise<Proposal> {
    const account = groupAccountOf(this.#context.keystore.keys);
    const { threshold, commonSecret: viewSecret, shares } = account;
    const infos = this.#context.store.read((r) =>
      draft.inputs.map(({ publicKey }) => r.multisig.infos(publicKey)),
    );
    const attempts = planAttempts(account, publicKeyOf(account.signerSecret), infos);
    const signingKeys = publicKeysOf(shares);
    const { proposal } = await this.#priced(
      draft,
      (output, ring) => inputWithPart(ownPartOf(output, { viewSecret, shares }), output, ring),
      async (task) => {
        try {
          const built = await this.#context.workers.multisig.run('propose', {
            ...task,
            attempts,
            signingKeys,
            threshold,
          });
          return { proposal: built, fee: built.signed.fee };
        } finally {
          for (const { secretKey } of task.plan.inputs) secretKey.fill(0);
        }
      },
    );
    return proposal;
  }

  /**
   * Builds a transaction; if it has many decoys, checks them on a second thread meanwhile. If some decoys are unusable,
   * which is rare, checks all other candidates and builds the transaction again, so that the returned transaction has
   * only usable decoys, and no daemon can make it build more often.
   */
  async #withUsableDecoys<T>(draft: RingedPlan, build: (draft: RingedPlan) => Promise<T>): Promise<Built<T>> {
    const check = (candidates: readonly Candidate[]): Promise<readonly number[]> =>
      this.#context.workers.signing.run('unusableDecoys', candidates);
    const decoys = decoysOf(draft.rings);
    const withOthers = async (unusable: readonly number[]): Promise<Built<T>> => {
      const others = await check(sparesOf(draft));
      const usable = { ...draft, ...withoutDecoys(draft, [...unusable, ...others]) };
      return { draft: usable, tx: await build(usable) };
    };
    if (draft.rings.length <= FEW_INPUTS) {
      const unusable = await check(decoys);
      return unusable.length > 0 ? withOthers(unusable) : { draft, tx: await build(draft) };
    }
    const [tx, unusable] = await Promise.allSettled([build(draft), check(decoys)]);
    if (unusable.status === 'rejected') throw unusable.reason;
    if (unusable.value.length > 0) return withOthers(unusable.value);
    if (tx.status === 'rejected') throw tx.reason;
    return { draft, tx: tx.value };
  }

  /**
   * Reads the complete rows of outputs.
   * @throws WalletError `transfer_failed` if a reorganisation has removed an output, `tx_not_possible` for one in the form of the
   * fork.
   */
  #completeOutputs(inputs: readonly SpendableOutput[]): OwnedOutput[] {
    return this.#context.store.read((r) =>
      inputs.map((input) => {
        const output = r.outputs.byRef(input);
        if (output?.carrot !== undefined) throw needsMembershipProof();
        if (output !== undefined) return output;
        const reason = 'a reorganisation removed an output that it spends from the chain';
        throw new WalletError({ kind: 'transfer_failed', reason });
      }),
    );
  }

  /** Runs a task that determines the fee of a draft, and checks the fee. @throws WalletError `fee_too_high` */
  async #priced<Input, T extends { readonly fee: Amount }>(
    draft: RingedPlan,
    inputOf: (output: OwnedOutput, ring: Ring) => Input,
    build: (task: PricedTask<PlanOf<Input>>) => Promise<T>,
  ): Promise<T> {
    const { prices } = draft;
    const { viewSecret } = this.#context.keystore.keys;
    const task: PricedTask<PlanOf<Input>> = {
      plan: {
        inputs: ringedInputs(draft).map(({ output, ring }) => inputOf(output, ring)),
        payees: draft.payees.map(({ address, amount: value }) => ({ address, amount: value })),
        feeFrom: draft.feeFrom,
        feeAmongAll: draft.feeAmongAll,
        changeSplit: draft.changeSplit,
        changeAddress: this.#services.accounts.decoded({ major: draft.account, minor: 0 }),
        fee: draft.fee,
        unlockTime: draft.unlockTime,
        viewSecret: Uint8Array.from(viewSecret.expose()) as ReturnType<typeof viewSecret.expose>,
      },
      rate: feePerByte(prices.rates, prices.priority),
      rates: prices.rates,
    };
    try {
      const built = await build(task);
      assertFee(built.fee);
      return built;
    } catch (cause) {
      if (!(cause instanceof SigningProblem) && !(cause instanceof MultisigProblem)) throw cause;
      throw new WalletError({ kind: 'transfer_failed', reason: cause.message }, { cause });
    } finally {
      task.plan.viewSecret.fill(0);
    }
  }
}

/** Returns the inputs of a draft, each with its ring. */
export const ringedInputs = ({ inputs, rings }: RingedPlan): { output: OwnedOutput; ring: Ring }[] =>
  inputs.map((output, i) => {
    const ring = rings[i];
    if (ring === undefined) throw new Error('an input without a ring');
    return { output, ring };
  });

/** Returns an input with this wallet's keys. @throws WalletError `view_only` */
function ownInput(output: OwnedOutput, ring: Ring): OwnInput {
  const { keyImage, amount: value, mask, derivationKey, outputIndex, subaddress } = output;
  if (keyImage === undefined) throw new WalletError({ kind: 'view_only' });
  return { ring, keyImage, amount: value, mask, derivationKey, outputIndex, subaddress };
}

/**
 * Returns an input with a share of the output's secret key. @param secretKey this signer's share.
 * @throws WalletError `view_only`
 */
const inputWithPart = (secretKey: SecretKey, output: OwnedOutput, ring: Ring): SpendableInput => ({
  ...ownInput(output, ring),
  secretKey,
});

/** Returns an input without a secret key, which has the weight of a signed input. */
const withoutSecret = (output: OwnedOutput, ring: Ring): SpendableInput => ({
  ring,
  secretKey: new Uint8Array(32) as SecretKey,
  keyImage: PLACEHOLDER_KEY_IMAGE,
  amount: output.amount,
  mask: output.mask,
});
