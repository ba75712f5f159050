import { amount } from '../../util/amount.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { parseJson } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import type { MadePayment, MadeTx } from '../../model/made-payment.js';
import type { OrderTx, Withdrawal } from '../../model/order.js';
import { toBytes } from '../sql/columns.js';

/** Row of an order. */
export interface OrderRow {
  readonly sequence: number;
  readonly idempotency_key: string;
  readonly method: string;
  readonly request_hash: Uint8Array;
  readonly created: number;
  readonly unsigned_set: Uint8Array | null;
  readonly multisig_set: Uint8Array | null;
}

/** One attempt to make one of the transactions of an order. */
export interface OrderTxRow {
  readonly sequence: number;
  readonly position: number;
  readonly attempt: number;
  readonly tx_hash: Uint8Array | null;
  readonly withdrawn: number;
  readonly sent: number;
  readonly made: string;
  readonly blob: Uint8Array | null;
  readonly metadata: Uint8Array | null;
  readonly rings: Uint8Array | null;
  readonly rival: Uint8Array | null;
  readonly signing_set: Uint8Array | null;
}

/** JSON content of the column `made`. */
interface Facts {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee: bigint;
  readonly weight: bigint;
  readonly key_images: readonly string[];
  readonly tx_keys: readonly string[];
  /** Output keys of the inputs; absent in rows of earlier versions. */
  readonly inputs?: readonly string[];
  /** Hash of the unsigned transaction in a wallet that cannot sign. Its blob and metadata have columns. */
  readonly unsigned_hash?: string;
}

/** Number of each {@link Withdrawal} in the column `withdrawn`; the column is 0 without a withdrawal. */
export const WITHDRAWALS: Readonly<Record<Withdrawal, number>> = { refused: 1, unsent: 2 };

const withdrawalOf = ({ withdrawn }: OrderTxRow): Withdrawal | undefined => {
  if (withdrawn === 0) return undefined;
  return withdrawn === WITHDRAWALS.unsent ? 'unsent' : 'refused';
};

export const factsOf = ({
  destinations,
  fee,
  weight,
  keyImages,
  inputKeys,
  txSecretKeys,
  unsigned,
}: MadePayment): string =>
  writeWholeJson({
    destinations: destinations.map(({ address, amount: value }) => ({ address, amount: value })),
    fee,
    weight,
    key_images: keyImages.map(toHex),
    tx_keys: txSecretKeys.map(toHex),
    inputs: inputKeys.map(toHex),
    ...(unsigned && { unsigned_hash: toHex(unsigned.txHash) }),
  });

const madeTx = (hash: Uint8Array, { blob, metadata }: OrderTxRow): MadeTx => ({
  txHash: toBytes<'Hash'>(hash),
  blob: Uint8Array.from(blob ?? []),
  ...(metadata === null ? {} : { metadata: Uint8Array.from(metadata) }),
});

function toMade(row: OrderTxRow): MadePayment {
  const facts = parseJson(row.made) as unknown as Facts;
  return {
    destinations: facts.destinations.map((to) => ({ address: to.address, amount: amount(to.amount) })),
    fee: amount(facts.fee),
    weight: Number(facts.weight),
    keyImages: facts.key_images.map((hex) => toBytes<'KeyImage'>(fromHex(hex))),
    inputKeys: (facts.inputs ?? []).map((hex) => toBytes<'PublicKey'>(fromHex(hex))),
    txSecretKeys: facts.tx_keys.map((hex) => fromHex(hex)),
    ...(row.rings === null ? {} : { rings: toBytes<'Hash'>(row.rings) }),
    ...(row.tx_hash === null ? {} : { signed: madeTx(row.tx_hash, row) }),
    ...(facts.unsigned_hash === undefined ? {} : { unsigned: madeTx(fromHex(facts.unsigned_hash), row) }),
  };
}

export function toOrderTx(row: OrderTxRow): OrderTx {
  const withdrawn = withdrawalOf(row);
  return {
    sequence: row.sequence,
    position: row.position,
    attempt: row.attempt,
    sent: row.sent !== 0,
    ...(withdrawn === undefined ? {} : { withdrawn }),
    ...(row.rival === null ? {} : { rival: toBytes<'Hash'>(row.rival) }),
    ...(row.signing_set === null ? {} : { signingSet: Uint8Array.from(row.signing_set) }),
    made: toMade(row),
  };
}
