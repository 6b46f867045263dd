/** What lies in a bag knows its place there. */
export interface Bagged {
  place: number;
}

/**
 * Things that come and go with every call, in no order. Not a `Set`: its tables are replaced all the time, each of them
 * points to the next, and one that has become old keeps all that came after it, calls and all, until a full collection.
 */
export class Bag<T extends Bagged> {
  readonly #things: T[] = [];

  get size(): number {
    return this.#things.length;
  }

  add(thing: T): void {
    thing.place = this.#things.length;
    this.#things.push(thing);
  }

  /** Nothing happens when it is not there any more. */
  delete(thing: T): void {
    if (this.#things[thing.place] !== thing) return;
    const last = this.#things.pop()!;
    if (last === thing) return;
    this.#things[thing.place] = last;
    last.place = thing.place;
  }

  /** All of them as they are now. */
  all(): T[] {
    return [...this.#things];
  }
}
