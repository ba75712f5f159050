import type { Curve } from '../../crypto/curve/curve.js';
import { isInMainSubgroup } from '../../crypto/curve/points.js';
import { bytesToInt } from '../../crypto/scalar.js';
import type { SecretKey } from '../../crypto/types.js';
import { parseExtra, paymentIdOf } from '../../cryptonote/extra.js';
import { prefixHash, txPrefix } from '../../cryptonote/transaction.js';
import type { Address, NetworkType, PaymentId, Transaction, TxPrefix } from '../../cryptonote/types.js';
import { verifyRange } from '../../ringct/bulletproofs-plus.js';
import { ClsagChallenger } from '../../ringct/clsag-multisig.js';
import { rctBase } from '../../ringct/codec.js';
import { amountsBalance, commit } from '../../ringct/commitment.js';
import { preMlsagHash } from '../../ringct/message.js';
import type { Clsag, RctBase, RctPrunable } from '../../ringct/types.js';
import { amount, U64_MAX } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';
import { encode } from '../../../util/codec.js';
import { systemRng } from '../../../util/random.js';
import type { ConstructionData, SourceEntry } from '../exchange/construction-data.js';
import { keyInputOf } from '../build/construction.js';
import { layOutOutputs, type LaidOutOutputs } from '../build/output-layout.js';
import { recordedKeyImage, type PendingTx } from '../exchange/pending-tx.js';
import { addressOf } from '../exchange/transfer-description.js';
import { sameAddress } from '../select/transfer-request.js';
import { sortedSources } from './tx-set.js';
import { multisigTxSecrets } from './proposal.js';

/** A transaction of another signer, reconstructed from its construction data. */
export interface Reconstruction {
  readonly prefix: TxPrefix;
  readonly base: RctBase;
  /** Prunable part with the received ring signatures. */
  readonly prunable: RctPrunable;
  /** Sources in the order of the inputs. */
  readonly sources: readonly SourceEntry[];
  readonly challengers: readonly ClsagChallenger[];
}

/** Keys and addresses of this wallet that a reconstruction needs. */
export interface ReconstructionKeys {
  readonly network: NetworkType;
  readonly viewSecret: SecretKey;
  /** Primary address of the paying account. */
  readonly changeAddress: Address;
}

const bad = (reason: string): RangeError => new RangeError(reason);

function feeOf({ sources, outputs }: ConstructionData): bigint {
  const amountIn = sources.reduce((sum, source) => sum + source.amount, 0n);
  const fee = amountIn - outputs.reduce((sum, output) => sum + output.amount, 0n);
  if (fee < 0n || fee > U64_MAX) throw bad('it pays out more than it spends');
  return fee;
}

/** Returns the payment id in the construction data, which is not encrypted there. */
function paymentIdOfExtra(extra: Uint8Array): PaymentId | undefined {
  const { fields, complete } = parseExtra(extra);
  const known = fields.every(({ type }) => ['publicKey', 'additionalKeys', 'nonce'].includes(type));
  const id = paymentIdOf(fields);
  const nonces = fields.filter(({ type }) => type === 'nonce').length;
  if (!complete || !known || nonces > 1 || (nonces === 1 && id === undefined) || id?.kind === 'long')
    throw bad('its extra field has unknown content');
  return id?.id;
}

/**
 * Computes the outputs with tx secret keys derived from the inputs. Source: multisig_tx_builder_ringct.cpp
 * `compute_keys_for_destinations`.
 */
function outputsOf(
  { construction, txSecretKey, additionalSecretKeys, multisigEntropy }: PendingTx,
  sources: readonly SourceEntry[],
  { network, viewSecret, changeAddress }: ReconstructionKeys,
  curve: Curve,
): LaidOutOutputs {
  const { outputs, change, extra } = construction;
  if (multisigEntropy.every((byte) => byte === 0)) throw bad('it is of an old format without entropy');
  const targets = outputs.map((entry) => ({
    address: addressOf(entry, network),
    amount: amount(entry.amount),
  }));
  if (change.amount > 0n) {
    if (!sameAddress(change.address, changeAddress)) throw bad('its change is not paid to this wallet');
    if (!targets.some(({ address }) => sameAddress(address, changeAddress)))
      throw bad('its change is not among its outputs');
  }
  const laidOut = layOutOutputs(
    {
      targets,
      recipients: targets.map(({ address }) => address),
      changeAddress: addressOf(change, network),
      viewSecret,
      paymentId: paymentIdOfExtra(extra),
    },
    multisigTxSecrets(multisigEntropy, sources.map(recordedKeyImage)),
    curve,
  );
  const keys = [laidOut.txSecretKey, ...laidOut.additionalSecretKeys];
  const claimed = [txSecretKey, ...additionalSecretKeys];
  if (keys.length !== claimed.length || !keys.every((key, i) => equalBytes(key, claimed[i] as SecretKey)))
    throw bad('its tx secret keys are not derived from its inputs');
  return laidOut;
}

