import { flag, height, listOf, none, params, text, u32, i8 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { LANGUAGES } from '../../monero/cryptonote/languages.js';
import { POLYSEED_LANGUAGES } from '../../monero/cryptonote/polyseed-languages.js';
import { parseFingerprint } from '../../util/certificates.js';
import { WalletError } from '../../model/wallet-error.js';
import { LATEST_API } from '../api-version.js';
import { DAEMON } from '../faults/fault-entry.js';
import { setting } from '../wire/limits.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';

/** Methods for the server, its daemon and the refresh. */
export const serviceMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_version',
    summary: 'Returns the version of the interface: major in the high 16 bits, minor in the low 16.',
    meta: { family: 'view', needs: 'nothing', restricted: false },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({
        version: wire.u32('Major version in the high 16 bits, minor in the low 16'),
        release: wire.flag('The server is a release'),
      }),
    source: 'COMMAND_RPC_GET_VERSION, on_get_version',
    handle: () => ({ version: LATEST_API, release: true }),
  }),

  defineMethod({
    name: 'get_languages',
    summary: 'Lists the languages of mnemonic seeds, or of Polyseeds.',
    meta: { family: 'view', needs: 'nothing', restricted: false },
    faults: [],
    params: () =>
      params({
        polyseed: flag
          .default(false)
          .describe('The languages of Polyseeds; false: those of seeds of 25 words'),
      }),
    result: () =>
      wire.object({
        languages: wire.list(wire.text('Name'), 'English names; under 1.3, native ones'),
        languages_local: wire.list(wire.text('Name'), 'Native names'),
      }),
    source: 'COMMAND_RPC_GET_LANGUAGES, on_get_languages',
    handle(_, { polyseed }) {
      const languages = polyseed ? POLYSEED_LANGUAGES : LANGUAGES;
      return {
        languages: languages.map(({ englishName }) => englishName),
        languages_local: languages.map(({ name }) => name),
      };
    },
  }),

  defineMethod({
    name: 'set_daemon',
    summary:
      'Sets the daemon of the server, for every wallet that is open or opened later, until the server ends; needs no wallet.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'server',
    faults: ['bad_daemon_settings'],
    params: () =>
      params({
        address: setting.default('').describe('Address of the daemon: host:port, or a URL'),
        username: setting.default('').describe('User name of the login; empty: no login'),
        password: setting.default('').describe('Password of the login'),
        trusted: flag.default(false).describe('The daemon is trusted with the methods that need one'),
        ssl_support: setting
          .default('autodetect')
          .describe('Encryption of the connection: enabled, disabled or autodetect'),
        ssl_private_key_path: setting
          .default('')
          .describe('Path of the private key that the server shows the daemon; empty: none'),
        ssl_certificate_path: setting
          .default('')
          .describe('Path of the certificate that the server shows the daemon; empty: none'),
        ssl_ca_file: setting
          .default('')
          .describe(
            'Path of the certificates of the authorities that the daemon must be certified by; empty: those of the system',
          ),
        ssl_allowed_fingerprints: listOf(setting).describe(
          'SHA-256 fingerprints of the allowed certificates of the daemon as 64 hex digits, with or without colons',
        ),
        ssl_allow_any_cert: flag.default(false).describe('Accepts every certificate of the daemon'),
        proxy: setting.default('').describe('host:port of a SOCKS proxy for the connection; empty: none'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_DAEMON, on_set_daemon',
    async handle({ server }, args) {
      const mode = args.ssl_support;
      if (mode !== 'enabled' && mode !== 'disabled' && mode !== 'autodetect')
        throw new WalletError({
          kind: 'bad_daemon_settings',
          reason: 'ssl_support is one of enabled, disabled, autodetect',
          text: 'Invalid ssl support mode',
        });
      const fingerprints = args.ssl_allowed_fingerprints.flatMap((print) => parseFingerprint(print) ?? []);
      if (fingerprints.length < args.ssl_allowed_fingerprints.length)
        throw new WalletError({
          kind: 'bad_daemon_settings',
          reason: 'a fingerprint has 64 hex digits (SHA-256)',
          text: 'ssl_allowed_fingerprints[] entries must be hex-encoded SHA-256 values',
        });
      const ssl = {
        mode,
        ...(args.ssl_private_key_path === '' ? {} : { privateKeyPath: args.ssl_private_key_path }),
        ...(args.ssl_certificate_path === '' ? {} : { certificatePath: args.ssl_certificate_path }),
        ...(args.ssl_ca_file === '' ? {} : { caFile: args.ssl_ca_file }),
        allowedFingerprints: fingerprints,
        allowChained: true,
        allowAnyCert: args.ssl_allow_any_cert,
      } as const;
      server.setDaemon(
        {
          address: args.address,
          ...(args.username === '' ? {} : { login: { user: args.username, password: args.password } }),
          ...(args.proxy === '' ? {} : { proxy: args.proxy }),
          ssl,
        },
        args.trusted,
      );
      return {};
    },
  }),

  defineMethod({
    name: 'move_wallet',
    summary:
      'Gives a wallet of this process of a cluster to another one. Answers once the move has begun; calls for the wallet wait for its next holder. An addition.',
    meta: { family: 'admin', needs: 'directory', restricted: true },
    actsOn: 'named',
    faults: ['bad_cluster_request', 'wallet_not_open', 'bad_wallet_name'],
    params: () =>
      params({
        filename: text.default('').describe('Name of the wallet; absent: that of the path'),
        to: text
          .optional()
          .describe(
            'Address of the process that gets the wallet, as its --cluster-url; absent: the one with the lowest load',
          ),
      }),
    result: () => wire.object({ holder: wire.text('Address of the process that gets the wallet') }),
    examples: () => [
      {
        name: 'to another process',
        params: { filename: 'shop', to: 'https://10.0.0.2:18083' },
        result: { holder: 'https://10.0.0.2:18083' },
      },
    ],
    source: ADDITION,
    async handle({ server, scope }, { filename, to }) {
      const { cluster } = server.settings;
      if (cluster === undefined)
        throw new WalletError({ kind: 'bad_cluster_request', reason: 'this server is in no cluster' });
      const { held } = scope.wallet(filename === '' ? (scope.name ?? '') : filename);
      if (held === undefined || held.isMoving)
        throw new WalletError({ kind: 'bad_cluster_request', reason: 'the wallet is moving already' });
      return { holder: await cluster.beginMove(held, to) };
    },
  }),

  defineMethod({
    name: 'list_wallets',
    summary:
      'Lists the wallets of the wallet directory, with the state of open ones; in a cluster, all its wallets too. An addition; no password.',
    meta: { family: 'view', needs: 'nothing', restricted: true },
    actsOn: 'directory',
    faults: ['wallet_io'],
    params: () => none,
    result: () =>
      wire.object({
        wallets: wire.list(
          wire.object({
            name: wire.text('Name of the wallet'),
            open: wire.flag('The wallet is open; in a cluster, by any process'),
            height: wire
              .uint('Number of blocks known to the wallet; ones open in this process only')
              .optional(),
            daemon_height: wire.uint('Number of blocks of the daemon; open ones only').optional(),
            view_only: wire.flag('The wallet has no spend key; open ones only').optional(),
            multisig: wire.flag('The wallet is multisig; open ones only').optional(),
            syncing: wire.flag('The wallet is behind the daemon; open ones only').optional(),
            holder: wire
              .text('Address of the process of the cluster that holds the wallet; absent if none does')
              .optional(),
          }),
          'Wallets of the directory, and of the cluster',
        ),
      }),
    examples: () => [
      {
        name: 'an open and a closed wallet',
        params: {},
        result: {
          wallets: [
            {
              name: 'shop',
              open: true,
              height: 3_400_012n,
              daemon_height: 3_400_012n,
              view_only: false,
              multisig: false,
              syncing: false,
            },
            { name: 'savings', open: false },
          ],
        },
      },
    ],
    source: ADDITION,
    handle: async ({ server, scope }) => ({
      wallets: (await server.listWallets())
        .filter(({ name }) => scope.mayKnow(name))
        .map(({ name, open, holder }) => ({
          name,
          open: open !== undefined || holder !== undefined,
          ...(holder === undefined ? {} : { holder }),
          ...(open === undefined
            ? {}
            : {
                height: open.height,
                daemon_height: open.daemonHeight,
                view_only: open.viewOnly,
                multisig: open.multisig,
                syncing: open.syncing,
              }),
        })),
    }),
  }),

  defineMethod({
    name: 'get_height',
    aliases: ['getheight'],
    summary: 'Returns the number of blocks known to the wallet.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({
        height: wire.uint('Number of blocks known to the wallet'),
        catch_up: wire
          .object(
            {
              from_height: wire.uint('Height of the first block that is read again'),
              next_height: wire.uint(
                'Height of the next block to read; the last one is the newest of the wallet',
              ),
            },
            'Present while the wallet reads blocks again for addresses that were not watched before',
          )
          .optional(),
        update_needed: wire
          .object(
            {
              height: wire.uint('Height of the block'),
              version: wire.u32('Version of the block, and number of the hard fork'),
            },
            'Block that ended the last refresh because this version of the server does not know its rules; absent if there is none',
          )
          .optional(),
      }),
    examples: () => [{ name: 'height', params: {}, result: { height: 3_400_012n } }],
    source: 'COMMAND_RPC_GET_HEIGHT, on_getheight',
    handle({ wallet: { store, sync } }) {
      const { catchUp, newerBlock } = sync;
      return {
        height: store.height(),
        ...(catchUp === undefined
          ? {}
          : { catch_up: { from_height: catchUp.from, next_height: catchUp.next } }),
        ...(newerBlock === undefined ? {} : { update_needed: newerBlock }),
      };
    },
  }),

  defineMethod({
    name: 'refresh',
    summary:
      "Syncs the wallet to the daemon's tip. Unknown blocks below start_height are skipped, unless it lies above the tip.",
    meta: { family: 'view', needs: 'wallet', restricted: true },
    faults: DAEMON,
    params: () =>
      params({
        start_height: height
          .default(0)
          .describe('Height from which unknown blocks are scanned; lower ones are skipped'),
      }),
    result: () =>
      wire.object({
        blocks_fetched: wire.uint('Number of blocks that were scanned'),
        received_money: wire.flag('An output was received'),
      }),
    examples: () => [{ name: 'refresh', params: {}, result: { blocks_fetched: 24n, received_money: true } }],
    source: 'COMMAND_RPC_REFRESH, on_refresh',
    async handle({ wallet }, { start_height }) {
      const { blocksFetched, receivedMoney } = await wallet.sync.refresh({ startHeight: start_height });
      return { blocks_fetched: blocksFetched, received_money: receivedMoney };
    },
  }),

  defineMethod({
    name: 'auto_refresh',
    summary:
      'Sets the refresh period of the wallet; on /json_rpc also of each wallet that becomes current later.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    actsOn: 'wallet',
    faults: ['wallet_not_open'],
    params: () =>
      params({
        enable: flag.default(true).describe('Refreshes the wallet periodically'),
        period: u32
          .default(0)
          .describe('Time between two refreshes [s]; 0: that of --refresh-period, by default 20'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_AUTO_REFRESH, on_auto_refresh',
    handle({ scope, server }, { enable, period }) {
      scope.setAutoRefresh(enable ? period || server.refreshPeriod : undefined);
      return {};
    },
  }),

  defineMethod({
    name: 'rescan_blockchain',
    summary:
      'Deletes the state derived from the chain and scans it again; hard also deletes tx keys and destinations.',
    meta: { family: 'admin', needs: 'wallet', restricted: true, foreground: true },
    faults: [...DAEMON, 'invalid'],
    params: () =>
      params({
        hard: flag.default(false).describe('Deletes tx keys and destinations of payments, too'),
        keep_key_images: flag
          .default(false)
          .describe('Has no effect: imported key images are kept in any case; refused with hard'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_RESCAN_BLOCKCHAIN, on_rescan_blockchain',
    async handle({ wallet }, { hard, keep_key_images }) {
      if (hard && keep_key_images)
        throw new WalletError({
          kind: 'invalid',
          reason: 'a hard rescan cannot keep key images',
          text: 'Cannot preserve key images on hard rescan',
        });
      await wallet.sync.rescan(hard);
      return {};
    },
  }),

  defineMethod({
    name: 'stop_wallet',
    summary: 'Stores the wallet, closes all wallets and stops the server.',
    meta: { family: 'admin', needs: 'wallet', account: 'any', restricted: true },
    actsOn: 'server',
    faults: [],
    params: () => none,
    result: wire.nothing,
    source: 'COMMAND_RPC_STOP_WALLET, on_stop_wallet',
    async handle({ server, wallet }) {
      await wallet.save();
      server.requestStop();
      return {};
    },
  }),
];

/** Methods for the log, which need no open wallet. */
export const loggingMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'set_log_level',
    summary: 'Sets the log level, from 0 (least) to 4 (everything).',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    faults: ['bad_log_level'],
    params: () => params({ level: i8.default(0).describe('Log level, 0 (least) to 4 (everything)') }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_LOG_LEVEL, on_set_log_level',
    handle({ server }, { level }) {
      server.logControl.setLevel(level);
      return {};
    },
  }),

  defineMethod({
    name: 'set_log_categories',
    summary: 'Sets the log categories: a list, a level, +list or -list; empty turns the log off.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    faults: ['invalid'],
    params: () =>
      params({
        categories: setting
          .default('')
          .describe(
            'List of category:level with commas, or a level 0 to 4; + or - before it adds to or removes from those in force; empty: nothing is logged',
          ),
      }),
    result: () => wire.object({ categories: wire.text('Log categories in force') }),
    source: 'COMMAND_RPC_SET_LOG_CATEGORIES, on_set_log_categories',
    handle: ({ server }, { categories }) => ({ categories: server.logControl.setCategories(categories) }),
  }),
];

/** Method that describes all methods; the reference does not have it. */
export const discoveryMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'rpc.discover',
    summary: 'Returns an OpenRPC document of the methods that the client may call.',
    meta: { family: 'view', needs: 'nothing', restricted: false },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({
        openrpc: wire.text('Version of OpenRPC'),
        info: wire.record('Name, version and license of the server'),
        methods: wire.list(wire.record('A method'), 'Methods, by name'),
      }),
    source: ADDITION,
    async handle({ methods, version }) {
      // The module is loaded at the first call, so that it does not delay the start.
      const { openRpcOf } = await import('../discovery/open-rpc.js');
      return { ...openRpcOf(methods(), version) };
    },
  }),
];
