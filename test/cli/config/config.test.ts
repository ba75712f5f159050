import { afterAll, describe, expect, it, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { isLoopback } from '../../../src/util/address.js';
import { mergeSources, toConfig, type Config } from '../../../src/cli/config/config.js';
import { categoriesOf } from '../../../src/util/log-categories.js';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import type { RawOptions } from '../../../src/cli/config/option.js';
import { environmentName, OPTIONS } from '../../../src/cli/config/options.js';

const directory = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const file = (text: string): string => {
  const path = join(directory, String(files++));
  writeFileSync(path, text);
  return path;
};

const CORES = 4;
const config = (raw: RawOptions = {}): Config => toConfig({ 'wallet-dir': 'wallets', ...raw }, CORES);
const walletFile = (raw: RawOptions = {}): Config => toConfig({ 'wallet-file': 'w', ...raw }, CORES);
const text = (secret: { expose(): Uint8Array } | undefined): string | undefined =>
  secret === undefined ? undefined : Buffer.from(secret.expose()).toString('utf8');
const FINGERPRINT = 'ab'.repeat(32);

describe('settings from the three sources', () => {
  it('come from the command line, then the environment, then the config file', () => {
    const path = file('log-level=1\nkdf-rounds=1\npidfile=1\ntestnet=1');
    expect(
      mergeSources(
        { 'log-level': '3', 'config-file': path },
        { WALLET_RPC_LOG_LEVEL: '2', WALLET_RPC_KDF_ROUNDS: '2' },
      ),
    ).toEqual({ 'config-file': path, 'log-level': '3', 'kdf-rounds': '2', pidfile: '1', testnet: true });
  });

  test.each(
    OPTIONS.filter(({ name, repeatable }) => name !== 'config-file' && !repeatable).map(
      ({ name, argument }) => ({ name, argument }),
    ),
  )('set --$name in the same way', ({ name, argument }) => {
    const [low, middle, high] =
      argument === undefined ? (['1', 'yes', true] as const) : (['a', 'b', 'c'] as const);
    const path = file(`${name}=${low}`);
    const read = (flags: RawOptions, environment: NodeJS.ProcessEnv): unknown =>
      mergeSources({ ...flags, 'config-file': path }, environment)[name];
    const environment = { [environmentName(name)]: middle };
    expect(read({}, {})).toBe(argument === undefined ? true : 'a');
    expect(read({}, environment)).toBe(argument === undefined ? true : 'b');
    expect(read({ [name]: high }, environment)).toBe(argument === undefined ? true : 'c');
  });

  it('set a repeatable setting by a line, or a flag, a value', () => {
    const path = file('open=first shop\nopen=second');
    expect(mergeSources({ 'config-file': path }, {})['open']).toEqual(['first shop', 'second']);
    expect(mergeSources({ 'config-file': path }, { WALLET_RPC_OPEN: 'third' })['open']).toEqual(['third']);
    expect(mergeSources({ 'config-file': path, open: ['fourth'] }, {})['open']).toEqual(['fourth']);
  });

  it('come from a config file that the environment names', () => {
    expect(mergeSources({}, { WALLET_RPC_CONFIG_FILE: file('offline=1') })).toMatchObject({ offline: true });
  });

  it('may turn off a switch of the config file by the environment', () => {
    const flags = { 'config-file': file('offline=1') };
    expect(mergeSources(flags, { WALLET_RPC_OFFLINE: '0' })).toEqual(flags);
  });

  it('may turn on by the command line a switch that the environment turns off', () => {
    expect(mergeSources({ offline: true }, { WALLET_RPC_OFFLINE: '0' })).toEqual({ offline: true });
  });

  it('include RPC_LOGIN, the variable of monero-wallet-rpc, unless our own is set', () => {
    expect(mergeSources({}, { RPC_LOGIN: 'a:b' })).toEqual({ 'rpc-login': 'a:b' });
    expect(mergeSources({}, { RPC_LOGIN: 'a:b', WALLET_RPC_RPC_LOGIN: 'c:d' })).toEqual({
      'rpc-login': 'c:d',
    });
  });

  it('ignore other environment variables', () => {
    expect(mergeSources({}, { HOME: '/', WALLET_RPC_DEBUG: '1' })).toEqual({});
  });

  it('refuse a switch in the environment that is neither on nor off, without quoting it', () => {
    expect(() => mergeSources({}, { WALLET_RPC_OFFLINE: 'hunter2' })).toThrow(
      new ConfigError('WALLET_RPC_OFFLINE: offline is a switch: 1 or 0'),
    );
  });

  it('refuse a config file that cannot be read', () => {
    const path = join(directory, 'missing');
    expect(() => mergeSources({ 'config-file': path }, {})).toThrow(`--config-file: ${path} cannot be read`);
  });
});

describe('defaults', () => {
  it('apply to every setting that is absent', () => {
    expect(config()).toEqual({
      network: 'mainnet',
      payouts: { interval: 60, patience: 1800, outputs: 0, confirmations: 10, signingTime: 86_400 },
      wallet: {
        dir: 'wallets',
        open: [],
        promptForPassword: false,
        kdfRounds: 1,
        exportFormat: 'current',
        refreshPeriod: 20,
        confirmations: [1, 10],
        confirmationScale: [
          { from: 0n, confirmations: 1 },
          { from: 1_000_000_000_000n, confirmations: 10 },
        ],
        eventRetentionMs: 7_776_000_000,
      },
      rpc: {
        bind: [{ ip: '127.0.0.1', optional: false }],
        port: 18083,
        restricted: false,
        origins: [],
        hosts: [],
        apiVersion: '1.3',
        errorDetails: false,
        ssl: { mode: 'autodetect', allowedFingerprints: [], allowChained: false },
        maxConnections: 100,
        maxConnectionsPerPrivateIp: 25,
        maxConnectionsPerPublicIp: 3,
      },
      daemon: {
        addresses: [{ address: 'localhost:18081', trusted: true }],
        ssl: { mode: 'autodetect', allowedFingerprints: [], allowChained: false, allowAnyCert: false },
        wholeBlocks: false,
        allowMismatchedVersion: false,
        offline: false,
      },
      fork: { newest: 16 },
      dns: { enabled: true, servers: [] },
      webhooks: { allowPrivate: false },
      watch: {
        metricsBalances: false,
        reorganisationAlert: 3,
        ready: { daemonSeconds: 60, blocksBehind: 10, diskBytes: 100_000_000 },
      },
      threads: CORES,
      log: { categories: categoriesOf(0) },
      interactive: true,
      detach: false,
      withoutEffect: [],
    });
  });

  test.each([
    ['mainnet', {}, 18083, 'localhost:18081'],
    ['testnet', { testnet: true }, 28083, 'localhost:28081'],
    ['stagenet', { stagenet: true }, 38083, 'localhost:38081'],
  ] as const)('of ports follow the network: %s', (network, raw, port, address) => {
    expect(config(raw)).toMatchObject({ network, rpc: { port }, daemon: { addresses: [{ address }] } });
  });

  it('of the rules of the next fork are none on the main network alone', () => {
    const rules = { rules: 'carrot-2026-07', newest: 18 };
    expect(config().fork).toEqual({ newest: 16 });
    for (const raw of [{ testnet: true }, { stagenet: true }, { regtest: true }] as const)
      expect(config(raw).fork).toEqual(rules);
    expect(config({ 'fork-rules': 'carrot-2026-07' }).fork).toEqual(rules);
    expect(config({ testnet: true, 'fork-rules': 'none' }).fork).toEqual({ newest: 16 });
    for (const name of ['carrot', '', 'None'])
      expect(() => config({ 'fork-rules': name })).toThrow(/^--fork-rules is carrot-2026-07 or none$/);
  });

  it('name the heights of the next fork on the chain of the regtest node', () => {
    const fork = { from: 20, only: 30 };
    expect(config({ regtest: true, 'regtest-fork-height': '20' }).regtest).toMatchObject({ fork });
    expect(config({ regtest: true }).regtest).not.toHaveProperty('fork');
    expect(() => config({ regtest: true, 'regtest-fork-height': '20,2' })).toThrow(
      /^--regtest-fork-height: one or two/,
    );
  });

  it('include no host names; listed names are converted to lower case', () => {
    expect(config({ 'rpc-allowed-hosts': 'wallet, Shop.example,10.0.0.7' }).rpc.hosts).toEqual([
      'wallet',
      'shop.example',
      '10.0.0.7',
    ]);
    for (const list of ['http://wallet', 'wallet:18083', '*', 'a b'])
      expect(() => config({ 'rpc-allowed-hosts': list })).toThrow(
        /--rpc-allowed-hosts is a list of host names/,
      );
  });

  it('serve metrics behind the login; on an address of their own only if it is given', () => {
    expect(config().watch.metrics).toBeUndefined();
    expect(config({ 'metrics-bind': '9100' }).watch.metrics).toEqual({ ip: '127.0.0.1', port: 9100 });
    expect(config({ 'metrics-bind': '[::1]:0' }).watch.metrics).toEqual({ ip: '::1', port: 0 });
    for (const text of ['', 'x', 'host:1', '::1', '127.0.0.1', '1.2.3.4:70000', '127.0.0.1:9100:1'])
      expect(() => config({ 'metrics-bind': text })).toThrow(/--metrics-bind is \[ip:\]port/);
    expect(() => config({ 'metrics-bind': '0.0.0.0:9100' })).toThrow(/--confirm-external-bind/);
    expect(config({ 'metrics-bind': '0.0.0.0:9100', 'confirm-external-bind': true }).watch.metrics).toEqual({
      ip: '0.0.0.0',
      port: 9100,
    });
  });

  it('serve pay pages only on a given address, under its own or a public one', () => {
    expect(config()).not.toHaveProperty('pay');
    expect(config({ 'pay-bind': '8080' }).pay).toEqual({
      ...{ ip: '127.0.0.1', port: 8080, embedOrigins: [] },
    });
    expect(config({ 'pay-bind': '[::1]:0', 'pay-url': 'https://shop.example' }).pay).toEqual({
      ...{ ip: '::1', port: 0, url: 'https://shop.example/', embedOrigins: [] },
    });
    const urlOf = (url: string) => config({ 'pay-bind': '1', 'pay-url': url }).pay?.url;
    expect(urlOf('HTTP://Shop.example:8080/a/b')).toBe('http://shop.example:8080/a/b/');
    for (const text of [
      '',
      'shop.example',
      'ftp://a/',
      'https://u:p@a/',
      'https://a/?b',
      'https://a/#',
      'javascript:0',
    ])
      expect(() => urlOf(text)).toThrow(/--pay-url is an https or http address/);
    expect(() => config({ 'pay-bind': 'host:1' })).toThrow(/--pay-bind is \[ip:\]port/);
    expect(() => config({ 'pay-bind': '0.0.0.0:1' })).toThrow(/--confirm-external-bind/);
    expect(() => config({ 'pay-url': 'https://shop.example/' })).toThrow(/--pay-bind, which is not given/);
  });

  it('have a merchant and origins of frames for the pay pages only', () => {
    const merchant = { 'pay-merchant-file': 'm.json' };
    expect(config({ 'pay-bind': '1', ...merchant }).pay).toMatchObject({ merchantFile: 'm.json' });
    expect(() => config(merchant)).toThrow(
      /--pay-merchant-file is shown by the pages of --pay-bind, which is not/,
    );
    const origins = (values: readonly string[], more = {}) =>
      config({ 'pay-bind': '1', 'pay-embed-origins': values, ...more }).pay?.embedOrigins;
    expect(origins(['https://a.example, https://b.example:8443', 'https://a.example'])).toEqual([
      ...['https://a.example', 'https://b.example:8443'],
    ]);
    expect(origins(['http://localhost:3000'], { stagenet: true })).toEqual(['http://localhost:3000']);
    for (const refused of [
      ...['http://localhost:3000', 'https://a.example/', 'https://A.example', 'https://a.example:443'],
      ...[
        'https://*.example',
        'http://a.example',
        '*',
        'null',
        '',
        'https://a.example; script-src *',
        "'self'",
      ],
    ])
      expect(() => origins([refused])).toThrow(/--pay-embed-origins: ".*" is no origin/);
    expect(() => origins(['http://a.example'], { stagenet: true })).toThrow(/or http:\/\/localhost/);
    expect(() => config({ 'pay-embed-origins': ['https://a.example'] })).toThrow(
      /--pay-bind, which is not given/,
    );
  });

  it('list the flags without effect', () => {
    const given = OPTIONS.filter(({ noEffect }) => noEffect);
    const raw = Object.fromEntries(
      given.map(({ name, argument }) => [name, argument === undefined ? true : '1']),
    );
    expect(config(raw as RawOptions).withoutEffect).toEqual(given.map(({ name }) => name));
  });
});

describe('flags that exclude each other', () => {
  const value = (name: string): string | true =>
    OPTIONS.find((option) => option.name === name)?.argument === undefined ? true : '1';
  test.each([
    ['testnet', 'stagenet'],
    ['password', 'password-file'],
    ['password', 'prompt-for-password'],
    ['password-file', 'prompt-for-password'],
    ['rpc-login', 'disable-rpc-login'],
    ['credentials', 'disable-rpc-login'],
    ['trusted-daemon', 'untrusted-daemon'],
    ['daemon-address', 'daemon-host'],
    ['daemon-address', 'daemon-port'],
    ['wallet-dir', 'wallet-file'],
  ])('--%s and --%s', (a, b) => {
    expect(() => toConfig({ [a]: value(a), [b]: value(b) }, CORES)).toThrow(
      new ConfigError(`--${a} and --${b} exclude each other`),
    );
  });

  it('do so across sources', () => {
    const raw = mergeSources(
      { 'wallet-dir': 'w', 'disable-rpc-login': true },
      { RPC_LOGIN: 'alice:hunter2' },
    );
    expect(() => toConfig(raw, CORES)).toThrow(
      new ConfigError('--rpc-login and --disable-rpc-login exclude each other'),
    );
  });
});

describe('wallets', () => {
  it('need a directory or a file', () => {
    expect(() => toConfig({}, CORES)).toThrow(
      new ConfigError('one of --wallet-dir and --wallet-file is needed'),
    );
  });

  test.each([{ password: 'x' }, { 'password-file': 'x' }, { 'prompt-for-password': true as const }])(
    'of a directory take no password at the start: %p',
    (raw) => {
      expect(() => config(raw)).toThrow(ConfigError);
    },
  );

  it('given as a file need a password option, as for monero-wallet-rpc', () => {
    expect(() => walletFile()).toThrow(/--wallet-file needs one of/);
  });

  it('take an explicit empty password', () => {
    expect(text(walletFile({ password: '' }).wallet.password)).toBe('');
  });

  test.each([
    ['hunter2\n', 'hunter2'],
    ['hunter2\r\n', 'hunter2'],
    [' hunter 2 \n\n', ' hunter 2 '],
    ['two\nlines\n', 'two\nlines'],
    ['', ''],
  ])('take the password file %p as %p', (content, password) => {
    expect(text(walletFile({ 'password-file': file(content) }).wallet.password)).toBe(password);
  });

  it('refuse a password file that cannot be read', () => {
    expect(() => walletFile({ 'password-file': join(directory, 'missing') })).toThrow(/cannot be read/);
  });
});

describe('the address to listen on', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('%s is a loopback address', (ip) => {
    expect(isLoopback(ip)).toBe(true);
    expect(config({ 'rpc-bind-ip': ip }).rpc.bind).toEqual([{ ip, optional: false }]);
  });

  test.each(['0.0.0.0', '192.168.1.5', '::', '128.0.0.1'])('%s needs --confirm-external-bind', (ip) => {
    expect(isLoopback(ip)).toBe(false);
    expect(() => config({ 'rpc-bind-ip': ip })).toThrow(/add --confirm-external-bind/);
    expect(() => config({ 'rpc-bind-ip': ip, 'rpc-login': 'a:b' })).toThrow(/add --confirm-external-bind/);
    expect(config({ 'rpc-bind-ip': ip, 'confirm-external-bind': true }).rpc.bind).toEqual([
      { ip, optional: false },
    ]);
  });

  test.each(['localhost', '127.0.0', '127.example.com', '', '1.2.3.4:5'])('%p is not an address', (ip) => {
    expect(isLoopback(ip)).toBe(false);
    expect(() => config({ 'rpc-bind-ip': ip, 'confirm-external-bind': true })).toThrow(
      new ConfigError('--rpc-bind-ip is not an IP address'),
    );
  });

  it('includes an IPv6 address with --rpc-use-ipv6, in brackets or not', () => {
    for (const address of ['::1', '[::1]'])
      expect(config({ 'rpc-use-ipv6': true, 'rpc-bind-ipv6-address': address }).rpc.bind).toEqual([
        { ip: '127.0.0.1', optional: false },
        { ip: '::1', optional: false },
      ]);
  });

  it('is optional on IPv4 with --rpc-ignore-ipv4 when IPv6 is bound', () => {
    expect(config({ 'rpc-use-ipv6': true, 'rpc-ignore-ipv4': true }).rpc.bind[0]?.optional).toBe(true);
    expect(config({ 'rpc-ignore-ipv4': true }).rpc.bind[0]?.optional).toBe(false);
  });

  it('must be loopback on IPv6 too unless confirmed', () => {
    const raw = { 'rpc-use-ipv6': true, 'rpc-bind-ipv6-address': '::' } as const;
    expect(() => config(raw)).toThrow(/add --confirm-external-bind/);
    expect(() => config({ ...raw, 'rpc-bind-ipv6-address': '127.0.0.1' })).toThrow(/not an IPv6 address/);
  });
});

