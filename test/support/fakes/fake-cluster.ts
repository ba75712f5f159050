import type { Cluster, Quorum, LogContent } from '../../../src/cluster/cluster.js';
import {
  ClusterUnreachable,
  Fenced,
  MemberGone,
  NotReplicated,
  WalletKnown,
} from '../../../src/cluster/errors.js';
import type {
  CreateOptions,
  Departure,
  Lease,
  LossReason,
  Taken,
  WalletEntry,
} from '../../../src/cluster/lease.js';
import type { VirtualClock } from './virtual-clock.js';
import { collected } from '../values/collected.js';

interface FakeMember {
  readonly capacity: number;
  /** Time at which all its leases end [elapsed ms of the clock]. */
  expires: number;
}

interface Row {
  keysFile: Uint8Array;
  readonly isNew: boolean;
  epoch: bigint;
  holder: string | undefined;
  /** Process that has the wallet as long as it renews its leases; undefined: any process can take it. */
  process: FakeMember | undefined;
  departure?: Departure | undefined;
  base: { readonly sequence: number; readonly bytes: Uint8Array } | undefined;
  readonly frames: Map<number, Uint8Array>;
}

/** Time that a lease lasts without a renewal [ms]. */
export const FAKE_LEASE_MS = 4000;

/** Quorum that a test takes away. */
export class FakeQuorum implements Quorum {
  #isLost = false;
  readonly #listeners: (() => void)[] = [];

  get isLost(): boolean {
    return this.#isLost;
  }

  set isLost(isLost: boolean) {
    this.#isLost = isLost;
    for (const listener of this.#listeners) listener();
  }

  get silentMs(): number {
    return this.isLost ? 14_000 : 0;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}

/** Plain model of the database of a cluster, in the memory of the test; several members share it. */
export class FakeCluster {
  readonly rows = new Map<string, Row>();
  readonly members = new Map<string, FakeMember>();
  readonly quorum = new FakeQuorum();
  /** Failure of each write; undefined: writes succeed. */
  failing: 'unreachable' | 'no quorum' | undefined;
  /** Is awaited after the parts of a base were read, and before it is stored; a rejection is the answer. */
  beforeBase: () => Promise<void> = () => Promise.resolve();
  /** Number of times that the wallets were listed. */
  lists = 0;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Number of the last frame of a wallet. */
  sequenceOf(name: string): number {
    const row = this.rows.get(name);
    return Math.max(row?.base?.sequence ?? 0, ...(row?.frames.keys() ?? []));
  }

  #assertWritable(): void {
    if (this.failing === 'unreachable') throw new ClusterUnreachable('no database answers');
    if (this.failing === 'no quorum') throw new NotReplicated('no standby answers');
  }

  #assertReadable(): void {
    if (this.failing === 'unreachable') throw new ClusterUnreachable('no database answers');
  }

