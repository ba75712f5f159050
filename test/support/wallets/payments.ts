import { feePerByte, type FeeRates } from '../../../src/monero/wallet/select/fees.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Address } from '../../../src/monero/cryptonote/types.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { amount } from '../../../src/util/amount.js';
import type { Rng } from '../../../src/util/random.js';
import { constructTransaction } from '../../../src/monero/wallet/build/construction.js';
import { chooseRings, GammaPicker } from '../../../src/monero/wallet/select/decoys.js';
import { settleFee, signTransaction, type SignedTx } from '../../../src/monero/wallet/build/signing.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { planSweep } from '../../../src/monero/wallet/select/sweep-plan.js';
import { planTransfers, type PaymentPlan } from '../../../src/monero/wallet/select/transfer-plan.js';
import { isUnlocked } from '../../../src/monero/cryptonote/unlock-time.js';
import { fetchDistribution, fetchOutputs, type ChainWallet } from './chain-wallet.js';
import { purseOf } from './list-coins.js';
import type { Monerod } from '../processes/monerod.js';
import { seededRng } from '../fakes/seeded-rng.js';

export interface PaymentWish {
  readonly to: readonly (readonly [Address, bigint])[];
  readonly unlockTime?: bigint;
  /** Priority from 1 to 4. */
  readonly priority?: number;
  /**
   * Fixes the transaction key and the order of outputs: payments with the same seed to the same addresses have the same
   * one-time keys, also for change. Absent: random.
   */
  readonly keySeed?: string;
}

/** Sweep of the largest outputs to one address. */
export interface SweepRequest {
  readonly to: Address;
  /** Number of outputs to create. */
  readonly outputs: number;
  /** Maximum number of outputs to spend. */
  readonly inputs: number;
}

type Daemon = Omit<Monerod, 'stop'>;

const curve = loadCurve();

/** Makes an unrelayed payment, and marks its inputs as spent in the wallet. */
export async function makePayment(
  daemon: Daemon,
  from: ChainWallet,
  { to, unlockTime = 0n, priority = 1, keySeed }: PaymentWish,
  rng: Rng,
): Promise<SignedTx> {
  const rates = await fetchRates(daemon);
  const payees = to.map(([address, value]) => ({
    address,
    text: formatAddress(address),
    amount: amount(value),
  }));
  const unspent = await spendableNow(daemon, from);
  const [planned] = planTransfers({ account: 0, priority, unlockTime, payees }, purseOf(unspent), rates, rng);
  return sign(daemon, from, planned, { rates, unlockTime, priority, keySeed }, rng);
}

/** Like {@link makePayment}, for a sweep of the largest outputs. */
export async function makeSweep(
  daemon: Daemon,
  from: ChainWallet,
  { to, outputs, inputs }: SweepRequest,
  rng: Rng,
): Promise<SignedTx> {
  const rates = await fetchRates(daemon);
  const unspent = await spendableNow(daemon, from);
  const request = {
    ...{ account: 0, unlockTime: 0n, priority: 1 },
    ...{ address: to, text: formatAddress(to), outputs },
  };
  const largest = unspent.sort((a, b) => (a.amount > b.amount ? -1 : 1)).slice(0, inputs);
  const [planned] = planSweep(request, largest, rates, rng);
  return sign(daemon, from, planned, { rates, unlockTime: 0n, priority: 1 }, rng);
}

async function fetchRates(daemon: Daemon): Promise<FeeRates> {
  const { fees, quantization_mask } = await daemon.rpc('get_fee_estimate');
  return { perByte: (fees as number[]).map(BigInt), quantizationMask: BigInt(quantization_mask) };
}

async function spendableNow(daemon: Daemon, from: ChainWallet): Promise<OwnedOutput[]> {
  const { height, adjusted_time } = await daemon.rpc('get_info');
  return from.unspent().filter((output) => isUnlocked(output, height, adjusted_time));
}

interface Terms {
  readonly rates: FeeRates;
  readonly unlockTime: bigint;
  readonly priority: number;
  readonly keySeed?: string | undefined;
}

async function sign(
  daemon: Daemon,
  from: ChainWallet,
  planned: PaymentPlan | undefined,
  { rates, unlockTime, priority, keySeed }: Terms,
  rng: Rng,
): Promise<SignedTx> {
  if (planned === undefined) throw new Error('no transaction was planned');
  const picker = new GammaPicker(await fetchDistribution(daemon), rng);
  const { rings } = await chooseRings(
    planned.inputs,
    picker,
    (indices) => fetchOutputs(daemon, indices),
    curve,
  );
  const inputs = rings.flatMap((ring, i) => {
    const output = planned.inputs[i];
    return output === undefined ? [] : [from.spendable(output, ring)];
  });
  const unsigned = settleFee(
    {
      inputs,
      payees: planned.payees,
      feeFrom: planned.feeFrom,
      fee: planned.fee,
      changeAddress: from.address(),
      unlockTime,
      viewSecret: from.viewSecret,
    },
    feePerByte(rates, priority),
    rates,
    rng,
    curve,
    (plan, random) => constructTransaction(plan, keySeed === undefined ? random : seededRng(keySeed), curve),
  );
  const signed = signTransaction(unsigned, rng, curve);
  from.markSpent(inputs.map(({ keyImage }) => keyImage));
  return signed;
}
