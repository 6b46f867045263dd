import { isObject, listOr, objectOr } from '#json.ts';
import type { Balance, ModelList, Money } from './provider.ts';

/** Names of the objects in a list member. */
export function namesIn(reply: unknown, list: string, name: string): string[] | undefined {
  return isObject(reply) ? namesInList(reply[list], name) : undefined;
}

/** Names of the objects in a list. */
export function namesInList(found: unknown, name: string): string[] | undefined {
  if (!Array.isArray(found)) return undefined;
  const names = found
    .map((one: unknown) => objectOr(one)[name])
    .filter((one): one is string => typeof one === 'string' && one !== '');
  return names.length < found.length ? undefined : [...new Set(names)];
}

/** OpenAI's model list. */
export const openAiModels = (path: string): ModelList => ({ path, read: (reply) => namesIn(reply, 'data', 'id') });

/** A numeric amount at a path of members, from a number or string. */
export function amountAt(reply: unknown, ...path: (string | number)[]): number | undefined {
  const value = path.reduce<unknown>(
    (at, name) => (typeof name === 'number' ? listOr(at)[name] : objectOr(at)[name]),
    reply,
  );
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const amount = value === '' ? Number.NaN : Number(value);
  return Number.isFinite(amount) ? amount : undefined;
}

/** A balance in one member of the reply. */
export const balanceAt = (path: string, currency: Money['currency'], ...member: string[]): Balance => ({
  path,
  read: (reply) => {
    const amount = amountAt(reply, ...member);
    return amount === undefined ? undefined : { amount, currency };
  },
});

/** A balance in dollars if the base URL is under this domain, the vendor's international site. */
export const inDollarsAt = (domain: string, { read, ...question }: Balance): Balance => ({
  ...question,
  read: (reply, baseUrl) => {
    const money = read(reply, baseUrl);
    return money && isUnder(domain, baseUrl) ? { ...money, currency: 'USD' } : money;
  },
});

const isUnder = (domain: string, address: string): boolean =>
  `.${URL.parse(address)?.hostname ?? ''}`.endsWith(`.${domain}`);
