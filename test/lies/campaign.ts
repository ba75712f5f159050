import { killMoment } from '../support/processes/kill-moment.js';
import { endLies, startLyingNode, tell, type LyingNode } from '../support/processes/lying-node.js';
import { startWalletProcess, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { walletCalls, type Loose, type Reply, type WalletCalls } from '../support/network/json-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { booksOf, type Books } from '../support/wallets/wallet-books.js';
import { seededRandom, type Random } from '../support/fakes/seeded-random.js';
import { until } from '../support/fakes/until.js';
import { STOPS } from '../support/values/lies.js';
import { LIARS, withoutDelay, type Action, type RoundPlan } from './plan.js';
import { Records, type Order } from './records.js';
import { minedDifference, settledDifference, Truth } from './truth.js';

/** Facts of a round. */
export interface RoundReport extends RoundPlan {
  readonly ms: number;
  /** True if a daemon was found to have sent forged data. */
  readonly isDisproved: boolean;
  /** True if another daemon took over. */
  readonly isReplaced: boolean;
  /** Calls of clients that ended with an error while the daemons lied. */
  readonly refused: number;
  readonly violations: readonly string[];
}

export interface CampaignOptions {
  readonly seed: string;
  /** Arguments for the wallet server that is lied to. */
  readonly args: readonly string[];
}

const XMR = 1_000_000_000_000;
/** Blocks until the first rewards are unlocked and enough outputs exist for rings. */
const FIRST_BLOCKS = 75;
const FIRST_PAYMENTS = 12;
const UNLOCK_BLOCKS = 11;
const DEEPEST = 5;
const LONGEST_LIFE_MS = 800;
/** Time in which a wallet must read all blocks while the daemons lie: three failed probes, and a check of the next daemon [ms]. */
const GETTING_ON_MS = 90_000;
const SETTLING_MS = 120_000;
/** Time between two blocks while a wallet does not get on [ms]. */
const BLOCK_MS = 8000;
/** Largest number of blocks that bring all payments out of the pool, and until a wallet has decided that a payment is gone. */
const MOST_SETTLING = 12;
const MOST_DECIDING = 6;
const REFRESH_SECONDS = 2;
const SAID_CHARS = 3000;

const rowsOf = (rows: unknown): Loose[] => (rows ?? []) as Loose[];

/** A wallet server whose first daemons lie, an honest twin of its wallet, and payments between them and a third wallet. */
export class Campaign {
  readonly #options: CampaignOptions;
  readonly #node: LyingNode;
  /** Server beside the honest port, with the payer and the twin. */
  readonly #steady: WalletRpc;
  readonly #payer: WalletCalls;
  readonly #twin: WalletCalls;
  readonly #truth = new Truth();
  readonly #records = new Records(this.#truth, (text) => this.#violate([text]));
  #server: WalletRpc;
  #isTrusted = true;
  #address = '';
  #payerAddress = '';
  #violations: string[] = [];
  #refused = 0;
  #isDisproved = false;
  #isReplaced = false;

  private constructor(options: CampaignOptions, node: LyingNode, steady: WalletRpc, server: WalletRpc) {
    this.#options = options;
    this.#node = node;
    this.#steady = steady;
    this.#server = server;
    this.#payer = walletCalls(steady.port, 'payer');
    this.#twin = walletCalls(steady.port, 'twin');
  }

  static async start(options: CampaignOptions): Promise<Campaign> {
    const node = await startLyingNode({ liars: LIARS });
    const steady = await startWalletRpc({
      daemon: node.honest.address,
      args: ['--trusted-daemon', '--refresh-period=0'],
    });
    const campaign = new Campaign(options, node, steady, await startVictim(node, options.args, true));
    await campaign.#prepare();
    return campaign;
  }

  get #victim(): WalletCalls {
    return walletCalls(this.#server.port, 'victim');
  }

  async #prepare(): Promise<void> {
    await createWallet(this.#payer);
    await createWallet(this.#victim);
    this.#payerAddress = (await this.#payer.rpc('get_address')).address as string;
    this.#address = (await this.#victim.rpc('get_address')).address as string;
    const { key: seed } = await this.#victim.rpc('query_key', { key_type: 'mnemonic' });
    await this.#twin.rpc('restore_deterministic_wallet', { password: '', seed, restore_height: 0 });
    await this.#mine(FIRST_BLOCKS);
    const destinations = Array.from({ length: FIRST_PAYMENTS }, () => ({
      address: this.#address,
      amount: 3 * XMR,
    }));
    await this.#payer.rpc('transfer', { destinations });
    await this.#mine(1);
    await this.#mine(UNLOCK_BLOCKS);
  }

  /** Mines blocks, and lets the twin read them. */
  async #mine(blocks: number, to = this.#payerAddress): Promise<void> {
    await this.#node.honest.generate(to, blocks);
    await this.#learn();
  }

  /** Lets the twin read the chain and the pool. */
  async #learn(): Promise<void> {
    await this.#payer.rpc('refresh');
    await this.#twin.rpc('refresh');
    this.#truth.enter(await booksOf(this.#twin));
  }

  /** Calls the wallet that is lied to; an error counts, and no answer is no error. */
  async #try(method: string, params: object = {}): Promise<Reply | undefined> {
    const reply = await this.#victim.call(method, params).catch(() => undefined);
    if (reply?.error !== undefined) this.#refused += 1;
    return reply;
  }

  async #restart(isTrusted: boolean): Promise<void> {
    const { walletDir } = this.#server;
    await this.#server.stop({ signal: 'SIGKILL', keep: true });
    this.#isTrusted = isTrusted;
    this.#server = await startVictim(this.#node, this.#options.args, isTrusted, walletDir);
    await until('the wallet to open', async () => {
      await this.#victim.rpc('open_wallet', { password: '' });
      return true;
    });
  }

  /** Runs a round. */
  async round(plan: RoundPlan): Promise<RoundReport> {
    const started = performance.now();
    const random = seededRandom(`${this.#options.seed}/deeds ${plan.round}`);
    this.#violations = [];
    [this.#refused, this.#isDisproved, this.#isReplaced] = [0, false, false];
    const liars = this.#node.liars.slice(0, plan.liars);
    if (this.#isTrusted !== plan.trusted || (await this.#serving()) !== 1) await this.#restart(plan.trusted);
    await until(
      'the wallet to be up to date',
      async () => (await this.#differs(settledDifference)) === undefined,
    );
    const facts = this.#facts();
    for (const liar of liars) await tell(liar, plan.lie, facts);
    try {
      await this.#act('receive', random);
      await this.#act('mine', random);
      for (const action of plan.actions) {
        await this.#act(action, random);
        await this.#compareWhileLiedTo();
      }
      if (plan.lie.call === 'rescan_spent') await this.#try('rescan_spent');
      if (plan.lie.about === 'rewarding block') await this.#act('reward', random);
      await this.#mine(1);
      await this.#getOn(STOPS[withoutDelay(plan.lie.what)]);
      await this.#askOperator();
    } finally {
      for (const liar of liars) await endLies(liar);
    }
    await this.#settle();
    await this.#compareAtRest();
    if (this.#violations.length > 0)
      this.#violations.push(`the log ends with: ${this.#server.process.output().slice(-SAID_CHARS)}`);
    return {
      ...plan,
      ms: Math.round(performance.now() - started),
      ...{ isDisproved: this.#isDisproved, isReplaced: this.#isReplaced, refused: this.#refused },
      violations: this.#violations,
    };
  }

  /** Returns the facts that the lies of a round are about. */
  #facts() {
    const payee = { address: this.#address, amount: 9 * XMR };
    const unspent = rowsOf(this.#truth.latest.outputs.transfers).find(({ spent }) => spent !== true);
    return {
      ...{ payee, 'paying block': payee, 'rewarding block': {} },
      'unspent output': { key_images: [String(unspent?.key_image)] },
    };
  }

  async #act(action: Action, random: Random): Promise<void> {
    switch (action) {
      case 'receive':
        return this.#receive(this.#address, random);
      case 'request':
        return this.#request(random);
      case 'pay':
        return void (await this.#pay(this.#records.order(random)));
      case 'mine':
        return this.#mine(1 + random.below(3));
      case 'reward':
        return this.#mine(1, this.#address);
      case 'reorganise': {
        const depth = 1 + random.below(DEEPEST);
        await this.#node.honest.popBlocks(depth);
        return this.#mine(depth + 1);
      }
      case 'kill': {
        const paying = random.chance(0.5) ? this.#pay(this.#records.order(random)) : undefined;
        await killMoment(random.below(LONGEST_LIFE_MS));
        await this.#restart(this.#isTrusted);
        return void (await paying);
      }
      case 'scan':
        return this.#scan(random);
      case 'refresh':
        return void (await this.#try('refresh'));
    }
  }

  async #receive(address: string, random: Random): Promise<void> {
    const amount = XMR / 2 + random.below(XMR / 1000);
    await this.#payer.rpc('transfer', { destinations: [{ address, amount }] });
    await this.#learn();
  }

  async #request(random: Random): Promise<void> {
    const created = (await this.#try('create_payment_request', { amount: XMR / 2 }))?.result as Loose;
    if (created === undefined) return;
    this.#records.addRequest(created);
    await this.#receive(String(created.address), random);
  }

  async #pay(order: Order): Promise<void> {
    const reply = await this.#try('transfer', {
      destinations: [{ address: this.#payerAddress, amount: order.amount }],
      idempotency_key: order.key,
    });
    this.#records.answer(order, reply);
  }

  /** Lets the wallet scan a transaction of the pool, or of a block. */
  async #scan(random: Random): Promise<void> {
    const { tx_hashes = [] } = await this.#node.honest.plain('/get_transaction_pool_hashes');
    const known = [
      ...(tx_hashes as string[]),
      ...rowsOf(this.#truth.latest.transfers.received).map(({ txid }) => String(txid)),
    ];
    const [first, ...others] = known.slice(0, 3);
    if (first !== undefined) await this.#try('scan_tx', { txids: [random.pick([first, ...others])] });
  }

  /** Reads the books of the wallet; undefined while it gives no answer. */
  async #books(): Promise<Books | undefined> {
    return booksOf(this.#victim).catch(() => undefined);
  }

  #violate(texts: readonly string[]): void {
    for (const text of texts) if (!this.#violations.includes(text)) this.#violations.push(text);
  }

  /** Compares what the wallet claims while the daemons lie with everything that was ever true. */
  async #compareWhileLiedTo(): Promise<Books | undefined> {
    const books = await this.#books();
    if (books === undefined) return undefined;
    await this.#learn();
    this.#violate(this.#truth.lies(books));
    return books;
  }

  async #differs(compare: (books: Books, twin: Books) => string | undefined): Promise<string | undefined> {
    const books = await this.#books();
    await this.#learn();
    return books === undefined ? 'the wallet gives no answer' : compare(books, this.#truth.latest);
  }

  /**
   * Waits until the wallet has read all blocks, although the daemons still lie.
   * @param warning warning of a wallet that the lie stops, and which need not read all blocks then.
   */
  async #getOn(warning?: RegExp): Promise<void> {
    let last: string | undefined;
    let mined = performance.now();
    await until(
      'the wallet to get on',
      async () => {
        // Only the next block disproves a false block at the tip.
        if (performance.now() - mined > BLOCK_MS) {
          await this.#mine(1);
          mined = performance.now();
        }
        const books = await this.#compareWhileLiedTo();
        last = books === undefined ? 'no answer' : minedDifference(books, this.#truth.latest);
        return last === undefined || warning?.test(this.#server.process.output()) === true;
      },
      GETTING_ON_MS,
    ).catch(() => this.#violate([`no honest daemon has taken over: ${last}`]));
  }

  async #get(path: string): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#server.port}${path}`)).text();
  }

  /** Number of the daemon that serves; undefined before it is known. */
  async #serving(): Promise<number | undefined> {
    const text = await this.#get('/readyz').catch(() => '{}');
    return (JSON.parse(text) as Loose).daemon?.serving as number | undefined;
  }

  /** Checks that log, metrics and status page say of a daemon that sent forged data, and that it does not serve. */
  async #askOperator(): Promise<void> {
    const log = this.#server.process.output().split('\n');
    const forgers = this.#node.liars
      .map(({ address }, i) => ({ address, place: i + 1 }))
      .filter(({ address }) =>
        log.some(
          (line) =>
            line.includes('the daemon has sent forged data, which is not used') && line.includes(address),
        ),
      );
    const serving = await this.#serving();
    this.#isDisproved = forgers.length > 0;
    this.#isReplaced = serving !== 1;
    if (this.#isReplaced && !log.some((line) => line.includes('daemon: switched from')))
      this.#violate([`the log does not say that daemon ${serving} has taken over`]);
    if (forgers.length === 0) return;
    const [status, metrics] = [await this.#get('/status'), await this.#get('/metrics')];
    for (const { address, place } of forgers) {
      if (serving === place) this.#violate([`the daemon ${place}, which has sent forged data, serves`]);
      if (!new RegExp(`${address}</dt>\\s*<dd>(?![\\d,]+ blocks)`).test(status))
        this.#violate([`the status page does not say why the daemon ${place} cannot serve`]);
    }
    if (!/^wallet_rpc_daemon_forgeries_total [1-9]/m.test(metrics))
      this.#violate(['the metrics count no forged data']);
  }

  /**
   * Brings everything to rest once the daemons tell the truth: each order has an answer, the pool is empty, and the wallet
   * waits for nothing.
   */
  async #settle(): Promise<void> {
    await this.#emptyPool();
    for (const order of this.#records.unanswered()) await this.#pay(order);
    await this.#emptyPool();
    // A wallet reads every block that may contain a payment before it decides that the payment is gone.
    for (let i = 0; i < MOST_DECIDING && (await this.#records.undecided(this.#victim)) > 0; i++)
      await this.#mineOne();
  }

  async #mineOne(): Promise<void> {
    await this.#mine(1);
    await this.#refreshed();
  }

  #refreshed(): Promise<unknown> {
    const refresh = async (): Promise<boolean> => (await this.#victim.call('refresh')).error === undefined;
    return until('a refresh of the wallet', refresh, SETTLING_MS);
  }

  /** Mines until the pool is empty and no payment of the wallet waits for a block. */
  async #emptyPool(): Promise<void> {
    await this.#refreshed();
    for (let i = 0; i < MOST_SETTLING; i++) {
      // An untrusted daemon that lacks a payment which was sent to another daemon gets it minutes later.
      if ((await this.#waiting()) === 'pending' && !this.#isTrusted) await this.#restart(true);
      const relayed = async (): Promise<boolean> => (await this.#waiting()) !== 'pending';
      await until('the payments to be relayed again', relayed, SETTLING_MS).catch(() => undefined);
      if ((await this.#waiting()) !== 'in the pool') return;
      await this.#mineOne();
    }
  }

  /** Returns what payments wait for: a block, or to be relayed. */
  async #waiting(): Promise<'in the pool' | 'pending' | undefined> {
    const { pending } = (await booksOf(this.#victim)).transfers;
    const { tx_hashes = [] } = await this.#node.honest.plain('/get_transaction_pool_hashes');
    if (rowsOf(tx_hashes).length > 0) return 'in the pool';
    return rowsOf(pending).length > 0 ? 'pending' : undefined;
  }

  /** Compares everything with the twin and with the events. */
  async #compareAtRest(): Promise<void> {
    let last: string | undefined;
    await until(
      'the wallet to be as its twin',
      async () => (last = await this.#differs(settledDifference)) === undefined,
      SETTLING_MS,
    ).catch(() => this.#violate([`after the lie: ${last}`]));
    await this.#records.compare(this.#victim);
  }

  async stop(): Promise<void> {
    await this.#server.stop({ signal: 'SIGKILL', keep: false }).catch(() => undefined);
    await this.#steady.stop();
    await this.#node.stop();
  }
}

/** Starts the wallet server that is lied to: beside the lying ports, and behind them an honest one. */
const startVictim = (
  { honest, liars }: LyingNode,
  args: readonly string[],
  isTrusted: boolean,
  walletDir?: string,
): Promise<WalletRpc> => {
  const [first, ...others] = [...liars, honest].map(({ address }) => address);
  return startWalletProcess({
    ...(first === undefined ? {} : { daemon: first }),
    ...(walletDir === undefined ? {} : { walletDir }),
    args: [
      ...others.map((address) => `--daemon-address=${address}`),
      isTrusted ? '--trusted-daemon' : '--untrusted-daemon',
      `--refresh-period=${REFRESH_SECONDS}`,
      ...args,
    ],
  });
};
