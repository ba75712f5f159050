import { Coverage, UNGUIDED } from './coverage.js';
import { CurrentCaseWriter } from './current-case.js';
import { Fuzzer } from './fuzzer.js';
import { STOP, type Message, type Order } from './messages.js';

/*
 * Fuzzes one target in a process of its own: the main process survives when a case crashes it, exhausts its memory or
 * does not end. The coverage starts before the modules of the target are imported.
 */

/** Shortest time between two reports of progress [ms]. */
const REPORT_MS = 500;

/** Sends a message to the main process. @returns when it is written. */
const send = (message: Message): Promise<void> =>
  new Promise((resolve) => process.send?.(message, () => resolve()));

/** True once the main process has ended the run, which may be before it has begun. */
let isStopped = false;
let running: Fuzzer | undefined;

async function fuzz(order: Order): Promise<void> {
  const current = new CurrentCaseWriter(order.current);
  const coverage = order.guided ? new Coverage() : undefined;
  const { targetNamed } = await import('./targets.js');
  const target = await targetNamed(order.target);
  const parser = await target.prepare();
  let reported = performance.now();
  const fuzzer = new Fuzzer(target, parser, {
    ...order,
    forMs: order.forMs ?? Infinity,
    guide: coverage ?? UNGUIDED,
    onCase: (input, cases) => current.write(input, cases),
    onKept: (input) => void send({ kind: 'kept', input }),
    onFinding: (finding) => void send({ kind: 'finding', finding }),
    onProgress(progress) {
      if (performance.now() - reported < REPORT_MS) return;
      reported = performance.now();
      void send({ kind: 'progress', progress });
    },
  });
  running = fuzzer;
  if (isStopped) fuzzer.stop();
  await fuzzer.run();
  const found = await coverage?.during(target.modules, () => fuzzer.replay());
  await send({ kind: 'done', progress: fuzzer.progress, corpus: fuzzer.corpus.length, coverage: found });
  // Timers and sockets of a parser do not keep the process.
  process.exit();
}

// The main process decides when this one ends; a signal to the group reaches both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message !== STOP) return void fuzz(message as Order);
  isStopped = true;
  running?.stop();
});
