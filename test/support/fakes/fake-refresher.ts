import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { BatchFindings, TxBatch } from '../../../src/refresh/scan/wallet-scanner.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { BlockProof, BlockProofRequest } from '../../../src/refresh/feeds/page-proofs.js';
import type { RefreshFrom } from '../../../src/refresh/feeds/chain-position.js';
import type { RefreshResult } from '../../../src/refresh/refresh-run.js';
import type { Refresher } from '../../../src/refresh/refresher.js';
import type { LocatedOutput, SpendingKeys } from '../../../src/monero/wallet/scan/key-images.js';

const WALLET = 1;

/** Findings of a batch that does not concern the wallet. */
export const NOTHING_FOUND: BatchFindings = {
  mined: { received: [], outputs: [], spends: [], outgoing: [], subaddresses: [] },
  unmined: [],
};

/** Stands in for the refresh thread: records every call, and answers as the test says. */
export class FakeRefresher {
  /** Calls in their order: name of the method, then its arguments without the wallet's number. */
  readonly calls: (readonly unknown[])[] = [];
  onRefresh: (from: RefreshFrom) => Promise<RefreshResult> = () =>
    Promise.resolve({ blocksFetched: 0, receivedMoney: false });
  onLook: (batch: TxBatch) => Promise<BatchFindings> = () => Promise.resolve(NOTHING_FOUND);
  onProve: (blocks: BlockProofRequest) => Promise<BlockProof> = () =>
    Promise.reject(new DaemonError('unreachable', 'offline'));
  onLookIntoPool: () => Promise<void> = () => Promise.resolve();
  /** Whether the wallet's scanner has scanned the pool that was committed last. */
  poolScanned = false;
  onLookAhead: () => Promise<void> = () => Promise.resolve();
  onKeyImages: (keys: SpendingKeys, outputs: readonly LocatedOutput[]) => Promise<KeyImage[]> = () =>
    Promise.resolve([]);

  /** The same object, as services take it. */
  get asRefresher(): Refresher {
    return this as unknown as Refresher;
  }

  /** Calls of one method, without its name. */
  callsOf(name: string): readonly (readonly unknown[])[] {
    return this.calls.filter(([called]) => called === name).map(([, ...given]) => given);
  }

  attach(): number {
    return WALLET;
  }

  /** Whether the thread has a scanner of the wallet. */
  isAttached = (): boolean => true;

  detach(): void {
    this.calls.push(['detach']);
  }

  cancel(): void {
    this.calls.push(['cancel']);
  }

  fail(_wallet: number, error: Error): void {
    this.calls.push(['fail', error.message]);
  }

  restart(): void {
    this.calls.push(['restart']);
  }

  expand(_wallet: number, index: unknown): void {
    this.calls.push(['expand', index]);
  }

  importKeyImages(_wallet: number, keyImages: unknown): void {
    this.calls.push(['importKeyImages', keyImages]);
  }

  forgetPool(): void {
    this.calls.push(['forgetPool']);
  }

  refresh(_wallet: number, from: RefreshFrom): Promise<RefreshResult> {
    this.calls.push(['refresh', from]);
    return this.onRefresh(from);
  }

  scanTransactions(_wallet: number, batch: TxBatch): Promise<BatchFindings> {
    this.calls.push(['scanTransactions', batch]);
    return this.onLook(batch);
  }

  proveBlocks(_wallet: number, blocks: BlockProofRequest): Promise<BlockProof> {
    this.calls.push(['proveBlocks', blocks]);
    return this.onProve(blocks);
  }

  scanPool(): Promise<void> {
    this.calls.push(['scanPool']);
    return this.onLookIntoPool();
  }

  hasScannedPool(): boolean {
    return this.poolScanned;
  }

  lookAhead(_wallet: number, lookahead: unknown, handedOut: unknown): Promise<void> {
    this.calls.push(['lookAhead', lookahead, handedOut]);
    return this.onLookAhead();
  }

  keyImages(_wallet: number, keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    this.calls.push(['keyImages', outputs]);
    return this.onKeyImages(keys, outputs);
  }
}
