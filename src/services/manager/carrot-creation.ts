import { CARROT_FORK } from '../../monero/fork-rules.js';
import { tierKeysOf, type AccountSecrets } from '../../monero/carrot/account-secrets.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { OLD_ENGLISH, type Language } from '../../monero/cryptonote/languages.js';
import { decodeMnemonic, encodeMnemonic, isReadByPrefixes } from '../../monero/cryptonote/mnemonic.js';
import { hasPolyseedLength } from '../../monero/cryptonote/polyseed-words.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Rng } from '../../util/random.js';
import { asSeed } from '../context/seed-words.js';
import type { ServerSettings } from './server-settings.js';
import type { RestoreRequest, SeedWallet, UnlocatedWallet } from './wallet-restore.js';

/**
 * Checks that the server knows the rules of the fork, without which an account of the fork receives nothing in the new form.
 * @throws WalletError `invalid`
 */
export function assertForkRules({ newestFork }: Pick<ServerSettings, 'newestFork'>): void {
  if (newestFork < CARROT_FORK)
    throw new WalletError({
      kind: 'invalid',
      reason:
        'accounts with the keys of the next fork need its rules: start the server with --fork-rules (docs/fork.md)',
    });
}

/** Returns the keys of a new wallet of an account of the fork. @throws RangeError as `tierKeysOf`. */
export function carrotKeys(secrets: AccountSecrets): Required<Pick<UnlocatedWallet, 'keys' | 'carrot'>> {
  const { spendPublicKey, mainViewKey, viewSecret } = tierKeysOf(secrets);
  return {
    keys: {
      spendPublicKey,
      viewPublicKey: mainViewKey,
      viewSecret: viewSecret ?? (new Uint8Array(32) as SecretKey),
    },
    carrot: secrets,
  };
}

/** Draws a master secret whose words other wallets read in the same language. */
export function randomMasterSecret(rng: Rng, language: Language): Uint8Array {
  for (;;) {
    const secret = rng(32);
    if (isReadByPrefixes(secret, language)) return secret;
  }
}

const badSeed = (reason: string): WalletError => new WalletError({ kind: 'bad_seed', reason });

/**
 * Derives an account of the fork from the 25 words of its master secret. The words do not tell the kind of the account: those
 * of an account with the old keys give another, empty account.
 * @throws WalletError `bad_seed`
 */
export function walletFromMasterSeed(request: RestoreRequest): SeedWallet {
  const { seed, seedOffset, password, restoreHeight } = request;
  if (hasPolyseedLength(seed)) throw badSeed('a Polyseed gives an account with the old keys');
  if (seedOffset !== '') throw badSeed('the seed of an account of the fork has no offset');
  const { seed: masterSecret, language, deprecated } = asSeed(() => decodeMnemonic(seed));
  if (deprecated || language === OLD_ENGLISH)
    throw badSeed('the seed of an account of the fork has 25 words with a checksum');
  const keys = carrotKeys({ tier: 'master', masterSecret });
  return {
    wallet: { ...keys, language, password, restoreHeight },
    seed: encodeMnemonic(masterSecret, language),
    deprecated: false,
  };
}
