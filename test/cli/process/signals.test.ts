import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { certificateAt, makeCertificate, type Certificate } from '../../support/network/certificate.js';
import { logged, freePort, start, stop, type RunningProcess } from '../../support/processes/process.js';
import { until } from '../../support/fakes/until.js';
import { MAIN, startWalletProcess, type WalletRpc } from '../../support/processes/wallet-rpc.js';
import { describeAtNight, itAtNight, someRows } from '../../support/jest/lanes.js';

let directory: string;
let server: WalletRpc | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signals-'));
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  rmSync(directory, { recursive: true });
});

/** Sends a signal, and resolves once the server has logged it. */
async function signal(to: Pick<WalletRpc, 'process'>, name: NodeJS.Signals, line: string): Promise<void> {
  const { child, output } = to.process;
  const seen = output().split(line).length;
  child.kill(name);
  await until(`the log line of ${name}`, () => output().split(line).length > seen);
}

const reload = (to: Pick<WalletRpc, 'process'>): Promise<void> =>
  signal(to, 'SIGHUP', 'SIGHUP: files are opened and read again');

describe('a server without files to read again', () => {
  itAtNight(
    'goes on after every signal that would end it or open the debugger, but for those that stop it',
    async () => {
      server = await startWalletProcess();
      await reload(server);
      for (const name of ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGIO', 'SIGPWR'] as const)
        await signal(server, name, `a signal was ignored signal=${name === 'SIGIO' ? 'SIG' : name}`);
      server.process.child.kill('SIGPIPE');
      expect((await server.call('get_version')).error).toBeUndefined();
      expect(server.process.output()).not.toContain('Debugger listening');
      expect(await server.stop({ signal: 'SIGQUIT' })).toBe(0);
      server = undefined;
    },
  );
});

describe('a log whose reader has ended', () => {
  itAtNight('is lost, and delays neither an answer nor the stop', async () => {
    const file = join(directory, 'wallet-rpc.log');
    server = await startWalletProcess({ args: [`--log-file=${file}`] });
    const { child } = server.process;
    child.stdout?.destroy();
    child.stderr?.destroy();
    for (let i = 0; i < 3; i++) {
      child.kill('SIGHUP');
      await until(
        'the line in the file',
        () => readFileSync(file, 'utf8').split('read again').length > i + 1,
      );
      expect((await server.call('get_version')).error).toBeUndefined();
    }
    expect(await server.stop()).toBe(0);
    server = undefined;
    expect(readFileSync(file, 'utf8').match(/signal/g) ?? []).toEqual([]);
  });
});

describe('a log file', () => {
  it('is opened again by its name on SIGHUP, so that logrotate may rename it', async () => {
    const file = join(directory, 'logs', 'wallet-rpc.log');
    server = await startWalletProcess({ args: [`--log-file=${file}`] });
    renameSync(file, `${file}.1`);
    await reload(server);
    expect(readFileSync(file, 'utf8')).toContain('SIGHUP');
    expect(readFileSync(`${file}.1`, 'utf8')).not.toContain('SIGHUP');
  });

  itAtNight('stays open under its new name while it cannot be opened by the former one', async () => {
    const file = join(directory, 'logs', 'wallet-rpc.log');
    server = await startWalletProcess({ args: [`--log-file=${file}`] });
    renameSync(join(directory, 'logs'), join(directory, 'moved'));
    await reload(server);
    const moved = join(directory, 'moved', 'wallet-rpc.log');
    expect(readFileSync(moved, 'utf8')).toContain('the one that is open stays in use');
    expect(existsSync(file)).toBe(false);
    mkdirSync(join(directory, 'logs'));
    await reload(server);
    expect(readFileSync(file, 'utf8')).toContain('SIGHUP');
  });
});

describe('an audit log', () => {
  itAtNight('is opened again by its name, and its lines wait while that fails', async () => {
    const file = join(directory, 'audit', 'calls.log');
    mkdirSync(join(directory, 'audit'));
    server = await startWalletProcess({ args: [`--audit-log=${file}`] });
    renameSync(join(directory, 'audit'), join(directory, 'moved'));
    await reload(server);
    await server.rpc('get_languages');
    await logged(server.process, 'the audit log cannot be written');
    expect(readFileSync(join(directory, 'moved', 'calls.log'), 'utf8')).not.toContain('get_languages');
    mkdirSync(join(directory, 'audit'));
    await reload(server);
    await server.rpc('query_key', { key_type: 'mnemonic' }).catch(() => undefined);
    expect(readFileSync(file, 'utf8')).toMatch(/get_languages[^]*query_key/);
  });
});

describe('a certificate', () => {
  it('is read again on SIGHUP, and the former one stays in use while its file holds none', async () => {
    const { keyFile, certFile } = makeCertificate(directory);
    const args = [`--rpc-ssl-private-key=${keyFile}`, `--rpc-ssl-certificate=${certFile}`];
    server = await startWalletProcess({ args });
    const inFile = (): Buffer => new X509Certificate(readFileSync(certFile)).raw;
    const former = inFile();
    writeFileSync(certFile, 'no certificate');
    await reload(server);
    expect(await certificateAt(server.port)).toEqual(former);
    makeCertificate(directory);
    expect(inFile()).not.toEqual(former);
    await reload(server);
    expect(await certificateAt(server.port)).toEqual(inFile());
  });
});

describeAtNight('the CA certificates of clients', () => {
  let first: Certificate;
  let second: Certificate;
  let caFile = '';
  let port = 0;
  let running: RunningProcess | undefined;
  afterEach(async () => {
    if (running !== undefined) await stop(running);
    running = undefined;
  });

  /** Starts a server whose clients need a certificate of the first CA. */
  async function startForClients(args: readonly string[] = []): Promise<RunningProcess> {
    [first, second] = ['first', 'second'].map((name) => {
      mkdirSync(join(directory, name));
      return makeCertificate(join(directory, name));
    }) as [Certificate, Certificate];
    caFile = join(directory, 'ca.pem');
    writeFileSync(caFile, readFileSync(first.certFile));
    port = await freePort();
    running = start(process.execPath, [
      ...[MAIN, `--wallet-dir=${directory}`, `--rpc-bind-port=${port}`, '--offline', '--disable-rpc-login'],
      ...[`--rpc-ssl-ca-certificates=${caFile}`, ...args],
    ]);
    await logged(running, 'Starting wallet RPC server');
    return running;
  }

  /** Asks with a certificate. @returns true if the server answers. */
  const isServed = ({ certFile, keyFile }: Certificate): Promise<boolean> =>
    new Promise((resolve) => {
      const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
      const options = { port, host: '127.0.0.1', cert, key, rejectUnauthorized: false, agent: false };
      const sent = request({ ...options, method: 'POST', path: '/json_rpc' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      });
      sent.on('error', () => resolve(false));
      sent.end('{"jsonrpc":"2.0","id":"0","method":"get_version"}');
    });

  it.each(
    someRows([
      ['before the first connection', false, false],
      ['after connections', true, false],
      ['beside a certificate of the server', true, true],
    ]),
  )('are read again on SIGHUP %s', async (_, isAsked, hasCertificate) => {
    mkdirSync(join(directory, 'own'));
    const { certFile, keyFile } = makeCertificate(join(directory, 'own'));
    const files = [`--rpc-ssl-certificate=${certFile}`, `--rpc-ssl-private-key=${keyFile}`];
    const to = { process: await startForClients(hasCertificate ? files : []) };
    if (isAsked) expect([await isServed(first), await isServed(second)]).toEqual([true, false]);
    writeFileSync(caFile, readFileSync(second.certFile));
    await reload(to);
    expect([await isServed(first), await isServed(second)]).toEqual([false, true]);
    writeFileSync(caFile, readFileSync(second.certFile, 'utf8') + readFileSync(first.certFile, 'utf8'));
    await reload(to);
    expect([await isServed(first), await isServed(second)]).toEqual([true, true]);
  });

  itAtNight(
    'stay in use, with a warning, while their file has none, a part of one, or cannot be read',
    async () => {
      const to = { process: await startForClients() };
      const cert = readFileSync(first.certFile);
      const bad: readonly (Buffer | string | undefined)[] = [
        ...['', 'garbage', cert.subarray(0, cert.length / 2)],
        ...[Buffer.concat([cert, cert.subarray(0, -20)]), readFileSync(first.keyFile), undefined],
      ];
      for (const [i, content] of bad.entries()) {
        if (content === undefined) rmSync(caFile);
        else writeFileSync(caFile, content);
        await reload(to);
        expect([await isServed(first), await isServed(second)]).toEqual([true, false]);
        const warning = ` W TLS certificates stay as they were: --rpc-ssl-ca-certificates: ${caFile} `;
        expect(to.process.output().split(warning)).toHaveLength(i + 2);
      }
    },
  );
});
