import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { readParams } from '../../../src/http/methods/params.js';
import {
  derivationToScalar,
  derivePublicKey,
  keyDerivation,
  viewTag,
} from '../../../src/monero/crypto/derivation.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import { parseExtra, txPublicKeys } from '../../../src/monero/cryptonote/extra.js';
import { readStorage, SectionReader } from '../../../src/monero/epee/portable-storage.js';
import { writeStorage, type Scalar, type TypedSection } from '../../../src/monero/epee/storage-writer.js';
import { openOutput } from '../../../src/monero/ringct/commitment.js';
import {
  FaultInjector,
  FAULTS,
  parseFaults,
  type InjectedFault,
  type Misbehaviour,
} from '../../../src/regtest/fault-injection.js';
import { changedAnswers } from '../../../src/regtest/lies/fault.js';
import { forgeBlock, poolEntryOf } from '../../../src/regtest/lies/forged-chain.js';
import { forgePayment } from '../../../src/regtest/lies/forged-payment.js';
import type { Payment } from '../../../src/regtest/rules/tx-rules.js';
import { RegtestDaemon } from '../../../src/regtest/rpc/daemon.js';
import { answerOf, binaryEndpoints, methods, paths, sectionOf } from '../../../src/regtest/rpc/service.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { parseJson } from '../../../src/util/json.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import type { Loose } from '../../support/network/json-rpc.js';
import { NOON, testNode } from '../../support/processes/regtest-node.js';
import { holder } from '../../monero/wallet/fixtures.js';

/* What each lie changes in the answers of a node, without HTTP. */

const BLOCKS = 24;
/** Height of the block with payments. */
const PAYING = 20;

const rng = seededRng('lies');
const victim = holder(rng);
const daemon = new RegtestDaemon({
  clock: { now: () => 1000 * NOON },
  fixedDifficulty: 10n,
  anyUnlockTime: false,
  rng,
  threads: 1,
  blockTimeMs: 1000,
  version: '0',
  faults: new FaultInjector(new Map(), rng),
  stop: () => undefined,
  onMiningError: () => undefined,
});
const { node } = daemon;

const keyImages = [holder(rng).spendPublicKey as Uint8Array as KeyImage];
const target = { amount: amount(7n), keyImages, address: victim.address() };
let payments: readonly Payment[];
let waiting: readonly Payment[];

beforeAll(() => {
  const pay = (): Payment => forgePayment({ node, rng }, { amount: amount(5n), keyImages: [] });
  while (node.chain.height < BLOCKS) {
    payments = node.chain.height === PAYING ? [pay(), pay()] : [];
    node.chain.extend(forgeBlock(node, { payments }, { rng }), payments);
    if (node.chain.height === PAYING + 1) waiting = payments;
  }
  payments = waiting;
  waiting = [pay(), pay()];
  waiting.forEach((payment, i) => {
    node.store.pool.put({ ...poolEntryOf(payment, node), doubleSpendSeen: i === 0 });
    for (const { keyImage } of payment.inputs) node.store.pool.addSpend({ keyImage, txHash: payment.hash });
  });
});

afterAll(() => daemon.close());

const misbehave = (faults: string, more: Partial<Misbehaviour['target']> = {}): void =>
  daemon.faults.set({ faults: parseFaults(faults), target: { ...target, ...more } });
beforeEach(() => misbehave(''));

const context = { daemon, restricted: false };

/** Questions to the node in JSON, by name of the method or path. */
const questions = (pool: readonly string[]): Readonly<Record<string, object>> => ({
  get_block_count: {},
  on_get_block_hash: { list: [BLOCKS - 1] },
  get_last_block_header: {},
  get_block_header_by_hash: { hash: toHex(node.store.blocks.at(PAYING)?.hash ?? new Uint8Array()) },
  get_block_header_by_height: { height: BLOCKS - 1 },
  get_block_headers_range: { start_height: PAYING, end_height: BLOCKS - 1 },
  get_block: { height: BLOCKS - 1 },
  get_info: {},
  get_version: {},
  hard_fork_info: { version: 17 },
  get_fee_estimate: {},
  get_output_histogram: { amounts: [0] },
  get_output_distribution: { amounts: [0] },
  sync_info: {},
  get_miner_data: {},
  get_block_template: { wallet_address: ADDRESS },
  get_txpool_backlog: {},
  get_txids_loose: { txid_template: '0'.repeat(64), num_matching_bits: 0 },
  get_coinbase_tx_sum: { height: PAYING, count: 3 },
  '/get_height': {},
  '/get_info': {},
  '/get_outs': { outputs: [12, 13, 20, 21].map((index) => ({ amount: 0, index })) },
  '/get_transactions': {
    txs_hashes: [...new Set([...[...payments, ...waiting].map(({ hash }) => toHex(hash)), ...pool])],
    split: true,
  },
  '/is_key_image_spent': {
    key_images: [
      ...[...payments, ...waiting].flatMap(({ inputs }) => inputs.map(({ keyImage }) => keyImage)),
      ...keyImages,
    ].map(toHex),
  },
  '/get_transaction_pool': {},
  '/get_transaction_pool_hashes': {},
  '/get_transaction_pool_hashes.bin': {},
  '/get_transaction_pool_stats': {},
  '/send_raw_transaction': {
    tx_as_hex: toHex(waiting[0]?.blob ?? new Uint8Array()),
    do_sanity_checks: false,
  },
});

