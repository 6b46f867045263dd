import type { UserGroup } from '@relay-hub/contract';
import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';
import type { Secrets } from '#secrets.ts';
import type { Settings } from '#settings.ts';
import { readSettings } from '#settings.ts';
import { Callers } from './callers.ts';
import { ChannelHealth } from './channel-health.ts';
import { HostHealth } from './host-health.ts';
import { loadRoutes } from './load-routes.ts';
import { PriceBook } from './price-book.ts';
import { type Change, readRevisions, touch } from './revisions.ts';
import type { RoutingTable } from './routing-table.ts';

const POLL_MS = 500;

/**
 * What calls look up, held in memory: settings, groups, prices, routes, callers. A change made on this node is in
 * force when `changed` resolves; one made on another node is noticed within half a second.
 */
export class Live {
  settings!: Settings;
  prices!: PriceBook;
  routes!: RoutingTable;
  groups: ReadonlyMap<string, UserGroup> = new Map();
  /** Names of the model owners, by id. */
  owners: ReadonlyMap<number, string> = new Map();
  readonly callers: Callers;
  readonly health = new ChannelHealth();
  /** The same of single keys, of channels that have several. */
  readonly keyHealth = new ChannelHealth();
  /** The same of the hosts that channels are at. */
  readonly hosts = new HostHealth();

  /** Called when settings were read anew, with those that were in force before. */
  onSettings: (before: Settings) => void = () => {};

  readonly #db: Db;
  readonly #secrets: Secrets;
  readonly #log: Logger;
  #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor(db: Db, secrets: Secrets, log: Logger) {
    this.#db = db;
    this.#secrets = secrets;
    this.#log = log;
    this.callers = new Callers(db);
  }

  static async open(db: Db, secrets: Secrets, log: Logger): Promise<Live> {
    const live = new Live(db, secrets, log);
    live.#seen = await readRevisions(db);
    await live.#loadSettings();
    await Promise.all([live.#loadGroups(), live.#loadPrices(), live.#loadRoutes()]);
    live.#schedule();
    return live;
  }

  /** Tells every node of a change, and takes it over on this one before it resolves. */
  async changed(change: Change): Promise<void> {
    await touch(this.#db, change);
    await this.#refreshInTurn();
  }

  /** Awaits a change in the database and has it in force before it resolves with the change's result. */
  async inForce<T>(change: Change, work: Promise<T>): Promise<T> {
    const result = await work;
    await this.changed(change);
    return result;
  }

  /** Until when a channel rests for any of its models, or with its host; 0: it does not. Unix milliseconds. */
  restsUntil(channelId: number, now: number): number {
    const channel = this.routes.channel(channelId);
    return Math.max(this.health.frozenUntil(channelId, now), channel ? this.hosts.frozenUntil(channel, now) : 0);
  }

  /** How many channels rest. */
  restingChannels(now: number): number {
    let count = 0;
    for (const { id } of this.routes.channels()) if (this.restsUntil(id, now) > 0) count++;
    return count;
  }

  /** Holds nothing against a channel any more: it was changed, or has passed its test. */
  absolve(channelId: number): void {
    this.health.forget(channelId);
    const channel = this.routes.channel(channelId);
    if (channel) this.hosts.forget(channel);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    try {
      await this.#refreshInTurn();
      this.health.sweep(Date.now());
      this.keyHealth.sweep(Date.now());
      this.hosts.sweep(Date.now());
    } catch (error) {
      this.#log.error({ err: error }, 'settings could not be refreshed');
    }
    if (this.#timer) this.#schedule();
  }

  /** One at a time: an older reading must not be put in place of a newer one. */
  #refreshInTurn(): Promise<void> {
    const turn = this.#last.then(() => this.#refresh());
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #refresh(): Promise<void> {
    const now = await readRevisions(this.#db);
    const news = (change: Change) => now.get(change) !== this.#seen.get(change);
    if (news('callers')) this.callers.forget();
    if (news('settings')) await this.#loadSettings();
    if (news('groups')) await this.#loadGroups();
    if (news('prices') || news('settings')) await this.#loadPrices();
    if (news('routes')) await this.#loadRoutes();
    // Only now: a refresh that failed is tried again.
    this.#seen = now;
  }

  async #loadSettings(): Promise<void> {
    const rows = await this.#db.selectFrom('options').selectAll().execute();
    const before = this.settings;
    this.settings = readSettings(new Map(rows.map(({ key, value }) => [key, value])), this.#secrets);
    this.onSettings(before);
  }

  async #loadGroups(): Promise<void> {
    const rows = await this.#db.selectFrom('user_groups').selectAll().where('enable', '=', true).execute();
    this.groups = new Map(rows.map((group) => [group.symbol, group]));
  }

  async #loadPrices(): Promise<void> {
    const rows = await this.#db.selectFrom('prices').selectAll().where('valid_to', 'is', null).execute();
    this.prices = new PriceBook(rows, this.settings.DefaultPrice, this.settings.AudioTokenJson);
    const owners = await this.#db.selectFrom('model_owners').select(['id', 'name']).execute();
    this.owners = new Map(owners.map(({ id, name }) => [id, name]));
  }

  async #loadRoutes(): Promise<void> {
    this.routes = await loadRoutes(this.#db, this.#secrets, this.#log);
  }
}
