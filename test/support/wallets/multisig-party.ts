import { createWallet } from './create-wallet.js';
import type { Loose } from '../network/json-rpc.js';
import {
  startReference,
  startWalletRpc,
  type WalletRpc,
  type WalletRpcOptions,
} from '../processes/wallet-rpc.js';

/** Program of a participant. */
export type Maker = 'ours' | 'theirs';

export const startParty = (makers: readonly Maker[], options: WalletRpcOptions = {}): Promise<WalletRpc[]> =>
  Promise.all(makers.map((maker) => (maker === 'ours' ? startWalletRpc : startReference)(options)));

/** Creates wallets and calls `prepare_multisig`. @returns their messages. */
export async function prepareAll(wallets: readonly WalletRpc[], filename: string): Promise<string[]> {
  return Promise.all(
    wallets.map(async (wallet) => {
      await createWallet(wallet, filename, 'p');
      const prepared = await wallet.rpc('prepare_multisig', { enable_multisig_experimental: true });
      return prepared.multisig_info as string;
    }),
  );
}

/** Calls `make_multisig` in each wallet. @returns their messages. */
export async function makeAll(
  wallets: readonly WalletRpc[],
  threshold: number,
  messages: readonly string[],
): Promise<string[]> {
  const made = await Promise.all(
    wallets.map((wallet) =>
      wallet.rpc('make_multisig', { multisig_info: messages, threshold, password: 'p' }),
    ),
  );
  return made.map(({ multisig_info: message }) => message as string);
}

/** Runs one round of `exchange_multisig_keys`. */
export async function exchangeAll(
  wallets: readonly WalletRpc[],
  messages: readonly string[],
): Promise<{ readonly addresses: string[]; readonly messages: string[] }> {
  const done = await Promise.all(
    wallets.map((wallet) => wallet.rpc('exchange_multisig_keys', { multisig_info: messages, password: 'p' })),
  );
  return {
    addresses: done.map(({ address }) => address as string),
    messages: done.map(({ multisig_info: message }) => message as string),
  };
}

/** Forms a group of new wallets. @returns the common address. */
export async function formGroup(
  wallets: readonly WalletRpc[],
  threshold: number,
  filename: string,
): Promise<string> {
  let messages = await makeAll(wallets, threshold, await prepareAll(wallets, filename));
  for (let round = 0; round <= wallets.length - threshold; round++) {
    const done = await exchangeAll(wallets, messages);
    messages = done.messages;
    const [address] = done.addresses;
    if (address !== undefined && address !== '') {
      if (done.addresses.some((other) => other !== address)) throw new Error('they disagree on the address');
      return address;
    }
  }
  throw new Error('no address after all rounds');
}

/** Opens the wallet of the same name in each server. */
export async function openAll(wallets: readonly WalletRpc[], filename: string): Promise<void> {
  await Promise.all(
    wallets.map(async (wallet) => {
      await wallet.rpc('open_wallet', { filename, password: 'p' });
      await wallet.rpc('refresh');
    }),
  );
}

/** Exchanges multisig info between all wallets. @returns the number of outputs that each import covered. */
export async function exchangeMultisigInfo(wallets: readonly WalletRpc[]): Promise<number[]> {
  const infos = await Promise.all(
    wallets.map(async (wallet) => {
      await wallet.rpc('refresh');
      return (await wallet.rpc('export_multisig_info')).info as string;
    }),
  );
  const imports = await Promise.all(
    wallets.map((wallet) => wallet.rpc('import_multisig_info', { info: infos })),
  );
  return imports.map(({ n_outputs: count }) => count as number);
}

/** Multisig set after all signatures. */
export interface Signed {
  readonly set: string;
  readonly txids: readonly string[];
}

/** Signs a set with each wallet in turn. */
export async function signInTurn(set: string, wallets: readonly WalletRpc[]): Promise<Signed> {
  let signed: Signed = { set, txids: [] };
  for (const wallet of wallets) {
    const done: Loose = await wallet.rpc('sign_multisig', { tx_data_hex: signed.set });
    signed = { set: done.tx_data_hex as string, txids: (done.tx_hash_list ?? []) as string[] };
  }
  return signed;
}
