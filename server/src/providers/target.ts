import type { DialectId } from '#chat/codec.ts';
import type { About, ProviderCall, Operation, CallTarget } from './operation.ts';
import type { Headers, Provider, ProviderQuestion } from './provider.ts';

/** The operation for a call: in the caller's dialect if possible, else the first available. */
export function operationFor(
  operation: Operation | undefined,
  about: About,
  dialect?: DialectId,
): Operation | undefined {
  if (!operation) return undefined;
  const serves = (one: Operation): boolean => one.serves?.(about) ?? true;
  const first = serves(operation) ? operation : undefined;
  // Fast path of nearly every call.
  if (first && first.dialect === dialect) return first;
  const others = operation.also?.filter(serves) ?? [];
  return others.find((one) => one.dialect === dialect) ?? first ?? others[0];
}

/** The address and headers of a call, without a signature. */
export function targetOf(provider: Provider, operation: ProviderQuestion, call: ProviderCall): CallTarget {
  if (operation.target) return operation.target(call);
  const { baseUrl, key } = call;
  return { baseUrl, path: behindGateway(baseUrl, operation.path), headers: provider.headers(key) };
}

const GATEWAY = 'https://gateway.ai.cloudflare.com';

/** Cloudflare's gateway has the version in its own base URL. */
export const behindGateway = (baseUrl: string, path: string): string =>
  baseUrl.startsWith(GATEWAY) && path.startsWith('/v1/') ? path.slice(3) : path;

/** The parts of a key joined by `|`; missing ones are empty. */
export function keyParts<const Names extends readonly string[]>(
  key: string,
  ...names: Names
): Record<Names[number], string> {
  const parts = key.split('|');
  return Object.fromEntries(names.map((name, i) => [name, parts[i]?.trim() ?? ''])) as Record<Names[number], string>;
}

export const query = (values: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};

/** The channel's region if valid, because an invalid one must not become a host name. */
export const regionOr = (region: string, otherwise: string): string =>
  /^[a-z0-9][a-z0-9-]{0,62}$/i.test(region.trim()) ? region.trim().toLowerCase() : otherwise;

export const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
