import { HttpDaemon } from '../../daemon/http-daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { ConfigError, optional } from '../config/config-values.js';

/** Options of a daemon from which a command reads. */
export interface SourceOptions {
  readonly daemonAddress: string;
  readonly proxy?: string;
}

/** Runs a task with a daemon. @throws ConfigError for a daemon that cannot be used */
export async function withDaemon<T>(
  { daemonAddress: address, proxy }: SourceOptions,
  task: (daemon: HttpDaemon) => Promise<T>,
): Promise<T> {
  const ssl = {
    mode: 'autodetect',
    allowedFingerprints: [],
    allowChained: false,
    allowAnyCert: true,
  } as const;
  try {
    const daemon = new HttpDaemon({ address, ssl, ...optional('proxy', proxy) });
    try {
      return await task(daemon);
    } finally {
      daemon.close();
    }
  } catch (error) {
    if (error instanceof DaemonError) throw new ConfigError(`${address}: ${error.message}`, { cause: error });
    throw error;
  }
}
