/** Values of one fact that a restarted wallet may show. */
interface Fact {
  acknowledged: string | undefined;
  /** Values of calls that were sent and not answered. */
  readonly sent: string[];
}

/** A fact that the wallet shows otherwise than it may. */
export interface Loss {
  readonly fact: string;
  /** Undefined: absent. */
  readonly shown: string | undefined;
  readonly allowed: readonly (string | undefined)[];
}

/**
 * Facts that a wallet acknowledged, such as the label of an address. A call makes its value possible when it is
 * sent and certain when it is answered. No two calls under way may concern one fact.
 */
export class Facts {
  readonly #facts = new Map<string, Fact>();

  /** Number of facts that were acknowledged. */
  get size(): number {
    return [...this.#facts.values()].filter(({ acknowledged }) => acknowledged !== undefined).length;
  }

  send(name: string, value: string): void {
    const fact = this.#facts.get(name) ?? { acknowledged: undefined, sent: [] };
    fact.sent.push(value);
    this.#facts.set(name, fact);
  }

  acknowledge(name: string, value: string): void {
    this.#facts.set(name, { acknowledged: value, sent: [] });
  }

  /** Forgets a value that the wallet refused with an answer. */
  refuse(name: string): void {
    const fact = this.#facts.get(name);
    if (fact !== undefined) fact.sent.length = 0;
  }

  /** Names of acknowledged facts of one kind. */
  names(prefix: string): string[] {
    return [...this.#facts]
      .filter(([name, { acknowledged }]) => name.startsWith(prefix) && acknowledged !== undefined)
      .map(([name]) => name);
  }

  /** Names of facts of one kind, acknowledged or sent. */
  allNames(prefix: string): string[] {
    return [...this.#facts.keys()].filter((name) => name.startsWith(prefix));
  }

  acknowledged(name: string): string | undefined {
    return this.#facts.get(name)?.acknowledged;
  }

  /**
   * Compares the facts with a restarted wallet, and takes the values shown as the acknowledged ones.
   * @param shown value by fact; facts it lacks are absent from the wallet.
   */
  check(shown: ReadonlyMap<string, string>): Loss[] {
    const losses: Loss[] = [];
    for (const [name, fact] of this.#facts) {
      const allowed = [fact.acknowledged, ...fact.sent];
      const value = shown.get(name);
      if (!allowed.includes(value)) losses.push({ fact: name, shown: value, allowed });
      fact.acknowledged = value;
      fact.sent.length = 0;
    }
    return losses;
  }
}
