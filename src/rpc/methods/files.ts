import * as z from 'zod';
import { flag, height, invalidParams, params, text } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import type { LoweredHeight } from '../../services/manager/new-heights.js';
import { WalletError } from '../../model/wallet-error.js';
import { type Kind, DAEMON } from '../faults/fault-entry.js';
import { ADDITION, defineMethod, type Context, type WalletMethod } from '../method.js';

/** Parameters for the files of a new wallet. */
const newFileParams = {
  filename: text
    .default('')
    .describe('Name of the new wallet in the wallet directory; empty: a wallet in memory only'),
  password: text.default('').describe('Password of the new wallet'),
};

/** Parameters for the height from which a wallet is scanned; the reference has no `restore_date`. */
const restoreParams = {
  restore_height: height.default(0).describe('Height of the first block to scan'),
  restore_date: text
    .optional()
    .describe(
      'Date of the first block to scan, YYYY-MM-DD in UTC, in place of restore_height; absent: restore_height',
    ),
};

/** Parameters of the seed that a wallet is restored from. */
const seedParams = {
  seed: text
    .default('')
    .describe('Mnemonic seed or Polyseed; with enable_multisig_experimental the multisig seed in hex'),
  seed_offset: text
    .default('')
    .describe('Offset that the seed was encrypted with, or passphrase of an encrypted Polyseed; empty: none'),
  enable_multisig_experimental: flag.default(false).describe('The seed is a multisig seed'),
};

/** Parameter of the kind of account. */
const hierarchyParam = {
  key_hierarchy: z
    .enum(['legacy', 'carrot'])
    .default('legacy')
    .describe(
      'Kind of keys of the account: legacy, those that every account has had; carrot, those of the next fork (docs/fork.md), with --fork-rules alone',
    ),
};

/** Parameters of the keys that a wallet is made of. */
const keyParams = {
  address: text.default('').describe('Primary address; empty: derived from the spend key'),
  viewkey: text.default('').describe('Secret view key as 64 hex digits; empty: derived from the spend key'),
  spendkey: text.default('').describe('Secret spend key as 64 hex digits; empty: the wallet is view-only'),
  master_secret: text.default('').describe('Master secret of an account of the next fork, as 64 hex digits'),
  balance_secret: text
    .default('')
    .describe(
      'View-balance secret of an account of the next fork, as 64 hex digits, with partial_spend_key: the wallet sees all',
    ),
  partial_spend_key: text
    .default('')
    .describe('Partial spend key of the account, as 64 hex digits, which query_key gives'),
  address_secret: text
    .default('')
    .describe(
      'Generate-address secret of an account of the next fork, as 64 hex digits, with address and either viewkey, so that the wallet sees payments, or account_view_key, so that it makes addresses alone',
    ),
  account_view_key: text
    .default('')
    .describe('Account view key of the account, as 64 hex digits, which query_key gives'),
};

/** Parameters that decide the keys of a wallet, by the method that takes them. */
const restoredFrom = { restore_deterministic_wallet: seedParams };
const madeOf = { generate_from_keys: keyParams };

/**
 * Returns the height from which a wallet is scanned. @throws WalletError `invalid` for both a height and a date;
 * DaemonError
 */
async function restoreHeightOf(
  { restore_height, restore_date }: { restore_height: number; restore_date?: string | undefined },
  server: Context['server'],
): Promise<number> {
  if (restore_date === undefined) return restore_height;
  if (restore_height !== 0)
    throw new WalletError({ kind: 'invalid', reason: 'restore_height and restore_date exclude each other' });
  return server.heightOfDate(restore_date);
}

const NOT_OPENED = 'Failed to open wallet';
const EXISTS = 'Wallet already exists.';
const OLD_LANGUAGE_BEGINNING = 'Wallet was using the old seed language';
const OLD_LANGUAGE = `${OLD_LANGUAGE_BEGINNING}. You need to specify a new seed language.`;
const RESTORED = 'Wallet has been restored successfully.';

