/** Values of one fact that are allowed after a restart. */
interface Fact {
  acknowledged: string | undefined;
  /** Values of unanswered calls. */
  readonly sent: string[];
}

/** Fact with a value that is not allowed. */
export interface Loss {
  readonly fact: string;
  /** Undefined: absent. */
  readonly shown: string | undefined;
  readonly allowed: readonly (string | undefined)[];
}

/**
 * Acknowledged facts of a wallet, such as the label of an address. The value of a call is possible once the call is
 * sent, and certain once it is answered. Concurrent calls must not concern the same fact.
 */
export class Facts {
  readonly #facts = new Map<string, Fact>();

  /** Number of acknowledged facts. */
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

  /** Removes the value of a refused call. */
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

  /** True while an unanswered call may have changed a fact. */
  isUncertain(name: string): boolean {
    return (this.#facts.get(name)?.sent.length ?? 0) > 0;
  }

  /**
   * Compares the facts with a restarted wallet; its values then count as acknowledged.
   * @param shown value by fact; missing facts are absent from the wallet. @param isChecked false for facts to leave out.
   */
  check(shown: ReadonlyMap<string, string>, isChecked: (fact: string) => boolean = () => true): Loss[] {
    const losses: Loss[] = [];
    for (const [name, fact] of this.#facts) {
      if (!isChecked(name)) continue;
      const allowed = [fact.acknowledged, ...fact.sent];
      const value = shown.get(name);
      if (!allowed.includes(value)) losses.push({ fact: name, shown: value, allowed });
      fact.acknowledged = value;
      fact.sent.length = 0;
    }
    return losses;
  }
}
