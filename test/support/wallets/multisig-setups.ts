import { MultisigSetup } from '../../../src/services/multisig/multisig-setup.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import {
  openingMessage,
  signerOf,
  type MultisigAccount,
} from '../../../src/monero/wallet/multisig/account.js';
import { holder, type Holder } from '../../monero/wallet/fixtures.js';
import { exchangeRounds } from '../../monero/wallet/multisig/groups.js';
import { seededRng } from '../fakes/seeded-rng.js';
import { ServiceWallet, type ServiceKeys } from './service-wallet.js';

export const rng = seededRng('multisig setup');

/** Wallets of one owner each, that become a group of 2 of 3. */
export const owners: readonly Holder[] = [holder(rng), holder(rng), holder(rng)];

const signers = owners.map(({ spendSecret, viewSecret }) => signerOf(spendSecret, viewSecret));

/** Their messages of round 1. */
export const openingMessages = signers.map((signer) => openingMessage(signer, rng));

/** Their accounts after each round, the first after round 1. */
export const rounds = exchangeRounds(signers, 2, rng);

/** The account of the first owner after a round. @param round 0: the first. */
export function accountIn(round: number): MultisigAccount {
  const account = rounds[round]?.[0];
  if (account === undefined) throw new Error('an account');
  return account;
}

/** The multisig set-up of one wallet in memory. */
export class SetupHome {
  /** Keys files that were given to the wallet. */
  readonly given: KeysFile[] = [];
  readonly wallet: ServiceWallet;
  readonly setup: MultisigSetup;

  /** @param parts of the context, in place of the parts of a wallet in memory. */
  constructor(keys: ServiceKeys, parts: Partial<Pick<ServiceWallet, 'store' | 'keystore'>> = {}) {
    this.wallet = new ServiceWallet(keys);
    const { store, keystore, workers, sync } = this.wallet;
    this.setup = new MultisigSetup(
      { store, keystore, workers, rng, ...parts },
      { sync, rekey: async (change) => void this.given.push(await change()) },
    );
  }
}
