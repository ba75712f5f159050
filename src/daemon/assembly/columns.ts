/* Lists that grow, one value behind the other, for the host to read. They live until all are emptied at once. */

/** Where the next list that outgrows its room goes. */
let free: usize = 0;

/** A list of values of one size. */
@unmanaged
export class Column {
  /** Address of the first value. */
  data: usize;
  /** Bytes. */
  used: usize;
  room: usize;

  @inline
  private take(bytes: usize): usize {
    if (this.used + bytes > this.room) this.grow();
    const place = this.data + this.used;
    this.used += bytes;
    return place;
  }

  private grow(): void {
    const room = max<usize>(1024, this.room << 1);
    // The last list in memory grows where it is.
    if (this.room > 0 && this.data + this.room == free) {
      reserve(this.data + room);
      free = this.data + room;
      this.room = room;
      return;
    }
    const data = free;
    reserve(data + room);
    memory.copy(data, this.data, this.used);
    free = data + room;
    this.data = data;
    this.room = room;
  }

  clear(): void {
    this.used = 0;
  }

  pushByte(value: u32): void {
    store<u8>(this.take(1), u8(value));
  }
  push16(value: u32): void {
    store<u16>(this.take(2), u16(value));
  }
  push(value: u32): void {
    store<u32>(this.take(4), value);
  }
  pushNumber(value: u64): void {
    store<f64>(this.take(8), f64(value));
  }
  /** 32 bytes. */
  pushKey(from: usize): void {
    memory.copy(this.take(32), from, 32);
  }

  @inline
  get(index: u32): u32 {
    return load<u32>(this.data + (usize(index) << 2));
  }
  /** Of values of four bytes. */
  @inline
  get count(): u32 {
    return u32(this.used >> 2);
  }
}

const COLUMN: usize = offsetof<Column>();
const MOST_COLUMNS: usize = 32;
const columns = memory.data(32 * 16, 16);
let made: usize = 0;

export function column(): Column {
  if (made >= MOST_COLUMNS) throw new Error('too many columns');
  return changetype<Column>(columns + COLUMN * made++);
}

/** Makes sure that there is memory up to an address. */
export function reserve(to: usize): void {
  const pages = i32((to + 0xffff) >>> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) throw new Error('out of memory');
}

/** Empties all, and lets them grow from an address on. */
export function emptyColumns(from: usize): void {
  memory.fill(columns, 0, COLUMN * made);
  free = (from + 15) & ~15;
}
