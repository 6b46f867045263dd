import { randomBytes } from 'node:crypto';
import { masked } from '#secrets.ts';
import { objectOr, parseJson, textOr } from '#json.ts';
import { storedKey } from '#payments/config-fields.ts';
import { type GatewayContext, GatewayError, type GatewayResponse } from '#payments/gateway.ts';
import { rsaPrivateKey } from '#payments/rsa-keys.ts';
import { WXPAY_ORIGIN } from './wxpay-form.ts';
import { requestSignature } from './wxpay-signature.ts';

export interface WxpayCall {
  method: 'GET' | 'POST';
  /** Path and query string. */
  path: string;
  body?: unknown;
}

export const setting = ({ config }: Pick<GatewayContext, 'config'>, name: string): string => config[name] ?? '';

/** Sends a signed request to a path of the configured origin. The response is not verified. */
export function sendSigned(context: GatewayContext, { method, path, body }: WxpayCall): Promise<GatewayResponse> {
  const origin = setting(context, 'api_base') || WXPAY_ORIGIN;
  // Serialised once: the bytes sent are the bytes signed.
  const text = body === undefined ? '' : JSON.stringify(body);
  const keyId = setting(context, 'public_key_id');
  return context.send({
    method,
    address: origin + path,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: authorization(context, { method, path, body: text }),
      // Selects the key that signs the answer while a merchant changes from certificates to a public key.
      ...(keyId !== '' && { 'wechatpay-serial': keyId }),
    },
    ...(text !== '' && { body: text }),
  });
}

function authorization(context: GatewayContext, request: { method: string; path: string; body: string }): string {
  const timestamp = context.now;
  const nonce = randomBytes(16).toString('hex').toUpperCase();
  const parts = {
    mchid: setting(context, 'mch_id'),
    nonce_str: nonce,
    timestamp: String(timestamp),
    serial_no: setting(context, 'mch_certificate_serial_number'),
    signature: requestSignature(
      { ...request, timestamp, nonce },
      storedKey(context.config, 'mch_private_key', rsaPrivateKey),
    ),
  };
  const fields = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `WECHATPAY2-SHA256-RSA2048 ${fields.join(',')}`;
}

/** Codes with which the operation may have been executed. */
const unknownCodes = new Set(['SYSTEM_ERROR', 'BANK_ERROR', 'SYSTEMERROR', 'BANKERROR']);

/** The error in a response that is not 2xx. Such responses may be unsigned, so they only decide about retries. */
export function errorOf(context: GatewayContext, { status, body }: GatewayResponse): GatewayError {
  const reply = objectOr(parseJson(body.toString('utf8')));
  const code = textOr(reply['code'], '').slice(0, 64);
  const isUnknown = status < 400 || status >= 500 || code === '' || unknownCodes.has(code);
  const message = `WeChat Pay: ${code || `HTTP ${status}`} ${textOr(reply['message'], '').slice(0, 300)}`.trim();
  const secrets = [setting(context, 'mch_apiv3_key'), setting(context, 'mch_private_key')];
  return new GatewayError(isUnknown ? 'unknown' : 'refused', masked(message, ...secrets), code);
}
