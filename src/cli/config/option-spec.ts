/** One flag. The README's table, the config file, the environment and `--help` all follow from these. */
export interface OptionSpec {
  readonly name: string;
  /** Placeholder of the value in the help; absent for a switch. */
  readonly argument?: string;
  readonly group: OptionGroup;
  readonly help: string;
  readonly default?: string;
  /** The option may be repeated; its values are collected. */
  readonly repeatable?: true;
  /** Accepted for the reference's launchers only; a warning at start-up names it. */
  readonly noEffect?: true;
  /** Unsuitable for the command line of a production server: the process list shows it. */
  readonly secret?: true;
}

export type OptionGroup =
  | 'Wallets'
  | 'Server'
  | 'TLS of the server'
  | 'Watch'
  | 'Daemon'
  | 'Chain'
  | 'Network'
  | 'Logging and process';

/** Raw settings by flag name; switches are true, repeatable options lists. */
export type RawOptions = Readonly<Record<string, string | true | readonly string[]>>;
