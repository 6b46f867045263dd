import type { UserGroup } from '@relay-hub/contract';
import type { Logger } from 'pino';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { withBasePath } from '#http/base-path.ts';
import type { Secrets } from '#secrets.ts';
import type { Settings } from '#settings.ts';
import { readSettings } from '#settings.ts';
import { Announcements } from './announcements.ts';
import { BlockedNetworks } from './blocked-networks.ts';
import type { Siblings } from '#process/siblings.ts';
import { Callers } from './callers.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelLimiter } from './channel-limits.ts';
import { ChannelSpeeds } from './channel-speeds.ts';
import { Conversations } from './conversations.ts';
import { GuardRules } from './guard-rules.ts';
import { HostHealth } from './host-health.ts';
import { EndpointCalls } from './endpoint-calls.ts';
import { KeyAttempts } from './key-attempts.ts';
import { KeyUses } from './key-uses.ts';
import { mirrorHealth } from './mirror-health.ts';
import { loadRoutes } from './load-routes.ts';
import { PriceBook } from './price-book.ts';
import { loadVirtualModels, noVirtualModels, type VirtualModels } from './virtual-models.ts';
import { type Change, readRevisions, touch, touchUsers, usersChangedSince } from './revisions.ts';
import type { RoutingTable } from './routing-table.ts';

const POLL_MS = 500;

interface LiveParts {
  db: Kysely<Tables>;
  secrets: Secrets;
  log: Logger;
  basePath: string;
  nodeId: string;
}

/**
 * In-memory state that calls look up: settings, groups, prices, routes, callers, blocked networks, announcements. A change on this node is in force when
 * `changed` resolves; other nodes notice it within half a second.
 */
export class Live {
  /** Those in force; `ServerAddress` includes the base path. */
  settings!: Settings;
  prices!: PriceBook;
  routes!: RoutingTable;
  groups: ReadonlyMap<string, UserGroup> = new Map();
  /** Enabled virtual models, by name. */
  virtualModels: VirtualModels = noVirtualModels;
  /** Names of the model owners, by id. */
  owners: ReadonlyMap<number, string> = new Map();
  readonly callers: Callers;
  readonly blocks = new BlockedNetworks();
  readonly announcements = new Announcements();
  readonly guards = new GuardRules();
  readonly keyUses: KeyUses;
  readonly keyAttempts: KeyAttempts;
  readonly endpointCalls: EndpointCalls;
  /** Where conversations are kept for their prompt cache. */
  readonly conversations: Conversations;
  readonly health = new ChannelHealth();
  /** Health of single keys, for channels with several. */
  readonly keyHealth = new ChannelHealth();
  /** Health of the channels' hosts. */
  readonly hosts = new HostHealth();
  readonly speeds = new ChannelSpeeds();
  /** Limits of channels and their keys. */
  readonly limiter: ChannelLimiter;

  /** Called with the previous settings after a reload. */
  onSettings: (before: Settings) => void = () => {};