/** Writes the message for users, with an explanation if the wallet is scanned from another height than requested. */
const infoOf = (done: string, { lowered }: { readonly lowered?: LoweredHeight }): string =>
  lowered === undefined
    ? done
    : `${done} The restore height ${lowered.asked} lies above the newest block (the chain has ${lowered.blocks} blocks): the wallet is scanned from height ${lowered.from}.`;

/** Kinds of faults of every wallet file: another call may close the wallet before its method has answered. */
const FILE = ['bad_wallet_name', 'wallet_locked', 'no_wallet'] as const satisfies readonly Kind[];

/** Kinds of faults of new wallets. */
const NEW_FILE = [
  ...FILE,
  ...DAEMON,
  'wallet_exists',
  'keys_file_exists',
  'bad_cluster_request',
  'unknown_language',
  'invalid',
] as const satisfies readonly Kind[];

/** Methods that create, open and close wallet files. */
export const fileMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'create_wallet',
    summary: 'Creates a wallet and opens it; with an empty filename it exists in memory only.',
    meta: { family: 'admin', needs: 'directory', restricted: true },
    faults: NEW_FILE,
    others: { ...restoredFrom, ...madeOf },
    params: () =>
      params({
        ...newFileParams,
        language: text
          .default('')
          .describe('Language of the mnemonic seed, by its English or its native name; required'),
        seed_type: z
          .enum(['electrum', 'polyseed'])
          .optional()
          .describe('Kind of the seed: electrum has 25 words, polyseed 16; absent: as polyseed says'),
        polyseed: flag
          .default(false)
          .describe(
            'The seed is a Polyseed of 16 words, in a language of get_languages with polyseed; false: 25 words',
          ),
        ...hierarchyParam,
      }),
    result: wire.nothing,
    examples: () => [
      {
        name: 'new wallet',
        params: { filename: 'shop', password: 'secret', language: 'English' },
        result: {},
      },
      {
        name: 'new wallet with a Polyseed',
        params: { filename: 'shop', password: 'secret', language: 'English', polyseed: true },
        result: {},
      },
    ],
    source: 'COMMAND_RPC_CREATE_WALLET, on_create_wallet',
    async handle({ scope }, { seed_type: type, polyseed: flagged, key_hierarchy: hierarchy, ...args }) {
      if (type === 'electrum' && flagged) throw invalidParams('seed_type and polyseed contradict each other');
      const polyseed = flagged || type === 'polyseed';
      const { filename, password, language } = args;
      await scope.createWallet({ filename, password, language, polyseed, hierarchy });
      return {};
    },
  }),

  defineMethod({
    name: 'open_wallet',
    summary:
      'Opens a wallet of the wallet directory. On /json_rpc it becomes the current wallet, and the previous one is closed unless it was also opened under its own path.',
    meta: { family: 'admin', needs: 'directory', restricted: true },
    faults: [...FILE, 'wallet_missing', 'wallet_corrupt', 'wrong_password', 'bad_cluster_request'],
    codes: { wrong_password: -1 },
    // The reference checks for path separators before it opens the file.
    texts: {
      bad_wallet_name: ({ name }) => (name.includes('/') ? 'Invalid filename' : NOT_OPENED),
      wallet_locked: NOT_OPENED,
      wallet_corrupt: NOT_OPENED,
      wrong_password: NOT_OPENED,
    },
    others: { ...restoredFrom, ...madeOf },
    params: () =>
      params({
        filename: text.default('').describe('Name of the wallet in the wallet directory'),
        password: text.default('').describe('Password of the wallet'),
        autosave_current: flag.default(true).describe('Ignored: the previous wallet is always stored'),
      }),
    result: wire.nothing,
    examples: () => [{ name: 'open', params: { filename: 'shop', password: 'secret' }, result: {} }],
    source: 'COMMAND_RPC_OPEN_WALLET, on_open_wallet',
    async handle({ scope }, { filename, password }) {
      await scope.openWallet({ filename, password });
      return {};
    },
  }),

  defineMethod({
    name: 'restore_deterministic_wallet',
    summary:
      'Restores a wallet from its mnemonic seed of 25 words, or its Polyseed of 16 words, and opens it.',
    meta: { family: 'admin', needs: 'directory', restricted: true },
    faults: [...NEW_FILE, 'bad_seed'],
    codes: { wallet_exists: -1 },
    texts: {
      wallet_exists: EXISTS,
      unknown_language: ({ language }) =>
        language === ''
          ? OLD_LANGUAGE
          : `${OLD_LANGUAGE_BEGINNING}, and the specified new seed language is invalid.`,
    },
    others: madeOf,
    params: () =>
      params({
        ...newFileParams,
        seed: seedParams.seed,
        ...restoreParams,
        restore_height: restoreParams.restore_height.describe(
          'Height of the first block to scan; 0: the first block, or for a Polyseed that of its birthday',
        ),
        language: text
          .default('')
          .describe(
            'Language of a seed of the old format, or of a Polyseed whose words several languages have, by its English or its native name; ignored for others',
          ),
        seed_offset: seedParams.seed_offset,
        autosave_current: flag.default(true).describe('Ignored: the previous wallet is always stored'),
        enable_multisig_experimental: seedParams.enable_multisig_experimental,
        key_hierarchy: hierarchyParam.key_hierarchy.describe(
          'Kind of account that the seed gives: legacy or carrot, as it was created. The words do not tell it: a seed gives another account with the other kind',
        ),
      }),
    result: () =>
      wire.object({
        address: wire.text('Primary address'),
        info: wire.text('Message for users'),
        seed: wire.text('Mnemonic seed of 25 words, with the offset removed; of a Polyseed in English'),
        was_deprecated: wire.flag('The seed has an old format; seed is its current one'),
      }),
    source: 'COMMAND_RPC_RESTORE_DETERMINISTIC_WALLET, on_restore_deterministic_wallet',
    async handle({ scope, server }, args) {
      const request = {
        filename: args.filename,
        password: args.password,
        seed: args.seed,
        restoreHeight: await restoreHeightOf(args, server),
      };
      if (args.enable_multisig_experimental) {
        if (args.seed_offset !== '')
          throw new WalletError({
            kind: 'bad_seed',
            reason: 'multisig seeds have no offset',
            text: 'Multisig seeds are not compatible with seed offsets',
          });
        if (args.key_hierarchy === 'carrot')
          throw new WalletError({
            kind: 'bad_seed',
            reason: 'a multisig seed gives an account with the old keys',
          });
        const group = await scope.restoreMultisig(request);
        return { address: group.address, info: infoOf(RESTORED, group), seed: '', was_deprecated: false };
      }
      const restored = await scope.restoreWallet({
        ...request,
        language: args.language,
        seedOffset: args.seed_offset,
        hierarchy: args.key_hierarchy,
      });
      return {
        address: restored.address,
        info: infoOf(RESTORED, restored),
        seed: restored.seed,
        was_deprecated: restored.deprecated,
      };
    },
  }),

  defineMethod({
    name: 'generate_from_keys',
    summary:
      'Creates a wallet from its keys and opens it; without the spend key it is view-only; it finds payments to 200 addresses of 50 accounts, and to further ones once create_address with count or create_account has made them again.',
    meta: { family: 'admin', needs: 'directory', restricted: true },
    faults: [...NEW_FILE, 'wrong_address'],
    codes: { wallet_exists: -1 },
    texts: { wallet_exists: EXISTS, unknown_language: 'The specified seed language is invalid.' },
    others: { restore_deterministic_wallet: { ...seedParams, ...hierarchyParam } },
    params: () =>
      params({
        ...newFileParams,
        ...keyParams,
        ...restoreParams,
        language: text
          .default('')
          .describe('Language of the mnemonic seed, by its English or its native name'),
        autosave_current: flag.default(true).describe('Ignored: the previous wallet is always stored'),
      }),
    result: () =>
      wire.object({ address: wire.text('Primary address'), info: wire.text('Message for users') }),
    source: 'COMMAND_RPC_GENERATE_FROM_KEYS, on_generate_from_keys',
    async handle({ scope, server }, args) {
      const { address, viewOnly, ...created } = await scope.generateFromKeys({
        filename: args.filename,
        password: args.password,
        keys: {
          ...{ address: args.address, viewKey: args.viewkey, spendKey: args.spendkey },
          ...{ masterSecret: args.master_secret, balanceSecret: args.balance_secret },
          ...{ partialSpendKey: args.partial_spend_key, addressSecret: args.address_secret },
          accountViewKey: args.account_view_key,
        },
        restoreHeight: await restoreHeightOf(args, server),
        language: args.language,
      });
      const kind = viewOnly ? 'Watch-only wallet' : 'Wallet';
      return { address, info: infoOf(`${kind} has been generated successfully.`, created) };
    },
  }),

  defineMethod({
    name: 'close_wallet',
    summary: 'Closes the wallet; on /json_rpc, a wallet also opened under its own path stays open there.',
    meta: { family: 'admin', needs: 'wallet', account: 'any', restricted: true },
    faults: [],
    params: () =>
      params({ autosave_current: flag.default(true).describe('Ignored: the wallet is always stored') }),
    result: wire.nothing,
    source: 'COMMAND_RPC_CLOSE_WALLET, on_close_wallet',
    async handle({ scope, wallet }) {
      await scope.closeWallet(wallet);
      return {};
    },
  }),

  defineMethod({
    name: 'change_wallet_password',
    summary: 'Changes the password of the open wallet.',
    meta: { family: 'admin', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['wrong_password'],
    texts: { wrong_password: 'Invalid original password.' },
    params: () =>
      params({
        old_password: text.default('').describe('Password of the wallet'),
        new_password: text.default('').describe('New password'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_CHANGE_WALLET_PASSWORD, on_change_wallet_password',
    async handle({ wallet }, { old_password, new_password }) {
      await wallet.keystore.changePassword(old_password, new_password);
      return {};
    },
  }),

  defineMethod({
    name: 'store',
    summary: 'Writes the open wallet to disk.',
    meta: { family: 'admin', needs: 'wallet', account: 'any', restricted: true },
    faults: [],
    params: () => params({}),
    result: wire.nothing,
    source: 'COMMAND_RPC_STORE, on_store',
    async handle({ wallet }) {
      await wallet.save();
      return {};
    },
  }),

  defineMethod({
    name: 'backup_wallet',
    summary:
      'Writes a checked copy of the wallet, its store and its keys file, to --backup-dir, while it stays in use. Addition of this server.',
    meta: { family: 'admin', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['invalid', 'wallet_locked'],
    params: () => params({}),
    result: () =>
      wire.object({
        directory: wire.text('Directory of the copy'),
        height: wire.uint('Number of blocks known to the copy'),
        bytes: wire.uint('Size of the copy [bytes]'),
      }),
    source: ADDITION,
    async handle({ server, wallet }) {
      const { directory, height, bytes } = await server.backups.write(wallet);
      return { directory, height, bytes };
    },
  }),

  defineMethod({
    name: 'query_key',
    summary: 'Returns a secret key or the mnemonic seed.',
    meta: { family: 'admin', needs: 'wallet', account: 'any', restricted: true },
    faults: [
      'view_only',
      'not_deterministic',
      'multisig_not_ready',
      'wrong_key_type',
      'background_wallet',
      'background_syncing',
      'legacy_account_needed',
      'sees_no_payments',
    ],
    params: () =>
      params({
        key_type: text
          .default('')
          .describe(
            'mnemonic, view_key or spend_key; of an account of the next fork mnemonic, master_secret, balance_secret, view_key or address_secret, or the public keys partial_spend_key and account_view_key, with which generate_from_keys makes wallets of its tiers',
          ),
      }),
    result: () =>
      wire.object({
        key: wire.text('Secret key as 64 hex digits, or the mnemonic seed: 25 words, or 16 of a Polyseed'),
      }),
    source: 'COMMAND_RPC_QUERY_KEY, on_query_key',
    handle({ wallet }, { key_type }) {
      return { key: wallet.keystore.query(key_type) };
    },
  }),
];
