/* Growing lists of values that the host reads. All are emptied at once. */

/** Address of the free memory, to which a list that exceeds its capacity moves. */
let free: usize = 0;

/** A list of values of one size. The host reads its first two fields. */
@unmanaged
export class Column {
  /** Address of the first value. */
  data: usize;
  /** Length [bytes]. */
  used: usize;
  /** Reserved memory [bytes]. */
  capacity: usize;

  @inline
  private take(bytes: usize): usize {
    if (this.used + bytes > this.capacity) this.grow();
    const address = this.data + this.used;
    this.used += bytes;
    return address;
  }

  private grow(): void {
    const capacity = max<usize>(1024, this.capacity << 1);
    // The last list in memory grows in place.
    if (this.capacity > 0 && this.data + this.capacity == free) {
      reserve(this.data + capacity);
      free = this.data + capacity;
      this.capacity = capacity;
      return;
    }
    const data = free;
    reserve(data + capacity);
    memory.copy(data, this.data, this.used);
    free = data + capacity;
    this.data = data;
    this.capacity = capacity;
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
  /** Pushes 32 bytes. */
  pushKey(from: usize): void {
    memory.copy(this.take(32), from, 32);
  }

  @inline
  get(index: u32): u32 {
    return load<u32>(this.data + (usize(index) << 2));
  }
  /** Number of values, if they have four bytes. */
  @inline
  get count(): u32 {
    return u32(this.used >> 2);
  }
}

const COLUMN: usize = offsetof<Column>();
const MAX_COLUMNS: usize = 32;
const columns = memory.data(32 * 16, 16);
let columnCount: usize = 0;

export function column(): Column {
  if (columnCount >= MAX_COLUMNS) throw new Error('too many columns');
  return changetype<Column>(columns + COLUMN * columnCount++);
}

/** Grows the memory up to an address. */
export function reserve(to: usize): void {
  const pages = i32((to + 0xffff) >>> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) throw new Error('out of memory');
}

/** Empties all columns. @param from address of the memory that they may use from now on. */
export function emptyColumns(from: usize): void {
  memory.fill(columns, 0, COLUMN * columnCount);
  free = (from + 15) & ~15;
}
