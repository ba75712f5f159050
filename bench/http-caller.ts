import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { DigestLogin, type DigestCredentials } from '../src/util/http-digest.js';

/** Calls a wallet server over one kept connection, with a digest login that is sent ahead of its challenge. */
export class HttpCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #digest: DigestLogin;

  constructor(port: number, login: DigestCredentials) {
    this.#port = port;
    this.#digest = new DigestLogin(login);
  }

  /**
   * Calls a method, with a login if the server asks for one.
   * @returns the text of the answer. @throws Error for an answer that is an error.
   */
  async call(method: string, params: unknown = {}): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params });
    let answer = await this.#post(body);
    if (answer.statusCode === 401) {
      answer.resume();
      this.#digest.accept(answer.headersDistinct['www-authenticate'] ?? []);
      answer = await this.#post(body);
    }
    const received = await text(answer);
    if (answer.statusCode !== 200 || received.slice(0, 300).includes('"error"'))
      throw new Error(`${method}: ${answer.statusCode} ${received.slice(0, 300)}`);
    return received;
  }

  /** Calls a method, and measures its time. @returns the time of a call [ms]. */
  async time(method: string, params: unknown = {}): Promise<number> {
    const started = performance.now();
    await this.call(method, params);
    return performance.now() - started;
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(body: string): Promise<IncomingMessage> {
    const authorization = this.#digest.header('POST', '/json_rpc');
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ host: '127.0.0.1', port: this.#port, path: '/json_rpc', method: 'POST', agent: this.#agent },
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(authorization === undefined ? {} : { authorization }),
        },
      });
      sent.on('response', resolve).on('error', reject).end(body);
    });
  }
}
