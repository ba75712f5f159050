import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pino, type Logger, type StreamEntry } from 'pino';
import { pinoLevel } from '../../services/manager/log-control.js';
import { LineFile, printable, printableLines } from '../../util/line-file.js';
import { makeDirectory, fileErrorCode } from '../../util/files.js';
import { currentTrace } from '../../util/trace.js';
import { ConfigError } from '../config/config-values.js';

/** Output stream of a terminal. */
export type TerminalOutput = Pick<NodeJS.WriteStream, 'write'> & { readonly columns?: number };

/** Moves to the start of the line and erases it. Source: ECMA-48, EL. */
const CLEAR = '\r\u001b[K';

/** Assumed width of a terminal that reports none or 0 [columns]. */
const DEFAULT_COLUMNS = 80;

/** Last line of a terminal, which changes in place; all other text is written above it. */
export class StatusLine {
  readonly #out: TerminalOutput;
  #line = '';

  constructor(out: TerminalOutput) {
    this.#out = out;
  }

  /** Writes complete lines above the last line. */
  print(lines: string): void {
    this.#out.write(this.#line === '' ? lines : `${CLEAR}${lines}${this.#line}`);
  }

  /** Replaces the last line. @param text empty: removes the line. */
  show(text: string): void {
    // A line longer than the terminal would wrap, and could not be erased.
    const line = text.slice(0, (this.#out.columns || DEFAULT_COLUMNS) - 1);
    if (line === this.#line) return;
    this.#line = line;
    this.#out.write(`${CLEAR}${line}`);
  }
}

/** A logger, with its file if it has one. */
export interface Log {
  readonly log: Logger;
  /**
   * Opens the file again by its path, after the file was renamed. Logs a failure, after which the open file is still
   * used.
   */
  reopen(): void;
}

const LETTER: Record<string, string> = { '10': 'T', '20': 'D', '30': 'I', '40': 'W', '50': 'E', '60': 'F' };

/** Formats a JSON log record for a terminal: time, level letter, message, fields; the stack of an error follows. */
export function humanLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const details = Object.entries(fields).map(
    ([key, value]) =>
      ` ${printable(key)}=${printable(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  const stamp = new Date(Number(time)).toISOString().replace('T', ' ').replace('Z', '');
  const lines = stack === undefined ? [] : stack.split('\n').map((line) => `  ${printable(line)}\n`);
  return `${stamp} ${LETTER[String(level)] ?? '?'} ${printable(String(msg ?? ''))}${details.join('')}\n${lines.join('')}`;
}

/**
 * Creates a logger that writes text to standard output and, optionally, JSON lines to a file. Parameters of calls and
 * secrets are never fields.
 * @param categories log categories in the syntax of `set_log_categories`. @param print writes lines to standard output.
 * @throws ConfigError
 */
export function createLogger(
  categories: string,
  file: string | undefined,
  print: (lines: string) => void = (lines) => void process.stdout.write(lines),
): Log {
  const output = new SpacedOutput(print);
  const console = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      output.write(humanLine(String(chunk)));
      done();
    },
  });
  // The streams accept all levels: the level of the logger, which can change at run time, decides.
  const streams: StreamEntry[] = [{ level: 'trace', stream: console }];
  const lines = file === undefined ? undefined : openLogFile(file);
  if (lines !== undefined)
    streams.push({ level: 'trace', stream: { write: (line: string) => lines.append(printableLines(line)) } });
  // Lines of a call name the trace that its request belongs to.
  const mixin = (): object => {
    const trace = currentTrace();
    return trace === undefined ? {} : { traceparent: trace.traceparent };
  };
  const log = pino({ level: pinoLevel(categories), base: null, mixin }, pino.multistream(streams));
  return {
    log,
    reopen() {
      try {
        lines?.reopen();
      } catch (error) {
        log.error({ err: error }, 'the log file cannot be opened again: the one that is open stays in use');
      }
    },
  };
}

/**
 * Opens the log file. A line that cannot be written, because of a full disk for example, is no error of the process.
 */
function openLogFile(file: string): LineFile {
  try {
    makeDirectory(dirname(resolve(file)));
    return new LineFile(file);
  } catch (cause) {
    throw new ConfigError(`--log-file: ${file} cannot be written (${fileErrorCode(cause)})`, { cause });
  }
}

/**
 * Pause between a line `Binding on` and the next line [ms]. Launchers parse the address in the chunk of standard output
 * with this line, up to the last space and colon of the chunk, so no other line may be in that chunk.
 */
const APART_MS = 100;

/** The log line that launchers parse. */
const BOUND = /^\S+ \S+ I Binding on /;

/**
 * Writes log lines in order. After a line `Binding on` it holds the next lines back for a time, without blocking the
 * program.
 */
export class SpacedOutput {
  readonly #print: (lines: string) => void;
  readonly #held: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #flush = (): void => this.flush();

  /** @param print writes lines without delay. */
  constructor(print: (lines: string) => void) {
    this.#print = print;
  }

  /** Writes one log line, or an error with its stack. */
  write(lines: string): void {
    if (this.#timer !== undefined) return void this.#held.push(lines);
    this.#print(lines);
    if (BOUND.test(lines)) this.#hold();
  }

  /** Writes the held lines at once; to be called before the process exits. */
  flush(): void {
    this.#release();
    for (const lines of this.#held.splice(0)) this.#print(lines);
  }

  #hold(): void {
    this.#timer = setTimeout(() => {
      this.#release();
      for (const lines of this.#held.splice(0)) this.write(lines);
    }, APART_MS).unref();
    process.once('exit', this.#flush);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.removeListener('exit', this.#flush);
  }
}
