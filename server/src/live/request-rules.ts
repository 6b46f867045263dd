import { isDeepStrictEqual } from 'node:util';
import { type RequestRule, type RuleEndpoint, rulePath } from '@relay-hub/contract';
import type { Json } from '#json.ts';

type Condition = RequestRule['when'][number];

/** A rule of a channel, with its paths split. */
export interface LiveRule extends Omit<RequestRule, 'when'> {
  path: readonly string[];
  toPath: readonly string[];
  when: readonly (Condition & { path: readonly string[] })[];
}

/** A channel's rules as stored; undefined: none. */
export function liveRules(stored: string): LiveRule[] | undefined {
  if (stored === '') return undefined;
  const rules = JSON.parse(stored) as RequestRule[]; // written by this server
  return rules.map((rule) => ({
    ...rule,
    path: rulePath(rule.field),
    toPath: rulePath(rule.to ?? ''),
    when: rule.when.map((condition) => ({ ...condition, path: rulePath(condition.field) })),
  }));
}

/** A call, as far as it decides which rules apply. */
export interface RuledCall {
  endpoint: RuleEndpoint | undefined;
  /** Requested and sent name. */
  models: readonly [string, string];
}

/** The rules for a call, whose conditions are still to be tested. */
export const rulesFor = (rules: readonly LiveRule[], { endpoint, models }: RuledCall): LiveRule[] =>
  rules.filter(
    (rule) =>
      (rule.endpoints.length === 0 || (endpoint !== undefined && rule.endpoints.includes(endpoint))) &&
      (rule.models.length === 0 || rule.models.some((pattern) => models.some((model) => isLike(pattern, model)))),
  );

const isLike = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;

/** The body after the rules, applied one after the other; the same object if they change nothing. */
export function ruledBody(body: Json, rules: readonly LiveRule[]): Json {
  let json = body;
  for (const rule of rules) if (rule.target === 'body' && holds(rule, json)) json = changedBy(rule, json);
  return json;
}

/** Sets and removes headers, whose names are in lower case. Conditions are about the body. */
export function applyHeaderRules(headers: Record<string, string>, rules: readonly LiveRule[], body: Json): void {
  for (const rule of rules) {
    if (rule.target !== 'header' || !holds(rule, body)) continue;
    const name = nameIn(headers, rule.field);
    const had = headers[name];
    if (rule.action === 'set' || (rule.action === 'default' && had === undefined)) headers[name] = String(rule.value);
    else if (rule.action === 'rename' && had !== undefined) headers[nameIn(headers, rule.to ?? '')] = had;
    if ((rule.action === 'rename' || rule.action === 'delete') && had !== undefined) delete headers[name];
  }
}

/** The spelling of a header in `headers`; lower case if it is missing. */
function nameIn(headers: Record<string, string>, field: string): string {
  const name = field.toLowerCase();
  return Object.keys(headers).find((each) => each.toLowerCase() === name) ?? name;
}

const holds = ({ when }: LiveRule, json: Json): boolean => when.every((condition) => isMet(condition, json));

function isMet({ path, test, value }: LiveRule['when'][number], json: Json): boolean {
  const found = valueAt(json, path);
  if (test === 'present') return found !== undefined;
  if (test === 'absent') return found === undefined;
  // Fields of a form are texts.
  const isSame = typeof found === 'string' ? found === textOf(value) : isDeepStrictEqual(found, value);
  return isSame === (test === 'is');
}

const textOf = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

function changedBy({ action, path, toPath, value }: LiveRule, json: Json): Json {
  const found = valueAt(json, path);
  if (action === 'set') return isDeepStrictEqual(found, value) ? json : withValue(json, path, value);
  if (action === 'default') return found === undefined ? withValue(json, path, value) : json;
  if (found === undefined) return json;
  const without = withValue(json, path, undefined);
  if (action === 'delete') return without;
  const moved = withValue(without, toPath, found);
  // A value that finds no place stays where it is.
  return moved === without ? json : moved;
}

type Container = Json | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** A member of an object or an element of a list; undefined: there is none. */
function memberOf(container: Container, name: string): unknown {
  if (Array.isArray(container)) return isIndex(name) ? container[Number(name)] : undefined;
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

const isIndex = (name: string): boolean => /^\d{1,4}$/.test(name);

function valueAt(json: Json, path: readonly string[]): unknown {
  let value: unknown = json;
  for (const name of path) {
    if (!isContainer(value)) return undefined;
    value = memberOf(value, name);
  }
  return value;
}

/**
 * A copy with a value at a path, or without it if it is undefined; other objects are shared. The same object
 * if the path leads through something that is neither an object nor an element of a list.
 */
function withValue<T extends Container>(container: T, [name = '', ...more]: readonly string[], value: unknown): T {
  const had = memberOf(container, name);
  if (Array.isArray(container) && had === undefined) return container;
  let next = value;
  if (more.length > 0) {
    if (had === undefined && value === undefined) return container;
    if (had !== undefined && !isContainer(had)) return container;
    next = withValue(had ?? {}, more, value);
    if (next === had) return container;
  }
  if (Array.isArray(container))
    return (next === undefined
      ? container.toSpliced(Number(name), 1)
      : container.with(Number(name), next)) as Container as T; // the same kind of container
  const copy: Json = { ...container };
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return copy as T; // as above
}