describe('numbers', () => {
  test.each([
    ['rpc-bind-port', 0, 65535],
    ['daemon-port', 1, 65535],
    ['kdf-rounds', 1, 1_000_000],
    ['max-concurrency', 0, 1024],
    ['refresh-period', 0, 86_400],
    ['reorganisation-alert', 0, 10_000],
    ['event-retention', 1, 36_500],
    ['rpc-max-connections', 1, 100_000],
    ['rpc-max-connections-per-private-ip', 1, 100_000],
    ['rpc-max-connections-per-public-ip', 1, 100_000],
  ])('of --%s go from %d to %d', (name, min, max) => {
    for (const value of [min, max]) expect(() => config({ [name]: String(value) })).not.toThrow();
    for (const value of [min - 1, max + 1, '', ' ', '1.5', '1e1', '0x1', '+1', 'NaN', '9'.repeat(400)])
      expect(() => config({ [name]: String(value) })).toThrow(
        new ConfigError(`--${name} takes a whole number from ${min} to ${max}`),
      );
  });

  it.each(['5', '-1', 'high', '0,'])('of --log-level %p are refused', (value) => {
    expect(() => config({ 'log-level': value })).toThrow('--log-level is 0 to 4, a list of categories');
  });

  it('of --confirmations are sorted, each once', () => {
    expect(config({ confirmations: '10, 1,10' }).wallet.confirmations).toEqual([1, 10]);
  });

  it.each(['0', '1,0', '', 'x', '1.5', '10001', '1,2,3,4,5,6,7,8,9'])(
    'of --confirmations %p are refused',
    (value) => {
      expect(() => config({ confirmations: value })).toThrow(
        new ConfigError('--confirmations takes 1 to 8 whole numbers from 1 to 10000, comma separated'),
      );
    },
  );

  it('of --confirmations-by-amount are steps of amounts [atomic units] and confirmations', () => {
    const scale = (value?: string) =>
      config(value === undefined ? {} : { 'confirmations-by-amount': value }).wallet.confirmationScale;
    expect(scale()).toEqual([
      { from: 0n, confirmations: 1 },
      { from: 1_000_000_000_000n, confirmations: 10 },
    ]);
    expect(scale('0:0,0.5:1, 10:10')).toEqual([
      { from: 0n, confirmations: 0 },
      { from: 500_000_000_000n, confirmations: 1 },
      { from: 10_000_000_000_000n, confirmations: 10 },
    ]);
    expect(scale('0:3,0.000000000001:3,18446744.073709551615:10000')).toEqual([
      { from: 0n, confirmations: 3 },
      { from: 1n, confirmations: 3 },
      { from: 18_446_744_073_709_551_615n, confirmations: 10_000 },
    ]);
    expect(scale('0.0:2')).toEqual([{ from: 0n, confirmations: 2 }]);
  });

  it.each([
    '',
    '1',
    '0',
    ':1',
    '0:',
    '0:-1',
    '-1:1',
    '0:1.5',
    '0:x',
    '0:1:2',
    '0:10001',
    '1:1',
    '0:1,0:2',
    '0:1,2:3,1:4',
    '0:2,1:1',
    '0:1,18446744.073709551616:2',
    '0:1,0.0000000000001:2',
    '0:1,1e3:2',
    '0:0,1:1,2:2,3:3,4:4,5:5,6:6,7:7,8:8',
  ])('of --confirmations-by-amount %p are refused', (value) => {
    expect(() => config({ 'confirmations-by-amount': value })).toThrow(
      '--confirmations-by-amount takes 1 to 8 pairs as 0:1,1.5:10',
    );
  });

  it('of threads default to the number of cores for 0', () => {
    expect(config({ 'max-concurrency': '0' }).threads).toBe(CORES);
    expect(config({ 'max-concurrency': '2' }).threads).toBe(2);
  });
});

