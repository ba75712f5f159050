import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, walletPath, type Loose } from '../network/json-rpc.js';
import { ALL } from '../processes/credential-server.js';
import { CredentialFile } from '../processes/credential-file.js';
import { startRegtestDaemon } from '../processes/regtest-daemon.js';
import { startWalletProcess, startWalletRpc } from '../processes/wallet-rpc.js';
import { createWallet } from './create-wallet.js';

/** Families of methods that the payment provider needs. */
export const SHOP_RIGHTS = ['receive', 'payout_create'];

/** Server of a shop with credentials and pay pages, and a customer with money, on a chain of their own. */
export interface ShopServer {
  /** Addresses and tokens for a program: those of the shop have the rights of `packaging/medusa/README.md`. */
  readonly env: Readonly<Record<string, string>>;
  /** Mines blocks to an address; the wallets read them when they are refreshed. */
  mine(address: string, blocks: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server of a shop, which has money of its own: only the rules of refunds limit these. */
export async function startShopServer(): Promise<ShopServer> {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  const credentials = new CredentialFile(join(folder, 'credentials.json'));
  await credentials.add('admin', { wallet: '*', method: ALL });
  await credentials.add('medusa', { wallet: 'shop', method: SHOP_RIGHTS });
  const daemon = await startRegtestDaemon();
  const [server, customer] = await Promise.all([
    startWalletProcess({
      daemon: daemon.address,
      args: [
        ...[`--credentials=${credentials.path}`, '--webhook-allow-private', '--pay-bind=0'],
        ...['--confirmations-by-amount=0:2', '--refresh-period=0', '--payout-interval=0'],
        '--rpc-max-connections-per-private-ip=100',
      ],
    }),
    startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0'] }),
  ]);
  const { admin = '', medusa = '' } = credentials.tokens;
  const rpc = async (method: string, params: object = {}): Promise<Loose> => {
    const { result, error } = await call(server.port, method, params, walletPath('shop'), admin);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  await rpc('create_wallet', { password: '', language: 'English' });
  await createWallet(customer, 'customer');
  await daemon.generate((await rpc('get_address')).address as string, 5);
  await daemon.generate((await customer.rpc('get_address')).address as string, 90);
  await Promise.all([rpc('refresh'), customer.rpc('refresh')]);
  return {
    env: {
      WALLET_RPC_URL: `http://127.0.0.1:${server.port}`,
      ...{ WALLET_RPC_TOKEN: medusa, ADMIN_TOKEN: admin },
      CUSTOMER_URL: `http://127.0.0.1:${customer.port}`,
      NODE_URL: `http://${daemon.address.replace(/^https?:\/\//, '')}`,
    },
    async mine(address, blocks) {
      if (blocks > 0) await daemon.generate(address, blocks);
    },
    async stop() {
      await Promise.all([server.stop(), customer.stop()]);
      await daemon.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
