import { type GatewayConfig, GatewayFieldError, type PaymentGatewayAdapter } from '#payments/gateway.ts';
import { apiOriginOf, checkKeyPair, formField, keyField } from '#payments/config-fields.ts';
import { pemOf, rsaCertificateKey, rsaPrivateKey } from '#payments/rsa-keys.ts';

export const WXPAY_ORIGIN = 'https://api.mch.weixin.qq.com';

export const wxpayForm: PaymentGatewayAdapter['form'] = {
  title: 'WeChat Pay',
  currencies: ['CNY'],
  fields: [
    formField('app_id'),
    formField('mch_id'),
    formField('mch_certificate_serial_number'),
    formField('mch_apiv3_key', { secret: true }),
    formField('mch_private_key', { kind: 'longtext', secret: true }),
    formField('public_key_id', { required: false }),
    formField('public_key', { kind: 'longtext', required: false }),
    formField('pay_type', { kind: 'choice', required: false, fallback: 'Native', choices: ['Native'] }),
    formField('api_base', { kind: 'address', required: false, fallback: WXPAY_ORIGIN }),
  ],
  refunds: 'part',
  statements: ['csv', 'api'],
  website: 'https://pay.weixin.qq.com/index.php/core/cert/api_cert',
};

/** Normalises keys to PEM. With `public_key`, answers are verified by it; without, by downloaded certificates. */
export function checkWxpay(config: GatewayConfig): GatewayConfig {
  const value = (name: string) => (config[name] ?? '').trim();
  const required = (name: string, shape: RegExp, reason: string) => {
    if (value(name) === '') throw new GatewayFieldError(name, 'missing');
    if (!shape.test(value(name))) throw new GatewayFieldError(name, 'form', reason);
    return value(name);
  };
  const payType = value('pay_type') || 'Native';
  if (payType !== 'Native') throw new GatewayFieldError('pay_type', 'choice', 'only Native is supported');

  return {
    app_id: required('app_id', /^[\w-]{1,32}$/, 'an app id looks like wx0123456789abcdef'),
    mch_id: required('mch_id', /^\d{1,32}$/, 'a merchant number has only digits'),
    mch_certificate_serial_number: required(
      'mch_certificate_serial_number',
      /^[\da-f: ]{4,100}$/i,
      'a serial number is hexadecimal',
    )
      .replaceAll(/[: ]/g, '')
      .toUpperCase(),
    mch_apiv3_key: required('mch_apiv3_key', /^[\x21-\x7e]{32}$/, 'an APIv3 key has exactly 32 characters'),
    ...keysOf(config, value),
    pay_type: payType,
    api_base: apiOriginOf(value('api_base'), WXPAY_ORIGIN),
  };
}

function keysOf(config: GatewayConfig, value: (name: string) => string): GatewayConfig {
  const id = value('public_key_id');
  if (value('mch_private_key') === '') throw new GatewayFieldError('mch_private_key', 'missing');
  if (id === '' && value('public_key') === '') {
    const ours = keyField(config, 'mch_private_key', rsaPrivateKey);
    return { mch_private_key: pemOf(ours), public_key_id: '', public_key: '' };
  }
  if (id === '') throw new GatewayFieldError('public_key_id', 'missing', 'the key needs its PUB_KEY_ID');
  if (!/^PUB_KEY_ID_\w+$/.test(id)) throw new GatewayFieldError('public_key_id', 'form', 'it starts with PUB_KEY_ID_');
  if (value('public_key') === '') throw new GatewayFieldError('public_key', 'missing');
  const { ours, theirs } = checkKeyPair(config, 'mch_private_key', 'public_key', rsaCertificateKey);
  return { mch_private_key: pemOf(ours), public_key_id: id, public_key: pemOf(theirs) };
}
