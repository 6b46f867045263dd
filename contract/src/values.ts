import * as z from 'zod/mini';
import { oneLine, parseTextMap, splitList, withoutInvisible } from './texts.ts';

/** Credits: whole, 1 credit = $0.000002. Kept within what a JSON number holds exactly (about 18 billion dollars). */
export const credits = z.int();

/** Credits that cannot be owed. */
export const quota = z.int().check(z.gte(0));

/** Largest single movement, two billion dollars; the sum of several is still exact in JSON. */
export const LARGEST_MOVE = 1_000_000_000_000_000;

/** A multiplier of price; 1 means $0.002 per 1K tokens. */
export const ratio = z.number().check(z.gte(0), z.lte(1_000_000));

/** Unix seconds. */
export const seconds = z.int();

/** Expiry in Unix seconds; -1 or 0 = never. Values beyond the year 9999 are milliseconds sent by mistake. */
export const expiry = z.int().check(
  z.gte(-1),
  z.lte(253_402_300_799),
  z.overwrite((time) => (time === 0 ? -1 : time)),
);

export const id = z.int().check(z.gte(1));

/** An id in a path, where it arrives as text. */
export const idParam = z.coerce.number().check(z.int(), z.gte(1));

/** Whether a text is a day of the calendar, as `2026-11-19`. */
export function isDate(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** A day such as `2026-11-19`, and a month such as `2026-11`. */
export const date = z
  .string()
  .check(z.regex(/^\d{4}-(?:0[1-9]|1[0-2])-\d{2}$/, { error: 'date.form' }), z.refine(isDate, { error: 'date.form' }));
export const month = z.string().check(z.regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, { error: 'statement.month' }));

/** A trimmed line of text; unprintable characters become spaces. */
export const text = (max: number, min = 0) =>
  z.string().check(z.overwrite(oneLine), z.minLength(min), z.maxLength(max));

/** One model name, without commas of any script, which separate names in lists. */
export const listedModel = text(100, 1).check(
  z.overwrite((name) => withoutInvisible(name).trim()),
  z.refine((name) => splitList(name).length === 1, { error: 'model.no_comma' }),
);

/** A model name, or a prefix and `*` (`gpt-4*`). The star is only allowed at the end and not alone. */
export const modelPattern = listedModel.check(
  z.refine((name) => !name.includes('*') || /^[^*]+\*$/.test(name), { error: 'model.wildcard' }),
);

/** Comma-separated model names, trimmed and deduplicated. */
export const modelList = z.string().check(
  z.overwrite((list) => [...new Set(splitList(list))].join(',')),
  z.minLength(1),
  z.maxLength(60_000),
  z.refine((list) => splitList(list).every((name) => modelPattern.safeParse(name).success), {
    error: 'model.wildcard',
  }),
);

/** A JSON object of texts, as text (`{"gpt-4": "gpt-4o"}`), or empty. */
export const jsonTextMap = z.string().check(
  z.trim(),
  z.maxLength(60_000),
  z.refine((value) => value === '' || parseTextMap(value) !== undefined, { error: 'json.text_map' }),
);

/** Headers set by the relay or the connection. */
export const ownHeaders = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
  'accept-encoding',
]);

/** Placeholder of a stored secret; sent back, it keeps the secret. */
export const keptSecret = '••••••••';

/** A `jsonTextMap` of header names and values that a request can carry; a value may be `keptSecret`. */
export const jsonHeaders = jsonTextMap.check(
  z.refine(
    (json) =>
      Object.entries(parseTextMap(json) ?? {}).every(
        ([name, value]) =>
          /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) &&
          !ownHeaders.has(name.toLowerCase()) &&
          (value === keptSecret || /^[\t\x20-\x7e]*$/.test(value)),
      ),
    { error: 'header.map' },
  ),
);

/** A key as pasted from a header or a program: without `Bearer`, quotes and invisible characters. */
function bareKey(line: string): string {
  const bare = withoutInvisible(line).trim();
  const inner =
    /^(?:authorization\s*:\s*)?bearer\s+(.+)$/i.exec(bare)?.[1] ?? /^["'`“‘](.*)["'`”’][,;]?$/.exec(bare)?.[1];
  return inner === undefined ? bare : bareKey(inner);
}

/** Credential of an upstream, or one per line; ASCII, since it is sent in a header. */
export const upstreamKey = z.string().check(
  z.trim(),
  // Texts inside of a JSON key keep their quotes.
  z.overwrite((given) => (given.startsWith('{') ? given : given.split('\n').map(bareKey).join('\n').trim())),
  // A mask that a client sends back is no key.
  z.overwrite((key) => (/^(?:sk-)?•{4,}\S{0,4}$/u.test(key) ? '' : key)),
  z.maxLength(60_000),
  z.regex(/^[\t\r\n\x20-\x7e]*$/, { error: 'key.characters' }),
);

/** An http(s) address without user, query or fragment; a slash at the end is dropped. Empty is allowed. */
export const baseAddress = z.string().check(
  z.trim(),
  z.maxLength(500),
  z.overwrite((address) => address.replace(/\/+$/, '')),
  z.refine((address) => address === '' || isHttpAddress(address), { error: 'address.http' }),
);

/**
 * The issuer of an OpenID Connect provider: as `baseAddress`, but a slash after a path belongs to its name and stays.
 * Accepts the address of its discovery document. Empty is allowed.
 */
export const issuerAddress = z.string().check(
  z.trim(),
  z.maxLength(500),
  z.overwrite((address) =>
    address.replace(/\/\.well-known\/openid-configuration\/?$/, '').replace(/^(https?:\/\/[^/]*)\/+$/, '$1'),
  ),
  z.refine((address) => !/[{}]/.test(address), { error: 'oidc.placeholder', abort: true }),
  z.refine((address) => address === '' || isHttpAddress(address), { error: 'address.http' }),
);

function isHttpAddress(address: string): boolean {
  // URL parsers drop line breaks and join the lines.
  if (/\s/.test(address) || !URL.canParse(address)) return false;
  const url = new URL(address);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && (url.protocol === 'http:' || url.protocol === 'https:');
}

/**
 * A proxy on the way to an upstream: http, https, socks5 or socks5h (names are resolved here in any case), with user and password where it wants them; `%s` in them
 * stands for a name of the session. The password may be `keptSecret`. Empty: none.
 */
export const proxyAddress = z.string().check(
  z.trim(),
  z.maxLength(500),
  z.overwrite((address) => address.replace(/\/+$/, '')),
  z.refine((address) => address === '' || isProxyAddress(address), { error: 'proxy.address' }),
);

function isProxyAddress(address: string): boolean {
  // Placeholders are replaced before validation.
  const plain = address.replaceAll('%s', 's').replaceAll(keptSecret, 's');
  if (!/^[\x21-\x7e]+$/.test(plain) || !URL.canParse(plain)) return false;
  const url = new URL(plain);
  const bare = (url.pathname === '' || url.pathname === '/') && url.search === '' && url.hash === '';
  return bare && url.hostname !== '' && ['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol);
}
