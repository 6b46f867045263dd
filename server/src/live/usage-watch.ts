import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';
import type { ChannelNotices } from '#mail/channel-notices.ts';
import type { Meter } from '#metrics/meter.ts';
import { channelEvents, type DoubtedCall } from './channel-events.ts';

interface UsageWatchDeps {
  db: Db;
  log: Logger;
  meter: Pick<Meter, 'doubted'>;
  notices: Pick<ChannelNotices, 'add'>;
  now(): number;
}

/** Minimum interval of lines and notifications about one channel. */
const NOTICE_S = 3600;

/** Reports doubtful usage to operators in the background. */
export class UsageWatch {
  readonly #needs: UsageWatchDeps;
  /** By channel: one write at a time. */
  readonly #under = new Map<number, Promise<void>>();
  /** By channel and mark: when it was last reported, and the calls since then, which metrics and rows show. */
  readonly #reported = new Map<string, { at: number; since: number }>();

  constructor(needs: UsageWatchDeps) {
    this.#needs = needs;
  }

  /** Counts it and logs the first in an hour; implausible usage is also shown at the channel. Returns at once. */
  note(call: DoubtedCall): void {
    const { log, meter, now } = this.#needs;
    const { channelId, mark } = call;
    meter.doubted(mark);
    const key = `${channelId} ${mark}`;
    const last = this.#reported.get(key);
    const isReported = last === undefined || last.at + NOTICE_S <= now();
    if (isReported) {
      this.#reported.set(key, { at: now(), since: 0 });
      const before = last?.since ?? 0;
      if (mark === 'unusual') channelEvents.unusualUsage(log, call, before);
      else channelEvents.implausibleUsage(this.#needs, call, before);
    } else last.since++;
    if (mark === 'unusual') return;
    if (this.#under.has(channelId)) return;
    const write = this.#warn(call)
      .catch((error: unknown) => log.error({ err: error, channel: channelId }, 'a usage warning could not be written'))
      .finally(() => this.#under.delete(channelId));
    this.#under.set(channelId, write);
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#under.values());
  }

  async #warn({ channelId, requestId, model, findings }: DoubtedCall): Promise<void> {
    const { db, now } = this.#needs;
    const finding = findings.find(({ bound }) => bound !== 'seen');
    const warning = { ...finding, time: now(), request_id: requestId, model };
    await db
      .updateTable('channels')
      .set({ usage_warning: JSON.stringify(warning) })
      .where('id', '=', channelId)
      .execute();
  }
}
