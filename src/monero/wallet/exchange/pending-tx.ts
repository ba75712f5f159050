import { scalarBytes } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { parseExtra, paymentIdField, paymentIdOf, writeExtra } from '../../cryptonote/extra.js';
import { parseTransaction, transaction } from '../../cryptonote/transaction.js';
import type { Address, PaymentId, Transaction } from '../../cryptonote/types.js';
import { compareBytes, toHex } from '../../../util/bytes.js';
import { list, u64, u8, varint, varintNumber, type Codec } from '../../../util/codec.js';
import { absent, flag, key, emptyContainer, struct, text, versioned } from './binary-archive.js';
import {
  constructionData,
  destinationEntry,
  RCT_CONFIG,
  type ConstructionData,
  type DestinationEntry,
  type SourceEntry,
} from './construction-data.js';
import type { Ring } from '../select/decoys.js';
import type { OwnedOutput } from '../scan/findings.js';
import type { SignedTx } from '../build/signing.js';
import { isPlaceholder } from '../build/placeholder-tx.js';
import { sameAddress, type Payee } from '../select/transfer-request.js';

type Keys = readonly Uint8Array[];

/** Partial signature for one set of signers. Source: wallet2.h `multisig_sig`. */
export interface MultisigSig {
  readonly sigs: UnusedRctSig;
  readonly ignore: Keys;
  readonly usedL: Keys;
  readonly signingKeys: Keys;
  readonly out: { readonly c: Keys; readonly muP: Keys };
  readonly totalAlphaG: readonly Keys[];
  readonly totalAlphaH: readonly Keys[];
  readonly c0: Keys;
  readonly s: Keys;
}

/** An {@link UnusedRctSig} whose fields are zero or empty. */
export const UNUSED_RCT_SIG: UnusedRctSig = {
  type: 0,
  message: new Uint8Array(32),
  mixRing: [],
  pseudoOuts: [],
  ecdhInfo: [],
  outPk: [],
  fee: 0n,
  rangeSigs: [],
  bulletproofs: [],
  bulletproofsPlus: [],
  mlsags: [],
  clsags: [],
  prunablePseudoOuts: [],
};

/** Field of a partial signature for a whole RingCT signature; no wallet has filled it since CLSAG. */
export interface UnusedRctSig {
  readonly type: number;
  readonly message: Uint8Array;
  readonly mixRing: readonly [];
  readonly pseudoOuts: readonly [];
  readonly ecdhInfo: readonly [];
  readonly outPk: readonly [];
  readonly fee: bigint;
  readonly rangeSigs: readonly [];
  readonly bulletproofs: readonly [];
  readonly bulletproofsPlus: readonly [];
  readonly mlsags: readonly [];
  readonly clsags: readonly [];
  readonly prunablePseudoOuts: readonly [];
}

/** A transaction with all data that its creator records of it. Source: wallet2.h `pending_tx`. */
export interface PendingTx {
  readonly tx: Transaction;
  readonly dust: bigint;
  readonly fee: bigint;
  readonly dustAddedToFee: boolean;
  readonly change: DestinationEntry;
  /** Index of each input in the list of all outputs that the wallet ever received, in the order of the inputs. */
  readonly selectedTransfers: readonly number[];
  /** Key images as hex texts, each in angle brackets and followed by a space. */
  readonly keyImages: string;
  readonly txSecretKey: SecretKey;
  readonly additionalSecretKeys: readonly SecretKey[];
  /** Requested destinations, without change. */
  readonly destinations: readonly DestinationEntry[];
  readonly construction: ConstructionData;
  readonly multisigSigs: readonly MultisigSig[];
  /** 32 bytes from which tx secret keys are derived; zeros in a wallet that is not multisig. */
  readonly multisigEntropy: Uint8Array;
}

const keys = list(key());

const unusedRctSig = struct<UnusedRctSig>({
  type: u8,
  message: key(),
  mixRing: emptyContainer,
  pseudoOuts: emptyContainer,
  ecdhInfo: emptyContainer,
  outPk: emptyContainer,
  fee: varint,
  rangeSigs: emptyContainer,
  bulletproofs: emptyContainer,
  bulletproofsPlus: emptyContainer,
  mlsags: emptyContainer,
  clsags: emptyContainer,
  prunablePseudoOuts: emptyContainer,
});