  readonly #db: Db;
  readonly #secrets: Secrets;
  readonly #log: Logger;
  readonly #basePath: string;
  #tellWorkers: () => void = () => {};
  #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor({ db, secrets, log, basePath, nodeId }: LiveParts) {
    this.#db = db;
    this.#secrets = secrets;
    this.#log = log;
    this.#basePath = basePath;
    this.callers = new Callers(db);
    this.keyUses = new KeyUses(db, log);
    this.keyAttempts = new KeyAttempts(db, log);
    this.endpointCalls = new EndpointCalls(db, log);
    this.conversations = new Conversations(db, log);
    this.limiter = new ChannelLimiter(db, nodeId, log);
  }

  static async open(parts: LiveParts): Promise<Live> {
    const { db } = parts;
    const live = new Live(parts);
    live.#seen = await readRevisions(db);
    await live.#loadSettings();
    await Promise.all([
      live.#loadGroups(),
      live.#loadPrices(),
      live.#loadRoutes(),
      live.#loadVirtualModels(),
      live.blocks.load(db),
      live.announcements.load(db),
      live.guards.load(db),
      live.conversations.refresh(live.#seen),
    ]);
    live.#schedule();
    return live;
  }

  /** Shares health and news of changes with the other workers of this node. */
  join(siblings: Siblings): void {
    if (!siblings.exist) return;
    mirrorHealth(this, siblings);
    this.#tellWorkers = () => siblings.share('changed', undefined);
    siblings.hear('changed', () => this.#refreshInTurn().catch(() => {})); // the next poll tries again
  }

  /** Announces a change to every node, and applies it here before it resolves. */
  async changed(change: Change): Promise<void> {
    await touch(this.#db, change);
    await this.#apply();
  }

  /** Announces a change of these users, or of their tokens, and applies it here before it resolves. */
  async usersChanged(...userIds: number[]): Promise<void> {
    await touchUsers(this.#db, userIds);
    await this.#apply();
  }

  async #apply(): Promise<void> {
    this.#tellWorkers();
    await this.#refreshInTurn();
  }

  /** Awaits a database change, applies it, and resolves with its result. */
  async inForce<T>(change: Change, work: Promise<T>): Promise<T> {
    const result = await work;
    await this.changed(change);
    return result;
  }

  /** Until when a channel is frozen for any of its models, or with its host; 0: not frozen. Unix milliseconds. */
  restsUntil(channelId: number, now: number): number {
    const channel = this.routes.channel(channelId);
    return Math.max(this.health.frozenUntil(channelId, now), channel ? this.hosts.frozenUntil(channel, now) : 0);
  }

  /** Number of frozen channels. */
  restingChannels(now: number): number {
    let count = 0;
    for (const { id } of this.routes.channels()) if (this.restsUntil(id, now) > 0) count++;
    return count;
  }

  /** Clears a channel's failures after a change or a passed test. */
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
      this.limiter.sweep();
    } catch (error) {
      this.#log.error({ err: error }, 'settings could not be refreshed');
    }
    if (this.#timer) this.#schedule();
  }

  /** One at a time: an older read must not replace a newer one. */
  #refreshInTurn(): Promise<void> {
    const turn = this.#last.then(() => this.#refresh());
    // The caller of the turn gets its error; the next turn reads again.
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #refresh(): Promise<void> {
    const now = await readRevisions(this.#db);
    const news = (change: Change) => now.get(change) !== this.#seen.get(change);
    // Callers include the ceilings of their groups.
    if (news('callers') || news('groups')) this.callers.forget();
    else if (news('users')) this.callers.forget(await usersChangedSince(this.#db, this.#seen.get('users') ?? 0));
    if (news('settings')) await this.#loadSettings();
    if (news('groups')) await this.#loadGroups();
    if (news('prices') || news('settings')) await this.#loadPrices();
    if (news('routes')) await this.#loadRoutes();
    if (news('virtual_models')) await this.#loadVirtualModels();
    if (news('blocks')) await this.blocks.load(this.#db);
    if (news('announcements')) await this.announcements.load(this.#db);
    if (news('guard_rules')) await this.guards.load(this.#db);
    await this.conversations.refresh(now);
    // Last, so that a failed refresh is retried.
    this.#seen = now;
  }

  async #loadSettings(): Promise<void> {
    const rows = await this.#db.selectFrom('options').selectAll().execute();
    const before = this.settings;
    const settings = readSettings(new Map(rows.map(({ key, value }) => [key, value])), this.#secrets);
    // Every public address begins with it; operators may enter it with or without the base path.
    this.settings = { ...settings, ServerAddress: withBasePath(settings.ServerAddress, this.#basePath) };
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

  async #loadVirtualModels(): Promise<void> {
    this.virtualModels = await loadVirtualModels(this.#db);
  }

  async #loadRoutes(): Promise<void> {
    this.routes = await loadRoutes(this.#db, this.#secrets, this.#log);
  }
}
