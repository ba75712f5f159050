import type { Curve } from '../../crypto/curve/curve.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { deriveSubaddressPublicKey, keyDerivation, keyImage } from '../../crypto/derivation.js';
import { scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import { parseTransaction } from '../../cryptonote/transaction.js';
import type {
  Address,
  NetworkType,
  PaymentId,
  SubaddressIndex,
  Transaction,
} from '../../cryptonote/types.js';
import { commitsTo } from '../../ringct/commitment.js';
import { amount } from '../../../util/amount.js';
import { equalBytes, toHex } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import type { ConstructionData, DestinationEntry, SourceEntry } from './construction-data.js';
import { constructTransaction, type SpendableInput, type TransactionPlan } from '../build/construction.js';
import { spendSecretOf, type LocatedOutput, type SpendingKeys } from '../scan/key-images.js';
import type { PendingTx } from './pending-tx.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';
import { signTransaction, type SignedTx } from '../build/signing.js';
import { addressOf, plainPaymentId } from './transfer-description.js';
import { sameAddress } from '../select/transfer-request.js';

/** Address of the signing wallet that a transaction pays. */
export interface OwnAddress {
  readonly address: Address;
  readonly index: SubaddressIndex;
}

/** An unsigned transaction of another wallet, with the secret data of the signing wallet. A plain value. */
export interface OfflineSigningRequest {
  readonly data: ConstructionData;
  /** Outputs that the sources spend, one per source, in their order. */
  readonly located: readonly LocatedOutput[];
  readonly own: readonly OwnAddress[];
  /** Primary address of the signing wallet, which is used as change address if there is no change. */
  readonly primary: Address;
  readonly keys: SpendingKeys;
}

/** A transaction that was signed offline, for the wallet that relays it. */
export interface OfflineSigned {
  /** Signed transaction without its tx secret keys, which the relaying wallet must not learn. */
  readonly pending: PendingTx;
  readonly signed: SignedTx;
  /** Pairs of output key and key image, of the outputs that pay the wallet itself. */
  readonly ownKeyImages: readonly (readonly [PublicKey, KeyImage])[];
}

/** Value in place of a tx secret key that the signer withholds. */
const WITHHELD_KEY = scalarBytes(1n);

/** Bulletproofs versions that are supported; 0 stands for the newest. */
const BP_VERSIONS: ReadonlySet<number> = new Set([0, 4]);

/** A source together with its input, so that both are sorted together. */
interface Signable {
  readonly source: SourceEntry;
  readonly input: SpendableInput;
}

function signable(source: SourceEntry, output: LocatedOutput | undefined, keys: SpendingKeys): Signable {
  const real = source.ring[source.realIndex];
  if (output === undefined || real === undefined || !equalBytes(real.publicKey, output.publicKey))
    throw new RangeError('a source is not an output of this wallet');
  const value = amount(source.amount);
  const mask = toScalar(source.mask);
  if (!source.rct || !commitsTo(real.commitment, value, mask))
    throw new RangeError('the amount of a source does not match its commitment');
  if (source.ring.some(({ globalIndex }, i) => globalIndex <= (source.ring[i - 1]?.globalIndex ?? -1)))
    throw new RangeError('the members of a ring are not in ascending order');
  const secretKey = spendSecretOf(output, keys);
  return {
    source,
    input: {
      ring: {
        members: source.ring.map((member) => ({ ...member, unlocked: true })),
        realIndex: source.realIndex,
      },
      secretKey,
      keyImage: keyImage(output.publicKey, secretKey),
      amount: value,
      mask,
    },
  };
}

/** Returns the sums of all subsets of the amounts; each further amount doubles their number. */
const sumsOf = (entries: readonly DestinationEntry[]): ReadonlySet<bigint> =>
  entries.reduce(
    (sums, entry) => new Set([...sums, ...[...sums].map((sum) => sum + entry.amount)]),
    new Set([0n]),
  );

/**
 * Returns the destinations of outputs that have an amount, except one change output, whose amount is computed by the
 * construction. Further change outputs remain as destinations at the change address, so that they keep their amounts.
 * @throws RangeError unless some of the outputs to the change address add up to the change.
 */
function payeeEntries({ outputs, change }: ConstructionData): DestinationEntry[] {
  const paid = outputs.filter((entry) => entry.amount > 0n);
  if (change.amount === 0n) return paid;
  const returned = paid.filter((entry) => sameAddress(entry.address, change.address));
  if (returned.length > MAX_OUTPUTS || !sumsOf(returned).has(change.amount))
    throw new RangeError('the change is not among the outputs');
  const changeOutput = returned.find((entry) => entry.amount === change.amount) ?? returned[0];
  return paid.filter((entry) => entry !== changeOutput);
}

/**
 * Returns the payees, with the payment id in the address of the payee to which it belongs.
 * @throws RangeError if no standard address can take the payment id.
 */
function payeesOf(
  entries: readonly DestinationEntry[],
  changeAddress: Address,
  id: PaymentId | undefined,
): TransactionPlan['payees'] {
  const payees = entries.map((entry) => ({
    address: addressOf(entry, changeAddress.network),
    amount: amount(entry.amount),
  }));
  if (id === undefined) return payees;
  const payeeIndex = payees.findIndex(({ address }) => !sameAddress(address, changeAddress));
  if (payees[payeeIndex]?.address.kind !== 'standard')
    throw new RangeError('the payment id belongs to no standard address');
  return payees.map((payee, i) =>
    i === payeeIndex
      ? { ...payee, address: { ...payee.address, kind: 'integrated' as const, paymentId: id } }
      : payee,
  );
}

function toPlan(
  { data, own, primary, keys }: OfflineSigningRequest,
  signables: readonly Signable[],
): TransactionPlan {
  if (signables.length === 0) throw new RangeError('a transaction has at least one input');
  if (new Set(signables.map(({ input }) => toHex(input.keyImage))).size !== signables.length)
    throw new RangeError('an output is spent twice');
  if (data.flags.rct !== true || !data.flags.viewTags || !BP_VERSIONS.has(data.rctConfig.bpVersion))
    throw new RangeError('the network no longer accepts transactions of this kind');
  const { fields, complete } = parseExtra(data.extra);
  if (!complete || fields.some(({ type }) => !['publicKey', 'additionalKeys', 'nonce'].includes(type)))
    throw new RangeError('the extra field has unknown content');
  const id = plainPaymentId(data.extra);
  if (id?.kind === 'long') throw new RangeError('long payment ids are obsolete');
  const changeAddress =
    data.change.amount === 0n
      ? primary
      : own.find(({ address }) => sameAddress(address, data.change.address))?.address;
  if (changeAddress === undefined) throw new RangeError('the change is not paid to this wallet');
  const amountIn = signables.reduce((total, { input }) => total + input.amount, 0n);
  const amountOut = data.outputs.reduce((total, entry) => total + entry.amount, 0n);
  return {
    inputs: signables.map(({ input }) => input),
    payees: payeesOf(payeeEntries(data), changeAddress, id?.id),
    changeAddress,
    fee: amount(amountIn - amountOut),
    unlockTime: data.unlockTime,
    viewSecret: keys.viewSecret,
  };
}

/**
 * Returns the key images of outputs that pay the wallet itself, so that the view-only wallet later recognises their
 * spends.
 */
function ownKeyImagesOf(
  tx: Transaction,
  { targets }: SignedTx,
  own: readonly OwnAddress[],
  keys: SpendingKeys,
): (readonly [PublicKey, KeyImage])[] {
  const { fields } = parseExtra(tx.prefix.extra);
  return tx.prefix.outputs.flatMap(({ publicKey }, i) => {
    const target = targets[i];
    const found = target && own.find(({ address }) => sameAddress(address, target.address));
    if (found === undefined) return [];
    const extraKey = additionalPublicKeys(fields)[i];
    for (const key of [...txPublicKeys(fields), ...(extraKey === undefined ? [] : [extraKey])]) {
      const derivation = keyDerivation(key, keys.viewSecret);
      const spendPublicKey = deriveSubaddressPublicKey(publicKey, derivation, i);
      if (equalBytes(spendPublicKey, found.address.spendPublicKey))
        return [[publicKey, keyImage(publicKey, outputSecretKey(keys, derivation, i, found.index))] as const];
    }
    return [];
  });
}

const entryFor = (entries: readonly DestinationEntry[], address: Address, value: bigint): DestinationEntry =>
  entries.find((entry) => entry.amount === value && sameAddress(entry.address, address)) ?? {
    original: '',
    amount: value,
    address: { spendPublicKey: address.spendPublicKey, viewPublicKey: address.viewPublicKey },
    isSubaddress: address.kind === 'subaddress',
    isIntegrated: false,
  };

/**
 * Signs an unsigned transaction of another wallet. Amounts, receivers and fee are taken from the unsigned transaction;
 * all other data is generated anew.
 * @throws RangeError if the transaction is inconsistent, spends outputs of another wallet, or sends change to another
 * wallet. Source: wallet2.cpp `sign_tx`.
 */
export function signOffline(
  request: OfflineSigningRequest,
  rng: Rng,
  curve: Curve = loadCurve(),
): OfflineSigned {
  const { data, located, own, keys } = request;
  const signables: Signable[] = [];
  let signed: SignedTx;
  try {
    data.sources.forEach((source, i) => signables.push(signable(source, located[i], keys)));
    signed = signTransaction(constructTransaction(toPlan(request, signables), rng, curve), rng, curve);
  } finally {
    for (const { input } of signables) input.secretKey.fill(0);
  }
  const tx = parseTransaction(signed.blob);
  const sources = signed.keyImages.flatMap(
    (image) => signables.find(({ input }) => equalBytes(input.keyImage, image))?.source ?? [],
  );
  return {
    pending: {
      tx,
      dust: 0n,
      fee: signed.fee,
      dustAddedToFee: false,
      change: data.change,
      selectedTransfers: data.selectedTransfers,
      keyImages: signed.keyImages.map((image) => `<${toHex(image)}> `).join(''),
      txSecretKey: WITHHELD_KEY,
      additionalSecretKeys: [],
      destinations: data.destinations,
      construction: {
        ...data,
        sources,
        outputs: signed.targets.map(({ address, amount: value }) => entryFor(data.outputs, address, value)),
      },
      multisigSigs: [],
      multisigEntropy: new Uint8Array(32),
    },
    signed,
    ownKeyImages: ownKeyImagesOf(tx, signed, own, keys),
  };
}

/** Returns true for the value that stands in place of a withheld tx secret key. */
export const isWithheldKey = (key: SecretKey): boolean => equalBytes(key, WITHHELD_KEY);

/** Returns every address that a transaction pays, including change. */
export const paidAddresses = ({ outputs, change }: ConstructionData, network: NetworkType): Address[] =>
  [...outputs, ...(change.amount === 0n ? [] : [change])].map((entry) => addressOf(entry, network));
