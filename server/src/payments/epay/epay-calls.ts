import { hash, timingSafeEqual } from 'node:crypto';
import { isObject, type Json, objectOf } from '#json.ts';
import { storedKey, valuesOf } from '#payments/config-fields.ts';
import { epayFields } from './epay-fields.ts';
import { type GatewayContext, GatewayError, type GatewayConfig } from '#payments/gateway.ts';
import { replyText, shortReason } from '#payments/reply-text.ts';
import { isRsaSignature, rsaPrivateKey, rsaPublicKey, rsaSignature } from '#payments/rsa-keys.ts';
import { type Parameters, signedText } from '#payments/signed-parameters.ts';

const unsigned = ['sign', 'sign_type'];
/** Largest age of a v2 reply; both clocks may be wrong. */
const MOST_SKEW_SECONDS = 300;

export const epayValues = (config: GatewayConfig) => valuesOf(epayFields, config);
export const isV2 = (config: GatewayConfig): boolean => epayValues(config)('protocol') === 'v2';

/** Adds the signature to parameters of a request; empty ones are dropped. */
export function signedEpay(
  config: GatewayConfig,
  parameters: Record<string, string>,
  now: number,
): Record<string, string> {
  const sent = Object.entries(parameters).filter(([, value]) => value !== '');
  if (!isV2(config)) {
    return { ...Object.fromEntries(sent), sign: md5Signature(config, sent), sign_type: 'MD5' };
  }
  sent.push(['timestamp', String(now)]);
  const sign = rsaSignature(signedText(sent, unsigned), storedKey(config, 'private_key', rsaPrivateKey));
  return { ...Object.fromEntries(sent), sign, sign_type: 'RSA' };
}

/** Whether the parameters of a notification or reply have the signature of the configured protocol. */
export function isSignedEpay(config: GatewayConfig, parameters: Parameters): boolean {
  const sign = parameters.get('sign') ?? '';
  if (isV2(config)) {
    const key = storedKey(config, 'platform_public_key', rsaPublicKey);
    return isRsaSignature(signedText(parameters, unsigned), sign, key);
  }
  const expected = Buffer.from(md5Signature(config, parameters));
  const given = Buffer.from(sign.toLowerCase());
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function md5Signature(config: GatewayConfig, parameters: Iterable<readonly [string, string]>): string {
  const values = epayValues(config);
  if (values('key') === '') throw new GatewayError('refused', 'the key is missing');
  const joiner = values('key_joiner') === 'amp_key' ? '&key=' : '';
  return hash('md5', signedText(parameters, unsigned) + joiner + values('key'), 'hex');
}

/** A successful reply; numbers are kept as their text. */
export type EpayReply = Json;

/** Sends a signed request to an endpoint of v2, or to `mapi.php`, and returns the reply if it reports success. */
export async function postSigned(
  context: GatewayContext,
  endpoint: string,
  parameters: Record<string, string>,
): Promise<EpayReply> {
  const { config, now } = context;
  const signed = signedEpay(config, { pid: epayValues(config)('partner_id'), ...parameters }, now);
  const response = await context.send({
    method: 'POST',
    address: `${epayBase(config)}/${endpoint}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(signed).toString(),
  });
  const reply = successful(config, replyText(response), isV2(config) ? ['0'] : ['1']);
  if (isV2(config)) checkReply(context, reply);
  return reply;
}

/** Calls `api.php` of v1. The key is part of the address: no error contains it. */
export async function callApiPhp(context: GatewayContext, parameters: Record<string, string>): Promise<EpayReply> {
  const { config } = context;
  const values = epayValues(config);
  const query = new URLSearchParams({ ...parameters, pid: values('partner_id'), key: values('key') });
  const response = await context.send({
    method: 'GET',
    address: `${epayBase(config)}/api.php?${query.toString()}`,
    headers: { accept: 'application/json' },
  });
  return successful(config, replyText(response), ['1']);
}

function successful(config: GatewayConfig, text: string, codes: readonly string[]): EpayReply {
  const reply = jsonWithNumbersAsText(text);
  if (!isObject(reply)) throw new GatewayError('unknown', 'the gateway’s reply is not JSON');
  const code = textOf(reply, 'code');
  if (codes.includes(code)) return reply;
  const message = shortReason(textOf(reply, 'msg') || 'no message', epayValues(config)('key'));
  throw new GatewayError('refused', `the gateway refused the request: ${message} (code ${code.slice(0, 20)})`, code);
}

/** Replies of v2 are signed over their texts and numbers; lists and objects are excluded. */
function checkReply({ config, now }: GatewayContext, reply: EpayReply): void {
  const texts = Object.entries(reply).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (!isSignedEpay(config, new Map(texts))) {
    throw new GatewayError('unknown', 'the reply’s signature is wrong: check platform_public_key');
  }
  if (!(Math.abs(Number(textOf(reply, 'timestamp')) - now) <= MOST_SKEW_SECONDS)) {
    throw new GatewayError('unknown', 'the reply’s time differs by more than 5 minutes: check this server’s clock');
  }
}

/** `1.00` has to remain `1.00`, because it is signed. */
function jsonWithNumbersAsText(text: string): unknown {
  type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown; // the library's type lacks the context
  try {
    return parse(text, (_, value, { source }) => (typeof value === 'number' ? (source ?? String(value)) : value));
  } catch {
    return undefined;
  }
}

/** A member's text; empty for anything else. */
export function textOf(reply: Json, name: string): string {
  const value = reply[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** The members of an order in a v1 reply: some forks nest them. */
export const orderIn = (reply: EpayReply): Json => ({ ...reply, ...objectOf(reply['data']) });

/** Base address without a trailing slash and without a pasted endpoint. */
export const epayBase = (config: GatewayConfig): string => baseOf(epayValues(config)('pay_domain'));

export const baseOf = (address: string): string =>
  address
    .replace(/[?#].*$/, '')
    .replace(/\/(?:(?:submit|mapi|api)\.php|api\/(?:pay|merchant)(?:\/\w*)?)\/*$/, '')
    .replace(/\/+$/, '');
