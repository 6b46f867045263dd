import { randomBytes } from 'node:crypto';
import {
  fieldsOfWay,
  isAdmin,
  type NewWay,
  role,
  type DeliveryWay,
  type WayConfig,
  type WayEdit,
  type WayKind,
} from '@relay-hub/contract';
import { send, type WayRow } from '#alarms/send-message.ts';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import { wayHint } from '#secrets.ts';
import { serverTexts } from '#i18n/texts.ts';

/** Who asks. */
export interface WayViewer {
  id: number;
  role: number;
}

const MOST_OWN = 10;
const MOST_SITE = 50;
const SITE = 0;

const shown = ({ user_id, config_cipher: _cipher, failures: _failures, ...row }: WayRow): DeliveryWay => ({
  ...row,
  site: user_id === SITE,
});

export async function listWays({ db }: Pick<Deps, 'db'>, { id, role: rank }: WayViewer): Promise<DeliveryWay[]> {
  const rows = await db
    .selectFrom('ways')
    .where('user_id', 'in', isAdmin(rank) ? [SITE, id] : [id])
    .selectAll()
    .orderBy('id')
    .execute();
  return rows.map(shown);
}

/** A way that the viewer may change. Throws `record.not_found`. */
export async function findWay({ db }: Pick<Deps, 'db'>, id: number, viewer: WayViewer): Promise<WayRow> {
  const owners = viewer.role >= role.root ? [SITE, viewer.id] : [viewer.id];
  const row = await db
    .selectFrom('ways')
    .where('id', '=', id)
    .where('user_id', 'in', owners)
    .selectAll()
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** Adds a way; returns the secret of a webhook, which is not shown again. */
export async function createWay(
  deps: Deps,
  input: NewWay,
  viewer: WayViewer,
): Promise<DeliveryWay & { secret: string }> {
  const { db } = deps;
  const { site, kind, config: given, ...subscription } = input;
  ensure(!site || viewer.role >= role.root, 'session.role');
  const owner = site ? SITE : viewer.id;
  const { count } = await db
    .selectFrom('ways')
    .where('user_id', '=', owner)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const limit = site ? MOST_SITE : MOST_OWN;
  ensure(count < limit, 'way.too_many', { limit });
  if (!site && kind === 'mail') await ensureNoMailWay(db, owner);
  const config = checked(kind, given, site);
  const row = await db
    .insertInto('ways')
    .values({ user_id: owner, kind, ...stored(deps, kind, config), ...columnsOf(subscription) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...shown(row), secret: kind === 'webhook' ? config.secret : '' };
}

/** A person has one address. Throws `way.too_many`. */
async function ensureNoMailWay(db: Db, owner: number): Promise<void> {
  const mail = await db
    .selectFrom('ways')
    .where('user_id', '=', owner)
    .where('kind', '=', 'mail')
    .select('id')
    .executeTakeFirst();
  ensure(!mail, 'way.too_many', { limit: 1, field: 'kind' });
}

/** Changes a way of the viewer. A new destination replaces the whole old one, so no secret goes to another place. */
export async function updateWay(deps: Deps, input: WayEdit, viewer: WayViewer): Promise<DeliveryWay> {
  const { id, config: given, ...subscription } = input;
  const { kind, user_id: owner } = await findWay(deps, id, viewer);
  const destination = given && stored(deps, kind, checked(kind, given, owner === SITE));
  const row = await deps.db
    .updateTable('ways')
    .set({
      ...columnsOf(subscription),
      failures: 0,
      failure: '',
      ...(destination && { ...destination, confirmed_at: 0, tested_at: 0 }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return shown(row);
}

const columnsOf = <T extends { events: unknown; kinds: unknown }>({ events, kinds, ...others }: T) => ({
  ...others,
  events: JSON.stringify(events),
  kinds: JSON.stringify(kinds),
});

/** Refuses a missing field by its name, and drops those that the kind does not have. */
function checked(kind: WayKind, given: WayConfig, site: boolean): WayConfig {
  const config: WayConfig = { address: '', target: '', token: '', secret: '' };
  for (const { field, isOptional } of fieldsOfWay(kind)) {
    config[field] = given[field];
    ensure(isOptional || config[field] !== '', 'way.field_needed', { field: `config.${field}` });
  }
  if (config.address !== '') {
    const url = URL.parse(config.address);
    const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
    ensure(url && isHttp && url.username === '' && url.password === '', 'outbound.address', {
      field: 'config.address',
    });
    // These were switched off by their vendor.
    ensure(kind !== 'teams' || !url.hostname.endsWith('.webhook.office.com'), 'way.retired', {
      field: 'config.address',
    });
  }
  if (kind === 'telegram') ensure(/^[\w:-]+$/.test(config.token), 'way.field_needed', { field: 'config.token' });
  if (kind === 'mail') {
    // A person is mailed at the address of the account.
    if (!site) config.target = '';
    ensure(config.target === '' || /^[^\s@,;<>"]+@[^\s@,;<>"]+$/.test(config.target), 'mail.address', {
      field: 'config.target',
    });
  }
  if (kind === 'webhook') {
    if (config.secret === '') config.secret = `whsec_${randomBytes(32).toString('base64')}`;
    ensure(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(config.secret), 'way.secret', { field: 'config.secret' });
  }
  return config;
}

function stored({ secrets }: Pick<Deps, 'secrets'>, kind: WayKind, config: WayConfig) {
  return { config_cipher: secrets.encrypt(JSON.stringify(config)), hint: wayHint(kind, config) };
}

/** Sends a test message at once, by the same code as all others. */
export async function testWay(deps: Deps, row: WayRow) {
  const { db, live, now } = deps;
  const words = serverTexts(mailLanguage(live.settings.Language)).alarms;
  const start = performance.now();
  const title = `${live.settings.SystemName}: ${words.events['way.test']}`;
  const { outcome, status, answer } = await send(deps, row, {
    id: `msg_test_${randomBytes(12).toString('hex')}`,
    type: 'way.test',
    object: `way:${row.id}`,
    severity: 'info',
    isOver: false,
    title,
    lines: [],
    link: '',
    data: {},
    time: now(),
    now: now(),
    replyTo: '',
  });
  const ok = outcome.result === 'ok';
  await db
    .updateTable('ways')
    .set(ok ? { tested_at: now(), failure: '', failures: 0 } : { failure: answer || String(status) })
    .where('id', '=', row.id)
    .execute();
  return { ok, http_status: status, answer, ms: Math.round(performance.now() - start) };
}

/** Records that the test message arrived. Throws `way.not_tested` if none was accepted. */
export async function confirmWay({ db, now }: Deps, row: WayRow): Promise<DeliveryWay> {
  ensure(row.tested_at > 0, 'way.not_tested');
  const changed = await db
    .updateTable('ways')
    .set({ confirmed_at: now() })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return shown(changed);
}

/** Deletes a way with its log. A person's mail is switched off instead, because it would come back by itself. */
export async function removeWay({ db }: Pick<Deps, 'db'>, { id, kind, user_id: owner }: WayRow): Promise<void> {
  if (owner !== SITE && kind === 'mail') {
    await db.updateTable('ways').set({ enabled: false }).where('id', '=', id).execute();
    return;
  }
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('deliveries').where('way_id', '=', id).execute();
    await trx.deleteFrom('ways').where('id', '=', id).execute();
  });
}
