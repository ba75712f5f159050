import type { Random } from '../support/fakes/seeded-random.js';
import { ask } from '../crash/wallet-client.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { walletCalls, type Loose } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { PASSWORD, type ClusterMember, type WalletCluster } from '../support/processes/wallet-cluster.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WalletLoad, type WalletLoadParts } from '../crash/wallet-load.js';

/** Blocks mined to each wallet before the load begins. */
const FIRST_BLOCKS = 30;
/** Blocks after which rewards of miners are unlocked. */
const UNLOCK_BLOCKS = 60;
/** Interval between blocks while the load runs [ms]. */
const BLOCK_MS = 1500;
/** Blocks after which the change of payments is unlocked. */
const CHANGE_BLOCKS = 11;
/** Longest time until all payments are mined [ms]. */
const SETTLE_MS = 180_000;

/** Load of several wallets of a cluster, with a miner, and the comparisons with the chain. */
export interface ClusterLoad {
  readonly loads: readonly WalletLoad[];
  readonly faults: string[];
  begin(): void;
  /** Ends the calls of all wallets. */
  end(): Promise<void>;
  /** Compares everything acknowledged with the wallets. @param isComplete reads also what was read before. */
  check(isComplete?: boolean): Promise<void>;
  /** Compares the balance and the payments of each wallet with a wallet that is restored from its seed. */
  compareWithTwins(): Promise<void>;
  /** Mines all payments, after which each order must be in the chain once, and no other payment. */
  settle(): Promise<void>;
  /** Finds the process that holds a wallet of the load. */
  holder(wallet: string): Promise<ClusterMember>;
  /** Waits for the first answer for a wallet through processes that run. @returns the time [ms]. */
  firstAnswer(wallet: string): Promise<number>;
  stop(): Promise<void>;
}

/** Pauses between the calls of a load. */
export type LoadPauses = Pick<WalletLoadParts, 'pauseMs' | 'recordPauseMs'>;

