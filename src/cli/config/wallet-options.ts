import type { OptionSpec } from './option-spec.js';

/** Options of the wallets. */
export const WALLET_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'wallet-dir',
    argument: 'dir',
    group: 'Wallets',
    help: 'directory of the wallets that clients create and open (made when missing)',
  },
  {
    name: 'open',
    argument: 'name',
    group: 'Wallets',
    help: 'open this wallet of --wallet-dir at the start, under its path /wallet/<name>/json_rpc; repeatable',
    repeatable: true,
  },
  {
    name: 'password-dir',
    argument: 'dir',
    group: 'Wallets',
    help: 'directory with the passwords of --open, a file a wallet, named as the wallet',
  },
  { name: 'wallet-file', argument: 'file', group: 'Wallets', help: 'open this wallet at the start' },
  { name: 'password', argument: 'text', group: 'Wallets', help: 'password of --wallet-file', secret: true },
  {
    name: 'password-file',
    argument: 'file',
    group: 'Wallets',
    help: 'file that holds that password',
  },
  { name: 'prompt-for-password', group: 'Wallets', help: 'ask for that password on the terminal' },
  {
    name: 'kdf-rounds',
    argument: 'n',
    group: 'Wallets',
    help: 'key-stretching rounds of keys files',
    default: '1',
  },
  {
    name: 'export-format',
    argument: 'format',
    group: 'Wallets',
    help: 'format of outputs exported to offline wallets: current, or 0.18.0 for wallets of that first release',
    default: 'current',
  },
  {
    name: 'refresh-period',
    argument: 'seconds',
    group: 'Wallets',
    help: 'time between two refreshes of a wallet, until auto_refresh sets another; 0 is on request only',
    default: '20',
  },
  {
    name: 'no-initial-sync',
    group: 'Wallets',
    help: 'ignored: requests are answered while the wallet syncs, always',
    noEffect: true,
  },
  {
    name: 'tx-notify',
    argument: 'command',
    group: 'Wallets',
    help: 'run for every incoming transaction, %s is its hash and %w the wallet (no shell); at most 4 at once, killed after 5 minutes',
  },
  {
    name: 'notify-history',
    group: 'Wallets',
    help: 'run --tx-notify, and send webhooks, also for what a restored or imported wallet received and paid before',
  },
  {
    name: 'confirmations',
    argument: 'n[,n…]',
    group: 'Wallets',
    help: 'confirmations at which payment.confirmed is reported, at most 8 numbers; 1 is the block of the payment',
    default: '1,10',
  },
  {
    name: 'backup-dir',
    argument: 'dir',
    group: 'Wallets',
    help: 'directory of the backups that backup_wallet writes',
  },
  {
    name: 'event-retention',
    argument: 'days',
    group: 'Wallets',
    help: 'age at which events are deleted',
    default: '90',
  },
  {
    name: 'webhook-allow-private',
    group: 'Wallets',
    help: 'let webhooks reach this machine and private networks',
  },
  {
    name: 'max-concurrency',
    argument: 'n',
    group: 'Wallets',
    help: 'scanning threads; 0 is one a core',
    default: '0',
  },
];
