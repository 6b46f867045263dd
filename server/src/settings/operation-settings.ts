import {
  baseAddress,
  channelPreferences,
  extraRatios,
  guardLimits,
  guardPattern,
  LEAST_PASSPHRASE,
} from '@relay-hub/contract';
import * as z from 'zod/mini';
import { disablePhrases, extraAudioRatios } from './long-defaults.ts';
import {
  flag,
  json,
  jsonMap,
  line,
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
/** Price factor of a top-up of exactly that many dollars. */
const discounts = z.pipe(
  json(z.record(amount, factor, { error: 'discount.map' })),
  z.transform((map: Record<string, number> | undefined) => map ?? {}),
);

const backupPassphrase = {
  ...secret(1000),
  parse: secret(1000).parse.check(
    z.refine((text) => text === '' || text.length >= LEAST_PASSPHRASE, { error: 'passphrase.short' }),
  ),
};

const patternLines = z.pipe(
  plain(2500),
  z.transform((text: string, { issues }) => {
    const lines = text.split(/\r?\n/).filter((each) => each.trim() !== '');
    const parsed = z.array(guardPattern).check(z.maxLength(guardLimits.patterns)).safeParse(lines);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    issues.push({
      code: 'custom',
      message: issue?.code === 'custom' ? issue.message : 'guard.pattern_large',
      input: text,
    });
    return z.NEVER;
  }),
);

const credits = whole(0, 1_000_000_000_000);

const folder = line(500).check(z.regex(/^(?:\/.*|[A-Za-z]:[\\/].*)?$/, { error: 'folder.absolute' }));

export const operationSettings = {
  QuotaPerUnit: setting('500000', whole(1, 1_000_000_000)),
  DisplayInCurrencyEnabled: setting('true', flag),
  /** Credits reserved for the output of a stream whose usual length is unknown, and for each realtime session. */
  PreConsumedQuota: setting('500', whole(0, 1_000_000_000)),
  /** How a stream ends whose balance is used up: as if its output limit was reached, or with the error. */
  StreamQuotaEnd: setting('length', z.enum(['length', 'error'])),
  /** Options of a call that cost extra at the provider and have no price; channels may differ. */
  UnpricedTiers: setting('remove', z.enum(['remove', 'refuse', 'pass'])),
  UnpricedTools: setting('refuse', z.enum(['refuse', 'remove', 'pass'])),
  /** Replies carry their cost: a member of the usage, and a comment at the end of streams. */
  CostInReplies: setting('false', flag),
  QuotaForNewUser: setting('0', credits),
  QuotaForInviter: setting('0', credits),
  QuotaForInvitee: setting('0', credits),
  /** Share of each paid top-up for the inviter of the payer, in percent, and days until it is paid. */
  InviterSharePercent: setting('0', number(0, 100)),
  InviterShareDays: setting('14', whole(0, 365)),
  /** A mail is sent when a balance falls below this number of credits; 0: never. */
  QuotaRemindThreshold: setting('500000', credits),
  TopUpLink: setting('', webAddress),
  PaymentUSDRate: setting('7.3', number(0.01, 1_000_000)),
  PaymentMinAmount: setting('1', whole(1, 1_000_000)),
  RechargeDiscount: setting('{}', discounts),
  /**
   * Retries at other channels after a failed attempt, and the number of seconds of a call in which a retry may begin.
   */
  RetryTimes: setting('2', whole(0, 20)),
  RetryTimeOut: setting('10', whole(0, 3600)),
  /** Seconds for which a failed channel is skipped if there are others; 0: it is not skipped. */
  RetryCooldownSeconds: setting('5', whole(0, 3600)),
  /** Timeout of a channel test in seconds; 0: none. */
  ChannelDisableThreshold: setting('5', number(0, 3600)),
  /** Channels are disabled after failures that waiting does not fix, and enabled again when a test succeeds. */
  AutomaticDisableChannelEnabled: setting('false', flag),
  AutomaticEnableChannelEnabled: setting('false', flag),
  /** Phrases in an upstream's error that disable a channel, one per line. */
  DisableChannelKeywords: setting(disablePhrases, plain(20_000)),
  /** Minutes between tests of all channels; 0: never. */
  ChannelTestFrequency: setting('0', whole(0, 10_080)),
  /**
   * Percentages of successful attempts: below the first one is a warning, below the second a channel is failing.
   */
  SuccessRateFine: setting('99', number(0, 100)),
  SuccessRatePoor: setting('95', number(0, 100)),
  /** JSON `{"input": ratio, "output": ratio}` for models without a price; empty: such calls are refused. */
  DefaultPrice: setting('', json(defaultPrice)),
  /** Ratios by model and token kind, for prices without extra ratios. */
  AudioTokenJson: setting(JSON.stringify(extraAudioRatios), jsonMap(z.strictObject(extraRatios.shape))),
  /** Estimates tokens by text length, instead of counting them, when the upstream reports none. */
  ApproximateTokenEnabled: setting('false', flag),
  /** Cannot be turned off: a charge without a row could not be explained or reconciled. */
  LogConsumeEnabled: setting('true', flag.check(z.refine((on) => on, { error: 'log.always' }))),
  /** Days after which log rows of calls, and of refused ones, are deleted at this hour by the clock of the server; 0: never. */
  LogKeepDays: setting('0', whole(0, 36_500)),
  RefusedKeepDays: setting('0', whole(0, 36_500)),
  /** Days after which charges of calls without rows are summed up by account and day; 0: never. */
  LedgerFoldDays: setting('0', whole(0, 36_500)),
  CleanupHour: setting('4', whole(0, 23)),
  /** Calls are written into Parquet files, by month, before they are deleted; the folder on the server, empty: in the data directory. */
  LogArchiveEnabled: setting('false', flag),
  LogArchiveFolder: setting('', folder),
  /** Page with success and speed of models; for these user groups, comma-separated; empty: public. */
  StatusPageEnabled: setting('false', flag),
  StatusPageGroups: setting('', line(2000)),
  ClaudeAPIEnabled: setting('true', flag),
  GeminiAPIEnabled: setting('true', flag),
  MjNotifyEnabled: setting('false', flag),
  /** Refusals and optional fields as in the product family, for its consoles and scripts; see decision 0045. */
  FamilyMode: setting('false', flag),
  /** Proxy for images that clients pass by URL; empty: a direct connection. */
  ChatImageRequestProxy: setting('', proxyAddress),
  /** Private networks that images may be fetched from, separate from those of channels. */
  ChatImagePrivateNetworks: setting('', networks),
  /** A worker that fetches images instead, and the key that it knows this server by. */
  CFWorkerImageUrl: setting('', webAddress),
  CFWorkerImageKey: secret(),
  /** Hours for which responses of channels without a store are kept here; 0: not at all. */
  ResponseStoreHours: setting('1', whole(0, 8760)),
  /** Calls may name wishes about providers: `provider` in the body, `:floor` and `:nitro` behind a model. Off: unchanged. */
  ProviderWishes: setting('false', flag),
  /** Shares of channels with one priority: by weight alone, or also by measured latency or purchase cost. */
  ChannelPreference: setting('weight', z.enum(channelPreferences)),
  /** Equal requests get the reply of an earlier one, by tokens whose `enable_cache` is on. */
  ReplyCacheEnabled: setting('false', flag),
  ReplyCacheMinutes: setting('60', whole(1, 43_200)),
  /** Limits of all replies together, and of each. */
  ReplyCacheMiB: setting('256', whole(1, 1_000_000)),
  ReplyCacheReplyKiB: setting('256', whole(1, 16_384)),
  /** Charge of a cached reply, in percent of its price. */
  ReplyCachePercent: setting('0', whole(0, 100)),
  /** Whose replies a call may get: those of its user, or of everyone. */
  ReplyCacheScope: setting('user', z.enum(['user', 'site'])),
  /** Cached streams are sent at once, or as slowly as they came. */
  ReplyCachePace: setting('once', z.enum(['once', 'original'])),
  /** Requests and replies to keep: those of tokens with the tag, or of all. */
  ContentLog: setting('none', z.enum(['none', 'tagged', 'all'])),
  ContentLogTag: setting('keep-content', z.string().check(z.minLength(1), z.maxLength(64))),
  /** Patterns to mask besides keys, cards and addresses, one per line. */
  ContentLogPatterns: setting('', patternLines),
  ContentLogDays: setting('7', whole(1, 365)),
  /** Limit of a request, and of a reply. */
  ContentLogKiB: setting('64', whole(1, 1024)),
  /** Where copies of the tasks' result files are kept. */
  TaskMediaStore: setting('off', z.enum(['off', 'disk', 's3'])),
  /** Limits of the folder `media` in DATA_DIR. Oldest files are removed first. */
  TaskMediaDiskGiB: setting('20', whole(1, 1_000_000)),
  TaskMediaDays: setting('30', whole(1, 36_500)),
  /** Hours for which the signed address of a result file is valid. */
  TaskMediaLinkHours: setting('24', whole(1, 8760)),
  /** A store with Amazon's S3 API. */
  TaskMediaS3Endpoint: setting('', baseAddress),
  TaskMediaS3Region: setting('us-east-1', plain(100).check(z.regex(/^[\w-]+$/, { error: 's3.name' }))),
  TaskMediaS3Bucket: setting('', plain(255).check(z.regex(/^[\w.-]*$/, { error: 's3.name' }))),
  /** Before the names of all files; may contain slashes. */
  TaskMediaS3Prefix: setting('', plain(200).check(z.regex(/^(?!\/)[\w./-]*$/, { error: 's3.name' }))),
  /** The bucket is in the path, instead of in the host name. */
  TaskMediaS3PathStyle: setting('true', flag),
  TaskMediaS3AccessKey: setting('', plain(500).check(z.regex(/^[\x21-\x7e]*$/, { error: 's3.name' }))),
  TaskMediaS3SecretKey: secret(),
  /** Announces the states of tasks to the addresses that callers gave. */
  TaskNotifyEnabled: setting('true', flag),
  /** A backup a day at this hour, by the clock of the server. */
  BackupEnabled: setting('false', flag),
  BackupHour: setting('3', whole(0, 23)),
  /** An absolute path on the server; empty: `backups` in DATA_DIR. */
  BackupFolder: setting('', folder),
  /** Older archives are removed after a success; 0: no limit. */
  BackupKeepCount: setting('7', whole(0, 1000)),
  BackupKeepDays: setting('0', whole(0, 36_500)),
  /** Also the stored result files of tasks. */
  BackupMedia: setting('false', flag),
  /** Encrypts scheduled archives, which then have the data key. */
  BackupPassphrase: backupPassphrase,
};
