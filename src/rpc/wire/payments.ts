import * as wire from '../../http/methods/wire.js';
import { sum, type Amount } from '../../util/amount.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import { PLACEHOLDER_KEY_IMAGE } from '../../monero/wallet/build/placeholder-tx.js';
import type { MadePayment, MadePayments, MadeTx } from '../../model/made-payment.js';
import { WalletError } from '../../model/wallet-error.js';
import type * as z from 'zod';
import type { Spender } from '../../model/spender.js';
import { atomic, flag, text, u32, u64 } from '../../http/methods/params.js';

/** Optional fields of the result that the client has requested. */
interface ResultFields {
  readonly keys: boolean;
  readonly blobs: boolean;
  readonly metadata: boolean;
}

const amountsOf = ({ destinations }: MadePayment): Amount[] => destinations.map(({ amount }) => amount);
/**
 * Returns the transaction that a client receives. For a transaction that another wallet signs, a repeated answer
 * contains the same placeholders as the first answer.
 */
const txOf = ({ signed, unsigned }: MadePayment): MadeTx | undefined => unsigned ?? signed;
const hashHex = (payment: MadePayment): string => toHex(txOf(payment)?.txHash ?? new Uint8Array());
const keysHex = ({ txSecretKeys }: MadePayment): string => toHex(concatBytes(...txSecretKeys));
const blobHex = (payment: MadePayment): string => toHex(txOf(payment)?.blob ?? new Uint8Array());
const metadataHex = (payment: MadePayment): string => toHex(txOf(payment)?.metadata ?? new Uint8Array());
const imagesShape = ({ keyImages, inputKeys, unsigned }: MadePayment) => ({
  key_images: (unsigned === undefined ? keyImages : inputKeys.map(() => PLACEHOLDER_KEY_IMAGE)).map(toHex),
});

const setHex = (set: Uint8Array | undefined): string => toHex(set ?? new Uint8Array());

const keyImages = () =>
  wire.object(
    {
      key_images: wire.list(
        wire.hash('Key image; 0100…00 of a wallet that cannot sign'),
        'Key images of the inputs',
      ),
    },
    'Inputs spent',
  );
const amountsByDest = () =>
  wire.object({ amounts: wire.list(wire.amount('Amount'), 'Amounts of the destinations') }, 'Amounts paid');
const txBlob = () => wire.hex('Transaction, if requested; not signed if the wallet cannot sign');
const txKey = () => wire.hex('Secret key of the transaction, then the additional ones, if requested');
const txMetadata = () => wire.hex('Transaction for relay_tx, if requested');

const multisigSet = () => wire.hex('Set for the other signers of a multisig wallet; empty otherwise');
const unsignedSet = () => wire.hex('Set for the offline wallet of a view-only wallet; empty otherwise');

/** Schema of {@link paymentShape}. */
export const paymentSchema = () =>
  wire.object({
    amount: wire.amount('Sum of the payments, without change and fee'),
    amounts_by_dest: amountsByDest(),
    fee: wire.amount('Fee'),
    multisig_txset: multisigSet(),
    spent_key_images: keyImages(),
    tx_blob: txBlob(),
    tx_hash: wire.hex('Transaction hash; empty if other signers have to sign'),
    tx_key: txKey(),
    tx_metadata: txMetadata(),
    unsigned_txset: unsignedSet(),
    weight: wire.uint('Weight of the transaction'),
  });

/** Schema of {@link paymentsShape}. */
export const paymentsSchema = () =>
  wire.object({
    amount_list: wire.list(
      wire.amount('Sum of the payments of a transaction, without change and fee'),
      'Amounts of the transactions',
    ),
    amounts_by_dest_list: wire.list(amountsByDest(), 'Amounts paid by each transaction'),
    fee_list: wire.list(wire.amount('Fee'), 'Fees of the transactions'),
    multisig_txset: multisigSet(),
    spent_key_images_list: wire.list(keyImages(), 'Inputs of each transaction'),
    tx_blob_list: wire.list(txBlob(), 'Signed transactions, if requested'),
    tx_hash_list: wire.list(
      wire.hash('Transaction hash'),
      'Hashes of the transactions; none if other signers have to sign',
    ),
    tx_key_list: wire.list(txKey(), 'Secret keys of the transactions, if requested'),
    tx_metadata_list: wire.list(txMetadata(), 'Transactions for relay_tx, if requested'),
    unsigned_txset: unsignedSet(),
    weight_list: wire.list(wire.uint('Weight'), 'Weights of the transactions'),
  });

/** Schema of {@link hashesShape}. */
export const hashesSchema = () =>
  wire.object({ tx_hash_list: wire.list(wire.hash('Transaction hash'), 'Hashes of the transactions') });

/**
 * Returns the result of a method that makes one transaction. Fields of the signed transaction are empty if other
 * signers must sign it.
 */
