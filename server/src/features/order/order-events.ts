import type { OrderEvent, OrderEventKind } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { fingerprint } from '#secrets.ts';

/** Bounds what a stranger who knows a notification address can store. */
const MOST_EVIDENCE = 8_000;
const MOST_STRAYS = 200;
const MOST_REFUSED = 50;
/** Begins the print of events with a valid signature, which forged ones must not push out. */
const SIGNED = 's:';

export interface NewOrderEvent {
  /** 0: belongs to no order. */
  orderId: number;
  gatewayId: number;
  kind: OrderEventKind;
  now: number;
  facts?: Record<string, string | number>;
  checks?: OrderEvent['checks'];
  evidence?: string;
  /** Events of one order with the same text here are counted as one; absent: never. */
  same?: string;
}

/** First check of a notification that was verified; the limit on forged ones does not drop its event. */
export const signed = { check: 'signature', ok: true } as const;

/** Adds an event to an order's timeline, or counts it if an equal one is there. */
export async function addEvent(db: Db, event: NewOrderEvent): Promise<void> {
  const { orderId, gatewayId, kind, now, facts = {}, checks = [], evidence = '', same } = event;
  const isSigned = checks[0]?.ok === true;
  const print = same === undefined ? '' : `${isSigned ? SIGNED : ''}${fingerprint(`${kind} ${same}`)}`;
  if (print !== '') {
    const { numUpdatedRows } = await db
      .updateTable('order_events')
      .set((eb) => ({ count: eb('count', '+', 1), last_at: now }))
      .where('gateway_id', '=', gatewayId)
      .where('order_id', '=', orderId)
      .where('print', '=', print)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return;
  }
  if (kind === 'notice_refused' && !isSigned) await dropOldest(db, event, orderId === 0 ? MOST_STRAYS : MOST_REFUSED);
  const texts = Object.entries(facts).map(([name, value]) => [name, plain(String(value)).slice(0, 500)]);
  await db
    .insertInto('order_events')
    .values({
      order_id: orderId,
      gateway_id: gatewayId,
      kind,
      created_at: now,
      last_at: now,
      count: 1,
      checks: JSON.stringify(checks),
      facts: JSON.stringify(Object.fromEntries(texts)),
      evidence: plain(evidence).slice(0, MOST_EVIDENCE),
      print,
    })
    .execute();
}

/** PostgreSQL cannot store NUL. */
const plain = (text: string): string => text.toWellFormed().replaceAll('\0', '');

async function dropOldest(db: Db, { orderId, gatewayId, kind }: NewOrderEvent, most: number): Promise<void> {
  const of = db
    .selectFrom('order_events')
    .where('gateway_id', '=', gatewayId)
    .where('order_id', '=', orderId)
    .where('kind', '=', kind)
    .where('print', 'not like', `${SIGNED}%`);
  const oldest = await of
    .select('id')
    .orderBy('id', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await db
    .deleteFrom('order_events')
    .where('gateway_id', '=', gatewayId)
    .where('order_id', '=', orderId)
    .where('kind', '=', kind)
    .where('print', 'not like', `${SIGNED}%`)
    .where('id', '<=', oldest.id)
    .execute();
}

/** Columns of an event without its evidence. */
export const eventColumns = [
  'order_events.id',
  'order_events.order_id',
  'order_events.gateway_id',
  'order_events.kind',
  'order_events.created_at',
  'order_events.last_at',
  'order_events.count',
  'order_events.checks',
  'order_events.facts',
  sql<boolean>`evidence <> ''`.as('has_evidence'),
] as const;

type EventRow = Omit<Selectable<Tables['order_events']>, 'evidence' | 'print'> & { has_evidence: unknown };

/** An event as the contract has it. */
export const eventOf = (row: EventRow): OrderEvent => ({
  id: row.id,
  kind: row.kind,
  created_at: row.created_at,
  last_at: row.last_at,
  count: row.count,
  checks: row.checks,
  facts: row.facts,
  // SQLite computes 0 or 1.
  has_evidence: Boolean(row.has_evidence),
});
