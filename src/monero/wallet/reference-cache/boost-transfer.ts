import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex, TxInput, TxOutput, TxPrefix } from '../../cryptonote/types.js';
import { amount, U64_MAX } from '../../../util/amount.js';
import { CodecError } from '../../../util/codec.js';
import type { MultisigInfo, TransferDetails } from '../exchange/transfer-details.js';
import {
  pairOf,
  bytesOf,
  characters,
  collection,
  object,
  primitives,
  type BoostArchive,
  type Load,
} from './boost-archive.js';
import type { DestinationEntry } from '../exchange/construction-data.js';
import type { CacheAddress } from './cache.js';
import type {
  ConfirmedTransfer,
  PoolPayment,
  ReceivedPayment,
  Rings,
  UnconfirmedTransfer,
} from './payments.js';

/*
 * Transactions and outputs in Boost's archive. Source: cryptonote_boost_serialization.h,
 * wallet2_boost_serialization.h.
 */

export const hash = bytesOf<Hash>('hash');
export const publicKey = bytesOf<PublicKey>('public_key');
export const keyImage = bytesOf<KeyImage>('key_image');
const rctKey = bytesOf<Uint8Array>('rct::key');

const coinbaseInput = object('txin_gen', (a): TxInput => ({ type: 'gen', height: a.number() }));

export const integers: Load<readonly bigint[]> = primitives((a) => a.u64());

const keyInput = object('txin_to_key', (a): TxInput => ({
  type: 'key',
  amount: amount(a.u64()),
  keyOffsets: integers(a),
  keyImage: keyImage(a),
}));

/**
 * Returns a function that reads an object of one of several classes, which starts with the number of its class. The
 * functions of classes that no transaction ever used are undefined.
 */
const variant = <T>(name: string, kinds: readonly (Load<T> | undefined)[]): Load<T> =>
  object(name, (a) => {
    const kind = kinds[a.number()];
    if (kind === undefined) throw new CodecError(`cache: an unknown ${name}`);
    return kind(a);
  });

const input = variant<TxInput>('input', [coinbaseInput, undefined, undefined, keyInput]);

const keyTarget = object('txout_to_key', (a): Pick<TxOutput, 'publicKey'> => ({ publicKey: publicKey(a) }));

const viewTag = bytesOf<Uint8Array>('view_tag', 1);

const taggedKeyTarget = object('txout_to_tagged_key', (a): Pick<TxOutput, 'publicKey' | 'viewTag'> => ({
  publicKey: publicKey(a),
  viewTag: viewTag(a)[0] ?? 0,
}));

const target = variant('output', [undefined, undefined, keyTarget, taggedKeyTarget]);

const output = object('tx_out', (a): TxOutput => ({ amount: amount(a.u64()), ...target(a) }));

const inputs = collection('vector<txin_v>', input);
const outputs = collection('vector<tx_out>', output);

export const txPrefix: Load<TxPrefix> = object('transaction_prefix', (a) => {
  const version = a.number();
  if (version !== 1 && version !== 2) throw new CodecError('unknown transaction version');
  return { version, unlockTime: a.u64(), inputs: inputs(a), outputs: outputs(a), extra: characters(a) };
});

export const subaddressIndex: Load<SubaddressIndex> = object('subaddress_index', (a) => ({
  major: a.number(),
  minor: a.number(),
}));

const noncePair = object('multisig_info::LR', (a) => ({ L: rctKey(a), R: rctKey(a) }));
const noncePairs = collection('vector<LR>', noncePair);
const keyImages = collection('vector<key_image>', keyImage);

const multisigInfo = object('multisig_info', (a): MultisigInfo => ({
  signer: publicKey(a),
  nonces: noncePairs(a),
  partialKeyImages: keyImages(a),
}));

const multisigInfos = collection('vector<multisig_info>', multisigInfo);
const rctKeys = collection('vector<rct::key>', rctKey);

const uses = collection(
  'vector<pair<uint64_t, hash>>',
  object(
    'pair<uint64_t, hash>',
    pairOf((a: BoostArchive) => a.number(), hash),
  ),
);

/** Oldest version that has the transaction hash in addition to the prefix; it was written in 2016. */
const OLDEST = 3;

/**
 * Reads an output. Later versions added fields one by one; a field that a version lacks gets the default value given
 * here.
 */
