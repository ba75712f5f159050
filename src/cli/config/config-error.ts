/** Invalid setting; the message is shown on the terminal and quotes no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
