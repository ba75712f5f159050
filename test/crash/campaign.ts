import type { Loose } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { Facts } from './facts.js';
import { callUntilKilled } from './random-calls.js';
import { seededRandom, type Random } from '../support/fakes/seeded-random.js';
import { readShownFacts } from './shown-facts.js';
import { ask, Refusal } from './wallet-client.js';

export interface CampaignOptions {
  readonly kills: number;
  readonly seed: string;
  readonly log: (line: string) => void;
}

export interface CampaignReport {
  readonly kills: number;
  /** Number of kills while the wallet was being opened. */
  readonly killsWhileOpening: number;
  /** Number of calls answered before a kill. */
  readonly answered: number;
  /** Number of acknowledged facts, compared after every later kill. */
  readonly facts: number;
  readonly payments: number;
  readonly reorganisations: number;
  /** Number of wallets created beside the main one. */
  readonly wallets: number;
  /** Descriptions of losses and differences; empty for a campaign without faults. */
  readonly faults: readonly string[];
}

const WALLET = 'main';
const WORKERS = 3;
const FIRST_BLOCKS = 160;
const LONGEST_LIFE_MS = 2500;
const LONGEST_OPENING_MS = 400;
/** Probability that a kill happens while the wallet is being opened. */
const OPENING_SHARE = 0.15;
const REORGANISATION_SHARE = 0.15;
const CREATION_SHARE = 0.1;
const PASSWORD_SHARE = 0.1;
const DEEPEST = 5;
/** Blocks after which the change of payments is unlocked. */
const UNLOCK_BLOCKS = 11;

/** Starts a wallet server in its own process group. */
const launch = (daemon: Monerod, walletDir?: string): Promise<WalletRpc> =>
  startWalletRpc({
    daemon: daemon.address,
    args: ['--trusted-daemon'],
    env: DEFAULT_LOOKAHEAD_ENV,
    under: ['setsid'],
    ...(walletDir === undefined ? {} : { walletDir }),
  });

/** Kills a server and its child processes. */
async function killGroup(server: WalletRpc): Promise<void> {
  const { pid } = server.process.child;
  if (pid === undefined) throw new Error('the server has no process');
  process.kill(-pid, 'SIGKILL');
  await server.process.exited;
}

/** State of a campaign: makes random calls, kills and restarts the server, compares the facts. */
class Campaign {
  readonly #random: Random;
  readonly #log: (line: string) => void;
  readonly #daemon: Monerod;
  readonly #twin: WalletRpc;
  readonly #facts = new Facts();
  readonly #faults: string[] = [];
  /** Addresses by name of wallets created beside the main one. */
  readonly #others = new Map<string, string>();
  #server: WalletRpc;
  #address = '';
  #seed = '';
  /** Passwords that may open the wallet: the acknowledged one first. */
  #passwords: string[] = ['first'];
  #counts = { kills: 0, opening: 0, answered: 0, reorganisations: 0, twins: 0 };

  constructor(
    random: Random,
    log: (line: string) => void,
    daemon: Monerod,
    twin: WalletRpc,
    server: WalletRpc,
  ) {
    this.#random = random;
    this.#log = log;
    this.#daemon = daemon;
    this.#twin = twin;
    this.#server = server;
  }

