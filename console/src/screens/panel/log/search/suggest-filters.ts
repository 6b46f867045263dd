import type { Log } from '@relay-hub/contract';
import type { LogFilterName } from '#screens/panel/log/log-defaults.ts';

/** A filter that the typed text may stand for. */
export interface FilterSuggestion {
  filter: Extract<LogFilterName, 'model_name' | 'token_name' | 'request_id' | 'username' | 'source_ip' | 'channel_id'>;
  value: string | number;
  label: string;
}

/** Names for completion. */
export interface KnownNames {
  rows: readonly Log[];
  models: readonly string[];
  channels: readonly { id: number; name: string }[];
}

const idLength = 30;
const mostKnown = 5;

const looksLikeId = (text: string) => text.length >= idLength && /^[\w-]+$/.test(text);
const looksLikeIp = (text: string) => /^(\d{1,3}\.){1,3}\d{0,3}$|^[\da-f]*:[\da-f:.]+$/i.test(text);

/**
 * Possible meanings of `text`, the likeliest first: a request id or address by its format, then names that contain
 * it, then the text as each kind of name. The API compares whole values, hence the known names.
 */
export function suggestFilters(text: string, admin: boolean, known: KnownNames): FilterSuggestion[] {
  const sought = text.trim();
  if (sought === '') return [];
  const names = looksLikeId(sought) || looksLikeIp(sought) ? [] : knownNames(sought.toLowerCase(), admin, known);
  const exact = literal(sought, admin).filter(
    ({ filter, value }) => !names.some((each) => each.filter === filter && each.value === value),
  );
  return [...names, ...exact];
}

function literal(text: string, admin: boolean): FilterSuggestion[] {
  const filters = [
    'model_name',
    'token_name',
    ...(admin ? (['username'] as const) : []),
    'request_id',
    ...(admin ? (['source_ip'] as const) : []),
  ] as const;
  const likely = looksLikeId(text) ? 'request_id' : admin && looksLikeIp(text) ? 'source_ip' : 'model_name';
  const inOrder = [likely, ...filters.filter((filter) => filter !== likely)] as const;
  return inOrder.map((filter) => ({ filter, value: text, label: text }));
}

function knownNames(sought: string, admin: boolean, { rows, models, channels }: KnownNames): FilterSuggestion[] {
  // Keeps the given order: names on the page before names that only have a price.
  const matching = (filter: 'model_name' | 'token_name' | 'username', values: Iterable<string>): FilterSuggestion[] =>
    [...new Set(values)]
      .filter((value) => value.toLowerCase().includes(sought) && !value.endsWith('*'))
      .toSorted((a, b) => nearness(a, sought) - nearness(b, sought))
      .slice(0, mostKnown)
      .map((value) => ({ filter, value, label: value }));
  const found = [
    ...matching('model_name', [...rows.map((row) => row.model_name), ...models]),
    ...matching(
      'token_name',
      rows.map((row) => row.token_name),
    ),
    ...(admin
      ? matching(
          'username',
          rows.map((row) => row.username),
        )
      : []),
    ...channels
      .filter(({ name }) => name.toLowerCase().includes(sought))
      .slice(0, mostKnown)
      .map(({ id, name }): FilterSuggestion => ({ filter: 'channel_id', value: id, label: name })),
  ];
  return found.toSorted((a, b) => nearness(a.label, sought) - nearness(b.label, sought)).slice(0, mostKnown);
}

/** 0: equal, 1: starts with, 2: contains. */
function nearness(name: string, sought: string): number {
  const at = name.toLowerCase().indexOf(sought);
  return at > 0 ? 2 : name.length === sought.length ? 0 : 1;
}
