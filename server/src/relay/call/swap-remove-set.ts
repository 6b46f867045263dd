/** What lies in a bag knows its place there. */
export interface SetMember {
  index: number;
}

/**
 * Things that come and go with every call, in no order. Not a `Set`: its tables are replaced all the time, each of them
 * points to the next, and one that has become old keeps all that came after it, calls and all, until a full collection.
 */
export class SwapRemoveSet<T extends SetMember> {
  readonly #things: T[] = [];

  get size(): number {
    return this.#things.length;
  }

  add(thing: T): void {
    thing.index = this.#things.length;
    this.#things.push(thing);
  }

  /** Nothing happens when it is not there any more. */
  delete(thing: T): void {
    if (this.#things[thing.index] !== thing) return;
    const last = this.#things.pop()!;
    if (last === thing) return;
    this.#things[thing.index] = last;
    last.index = thing.index;
  }

  /** All of them as they are now. */
  all(): T[] {
    return [...this.#things];
  }
}
