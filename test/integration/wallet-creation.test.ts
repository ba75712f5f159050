import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose, Reply } from '../support/network/json-rpc.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * Two server processes on one wallet directory.
 */

const ROUNDS = 27;
const language = 'English';

/** A server, and the wallet that it restores or generates from keys. */
interface Party {
  readonly server: WalletRpc;
  readonly password: string;
  readonly seed: string;
  readonly address: string;
  readonly viewkey: string;
  readonly spendkey: string;
}

let walletDir: string;
let parties: readonly Party[];

async function startParty(password: string): Promise<Party> {
  const server = await startWalletRpc({ walletDir });
  await server.rpc('create_wallet', { language });
  const key = async (key_type: string): Promise<string> =>
    (await server.rpc('query_key', { key_type })).key as string;
  return {
    server,
    password,
    seed: await key('mnemonic'),
    address: (await server.rpc('get_address')).address as string,
    viewkey: await key('view_key'),
    spendkey: await key('spend_key'),
  };
}

/** Methods that create a wallet. */
const WAYS: readonly ((party: Party, filename: string) => Promise<Reply>)[] = [
  ({ server, password }, filename) => server.call('create_wallet', { filename, password, language }),
  ({ server, password, seed }, filename) =>
    server.call('restore_deterministic_wallet', { filename, password, seed }),
  ({ server, password, address, viewkey, spendkey }, filename) =>
    server.call('generate_from_keys', { filename, password, address, viewkey, spendkey }),
];

beforeAll(async () => {
  walletDir = mkdtempSync(join(tmpdir(), 'creation-'));
  parties = await Promise.all(['first', 'second'].map(startParty));
});

afterAll(async () => {
  await Promise.all((parties ?? []).map(({ server }) => server.stop({ keep: true })));
  rmSync(walletDir, { recursive: true, force: true });
});

describe('two processes that create a wallet of the same name concurrently', () => {
  it('have one success, and its keys are in the file', async () => {
    const outcomes: unknown[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const filename = `w${round}`;
      const make = WAYS[round % WAYS.length] as (typeof WAYS)[number];
      const replies = await Promise.all(parties.map((party) => make(party, filename)));
      const made = parties.filter((_, i) => replies[i]?.error === undefined);
      const refusals = replies.flatMap(({ error }) => error?.message ?? []);
      const kept = await Promise.all(
        made.map(async ({ server, password }) => {
          const { address } = await server.rpc('get_address');
          await server.rpc('close_wallet');
          const { error } = await server.call('open_wallet', { filename, password });
          const same = error === undefined && (await server.rpc('get_address')).address === address;
          if (error === undefined) await server.rpc('close_wallet');
          return same;
        }),
      );
      outcomes.push({ made: made.length, kept, refusals });
    }
    expect(outcomes).toEqual(
      Array.from({ length: ROUNDS }, () => ({
        made: 1,
        kept: [true],
        refusals: [expect.stringMatching(/already exists|open in another process/i)],
      })),
    );
  });
});

describe('a wallet whose keys are replaced', () => {
  it('is never opened by another process meanwhile', async () => {
    const [owner, other] = parties as [Party, Party];
    const open = { password: owner.password };
    await owner.server.rpc('create_wallet', { ...open, filename: 'peer', language });
    const prepared = async (): Promise<string> =>
      (await owner.server.rpc('prepare_multisig', { enable_multisig_experimental: true })).multisig_info;
    const peer = await prepared();
    for (const filename of ['m0', 'm1', 'm2', 'm3']) {
      await owner.server.rpc('create_wallet', { ...open, filename, language });
      const own = await prepared();
      let done = false;
      const opened: Loose[] = [];
      const hammering = (async () => {
        while (!done) {
          const { error } = await other.server.call('open_wallet', { ...open, filename });
          if (error === undefined) opened.push(await other.server.rpc('get_address'));
        }
      })();
      try {
        await owner.server.rpc('make_multisig', { ...open, multisig_info: [own, peer], threshold: 2 });
      } finally {
        done = true;
        await hammering;
      }
      expect(opened).toEqual([]);
      expect(await owner.server.rpc('is_multisig')).toMatchObject({ multisig: true, total: 2 });
    }
  });
});
