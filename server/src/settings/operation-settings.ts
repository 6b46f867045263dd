import { extraRatios } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { disablePhrases, extraAudioRatios } from './long-defaults.ts';
import {
  flag,
  json,
  jsonMap,
  networks,
  number,
  plain,
  proxyAddress,
  secret,
  setting,
  webAddress,
  whole,
} from './setting.ts';

const defaultPrice = z.object({ input: z.number().check(z.gte(0)), output: z.number().check(z.gte(0)) });

const factor = z.number().check(z.gt(0), z.lte(1));
const amount = z.string().check(z.regex(/^[1-9]\d{0,6}$/));
/** What a top-up of exactly so many dollars costs, as a part of its price. */
const discounts = z.pipe(
  json(z.record(amount, factor, { error: 'discount.map' })),
  z.transform((map: Record<string, number> | undefined) => map ?? {}),
);

const credits = whole(0, 1_000_000_000_000);

export const operationSettings = {
  QuotaPerUnit: setting('500000', whole(1, 1_000_000_000)),
  DisplayInCurrencyEnabled: setting('true', flag),
  /** Credits set aside for the answer of a call that names no output limit. */
  PreConsumedQuota: setting('500', whole(0, 1_000_000_000)),
  QuotaForNewUser: setting('0', credits),
  QuotaForInviter: setting('0', credits),
  QuotaForInvitee: setting('0', credits),
  /** A mail goes out when a balance falls below it, in credits; 0: never. */
  QuotaRemindThreshold: setting('1000', credits),
  TopUpLink: setting('', webAddress),
  PaymentUSDRate: setting('7.3', number(0.01, 1_000_000)),
  PaymentMinAmount: setting('1', whole(1, 1_000_000)),
  RechargeDiscount: setting('{}', discounts),
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
  /** Ratios by model and kind of token, for prices that have none of their own. */
  AudioTokenJson: setting(JSON.stringify(extraAudioRatios), jsonMap(z.strictObject(extraRatios.shape))),
  /** Texts whose tokens no upstream told are estimated by their length instead of being counted. */
  ApproximateTokenEnabled: setting('false', flag),
  /** A charge without a row could not be explained, nor the books be checked. It cannot be switched off. */
  LogConsumeEnabled: setting('true', flag.check(z.refine((on) => on, { error: 'log.always' }))),
  ClaudeAPIEnabled: setting('true', flag),
  GeminiAPIEnabled: setting('true', flag),
  MjNotifyEnabled: setting('false', flag),
  /** How pictures are fetched that callers give by their addresses; empty: straight. */
  ChatImageRequestProxy: setting('', proxyAddress),
  /** Private networks that they may be fetched from; apart from those that channels may be in. */
  ChatImagePrivateNetworks: setting('', networks),
  /** A worker that fetches them instead, and what it knows this server by. */
  CFWorkerImageUrl: setting('', webAddress),
  CFWorkerImageKey: secret(),
};
