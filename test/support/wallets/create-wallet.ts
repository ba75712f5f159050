import type { Loose } from '../network/json-rpc.js';

/** Caller of a wallet server, ours or the reference's, by any path. */
interface Caller {
  rpc(method: string, params?: unknown): Promise<Loose>;
}

/** Language of the seeds of all wallets whose language does not matter. */
export const LANGUAGE = 'English';

/**
 * Creates a wallet with an English seed and opens it. The call must succeed.
 * @param filename empty: in memory only, or the wallet of the path. @param password empty by default.
 */
export async function createWallet(server: Caller, filename = '', password = ''): Promise<void> {
  await server.rpc('create_wallet', {
    ...(filename === '' ? {} : { filename }),
    password,
    language: LANGUAGE,
  });
}
