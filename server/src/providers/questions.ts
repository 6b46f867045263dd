import { isObject, listOr, objectOr } from '#chat/fields.ts';
import type { Balance, ModelList, Money } from './provider.ts';

/** Names under a member of the objects in a list. */
export function namesIn(reply: unknown, list: string, name: string): string[] | undefined {
  return isObject(reply) ? namesInList(reply[list], name) : undefined;
}

/** The same of a list that is no object's member. */
export function namesInList(found: unknown, name: string): string[] | undefined {
  if (!Array.isArray(found)) return undefined;
  const names = found.map((one) => objectOr(one)[name]).filter((one) => typeof one === 'string' && one !== '');
  return names.length < found.length ? undefined : [...new Set(names as string[])];
}

/** OpenAI's list of models, as most have it. */
export const openAiModels = (path: string): ModelList => ({ path, read: (reply) => namesIn(reply, 'data', 'id') });

/** An amount that a JSON number or text tells, at a path of members. */
export function amountAt(reply: unknown, ...path: (string | number)[]): number | undefined {
  const value = path.reduce<unknown>(
    (at, name) => (typeof name === 'number' ? listOr(at)[name] : objectOr(at)[name]),
    reply,
  );
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const amount = value === '' ? Number.NaN : Number(value);
  return Number.isFinite(amount) ? amount : undefined;
}

/** A balance that one member of the answer tells. */
export const balanceAt = (path: string, currency: Money['currency'], ...member: string[]): Balance => ({
  path,
  read: (reply) => {
    const amount = amountAt(reply, ...member);
    return amount === undefined ? undefined : { amount, currency };
  },
});

/** The same of a vendor whose site abroad, under this domain, counts in dollars. */
export const inDollarsAt = (domain: string, { read, ...question }: Balance): Balance => ({
  ...question,
  read: (reply, baseUrl) => {
    const money = read(reply, baseUrl);
    return money && isUnder(domain, baseUrl) ? { ...money, currency: 'USD' } : money;
  },
});

const isUnder = (domain: string, address: string): boolean =>
  `.${URL.parse(address)?.hostname ?? ''}`.endsWith(`.${domain}`);
