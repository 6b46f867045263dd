import { readdirSync } from 'node:fs';
import type { Provider } from './provider.ts';

/** Every file in `adapters/` is a provider; there is no other list. */
const folder = new URL('./adapters/', import.meta.url);

const byType = new Map<number, Provider>();

for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
  const { provider } = (await import(new URL(file, folder).href)) as { provider: Provider };
  if (provider.id !== file.slice(0, -'.ts'.length))
    throw new Error(`${file} must be named after its provider's id, ${provider.id}`);
  const other = byType.get(provider.type);
  if (other) throw new Error(`${provider.id} and ${other.id} both claim channel type ${provider.type}`);
  byType.set(provider.type, provider);
}

/** The provider of a channel type; undefined when there is none. */
export const findProvider = (type: number): Provider | undefined => byType.get(type);

/** All providers, by their number. */
export const allProviders = (): Provider[] => [...byType.values()].toSorted((a, b) => a.type - b.type);
