import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/*
 * Preloaded into a server: reports the longest time for which its main thread ran no other work, since the last
 * report, to each client of the socket that LOOP_PROBE names: processor time and wall time [ms]. On a machine that does
 * other work, the processor time is that of the server.
 */

const socket = process.env['LOOP_PROBE'];
if (isMainThread && socket !== undefined) {
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = { cpu: cpuMs(), wall: performance.now() };
  let longest = { cpu: 0, wall: 0 };
  setInterval(() => {
    const now = { cpu: cpuMs(), wall: performance.now() };
    longest = {
      cpu: Math.max(longest.cpu, now.cpu - last.cpu),
      wall: Math.max(longest.wall, now.wall - last.wall),
    };
    last = now;
  }, 1).unref();
  createServer((client) => {
    client.end(JSON.stringify(longest));
    longest = { cpu: 0, wall: 0 };
  })
    .listen(socket)
    .unref();
}
