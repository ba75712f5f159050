import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Monerod } from '../support/processes/monerod.js';
import { exchangeMultisigInfo, formGroup } from '../support/wallets/multisig-party.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { seededRandom, type Random } from '../support/fakes/seeded-random.js';

export interface OrderCampaignOptions {
  readonly kills: number;
  readonly seed: string;
  readonly log: (line: string) => void;
}

/** Where a kill struck, by the order after the restart and the pool of the daemon. */
export type StruckAt = 'before the record' | 'before the relay' | 'before the answer' | 'after the answer';

export interface OrderCampaignReport {
  readonly kills: number;
  readonly struck: Readonly<Record<StruckAt, number>>;
  readonly methods: Readonly<Record<string, number>>;
  /** Orders paid. */
  readonly orders: number;
  /** Descriptions of double, lost or changed payments; empty for a campaign without faults. */
  readonly faults: readonly string[];
}

const METHODS = [
  'transfer',
  'transfer',
  'transfer_split',
  'sweep_single',
  'sweep_all',
  'sweep_dust',
  'submit_transfer',
  'submit_multisig',
] as const;

/** Wallet that each method pays from. */
const PAYER: Readonly<Record<(typeof METHODS)[number], string>> = {
  transfer: 'hot',
  transfer_split: 'hot',
  sweep_single: 'single',
  sweep_all: 'sweeper',
  sweep_dust: 'hot',
  submit_transfer: 'watch',
  submit_multisig: 'group',
};
const MINERS = ['hot', 'single', 'sweeper', 'cold', 'group'] as const;
const FIRST_BLOCKS = 40;
const UNLOCK_BLOCKS = 60;
const ROUNDS_BETWEEN_BLOCKS = 4;
const ATTEMPTS = 5;
const language = 'English';
const MISSING = -56;

interface Call {
  readonly wallet: string;
  readonly method: string;
  readonly params: Loose;
}

/** Kills a wallet server during calls with idempotency keys, repeats them, and counts the payments. */
class OrderCampaign {
  readonly #random: Random;
  readonly #daemon: Monerod;
  /** Server with the payee and the other signer, which is never killed. */
  readonly #steady: WalletRpc;
  readonly #addresses = new Map<string, string>();
  readonly #opened = ['hot', 'single', 'sweeper', 'cold', 'watch', 'group'];
  /** Time of the last complete call by method [ms]. */
  readonly #durations = new Map<string, number>();
  /** Hashes of the paid transactions, by wallet. */
  readonly #paid = new Map<string, Set<string>>();
  readonly faults: string[] = [];
  readonly struck: Record<StruckAt, number> = {
    'before the record': 0,
    'before the relay': 0,
    'before the answer': 0,
    'after the answer': 0,
  };
  readonly methods: Record<string, number> = {};
  #server: WalletRpc;
  orders = 0;
  kills = 0;

  constructor(random: Random, daemon: Monerod, steady: WalletRpc, server: WalletRpc) {
    this.#random = random;
    this.#daemon = daemon;
    this.#steady = steady;
    this.#server = server;
  }

  #at(name: string): WalletCalls {
    return walletCalls(this.#server.port, name);
  }