describe('the login', () => {
  test.each([
    ['alice:hunter2', 'alice', 'hunter2'],
    ['alice:hun:ter2', 'alice', 'hun:ter2'],
    ['alice:', 'alice', ''],
    ['alice', 'alice', undefined],
  ])('%s', (value, user, password) => {
    for (const name of ['rpc-login', 'daemon-login'] as const) {
      const login =
        name === 'rpc-login' ? config({ [name]: value }).rpc.login : config({ [name]: value }).daemon.login;
      expect(login?.user).toBe(user);
      expect(text(login?.password)).toBe(password);
    }
  });

  test.each(['', ':hunter2'])('needs a user: %p', (value) => {
    expect(() => config({ 'rpc-login': value })).toThrow(
      new ConfigError('--rpc-login: the user name is empty'),
    );
  });

  it('is not visible in the printed configuration', () => {
    const printed = (value: unknown): string =>
      inspect(value, { depth: 9 }) +
      JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one));
    const whole = config({ 'rpc-login': 'alice:hunter2', 'daemon-login': 'bob:hunter2' });
    expect(printed(whole)).not.toContain('hunter2');
    const other = walletFile({ password: 'hunter2' });
    expect(printed(other)).not.toContain('hunter2');
  });
});

describe('TLS', () => {
  test.each(['enabled', 'disabled', 'autodetect'] as const)('takes the mode %s', (mode) => {
    const raw = { 'rpc-ssl': mode, 'daemon-ssl': mode, 'daemon-ssl-allow-any-cert': true } as const;
    expect(config(raw).rpc.ssl.mode).toBe(mode);
    expect(config(raw).daemon.ssl.mode).toBe(mode);
  });

  describe.each(['rpc-ssl', 'daemon-ssl'])('of --%s', (prefix) => {
    const ssl = (raw: RawOptions) => config(raw)[prefix === 'rpc-ssl' ? 'rpc' : 'daemon'].ssl;

    test.each(['', 'on', 'Enabled', 'true'])('has no mode %p', (mode) => {
      expect(() => ssl({ [prefix]: mode })).toThrow(
        new ConfigError(`--${prefix} is one of enabled, disabled, autodetect`),
      );
    });

    it('takes a key and a certificate, and not one alone', () => {
      const [key, certificate] = [`${prefix}-private-key`, `${prefix}-certificate`];
      expect(ssl({ [key]: 'k', [certificate]: 'c' })).toMatchObject({
        privateKeyPath: 'k',
        certificatePath: 'c',
        mode: 'autodetect',
      });
      for (const name of [key, certificate])
        expect(() => ssl({ [name]: 'x' })).toThrow(
          new ConfigError(`--${key} and --${certificate} go together`),
        );
    });

    it('takes fingerprints with and without colons', () => {
      const colons = FINGERPRINT.toUpperCase().match(/../g)?.join(':') ?? '';
      expect(
        ssl({ [`${prefix}-allowed-fingerprints`]: ` ${colons}, ${FINGERPRINT},` }).allowedFingerprints,
      ).toEqual([FINGERPRINT, FINGERPRINT]);
    });

    test.each(['ab', `${FINGERPRINT}ab`, `x${FINGERPRINT.slice(1)}`])(
      'refuses the fingerprint %s',
      (print) => {
        expect(() => ssl({ [`${prefix}-allowed-fingerprints`]: print })).toThrow(/64 hex digits/);
      },
    );

    test.each([{ 'ca-certificates': 'ca.pem' }, { 'allowed-fingerprints': FINGERPRINT }])(
      'cannot be bypassed by plain HTTP when peer certificates are restricted: %p',
      (pin) => {
        const pinned = Object.fromEntries(
          Object.entries(pin).map(([name, value]) => [`${prefix}-${name}`, value]),
        );
        expect(ssl(pinned).mode).toBe('enabled');
        expect(ssl({ ...pinned, [prefix]: 'autodetect' }).mode).toBe('enabled');
        expect(() => ssl({ ...pinned, [prefix]: 'disabled' })).toThrow(ConfigError);
      },
    );
  });
});

