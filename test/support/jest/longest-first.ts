import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of 7 s or more, with their approximate durations [s] in a run for a commit on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/status-page': 31,
  'integration/health': 26,
  'integration/credentials': 25,
  'integration/daemon-quorum': 24,
  'integration/lying-daemon': 23,
  'integration/sends': 21,
  'integration/payment-answers': 19,
  'lies/campaign': 17,
  'http/forward/forwarder': 17,
  'integration/sweeps': 16,
  'integration/cluster-takeover': 16,
  'integration/pay-page': 15,
  'integration/shipped-build': 15,
  'integration/verify-work': 15,
  'services/cluster/takeover': 14,
  'cli/main': 14,
  'http/server/http-server': 14,
  'integration/reused-keys': 14,
  'integration/migration': 13,
  'cli/process': 13,
  'integration/events': 13,
  'integration/orders': 13,
  'store/replication/store-shipper': 12,
  'cli/process/signals': 12,
  'integration/payment-requests': 12,
  'http/login/authentication': 11,
  'integration/backup': 11,
  'integration/proofs': 11,
  'integration/multisig-safety': 11,
  'integration/rebinding': 11,
  'cli/config/tls-files': 10,
  'integration/client-library': 10,
  'integration/regtest-wallets': 10,
  'soak/hostile-daemon': 9,
  'integration/client': 9,
  'integration/file-trouble': 9,
  'with-node': 9,
  'integration/polyseed': 9,
  'integration/crash': 8,
  'integration/connection-limits': 8,
  'integration/long-texts': 8,
  'integration/cold-signing': 8,
  'integration/cluster-refusals': 8,
  'integration/credential-limits': 8,
  'store/file/store-cipher': 8,
  'http/forward/sealed-answer': 8,
  'integration/scan-tx': 8,
  'integration/change-outputs': 8,
  'services/cluster/moving': 8,
  'util/line-file': 8,
  'integration/background-sync': 8,
  'integration/regtest-faults': 8,
  'integration/ring-witness': 7,
  'services/work/work-client': 7,
  'monero/kernel/scan-many': 7,
  'integration/regtest-differential': 7,
  'integration/operator-files': 7,
  'integration/hostile-files': 7,
  'refresh/refresher': 7,
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
