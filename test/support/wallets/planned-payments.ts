import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { PaymentBuilder } from '../../../src/services/payments/payment-builder.js';
import type { PaymentOptions, PaymentMaker } from '../../../src/services/payments/payment-maker.js';
import { PaymentPlanner } from '../../../src/services/payments/payment-planner.js';
import type { MadePayments } from '../../../src/model/made-payment.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type { SpendableOutput } from '../../../src/monero/wallet/select/spendable-outputs.js';
import type { PaymentPlan } from '../../../src/monero/wallet/select/transfer-plan.js';
import { ownedOutput } from '../../monero/wallet/fixtures.js';
import { FEES } from './paid-outputs.js';
import type { ServiceWallet } from './service-wallet.js';

/** Payment maker that keeps the plan of each payment in place of signing it. */
export class PlannedPayments {
  readonly options: PaymentOptions[] = [];
  readonly planned: PaymentPlan<SpendableOutput>[] = [];
  readonly maker: PaymentMaker;
  constructor(wallet: ServiceWallet) {
    const builder = new PaymentBuilder(wallet, wallet);
    const make = (options: PaymentOptions, plan: Parameters<PaymentMaker['make']>[1]) =>
      this.#make(options, plan);
    const makeNone = () => Promise.resolve({ payments: [] });
    this.maker = { builder, planner: new PaymentPlanner(wallet), make, makeNone } as unknown as PaymentMaker;
  }

  async #make(options: PaymentOptions, plan: Parameters<PaymentMaker['make']>[1]): Promise<MadePayments> {
    this.options.push(options);
    const priority = options.priority === 0 ? 1 : options.priority;
    this.planned.push(...(await plan({ rates: FEES, priority })));
    return { payments: [] };
  }

  /** Names of the inputs of every planned transaction. */
  get inputs(): string[] {
    return this.planned.flatMap(({ inputs }) => inputs.map(({ globalIndex }) => String(globalIndex)));
  }
}

/** An output with made-up keys, others for each number. */
export function numberedOutput(n: number, value: bigint, facts: Partial<OwnedOutput> = {}): OwnedOutput {
  const key = <T>(role: number): T => {
    const bytes = new Uint8Array(32).fill(role);
    new DataView(bytes.buffer).setUint32(0, n);
    return bytes as T;
  };
  return ownedOutput(value, {
    ...{ txHash: key<Hash>(1), publicKey: key<PublicKey>(2), keyImage: key<KeyImage>(3) },
    ...{ globalIndex: n, height: n },
    ...facts,
  });
}