/** Creates wallets in a cluster through its processes in turn, and mines to them. */
export async function prepareLoad(
  cluster: WalletCluster,
  wallets: readonly string[],
  random: Random,
  pauses: LoadPauses = {},
): Promise<ClusterLoad> {
  const { daemon, members } = cluster;
  const addresses = new Map<string, string>();
  const seeds = new Map<string, string>();
  for (const [i, name] of wallets.entries()) {
    const { rpc } = (members[i % members.length] as ClusterMember).wallet(name);
    await rpc('create_wallet', { password: PASSWORD, language: 'English' });
    addresses.set(name, String((await rpc('get_address')).address));
    seeds.set(name, String((await rpc('query_key', { key_type: 'mnemonic' })).key));
  }
  const all = [...addresses.values()];
  for (const address of all) await daemon.generate(address, FIRST_BLOCKS);
  await daemon.generate(all[0] ?? '', UNLOCK_BLOCKS);
  const twin: WalletRpc = await startWalletRpc({
    daemon: daemon.address,
    args: ['--trusted-daemon'],
    env: DEFAULT_LOOKAHEAD_ENV,
  });
  const faults: string[] = [];
  const loads = wallets.map(
    (wallet) =>
      new WalletLoad({
        ...{ ...pauses, wallet, random },
        reach: () => {
          const running = cluster.members.filter(({ isRunning }) => isRunning);
          return running[random.below(running.length)]?.wallet(wallet);
        },
        address: addresses.get(wallet) ?? '',
        payee: () => random.pick(all as [string, ...string[]]),
        onFault: (fault) => faults.push(fault),
      }),
  );
  const loadOf = (wallet: string): WalletLoad => {
    const load = loads.find((one) => one.wallet === wallet);
    if (load === undefined) throw new Error(`there is no wallet ${wallet}`);
    return load;
  };
  for (const { patient } of loads) await ask(patient, 'refresh');
  let isRunning = false;
  let miner: Promise<void> = Promise.resolve();
  let twins = 0;
  const mine = async (): Promise<void> => {
    while (isRunning) {
      await daemon.generate(all[random.below(all.length)] ?? '', 1);
      await killMoment(BLOCK_MS);
    }
  };

  /** Balance and payments of a wallet, and the hashes of its outgoing transactions. */
  const figures = async (callable: WalletLoad['patient']): Promise<{ text: string; out: string[] }> => {
    await ask(callable, 'refresh');
    // The balance excludes frozen outputs, and a restored wallet has none.
    const { transfers = [] } = await ask(callable, 'incoming_transfers', { transfer_type: 'available' });
    const balance = (transfers as Loose[]).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    const listed = await ask(callable, 'get_transfers', {
      ...{ in: true, out: true, pending: true, failed: true, all_accounts: true },
    });
    const hashes = (kind: string): string[] => [
      ...new Set(((listed[kind] ?? []) as Loose[]).map(({ txid }) => String(txid))),
    ];
    return {
      text: JSON.stringify({ balance: String(balance), in: hashes('in').sort() }),
      out: [...hashes('out'), ...hashes('pending')],
    };
  };

  const load: ClusterLoad = {
    ...{ loads, faults },
    begin() {
      isRunning = true;
      miner = mine();
      for (const one of loads) one.begin();
    },
    async end() {
      isRunning = false;
      await Promise.all([miner, ...loads.map((one) => one.end())]);
    },
    async check(isComplete) {
      for (const one of loads) await one.check(isComplete);
    },
    async compareWithTwins() {
      // Payments that are not mined are unknown to a restored wallet.
      await load.settle();
      for (const one of loads) {
        const path = walletCalls(twin.port, `twin-${twins++}`);
        const seed = seeds.get(one.wallet);
        await path.rpc('restore_deterministic_wallet', { password: '', seed, restore_height: 0 });
        const [ours, restored] = [await figures(one.patient), await figures(path)];
        if (ours.text !== restored.text)
          faults.push(
            `${one.wallet}: a restored wallet differs: ${ours.text.slice(0, 80)} against ${restored.text.slice(0, 80)}`,
          );
        // A restored wallet finds every payment that the keys of the wallet have made, by whichever process.
        const ofOrders = new Set([...(await one.storedOrders()).values()].flat());
        for (const hash of restored.out)
          if (!ofOrders.has(hash))
            faults.push(`${one.wallet}: the chain has the payment ${hash}, which is of no order`);
        for (const [key, { txid }] of one.orders)
          if (txid !== undefined && !restored.out.includes(txid))
            faults.push(`${one.wallet}: ${key} is not in the chain: ${txid}`);
        await path.rpc('close_wallet');
      }
    },
    async settle() {
      for (const one of loads) await one.finishOrders();
      for (const { patient, wallet } of loads)
        await until(
          `the payments of ${wallet} to be mined`,
          async () => {
            await ask(patient, 'refresh');
            const { pending = [] } = await ask(patient, 'get_transfers', {
              ...{ pending: true, all_accounts: true },
            });
            if ((pending as Loose[]).length === 0) return true;
            await daemon.generate(all[0] ?? '', CHANGE_BLOCKS);
            return undefined;
          },
          SETTLE_MS,
        ).catch((error: unknown) => faults.push(String(error)));
      await daemon.generate(all[0] ?? '', 1);
    },
    holder: (wallet) => until(`the holder of ${wallet}`, () => cluster.holderOf(wallet)),
    async firstAnswer(wallet) {
      const started = performance.now();
      const calls = loadOf(wallet);
      await until(`an answer for ${wallet}`, async () => {
        const [asked] = cluster.live().slice(random.below(cluster.live().length));
        const reply = await asked?.wallet(calls.wallet).call('get_address');
        return reply?.error === undefined ? reply?.result : undefined;
      });
      return performance.now() - started;
    },
    async stop() {
      await twin.stop();
    },
  };
  return load;
}
