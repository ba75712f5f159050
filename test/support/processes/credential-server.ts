import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialFile } from './credential-file.js';
import { bearer, walletPath, type Loose, type Reply } from '../network/json-rpc.js';
import type { Monerod } from './monerod.js';
import { until } from '../fakes/until.js';
import { startRegtestDaemon } from './regtest-daemon.js';
import { startWalletProcess, type WalletRpc } from './wallet-rpc.js';

/** Atomic units of 1 XMR. */
const COIN = 1_000_000_000_000;

/** All families of methods. */
export const ALL = [
  ...['view', 'receive', 'spend', 'admin'],
  ...['payout_create', 'payout_approve', 'payout_send', 'payout_cancel'],
];

/** Path of the wallet that has money. */
export const shopPath = walletPath('shop');

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty if the answer is not JSON. */
  readonly reply: Reply;
}

export const bodyOf = (method: string, params: object) => ({ jsonrpc: '2.0', id: '0', method, params });

/**
 * Server with a file of credentials and an audit log, on a chain of its own. The credential `root` may do everything; the
 * wallet `shop` is open under its path and has money, and the wallet `payee` is current.
 */
export class CredentialServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  readonly #credentials = new CredentialFile(join(this.folder, 'credentials.json'));
  readonly file = this.#credentials.path;
  readonly auditFile = join(this.folder, 'audit.log');
  /** Tokens by the name of their credential. */
  readonly tokens = this.#credentials.tokens;
  #daemon: Monerod | undefined;
  #server: WalletRpc | undefined;
  #payee = '';
  readonly #args: readonly string[];

  /** @param args further flags of the server. */
  constructor(args: readonly string[] = []) {
    this.#args = args;
  }

  get server(): WalletRpc {
    if (this.#server === undefined) throw new Error('the server is not started');
    return this.#server;
  }

  /** Address of the wallet `payee`. */
  get payee(): string {
    return this.#payee;
  }

  /** Runs `wallet-rpc credential`. */
  readonly credential = this.#credentials.run;

  /** Adds a credential. */
  readonly add = this.#credentials.add;

  /** Sends a request. @param body absent: GET. */
  readonly send = async (token: string | undefined, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${this.server.port}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...bearer(token) },
    });
    const text = await response.text();
    const isJson = /^[[{]/.test(text);
    return {
      ...{ status: response.status, headers: response.headers, text },
      reply: isJson ? (JSON.parse(text) as Reply) : {},
    };
  };

  /** Makes a call under a credential. */
  readonly as = (name: string, method: string, params: object = {}, path = '/json_rpc'): Promise<Answer> =>
    this.send(this.tokens[name], path, bodyOf(method, params));

  /** Makes a call that must succeed. */
  readonly ask = async (
    name: string,
    method: string,
    params: object = {},
    path = '/json_rpc',
  ): Promise<Loose> => {
    const { reply, text } = await this.as(name, method, params, path);
    if (reply.result === undefined) throw new Error(`${method}: ${text}`);
    return reply.result;
  };

  /** Parameters of a payment to the wallet `payee`. */
  readonly pay = (coins: number, more: object = {}) => ({
    ...{ destinations: [{ amount: Math.round(coins * COIN), address: this.payee }] },
    ...more,
  });

  /** Records of the audit log. */
  readonly audit = (): Loose[] =>
    readFileSync(this.auditFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose);

  /** Starts daemon and server, and mines to the wallet `shop`. @param others adds further credentials. */
  async start(others: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const daemon = await startRegtestDaemon();
    this.#daemon = daemon;
    await this.add('root', { wallet: '*', method: ALL });
    await others();
    await this.#launch();
    await this.ask('root', 'create_wallet', { filename: 'payee', password: '', language: 'English' });
    this.#payee = (await this.ask('root', 'get_address')).address as string;
    await this.ask('root', 'create_wallet', { password: 's', language: 'English' }, shopPath);
    const { address } = await this.ask('root', 'get_address', {}, shopPath);
    await daemon.generate(address as string, 140);
    await this.ask('root', 'refresh', {}, shopPath);
  }

  async #launch(walletDir?: string): Promise<void> {
    this.#server = await startWalletProcess({
      daemon: this.#daemon?.address ?? '',
      ...(walletDir === undefined ? {} : { walletDir }),
      args: [
        ...[`--credentials=${this.file}`, `--audit-log=${this.auditFile}`],
        '--rpc-max-connections-per-private-ip=100',
        ...this.#args,
      ],
    });
  }

  /** Kills the server and starts it again, with the wallet `shop` open. */
  readonly restart = async (): Promise<void> => {
    const { walletDir } = this.server;
    await this.server.stop({ signal: 'SIGKILL', keep: true });
    await this.#launch(walletDir);
    await this.ask('root', 'open_wallet', { password: 's' }, shopPath);
    await this.ask('root', 'refresh', {}, shopPath);
  };

  /** Has the server read its file again. */
  readonly reload = async (): Promise<void> => {
    const { process } = this.server;
    const before = process.output().length;
    process.child.kill('SIGHUP');
    const isDone = (): boolean => /Credentials (were read again|stay)/.test(process.output().slice(before));
    await until('the reload', () => isDone() || undefined);
  };

  /** Mines blocks to the wallet `shop`, which reads them. */
  readonly mine = async (blocks: number): Promise<void> => {
    const { address } = await this.ask('root', 'get_address', {}, shopPath);
    await this.#daemon?.generate(address as string, blocks);
    await this.ask('root', 'refresh', {}, shopPath);
  };

  async stop(): Promise<void> {
    await this.#server?.stop({ keep: false });
    await this.#daemon?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
