/** A member stores its own index. */
export interface SetMember {
  index: number;
}

/**
 * An unordered set with O(1) add and delete for objects that live as long as a call. A `Set` replaces its table all the
 * time, and an old table keeps everything added later alive until a full garbage collection.
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

  /** Does nothing if `thing` is not a member. */
  delete(thing: T): void {
    if (this.#things[thing.index] !== thing) return;
    const last = this.#things.pop()!;
    if (last === thing) return;
    this.#things[thing.index] = last;
    last.index = thing.index;
  }

  /** A copy of the current members. */
  all(): T[] {
    return [...this.#things];
  }
}
