import { describe, expect, test } from '@jest/globals';
import {
  addressKeysAt,
  addressTier,
  masterTier,
  subaddressScalar,
} from '../../../src/monero/carrot/account.js';
import { viewTagOf } from '../../../src/monero/carrot/derivations.js';
import type { Enote } from '../../../src/monero/carrot/enote.js';
import { nominalAddress, openEnote, type FoundSecret } from '../../../src/monero/carrot/opening.js';
import { toMontgomery } from '../../../src/monero/carrot/point-conversion.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { accountKeysOf } from '../../../src/monero/cryptonote/account-keys.js';
import { ownAddress, subaddressKeys, addressSecret } from '../../../src/monero/cryptonote/subaddress-keys.js';
import { parseBlock } from '../../../src/monero/cryptonote/block.js';
import { parsePrunedTransaction } from '../../../src/monero/cryptonote/transaction.js';
import type { PaymentId, SubaddressIndex, Transaction } from '../../../src/monero/cryptonote/types.js';
import { ownOutputsIn } from '../../../src/monero/wallet/scan/block-scan.js';
import type { ReceivingKeys } from '../../../src/monero/wallet/scan/found-output.js';
import type { KnownAddresses } from '../../../src/monero/wallet/scan/subaddress-table.js';
import { equalBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import {
  outputSecrets,
  type CarrotSecrets,
  type LegacySecrets,
} from '../../../src/monero/carrot/output-secrets.js';
import { carrotKeyImage } from '../../../src/monero/carrot/key-image.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import {
  cases,
  casesOf,
  enoteOf,
  indexOf,
  publicKey,
  secretKey,
  type VectorAccount,
  type VectorCase,
  type VectorEnote,
  type VectorResult,
} from './vector-cases.js';

/** Secret keys of an account of a case. */
const secretsOf = (account: VectorAccount): LegacySecrets | CarrotSecrets =>
  account.s_m === undefined
    ? {
        hierarchy: 'legacy',
        viewSecret: secretKey(account.k_v),
        spendSecret: secretKey(account.k_s ?? ''),
      }
    : { hierarchy: 'carrot', keys: masterTier(fromHex(account.s_m)) };

/** Spend public keys of the addresses of an account within a lookahead, by their hex. */
function tableOf(
  account: VectorAccount,
  [major, minor]: readonly [number, number],
): Map<string, SubaddressIndex> {
  const table = new Map<string, SubaddressIndex>();
  const secrets = secretsOf(account);
  for (let i = 0; i < major; i++)
    for (let j = 0; j < minor; j++) {
      const index = { major: i, minor: j };
      const { spendPublicKey } =
        secrets.hierarchy === 'legacy'
          ? subaddressKeys(publicKey(account.K_s), secrets.viewSecret, index)
          : addressKeysAt(addressTier(secrets.keys), index);
      table.set(toHex(spendPublicKey), index);
    }
  return table;
}

/** Scans an output as a receiver does: external first, then internal in accounts of the fork. */
function scan(account: VectorAccount, enote: Enote, table: ReadonlyMap<string, SubaddressIndex>) {
  const keys = { spendPublicKey: publicKey(account.K_s), viewSecret: secretKey(account.k_v) };
  const founds: FoundSecret[] = [
    { secret: loadCurve().x25519(enote.ephemeralKey, keys.viewSecret), internal: false },
    ...(account.s_vb === undefined ? [] : [{ secret: fromHex(account.s_vb), internal: true }]),
  ];
  for (const found of founds) {
    if (!equalBytes(viewTagOf(found.secret, enote), enote.viewTag)) continue;
    const nominal = nominalAddress(enote, found, keys);
    const index = nominal && table.get(toHex(nominal.spendKey));
    const opened = nominal && index && openEnote(enote, nominal, keys);
    if (nominal && index && opened) return { found, nominal, index, opened };
  }
  return undefined;
}

