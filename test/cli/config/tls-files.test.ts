import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ConfigError } from '../../../src/cli/config/config-values.js';
import type { SslConfig } from '../../../src/cli/config/ssl-options.js';
import { readTls } from '../../../src/cli/config/tls-files.js';
import { makeCertificate, type Certificate } from '../../support/network/certificate.js';

const directory = mkdtempSync(join(tmpdir(), 'tls-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

let first: Certificate;
let second: Certificate;
beforeAll(() => {
  [first, second] = ['first', 'second'].map((name) => {
    mkdirSync(join(directory, name));
    return makeCertificate(join(directory, name));
  }) as [Certificate, Certificate];
  const cert = readFileSync(first.certFile);
  writeFileSync(file('empty'), '');
  writeFileSync(file('garbage'), 'garbage');
  writeFileSync(file('cut'), cert.subarray(0, cert.length / 2));
  execFileSync('mkfifo', [file('pipe')]);
  writeFileSync(file('chain-cut'), Buffer.concat([cert, cert.subarray(0, cert.length / 2)]));
});

const file = (name: string): string => join(directory, name);

const read = (files: Partial<SslConfig>) =>
  readTls(
    { mode: 'enabled', allowedFingerprints: [], allowChained: false, ...files },
    pino({ level: 'silent' }),
  );

const own = (): Partial<SslConfig> => ({ certificatePath: first.certFile, privateKeyPath: first.keyFile });

describe('the TLS files of a start', () => {
  it('are read, or not needed', () => {
    expect(read({ ...own(), caFile: second.certFile })).toMatchObject({
      certificate: { key: readFileSync(first.keyFile), cert: readFileSync(first.certFile) },
      ca: readFileSync(second.certFile),
    });
    expect(read({})).toMatchObject({ certificate: expect.any(Function) });
    expect(read({ mode: 'disabled', caFile: file('missing') })).toBeUndefined();
  });

  const bad = ['missing', 'empty', 'garbage', 'cut', 'chain-cut', 'first/key.pem', 'first', 'pipe'];

  it.each(bad)('stop it if the CA certificates of clients are no certificates: %s', (name) => {
    for (const files of [{}, own()]) {
      expect(() => read({ ...files, caFile: file(name) })).toThrow(ConfigError);
      expect(() => read({ ...files, caFile: file(name) })).toThrow(
        `--rpc-ssl-ca-certificates: ${file(name)} `,
      );
    }
  });

  it.each(bad)('stop it if the certificate is none: %s', (name) => {
    expect(() => read({ ...own(), certificatePath: file(name) })).toThrow(ConfigError);
    expect(() => read({ ...own(), certificatePath: file(name) })).toThrow(
      `--rpc-ssl-certificate: ${file(name)} `,
    );
  });

  it.each(['missing', 'empty', 'garbage', 'first/cert.pem', 'second/key.pem', 'first', 'pipe'])(
    'stop it if the key is none, or that of another certificate: %s',
    (name) => {
      expect(() => read({ ...own(), privateKeyPath: file(name) })).toThrow(ConfigError);
      expect(() => read({ ...own(), privateKeyPath: file(name) })).toThrow(
        `--rpc-ssl-private-key: ${file(name)} `,
      );
    },
  );
});
