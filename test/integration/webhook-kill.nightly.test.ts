import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';

/** Kills of the server during deliveries; 200 take about a quarter of an hour. */
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? '4');
const BLOCKS_PER_KILL = 4;

let root: string;
let daemon: Monerod;
let receiver: WebhookReceiver;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'webhooks-'));
  daemon = await startRegtestDaemon();
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver?.stop();
  await daemon?.stop();
  rmSync(root, { recursive: true, force: true });
});

const start = (): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: daemon.address,
    walletDir: root,
    args: ['--webhook-allow-private', '--confirmations=1,3'],
  });

const shopOf = (server: WalletRpc): WalletCalls => walletCalls(server.port, 'shop');

it(
  'delivers every event through kills, none first after a later one was acknowledged, and all signed',
  async () => {
    const rng = seededRng('webhook kills');
    let server = await start();
    await shopOf(server).rpc('create_wallet', { password: '', language: 'English' });
    const address = (await shopOf(server).rpc('get_address')).address as string;
    const { id, secret } = await shopOf(server).rpc('add_webhook', { url: receiver.url });

    const webhook = new Webhook(secret as string);
    /** Events in the order of their first arrival. */
    const events = new Map<number, Loose>();
    const faults: unknown[] = [];
    let untilKill = Infinity;
    receiver.answer = (response, { body, headers }) => {
      const eventId = Number(headers['webhook-id']);
      try {
        const event = webhook.verify(body, headers as Record<string, string>);
        if (!events.has(eventId)) events.set(eventId, event);
      } catch (error) {
        faults.push(error);
      }
      untilKill -= 1;
      const kills = untilKill === 0;
      // The server is killed before, while or after it reads the acknowledgement.
      if (kills && eventId % 3 === 0) server.process.child.kill('SIGKILL');
      response.writeHead(204).end();
      if (kills && eventId % 3 === 1) server.process.child.kill('SIGKILL');
      else if (kills) void killMoment(eventId % 7).then(() => server.process.child.kill('SIGKILL'));
    };

    for (let kill = 0; kill < KILLS; kill++) {
      // Set before the blocks are mined: a server that follows the chain delivers before it is asked to refresh.
      untilKill = 1 + ((rng(1)[0] ?? 0) % (2 * BLOCKS_PER_KILL));
      await daemon.generate(address, BLOCKS_PER_KILL);
      // The server may be killed before it answers.
      await shopOf(server)
        .rpc('refresh')
        .catch(() => undefined);
      await server.process.exited;
      server = await start();
      await shopOf(server).rpc('open_wallet', { password: '' });
    }
    untilKill = Infinity;
    await shopOf(server).rpc('refresh');
    await until('all events to be delivered', async () => {
      const { webhooks } = await shopOf(server).rpc('list_webhooks');
      const [{ backlog, pending }] = webhooks as [Loose];
      return backlog === 0 && pending === 0;
    });
    await shopOf(server).rpc('remove_webhook', { id });
    await server.stop({ keep: true });

    expect(faults).toEqual([]);
    const ids = [...events.keys()];
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const heightsOf = (type: string, confirmations?: number): number[] =>
      [...events.values()]
        .filter(
          (event) =>
            event.type === type &&
            (confirmations === undefined || event.data.confirmations === confirmations),
        )
        .map(({ data }) => data.height as number);
    const tip = KILLS * BLOCKS_PER_KILL;
    const heights = (last: number): number[] => Array.from({ length: Math.max(0, last) }, (_, i) => i + 1);
    expect(heightsOf('payment.mined').sort((a, b) => a - b)).toEqual(heights(tip));
    expect(heightsOf('payment.confirmed', 1).sort((a, b) => a - b)).toEqual(heights(tip));
    expect(heightsOf('payment.confirmed', 3).sort((a, b) => a - b)).toEqual(heights(tip - 2));
  },
  60_000 + KILLS * 15_000,
);
