import { concatBytes, utf8 } from '../../src/util/bytes.js';
import { HOSTILE_BYTES, HOSTILE_TEXTS } from '../support/values/hostile-values.js';
import type { Random } from '../support/fakes/seeded-random.js';

/** Limits of integers and of lengths, in the widths and byte orders in which formats contain them. */
const INTEGERS: readonly Uint8Array[] = [
  0n,
  1n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0xffffn,
  0x7fff_ffffn,
  0x8000_0000n,
  0xffff_ffffn,
  0x20_0000_0000_0000n,
  0x7fff_ffff_ffff_ffffn,
  0xffff_ffff_ffff_ffffn,
].flatMap((value) =>
  [1, 2, 4, 8]
    .filter((width) => value < 1n << BigInt(8 * width))
    .flatMap((width) => {
      const bytes = Uint8Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
      return width === 1 ? [bytes] : [bytes, bytes.toReversed()];
    }),
);

/** Greatest number of mutations of one input. */
const MOST_CHANGES = 6;
/** Length of the longest part that a mutation copies or removes at most of the time [bytes]. */
const SHORT_PART = 32;
/** Share of the inputs that may have any length; the others take a small part of the time of a long one. */
const LONG_SHARE = 1 / 256;
/** Share of the choices between two inputs that the shorter one wins. */
const SHORTER_SHARE = 0.8;
/** Share of the repetitions that fill an input. */
const FILLING_SHARE = 0.1;
/** Number of attempts to choose an input of the usual length. */
const CHOICES = 4;

/** Lengths of mutated inputs [bytes]. */
export interface Lengths {
  /** Longest input but for a few. */
  readonly usual: number;
  /** Longest input. */
  readonly most: number;
}

/** Makes new inputs from known ones. The same seed gives the same inputs. */
export class Mutator {
  readonly #random: Omit<Random, 'text'>;
  readonly #words: readonly Uint8Array[];
  readonly #lengths: Lengths;
  /** Length of the longest input that the current mutation may make [bytes]. */
  #maxBytes = 0;

  /** @param words words of the format. */
  constructor(random: Omit<Random, 'text'>, words: readonly string[], lengths: Lengths) {
    this.#random = random;
    this.#words = [...HOSTILE_BYTES, ...HOSTILE_TEXTS.map(utf8), ...INTEGERS, ...words.map(utf8)];
    this.#lengths = lengths;
  }

  /** Returns a mutation of one of the inputs. */
  next(corpus: readonly Uint8Array[]): Uint8Array {
    const random = this.#random;
    const { usual, most } = this.#lengths;
    this.#maxBytes = random.chance(LONG_SHARE) ? most : usual;
    let input = this.#chosen(corpus);
    for (let left = 1 + random.below(MOST_CHANGES); left > 0; left--)
      input = this.#shortened(this.#mutate(input, corpus));
    return input;
  }

  /** Chooses an input to mutate. Inputs that reached new code last are chosen more often, and of two the shorter one. */
  #chosen(corpus: readonly Uint8Array[]): Uint8Array {
    const random = this.#random;
    const recent = random.chance(0.4) ? Math.min(corpus.length, 16) : corpus.length;
    const one = (): Uint8Array => corpus[corpus.length - 1 - random.below(recent)] ?? new Uint8Array();
    const better = (): Uint8Array => {
      const [a, b] = [one(), one()];
      return a.length <= b.length === random.chance(SHORTER_SHARE) ? a : b;
    };
    let input = better();
    for (let left = CHOICES; left > 1 && input.length > this.#maxBytes; left--) input = better();
    return this.#shortened(input);
  }

  #shortened(input: Uint8Array): Uint8Array {
    return input.length > this.#maxBytes ? input.slice(0, this.#maxBytes) : input;
  }

  #mutate(input: Uint8Array, corpus: readonly Uint8Array[]): Uint8Array {
    const random = this.#random;
    const word = (): Uint8Array => this.#words[random.below(this.#words.length)] ?? new Uint8Array();
    const other = (): Uint8Array => this.#shortened(corpus[random.below(corpus.length)] ?? new Uint8Array());
    switch (random.below(13)) {
      case 0:
        return this.#changeByte(input, (byte) => byte ^ (1 << random.below(8)));
      case 1:
        return this.#changeByte(input, () => random.below(256));
      case 2:
        return this.#changeByte(input, (byte) => byte + random.below(33) - 16);
      case 3:
        return this.#put(input, word(), true);
      case 4:
        return this.#put(input, word(), false);
      case 5:
        return this.#put(input, this.#part(other()), false);
      case 6:
        return this.#put(input, this.#part(other()), true);
      case 7:
        return this.#put(input, this.#part(input), false);
      case 8:
        return this.#remove(input);
      case 9:
        return input.slice(0, random.below(input.length + 1));
      case 10:
        return this.#changeInteger(input);
      case 11:
        return concatBytes(input.subarray(0, random.below(input.length + 1)), this.#tail(other()));
      default:
        return this.#repeat(input);
    }
  }

  #changeByte(input: Uint8Array, change: (byte: number) => number): Uint8Array {
    const changed = input.slice();
    const at = this.#random.below(Math.max(1, input.length));
    if (at < changed.length) changed[at] = change(changed[at] ?? 0);
    return changed;
  }

  /** Inserts bytes, or replaces those at a place. */
  #put(input: Uint8Array, bytes: Uint8Array, inPlace: boolean): Uint8Array {
    const at = this.#random.below(input.length + 1);
    return concatBytes(input.subarray(0, at), bytes, input.subarray(inPlace ? at + bytes.length : at));
  }

  #remove(input: Uint8Array): Uint8Array {
    const at = this.#random.below(input.length + 1);
    return concatBytes(input.subarray(0, at), input.subarray(at + this.#length(input.length - at)));
  }

  /** Adds a small number to a little- or big-endian integer of 2, 4 or 8 bytes. */
  #changeInteger(input: Uint8Array): Uint8Array {
    const width = this.#random.pick([2, 4, 8]);
    const at = this.#random.below(Math.max(1, input.length - width));
    const changed = input.slice();
    const upwards = this.#random.chance(0.5);
    let carry = this.#random.below(65) - 32;
    for (let i = 0; i < width && carry !== 0; i++) {
      const place = upwards ? at + i : at + width - 1 - i;
      if (place >= changed.length) continue;
      const sum = (changed[place] ?? 0) + carry;
      changed[place] = sum;
      carry = Math.floor(sum / 256);
    }
    return changed;
  }

  /** Repeats a part, at times up to the longest length, for limits of lengths, counts and nesting. */
  #repeat(input: Uint8Array): Uint8Array {
    const part = this.#part(input);
    if (part.length === 0) return input;
    const times = this.#random.chance(FILLING_SHARE) ? Infinity : 1 << this.#random.below(12);
    const count = Math.max(1, Math.min(times, Math.floor((this.#maxBytes - input.length) / part.length)));
    const repeated = new Uint8Array(part.length * count);
    for (let i = 0; i < count; i++) repeated.set(part, i * part.length);
    return this.#put(input, repeated, false);
  }

  #part(input: Uint8Array): Uint8Array {
    const at = this.#random.below(input.length + 1);
    return input.slice(at, at + this.#length(input.length - at));
  }

  #tail(input: Uint8Array): Uint8Array {
    return input.subarray(this.#random.below(input.length + 1));
  }

  #length(most: number): number {
    return this.#random.below((this.#random.chance(0.8) ? Math.min(most, SHORT_PART) : most) + 1);
  }
}
