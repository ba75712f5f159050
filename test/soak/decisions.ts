/** Decision of a soak run, as its log has it. */
export interface Decision {
  /** Number of the round; 0 before the first one. */
  readonly round: number;
  /** Time since the start of the run [ms]. */
  readonly ms: number;
  /** Trouble, or part of the world, that it concerns. */
  readonly subject: string;
  readonly text: string;
}

/** Log of all decisions of a run. */
export class Decisions {
  readonly all: Decision[] = [];
  round = 0;
  readonly #started = performance.now();
  readonly #write: (line: string) => void;

  /** @param write gets each decision as a line of JSON. */
  constructor(write: (line: string) => void = () => undefined) {
    this.#write = write;
  }

  add(subject: string, text: string): void {
    const decision = {
      ...{ round: this.round, ms: Math.round(performance.now() - this.#started) },
      ...{ subject, text },
    };
    this.all.push(decision);
    this.#write(JSON.stringify(decision));
  }
}
