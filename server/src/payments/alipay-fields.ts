import { formField, valuesOf } from './config-fields.ts';
import type { GatewayConfig } from './gateway.ts';

/** `facepay`: QR code. `pagepay`: page for computers. `wappay`: page for phones. */
export const alipayFields = [
  formField({ name: 'app_id', kind: 'text' }),
  formField({ name: 'private_key', kind: 'longtext', secret: true }),
  formField({ name: 'public_key', kind: 'longtext' }),
  formField({ name: 'pay_type', kind: 'choice', fallback: 'facepay', choices: ['facepay', 'pagepay', 'wappay'] }),
  formField({ name: 'seller_id', kind: 'text', required: false }),
  formField({
    name: 'gateway',
    kind: 'address',
    fallback: 'https://openapi.alipay.com/gateway.do',
    choices: ['https://openapi.alipay.com/gateway.do', 'https://openapi-sandbox.dl.alipaydev.com/gateway.do'],
  }),
];

export const alipayValues = (config: GatewayConfig) => valuesOf(alipayFields, config);
