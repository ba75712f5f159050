import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { ringIndices, transactionHash } from '../../monero/cryptonote/transaction.js';
import type { Address } from '../../monero/cryptonote/types.js';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { CodecError, decode, encode } from '../../util/codec.js';
import {
  signedTxSet,
  unsignedTxSet,
  type SignedTxSet,
  type UnsignedTxSet,
  writeUnsignedTxSet,
} from '../../monero/wallet/exchange/cold-tx-sets.js';
import type { MadePayments } from '../../model/made-payment.js';
import { WalletError } from '../../model/wallet-error.js';
import { spendSecretIn } from '../../monero/wallet/keys.js';
import { wipeDerivations } from '../../monero/wallet/scan/key-images.js';
import {
  isWithheldKey,
  paidAddresses,
  type OfflineSigned,
  type OwnAddress,
} from '../../monero/wallet/exchange/offline-signing.js';
import { keyImagesOf, type PendingTx } from '../../monero/wallet/exchange/pending-tx.js';
import { txOfSigned } from '../../monero/wallet/build/spent-tx.js';
import type { Spender } from '../../model/spender.js';
import {
  paymentOfPending,
  txSecretKeysOf,
  type SignedPayment,
} from '../../monero/wallet/build/signed-payment.js';
import {
  describeTransfers,
  plainPaymentId,
  type TransferDescriptions,
} from '../../monero/wallet/exchange/transfer-description.js';
import { sameAddress } from '../../monero/wallet/select/transfer-request.js';
import { reasonOf } from '../context/fault-reason.js';
import type { ImportedOutputs, OutputTransfer } from './output-transfer.js';
import { assertFee } from '../payments/fee-estimator.js';
import { SigningProblem } from '../workers/worker-pools.js';
import type { Accounts } from '../accounts/accounts.js';
import type { KeyImageTransfer } from './key-image-transfer.js';
import type { OrderEntry } from '../payments/payment-ledger.js';
import type { PaymentMaker } from '../payments/payment-maker.js';
import { isCredentialRefusal } from '../payments/spend-guard.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { ConstructionData } from '../../monero/wallet/exchange/construction-data.js';

type Context = Pick<
  WalletContext,
  'assertOpen' | 'exportFormat' | 'exports' | 'keystore' | 'store' | 'workers'
>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly keyImageTransfer: KeyImageTransfer;
  readonly outputTransfer: OutputTransfer;
  readonly payments: PaymentMaker;
}

/**
 * Result of signing: the set encrypted for the wallet that relays it, and its transactions with their keys for the
 * client.
 */
export interface SignedSet {
  readonly blob: Uint8Array;
  readonly txs: readonly {
    readonly txHash: Hash;
    readonly blob: Uint8Array;
    readonly txSecretKeys: readonly Uint8Array[];
  }[];
}

