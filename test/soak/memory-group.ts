import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EndedAtExit } from '../support/processes/ended-at-exit.js';

/** Versions of control groups: directory of all groups, and the files of a group. Source: cgroups(7). */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    none: '-1',
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', usage: 'memory.current', none: 'max' },
] as const;

/** Groups that exist. They must not outlive this process. */
const made = new EndedAtExit<MemoryGroup>((group) => group.remove());

/** Control group that limits the memory of a process. It takes the rights of root. */
export class MemoryGroup {
  readonly #version: (typeof VERSIONS)[number];
  readonly #path: string;

  private constructor(version: (typeof VERSIONS)[number], path: string) {
    this.#version = version;
    this.#path = path;
    made.add(this);
  }

  /** Makes a group. @throws Error if this process may not make one. */
  static make(name: string): MemoryGroup {
    let last: unknown = new Error('there are no control groups');
    for (const version of VERSIONS) {
      if (!existsSync(version.root)) continue;
      const path = join(version.root, name);
      try {
        mkdirSync(path);
        const group = new MemoryGroup(version, path);
        if (existsSync(join(path, version.limit))) return group;
        group.remove();
        last = new Error(`${version.root} has no groups for memory`);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  /** Takes a process in, which may have ended. @param spare bytes that it may take beyond those that it has. */
  limit(pid: number, spare: number): void {
    move(pid, this.#path);
    // Memory from before is counted elsewhere.
    const used = Number(readFileSync(join(this.#path, this.#version.usage), 'utf8'));
    writeFileSync(join(this.#path, this.#version.limit), `${used + spare}`);
  }

  /** Ends the limit of a process, which may have ended. */
  release(pid: number): void {
    writeFileSync(join(this.#path, this.#version.limit), this.#version.none);
    move(pid, this.#version.root);
  }

  /** Removes the group. One whose process has just been killed stays. */
  remove(): void {
    made.delete(this);
    try {
      rmdirSync(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    }
  }
}

/** Moves a process into a group, unless it has ended. */
function move(pid: number, group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), `${pid}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
