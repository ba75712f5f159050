import { isIP } from 'node:net';
import { CodecError } from '../../util/codec.js';
import type { Rng } from '../../util/random.js';
import { askTcp, askUdp, type Nameserver, type Question } from './exchange.js';
import { textsOf, writeQuery, type DnsAnswer, parseName, type DnsName } from './message.js';

/** Error if no resolver gave a usable answer. */
export class DnsError extends Error {
  override readonly name = 'DnsError';
}

/** Result of a lookup of TXT records. */
export interface TextRecords {
  /** TXT records of the name; empty if the name has no TXT records, or does not exist. */
  readonly texts: readonly string[];
  /**
   * True if the resolver reports that DNSSEC validated the texts. The resolver and the connection to it must be
   * trusted.
   */
  readonly authenticated: boolean;
}

export interface ResolverOptions {
  /** Resolvers in the order in which they are asked. */
  readonly servers: readonly Nameserver[];
  readonly rng: Rng;
  /** Longest time for one question to one resolver [ms]. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 3000;
/** Number of times that each resolver is asked, since a datagram may get lost. */
const ROUNDS = 2;
const MAX_SERVERS = 3;
const PORT = 53;
const NO_SUCH_NAME = 3;

/** Parses the address of a resolver: `ip`, `ip:port` or `[ip]:port`. @throws RangeError */
export function parseNameserver(text: string): Nameserver {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const ip = bracketed ?? plain ?? text;
  const port = digits === undefined ? PORT : Number(digits);
  // Removes the zone of a link-local address, which follows a percent sign.
  if (isIP(ip.replace(/%.+$/, '')) === 0 || port < 1 || port > 65535)
    throw new RangeError('a resolver is an IP address, optionally followed by a colon and a port');
  return { ip, port };
}

/** Asks resolvers for TXT records. The resolvers validate DNSSEC signatures; this class returns their result. */
export class Resolver {
  readonly #servers: readonly Nameserver[];
  readonly #rng: Rng;
  readonly #timeoutMs: number;

  constructor({ servers, rng, timeoutMs = TIMEOUT_MS }: ResolverOptions) {
    this.#servers = servers.slice(0, MAX_SERVERS);
    this.#rng = rng;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Looks up the TXT records of a host name.
   * @throws CodecError for a text that is not a host name; DnsError if no resolver gives a usable answer.
   */
  async texts(host: string): Promise<TextRecords> {
    const name = parseName(host);
    let last: unknown;
    for (let round = 0; round < ROUNDS; round++)
      for (const server of this.#servers) {
        try {
          const answer = await this.#ask(server, name);
          if (answer.rcode === NO_SUCH_NAME) return { texts: [], authenticated: answer.authenticated };
          if (answer.rcode !== 0) throw new CodecError(`the resolver failed with code ${answer.rcode}`);
          return { texts: textsOf(name, answer.records), authenticated: answer.authenticated };
        } catch (error) {
          last = error;
        }
      }
    throw new DnsError(last instanceof Error ? last.message : 'no resolver is set', { cause: last });
  }

  async #ask(server: Nameserver, name: DnsName): Promise<DnsAnswer> {
    const answer = await askUdp(server, this.#question(name));
    return answer.truncated ? askTcp(server, this.#question(name)) : answer;
  }

  #question(name: DnsName): Question {
    const [high = 0, low = 0] = this.#rng(2);
    const id = (high << 8) | low;
    return { id, name, message: writeQuery(id, name), timeoutMs: this.#timeoutMs };
  }
}
