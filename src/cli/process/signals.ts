/** Signals that end a process in an orderly way. */
export const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGQUIT'];

/** Signal on which files are opened and read again. */
export const RELOAD_SIGNAL = 'SIGHUP';

/**
 * Signals that would end a process, or have Node.js open the port of its debugger (SIGUSR1), and that mean nothing to
 * this one. Source: signal(7).
 */
const MEANINGLESS: readonly NodeJS.Signals[] = [
  ...(['SIGUSR1', 'SIGUSR2', 'SIGPIPE', 'SIGALRM', 'SIGVTALRM'] as const),
  ...(process.platform === 'linux' ? (['SIGIO', 'SIGPWR'] as const) : []),
];

/** Ignores signals that would end the process. @param onIgnored is called with each. */
export function ignoreSignals(onIgnored: (signal: NodeJS.Signals) => void): void {
  for (const signal of MEANINGLESS) process.on(signal, onIgnored);
}

/** Keeps Node.js from opening the port of its debugger on SIGUSR1: it gives the keys of wallets to any local program. */
export const closeDebugger = (): void => void process.on('SIGUSR1', () => undefined);