const ADDRESS =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const u64 = (value: number): Scalar => ({ type: 'u64', value: BigInt(value) });

/** Questions to the node in portable storage, by path. */
const sections = (): Readonly<Record<string, TypedSection>> => ({
  '/get_blocks.bin': {
    start_height: u64(1),
    prune: { type: 'bool', value: true },
    requested_info: { type: 'u8', value: 1 },
  },
  '/get_blocks_by_height.bin': {
    heights: { type: 'list', items: Array.from({ length: BLOCKS }, (_, i) => u64(i)) },
  },
  '/get_hashes.bin': {
    block_ids: { type: 'string', value: node.store.blocks.at(0)?.hash ?? new Uint8Array() },
  },
  '/get_o_indexes.bin': { txid: { type: 'string', value: payments[0]?.hash ?? new Uint8Array() } },
  '/get_outs.bin': {
    outputs: {
      type: 'list',
      items: [12, 13, 20, 21].map((index) => ({
        type: 'object',
        value: { amount: u64(0), index: u64(index) },
      })),
    },
  },
  '/get_output_distribution.bin': {
    amounts: { type: 'list', items: [u64(0)] },
    cumulative: { type: 'bool', value: true },
  },
});

/** Fields that change by themselves. */
const UNSTEADY = ['free_space', 'database_size', 'blocktemplate_blob', 'blockhashing_blob'];

async function ask(name: string, given: object): Promise<string> {
  const method = methods.find(name) ?? paths.find(name);
  if (method === undefined) throw new Error(`no method ${name}`);
  const parsed: unknown = await readParams(method.params, parseJson(JSON.stringify(given)));
  const answer = await answerOf(method, context, parsed).catch((error: unknown) => ({
    error: String(error),
  }));
  return writeJson(Object.fromEntries(Object.entries(answer).filter(([field]) => !UNSTEADY.includes(field))));
}

async function askSection(path: string, given: TypedSection): Promise<string> {
  const endpoint = binaryEndpoints.find((one) => one.paths.includes(path));
  if (endpoint === undefined) throw new Error(`no path ${path}`);
  const request = new SectionReader(readStorage(writeStorage(given)));
  return toHex(writeStorage(await sectionOf(endpoint, context, request)));
}

/** Asks every question. @returns the answers by name. */
async function answers(): Promise<Map<string, string>> {
  const told = new Map<string, string>();
  const { tx_hashes = [] } = JSON.parse(await ask('/get_transaction_pool_hashes', {})) as {
    tx_hashes?: string[];
  };
  for (const [name, given] of Object.entries(questions(tx_hashes))) told.set(name, await ask(name, given));
  for (const [path, given] of Object.entries(sections())) told.set(path, await askSection(path, given));
  return told;
}

/** Returns the names of the answers in which a lie shows. */
async function changedBy(faults: string): Promise<string[]> {
  misbehave('');
  const honest = await answers();
  misbehave(faults);
  const told = await answers();
  return [...told]
    .filter(([name, answer]) => answer !== honest.get(name))
    .map(([name]) => name)
    .sort();
}

/** Numbers of lies that a number of 1 does not show. */
const VALUES: Partial<Record<InjectedFault, number>> = {
  'inflated-fee': 3,
  'raised-reward': 3,
  'other-header-reward': 3,
  'own-difficulty': 3,
  'newer-fork': 5,
  'other-fork': 17,
  'old-seed': 1,
  'changing-rings': 2,
};

/** Faults that no answer alone shows: those of the connection, and a true reorganisation. */
const OTHERS: readonly string[] = ['latency', 'drop', 'truncate', 'oversize', 'reorganise'];

const LIES = (Object.keys(FAULTS) as InjectedFault[]).filter((name) => !OTHERS.includes(name));

/** Lies that forge the whole chain: an answer differs only if it reaches the forged blocks. */
const ofChain = (name: InjectedFault): boolean =>
  FAULTS[name].chain?.answers.includes('/get_blocks_by_height.bin') ?? false;

