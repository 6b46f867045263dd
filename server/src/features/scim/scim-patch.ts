import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { isObject, type Json, objectOr } from '#json.ts';
import { ensureScim } from './scim-error.ts';
import { equalities, type Filter, fits, parseFilter } from './scim-filter.ts';
import { enterpriseUser, schemaNames } from './scim-schemas.ts';

const MOST_OPERATIONS = 1000;

/** Entra ID sends `Add`, Okta and the RFC `add`. */
const operation = z.object({
  op: z.pipe(
    z.string(),
    z.pipe(
      z.transform((op: string) => op.toLowerCase()),
      z.enum(['add', 'replace', 'remove']),
    ),
  ),
  path: z.optional(z.nullable(z.string().check(z.maxLength(4000)))),
  value: z.optional(z.unknown()),
});
export type PatchOperation = z.output<typeof operation>;

/** The operations in the body of a PATCH. Throws `invalidSyntax`. */
export function operationsIn(body: unknown): PatchOperation[] {
  const given = Object.entries(objectOr(body)).find(([name]) => name.toLowerCase() === 'operations')?.[1];
  const parsed = z.array(operation).check(z.minLength(1), z.maxLength(MOST_OPERATIONS)).safeParse(given);
  const [issue] = parsed.error?.issues ?? [];
  ensureScim(
    parsed.success,
    400,
    `Operations.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    'invalidSyntax',
  );
  return parsed.data;
}

/** Where an operation acts: `emails[type eq "work"].value`. */
export interface Path {
  /** Schema of an extension; undefined: the attribute is the resource's own. */
  extension: string | undefined;
  attribute: string;
  filter: Filter | undefined;
  sub: string | undefined;
}

/** Throws `invalidPath`. */
export function parsePath(text: string): Path {
  const own = schemaNames.find((name) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  const isCore = own !== undefined && own !== enterpriseUser;
  let extension: string | undefined = isCore ? undefined : own;
  let rest = own === undefined ? text : text.slice(own.length + 1);
  if (text.toLowerCase() === enterpriseUser.toLowerCase())
    return { extension: undefined, attribute: enterpriseUser, filter: undefined, sub: undefined };
  if (own === undefined && /^urn:/i.test(text)) {
    const end = text.lastIndexOf(':');
    [extension, rest] = [text.slice(0, end), text.slice(end + 1)];
  }
  const parts = /^([a-z$][\w$-]*)(?:\[(.*)\])?(?:\.([a-z$][\w$-]*))?$/is.exec(rest);
  ensureScim(parts?.[1] !== undefined, 400, `Not a path: ${text}`, 'invalidPath');
  const [, attribute, filter, sub] = parts;
  return { extension, attribute, filter: filter === undefined ? undefined : parseFilter(filter), sub };
}

/** Applies operations of add, replace and remove to a resource, in place. */
export function patch(resource: Json, operations: readonly PatchOperation[]): void {
  for (const each of operations) {
    if (each.path) {
      applyAt(resource, parsePath(each.path), each);
      continue;
    }
    ensureScim(each.op !== 'remove', 400, 'A remove needs a path.', 'noTarget');
    ensureScim(isObject(each.value), 400, 'Without a path the value is an object.', 'invalidValue');
    for (const [name, value] of Object.entries(each.value)) applyAt(resource, parsePath(name), { op: each.op, value });
  }
}

function applyAt(resource: Json, path: Path, step: Pick<PatchOperation, 'op' | 'value'>): void {
  const holder = path.extension === undefined ? resource : memberOf(resource, path.extension);
  const key = keyIn(holder, path.attribute);
  const value = plainValue(step.value);
  if (path.filter) return applyToElements(holder, key, path, { ...step, value });
  const current = holder[key];
  if (path.sub !== undefined) {
    if (Array.isArray(current) || isMany(key)) return applyToElements(holder, key, path, { ...step, value });
    const inside = memberOf(holder, key);
    if (step.op === 'remove') delete inside[keyIn(inside, path.sub)];
    else inside[keyIn(inside, path.sub)] = value;
    return;
  }
  if (step.op === 'remove') removeFrom(holder, key, value);
  else if (Array.isArray(current) || isMany(key))
    holder[key] = step.op === 'add' ? joined(listOf(current), listOf(value)) : listOf(value);
  else if (isObject(value))
    for (const [name, part] of Object.entries(value))
      applyAt(memberOf(holder, key), parsePath(name), { op: step.op, value: part });
  else holder[key] = value;
}

/** Without a value the whole attribute goes; Entra ID names the elements of a list as the value. */
function removeFrom(holder: Json, key: string, value: unknown): void {
  const current = holder[key];
  if (!Array.isArray(current) || value === undefined) delete holder[key];
  else holder[key] = current.filter((element) => !listOf(value).some((gone) => isSame(element, gone)));
}

function applyToElements(
  holder: Json,
  key: string,
  { filter, sub }: Path,
  { op, value }: Pick<PatchOperation, 'op' | 'value'>,
): void {
  const list = listOf(holder[key]);
  let found = filter ? list.filter((element) => fits(filter, element)) : list;
  if (op === 'remove') {
    if (sub === undefined) holder[key] = list.filter((element) => !found.includes(element));
    else for (const element of found) if (isObject(element)) delete element[keyIn(element, sub)];
    return;
  }
  if (found.length === 0) {
    // Entra ID sets the parts of an element that is not there yet.
    const terms = filter ? equalities(filter) : [];
    ensureScim(terms, 400, 'No element fits the filter.', 'noTarget');
    const made = Object.fromEntries(terms.map((term) => [term.path, term.value]));
    list.push(made);
    found = [made];
  }
  for (const element of found) {
    if (!isObject(element)) continue;
    if (sub !== undefined) element[keyIn(element, sub)] = value;
    else if (isObject(value)) for (const [name, part] of Object.entries(value)) element[keyIn(element, name)] = part;
  }
  holder[key] = list;
}

function memberOf(holder: Json, name: string): Json {
  const key = keyIn(holder, name);
  const inside = holder[key];
  if (isObject(inside)) return inside;
  const made: Json = {};
  holder[key] = made;
  return made;
}

const known = [
  'active addresses displayName emails entitlements externalId groups id ims locale members meta name nickName password',
  'phoneNumbers photos preferredLanguage profileUrl roles schemas timezone title userName userType x509Certificates',
  'costCenter department division employeeNumber manager organization familyName formatted givenName middleName',
  'honorificPrefix honorificSuffix display primary type value',
].flatMap((names) => names.split(' '));
const spelled = new Map([...known, enterpriseUser].map((name) => [name.toLowerCase(), name]));

/** The key of an attribute, whose case does not matter. */
function keyIn(holder: Json, name: string): string {
  const present = Object.keys(holder).find((key) => key.toLowerCase() === name.toLowerCase());
  return present ?? spelled.get(name.toLowerCase()) ?? name;
}

const many = new Set(
  'addresses emails entitlements groups ims members phoneNumbers photos roles schemas x509Certificates'.split(' '),
);
const isMany = (key: string): boolean => many.has(key);

const listOf = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value].flat());

const isSame = (a: unknown, b: unknown): boolean => {
  const [one, other] = [objectOr(a)['value'], objectOr(b)['value']];
  return one !== undefined && other !== undefined ? one === other : isDeepStrictEqual(a, b);
};

const joined = (list: readonly unknown[], more: readonly unknown[]): unknown[] => [
  ...list.filter((element) => !more.some((added) => isSame(element, added))),
  ...more,
];

/** A copy, so that later operations do not change the input. */
const plainValue = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value);