export function paymentShape(made: MadePayments, fields: ResultFields) {
  const [payment] = made.payments;
  if (payment === undefined)
    throw new WalletError({
      kind: 'tx_not_possible',
      reason: 'no transaction could be made',
      text: 'No transaction created',
    });
  return {
    amount: sum(amountsOf(payment)),
    amounts_by_dest: { amounts: amountsOf(payment) },
    fee: payment.fee,
    multisig_txset: setHex(made.multisigSet),
    spent_key_images: imagesShape(payment),
    tx_blob: fields.blobs ? blobHex(payment) : '',
    tx_hash: hashHex(payment),
    tx_key: fields.keys ? keysHex(payment) : '',
    tx_metadata: fields.metadata ? metadataHex(payment) : '',
    unsigned_txset: setHex(made.unsignedSet),
    weight: payment.weight,
  };
}

/** Returns the result of a method that makes as many transactions as needed. */
export function paymentsShape(made: MadePayments, fields: ResultFields) {
  const { payments } = made;
  const whole = payments.filter((payment) => txOf(payment) !== undefined);
  return {
    amount_list: payments.map((payment) => sum(amountsOf(payment))),
    amounts_by_dest_list: payments.map((payment) => ({ amounts: amountsOf(payment) })),
    fee_list: payments.map(({ fee }) => fee),
    multisig_txset: setHex(made.multisigSet),
    spent_key_images_list: payments.map(imagesShape),
    tx_blob_list: fields.blobs ? whole.map(blobHex) : [],
    tx_hash_list: whole.map(hashHex),
    tx_key_list: fields.keys
      ? payments.filter(({ txSecretKeys }) => txSecretKeys.length > 0).map(keysHex)
      : [],
    tx_metadata_list: fields.metadata ? whole.map(metadataHex) : [],
    unsigned_txset: setHex(made.unsignedSet),
    weight_list: payments.map(({ weight }) => weight),
  };
}

/** Returns the hashes of the signed transactions. */
export const hashesShape = ({ payments }: MadePayments) => ({
  tx_hash_list: payments.filter(({ signed }) => signed !== undefined).map(hashHex),
});

/** Parameters that select the optional fields of the result, for all methods that make transactions. */
export const resultParams = {
  do_not_relay: flag
    .default(false)
    .describe('Makes the transactions without relaying them: relay_tx relays them later'),
  get_tx_hex: flag.default(false).describe('Returns the transactions in hex, too'),
  get_tx_metadata: flag.default(false).describe('Returns the metadata that relay_tx takes, too'),
  // A field whose name differs between the specification and the reference for some methods.
  get_tx_key: flag.default(false).describe('Returns the secret keys of the transactions, too'),
  get_tx_keys: flag.default(false).describe('Returns the secret keys of the transactions, too'),
};

/** Limit that a client sets to the fee of a payment. The reference does not have the parameter. */
export const feeParams = {
  max_fee: atomic
    .optional()
    .describe('Highest fee of all transactions of the call [atomic units]; above it, nothing is paid (-70)'),
};

/** Parameters of all methods that make payments. `ring_size` is ignored: the network requires a fixed size. */
export const paymentParams = {
  ...resultParams,
  ...feeParams,
  priority: u32
    .default(0)
    .describe('Priority of the fee, 1 (low) to 4 (high); 0: chosen by the state of the chain'),
  ring_size: u64.default(0n).describe('Ignored: rings have the size of the network'),
  unlock_time: u64
    .default(0n)
    .describe(
      'Height or Unix time [s] at which the outputs unlock; 0: at once; interface 1.32 refuses others (-50)',
    ),
  payment_id: text.default('').describe('Refused unless empty: integrated addresses contain payment ids'),
};

type ResultParams = z.output<z.ZodObject<typeof resultParams>>;
type PaymentParams = z.output<z.ZodObject<typeof paymentParams>>;

/**
 * Returns the options of a payment. @throws WalletError `wrong_payment_id` for a standalone payment id, which is
 * obsolete.
 */
export function paymentOptions(args: PaymentParams, spender: Spender | undefined) {
  if (args.payment_id !== '')
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: 'standalone payment ids are obsolete: use an integrated address',
      text: 'Standalone payment IDs are obsolete. Use subaddresses or integrated addresses instead',
    });
  return {
    priority: args.priority,
    unlockTime: args.unlock_time,
    ...(args.max_fee === undefined ? {} : { maxFee: args.max_fee }),
    doNotRelay: args.do_not_relay,
    withMetadata: args.get_tx_metadata,
    spender,
  };
}

/** Returns the optional fields of the result that the parameters request. */
export const resultFields = (args: ResultParams): ResultFields => ({
  keys: args.get_tx_key || args.get_tx_keys,
  blobs: args.get_tx_hex,
  metadata: args.get_tx_metadata,
});
