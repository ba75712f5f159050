import { WalletError } from '../../model/wallet-error.js';
import type { Hash } from '../../monero/crypto/types.js';
import {
  MAX_BUNDLE_OUTPUTS,
  MAX_BUNDLE_TX_BYTES,
  type BundleTx,
  type ReserveBundle,
} from '../../monero/wallet/proofs/reserve-bundle.js';
import type { HeldOutput } from '../../monero/wallet/proofs/reserve-bundle-proof.js';
import { assertProvable } from '../../monero/wallet/proofs/provable-tx.js';
import { spendSecretIn } from '../../monero/wallet/keys.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import { pagesOf } from '../../util/paged.js';
import type { Accounts } from '../accounts/accounts.js';
import { minedBlock } from '../context/mined-block.js';
import type { WalletContext } from '../context/wallet-context.js';
import { ChainTransactions } from './chain-transactions.js';
import { threadSpendSecrets } from './thread-secrets.js';

type Context = Pick<WalletContext, 'daemon' | 'keystore' | 'store' | 'workers' | 'clock' | 'assertOpen'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
}

/** Reserve that a bundle is to prove. */
export interface BundleRequest {
  /** Accounts in any order; absent: all accounts with outputs. */
  readonly accounts?: readonly number[];
  readonly message: string;
  /** Height of a block of the wallet; absent: the newest one. */
  readonly height?: number;
}

/** Outputs of a wallet at one height. */
interface Reserve {
  readonly height: number;
  /** Hash of the block at this height; undefined if the wallet does not store it. */
  readonly blockHash: Hash | undefined;
  readonly accounts: readonly { readonly account: number; readonly outputs: readonly HeldOutput[] }[];
}

/** Number of transactions that are fetched before their size is checked. */
const TXS_AT_ONCE = 100;

const refused = (reason: string, text?: string): WalletError =>
  new WalletError({ kind: 'invalid', reason, ...(text === undefined ? {} : { text }) });

/** Makes proofs of the reserves of several accounts at one height. */
export class ReserveBundles {
  readonly #context: Context;
  readonly #services: Services;
  readonly #chain: ChainTransactions;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#chain = new ChainTransactions(context);
  }

  /**
   * Makes a bundle of one state of the wallet. Its transactions are fetched from the daemon, and proven on a thread.
   * @throws WalletError `view_only`, `multisig_refused`, `account_out_of_range`, `daemon_misbehaves`; `invalid` for a height
   * above the newest block, without outputs, and beyond {@link MAX_BUNDLE_OUTPUTS} and {@link MAX_BUNDLE_TX_BYTES}; `fork_proof` for
   * outputs in the form of the fork
   */
  async prove(request: BundleRequest): Promise<ReserveBundle> {
    const { keystore, workers, clock, assertOpen } = this.#context;
    // Refuses a wallet without a spend key before any call to the daemon.
    spendSecretIn(keystore.keys);
    const time = unixSeconds(clock);
    const { height, blockHash, accounts } = this.#read(request);
    const transactions = await this.#transactions(accounts.flatMap(({ outputs }) => outputs));
    const hash = blockHash ?? (await minedBlock(this.#context, height, [])).hash;
    assertOpen();
    const { network, spendPublicKey, viewPublicKey } = keystore.keys;
    const { keys, secrets } = threadSpendSecrets(keystore);
    const address = { network, kind: 'standard' as const, spendPublicKey, viewPublicKey };
    return workers.proofs.run(
      'proveBundle',
      {
        facts: { address, message: request.message, height, blockHash: hash, time },
        ...{ accounts, transactions, keys },
        withReserveProof: accounts.length === 1 && request.height === undefined,
      },
      secrets,
    );
  }

  /** Reads the outputs and their block from one state of the wallet. */
  #read({ accounts, height: asked }: BundleRequest): Reserve {
    const { store } = this.#context;
    const wanted = accounts === undefined ? undefined : [...new Set(accounts)].sort((a, b) => a - b);
    if (wanted !== undefined && wanted.length > MAX_BUNDLE_OUTPUTS)
      throw refused(`a bundle has at most ${MAX_BUNDLE_OUTPUTS} accounts`);
    for (const account of wanted ?? []) this.#services.accounts.assertAccount(account);
    const newest = store.height() - 1;
    const height = asked ?? newest;
    if (height > newest)
      throw refused(`the newest block of the wallet is ${newest}, and the height is ${height}`);
    const found = store.read((r) => r.reserves.heldAt(height, wanted, MAX_BUNDLE_OUTPUTS + 1));
    if (found.length === 0) throw refused('there is no balance to prove', 'Zero balance');
    if (found.length > MAX_BUNDLE_OUTPUTS)
      throw refused(
        `a bundle has at most ${MAX_BUNDLE_OUTPUTS} outputs, and these accounts have more: name fewer accounts`,
      );
    assertProvable(found);
    const held = found.map((output): HeldOutput => {
      const { keyImage } = output;
      if (keyImage === undefined) throw refused('the key image of an output is not known');
      return { ...output, keyImage };
    });
    const byAccount = Map.groupBy(held, ({ subaddress }) => subaddress.major);
    const listed = wanted ?? [...byAccount.keys()].sort((a, b) => a - b);
    return {
      height,
      blockHash: store.blockAt(height)?.hash,
      accounts: listed.map((account) => ({ account, outputs: byAccount.get(account) ?? [] })),
    };
  }

  /** Fetches the transactions of outputs, each once. @throws WalletError `invalid` if they are too long */
  async #transactions(outputs: readonly HeldOutput[]): Promise<BundleTx[]> {
    const unique = [...new Map(outputs.map((output) => [toHex(output.txHash), output])).values()];
    const transactions: BundleTx[] = [];
    let bytes = 0;
    for await (const page of pagesOf(unique, TXS_AT_ONCE)) {
      const fetched = await this.#chain.confirmed(
        page.map(({ txHash }) => txHash),
        { prune: true },
      );
      fetched.forEach((tx, i) => transactions.push({ ...tx, height: page[i]?.height ?? 0 }));
      bytes += fetched.reduce((size, { blob }) => size + blob.length, 0);
      if (bytes > MAX_BUNDLE_TX_BYTES)
        throw refused(
          `the transactions of a bundle have at most ${MAX_BUNDLE_TX_BYTES} bytes, and those of these accounts have more: ` +
            'name fewer accounts',
        );
    }
    return transactions;
  }
}
