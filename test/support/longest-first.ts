import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of more than 10 s, with their approximate durations [s] in a full run on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'monero/crypto/slow-hash': 45,
  'soak/soak': 40,
  'integration/payment-answers': 40,
  'monero/kernel/scan-many': 40,
  'integration/cluster-campaign': 80,
  'integration/cluster-quorum': 70,
  'integration/differential-refusals': 33,
  'integration/pay-page': 33,
  'integration/failover': 32,
  'integration/status-page': 30,
  'monero/kernel/kernel': 30,
  'integration/differential-payments': 27,
  'integration/cluster-members': 25,
  'integration/multisig-mixed-small': 24,
  'integration/differential-outputs': 23,
  'integration/health': 23,
  'integration/heavy-coinbase': 22,
  'integration/limited-processors': 22,
  'integration/multisig-safety': 22,
  'integration/proofs': 22,
  'integration/regtest-bench-chain': 22,
  'integration/sends': 20,
  'integration/cluster-database': 40,
  'store/backup/backup': 20,
  'store/keys/keys-file.interop': 20,
  'services/sync/placed-key-images': 12,
  'cli/main': 18,
  'integration/change-outputs': 18,
  'integration/hostile-blobs': 18,
  'integration/multisig-sets': 18,
  'crash/campaign': 17,
  'soak/hostile-daemon': 15,
  'integration/cold-signing': 17,
  'integration/credential-limits': 17,
  'integration/npm-package': 17,
  'integration/reused-keys': 17,
  'http/request-size': 17,
  'integration/multisig-ours-small': 16,
  'integration/cache-import': 15,
  'integration/differential-records': 15,
  'integration/cluster-credentials': 20,
  'integration/cluster-leaving': 15,
  'integration/orders': 15,
  'integration/payment-export': 15,
  'services/requests/payment-requests-model': 15,
  'integration/wallet-trouble-daemon': 15,
  'monero/ringct/bulletproofs-plus': 15,
  'refresh/feeds/chain-feed': 15,
  'integration/bench-chain': 14,
  'integration/cold-sweeps': 14,
  'integration/receive-and-pay': 14,
  'integration/sweeps': 14,
  'services/payments/orders': 14,
  'integration/credentials': 13,
  'integration/long-requests': 13,
  'integration/lookahead': 13,
  'integration/scan-tx': 13,
  'integration/wallet-trouble-kill': 13,
  'refresh/scan/output-matches': 13,
  'services/cluster/takeover': 13,
  'integration/payment-requests': 12,
  'integration/client': 12,
  'integration/client-library': 12,
  'integration/multisig-mixed-large': 12,
  'integration/reused-keys-cold': 12,
  'integration/wallet-paths': 12,
  'store/webhook-kill': 12,
  'services/sync/wallet-events-model': 12,
  'integration/cluster-start': 12,
  'store/page-kill': 12,
  'crash/order-campaign': 11,
  'integration/hostile-texts': 11,
  'integration/pool-and-chain': 11,
  'integration/regtest-wallets': 11,
  'integration/wallet-trouble-refresh': 11,
  'refresh/refresher': 11,
  'http/forward/forwarder': 11,
  'refresh/scan/wallet-scanner': 11,
  'cli/process': 10,
  'integration/background-sync': 10,
  'integration/backup': 10,
  'integration/events': 10,
  'integration/polyseed': 10,
  'integration/regtest-chain': 10,
  'integration/regtest-faults': 10,
  'services/requests/request-kill': 10,
  'store/file/wallet-lock': 10,
  'monero/wallet/multisig/signing': 10,
  'store/file/schema': 10,
  'store/queries/balances': 10,
  'store/queries/reserves': 10,
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
