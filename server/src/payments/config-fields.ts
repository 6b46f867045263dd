import type { GatewayField } from '@relay-hub/contract';
import type { KeyObject } from 'node:crypto';
import { type GatewayConfig, GatewayError, GatewayFieldError } from './gateway.ts';
import { isPair, KeyTextError, rsaPrivateKey, rsaPublicKey } from './rsa-keys.ts';

/** A required text field, with changes. */
export const formField = (name: string, more: Partial<GatewayField> = {}): GatewayField => ({
  name,
  kind: 'text',
  secret: false,
  required: true,
  fallback: '',
  choices: [],
  ...more,
});

/** Reads the values of a configuration, with the fallback for absent and empty ones. */
export const valuesOf =
  (fields: readonly GatewayField[], config: GatewayConfig) =>
  (name: string): string =>
    config[name]?.trim() || (fields.find((field) => field.name === name)?.fallback ?? '');

/**
 * Keeps the values of known fields, trimmed. Throws `GatewayFieldError` for a required field that is shown and empty,
 * and for a value that is none of the choices of a choice field.
 */
export function checkedConfig(fields: readonly GatewayField[], config: GatewayConfig): Record<string, string> {
  const valueOf = valuesOf(fields, config);
  const checked: Record<string, string> = {};
  for (const { name, kind, required, choices, when } of fields) {
    const value = valueOf(name);
    if (value !== '') checked[name] = value;
    if (when && !when.values.includes(valueOf(when.name))) continue;
    if (required && value === '') throw new GatewayFieldError(name, 'missing');
    if (kind === 'choice' && !choices.includes(value)) throw new GatewayFieldError(name, 'choice');
  }
  return checked;
}

/** Checks the address of an API. Throws `GatewayFieldError`. */
export function checkedAddress(field: string, text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new GatewayFieldError(field, 'form', 'not an http(s) address');
  if (url.username !== '' || url.password !== '') throw new GatewayFieldError(field, 'form', 'it contains a password');
  return url;
}

/** The origin in the field `api_base`: https, or http on this machine for simulators. */
export function apiOriginOf(address: string, fallback: string): string {
  if (address === '') return fallback;
  const url = URL.parse(address);
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url && (url.protocol === 'https:' || isLocal)) return url.origin;
  throw new GatewayFieldError('api_base', 'form', 'an https address');
}

/**
 * Reads our private key and the gateway's public key, which operators often confuse. Throws `GatewayFieldError`, also if
 * the public key is ours.
 */
export function checkKeyPair(
  config: GatewayConfig,
  privateField: string,
  publicField: string,
  readPublic = rsaPublicKey,
): { ours: KeyObject; theirs: KeyObject } {
  const ours = keyField(config, privateField, rsaPrivateKey);
  const theirs = keyField(config, publicField, readPublic);
  if (isPair(ours, theirs)) {
    throw new GatewayFieldError(publicField, 'key', 'this is the merchant’s own public key; enter the gateway’s');
  }
  return { ours, theirs };
}

/** Reads the key in a field. Throws `GatewayFieldError`. */
export function keyField(config: GatewayConfig, field: string, read: (text: string) => KeyObject): KeyObject {
  try {
    return read(config[field] ?? '');
  } catch (error) {
    if (error instanceof KeyTextError) throw new GatewayFieldError(field, 'key', error.message);
    throw error;
  }
}

/** A stored key for an operation. Throws `GatewayError`. */
export function storedKey(config: GatewayConfig, field: string, read: (text: string) => KeyObject): KeyObject {
  try {
    return read(config[field] ?? '');
  } catch (error) {
    if (error instanceof KeyTextError) throw new GatewayError('refused', `${field} cannot be used: ${error.message}`);
    throw error;
  }
}

/** The ends of an account number: at most half of it, at most four characters each. */
export function maskedAccount(account: string): string {
  const shown = Math.min(4, Math.floor(account.length / 4));
  return `${account.slice(0, shown)}••••${shown > 0 ? account.slice(-shown) : ''}`;
}
