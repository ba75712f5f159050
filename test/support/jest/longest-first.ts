import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of 7 s or more, with their approximate durations [s] in a run for a commit on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/daemon-quorum': 56,
  'integration/lying-daemon': 45,
  'integration/credentials': 33,
  'integration/health': 31,
  'integration/status-page': 27,
  'lies/campaign': 22,
  'payouts/campaign': 20,
  'integration/verify-work': 19,
  'integration/sends': 18,
  'integration/payout-watch': 18,
  'integration/cluster-takeover': 18,
  'integration/sweeps': 17,
  'integration/payment-answers': 16,
  'http/forward/forwarder': 16,
  'services/cluster/takeover': 16,
  'integration/orders': 14,
  'integration/pay-page': 13,
  'integration/shipped-build': 13,
  'cli/process/signals': 12,
  'integration/proofs': 12,
  'http/login/authentication': 12,
  'monero/crypto/slow-hash': 12,
  'integration/shops': 11,
  'http/server/http-server': 11,
  'integration/migration': 11,
  'integration/events': 10,
  'store/replication/store-shipper': 10,
  'integration/backup': 10,
  'cli/config/tls-files': 10,
  'integration/operator-files': 10,
  'cli/main': 9,
  'integration/wallet-paths': 9,
  'integration/bad-input': 9,
  'cli/process': 8,
  'integration/rebinding': 8,
  'integration/client': 8,
  'integration/cold-signing': 8,
  'integration/payout-fees': 8,
  'services/cluster/moving': 8,
  'integration/scan-tx': 8,
  'integration/connection-limits': 8,
  'refresh/refresher': 8,
  'monero/kernel/scan-many': 8,
  'integration/hostile-files': 8,
  'integration/multisig-setup': 8,
  'integration/receive-and-pay': 8,
  'integration/hostile-blobs': 8,
  'integration/lifecycle': 8,
  'integration/config-file': 8,
  'client/package': 7,
  'integration/client-library': 7,
  'integration/regtest-wallets': 7,
  'http/forward/sealed-answer': 7,
  'services/payments/orders': 7,
  'services/manager/reference-import': 7,
  'integration/examples': 7,
};

/** Sorts files by their recorded durations, the longest first; the order of all others is kept. */
export const longestFirst = <T extends { readonly path: string }>(
  tests: readonly T[],
  durations: Readonly<Record<string, number>> = LONG_FILES,
): T[] => {
  const duration = ({ path }: T): number =>
    durations[/\/build\/test\/(.*)\.test\.js$/.exec(path)?.[1] ?? ''] ?? 0;
  return [...tests].sort((a, b) => duration(b) - duration(a));
};

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Starts long test files first, so that no processor waits for the other one at the end of a run. */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    return longestFirst(await super.sort(tests));
  }
}
