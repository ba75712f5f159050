import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it, test } from '@jest/globals';
import { ClusterRefused, ClusterUnreachable, NotReplicated } from '../../../src/cluster/errors.js';
import { refusingConfig } from '../../../src/cli/cluster.js';
import { mergeSources, toConfig } from '../../../src/cli/config/config.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import type { RawOptions } from '../../../src/cli/config/option.js';
import { makeCertificate } from '../../support/network/certificate.js';
import { readAddress } from '../../../src/cluster/database/address.js';

const directory = mkdtempSync(join(tmpdir(), 'cluster-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

const DATABASE = 'postgres://wallet:must-not-leak@db1,db2/cluster';
const NEEDED = { 'cluster-secret-file': 'secret', 'cluster-url': 'https://10.0.0.1:18083' };
const FINGERPRINT = 'ab'.repeat(32);
const COLONS = FINGERPRINT.toUpperCase().match(/../g)?.join(':') ?? '';

const clusterOf = (raw: RawOptions = {}) =>
  toConfig({ 'wallet-dir': 'wallets', cluster: DATABASE, ...NEEDED, ...raw }, 4).cluster;

/** Returns the message of the refusal of some options. */
function refusalOf(raw: RawOptions): string {
  try {
    toConfig(raw, 4);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('the options were accepted');
}

const refusalWith = (raw: RawOptions): string =>
  refusalOf({ 'wallet-dir': 'wallets', cluster: DATABASE, ...NEEDED, ...raw });

describe('the options of a cluster', () => {
  it('are absent without --cluster', () => {
    expect(toConfig({ 'wallet-dir': 'wallets' }, 4).cluster).toBeUndefined();
  });

  it('have their defaults', () => {
    const { database, ...rest } = clusterOf() ?? {};
    expect(Buffer.from(database?.expose() ?? []).toString('utf8')).toBe(DATABASE);
    expect(rest).toEqual({
      ...{ secretFile: 'secret', url: 'https://10.0.0.1:18083', tls: { allowsHttp: false } },
      ...{ capacity: 1000, timeoutMs: 5000, leaseMs: 3500, isSingle: false },
    });
  });

  it('are read', () => {
    const { certFile: ca } = makeCertificate(directory);
    expect(
      clusterOf({
        ...{ 'cluster-capacity': '7', 'cluster-timeout': '100', 'cluster-lease': '600000' },
        ...{ 'cluster-single': true, 'cluster-ca-certificates': ca },
        'cluster-allowed-fingerprints': `${FINGERPRINT}, ${COLONS}`,
      }),
    ).toMatchObject({
      tls: { ca: readFileSync(ca, 'utf8'), fingerprints: [FINGERPRINT, FINGERPRINT] },
      ...{ capacity: 7, timeoutMs: 100, leaseMs: 600_000, isSingle: true },
    });
  });

  test.each([
    ['https://h', 'https://h'],
    ['http://localhost:80/', 'http://localhost'],
    ['http://127.1.2.3:1', 'http://127.1.2.3:1'],
    ['http://0x7f000001:1', 'http://127.0.0.1:1'],
    ['HTTP://[::1]:18083', 'http://[::1]:18083'],
  ])('have the address %s of this process', (given, url) => {
    expect(clusterOf({ 'cluster-url': given })?.url).toBe(url);
  });

  test.each([
    'http://h:80',
    'http://10.0.0.1:18083',
    'http://0.0.0.0:1',
    'http://[::]:1',
    'http://127.0.0.1.example.com:1',
    'http://localhost.example.com:1',
    'http://128.0.0.1:1',
    'http://2130706434.example:1',
  ])('refuse the address %s of this process without --cluster-allow-http', (url) => {
    expect(refusalWith({ 'cluster-url': url })).toMatch(/^--cluster-url: without TLS.*--cluster-allow-http/);
    const allowed = clusterOf({ 'cluster-url': url, 'cluster-allow-http': true });
    expect([allowed?.url, allowed?.tls.allowsHttp]).toEqual([new URL(url).origin, true]);
  });

  test.each([
    '',
    'h:18083',
    'ftp://h:1',
    'http://',
    'http://h:1/path',
    'http://h:1?',
    'http://h:1/?x=1',
    'http://h:1/#x',
    'http://user@h:1',
    'http://user:must-not-leak@h:1',
    'http://:must-not-leak@h:1',
  ])('refuse the address %j of this process', (url) => {
    const refusal = refusalWith({ 'cluster-url': url });
    expect(refusal).toBe('--cluster-url is http(s)://host:port, without login and path');
  });

  test.each([
    ['cluster-capacity', ['0', '1000001', '-1', '1.5', 'x', '']],
    ['cluster-timeout', ['99', '600001', '5s']],
    ['cluster-lease', ['999', '600001']],
  ])('refuse values of --%s out of its range', (name, values) => {
    for (const value of values) expect(refusalWith({ [name]: value })).toContain(`--${name} takes a whole`);
  });

  test.each(['ab'.repeat(31), 'xy'.repeat(32), `${FINGERPRINT},ab`])('refuse the fingerprint %s', (given) => {
    expect(refusalWith({ 'cluster-allowed-fingerprints': given })).toContain('64 hex digits');
  });

  it('refuse a file that has no certificates, or is no file', () => {
    const { certFile, keyFile } = makeCertificate(directory);
    const file = (name: string): string => join(directory, name);
    writeFileSync(file('empty'), '');
    writeFileSync(file('garbage'), 'certificates');
    writeFileSync(file('cut'), readFileSync(certFile).subarray(0, 300));
    mkdirSync(file('folder'));
    execFileSync('mkfifo', [file('pipe')]);
    for (const path of [...['missing', 'empty', 'garbage', 'cut', 'folder', 'pipe'].map(file), keyFile])
      expect(refusalWith({ 'cluster-ca-certificates': path })).toMatch(`--cluster-ca-certificates: ${path} `);
  });

  test.each(['cluster-secret-file', 'cluster-url'])('need --%s', (missing) => {
    const given = Object.entries(NEEDED).filter(([name]) => name !== missing);
    const refusal = refusalOf({ 'wallet-dir': 'w', cluster: DATABASE, ...Object.fromEntries(given) });
    expect(refusal).toBe(`--cluster needs --${missing}, too`);
  });

  test.each([
    ...Object.entries(NEEDED),
    ['cluster-ca-certificates', 'ca.pem'],
    ['cluster-allowed-fingerprints', FINGERPRINT],
    ['cluster-single', true],
    ['cluster-allow-http', true],
  ] as [string, string | true][])('refuse --%s without --cluster', (name, value) => {
    expect(refusalOf({ 'wallet-dir': 'w', [name]: value })).toContain(`--${name} belongs to a cluster`);
  });

  it('need a wallet directory', () => {
    const refusal = refusalOf({ 'wallet-file': 'w', password: '', cluster: DATABASE, ...NEEDED });
    expect(refusal).toContain('--wallet-dir');
  });

  it('allow --password-dir without --open', () => {
    expect(
      toConfig({ 'wallet-dir': 'w', 'password-dir': 'p', cluster: DATABASE, ...NEEDED }, 4),
    ).toBeDefined();
    expect(refusalOf({ 'wallet-dir': 'w', 'password-dir': 'p' })).toContain('--open');
  });
});

describe('the address of the database', () => {
  it('may come from the environment', () => {
    const raw = mergeSources({ 'wallet-dir': 'w', ...NEEDED }, { WALLET_RPC_CLUSTER: DATABASE });
    expect(Buffer.from(toConfig(raw, 4).cluster?.database.expose() ?? []).toString()).toBe(DATABASE);
  });

  it('is never printed with its settings', () => {
    const settings = clusterOf();
    expect(inspect(settings, { depth: 9, showHidden: true })).not.toContain('must-not-leak');
    expect(JSON.stringify(settings)).not.toContain('must-not-leak');
  });

  test.each([
    'postgres://u:pass/database?must-not-leak@h/d',
    'postgres://u:x/d?sslmode=require&must-not-leak',
  ])('is not repeated by the refusal of an option of it that is a part of a password: %s', (text) => {
    expect(() => readAddress(text)).toThrow(expect.objectContaining({ reason: 'address' }));
    expect(() => readAddress(text)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('must-not-leak') }),
    );
  });
});

describe('an error of the start of the cluster', () => {
  test.each([
    [new ClusterRefused('no_quorum', '--cluster: no quorum'), '--cluster: no quorum'],
    [new ClusterRefused('member_taken', '--cluster-url: taken'), '--cluster-url: taken'],
    [
      new ClusterRefused('secret_missing', 'the secret file is missing'),
      '--cluster: the secret file is missing',
    ],
    [new ClusterUnreachable('no database answers'), '--cluster: no database answers'],
    [new NotReplicated('late'), '--cluster: not replicated: late'],
  ])('is one of the configuration: %s', async (error, message) => {
    const refused = refusingConfig(() => Promise.reject(error));
    await expect(refused).rejects.toBeInstanceOf(ConfigError);
    await expect(refused).rejects.toMatchObject({ message, cause: error });
  });

  it('stays a bug if it is one', async () => {
    const bug = new TypeError('undefined');
    await expect(refusingConfig(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