describe('the daemon', () => {
  test.each([
    [{ 'daemon-address': 'node.example:18081' }, 'node.example:18081'],
    [{ 'daemon-address': 'https://node.example:443/' }, 'https://node.example:443/'],
    [{ 'daemon-address': '[::1]:18081' }, '[::1]:18081'],
    [{ 'daemon-host': 'node.example' }, 'node.example:18081'],
    [{ 'daemon-host': '::1', 'daemon-port': '5' }, '[::1]:5'],
    [{ 'daemon-port': '5' }, 'localhost:5'],
  ])('is found by %p', (raw, address) => {
    expect(config(raw).daemon.addresses.map((listed) => listed.address)).toEqual([address]);
  });

  test.each([
    'node.example',
    'node.example:0',
    'node.example:70000',
    'ftp://a:1',
    'http://alice:hunter2@a:1',
    '',
  ])('is not found by %p, which is not repeated', (address) => {
    expect(() => config({ 'daemon-address': address })).toThrow(
      '--daemon-address is host:port, with http:// or https:// before it if you like',
    );
  });

  test.each([
    [{}, true],
    [{ 'daemon-address': '127.1.2.3:1' }, true],
    [{ 'daemon-address': 'node.example:1' }, false],
    [{ 'daemon-address': 'localhost.example:1' }, false],
    [{ 'daemon-address': 'node.example:1', 'trusted-daemon': true }, true],
    [{ 'untrusted-daemon': true }, false],
    [{ 'daemon-address': 'node.example:1,trusted', 'untrusted-daemon': true }, true],
    [{ 'daemon-address': '127.0.0.1:1,untrusted', 'trusted-daemon': true }, false],
  ] as const)('is trusted on this machine, unless %p says something else', (raw, trusted) => {
    expect(config(raw).daemon.addresses.map((listed) => listed.trusted)).toEqual([trusted]);
  });

  test('may be several, each with its own trust, in the order of preference', () => {
    const listed = ['localhost:1', 'a.example:2,trusted', 'https://b.example:3'];
    const addresses = [
      { address: 'localhost:1', trusted: true },
      { address: 'a.example:2', trusted: true },
      { address: 'https://b.example:3', trusted: false },
    ];
    expect(config({ 'daemon-address': listed }).daemon.addresses).toEqual(addresses);
    expect(config({ 'daemon-address': listed.join('  ') }).daemon.addresses).toEqual(addresses);
  });

  test('is not listed twice, however its address is written', () => {
    expect(() => config({ 'daemon-address': ['http://Node:1/', 'other:1', 'node:1,trusted'] })).toThrow(
      '--daemon-address names node:1 twice',
    );
  });

  test.each([
    ['a:1', ''],
    ['a:1', 'b'],
    ['a:1', 'b:1,sometimes'],
  ])('is refused in the list %p', (...addresses) => {
    expect(() => config({ 'daemon-address': addresses })).toThrow(/--daemon-address is host:port/);
  });

  test.each([{ 'daemon-ssl': 'enabled' }, { proxy: '9050' }, { proxy: '127.0.0.1:9050' }])(
    'must be authenticated with %p',
    (raw) => {
      const address = { 'daemon-address': 'node.example:18081' };
      expect(() => config({ ...raw, ...address })).toThrow(/needs --daemon-ssl-ca-certificates/);
      expect(() => config({ ...raw, ...address, 'daemon-ssl-allow-any-cert': true })).not.toThrow();
      expect(() => config({ ...raw, ...address, 'daemon-ssl-ca-certificates': 'ca.pem' })).not.toThrow();
      expect(() =>
        config({ ...raw, ...address, 'daemon-ssl-allowed-fingerprints': FINGERPRINT }),
      ).not.toThrow();
      expect(() => config({ ...raw, 'daemon-address': 'abc.onion:18081' })).not.toThrow();
      expect(() => config({ ...raw, 'daemon-address': 'abc.b32.i2p:18081' })).not.toThrow();
      expect(() => config({ ...raw, 'daemon-address': 'onion:18081' })).toThrow(ConfigError);
    },
  );

  test.each(['', 'localhost', ':9050', '9050:', '123456'])(
    'is not reached through the malformed proxy %p',
    (proxy) => {
      expect(() => config({ proxy, 'daemon-ssl-allow-any-cert': true })).toThrow(
        new ConfigError('--proxy is [ip:]port'),
      );
    },
  );
});

