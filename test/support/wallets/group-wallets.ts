import type { KeyImage } from '../../../src/monero/crypto/types.js';
import { MultisigInfoTransfer } from '../../../src/services/multisig/multisig-info.js';
import { sealMultisig, MultisigSigning } from '../../../src/services/multisig/multisig-signing.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import { PaymentMaker } from '../../../src/services/payments/payment-maker.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { toHex } from '../../../src/util/bytes.js';
import { systemRng, type Rng } from '../../../src/util/random.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { planTransfers } from '../../../src/monero/wallet/select/transfer-plan.js';
import type { Spender } from '../../../src/model/spender.js';
import type { Payee } from '../../../src/monero/wallet/select/transfer-request.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';
import { sharedOutput } from '../../monero/wallet/multisig/shared-outputs.js';
import { CHAIN_HEIGHT, ringAnswers } from './paid-outputs.js';
import { groupKeys, ServiceWallet } from './service-wallet.js';

/** The wallets of all participants of a multisig group, which have received the same outputs. */
export interface GroupWallets {
  readonly wallets: readonly ServiceWallet[];
  /** Without key images. */
  readonly outputs: readonly OwnedOutput[];
}

/** One participant with its services. */
export class GroupMember {
  readonly wallet: ServiceWallet;
  readonly info: MultisigInfoTransfer;
  readonly payments: PaymentMaker;
  readonly signing: MultisigSigning;

  constructor(wallet: ServiceWallet) {
    this.wallet = wallet;
    const { accounts, sync } = wallet;
    this.info = new MultisigInfoTransfer(wallet, { sync });
    this.payments = new PaymentMaker(wallet, {
      accounts,
      feeEstimator: new FeeEstimator(wallet),
      mempool: new MempoolTracker(wallet),
      relay: new PaymentRelay(wallet),
      sealMultisig: (txs) => sealMultisig(wallet, txs),
      sealUnsigned: () => Promise.reject(new Error('nothing is unsigned')),
    });
    this.signing = new MultisigSigning(wallet, { accounts, payments: this.payments });
  }

  /** Proposes a payment. @returns the sealed set in hex, for the other signers. */
  async propose(payee: Payee, spender?: Spender, unlockTime = 0n): Promise<string> {
    const { multisigSet = new Uint8Array() } = await this.payments.make(
      { account: 0, unlockTime, priority: 1, doNotRelay: false, withMetadata: false, spender },
      ({ rates, priority }) =>
        planTransfers(
          { payees: [payee], account: 0, priority, unlockTime },
          this.payments.planner.spendableOutputs(0, []),
          rates,
          systemRng,
        ),
    );
    return toHex(multisigSet);
  }

  /** Key images of its outputs, in their order. */
  keyImages(): (KeyImage | undefined)[] {
    return this.wallet.store.read((r) => r.outputs.inOrder().map(({ keyImage }) => keyImage));
  }

  /** Number of unused nonces of each output. */
  nonces(): number[] {
    return this.wallet.store.read((r) =>
      r.outputs.inOrder().map(({ publicKey }) => r.multisig.nonces(publicKey).length),
    );
  }
}

/** Has all members export info and import that of the others. */
export async function exchangeInfo(members: readonly GroupMember[]): Promise<string[]> {
  const infos: string[] = [];
  for (const member of members) infos.push(toHex(await member.info.export()));
  for (const member of members) await member.info.import(infos, false);
  return infos;
}

/**
 * Makes the wallets of a multisig group, which all own the same outputs.
 * @param values of the outputs, one in each block from the first on.
 */
export function groupWallets(
  m: number,
  n: number,
  values: readonly bigint[],
  rng: Rng,
  accounts = groupOf(randomSigners(n, rng), m, rng),
): GroupWallets {
  const [first] = accounts;
  if (first === undefined) throw new Error('a group');
  const outputs = values.map((value, i): OwnedOutput => {
    const { output } = sharedOutput(first, value, i + 1, rng);
    return { ...output, globalIndex: i + 1, height: i + 1 };
  });
  const wallets = accounts.map((account) => {
    const wallet = new ServiceWallet(groupKeys(account));
    wallet.receive(outputs, CHAIN_HEIGHT);
    wallet.answers = ringAnswers(outputs, CHAIN_HEIGHT);
    return wallet;
  });
  return { wallets, outputs };
}
