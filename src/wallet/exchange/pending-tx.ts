import { scalarBytes } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { parseExtra, paymentIdField, paymentIdOf, writeExtra } from '../../cryptonote/extra.js';
import { parseTransaction, transaction } from '../../cryptonote/transaction.js';
import type { Address, PaymentId, Transaction } from '../../cryptonote/types.js';
import { compareBytes, toHex } from '../../util/bytes.js';
import { list, u64, u8, varint, varintNumber, type Codec } from '../../util/codec.js';
import { absent, flag, key, nothing, struct, text, versioned } from './binary-archive.js';
import {
  constructionData,
  destinationEntry,
  RCT_CONFIG,
  type ConstructionData,
  type DestinationEntry,
  type SourceEntry,
} from './construction-data.js';
import type { Ring } from '../select/decoys.js';
import type { OwnedOutput } from '../model/records.js';
import type { SignedTx } from '../build/signing.js';
import { sameAddress, type Payee } from '../select/transfer-request.js';

type Keys = readonly Uint8Array[];

/** One set of signers' partial signature. Source: wallet2.h `multisig_sig`. */
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

/** Nothing but the zeros of an {@link UnusedRctSig}. */
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

/** A whole signature that a partial one has room for, and no wallet since CLSAG fills. */
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

/** A transaction with all that the wallet that made it remembers of it. Source: wallet2.h `pending_tx`. */
export interface PendingTx {
  readonly tx: Transaction;
  readonly dust: bigint;
  readonly fee: bigint;
  readonly dustAddedToFee: boolean;
  readonly change: DestinationEntry;
  /** Places of the inputs among all outputs that the wallet ever received, in the order of the inputs. */
  readonly selectedTransfers: readonly number[];
  /** In words: each in angle brackets, a blank behind. */
  readonly keyImages: string;
  readonly txSecretKey: SecretKey;
  readonly additionalSecretKeys: readonly SecretKey[];
  /** As the caller asked, without change. */
  readonly destinations: readonly DestinationEntry[];
  readonly construction: ConstructionData;
  readonly multisigSigs: readonly MultisigSig[];
  /** 32 bytes; zeros but for multisig. */
  readonly multisigEntropy: Uint8Array;
}

const keys = list(key());

const unusedRctSig = struct<UnusedRctSig>({
  type: u8,
  message: key(),
  mixRing: nothing,
  pseudoOuts: nothing,
  ecdhInfo: nothing,
  outPk: nothing,
  fee: varint,
  rangeSigs: nothing,
  bulletproofs: nothing,
  bulletproofsPlus: nothing,
  mlsags: nothing,
  clsags: nothing,
  prunablePseudoOuts: nothing,
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

/** What `get_tx_metadata` gives and `relay_tx` takes, in hex. */
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

/** An input with its ring and its place among all outputs that the wallet ever received, in order of the chain. */
export interface PendingInput {
  readonly output: OwnedOutput;
  readonly ring: Ring;
  readonly place: number;
}

/** Whom a transaction pays, signed or only laid out. */
export type Layout = Pick<SignedTx, 'targets' | 'change'>;

/** What a payment was made from. */
export interface PaymentParts {
  readonly inputs: readonly PendingInput[];
  /** With what each receives. */
  readonly payees: readonly Payee[];
  readonly changeAddress: Address;
  readonly account: number;
  /** Of a multisig wallet: what others need to sign on. */
  readonly multisig?: MultisigParts;
}

/** What a transaction that several sign carries beside. */
export interface MultisigParts {
  /** One a set of signers that may complete it. */
  readonly sigs: readonly MultisigSig[];
  /** 32 bytes. What the transaction's keys are made from, with its inputs. */
  readonly entropy: Uint8Array;
}

/** What a pending transaction is put together from; its inputs in any order. */
export interface PendingFacts extends PaymentParts {
  readonly signed: SignedTx;
}

const NOBODY = new Uint8Array(32) as PublicKey;

const entryOf = (address: Address, amount: bigint, original = ''): DestinationEntry => ({
  original,
  amount,
  address: { spendPublicKey: address.spendPublicKey, viewPublicKey: address.viewPublicKey },
  isSubaddress: address.kind === 'subaddress',
  isIntegrated: address.kind === 'integrated',
});

const KEY_IMAGE_AT = 96;

/** The record of an input whose key image the one who signs cannot work out alone. */
function multisigRecord(keyImage: KeyImage | undefined): Uint8Array {
  const record = new Uint8Array(128);
  if (keyImage !== undefined) record.set(keyImage, KEY_IMAGE_AT);
  return record;
}

/** The key image in the record of an input. */
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

/** Change; or where there is none the dummy, or nobody. */
function changeOf({ change, targets }: Layout, changeAddress: Address): DestinationEntry {
  if (change > 0n) return entryOf(changeAddress, change);
  const dummy = targets.find(({ amount }) => amount === 0n);
  if (dummy !== undefined) return entryOf(dummy.address, 0n);
  return {
    original: '',
    amount: 0n,
    address: { spendPublicKey: NOBODY, viewPublicKey: NOBODY },
    isSubaddress: false,
    isIntegrated: false,
  };
}

/**
 * How a transaction is to be made, whoever signs it.
 * @param extra its payment id alone where nobody has signed yet.
 */
export function constructionOf(
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

/** An extra field with its payment id in the clear, as others who make the transaction again need it. */
function plainExtra(extra: Uint8Array, payees: readonly Payee[]): Uint8Array {
  const { fields } = parseExtra(extra);
  if (paymentIdOf(fields) === undefined) return extra;
  const id = payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId;
  const plain = paymentIdField({ kind: 'short', id: id ?? (new Uint8Array(8) as PaymentId) });
  return writeExtra([...fields.filter(({ type }) => type !== 'nonce'), plain]);
}

/** @throws RangeError when an input of the transaction is not among the facts. Source: wallet2.cpp `transfer_selected_rct`. */
export function pendingTxOf({ signed, ...parts }: PendingFacts): PendingTx {
  const tx = parseTransaction(signed.blob);
  const inputs = signed.keyImages.map((keyImage) => {
    const input = parts.inputs.find(
      ({ output }) => output.keyImage && compareBytes(output.keyImage, keyImage) === 0,
    );
    if (input === undefined) throw new RangeError('an input of the transaction is not known');
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

/** What a transaction spends, in the order of its inputs. */
export const keyImagesOf = ({ prefix }: Transaction): KeyImage[] =>
  prefix.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : []));