describe('the interface', () => {
  test.each(['1.3', '1.32'])('is %s', (version) => {
    expect(config({ 'api-version': version }).rpc.apiVersion).toBe(version);
  });

  test.each(['', '1', '1.4', '1.30'])('is not %p', (version) => {
    expect(() => config({ 'api-version': version })).toThrow(new ConfigError('--api-version is 1.3 or 1.32'));
  });

  it('takes a list of origins', () => {
    expect(
      config({ 'rpc-access-control-origins': 'https://a.example, https://b.example,' }).rpc.origins,
    ).toEqual(['https://a.example', 'https://b.example']);
  });
});

describe('an error text', () => {
  const SECRET = 'hunter2';
  const secret = { 'rpc-login': `a:${SECRET}`, 'daemon-login': `b:${SECRET}` };
  test.each([
    ['a bad number', { ...secret, 'rpc-bind-port': 'x' }],
    ['a foreign address', { ...secret, 'rpc-bind-ip': '0.0.0.0' }],
    ['an exclusion', { ...secret, 'disable-rpc-login': true as const }],
    ['a login without a user', { 'rpc-login': `:${SECRET}` }],
    ['a password in the wrong place', { ...secret, password: SECRET }],
    ['a password in the place of a mode', { ...secret, 'rpc-ssl': SECRET }],
    ['a password in the place of a version', { ...secret, 'api-version': SECRET }],
    ['a password in the place of a fingerprint', { ...secret, 'rpc-ssl-allowed-fingerprints': SECRET }],
    ['a password in the place of a port', { ...secret, 'daemon-port': SECRET }],
    ['a login in the address', { ...secret, 'daemon-address': `http://b:${SECRET}@node:1` }],
    ['a login in the proxy', { ...secret, proxy: `b:${SECRET}@node` }],
  ])('quotes no secret: %s', (_, raw) => {
    expect(() => config(raw)).toThrow(ConfigError);
    expect(() => config(raw)).not.toThrow(SECRET);
  });
});
