import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { readParams } from '../../../src/http/methods/params.js';
import { addressKeysAt, addressTier, masterTier } from '../../../src/monero/carrot/account.js';
import { randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../../src/monero/cryptonote/extra.js';
import { parseTransaction } from '../../../src/monero/cryptonote/transaction.js';
import type { Address, PaymentId, Transaction } from '../../../src/monero/cryptonote/types.js';
import { RegtestDaemon } from '../../../src/regtest/rpc/daemon.js';
import { answerOf, methods, paths } from '../../../src/regtest/rpc/service.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { parseJson } from '../../../src/util/json.js';
import { holder } from '../../monero/wallet/fixtures.js';
import { findEnotes, type CarrotHolder } from '../../support/chain/carrot-finder.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import type { Loose } from '../../support/network/json-rpc.js';
import { NOON } from '../../support/processes/regtest-node.js';

const rng = seededRng('carrot payments');
const daemon = new RegtestDaemon({
  clock: { now: () => 1000 * NOON },
  fixedDifficulty: 1n,
  anyUnlockTime: false,
  fork: { from: 3, only: 6 },
  rng,
  threads: 1,
  blockTimeMs: 1000,
  version: '0',
  stop: () => undefined,
  onMiningError: () => undefined,
});

/** Asks the node as a client does, with JSON in both directions. */
async function ask(name: string, given: object): Promise<Loose> {
  const method = methods.find(name) ?? paths.find(name);
  if (method === undefined) throw new Error(`no method ${name}`);
  const params: unknown = await readParams(method.params, parseJson(JSON.stringify(given)));
  const answer = await answerOf(method, { daemon, restricted: false }, params);
  return JSON.parse(writeJson(answer)) as Loose;
}

const legacy = holder(rng);
const legacyAt = (minor: number, paymentId?: PaymentId): Address =>
  legacy.address({ major: 0, minor }, paymentId);
const ofLegacy: CarrotHolder = { ...legacy, addresses: [0, 1, 2].map((i) => legacyAt(i).spendPublicKey) };

const keys = masterTier(randomSecretKey(rng));
const carrotAt = (minor: number): Address => ({
  network: 'mainnet',
  kind: minor === 0 ? 'standard' : 'subaddress',
  ...addressKeysAt(addressTier(keys), { major: 0, minor }),
});
const { balanceSecret, ...received } = keys;
const ofCarrot: CarrotHolder = { ...received, addresses: [0, 1].map((i) => carrotAt(i).spendPublicKey) };

const miner = formatAddress(legacyAt(0));
const id = fromHex('0123456789abcdef') as PaymentId;
const NO_ID = new Uint8Array(8);

const mine = (blocks: number): Promise<Loose> =>
  ask('generateblocks', { amount_of_blocks: blocks, wallet_address: miner });

/** Pays, and returns the answer and the transaction in the pool. */
async function pay(given: object): Promise<{ answer: Loose; tx: Transaction }> {
  const answer = await ask('pay_carrot', given);
  const { txs } = await ask('/get_transactions', { txs_hashes: [answer.tx_hash] });
  return { answer, tx: parseTransaction(fromHex(txs[0].as_hex)) };
}

const to = (address: Address, amount: number, more: object = {}): object => ({
  address: formatAddress(address),
  amount,
  ...more,
});

const keysIn = ({ prefix }: Transaction): [shared: number, each: number] => {
  const { fields } = parseExtra(prefix.extra);
  return [txPublicKeys(fields).length, additionalPublicKeys(fields).length];
};

beforeAll(() => mine(4));
afterAll(() => daemon.close());

describe('pay_carrot', () => {
  it('pays an address of each kind, and names the index of its output', async () => {
    for (const [address, index, paymentId] of [
      [legacyAt(0), 0, NO_ID],
      [legacyAt(2), 2, NO_ID],
      [legacyAt(0, id), 0, id],
    ] as const) {
      const { answer, tx } = await pay({ destinations: [to(address, 5)] });
      expect(findEnotes(tx, ofLegacy)).toMatchObject([
        {
          outputIndex: answer.output_indices[0],
          ...{ address: index, amount: 5n, paymentId, path: 'normal', type: 'payment' },
        },
      ]);
      expect(tx.prefix.outputs).toHaveLength(2);
      expect(keysIn(tx)).toEqual([1, 0]);
    }
  });

  it('pays many at once, each with an ephemeral key of its own', async () => {
    const { answer, tx } = await pay({
      destinations: [to(legacyAt(1), 11), to(carrotAt(0), 12), to(legacyAt(0, id), 13), to(carrotAt(1), 14)],
    });
    expect(keysIn(tx)).toEqual([0, 5]);
    const [first, second, third, fourth] = answer.output_indices as number[];
    expect(findEnotes(tx, ofLegacy).sort((a, b) => Number(a.amount - b.amount))).toMatchObject([
      { outputIndex: first, address: 1, amount: 11n, paymentId: NO_ID },
      { outputIndex: third, address: 0, amount: 13n, paymentId: id },
    ]);
    expect(findEnotes(tx, ofCarrot).sort((a, b) => Number(a.amount - b.amount))).toMatchObject([
      { outputIndex: second, address: 0, amount: 12n },
      { outputIndex: fourth, address: 1, amount: 14n },
    ]);
  });

  it('gives two outputs a key each on demand', async () => {
    const { tx } = await pay({ destinations: [to(legacyAt(0), 5)], ephemeral_per_output: true });
    expect(keysIn(tx)).toEqual([0, 2]);
    expect(findEnotes(tx, ofLegacy)).toMatchObject([{ amount: 5n }]);
  });

  it('makes outputs of a payer to itself, which its view secret key or its view-balance secret recognises', async () => {
    const viewSecret = toHex(legacy.viewSecret);
    const special = await pay({
      destinations: [to(carrotAt(0), 5), to(legacyAt(1), 6, { view_secret: viewSecret })],
    });
    expect(special.tx.prefix.outputs).toHaveLength(2);
    expect(findEnotes(special.tx, ofCarrot)).toMatchObject([{ amount: 5n, path: 'normal' }]);
    expect(findEnotes(special.tx, ofLegacy)).toMatchObject([
      { address: 1, amount: 6n, path: 'special', type: 'change' },
    ]);
    const internal = await pay({
      destinations: [
        to(carrotAt(0), 7, { balance_secret: toHex(balanceSecret), type: 'payment' }),
        to(carrotAt(0), 8, { balance_secret: toHex(balanceSecret) }),
        to(legacyAt(0), 9),
      ],
    });
    expect(internal.tx.prefix.outputs).toHaveLength(3);
    expect(findEnotes(internal.tx, ofCarrot)).toEqual([]);
    const found = findEnotes(internal.tx, { ...ofCarrot, balanceSecret });
    expect(found.sort((a, b) => Number(a.amount - b.amount))).toMatchObject([
      { amount: 7n, path: 'internal', type: 'payment' },
      { amount: 8n, path: 'internal', type: 'change' },
    ]);
  });

  it('links two addresses of a wallet, which finds the view tag and nothing else', async () => {
    for (const [spend, view] of [
      [0, 1],
      [1, 0],
      [1, 2],
    ] as const) {
      const viewOf = formatAddress(legacyAt(view));
      const { tx } = await pay({ destinations: [to(legacyAt(spend), 5, { view_of: viewOf })] });
      expect(findEnotes(tx, ofLegacy)).toEqual([]);
    }
    // With the keys of one address, the same construction is a payment.
    const own = formatAddress(legacyAt(1));
    const { tx } = await pay({ destinations: [to(legacyAt(1), 5, { view_of: own })] });
    expect(findEnotes(tx, ofLegacy)).toMatchObject([{ address: 1, amount: 5n, path: 'normal' }]);
  });

  it('claims an amount that does not fit the commitment', async () => {
    const { tx } = await pay({
      destinations: [to(legacyAt(0), 255, { wrong_amount: true }), to(legacyAt(0), 3)],
    });
    expect(findEnotes(tx, ofLegacy)).toMatchObject([{ amount: 3n }]);
  });

  it('spends given key images once, in descending order', async () => {
    const images = [1, 2].map(() => toHex(holder(rng).spendPublicKey));
    const given = { destinations: [to(legacyAt(0), 5)], spend: images };
    const { answer, tx } = await pay(given);
    expect(answer.key_images).toEqual([...images].sort().reverse());
    expect(findEnotes(tx, ofLegacy)).toMatchObject([{ amount: 5n }]);
    expect(await ask('/is_key_image_spent', { key_images: images })).toMatchObject({ spent_status: [2, 2] });
    await expect(pay(given)).rejects.toThrow('spends a key image already');
    await mine(1);
    expect(await ask('/is_key_image_spent', { key_images: images })).toMatchObject({ spent_status: [1, 1] });
    await expect(pay(given)).rejects.toThrow('a key image is already spent');
  });

  it('repeats the outputs of another payment, from the pool or the chain', async () => {
    const { answer, tx } = await pay({ destinations: [to(legacyAt(0), 5)] });
    for (let i = 0; i < 2; i++) {
      const again = await pay({ duplicate_of: answer.tx_hash });
      expect(again.tx.prefix.outputs).toEqual(tx.prefix.outputs);
      expect(again.answer.tx_hash).not.toBe(answer.tx_hash);
      await mine(1);
    }
  });

  test.each([
    [{}, 'either destinations or duplicate_of'],
    [{ destinations: [{ address: 'nowhere', amount: 1 }] }, 'an address cannot be read'],
    [{ destinations: [to(legacyAt(0), 1)], spend: ['00'] }, 'spend: 64 hex digits'],
    [{ destinations: [to(legacyAt(0, id), 1), to(legacyAt(0, id), 2)] }, 'one payment id'],
    [{ destinations: [to(legacyAt(0), 1)], spent: ['00'] }, 'Invalid params'],
    [{ destinations: [to(legacyAt(0), 1, { view_scret: '' })] }, 'Invalid params'],
    [{ duplicate_of: '00'.repeat(32) }, 'names no known transaction'],
    [
      {
        destinations: [to(legacyAt(0), 1, { view_secret: '01'.repeat(32), balance_secret: '01'.repeat(32) })],
      },
      'one of view_of, view_secret and balance_secret',
    ],
  ])('refuses %j', async (given, reason) => {
    await expect(ask('pay_carrot', given)).rejects.toThrow(reason);
  });
});

describe('the answers of a node with the next fork', () => {
  it('name the heights of the forks', async () => {
    expect(await ask('get_version', {})).toMatchObject({
      hard_forks: [
        { hf_version: 1, height: 0 },
        { hf_version: 16, height: 1 },
        { hf_version: 17, height: 3 },
        { hf_version: 18, height: 6 },
      ],
    });
    expect(await ask('hard_fork_info', { version: 17 })).toMatchObject({ enabled: true, earliest_height: 3 });
  });

  it('give outputs an index among those of all amounts', async () => {
    const { blocks } = await mine(1);
    const { block_header } = await ask('get_block_header_by_hash', { hash: blocks[0] });
    const { txs } = await ask('/get_transactions', { txs_hashes: [block_header.miner_tx_hash] });
    // The output of the genesis block has an amount, and no index among RingCT outputs.
    expect(txs[0].unified_ids).toEqual([txs[0].output_indices[0] + 1]);
  });

  it('name the tree of outputs in data for miners, templates and blocks', async () => {
    const data = await ask('get_miner_data', {});
    const template = await ask('get_block_template', { wallet_address: miner, reserve_size: 4 });
    const blob = fromHex(template.blocktemplate_blob);
    expect(data).toMatchObject({ major_version: 18, fcmp_pp_n_tree_layers: 7 });
    expect(toHex(blob.subarray(-33))).toBe(`07${data.fcmp_pp_tree_root}`);
    expect(toHex(blob.subarray(template.reserved_offset - 2, template.reserved_offset + 4))).toBe(
      '020400000000',
    );
    await mine(1);
    const { json, block_header } = await ask('get_block', { height: template.height });
    expect(JSON.parse(json)).toMatchObject({
      fcmp_pp_n_tree_layers: 7,
      fcmp_pp_tree_root: data.fcmp_pp_tree_root,
      miner_tx: { vout: [{ target: { carrot_v1: { view_tag: expect.stringMatching(/^[0-9a-f]{6}$/) } } }] },
    });
    expect(block_header).toMatchObject({ major_version: 18, minor_version: 18 });
  });

  it('show a payment with its proofs, or without them', async () => {
    const { answer } = await pay({ destinations: [to(legacyAt(0), 5)] });
    const { txs } = await ask('/get_transactions', { txs_hashes: [answer.tx_hash], decode_as_json: true });
    const { vin, rct_signatures, rctsig_prunable } = JSON.parse(txs[0].as_json) as Loose;
    expect(vin[0].key.key_offsets).toEqual([]);
    expect(rct_signatures).toMatchObject({ type: 7, txnFee: answer.fee });
    expect(rctsig_prunable).toMatchObject({ n_tree_layers: 7, fcmp_pp: expect.stringMatching(/^0+$/) });
    expect(rctsig_prunable).not.toHaveProperty('CLSAGs');
  });
});
