/** Message in an event stream. */
export interface ServerSentEvent {
  /** Id of the latest message that had an id; empty if none had. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/**
 * Parses server-sent events from text that arrives in parts of any length. A message is complete once its empty line
 * has arrived; a message that breaks off is never reported. Source: HTML standard, section 9.2.6.
 */
export class EventStreamParser {
  /** Parts of the line that is not complete yet. They are joined once: a line may arrive in any number of parts. */
  #rest: string[] = [];
  /** True if the last part ended with a carriage return, which may be the first half of a line end. */
  #returned = false;
  #id = '';
  #type = '';
  #data: string[] = [];

  /** Parses the next part of the text. @returns messages that are complete with this part. */
  write(part: string): ServerSentEvent[] {
    if (part === '') return [];
    const text = this.#returned ? `\r${part}` : part;
    this.#returned = text.endsWith('\r');
    const [first = '', ...others] = (this.#returned ? text.slice(0, -1) : text).split(/\r\n|\n|\r/);
    this.#rest.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#rest.join(''), ...others];
    this.#rest = [last];
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerSentEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    // A line that begins with a colon is a comment, which the server sends to keep the connection open.
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }

  #dispatch(): ServerSentEvent[] {
    const [type, data] = [this.#type, this.#data];
    this.#type = '';
    this.#data = [];
    return data.length === 0 ? [] : [{ id: this.#id, type, data: data.join('\n') }];
  }
}
