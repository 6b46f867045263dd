import { channelStatus } from '@relay-hub/contract';
import type { Logger } from 'pino';
import { locked } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { type Refusal, switchesOff, switchOff } from './auto-switch.ts';
import type { ChannelNotices } from '#mail/channel-notices.ts';
import { channelEvents } from './channel-events.ts';
import type { Live } from './live.ts';
import type { LiveChannel, LiveKey } from './routing-table.ts';

interface Needs {
  db: Db;
  live: Live;
  log: Logger;
  notices: Pick<ChannelNotices, 'add'>;
  now(): number;
}

/** The call that was refused. */
interface RefusedCallFacts {
  /** Why the channel or key is switched off, for operators. */
  reason: string;
  /** The request that was sent: phrases in it count for nothing, some upstreams repeat them. */
  sent: Buffer;
  userId: number;
  isAdmin: boolean;
  /** The refusal is of a kind that no caller can cause. */
  proves: boolean;
}

/** For so long a refusal that a caller may have caused waits for another caller's. */
const SUSPECTED_MS = 600_000;

/**
 * Switches channels off on which calls fail for the account's or the key's sake, while no call waits for it: the channel,
 * or only its key as long as another one is left.
 */
export class AutoSwitcher {
  readonly #needs: Needs;
  /** By channel: one change of it at a time. */
  readonly #under = new Map<number, Promise<void>>();
  /** By key: who met a refusal that proves nothing yet. */
  readonly #suspected = new Map<number, { userId: number; at: number }>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /**
   * Looks at a refusal; `reason` is what it is called, `asked` what the caller sent, whose own words count for nothing.
   * One that a caller may have caused switches nothing off until another caller meets it too, or an administrator.
   * Returns at once.
   */
  refused({ id }: LiveChannel, key: LiveKey, refusal: Refusal, call: RefusedCallFacts): void {
    const { live, log } = this.#needs;
    if (this.#under.has(id) || !switchesOff(refusal, live.settings, call.sent)) return;
    if (!call.proves && !call.isAdmin && !this.#isConfirmed(key.id, call.userId)) return;
    const change = this.#switch(id, key.id, call.reason)
      .catch((error: unknown) => log.error({ err: error, channel: id }, 'a channel could not be switched off'))
      .finally(() => this.#under.delete(id));
    this.#under.set(id, change);
  }

  /** Whether another user met such a refusal of this key lately. */
  #isConfirmed(keyId: number, userId: number): boolean {
    const now = Date.now();
    const before = this.#suspected.get(keyId);
    if (before && before.userId !== userId && before.at + SUSPECTED_MS > now) {
      this.#suspected.delete(keyId);
      return true;
    }
    this.#suspected.set(keyId, { userId, at: now });
    return false;
  }

  /** Resolves when nothing is being changed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#under.values());
  }

  async #switch(channelId: number, keyId: number, reason: string): Promise<void> {
    await switchOffRefused(this.#needs, channelId, keyId, reason);
  }
}

/**
 * Switches off on the server's own account what was refused: a key as long as its channel has others, else the channel.
 * What it was, in force when this resolves; undefined: it was off already.
 */
export async function switchOffRefused(
  needs: Needs,
  channelId: number,
  keyId: number,
  reason: string,
): Promise<'key' | 'channel' | undefined> {
  const { db, live, now } = needs;
  const key = await switchKeyOff(db, channelId, keyId, reason, now());
  if (key === 'gone') return undefined;
  if (key === 'last' && !(await switchOff(db, channelId, reason, now()))) return undefined;
  await live.changed('routes');
  if (key === 'last') channelEvents.switchedOff(needs, channelId, reason);
  else channelEvents.keySwitchedOff(needs, channelId, keyId, reason);
  return key === 'last' ? 'channel' : 'key';
}

/** Switches a key off, unless it is the only one that is left: then the channel goes, and its key is tested with it. */
function switchKeyOff(
  db: Db,
  channelId: number,
  keyId: number,
  reason: string,
  now: number,
): Promise<'off' | 'last' | 'gone'> {
  return db.transaction().execute(async (trx) => {
    // Of two that would leave none, one waits for the other.
    const held = await locked(trx.selectFrom('channel_keys').where('channel_id', '=', channelId), trx)
      .where('status', '=', channelStatus.enabled)
      .select('id')
      .orderBy('id')
      .execute();
    if (!held.some(({ id }) => id === keyId)) return 'gone';
    if (held.length === 1) return 'last';
    await trx
      .updateTable('channel_keys')
      .set({ status: channelStatus.testDisabled, reason, last_error: reason, last_error_time: now })
      .where('id', '=', keyId)
      .execute();
    return 'off';
  });
}
