import { formField } from './config-fields.ts';

/** Fields of the epay form. `pay_type` is free text, because operators invent types; its choices are suggestions. */
export const epayFields = [
  formField({ name: 'pay_domain', kind: 'address' }),
  formField({ name: 'partner_id', kind: 'text' }),
  formField({ name: 'protocol', kind: 'choice', fallback: 'v1', choices: ['v1', 'v2'] }),
  formField({ name: 'mode', kind: 'choice', fallback: 'form', choices: ['form', 'api'] }),
  formField({
    name: 'pay_type',
    kind: 'text',
    required: false,
    choices: ['', 'alipay', 'wxpay', 'qqpay', 'bank', 'jdpay', 'paypal', 'usdt'],
  }),
  formField({ name: 'key', kind: 'text', secret: true, when: { name: 'protocol', values: ['v1'] } }),
  formField({
    name: 'key_joiner',
    kind: 'choice',
    fallback: 'plain',
    choices: ['plain', 'amp_key'],
    when: { name: 'protocol', values: ['v1'] },
  }),
  formField({ name: 'private_key', kind: 'longtext', secret: true, when: { name: 'protocol', values: ['v2'] } }),
  formField({ name: 'platform_public_key', kind: 'longtext', when: { name: 'protocol', values: ['v2'] } }),
];
