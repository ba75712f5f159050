import { randomSecretKey } from '../../monero/crypto/derivation.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { accountKeysOf, spendSecretFromSeed } from '../../monero/cryptonote/account-keys.js';
import type { Language } from '../../monero/cryptonote/languages.js';
import { isReadByPrefixes } from '../../monero/cryptonote/mnemonic.js';
import { polyseedKey } from '../../monero/cryptonote/polyseed.js';
import { storePolyseed } from '../../monero/cryptonote/polyseed-storage.js';
import { randomPolyseed } from '../../monero/cryptonote/polyseed-words.js';
import { systemClock, unixSeconds } from '../../util/clock.js';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../../model/wallet-error.js';
import { parseAccountKeys } from '../../monero/wallet/key-import.js';
import {
  namesCarrotKeys,
  parseCarrotKeys,
  type CarrotKeyTexts,
} from '../../monero/wallet/carrot-key-import.js';
import type { DaemonConnection } from '../context/daemon-connection.js';
import { assertNoCopy } from '../cluster/local-copy.js';
import { assertFree, type WalletDirectory, type WalletPaths } from '../context/wallet-directory.js';
import type { OpenWallet } from '../open-wallet.js';
import { assertForkRules, carrotKeys, randomMasterSecret, walletFromMasterSeed } from './carrot-creation.js';
import type { LoweredHeight, NewHeights } from './new-heights.js';
import type { Holder, OpenWallets } from './open-wallets.js';
import type { ServerSettings } from './server-settings.js';
import {
  requireLanguage,
  requirePolyseedLanguage,
  walletFromMultisigSeed,
  walletFromSeed,
  type KeyHierarchy,
  type MultisigRestoreRequest,
  type UnlocatedWallet,
  type RestoreRequest,
} from './wallet-restore.js';

/** Request to create a wallet from random keys. */
export interface CreateRequest {
  /** Name of the wallet; empty for a wallet in memory. */
  readonly filename: string;
  readonly password: string;
  readonly language: string;
  /** True for a Polyseed of 16 words in place of a seed of 25 words. */
  readonly polyseed?: boolean;
  /** Absent: `legacy`. */
  readonly hierarchy?: KeyHierarchy;
}

/** Request to create a wallet from given keys. */
export interface GenerateRequest {
  readonly filename: string;
  readonly password: string;
  readonly keys: CarrotKeyTexts;
  readonly restoreHeight: number;
  /** Language of the seed; empty: no language is stored. */
  readonly language: string;
}

/** A wallet that was created from given keys and opened. */
export interface CreatedWallet {
  readonly address: string;
  /** Present if the wallet is scanned from a lower height than requested. */
  readonly lowered?: LoweredHeight;
}

/** Creates wallets from random keys, seeds or given keys, and opens them for a holder. */
export class WalletCreation {
  readonly #settings: ServerSettings;
  readonly #daemon: DaemonConnection;
  readonly #wallets: OpenWallets;
  readonly #holder: Holder;
  readonly #heights: NewHeights;

  constructor(
    settings: ServerSettings,
    daemon: DaemonConnection,
    wallets: OpenWallets,
    holder: Holder,
    heights: NewHeights,
  ) {
    this.#settings = settings;
    this.#daemon = daemon;
    this.#wallets = wallets;
    this.#holder = holder;
    this.#heights = heights;
  }