  async prepare(): Promise<void> {
    await this.#steady.rpc('create_wallet', { filename: 'payee', password: '', language });
    this.#addresses.set('payee', (await this.#steady.rpc('get_address')).address as string);
    for (const name of ['hot', 'single', 'sweeper', 'cold'])
      await this.#at(name).rpc('create_wallet', { password: '', language });
    const cold = this.#at('cold');
    const { address } = await cold.rpc('get_address');
    const { key: viewkey } = await cold.rpc('query_key', { key_type: 'view_key' });
    await this.#server.rpc('generate_from_keys', { filename: 'watch', address, viewkey, password: '' });
    await formGroup([this.#server, this.#steady], 2, 'group');
    await this.#server.rpc('close_wallet');
    await this.#steady.rpc('open_wallet', { filename: 'group', password: 'p' });
    await this.#open();
    for (const name of MINERS)
      this.#addresses.set(name, (await this.#at(name).rpc('get_address')).address as string);
    for (const name of MINERS) await this.#daemon.generate(this.#addresses.get(name) ?? '', FIRST_BLOCKS);
    await this.#mine(UNLOCK_BLOCKS);
  }

  async #open(): Promise<void> {
    for (const name of this.#opened)
      await this.#at(name).rpc('open_wallet', { password: name === 'group' ? 'p' : '' });
  }

  /** Mines a block to each wallet in turn, and refreshes all. */
  async #mine(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++)
      await this.#daemon.generate(this.#addresses.get(MINERS[i % MINERS.length] ?? 'hot') ?? '', 1);
    for (const name of this.#opened) await this.#at(name).rpc('refresh');
    await this.#steady.rpc('refresh');
  }

  /** Builds a call that pays, with a new key. */
  async #call(method: (typeof METHODS)[number]): Promise<Call> {
    const wallet = PAYER[method];
    const address = this.#addresses.get('payee') ?? '';
    const idempotency_key = `${method} ${this.orders++}`;
    const amount = 1_000_000_000 + this.orders;
    const to = (count: number) => ({
      destinations: Array.from({ length: count }, () => ({ amount, address })),
    });
    const payment = async (): Promise<Loose> => {
      switch (method) {
        case 'transfer':
          return to(1 + this.#random.below(3));
        case 'transfer_split':
          return to(17);
        case 'sweep_single': {
          const { transfers } = await this.#at(wallet).rpc('incoming_transfers', {
            transfer_type: 'available',
          });
          const free = (transfers as Loose[]).filter(({ unlocked }) => unlocked === true);
          const { key_image } = free[this.#random.below(free.length)] as Loose;
          return { address, key_image };
        }
        case 'sweep_all':
          return { address };
        case 'sweep_dust':
          return {};
        case 'submit_transfer': {
          const { unsigned_txset } = await this.#at('watch').rpc('transfer', to(1));
          const { signed_txset } = await this.#at('cold').rpc('sign_transfer', { unsigned_txset });
          return { tx_data_hex: signed_txset };
        }
        case 'submit_multisig': {
          const { rpc } = this.#at('group');
          await exchangeMultisigInfo([{ ...this.#server, rpc }, this.#steady]);
          const { multisig_txset } = await rpc('transfer', to(1));
          const { tx_data_hex } = await this.#steady.rpc('sign_multisig', { tx_data_hex: multisig_txset });
          return { tx_data_hex };
        }
      }
    };
    return { wallet, method, params: { ...(await payment()), idempotency_key } };
  }

  /** One round: a call, a kill, a restart, and the call again until it is answered. */
  async round(): Promise<void> {
    const method = this.#random.pick(METHODS);
    const call = await this.#call(method);
    const pooled = await this.#pooled();
    const started = performance.now();
    let answer: Loose;
    const asked = this.#at(call.wallet)
      .call(call.method, call.params)
      .then(
        ({ result }) => {
          answer = result;
          this.#durations.set(method, performance.now() - started);
        },
        () => undefined,
      );
    await killMoment(this.#random.below(Math.ceil(1.15 * (this.#durations.get(method) ?? 300))));
    const isRelayed = (await this.#kill()) > pooled;
    await asked;
    const interrupted =
      answer === undefined ? await this.#interruptedAt(call, isRelayed) : 'after the answer';
    this.struck[interrupted] += 1;
    this.methods[method] = (this.methods[method] ?? 0) + 1;
    const again = await this.#repeat(call);
    if (again === undefined) return;
    const fault = (text: string): number =>
      this.faults.push(`${String(call.params.idempotency_key)}: ${text}`);
    if (answer !== undefined && JSON.stringify(answer) !== JSON.stringify(again)) fault('another answer');
    const third = (await this.#at(call.wallet).call(call.method, call.params)).result;
    if (JSON.stringify(third) !== JSON.stringify(again)) fault('another third answer');
    const hashes: string[] = again.tx_hash_list ?? (again.tx_hash === undefined ? [] : [again.tx_hash]);
    const paid = this.#paid.get(call.wallet) ?? new Set();
    for (const hash of hashes) paid.add(hash);
    this.#paid.set(call.wallet, paid);
    const { transactions = [] } = await this.#at(call.wallet).rpc('get_order', {
      idempotency_key: call.params.idempotency_key,
    });
    const recorded = (transactions as Loose[]).map(({ tx_hash }) => tx_hash as string);
    if (recorded.join() !== hashes.join()) fault('get_order has other transactions');
    if (this.kills % ROUNDS_BETWEEN_BLOCKS === 0) await this.#mine(MINERS.length);
  }

  async #interruptedAt({ wallet, params }: Call, isRelayed: boolean): Promise<StruckAt> {
    const { error } = await this.#at(wallet).call('get_order', {
      idempotency_key: params.idempotency_key,
    });
    if (error?.code === MISSING) return 'before the record';
    return isRelayed ? 'before the answer' : 'before the relay';
  }

  /** Counts the transactions in the pool of the daemon. */
  async #pooled(): Promise<number> {
    const { tx_hashes = [] } = await this.#daemon.plain('/get_transaction_pool_hashes');
    return (tx_hashes as string[]).length;
  }

  /** Kills the server and starts it again. @returns the size of the pool while it did not run. */
  async #kill(): Promise<number> {
    const { walletDir } = this.#server;
    await this.#server.stop({ signal: 'SIGKILL', keep: true });
    this.kills += 1;
    const pooled = await this.#pooled();
    this.#server = await startWalletProcess({
      daemon: this.#daemon.address,
      walletDir,
      args: ['--trusted-daemon'],
    });
    await this.#open();
    return pooled;
  }

  /** Calls again until it is answered. @returns undefined if the payment cannot be made any more. */
  async #repeat(call: Call): Promise<Loose> {
    for (let attempt = 1; ; attempt++) {
      const { result, error } = await this.#at(call.wallet).call(call.method, call.params);
      if (error === undefined) return result;
      if (attempt === ATTEMPTS) {
        this.faults.push(`${String(call.params.idempotency_key)}: ${error.code} ${error.message}`);
        return undefined;
      }
      await this.#mine(2 * MINERS.length);
    }
  }

  /** Mines everything; every wallet must then have exactly the transactions of its orders. */
  async settle(): Promise<void> {
    await this.#mine(2 * MINERS.length);
    await this.#mine(2 * MINERS.length);
    for (const [wallet, paid] of this.#paid) {
      await this.#compare(`records of ${wallet}`, this.#at(wallet), paid);
      if (wallet === 'watch' || wallet === 'group') continue;
      const { key: seed } = await this.#at(wallet).rpc('query_key', { key_type: 'mnemonic' });
      const twin = walletCalls(this.#steady.port, `twin of ${wallet}`);
      await twin.rpc('restore_deterministic_wallet', { password: '', seed, restore_height: 0 });
      await twin.rpc('refresh');
      await this.#compare(`chain of ${wallet}`, twin, paid);
    }
  }

  async #compare(name: string, wallet: WalletCalls, paid: ReadonlySet<string>): Promise<void> {
    const all = { out: true, pending: true, failed: true, all_accounts: true };
    const { out = [], pending = [], failed = [] } = await wallet.rpc('get_transfers', all);
    const mined = (out as Loose[]).map(({ txid }) => txid as string);
    for (const txid of mined) if (!paid.has(txid)) this.faults.push(`${name}: ${txid} belongs to no order`);
    for (const hash of paid) if (!mined.includes(hash)) this.faults.push(`${name}: ${hash} is not mined`);
    const rest = [...(pending as Loose[]), ...(failed as Loose[])];
    if (rest.length > 0) this.faults.push(`${name}: ${rest.length} transactions that are not mined`);
  }

  async stop(): Promise<void> {
    await this.#server.stop({ keep: false }).catch(() => undefined);
  }
}

/**
 * Kills a wallet server at random times during calls with idempotency keys, calls again after each restart, and
 * compares answers, records and the chain: every order must be paid exactly once.
 */
export async function runOrderCampaign({
  kills,
  seed,
  log,
}: OrderCampaignOptions): Promise<OrderCampaignReport> {
  const daemon = await startRegtestDaemon();
  const options = { daemon: daemon.address, args: ['--trusted-daemon'] };
  const steady = await startWalletProcess(options);
  const campaign = new OrderCampaign(seededRandom(seed), daemon, steady, await startWalletProcess(options));
  try {
    await campaign.prepare();
    while (campaign.kills < kills && campaign.faults.length === 0) {
      await campaign.round();
      if (campaign.kills % 10 === 0) log(`${campaign.kills} kills: ${JSON.stringify(campaign.struck)}`);
    }
    await campaign.settle();
    const { struck, methods, orders, faults } = campaign;
    return { kills: campaign.kills, struck, methods, orders, faults };
  } finally {
    await campaign.stop();
    await steady.stop();
    await daemon.stop();
  }
}
