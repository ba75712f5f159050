import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HostedProgram, HostMessage, HostRequest } from '../checked/host-messages.js';

/*
 * Process that runs servers for the tests of this Jest worker. The files of a Jest worker share this module
 * (`shared-modules-runtime.ts`), and so the process.
 */

const HOST = fileURLToPath(new URL('../../../checked/server-host.js', import.meta.url));

/** Keeps young objects of many servers longer: they are collected less often. */
const FLAGS = ['--max-semi-space-size=64'];

/** Server that runs in the host. */
export interface Hosted {
  /** Returns its text so far. */
  output(): string;
  /** Settles when it has ended. @returns its exit code. */
  readonly exited: Promise<number>;
  /** Ends it as SIGTERM does. */
  end(): void;
}

interface Program {
  text: string;
  readonly ended: (code: number) => void;
}

let host: ChildProcess | undefined;
let number = 0;
const programs = new Map<number, Program>();

function started(): ChildProcess {
  if (host?.connected === true) return host;
  const child = fork(HOST, { execArgv: FLAGS, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.on('message', (message: HostMessage) => {
    const program = programs.get(message.id);
    if (program === undefined) return;
    if ('text' in message) program.text = (program.text + message.text).slice(-200_000);
    else {
      programs.delete(message.id);
      program.ended(message.code);
    }
  });
  child.once('exit', () => {
    if (host === child) host = undefined;
    for (const program of programs.values()) program.ended(-1);
    programs.clear();
  });
  // The Jest worker ends when nothing else is left to do, and the host with it.
  child.unref();
  child.channel?.unref();
  return (host = child);
}

/** Starts a program in the host. */
export function startHosted(program: HostedProgram, args: readonly string[]): Hosted {
  const id = ++number;
  const { promise: exited, resolve: ended } = Promise.withResolvers<number>();
  const state: Program = { text: '', ended };
  const ask = (request: HostRequest): void => void started().send(request);
  programs.set(id, state);
  ask({ id, program, args });
  return {
    output: () => state.text,
    exited,
    end: () => {
      if (programs.has(id)) ask({ id });
    },
  };
}
