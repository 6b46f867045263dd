import { type GatewayConfig, GatewayFieldError, type PaymentGatewayAdapter } from '#payments/gateway.ts';
import { apiOriginOf, formField } from '#payments/config-fields.ts';

export const STRIPE_ORIGIN = 'https://api.stripe.com';

export const stripeForm: PaymentGatewayAdapter['form'] = {
  title: 'Stripe',
  currencies: ['USD', 'CNY'],
  fields: [
    formField('secret_key', { secret: true }),
    formField('webhook_secret', { secret: true, required: false }),
    formField('old_webhook_secret', { secret: true, required: false }),
    formField('api_base', { kind: 'address', required: false, fallback: STRIPE_ORIGIN }),
  ],
  refunds: 'part',
  statements: ['csv', 'api'],
  website: 'https://dashboard.stripe.com/apikeys',
};

/** `webhook_secret` may be empty: `prepare` fills it. */
export function checkStripe(config: GatewayConfig): GatewayConfig {
  const value = (name: string) => (config[name] ?? '').trim();
  const key = value('secret_key');
  if (key === '') throw new GatewayFieldError('secret_key', 'missing');
  if (key.startsWith('pk_')) throw new GatewayFieldError('secret_key', 'key', 'this is the publishable key');
  if (!/^[sr]k_(test|live)_\w+$/.test(key)) {
    throw new GatewayFieldError('secret_key', 'key', 'a key starts with sk_live_, rk_live_, sk_test_ or rk_test_');
  }
  return {
    secret_key: key,
    webhook_secret: webhookSecret(value, 'webhook_secret'),
    old_webhook_secret: webhookSecret(value, 'old_webhook_secret'),
    api_base: apiOriginOf(value('api_base'), STRIPE_ORIGIN),
  };
}

function webhookSecret(value: (name: string) => string, name: string): string {
  const secret = value(name);
  if (secret === '' || /^whsec_\S+$/.test(secret)) return secret;
  throw new GatewayFieldError(name, 'form', 'a webhook secret starts with whsec_');
}

/** Whether the key takes real money. */
export const isLive = ({ secret_key: key = '' }: GatewayConfig): boolean => /^[sr]k_live_/.test(key);

/** The kind of the key and its end. */
export const stripeMerchant = ({ secret_key: key = '' }: GatewayConfig): string =>
  key.length < 16 ? '' : `${key.slice(0, 8)}••••${key.slice(-4)}`;
