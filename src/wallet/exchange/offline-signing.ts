import type { Curve } from '../../crypto/curve.js';
import { plainCurve } from '../../crypto/plain-curve.js';
import { deriveSubaddressPublicKey, keyDerivation, keyImage } from '../../crypto/derivation.js';
import { scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import { parseTransaction } from '../../cryptonote/transaction.js';
import type {
  Address,
  NetworkType,
  PaymentId,
  SubaddressIndex,
  Transaction,
} from '../../cryptonote/types.js';
import { commitsTo } from '../../ringct/commitment.js';
import { amount } from '../../util/amount.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import type { ConstructionData, DestinationEntry, SourceEntry } from './construction-data.js';
import { constructTransaction, type SpendableInput, type TransactionPlan } from '../build/construction.js';
import { spendSecretOf, type LocatedOutput, type SpendingKeys } from '../scan/key-images.js';
import type { PendingTx } from './pending-tx.js';
import { outputSecretKey } from '../scan/receive.js';
import { signTransaction, type SignedTx } from '../build/signing.js';
import { addressOf, plainPaymentId } from './transfer-description.js';
import { sameAddress } from '../select/transfer-request.js';

/** An address of the signer's among those that a transaction pays. */
export interface OwnAddress {
  readonly address: Address;
  readonly index: SubaddressIndex;
}

/** A transaction that another wallet laid out, with what the signer knows of it. Plain data. Secret. */
export interface OfflineOrder {
  readonly data: ConstructionData;
  /** One a source, in order. */
  readonly located: readonly LocatedOutput[];
  readonly own: readonly OwnAddress[];
  /** Where change would go if there were any. */
  readonly primary: Address;
  readonly keys: SpendingKeys;
}

export interface OfflineSigned {
  /** Without the transaction's secret keys: the wallet that relays it must not learn them. */
  readonly pending: PendingTx;
  readonly signed: SignedTx;
  /** By output key: of outputs that come back to the wallet. */
  readonly ownKeyImages: readonly (readonly [PublicKey, KeyImage])[];
}

/** Stands where a transaction key is kept back. */
const NO_KEY = scalarBytes(1n);

/** 0: whatever is newest. */
const BP_VERSIONS: ReadonlySet<number> = new Set([0, 4]);

/** A source with its image, so that both take the order of the inputs. */
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
    throw new RangeError('the amount of a source does not fit its commitment');
  if (source.ring.some(({ globalIndex }, i) => globalIndex <= (source.ring[i - 1]?.globalIndex ?? -1)))
    throw new RangeError('a ring is not in order');
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

/** What is paid to others and to own addresses, change and outputs without value left out. */
function payeeEntries({ outputs, change }: ConstructionData): DestinationEntry[] {
  const paid = outputs.filter((entry) => entry.amount > 0n);
  if (change.amount === 0n) return paid;
  const back = paid.findIndex(
    (entry) => entry.amount === change.amount && sameAddress(entry.address, change.address),
  );
  if (back < 0) throw new RangeError('the change is not among the outputs');
  return paid.filter((_, i) => i !== back);
}

/** @throws RangeError for a payment id that would go to nobody, or that several could claim. */
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
  const holder = payees.findIndex(({ address }) => !sameAddress(address, changeAddress));
  if (payees[holder]?.address.kind !== 'standard') throw new RangeError('nobody takes the payment id');
  return payees.map((payee, i) =>
    i === holder
      ? { ...payee, address: { ...payee.address, kind: 'integrated' as const, paymentId: id } }
      : payee,
  );
}

function planOf({ data, own, primary, keys }: OfflineOrder, signables: readonly Signable[]): TransactionPlan {
  if (signables.length === 0) throw new RangeError('a transaction spends something');
  if (new Set(signables.map(({ input }) => toHex(input.keyImage))).size !== signables.length)
    throw new RangeError('an output is spent twice');
  if (data.flags.rct !== true || !data.flags.viewTags || !BP_VERSIONS.has(data.rctConfig.bpVersion))
    throw new RangeError('the network no longer takes transactions of this kind');
  const { fields, complete } = parseExtra(data.extra);
  if (!complete || fields.some(({ type }) => !['publicKey', 'additionalKeys', 'nonce'].includes(type)))
    throw new RangeError('the extra field holds what is not known');
  const id = plainPaymentId(data.extra);
  if (id?.kind === 'long') throw new RangeError('long payment ids are obsolete');
  const changeAddress =
    data.change.amount === 0n
      ? primary
      : own.find(({ address }) => sameAddress(address, data.change.address))?.address;
  if (changeAddress === undefined) throw new RangeError('the change does not come back to this wallet');
  const held = signables.reduce((total, { input }) => total + input.amount, 0n);
  const spent = data.outputs.reduce((total, entry) => total + entry.amount, 0n);
  return {
    inputs: signables.map(({ input }) => input),
    payees: payeesOf(payeeEntries(data), changeAddress, id?.id),
    changeAddress,
    fee: amount(held - spent),
    unlockTime: data.unlockTime,
    viewSecret: keys.viewSecret,
  };
}

/** Key images of the outputs that come back, so that the wallet without the spend key sees them spent later. */
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
 * Signs what another wallet laid out: amounts, receivers and fee as they are there, everything else afresh.
 * @throws RangeError when it contradicts itself, spends what is not ours, or sends change elsewhere.
 * Source: wallet2.cpp `sign_tx`.
 */
export function signOffline(order: OfflineOrder, rng: Rng, curve: Curve = plainCurve): OfflineSigned {
  const { data, located, own, keys } = order;
  const signables: Signable[] = [];
  let signed: SignedTx;
  try {
    data.sources.forEach((source, i) => signables.push(signable(source, located[i], keys)));
    signed = signTransaction(constructTransaction(planOf(order, signables), rng, curve), rng, curve);
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
      txSecretKey: NO_KEY,
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

/** Is this the key that stands where the signer keeps the real one back? */
export const isKeptBack = (key: SecretKey): boolean => equalBytes(key, NO_KEY);

/** Every address that a transaction pays, change among them. */
export const paidAddresses = ({ outputs, change }: ConstructionData, network: NetworkType): Address[] =>
  [...outputs, ...(change.amount === 0n ? [] : [change])].map((entry) => addressOf(entry, network));
