import { Writable } from 'node:stream';
import { pino, type Logger, type StreamEntry } from 'pino';

/** pino's level for the reference's 0 to 4. */
const LEVELS = ['info', 'info', 'debug', 'debug', 'trace'] as const;
const LETTER: Record<string, string> = { '10': 'T', '20': 'D', '30': 'I', '40': 'W', '50': 'E', '60': 'F' };

/** One line for a person: time, level letter, phrase, then the fields. */
export function humanLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const details = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  const stamp = new Date(Number(time)).toISOString().replace('T', ' ').replace('Z', '');
  return `${stamp} ${LETTER[String(level)] ?? '?'} ${String(msg ?? '')}${details.join('')}${stack === undefined ? '' : `\n${stack}`}\n`;
}

/** Logs to standard output for people and, if asked, to a file as JSON lines. Parameters and secrets are never fields. */
export function createLogger(level: number, file: string | undefined): Logger {
  const console = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      process.stdout.write(humanLine(String(chunk)));
      done();
    },
  });
  const threshold = LEVELS[level] ?? 'info';
  const streams: StreamEntry[] = [{ level: threshold, stream: console }];
  if (file !== undefined)
    streams.push({
      level: threshold,
      stream: pino.destination({ dest: file, append: true, mkdir: true, sync: true }),
    });
  return pino({ level: threshold, base: null }, pino.multistream(streams));
}
