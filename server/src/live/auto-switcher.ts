import { channelStatus } from '@relay-hub/contract';
import type { Logger } from 'pino';
import { locked } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { type VendorRefusal, switchesOff, switchOff } from './auto-switch.ts';
import type { ChannelNotices } from '#mail/channel-notices.ts';
import { channelEvents } from './channel-events.ts';
import type { Live } from './live.ts';
import type { LiveChannel, LiveKey } from './routing-table.ts';

interface AutoSwitchDeps {
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
  /** No caller can cause this kind of refusal. */
  proves: boolean;
}

/** How long a refusal that a caller may have caused waits for confirmation by another caller. */
const SUSPECTED_MS = 600_000;

/**
 * Switches channels off in the background when their account or key is refused: only the key if the channel has others,
 * else the channel.
 */
export class AutoSwitcher {
  readonly #needs: AutoSwitchDeps;
  /** By channel: one change at a time. */
  readonly #under = new Map<number, Promise<void>>();
  /** By key: the user who met an unconfirmed refusal. */
  readonly #suspected = new Map<number, { userId: number; at: number }>();

  constructor(needs: AutoSwitchDeps) {
    this.#needs = needs;
  }

  /**
   * Handles a refusal and returns at once. One that a caller may have caused has no effect until another user or an
   * administrator meets it too.
   */
  refused({ id }: LiveChannel, key: LiveKey, refusal: VendorRefusal, call: RefusedCallFacts): void {
    const { live, log } = this.#needs;
    if (this.#under.has(id) || !switchesOff(refusal, live.settings, call.sent)) return;
    if (!call.proves && !call.isAdmin && !this.#isConfirmed(key.id, call.userId)) return;
    const change = this.#switch(id, key.id, call.reason)
      .catch((error: unknown) => log.error({ err: error, channel: id }, 'a channel could not be switched off'))
      .finally(() => this.#under.delete(id));
    this.#under.set(id, change);
  }

  /** Whether another user recently met such a refusal with this key. */
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

  /** Resolves when no change is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#under.values());
  }

  async #switch(channelId: number, keyId: number, reason: string): Promise<void> {
    await switchOffRefused(this.#needs, channelId, keyId, reason);
  }
}

/**
 * Switches a refused key off automatically, or its channel if it has no other key. Resolves with what was switched off,
 * once in force; undefined if it was off already.
 */
export async function switchOffRefused(
  needs: AutoSwitchDeps,
  channelId: number,
  keyId: number,
  reason: string,
): Promise<'key' | 'channel' | undefined> {
  const { db, live, now } = needs;
  const key = await switchKeyOff(db, { channelId, keyId, reason, now: now() });
  if (key === 'gone') return undefined;
  if (key === 'last' && !(await switchOff(db, channelId, reason, now()))) return undefined;
  await live.changed('routes');
  if (key === 'last') channelEvents.switchedOff(needs, channelId, reason);
  else channelEvents.keySwitchedOff(needs, channelId, keyId, reason);
  return key === 'last' ? 'channel' : 'key';
}

interface KeySwitch {
  channelId: number;
  keyId: number;
  reason: string;
  now: number;
}

/** Switches a key off unless it is the last one: then the channel goes off, and its key is tested with it. */
function switchKeyOff(db: Db, { channelId, keyId, reason, now }: KeySwitch): Promise<'off' | 'last' | 'gone'> {
  return db.transaction().execute(async (trx) => {
    // Row locks serialize two changes that together would leave no key.
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
