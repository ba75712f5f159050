import { feePerByte, type FeeRates } from '../../src/cryptonote/fees.js';
import { formatAddress } from '../../src/cryptonote/address.js';
import type { Address } from '../../src/cryptonote/types.js';
import { amount, ZERO } from '../../src/util/amount.js';
import type { Rng } from '../../src/util/random.js';
import { chooseRings, GammaPicker } from '../../src/wallet/decoys.js';
import { buildTransaction, type SignedTx } from '../../src/wallet/signing.js';
import { planTransfers } from '../../src/wallet/transfer-plan.js';
import { isUnlocked } from '../../src/wallet/unlock.js';
import { fetchDistribution, fetchOutputs, type ChainWallet } from './chain-wallet.js';
import type { Monerod } from './monerod.js';

export interface PaymentWish {
  readonly to: readonly (readonly [Address, bigint])[];
  readonly unlockTime?: bigint;
  /** 1 to 4. */
  readonly priority?: number;
}

/** Makes a payment that the daemon has not seen yet; what it spends is spent for the wallet. */
export async function makePayment(
  daemon: Omit<Monerod, 'stop'>,
  from: ChainWallet,
  { to, unlockTime = 0n, priority = 1 }: PaymentWish,
  rng: Rng,
): Promise<SignedTx> {
  const { fees, quantization_mask } = await daemon.rpc('get_fee_estimate');
  const rates: FeeRates = {
    perByte: (fees as number[]).map(BigInt),
    quantizationMask: BigInt(quantization_mask),
  };
  const { height, adjusted_time } = await daemon.rpc('get_info');
  const unspent = from.unspent().filter((output) => isUnlocked(output, height, adjusted_time));
  const payees = to.map(([address, value]) => ({
    address,
    text: formatAddress(address),
    amount: amount(value),
  }));
  const [planned] = planTransfers({ account: 0, priority, unlockTime, payees }, unspent, ZERO, rates, rng);
  if (planned === undefined) throw new Error('no transaction was planned');
  const picker = new GammaPicker(await fetchDistribution(daemon), rng);
  const rings = await chooseRings(planned.inputs, picker, (indices) => fetchOutputs(daemon, indices));
  const inputs = rings.flatMap((ring, i) => {
    const output = planned.inputs[i];
    return output === undefined ? [] : [from.spendable(output, ring)];
  });
  const signed = buildTransaction(
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
  );
  from.markSpent(inputs.map(({ keyImage }) => keyImage));
  return signed;
}
