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

/** Minimum interval of notifications about one channel. */
const NOTICE_S = 3600;

/** Reports doubtful usage to operators in the background. */
export class UsageWatch {
  readonly #needs: UsageWatchDeps;
  /** By channel: one write at a time. */
  readonly #under = new Map<number, Promise<void>>();
  readonly #noticed = new Map<number, number>();

  constructor(needs: UsageWatchDeps) {
    this.#needs = needs;
  }

  /** Counts and logs it; implausible usage is also shown at the channel. Returns at once. */
  note(call: DoubtedCall): void {
    const { log, meter, now } = this.#needs;
    const { channelId, mark } = call;
    meter.doubted(mark);
    if (mark === 'unusual') return channelEvents.unusualUsage(log, call);
    const last = this.#noticed.get(channelId);
    const isShown = last === undefined || last + NOTICE_S <= now();
    if (isShown) this.#noticed.set(channelId, now());
    channelEvents.implausibleUsage(this.#needs, call, isShown);
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