  async prepare(): Promise<void> {
    await ask(this.#server, 'create_wallet', { filename: WALLET, password: 'first', language: 'English' });
    this.#address = String((await ask(this.#server, 'get_address')).address);
    this.#seed = String((await ask(this.#server, 'query_key', { key_type: 'mnemonic' })).key);
    await this.#daemon.generate(this.#address, FIRST_BLOCKS);
    await ask(this.#server, 'refresh');
  }

  /** One round: random calls, a kill, a restart, the comparison. */
  async round(): Promise<void> {
    const creation = this.#random.chance(CREATION_SHARE);
    const password = !creation && this.#random.chance(PASSWORD_SHARE);
    const life = this.#random.below(LONGEST_LIFE_MS);
    const work = creation ? this.#createAnother() : password ? this.#changePassword() : this.#callAtRandom();
    // Handles the rejection: a fault is recorded, a broken connection ends the calls.
    const ended = work.catch((error: unknown) => this.#faults.push(String(error)));
    await killMoment(life);
    await killGroup(this.#server);
    this.#counts.kills++;
    await ended;
    await this.#restart();
    if (this.#random.chance(REORGANISATION_SHARE)) await this.#reorganise();
    await this.#compare();
  }

  async #callAtRandom(): Promise<void> {
    await Promise.all(
      Array.from({ length: WORKERS }, async (_, worker) => {
        this.#counts.answered += await callUntilKilled({
          server: this.#server,
          facts: this.#facts,
          random: this.#random,
          worker,
          workers: WORKERS,
          address: this.#address,
        });
      }),
    );
  }

  /** Creates wallets one after the other until the server is killed. */
  async #createAnother(): Promise<void> {
    await this.#untilBroken(async () => {
      const filename = `other-${this.#others.size}-${this.#counts.kills}-${this.#random.below(1 << 30)}`;
      await ask(this.#server, 'create_wallet', { filename, password: filename, language: 'English' });
      this.#others.set(filename, '');
      this.#others.set(filename, String((await ask(this.#server, 'get_address')).address));
    });
  }

