import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { keccak } from '../../monero/crypto/keccak.js';
import type { Hash, PublicKey } from '../../monero/crypto/types.js';
import { transactionWeight } from '../../monero/cryptonote/transaction.js';
import type { SignedAnswer } from '../../store/tables/multisig.js';
import { amount, sum, ZERO } from '../../util/amount.js';
import { equalBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { CodecError, decode, encode } from '../../util/codec.js';
import type { MadePayments } from '../../model/made-payment.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import { groupAccountOf } from '../../monero/wallet/keys.js';
import type { GroupState, MultisigAccount } from '../../monero/wallet/multisig/account.js';
import type { Cosigned, CosigningRequest } from '../../monero/wallet/multisig/cosigning.js';
import { sortedSources, multisigTxSet, type MultisigTxSet } from '../../monero/wallet/multisig/tx-set.js';
import { recordedKeyImage, type PendingTx } from '../../monero/wallet/exchange/pending-tx.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { txOfPending, type SpentTx } from '../../monero/wallet/build/spent-tx.js';
import type { Spender } from '../../model/spender.js';
import {
  paymentOfPending,
  txSecretKeysOf,
  type SignedPayment,
} from '../../monero/wallet/build/signed-payment.js';
import {
  describeTransfers,
  type TransferDescriptions,
} from '../../monero/wallet/exchange/transfer-description.js';
import { reasonOf } from '../context/fault-reason.js';
import { MultisigProblem } from '../workers/worker-pools.js';
import { assertFee } from '../payments/fee-estimator.js';
import type { Accounts } from '../accounts/accounts.js';
import type { OrderEntry } from '../payments/payment-ledger.js';
import type { PaymentMaker } from '../payments/payment-maker.js';
import { isCredentialRefusal } from '../payments/spend-guard.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'exports' | 'keystore' | 'locks' | 'log' | 'store' | 'workers'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly payments: PaymentMaker;
}

const failed = (reason: string, cause?: unknown): WalletError =>
  new WalletError({ kind: 'multisig_signing_failed', reason }, { cause });

const isAmong = (keys: readonly Uint8Array[], key: Uint8Array): boolean =>
  keys.some((other) => equalBytes(other, key));