const multisigSig = versioned(1, () =>
  struct<MultisigSig>({
    sigs: unusedRctSig,
    ignore: keys,
    usedL: keys,
    signingKeys: keys,
    out: struct({ c: keys, muP: keys }),
    totalAlphaG: list(keys),
    totalAlphaH: list(keys),
    c0: keys,
    s: keys,
  }),
);

/** Codec of the tx metadata, which clients get and `relay_tx` takes, in hex. */
export const pendingTx: Codec<PendingTx> = versioned(1, (version) =>
  struct<PendingTx>({
    tx: transaction,
    dust: u64,
    fee: u64,
    dustAddedToFee: flag,
    change: destinationEntry,
    selectedTransfers: list(varintNumber),
    keyImages: text,
    txSecretKey: key<SecretKey>(),
    additionalSecretKeys: list(key<SecretKey>()),
    destinations: list(destinationEntry),
    construction: constructionData,
    multisigSigs: list(multisigSig),
    multisigEntropy: version < 1 ? absent(new Uint8Array(32)) : key(),
  }),
);

/**
 * An input with its ring, and with its index in the list of all outputs that the wallet ever received, which is in
 * chain order.
 */
export interface PendingInput {
  readonly output: OwnedOutput;
  readonly ring: Ring;
  readonly place: number;
}

/** Destinations of the outputs of a signed or unsigned transaction. */
export type Layout = Pick<SignedTx, 'targets' | 'change'>;

/** Inputs and destinations of a payment. */
export interface PaymentParts {
  readonly inputs: readonly PendingInput[];
  /** Payees with the amounts that they receive. */
  readonly payees: readonly Payee[];
  readonly changeAddress: Address;
  readonly account: number;
  /** Data that the other signers of a multisig wallet need; absent in other wallets. */
  readonly multisig?: MultisigParts;
}

/** Additional data of a multisig transaction. */
export interface MultisigParts {
  /** Partial signatures, one for each set of signers that may complete the transaction. */
  readonly sigs: readonly MultisigSig[];
  /** 32 bytes from which, together with the inputs, the tx secret keys are derived. */
  readonly entropy: Uint8Array;
}

/**
 * Data from which a pending transaction is made. The inputs may have any order, unless their key images are
 * placeholders: such inputs have the order of the transaction.
 */
export interface PendingTxParts extends PaymentParts {
  readonly signed: SignedTx;
}

const ZERO_KEY = new Uint8Array(32) as PublicKey;

const entryOf = (address: Address, amount: bigint, original = ''): DestinationEntry => ({
  original,
  amount,
  address: { spendPublicKey: address.spendPublicKey, viewPublicKey: address.viewPublicKey },
  isSubaddress: address.kind === 'subaddress',
  isIntegrated: address.kind === 'integrated',
});

const KEY_IMAGE_AT = 96;

/**
 * Returns the multisig field of an input. It contains the key image of the input, which a single signer cannot compute.
 */
function multisigRecord(keyImage: KeyImage | undefined): Uint8Array {
  const record = new Uint8Array(128);
  if (keyImage !== undefined) record.set(keyImage, KEY_IMAGE_AT);
  return record;
}

/** Returns the key image in the multisig field of an input. */
export const recordedKeyImage = ({ multisig }: SourceEntry): KeyImage =>
  multisig.slice(KEY_IMAGE_AT) as KeyImage;

const sourceOf = ({ output, ring }: PendingInput, multisig: boolean): SourceEntry => ({
  ring: ring.members.map(({ globalIndex, publicKey, commitment }) => ({
    globalIndex,
    publicKey,
    commitment,
  })),
  realIndex: ring.realIndex,
  txPublicKey: output.derivationKey,
  additionalTxPublicKeys: [],
  outputIndex: output.outputIndex,
  amount: output.amount,
  rct: output.rct,
  mask: scalarBytes(output.mask),
  multisig: multisigRecord(multisig ? output.keyImage : undefined),
});

