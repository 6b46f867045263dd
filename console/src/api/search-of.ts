import type { Endpoint, ParsedOf } from '@relay-hub/contract';
import type { SearchSchemaInput } from '@tanstack/react-router';

/** All fields of an endpoint's query. */
export type SearchFor<E extends Endpoint> = {
  [K in keyof ParsedOf<E>['query']]-?: NonNullable<ParsedOf<E>['query'][K]>;
};

interface SearchRoute<S extends object> {
  validateSearch: (search: Partial<S> & SearchSchemaInput) => S;
  search: { middlewares: [(options: { search: S; next: (search: S) => S }) => S] };
}

/**
 * Makes the address's search the state of a screen: `createFileRoute('/panel/token')({ ...searchOf<SearchFor<typeof
 * tokenApi.list>>({ page: 1, size: 10, … }) })`. A value takes the type of its default; an unreadable one becomes the
 * default, so that a mistyped address still opens. Defaults are left out of the address. The server enforces the rest
 * of the contract.
 */
export function searchOf<S extends object>(defaults: S): SearchRoute<S> {
  const names = Object.keys(defaults) as (keyof S)[]; // plain objects, so these are all keys
  const each = (value: (name: keyof S) => unknown) => Object.fromEntries(names.map((name) => [name, value(name)]));
  return {
    validateSearch: (search) => each((name) => read(search[name], defaults[name])) as S, // every field has its default's type
    search: {
      middlewares: [
        ({ search, next }) => {
          const wanted = next(search);
          return each((name) => (wanted[name] === defaults[name] ? undefined : wanted[name])) as S; // read back as the default
        },
      ],
    },
  };
}

function read(value: unknown, fallback: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return fallback;
  if (typeof fallback === 'boolean') return String(value) === 'true';
  if (typeof fallback !== 'number') return String(value);
  const number = Number(value);
  return value !== '' && Number.isFinite(number) ? number : fallback;
}