/** Signs and submits multisig transactions proposed by another signer. */
export class MultisigSigning {
  readonly #context: Context;
  readonly #services: Services;
  /** Hashes of the sets that were signed since the wallet was opened [hex]. */
  readonly #answered = new Set<string>();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Describes the transactions of a multisig set. @returns `weights`: weights of the transactions, in their order.
   * @throws WalletError `bad_hex`, `bad_multisig_set`
   */
  async describe(hex: string): Promise<TransferDescriptions & { readonly weights: readonly number[] }> {
    const { txs } = await this.#read(hex, 'multisig_txset');
    try {
      const { txFacts } = this.#services.payments;
      const data = txs.map(({ construction }) => txFacts.withOwnChange(construction));
      const weights = txs.map(({ tx }) => transactionWeight(tx));
      return { ...describeTransfers(data, this.#context.keystore.keys.network), weights };
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      throw new WalletError(
        {
          kind: 'bad_multisig_set',
          reason: cause.message,
          text: `failed to parse multisig transfers: ${cause.message}`,
        },
        { cause },
      );
    }
  }

  /**
   * Signs all transactions of a set. Before it returns, one store transaction records the answer, erases the nonces,
   * and counts the amounts against the limits of the client. A set is signed only once: after the wallet was opened
   * again, the recorded answer is returned again.
   * @throws WalletError `payments_ended`, `bad_hex`, `bad_multisig_set`, `multisig_signing_failed`, `multisig_export_needed`,
   * `spend_limit`, `credential_denied`, after which nothing is changed.
   */
  async sign(hex: string, spender: Spender | undefined): Promise<SignedAnswer> {
    await this.#services.payments.fork.assertPayable();
    const set = await this.#read(hex, 'tx_data_hex');
    const request = keccak(fromHex(hex));
    return this.#context.locks.payment.run(async () => {
      const name = toHex(request);
      if (this.#answered.has(name))
        throw failed('this wallet has signed them already and returned its answer');
      const known = this.#context.store.read((r) => r.multisig.answerTo(request));
      const answer = known ?? (await this.#answer(set, request, spender));
      // The set may have been signed for another client: its amounts then also count against the limits of this client.
      if (known !== undefined) {
        const again = this.#spentBy(spender, set.txs);
        this.#context.store.write((w) => this.#services.payments.spending.record(w, spender, again));
      }
      this.#answered.add(name);
      return answer;
    });
  }

  /**
   * Records fully signed transactions as payments of this wallet, and relays them.
   * @throws WalletError `payments_ended`, `bad_hex`, `bad_multisig_set`, `too_few_signers`, `multisig_submission_failed`
   */
  async submit(hex: string, spender: Spender | undefined, order?: OrderEntry): Promise<MadePayments> {
    await this.#services.payments.fork.assertPayable();
    const { threshold } = groupAccountOf(this.#context.keystore.keys);
    const { txs, signers } = await this.#read(hex, 'tx_data_hex');
    if (signers.length < threshold)
      throw new WalletError({ kind: 'too_few_signers', needed: threshold, given: signers.length });
    try {
      const payments = txs.map((pending) => this.#payment(pending));
      const made = await this.#services.payments.relaySigned(payments, spender, order);
      this.#eraseNonces(txs);
      return made;
    } catch (cause) {
      if (isCredentialRefusal(cause)) throw cause;
      throw new WalletError({ kind: 'multisig_submission_failed', ...reasonOf(cause) }, { cause });
    }
  }

  /** Erases the nonces of relayed payments. A failure is only logged, since the payments are relayed already. */
  #eraseNonces(txs: MultisigTxSet['txs']): void {
    const { store, log } = this.#context;
    try {
      store.write((w) => w.multisig.eraseNonces(txs.flatMap(spentKeys)));
    } catch (error) {
      log.error({ err: error }, 'payments were relayed; the nonces of their inputs could not be erased');
    }
  }

  /**
   * Returns the amounts that count against the limits of a client.
   * @param txs transactions verified to pay the destinations in their construction data.
   */
  #spentBy(
    spender: Spender | undefined,
    txs: readonly PendingTx[],
    hashes: readonly (Hash | undefined)[] = [],
  ): SpentTx[] {
    if (spender === undefined) return [];
    const { network } = this.#context.keystore.keys;
    return txs.map((pending, i) => {
      const inputs = this.#spentOutputs(pending);
      const amountIn = sum(inputs.map((input) => input.amount));
      return this.#services.payments.txFacts.spentBy(txOfPending(pending, network, amountIn, hashes[i]));
    });
  }

  async #answer(set: MultisigTxSet, request: Hash, spender: Spender | undefined): Promise<SignedAnswer> {
    const { store, exports } = this.#context;
    const { keys } = this.#context.keystore;
    const account = groupAccountOf(keys);
    const signer = publicKeyOf(account.signerSecret);
    assertSignable(set, account, signer);
    const spent = set.txs.map((pending) => this.#inputsOf(pending));
    const names = spent.flat().map(({ publicKey }) => publicKey);
    // Nonces are read from the store once for each output, because two transactions that spend the same output would
    // use a nonce twice.
    if (new Set(names.map(toHex)).size !== names.length) throw failed('they spend an output twice');
    const nonces = store.read((r) =>
      spent.map((outputs) => outputs.map(({ publicKey }) => r.multisig.nonces(publicKey))),
    );
    const signed: Cosigned[] = [];
    for (const [i, pending] of set.txs.entries())
      signed.push(await this.#cosign(pending, set.signers, nonces[i] ?? [], account));
    const next: MultisigTxSet = {
      txs: signed.map(({ pending }) => pending),
      signers: [...set.signers, signer],
    };
    const answer: SignedAnswer = {
      set: await exports.seal('multisigTxs', encode(multisigTxSet, next)),
      txHashes: signed.flatMap(({ txHash }) => txHash ?? []),
    };
    const counted = this.#spentBy(
      spender,
      signed.map(({ pending }) => pending),
      signed.map(({ txHash }) => txHash),
    );
    store.write((w) => {
      if (w.multisig.eraseNonces(names) !== nonces.flat(2).length)
        throw new Error('the erased nonces differ from those used for signing');
      w.multisig.recordAnswer(request, answer);
      this.#services.payments.spending.record(w, spender, counted);
      for (const { txHash, pending } of signed)
        if (txHash !== undefined) w.txKeys.set(txHash, txSecretKeysOf(pending));
    });
    for (const nonce of nonces.flat(2)) nonce.fill(0);
    return answer;
  }

  async #cosign(
    pending: PendingTx,
    signers: readonly PublicKey[],
    nonces: CosigningRequest['nonces'],
    { threshold, signerSecret, commonSecret: viewSecret, shares }: MultisigAccount,
  ): Promise<Cosigned> {
    const { keys } = this.#context.keystore;
    const { accounts } = this.#services;
    const changeAddress = accounts.decoded({ major: pending.construction.account, minor: 0 });
    try {
      assertFee(amount(pending.tx.rct?.base.fee ?? ZERO));
      return await this.#context.workers.multisig.run('cosign', {
        pending,
        signers,
        threshold,
        signer: publicKeyOf(signerSecret),
        shares,
        keys: { network: keys.network, viewSecret, changeAddress },
        nonces,
      });
    } catch (cause) {
      if (cause instanceof MultisigProblem) throw failed(cause.message, cause);
      if (faultOf(cause)?.kind === 'multisig_export_needed') throw cause;
      throw new WalletError({ kind: 'multisig_signing_failed', ...reasonOf(cause) }, { cause });
    }
  }

  /**
   * Lists the own outputs that a transaction spends, in the order of its inputs.
   * @throws WalletError `multisig_signing_failed` if an output is unknown.
   */
  #inputsOf({ construction }: PendingTx): OwnedOutput[] {
    return sortedSources(construction.sources).map((source) => {
      const publicKey = source.ring[source.realIndex]?.publicKey;
      const output = publicKey && this.#context.store.read((r) => r.outputs.byPublicKey(publicKey));
      if (output === undefined) throw failed('they spend an output unknown to this wallet: refresh it');
      const { keyImage, frozen, spentHeight } = output;
      if (keyImage !== undefined && !equalBytes(keyImage, recordedKeyImage(source)))
        throw failed('they have a wrong key image for an output');
      if (frozen) throw failed('they spend a frozen output');
      if (spentHeight !== undefined) throw failed('they spend an output that is spent already');
      return output;
    });
  }

  /** Lists the known outputs of this wallet that a transaction spends. */
  #spentOutputs(pending: PendingTx): OwnedOutput[] {
    return this.#context.store.read((r) =>
      spentKeys(pending).flatMap((publicKey) => r.outputs.byPublicKey(publicKey) ?? []),
    );
  }

  /**
   * Converts a signed transaction to a payment of this wallet.
   * @throws WalletError `multisig_submission_failed` for a transaction that does not fit this wallet.
   */
  #payment(pending: PendingTx): SignedPayment {
    const inputs = this.#spentOutputs(pending);
    try {
      const payment = paymentOfPending(pending, inputs, this.#context.keystore.keys.network);
      return this.#services.payments.txFacts.proven(payment);
    } catch (cause) {
      if (!(cause instanceof CodecError) && !(cause instanceof RangeError)) throw cause;
      const reason = `they do not fit this wallet: ${cause.message}`;
      throw new WalletError({ kind: 'multisig_submission_failed', reason }, { cause });
    }
  }

  async #read(hex: string, what: string): Promise<MultisigTxSet> {
    if (!isHex(hex)) throw new WalletError({ kind: 'bad_hex', what });
    try {
      const set = decode(multisigTxSet, await this.#context.exports.open('multisigTxs', fromHex(hex)));
      const known = this.#context.store.read((r) => r.outputs.count());
      const places = set.txs.flatMap((tx) => [...tx.selectedTransfers, ...tx.construction.selectedTransfers]);
      if (places.some((place) => place >= known)) throw new CodecError('it spends unknown outputs');
      return set;
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      throw new WalletError(
        {
          kind: 'bad_multisig_set',
          reason: `this is not a set of multisig transactions of this wallet: ${cause.message}`,
        },
        { cause },
      );
    }
  }
}

