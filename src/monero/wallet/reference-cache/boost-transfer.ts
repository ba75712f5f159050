import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex, TxInput, TxOutput, TxPrefix } from '../../cryptonote/types.js';
import { amount } from '../../../util/amount.js';
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
 * Returns a function that reads one of several classes, which starts with its number. The functions of classes that no
 * transaction ever used are undefined.
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

/** Oldest version that has the transaction hash in addition to the prefix; it is of 2016. */
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