  #isLive({ process }: Row): boolean {
    return process !== undefined && process.expires > this.#clock.elapsed;
  }

  /** Returns the row of a lease. @throws Fenced */
  #rowOf({ name, epoch }: Lease): Row {
    this.#assertWritable();
    const row = this.rows.get(name);
    if (row?.epoch !== epoch || !this.#isLive(row)) throw new Fenced(name, epoch);
    return row;
  }

  /**
   * Joins a member. `stop` ends its renewals, as `SIGSTOP` does. `lapse` ends its leases in its own view, which is earlier
   * than in the database by the time of a call.
   */
  join(url: string, capacity = 100): Cluster & { stop(): void; lapse(): void } {
    const clock = this.#clock;
    const rows = this.rows;
    const leases = new Map<string, Lease & { end: number }>();
    const lostListeners: ((lease: Lease, reason: LossReason) => void)[] = [];
    const isLive = (row: Row): boolean => this.#isLive(row);
    let isStopped = false;
    let self: FakeMember;
    /** Joins, also again after the leases have ended: they do not come back. */
    const beMember = (): FakeMember => {
      if (self === undefined || self.expires <= clock.elapsed)
        this.members.set(url, (self = { capacity, expires: clock.elapsed + FAKE_LEASE_MS }));
      return self;
    };
    beMember();

    const leaseOf = (name: string, row: Row): Lease => {
      row.holder = url;
      row.process = beMember();
      const lease = {
        ...{ name, epoch: row.epoch, end: self.expires },
        isValid: (margin = 0) => leases.get(name) === lease && lease.end - margin > clock.elapsed,
        remainingMs: () => Math.max(0, lease.end - clock.elapsed),
      };
      leases.set(name, lease);
      return lease;
    };
    const lose = (lease: Lease, reason: LossReason): void => {
      leases.delete(lease.name);
      for (const listener of lostListeners) listener(lease, reason);
    };
    const renew = (): void => {
      if (isStopped) return;
      if (this.failing === undefined) {
        beMember().expires = clock.elapsed + FAKE_LEASE_MS;
        for (const lease of [...leases.values()]) {
          const row = rows.get(lease.name);
          if (row?.epoch !== lease.epoch) lose(lease, 'taken');
          else lease.end = self.expires;
        }
      }
      for (const lease of [...leases.values()]) if (lease.end <= clock.elapsed) lose(lease, 'lapsed');
      clock.after(1000, renew);
    };
    renew();

    const end = (lease: Lease): Row => {
      // Its holder stops to use it, whether the database takes that or not.
      if (leases.get(lease.name) === lease) leases.delete(lease.name);
      return this.#rowOf(lease);
    };

    return {
      stop: () => (isStopped = true),
      lapse: () => [...leases.values()].forEach((lease) => lose(lease, 'lapsed')),
      leases: {
        create: async (name, keysFile, { hasStore, returnsFrom }: CreateOptions = { hasStore: false }) => {
          this.#assertWritable();
          const known = rows.get(name);
          if (known?.departure !== undefined && known.departure.token === returnsFrom) {
            Object.assign(known, {
              departure: undefined,
              keysFile,
              base: undefined,
              epoch: known.epoch + 1n,
            });
            known.frames.clear();
            return leaseOf(name, known);
          }
          if (known !== undefined) throw new WalletKnown(name);
          const row: Row = {
            ...{ keysFile, isNew: !hasStore, epoch: 1n, holder: url, process: undefined, base: undefined },
            frames: new Map(),
          };
          rows.set(name, row);
          return leaseOf(name, row);
        },
        take: async (name) => {
          this.#assertWritable();
          const row = rows.get(name);
          if (row === undefined) return undefined;
          const { departure, epoch } = row;
          if (departure !== undefined) return { state: 'left', departure, epoch };
          if (row.holder !== undefined && row.holder !== url && isLive(row))
            return { state: 'held', holder: row.holder, epoch: row.epoch, remainingMs: 1 };
          const wasServed = row.holder !== undefined;
          row.epoch += 1n;
          const lease = leaseOf(name, row);
          const { keysFile, isNew } = row;
          return {
            ...{ state: 'taken', lease, keysFile, isNew, wasServed, sequence: this.sequenceOf(name) },
            ...(row.base === undefined
              ? {}
              : { base: { sequence: row.base.sequence, bytes: row.base.bytes.length } }),
          } satisfies Taken;
        },
        renew: async () => renew(),
        onLost: (listener) => void lostListeners.push(listener),
        release: async (lease) => {
          const row = end(lease);
          row.holder = undefined;
          row.process = undefined;
        },
        abandon: async (lease) => {
          end(lease).process = undefined;
        },
        leave: async (lease, departure) => {
          const row = end(lease);
          Object.assign(row, { departure, holder: undefined, process: undefined });
          row.epoch += 1n;
        },
        handOver: async (lease, member) => {
          if ((this.members.get(member)?.expires ?? 0) <= clock.elapsed) throw new MemberGone(member);
          const row = end(lease);
          row.epoch += 1n;
          row.holder = member;
          row.process = this.members.get(member);
        },
        list: async () => {
          this.lists += 1;
          this.#assertReadable();
          return [...rows]
            .map(([name, row]): WalletEntry => ({
              ...{ name, epoch: row.epoch, isLapsed: !isLive(row), isHere: leases.has(name) },
              ...(row.holder === undefined ? {} : { holder: row.holder }),
              ...(row.departure === undefined ? {} : { departure: row.departure }),
              ...{ sequence: this.sequenceOf(name), bytes: 0 },
            }))
            .sort((a, b) => (a.name < b.name ? -1 : 1));
        },
        setKeysFile: async (lease, keysFile) => {
          this.#rowOf(lease).keysFile = keysFile;
        },
        remove: async (lease) => {
          end(lease);
          rows.delete(lease.name);
        },
      },
      logs: {
        append: async (lease, sequence, frame) => {
          const row = this.#rowOf(lease);
          if (sequence !== this.sequenceOf(lease.name) + 1) throw new RangeError(`a gap before ${sequence}`);
          row.frames.set(sequence, frame);
        },
        putBase: async (lease, sequence, parts, keysFile) => {
          const read = await collected(parts);
          await this.beforeBase();
          const row = this.#rowOf(lease);
          row.base = { sequence, bytes: Buffer.concat(read) };
          row.keysFile = keysFile ?? row.keysFile;
          for (const old of row.frames.keys()) if (old <= sequence) row.frames.delete(old);
        },
        read: async (name) => {
          this.#assertReadable();
          const row = rows.get(name);
          if (row === undefined) return undefined;
          const frames = [...row.frames].sort(([a], [b]) => a - b);
          const { base } = row;
          return {
            ...(base === undefined ? {} : { base: { sequence: base.sequence, bytes: base.bytes.length } }),
            sequence: this.sequenceOf(name),
            frames: { count: frames.length, bytes: frames.reduce((sum, [, { length }]) => sum + length, 0) },
            async *readBase() {
              if (base !== undefined) yield base.bytes;
            },
            async *readFrames() {
              for (const [sequence, frame] of frames) yield { sequence, frame };
            },
            close: async () => undefined,
          } satisfies LogContent;
        },
      },
      clock: { now: () => Date.now(), aheadMs: 0 },
      members: {
        list: async () => {
          this.#assertReadable();
          return [...this.members].map(([address, member]) => ({
            ...{ url: address, capacity: member.capacity, isAlive: member.expires > clock.elapsed },
            remainingMs: Math.max(0, member.expires - clock.elapsed),
            wallets: [...rows.values()].filter((row) => row.holder === address && isLive(row)).length,
            isSelf: address === url,
          }));
        },
        leave: async () => void this.members.delete(url),
      },
      quorum: this.quorum,
      close: async () => {
        isStopped = true;
      },
    };
  }
}
