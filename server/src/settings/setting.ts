import * as z from 'zod/mini';
import { isNeverReached } from '#http/outbound/outbound-address.ts';
import { endsOf, networksIn, parseNetworks } from '#networks.ts';

/** A setting: its default as text, and the schema of a new value. */
export interface Setting<T> {
  fallback: string;
  parse: z.ZodMiniType<T, string>;
  /** Stored encrypted and write-only: absent from lists, history and audit log. */
  secret?: true;
}

export const setting = <T>(fallback: string, parse: z.ZodMiniType<T, string>): Setting<T> => ({ fallback, parse });

/** A password, key or token; empty if there is none. Trims spaces left by copy and paste. */
export const secret = (max = 2000): Setting<string> => ({
  fallback: '',
  parse: plain(max).check(z.regex(/^[\x20-\x7e]*$/, { error: 'key.characters' })),
  secret: true,
});

export const plain = (max: number) => z.string().check(z.trim(), z.maxLength(max));

/**
 * A setting of the product family that has no effect here. It keeps its default, and a change is refused with the
 * reason.
 */
export const unused = (fallback: string, why: string): Setting<string> =>
  setting(fallback, plain(2000).check(z.refine((text) => text === fallback, { error: why })));

/** Not empty. */
export const filled = z.minLength(1, { error: 'text.required' });

/** One line of text. */
export const line = (max: number) => plain(max).check(z.regex(/^[^\r\n]*$/, { error: 'text.one_line' }));

export const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text: 'true' | 'false') => text === 'true'),
);

const numberText = z.pipe(z.string().check(z.regex(/^-?\d+(\.\d+)?$/, { error: 'number.form' })), z.transform(Number));
export const number = (min: number, max: number) => z.pipe(numberText, z.number().check(z.gte(min), z.lte(max)));
export const whole = (min: number, max: number) => z.pipe(numberText, z.int().check(z.gte(min), z.lte(max)));

/** JSON of a given shape; undefined for an empty text. */
export const json = <T>(schema: z.ZodMiniType<T>) =>
  z.pipe(
    z.string(),
    z.transform((text: string, context) => {
      if (text.trim() === '') return undefined;
      try {
        const parsed = schema.safeParse(JSON.parse(text));
        if (parsed.success) return parsed.data;
        const [issue] = parsed.error.issues;
        // Our own rule codes are more specific than "wrong shape".
        const code = issue && /^[a-z]+\.[a-z_]+$/.test(issue.message) ? issue.message : 'json.shape';
        context.issues.push({ code: 'custom', message: code, input: text });
      } catch {
        context.issues.push({ code: 'custom', message: 'json.syntax', input: text });
      }
      return z.NEVER;
    }),
  );

/** As `json`, with an empty object for an empty text. */
export const jsonMap = <T>(value: z.ZodMiniType<T>) =>
  z.pipe(
    json(z.record(z.string().check(z.minLength(1), z.maxLength(200)), value)),
    z.transform((map: Record<string, T> | undefined) => map ?? {}),
  );

/** Comma-separated entries without duplicates. */
export const list = (entry: RegExp, max: number, rule: string) =>
  z.pipe(
    plain(max),
    z.transform((text: string, context) => {
      const entries = [...new Set(text.split(',').map((part) => part.trim()))].filter((part) => part !== '');
      if (entries.every((part) => entry.test(part))) return entries;
      context.issues.push({ code: 'custom', message: rule, input: text });
      return z.NEVER;
    }),
  );

const unset = (text: string, form: RegExp) => text === '' || form.test(text);

/** A URL for browsers; empty if there is none. */
export const webAddress = plain(2000).check(
  z.refine((text) => unset(text, /^https?:\/\/[^\s]+$/) && (text === '' || URL.canParse(text)), {
    error: 'address.web',
  }),
);

/** An image: a URL, or a path of this site; empty if there is none. */
export const pictureAddress = plain(200_000).check(
  z.refine(
    (text) =>
      unset(
        text,
        /^(https?:\/\/[^\s]+|\/(?!\/)[^\s]*|data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]+)$/,
      ),
    {
      error: 'address.picture',
    },
  ),
);

/** Outbound proxy without a password, since this setting is readable; empty: a direct connection. */
export const proxyAddress = plain(500).check(
  z.refine((text) => unset(text, /^(https?|socks5h?):\/\/[^\s/?#@]+\/?$/) && (text === '' || URL.canParse(text)), {
    error: 'proxy.address',
  }),
);

/** A DNS name or IP address. */
export const hostName = plain(255).check(
  z.refine((text) => unset(text, /^([A-Za-z0-9_]([-A-Za-z0-9_.]*[A-Za-z0-9])?\.?|\[?[0-9A-Fa-f:.]+\]?)$/), {
    error: 'host.name',
  }),
);

/** IP addresses and networks, separated by commas or line breaks. Networks that are always blocked are refused. */
export const networks = z.pipe(
  plain(10_000),
  z.transform((text: string, context) => {
    const parsed = parseNetworks(text);
    const error = parsed ? 'network.never' : 'network.list';
    if (parsed && !networksIn(text).some((entry) => endsOf(entry).every(isNeverReached))) return parsed;
    context.issues.push({ code: 'custom', message: error, input: text });
    return z.NEVER;
  }),
);
