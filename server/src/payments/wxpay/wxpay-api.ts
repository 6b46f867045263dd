import { asError } from '#caught-error.ts';
import { type Json, objectOf, parseJson } from '#json.ts';
import { type GatewayContext, GatewayError, type GatewayResponse } from '#payments/gateway.ts';
import { platformKey } from './wxpay-certificates.ts';
import { errorOf, sendSigned, type WxpayCall } from './wxpay-request.ts';
import { isSigned, type SignatureHeaders, signatureHeaders, signatureProblem } from './wxpay-signature.ts';

/**
 * Sends a request and returns the verified reply; an empty object for an empty one. A reply that is not verified throws
 * `unknown`, because the operation may have been executed.
 */
export async function callWxpay(context: GatewayContext, call: WxpayCall): Promise<Json> {
  const response = await sendSigned(context, call);
  if (response.status < 200 || response.status >= 300) throw errorOf(context, response);
  await verifyResponse(context, response);
  if (response.body.length === 0) return {};
  const reply = objectOf(parseJson(response.body.toString('utf8')));
  if (!reply) throw new GatewayError('unknown', 'WeChat Pay: the reply is not JSON');
  return reply;
}

export async function verifyResponse(context: GatewayContext, { headers, body }: GatewayResponse): Promise<void> {
  const signed = signatureHeaders(headers);
  let problem = signatureProblem(signed, context.now);
  try {
    problem ||= await keyProblem(context, signed, body);
  } catch (error) {
    problem = asError(error).message;
  }
  if (problem !== '')
    throw new GatewayError('unknown', `WeChat Pay: the reply is not verified: ${problem}`, 'SIGNATURE');
}

/** Why the platform did not sign a body; empty if it did. Throws `GatewayError` if certificates cannot be loaded. */
export async function keyProblem(context: GatewayContext, signed: SignatureHeaders, body: Buffer): Promise<string> {
  const key = await platformKey(context, signed.serial);
  if (!key) return `the platform key ${signed.serial.slice(0, 80)} is unknown`;
  return isSigned(signed, body, key) ? '' : 'the signature is wrong';
}
