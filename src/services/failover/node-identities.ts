import type { DaemonCallReport } from '../../daemon/call-report.js';
import type { NodeIdentity } from '../../daemon/node-identity.js';
import type { DaemonList, NamedDaemon } from '../context/daemon-list.js';

interface IdentityParts {
  /** Returns the listed daemons. */
  readonly list: () => DaemonList;
  /** Called once for each pair of listed daemons that turns out to be one node. @param text sentence that names both. */
  readonly onSameNode: (text: string) => void;
}

/** Text of each identity that two addresses of one node share. */
const SHARED = {
  address: (value: string): string => `both are reached at ${value}`,
  certificate: (): string => 'both show the same TLS certificate',
} satisfies Record<keyof NodeIdentity, (value: string) => string>;

/** Parts of an identity, each of which is enough to recognise a node. */
const KINDS = ['address', 'certificate'] as const;

/** Number of latest identities of a daemon that are remembered: its name may lead to several machines. */
const MOST_IDENTITIES = 64;

/**
 * Recognises listed daemons that are one node at two addresses, by the connections on which their answers have come: those of the
 * refreshes, of the wallets and of the checks.
 */
export class NodeIdentities {
  readonly #parts: IdentityParts;
  /** Texts of the latest identities of each daemon that has answered, oldest first. */
  readonly #known = new WeakMap<NamedDaemon, Set<string>>();
  /** Texts of pairs that were reported. */
  readonly #reported = new Set<string>();

  constructor(parts: IdentityParts) {
    this.#parts = parts;
  }

  /** Records the node that answered a call. @param address address of the daemon, as configured. */
  note({ node }: DaemonCallReport, address: string): void {
    const { list, onSameNode } = this.#parts;
    const daemon = list().entries.find(({ config }) => config.address === address);
    if (node === undefined || daemon === undefined) return;
    const known = this.#known.get(daemon) ?? new Set();
    this.#known.set(daemon, known);
    const texts = KINDS.flatMap((kind) => (node[kind] === undefined ? [] : [`${kind} ${node[kind]}`]));
    const isNew = texts.some((text) => !known.has(text));
    for (const text of texts) {
      // The latest ones are at the end of the set.
      known.delete(text);
      known.add(text);
      const [oldest] = known;
      if (known.size > MOST_IDENTITIES && oldest !== undefined) known.delete(oldest);
    }
    if (!isNew) return;
    for (const text of this.pairs()) {
      if (this.#reported.has(text)) continue;
      this.#reported.add(text);
      onSameNode(text);
    }
  }

  /**
   * Counts the nodes behind daemons: the largest number of them of which no two are one node. A daemon that shares identities with
   * several others takes the vote of none of them away, so that no node can make other ones count less. Daemons without an
   * answer do not count.
   */
  count(daemons: readonly NamedDaemon[]): number {
    return this.#mostDistinct(daemons.filter((daemon) => this.#known.has(daemon)));
  }

  #mostDistinct(daemons: readonly NamedDaemon[]): number {
    const sharing = daemons.find((daemon) =>
      daemons.some((other) => this.#reason(daemon, other) !== undefined),
    );
    if (sharing === undefined) return daemons.length;
    const without = daemons.filter((daemon) => daemon !== sharing);
    const apart = without.filter((daemon) => this.#reason(daemon, sharing) === undefined);
    return Math.max(1 + this.#mostDistinct(apart), this.#mostDistinct(without));
  }

  /** Returns a sentence for each pair of listed daemons that are one node. */
  pairs(): string[] {
    const { entries } = this.#parts.list();
    return entries.flatMap((daemon, i) =>
      entries.slice(i + 1).flatMap((other) => {
        const reason = this.#reason(daemon, other);
        return reason === undefined ? [] : [`${daemon.name} and ${other.name} are one node: ${reason}`];
      }),
    );
  }

  /** Says with which other listed daemons a daemon is one node; undefined if with none. */
  twinsOf(daemon: NamedDaemon): string | undefined {
    const twins = this.#parts.list().entries.flatMap((other) => {
      const reason = this.#reason(daemon, other);
      return reason === undefined ? [] : [`one node with ${other.name}: ${reason}`];
    });
    return twins.length === 0 ? undefined : twins.join('; ');
  }

  /** Returns the reason why two daemons are one node; undefined if they are not, or one daemon was given twice. */
  #reason(daemon: NamedDaemon, other: NamedDaemon): string | undefined {
    if (daemon === other) return undefined;
    const known = this.#known.get(other);
    const shared = [...(this.#known.get(daemon) ?? [])].find((text) => known?.has(text));
    if (shared === undefined) return undefined;
    const kind = KINDS.find((one) => shared.startsWith(one)) ?? 'address';
    return SHARED[kind](shared.slice(kind.length + 1));
  }
}
