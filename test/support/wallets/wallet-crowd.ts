import { createWallet } from './create-wallet.js';
import { walletCalls, type Loose, type WalletCalls } from '../network/json-rpc.js';
import type { Monerod } from '../processes/monerod.js';
import { until } from '../fakes/until.js';
import { startRegtestDaemon } from '../processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc, type WalletRpcOptions } from '../processes/wallet-rpc.js';

/** Blocks until a mined output can be spent, with outputs left over for rings. */
const UNLOCK_BLOCKS = 65;

/** Outputs that each wallet of a crowd mines: it can make as many payments at once. */
const OUTPUTS_EACH = 8;

/** Several wallets, each open under its own path of one server, with outputs that can be spent. */
export interface Crowd {
  readonly daemon: Monerod;
  readonly server: WalletRpc;
  /** Calls of one wallet. */
  at(name: string): WalletCalls;
  /** Primary address of a wallet of the crowd. */
  address(name: string): string;
  /** Mines blocks to an address outside the crowd. */
  mine(blocks: number): Promise<void>;
  /** Log lines that name a wallet and contain a text. */
  linesOf(name: string, text?: string): string[];
  stop(): Promise<void>;
}

export interface CrowdOptions extends Omit<WalletRpcOptions, 'daemon'> {
  /** Address under which the server reaches the daemon; absent: the daemon's own. */
  readonly via?: (address: string) => Promise<string>;
  /** Password of a wallet; absent: all are empty. */
  readonly passwordOf?: (name: string) => string;
}

/** Wallet that receives the blocks that belong to no other. */
const MINER = 'miner';

/** Starts a daemon and a server, and gives each wallet some spendable outputs. */
export async function startCrowd(names: readonly string[], options: CrowdOptions = {}): Promise<Crowd> {
  const { via = (address: string) => Promise.resolve(address), args = [], passwordOf, ...rest } = options;
  const daemon = await startRegtestDaemon();
  const server = await startWalletRpc({
    ...rest,
    daemon: await via(daemon.address),
    args: ['--trusted-daemon', ...args],
  });
  const at = (name: string): WalletCalls => walletCalls(server.port, name);
  const addresses = new Map<string, string>();
  for (const name of [...names, MINER]) {
    const password = passwordOf?.(name) ?? '';
    await createWallet(at(name), '', password);
    addresses.set(name, (await at(name).rpc('get_address')).address as string);
  }
  await at(MINER).rpc('close_wallet');
  const address = (name: string): string => {
    const found = addresses.get(name);
    if (found === undefined) throw new Error(`no wallet ${name} in the crowd`);
    return found;
  };
  const mine = (blocks: number): Promise<void> => daemon.generate(address(MINER), blocks);
  for (const name of names) await daemon.generate(address(name), OUTPUTS_EACH);
  await mine(UNLOCK_BLOCKS);
  await Promise.all(names.map((name) => at(name).rpc('refresh')));
  return {
    ...{ daemon, server, at, address, mine },
    linesOf: (name, text = '') =>
      server.process
        .output()
        .split('\n')
        .filter((line) => line.includes(` name=${name}`) && line.includes(text)),
    async stop() {
      await server.stop();
      await daemon.stop();
    },
  };
}

/** Calls that show the money of a wallet. */
const MONEY: readonly (readonly [method: string, params: object])[] = [
  ['get_balance', { all_accounts: true }],
  ['get_transfers', { in: true, out: true, pending: true, failed: true, pool: true, all_accounts: true }],
  ['incoming_transfers', { transfer_type: 'all' }],
];

/** Balance, transfers and outputs of a refreshed wallet, without destinations: the chain does not reveal them. */
export async function moneyOf({ rpc }: WalletCalls): Promise<Loose[]> {
  await rpc('refresh');
  const answers: Loose[] = [];
  for (const [method, params] of MONEY) answers.push(await rpc(method, params));
  const text = JSON.stringify(answers, (key, value: unknown) => (key === 'destinations' ? undefined : value));
  return JSON.parse(text) as Loose[];
}

/** The same of a wallet with the same seed that was restored just now. */
export async function moneyOfTwin({ at }: Pick<Crowd, 'at'>, name: string, twin: string): Promise<Loose[]> {
  const { key: seed } = await at(name).rpc('query_key', { key_type: 'mnemonic' });
  await at(twin).rpc('restore_deterministic_wallet', { password: '', seed, restore_height: 0 });
  const money = await moneyOf(at(twin));
  await at(twin).rpc('close_wallet');
  return money;
}

/** Resolves once a wallet knows every block of the daemon without a request to refresh. */
export const untilCaughtUp = ({ daemon, at }: Pick<Crowd, 'daemon' | 'at'>, name: string): Promise<number> =>
  until(`the blocks of ${name}`, async () => {
    const { height } = await daemon.rpc('get_info');
    return (await at(name).rpc('get_height')).height === height ? (height as number) : undefined;
  });