/**
 * Checks that this wallet can add a signature.
 * @throws WalletError `multisig_signing_failed` Source: wallet2.cpp `sign_multisig_tx`.
 */
function assertSignable({ txs, signers }: MultisigTxSet, group: GroupState, signer: PublicKey): void {
  if (txs.length === 0) throw failed('there are none');
  if (signers.length === 0) throw failed('they lack the signature of their proposer');
  if (isAmong(signers, signer)) throw failed('this wallet has signed them already');
  if (signers.length >= group.threshold) throw failed('enough signers have signed them: submit them');
  if (
    new Set(signers.map(toHex)).size !== signers.length ||
    !signers.every((one) => isAmong(group.signers, one))
  )
    throw failed('a signer of them is not a member of this wallet, or signed twice');
}

/** Lists the public keys of the outputs that a transaction spends, in the order of its inputs. */
export const spentKeys = ({ construction }: PendingTx): PublicKey[] =>
  sortedSources(construction.sources).flatMap(({ ring, realIndex }) => ring[realIndex]?.publicKey ?? []);

/**
 * Encrypts proposed transactions for the other signers, and erases this signer's nonces of the spent outputs, so that
 * no other transaction is signed with them. To be called under the payment lock.
 */
export async function sealMultisig(
  { exports, keystore, store }: Pick<WalletContext, 'exports' | 'keystore' | 'store'>,
  txs: readonly PendingTx[],
): Promise<Uint8Array> {
  const signers = [publicKeyOf(groupAccountOf(keystore.keys).signerSecret)];
  const set = await exports.seal('multisigTxs', encode(multisigTxSet, { txs, signers }));
  store.write((w) => w.multisig.eraseNonces(txs.flatMap(spentKeys)));
  return set;
}