/** Checks the scan of an output against the expected result. */
function expectScan(
  { account, lookahead }: Pick<VectorCase, 'account' | 'lookahead'>,
  enote: Enote,
  expected: VectorResult,
): void {
  const result = scan(account, enote, tableOf(account, lookahead));
  expect(result !== undefined).toBe(expected.owned);
  if (result === undefined) return;
  const { found, nominal, index, opened } = result;
  const secrets = secretsOf(account);
  const { x, y } = outputSecrets(secrets, nominal.extensions, index);
  expect({
    index: [index.major, index.minor],
    amount: String(opened.amount),
    payment_id: toHex(opened.paymentId),
    enote_type: opened.type,
    path: opened.path,
    address_spend_key: toHex(nominal.spendKey),
    s_sr: toHex(found.secret),
    s_sr_ctx: toHex(nominal.secret),
    k_g: toHex(scalarBytes(nominal.extensions.g)),
    k_t: toHex(scalarBytes(nominal.extensions.t)),
    mask: toHex(scalarBytes(opened.mask)),
    anchor: toHex(opened.anchor),
    x: toHex(x),
    y: y && toHex(y),
    key_image: toHex(carrotKeyImage(enote.outputKey, x)),
  }).toEqual({
    index: expected.index,
    amount: expected.amount,
    payment_id: expected.payment_id,
    enote_type: expected.enote_type,
    path: expected.path,
    address_spend_key: expected.address_spend_key,
    s_sr: expected.s_sr,
    s_sr_ctx: expected.s_sr_ctx,
    k_g: expected.k_g,
    k_t: expected.k_t,
    mask: expected.mask,
    anchor: expected.anchor,
    x: expected.x,
    y: expected.y,
    key_image: expected.key_image,
  });
}

describe('outputs', () => {
  const scans = cases.filter(({ enote }) => enote !== undefined);

  test.each(scans.map((one) => [one.id, one] as const))('%s', (_, one) => {
    expectScan(one, enoteOf(one.enote as VectorEnote, one.pid_enc ?? null), one.expected);
  });

  test.each(casesOf('duplicate-output-key').map((one) => [one.id, one] as const))('%s', (_, one) => {
    for (const { enote, pid_enc: pid, expected } of one.ledger ?? [])
      expectScan(one, enoteOf(enote, pid), expected);
  });
});

describe('accounts', () => {
  test.each(casesOf('account-new').map((one) => [one.id, one] as const))(
    '%s',
    (_, { s_m: master, expected }) => {
      const keys = masterTier(fromHex(master as string));
      const tier = addressTier(keys);
      const format = (index: SubaddressIndex): string =>
        formatAddress({
          network: 'mainnet',
          kind: index.major === 0 && index.minor === 0 ? 'standard' : 'subaddress',
          ...addressKeysAt(tier, index),
        });
      expect({
        k_ps: toHex(keys.proveSecret),
        s_vb: toHex(keys.balanceSecret),
        k_gi: toHex(keys.imageSecret),
        k_v: toHex(keys.viewSecret),
        s_ga: toHex(keys.addressSecret),
        K_s: toHex(keys.spendPublicKey),
        K_v_account: toHex(tier.accountViewKey),
        K_v_main: toHex(tier.mainViewKey),
        address: format({ major: 0, minor: 0 }),
      }).toEqual({
        k_ps: expected.k_ps,
        s_vb: expected.s_vb,
        k_gi: expected.k_gi,
        k_v: expected.k_v,
        s_ga: expected.s_ga,
        K_s: expected.K_s,
        K_v_account: expected.K_v_account,
        K_v_main: expected.K_v_main,
        address: expected.address,
      });
      for (const sub of expected.subaddresses as readonly Subaddress[]) {
        const index = indexOf(sub.index);
        const { spendPublicKey, viewPublicKey } = addressKeysAt(tier, index);
        expect([
          toHex(scalarBytes(subaddressScalar(tier, index))),
          toHex(spendPublicKey),
          toHex(viewPublicKey),
          format(index),
        ]).toEqual([sub.k_sub_scal, sub.K_s, sub.K_v, sub.address]);
      }
    },
  );

  test.each(casesOf('account-legacy').map((one) => [one.id, one] as const))(
    '%s',
    (_, { k_s: spend, payment_id: paymentId, expected }) => {
      const keys = accountKeysOf(secretKey(spend as string));
      const main = ownAddress(keys, 'mainnet', { major: 0, minor: 0 });
      const integrated = {
        ...main,
        kind: 'integrated' as const,
        paymentId: fromHex(paymentId as string) as PaymentId,
      };
      expect([
        toHex(keys.viewSecret),
        toHex(keys.spendPublicKey),
        toHex(keys.viewPublicKey),
        formatAddress(main),
        formatAddress(integrated),
      ]).toEqual([expected.k_v, expected.K_s, expected.K_v_main, expected.address, expected.integrated]);
      for (const sub of expected.subaddresses as readonly Subaddress[]) {
        const index = indexOf(sub.index);
        const address = ownAddress(keys, 'mainnet', index);
        expect([
          toHex(scalarBytes(addressSecret(keys.viewSecret, index))),
          toHex(address.spendPublicKey),
          toHex(address.viewPublicKey),
          formatAddress(address),
        ]).toEqual([sub.k_sub_ext, sub.K_s, sub.K_v, sub.address]);
      }
    },
  );
});

