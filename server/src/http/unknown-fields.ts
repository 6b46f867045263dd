import type * as z from 'zod/mini';

type Schema = z.core.$ZodType;

/** The parts of a definition that lead to members; each type has some of them. */
interface Definition {
  type: string;
  shape?: Record<string, Schema>;
  /** Set for strict and loose objects, which refuse or keep unknown members. */
  catchall?: Schema;
  element?: Schema;
  valueType?: Schema;
  innerType?: Schema;
  in?: Schema;
  options?: (Schema & Pick<z.ZodMiniType, 'safeParse'>)[];
}

const LONGEST_NAME = 100;

/** Paths of members that a schema drops from a valid value, such as `qouta` or `prices.0.note`. */
export function* unknownFields(schema: Schema, value: unknown, path: readonly string[] = []): Generator<string, void> {
  if (typeof value !== 'object' || value === null) return;
  const def = schema._zod.def as unknown as Definition; // zod's own, by type
  const members = Object.entries(value);
  if (def.type === 'object' || def.type === 'undefined') {
    for (const [name, member] of members) {
      const at = [...path, name.slice(0, LONGEST_NAME)];
      const known = def.shape && Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
      if (known) yield* unknownFields(known, member, at);
      else if (!def.catchall) yield at.join('.');
    }
  } else if (def.type === 'array' || def.type === 'record') {
    const of = def.element ?? def.valueType;
    if (of) for (const [name, member] of members) yield* unknownFields(of, member, [...path, name]);
  } else {
    const inner = def.innerType ?? def.in ?? def.options?.find((option) => option.safeParse(value).success);
    if (inner) yield* unknownFields(inner, value, path);
  }
}