describe('a lie changes the answers that it names, and no others:', () => {
  test.each(LIES.filter((name) => !ofChain(name)))('%s', async (name) => {
    const changed = await changedBy(`${name}=${VALUES[name] ?? 1}`);
    expect(changed).toEqual([...changedAnswers(FAULTS[name])].sort());
  });

  test.each(LIES.filter(ofChain))('%s', async (name) => {
    const named = changedAnswers(FAULTS[name]);
    for (const blocks of [1, BLOCKS]) {
      const changed = await changedBy(`${name}=${blocks}`);
      expect(named).toEqual(expect.arrayContaining(changed));
      expect(changed).toEqual(
        expect.arrayContaining(['/get_blocks.bin', 'get_info', 'get_last_block_header']),
      );
    }
  });

  test('the longest fork changes every answer about the chain', async () => {
    expect(await changedBy(`forged-fork=${BLOCKS}`)).toEqual(
      [...changedAnswers(FAULTS['forged-fork'])].sort(),
    );
  });
});

describe('the fault', () => {
  const told = async (name: string, given: object = {}): Promise<Loose> =>
    JSON.parse(await ask(name, given)) as Loose;

  test('wrong-height lengthens the reported chain, lower-height shortens it to the genesis block', async () => {
    misbehave('wrong-height=10');
    expect(await told('/get_height')).toMatchObject({ height: BLOCKS + 10 });
    expect(await told('get_info')).toMatchObject({
      height: BLOCKS + 10,
      height_without_bootstrap: BLOCKS + 10,
    });
    misbehave('lower-height=1000');
    expect(await told('/get_height')).toMatchObject({ height: 1 });
  });

  test('inflated-fee multiplies fees', async () => {
    const { fee, fees } = await told('get_fee_estimate');
    misbehave('inflated-fee=3');
    expect(await told('get_fee_estimate')).toMatchObject({
      fee: 3 * fee,
      fees: (fees as number[]).map((one) => 3 * one),
    });
  });

  test('wrong-ring-data replaces each output by its neighbour', async () => {
    const outputs = [4, 5].map((index) => ({ amount: 0, index }));
    const { outs } = await told('/get_outs', { outputs });
    misbehave('wrong-ring-data=1');
    const { outs: wrong } = await told('/get_outs', { outputs });
    expect(wrong).toEqual((outs as Loose[]).toReversed());
  });

  test('newer-fork announces its fork from its first block on', async () => {
    misbehave(`newer-fork=${BLOCKS}`);
    expect(await told('hard_fork_info', { version: 17 })).toMatchObject({
      enabled: true,
      earliest_height: BLOCKS,
    });
    misbehave(`newer-fork=${BLOCKS + 1}`);
    expect(await told('hard_fork_info', { version: 17 })).toMatchObject({ enabled: false });
  });

  test('shifted-distribution moves outputs to later blocks, in every format', async () => {
    const given = { amounts: [0], binary: false, cumulative: true };
    const counts = async (): Promise<number[]> =>
      (await told('get_output_distribution', given)).distributions[0].distribution as number[];
    const right = await counts();
    misbehave('shifted-distribution=2');
    expect(await counts()).toEqual([right[0], right[0], ...right.slice(0, -2)]);
    misbehave('truncated-distribution=2');
    expect(await counts()).toEqual(right.slice(0, -2));
    for (const compress of [true, false]) {
      const packed = await ask('get_output_distribution', { ...given, binary: true, compress });
      misbehave('');
      expect(packed).not.toBe(await ask('get_output_distribution', { ...given, binary: true, compress }));
      misbehave('truncated-distribution=2');
    }
  });

  test('reorganise replaces blocks before every third page', async () => {
    const test = testNode();
    const other = new FaultInjector(parseFaults('reorganise=2'), rng);
    await test.mine(4);
    const heights: number[] = [];
    for (let page = 0; page < 6; page++) {
      await other.section('/get_blocks.bin', new SectionReader({}), test.node, () => ({}));
      heights.push(test.node.chain.height);
    }
    await test.node.close();
    expect(heights).toEqual([5, 5, 6, 6, 6, 7]);
  });
});

describe('lies together', () => {
  test('add up, and tell of one fabricated payment', async () => {
    misbehave('forged-blocks=1,forged-pool-payment=1,wrong-height=5');
    const { tx_hashes } = JSON.parse(await ask('/get_transaction_pool_hashes', {})) as {
      tx_hashes: string[];
    };
    const { tx_hashes: mined } = JSON.parse(await ask('get_block', { height: BLOCKS })) as {
      tx_hashes: string[];
    };
    expect(mined).toHaveLength(1);
    expect(tx_hashes).toEqual(expect.arrayContaining(mined));
    expect(JSON.parse(await ask('get_info', {}))).toMatchObject({ height: BLOCKS + 1 + 5 });
  });
});

