/** Rights of a client on the pages of the server, by the rules for its calls. */
export interface PageRights {
  /** Name of the login; `none` if the server requires no login. */
  readonly login: string;
  /** True if pages show the client balances and sums. */
  readonly seesBalances: boolean;
  /** True if the client may know of a target. @param target name of the target in paths. */
  reaches(target: string): boolean;
  /** True if the client may call a method. */
  allows(method: string): boolean;
}
