type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that were sent. Undefined ones are dropped, so that they are not written as null. */
export function given<T extends object>(changes: T): Defined<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Defined<T>;
}