  async #changePassword(): Promise<void> {
    await this.#untilBroken(async () => {
      const [old_password = ''] = this.#passwords;
      const new_password = this.#random.text();
      this.#passwords = [old_password, new_password];
      await ask(this.#server, 'change_wallet_password', { old_password, new_password });
      this.#passwords = [new_password];
    });
  }

  async #untilBroken(call: () => Promise<void>): Promise<void> {
    for (;;)
      try {
        await call();
        this.#counts.answered++;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        return;
      }
  }

  /** Starts the server and opens the wallet; with some probability kills it while it opens the wallet. */
  async #restart(): Promise<void> {
    const { walletDir } = this.#server;
    while (this.#random.chance(OPENING_SHARE)) {
      this.#server = await launch(this.#daemon, walletDir);
      void this.#server
        .call('open_wallet', { filename: WALLET, password: this.#passwords[0] })
        .catch(() => undefined);
      await killMoment(this.#random.below(LONGEST_OPENING_MS));
      await killGroup(this.#server);
      this.#counts.kills++;
      this.#counts.opening++;
    }
    this.#server = await launch(this.#daemon, walletDir);
    if (this.#others.size > 0) await this.#openAnother();
    for (const password of this.#passwords) {
      const { error } = await this.#server.call('open_wallet', { filename: WALLET, password });
      if (error === undefined) {
        this.#passwords = [password];
        return;
      }
    }
    throw new Error('no known password opens the wallet');
  }

  /** Opens a previously created wallet, and compares its address. */
  async #openAnother(): Promise<void> {
    const [filename = '', address = ''] = [...this.#others][this.#random.below(this.#others.size)] ?? [];
    const { error } = await this.#server.call('open_wallet', { filename, password: filename });
    if (error !== undefined) this.#faults.push(`${filename} cannot be opened: ${error.message}`);
    else if (address !== '' && (await ask(this.#server, 'get_address')).address !== address)
      this.#faults.push(`${filename} has other keys than it was created with`);
  }

  /** Replaces the latest blocks by a branch that is one block longer. */
  async #reorganise(): Promise<void> {
    const depth = 1 + this.#random.below(DEEPEST);
    await this.#daemon.popBlocks(depth);
    await this.#daemon.generate(this.#address, depth + 1);
    this.#counts.reorganisations++;
  }

  async #compare(): Promise<void> {
    const server = this.#server;
    const shown = await readShownFacts(server, this.#facts);
    for (const { fact, shown: value, allowed } of this.#facts.check(shown))
      this.#faults.push(
        `after kill ${this.#counts.kills}: ${fact} is ${JSON.stringify(value)}, not one of ${JSON.stringify(allowed)}`,
      );
    // Payments that were not relayed before the kill are relayed now, and mined.
    await ask(server, 'refresh');
    await this.#daemon.generate(this.#address, 1 + this.#random.below(3));
    await ask(server, 'refresh');
    await this.#compareWithTwin();
  }

  /** Compares balance and income with a wallet restored from the seed. */
  async #compareWithTwin(): Promise<void> {
    const filename = `twin-${this.#counts.twins++}`;
    await ask(this.#twin, 'restore_deterministic_wallet', { filename, password: '', seed: this.#seed });
    await ask(this.#twin, 'refresh');
    const [ours, restored] = await Promise.all(
      [this.#server, this.#twin].map(async (server) => {
        // The balance excludes frozen outputs, and a restored wallet has none.
        const { transfers = [] } = await ask(server, 'incoming_transfers', { transfer_type: 'available' });
        const balance = (transfers as Loose[]).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
        const { in: incoming = [] } = await ask(server, 'get_transfers', { in: true, all_accounts: true });
        return JSON.stringify({
          balance: String(balance),
          incoming: (incoming as Loose[])
            .map(({ txid, amount }) => `${String(txid)} ${String(amount)}`)
            .sort(),
        });
      }),
    );
    if (ours !== restored)
      this.#faults.push(
        `after kill ${this.#counts.kills}: the restored twin differs: ${ours?.slice(0, 60)} against ${restored?.slice(0, 60)}`,
      );
    await ask(this.#twin, 'close_wallet');
  }

  /** Mines all pending payments: every acknowledged payment must then be in the chain once. */
  async settle(): Promise<void> {
    await until(
      'all payments to be mined',
      async () => {
        await ask(this.#server, 'refresh');
        await this.#daemon.generate(this.#address, UNLOCK_BLOCKS);
        await ask(this.#server, 'refresh');
        const { pending = [] } = await ask(this.#server, 'get_transfers', {
          pending: true,
          all_accounts: true,
        });
        return pending.length === 0 || undefined;
      },
      180_000,
    ).catch((error: unknown) => this.#faults.push(String(error)));
    const txids = this.#facts.names('payment/').map((name) => name.slice('payment/'.length));
    for (let at = 0; at < txids.length; at += 100) {
      const asked = txids.slice(at, at + 100);
      const { txs = [], missed_tx = [] } = await this.#daemon.plain('/get_transactions', {
        txs_hashes: asked,
      });
      for (const txid of missed_tx as string[]) this.#faults.push(`payment ${txid} is not in the chain`);
      for (const { tx_hash, in_pool } of txs as Loose[])
        if (in_pool) this.#faults.push(`payment ${String(tx_hash)} is still in the pool`);
    }
    await this.#compareWithTwin();
  }

  async stop(): Promise<void> {
    await this.#server.stop({ keep: false }).catch(() => undefined);
  }

  report(): CampaignReport {
    return {
      kills: this.#counts.kills,
      killsWhileOpening: this.#counts.opening,
      answered: this.#counts.answered,
      facts: this.#facts.size,
      payments: this.#facts.names('payment/').length,
      reorganisations: this.#counts.reorganisations,
      wallets: this.#others.size,
      faults: this.#faults,
    };
  }

  get kills(): number {
    return this.#counts.kills;
  }

  get faultCount(): number {
    return this.#faults.length;
  }

  say(): void {
    const { kills, answered } = this.#counts;
    this.#log(
      `${kills} kills, ${answered} calls answered, ${this.#facts.size} facts, ${this.#faults.length} faults`,
    );
  }
}

/**
 * Kills a wallet server at random times during random calls, and compares all acknowledged facts after each restart:
 * labels, notes, attributes, keys, payments, payment requests, and the balance with a wallet restored from the seed.
 */
export async function runCampaign({ kills, seed, log }: CampaignOptions): Promise<CampaignReport> {
  const daemon = await startRegtestDaemon();
  const twin = await startWalletRpc({
    daemon: daemon.address,
    args: ['--trusted-daemon'],
    env: DEFAULT_LOOKAHEAD_ENV,
  });
  const campaign = new Campaign(seededRandom(seed), log, daemon, twin, await launch(daemon));
  try {
    await campaign.prepare();
    let said = 0;
    while (campaign.kills < kills && campaign.faultCount === 0) {
      await campaign.round();
      if (campaign.kills >= said + 10) {
        campaign.say();
        said = campaign.kills;
      }
    }
    await campaign.settle();
    return campaign.report();
  } finally {
    await campaign.stop();
    await twin.stop();
    await daemon.stop();
  }
}
