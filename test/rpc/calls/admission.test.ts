import { afterEach, describe, expect, it } from '@jest/globals';
import { Credential, type CredentialRules } from '../../../src/rpc/access/credential.js';
import type { AuditLog, AuditRecord } from '../../../src/rpc/access/audit-log.js';
import type { Login } from '../../../src/http/message/caller.js';
import { Dispatcher, type DispatchedAnswer } from '../../../src/http/calls/dispatcher.js';
import { RequestTooLarge } from '../../../src/http/message/request-body.js';
import { auditedAdmission } from '../../../src/rpc/calls/audit.js';
import { admission } from '../../../src/rpc/calls/admission.js';
import { registry } from '../../../src/rpc/registry.js';
import type { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import { until } from '../../support/fakes/until.js';

/* Large requests of clients with limited rights. */

const MIB = 1024 * 1024;

const recorded: AuditRecord[] = [];
const log = { record: (record: AuditRecord) => recorded.push(record) } as unknown as AuditLog;
const settings = { restricted: false };
const server = { settings } as unknown as WalletManager;
const dispatcher = new Dispatcher({
  call: () => Promise.resolve({ ok: true }),
  onBug: (_method, error) => {
    throw error;
  },
  sizeOf: (method) => registry.find(method)?.requestSize ?? 'ordinary',
  admit: auditedAdmission(admission(server), log),
});

const credential = (
  name: string,
  methods: readonly string[],
  rules: Partial<CredentialRules> = {},
): Credential => new Credential({ name, methods, wallets: ['*'], ...rules });

/** Ends of the bodies that never end by themselves. */
const ends: (() => void)[] = [];
afterEach(() => {
  settings.restricted = false;
  for (const end of ends.splice(0)) end();
  recorded.length = 0;
});

/** A body whose client sends a part again and again. */
class Body {
  /** Bytes that were read. */
  read = 0;

  /**
   * Yields a request body in parts.
   * @param bytes of the body; then it waits for the end of the test. @param tail sent after all parts, without a wait.
   */
  async *parts(head: string, part: string, bytes: number, tail?: string): AsyncGenerator<Buffer> {
    yield Buffer.from(head);
    const chunk = Buffer.from(part.repeat(Math.ceil((32 * 1024) / part.length)));
    for (; this.read < bytes; this.read += chunk.length) yield chunk;
    if (tail === undefined) await new Promise<void>((resolve) => ends.push(resolve));
    yield Buffer.from(tail ?? '');
  }
}

const send = (login: Login, body: AsyncIterable<Uint8Array>): Promise<DispatchedAnswer | undefined> =>
  dispatcher.answer(body, { caller: { address: '127.0.0.1', login } });

const textOf = (answer: DispatchedAnswer | undefined): string =>
  Buffer.concat([...((answer?.body ?? []) as readonly Uint8Array[])]).toString();

describe('a large request of a credential', () => {
  it('is refused by its rights as soon as its method was read, and recorded', async () => {
    const body = new Body();
    const answer = await send(
      credential('clerk', ['view']),
      body.parts('{"method":"import_key_images","params":{"signed_key_images":[', '0,', 20 * MIB),
    );
    expect(textOf(answer)).toContain('credential clerk: method import_key_images is not allowed');
    expect(body.read).toBeLessThan(2 * MIB);
    expect(recorded).toEqual([
      { credential: 'clerk', client: '127.0.0.1', method: 'import_key_images', outcome: -60 },
    ]);
  });

  it('is refused before its method was read if none with such requests is allowed', async () => {
    const body = new Body();
    const answer = await send(
      credential('clerk', ['get_balance']),
      body.parts('{"params":[', '0,', 20 * MIB),
    );
    expect(textOf(answer)).toContain('methods with requests of this size are not allowed');
    expect(body.read).toBeLessThan(2 * MIB);
  });

  it('is refused by its rate before it is read to its end, and is not counted then', async () => {
    const slow = credential('slow', ['view', 'spend'], { rate: { requests: 1, seconds: 60 } });
    slow.rate?.take();
    const body = new Body();
    const answer = await send(slow, body.parts('{"method":"import_outputs","params":{"a":"', 'ab', 20 * MIB));
    expect([answer?.status, textOf(answer)]).toEqual([429, expect.stringContaining('more than 1 requests')]);
    expect(body.read).toBeLessThan(2 * MIB);
  });

  it('is refused once the credential was removed, while it is read', async () => {
    const gone = credential('gone', ['spend']);
    const body = new Body();
    async function* parts() {
      for await (const part of body.parts(
        '{"params":{"a":"',
        'ab',
        3 * MIB,
        '"},"method":"import_outputs"}',
      )) {
        if (body.read > 2 * MIB) gone.revoke();
        yield part;
      }
    }
    const answer = await send(gone, parts());
    expect([answer?.status, textOf(answer)]).toEqual([401, expect.stringContaining('changed or removed')]);
  });

  it('is refused in restricted mode as soon as its method was read, whatever the rights of its client are', async () => {
    settings.restricted = true;
    const body = new Body();
    const sent = body.parts('{"method":"import_outputs","params":{"a":"', 'ab', 20 * MIB);
    expect(textOf(await dispatcher.answer(sent, {}))).toContain('Command unavailable in restricted mode.');
    expect(body.read).toBeLessThan(2 * MIB);
  });

  it('leaves memory for those of other clients, however many bodies one client begins and does not end', async () => {
    const clerk = credential('clerk', ['view']);
    const unfinished = () => new Body().parts('{"params":[', '0,', 700_000);
    const outcomes = Array.from({ length: 6 }, () =>
      send(clerk, unfinished()).then(
        () => 'answered',
        (error: unknown) => (error instanceof RequestTooLarge ? error.status : String(error)),
      ),
    );
    const isRefused = Promise.all(outcomes.map((one) => one.then((outcome) => outcome === 503)));
    let refused = 0;
    for (const one of outcomes) void one.then((outcome) => (refused += outcome === 503 ? 1 : 0));
    await until('the refusals', () => refused >= 4);
    const large = () =>
      new Body().parts('{"method":"import_key_images","params":{"a":[', '0,', 700_000, '0]}}');
    const [payer, owner] = await Promise.all([
      send(credential('payer', ['spend']), large()),
      dispatcher.answer(large(), {}),
    ]);
    expect([payer, owner].map(textOf)).toEqual([
      '{"id":0,"jsonrpc":"2.0","result":{"ok":true}}',
      '{"id":0,"jsonrpc":"2.0","result":{"ok":true}}',
    ]);
    for (const end of ends.splice(0)) end();
    expect((await isRefused).filter(Boolean)).toHaveLength(4);
  });
});
