import { formField, valuesOf } from '#payments/config-fields.ts';
import type { GatewayConfig } from '#payments/gateway.ts';

/** `facepay`: QR code. `pagepay`: page for computers. `wappay`: page for phones. */
export const alipayFields = [
  formField('app_id'),
  formField('private_key', { kind: 'longtext', secret: true }),
  formField('public_key', { kind: 'longtext' }),
  formField('pay_type', { kind: 'choice', fallback: 'facepay', choices: ['facepay', 'pagepay', 'wappay'] }),
  formField('seller_id', { required: false }),
  formField('gateway', {
    kind: 'address',
    fallback: 'https://openapi.alipay.com/gateway.do',
    choices: ['https://openapi.alipay.com/gateway.do', 'https://openapi-sandbox.dl.alipaydev.com/gateway.do'],
  }),
];

export const alipayValues = (config: GatewayConfig) => valuesOf(alipayFields, config);
