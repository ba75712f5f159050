import { NEWEST_FORK } from '../monero/cryptonote/constants.js';
import type { PageRules } from '../monero/wallet/scan/block-page.js';
import type { ObserveDaemonCall } from './call-report.js';
import * as chain from './chain-queries.js';
import type { CallOptions, Daemon, DaemonBlock, MiningStatus } from './daemon.js';
import { DaemonCalls, LIMIT } from './daemon-calls.js';
import { OutputDistributionCache } from './output-distribution.js';
import * as outputs from './output-queries.js';
import * as transactions from './transaction-queries.js';
import { Transport, type DaemonConfig } from './transport.js';

export type { DaemonConfig } from './transport.js';

/** Parts of a client that it shares with the clients that {@link HttpDaemon.until} returns. */
interface SharedParts {
  readonly calls: DaemonCalls;
  readonly distribution: OutputDistributionCache;
  /** Rules of pages of blocks, which have whole transactions if they must be complete. */
  readonly pages: PageRules;
  readonly isTrusted: boolean;
}

/** Implements {@link Daemon} over HTTP. */
export class HttpDaemon implements Daemon {
  readonly #parts: SharedParts;
  readonly #calls: DaemonCalls;

  /**
   * @param of settings of the daemon, or parts of another client for it. @param observe is called at the end of each call.
   * @throws DaemonError for an invalid address.
   */
  constructor(of: DaemonConfig | SharedParts, observe?: ObserveDaemonCall) {
    this.#parts =
      'calls' in of
        ? of
        : {
            calls: new DaemonCalls(new Transport(of), observe),
            distribution: new OutputDistributionCache(),
            pages: { complete: of.wholeBlocks ?? false, newestFork: of.newestFork ?? NEWEST_FORK },
            isTrusted: of.isTrusted ?? false,
          };
    this.#calls = this.#parts.calls;
  }

  /**
   * Opens a connection before the first call, so that this call need not wait for it.
   * @returns a promise that resolves when the connection is open or has failed.
   */
  connect(): Promise<void> {
    return this.#calls.connect();
  }

  /** Ends every call and closes the connections. */
  close(): void {
    this.#calls.close();
  }

  /** Returns the same daemon over the same connections, whose calls `signal` ends with its reason. */
  until(signal: AbortSignal): Daemon {
    return new HttpDaemon({ ...this.#parts, calls: this.#calls.until(signal) });
  }

  get isTrusted(): boolean {
    return this.#parts.isTrusted;
  }

  readonly getInfo: Daemon['getInfo'] = (options) => chain.getInfo(this.#calls, options);
  readonly getVersion: Daemon['getVersion'] = () => chain.getVersion(this.#calls);
  readonly hardForkInfo: Daemon['hardForkInfo'] = (version) => chain.hardForkInfo(this.#calls, version);
  readonly getForks: Daemon['getForks'] = (options) => chain.getForks(this.#calls, options);
  readonly getFeeEstimate: Daemon['getFeeEstimate'] = () => chain.getFeeEstimate(this.#calls);
  readonly getBlocks: Daemon['getBlocks'] = (request) =>
    chain.getBlocks(this.#calls, request, this.#parts.pages);
  readonly getHashes: Daemon['getHashes'] = (shortHistory, options) =>
    chain.getHashes(this.#calls, shortHistory, options);
  readonly getBlockHeader: Daemon['getBlockHeader'] = (height, options) =>
    chain.getBlockHeader(this.#calls, height, options);
  readonly getLastBlockHeader: Daemon['getLastBlockHeader'] = (options) =>
    chain.getLastBlockHeader(this.#calls, options);
  readonly getBlockHeaders: Daemon['getBlockHeaders'] = (start, count) =>
    chain.getBlockHeaders(this.#calls, start, count);
  /** Fetches a block of the chain. Only commands call it. */
  readonly getBlock = (height: number, options?: CallOptions): Promise<DaemonBlock> =>
    chain.getBlock(this.#calls, height, options);
  readonly getOutputIndexes: Daemon['getOutputIndexes'] = (txHash) =>
    outputs.getOutputIndexes(this.#calls, txHash);
  readonly getOutputs: Daemon['getOutputs'] = (indices, amount) =>
    outputs.getOutputs(this.#calls, indices, amount);
  readonly getOutputDistribution: Daemon['getOutputDistribution'] = () =>
    this.#parts.distribution.read({
      distribution: (fromHeight) => outputs.getOutputDistribution(this.#calls, fromHeight),
      blockHash: async (height) => (await chain.getBlockHeader(this.#calls, height)).hash,
    });
  readonly getOutputCounts: Daemon['getOutputCounts'] = (fromHeight, toHeight) =>
    outputs.getOutputDistribution(this.#calls, fromHeight, toHeight);
  readonly isKeyImageSpent: Daemon['isKeyImageSpent'] = (keyImages) =>
    outputs.isKeyImageSpent(this.#calls, keyImages);
  readonly getPoolHashes: Daemon['getPoolHashes'] = (options) =>
    transactions.getPoolHashes(this.#calls, options);
  readonly getTransactions: Daemon['getTransactions'] = (hashes, options) =>
    transactions.getTransactions(this.#calls, hashes, options);
  readonly proveTransactions: Daemon['proveTransactions'] = (listed, options) =>
    transactions.proveTransactions(this.#calls, listed, options);
  readonly proveSpends: Daemon['proveSpends'] = (txHash, keyImages, options) =>
    transactions.proveSpends(this.#calls, txHash, keyImages, options);
  readonly sendRawTransaction: Daemon['sendRawTransaction'] = (blob) =>
    transactions.sendRawTransaction(this.#calls, blob);
  readonly getPoolBacklog: Daemon['getPoolBacklog'] = () => transactions.getPoolBacklog(this.#calls);
  readonly startMining: Daemon['startMining'] = (...options) => startMining(this.#calls, ...options);
  readonly stopMining: Daemon['stopMining'] = () => stopMining(this.#calls);
  readonly miningStatus: Daemon['miningStatus'] = () => miningStatus(this.#calls);
}

/**
 * Time limit for stopping to mine [ms]. A daemon that has just started to mine completes its RandomX dataset before it
 * answers.
 */
const STOP_MINING_TIMEOUT_MS = 60_000;

async function startMining(
  calls: DaemonCalls,
  address: string,
  threads: number,
  background: boolean,
  ignoreBattery: boolean,
): Promise<void> {
  const body = {
    miner_address: address,
    threads_count: threads,
    do_background_mining: background,
    ignore_battery: ignoreBattery,
  };
  await calls.json('/start_mining', body, { limit: LIMIT.small }, () => undefined);
}

async function stopMining(calls: DaemonCalls): Promise<void> {
  const options = { limit: LIMIT.small, timeout: STOP_MINING_TIMEOUT_MS };
  await calls.json('/stop_mining', {}, options, () => undefined);
}

async function miningStatus(calls: DaemonCalls): Promise<MiningStatus> {
  return calls.json('/mining_status', {}, { limit: LIMIT.small }, (r) => ({
    active: r.bool('active'),
    threads: r.number('threads_count', 0),
  }));
}
