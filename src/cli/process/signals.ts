/** Signals on which a process stops in an orderly way. */
export const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGQUIT'];

/** Signal on which the process reads its files, and opens its logs, again. */
export const RELOAD_SIGNAL = 'SIGHUP';

/**
 * Signals without a meaning for this process that would end it, or make Node.js open the port of its debugger
 * (SIGUSR1). Node.js ignores SIGPIPE by itself. SIGPIPE must have no listener that logs: a line for a reader that is
 * gone sends the signal, whose line would send it again. Source: signal(7).
 */
const MEANINGLESS: readonly NodeJS.Signals[] = [
  ...(['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM'] as const),
  ...(process.platform === 'linux' ? (['SIGIO', 'SIGPWR'] as const) : []),
];

/** Ignores signals that would end the process. @param onIgnored called with each ignored signal. */
export function ignoreSignals(onIgnored: (signal: NodeJS.Signals) => void): void {
  for (const signal of MEANINGLESS) process.on(signal, onIgnored);
}

/**
 * Prevents Node.js from opening the port of its debugger on SIGUSR1, which would give the keys of wallets to any local
 * program.
 */
export const closeDebugger = (): void => void process.on('SIGUSR1', () => undefined);
