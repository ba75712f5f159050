/** Program that a server host runs. */
export type HostedProgram = 'wallet' | 'regtest';

/** Starts a program under a number, or ends the program with a number as SIGTERM does. */
export type HostRequest =
  | { readonly id: number; readonly program: HostedProgram; readonly args: readonly string[] }
  | { readonly id: number };

/** News of a program: text that it has written, or its exit code. */
export type HostMessage =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly code: number };
