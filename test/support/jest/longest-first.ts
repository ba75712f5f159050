import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of 7 s or more, with their approximate durations [s] in a run for a commit on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/differential-refusals': 34,
  'integration/status-page': 29,
  'integration/health': 28,
  'integration/verify-work': 24,
  'integration/daemon-quorum': 25,
  'lies/campaign': 27,
  'integration/lying-daemon': 24,
  'integration/payment-answers': 22,
  'integration/credentials': 20,
  'integration/payment-requests': 20,
  'integration/pay-page': 19,
  'integration/sweeps': 19,
  'integration/backup': 18,
  'integration/sends': 18,
  'integration/hostile-texts': 17,
  'integration/receive-and-pay': 17,
  'services/cluster/takeover': 17,
  'http/server/http-server': 16,
  'integration/cluster-takeover': 10,
  'integration/events': 16,
  'integration/hostile-blobs': 16,
  'integration/scan-tx': 16,
  'integration/crash': 15,
  'integration/multisig-safety': 15,
  'integration/migration': 14,
  'integration/reused-keys': 14,
  'http/login/authentication': 13,
  'integration/orders': 13,
  'store/replication/store-shipper': 13,
  'cli/config/tls-files': 12,
  'cli/main': 12,
  'cli/process/signals': 12,
  'http/calls/request-size': 12,
  'integration/operator-files': 12,
  'integration/pool-and-chain': 12,
  'refresh/refresher': 12,
  'integration/bad-input': 11,
  'integration/client': 11,
  'integration/credential-limits': 11,
  'integration/proofs': 11,
  'integration/regtest-wallets': 11,
  'integration/wallet-paths': 11,
  'cli/process': 10,
  'http/forward/forwarder': 10,
  'integration/background-sync': 10,
  'integration/config-file': 10,
  'integration/long-requests': 10,
  'integration/long-texts': 10,
  'integration/multisig-setup': 10,
  'integration/rebinding': 10,
  'integration/shipped-build': 10,
  'daemon/tls': 9,
  'integration/catch-up': 9,
  'integration/change-outputs': 9,
  'integration/client-library': 9,
  'integration/cold-signing': 9,
  'services/cluster/moving': 9,
  'services/manager/reference-import': 9,
  'http/forward/sealed-answer': 8,
  'integration/connection-limits': 8,
  'integration/daemon-control': 8,
  'integration/examples': 8,
  'integration/hostile-files': 8,
  'integration/payment-export': 8,
  'integration/regtest-differential': 8,
  'integration/regtest-embedded': 8,
  'integration/restore-heights': 8,
  'monero/kernel/scan-many': 8,
  'monero/ringct/bulletproofs-plus': 8,
  'refresh/scan/output-matches': 8,
  'cli/tx-notifier': 7,
  'fuzz/fuzz': 7,
  'integration/construction': 7,
  'integration/daemon-certificate': 7,
  'integration/fees': 7,
  'integration/forged-data': 7,
  'integration/package-files': 7,
  'integration/relay-tx': 7,
  'monero/crypto/kdf': 7,
  'monero/crypto/slow-hash': 7,
  'monero/wallet/build/change-outputs': 7,
  'services/requests/request-statements': 7,
  'services/work/work-client': 7,
  'store/backup/backup': 7,
  'store/file/wallet-lock': 7,
  'store/tables/balances': 7,
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
