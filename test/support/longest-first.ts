import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of more than 10 s, with their approximate durations [s] in a full run on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/multisig-safety': 64,
  'integration/multisig-mixed-small': 46,
  'integration/differential-payments': 41,
  'integration/multisig-setup': 38,
  'integration/change-outputs': 37,
  'integration/failover': 37,
  'crash/order-campaign': 35,
  'integration/sends': 32,
  'integration/heavy-coinbase': 31,
  'integration/multisig-ours-small': 31,
  'integration/proofs': 31,
  'integration/limited-processors': 30,
  'integration/multisig-sets': 30,
  'store/keys/keys-file.interop': 30,
  'integration/status-page': 29,
  'integration/differential-refusals': 28,
  'integration/background-sync': 27,
  'integration/differential-outputs': 27,
  'crash/campaign': 26,
  'integration/cold-signing': 25,
  'cli/main': 24,
  'integration/backup': 23,
  'integration/health': 23,
  'integration/scan-tx': 23,
  'integration/wallet-paths': 23,
  'integration/credential-limits': 22,
  'integration/wallet-trouble-kill': 22,
  'integration/differential-records': 21,
  'integration/hostile-blobs': 21,
  'integration/npm-package': 20,
  'integration/reused-keys': 20,
  'integration/multisig-mixed-large': 19,
  'integration/creation-crash': 18,
  'integration/lookahead': 18,
  'integration/reused-keys-cold': 18,
  'ringct/bulletproofs-plus': 18,
  'integration/regtest-faults': 17,
  'integration/hostile-files': 16,
  'integration/wallet-trouble-daemon': 16,
  'integration/wallet-trouble-refresh': 16,
  'integration/cold-sweeps': 15,
  'integration/regtest-bench-chain': 15,
  'integration/cache-crash': 14,
  'integration/orders': 14,
  'integration/wallet-creation': 14,
  'integration/wallet-trouble-store': 14,
  'jsonrpc/request-size': 14,
  'cli/process': 13,
  'integration/bench-chain': 13,
  'integration/cache-import': 13,
  'integration/credentials': 13,
  'integration/multisig-ours-large': 13,
  'integration/receive-and-pay': 13,
  'integration/daemon-control': 12,
  'integration/interchange': 12,
  'integration/multisig-recovery': 12,
  'integration/regtest-cli': 12,
  'integration/regtest-wallets': 12,
  'ringct/real-transactions': 12,
  'integration/client': 11,
  'integration/client-library': 11,
  'integration/restoring': 11,
  'integration/sweeps': 11,
  'integration/wallet-trouble-lock': 11,
  'refresh/output-matches': 11,
  'integration/events': 10,
  'integration/relay-tx': 10,
  'integration/tx-notify-kill': 10,
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
