import { type Json, objectOf, objectOr, parseJson } from '#json.ts';
import { alipayValues } from './alipay-fields.ts';
import { beijingText } from '#payments/beijing-time.ts';
import { storedKey } from '#payments/config-fields.ts';
import { type GatewayContext, GatewayError } from '#payments/gateway.ts';
import { replyText, shortReason } from '#payments/reply-text.ts';
import { isRsaSignature, rsaPrivateKey, rsaPublicKey, rsaSignature } from '#payments/rsa-keys.ts';
import { signedText } from '#payments/signed-parameters.ts';

/** A reply whose signature was verified, also one that refuses. */
export interface AlipayReply {
  ok: boolean;
  /** `sub_code`, or `code` without one. */
  code: string;
  /** For the operator and the timeline. */
  detail: string;
  valueOf(name: string): string;
}

const unknownCodes = /^20000$|SYSTEM_ERROR$|unknow-error$/i;

/** Causes that the gateway's own message does not make clear. */
const causes: Record<string, string> = {
  'isv.invalid-signature': 'private_key does not belong to the app',
  'isv.invalid-app-id': 'app_id is unknown; the sandbox has other apps',
  'isv.invalid-timestamp': 'this server’s clock is wrong',
  'isv.insufficient-isv-permissions': 'the app lacks the product',
  'ACQ.ACCESS_FORBIDDEN': 'the app lacks the product',
};

/** Public parameters with the signature, for a POST body or a link. */
export function signedAlipay(
  { config, now }: GatewayContext,
  method: string,
  content: Json,
  addresses: { notify_url?: string; return_url?: string } = {},
): Record<string, string> {
  const parameters = {
    app_id: alipayValues(config)('app_id'),
    method,
    format: 'JSON',
    charset: 'utf-8',
    sign_type: 'RSA2',
    timestamp: beijingText(now),
    version: '1.0',
    ...addresses,
    biz_content: JSON.stringify(content),
  };
  const key = storedKey(config, 'private_key', rsaPrivateKey);
  return { ...parameters, sign: rsaSignature(signedText(Object.entries(parameters), ['sign']), key) };
}

/** Address of the API without a query. */
export const alipayAddress = (context: GatewayContext): string => alipayValues(context.config)('gateway');

/**
 * Calls a method and verifies the reply. Throws `GatewayError`: `unknown` if the result is unknown, `refused` for
 * refusals that are not signed, which are those of the configuration.
 */
export async function callAlipay(
  context: GatewayContext,
  method: string,
  content: Json,
  notifyUrl = '',
): Promise<AlipayReply> {
  const parameters = signedAlipay(context, method, content, notifyUrl === '' ? {} : { notify_url: notifyUrl });
  const response = await context.send({
    method: 'POST',
    address: `${alipayAddress(context)}?charset=utf-8`,
    headers: { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' },
    body: new URLSearchParams(parameters).toString(),
  });
  const text = replyText(response);
  const signed = memberSource(text, `${method.replaceAll('.', '_')}_response`) ?? memberSource(text, 'error_response');
  const fields = objectOf(parseJson(signed ?? ''));
  if (signed === undefined || !fields) throw new GatewayError('unknown', 'Alipay’s reply is not that of its API');
  const reply = replyOf(fields);
  if (unknownCodes.test(reply.code) || unknownCodes.test(textOf(fields, 'code'))) {
    throw new GatewayError('unknown', reply.detail, reply.code);
  }
  const sign = textOf(objectOr(parseJson(text)), 'sign');
  if (sign === '' && !reply.ok) throw new GatewayError('refused', reply.detail, reply.code);
  if (!isRsaSignature(signed, sign, storedKey(context.config, 'public_key', rsaPublicKey))) {
    throw new GatewayError('unknown', 'the reply’s signature is wrong: public_key has to be Alipay’s, not the app’s');
  }
  return reply;
}

/** Throws for a refusal. */
export function ensureSuccess(reply: AlipayReply): AlipayReply {
  if (!reply.ok) throw new GatewayError('refused', reply.detail, reply.code);
  return reply;
}

function replyOf(fields: Json): AlipayReply {
  const code = textOf(fields, 'sub_code') || textOf(fields, 'code');
  const message = shortReason(textOf(fields, 'sub_msg') || textOf(fields, 'msg'));
  const cause = causes[code];
  return {
    ok: textOf(fields, 'code') === '10000',
    code,
    detail: `${code}: ${message}${cause === undefined ? '' : ` (${cause})`}`,
    valueOf: (name) => textOf(fields, name),
  };
}

const textOf = (fields: Json, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};

/** The exact source of an object's member: the signature covers it with its spaces and escapes. */
function memberSource(json: string, name: string): string | undefined {
  const head = new RegExp(String.raw`"${name}"\s*:\s*(?=\{)`).exec(json);
  if (!head) return undefined;
  const start = head.index + head[0].length;
  let depth = 0;
  for (const token of json.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token[0] === '{') depth++;
    if (token[0] === '}' && --depth === 0) return json.slice(start, start + token.index + 1);
  }
  return undefined;
}
