/** Growing lists of values ("columns") that the host reads. All columns are emptied together. */

/** Address of the first free byte; a column that exceeds its capacity is moved there. */
let free: usize = 0;

/** A list of values of one size. The host reads the fields `data` and `used`. */
@unmanaged
export class Column {
  /** Address of the first value. */
  data: usize;
  /** Length of all values [bytes]. */
  used: usize;
  /** Size of the reserved memory [bytes]. */
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
    // The last column in memory can grow without being moved.
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
  push(value: u32): void {
    store<u32>(this.take(4), value);
  }
  pushNumber(value: u64): void {
    store<f64>(this.take(8), f64(value));
  }
  /** Appends the 32 bytes at an address. */
  pushKey(from: usize): void {
    memory.copy(this.take(32), from, 32);
  }

  @inline
  get(index: u32): u32 {
    return load<u32>(this.data + (usize(index) << 2));
  }
  /** Number of values in a column whose values have four bytes. */
  @inline
  get count(): u32 {
    return u32(this.used >> 2);
  }
}

const COLUMN: usize = offsetof<Column>();
const MAX_COLUMNS: usize = 40;
const columns = memory.data(40 * 16, 16);
let columnCount: usize = 0;

/** Creates an empty column; at most MAX_COLUMNS in all. @returns its address as object. */
export function column(): Column {
  if (columnCount >= MAX_COLUMNS) throw new Error('too many columns');
  return changetype<Column>(columns + COLUMN * columnCount++);
}

/** Grows the memory so that it reaches up to an address. @throws Error if there is no more memory. */
export function reserve(to: usize): void {
  const pages = i32((to + 0xffff) >>> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) throw new Error('out of memory');
}

/** Empties all columns. @param from address of the memory that the columns may use from now on. */
export function emptyColumns(from: usize): void {
  memory.fill(columns, 0, COLUMN * columnCount);
  free = (from + 15) & ~15;
}
