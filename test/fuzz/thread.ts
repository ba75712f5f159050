import { parentPort, workerData } from 'node:worker_threads';
import { Coverage } from './coverage.js';
import { Fuzzer } from './fuzzer.js';
import { CURRENT_HEAD, type Message, type Order } from './messages.js';

/*
 * Fuzzes one target in a thread of its own: the main thread can end it, and survives when its memory is exhausted. The
 * coverage starts before the modules of the target are imported.
 */
const order = workerData as Order;
const send = (message: Message): void => parentPort?.postMessage(message);
const head = new Int32Array(order.current, 0, 2);
const bytes = new Uint8Array(order.current, CURRENT_HEAD);

const coverage = new Coverage();
const { targetNamed } = await import('./targets.js');
const target = await targetNamed(order.target);
const parser = await target.prepare();
const fuzzer = new Fuzzer(target, parser, {
  ...order,
  forMs: order.forMs ?? Infinity,
  guide: coverage,
  onCase(input) {
    bytes.set(input.subarray(0, bytes.length));
    Atomics.store(head, 1, Math.min(input.length, bytes.length));
    Atomics.add(head, 0, 1);
  },
  onKept: (input) => send({ kind: 'kept', input }),
  onFinding: (finding) => send({ kind: 'finding', finding }),
});
const before = process.cpuUsage();
await fuzzer.run();
const { user, system } = process.cpuUsage(before);
const found = await coverage.during(target.modules, () => fuzzer.replay());
coverage.close();
send({
  kind: 'done',
  progress: fuzzer.progress,
  corpus: fuzzer.corpus.length,
  cpuMs: (user + system) / 1000,
  coverage: found,
});
// Timers and sockets of a parser do not keep the thread.
process.exit();
