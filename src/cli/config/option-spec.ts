/** Definition of one flag, from which the README's table, the config file, the environment and `--help` are made. */
export interface OptionSpec {
  readonly name: string;
  /** Placeholder of the value in the help; absent for a switch. */
  readonly argument?: string;
  readonly group: OptionGroup;
  readonly help: string;
  readonly default?: string;
  /** True: the option may be repeated, and its values are collected. */
  readonly repeatable?: true;
  /** True: the option is accepted only because launchers of the reference pass it; a warning at the start names it. */
  readonly noEffect?: true;
  /** True: the value is a secret, which the process list would show if it were on the command line. */
  readonly secret?: true;
}

export type OptionGroup =
  | 'Wallets'
  | 'Server'
  | 'TLS of the server'
  | 'Watch'
  | 'Pay pages'
  | 'Cluster'
  | 'Daemon'
  | 'Chain'
  | 'Network'
  | 'Logging and process';

/** Raw settings by flag name: true for a switch, a list for a repeatable option, a text for any other one. */
export type RawOptions = Readonly<Record<string, string | true | readonly string[]>>;
