/* Lies of a daemon to a wallet: every fault of the regtest daemon that is a lie, with the facts that it is about. */

/** Call of a client, or work of a wallet, that takes the lie. */
export type LieCall = 'refresh' | 'pool' | 'rescan_spent' | 'scan_tx' | 'transfer';

/** Facts that a lie needs: an address that it pays, the block that it changes, or an output that it spends. */
export type LieSubject = 'payee' | 'paying block' | 'rewarding block' | 'unspent output';

/** Lie of a daemon to a wallet. */
export interface Lie {
  /** List of faults, as the regtest daemon reads it. */
  readonly what: string;
  readonly about?: LieSubject;
}

const about = (subject: LieSubject, lies: readonly string[]): readonly Lie[] =>
  lies.map((what) => ({ what, about: subject }));
const plain = (lies: readonly string[]): readonly Lie[] => lies.map((what) => ({ what }));

/** Lies about payments, which a page without the hashes of the removed parts tells without a contradiction. */
const OF_PAYMENTS: readonly Lie[] = [
  ...about('paying block', [
    'swapped-payment=1',
    'raised-amount=41',
    'changed-amount=41',
    'changed-commitment=1',
    'changed-output-key=1',
    'changed-payment-id=1',
    'changed-unlock-time=500000',
  ]),
  { what: 'changed-key-image=1' },
  { what: 'added-key-image=1', about: 'unspent output' },
  { what: 'removed-key-image=1' },
  ...about('paying block', ['reordered-payments=1', 'wrong-merkle-root=1']),
];

/** Lies by the call that takes them. */
export const LIES: Readonly<Record<LieCall, readonly Lie[]>> = {
  refresh: [
    ...plain([
      'wrong-height=1000000000',
      'lower-height=3',
      'target-height=1000000000',
      'unsynchronised=1',
      'other-network=1',
      'wrong-top-hash=1',
      'page-start=1',
      'page-height=1000000000',
      'lower-page-height=20',
      'invented-hashes=10',
      'other-header-hash=1',
      'other-header-time=1000000',
      'other-header-reward=1000',
      'own-difficulty=1',
      'old-seed=1',
      'other-fork=17',
    ]),
    ...about('payee', ['forged-blocks=12', 'forged-fork=5', 'forged-fork=10', 'forged-fork=50']),
    { what: 'half-difficulty=5', about: 'payee' },
    { what: 'forged-spend=1', about: 'unspent output' },
    { what: 'forged-reward=9', about: 'payee' },
    ...plain(['future-time=1000000', 'timestamp-war=20']),
    ...OF_PAYMENTS,
    ...OF_PAYMENTS.map((lie) => ({ ...lie, what: `${lie.what},no-prunable-hash=1` })),
    ...about('paying block', [
      'latency=20,swapped-payment=1,no-prunable-hash=1',
      'first-version-payment=1',
      'swapped-listed-payment=1',
    ]),
    { what: 'no-prunable-hash=1' },
    ...about('paying block', [
      'wrong-prunable-hash=1',
      'added-payment=1',
      'left-out-payment=1',
      'unlisted-payment=1',
      'fewer-output-indices=1',
    ]),
    ...plain(['shifted-output-indices=3', 'foreign-block=1', 'unknown-parent=1', 'other-block-time=1000000']),
    ...about('rewarding block', ['early-reward=1', 'raised-reward=10']),
    { what: 'newer-fork=88' },
    { what: 'swapped-pool-payment=1', about: 'payee' },
    ...about('unspent output', ['forged-pool-spend=1', 'latency=20,forged-pool-spend=1']),
    ...plain([
      'hidden-pool=1',
      'double-spend-hidden=1',
      'unknown-pool=1',
      'mined-pool=5',
      'lower-mined-height=3',
      'unmined-transactions=1',
    ]),
    { what: 'swapped-transaction=1', about: 'payee' },
    ...plain(['missed-transactions=1', 'reorganise=2']),
  ],
  /* Lies about the pool, whose payments nothing proves: they count as seen, and as nothing more. */
  pool: [
    ...about('payee', ['forged-pool-payment=1', 'latency=20,forged-pool-payment=1']),
    { what: 'double-spend-seen=1' },
  ],
  rescan_spent: plain(['all-spent=1', 'all-spent-in-pool=1', 'all-unspent=1']),
  scan_tx: [
    { what: 'mined-pool=5' },
    { what: 'swapped-transaction=1', about: 'payee' },
    ...plain(['missed-transactions=1', 'double-spend-hidden=1']),
  ],
  transfer: plain([
    'inflated-fee=1000000',
    'no-fee=1',
    'fee-step=1000',
    'other-fork=17',
    'wrong-ring-data=1',
    'other-ring-keys=1',
    'equal-ring-keys=1',
    'other-ring-commitments=1',
    'other-ring-heights=50',
    'unlocked-rings=1',
    'locked-rings=1',
    'changing-rings=2',
    'shifted-distribution=20',
    'truncated-distribution=20',
    'forgotten-payment=1',
    'refused-payment=1',
    'refused-and-relayed=1',
  ]),
};