describe('a fabricated payment', () => {
  it('truly pays the address, as a scanner sees it, to a primary address and to a subaddress', () => {
    for (const index of [undefined, { major: 0, minor: 1 }]) {
      const address = victim.address(index);
      const { tx } = forgePayment({ node, rng }, { address, amount: amount(7n), keyImages: [] });
      const [key] = txPublicKeys(parseExtra(tx.prefix.extra).fields);
      const derivation = keyDerivation(key as NonNullable<typeof key>, victim.viewSecret);
      const own = tx.prefix.outputs.flatMap((output, i) => {
        const shared = scalarBytes(derivationToScalar(derivation, i));
        const { ecdhInfo, outPk, type } = tx.rct?.base ?? { ecdhInfo: [], outPk: [], type: 0 };
        return viewTag(derivation, i) === output.viewTag &&
          toHex(derivePublicKey(derivation, i, address.spendPublicKey)) === toHex(output.publicKey)
          ? [
              openOutput(
                ecdhInfo[i] ?? { amount: shared },
                type,
                shared,
                outPk[i] as NonNullable<(typeof outPk)[0]>,
              ),
            ]
          : [];
      });
      expect(own).toMatchObject([{ amount: 7n }]);
    }
  });

  it('stays the same until the faults are set again', async () => {
    const told = async (): Promise<string> => ask('/get_transaction_pool_hashes', {});
    misbehave('forged-pool-payment=1');
    const first = await told();
    expect(await told()).toBe(first);
    misbehave('forged-pool-payment=1');
    expect(await told()).not.toBe(first);
  });
});

describe('forged blocks', () => {
  it('follow one another, and the chain when that grows', async () => {
    misbehave('forged-blocks=3');
    const links = async (): Promise<[parent: string, hash: string, height: number][]> => {
      const { headers } = JSON.parse(
        await ask('get_block_headers_range', {
          start_height: BLOCKS - 1,
          end_height: daemon.seenIn('get_info').node.chain.tip.height,
        }),
      ) as { headers: { prev_hash: string; hash: string; height: number }[] };
      return headers.map(({ prev_hash, hash, height }) => [prev_hash, hash, height]);
    };
    const before = await links();
    expect(before).toHaveLength(4);
    for (const [i, [parent]] of before.slice(1).entries()) expect(parent).toBe(before[i]?.[1]);
    expect(await links()).toEqual(before);
    const block = forgeBlock(node, {}, { rng });
    node.chain.extend(block, []);
    const after = await links();
    node.chain.pop();
    expect(after).toHaveLength(5);
    expect(after[1]?.[1]).not.toBe(before[1]?.[1]);
  });

  it('keep to the first replaced block while the chain grows', async () => {
    misbehave('forged-fork=2');
    const top = async (): Promise<unknown> =>
      JSON.parse(await ask('get_block_header_by_height', { height: BLOCKS - 1 }));
    const before = (await top()) as { block_header: { hash: string } };
    node.chain.extend(forgeBlock(node, {}, { rng }), []);
    const after = (await top()) as { block_header: { hash: string } };
    const { count } = JSON.parse(await ask('get_block_count', {})) as { count: number };
    node.chain.pop();
    expect(after.block_header.hash).toBe(before.block_header.hash);
    expect(count).toBe(BLOCKS + 2);
  });

  it('of half the difficulty are more in number', async () => {
    misbehave('half-difficulty=4');
    const { count } = JSON.parse(await ask('get_block_count', {})) as { count: number };
    expect(count).toBe(BLOCKS - 4 + 9);
  });
});

describe('the faults in the documentation', () => {
  const page = readFileSync(new URL('../../../../docs/regtest-node.md', import.meta.url), 'utf8');
  test.each(Object.entries(FAULTS))('%s', (name, { help }) => {
    expect(page.replace(/ +/g, ' ')).toContain(`| \`${name}\` | ${help} |`);
  });

  it('stand in one row each of the table that says what a node may still do', () => {
    const security = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
    const [, table = ''] = security.split('| answer of the node');
    const named = [...table.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].flatMap(([, lies = '']) =>
      [...lies.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
    );
    expect(named.sort()).toEqual(Object.keys(FAULTS).sort());
  });

  it('are all known', () => {
    const [, tables = ''] = page.split('### The connection');
    const rows = [...tables.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
    expect(rows.filter((name) => !Object.hasOwn(FAULTS, name ?? ''))).toEqual([]);
  });
});
