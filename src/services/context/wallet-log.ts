/** Logger for messages about one open wallet. */
export interface WalletLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Returns a logger that adds the wallet's name to each line. A child logger of pino is no substitute: it keeps the log
 * level of the time at which it was created.
 */
export const namedLog = (log: WalletLog, name: string): WalletLog => ({
  info: (fields, message) => log.info({ name, ...fields }, message),
  warn: (fields, message) => log.warn({ name, ...fields }, message),
  error: (fields, message) => log.error({ name, ...fields }, message),
});
