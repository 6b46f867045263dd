import type { GatewayKind, GatewayType } from '@relay-hub/contract';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { PaymentGatewayAdapter } from './gateway.ts';

const folder = path.join(import.meta.dirname, 'gateways');

const adapters = new Map<string, PaymentGatewayAdapter>();
for (const file of readdirSync(folder)) {
  if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
  const { gateway } = (await import(path.join(folder, file))) as { gateway: PaymentGatewayAdapter }; // the common suite checks each
  adapters.set(gateway.type, gateway);
}

/** The adapter of a gateway type. Throws for a type without one. */
export function adapterOf(type: GatewayKind): PaymentGatewayAdapter {
  const adapter = adapters.get(type);
  if (!adapter) throw new Error(`there is no adapter for the payment gateway type ${type}`);
  return adapter;
}

/** Form descriptions of all types, in a fixed order. */
export const gatewayForms = (): GatewayType[] =>
  [...adapters.values()]
    .map(({ type, form }) => ({ type, ...form }))
    .toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
