import { formField } from '#payments/config-fields.ts';

/** Fields of the epay form. `pay_type` is free text, because operators invent types; its choices are suggestions. */
export const epayFields = [
  formField('pay_domain', { kind: 'address' }),
  formField('partner_id'),
  formField('protocol', { kind: 'choice', fallback: 'v1', choices: ['v1', 'v2'] }),
  formField('mode', { kind: 'choice', fallback: 'form', choices: ['form', 'api'] }),
  formField('pay_type', {
    required: false,
    choices: ['', 'alipay', 'wxpay', 'qqpay', 'bank', 'jdpay', 'paypal', 'usdt'],
  }),
  formField('key', { secret: true, when: { name: 'protocol', values: ['v1'] } }),
  formField('key_joiner', {
    kind: 'choice',
    fallback: 'plain',
    choices: ['plain', 'amp_key'],
    when: { name: 'protocol', values: ['v1'] },
  }),
  formField('private_key', { kind: 'longtext', secret: true, when: { name: 'protocol', values: ['v2'] } }),
  formField('platform_public_key', { kind: 'longtext', when: { name: 'protocol', values: ['v2'] } }),
];
