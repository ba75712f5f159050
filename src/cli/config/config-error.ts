/** Error of an invalid setting. The message is shown on the terminal, and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
