import type { PluginOptions } from '@relay-hub/contract';
import { keptSecret, parseTextMap } from '@relay-hub/contract';
import { AppError, ensure } from '#errors.ts';
import type { Secrets } from '#secrets.ts';

/** A channel's secrets besides its keys: header values, the proxy's password and secret options. */
export interface ChannelSecrets {
  /** JSON text. */
  model_headers: string;
  proxy: string;
  plugin: PluginOptions;
}

type EncryptedSecrets = Record<keyof ChannelSecrets, string>;

const sealText = (secrets: Secrets, plain: string): string => (plain === '' ? '' : secrets.encrypt(plain));
const openText = (secrets: Secrets, stored: string): string => (stored === '' ? '' : secrets.decrypt(stored));

/** Encrypts for the database; absent fields stay absent. */
export function sealed(
  secrets: Secrets,
  { model_headers, proxy, plugin }: Partial<ChannelSecrets>,
): Partial<EncryptedSecrets> {
  return {
    ...(model_headers !== undefined && { model_headers: sealText(secrets, lean(model_headers)) }),
    ...(proxy !== undefined && { proxy: sealText(secrets, proxy) }),
    ...(plugin !== undefined && {
      plugin: sealText(secrets, Object.keys(plugin).length === 0 ? '' : JSON.stringify(plugin)),
    }),
  };
}

export function opened(secrets: Secrets, stored: EncryptedSecrets): ChannelSecrets {
  const plugin = openText(secrets, stored.plugin);
  return {
    model_headers: openText(secrets, stored.model_headers),
    proxy: openText(secrets, stored.proxy),
    plugin: plugin === '' ? {} : (JSON.parse(plugin) as PluginOptions), // written by `sealed`
  };
}

/** With placeholders instead of secrets. */
export function hidden({ model_headers, proxy, plugin }: ChannelSecrets): ChannelSecrets {
  const headers = Object.keys(parseTextMap(model_headers) ?? {});
  return {
    model_headers: lean(JSON.stringify(Object.fromEntries(headers.map((name) => [name, keptSecret])))),
    proxy: proxy.replace(userInfo, (_, scheme: string, info: string) => `${scheme}${hiddenUser(info)}@`),
    plugin: plugin['headers'] ? { ...plugin, headers: hiddenOptions(plugin['headers']) } : plugin,
  };
}

/** The secrets to store: `next`, with placeholders replaced by the stored values. Throws `channel.kept_unknown`. */
export function merged(next: ChannelSecrets, before: ChannelSecrets): ChannelSecrets {
  return {
    model_headers: lean(
      JSON.stringify(withKept('model_headers', mapOf(next.model_headers), mapOf(before.model_headers))),
    ),
    proxy: proxyWithKept(next.proxy, before.proxy),
    plugin: next.plugin['headers']
      ? { ...next.plugin, headers: withKept('plugin', next.plugin['headers'], before.plugin['headers'] ?? {}) }
      : next.plugin,
  };
}

/** Whether a text contains the placeholder of a stored secret. */
export const hasKept = (text: string): boolean => text.includes(keptSecret);

export const noSecrets: ChannelSecrets = { model_headers: '', proxy: '', plugin: {} };

/** Every secret in it, for masking an upstream's messages. */
export function secretTexts({ model_headers, proxy, plugin }: ChannelSecrets): string[] {
  const [, , info = ''] = userInfo.exec(proxy) ?? [];
  const options = Object.values(plugin['headers'] ?? {}).filter((value) => typeof value === 'string');
  return [...Object.values(mapOf(model_headers)), ...info.split(':'), ...options];
}

const userInfo = /^([a-z0-9]+:\/\/)([^/]*)@/i;

/** The password, or a lone user part, which is a token then. */
function hiddenUser(info: string): string {
  const colon = info.indexOf(':');
  return colon < 0 ? keptSecret : `${info.slice(0, colon)}:${keptSecret}`;
}

function proxyWithKept(next: string, before: string): string {
  if (!next.includes(keptSecret)) return next;
  // A kept password must not be sent to another proxy.
  ensure(next === hidden({ ...noSecrets, proxy: before }).proxy, 'channel.proxy_again', { field: 'proxy' });
  return before;
}

const mapOf = (json: string): Record<string, string> => parseTextMap(json) ?? {};

const lean = (json: string): string => (json.trim() === '{}' ? '' : json);

type PluginValues = PluginOptions[string];

const hiddenOptions = (options: PluginValues): PluginValues =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value === '' ? '' : keptSecret]));

function withKept<T extends PluginValues>(field: 'model_headers' | 'plugin', next: T, before: PluginValues): T {
  const stored = new Map(Object.entries(before).map(([name, value]) => [name.toLowerCase(), value]));
  const entries = Object.entries(next).map(([name, value]) => {
    if (value !== keptSecret) return [name, value];
    const kept = stored.get(name.toLowerCase());
    if (kept === undefined) throw new AppError('channel.kept_unknown', { field, name });
    return [name, kept];
  });
  return Object.fromEntries(entries) as T; // the same keys, with values of the same types
}