/** Reason against a lie that only the work of the blocks tells from the truth: `--verify-work` closes it. */
export const WORK = 'only work tells this block from an honest one';
const HIDDEN = 'no page shows a payment that it hides, unless it has the hashes of the removed parts';

/** Lies that a wallet still believes, with the reasons, by the call that takes them. */
export const NOT_YET: Readonly<Partial<Record<LieCall, Readonly<Record<string, string>>>>> = {
  refresh: {
    'changed-output-key=1,no-prunable-hash=1': HIDDEN,
    'shifted-output-indices=3': 'nothing in a block says the global indices of its outputs',
    'forged-blocks=12': WORK,
    'forged-fork=5': WORK,
    'forged-fork=10': WORK,
    'forged-fork=50': WORK,
    'half-difficulty=5': WORK,
    'forged-spend=1': WORK,
    'forged-reward=9': WORK,
    'future-time=1000000': WORK,
    'timestamp-war=20': WORK,
  },
  pool: {
    'double-spend-seen=1': 'no daemon may take back the mark of a double spend, which credits nothing',
  },
};

/** Lies of each night, by the call that takes them: the check that refuses one of them also refuses another lie of its list. */
export const AT_NIGHT: Readonly<Partial<Record<LieCall, readonly string[]>>> = {
  refresh: [
    ...['target-height=1000000000', 'page-height=1000000000', 'lower-mined-height=3', 'lower-height=3'],
    ...['unsynchronised=1', 'lower-page-height=20', 'wrong-top-hash=1', 'own-difficulty=1', 'mined-pool=5'],
    ...['other-header-hash=1', 'other-block-time=1000000', 'future-time=1000000', 'forged-fork=5'],
    ...['raised-amount=41', 'changed-commitment=1', 'changed-key-image=1', 'reordered-payments=1'],
    ...['changed-key-image=1,no-prunable-hash=1', 'raised-reward=10', 'latency=20,forged-pool-spend=1'],
    ...['other-header-time=1000000', 'other-header-reward=1000'],
    ...['forged-fork=10', 'forged-fork=50', 'half-difficulty=5', 'forged-reward=9', 'timestamp-war=20'],
    ...['changed-amount=41', 'changed-payment-id=1', 'unlisted-payment=1'],
    ...['raised-amount=41', 'changed-amount=41', 'changed-commitment=1', 'changed-payment-id=1'].map(
      (what) => `${what},no-prunable-hash=1`,
    ),
    ...['changed-unlock-time=500000', 'added-key-image=1', 'reordered-payments=1', 'wrong-merkle-root=1'].map(
      (what) => `${what},no-prunable-hash=1`,
    ),
    'latency=20,swapped-payment=1,no-prunable-hash=1',
  ],
  pool: ['latency=20,forged-pool-payment=1'],
  rescan_spent: ['all-spent-in-pool=1'],
  scan_tx: ['missed-transactions=1', 'double-spend-hidden=1'],
  transfer: [
    ...['fee-step=1000', 'other-fork=17', 'other-ring-commitments=1', 'other-ring-heights=50'],
    ...['changing-rings=2', 'truncated-distribution=20', 'equal-ring-keys=1', 'locked-rings=1', 'no-fee=1'],
  ],
};

/** Lies for which no other daemon takes over: a pattern of the warning that says so, by the lie. */
export const STOPS: Readonly<Record<string, RegExp>> = {
  // A fork of the network that this server lacks looks the same: no wallet goes on until the operator has decided.
  'newer-fork=88': /the chain follows rules that this server does not know/,
};

/** Faults of the connection, which are no lies. */
export const OF_CONNECTION: readonly string[] = ['latency', 'drop', 'truncate', 'oversize'];
