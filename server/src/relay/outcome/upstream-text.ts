import { Buffer } from 'node:buffer';
import type { Attempt } from '@relay-hub/contract';
import { hostIn, withoutPlaces } from '#private-places.ts';
import type { ChannelChoice } from '#relay/call/types.ts';
import { RelayError } from '#relay/routes/relay-error.ts';
import { masked } from '#secrets.ts';

/** The operator's view of an upstream's text: whole, with the channel's secrets masked. */
export const maskSecrets = ({ key: { key, headers } }: ChannelChoice, text: string): string =>
  masked(text, key, ...key.split('|'), ...Object.values(headers));

const LONGEST = 1000;

/** The same, no longer than a row should be. A word that the end would cut is left out: half an address is no address. */
export function maskAndTrim(choice: ChannelChoice, text: string): string {
  const whole = maskSecrets(choice, text);
  return whole.length <= LONGEST ? whole : `${withoutCutWord(whole.slice(0, LONGEST))}…`;
}

const withoutCutWord = (text: string): string => text.replace(/[\w.:/%@[\]\\-]+$/, '');

/** What a caller may see of an upstream's text: no secrets, and no addresses, hosts or account ids of the operator. */
export const maskForCaller = (choice: ChannelChoice, text: string): string =>
  withoutPlaces(maskSecrets(choice, text), hostsOf(choice));

/** Adds to an attempt's line what the upstream said, and beside it what the caller may read of that. */
export function noteMessage(attempt: Attempt, choice: ChannelChoice, message: string | undefined): void {
  if (message === undefined) return;
  attempt.message = message;
  const shown = maskForCaller(choice, message);
  if (shown !== message) attempt.shown = shown;
}

/** The same of each text in JSON; the value itself where nothing has to go. */
export function jsonForCaller<Value>(choice: ChannelChoice, value: Value): Value {
  const hosts = hostsOf(choice);
  return mapTexts(value, (text) => withoutPlaces(maskSecrets(choice, text), hosts)) as Value;
}

function mapTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, clean));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [clean(name), mapTexts(one, clean)]));
}

/** An error body as its caller gets it. In JSON the texts are cleaned one by one, so that it stays JSON. */
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

/** Headers of an error as the caller gets them. */
export const headersForCaller = (choice: ChannelChoice, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, maskForCaller(choice, value).replaceAll('•', '*')]),
  );

/**
 * An event of a realtime session as its caller gets it: the texts of errors in it are cleaned. The same bytes where
 * nothing has to go.
 */
export function eventForCaller(choice: ChannelChoice, event: Buffer): Buffer {
  if (!event.includes('"error"')) return event;
  let json: unknown;
  try {
    json = JSON.parse(event.toString('utf8'));
  } catch {
    return Buffer.from(maskForCaller(choice, event.toString('utf8')));
  }
  const isError = typeof json === 'object' && json !== null && 'type' in json && json.type === 'error';
  const clean = JSON.stringify(isError ? jsonForCaller(choice, json) : withCleanErrors(choice, json));
  return clean === JSON.stringify(json) ? event : Buffer.from(clean);
}

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

/** A refusal as its caller gets it. Every refusal that can quote an upstream passes here, whatever its way out. */
export function refusalForCaller(choice: ChannelChoice, refusal: RelayError): RelayError {
  const { status, type, code, message, param, retryAfter, headers } = refusal;
  return new RelayError(status, maskForCaller(choice, message), {
    type: maskForCaller(choice, type),
    code: maskForCaller(choice, code),
    ...(param !== null && { param: maskForCaller(choice, param) }),
    ...(retryAfter !== undefined && isWait(retryAfter) && { retryAfter }),
    ...(headers && { headers: { ...headers } }),
  });
}

/** Seconds or a date: a header that an upstream fills must not carry anything else. */
const isWait = (text: string): boolean =>
  /^\d{1,9}(?:\.\d{1,3})?$/.test(text) || /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);

/** The hosts that an operator typed into a channel. */
const hostsOf = ({ channel: { baseUrl, proxy, other }, key }: ChannelChoice): string[] => [
  ...new Set(
    [baseUrl, proxy, key.proxy, ...(other.includes('://') ? [other] : [])]
      .map(hostIn)
      .filter((host) => host !== undefined),
  ),
];