export const transferDetails: Load<TransferDetails> = object('transfer_details', (a, version) => {
  if (version < OLDEST) throw new CodecError('cache: written by a release before 2016');
  const height = a.number();
  const globalIndex = a.number();
  const outputIndex = a.number();
  const tx = txPrefix(a);
  const found = {
    height,
    globalIndex,
    outputIndex,
    tx,
    spent: a.flag(),
    keyImage: keyImage(a),
    mask: rctKey(a),
    amount: a.u64(),
    spentHeight: a.number(),
    txHash: hash(a),
    rct: version < 4 ? tx.outputs[outputIndex]?.amount === 0n : a.flag(),
  };
  // Version 5 wrote an unused byte.
  if (version === 5) a.byte();
  const keyImageKnown = version < 6 ? true : a.flag();
  const keyIndex = version < 7 ? 0 : a.number();
  const subaddress = version < 8 ? { major: 0, minor: 0 } : subaddressIndex(a);
  const multisig =
    version < 9
      ? { multisigInfo: [], multisigNonces: [], keyImagePartial: false }
      : { multisigInfo: multisigInfos(a), multisigNonces: rctKeys(a), keyImagePartial: a.flag() };
  return {
    ...found,
    keyImageKnown,
    keyIndex,
    subaddress,
    ...multisig,
    keyImageRequested: version < 10 ? false : a.flag(),
    uses: version < 11 ? [] : uses(a),
    frozen: version < 12 ? false : a.flag(),
  };
});

/* Payments in Boost's archive. Source: wallet2_boost_serialization.h, cryptonote_tx_utils.h. */

export const address: Load<CacheAddress> = object('account_public_address', (a) => ({
  spendPublicKey: publicKey(a),
  viewPublicKey: publicKey(a),
}));

const destination = object('tx_destination_entry', (a, version): DestinationEntry => ({
  amount: a.u64(),
  address: address(a),
  isSubaddress: version < 1 ? false : a.flag(),
  original: version < 2 ? '' : a.string(),
  isIntegrated: version < 2 ? false : a.flag(),
}));

const destinations = collection('vector<tx_destination_entry>', destination);
const number = (a: BoostArchive): number => a.number();
const minors = primitives(number);

const rings: Load<Rings> = collection(
  'vector<pair<key_image, vector<uint64_t>>>',
  object('pair<key_image, vector<uint64_t>>', pairOf(keyImage, integers)),
);

/** Reads paying account, addresses and rings, which later versions have added. */
const payer = (
  a: BoostArchive,
  hasAccount: boolean,
  hasRings: boolean,
): Pick<ConfirmedTransfer, 'account' | 'minors' | 'rings'> => ({
  account: hasAccount ? a.number() : 0,
  minors: hasAccount ? minors(a) : [],
  rings: hasRings ? rings(a) : [],
});

export const unconfirmedTransfer: Load<UnconfirmedTransfer> = object(
  'unconfirmed_transfer_details',
  (a, version) => {
    // Older versions have the whole transaction at this place.
    if (version < 5) throw new CodecError('cache: a payment written by a release before 2016');
    const change = a.u64();
    const sentTime = a.number();
    const known = {
      change,
      sentTime,
      tx: txPrefix(a),
      destinations: destinations(a),
      paymentId: hash(a),
      state: a.number(),
      timestamp: a.number(),
      amountIn: a.u64(),
    };
    const amountOut = a.u64();
    return {
      ...known,
      amountOut: version < 6 && change !== U64_MAX ? amountOut + change : amountOut,
      ...payer(a, version >= 7, version >= 8),
    };
  },
);

export const confirmedTransfer: Load<ConfirmedTransfer> = object(
  'confirmed_transfer_details',
  (a, version) => {
    const amountIn = a.u64();
    const amountOut = a.u64();
    const change = a.u64();
    const withChange = version < 3 && change !== U64_MAX && amountIn > amountOut + change;
    return {
      tx: undefined,
      amountIn,
      amountOut: withChange ? amountOut + change : amountOut,
      change,
      height: a.number(),
      destinations: version < 1 ? [] : destinations(a),
      paymentId: version < 1 ? new Uint8Array(32) : hash(a),
      timestamp: version < 2 ? 0 : a.number(),
      unlockTime: version < 4 ? 0n : a.u64(),
      ...payer(a, version >= 5, version >= 6),
    };
  },
);

export const receivedPayment: Load<ReceivedPayment> = object('payment_details', (a, version) => ({
  txHash: hash(a),
  amount: a.u64(),
  height: a.number(),
  unlockTime: a.u64(),
  timestamp: version < 1 ? 0 : a.number(),
  subaddress: version < 2 ? { major: 0, minor: 0 } : subaddressIndex(a),
  fee: version < 3 ? 0n : a.u64(),
  coinbase: version < 4 ? false : a.flag(),
  amounts: version < 5 ? [] : integers(a),
}));

export const poolPayment: Load<PoolPayment> = object('pool_payment_details', (a) => ({
  payment: receivedPayment(a),
  doubleSpendSeen: a.flag(),
}));
