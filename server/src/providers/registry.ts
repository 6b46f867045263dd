import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Provider } from './provider.ts';

/** `.ts` in the repository, `.js` in the package. */
const extension = path.extname(import.meta.filename);

/**
 * Loads the providers of a folder, by type number; every file is one. Throws if a file is not named after its provider,
 * or two have the same number.
 */
export async function readProviders(folder: URL): Promise<ReadonlyMap<number, Provider>> {
  const byType = new Map<number, Provider>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(extension) && !name.includes('.test.'))) {
    const { provider } = (await import(new URL(file, folder).href)) as { provider: Provider };
    if (provider.id !== file.slice(0, -extension.length))
      throw new Error(`${file} must be named after its provider's id, ${provider.id}`);
    const other = byType.get(provider.type);
    if (other) throw new Error(`${provider.id} and ${other.id} both claim channel type ${provider.type}`);
    byType.set(provider.type, provider);
  }
  return byType;
}

const byType = await readProviders(new URL('./adapters/', import.meta.url));

export const findProvider = (type: number): Provider | undefined => byType.get(type);

export const allProviders = (): Provider[] => [...byType.values()].toSorted((a, b) => a.type - b.type);
