import type { Call, CallOrigin } from '../../http/calls/dispatcher.js';
import { RpcError } from '../../http/calls/errors.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { faultOf } from '../../model/wallet-error.js';

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
  readonly #server: Pick<WalletManager, 'openWallets' | 'scope' | 'openings'>;
  readonly #call: Call;

  /** @param call call function of the server, which checks whether the client may create addresses. */
  constructor(server: Pick<WalletManager, 'openWallets' | 'scope' | 'openings'>, call: Call) {
    this.#server = server;
    this.#call = call;
  }

  /** Finds a created address; undefined for any other address. */
  async find(wallet: string, index: number): Promise<ReceivingAddress | undefined> {
    const open = this.#wallet(wallet);
    if (open === undefined) return undefined;
    try {
      const [view] = await open.accounts.list(ACCOUNT, [index]);
      return view && { wallet, index, address: view.address, used: view.used };
    } catch (error) {
      if (faultOf(error) !== undefined) return undefined;
      throw error;
    }
  }

  /** Creates an address. @param wallet name of the wallet. */
  async create(wallet: string): Promise<CreatedOrNot> {
    const open = this.#wallet(wallet);
    // A call for a wallet that is being opened waits for it.
    if (open === undefined && !this.#server.openings.isAwaited(wallet))
      return { error: 'This wallet is not open.' };
    const origin = open === undefined ? { target: wallet } : this.#originOf(open);
    try {
      const result = await this.#call('create_address', { account_index: BigInt(ACCOUNT) }, origin);
      return { index: indexIn(result) };
    } catch (error) {
      if (error instanceof RpcError) return { error: error.message };
      throw error;
    }
  }

  #wallet(name: string): OpenWallet | undefined {
    return this.#server.openWallets().find((wallet) => wallet.name === name);
  }

  /** Returns the origin of a call for a wallet. The current wallet is reached without a name. */
  #originOf(wallet: OpenWallet): CallOrigin {
    return this.#server.scope().find() === wallet ? {} : { target: wallet.name };
  }
}

/** Returns the index in a result of `create_address`. */
function indexIn(result: object | string | number | bigint | boolean | null): number {
  if (typeof result !== 'object' || result === null || !('address_index' in result))
    throw new Error('create_address returned no index');
  return Number(result.address_index);
}
