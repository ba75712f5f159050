/** Client of a request. */
export interface Caller {
  /** IP address of its connection. */
  readonly address: string;
  /** Absent: the server requires no login. */
  readonly login?: Login;
}

/** Login that a request presented, with the right secret. */
export interface Login {
  readonly name: string;
  /** Returns the reason for which a client may not use it now; undefined if it may. */
  refusalFrom(ip: string): { readonly status: number; readonly reason: string } | undefined;
}

/** Logins that a server accepts. */
export interface Logins {
  /** HTTP digest. @returns HA1 in hex with the login. */
  byUser(user: string): { readonly ha1: string; readonly login: Login } | undefined;
  /** Absent: bearer tokens are not accepted. */
  byToken?(token: string): Login | undefined;
}