  /**
   * Creates a wallet from random keys. @throws WalletError `wallet_exists`, `keys_file_exists`, `unknown_language`;
   * `invalid` for an account of the fork without its rules, or with a Polyseed
   */
  async create({ filename, password, language, ...kind }: CreateRequest): Promise<void> {
    const { polyseed = false, hierarchy = 'legacy' } = kind;
    if (hierarchy === 'carrot') {
      assertForkRules(this.#settings);
      if (polyseed)
        throw new WalletError({ kind: 'invalid', reason: 'a Polyseed gives an account with the old keys' });
    }
    const paths = this.#locateNew(filename);
    const { rng } = this.#settings;
    const make = hierarchy === 'carrot' ? randomCarrotKeys : polyseed ? randomPolyseedKeys : randomKeys;
    const seeded = make(rng, language);
    const restoreHeight = await this.#heights.ofNewKeys();
    await this.#add(paths, { ...seeded, password, restoreHeight });
  }

  /**
   * Restores a wallet from its seed. @returns the wallet, and the seed without its offset.
   * @throws WalletError `bad_seed`, `wallet_exists`, `keys_file_exists`; `invalid` for an account of the fork without its rules
   */
  async restore(
    request: RestoreRequest,
  ): Promise<CreatedWallet & { readonly seed: string; readonly deprecated: boolean }> {
    const { hierarchy = 'legacy' } = request;
    if (hierarchy === 'carrot') assertForkRules(this.#settings);
    const paths = this.#locateUnused(request.filename);
    const { wallet, seed, deprecated } =
      hierarchy === 'carrot' ? walletFromMasterSeed(request) : await walletFromSeed(request);
    return { ...(await this.#addFrom(request.restoreHeight, paths, wallet)), seed, deprecated };
  }

  /**
   * Restores a multisig participant. @returns the wallet, whose address is the address of the group.
   * @throws WalletError `bad_seed`, `wallet_exists`, `keys_file_exists`
   */
  async restoreMultisig(request: MultisigRestoreRequest): Promise<CreatedWallet> {
    const paths = this.#locateUnused(request.filename);
    return this.#addFrom(request.restoreHeight, paths, walletFromMultisigSeed(request));
  }

  /**
   * Creates a wallet from given keys.
   * @throws WalletError `invalid` for keys that do not belong together, `wallet_exists`,
   * `keys_file_exists`
   */
  async generateFromKeys(request: GenerateRequest): Promise<CreatedWallet & { readonly viewOnly: boolean }> {
    const isCarrot = namesCarrotKeys(request.keys);
    if (isCarrot) assertForkRules(this.#settings);
    const paths = this.#locateUnused(request.filename);
    const { password, restoreHeight } = request;
    const { network } = this.#settings;
    const given: Pick<UnlocatedWallet, 'keys' | 'carrot'> = isCarrot
      ? carrotKeys(parseCarrotKeys(request.keys, network))
      : { keys: parseAccountKeys(request.keys, network) };
    const language = request.language === '' ? undefined : requireLanguage(request.language);
    const created = await this.#addFrom(restoreHeight, paths, {
      ...given,
      language,
      password,
      restoreHeight,
    });
    const viewOnly = given.keys.spendSecret === undefined && given.carrot?.tier !== 'master';
    return { ...created, viewOnly };
  }

  /**
   * Creates and opens a wallet that is scanned from the requested height, or from a lower height if the chain ends
   * below it. Without a requested height (0), a wallet that knows its age is scanned from the height at its time of
   * creation.
   */
  async #addFrom(
    asked: number,
    paths: WalletPaths | undefined,
    wallet: UnlocatedWallet,
  ): Promise<CreatedWallet> {
    const { restoreHeight, lowered } =
      asked === 0 && wallet.createdAt !== undefined
        ? await this.#heights.ofDatedKeys(wallet.createdAt)
        : await this.#heights.ofGivenKeys(asked);
    const { accounts } = await this.#add(paths, { ...wallet, restoreHeight, hasHistory: true });
    return {
      address: accounts.address({ major: 0, minor: 0 }),
      ...(lowered === undefined ? {} : { lowered }),
    };
  }

  async #add(paths: WalletPaths | undefined, wallet: UnlocatedWallet): Promise<OpenWallet> {
    const created = await this.#wallets.create({ ...wallet, paths }, this.#holder);
    if (this.#daemon.address !== undefined && wallet.carrot?.tier !== 'generate-address')
      await this.#deriveLookahead(created);
    return created;
  }

  /** Derives the lookahead of a new wallet. After a failure, the first refresh derives it. */
  async #deriveLookahead(wallet: OpenWallet): Promise<void> {
    try {
      await wallet.sync.watched.derive();
    } catch (error) {
      this.#settings.log.warn(
        { err: error, name: wallet.name },
        'deriving the lookahead addresses of a new wallet failed; its first refresh derives them',
      );
    }
  }

  #directory(): WalletDirectory {
    if (this.#settings.directory === undefined) throw new WalletError({ kind: 'no_wallet_dir' });
    return this.#settings.directory;
  }

  /** Returns the paths of a new wallet; undefined for a wallet in memory. @throws WalletError `bad_wallet_name` */
  #locateNew(filename: string): WalletPaths | undefined {
    const directory = this.#directory();
    return filename === '' ? undefined : directory.locateNew(filename);
  }

  /**
   * Returns paths as {@link #locateNew}, and checks that the files do not exist: some methods of the reference check
   * the files before the keys.
   * @throws WalletError `wallet_exists`, `keys_file_exists`, `bad_cluster_request`
   */
  #locateUnused(filename: string): WalletPaths | undefined {
    const paths = this.#locateNew(filename);
    if (paths === undefined) return undefined;
    if (this.#settings.cluster === undefined) assertNoCopy(paths);
    assertFree(paths);
    return paths;
  }
}

/** Random keys, and the stored parts of their seed. */
type SeededKeys = Pick<UnlocatedWallet, 'keys' | 'language' | 'polyseed' | 'carrot'>;

function randomKeys(rng: Rng, languageName: string): SeededKeys {
  const language = requireLanguage(languageName);
  return { keys: accountKeysOf(randomSpendSecret(rng, language)), language };
}

function randomPolyseedKeys(rng: Rng, languageName: string): SeededKeys {
  const language = requirePolyseedLanguage(languageName);
  const seed = randomPolyseed(rng, unixSeconds(systemClock), language);
  const keys = accountKeysOf(spendSecretFromSeed(polyseedKey(seed)));
  return { keys, language, polyseed: storePolyseed(seed) };
}

function randomCarrotKeys(rng: Rng, languageName: string): SeededKeys {
  const language = requireLanguage(languageName);
  return { ...carrotKeys({ tier: 'master', masterSecret: randomMasterSecret(rng, language) }), language };
}

/** Generates the spend key of a new wallet, until other wallets would read its seed in the same language. */
export function randomSpendSecret(rng: Rng, language: Language): SecretKey {
  for (;;) {
    const secret = randomSecretKey(rng);
    if (isReadByPrefixes(secret, language)) return secret;
  }
}