/** Signs payments of a view-only wallet offline, and relays signed payments from the view-only wallet. */
export class ColdSigning {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Describes the transactions of an unsigned set. @throws WalletError `bad_hex`, `bad_unsigned_set` */
  async describe(hex: string): Promise<TransferDescriptions> {
    const { txs } = await this.#readUnsigned(hex);
    try {
      const { txFacts } = this.#services.payments;
      const data = txs.map((tx) => txFacts.withOwnChange(tx));
      return describeTransfers(data, this.#context.keystore.keys.network);
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      throw new WalletError(
        {
          kind: 'bad_unsigned_set',
          reason: cause.message,
          text: `failed to parse unsigned transfers: ${cause.message}`,
        },
        { cause },
      );
    }
  }

  /**
   * Signs a set without changing it. Writes the transaction keys to disk, and counts the amounts against the limits of
   * the client, before it returns the signed set.
   * @throws WalletError `payments_ended`, `bad_hex`, `bad_unsigned_set`, `signing_failed`, `spend_limit`, `credential_denied`, after
   * which nothing is signed.
   */
  async sign(hex: string, spender: Spender | undefined): Promise<SignedSet> {
    await this.#services.payments.fork.assertPayable();
    const set = await this.#readUnsigned(hex);
    try {
      return await this.#sign(set, spender);
    } catch (cause) {
      if (isCredentialRefusal(cause)) throw cause;
      if (cause instanceof SigningProblem)
        throw new WalletError({ kind: 'signing_failed', reason: cause.message }, { cause });
      throw new WalletError({ kind: 'signing_failed', ...reasonOf(cause) }, { cause });
    }
  }

  /**
   * Records signed transactions as payments of this wallet, and relays them.
   * @throws WalletError `payments_ended`, `bad_hex`, `bad_signed_set`, `submission_failed`
   */
  async submit(hex: string, spender: Spender | undefined, order?: OrderEntry): Promise<MadePayments> {
    await this.#services.payments.fork.assertPayable();
    const set = await this.#readSigned(hex);
    await this.#importKeyImages(set);
    try {
      const payments = set.txs.map((pending) => this.#payment(pending));
      return await this.#services.payments.relaySigned(payments, spender, order);
    } catch (cause) {
      if (isCredentialRefusal(cause)) throw cause;
      throw new WalletError({ kind: 'submission_failed', ...reasonOf(cause) }, { cause });
    }
  }

  /** Signs a set; imports the outputs in the set only if all of its transactions are signed. */
  #sign(set: UnsignedTxSet, spender: Spender | undefined): Promise<SignedSet> {
    const { outputTransfer } = this.#services;
    const { outputs: exported } = set;
    if (exported.outputs.length === 0) return this.#signWith(set, spender);
    if (!outputTransfer.isHot())
      return outputTransfer.importWith(exported, (imported) => this.#signWith(set, spender, imported));
    this.#assertKnown(exported);
    return this.#signWith(set, spender);
  }

  async #signWith(
    { txs, outputs: exported }: UnsignedTxSet,
    spender: Spender | undefined,
    imported?: ImportedOutputs,
  ): Promise<SignedSet> {
    const { store, exports } = this.#context;
    const { keys } = this.#context.keystore;
    const { outputTransfer, accounts } = this.#services;
    const paidTo = new Map(
      imported?.outputs.map(({ publicKey, subaddress }) => [toHex(publicKey), subaddress]),
    );
    const primary = accounts.decoded({ major: 0, minor: 0 });
    const signedTxs: OfflineSigned[] = [];
    for (const data of txs) {
      const located = await outputTransfer.locate(
        data.sources.map(({ ring, realIndex, txPublicKey, additionalTxPublicKeys, outputIndex }) => {
          const publicKey = ring[realIndex]?.publicKey ?? txPublicKey;
          const subaddress = paidTo.get(toHex(publicKey));
          return {
            publicKey,
            outputIndex,
            txPublicKey,
            additionalKeys: additionalTxPublicKeys,
            ...(subaddress === undefined ? {} : { subaddress }),
          };
        }),
      );
      const { viewSecret } = keys;
      let signed: OfflineSigned;
      try {
        signed = await this.#context.workers.signing.run('offline', {
          data,
          located,
          own: this.#ownAmong(paidAddresses(data, keys.network)),
          primary,
          keys: { viewSecret: viewSecret.expose(), spendSecret: spendSecretIn(keys) },
        });
      } finally {
        wipeDerivations(located);
      }
      assertFee(signed.signed.fee);
      signedTxs.push(signed);
    }
    const { spending, txFacts } = this.#services.payments;
    const spent =
      spender === undefined ? [] : signedTxs.map(({ signed }) => txFacts.spentBy(txOfSigned(signed)));
    store.write((w) => {
      imported?.write(w);
      spending.record(w, spender, spent);
      for (const { signed } of signedTxs) w.txKeys.set(signed.hash, txSecretKeysOf(signed));
    });
    const set: SignedTxSet = {
      txs: signedTxs.map(({ pending }) => pending),
      keyImages: await outputTransfer.keyImages(exported),
      ownKeyImages: [
        ...signedTxs.flatMap(({ ownKeyImages }) => ownKeyImages),
        ...outputTransfer.keyImagesByKey(exported),
      ],
    };
    return {
      blob: await exports.seal('signedTxs', encode(signedTxSet, set)),
      txs: signedTxs.map(({ signed }) => ({
        txHash: signed.hash,
        blob: signed.blob,
        txSecretKeys: txSecretKeysOf(signed),
      })),
    };
  }

  /**
   * Checks that this wallet knows all outputs of a set, if it reads the chain itself and so imports no outputs. The
   * order of the outputs may differ after a reorganisation, or if one of the wallets is not synchronised.
   * @throws WalletError `invalid` if an output is unknown.
   */
  #assertKnown({ outputs }: UnsignedTxSet['outputs']): void {
    const isKnown = this.#context.store.read((r) =>
      outputs.every(({ publicKey }) => r.outputs.byPublicKey(publicKey) !== undefined),
    );
    if (!isKnown)
      throw new WalletError({
        kind: 'invalid',
        reason: 'this wallet reads the chain itself, and its outputs differ from those in the set',
      });
  }

  #ownAmong(addresses: readonly Address[]): OwnAddress[] {
    const { store } = this.#context;
    const { accounts } = this.#services;
    return addresses.flatMap((address) => {
      const index = store.read((r) => r.subaddresses.find(address.spendPublicKey));
      if (index === undefined) return [];
      const own = accounts.decoded(index);
      return sameAddress(own, address) ? [{ address: own, index }] : [];
    });
  }

  async #readUnsigned(hex: string): Promise<UnsignedTxSet> {
    if (!isHex(hex)) throw new WalletError({ kind: 'bad_hex', what: 'unsigned_txset' });
    try {
      const plain = await this.#context.exports.open('unsignedTxs', fromHex(hex));
      return decode(unsignedTxSet(this.#context.exportFormat), plain);
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      throw new WalletError(
        { kind: 'bad_unsigned_set', reason: 'this is not a set of unsigned transactions of this wallet' },
        { cause },
      );
    }
  }

  async #readSigned(hex: string): Promise<SignedTxSet> {
    if (!isHex(hex)) throw new WalletError({ kind: 'bad_hex', what: 'tx_data_hex' });
    try {
      return decode(signedTxSet, await this.#context.exports.open('signedTxs', fromHex(hex)));
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      throw new WalletError(
        { kind: 'bad_signed_set', reason: 'this is not a set of signed transactions of this wallet' },
        { cause },
      );
    }
  }

  /**
   * Imports the signer's key images of inputs, of payments to this wallet, and of exported outputs, each by its output
   * key. Ignores the set's list in the order of the signer's outputs, because their order may differ from the order in
   * this wallet.
   */
  async #importKeyImages({ txs, ownKeyImages }: SignedTxSet): Promise<void> {
    if (!this.#context.keystore.isViewOnly) return;
    await this.#services.keyImageTransfer.record(
      [...ownKeyImages, ...txs.flatMap(spentPairs)].map(([publicKey, keyImage]) => ({
        ...{ publicKey, keyImage },
        proven: false,
      })),
    );
  }

  /**
   * Converts a signed transaction to a payment of this wallet.
   * @throws WalletError `submission_failed` for a transaction that does not fit this wallet.
   */
  #payment(pending: PendingTx): SignedPayment {
    const { store } = this.#context;
    const { keys } = this.#context.keystore;
    const inputs = store.read((r) =>
      keyImagesOf(pending.tx).flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []),
    );
    try {
      const payment = paymentOfPending(pending, inputs, keys.network);
      const { txFacts } = this.#services.payments;
      return isWithheldKey(pending.txSecretKey)
        ? txFacts.submitted(withoutKeys(payment, pending))
        : txFacts.proven(payment);
    } catch (cause) {
      if (!(cause instanceof CodecError) && !(cause instanceof RangeError)) throw cause;
      const reason = `${toHex(transactionHash(pending.tx))} does not fit this wallet: ${cause.message}`;
      throw new WalletError({ kind: 'submission_failed', reason }, { cause });
    }
  }
}

