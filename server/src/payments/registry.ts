import type { GatewayKind, GatewayType } from '@relay-hub/contract';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { PaymentGatewayAdapter } from './gateway.ts';

const folder = new URL('./gateways/', import.meta.url);
/** `.ts` in the repository, `.js` in the package. */
const extension = path.extname(import.meta.filename);

const adapters = new Map<string, PaymentGatewayAdapter>();
for (const file of readdirSync(folder)) {
  if (!file.endsWith(extension) || file.includes('.test.')) continue;
  const { gateway } = (await import(new URL(file, folder).href)) as { gateway: PaymentGatewayAdapter }; // the common suite checks each
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
