import { randomBytes } from 'node:crypto';
import { type GatewayContext, GatewayError } from '#payments/gateway.ts';
import { verifyResponse } from './wxpay-api.ts';
import { downloadCertificates } from './wxpay-certificates.ts';
import { errorOf, sendSigned, setting } from './wxpay-request.ts';

/** Causes of frequent errors, for the operator. */
const causes: Readonly<Record<string, string>> = {
  SIGN_ERROR:
    'merchant number, certificate serial number and private key do not belong together, or the clock is wrong',
  NO_AUTH: 'the merchant has not activated this product',
  MCH_NOT_EXISTS: 'there is no such merchant number',
  APPID_MCHID_NOT_MATCH: 'the app is not linked to the merchant number',
  PARAM_ERROR: 'a field has a wrong form',
};

/** Queries an order that does not exist. Without a public key, also downloads the certificates to test the APIv3 key. */
export async function testWxpay(context: GatewayContext): Promise<void> {
  const mchid = encodeURIComponent(setting(context, 'mch_id'));
  const path = `/v3/pay/transactions/out-trade-no/TEST${randomBytes(10).toString('hex')}?mchid=${mchid}`;
  const response = await sendSigned(context, { method: 'GET', path });
  const error = errorOf(context, response);
  if (error.code !== 'ORDER_NOT_EXIST' && error.code !== 'ORDERNOTEXIST') {
    const cause = causes[error.code];
    throw new GatewayError(
      error.outcome,
      cause === undefined ? error.message : `${error.message}: ${cause}`,
      error.code,
    );
  }
  if (setting(context, 'public_key_id') === '') {
    const certificates = await downloadCertificates(context);
    if (certificates.size > 0) return;
    throw new GatewayError(
      'refused',
      'the merchant has no platform certificates: enter the public key and its id',
      'KEY',
    );
  }
  // Error replies may be unsigned; a signed one shows whether the public key is right.
  if (response.headers['wechatpay-signature'] !== undefined) await verifyResponse(context, response);
}