/**
 * Removes the placeholder that stands for a withheld tx key. Takes the payment id from the construction data, since the
 * payment id in the payment was decrypted with the placeholder.
 */
function withoutKeys(payment: SignedPayment, { construction }: PendingTx): SignedPayment {
  const { blob, txHash, account, inputs, fee, change, unlockTime, destinations, rings } = payment;
  const id = plainPaymentId(construction.extra);
  return {
    ...{ blob, txHash, account, inputs, fee, change, unlockTime, destinations },
    ...(id === undefined ? {} : { paymentId: id.id }),
    ...(rings === undefined ? {} : { rings }),
    txSecretKeys: [],
  };
}

type Pair = readonly [PublicKey, KeyImage];

/** Returns the output key and the key image of each input; omits sources that are not in the order of the inputs. */
function spentPairs({ tx, construction }: PendingTx): Pair[] {
  return tx.prefix.inputs.flatMap((input, i): Pair[] => {
    const source = construction.sources[i];
    if (input.type !== 'key' || source === undefined) return [];
    const members = ringIndices(input.keyOffsets);
    const isSameRing =
      members.length === source.ring.length &&
      source.ring.every(({ globalIndex }, j) => members[j] === BigInt(globalIndex));
    const real = source.ring[source.realIndex];
    return isSameRing && real !== undefined ? [[real.publicKey, input.keyImage]] : [];
  });
}

/**
 * Encrypts unsigned transactions, with the outputs that the signing wallet needs, for the wallet with the spend key.
 */
export async function sealUnsigned(
  { exports, exportFormat }: Pick<WalletContext, 'exports' | 'exportFormat'>,
  outputTransfer: Pick<OutputTransfer, 'forSigner'>,
  txs: readonly ConstructionData[],
): Promise<Uint8Array> {
  const outputs = await outputTransfer.forSigner();
  return exports.seal('unsignedTxs', writeUnsignedTxSet(exportFormat, txs, outputs));
}
