type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that were sent. What was not stays as it is, rather than becoming null. */
export function given<T extends object>(changes: T): Given<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Given<T>;
}
