import type { AttemptKind } from '@relay-hub/contract';
import type { Db } from '../../server/src/db/tables.ts';
import { type HourCaller, Minute } from '../../server/src/live/hour/minute.ts';
import { minuteToText } from '../../server/src/live/hour/minute-text.ts';

interface Calls {
  callers: readonly HourCaller[];
  /** With the models that each serves; the first ones are called most. */
  channels: readonly { id: number; name: string; models: readonly string[] }[];
  /** Unix seconds. */
  now: number;
  random(): number;
}

/** The last hour of a busy hub, as the live view shows it: one channel is slow, one fails, one user is refused. */
export async function seedMinutes(db: Db, { callers, channels, now, random }: Calls): Promise<void> {
  const last = Math.floor(now / 60);
  const some = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)]!; // never empty
  for (let number = last - 59; number <= last; number++) {
    const minute = new Minute(number);
    const calls = Math.round(55 + 12 * Math.sin(number / 7) + 10 * random());
    for (let at = 0; at < calls; at++) {
      const caller = some(callers);
      const channel = some(channels);
      const model = some(channel.models);
      const second = Math.min(now, number * 60 + Math.floor((at / calls) * 60));
      if (caller.username === 'ci-bot' && random() < 0.6) {
        minute.refused({ caller, model, status: 402, reason: 'insufficient_user_quota' }, second);
        continue;
      }
      const fails = channel.name.startsWith('mistral') ? 0.4 : 0.003;
      const kind: AttemptKind = random() < fails ? 'timeout' : 'ok';
      const isFinal = kind !== 'ok' && random() < 0.1;
      const isSlow = channel.name.startsWith('deepseek') && number > last - 10;
      const firstMs = (isSlow ? 8400 : 700) * (0.5 + random() * (random() < 0.06 ? 5 : 1));
      const attempts: [number, AttemptKind][] = [[channel.id, kind]];
      if (kind !== 'ok' && !isFinal) attempts.push([channels[0]!.id, 'ok']);
      minute.ended(
        {
          caller,
          model,
          failed: isFinal,
          credits: isFinal ? 0 : Math.floor(random() * 14_000),
          firstMs: isFinal ? undefined : firstMs,
          attemptFirstMs: isFinal ? undefined : firstMs,
          attempts,
          ...(isFinal && { failure: { status: 504, kind, message: 'no answer after 30 s' } }),
        },
        second,
      );
    }
    const row = { minute: number, node: 'seed', written_time: now, calls: minuteToText(minute) };
    await db.insertInto('call_minutes').values(row).execute();
  }
}
