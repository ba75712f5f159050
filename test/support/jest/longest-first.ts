import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of 7 s or more, with their approximate durations [s] in a run for a commit on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/cluster-campaign': 72,
  'soak/soak': 55,
  'integration/payment-answers': 50,
  'integration/failover': 38,
  'integration/pay-page': 37,
  'integration/differential-payments': 34,
  'integration/differential-refusals': 34,
  'integration/status-page': 33,
  'monero/crypto/slow-hash': 32,
  'crash/campaign': 30,
  'integration/sends': 30,
  'fuzz/fuzz': 29,
  'integration/health': 26,
  'integration/payment-export': 26,
  'integration/multisig-safety': 25,
  'integration/npm-package': 25,
  'integration/credentials': 24,
  'crash/order-campaign': 23,
  'integration/multisig-mixed-small': 23,
  'cli/process': 22,
  'http/forward/forwarder': 21,
  'integration/differential-outputs': 21,
  'integration/hostile-texts': 21,
  'integration/orders': 21,
  'integration/proofs': 21,
  'services/requests/payment-requests-model': 21,
  'integration/multisig-ours-small': 20,
  'integration/lost-requests': 20,
  'integration/multisig-sets': 19,
  'cli/main': 18,
  'integration/cluster-start': 18,
  'integration/migration': 18,
  'cli/process/signals': 18,
  'integration/cache-import': 17,
  'integration/heavy-coinbase': 17,
  'integration/wallet-paths': 17,
  'http/calls/request-size': 16,
  'integration/background-sync': 16,
  'integration/examples': 16,
  'integration/pool-and-chain': 16,
  'integration/change-outputs': 15,
  'integration/hostile-blobs': 15,
  'monero/ringct/bulletproofs-plus': 15,
  'integration/operator-files': 15,
  'integration/differential-records': 14,
  'integration/limited-processors': 14,
  'monero/kernel/scan-many': 14,
  'services/cluster/takeover': 14,
  'integration/catch-up': 14,
  'daemon/tls': 13,
  'integration/regtest-faults': 13,
  'integration/reused-keys': 13,
  'integration/sweeps': 13,
  'refresh/refresher': 13,
  'store/replication/store-shipper': 13,
  'integration/output-files': 13,
  'integration/http-requests': 12,
  'integration/backup': 12,
  'integration/cold-addresses': 12,
  'integration/cold-signing': 12,
  'integration/credential-limits': 12,
  'integration/events': 12,
  'integration/multisig-mixed-large': 12,
  'integration/payment-requests': 12,
  'integration/receive-and-pay': 12,
  'integration/regtest-wallets': 12,
  'refresh/feeds/chain-feed-model': 12,
  'services/sync/wallet-events-model': 12,
  'store/file/wallet-lock': 12,
  'store/tables/balances': 12,
  'integration/hostile-files': 11,
  'integration/reference-preload': 11,
  'integration/regtest-cli': 11,
  'integration/reused-keys-cold': 11,
  'refresh/scan/output-matches': 11,
  'integration/config-file': 10,
  'integration/daemon-control': 10,
  'integration/lookahead': 10,
  'integration/multisig-recovery': 10,
  'integration/multisig-setup': 10,
  'integration/regtest-chain': 10,
  'integration/scan-tx': 10,
  'services/cluster/moving': 10,
  'integration/bad-input': 9,
  'integration/client-library': 9,
  'integration/cold-sweeps': 9,
  'integration/connection-limits': 9,
  'integration/long-requests': 9,
  'integration/relay-tx': 9,
  'services/history/address-pages': 9,
  'services/payments/orders-model': 9,
  'services/sync/placed-key-images': 9,
  'store/keys/keys-file.interop': 9,
  'store/tables/reused-keys': 9,
  'monero/wallet/scan/block-page': 8,
  'integration/client': 8,
  'integration/fees': 8,
  'integration/interchange': 8,
  'integration/metrics': 8,
  'integration/open-alias': 8,
  'integration/polyseed': 8,
  'integration/regtest-differential': 8,
  'integration/restore-heights': 8,
  'integration/shipped-build': 8,
  'store/file/odd-names': 8,
  'store/replication/random-stores': 8,
  'integration/crash': 7,
  'integration/http-bytes': 7,
  'integration/refresh-period': 7,
  'monero/crypto/curve/curve': 7,
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
