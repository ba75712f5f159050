import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readAddress } from '../../../src/cluster/database/address.js';
import { makeCertificate } from '../../support/network/certificate.js';

describe('the address of a database', () => {
  test.each([
    [
      'postgres://a@h/d',
      { hosts: [{ host: 'h', port: 5432 }], user: 'a', password: undefined, database: 'd' },
    ],
    ['postgresql://h:1/d', { hosts: [{ host: 'h', port: 1 }], user: 'wallet_rpc', password: undefined }],
    ['postgres://a:p%40%3A%2F@h/d%20e', { user: 'a', password: 'p@:/', database: 'd e' }],
    [
      'postgres://a:@db1,db2:7,[fe80::1],[::1]:9/d',
      {
        hosts: [
          { host: 'db1', port: 5432 },
          { host: 'db2', port: 7 },
          { host: 'fe80::1', port: 5432 },
          { host: '::1', port: 9 },
        ],
        password: '',
      },
    ],
    ['postgres://h/d?sslmode=disable&target_session_attrs=read-write', { tls: undefined }],
    ['postgres://h/d?sslmode=require', { tls: { rejectUnauthorized: false } }],
    ['postgres://h/d?sslmode=verify-full', { tls: { rejectUnauthorized: true } }],
  ])('%s is read', (text, expected) => {
    expect(readAddress(text)).toMatchObject(expected);
  });

  test.each([
    '',
    'mysql://h/d',
    'postgres://h',
    'postgres:///d',
    'postgres://secret@h:0/d',
    'postgres://a:secret@h:99999/d',
    'postgres://a:secret@h,,g/d',
    'postgres://a:secret%ZZ@h/d',
    'postgres://a:secret@h/d?sslmode=prefer',
    'postgres://a:secret@h/d?sslmode=verify-full&sslrootcert=/missing/ca.pem',
    'postgres://a:secret@h/d?target_session_attrs=any',
    'postgres://a:secret@h/d?options=-c',
    'postgres://a:sec/ret@h/d',
  ])('%j is refused, and no message repeats it', (text) => {
    expect(() => readAddress(text)).toThrow(expect.objectContaining({ reason: 'address' }));
    expect(() => readAddress(text)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/secret/) }),
    );
  });
});

describe('the file of sslrootcert', () => {
  let folder: string;
  let certificate: { keyFile: string; certFile: string };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cluster-address-'));
    certificate = makeCertificate(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const withFile = (path: string) => (): unknown =>
    readAddress(`postgres://h/d?sslmode=verify-full&sslrootcert=${encodeURIComponent(path)}`).tls;

  test('is read if it has certificates', () => {
    expect(withFile(certificate.certFile)()).toMatchObject({
      rejectUnauthorized: true,
      ca: expect.stringContaining('BEGIN CERTIFICATE'),
    });
  });

  test.each([
    ['is empty', () => ''],
    ['has no certificate', () => 'certificate'],
    ['is cut', (whole: string) => whole.slice(0, whole.length / 2)],
    ['has garbage in a certificate', (whole: string) => whole.replace(/MII.{40}/, 'MIIx')],
  ])('is refused if it %s: every certificate would be trusted, or none', (title, change) => {
    const path = join(folder, title);
    writeFileSync(path, change(readFileSync(certificate.certFile, 'utf8')));
    expect(withFile(path)).toThrow(expect.objectContaining({ reason: 'address' }));
  });

  test('is refused if it is a key', () => {
    expect(withFile(certificate.keyFile)).toThrow(expect.objectContaining({ reason: 'address' }));
  });
});
