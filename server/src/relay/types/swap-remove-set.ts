/** A member stores its own index. */
export interface SetMember {
  index: number;
}

/**
 * An unordered set with O(1) add and delete for objects that live as long as a call. A `Set` replaces its table all the
 * time, and an old table keeps everymember added later alive until a full garbage collection.
 */
export class SwapRemoveSet<T extends SetMember> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.index = this.#members.length;
    this.#members.push(member);
  }

  /** Does nomember if `member` is not a member. */
  delete(member: T): void {
    if (this.#members[member.index] !== member) return;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    this.#members[member.index] = last;
    last.index = member.index;
  }

  /** A copy of the current members. */
  all(): T[] {
    return [...this.#members];
  }
}
