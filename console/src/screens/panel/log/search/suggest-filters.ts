import type { Log } from '@relay-hub/contract';
import type { LogFilterName } from '#screens/panel/log/log-defaults.ts';

/** A filter that the typed text may stand for. */
export interface FilterSuggestion {
  filter: Extract<
    LogFilterName,
    'model_name' | 'token_id' | 'token_name' | 'request_id' | 'username' | 'source_ip' | 'channel_id'
  >;
  value: string | number;
  label: string;
}

/** Names for completion. */
export interface KnownNames {
  rows: readonly Log[];
  models: readonly string[];
  channels: readonly { id: number; name: string }[];
  /** Tokens that the server found by the text. */
  tokens: readonly { id: number; name: string; key: string }[];
}

const idLength = 30;
const mostKnown = 5;

/** Names of tokens can be equal, so the label contains the id. */
export const tokenLabel = ({ id, name }: { id: number; name: string }): string => `${name} #${id}`.trimStart();

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

function knownNames(sought: string, admin: boolean, known: KnownNames): FilterSuggestion[] {
  const { rows, models, channels, tokens } = known;
  // Keeps the given order: names on the page before names that only have a price.
  const matching = (filter: 'model_name' | 'username', values: Iterable<string>): FilterSuggestion[] =>
    [...new Set(values)]
      .filter((value) => value.toLowerCase().includes(sought) && !value.endsWith('*'))
      .toSorted((a, b) => nearness(a, sought) - nearness(b, sought))
      .slice(0, mostKnown)
      .map((value) => ({ filter, value, label: value }));
  const found = [
    ...matching('model_name', [...rows.map((row) => row.model_name), ...models]),
    ...tokensIn(rows)
      .filter(({ name }) => name.toLowerCase().includes(sought))
      .map(tokenChoice)
      .slice(0, mostKnown),
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
  const near = found.toSorted((a, b) => nearness(a.label, sought) - nearness(b.label, sought)).slice(0, mostKnown);
  const listed = new Set(near.map(({ filter, value }) => `${filter} ${value}`));
  // Found by name, tag or the end of the key, so the text need not be in the label.
  return [...near, ...tokens.map(tokenChoice).filter(({ filter, value }) => !listed.has(`${filter} ${value}`))];
}

const tokenChoice = (token: { id: number; name: string }): FilterSuggestion => ({
  filter: 'token_id',
  value: token.id,
  label: tokenLabel(token),
});

/** The tokens of rows, each with its latest name. */
export function tokensIn(rows: readonly Log[]): { id: number; name: string }[] {
  const names = new Map<number, string>();
  for (const { token_id: id, token_name: name } of rows) if (id > 0 && !names.has(id)) names.set(id, name);
  return [...names].map(([id, name]) => ({ id, name }));
}

/** 0: equal, 1: starts with, 2: contains. The label of a token goes on after its name. */
function nearness(name: string, sought: string): number {
  const at = name.toLowerCase().indexOf(sought);
  return at > 0 ? 2 : name.length === sought.length ? 0 : 1;
}
