import * as z from 'zod/mini';

/** Every setting: its default as text, and the rule that a new value must meet. */
interface Setting<T> {
  fallback: string;
  parse: z.ZodMiniType<T, string>;
}

const setting = <T>(fallback: string, parse: z.ZodMiniType<T, string>): Setting<T> => ({ fallback, parse });

const plain = (max: number) => z.string().check(z.trim(), z.maxLength(max));
const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text: 'true' | 'false') => text === 'true'),
);
const numberText = z.pipe(z.string().check(z.regex(/^\d+(\.\d+)?$/)), z.transform(Number));
const number = (min: number, max: number) => z.pipe(numberText, z.number().check(z.gte(min), z.lte(max)));
const whole = (min: number, max: number) => z.pipe(numberText, z.int().check(z.gte(min), z.lte(max)));

const json = <T>(schema: z.ZodMiniType<T>) =>
  z.pipe(
    z.string(),
    z.transform((text: string, context) => {
      if (text.trim() === '') return undefined;
      try {
        const parsed = schema.safeParse(JSON.parse(text));
        if (parsed.success) return parsed.data;
      } catch {
        // Not JSON at all: told below, like JSON of the wrong shape.
      }
      context.issues.push({ code: 'custom', message: 'json.shape', input: text });
      return z.NEVER;
    }),
  );

const siteAddress = plain(500).check(
  z.overwrite((text) => text.replace(/\/+$/, '')),
  z.refine((text) => text === '' || /^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(text), { error: 'address.http' }),
);

const chatLinks = z.array(z.object({ name: z.string(), url: z.string(), show: z.boolean(), sort: z.number() }));
const defaultPrice = z.object({ input: z.number().check(z.gte(0)), output: z.number().check(z.gte(0)) });

const builtInChatLinks = JSON.stringify([
  {
    name: 'ChatGPT Next',
    url: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{server}"}',
    show: true,
    sort: 1,
  },
  {
    name: 'ChatGPT Web Midjourney Proxy',
    url: 'https://vercel.ddaiai.com/#/?settings={"OPENAI_API_KEY":"{key}","OPENAI_API_BASE_URL":"{server}"}',
    show: true,
    sort: 2,
  },
  { name: 'AMA (BotGem)', url: 'ama://set-api-key?server={server}&key={key}', show: false, sort: 3 },
  { name: 'OpenCat', url: 'opencat://team/join?domain={server}&token={key}', show: false, sort: 4 },
]);

const disablePhrases = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'Quota exceeded for quota metric',
  'Incorrect API key provided',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
  'Insufficient Balance',
  'Your account has been blocked',
  'Too many invalid requests',
].join('\n');

export const settings = {
  SystemName: setting('Relay Hub', plain(60).check(z.minLength(1))),
  Logo: setting('', plain(2000)),
  Footer: setting('', plain(20_000)),
  Notice: setting('', plain(100_000)),
  About: setting('', plain(200_000)),
  HomePageContent: setting('', plain(200_000)),
  /** The public address of this server; empty: the address that the browser uses. */
  ServerAddress: setting('', siteAddress),
  Language: setting('zh_CN', z.enum(['zh_CN', 'zh_HK', 'en_US', 'ja_JP'])),
  TopUpLink: setting('', plain(2000)),
  ChatLink: setting('', plain(2000)),
  ChatLinks: setting(builtInChatLinks, json(chatLinks)),
  QuotaPerUnit: setting('500000', whole(1, 1_000_000_000)),
  DisplayInCurrencyEnabled: setting('true', flag),
  /** Credits set aside for the answer of a call that names no output limit. */
  PreConsumedQuota: setting('500', whole(0, 1_000_000_000)),
  /** Further attempts at other channels after one that failed, and for how many seconds of a call any are begun. */
  RetryTimes: setting('2', whole(0, 20)),
  RetryTimeOut: setting('10', whole(0, 3600)),
  /** How long a channel that failed is passed over where there are others; 0: not at all. */
  RetryCooldownSeconds: setting('5', whole(0, 3600)),
  /** The longest that a channel test may take, in seconds; 0: as long as it likes. */
  ChannelDisableThreshold: setting('5', number(0, 3600)),
  /** Channels are switched off after failures that waiting does not mend, and on again when a test succeeds. */
  AutomaticDisableChannelEnabled: setting('false', flag),
  AutomaticEnableChannelEnabled: setting('false', flag),
  /** Phrases in an upstream's refusal that switch a channel off, one a line. */
  DisableChannelKeywords: setting(disablePhrases, plain(20_000)),
  /** All channels are tested every so many minutes; 0: never. */
  ChannelTestFrequency: setting('0', whole(0, 10_080)),
  /** JSON `{"input": ratio, "output": ratio}` for models without a price; empty: such calls are refused. */
  DefaultPrice: setting('', json(defaultPrice)),
  PaymentUSDRate: setting('7.3', number(0.01, 1_000_000)),
  PaymentMinAmount: setting('1', whole(1, 1_000_000)),
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof settings;

/** The settings in force, parsed. */
export type Settings = { [K in SettingKey]: z.output<(typeof settings)[K]['parse']> };

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settings, key);

/** The settings that stored texts stand for; what is not stored, or no longer valid, is at its default. */
export function readSettings(stored: ReadonlyMap<string, string>): Settings {
  const entries = Object.entries(settings).map(([key, { fallback, parse }]) => {
    const found = (parse as z.ZodMiniType).safeParse(stored.get(key) ?? fallback);
    return [key, found.success ? found.data : (parse as z.ZodMiniType).parse(fallback)];
  });
  return Object.fromEntries(entries) as Settings; // one entry for each key of `settings`, parsed by its own rule
}
