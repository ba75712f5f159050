import type { Call } from '../../http/calls/dispatcher.js';
import { RpcError } from '../../http/calls/errors.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import type { PageRequest } from '../../http/pages/pages.js';
import { faultOf } from '../../model/wallet-error.js';
import { callOrigin } from './page-calls.js';

/** A receiving address of a wallet, requested by a client. */
export interface ReceivingAddress {
  readonly wallet: string;
  readonly index: number;
  readonly address: string;
  /** True if the address has received a payment. */
  readonly used: boolean;
}

/** Result of a request for a new address. */
export type CreatedOrNot = { readonly index: number } | { readonly error: string };

/** Account whose addresses are shown. */
const ACCOUNT = 0;

/** Finds and creates receiving addresses. */
export class Receiving {
  readonly #server: Pick<WalletManager, 'openWallets' | 'scope' | 'openings' | 'settings'>;
  readonly #call: Call;

  /** @param call call function of the server, which checks whether the client may create addresses. */
  constructor(server: Pick<WalletManager, 'openWallets' | 'scope' | 'openings' | 'settings'>, call: Call) {
    this.#server = server;
    this.#call = call;
  }

  /** Finds a created address; undefined for any other address, and for a wallet that the client may not see. */
  async find(wallet: string, index: number, rights: PageRights): Promise<ReceivingAddress | undefined> {
    const open = rights.allows('get_address') ? this.#wallet(wallet, rights) : undefined;
    if (open === undefined) return undefined;
    try {
      const [view] = await open.accounts.list(ACCOUNT, [index]);
      return view && { wallet, index, address: view.address, used: view.used };
    } catch (error) {
      if (faultOf(error) !== undefined) return undefined;
      throw error;
    }
  }

  /** Creates an address for a client. @param wallet name of the wallet. */
  async create(wallet: string, sender: PageRequest['sender'], rights: PageRights): Promise<CreatedOrNot> {
    const open = this.#wallet(wallet, rights);
    // A call for a wallet that is being opened waits for it.
    const isAwaited = rights.reaches(wallet) && this.#server.openings.isAwaited(wallet);
    const origin =
      open === undefined ? (isAwaited ? { target: wallet } : undefined) : callOrigin(this.#server, open);
    if (origin === undefined) return { error: 'This wallet is not open.' };
    try {
      const params = { account_index: BigInt(ACCOUNT) };
      const result = await this.#call('create_address', params, { ...origin, ...sender });
      return { index: indexIn(result) };
    } catch (error) {
      if (error instanceof RpcError) return { error: error.message };
      throw error;
    }
  }

  #wallet(name: string, rights: PageRights): OpenWallet | undefined {
    return rights.reaches(name)
      ? this.#server.openWallets().find((wallet) => wallet.name === name)
      : undefined;
  }
}

/** Returns the index in a result of `create_address`. */
function indexIn(result: object | string | number | bigint | boolean | null): number {
  if (typeof result !== 'object' || result === null || !('address_index' in result))
    throw new Error('create_address returned no index');
  return Number(result.address_index);
}
