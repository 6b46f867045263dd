import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const files = {
  openai: ['openai', 'resources/chat/completions/completions.d.ts'],
  responses: ['openai', 'resources/responses/responses.d.ts'],
  anthropic: ['@anthropic-ai/sdk', 'resources/messages/messages.d.ts'],
  gemini: ['@google/genai', 'dist/genai.d.ts'],
} as const;

/** The members of an interface in a vendor's official client: the current fields of its wire. */
export function officialFields(vendor: keyof typeof files, name: string): string[] {
  const [client, path] = files[vendor];
  const root = require.resolve(client).split(client)[0]! + client;
  const lines = readFileSync(`${root}/${path}`, 'utf8').split(/\r?\n/);
  const start = lines.findIndex(
    (line) => line.startsWith(`export declare interface ${name} `) || line.startsWith(`export interface ${name} `),
  );
  if (start < 0) throw new Error(`${client} has no interface ${name}`);
  const end = lines.indexOf('}', start);
  return lines.slice(start + 1, end).flatMap((line) => /^ {4}(\w+)\??:/.exec(line)?.[1] ?? []);
}

/** An object that records which members are read, at every depth. */
export function watched(json: object, accessed: Set<string>, path = ''): object {
  return new Proxy(json, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key !== 'string' || Array.isArray(target)) return watchedValue(value, accessed, path);
      const at = path === '' ? key : `${path}.${key}`;
      accessed.add(at);
      return watchedValue(value, accessed, at);
    },
  });
}

const watchedValue = (value: unknown, accessed: Set<string>, path: string): unknown =>
  typeof value === 'object' && value !== null ? watched(value, accessed, path) : value;