/**
 * Returns the change destination; without change, the destination of the dummy output, or a destination with zero keys.
 */
function changeOf({ change, targets }: Layout, changeAddress: Address): DestinationEntry {
  if (change > 0n) return entryOf(changeAddress, change);
  const dummy = targets.find(({ amount }) => amount === 0n);
  if (dummy !== undefined) return entryOf(dummy.address, 0n);
  return {
    original: '',
    amount: 0n,
    address: { spendPublicKey: ZERO_KEY, viewPublicKey: ZERO_KEY },
    isSubaddress: false,
    isIntegrated: false,
  };
}

/**
 * Returns the construction data of a transaction.
 * @param extra tx_extra; only with the payment id if the transaction is not signed yet.
 */
function constructionOf(
  layout: Layout,
  { inputs, payees, changeAddress, account, multisig }: PaymentParts,
  { extra, unlockTime }: Pick<ConstructionData, 'extra' | 'unlockTime'>,
): ConstructionData {
  return {
    sources: inputs.map((input) => sourceOf(input, multisig !== undefined)),
    change: changeOf(layout, changeAddress),
    outputs: layout.targets.map(({ address, amount }) => {
      const payee = payees.find((one) => one.amount === amount && sameAddress(one.address, address));
      return entryOf(address, amount, payee?.text);
    }),
    selectedTransfers: inputs.map(({ place }) => place),
    extra,
    unlockTime,
    flags: { rct: true, viewTags: true },
    rctConfig: RCT_CONFIG,
    destinations: payees.map(({ address, amount, text: original }) => entryOf(address, amount, original)),
    account,
    minors: [...new Set(inputs.map(({ output }) => output.subaddress.minor))].sort((a, b) => a - b),
  };
}

/**
 * Returns tx_extra with the payment id decrypted, which signers need in order to reconstruct the transaction; an id of
 * zeros stands for no payment id. Source: wallet2.cpp `get_construction_data_with_decrypted_short_payment_id`.
 */
export function plainExtra(extra: Uint8Array, payees: readonly Payee[]): Uint8Array {
  const { fields } = parseExtra(extra);
  if (paymentIdOf(fields) === undefined) return extra;
  const id = payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId;
  const plain = paymentIdField({ kind: 'short', id: id ?? (new Uint8Array(8) as PaymentId) });
  return writeExtra([...fields.filter(({ type }) => type !== 'nonce'), plain]);
}

/**
 * Makes a pending transaction.
 * @throws RangeError for an unknown input. Source: wallet2.cpp `transfer_selected_rct`.
 */
export function pendingTxOf({ signed, ...parts }: PendingTxParts): PendingTx {
  const tx = parseTransaction(signed.blob);
  const inputs = signed.keyImages.map((keyImage, i) => {
    const input = isPlaceholder(keyImage)
      ? parts.inputs[i]
      : parts.inputs.find(({ output }) => output.keyImage && compareBytes(output.keyImage, keyImage) === 0);
    if (input === undefined) throw new RangeError('an input of the transaction is unknown');
    return input;
  });
  const { extra, unlockTime } = tx.prefix;
  const construction = constructionOf(
    signed,
    { ...parts, inputs },
    { extra: parts.multisig === undefined ? extra : plainExtra(extra, parts.payees), unlockTime },
  );
  return {
    tx,
    dust: 0n,
    fee: signed.fee,
    dustAddedToFee: false,
    change: construction.change,
    selectedTransfers: construction.selectedTransfers,
    keyImages: signed.keyImages.map((keyImage) => `<${toHex(keyImage)}> `).join(''),
    txSecretKey: signed.txSecretKey,
    additionalSecretKeys: signed.additionalSecretKeys,
    destinations: construction.destinations,
    construction,
    multisigSigs: parts.multisig?.sigs ?? [],
    multisigEntropy: parts.multisig?.entropy ?? new Uint8Array(32),
  };
}

/** Returns the key images of a transaction's inputs, in their order. */
export const keyImagesOf = ({ prefix }: Transaction): KeyImage[] =>
  prefix.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : []));
