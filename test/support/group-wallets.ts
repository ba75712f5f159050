import type { Rng } from '../../src/util/random.js';
import type { OwnedOutput } from '../../src/wallet/model/records.js';
import { groupOf, randomSigners } from '../wallet/multisig/groups.js';
import { sharedOutput } from '../wallet/multisig/shared-outputs.js';
import { CHAIN_HEIGHT, ringAnswers } from './paid-outputs.js';
import { groupKeys, ServiceWallet } from './service-wallet.js';

/** The wallets of all participants of a multisig group, which have received the same outputs. */
export interface GroupWallets {
  readonly wallets: readonly ServiceWallet[];
  /** Without key images. */
  readonly outputs: readonly OwnedOutput[];
}

/** @param values of the outputs, one in each block from the first on. */
export function groupWallets(m: number, n: number, values: readonly bigint[], rng: Rng): GroupWallets {
  const accounts = groupOf(randomSigners(n, rng), m, rng);
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
