/**
 * Things that must not outlive this process: members that are left when it exits are ended. The process has a listener only
 * while there are members, since Jest loads this module anew for each file of tests, in the same process.
 */
export class EndedAtExit<T> {
  readonly #members = new Set<T>();
  readonly #endAll: () => void;

  /** @param end ends a member, without waiting for anything. */
  constructor(end: (member: T) => void) {
    this.#endAll = () => this.#members.forEach(end);
  }

  add(member: T): void {
    if (this.#members.size === 0) process.on('exit', this.#endAll);
    this.#members.add(member);
  }

  /** Removes a member, which has ended. @returns false if it was none. */
  delete(member: T): boolean {
    const wasMember = this.#members.delete(member);
    if (this.#members.size === 0) process.off('exit', this.#endAll);
    return wasMember;
  }
}
