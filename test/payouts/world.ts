import { parseTransaction, transactionHash } from '../../src/monero/cryptonote/transaction.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { databaseClock, type DatabaseClock } from '../support/processes/database-clock.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import type { Lie } from '../support/values/lies.js';
import type { LieFacts } from '../support/processes/lying-node.js';
import { SteppedClock } from '../support/processes/stepped-clock.js';
import { endLies, startLyingNode, tell, type LyingNode } from '../support/processes/lying-node.js';
import { startReference, startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { createWallet, LANGUAGE } from '../support/wallets/create-wallet.js';

/** Path of a payment to the node. */
export const SENDING = '/sendrawtransaction';
/** Blocks until the first rewards are unlocked and enough outputs exist for rings. */
const FIRST_BLOCKS = 110;
/** Largest number of destinations of a payment. */
const DESTINATIONS = 15;

/** Time after which all programs have read a step of their clock [ms]. */
const STEPPED_MS = 40;

/** Tells why the wallets of the payees are not kept by the reference; undefined: they are. */
function withoutReference(error: unknown): true {
  if (process.env['CI'] !== undefined || !String(error).includes('not installed')) throw error;
  return true;
}

/** Plants a defect into the result of a call to the payer, to test the campaign itself. */
export type Planting = (method: string, result: Loose, world: World) => void;

/** Node, proxy, clock and wallets that outlast the rounds. */
export class World {
  readonly clock: SteppedClock;
  readonly proxy: DaemonProxy;
  readonly #node: LyingNode;
  /** Server beside the honest port, with the miner and the twins of the payers. It is never killed. */
  readonly #steady: WalletRpc;
  /** Server of the payees. */
  readonly payees: Pick<WalletRpc, 'rpc'>;
  readonly isReference: boolean;
  readonly plant: Planting | undefined;
  /** Hashes of the transactions that payers have sent to the node, and that the node has received. */
  readonly sent = new Set<string>();
  readonly #reference: WalletRpc | undefined;
  #coldServer: WalletRpc | undefined;
  #postgres: PostgresCluster | undefined;
  #databaseClock: DatabaseClock | undefined;
  readonly #miner: WalletCalls;
  #minerAddress = '';

  private constructor(
    clock: SteppedClock,
    node: LyingNode,
    proxy: DaemonProxy,
    steady: WalletRpc,
    reference: WalletRpc | undefined,
    plant: Planting | undefined,
  ) {
    this.clock = clock;
    this.#node = node;
    this.proxy = proxy;
    this.#steady = steady;
    this.#reference = reference;
    this.plant = plant;
    this.isReference = reference !== undefined;
    this.payees = reference ?? steady;
    this.#miner = walletCalls(steady.port, 'miner');
  }

  static async start(plant?: Planting): Promise<World> {
    const clock = new SteppedClock();
    const node = await startLyingNode({ liars: 1, env: clock.env });
    const proxy = await startDaemonProxy(node.liars[0]?.address ?? '');
    const [steady, reference] = await Promise.all([
      startWalletProcess({
        daemon: node.honest.address,
        args: ['--trusted-daemon', '--refresh-period=0'],
        env: clock.env,
        checked: true,
      }),
      startReference({ daemon: node.honest.address }).catch((error: unknown) => {
        withoutReference(error);
        return undefined;
      }),
    ]);
    const world = new World(clock, node, proxy, steady, reference, plant);
    proxy.rewrite = (path, request, reply) => {
      world.noteSent(path, request);
      return reply;
    };
    await createWallet(world.#miner);
    world.#minerAddress = (await world.#miner.rpc('get_address')).address as string;
    await world.mine(FIRST_BLOCKS);
    return world;
  }

  get node(): Monerod {
    return this.#node.honest;
  }

  /** Address of the miner, which no payout pays. */
  get otherAddress(): string {
    return this.#minerAddress;
  }

  /** Address of the port that lies. */
  get liar(): string {
    return this.#node.liars[0]?.address ?? '';
  }

  /** Notes a payment that a payer sends to the node. */
  noteSent(path: string, request: Buffer): void {
    if (path !== SENDING) return;
    const { tx_as_hex: hex } = JSON.parse(request.toString()) as Loose;
    this.sent.add(toHex(transactionHash(parseTransaction(fromHex(String(hex))))));
  }

  /** Sets the clock of all programs ahead. @returns once they have read it. */
  async step(seconds: number): Promise<void> {
    this.clock.step(seconds);
    await this.#setDatabase();
    await killMoment(STEPPED_MS);
  }

  /** Server of cold wallets, which has no daemon. */
  async cold(name: string): Promise<WalletCalls> {
    this.#coldServer ??= await startWalletProcess({ env: this.clock.env, checked: true });
    return walletCalls(this.#coldServer.port, name);
  }

  /** Creates a database for a cluster, which has the clock of all programs. @throws Error if PostgreSQL is not installed. */
  async database(name: string): Promise<{ readonly postgres: PostgresCluster; readonly database: string }> {
    const postgres = (this.#postgres ??= await startPostgres({ standbys: 0 }));
    const database = await newDatabase(postgres, name);
    this.#databaseClock = await databaseClock(postgres.primary(), database);
    await this.#setDatabase();
    return { postgres, database };
  }

  /** Sets the clock of the database of the latest cluster. */
  async #setDatabase(): Promise<void> {
    await this.#databaseClock?.set(this.clock.now - Math.floor(Date.now() / 1000));
  }

  /** Lets the node that the payer asks lie. @param lie list of faults; empty: the truth. */
  async lie(lie: string | Lie, facts?: LieFacts): Promise<void> {
    const [liar] = this.#node.liars;
    if (liar === undefined) return;
    if (lie === '') await endLies(liar);
    else await tell(liar, typeof lie === 'string' ? { what: lie } : lie, facts);
  }

  /** Ends all trouble of the node and of the connection to it. */
  async beHonest(): Promise<void> {
    this.proxy.decide = () => 'forward';
    await this.lie('');
  }

  async mine(blocks: number): Promise<void> {
    await this.node.generate(this.#minerAddress, blocks);
  }

  async height(): Promise<number> {
    return Number((await this.node.plain('/get_height')).height);
  }

  async pool(): Promise<string[]> {
    return ((await this.node.plain('/get_transaction_pool_hashes')).tx_hashes ?? []) as string[];
  }

  /** Restores a wallet from its seed beside the honest port, and lets it read the chain. */
  async twin(name: string, seed: string, restoreHeight: number): Promise<WalletCalls> {
    const twin = walletCalls(this.#steady.port, name);
    const restored = { password: '', seed, restore_height: restoreHeight, language: LANGUAGE };
    await twin.rpc('restore_deterministic_wallet', restored);
    await twin.rpc('create_account', {});
    await twin.rpc('refresh');
    return twin;
  }

  /** Pays addresses in turn with outputs of about the given amount each, and unlocks them. */
  async fund(addresses: readonly string[], outputs: number, amount: number): Promise<void> {
    let left = outputs;
    while (left > 0) {
      const count = Math.min(left, DESTINATIONS);
      await this.#miner.rpc('refresh');
      const destinations = Array.from({ length: count }, (_, i) => ({
        address: addresses[(left - i) % addresses.length],
        amount: Math.round(amount * (0.5 + ((left - i) % 7) / 6)),
      }));
      const reply = await this.#miner.call('transfer', { destinations });
      if (reply.error === undefined) left -= count;
      // Rewards must be unlocked first.
      else await this.mine(10);
    }
    await this.mine(20);
  }

  /** Lists transactions with their fees, and whether blocks contain them. */
  async transactions(
    hashes: readonly string[],
  ): Promise<Map<string, { readonly isMined: boolean; readonly fee: number }>> {
    if (hashes.length === 0) return new Map();
    const { txs = [] } = await this.node.plain('/get_transactions', {
      txs_hashes: hashes,
      decode_as_json: true,
    });
    return new Map(
      (txs as Loose[]).map(({ tx_hash, in_pool, as_json }) => [
        String(tx_hash),
        {
          isMined: in_pool !== true,
          fee: Number((JSON.parse(String(as_json)) as Loose).rct_signatures.txnFee),
        },
      ]),
    );
  }

  async close(wallets: readonly WalletCalls[]): Promise<void> {
    for (const wallet of wallets) await wallet.call('close_wallet').catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.#reference?.stop();
    await this.#coldServer?.stop({ signal: 'SIGKILL' });
    await this.#postgres?.stop();
    await this.#steady.stop();
    await this.proxy.stop();
    await this.#node.stop();
    this.clock.remove();
  }
}
