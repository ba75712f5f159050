import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of 7 s or more, with their approximate durations [s] in a run for a commit on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/payment-answers': 41,
  'integration/payment-requests': 39,
  'integration/failover': 37,
  'integration/shipped-build': 32,
  'integration/differential-refusals': 29,
  'integration/migration': 27,
  'integration/pay-page': 26,
  'integration/cluster-campaign': 25,
  'integration/differential-payments': 25,
  'integration/sends': 24,
  'cli/main': 23,
  'integration/credentials': 23,
  'integration/orders': 23,
  'http/forward/forwarder': 22,
  'http/server/http-server': 22,
  'integration/cluster-start': 22,
  'cli/process': 21,
  'integration/differential-outputs': 21,
  'soak/soak': 21,
  'http/login/authentication': 19,
  'crash/order-campaign': 18,
  'integration/multisig-sets': 18,
  'cli/process/signals': 17,
  'integration/change-outputs': 17,
  'integration/cold-addresses': 17,
  'integration/proofs': 17,
  'cli/process/core-dumps': 16,
  'integration/cache-import': 16,
  'integration/reused-keys': 16,
  'store/replication/store-shipper': 16,
  'integration/regtest-embedded': 15,
  'services/cluster/takeover': 15,
  'integration/client': 14,
  'integration/differential-records': 14,
  'refresh/feeds/chain-feed': 14,
  'http/calls/request-size': 13,
  'integration/catch-up': 13,
  'integration/config-file': 13,
  'integration/construction': 13,
  'integration/hostile-blobs': 13,
  'integration/hostile-texts': 13,
  'integration/scan-tx': 13,
  'integration/status-page': 13,
  'integration/events': 12,
  'integration/multisig-mixed-small': 12,
  'integration/reused-keys-cold': 12,
  'integration/sweeps': 12,
  'store/file/wallet-lock': 12,
  'cli/config/tls-files': 11,
  'integration/background-sync': 11,
  'integration/crash': 11,
  'integration/daemon-certificate': 11,
  'integration/examples': 11,
  'integration/operator-files': 11,
  'integration/pool-and-chain': 11,
  'integration/receive-and-pay': 11,
  'monero/crypto/slow-hash': 11,
  'monero/ringct/bulletproofs-plus': 11,
  'cli/tx-notifier': 10,
  'integration/backup': 10,
  'integration/health': 10,
  'integration/rebinding': 10,
  'integration/wallet-paths': 10,
  'integration/lookahead': 9,
  'integration/packaging': 9,
  'integration/regtest-faults': 9,
  'integration/restore-heights': 9,
  'services/manager/reference-import': 9,
  'services/requests/request-statements': 9,
  'store/backup/backup': 9,
  'store/keys/keys-file.interop': 9,
  'store/replication/rebuild-store': 9,
  'integration/cold-signing': 8,
  'integration/connection-limits': 8,
  'integration/foreign-answers': 8,
  'integration/hostile-files': 8,
  'integration/lifecycle': 8,
  'integration/multisig-ours-small': 8,
  'integration/output-files': 8,
  'integration/regtest-wallets': 8,
  'refresh/refresher': 8,
  'services/cluster/moving': 8,
  'store/file/odd-names': 8,
  'fuzz/fuzz': 7,
  'http/forward/sealed-answer': 7,
  'http/server/request-order': 7,
  'integration/client-library': 7,
  'integration/cold-sweeps': 7,
  'integration/fees': 7,
  'integration/outputs': 7,
  'integration/regtest-cli': 7,
  'monero/crypto/curve/curve': 7,
  'monero/wallet/build/change-outputs': 7,
  'monero/wallet/scan/block-page-twin': 7,
  'store/events/first-events': 7,
  'store/recorded-spends': 7,
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
