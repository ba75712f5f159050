import { CodecError } from '../../../util/codec.js';
import { U64_MAX } from '../../../util/amount.js';
import type { DestinationEntry } from '../exchange/construction-data.js';
import { pairOf, collection, object, primitives, type BoostArchive, type Load } from './boost-archive.js';
import { hash, integers, keyImage, publicKey, subaddressIndex, txPrefix } from './boost-transfer.js';
import type { CacheAddress } from './cache.js';
import type {
  ConfirmedTransfer,
  PoolPayment,
  ReceivedPayment,
  Rings,
  UnconfirmedTransfer,
} from './payments.js';

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
    // Here older versions have the whole transaction.
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
