import { execFile } from 'node:child_process';
import type { Logger } from 'pino';

/** States of a service that `systemctl start` and `systemctl status` use. Source: sd_notify(3). */
const ASSIGNMENTS = { ready: 'READY=1', stopping: 'STOPPING=1' } as const;

/** Longest time for a notification [ms]. */
const TIMEOUT_MS = 5_000;

/**
 * Notifies systemd of the state of this process, if a unit with `Type=notify` started it. Runs the program
 * `systemd-notify`, since Node.js cannot send datagrams on Unix sockets: the unit needs `NotifyAccess=all`. Logs a
 * failure.
 */
export function notifyServiceManager(
  state: keyof typeof ASSIGNMENTS,
  log: Pick<Logger, 'warn'>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (env['NOTIFY_SOCKET'] === undefined) return Promise.resolve();
  const args = [`--pid=${process.pid}`, ASSIGNMENTS[state]];
  return new Promise((resolve) => {
    execFile('systemd-notify', args, { env, timeout: TIMEOUT_MS }, (error) => {
      if (error !== null)
        log.warn(
          { state, reason: error.message },
          'systemd could not be notified of the state of the server',
        );
      resolve();
    });
  });
}
