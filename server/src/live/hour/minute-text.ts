import { channelFailures } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { addTimes, timesAsList, timesFromList } from './first-token-times.ts';
import { Minute } from './minute.ts';

const count = z.int();
const tally = [count, count, count] as const;

/** A minute as nodes exchange it; lists instead of objects, because it is written every few seconds. */
const storedMinute = z.object({
  sums: z.object({
    calls: count,
    refused: count,
    failed: count,
    attempts: count,
    failedAttempts: count,
    retries: count,
    unsent: count,
    quota: count,
  }),
  times: z.array(count),
  callers: z.array(z.tuple([count, count, z.string(), z.string(), ...tally])),
  models: z.array(z.tuple([z.string(), ...tally])),
  channels: z.array(
    z.tuple([count, count, count, z.partialRecord(z.enum(channelFailures), count), z.nullable(z.array(count))]),
  ),
  troubles: z.array(
    z.object({
      kind: z.enum(['failed', 'refused', 'frozen']),
      time: count,
      count,
      status: count,
      reason: z.string(),
      message: z.string(),
      channelId: count,
      model: z.string(),
      userId: count,
      username: z.string(),
      tokenName: z.string(),
    }),
  ),
});

/** Optional members: versions without it read the rest. */
const storedSigns = z.object({
  channelSigns: z._default(z.array(z.tuple([count, count, count, z.array(count), z.array(count)])), []),
  modelSigns: z._default(z.array(z.tuple([z.string(), count, count, count, count, count])), []),
  durations: z._default(z.array(z.tuple([count, z.array(count)])), []),
});

type StoredMinute = z.infer<typeof storedMinute>;

/** A minute as text for other nodes and later processes. */
export function minuteToText(minute: Minute): string {
  const { sums, times, callers, models, channels, troubles, channelSigns, modelSigns } = minute;
  const stored: StoredMinute & z.infer<typeof storedSigns> = {
    sums,
    times: timesAsList(times),
    callers: [...callers].map(([id, { userId, username, tokenName, calls, refused, failed }]) => [
      id,
      userId,
      username,
      tokenName,
      calls,
      refused,
      failed,
    ]),
    models: [...models].map(([name, { calls, refused, failed }]) => [name, calls, refused, failed]),
    channels: [...channels].map(([id, { attempts, failed, kinds, times: own }]) => [
      id,
      attempts,
      failed,
      Object.fromEntries(kinds),
      own ? timesAsList(own) : null,
    ]),
    troubles: [...troubles.values()],
    channelSigns: [...channelSigns].map(([id, { okAt, failedAt, okBy, failedBy }]) => [
      id,
      okAt,
      failedAt,
      [...okBy],
      [...failedBy],
    ]),
    modelSigns: [...modelSigns].map(([name, { servedAt, unservedAt, unserved, none, unpriced }]) => [
      name,
      servedAt,
      unservedAt,
      unserved,
      none,
      unpriced,
    ]),
    durations: [...channels].flatMap(([id, { durations }]) => (durations ? [[id, timesAsList(durations)]] : [])),
  };
  // PostgreSQL stores no NUL in text, and callers choose the names of models.
  return JSON.stringify(stored).replaceAll('\\u0000', '');
}

/** The minute in a text; undefined for a text that another version wrote in another form. */
export function minuteFromText(number: number, text: string): Minute | undefined {
  const read: unknown = JSON.parse(text);
  const parsed = storedMinute.safeParse(read);
  if (!parsed.success) return undefined;
  const signs = storedSigns.safeParse(read).data;
  const { sums, times, callers, models, channels, troubles } = parsed.data;
  const minute = new Minute(number);
  Object.assign(minute.sums, sums);
  addTimes(minute.times, timesFromList(times));
  for (const [id, userId, username, tokenName, calls, refused, failed] of callers)
    minute.callers.set(id, { userId, username, tokenName, calls, refused, failed });
  for (const [name, calls, refused, failed] of models) minute.models.set(name, { calls, refused, failed });
  for (const [id, attempts, failed, kinds, own] of channels)
    minute.channels.set(id, {
      attempts,
      failed,
      kinds: new Map(channelFailures.flatMap((kind) => (kinds[kind] ? [[kind, kinds[kind]] as const] : []))),
      times: own ? timesFromList(own) : undefined,
    });
  for (const [id, okAt, failedAt, okBy, failedBy] of signs?.channelSigns ?? [])
    minute.channelSigns.set(id, { okAt, failedAt, okBy: new Set(okBy), failedBy: new Set(failedBy) });
  for (const [name, servedAt, unservedAt, unserved, none, unpriced] of signs?.modelSigns ?? [])
    minute.modelSigns.set(name, { servedAt, unservedAt, unserved, none, unpriced });
  for (const [id, list] of signs?.durations ?? []) {
    const channel = minute.channels.get(id);
    if (channel) channel.durations = timesFromList(list);
  }
  troubles.forEach((trouble, at) => minute.troubles.set(`${at}`, trouble));
  return minute;
}