function prunableOf({ rct }: Transaction, inputs: number): RctPrunable {
  const prunable = rct?.prunable;
  if (rct?.base.type !== 6 || prunable === undefined) throw bad('the network does not accept its type');
  if (prunable.clsags.length !== inputs || prunable.pseudoOuts.length !== inputs)
    throw bad('it does not have one ring signature per input');
  return prunable;
}

function assertProven(base: RctBase, prunable: RctPrunable, curve: Curve): void {
  const [proof, second] = prunable.bulletproofsPlus;
  if (
    proof === undefined ||
    second !== undefined ||
    !verifyRange([{ proof, commitments: base.outPk }], systemRng, curve)
  )
    throw bad('its range proof is invalid');
  if (!amountsBalance(prunable.pseudoOuts, base.outPk, base.fee, curve))
    throw bad('its amounts do not balance');
}

function challengerOf(
  source: SourceEntry,
  clsag: Clsag,
  pseudoOut: RctPrunable['pseudoOuts'][number],
  message: ReturnType<typeof preMlsagHash>,
  curve: Curve,
): ClsagChallenger {
  const keyImage = recordedKeyImage(source);
  if (!isInMainSubgroup(keyImage, curve)) throw bad('a key image is not in the prime-order subgroup');
  const { ring, realIndex } = source;
  return new ClsagChallenger(
    { message, ring, realIndex, keyImage, D: clsag.D, pseudoOut, s: clsag.s },
    curve,
  );
}

function assertSource({ ring, realIndex, amount: value, mask, rct }: SourceEntry): void {
  const real = ring[realIndex];
  const opened = commit(amount(value), bytesToInt(mask));
  if (!rct || real === undefined || !equalBytes(opened, real.commitment))
    throw bad('the amount of a source does not match its commitment');
  if (ring.some(({ globalIndex }, i) => globalIndex <= (ring[i - 1]?.globalIndex ?? -1)))
    throw bad('the members of a ring are not in ascending order');
}

/**
 * Reconstructs a transaction from its record and verifies that both agree: inputs, receivers, amounts, tx secret keys
 * that are derived from the inputs, and valid proofs.
 * @throws RangeError if they differ. The error's text is a predicate whose subject is the transaction. Source:
 * multisig_tx_builder_ringct.cpp `init` with `reconstruction`.
 */
export function reconstruct(pending: PendingTx, keys: ReconstructionKeys, curve: Curve): Reconstruction {
  const { construction, tx } = pending;
  if (!construction.flags.rct) throw bad('the network does not accept its type');
  const fee = amount(feeOf(construction));
  const sources = sortedSources(construction.sources);
  sources.forEach(assertSource);
  const laidOut = outputsOf(pending, sources, keys, curve);
  const prefix: TxPrefix = {
    version: 2,
    unlockTime: construction.unlockTime,
    inputs: sources.map((source) =>
      keyInputOf({
        ring: {
          members: source.ring.map((member) => ({ ...member, unlocked: true })),
          realIndex: source.realIndex,
        },
        keyImage: recordedKeyImage(source),
      }),
    ),
    outputs: laidOut.txOutputs,
    extra: laidOut.extra,
  };
  const prunable = prunableOf(tx, sources.length);
  const base: RctBase = {
    type: 6,
    fee,
    pseudoOuts: [],
    ecdhInfo: laidOut.outputs.map(({ encryptedAmount }) => ({ amount: encryptedAmount })),
    outPk: laidOut.outputs.map((output) => commit(output.amount, output.mask)),
  };
  assertSame(tx, prefix, base);
  assertProven(base, prunable, curve);
  const message = preMlsagHash(prefixHash(prefix), base, prunable, sources.length, prefix.outputs.length);
  const challengers = sources.map((source, i) => {
    const [clsag, pseudoOut] = [prunable.clsags[i], prunable.pseudoOuts[i]];
    if (clsag === undefined || pseudoOut === undefined)
      throw bad('it does not have one ring signature per input');
    return challengerOf(source, clsag, pseudoOut, message, curve);
  });
  return { prefix, base, prunable, sources, challengers };
}

/**
 * Checks that the received transaction equals the reconstructed transaction.
 * @throws RangeError if the transactions differ.
 */
function assertSame(tx: Transaction, prefix: TxPrefix, base: RctBase): void {
  const [inputs, outputs] = [prefix.inputs.length, prefix.outputs.length];
  const codec = rctBase(inputs, outputs);
  const same =
    equalBytes(encode(txPrefix, tx.prefix), encode(txPrefix, prefix)) &&
    tx.rct !== undefined &&
    equalBytes(encode(codec, tx.rct.base), encode(codec, base));
  if (!same) throw bad('its record makes another transaction than the one it contains');
}
