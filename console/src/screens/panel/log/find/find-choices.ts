import type { Log } from '@relay-hub/contract';
import type { LogFilterName } from '#screens/panel/log/log-defaults.ts';

/** A filter that what was typed may stand for. */
export interface FindChoice {
  filter: Extract<LogFilterName, 'model_name' | 'token_name' | 'request_id' | 'username' | 'source_ip' | 'channel_id'>;
  value: string | number;
  label: string;
}

/** What is known of the site: names that can be completed. */
export interface Known {
  rows: readonly Log[];
  models: readonly string[];
  channels: readonly { id: number; name: string }[];
}

const idLength = 30;
const mostKnown = 5;

const looksLikeId = (text: string) => text.length >= idLength && /^[\w-]+$/.test(text);
const looksLikeIp = (text: string) => /^(\d{1,3}\.){1,3}\d{0,3}$|^[\da-f]*:[\da-f:.]+$/i.test(text);

/**
 * What `text` may mean, the likeliest first: by its shape a request or an address, then names that contain it, then
 * the text itself as each of the names. The API compares whole values, which is why known ones are offered.
 */
export function findChoices(text: string, admin: boolean, known: Known): FindChoice[] {
  const sought = text.trim();
  if (sought === '') return [];
  const names = looksLikeId(sought) || looksLikeIp(sought) ? [] : knownNames(sought.toLowerCase(), admin, known);
  const exact = literal(sought, admin).filter(
    ({ filter, value }) => !names.some((each) => each.filter === filter && each.value === value),
  );
  return [...names, ...exact];
}

function literal(text: string, admin: boolean): FindChoice[] {
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

function knownNames(sought: string, admin: boolean, { rows, models, channels }: Known): FindChoice[] {
  // In the order given, so that what is on the page comes before what merely has a price.
  const matching = (filter: 'model_name' | 'token_name' | 'username', values: Iterable<string>): FindChoice[] =>
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
      .map(({ id, name }): FindChoice => ({ filter: 'channel_id', value: id, label: name })),
  ];
  return found.toSorted((a, b) => nearness(a.label, sought) - nearness(b.label, sought)).slice(0, mostKnown);
}

/** 0 for the very name, 1 where it begins so, 2 where it contains it. */
function nearness(name: string, sought: string): number {
  const at = name.toLowerCase().indexOf(sought);
  return at > 0 ? 2 : name.length === sought.length ? 0 : 1;
}
