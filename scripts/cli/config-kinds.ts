import { splitList } from '@relay-hub/contract';
import { CliError } from './hub-client.ts';
import { type Fields, type Kind, asJson } from './kinds/kind.ts';
import { ways } from './kinds/alarm-ways.ts';
import { channels } from './kinds/channels.ts';
import { groups } from './kinds/groups.ts';
import { plans } from './kinds/plans.ts';
import { prices } from './kinds/prices.ts';
import { settingsKind } from './kinds/settings.ts';
import { virtualModels } from './kinds/virtual-models.ts';

/** In the order in which they are written: what others refer to comes first. */
export const kinds: readonly Kind[] = [settingsKind, groups, channels, prices, virtualModels, plans, ways];

/** Kinds by name, in their order. Throws `CliError` for an unknown one. */
export function chosenKinds(only: string | undefined): Kind[] {
  if (only === undefined) return [...kinds];
  const names = splitList(only);
  for (const name of names)
    if (!kinds.some((kind) => kind.name === name))
      throw new CliError(`There is no kind ${name}; there are ${kinds.map((kind) => kind.name).join(', ')}.`);
  return kinds.filter(({ name }) => names.includes(name));
}

/** Values of left-out fields in the form that files have. */
export function defaultForm({ shape = {}, defaults = {} }: Kind): Fields {
  const form: Fields = {};
  for (const [field, schema] of Object.entries(shape)) {
    const found = schema.safeParse(undefined);
    if (found.success && found.data !== undefined) form[field] = asJson({ value: found.data })['value'];
  }
  return { ...form, ...defaults };
}
