import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { readCredentials, readEntry } from '../../../src/rpc/access/credential-file.js';
import { Credentials } from '../../../src/rpc/access/credentials.js';
import { createToken } from '../../../src/rpc/access/credential.js';

const METHODS: ReadonlySet<string> = new Set(['get_balance', 'transfer']);
const ADDRESS =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';

const { text: TOKEN, hash } = createToken('shop');
const shop = { name: 'shop', token: hash, wallets: ['shop'], methods: ['view', 'transfer'] };
const rateOf = (requests: number, seconds: number) => ({ rate: { requests, seconds } });
const textOf = (...credentials: unknown[]): string => JSON.stringify({ credentials });

let folder: string;
let path: string;

/** Writes the file, with the rights of its owner alone. */
const write = (text: string, mode = 0o600): void => {
  writeFileSync(path, text);
  chmodSync(path, mode);
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  path = join(folder, 'credentials.json');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a file of credentials', () => {
  it('is read with all its rules', () => {
    const rules = {
      ...shop,
      ...{ expires: '2027-01-31T00:00:00Z', addresses: [ADDRESS], from: ['10.0.0.0/8'] },
      spend: { transaction: '5', hour: '10', day: '18446744073709551615' },
      ...{ lock: true, rate: { requests: 10, seconds: 60 } },
    };
    const [read] = readCredentials(textOf(rules), METHODS).credentials;
    expect(read?.credential.rules).toMatchObject({
      ...{ name: 'shop', token: hash, wallets: ['shop'], methods: ['view', 'transfer'] },
      ...{ expires: Date.UTC(2027, 0, 31), addresses: new Set([ADDRESS]) },
      spend: { transaction: 5n, hour: 10n, day: 18_446_744_073_709_551_615n },
      lock: true,
      rate: { requests: 10, seconds: 60 },
    });
    expect(read?.credential.rules.from?.includes('10.9.9.9')).toBe(true);
  });

  it.each<[string, object, object]>([
    ['a token', {}, { token: hash }],
    ['a digest', { token: undefined, digest: { ha1: '0'.repeat(32) } }, { digest: '0'.repeat(32) }],
    ['one limit', { spend: { day: '7' } }, { token: hash, spend: { day: 7n } }],
    ['another limit', { spend: { hour: '7' } }, { token: hash, spend: { hour: 7n } }],
    ['the third limit', { spend: { transaction: '7' } }, { token: hash, spend: { transaction: 7n } }],
    ['no right to lock', { lock: false }, { token: hash }],
    [
      'a time zone',
      { expires: '2027-01-31T02:00:00+02:00' },
      { token: hash, expires: Date.UTC(2027, 0, 31) },
    ],
    [
      'each family',
      { methods: ['view', 'receive', 'spend', 'admin'] },
      { token: hash, methods: ['view', 'receive', 'spend', 'admin'] },
    ],
    [
      'patterns of 1 and of 200 characters',
      { wallets: ['a', 'b'.repeat(200)] },
      { token: hash, wallets: ['a', 'b'.repeat(200)] },
    ],
    ['the lowest rate', rateOf(1, 1), { token: hash, ...rateOf(1, 1) }],
    ['the highest rate', rateOf(100_000, 86_400), { token: hash, ...rateOf(100_000, 86_400) }],
  ])('is read with %s, and no rule that it does not give', (_, changes, rules) => {
    const [read] = readCredentials(textOf({ ...shop, ...changes }), METHODS).credentials;
    expect(read?.credential.rules).toStrictEqual({
      ...{ name: 'shop', wallets: ['shop'], methods: ['view', 'transfer'] },
      ...rules,
    });
  });

  it('is read entry by entry, too, each of which is the first', () => {
    expect(() => readEntry({}, METHODS)).toThrow(/^credential 1: /);
  });

  it.each([null, 5, 'shop', ['shop'], true])('with the entry %j names it by its place', (entry) => {
    expect(() => readCredentials(textOf(shop, entry), METHODS)).toThrow(
      expect.objectContaining({
        ...{ name: 'CredentialFileError', message: expect.stringMatching(/^credential 2: /) },
      }),
    );
  });

  test.each<[string, unknown, string]>([
    [
      'neither token nor digest',
      { ...shop, token: undefined },
      'credential shop: exactly one of token and digest',
    ],
    [
      'both',
      { ...shop, digest: { ha1: '0'.repeat(32) } },
      'credential shop: exactly one of token and digest',
    ],
    [
      'a misspelt method',
      { ...shop, methods: ['view', 'get_ballance'] },
      "credential shop: methods: 'get_ballance' is neither a family nor a method, did you mean get_balance?",
    ],
    [
      'an unknown method',
      { ...shop, methods: ['pay'] },
      "credential shop: methods: 'pay' is neither a family nor",
    ],
    ['an unknown field', { ...shop, quota: 1 }, 'credential shop: Unrecognized key: "quota"'],
    [
      'a misspelt field',
      { ...shop, expire: '2027-01-31T00:00:00Z' },
      'credential shop: Unrecognized key: "expire", did you mean expires?',
    ],
    [
      'a misspelt field of a rule',
      { ...shop, spend: { hours: '1', day: '1' } },
      'credential shop: spend: Unrecognized key: "hours", did you mean hour?',
    ],
    [
      'a number as an amount',
      { ...shop, spend: { hour: 5 } },
      'credential shop: spend.hour: an amount in atomic units, as a string',
    ],
    [
      'a fraction',
      { ...shop, spend: { hour: '1.5' } },
      'credential shop: spend.hour: an amount in atomic units',
    ],
    [
      'more than 64 bits',
      { ...shop, spend: { day: '18446744073709551616' } },
      'credential shop: spend.day: the amount exceeds 64 bits',
    ],
    ['no limit', { ...shop, spend: {} }, 'credential shop: spend: at least one of'],
    ['a bad time', { ...shop, expires: 'tomorrow' }, 'credential shop: expires: a time such as'],
    [
      'a time without a zone',
      { ...shop, expires: '2027-01-31T00:00:00' },
      'credential shop: expires: a time such as',
    ],
    [
      'a bad address',
      { ...shop, addresses: [ADDRESS, '4x'] },
      'credential shop: addresses[1]: this is no address',
    ],
    ['a bad network', { ...shop, from: ['10.0.0.0/40'] }, "credential shop: from: '10.0.0.0/40' is neither"],
    [
      'an empty rate',
      { ...shop, rate: { requests: 0, seconds: 1 } },
      'credential shop: rate.requests: at least 1',
    ],
    [
      'too high a rate',
      { ...shop, ...rateOf(100_001, 1) },
      'credential shop: rate.requests: at most 100000 is expected',
    ],
    [
      'too long a period',
      { ...shop, ...rateOf(1, 86_401) },
      'credential shop: rate.seconds: at most 86400 is expected',
    ],
    ['too long a pattern', { ...shop, wallets: ['a'.repeat(201)] }, 'credential shop: wallets[0]'],
    ['another reserved name', { ...shop, name: 'none' }, 'credential 1: name: this name is reserved'],
    [
      'a salt that is too long',
      { ...shop, token: { ...hash, salt: `${hash.salt}0` } },
      'credential shop: token.salt: 32 lower-case hex digits are expected',
    ],
    [
      'a hash in upper case',
      { ...shop, token: { ...hash, sha256: 'A'.repeat(64) } },
      'credential shop: token.sha256: 64 lower-case hex digits are expected',
    ],
    ['an empty pattern', { ...shop, wallets: [''] }, 'credential shop: wallets[0]'],
    ['a reserved name', { ...shop, name: 'login' }, 'credential 1: name: this name is reserved'],
    ['a name with a dot', { ...shop, name: 'a.b' }, 'credential 1: name: a name is 1 to 63'],
  ])('with %s is refused, and the credential and the field are named', (_, entry, message) => {
    expect(() => readCredentials(textOf(entry), METHODS)).toThrow(message);
  });

  it('with two credentials of one name, or no JSON, is refused, and quotes no hash', () => {
    expect(() => readCredentials(textOf(shop, shop), METHODS)).toThrow(
      'credential shop: its name is given twice',
    );
    expect(() => readCredentials(`${textOf(shop)}x`, METHODS)).toThrow(/^the file is not JSON$/);
    expect(() => readCredentials('[]', METHODS)).toThrow(/^Invalid input: expected object/);
  });

  test.each([0o640, 0o604, 0o620, 0o602, 0o660, 0o666, 0o644, 0o601])('of mode %o is refused', (mode) => {
    write(textOf(shop), mode);
    const message = `${path} can be used by other users (mode ${mode.toString(8)}): chmod 600 it`;
    expect(() => new Credentials(path, METHODS)).toThrow(expect.objectContaining({ message }));
  });

  it('that is not there is refused with its path', () => {
    const message = `${path}.missing cannot be read (ENOENT)`;
    expect(() => new Credentials(`${path}.missing`, METHODS)).toThrow(expect.objectContaining({ message }));
  });

  it('stays open after none of its reads', () => {
    write(textOf(shop));
    const credentials = new Credentials(path, METHODS);
    const open = (): number => readdirSync('/dev/fd').length;
    const before = open();
    write(textOf(shop), 0o644);
    for (let i = 0; i < 20; i++) expect(() => credentials.reload()).toThrow('other users');
    write(textOf(shop));
    for (let i = 0; i < 20; i++) credentials.reload();
    expect(open()).toBeLessThan(before + 20);
  });
});

