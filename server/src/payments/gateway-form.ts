import type { GatewayField } from '@relay-hub/contract';
import { GatewayFieldError } from './gateway.ts';

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

/** The origin in the field `api_base`: https, or http on this machine for simulators. */
export function apiOriginOf(address: string, fallback: string): string {
  if (address === '') return fallback;
  const url = URL.parse(address);
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url && (url.protocol === 'https:' || isLocal)) return url.origin;
  throw new GatewayFieldError('api_base', 'form', 'an https address');
}
