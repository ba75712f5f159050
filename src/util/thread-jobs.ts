import { parentPort, type TransferListItem } from 'node:worker_threads';

/** A function that a thread runs for other threads. */
export interface Job<In, Out> {
  run(input: In): Out | Promise<Out>;
  /** Secrets in an input, which the thread wipes once the job has ended. */
  secretsOf(input: In): readonly Uint8Array[];
  /** Bytes of a result that are moved to the caller instead of copied. */
  movedOf(result: Out): readonly Uint8Array[];
}

/** Jobs of a thread by name. */
export type Jobs = Readonly<Record<string, Job<never, unknown>>>;

export type InputOf<All extends Jobs, Name extends keyof All> = Parameters<All[Name]['run']>[0];
export type ResultOf<All extends Jobs, Name extends keyof All> = Awaited<ReturnType<All[Name]['run']>>;

/** End of the connection between a thread, or another process, and the caller of its jobs. */
export interface JobPort {
  on(event: 'message', listener: (call: JobCall) => void): unknown;
  postMessage(answer: unknown, transfer?: readonly TransferListItem[]): void;
}

/** Message to a thread. */
export interface JobCall {
  readonly job: string;
  readonly input: unknown;
}

/** Message from a thread: the result of a job, or the refusal of its input. */
export type JobAnswer<Refusal> = { readonly result: unknown } | { readonly refusal: Refusal };

const nothing = (): readonly Uint8Array[] => [];

export const job = <In, Out>(
  run: (input: In) => Out | Promise<Out>,
  {
    secretsOf = nothing,
    movedOf = nothing,
  }: {
    readonly secretsOf?: (input: In) => readonly Uint8Array[];
    readonly movedOf?: (result: Out) => readonly Uint8Array[];
  } = {},
): Job<In, Out> => ({ run, secretsOf, movedOf });

/** Returns the buffers of byte arrays, each of which has a buffer of its own. */
export const buffersOf = (moved: readonly Uint8Array[]): ArrayBuffer[] =>
  moved.map(({ buffer }) => buffer as ArrayBuffer);

/**
 * Answers the calls of a `ThreadClient` on this thread, in order. Does nothing on the main thread, where tests run the
 * jobs themselves.
 * @param refusalOf refusal for an error of a job; undefined for a bug, which ends the thread.
 * @param port connection to the caller; absent: that of a thread.
 */
export function answerCalls<Refusal = never>(
  jobs: Jobs,
  refusalOf: (error: unknown, job: string) => Refusal | undefined = () => undefined,
  port: JobPort | null = parentPort,
): void {
  port?.on('message', ({ job: name, input }: JobCall) => {
    const called = jobs[name];
    if (called === undefined) throw new Error(`a thread has no job ${name}`);
    void answer(port, called, input as never, (error) => refusalOf(error, name));
  });
}

async function answer(
  port: JobPort,
  { run, secretsOf, movedOf }: Job<never, unknown>,
  input: never,
  refusalOf: (error: unknown) => unknown,
): Promise<void> {
  try {
    const outcome = await outcomeOf(() => run(input), refusalOf);
    // The secrets are wiped after the result was copied, because the result may share bytes with the secrets.
    port.postMessage(outcome, 'result' in outcome ? buffersOf(movedOf(outcome.result)) : []);
  } finally {
    for (const secret of secretsOf(input)) secret.fill(0);
  }
}

async function outcomeOf(
  run: () => unknown,
  refusalOf: (error: unknown) => unknown,
): Promise<JobAnswer<unknown>> {
  try {
    return { result: await run() };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }
}