describe('credentials', () => {
  it('are found by their token or user only, and not by the secret of another', () => {
    const digest = { name: 'till', digest: { ha1: 'ab'.repeat(16) } };
    const { text: other } = createToken('shop');
    write(textOf(shop, digest));
    const credentials = new Credentials(path, METHODS);
    expect(credentials.byToken(TOKEN)?.name).toBe('shop');
    expect(credentials.byToken(other)).toBeUndefined();
    expect(credentials.byToken(TOKEN.replace('shop', 'till'))).toBeUndefined();
    expect(credentials.byToken(TOKEN.replace('shop', 'none'))).toBeUndefined();
    expect(credentials.byToken('no token')).toBeUndefined();
    expect([credentials.byName('shop')?.name, credentials.byName('none')]).toEqual(['shop', undefined]);
    expect(credentials.byUser('till')).toMatchObject({ ha1: 'ab'.repeat(16), login: { name: 'till' } });
    expect(credentials.byUser('shop')).toBeUndefined();
    expect(credentials.byUser('none')).toBeUndefined();
  });

  it('that may read keys, so that their limits have no effect, are named', () => {
    const spend = { day: '1' };
    write(textOf({ ...shop, spend }, { ...shop, name: 'boss', spend, methods: ['admin'] }));
    expect(new Credentials(path, METHODS).unbound).toEqual(['boss']);
  });

  it('stay as they were if the file becomes invalid', () => {
    write(textOf(shop));
    const credentials = new Credentials(path, METHODS);
    const before = credentials.byToken(TOKEN);
    write('{');
    expect(() => credentials.reload()).toThrow(`${path}: the file is not JSON`);
    write(textOf(shop), 0o644);
    expect(() => credentials.reload()).toThrow('other users');
    expect(credentials.byToken(TOKEN)).toBe(before);
    expect(before?.refusal(0)).toBeUndefined();
  });

  it('that changed or were removed are revoked at a reload; others keep their count of calls', () => {
    const till = { ...shop, name: 'till', token: createToken('till').hash };
    write(textOf(shop, till));
    const credentials = new Credentials(path, METHODS);
    const [first, second] = [credentials.byToken(TOKEN), credentials.size];
    const changed = credentials.byName('till');
    write(textOf({ ...till, methods: [] }, shop));
    credentials.reload();
    expect(second).toBe(2);
    expect(credentials.byToken(TOKEN)).toBe(first);
    expect(first?.refusal(0)).toBeUndefined();
    expect(changed?.refusal(0)).toMatchObject({ status: 401 });
    write(textOf({ ...shop, wallets: [] }));
    credentials.reload();
    expect(first?.refusal(0)).toEqual({ status: 401, reason: 'credential shop: changed or removed' });
    expect(credentials.byToken(TOKEN)?.refusal(0)).toBeUndefined();
    expect(credentials.size).toBe(1);
  });
});
