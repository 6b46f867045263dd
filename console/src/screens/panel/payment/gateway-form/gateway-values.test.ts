import { keptSecret, type GatewayField, type GatewayType, type PaymentGateway } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { bodyOf, gatewayRules, newInput, storedInput } from './gateway-values.ts';

const field: Omit<GatewayField, 'name'> = { kind: 'text', secret: false, required: true, fallback: '', choices: [] };

const epay: GatewayType = {
  type: 'epay',
  title: 'Epay',
  currencies: ['CNY', 'USD'],
  fields: [
    { ...field, name: 'partner_id' },
    { ...field, name: 'protocol', kind: 'choice', fallback: 'v1', choices: ['v1', 'v2'] },
    { ...field, name: 'key', secret: true, when: { name: 'protocol', values: ['v1'] } },
    { ...field, name: 'private_key', kind: 'longtext', secret: true, when: { name: 'protocol', values: ['v2'] } },
  ],
  refunds: 'none',
  statements: [],
  website: '',
};

const stored = {
  type: 'epay',
  name: 'Epay',
  icon: 'epay',
  notify_domain: '',
  fixed_fee: 0.3,
  percent_fee: 0.029,
  currency: 'CNY',
  enable: true,
  config: JSON.stringify({ partner_id: '1001', protocol: 'v1', key: keptSecret, private_key: '' }),
} as PaymentGateway; // the form reads no other fields

const problems = (values: object, before?: PaymentGateway) =>
  gatewayRules([epay], before)
    .safeParse(values)
    .error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('a new gateway', () => {
  test('needs the fields of its type that apply', () => {
    expect(problems(newInput(epay, 'Epay'))).toEqual(['config.partner_id', 'config.key']);
    const v2 = { ...newInput(epay, 'Epay'), config: { partner_id: '1', protocol: 'v2' } };
    expect(problems(v2)).toEqual(['config.private_key']);
  });

  test('has fees with at most two decimals', () => {
    const config = { partner_id: '1', protocol: 'v1', key: 'k' };
    expect(problems({ ...newInput(epay, 'Epay'), config, percent_fee: 2.95 })).toEqual([]);
    expect(problems({ ...newInput(epay, 'Epay'), config, percent_fee: 2.955, fixed_fee: 0.001 })).toEqual([
      'fixed_fee',
      'percent_fee',
    ]);
  });
});

describe('a stored gateway', () => {
  test('shows its percentage, and no secret', () => {
    const values = storedInput(stored, epay);
    expect(values.percent_fee).toBe(2.9);
    expect(values.config).toEqual({ partner_id: '1001', protocol: 'v1', key: '', private_key: '' });
    expect(problems(values, stored)).toEqual([]);
  });

  test('is sent without unchanged secrets and without fields that do not apply', () => {
    const values = gatewayRules([epay], stored).parse(storedInput(stored, epay));
    expect(bodyOf(values, epay)).toMatchObject({ percent_fee: 0.029, config: { partner_id: '1001', protocol: 'v1' } });
    const replaced = { ...values, config: { ...values.config, key: 'new', private_key: 'unused' } };
    expect(bodyOf(replaced, epay).config).toEqual({ partner_id: '1001', protocol: 'v1', key: 'new' });
  });
});
