import type { GatewayKind, GatewayType } from '@relay-hub/contract';
import { keptSecret } from '@relay-hub/contract';
import { AppError, ensure } from '#errors.ts';
import { type GatewayConfig, GatewayFieldError } from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import type { Secrets } from '#secrets.ts';
import { destination, ensureSameDestination, isEntered } from '#stored-secrets.ts';

/** The two columns that hold a gateway's configuration. */
export interface StoredConfig {
  config: Record<string, string>;
  secrets_cipher: string;
}

/** All values of a gateway, secrets included; fields without a value have their fallback. */
export function openConfig(type: GatewayKind, stored: StoredConfig, secrets: Secrets): GatewayConfig {
  const kept = { ...stored.config, ...secretsIn(stored, secrets) };
  return withFallbacks(type, kept);
}

/** Refunds through the gateway with its current configuration. */
export function refundsOf(type: GatewayKind, config: GatewayConfig): GatewayType['refunds'] {
  const { form, refundsFor } = adapterOf(type);
  return refundsFor?.(config) ?? form.refunds;
}

/** The configuration as JSON text for forms; set secrets are masked. */
export function shownConfig(type: GatewayKind, stored: StoredConfig, secrets: Secrets): string {
  const hidden = secretsIn(stored, secrets);
  const { fields } = adapterOf(type).form;
  return JSON.stringify(
    Object.fromEntries(
      fields.map(({ name, secret }) => {
        const value = secret ? hidden[name] : stored.config[name];
        return [name, secret && value ? keptSecret : (value ?? '')];
      }),
    ),
  );
}

/**
 * Checks an entered configuration and returns the columns to store. Absent and blank secrets keep their stored value.
 * Throws `gateway.field`, `gateway.key`, and `gateway.secret_again` if a kept secret would go to another destination.
 */
export function sealConfig(
  type: GatewayKind,
  entered: Readonly<Record<string, string>>,
  before: StoredConfig | undefined,
  secrets: Secrets,
): { config: string; secrets_cipher: string } {
  const adapter = adapterOf(type);
  const { fields } = adapter.form;
  const storedSecrets = before ? secretsIn(before, secrets) : {};
  const isNew = (name: string): boolean => isNewSecret(entered[name]);
  const merged = Object.fromEntries(
    fields.map(({ name, secret }) => {
      const text = entered[name]?.trim();
      if (secret) return [name, isNew(name) ? (text ?? '') : (storedSecrets[name] ?? '')];
      return [name, text ?? before?.config[name] ?? ''];
    }),
  );
  if (before) {
    const kept = fields.filter(({ name, secret }) => secret && !isNew(name) && (storedSecrets[name] ?? '') !== '');
    ensureSameDestination(
      destination(adapter.destination(withFallbacks(type, { ...before.config, ...storedSecrets }))),
      destination(adapter.destination(withFallbacks(type, merged))),
      Object.fromEntries(kept.map(({ name }) => [`config.${name}`, true])),
      'gateway.secret_again',
    );
  }
  return sealUnchecked(type, checkedConfig(type, merged), secrets);
}

/** The columns for values that need not work yet: those of an import. Values that the type has no field for are dropped. */
export function sealUnchecked(
  type: GatewayKind,
  values: Readonly<Record<string, string>>,
  secrets: Secrets,
): { config: string; secrets_cipher: string } {
  const { fields } = adapterOf(type).form;
  const part = (secret: boolean) =>
    Object.fromEntries(fields.filter((field) => field.secret === secret).map(({ name }) => [name, values[name] ?? '']));
  return { config: JSON.stringify(part(false)), secrets_cipher: secrets.encrypt(JSON.stringify(part(true))) };
}

/** Whether a form field holds a new secret: absent, blank and masked ones mean "unchanged". */
export const isNewSecret = (text: string | undefined): boolean => isEntered(text) && text !== keptSecret;

/** Stores further values that the gateway returned, such as a webhook secret. */
export function addToConfig(
  type: GatewayKind,
  before: StoredConfig,
  values: Readonly<Record<string, string>>,
  secrets: Secrets,
): { config: string; secrets_cipher: string } {
  return sealConfig(type, { ...before.config, ...values }, before, secrets);
}

function checkedConfig(type: GatewayKind, config: GatewayConfig): GatewayConfig {
  for (const { name, kind, choices } of adapterOf(type).form.fields)
    ensure(kind !== 'choice' || config[name] === '' || choices.includes(config[name] ?? ''), 'gateway.field', {
      field: `config.${name}`,
      problem: choices.join(', '),
    });
  try {
    return adapterOf(type).check(config);
  } catch (error) {
    if (!(error instanceof GatewayFieldError)) throw error;
    const field = `config.${error.field}`;
    if (error.problem === 'key') throw new AppError('gateway.key', { field, reason: error.message });
    throw new AppError('gateway.field', { field, problem: error.message });
  }
}

function withFallbacks(type: GatewayKind, values: Readonly<Record<string, string>>): GatewayConfig {
  const { fields } = adapterOf(type).form;
  return Object.fromEntries(fields.map(({ name, fallback }) => [name, values[name] || fallback]));
}

function secretsIn({ secrets_cipher }: StoredConfig, secrets: Secrets): Record<string, string> {
  if (secrets_cipher === '') return {};
  return JSON.parse(secrets.decrypt(secrets_cipher)) as Record<string, string>; // written by `sealConfig`
}
