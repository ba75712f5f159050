import { createWallet } from '../wallets/create-wallet.js';
import { Pair, type Exception, type RefusalException } from './differential.js';
import type { Monerod } from '../processes/monerod.js';
import { startRegtestDaemon } from '../processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../processes/wallet-rpc.js';

/** Seed of the shared wallet, from the reference's own tests. */
export const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden ' +
  'nitrogen anvil fewest avoid batch vials washing fences goat unquoted';
export const XMR = 1_000_000_000_000;
export const PAYMENT_IDS = ['1122334455667788', '8877665544332211'] as const;

/** Address and amount [atomic units]. */
export type Part = readonly [address: string, amount: number];

/** Two servers with the same wallet, a third one that pays it, and a chain. */
export interface World {
  readonly daemon: Monerod;
  readonly pair: Pair;
  readonly payer: WalletRpc;
  readonly payerAddress: string;
  /** Addresses of the shared wallet by account, created or not. */
  readonly addresses: readonly (readonly string[])[];
  /** Integrated addresses of the shared wallet. */
  readonly integrated: readonly string[];
  /** Hashes of all transactions of the shared wallet. */
  readonly txids: string[];
  address(account: number, minor: number): string;
  /** Makes a payment from the payer. @returns the transaction's hash. */
  pay(parts: readonly Part[]): Promise<string>;
  /** Mines to the payer. */
  mine(blocks: number): Promise<void>;
  stop(): Promise<void>;
}

/** Mines 106 blocks: four to the shared wallet, and ten payments to it of every kind. */
export async function startWorld(
  exceptions: readonly Exception[],
  refusals: readonly RefusalException[] = [],
): Promise<World> {
  // Our daemon mines far faster; other tests show that the real one accepts the wallets' transactions.
  const daemon = await startRegtestDaemon();
  const options = { daemon: daemon.address };
  const [ours, theirs, payer] = await Promise.all([
    startWalletRpc({ ...options, args: ['--api-version=1.32', '--export-format=0.18.0'] }),
    startReference(options),
    startWalletRpc(options),
  ]);
  const pair = new Pair(ours, theirs, exceptions, refusals);
  await pair.step('auto_refresh', { enable: false });

  // Addresses that the shared wallet has not created are derived in another wallet.
  await payer.rpc('restore_deterministic_wallet', { filename: 'shared', password: '', seed: SEED });
  const addresses: string[][] = [];
  for (let major = 0; major < 5; major++) {
    if (major > 0) await payer.rpc('create_account');
    await payer.rpc('create_address', { account_index: major, count: 4 });
    const listed = (await payer.rpc('get_address', { account_index: major })) as {
      addresses: { address: string }[];
    };
    addresses.push(listed.addresses.map(({ address }) => address));
  }
  const integrated: string[] = [];
  for (const payment_id of PAYMENT_IDS)
    integrated.push((await payer.rpc('make_integrated_address', { payment_id })).integrated_address);
  await createWallet(payer, 'payer');
  const payerAddress = (await payer.rpc('get_address')).address as string;

  const txids: string[] = [];
  const world: World = {
    daemon,
    pair,
    payer,
    payerAddress,
    addresses,
    integrated,
    txids,
    address: (account, minor) => addresses[account]?.[minor] ?? '',
    async pay(parts) {
      const destinations = parts.map(([address, amount]) => ({ address, amount }));
      const { tx_hash } = await payer.rpc('transfer', { destinations });
      txids.push(tx_hash);
      return tx_hash;
    },
    mine: (blocks) => daemon.generate(payerAddress, blocks),
    async stop() {
      await Promise.all([ours.stop(), theirs.stop(), payer.stop()]);
      await daemon.stop();
    },
  };
  try {
    await Promise.all([
      pair.step('restore_deterministic_wallet', { filename: 'shared', password: 'secret', seed: SEED }),
      fillChain(world),
    ]);
  } catch (error) {
    await world.stop();
    throw error;
  }
  return world;
}

async function fillChain({ daemon, payer, address, integrated, pay, mine }: World): Promise<void> {
  await mine(20);
  await daemon.generate(address(0, 0), 4);
  await mine(70);
  await payer.rpc('refresh');
  await pay([
    [address(0, 0), 1.5 * XMR],
    [address(0, 1), 2.5 * XMR],
    [address(1, 0), 3 * XMR],
  ]);
  for (const [i, tenths] of [
    [0, 7],
    [1, 8],
    [0, 9],
  ] as const)
    await pay([[integrated[i] ?? '', (tenths * XMR) / 10]]);
  await pay([
    [address(0, 1), XMR / 10],
    [address(0, 1), XMR / 5],
  ]);
  await pay([[address(1, 3), 4 * XMR]]);
  await pay([[address(2, 0), 5 * XMR]]);
  await pay([[address(3, 0), 6 * XMR]]);
  await mine(11);
}