/** A subaddress of an account of a case. */
interface Subaddress {
  readonly index: readonly [number, number];
  readonly k_sub_scal?: string;
  readonly k_sub_ext?: string;
  readonly K_s: string;
  readonly K_v: string;
  readonly address: string;
}

describe('curves', () => {
  test.each(casesOf('convert-point').map((one) => [one.id, one] as const))('%s', (_, { point, expected }) => {
    expect(toHex(toMontgomery(fromHex(point as string)))).toBe(expected.u);
  });

  test.each(casesOf('x25519').map((one) => [one.id, one] as const))('%s', (_, { scalar, u, expected }) => {
    expect(toHex(loadCurve().x25519(fromHex(u as string), fromHex(scalar as string)))).toBe(expected.u);
  });

  test.each(casesOf('hash-to-point').map((one) => [one.id, one] as const))(
    '%s',
    (_, { output_key: key, x, expected }) => {
      const outputKey = publicKey(key as string);
      expect([
        toHex(loadCurve().hashToPointUnbiased(outputKey)),
        toHex(carrotKeyImage(outputKey, secretKey(x as string))),
        toHex(loadCurve().hashToPoints([outputKey])[0] as Uint8Array),
      ]).toEqual([expected.generator, expected.key_image, expected.generator_of_legacy_output]);
    },
  );
});

/** A transaction or block of a case whose outputs are scanned. */
interface ScannedCase {
  readonly outputs?: readonly (VectorResult & { readonly enote: VectorEnote })[];
  readonly miner_outputs?: readonly (VectorResult & { readonly enote: VectorEnote })[];
}

/** Scans a transaction as a wallet does; returns the found outputs by index. */
function ownIn(tx: Transaction, { account, lookahead }: VectorCase) {
  const table = tableOf(account, lookahead);
  const addresses: KnownAddresses = {
    spendPublicKey: publicKey(account.K_s),
    find: (key) => table.get(toHex(key)),
  };
  const secrets = secretsOf(account);
  const keys: ReceivingKeys =
    secrets.hierarchy === 'legacy' ? secrets : { viewSecret: secrets.keys.viewSecret, balance: secrets.keys };
  return ownOutputsIn(tx, keys, addresses).map(
    ({ outputIndex, amount: value, subaddress, mask, keyImage }) => ({
      ...{ outputIndex, amount: String(value), index: [subaddress.major, subaddress.minor] },
      ...{ mask: toHex(scalarBytes(mask)), keyImage: keyImage && toHex(keyImage) },
    }),
  );
}

/** Outputs of a case that a wallet finds: those of zero are not listed. */
const expectedOf = (outputs: ScannedCase['outputs'] = []) =>
  outputs.flatMap(({ owned, amount: value, index, mask, key_image: keyImage }, outputIndex) =>
    owned && value !== '0' ? [{ outputIndex, amount: value, index, mask, keyImage }] : [],
  );

describe('transactions and blocks', () => {
  test.each(casesOf('transaction').map((one) => [one.id, one] as const))('%s', (_, one) => {
    const expected = one.expected as ScannedCase;
    const tx = parsePrunedTransaction(fromHex(one.pruned as string));
    expect(ownIn(tx, one)).toEqual(expectedOf(expected.outputs));
    expect(ownIn(tx, one).length).toBeGreaterThan(0);
  });

  test.each(casesOf('block').map((one) => [one.id, one] as const))('%s', (_, one) => {
    const expected = one.expected as ScannedCase;
    const { minerTx } = parseBlock(fromHex(one.blob as string));
    expect(ownIn(minerTx, one)).toEqual(expectedOf(expected.miner_outputs));
  });
});

test('every case of every category is tried', () => {
  const tried = ['account-new', 'account-legacy', 'convert-point', 'x25519', 'hash-to-point', 'transaction'];
  const others = cases.filter(
    ({ category, enote, ledger }) => !tried.includes(category) && !enote && !ledger,
  );
  expect(new Set(others.map(({ category }) => category))).toEqual(new Set(['block']));
  expect(cases).toHaveLength(238);
  expect(new Set(cases.map(({ category }) => category)).size).toBe(55);
});
