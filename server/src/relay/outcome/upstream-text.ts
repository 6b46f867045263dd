import { Buffer } from 'node:buffer';
import type { Attempt } from '@relay-hub/contract';
import { hostIn, withoutPlaces } from '#private-places.ts';
import type { ChannelChoice } from '#relay/types/call-types.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { masked } from '#secrets.ts';

/** Masks the channel's secrets, for operators. */
export const maskSecrets = ({ key: { key, headers } }: ChannelChoice, text: string): string =>
  masked(text, key, ...key.split('|'), ...Object.values(headers));

const MAX_LENGTH = 1000;

/**
 * Masks secrets and limits the length for a log row. A word cut by the limit is dropped, since half an address would
 * escape masking.
 */
export function maskAndTrim(choice: ChannelChoice, text: string): string {
  const whole = maskSecrets(choice, text);
  return whole.length <= MAX_LENGTH ? whole : `${withoutCutWord(whole.slice(0, MAX_LENGTH))}…`;
}

const withoutCutWord = (text: string): string => text.replace(/[\w.:/%@[\]\\-]+$/, '');

/** Masks secrets and removes the operator's addresses, hosts and account ids. */
export const maskForCaller = (choice: ChannelChoice, text: string): string =>
  withoutPlaces(maskSecrets(choice, text), hostsOf(choice));

/**
 * Adds the upstream's message to an attempt, and the version callers may see if it differs. `address`: where it was
 * asked, for operators.
 */
export function noteMessage(
  attempt: Attempt,
  choice: ChannelChoice,
  message: string | undefined,
  address?: string,
): void {
  if (message === undefined) return;
  attempt.message = address === undefined ? message : `${message} (${maskSecrets(choice, address)})`;
  const forCaller = maskForCaller(choice, message);
  if (forCaller !== attempt.message) attempt.shown = forCaller;
}

/** Masks all texts in JSON for the caller. */
export function jsonForCaller(choice: ChannelChoice, value: unknown): unknown {
  const hosts = hostsOf(choice);
  return mapTexts(value, (text) => withoutPlaces(maskSecrets(choice, text), hosts));
}

function mapTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, clean));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [clean(name), mapTexts(one, clean)]));
}

/** An error body for the caller. JSON is masked text by text, so that it stays JSON. */
export function bodyForCaller(choice: ChannelChoice, body: string, isCut: boolean): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return maskForCaller(choice, isCut ? withoutCutWord(body) : body);
  }
  const clean = JSON.stringify(jsonForCaller(choice, json));
  return clean === JSON.stringify(json) ? body : clean;
}

/** Headers of an error for the caller. */
export const headersForCaller = (choice: ChannelChoice, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, maskForCaller(choice, value).replaceAll('•', '*')]),
  );

/** Opens sessions of the operator's account, outside of this server. */
const CLIENT_SECRET = 'client_secret';

/**
 * A realtime event for the caller, with error texts masked and without the provider's client secret; the same buffer if
 * nothing changes.
 */
export function eventForCaller(choice: ChannelChoice, event: Buffer): Buffer {
  const hasSecret = event.includes(CLIENT_SECRET);
  if (!hasSecret && !event.includes('"error"')) return event;
  let json: unknown;
  try {
    json = JSON.parse(event.toString('utf8'));
  } catch {
    return Buffer.from(maskForCaller(choice, event.toString('utf8')));
  }
  const isError = typeof json === 'object' && json !== null && 'type' in json && json.type === 'error';
  const shown = isError ? jsonForCaller(choice, json) : withCleanErrors(choice, json);
  const clean = JSON.stringify(shown, hasSecret ? withoutSecret : undefined);
  return clean === JSON.stringify(json) ? event : Buffer.from(clean);
}

const withoutSecret = (name: string, value: unknown): unknown =>
  name === CLIENT_SECRET && value !== null ? undefined : value;

function withCleanErrors(choice: ChannelChoice, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withCleanErrors(choice, one));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === 'error' || name === 'status_details' ? jsonForCaller(choice, one) : withCleanErrors(choice, one),
    ]),
  );
}

/** A refusal for the caller. Every refusal that may quote an upstream passes through here. */
export function refusalForCaller(choice: ChannelChoice, refusal: RelayError): RelayError {
  const { status, type, code, message, param, retryAfter, headers, inner } = refusal;
  return new RelayError(status, maskForCaller(choice, message), {
    type: maskForCaller(choice, type),
    code: maskForCaller(choice, code),
    ...(param !== null && { param: maskForCaller(choice, param) }),
    ...(retryAfter !== undefined && isWait(retryAfter) && { retryAfter }),
    ...(headers && { headers: { ...headers } }),
    ...(inner && { inner }),
  });
}

/** Seconds or a date; an upstream must not put anything else into this header. */
const isWait = (text: string): boolean =>
  /^\d{1,9}(?:\.\d{1,3})?$/.test(text) || /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);

/** Hosts configured in the channel. */
const hostsOf = ({ channel: { baseUrl, proxy, other }, key }: ChannelChoice): string[] => [
  ...new Set(
    [baseUrl, proxy, key.proxy, ...(other.includes('://') ? [other] : [])]
      .map(hostIn)
      .filter((host) => host !== undefined),
  ),
];
